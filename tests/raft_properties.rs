#![cfg(not(target_arch = "wasm32"))]
//! What Raft promises, under random faults; and that each promise is broken when the rule that keeps it is switched off.
//!
//! 5,000 schedules, or 200,000 with `LEASELAB_EVIDENCE=1`.

mod raft;

use leaselab::raft::{Config, ReadMode, RoleName};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};
use raft::faults::{END_MS, TICK, leader_crashes, schedule, voter_crashes, without_restarts};
use raft::invariants::{ELECTION_SAFETY, LINEARIZABLE_READS, STATE_MACHINE_SAFETY};
use raft::{MS, Network, Schedule};

/// The least election timeout, in µs.
const ELECTION: u64 = 10 * TICK;

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

/// Of so many schedules, how many break the sentence with the rule switched off; without the switch none does.
fn caught(share: u32, schedules: impl Strategy<Value = Schedule>, change: fn(&mut Config), sentence: &str) -> usize {
    let mut runner = runner(share);
    let tries = runner.config().cases;
    let broke = |_: &u32| {
        let mut schedule = schedules.new_tree(&mut runner).expect("a schedule").current();
        change(&mut schedule.config);
        schedule.run().invariants.broke(sentence)
    };
    let caught = (0..tries).filter(broke).count();
    println!("{caught} of {tries} schedules break: {sentence}");
    caught
}

#[test]
fn a_vote_that_is_not_on_disk_lets_two_members_be_elected_in_one_term() {
    let forget = |config: &mut Config| config.bugs.vote_not_persisted = true;
    assert!(caught(10, voter_crashes(3), forget, ELECTION_SAFETY) > 0);
    assert_eq!(caught(10, voter_crashes(3), |_| {}, ELECTION_SAFETY), 0);
}

#[test]
fn old_entries_committed_by_counting_let_members_apply_different_entries() {
    let count = |config: &mut Config| config.bugs.commit_old_terms_by_counting = true;
    assert!(caught(20, leader_crashes(5), count, STATE_MACHINE_SAFETY) > 0);
}

#[test]
fn reads_from_memory_are_stale() {
    let memory = |config: &mut Config| config.bugs.reads_from_memory = true;
    assert!(caught(10, schedule(3), memory, LINEARIZABLE_READS) > 0);
}

#[test]
fn reads_by_etcds_lease_are_stale_where_a_leader_is_cut_off() {
    let etcd = |config: &mut Config| (config.check_quorum, config.read_mode) = (true, ReadMode::LeaseBased);
    assert!(caught(10, schedule(3), etcd, LINEARIZABLE_READS) > 0);
}

#[test]
fn reads_by_a_leaders_lease_are_fresh_as_long_as_clocks_keep_the_bound_and_nobody_restarts() {
    // Of three members the slowest clock takes 10.4 ms for a tick, the fastest 10.
    let drift_ppm_max = 40_000;
    let lease = move |mut schedule: Schedule| {
        schedule.config.check_quorum = true;
        schedule.config.read_mode = ReadMode::LeaderLease { drift_ppm_max };
        schedule
    };
    all_hold(10, without_restarts(3, 200).prop_map(lease));
}

/// Three members at rest behind a leader, somewhere in its first seconds.
fn settled(config: Config, seed: u64, delay: u64, wait: u64) -> (Network, usize) {
    let mut network = Network::new(config, TICK, delay, seed);
    network.start();
    network.run_until(2_000 * MS + wait);
    let leader = network.leader().expect("a leader after twenty election timeouts");
    (network, leader)
}

