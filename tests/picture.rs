#![cfg(not(target_arch = "wasm32"))]
//! Pictures that are runs, drawn: `UPDATE_TRANSCRIPTS=1 cargo test --test picture` draws them anew.

use leaselab::draw::{Dress, Theme, View, dressed, svg, tell};
use leaselab::engine::SimTime;
use leaselab::scenario::{SHIPPED, Scenario};
use leaselab::verdict::run;
use leaselab::vocabulary::NodeId;
use std::path::Path;

/// A run of a scenario as SVG.
fn drawn(scenario: &Scenario, dress: &Dress) -> String {
    let run = run(scenario);
    let story = tell(&run.trace, run.verdict, scenario, &run.layout);
    let view = View {
        from: SimTime::ZERO,
        until: SimTime::ZERO + scenario.duration,
        width: 960.0,
    };
    svg(&dressed(&story, &view, dress), Theme::Light)
}

fn is_as_kept(picture: &str, file: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() {
        std::fs::write(&file, picture).expect("written");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == picture,
        "the picture has changed; UPDATE_TRANSCRIPTS=1 draws it anew"
    );
}

#[test]
fn the_picture_in_the_readme_is_what_the_engine_does() {
    let (name, text) = SHIPPED
        .iter()
        .find(|(name, _)| *name == "agent-paused")
        .expect("shipped");
    let scenario = Scenario::parse(text, name).expect("valid");
    is_as_kept(&drawn(&scenario, &Dress::default()), "lessons/agent-paused.svg");
}

/// One that is set back, then one that runs fast, and a machine that is suspended with its monotonic clock.
const CLOCKS: &str = r#"
duration_s = 100
[[fault]]
at_s = 25
kind = "clock_step"
target = "node1"
by_s = -5
[[fault]]
at_s = 45
for_s = 25
kind = "clock_rate"
target = "node1"
ppm = 200000
[[fault]]
at_s = 80
for_s = 10
kind = "pause"
target = "node1"
monotonic_runs = false
"#;

#[test]
fn a_nodes_own_clock_under_the_lanes_is_drawn_as_kept() {
    let scenario = Scenario::parse(CLOCKS, "clocks").expect("valid");
    let dress = Dress {
        clock: Some(NodeId(0)),
        ..Dress::default()
    };
    is_as_kept(&drawn(&scenario, &dress), "tests/pictures/second-scale.svg");
}
