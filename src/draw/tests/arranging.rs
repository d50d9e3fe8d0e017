//! Lanes that are hidden, folded and moved; the bands over them; the map; messages in pairs.

use super::super::story::{Lane, Talk};
use super::super::style::Style;
use super::super::{Arrangement, Dress, LaneKey, LaneMove, Scene, Shape, Story, View, dressed, map, map_frame, scene};
use super::play;
use crate::engine::{SimTime, Span};
use crate::verdict::Interval;
use crate::vocabulary::NodeId;

const NODE1: LaneKey = LaneKey::Node(NodeId(0));

fn arranged(story: &Story, moves: &[(LaneKey, LaneMove)]) -> Arrangement {
    let mut lanes = Arrangement::default();
    for &(key, what) in moves {
        lanes.change(key, what, story);
    }
    lanes
}

fn names(scene: &Scene) -> Vec<&str> {
    scene.lanes.iter().map(|lane| lane.name.as_str()).collect()
}

fn seen(from_ms: u64, until_ms: u64) -> View {
    View {
        from: SimTime(from_ms * 1_000),
        until: SimTime(until_ms * 1_000),
        width: 946.0,
    }
}

fn shapes(scene: &Scene, style: Style) -> &[Shape] {
    let batch = scene.batches.iter().find(|batch| batch.style == style);
    batch.map_or(&[], |batch| &batch.shapes)
}

#[test]
fn lanes_are_hidden_folded_and_moved_and_put_back() {
    let story = play("leader-cut-from-store").story();
    let view = seen(0, 120_000);
    let plain = scene(&story, &view);
    let lanes = arranged(&story, &[(NODE1, LaneMove::Hide(true))]);
    let without = dressed(
        &story,
        &view,
        &Dress {
            lanes,
            ..Dress::default()
        },
    );
    assert!(!names(&without).contains(&"node1") && without.height < plain.height);
    let lanes = arranged(
        &story,
        &[(LaneKey::Writes, LaneMove::Up), (NODE1, LaneMove::Fold(true))],
    );
    let other = dressed(
        &story,
        &view,
        &Dress {
            lanes: lanes.clone(),
            picked: None,
            ..Dress::default()
        },
    );
    let order = names(&other);
    assert!(order.iter().position(|n| *n == "Writes") < order.iter().position(|n| *n == "node3"));
    assert!(other.height < plain.height && !other.is_empty());
    let mut back = lanes;
    back.change(LaneKey::Writes, LaneMove::Down, &story);
    back.change(NODE1, LaneMove::Fold(false), &story);
    assert!(back.is_default(), "as at first, it says nothing");
}

#[test]
fn a_timeline_without_any_lane_is_still_a_timeline() {
    let story = play("agent-paused").story();
    let lanes = Arrangement::default().lanes(&story);
    let hide: Vec<_> = lanes.iter().map(|lane| (lane.key, LaneMove::Hide(true))).collect();
    let lanes = arranged(&story, &hide);
    let drawing = dressed(
        &story,
        &seen(0, 120_000),
        &Dress {
            lanes,
            ..Dress::default()
        },
    );
    assert!(drawing.lanes.is_empty() && drawing.trails.is_empty());
}

#[test]
fn an_arrangement_is_written_and_read_back_and_knows_lanes_of_other_scenarios_not_yet_there() {
    let story = play("leader-cut-from-store").story();
    let moves = [
        (NODE1, LaneMove::Fold(true)),
        (LaneKey::Store, LaneMove::Up),
        (LaneKey::Writes, LaneMove::Hide(true)),
    ];
    let lanes = arranged(&story, &moves);
    assert_eq!(Arrangement::read(&lanes.write()), lanes);
    assert_eq!(Arrangement::read("n0 n0 x m -_s n900 \u{e4}").write(), "n0 -_s");
    let few = Arrangement::read("w -n1").lanes(&story);
    assert_eq!(few.len(), Arrangement::default().lanes(&story).len());
    assert!(
        few.iter()
            .any(|lane| lane.key == LaneKey::Node(NodeId(1)) && lane.hidden)
    );
}

#[test]
fn a_message_to_a_hidden_lane_ends_in_a_stub_beside_the_lane_that_is_left() {
    let story = play("leader-cut-from-store").story();
    let view = seen(30_000, 32_000);
    let whole = scene(&story, &view);
    assert!(!whole.trails.is_empty());
    let lanes = arranged(&story, &[(LaneKey::Store, LaneMove::Hide(true))]);
    let drawing = dressed(
        &story,
        &view,
        &Dress {
            lanes,
            ..Dress::default()
        },
    );
    let of_store = |flight: usize| {
        let flight = &story.detail.flights[flight];
        flight.from == Lane::Store || flight.to == Lane::Store
    };
    for trail in drawing.trails.iter().filter(|trail| of_store(trail.flight)) {
        assert!((trail.from.1 - trail.to.1).abs() <= 10.1, "{trail:?}");
    }
    assert_eq!(drawing.trails.len(), whole.trails.len(), "every message keeps an end");
}

