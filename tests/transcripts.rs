#![cfg(not(target_arch = "wasm32"))]
//! The protocol conversation of each shipped scenario, in readable lines: `tests/transcripts/NAME.txt`.
//!
//! `UPDATE_TRANSCRIPTS=1 cargo test --test transcripts` writes them anew; the diff then says what a change did.

use leaselab::draw::transcript;
use leaselab::scenario::{SHIPPED, Scenario};
use leaselab::verdict::run;
use std::path::Path;

#[test]
fn every_shipped_scenario_holds_the_conversation_on_record() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let update = std::env::var_os("UPDATE_TRANSCRIPTS").is_some();
    for (name, text) in SHIPPED {
        let scenario = Scenario::parse(text, name).expect("valid");
        let run = run(&scenario);
        let told = transcript(&run.trace, &run.layout, &scenario);
        let file = folder.join(format!("{name}.txt"));
        if update {
            std::fs::write(&file, &told).expect("the folder is writable");
            continue;
        }
        let recorded = std::fs::read_to_string(&file).unwrap_or_default();
        if let Some((n, (was, is))) = recorded
            .lines()
            .zip(told.lines())
            .enumerate()
            .find(|(_, (was, is))| was != is)
        {
            panic!(
                "{name}.txt, line {}:\n  recorded {was}\n  now      {is}\nUPDATE_TRANSCRIPTS=1 writes it anew",
                n + 1
            );
        }
        assert_eq!(
            recorded.lines().count(),
            told.lines().count(),
            "{name}.txt: one is longer"
        );
    }
}
