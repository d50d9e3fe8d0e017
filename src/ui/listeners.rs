//! What the page hears from the browser: keys, addresses, files that are dropped, another theme, a newer site.

use super::app::{App, Msg};
use super::browser::{self, Listener};
use super::share;
use crate::session::Action;
use crate::session::keys::Focus;
use wasm_bindgen::JsCast;
use yew::prelude::*;

/// The media query of the dark theme.
pub const DARK: &str = "(prefers-color-scheme: dark)";

/// Said by `update.js`: a newer version of the site lies ready. And to it: put that in place.
const NEWER_READY: &str = "leaselab-newer";
pub const NEWER_WANTED: &str = "leaselab-update";

/// Listens to all of it.
pub fn listeners(ctx: &Context<App>) -> Vec<Listener> {
    let mut listeners = Vec::new();
    if let Some(document) = browser::document() {
        let link = ctx.link().clone();
        listeners.push(Listener::new(&document, "keydown", move |event| {
            if let Ok(event) = event.dyn_into() {
                link.send_message(Msg::Key(event));
            }
        }));
    }
    if let Some(window) = browser::window() {
        let link = ctx.link().clone();
        listeners.push(Listener::new(&window, "hashchange", move |_| {
            let (_, fragment) = browser::address();
            link.send_message(Msg::Do(Action::Follow(fragment)));
        }));
        let link = ctx.link().clone();
        listeners.push(Listener::new(&window, NEWER_READY, move |_| {
            link.send_message(Msg::Do(Action::NewerSite(true)));
        }));
        // Without it the browser opens what is dropped in the place of the page.
        listeners.push(Listener::new(&window, "dragover", |event| event.prevent_default()));
        let act = ctx.link().callback(Msg::Do);
        listeners.push(Listener::new(&window, "drop", move |event| {
            if let Some(event) = event.dyn_ref() {
                share::dropped(event, &act);
            }
        }));
    }
    if let Some(media) = browser::media(DARK) {
        let link = ctx.link().clone();
        listeners.push(Listener::new(&media, "change", move |_| {
            link.send_message(Msg::ThemeChanged)
        }));
    }
    listeners
}

/// What kind of control has the focus.
pub fn focus(target: Option<web_sys::EventTarget>) -> Focus {
    let Some(element) = target.and_then(|target| target.dyn_into::<web_sys::Element>().ok()) else {
        return Focus::Page;
    };
    match (element.tag_name().as_str(), element.get_attribute("type").as_deref()) {
        ("INPUT", Some("range")) => Focus::Slider,
        ("INPUT", Some("checkbox")) | ("BUTTON" | "A" | "SUMMARY", _) => Focus::Button,
        ("INPUT", Some("text")) | ("TEXTAREA", _) => Focus::Text,
        ("INPUT" | "SELECT", _) => Focus::Entry,
        _ => Focus::Page,
    }
}
