//! Faults by hand: from the palette, dragged, edited, and links cut and healed.

use super::super::tools::TOOLS;
use super::super::wires::{Wire, Wires};
use super::super::{Action, Effect, FaultEdit, Palette, Session};
use super::{open, paused};
use crate::draw::{LaneKey, Part, Spot, tell};
use crate::engine::{SimTime, Span};
use crate::scenario::{FaultKind, Host, Scenario};
use crate::verdict::run;
use crate::vocabulary::NodeId;
use std::rc::Rc;

const S: u64 = 1_000_000;

fn runs(effects: &[Effect]) -> bool {
    matches!(effects, [Effect::Simulate { .. }])
}

/// A session without faults, the playhead at 30 s.
fn calm() -> Session {
    let mut session = paused();
    while !session.scenario.faults.is_empty() {
        session.reduce(Action::Fault(FaultEdit::Remove(0)));
    }
    session.reduce(Action::Seek(SimTime(30 * S)));
    session
}

fn tool(words: &str) -> usize {
    TOOLS.iter().position(|tool| tool.words == words).expect("a tool")
}

fn fault(session: &Session, index: usize) -> (u64, Option<u64>) {
    let fault = &session.scenario.faults[index];
    (fault.at.0, fault.until.map(|until| until.0))
}

fn edit(session: &mut Session, what: FaultEdit) -> Vec<Effect> {
    session.reduce(Action::Fault(what))
}

fn drag(session: &mut Session, index: usize, part: Part, from: u64, to: u64) {
    edit(session, FaultEdit::Grab(index, part, SimTime(from)));
    // A pointer passes many places on its way.
    for n in 1..=4 {
        edit(
            session,
            FaultEdit::Drag(SimTime(from + (to - from) * n / 4), Span(100_000)),
        );
    }
    edit(session, FaultEdit::LetGo);
}

#[test]
fn every_tool_does_something_on_some_host_and_says_no_on_the_clients() {
    for placement in ["own", "nodes"] {
        let scenario = Scenario::parse(&format!("[store]\nplacement = \"{placement}\"\n"), "test").expect("it is one");
        for (n, tool) in TOOLS.iter().enumerate() {
            let mut session = calm();
            session.scenario = scenario.clone().into();
            session.reduce(Action::Palette(Palette::On("node2".into())));
            let effects = session.reduce(Action::Palette(Palette::Use(n)));
            assert!(runs(&effects), "{} {placement}: {:?}", tool.words, session.refused);
            assert_eq!((session.scenario.faults.len(), fault(&session, 0).0), (1, 30 * S));
            assert_eq!(
                session.chosen_fault().map(|(index, _)| index),
                Some(0),
                "its numbers are shown"
            );
        }
    }
    let mut session = calm();
    let spot = Spot {
        at: SimTime(S),
        lane: Some(LaneKey::Writes),
    };
    session.reduce(Action::Palette(Palette::Carry(0, Some(spot))));
    assert!(session.reduce(Action::Palette(Palette::Drop)).is_empty());
    assert!(session.refused.is_some() && session.scenario.faults.is_empty());
}

