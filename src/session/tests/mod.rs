//! What people do, in sentences.

mod breaking;
mod comparing;
mod history;
mod looking;
mod outside;
mod recording;
mod remarks;
mod sharing;
mod striking;
mod viewing;

use super::keys::{Focus, pressed};
use super::*;
use crate::draw::Detail;
use crate::draw::story::{Lane, Row, Tone};
use crate::engine::Span;
use crate::verdict::{Cause, Outage, Overlap, Record, StoreFigures, Verdict, Writes};

/// A page without a link.
fn open(calm: bool) -> (Session, Vec<Effect>) {
    Session::open(Start {
        calm,
        site: "https://lab.example/".to_owned(),
        ..Start::default()
    })
}

fn event(index: usize) -> EventId {
    EventId::from_index(index).expect("a small number")
}

/// Nothing happens in it.
fn empty_story() -> Story {
    let verdict = Verdict {
        lost_writes: Vec::new(),
        stray_branches: Vec::new(),
        outside: Default::default(),
        scenario: String::new(),
        seed: 1,
        engine: String::new(),
        trace_hash: None,
        events: 0,
        duration: Span::ZERO,
        adjusted: Vec::new(),
        two_primaries: Default::default(),
        believers: Default::default(),
        writes: Writes::default(),
        writable: Span::ZERO,
        outages: Vec::new(),
        failovers: Vec::new(),
        store: StoreFigures::default(),
        findings: Vec::new(),
        record: Record::default(),
    };
    Story {
        verdict,
        comment: None,
        nodes: Vec::new(),
        faults: Vec::new(),
        store: Default::default(),
        router: Vec::new(),
        writes: Default::default(),
        // There are none, and nobody has to ask for them.
        detail: Detail {
            until: SimTime(u64::MAX),
            ..Detail::default()
        },
        rows: Vec::new(),
        seen: Vec::new(),
    }
}

/// A run of 100 s with events at 10, 20, 20 and 50 s, and two primaries from 20 s on.
fn run() -> Rc<Story> {
    let row = |number, seconds: u64| Row {
        event: event(number),
        lamport: 0,
        at: SimTime(seconds * 1_000_000),
        lane: Lane::Store,
        text: format!("event {number}"),
        tone: Tone::Plain,
    };
    let mut story = empty_story();
    story.rows = vec![row(1, 10), row(2, 20), row(3, 20), row(4, 50)];
    story.verdict.duration = Span::from_secs(100);
    story.verdict.two_primaries.intervals = vec![Overlap {
        from: SimTime(20_000_000),
        to: SimTime(30_000_000),
        nodes: vec!["node1".into(), "node2".into()],
        deposed: "node1".into(),
        why: Cause::AgentFrozen,
    }];
    Rc::new(story)
}

/// The number of the run that these effects ask for.
fn asked(effects: &[Effect]) -> u32 {
    let numbers = effects.iter().filter_map(|effect| match effect {
        Effect::Simulate { run, .. } => Some(*run),
        _ => None,
    });
    numbers.max().expect("a run is asked for")
}

fn seconds(session: &Session) -> u64 {
    session.playhead.0 / 1_000_000
}

/// A session whose first run was answered, paused at the start.
fn paused() -> Session {
    let (mut session, effects) = open(false);
    session.reduce(Action::Answered {
        run: asked(&effects),
        story: run(),
    });
    session.reduce(Action::TogglePlay);
    session
}

#[test]
fn all_shipped_scenarios_can_be_opened() {
    let (mut session, _) = open(false);
    for (name, _) in SHIPPED {
        session.reduce(Action::Choose(name));
        assert_ne!(*session.scenario, Scenario::default(), "{name}");
    }
}

#[test]
fn it_opens_on_a_running_scenario() {
    let (mut session, effects) = open(false);
    assert!(matches!(&effects[..], [Effect::Simulate { toml, .. }] if toml.contains("its database runs on")));
    session.reduce(Action::Answered {
        run: asked(&effects),
        story: run(),
    });
    assert!(session.playing && session.playhead == SimTime::ZERO);
    session.reduce(Action::Tick(Span::from_millis(16)));
    assert_eq!(session.playhead, SimTime(160_000));
}

#[test]
fn whoever_asked_for_less_motion_finds_it_still_at_the_first_bad_moment() {
    let (mut session, effects) = open(true);
    session.reduce(Action::Answered {
        run: asked(&effects),
        story: run(),
    });
    assert!(!session.playing);
    assert_eq!(seconds(&session), 20);
}

