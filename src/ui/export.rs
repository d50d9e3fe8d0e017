//! Files for the person: the timeline as it is seen, as SVG or as PNG, and texts that others have made.

use super::browser;
use crate::draw::{self, Dress, Ink, Scene, Theme, View};
use crate::session::{Export, Session};
use gloo_timers::callback::Timeout;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement};
use yew::Callback;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = URL, js_name = createObjectURL)]
    fn address_of(blob: &Blob) -> Result<String, JsValue>;
    #[wasm_bindgen(js_namespace = URL, js_name = revokeObjectURL)]
    fn let_go(address: &str);
}

/// A picture is drawn with at least so many dots for a CSS pixel: it is looked at on other screens, and printed.
const DOTS_MIN: f64 = 2.0;
/// By then every browser has begun to save a file.
const SAVING_MS: u32 = 60_000;

/// Draws the timeline as it is seen and gives it to the person as a file; tells whether that went well.
pub fn picture(session: &Session, theme: Theme, what: Export, name: String, told: Callback<bool>) {
    let Some(scene) = seen(session) else {
        told.emit(false);
        return;
    };
    if what == Export::Svg {
        told.emit(text(&name, draw::svg(&scene, theme).as_bytes()));
    } else if png(&scene, theme, name, told.clone()).is_none() {
        told.emit(false);
    }
}

/// Gives a text to the person as a file; says whether that went well.
pub fn text(name: &str, bytes: &[u8]) -> bool {
    let parts = Array::of1(&Uint8Array::from(bytes));
    Blob::new_with_u8_array_sequence(&parts).is_ok_and(|blob| give(name, &blob).is_some())
}

/// The timeline with its playhead, as wide as it is shown.
fn seen(session: &Session) -> Option<Scene> {
    let stage = browser::document()?.query_selector(".timeline .stage").ok()??;
    let story = session.story.as_ref()?;
    let (from, until) = session.window.visible(story.end());
    let view = View {
        from,
        until,
        width: stage.client_width() as f32,
    };
    // The chosen fault is marked for whoever changes it, not for whoever gets the picture.
    let dress = Dress {
        chosen: None,
        ..session.dress()
    };
    let mut scene = draw::dressed(story, &view, &dress);
    let above = draw::playhead(&scene, session.playhead);
    scene.batches.extend(above.batches);
    scene.texts.extend(above.texts);
    Some(scene)
}

/// None when the browser refuses something.
fn png(scene: &Scene, theme: Theme, name: String, told: Callback<bool>) -> Option<()> {
    let dots = browser::window()?.device_pixel_ratio().max(DOTS_MIN);
    let canvas = browser::document()?.create_element("canvas").ok()?;
    let canvas: HtmlCanvasElement = canvas.dyn_into().ok()?;
    canvas.set_width((f64::from(scene.width) * dots).round() as u32);
    canvas.set_height((f64::from(scene.height) * dots).round() as u32);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    draw::canvas::paint(&context, scene, theme, dots);
    // On the page the paper shines through from below; a file must bring its own.
    context.set_global_composite_operation("destination-over").ok()?;
    context.set_fill_style_str(&theme.colour(Ink::Paper).css());
    context.fill_rect(0.0, 0.0, f64::from(canvas.width()), f64::from(canvas.height()));
    let drawn = Closure::once_into_js(move |blob: JsValue| {
        // None when the picture is larger than the browser can make one.
        let blob = blob.dyn_into::<Blob>().ok();
        told.emit(blob.and_then(|blob| give(&name, &blob)).is_some());
    });
    canvas.to_blob(drawn.unchecked_ref()).ok()
}

/// As a link that is followed at once would.
fn give(name: &str, blob: &Blob) -> Option<()> {
    let link = browser::document()?.create_element("a").ok()?;
    let address = address_of(blob).ok()?;
    link.set_attribute("href", &address).ok()?;
    link.set_attribute("download", name).ok()?;
    link.dyn_into::<HtmlElement>().ok()?.click();
    Timeout::new(SAVING_MS, move || let_go(&address)).forget();
    Some(())
}
