//! Two runs side by side.

use super::*;
use crate::draw::{Anchor, Dress, LaneBox, Shape, Style, View, dressed, parting, playhead, twins};

fn paused(at: u32, lasts: u32, more: &str) -> Story {
    told(&format!(
        "duration_s = 100\nseed = 5\n{more}[[fault]]\nat_s = {at}\nfor_s = {lasts}\nkind = \"pause\"\ntarget = \"node1/agent\"\n"
    ))
}

#[test]
fn two_runs_part_where_they_first_differ_and_not_before() {
    let before = paused(40, 20, "");
    let s = |from: f64, until: f64, at: Option<SimTime>| {
        let at = at.expect("they part").as_secs_f64();
        assert!(from <= at && at <= until, "{at}");
    };
    assert_eq!(parting(&before, &paused(40, 20, "")), None);
    s(50.0, 50.0, parting(&before, &paused(40, 10, "")));
    s(30.0, 30.0, parting(&before, &paused(30, 30, "")));
    s(
        0.0,
        1.0,
        parting(
            &before,
            &paused(40, 20, "[network]\nlatency_ms = { min = 2, typical = 3, max = 4 }\n"),
        ),
    );
}

#[test]
fn a_message_that_arrives_at_another_time_parts_them_at_the_earlier_of_both() {
    let before = paused(40, 20, "");
    let mut after = before.clone();
    let (n, flight) = (before.detail.flights.iter().enumerate())
        .find(|(_, flight)| flight.arrives && flight.sent > SimTime(20_000_000))
        .expect("there are messages");
    after.detail.flights[n].end = flight.end + crate::engine::Span::from_secs(3);
    assert_eq!(parting(&before, &after), Some(flight.end));
    assert_eq!(parting(&after, &before), Some(flight.end));
}

#[test]
fn figures_stand_side_by_side_and_what_differs_says_by_how_much() {
    let (long, short) = (paused(30, 50, ""), paused(30, 5, ""));
    let figures = twins(&long.verdict, &short.verdict);
    let figure = |title: &str| figures.iter().find(|twin| twin.title == title).expect("a figure");
    let two = figure("Two primaries, in all");
    assert!(long.verdict.two_primaries.ever && two.after == "0 s");
    assert_eq!(two.differs, Some(format!("− {}", two.before)));
    assert_eq!(figure("Failovers").differs.as_deref(), Some("− 1"));
    assert!(
        twins(&long.verdict, &long.verdict)
            .iter()
            .all(|twin| twin.differs.is_none())
    );
}

#[test]
fn where_they_part_a_line_says_so_in_words() {
    let story = paused(40, 20, "");
    let view = View {
        from: SimTime::ZERO,
        until: story.end(),
        width: 900.0,
    };
    let dress = Dress {
        parting: Some(SimTime(40_000_000)),
        ..Dress::default()
    };
    let words = |dress: &Dress| {
        dressed(&story, &view, dress)
            .texts
            .iter()
            .any(|text| text.text == "the runs part")
    };
    assert!(words(&dress) && !words(&Dress::default()));
}

#[test]
fn the_line_stands_at_its_moment_through_all_lanes_and_only_in_view() {
    let story = paused(40, 20, "");
    let lines = |from: u64, until: u64| {
        let view = View {
            from: SimTime(from * 1_000_000),
            until: SimTime(until * 1_000_000),
            width: 900.0,
        };
        let dress = Dress {
            parting: Some(SimTime(40_000_000)),
            ..Dress::default()
        };
        let scene = dressed(&story, &view, &dress);
        let batch = scene.batches.iter().find(|batch| batch.style == Style::Parting);
        let shapes = batch.map(|batch| batch.shapes.clone()).unwrap_or_default();
        (shapes, scene)
    };
    let (shapes, scene) = lines(0, 100);
    let [Shape::Line { x1, y1, x2, y2 }] = shapes[..] else {
        panic!("{shapes:?}")
    };
    assert!(x1 == x2 && (x1 - scene.plot.x(SimTime(40_000_000))).abs() < 0.01);
    let inside = |lane: &LaneBox| y1 <= lane.y && lane.y + lane.height <= y2;
    assert!(scene.lanes.iter().all(inside), "{y1} to {y2}");
    assert!(lines(50, 100).0.is_empty());
    // The words stand where the time of a playhead on the line does not reach, also at the edges.
    for (from, until) in [(0, 100), (39, 41), (0, 42), (40, 100)] {
        let (_, scene) = lines(from, until);
        let above = playhead(&scene, SimTime(40_000_000));
        let chips = above.batches.iter().find(|batch| batch.style == Style::PlayheadChip);
        let Some(Shape::Rect { x, w, .. }) = chips.map(|batch| batch.shapes[0]) else {
            panic!("{above:?}")
        };
        let words = scene.texts.iter().find(|text| text.text == "the runs part");
        let words = words.unwrap_or_else(|| panic!("{from} to {until}"));
        assert!(match words.anchor {
            Anchor::Start => x + w <= words.x,
            _ => words.x <= x,
        });
    }
}
