//! A node's own clock as a second scale.

use super::*;
use crate::draw::{Dress, Scene, View, dressed, svg};
use crate::vocabulary::NodeId;

const FAULTS: &str = "duration_s = 100\n\
    [[fault]]\nat_s = 30\nkind = \"clock_step\"\ntarget = \"node1\"\nby_s = 7\n\
    [[fault]]\nat_s = 50\nfor_s = 20\nkind = \"clock_rate\"\ntarget = \"node1\"\nppm = 500000\n";

fn drawn(story: &Story, node: u8) -> Scene {
    let view = View {
        from: SimTime::ZERO,
        until: story.end(),
        width: 1000.0,
    };
    let dress = Dress {
        clock: Some(NodeId(node)),
        ..Dress::default()
    };
    dressed(story, &view, &dress)
}

/// The labels of the second scale, with the true time in seconds at which each stands.
fn ticks(scene: &Scene) -> Vec<(String, f64)> {
    let below = scene.lanes.last().map_or(0.0, |lane| lane.y + lane.height);
    let labels = scene
        .texts
        .iter()
        .filter(|text| text.y > below && text.text.ends_with(" s"));
    labels
        .map(|text| (text.text.clone(), scene.plot.time(text.x).as_secs_f64()))
        .collect()
}

#[test]
fn a_clock_reads_what_the_faults_that_strike_it_made_of_it() {
    let story = told(FAULTS);
    let reads = |seconds: u64| {
        let at = SimTime(seconds * 1_000_000);
        let piece = story.nodes[0]
            .clock
            .iter()
            .rev()
            .find(|piece| piece.from <= at)
            .expect("the first begins with the run");
        piece.at(at) as f64 / 1e6
    };
    assert_eq!(
        [
            reads(0),
            reads(29),
            reads(30),
            reads(50),
            reads(60),
            reads(70),
            reads(80)
        ],
        [0.0, 29.0, 37.0, 57.0, 72.0, 87.0, 97.0]
    );
    assert_eq!(story.nodes[1].clock.len(), 1, "nothing strikes the others");
}

#[test]
fn the_second_scale_has_its_round_times_where_that_clock_reads_them() {
    let story = told(FAULTS);
    let scene = drawn(&story, 0);
    let ticks = ticks(&scene);
    let at = |label: &str| {
        ticks
            .iter()
            .find(|(text, _)| text == label)
            .unwrap_or_else(|| panic!("{label}: {ticks:?}"))
            .1
    };
    assert!((at("20 s") - 20.0).abs() < 0.2, "as true time before it is set");
    assert!((at("50 s") - 43.0).abs() < 0.2, "seven seconds ahead");
    assert!((at("80 s") - (50.0 + 23.0 / 1.5)).abs() < 0.2, "and half as fast again");
    assert!(ticks.iter().all(|(text, _)| text != "30 s"), "it never reads that");
    assert!(
        scene.texts.iter().any(|text| text.text == "+7 s")
            && scene.texts.iter().any(|text| text.text == "node1’s clock")
    );
    assert!(svg(&scene, crate::draw::Theme::Light).contains("+7 s"));
}

#[test]
fn a_right_clock_has_the_same_ticks_as_true_time() {
    let story = told(FAULTS);
    // The last label has no room on its place.
    for (text, at) in ticks(&drawn(&story, 2)).into_iter().filter(|(text, _)| text != "100 s") {
        let reads: f64 = text.trim_end_matches(" s").parse().expect("a number");
        assert!((reads - at).abs() < 0.2, "{text} at {at}");
    }
}

#[test]
fn a_suspended_machine_has_a_bar_where_its_monotonic_clock_stood_still() {
    let text = "duration_s = 100\n[[fault]]\nat_s = 40\nfor_s = 20\nkind = \"pause\"\ntarget = \"node1\"\n\
                monotonic_runs = false\n[[fault]]\nat_s = 50\nfor_s = 20\nkind = \"pause\"\ntarget = \"node1\"\n\
                monotonic_runs = false\n[[fault]]\nat_s = 80\nfor_s = 10\nkind = \"pause\"\ntarget = \"node2\"\n";
    let scenario = Scenario::parse(text, "test").expect("valid");
    let run = run(&scenario);
    let story = Played {
        name: "test",
        scenario,
        run,
    }
    .story();
    let stops: Vec<_> = story.nodes[0]
        .stopped
        .iter()
        .map(|stop| (stop.from.0, stop.until.0))
        .collect();
    assert_eq!(stops, [(40_000_000, 70_000_000)], "two that overlap are one");
    assert!(story.nodes[1].stopped.is_empty(), "its clock runs on");
    let says = |node| {
        let scene = drawn(&story, node);
        scene
            .texts
            .iter()
            .any(|text| text.text == "its monotonic clock stands still")
    };
    assert!(says(0) && !says(1));
}
