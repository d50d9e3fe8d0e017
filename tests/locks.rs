#![cfg(not(target_arch = "wasm32"))]
//! etcd's lock recipe over our group, as conversations with exact times, kept in `tests/transcripts/locks/`
//! (protocols.md 3(f) and (g)).
//!
//! The times of the reference are those at which a waiter learns that the key before its own is gone. It enters 40 ms later:
//! it reads the queue again, and then its own key, and each of these reads takes two round trips.

mod common;
mod group;

use common::assert_transcript;
use group::{Group, Plan};
use leaselab::engine::Span;
use leaselab::raft::RoleName;
use leaselab::vocabulary::{LockNote, Note, SessionEnd};

const TWO_READS: f64 = 40.0;

fn keep(group: &Group, title: &str, file: &str) {
    assert_transcript(&format!("locks/{file}"), &group.transcript(title));
}

fn renewals(group: &Group, member: &str, lease: u64) -> Vec<f64> {
    group.noted(
        member,
        |note| matches!(note, Note::LeaseRenewed { lease: l } if l.0 == lease),
    )
}

fn leads(group: &Group, member: &str) -> Vec<f64> {
    let leads = |note: &Note| matches!(note, Note::StoreRole { role, .. } if *role == RoleName::Leader);
    group.noted(member, leads)
}

/// A's renewals reach the store at 3.17 and 6.67; A dies at 7.0. B waits, at member `b_at`.
///
/// The last renewal is the reference's. Its earlier ones, at 0 and 3.33, no client makes: the sender looks every 500 ms
/// whether a third of the TTL has passed, so with a TTL of 10 s there are 3.5 s between two renewals.
fn holder_crash(plan: &mut Plan, b_at: u8) {
    let a = plan.client("A", 1, |config| config.begins_after = Span::from_millis(3_135));
    plan.client("B", b_at, |config| config.begins_after = Span::from_millis(4_000));
    plan.crash(a, 7_000, None);
}

#[test]
fn e1_after_a_crash_of_the_holder_the_lock_is_free_once_the_lease_has_run_out_and_the_store_has_looked() {
    let mut plan = Plan::new(3);
    holder_crash(&mut plan, 1);
    let mut group = plan.build();
    group.run_until_ms(17_100);
    assert_eq!(renewals(&group, "etcd1", 1), [3_170.0, 6_670.0]);
    // Expires at 16.67, is looked at at 17.0, removed at 17.01.
    let removed = group.noted("etcd1", |note| matches!(note, Note::LeaseExpired { .. }));
    assert_eq!(removed, [17_010.0]);
    assert_eq!(group.hears("B"), [17_015.0], "10.0 s after the crash");
    assert_eq!(group.enters("B"), [17_015.0 + TWO_READS]);
    assert!(group.tokens("A") < group.tokens("B"), "the token grows");
    keep(&group, "E-1: the holder crashes", "e1_holder_crash.txt");
}

#[test]
fn e2_a_new_leader_of_the_store_gives_the_dead_holders_lease_its_whole_time_again() {
    let mut plan = Plan::new(3);
    // etcd2 asks around at 9.37: the least timer of the two, and its ticks end in .07.
    (plan.seed, plan.ticks_ms) = (61, vec![0, 70, 0]);
    let etcd1 = plan.member(1);
    holder_crash(&mut plan, 2);
    plan.crash(etcd1, 8_000, None);
    let mut group = plan.build();
    group.run_until_ms(20_600);
    // Its empty entry is committed a round trip later, at 9.4; 9.4 + 1 + 10 = 20.4.
    assert_eq!(leads(&group, "etcd2"), [9_390.0]);
    assert_eq!(group.hears("B"), [20_515.0], "without the change it was 17.015");
    assert_eq!(group.enters("B"), [20_515.0 + TWO_READS]);
    keep(
        &group,
        "E-2: the holder crashes, then the store's leader",
        "e2_leader_change.txt",
    );
}

#[test]
fn e2_every_further_change_of_the_leader_begins_the_dead_holders_lease_anew() {
    let mut plan = Plan::new(3);
    (plan.seed, plan.ticks_ms) = (2_156, vec![0, 70, 70]);
    let (etcd1, etcd2) = (plan.member(1), plan.member(2));
    holder_crash(&mut plan, 3);
    plan.crash(etcd1, 8_000, Some(12_000));
    plan.crash(etcd2, 15_000, None);
    let mut group = plan.build();
    group.run_until_ms(27_600);
    assert_eq!(leads(&group, "etcd2"), [9_390.0]);
    assert_eq!(leads(&group, "etcd3"), [16_490.0]);
    // The empty entry at 16.5; 16.5 + 1 + 10 = 27.5, and at that very moment the store looks.
    assert_eq!(group.hears("B"), [27_515.0]);
    keep(
        &group,
        "E-2: the holder crashes, then two leaders of the store",
        "e2_two_leader_changes.txt",
    );
}

