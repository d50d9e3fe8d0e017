//! Undo and redo.

use super::*;
use proptest::prelude::*;

fn ttl(session: &Session) -> u64 {
    session.scenario.patroni.ttl.as_micros() / 1_000_000
}

fn set(session: &mut Session, key: &'static str, value: &str) -> Vec<Effect> {
    session.reduce(Action::Set(key, value.to_owned()))
}

#[test]
fn undo_takes_one_change_back_after_the_other_and_redo_does_them_again() {
    let mut session = paused();
    set(&mut session, "patroni.ttl", "45");
    set(&mut session, "seed", "9");
    session.reduce(Action::Strike);
    assert_eq!(session.history.undoes(), Some("a strike"));
    assert_eq!(session.history.redoes(), None);
    let effects = session.reduce(Action::Undo);
    assert!(matches!(&effects[..], [Effect::Simulate { toml, .. }] if toml.contains("seed = 9")));
    assert_eq!(session.history.undoes(), Some("Seed 7 → 9"));
    session.reduce(Action::Undo);
    assert_eq!(session.history.undoes(), Some("ttl 30 → 45 s"));
    session.reduce(Action::Undo);
    assert!(!session.changed() && session.reduce(Action::Undo).is_empty());
    for _ in 0..3 {
        session.reduce(Action::Redo);
    }
    assert_eq!((ttl(&session), session.scenario.seed), (45, 9));
    assert!(session.reduce(Action::Redo).is_empty());
}

#[test]
fn a_slider_that_is_moved_is_one_step_until_it_comes_to_rest() {
    let mut session = paused();
    for value in 31..=60 {
        set(&mut session, "patroni.ttl", &value.to_string());
    }
    session.reduce(Action::Settle);
    set(&mut session, "patroni.ttl", "70");
    session.reduce(Action::Undo);
    assert_eq!(ttl(&session), 60);
    session.reduce(Action::Undo);
    assert_eq!(ttl(&session), 30);
    assert_eq!(session.history.undoes(), None);
}

#[test]
fn a_slider_that_is_moved_away_and_back_leaves_nothing_to_undo() {
    let mut session = paused();
    for value in ["31", "35", "31", "30"] {
        set(&mut session, "patroni.ttl", value);
    }
    assert_eq!(session.history.undoes(), None);
}

#[test]
fn a_new_change_forgets_what_was_undone() {
    let mut session = paused();
    set(&mut session, "patroni.ttl", "45");
    session.reduce(Action::Undo);
    set(&mut session, "seed", "3");
    assert_eq!(session.history.redoes(), None);
}

#[test]
fn choosing_a_scenario_and_resetting_all_settings_can_be_undone_too() {
    let mut session = paused();
    set(&mut session, "patroni.ttl", "45");
    session.reduce(Action::Choose("steady-state"));
    assert_eq!(
        session.history.undoes(),
        Some("opening “Steady state: the leader renews its lease in time”")
    );
    session.reduce(Action::Undo);
    assert_eq!((session.name, ttl(&session)), (OPENING, 45));
    session.reduce(Action::ResetSettings);
    session.reduce(Action::Undo);
    assert_eq!(ttl(&session), 45);
}

#[test]
fn a_value_that_is_refused_is_no_change() {
    let mut session = paused();
    set(&mut session, "patroni.ttl", "0");
    session.reduce(Action::Seek(SimTime(3_000_000)));
    assert_eq!(session.history.undoes(), None);
    session.reduce(Action::Undo);
    assert!(session.refused.is_some(), "there was nothing to take back");
}

#[test]
fn the_keys_of_undo_are_those_of_every_editor_and_leave_text_fields_alone() {
    use super::keys::commanded;
    for focus in [Focus::Page, Focus::Button, Focus::Slider, Focus::Entry] {
        assert!(matches!(commanded("z", false, focus), Some(Action::Undo)));
        assert!(matches!(commanded("Z", true, focus), Some(Action::Redo)));
        assert!(matches!(commanded("y", false, focus), Some(Action::Redo)));
    }
    assert!(commanded("z", false, Focus::Text).is_none() && commanded("s", false, Focus::Page).is_none());
}

/// Everything that changes an experiment, with values that are taken and values that are refused.
fn change() -> impl Strategy<Value = Action> {
    let value = (0usize..crate::scenario::FIELDS.len(), 0u32..200)
        .prop_map(|(field, number)| Action::Set(crate::scenario::FIELDS[field].key, number.to_string()));
    prop_oneof![
        5 => value,
        1 => prop::sample::select(SHIPPED).prop_map(|(name, _)| Action::Choose(name)),
        1 => Just(Action::Strike),
        1 => (0usize..4).prop_map(|index| Action::Fault(FaultEdit::Remove(index))),
        1 => Just(Action::ResetSettings),
        1 => (0usize..crate::scenario::FIELDS.len()).prop_map(|field| Action::PutBack(crate::scenario::FIELDS[field].key)),
        1 => Just(Action::Settle),
        1 => Just(Action::Undo),
        1 => Just(Action::Redo),
        1 => prop::sample::select(SHIPPED).prop_map(|(name, text)| {
            Action::Share(Sharing::File(format!("{name}.toml"), Ok(text.replace("ttl = 30", "ttl = 44"))))
        }),
        1 => prop_oneof!["true", "on", "required", "node1, b"].prop_flat_map(|value| {
            (0usize..crate::scenario::FIELDS.len())
                .prop_map(move |field| Action::Set(crate::scenario::FIELDS[field].key, value.clone()))
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn undo_to_the_start_restores_the_first_scenario_and_redo_to_the_end_the_last(changes in proptest::collection::vec(change(), 1..40)) {
        let mut session = paused();
        let first = session.scenario.clone();
        for change in changes {
            session.reduce(change);
        }
        let last = (session.name, session.scenario.clone(), session.shipped.clone());
        let mut undone = 0;
        while session.history.undoes().is_some() {
            session.reduce(Action::Undo);
            undone += 1;
        }
        prop_assert_eq!(&session.scenario, &first);
        prop_assert_eq!(session.name, OPENING);
        prop_assert!(!session.changed());
        while session.history.redoes().is_some() {
            session.reduce(Action::Redo);
            undone -= 1;
        }
        prop_assert!(undone <= 0, "what was undone before is done again too");
        if undone == 0 {
            prop_assert_eq!((session.name, session.scenario.clone(), session.shipped.clone()), last);
        }
    }
}
