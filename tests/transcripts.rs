#![cfg(not(target_arch = "wasm32"))]
//! The conversation of every shipped scenario, line for line. A changed rule of the protocol shows here first.
//!
//! `UPDATE_TRANSCRIPTS=1 cargo test --test transcripts` writes the files anew; what changed is then for a person to read.

use leaselab::draw::transcript;
use leaselab::scenario::{SHIPPED, Scenario};
use leaselab::verdict::run;
use std::path::Path;

/// The first line that differs, with both versions.
fn difference(expected: &str, actual: &str) -> Option<String> {
    let mut lines = (1..).zip(expected.lines().zip(actual.lines()));
    match lines.find(|(_, (old, new))| old != new) {
        Some((n, (old, new))) => Some(format!("line {n}\n  was {old}\n  is  {new}")),
        None if expected != actual => Some("one is longer than the other".to_owned()),
        None => None,
    }
}

#[test]
fn every_shipped_scenario_is_the_conversation_that_was_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let update = std::env::var_os("UPDATE_TRANSCRIPTS").is_some();
    let mut changed = Vec::new();
    for (name, text) in SHIPPED {
        let scenario = Scenario::parse(text, name).expect("valid");
        let run = run(&scenario);
        let actual = transcript(&run.trace, &run.layout, &scenario);
        let file = folder.join(format!("{name}.txt"));
        if update {
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(&file, actual).expect("written");
            continue;
        }
        let expected = std::fs::read_to_string(&file).unwrap_or_default();
        changed.extend(difference(&expected, &actual).map(|what| format!("{name}: {what}")));
    }
    let hint = "If that is meant: UPDATE_TRANSCRIPTS=1 cargo test --test transcripts";
    assert!(changed.is_empty(), "{}\n{hint}", changed.join("\n"));
}
