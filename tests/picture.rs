#![cfg(not(target_arch = "wasm32"))]
//! The picture in the README is a run, drawn: `UPDATE_TRANSCRIPTS=1 cargo test --test picture` draws it anew.

use leaselab::draw::{Theme, View, scene, svg, tell};
use leaselab::engine::SimTime;
use leaselab::scenario::{SHIPPED, Scenario};
use leaselab::verdict::run;
use std::path::Path;

#[test]
fn the_picture_in_the_readme_is_what_the_engine_does() {
    let (name, text) = SHIPPED
        .iter()
        .find(|(name, _)| *name == "agent-paused")
        .expect("shipped");
    let scenario = Scenario::parse(text, name).expect("valid");
    let run = run(&scenario);
    let story = tell(&run.trace, run.verdict, &scenario, &run.layout);
    let view = View {
        from: SimTime::ZERO,
        until: SimTime::ZERO + scenario.duration,
        width: 960.0,
    };
    let picture = svg(&scene(&story, &view), Theme::Light);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("lessons/agent-paused.svg");
    if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() {
        std::fs::write(&file, &picture).expect("written");
    }
    let drawn = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        drawn == picture,
        "the picture has changed; UPDATE_TRANSCRIPTS=1 draws it anew"
    );
}