#[test]
fn changing_a_setting_runs_again_at_once_and_keeps_the_playhead() {
    let mut session = paused();
    session.reduce(Action::Seek(SimTime(42_000_000)));
    let effects = session.reduce(Action::Set("patroni.ttl", "60".into()));
    assert!(matches!(&effects[..], [Effect::Simulate { toml, .. }] if toml.contains("ttl = 60")));
    assert!(session.changed() && session.story.is_some());
    session.reduce(Action::Answered {
        run: asked(&effects),
        story: run(),
    });
    assert_eq!(seconds(&session), 42);
    let effects = session.reduce(Action::ResetSettings);
    assert!(!session.changed() && effects.len() == 1);
}

#[test]
fn a_value_that_is_not_allowed_is_refused_in_words_and_nothing_runs() {
    let mut session = paused();
    assert!(session.reduce(Action::Set("patroni.ttl", "0".into())).is_empty());
    let refused = session.refused.clone().expect("it says why");
    assert_eq!((refused.key, refused.value.as_str()), ("patroni.ttl", "0"));
    assert!(!refused.words.is_empty() && !session.changed());
    session.reduce(Action::Set("patroni.ttl", "45".into()));
    assert_eq!(session.refused, None);
}

#[test]
fn setting_what_is_already_set_runs_nothing() {
    assert!(paused().reduce(Action::Set("patroni.ttl", "30".into())).is_empty());
}

#[test]
fn an_answer_to_an_older_run_is_dropped() {
    let mut session = paused();
    let old = session.reduce(Action::Set("patroni.ttl", "40".into()));
    let new = session.reduce(Action::Set("patroni.ttl", "50".into()));
    session.reduce(Action::Answered {
        run: asked(&old),
        story: run(),
    });
    assert!(matches!(session.worker, Worker::Busy { .. }));
    session.reduce(Action::Answered {
        run: asked(&new),
        story: run(),
    });
    assert_eq!(session.worker, Worker::Idle);
}

#[test]
fn steps_go_by_rows_even_when_several_lie_at_one_instant() {
    let mut session = paused();
    let mut places = Vec::new();
    for _ in 0..5 {
        session.reduce(Action::NextEvent);
        places.push((seconds(&session), session.row));
    }
    assert_eq!(
        places,
        [
            (10, Some(0)),
            (20, Some(1)),
            (20, Some(2)),
            (50, Some(3)),
            (50, Some(3))
        ]
    );
    session.reduce(Action::Shift(1_000_000));
    let back: Vec<_> = (0..5)
        .map(|_| {
            session.reduce(Action::PreviousEvent);
            (seconds(&session), session.row)
        })
        .collect();
    assert_eq!(
        back,
        [(50, Some(3)), (20, Some(2)), (20, Some(1)), (10, Some(0)), (0, None)]
    );
}

#[test]
fn the_playhead_never_leaves_the_run() {
    let mut session = paused();
    session.reduce(Action::Shift(-1));
    assert_eq!(session.playhead, SimTime::ZERO);
    session.reduce(Action::Seek(SimTime(u64::MAX)));
    assert_eq!(seconds(&session), 100);
    session.reduce(Action::Shift(1_000_000));
    assert_eq!(seconds(&session), 100);
}

#[test]
fn playing_stops_at_the_end_and_begins_again_from_the_start() {
    let mut session = paused();
    session.reduce(Action::Seek(SimTime(99_990_000)));
    session.reduce(Action::TogglePlay);
    session.reduce(Action::Tick(Span::from_millis(16)));
    assert!(!session.playing && seconds(&session) == 100);
    session.reduce(Action::TogglePlay);
    assert!(session.playing && session.playhead == SimTime::ZERO);
}

#[test]
fn a_playhead_that_is_held_does_not_run_away() {
    let mut session = paused();
    session.reduce(Action::Restart);
    session.reduce(Action::Hold(true));
    session.reduce(Action::Seek(SimTime(30_000_000)));
    session.reduce(Action::Tick(Span::from_millis(16)));
    assert_eq!(session.playhead, SimTime(30_000_000));
    session.reduce(Action::Hold(false));
    session.reduce(Action::Tick(Span::from_millis(16)));
    assert!(session.playing && session.playhead > SimTime(30_000_000));
}