#[test]
fn what_is_dropped_strikes_the_lane_and_the_moment_it_is_dropped_on() {
    let mut session = calm();
    let mut drop = |words: &str, lane, at| {
        let spot = Spot {
            at: SimTime(at),
            lane: Some(lane),
        };
        session.reduce(Action::Palette(Palette::Carry(tool(words), None)));
        session.reduce(Action::Palette(Palette::Carry(tool(words), Some(spot))));
        session.reduce(Action::Palette(Palette::Drop))
    };
    assert!(runs(&drop("Freeze agent", LaneKey::Node(NodeId(1)), 12 * S)));
    assert!(runs(&drop("Stall disk", LaneKey::Member(2), 20 * S)));
    assert!(runs(&drop("Cut from store", LaneKey::Node(NodeId(0)), 25 * S)));
    assert!(drop("Kill agent", LaneKey::Member(0), S).is_empty());
    let written: Vec<_> = session
        .scenario
        .faults
        .iter()
        .map(|fault| session.scenario.fault_as_written(fault))
        .collect();
    let has = |n: usize, key, value: &str| written[n].contains(&(key, value.to_owned()));
    assert!(has(0, "target", "\"node2/agent\"") && has(0, "at_s", "12") && has(0, "until_s", "57"));
    assert!(has(1, "target", "\"etcd3/disk\"") && has(1, "until_s", "35"));
    assert!(
        has(2, "target", "\"node1 | [etcd1, etcd2, etcd3]\""),
        "{:?}",
        written[2]
    );
    assert_eq!(written.len(), 3);
    assert!(session.carried.is_none());
    // Carried away from the timeline and let go there, nothing happens.
    session.reduce(Action::Palette(Palette::Carry(0, None)));
    assert!(session.reduce(Action::Palette(Palette::Drop)).is_empty());
}

#[test]
fn a_chip_is_moved_and_stretched_and_each_drag_is_one_step_back() {
    let mut session = calm();
    session.reduce(Action::Palette(Palette::On("node1".into())));
    session.reduce(Action::Palette(Palette::Use(tool("Freeze machine"))));
    assert_eq!(fault(&session, 0), (30 * S, Some(50 * S)));
    drag(&mut session, 0, Part::Whole, 35 * S, 45 * S);
    assert_eq!(fault(&session, 0), (40 * S, Some(60 * S)), "it keeps its length");
    drag(&mut session, 0, Part::End, 60 * S, 70 * S + 42_000);
    assert_eq!(fault(&session, 0), (40 * S, Some(70 * S)), "no finer than one can aim");
    drag(&mut session, 0, Part::Start, 40 * S, 55 * S);
    assert_eq!(fault(&session, 0), (55 * S, Some(70 * S)));
    drag(&mut session, 0, Part::End, 70 * S, 500 * S);
    assert_eq!(
        fault(&session, 0),
        (55 * S, None),
        "at the edge of the run it lasts to its end"
    );
    for expected in [(55, Some(70)), (40, Some(70)), (40, Some(60)), (30, Some(50))] {
        session.reduce(Action::Undo);
        assert_eq!(
            fault(&session, 0),
            (expected.0 * S, expected.1.map(|until: u64| until * S))
        );
    }
    session.reduce(Action::Undo);
    assert!(session.scenario.faults.is_empty());
}

#[test]
fn a_drag_goes_on_as_one_step_though_the_hand_rests_and_two_drags_are_two() {
    let mut session = calm();
    session.reduce(Action::Palette(Palette::Use(tool("Freeze agent"))));
    edit(&mut session, FaultEdit::Grab(0, Part::Whole, SimTime(30 * S)));
    edit(&mut session, FaultEdit::Drag(SimTime(31 * S), Span(S)));
    session.reduce(Action::Settle);
    edit(&mut session, FaultEdit::Drag(SimTime(32 * S), Span(S)));
    edit(&mut session, FaultEdit::LetGo);
    drag(&mut session, 0, Part::Whole, 33 * S, 34 * S);
    session.reduce(Action::Undo);
    assert_eq!(fault(&session, 0).0, 32 * S);
    session.reduce(Action::Undo);
    assert_eq!(fault(&session, 0).0, 30 * S);
}