/// How long a leader that is cut off goes on leading, in µs; nothing if it never stops.
fn leads_after_cut(config: Config, (seed, delay, wait): (u64, u64, u64)) -> Option<u64> {
    let (mut network, leader) = settled(config, seed, delay, wait);
    let others: Vec<usize> = (0..3).filter(|&member| member != leader).collect();
    let cut_at = network.now;
    network.cut(&[leader], &others, true);
    let steps_down = (1..=20 * ELECTION / MS).map(|ms| ms * MS).find(|after| {
        network.run_until(cut_at + after);
        network.role(leader) != Some(RoleName::Leader)
    });
    assert_eq!(network.invariants.findings, []);
    steps_down
}

/// What a member that was away finds on its return: whether somebody else leads, or a later term, half a second later.
fn deposes(config: Config, (seed, delay, wait): (u64, u64, u64)) -> bool {
    let (mut network, leader) = settled(config, seed, delay, wait);
    let away = (leader + 1) % 3;
    let others: Vec<usize> = (0..3).filter(|&member| member != away).collect();
    network.cut(&[away], &others, true);
    network.run_until(network.now + 3 * ELECTION + wait);
    network.cut(&[away], &others, false);
    let before = (
        network.leader(),
        network.members[leader].raft.as_ref().map(|raft| raft.term()),
    );
    network.run_until(network.now + 500 * MS);
    assert_eq!(network.invariants.findings, []);
    before
        != (
            network.leader(),
            network.members[leader].raft.as_ref().map(|raft| raft.term()),
        )
}

fn moments() -> impl Strategy<Value = (u64, u64, u64)> {
    (any::<u64>(), 200u64..5_000, 0u64..500_000)
}

#[test]
fn a_leader_that_is_cut_off_stops_leading_within_two_election_timeouts() {
    let within_two = |moment: (u64, u64, u64)| {
        let leads = leads_after_cut(Config::etcd(3), moment).unwrap_or(u64::MAX);
        // An answer under way at the cut still arrives and counts; one heartbeat may be owed to it.
        let (at_least, at_most) = (ELECTION - 3 * TICK, 2 * ELECTION + moment.1 + MS);
        prop_assert!(at_least <= leads && leads <= at_most, "{} us", leads);
        Ok(())
    };
    if let Err(e) = runner(4).run(&moments(), within_two) {
        panic!("{e}");
    }
}

#[test]
fn without_check_quorum_a_leader_that_is_cut_off_outlives_two_election_timeouts() {
    let config = Config {
        check_quorum: false,
        ..Config::etcd(3)
    };
    assert_eq!(leads_after_cut(config, (1, MS, 0)), None, "not even after twenty");
}

#[test]
fn a_member_that_comes_back_deposes_nobody() {
    let deposes_nobody = |moment| {
        prop_assert!(!deposes(Config::etcd(3), moment));
        Ok(())
    };
    if let Err(e) = runner(4).run(&moments(), deposes_nobody) {
        panic!("{e}");
    }
}

#[test]
fn without_pre_vote_a_member_that_comes_back_deposes_a_live_leader() {
    for check_quorum in [true, false] {
        let config = Config {
            pre_vote: false,
            check_quorum,
            ..Config::etcd(3)
        };
        assert!(deposes(config, (1, MS, 0)), "with check-quorum {check_quorum}");
    }
}

#[test]
fn of_four_members_split_two_and_two_no_side_commits_and_none_keeps_its_leader() {
    let split = |(seed, delay, wait)| {
        let mut network = Network::new(Config::etcd(4), TICK, delay, seed);
        network.start();
        network.run_until(2_000 * MS + wait);
        network.cut(&[0, 1], &[2, 3], true);
        network.run_until(network.now + 10 * MS);
        let committed = network.invariants.decided();
        for value in 1..100 {
            (0..4).for_each(|member| network.write(member, value));
            network.run_until(network.now + 10 * MS);
        }
        prop_assert_eq!(network.invariants.decided(), committed);
        prop_assert_eq!(network.leader(), None);
        prop_assert_eq!(&network.invariants.findings, &[]);
        Ok(())
    };
    if let Err(e) = runner(4).run(&moments(), split) {
        panic!("{e}");
    }
}
