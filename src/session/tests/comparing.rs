//! A run that is kept while another is changed.

use super::super::twin::{Compare, changes};
use super::super::{Action, Effect, Session, Worker};
use super::{Focus, open, paused, pressed, run};
use crate::scenario::Scenario;
use std::rc::Rc;

/// What is to be run: its number, and its ttl.
fn asked(effects: &[Effect]) -> Option<(u32, String)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Simulate { run, toml, .. } => {
            let ttl = Scenario::parse(toml, "test").expect("valid").get("patroni.ttl");
            Some((*run, ttl.expect("it has one")))
        }
        _ => None,
    })
}

fn answer(session: &mut Session, (run_number, _): (u32, String)) -> Option<(u32, String)> {
    let effects = session.reduce(Action::Answered {
        run: run_number,
        story: run(),
    });
    asked(&effects)
}

fn compare(session: &mut Session, what: Compare) -> Vec<Effect> {
    session.reduce(Action::Compare(what))
}

fn set_ttl(session: &mut Session, ttl: &str) -> (u32, String) {
    let effects = session.reduce(Action::Set("patroni.ttl", ttl.into()));
    asked(&effects).expect("it runs")
}

fn ttls(session: &Session) -> (Option<String>, Option<String>) {
    let ttl = |scenario: &Scenario| scenario.get("patroni.ttl");
    (
        session.before.as_ref().and_then(|before| ttl(&before.scenario)),
        ttl(&session.scenario),
    )
}

/// Forked at ttl 30, and changed to 45.
fn forked() -> Session {
    let mut session = paused();
    assert!(compare(&mut session, Compare::Fork).is_empty(), "nothing need be run");
    let asked = set_ttl(&mut session, "45");
    assert_eq!(answer(&mut session, asked), None);
    session
}

fn some(a: &str, b: &str) -> (Option<String>, Option<String>) {
    (Some(a.into()), Some(b.into()))
}

#[test]
fn what_is_changed_after_a_fork_is_the_other_run() {
    let mut session = forked();
    assert_eq!(ttls(&session), some("30", "45"));
    assert!(session.twins().is_some() && session.no_fork().is_some());
    compare(&mut session, Compare::Fork);
    assert_eq!(ttls(&session), some("30", "45"), "one is kept already");
    let asked = asked(&compare(&mut session, Compare::Swap)).expect("it runs");
    assert_eq!(asked.1, "30");
    assert_eq!(answer(&mut session, asked), None);
    assert_eq!(ttls(&session), some("45", "30"));
    assert!(compare(&mut session, Compare::End).is_empty());
    assert_eq!(ttls(&session), (None, Some("30".into())));
    for what in [Compare::Swap, Compare::End, Compare::Back] {
        assert!(
            compare(&mut session, what).is_empty(),
            "there is nothing to compare with"
        );
    }
}

#[test]
fn back_to_before_lets_the_change_go() {
    let mut session = forked();
    assert_eq!(
        asked(&compare(&mut session, Compare::Back)).map(|(_, ttl)| ttl),
        Some("30".into())
    );
    assert_eq!(ttls(&session), (None, Some("30".into())));
}

#[test]
fn a_fork_and_what_follows_are_undone_one_by_one() {
    let mut session = forked();
    compare(&mut session, Compare::Swap);
    assert_eq!(session.history.undoes(), Some("the swap of the two runs"));
    session.reduce(Action::Undo);
    assert_eq!(ttls(&session), some("30", "45"));
    assert!(session.missing_before().is_none(), "its story is still there");
    session.reduce(Action::Undo);
    assert_eq!(ttls(&session), some("30", "30"));
    assert_eq!(session.history.undoes(), Some("the fork"));
    session.reduce(Action::Undo);
    assert_eq!(ttls(&session), (None, Some("30".into())));
    session.reduce(Action::Redo);
    session.reduce(Action::Redo);
    assert_eq!(ttls(&session), some("30", "45"));
}

#[test]
fn a_link_holds_both_and_the_kept_one_is_run_first() {
    let session = forked();
    let link = session.fragment_now();
    assert!(link.starts_with("#/lab/2/"), "a page that knows one run only is told");
    let (mut other, first) = open(true);
    let first = asked(&first).expect("it runs");
    let wanted = asked(&other.reduce(Action::Follow(link.clone()))).expect("it runs");
    assert_eq!(wanted.1, "30");
    assert_eq!(answer(&mut other, first), None, "nobody waits for it any more");
    let next = answer(&mut other, wanted.clone()).expect("now the other one");
    assert_eq!((next.1.as_str(), other.worker == Worker::Idle), ("45", false));
    assert!(other.story.is_none() && next.0 != wanted.0);
    assert_eq!(answer(&mut other, next), None);
    assert!(other.twins().is_some() && other.worker == Worker::Idle);
    assert_eq!(ttls(&other), some("30", "45"));
    assert_eq!(
        other.before.as_ref().map(|before| before.scenario.clone()),
        session.before.map(|before| before.scenario.clone())
    );
    assert!(
        other
            .report()
            .contains("Compared with a run before these changes:\n  ttl: 30 → 45 s\n")
    );
}

#[test]
fn the_worker_dies_while_the_kept_run_is_on_its_way_and_both_are_run_again() {
    let link = forked().fragment_now();
    let (mut session, _) = open(true);
    session.reduce(Action::Follow(link));
    let again = asked(&session.reduce(Action::WorkerDied)).expect("it runs again");
    assert_eq!(again.1, "30");
    let next = answer(&mut session, again).expect("and the other one");
    assert_eq!(next.1, "45");
}

