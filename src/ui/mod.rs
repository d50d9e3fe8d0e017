//! The page and its worker. The wasm module starts nothing by itself: the page and the worker load the same module, and
//! each calls its own entry.

use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent, Worker, WorkerOptions, WorkerType};

/// Starts the page. `module` is the compiled WebAssembly module, `worker_url` the address of `worker.js`.
///
/// # Errors
///
/// When the browser refuses the worker.
#[wasm_bindgen]
pub fn start_page(module: &JsValue, worker_url: &str) -> Result<(), JsValue> {
    let page = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.get_element_by_id("page"))
        .ok_or("the page has no element named page")?;

    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(worker_url, &options)?;
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |answer: MessageEvent| {
        page.set_text_content(answer.data().as_string().as_deref());
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();

    worker.post_message(module)?;
    worker.post_message(&"ping".into())
}

/// Starts the worker, once its shim has loaded the module.
///
/// # Errors
///
/// When it is called outside a dedicated worker.
#[wasm_bindgen]
pub fn start_worker() -> Result<(), JsValue> {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().dyn_into()?;
    let answers = scope.clone();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |_| {
        let text = format!("Engine {} is ready.", crate::VERSION);
        // The page may be gone by now; then nobody waits for the answer.
        let _ = answers.post_message(&text.into());
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    Ok(())
}
