//! What people break by hand.

use super::super::strike::{self, DraftField};
use super::super::{Action, Effect, FaultEdit, Session};
use super::paused;
use crate::engine::SimTime;
use crate::scenario::FaultKind;

/// Fills the panel in, field by field, and strikes.
fn strikes(session: &mut Session, target: &str, way: &str, at: &str, lasts: &str) -> Vec<Effect> {
    for (field, value) in [
        (DraftField::Target, target),
        (DraftField::Way, way),
        (DraftField::At, at),
        (DraftField::Lasts, lasts),
    ] {
        session.reduce(Action::Draft(field, value.into()));
    }
    session.reduce(Action::Strike)
}

#[test]
fn a_strike_begins_at_the_playhead_unless_another_time_is_typed_and_runs_at_once() {
    let mut session = paused();
    let before = session.scenario.faults.len();
    session.reduce(Action::Seek(SimTime(40_250_000)));
    let effects = strikes(&mut session, "etcd2", "power", "", "20");
    let [Effect::Simulate { toml, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(
        toml.contains("at_s = 40.25\nuntil_s = 60.25\nkind = \"kill\"\ntarget = \"etcd2\""),
        "{toml}"
    );
    strikes(&mut session, "etcd1/disk", "stall", "12.5", "");
    let added = &session.scenario.faults[before..];
    assert_eq!((added[1].at, added[1].until), (SimTime(12_500_000), None));
    assert!(session.changed() && session.draft.at.is_empty());
}

#[test]
fn a_strike_that_cannot_be_is_refused_in_words_and_nothing_runs() {
    let mut session = paused();
    let before = session.scenario.clone();
    for (at, lasts) in [("-1", ""), ("1e", ""), ("10", "0"), ("999", ""), ("10\n[[fault]]", "")] {
        assert!(
            strikes(&mut session, "etcd1", "pause", at, lasts).is_empty(),
            "{at} {lasts}"
        );
        let refused = session.refused.clone().expect("it says why");
        assert!(refused.key == strike::STRIKE && !refused.words.is_empty());
    }
    assert_eq!(session.scenario, before);
}

#[test]
fn a_way_that_does_not_suit_the_target_gives_way_to_the_first_that_does() {
    let mut session = paused();
    strikes(&mut session, "etcd1/disk", "power", "10", "5");
    let fault = session.scenario.faults.last().expect("struck");
    assert!(matches!(fault.what, FaultKind::DiskStall { .. }), "{fault:?}");
}

#[test]
fn a_struck_fault_can_be_taken_away_again() {
    let mut session = paused();
    let before = session.scenario.clone();
    strikes(&mut session, "node2/agent", "kill", "10", "");
    let effects = session.reduce(Action::Fault(FaultEdit::Remove(before.faults.len())));
    assert!(matches!(effects[..], [Effect::Simulate { .. }]) && session.scenario == before);
    assert!(session.reduce(Action::Fault(FaultEdit::Remove(99))).is_empty());
}

#[test]
fn a_member_that_a_fault_strikes_cannot_be_taken_away_from_the_store() {
    let mut session = paused();
    strikes(&mut session, "etcd3", "power", "10", "");
    assert!(session.reduce(Action::Set("store.members", "1".into())).is_empty());
    assert_eq!(
        session.refused.as_ref().map(|refused| refused.key),
        Some("store.members")
    );
}