/// A's renewal reaches the store at 0.000, the answer A at 0.005; then A is cut off from the whole store.
fn client_cut(deadline_phase_ms: u64) -> Group {
    let mut plan = Plan::new(3);
    plan.origin_ms = 10_000;
    let a = plan.client("A", 1, |config| {
        config.begins_after = Span::from_millis(6_465);
        config.deadline_phase = Span::from_millis(deadline_phase_ms);
    });
    plan.client("B", 1, |config| config.begins_after = Span::from_millis(7_000));
    let members = [plan.member(1), plan.member(2), plan.member(3)];
    plan.cut(a, &members, 6, None);
    plan.build()
}

#[test]
fn e3_a_holder_that_is_cut_off_believes_for_up_to_a_second_after_the_lock_is_anothers() {
    // A's look falls on the very instant of its deadline, which is not past it.
    let mut group = client_cut(490);
    group.run_until_ms(11_100);
    assert_eq!(renewals(&group, "etcd1", 1).last(), Some(&0.0));
    assert_eq!(group.hears("B"), [10_015.0]);
    assert_eq!(group.ends("A"), [11_005.0]);
    // No pause, perfect clocks: 0.99 s in which the lock is B's and A believes; 0.95 s in which B acts on it.
    assert_eq!(group.ends("A")[0] - group.hears("B")[0], 990.0);
    assert_eq!(group.ends("A")[0] - group.enters("B")[0], 990.0 - TWO_READS);
    keep(&group, "E-3: the holder is cut off", "e3_client_cut.txt");
}

#[test]
fn e3_the_overlap_is_whatever_the_clients_look_at_its_deadline_makes_of_it_and_never_more_than_a_second() {
    let overlap = |phase| {
        let mut group = client_cut(phase);
        group.run_until_ms(11_100);
        group.ends("A")[0] - group.hears("B")[0]
    };
    let overlaps: Vec<f64> = (0..1_000).step_by(10).map(overlap).collect();
    let (least, most) = overlaps
        .iter()
        .fold((f64::MAX, f64::MIN), |(a, b), &o| (a.min(o), b.max(o)));
    assert_eq!((least, most), (0.0, 990.0));
}

/// etcd1's disk hangs for 30 s from 0 on; A's last renewal there is of 0.0, with a TTL of 20 s.
fn stalled_leader(guards: bool, asks_every: Option<Span>) -> Group {
    let mut plan = Plan::new(3);
    (plan.origin_ms, plan.guards) = (10_000, guards);
    plan.client("A", 2, |config| {
        config.ttl = Span::from_secs(20);
        config.begins_after = Span::from_millis(2_950);
        config.asks_every = asks_every;
    });
    // B's request is what etcd1's disk is to write.
    plan.client("B", 3, |config| {
        config.ttl = Span::from_secs(20);
        config.begins_after = Span::from_millis(9_990);
    });
    let etcd1 = plan.member(1);
    plan.stall_disk(etcd1, 1, 30_000);
    let mut group = plan.build();
    group.run_until_ms(40_000);
    group
}

#[test]
fn e5_a_leader_that_was_stuck_on_its_disk_removes_a_lease_that_lives() {
    let group = stalled_leader(false, None);
    assert_eq!(renewals(&group, "etcd1", 1).last(), Some(&0.0));
    let new = if leads(&group, "etcd2").is_empty() {
        "etcd3"
    } else {
        "etcd2"
    };
    assert!(leads(&group, new)[0] < 2_050.0);
    let renewed = renewals(&group, new, 1);
    assert!(
        renewed.iter().any(|&at| (21_000.0..30_000.0).contains(&at)),
        "{renewed:?}"
    );
    // Queued at 20, passed on at 30.
    let removed = group.noted(new, |note| matches!(note, Note::LeaseExpired { lease } if lease.0 == 1));
    assert_eq!(removed, [30_015.0]);
    let (enters, ends) = (group.enters("B")[0], group.ends("A")[0]);
    assert!(
        enters < 30_100.0 && enters < ends,
        "two holders from {enters} to {ends}"
    );
    keep(
        &group,
        "E-5: a leader stuck on its disk, without the guard",
        "e5_stuck_leader.txt",
    );
}

#[test]
fn e5_a_leader_that_makes_sure_that_it_leads_removes_nothing() {
    let group = stalled_leader(true, None);
    for member in ["etcd1", "etcd2", "etcd3"] {
        let removed = group.noted(member, |note| matches!(note, Note::LeaseExpired { .. }));
        assert!(removed.is_empty());
    }
    assert_eq!((group.enters("B"), group.ends("A")), (vec![], vec![]));
    keep(
        &group,
        "E-5: a leader stuck on its disk, with the guard",
        "e5_stuck_leader_guarded.txt",
    );
}

#[test]
fn a_holder_that_asks_the_store_learns_that_it_is_no_owner_before_its_session_ends() {
    let group = stalled_leader(false, Some(Span::from_millis(1_000)));
    let no = group.lock("A", |note| *note == LockNote::IsOwner { yes: false });
    let yes = group.lock("A", |note| *note == LockNote::IsOwner { yes: true });
    assert!(yes.len() > 20 && yes.iter().all(|&at| at < 30_050.0));
    assert!(no[0] > 30_015.0 && no[0] < group.ends("A")[0], "{no:?}");
}