#[test]
fn a_drag_cannot_leave_the_run_nor_turn_a_fault_round() {
    let mut session = calm();
    let end = session.scenario.duration.0;
    session.reduce(Action::Palette(Palette::Use(tool("Freeze machine"))));
    drag(&mut session, 0, Part::Start, 30 * S, 49 * S);
    edit(&mut session, FaultEdit::Grab(0, Part::Start, SimTime(49 * S)));
    edit(&mut session, FaultEdit::Drag(SimTime(80 * S), Span(S)));
    let (at, until) = fault(&session, 0);
    assert!(Some(at) < until && at < 50 * S);
    edit(&mut session, FaultEdit::LetGo);
    edit(&mut session, FaultEdit::Grab(0, Part::Whole, SimTime(at)));
    edit(&mut session, FaultEdit::Drag(SimTime(u64::MAX / 2), Span(S)));
    assert!(fault(&session, 0).0 <= end);
    edit(&mut session, FaultEdit::Drag(SimTime(0), Span(S)));
    assert_eq!(fault(&session, 0).0, 0);
    // Nobody holds anything any more, or what does not exist.
    edit(&mut session, FaultEdit::LetGo);
    assert!(edit(&mut session, FaultEdit::Drag(SimTime(20 * S), Span(S))).is_empty());
    assert!(edit(&mut session, FaultEdit::Grab(7, Part::End, SimTime(0))).is_empty());
    assert!(
        edit(&mut session, FaultEdit::EndNow(7)).is_empty() && edit(&mut session, FaultEdit::BeginNow(7)).is_empty()
    );
}

#[test]
fn numbers_are_edited_one_by_one_and_what_cannot_be_is_refused_in_words() {
    let mut session = calm();
    session.reduce(Action::Palette(Palette::On("node1".into())));
    session.reduce(Action::Palette(Palette::Use(tool("Slow network"))));
    let set = |session: &mut Session, key, value: &str| edit(session, FaultEdit::Set(0, key, value.into()));
    assert!(runs(&set(&mut session, "add_ms", "1200")));
    assert!(runs(&set(&mut session, "for_s", "12.5")));
    assert!(runs(&set(&mut session, "at_s", "33")));
    assert_eq!(fault(&session, 0), (33 * S, Some(45_500_000)), "it keeps its length");
    assert!(runs(&set(&mut session, "target", "node1 -> etcd2")));
    assert!(runs(&set(&mut session, "every_s", "20")));
    assert!(session.scenario.faults[0].repeats.is_some());
    for (key, value) in [
        ("at_s", "-1"),
        ("for_s", "x"),
        ("target", "node9"),
        ("every_s", "2"),
        ("add_ms", "\n[[fault]]"),
    ] {
        assert!(set(&mut session, key, value).is_empty(), "{key} = {value}");
        assert!(
            session
                .refused
                .as_ref()
                .is_some_and(|refused| !refused.words.is_empty()),
            "{key}"
        );
    }
    assert!(runs(&set(&mut session, "every_s", "")) && runs(&set(&mut session, "for_s", "")));
    assert_eq!(fault(&session, 0), (33 * S, None));
    assert!(set(&mut session, "at_s", "33").is_empty(), "nothing changed");
    session.reduce(Action::Seek(SimTime(60 * S)));
    assert!(runs(&edit(&mut session, FaultEdit::EndNow(0))));
    assert!(runs(&edit(&mut session, FaultEdit::BeginNow(0))));
    assert_eq!(fault(&session, 0), (60 * S, Some(87 * S)));
}

#[test]
fn a_fault_that_comes_again_is_moved_by_any_of_its_times() {
    let mut session = calm();
    session.reduce(Action::Palette(Palette::Use(tool("Stall disk"))));
    edit(&mut session, FaultEdit::Set(0, "every_s", "20".into()));
    drag(&mut session, 0, Part::Whole, 52 * S, 57 * S);
    assert_eq!(fault(&session, 0), (35 * S, Some(50 * S)));
    drag(&mut session, 0, Part::End, 70 * S, 500 * S);
    assert!(
        fault(&session, 0).1.is_some_and(|until| until <= 55 * S),
        "it ends before it comes again"
    );
}

