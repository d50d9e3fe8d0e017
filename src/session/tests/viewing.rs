//! The view, the lanes and the messages, through the reducer.

use super::*;
use crate::draw::story::{Flight, Talk};
use crate::draw::{LaneKey, LaneMove};

fn seen(session: &Session) -> (u64, u64) {
    let (from, until) = session.window.visible(session.end());
    (from.0 / 1_000_000, until.0 / 1_000_000)
}

/// A session with messages sent at 1, 2 and 3 s.
fn with_messages() -> Session {
    let mut session = paused();
    let flight = |n: u64| Flight {
        event: event(n as usize),
        from: Lane::Store,
        to: Lane::Traffic,
        sent: SimTime(n * 1_000_000),
        end: SimTime(n * 1_000_000 + 500),
        arrives: true,
        what: Talk::News,
        answers: None,
        decides: false,
    };
    let mut story = Story::clone(&run());
    story.detail.flights = [1, 2, 3].map(flight).to_vec();
    session.story = Some(Rc::new(story));
    session
}

#[test]
fn lanes_are_undone_and_done_again_without_running_anything() {
    let mut session = paused();
    let effects = session.reduce(Action::Lane(LaneKey::Store, LaneMove::Hide(true)));
    assert!(effects.is_empty() && !session.changed());
    assert_eq!(session.history.undoes(), Some("the lanes of the timeline"));
    let arranged = session.lanes.clone();
    assert!(session.reduce(Action::Undo).is_empty(), "nothing is simulated");
    assert!(session.lanes.is_default());
    assert!(session.reduce(Action::Redo).is_empty());
    assert_eq!(session.lanes, arranged);
    session.reduce(Action::LanesAsAtFirst);
    assert!(session.lanes.is_default());
    session.reduce(Action::Undo);
    assert_eq!(session.lanes, arranged);
}

#[test]
fn a_link_opens_the_lanes_and_the_view_as_they_were() {
    let mut session = paused();
    session.reduce(Action::Lane(LaneKey::Writes, LaneMove::Up));
    session.reduce(Action::Lane(LaneKey::Store, LaneMove::Fold(true)));
    session.reduce(Action::See(SimTime(12_345_678), SimTime(23_456_789)));
    session.reduce(Action::Seek(SimTime(15_000_000)));
    let (again, _) = Session::open(Start {
        fragment: session.fragment_now(),
        ..Start::default()
    });
    assert_eq!((again.lanes, again.window), (session.lanes.clone(), session.window));
    session.reduce(Action::Choose("steady-state"));
    assert!(
        session.lanes.is_default(),
        "another scenario begins with all of its lanes"
    );
    session.reduce(Action::Undo);
    assert!(!session.lanes.is_default());
}

#[test]
fn keys_pan_and_who_looks_elsewhere_while_it_plays_is_left_there() {
    let mut session = paused();
    session.reduce(Action::See(SimTime(40_000_000), SimTime(60_000_000)));
    for key in ["w", "w", "q"] {
        let action = pressed(&session, key, Focus::Page).expect("a key");
        session.reduce(action);
    }
    assert_eq!(seen(&session), (44, 64));
    session.reduce(Action::TogglePlay);
    session.reduce(Action::Tick(Span::from_millis(100)));
    assert_eq!(seen(&session), (44, 64));
    session.reduce(Action::Seek(SimTime(5_000_000)));
    assert_eq!(seen(&session), (3, 23), "who moves the playhead wants to see it");
}

#[test]
fn one_goes_from_message_to_message_and_away_from_all() {
    let mut session = with_messages();
    session.reduce(Action::Seek(SimTime(1_500_000)));
    session.reduce(Action::NextMessage);
    assert_eq!((session.message, session.playhead), (Some(1), SimTime(2_000_000)));
    session.reduce(Action::NextMessage);
    session.reduce(Action::NextMessage);
    assert_eq!(session.message, Some(2), "the last one");
    session.reduce(Action::PreviousMessage);
    session.reduce(Action::PreviousMessage);
    session.reduce(Action::PreviousMessage);
    assert_eq!((session.message, session.playing), (Some(0), false));
    session.reduce(Action::CloseWhy);
    assert_eq!(session.message, None);
}

#[test]
fn an_event_is_asked_what_it_is_related_to_and_the_answer_is_forgotten_with_the_run() {
    let mut session = paused();
    let asked = session.reduce(Action::Relate(Some(1)));
    let [Effect::Relate { run, event: of }] = asked[..] else {
        panic!("{asked:?}")
    };
    assert_eq!(of, event(2));
    session.reduce(Action::Related {
        run: run + 1,
        event: of,
        related: None,
    });
    assert!(
        session.relating.is_some() && session.cone().is_none(),
        "an answer about another run"
    );
    session.reduce(Action::Related {
        run,
        event: of,
        related: None,
    });
    assert!(session.relating.is_none(), "the worker does not have it any more");
    session.reduce(Action::Seek(SimTime(15_000_000)));
    session.reduce(Action::Relate(None));
    let at_the_playhead = session.row;
    assert!(at_the_playhead.is_some());
    assert_eq!(session.relating.as_ref().map(|relating| relating.row), at_the_playhead);
    session.reduce(Action::Relate(None));
    assert!(session.relating.is_none(), "asked again, it is let go");
    session.reduce(Action::Relate(Some(0)));
    session.reduce(Action::CloseWhy);
    assert!(session.relating.is_none());
    session.reduce(Action::Relate(Some(0)));
    session.reduce(Action::Set("patroni.ttl", "40".into()));
    assert!(session.relating.is_none());
    assert!(
        session.reduce(Action::Relate(Some(0))).is_empty(),
        "while a run is on its way"
    );
}
