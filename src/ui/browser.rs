//! What the page asks of the browser: animation frames, listeners that end with their owner, media queries, files,
//! the address, the clipboard, what is kept for the next visit.

use crate::engine::Span;
use crate::scenario::fields::FILE_BYTES_MAX;
use crate::session::kept::{self, Memory};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Clipboard, Document, EventTarget, File, MediaQueryList, Response, Storage, Window};
use yew::Callback;

pub fn window() -> Option<Window> {
    web_sys::window()
}
pub fn document() -> Option<Document> {
    window()?.document()
}

/// Leads the keyboard to the element with this id.
pub fn focus(id: &str) {
    let element = document().and_then(|document| document.get_element_by_id(id));
    if let Some(element) = element.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        // Refused only for an element that is gone.
        let _ = element.focus();
    }
}

/// Gives the element with this name the focus when nothing has it, because what had it is gone.
pub fn focus_if_lost(id: &str) {
    let active = document().and_then(|document| document.active_element());
    if active.is_none_or(|active| active.tag_name() == "BODY") {
        focus(id);
    }
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

/// The address without its fragment, and the fragment.
pub fn address() -> (String, String) {
    let Some(location) = window().map(|window| window.location()) else {
        return (String::new(), String::new());
    };
    let fragment = location.hash().unwrap_or_default();
    let address = location.href().unwrap_or_default();
    let site = address.split('#').next().unwrap_or_default();
    (site.to_owned(), fragment)
}

/// Puts another fragment in the place of the one in the address. Refused only when it is done very often, and then the next
/// one will do.
pub fn replace_fragment(fragment: &str) {
    if let Some(history) = window().and_then(|window| window.history().ok()) {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(fragment));
    }
}

/// Gives a text to the clipboard and tells whether it was taken.
pub fn copy(text: String, told: Callback<bool>) {
    let clipboard = window().map(|window| window.navigator());
    // There is none where the page did not come over a safe connection.
    let clipboard = clipboard.and_then(|navigator| js_sys::Reflect::get(&navigator, &"clipboard".into()).ok());
    let Some(clipboard) = clipboard.and_then(|clipboard| clipboard.dyn_into::<Clipboard>().ok()) else {
        told.emit(false);
        return;
    };
    spawn_local(async move {
        told.emit(JsFuture::from(clipboard.write_text(&text)).await.is_ok());
    });
}

/// Reads a file of the person's as text. One that no scenario can be is not read at all.
pub fn read(file: File, told: Callback<Result<String, String>>) {
    if file.size() > FILE_BYTES_MAX as f64 {
        told.emit(Err(format!(
            "it is larger than {FILE_BYTES_MAX} bytes, the limit of a scenario"
        )));
        return;
    }
    spawn_local(async move {
        let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
        told.emit(text.ok_or_else(|| "the browser does not give it".to_owned()));
    });
}

/// What the browser keeps for this site; none where it was told to keep nothing.
fn storage() -> Option<Storage> {
    window()?.local_storage().ok().flatten()
}

/// What earlier visits left.
pub fn memory() -> Memory {
    let Some(storage) = storage() else {
        return Memory::default();
    };
    let value = |key: &str| storage.get_item(key).ok().flatten();
    let keys = (0..storage.length().unwrap_or(0)).filter_map(|n| storage.key(n).ok().flatten());
    let works = keys
        .filter(|key| key.starts_with(kept::WORKS))
        .filter_map(|key| value(&key).map(|text| (key, text)));
    Memory {
        works: works.collect(),
        habits: value(kept::HABITS),
    }
}

/// Keeps a text under this key, and says whether that was possible.
pub fn keep(key: &str, value: &str) -> bool {
    storage().is_some_and(|storage| storage.set_item(key, value).is_ok())
}

pub fn forget(key: &str) {
    if let Some(storage) = storage() {
        // Refused only by a browser that keeps nothing anyway.
        let _ = storage.remove_item(key);
    }
}

/// Says something to the scripts beside the module: an event of the window.
pub fn say(event: &str) {
    if let (Some(window), Ok(event)) = (window(), web_sys::Event::new(event)) {
        // False when somebody prevents what follows, and nothing does.
        let _ = window.dispatch_event(&event);
    }
}

/// As an address takes it.
pub fn encoded(text: &str) -> String {
    js_sys::encode_uri_component(text).into()
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
