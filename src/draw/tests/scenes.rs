//! What a drawing promises at any width and in any window.

use super::super::style::{Paint, Style};
use super::super::{Anchor, Font, Scene, Shape, Story, Text, View, height, playhead, scene};
use super::{play, play_all, winner};
use crate::engine::{SimTime, Span};
use crate::verdict::length;
use proptest::prelude::*;
use std::sync::OnceLock;

fn stories() -> &'static [Story] {
    static STORIES: OnceLock<Vec<Story>> = OnceLock::new();
    STORIES.get_or_init(|| play_all().map(|played| played.story()).collect())
}

fn reach(text: &Text) -> (f32, f32) {
    let width = text.font.width(&text.text);
    let left = match text.anchor {
        Anchor::Start => text.x,
        Anchor::Middle => text.x - width / 2.0,
        Anchor::End => text.x - width,
    };
    (left, left + width)
}

fn whole(story: &Story, width: f32) -> View {
    View {
        from: SimTime::ZERO,
        until: story.end(),
        width,
    }
}

proptest! {
    #[test]
    fn texts_overlap_nothing_and_stay_inside_whatever_is_looked_at(
        which in 0usize..60, width in 320f32..1600.0, from in 0u64..125, tenths in 1u64..1_300,
    ) {
        let story = &stories()[which % stories().len()];
        let from = SimTime(from * 1_000_000).min(story.end());
        let until = from + Span(tenths * 100_000);
        let drawing = scene(story, &View { from, until, width });
        for (n, text) in drawing.texts.iter().enumerate() {
            let (left, right) = reach(text);
            prop_assert!(left >= -0.5 && right <= drawing.width + 0.5, "{text:?}");
            for other in &drawing.texts[n + 1..] {
                let (l, r) = reach(other);
                let apart = (text.y - other.y).abs() >= 11.0 || right <= l || r <= left;
                prop_assert!(apart, "{text:?} and {other:?}");
            }
        }
        for shape in drawing.batches.iter().flat_map(|batch| &batch.shapes) {
            let xs = match *shape {
                Shape::Rect { x, w, .. } => vec![x, x + w],
                Shape::Line { x1, x2, .. } => vec![x1, x2],
                Shape::Quad(corners) => corners.map(|corner| corner.0).to_vec(),
                Shape::Circle { x, .. } | Shape::Cross { x, .. } => vec![x],
            };
            prop_assert!(xs.iter().all(|x| *x >= -2.0 && *x <= drawing.width + 2.0), "{shape:?}");
        }
        prop_assert_eq!(drawing.height, height(story, width));
    }
}

#[test]
fn two_primaries_are_hatched_over_all_lanes_and_said_in_words_on_every_screen() {
    let story = play("agent-paused").story();
    let words = format!("TWO PRIMARIES · {}", length(story.verdict.two_primaries.total));
    for width in [320.0, 360.0, 946.0, 1280.0] {
        let drawing = scene(&story, &whole(&story, width));
        let hatch = drawing
            .batches
            .iter()
            .find(|batch| batch.style == Style::DangerHatch)
            .expect("hatched");
        assert!(matches!(hatch.style.look().how, Paint::Hatch { .. }));
        let Shape::Rect { y, h, .. } = hatch.shapes[0] else {
            panic!("a band")
        };
        assert!(
            drawing
                .lanes
                .iter()
                .all(|lane| lane.y >= y && lane.y + lane.height <= y + h + 0.1)
        );
        assert!(drawing.texts.iter().any(|text| text.text == words), "at {width}");
    }
    let quiet = scene(&stories()[0], &whole(&stories()[0], 946.0));
    assert!(quiet.batches.iter().all(|batch| batch.style != Style::DangerBand));
}

#[test]
fn a_drawing_has_no_more_marks_than_its_width_has_room_for() {
    let mut story = play("steady-state").story();
    let dense: Vec<SimTime> = (0..2_000_000).map(|n| SimTime(n * 60)).collect();
    story.writes.kept[0] = dense.clone();
    story.nodes[0].cycles = dense;
    let drawing = scene(&story, &whole(&story, 946.0));
    assert!(drawing.len() < 1_500, "{} marks", drawing.len());
}