/// A holds, B waits for A, C waits for B.
fn queue(a_holds_ms: u64, bugs: leaselab::locks::Bugs) -> (Plan, leaselab::engine::ProcId) {
    let mut plan = Plan::new(3);
    plan.client("A", 1, |config| config.holds_for = Some(Span::from_millis(a_holds_ms)));
    let b = plan.client("B", 1, |config| {
        config.begins_after = Span::from_millis(1_000);
        config.bugs = bugs;
    });
    plan.client("C", 1, |config| config.begins_after = Span::from_millis(2_000));
    (plan, b)
}

#[test]
fn the_death_of_a_waiter_in_the_middle_of_the_queue_does_not_admit_the_one_behind_it() {
    let (mut plan, b) = queue(30_000, Default::default());
    plan.crash(b, 5_000, None);
    let mut group = plan.build();
    group.run_until_ms(31_000);
    let heard = group.hears("C");
    assert_eq!(heard.len(), 2, "of B's key, and of A's");
    assert!((14_000.0..15_500.0).contains(&heard[0]), "{heard:?}");
    let released = group.lock("A", |note| *note == LockNote::Releases)[0];
    assert!(heard[1] > released);
    assert_eq!(group.enters("C"), [heard[1] + TWO_READS]);
    keep(
        &group,
        "A waiter in the middle of the queue dies (TestMutexWaitsOnCurrentHolder)",
        "waiter_dies.txt",
    );
}

#[test]
fn a_waiter_whose_lease_ran_out_while_it_waited_is_refused_when_its_turn_comes() {
    let (mut plan, b) = queue(20_000, Default::default());
    plan.pause(b, 5_000, 30_000);
    let mut group = plan.build();
    group.run_until_ms(31_000);
    assert!(group.enters("B").is_empty());
    assert_eq!(group.lock("B", |note| *note == LockNote::Refused).len(), 1);
    assert_eq!(group.enters("C").len(), 1);
    keep(
        &group,
        "The session of a waiter ends while it waits",
        "waiter_expires.txt",
    );
}

#[test]
fn without_a_look_at_its_own_key_it_enters_beside_the_holder() {
    let bugs = leaselab::locks::Bugs {
        enters_without_a_look: true,
    };
    let (mut plan, b) = queue(20_000, bugs);
    plan.pause(b, 5_000, 30_000);
    let mut group = plan.build();
    group.run_until_ms(31_000);
    assert_eq!(group.enters("B").len(), 1, "etcd#11456");
    assert!(group.enters("C")[0] < group.enters("B")[0]);
    assert!(group.ends("C").is_empty(), "C holds it all the while");
    assert!(
        group.tokens("B") < group.tokens("C"),
        "a resource that looks at tokens refuses B"
    );
    keep(
        &group,
        "The session of a waiter ends while it waits, and it does not look (etcd#11456)",
        "waiter_expires_unseen.txt",
    );
}

#[test]
fn a_process_that_goes_on_with_its_lease_still_has_the_lock() {
    let mut plan = Plan::new(3);
    let a = plan.client("A", 1, |config| config.keeps_lease = true);
    plan.client("B", 2, |config| config.begins_after = Span::from_millis(1_000));
    plan.restart(a, 5_000, 6_000);
    let mut group = plan.build();
    group.run_until_ms(30_000);
    let tokens = group.tokens("A");
    assert_eq!(tokens.len(), 2);
    assert_eq!(tokens[0], tokens[1]);
    assert!(group.enters("B").is_empty());
}

#[test]
fn a_connection_that_breaks_is_opened_again_elsewhere_and_the_session_lives() {
    let mut plan = Plan::new(3);
    plan.client("A", 2, |_| {});
    plan.client("B", 2, |config| config.begins_after = Span::from_millis(1_000));
    let etcd2 = plan.member(2);
    plan.restart(etcd2, 5_000, 60_000);
    let mut group = plan.build();
    group.run_until_ms(60_000);
    assert_eq!(
        (group.ends("A"), group.ends("B"), group.enters("B")),
        (vec![], vec![], vec![])
    );
}

#[test]
fn a_lease_shorter_than_the_store_grants_lasts_as_long_as_the_store_says() {
    let mut plan = Plan::new(3);
    let a = plan.client("A", 1, |config| config.ttl = Span::from_secs(1));
    let members = [plan.member(1), plan.member(2), plan.member(3)];
    plan.cut(a, &members, 5_000, None);
    let mut group = plan.build();
    group.run_until_ms(10_000);
    let granted = |ttl| {
        group.noted(
            "etcd1",
            |note| matches!(note, Note::LeaseGranted { ttl: t, .. } if *t == ttl),
        )
    };
    assert_eq!(
        granted(Span::from_secs(2)).len(),
        1,
        "1.5 election timeouts, in whole seconds"
    );
    let silent = group.lock("A", |note| *note == LockNote::SessionEnds(SessionEnd::Silence));
    assert!(
        (6_500.0..8_000.0).contains(&silent[0]),
        "the client counts the 2 s it was told: {silent:?}"
    );
}
