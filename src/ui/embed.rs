//! The page within another page: timeline, playback and verdict, and the messages to and from the page around it. What
//! they mean is decided in [`session::embed`](crate::session::embed).

use super::app::Msg;
use super::browser::{self, Listener};
use super::shared::Shared;
use super::timeline::Timeline;
use super::{playback, twin, verdict_line};
use crate::draw::Theme;
use crate::session::embed::{Message, State, VERSION};
use crate::session::{Action, Session};
use js_sys::{Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{MessageEvent, Window};
use yew::html::Scope;
use yew::prelude::*;

pub fn view(session: &Session, theme: Theme, act: &Callback<Action>) -> Html {
    let story = session.story.clone().map(Shared);
    html! {
        <main class="embedded">
            <h1>
                { &session.scenario.title }{ ". " }
                <a href={session.link()} target="_blank" rel="noopener">{ "Open in LeaseLab" }</a>
            </h1>
            { verdict_line::view(session, act) }
            <Timeline
                {story} at={session.playhead} window={session.window} dress={session.dress()}
                {theme} act={act.clone()}
            />
            { twin::view(session, theme, act) }
            { playback::view(session, act) }
            { twin::details(session, act) }
        </main>
    }
}

/// The page around this one.
pub struct Around {
    window: Window,
    told: Option<State>,
    _listener: Listener,
}

impl Around {
    /// None when there is no page around.
    pub fn find(app: &Scope<super::app::App>) -> Option<Around> {
        let own = browser::window()?;
        let around = own.parent().ok()??;
        if around == own {
            return None;
        }
        let (app, from) = (app.clone(), around.clone());
        let listener = Listener::new(&own, "message", move |event| {
            let Some(event) = event.dyn_ref::<MessageEvent>() else {
                return;
            };
            // Other frames have nothing to say here.
            let source = event.source().map(JsValue::from);
            if source.as_ref() == Some(from.as_ref()) {
                app.send_message(Msg::Asked(read(&event.data())));
            }
        });
        Some(Around {
            window: around,
            told: None,
            _listener: listener,
        })
    }

    /// Tells it what is new, if anything.
    pub fn tell(&mut self, session: &Session) {
        let Some(state) = session.state().filter(|state| self.told.as_ref() != Some(state)) else {
            return;
        };
        if self.told.is_none() {
            self.post(&[("is", "ready".into())]);
        }
        self.post(&[
            ("is", "state".into()),
            ("ms", (state.at_ms as f64).into()),
            ("end_ms", (state.end_ms as f64).into()),
            ("playing", state.playing.into()),
            ("verdict", state.verdict.as_str().into()),
        ]);
        self.told = Some(state);
    }

    /// To whoever it is: it has given the link itself, and a run holds no secrets.
    fn post(&self, parts: &[(&str, JsValue)]) {
        let message = Object::new();
        for (name, value) in [("leaselab", VERSION.into())].iter().chain(parts) {
            // An object of our own takes every property.
            let _ = Reflect::set(&message, &(*name).into(), value);
        }
        // Refused only for an address that is none.
        let _ = self.window.post_message(&message, "*");
    }
}

/// Whatever came, as far as it has the parts of a message.
fn read(data: &JsValue) -> Message {
    let part = |name: &str| Reflect::get(data, &name.into()).ok();
    let text = |name| part(name).and_then(|value| value.as_string());
    let number = |name| part(name).and_then(|value| value.as_f64());
    Message {
        version: number("leaselab"),
        verb: text("do"),
        link: text("link"),
        ms: number("ms"),
    }
}
