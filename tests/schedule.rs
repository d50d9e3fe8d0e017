#![cfg(not(target_arch = "wasm32"))]
//! A switchover that is asked for a later time (patroni.md 3.7). That of Patroni's own suite is A4 in `conformance.rs`.

#[path = "common/chronicle.rs"]
mod chronicle;

use chronicle::{Told, parsed, told_with_keys};
use leaselab::agent::Bugs;
use leaselab::engine::SimTime;
use leaselab::scenario::Scenario;
use leaselab::verdict::with_nth_seed;
use leaselab::vocabulary::{Key, NodeId, Note, WatchEvent};

const SEEDS: u32 = 5;
const N1: NodeId = NodeId(0);
const N2: NodeId = NodeId(1);
const N3: NodeId = NodeId(2);

fn at(seconds: f64) -> SimTime {
    SimTime((seconds * 1e6) as u64)
}

/// node1 is asked at 40.5 s; loop_wait is 10 s.
fn switchover(scheduled: f64, to: &str) -> String {
    format!("[[fault]]\nat_s = 40.5\nkind = 'switchover'\ntarget = 'node1'\nscheduled_at_s = {scheduled}\n{to}\n")
}

fn fault(kind: &str, target: &str, at: f64, until: f64) -> String {
    format!("[[fault]]\nat_s = {at}\nuntil_s = {until}\nkind = '{kind}'\ntarget = '{target}'\n")
}

#[track_caller]
fn always(faults: &[String], holds: impl Fn(&Told)) {
    let scenario = parsed(&format!("duration_s = 200\ntraffic.writers = 0\n{}", faults.concat()));
    for n in 0..SEEDS {
        let told = told_with_keys(&with_nth_seed(&scenario, n), Bugs::default());
        assert!(told.verdict.finding("engine rules").expect("judged").holds);
        holds(&told);
    }
}

/// When the request goes from the store.
fn cleared(told: &Told) -> Option<f64> {
    let mut changes = told.keys.changes.iter();
    changes.find_map(|(at, event)| match event {
        WatchEvent::Delete { key: Key::Failover, .. } => Some(at.as_secs_f64()),
        _ => None,
    })
}

/// When this agent first states this.
fn states(told: &Told, node: NodeId, wanted: Note) -> Option<f64> {
    told.agent(node, at(40.5), |note| *note == wanted)
        .map(SimTime::as_secs_f64)
}

#[test]
fn the_leader_sleeps_through_the_rest_of_the_last_loop_and_hands_over_on_the_second() {
    always(&[switchover(87.0, "to = 'node3'")], |told| {
        let sleeps = states(told, N1, Note::AwaitsSchedule).expect("it sleeps");
        assert!((77.0..87.0).contains(&sleeps), "{sleeps}");
        let asked = states(told, N1, Note::AskedToHandOver { to: Some(N3) }).expect("it is asked");
        assert!((87.0..87.01).contains(&asked), "{asked}");
        assert!(told.leads(N3, at(87.0)).is_some_and(|leads| leads < at(95.0)));
        assert!(cleared(told).is_some_and(|cleared| cleared > 87.0));
        assert_eq!(told.verdict.failovers.len(), 1);
    });
}

#[test]
fn it_goes_by_the_leaders_own_clock() {
    let late = "[[fault]]\nat_s = 20\nkind = 'clock_step'\ntarget = 'node1'\nby_s = -6\n".to_owned();
    always(&[late, switchover(87.0, "")], |told| {
        let asked = states(told, N1, Note::AskedToHandOver { to: None }).expect("it is asked");
        assert!((93.0..93.01).contains(&asked), "{asked}");
    });
    let early = "[[fault]]\nat_s = 20\nkind = 'clock_step'\ntarget = 'node1'\nby_s = 60\n".to_owned();
    always(&[early, switchover(87.0, "")], |told| {
        let refused = states(told, N1, Note::ScheduleRefused).expect("for that clock it is past");
        assert!((40.5..40.6).contains(&refused) && told.verdict.failovers.is_empty());
    });
}

#[test]
fn in_maintenance_mode_it_waits_and_is_dropped_when_it_is_found_too_late() {
    // Asked before the mode began, due in it; too late is later than one and a half loops.
    for (resumes, too_late) in [(75.0, false), (110.0, true)] {
        let maintenance = fault("maintenance", "node1", 50.0, resumes);
        always(&[switchover(70.0, ""), maintenance], |told| {
            assert_eq!(states(told, N1, Note::ScheduleDropped).is_some(), too_late);
            assert_eq!(told.verdict.failovers.is_empty(), too_late);
            assert!(told.is_primary(N1, at(resumes)));
            assert!(cleared(told).is_some_and(|cleared| cleared > resumes));
        });
    }
}

#[test]
fn a_leader_that_dies_before_leaves_the_request_to_the_race_which_ends_it() {
    always(
        &[switchover(150.0, "to = 'node3'"), fault("kill", "node1", 50.0, 190.0)],
        |told| {
            let n3 = told.leads(N3, at(50.0)).expect("the named node leads");
            assert!(n3 < at(100.0) && told.leads(N2, at(50.0)).is_none());
            assert!(cleared(told).is_some_and(|cleared| cleared < 100.0));
            assert!(told.is_primary(N3, at(180.0)));
        },
    );
}

#[test]
fn a_handover_is_asked_for_before_its_time_and_says_so_in_the_file() {
    let scenario = parsed(&switchover(87.25, "to = 'node2'"));
    assert_eq!(Scenario::parse(&scenario.to_toml(), "again"), Ok(scenario));
    let errors = Scenario::parse(&switchover(40.5, ""), "test").unwrap_err();
    assert!(errors[0].to_string().contains("is not after at_s"), "{}", errors[0]);
}