#[test]
fn another_scenario_ends_the_comparison() {
    let mut session = forked();
    session.reduce(Action::Choose("host-crash"));
    assert!(session.before.is_none() && session.parting().is_none());
}

#[test]
fn changes_are_told_setting_by_setting_and_fault_by_fault() {
    let scenario = |text: &str| Scenario::parse(text, "test").expect("valid");
    let fault =
        |at: u32, target: &str| format!("[[fault]]\nat_s = {at}\nfor_s = 5\nkind = \"pause\"\ntarget = \"{target}\"\n");
    let old = scenario(&format!("seed = 3\n{}{}", fault(10, "node1"), fault(20, "node2")));
    let new = scenario(&format!("seed = 4\n{}{}", fault(12, "node1"), fault(30, "etcd1")));
    let told = changes(&old, &new);
    assert_eq!(
        told,
        [
            "Seed: 3 → 4",
            "pause node1: from 10 s for 5 s → from 12 s for 5 s",
            "Added: pause etcd1, from 30 s for 5 s",
            "Removed: pause node2, from 20 s for 5 s",
        ]
    );
    assert!(changes(&old, &Rc::new(old.clone())).is_empty());
    let slow = |ms: u32| {
        scenario(&format!(
            "[[fault]]\nat_s = 10\nkind = \"disk_slow\"\ntarget = \"etcd1/disk\"\nadd_ms = {ms}\n"
        ))
    };
    let told = changes(&slow(200), &slow(900));
    assert!(told[0].contains("200 ms") && told[0].contains("900 ms"), "{told:?}");
}

#[test]
fn to_end_while_the_kept_run_is_on_its_way_asks_for_the_one_that_is_left() {
    let link = forked().fragment_now();
    let (mut session, _) = open(true);
    let kept = asked(&session.reduce(Action::Follow(link))).expect("it runs");
    assert_eq!(kept.1, "30");
    let left = asked(&compare(&mut session, Compare::End)).expect("the other one");
    assert_eq!(left.1, "45");
    assert_eq!(answer(&mut session, kept), None);
    assert!(session.story.is_none(), "the kept run is not the one that is shown");
    assert_eq!(answer(&mut session, left), None);
    assert!(session.story.is_some() && session.worker == Worker::Idle);
}

#[test]
fn the_same_fault_twice_is_told_twice() {
    let scenario = |text: &str| Scenario::parse(text, "test").expect("valid");
    let fault = "[[fault]]\nat_s = 10\nfor_s = 5\nkind = \"pause\"\ntarget = \"node1\"\n";
    let (once, twice) = (scenario(fault), scenario(&format!("{fault}{fault}")));
    assert_eq!(changes(&once, &twice), ["Added: pause node1, from 10 s for 5 s"]);
    assert_eq!(changes(&twice, &once), ["Removed: pause node1, from 10 s for 5 s"]);
}

#[test]
fn the_swapped_runs_are_shown_at_once_and_no_late_answer_takes_their_place() {
    let mut session = forked();
    let (before, after) = session.twins().map(|(a, b)| (a.clone(), b.clone())).expect("both");
    let late = set_ttl(&mut session, "60");
    // The run of ttl 60 is still on its way: it is kept without a story, and run first.
    let swapped = asked(&compare(&mut session, Compare::Swap)).expect("it runs");
    assert_eq!((swapped.1.as_str(), ttls(&session)), ("60", some("60", "30")));
    assert!(Rc::ptr_eq(session.story.as_ref().expect("shown"), &before));
    assert_eq!(answer(&mut session, late), None, "it was asked under another number");
    assert!(session.missing_before().is_some());
    let last = answer(&mut session, swapped.clone()).expect("and then the other one");
    assert_eq!(last.1, "30");
    assert_eq!(answer(&mut session, swapped), None, "twice is once too often");
    assert_ne!(session.worker, Worker::Idle);
    assert_eq!(answer(&mut session, last), None);
    let (kept, shown) = session.twins().expect("both");
    assert!(!Rc::ptr_eq(kept, &after) && !Rc::ptr_eq(kept, shown) && session.worker == Worker::Idle);
}

#[test]
fn a_comparison_that_was_ended_comes_back_with_undo_and_its_run_is_run_again() {
    let mut session = forked();
    compare(&mut session, Compare::End);
    assert_eq!(session.history.undoes(), Some("the end of the comparison"));
    let kept = asked(&session.reduce(Action::Undo)).expect("it runs");
    assert_eq!((kept.1.as_str(), ttls(&session)), ("30", some("30", "45")));
    let other = answer(&mut session, kept).expect("and the other one");
    assert_eq!(other.1, "45");
    assert_eq!(answer(&mut session, other), None);
    assert!(session.twins().is_some());
}

#[test]
fn who_cannot_fork_is_told_why() {
    let mut session = paused();
    assert_eq!(session.no_fork(), None);
    let told = |session: &mut Session| {
        compare(session, Compare::Fork);
        session.share.told.clone().unwrap_or_default()
    };
    set_ttl(&mut session, "45");
    assert!(told(&mut session).starts_with("The run is not there yet"));
    let mut session = forked();
    assert!(told(&mut session).starts_with("Two runs are compared already"));
    compare(&mut session, Compare::End);
    assert_eq!(told(&mut session), "This run is kept.");
}

#[test]
fn the_key_forks_but_not_within_another_page() {
    let mut session = paused();
    let fork = Some(Action::Compare(Compare::Fork));
    let does = |session: &Session| pressed(session, "f", Focus::Page).map(|action| format!("{action:?}"));
    assert_eq!(does(&session), fork.map(|action| format!("{action:?}")));
    session.embedded = true;
    assert_eq!(does(&session), None);
}
