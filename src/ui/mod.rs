//! The page and its worker, compiled for wasm32 only. What the page does is decided in [`session`](crate::session); here
//! it is shown and listened to.
//!
//! The wasm module starts nothing by itself: the page and the worker load the same module, and each calls its own entry.
//!
//! | file            | what lives there |
//! |-----------------|------------------|
//! | `app.rs`        | the root component: carries out what the session asks for |
//! | `engine_room.rs`| the page's end of the worker; `worker.rs` the worker; `wire.rs` what they say to each other |
//! | `browser.rs`    | animation frames, media queries, files, the clipboard, what is kept |
//! | `listeners.rs`  | what the page hears from the browser |
//! | `embed.rs`      | the page within another page |
//! | `export.rs`     | files of the run for the person |
//! | `shared.rs`, `controls.rs`, `canvas.rs` | what several parts of the page need |
//! | `ground.rs`     | the timeline as a place to drop things on |
//! | all others      | one part of the page each |
//!
//! Only what remembers something, or must not be made anew at every animation frame, is a component of yew: each adds
//! 10 kB to the module. The rest are functions from the session to what is shown.

mod about;
mod app;
mod browser;
mod budget;
mod canvas;
mod chart;
mod clocks;
mod controls;
mod embed;
mod engine_room;
mod events;
mod export;
mod faults;
mod ground;
mod help;
mod inspect;
mod keys;
mod knobs;
mod lane_panel;
mod lanes;
mod legend;
mod listeners;
mod map;
mod message;
mod moment;
mod outcome;
mod palette;
mod playback;
mod question;
mod recorded;
mod reference;
mod relating;
mod remarks;
mod seen;
mod setting;
mod share;
mod shared;
mod strike;
mod timeline;
mod top;
mod twin;
mod verdict_line;
mod why;
mod wire;
mod wires;
mod worker;

use wasm_bindgen::prelude::*;

/// Starts the page. `module` is the compiled WebAssembly module, `worker_url` the address of `worker.js`.
///
/// # Errors
///
/// When the document has no element named `page`.
#[wasm_bindgen]
pub fn start_page(module: JsValue, worker_url: String) -> Result<(), JsValue> {
    let root = browser::document()
        .and_then(|document| document.get_element_by_id("page"))
        .ok_or("the page has no element named page")?;
    let props = app::Props {
        engine: engine_room::Source { module, worker_url },
    };
    yew::Renderer::<app::App>::with_root_and_props(root, props).render();
    Ok(())
}

/// Starts the worker, once its shim has loaded the module.
///
/// # Errors
///
/// When it is called outside a dedicated worker.
#[wasm_bindgen]
pub fn start_worker() -> Result<(), JsValue> {
    worker::start()
}