#[test]
fn a_request_and_its_answer_stand_out_together_and_are_told_in_words() {
    let story = play("agent-paused").story();
    let asks = |what: Talk| {
        story
            .detail
            .flights
            .iter()
            .position(|flight| flight.what == what && flight.arrives)
    };
    let request = asks(Talk::StoreRequest).expect("agents ask the store");
    let answer = story.counterpart(request).expect("and it answers");
    assert_eq!(story.counterpart(answer), Some(request));
    assert!(story.detail.flights[answer].sent >= story.detail.flights[request].end);
    let at = story.detail.flights[request].sent;
    let view = View {
        from: at,
        until: at + Span::from_secs(1),
        width: 946.0,
    };
    let dress = Dress {
        picked: Some(request),
        ..Dress::default()
    };
    let drawing = dressed(&story, &view, &dress);
    assert_eq!(shapes(&drawing, Style::MessagePicked).len(), 2);
    assert!(shapes(&drawing, Style::Message).is_empty(), "all others are dimmed");
    let words = story.message_words(request).expect("it is there");
    for part in ["asks", "sent at", "arrived at", "under way", "The answer arrived at"] {
        assert!(words.contains(part), "{words}");
    }
    let trail = drawing
        .trails
        .iter()
        .find(|trail| trail.flight == request)
        .expect("drawn");
    let middle = ((trail.from.0 + trail.to.0) / 2.0, (trail.from.1 + trail.to.1) / 2.0);
    assert!(drawing.message_at(middle.0, middle.1).is_some());
    assert_eq!(drawing.message_at(middle.0, -100.0), None);
}

#[test]
fn a_lost_message_that_is_looked_at_keeps_its_cross_and_says_when_it_was_lost() {
    let story = play("leader-cut-from-store").story();
    let lost = story
        .detail
        .flights
        .iter()
        .position(|flight| !flight.arrives)
        .expect("cut off");
    let at = story.detail.flights[lost].sent;
    let view = View {
        from: at - Span::from_secs(300),
        until: at + Span::from_secs(600),
        width: 946.0,
    };
    let dress = Dress {
        picked: Some(lost),
        ..Dress::default()
    };
    let drawing = dressed(&story, &view, &dress);
    assert_eq!(
        shapes(&drawing, Style::LostPicked).len(),
        1,
        "also where no message is drawn else"
    );
    assert!(matches!(shapes(&drawing, Style::LostCross), [Shape::Cross { .. }]));
    assert!(story.message_words(lost).expect("it is there").contains("lost at"));
}

#[test]
fn two_believers_have_a_lighter_band_with_its_length_in_words() {
    let mut story = play("agent-paused").story();
    let interval = Interval {
        from: SimTime(20_000_000),
        to: SimTime(23_500_000),
        nodes: vec!["node1".into(), "node2".into()],
    };
    story.verdict.believers.intervals = vec![interval.clone()];
    let drawing = scene(
        &story,
        &View {
            from: interval.from,
            until: interval.to,
            width: 946.0,
        },
    );
    assert!(!shapes(&drawing, Style::DoubtHatch).is_empty());
    assert!(
        drawing
            .texts
            .iter()
            .any(|text| text.text == "2 believe they lead · 3.5 s")
    );
    let elsewhere = scene(&story, &seen(30_000, 60_000));
    assert!(shapes(&elsewhere, Style::DoubtHatch).is_empty());
    assert_eq!(elsewhere.height, drawing.height, "nothing jumps while the view moves");
}

#[test]
fn the_map_has_the_whole_run_with_its_dangers_and_a_frame_around_what_is_in_view() {
    let story = play("agent-paused").story();
    let strip = map(&story, 946.0);
    assert_eq!((strip.plot.from, strip.plot.until), (SimTime::ZERO, story.end()));
    assert_eq!(
        strip.plot.left,
        scene(&story, &seen(0, 1_000)).plot.left,
        "under the axis of the timeline"
    );
    for style in [Style::DangerHatch, Style::MapFault, Style::MapFailover] {
        assert!(!shapes(&strip, style).is_empty(), "{style:?}");
    }
    let frame = map_frame(&strip, (SimTime(30_000_000), SimTime(60_000_000)), SimTime(40_000_000));
    assert_eq!(shapes(&frame, Style::MapRest).len(), 2);
    let Shape::Rect { x, w, .. } = shapes(&frame, Style::MapFrame)[0] else {
        panic!("a frame")
    };
    assert!((x - strip.plot.x(SimTime(30_000_000))).abs() < 0.1);
    assert!((x + w - strip.plot.x(SimTime(60_000_000))).abs() < 0.1);
    let all = map_frame(&strip, (SimTime::ZERO, story.end()), SimTime::ZERO);
    assert!(shapes(&all, Style::MapRest).is_empty());
}

#[test]
fn the_axis_has_labels_that_do_not_touch_from_ten_milliseconds_to_a_day() {
    let mut story = play("steady-state").story();
    story.verdict.duration = Span::from_secs(86_400);
    let labels = |from: SimTime, span: Span| {
        let view = View {
            from,
            until: from + span,
            width: 946.0,
        };
        let texts = scene(&story, &view).texts;
        let axis = texts.into_iter().filter(|text| text.font == super::super::Font::Axis);
        axis.map(|text| text.text).collect::<Vec<_>>()
    };
    let mut span = Span::from_millis(10);
    while span <= Span::from_secs(86_400) {
        for from in [SimTime(1_234_567), SimTime(80_000_000_000)] {
            let labels = labels(from, span);
            assert!((2..=16).contains(&labels.len()), "{span} from {from}: {labels:?}");
        }
        span = span * 2;
    }
    let day = labels(SimTime::ZERO, Span::from_secs(86_400));
    assert!(day.contains(&"12 h".to_owned()), "{day:?}");
    assert!(labels(SimTime(3_600_000_000), Span::from_secs(1_800)).contains(&"1:10 h".to_owned()));
    assert!(labels(SimTime::ZERO, Span::from_millis(10)).contains(&"0.004 s".to_owned()));
}
