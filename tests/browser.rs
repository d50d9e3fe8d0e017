//! What only a browser can show about the library.
#![cfg(target_arch = "wasm32")]

use leaselab::scenario::{SHIPPED, Scenario};
use leaselab::verdict::run;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// `name=hash` of every shipped scenario as the native command line has just run it; `make test-wasm` puts it there.
const NATIVE_HASHES: Option<&str> = option_env!("NATIVE_HASHES");

#[wasm_bindgen_test]
fn every_shipped_scenario_runs_in_the_browser_event_for_event_as_it_does_natively() {
    let natively = NATIVE_HASHES.expect("NATIVE_HASHES is set by `make test-wasm`");
    let mut compared = 0;
    for (name, text) in SHIPPED {
        let scenario = Scenario::parse(text, name).expect("valid");
        let hash = run(&scenario).verdict.trace_hash.expect("a full run has one");
        assert!(
            natively.split_whitespace().any(|pair| pair == format!("{name}={hash}")),
            "{name}: {hash} here, natively among {natively}"
        );
        compared += 1;
    }
    assert_eq!(compared, natively.split_whitespace().count());
}

#[wasm_bindgen_test]
fn the_engine_in_the_browser_has_the_version_of_the_package() {
    assert_eq!(leaselab::VERSION, env!("CARGO_PKG_VERSION"));
}
