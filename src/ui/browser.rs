//! What the page asks of the browser: animation frames, listeners that end with their owner, media queries, files.

use crate::engine::Span;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Document, EventTarget, MediaQueryList, Response, Window};
use yew::Callback;

pub fn window() -> Option<Window> {
    web_sys::window()
}
pub fn document() -> Option<Document> {
    window()?.document()
}

/// Whether a media query holds now.
pub fn matches(query: &str) -> bool {
    media(query).is_some_and(|media| media.matches())
}

pub fn media(query: &str) -> Option<MediaQueryList> {
    window()?.match_media(query).ok().flatten()
}

/// Fetches a text of the site, by its address relative to the page, and tells it, or why it did not come.
pub fn fetch(address: String, told: Callback<Result<String, String>>) {
    let text = async move {
        let window = window().ok_or("no window")?;
        let response = JsFuture::from(window.fetch_with_str(&address)).await?;
        let response: Response = response.dyn_into()?;
        if !response.ok() {
            return Err(format!("{address}: the site answers with status {}", response.status()).into());
        }
        JsFuture::from(response.text()?).await
    };
    spawn_local(async move {
        let text: Result<JsValue, JsValue> = text.await;
        told.emit(match text {
            Ok(text) => Ok(text.as_string().unwrap_or_default()),
            Err(why) => Err(why
                .as_string()
                .unwrap_or_else(|| "the site could not be reached".to_owned())),
        });
    });
}

/// Listens until it is dropped.
pub struct Listener {
    target: EventTarget,
    kind: &'static str,
    closure: Closure<dyn FnMut(web_sys::Event)>,
}

impl Listener {
    pub fn new(target: &EventTarget, kind: &'static str, heard: impl FnMut(web_sys::Event) + 'static) -> Listener {
        let closure = Closure::new(heard);
        // Refused only for a target that is gone, and then there is nothing to hear.
        let _ = target.add_event_listener_with_callback(kind, closure.as_ref().unchecked_ref());
        Listener {
            target: target.clone(),
            kind,
            closure,
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self
            .target
            .remove_event_listener_with_callback(self.kind, self.closure.as_ref().unchecked_ref());
    }
}

/// Asks for one animation frame after the other while it runs, and tells how long each took.
pub struct Frames {
    running: Rc<Cell<bool>>,
    last_ms: Rc<Cell<Option<f64>>>,
    step: Rc<Closure<dyn FnMut(f64)>>,
}

impl Frames {
    pub fn new(tick: Callback<Span>) -> Frames {
        let running = Rc::new(Cell::new(false));
        let last_ms = Rc::new(Cell::new(None::<f64>));
        let (goes_on, last) = (Rc::clone(&running), Rc::clone(&last_ms));
        let step = Rc::new_cyclic(|itself: &std::rc::Weak<Closure<dyn FnMut(f64)>>| {
            let itself = itself.clone();
            Closure::new(move |now_ms: f64| {
                if !goes_on.get() {
                    return;
                }
                if let Some(before) = last.replace(Some(now_ms)) {
                    tick.emit(Span(((now_ms - before).max(0.0) * 1_000.0) as u64));
                }
                if let Some(step) = itself.upgrade() {
                    request(&step);
                }
            })
        });
        Frames { running, last_ms, step }
    }

    pub fn run(&self, runs: bool) {
        if self.running.replace(runs) != runs && runs {
            self.last_ms.set(None);
            request(&self.step);
        }
    }
}

fn request(step: &Closure<dyn FnMut(f64)>) {
    if let Some(window) = window() {
        let _ = window.request_animation_frame(step.as_ref().unchecked_ref());
    }
}