#[test]
fn the_first_bad_moment_is_where_two_primaries_begin_or_else_an_outage() {
    let mut session = paused();
    session.reduce(Action::FirstBadMoment);
    assert_eq!(seconds(&session), 20);
    let effects = session.reduce(Action::Set("patroni.ttl", "40".into()));
    let mut harmless = Story::clone(&run());
    harmless.verdict.two_primaries.intervals.clear();
    harmless.verdict.outages = vec![Outage {
        from: SimTime(7_000_000),
        to: SimTime(8_000_000),
    }];
    session.reduce(Action::Answered {
        run: asked(&effects),
        story: Rc::new(harmless),
    });
    session.reduce(Action::FirstBadMoment);
    assert_eq!(seconds(&session), 7);
}

#[test]
fn why_is_asked_of_the_run_that_is_shown_and_forgotten_with_it() {
    let mut session = paused();
    let event = event(2);
    let effects = session.reduce(Action::AskWhy(1));
    let [Effect::Explain { run, .. }] = effects[..] else {
        panic!("{effects:?}")
    };
    let reason = Reason {
        event,
        at: SimTime(1),
        text: "it began".into(),
    };
    session.reduce(Action::Explained {
        run: run + 1,
        event,
        reasons: vec![],
    });
    assert!(
        session.why.as_ref().is_some_and(|why| why.reasons.is_none()),
        "another run's causes are dropped"
    );
    session.reduce(Action::Explained {
        run,
        event,
        reasons: vec![reason],
    });
    assert!(session.why.as_ref().is_some_and(|why| why.reasons.is_some()));
    session.reduce(Action::Set("patroni.ttl", "40".into()));
    assert_eq!(session.why, None);
    assert!(
        session.reduce(Action::AskWhy(1)).is_empty(),
        "the run that could explain it is gone"
    );
}

#[test]
fn why_the_verdict_is_bad_leads_to_where_two_primaries_begin() {
    let mut session = paused();
    assert!(session.reduce(Action::WhyBad).is_empty(), "no row tells of danger");
    let effects = session.reduce(Action::Set("patroni.ttl", "40".into()));
    let mut bad = Story::clone(&run());
    bad.rows[2].tone = Tone::Danger;
    session.reduce(Action::Answered {
        run: asked(&effects),
        story: Rc::new(bad),
    });
    let effects = session.reduce(Action::WhyBad);
    assert!(matches!(effects[..], [Effect::Explain { event: e, .. }] if e == event(3)));
    assert_eq!((session.row, seconds(&session)), (Some(2), 20));
}

#[test]
fn a_worker_that_died_is_replaced_once_and_then_left_alone_until_something_changes() {
    let mut session = paused();
    session.reduce(Action::Set("patroni.ttl", "40".into()));
    let effects = session.reduce(Action::WorkerDied);
    assert!(matches!(effects[..], [Effect::RestartWorker, Effect::Simulate { .. }]));
    assert!(session.restarted);
    assert_eq!(session.reduce(Action::WorkerDied), [Effect::RestartWorker]);
    assert_eq!(session.worker, Worker::GaveUp);
    let effects = session.reduce(Action::Set("patroni.ttl", "50".into()));
    session.reduce(Action::Answered {
        run: asked(&effects),
        story: run(),
    });
    assert_eq!(session.worker, Worker::Idle);
}

#[test]
fn space_plays_unless_the_focused_control_uses_it_and_k_always() {
    let mut session = paused();
    let plays = |session: &Session, key, focus| matches!(pressed(session, key, focus), Some(Action::TogglePlay));
    assert!(plays(&session, " ", Focus::Page) && plays(&session, " ", Focus::Slider));
    assert!(!plays(&session, " ", Focus::Button) && !plays(&session, " ", Focus::Entry));
    for focus in [Focus::Page, Focus::Button, Focus::Slider, Focus::Entry] {
        assert!(plays(&session, "k", focus) && plays(&session, "K", focus));
    }
    assert!(
        pressed(&session, "Home", Focus::Slider).is_none(),
        "a slider has its own Home"
    );
    assert!(pressed(&session, "1", Focus::Entry).is_none() && pressed(&session, "-", Focus::Entry).is_none());
    session.reduce(Action::SingleKeys(false));
    assert!(pressed(&session, "k", Focus::Page).is_none() && pressed(&session, "n", Focus::Page).is_none());
}
