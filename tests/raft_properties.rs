#![cfg(not(target_arch = "wasm32"))]
//! What Raft promises, under random faults; and that each promise is broken when the rule that keeps it is switched off.
//!
//! 5,000 schedules, or 200,000 with `LEASELAB_EVIDENCE=1`.

mod raft;

use leaselab::raft::Bugs;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};
use raft::faults::{END_MS, leader_crashes, schedule, voter_crashes};
use raft::invariants::{ELECTION_SAFETY, LINEARIZABLE_READS, STATE_MACHINE_SAFETY};
use raft::{MS, Schedule};

fn runner(share: u32) -> TestRunner {
    let all = if std::env::var_os("LEASELAB_EVIDENCE").is_some() {
        200_000
    } else {
        5_000
    };
    let cases = Cases {
        cases: all * share / 100,
        failure_persistence: None,
        ..Cases::default()
    };
    // The same schedules every time.
    TestRunner::new_with_rng(cases, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// Nothing is broken, and when every fault is over the group works again (a run in which nothing happens proves nothing).
fn holds(schedule: Schedule) -> Result<(), TestCaseError> {
    let network = schedule.run();
    prop_assert_eq!(&network.invariants.findings, &[]);
    let written_until = network.invariants.acknowledged() * schedule.client;
    prop_assert!(
        written_until > (END_MS - 500) * MS,
        "nothing is written after {} us",
        written_until
    );
    Ok(())
}

fn all_hold(share: u32, schedules: impl Strategy<Value = Schedule>) {
    if let Err(e) = runner(share).run(&schedules, holds) {
        panic!("{e}");
    }
}

#[test]
fn three_members_keep_every_promise_under_random_faults() {
    all_hold(40, schedule(3));
}

#[test]
fn four_members_keep_every_promise_under_random_faults() {
    all_hold(20, schedule(4));
}

#[test]
fn five_members_keep_every_promise_under_random_faults() {
    all_hold(30, schedule(5));
}

#[test]
fn five_members_keep_every_promise_while_leaders_crash_between_append_and_commit() {
    all_hold(10, leader_crashes(5));
}

/// Of so many schedules, how many break the sentence with the rule switched off.
fn caught(schedules: impl Strategy<Value = Schedule>, bugs: Bugs, sentence: &str) -> usize {
    let mut runner = runner(std::env::var("SH").map_or(10, |s| s.parse().unwrap()));
    let tries = runner.config().cases;
    let broke = |_| {
        let schedule = schedules.new_tree(&mut runner).expect("a schedule").current();
        schedule.with(bugs).run().invariants.broke(sentence)
    };
    (0..tries).map(broke).filter(|&broke| broke).count()
}

#[test]
fn a_vote_that_is_not_on_disk_lets_two_members_be_elected_in_one_term() {
    let bugs = Bugs {
        vote_not_persisted: true,
        ..Bugs::default()
    };
    let caught = caught(voter_crashes(3), bugs, ELECTION_SAFETY);
    println!("caught {caught}");
    assert!(caught > 0);
}

#[test]
fn old_entries_committed_by_counting_let_members_apply_different_entries() {
    let bugs = Bugs {
        commit_old_terms_by_counting: true,
        ..Bugs::default()
    };
    let caught = caught(leader_crashes(5), bugs, STATE_MACHINE_SAFETY);
    println!("caught {caught}");
    assert!(caught > 0);
}

#[test]
fn reads_from_memory_are_stale() {
    let bugs = Bugs {
        reads_from_memory: true,
        ..Bugs::default()
    };
    let caught = caught(schedule(3), bugs, LINEARIZABLE_READS);
    println!("caught {caught}");
    assert!(caught > 0);
}
