//! The page's end of the worker: hands requests over one at a time, notices when the worker is gone, starts another.

use super::wire::{self, Answer, Request};
use gloo_timers::callback::Timeout;
use std::collections::VecDeque;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};
use yew::Callback;

/// For how long a busy worker may say nothing. It reports four times a second.
const SILENCE_MS: u32 = 10_000;

/// What a worker is made of.
#[derive(Clone, PartialEq)]
pub struct Source {
    pub module: JsValue,
    pub worker_url: String,
}

/// What the worker did.
pub enum News {
    Answer(Box<Answer>),
    Died,
}

pub struct EngineRoom {
    source: Source,
    news: Callback<News>,
    /// None when the browser refused to start one.
    worker: Option<Hired>,
    /// The worker has not answered its last request yet.
    busy: bool,
    /// What it gets next: of each kind the newest.
    waiting: VecDeque<Request>,
    alarm: Option<Timeout>,
}

struct Hired {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(web_sys::Event)>,
}

impl EngineRoom {
    pub fn new(source: Source, news: Callback<News>) -> EngineRoom {
        let mut room = EngineRoom {
            source,
            news,
            worker: None,
            busy: false,
            waiting: VecDeque::new(),
            alarm: None,
        };
        room.restart();
        room
    }

    /// Puts a new worker in the place of the old one, whatever that was doing.
    pub fn restart(&mut self) {
        self.dismiss();
        self.busy = false;
        self.waiting.clear();
        self.worker = hire(&self.source, &self.news).ok();
    }

    pub fn ask(&mut self, request: Request) {
        if self.busy {
            self.waiting.retain(|other| !request.replaces(other));
            self.waiting.push_back(request);
            return;
        }
        let (buffer, transfer) = wire::pack(&request);
        let sent = self
            .worker
            .as_ref()
            .map(|hired| hired.worker.post_message_with_transfer(&buffer, &transfer));
        self.busy = true;
        if matches!(sent, Some(Ok(()))) {
            self.set_alarm();
        } else {
            self.news.emit(News::Died);
        }
    }

    /// The worker said something: it lives, and after a full answer it is free.
    pub fn heard(&mut self, answer: &Answer) {
        if answer.goes_on() {
            self.set_alarm();
            return;
        }
        self.alarm = None;
        self.busy = false;
        if let Some(request) = self.waiting.pop_front() {
            self.ask(request);
        }
    }

    fn set_alarm(&mut self) {
        let news = self.news.clone();
        self.alarm = Some(Timeout::new(SILENCE_MS, move || news.emit(News::Died)));
    }

    fn dismiss(&mut self) {
        self.alarm = None;
        if let Some(Hired { worker, .. }) = self.worker.take() {
            // What it said last may still be on its way.
            worker.set_onmessage(None);
            worker.set_onerror(None);
            worker.terminate();
        }
    }
}

impl Drop for EngineRoom {
    fn drop(&mut self) {
        self.dismiss();
    }
}

fn hire(source: &Source, news: &Callback<News>) -> Result<Hired, JsValue> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(&source.worker_url, &options)?;
    let heard = news.clone();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |message: MessageEvent| {
        heard.emit(wire::unpack(&message.data()).map_or(News::Died, |answer| News::Answer(Box::new(answer))));
    });
    let failed = news.clone();
    let on_error = Closure::<dyn FnMut(web_sys::Event)>::new(move |_| failed.emit(News::Died));
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    worker.post_message(&source.module)?;
    Ok(Hired {
        worker,
        _on_message: on_message,
        _on_error: on_error,
    })
}