#[test]
fn a_link_is_cut_and_healed_at_the_playhead_each_direction_apart() {
    let mut session = calm();
    let (a, b) = (Host::Node(0), Host::Store(1));
    let state = |session: &Session, from, to, s: u64| Wires::at(&session.scenario, SimTime(s * S)).between(from, to);
    assert!(runs(&session.reduce(Action::ToggleLink(a, b))));
    assert_eq!(
        [state(&session, a, b, 29), state(&session, a, b, 30)],
        [Wire::Whole, Wire::Cut]
    );
    assert_eq!(state(&session, b, a, 40), Wire::Whole);
    session.reduce(Action::Seek(SimTime(50 * S)));
    assert!(runs(&session.reduce(Action::ToggleLink(a, b))));
    assert_eq!(
        [state(&session, a, b, 49), state(&session, a, b, 50)],
        [Wire::Cut, Wire::Whole]
    );
    // Cut and healed at the same moment: as if nothing had been.
    session.reduce(Action::ToggleLink(b, a));
    session.reduce(Action::ToggleLink(b, a));
    assert_eq!(session.scenario.faults.len(), 1);
    assert!(session.reduce(Action::ToggleLink(a, a)).is_empty());
    assert!(session.reduce(Action::ToggleLink(a, Host::Node(9))).is_empty());
}

#[test]
fn healing_one_direction_of_a_great_cut_leaves_the_others_cut() {
    let mut session = calm();
    session.reduce(Action::Palette(Palette::On("node1".into())));
    session.reduce(Action::Palette(Palette::Use(tool("Cut off"))));
    session.reduce(Action::Seek(SimTime(40 * S)));
    let hosts = session.scenario.names().hosts();
    let cut = |session: &Session, s: u64| {
        let pairs = hosts.iter().flat_map(|from| hosts.iter().map(move |to| (*from, *to)));
        let cut =
            pairs.filter(|(from, to)| Wires::at(&session.scenario, SimTime(s * S)).between(*from, *to) == Wire::Cut);
        cut.collect::<Vec<_>>()
    };
    let before = cut(&session, 39);
    assert_eq!(before.len(), 2 * (hosts.len() - 1));
    session.reduce(Action::ToggleLink(Host::Node(0), Host::Store(0)));
    assert_eq!(cut(&session, 39), before);
    let mut rest = before.clone();
    rest.retain(|pair| *pair != (Host::Node(0), Host::Store(0)));
    assert_eq!(cut(&session, 40), rest);
    assert_eq!(cut(&session, 69), rest);
    assert!(cut(&session, 70).is_empty(), "the cut ends when it would have ended");
    assert!(
        session
            .scenario
            .faults
            .iter()
            .all(|fault| matches!(fault.what, FaultKind::Cut { .. }))
    );
    session.reduce(Action::Undo);
    assert_eq!(cut(&session, 45), before);
}

#[test]
fn the_palette_strikes_whoever_leads_unless_a_host_is_chosen() {
    let (mut session, _) = open(true);
    session.reduce(Action::Palette(Palette::On("etcd2".into())));
    assert_eq!(session.palette_host(), "etcd2");
    session.reduce(Action::Palette(Palette::On("gone".into())));
    assert_eq!(session.palette_host(), "node1");
    assert!(session.reduce(Action::Palette(Palette::Use(99))).is_empty());
}

#[test]
fn whoever_leads_at_the_playhead_is_struck() {
    let (mut session, effects) = open(true);
    let [Effect::Simulate { run: asked, .. }] = effects[..] else {
        panic!("{effects:?}")
    };
    let played = run(&session.scenario);
    let story = tell(&played.trace, played.verdict, &session.scenario, &played.layout);
    let (before, after) = (
        SimTime(20 * S),
        story.verdict.failovers[0].key_taken + Span::from_secs(1),
    );
    let winner = story.verdict.failovers[0].to.clone();
    session.reduce(Action::Answered {
        run: asked,
        story: Rc::new(story),
    });
    session.reduce(Action::Seek(before));
    assert_eq!(session.palette_host(), "node1");
    session.reduce(Action::Seek(after));
    assert_eq!(session.palette_host(), winner);
}