#[test]
fn every_text_is_at_least_eleven_pixels_high() {
    for story in stories() {
        let drawing = scene(story, &whole(story, 360.0));
        assert!(drawing.texts.iter().all(|text| text.font.look().0 >= 11.0));
    }
}

#[test]
fn a_message_that_was_lost_ends_in_a_cross_on_the_way() {
    let story = play("leader-cut-from-store").story();
    let view = View {
        from: SimTime(49_000_000),
        until: SimTime(54_000_000),
        width: 946.0,
    };
    let drawing = scene(&story, &view);
    let crosses = drawing
        .batches
        .iter()
        .find(|batch| batch.style == Style::LostCross)
        .expect("losses");
    let store = drawing.lanes.iter().find(|lane| lane.name == "Store").expect("a store");
    let node = drawing.lanes.iter().find(|lane| lane.name == "node1").expect("a node");
    for cross in &crosses.shapes {
        let Shape::Cross { y, .. } = *cross else {
            panic!("a cross")
        };
        assert!(y > store.y && y < node.y + node.height / 2.0);
    }
}

#[test]
fn a_place_on_the_time_axis_and_its_instant_belong_to_each_other() {
    let drawing = scene(
        &stories()[0],
        &View {
            from: SimTime(20_000_000),
            until: SimTime(60_000_000),
            width: 946.0,
        },
    );
    for ms in [20_000u64, 33_333, 60_000] {
        let t = SimTime(ms * 1_000);
        let back = drawing.plot.time(drawing.plot.x(t));
        assert!(back.0.abs_diff(t.0) < 10_000, "{t} became {back}");
    }
    assert_eq!(
        drawing.plot.time(0.0),
        SimTime(20_000_000),
        "left of the axis is its beginning"
    );
}

#[test]
fn the_playhead_lies_over_the_drawing_it_was_made_for() {
    let drawing = scene(&stories()[0], &whole(&stories()[0], 946.0));
    let at = SimTime(40_000_000);
    let over = playhead(&drawing, at);
    assert_eq!(
        (over.width, over.height, over.plot),
        (drawing.width, drawing.height, drawing.plot)
    );
    assert_eq!(over.texts[0].text, "40.0 s");
    let line = over
        .batches
        .iter()
        .find(|batch| batch.style == Style::Playhead)
        .expect("a line");
    assert!(matches!(line.shapes[0], Shape::Line { x1, .. } if (x1 - drawing.plot.x(at)).abs() < 0.1));
    let away = Scene {
        plot: super::super::Plot {
            from: SimTime(50_000_000),
            ..drawing.plot
        },
        ..drawing
    };
    assert!(playhead(&away, at).is_empty(), "outside of the view there is none");
}

#[test]
fn the_lanes_in_words_are_those_of_the_drawing_and_tell_what_it_shows() {
    for story in stories() {
        let drawn: Vec<String> = scene(story, &whole(story, 946.0))
            .lanes
            .into_iter()
            .map(|lane| lane.name)
            .collect();
        let told: Vec<String> = story.lists().into_iter().map(|list| list.name).collect();
        assert_eq!(told, drawn);
    }
    let story = play("agent-paused").story();
    let lists = story.lists();
    let says = |lane: &str, words: &str| {
        let list = lists.iter().find(|list| list.name == lane).expect("a lane");
        assert!(
            list.items.iter().any(|item| item.text == words),
            "{lane} does not say: {words}\n{list:#?}"
        );
    };
    says("Faults", "pause node1/agent");
    says(
        "Store",
        "node1 holds the leader key and renews its lease 5 times; then its lease expires",
    );
    says("node1", "agent: frozen");
    says(winner(&story), "database: primary, writable, timeline 2");
}

#[test]
fn names_that_do_not_fit_are_cut_and_never_reach_into_the_lanes() {
    let mut story = play("steady-state").story();
    story.nodes[0].name = "a-database-with-a-very-long-name".to_owned();
    let drawing = scene(&story, &whole(&story, 360.0));
    let name = drawing
        .texts
        .iter()
        .find(|text| text.font == Font::LaneName && text.text.ends_with('…'));
    assert!(reach(name.expect("a cut name")).1 <= drawing.plot.left);
}
