//! What only a browser can show about the library.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn the_engine_in_the_browser_has_the_version_of_the_package() {
    assert_eq!(leaselab::VERSION, env!("CARGO_PKG_VERSION"));
}
