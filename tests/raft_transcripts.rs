#![cfg(not(target_arch = "wasm32"))]
//! Scenarios of elections, crashes, cuts and slow disks as conversations, kept in `tests/transcripts/raft/`, with their exact
//! times. Where nothing else is said a message takes 10 ms and a write to disk no time.

mod common;
mod raft;

use common::assert_transcript;
use leaselab::raft::RoleName::{Candidate, Follower, Leader, PreCandidate};
use leaselab::raft::{Config, Index, MemberId, ReadMode, RoleName, Term};
use raft::member::WakeOrder;
use raft::{MS, Network, Seen};

const N: [&str; 3] = ["n1", "n2", "n3"];

fn became(role: RoleName, term: u64) -> Seen {
    Seen::Became(role, Term(term))
}

fn keep(network: &Network, file: &str) {
    assert_eq!(network.invariants.findings, []);
    assert_transcript(&format!("raft/{file}"), network.text());
}

/// The paper's settings: ticks of 1 ms. The timeouts that each member will draw, in ms.
fn three(title: &str, timeouts: [&[u64]; 3]) -> Network {
    let mut network = Network::new(Config::paper(3), MS, 10 * MS, 1);
    network.transcribe(title, &N);
    (0..3).for_each(|member| network.script(member, timeouts[member]));
    network.start();
    network
}

#[test]
fn a_first_election_takes_a_timeout_and_two_round_trips() {
    let mut network = three("R-1: the first election", [&[150, 150], &[230, 200], &[290, 260]]);
    network.run_until_ms(235);
    assert_eq!(network.when(0, &became(Candidate, 1)), [150.0]);
    for voter in [1, 2] {
        assert_eq!(network.when(voter, &Seen::Voted(MemberId(0), Term(1))), [160.0]);
        let committed = Seen::Committed(Index(1));
        assert_eq!(network.when(voter, &committed), [230.0], "with the next heartbeat");
    }
    assert_eq!(network.when(0, &became(Leader, 1)), [170.0]);
    assert_eq!(network.when(0, &Seen::Committed(Index(1))), [190.0]);
    keep(&network, "r1_first_election.txt");
}

/// As R-1 until n1 crashes; the second timeouts are drawn when the members enter term 1.
fn crash_of_the_leader(title: &str, n2: &[u64], n3: &[u64]) -> Network {
    let mut network = three(title, [&[150, 150], n2, n3]);
    network.run_until_ms(235);
    network.show_heartbeats(false);
    network.run_until_ms(965);
    network.show_heartbeats(true);
    network.run_until_ms(1005);
    network.crash(0);
    network
}

#[test]
fn after_a_crash_of_the_leader_writes_wait_for_a_timeout_and_two_round_trips() {
    let mut network = crash_of_the_leader("R-2: the leader crashes", &[230, 200, 200], &[290, 260, 260]);
    network.run_until_ms(1225);
    assert_eq!(network.when(1, &became(Candidate, 2)), [1180.0]);
    assert_eq!(network.when(2, &Seen::Voted(MemberId(1), Term(2))), [1190.0]);
    assert_eq!(network.when(1, &became(Leader, 2)), [1200.0]);
    assert_eq!(
        network.when(1, &Seen::Committed(Index(2))),
        [1220.0],
        "215 ms after the crash"
    );
    keep(&network, "r2_leader_crash.txt");
}

#[test]
fn two_timers_that_fire_within_a_delay_of_each_other_split_the_vote() {
    let mut network = crash_of_the_leader("R-3: a split vote", &[230, 200, 250], &[290, 205, 180]);
    network.run_until_ms(1410);
    assert_eq!(network.when(1, &became(Candidate, 2)), [1180.0]);
    assert_eq!(network.when(2, &became(Candidate, 2)), [1185.0]);
    for member in [1, 2] {
        assert_eq!(network.when(member, &became(Leader, 2)), [0.0; 0]);
    }
    assert_eq!(network.when(2, &became(Candidate, 3)), [1365.0]);
    assert_eq!(network.when(1, &Seen::Voted(MemberId(2), Term(3))), [1375.0]);
    assert_eq!(network.when(2, &became(Leader, 3)), [1385.0]);
    assert_eq!(network.when(2, &Seen::Committed(Index(2))), [1405.0]);
    keep(&network, "r3_split_vote.txt");
}

#[test]
fn with_two_voters_left_the_vote_is_split_exactly_if_their_timers_are_less_than_a_delay_apart() {
    // At exactly a delay it depends on what comes first within the instant.
    for gap in (0..30).filter(|&gap| gap != 10) {
        let mut network = crash_of_the_leader("", &[230, 200, 250], &[290, 200 + gap, 180]);
        network.run_until_ms(1300);
        let split = network.leader().is_none();
        assert_eq!(split, gap < 10, "a gap of {gap} ms");
    }
}

/// A leads with checks of its quorum at 0, 1000 and 2000 ms; x is 1; cut from B and C at 120; B writes 2 at 1200.
fn old_leader_in_a_minority(title: &str, config: Config) -> Network {
    let mut network = Network::new(config, 100 * MS, 5 * MS, 1);
    network.script(0, &[10, 10]);
    network.script(1, &[19, 10, 19]);
    network.script(2, &[19, 19, 19]);
    network.start();
    network.run_until(1_500 * MS);
    network.write(0, 1);
    network.run_until(2_000 * MS - 1);
    network.now += 1; // what happens at that very moment is in it
    network.transcribe(title, &["A", "B", "C"]);
    network.run_until_ms(120);
    network.cut(&[0], &[1, 2], true);
    network.show_heartbeats(false);
    network.run_until_ms(1_200);
    network.write(1, 2);
    network.run_until_ms(1_500);
    network
}

#[test]
fn a_leader_in_a_minority_answers_stale_reads_unless_it_asks_a_majority() {
    let config = Config::etcd(3);
    let mut network = old_leader_in_a_minority("R-4: an old leader in a minority, ReadIndex", config);
    assert_eq!(
        network.members[0].register.0, 1,
        "its own copy: a serializable read is stale"
    );
    let read = network.read(0);
    network.run_until_ms(2_100);
    assert_eq!(network.when(1, &became(PreCandidate, 1)), [1100.0]);
    assert_eq!(network.when(1, &became(Candidate, 2)), [1110.0]);
    assert_eq!(network.when(1, &became(Leader, 2)), [1120.0]);
    assert_eq!(network.when(1, &Seen::Committed(Index(3))), [1130.0]);
    assert_eq!(network.when(1, &Seen::Acknowledged(2, Index(4))), [1210.0]);
    assert_eq!(
        network.when(0, &Seen::ReadFailed(read)),
        [2000.0],
        "no answer until it steps down"
    );
    assert_eq!(network.when(0, &became(Follower, 1)), [2000.0]);
    keep(&network, "r4_read_index.txt");
}

#[test]
fn etcds_lease_based_reads_are_stale_while_two_members_lead() {
    let config = Config {
        read_mode: ReadMode::LeaseBased,
        ..Config::etcd(3)
    };
    let mut network = old_leader_in_a_minority("R-4: an old leader in a minority, reads by etcd's lease", config);
    let read = network.read(0);
    network.run_until_ms(2_100);
    assert_eq!(
        network.when(0, &Seen::ReadServed(read, 1, Index(2))),
        [1500.0],
        "x has been 2 since 1210"
    );
    assert!(network.invariants.broke(raft::invariants::LINEARIZABLE_READS));
    assert_transcript("raft/r4_lease_based.txt", network.text());
}

#[test]
fn a_lease_counted_from_the_start_of_a_round_ends_before_another_can_lead() {
    let drift_ppm_max = 1_000;
    let config = Config {
        read_mode: ReadMode::LeaderLease { drift_ppm_max },
        ..Config::etcd(3)
    };
    let mut network = old_leader_in_a_minority("R-4: an old leader in a minority, reads by the thesis's lease", config);
    let lease = network.members[0].raft.as_ref().and_then(|raft| raft.lease_until());
    // The last answered round began at 100; nine ticks less the drift are eight whole ones.
    assert_eq!(lease.map(|tick| tick.0 * 100 - 2_000), Some(900));
    let read = network.read(0);
    network.run_until_ms(2_100);
    assert_eq!(network.when(0, &Seen::ReadFailed(read)), [2000.0]);
    keep(&network, "r4_leader_lease.txt");
}

#[test]
fn a_lease_is_believed_too_long_where_the_leaders_clock_is_slower_than_the_bound() {
    let drift_ppm_max = 1_000;
    let config = Config {
        read_mode: ReadMode::LeaderLease { drift_ppm_max },
        ..Config::etcd(3)
    };
    let mut network = Network::new(config, 100 * MS, 5 * MS, 1);
    network.members[0].tick = 150 * MS;
    network.script(0, &[10, 10]);
    network.script(1, &[19, 10, 19]);
    network.script(2, &[19, 19, 19]);
    network.start();
    network.run_until(3_000 * MS);
    network.transcribe("A lease on a slow clock", &["A", "B", "C"]);
    let in_lease = network.read(0);
    network.run_until_ms(20);
    assert_eq!(
        network.when(0, &Seen::ReadServed(in_lease, 0, Index(0))),
        [0.0],
        "nobody is asked"
    );
    network.cut(&[0], &[1, 2], true);
    network.show_heartbeats(false);
    network.run_until_ms(1_050);
    network.write(1, 2);
    network.run_until_ms(1_100);
    let stale = network.read(0);
    assert_eq!(
        network.when(0, &Seen::ReadServed(stale, 0, Index(0))),
        [1100.0],
        "B wrote 2 before"
    );
    assert!(network.invariants.broke(raft::invariants::LINEARIZABLE_READS));
    assert_transcript("raft/lease_on_a_slow_clock.txt", network.text());
}

#[test]
fn without_check_quorum_a_leader_in_a_minority_leads_until_the_cut_is_mended() {
    let config = Config {
        check_quorum: false,
        ..Config::etcd(3)
    };
    let mut network = old_leader_in_a_minority("R-4: an old leader in a minority, no check-quorum", config);
    network.run_until_ms(9_950);
    assert_eq!(network.role(0), Some(Leader));
    network.show_heartbeats(true);
    network.cut(&[0], &[1, 2], false);
    network.run_until_ms(10_050);
    assert_eq!(network.when(0, &became(Follower, 2)), [10_005.0]);
    keep(&network, "r4_no_check_quorum.txt");
}

/// n1 leads since 1020 ms; its disk takes 1.8 s for the write of 2000 ms.
#[test]
fn a_leader_whose_disk_stalls_is_replaced_and_steps_down_when_it_is_back() {
    let mut network = Network::new(Config::etcd(3), 100 * MS, 10 * MS, 1);
    network.script(0, &[10, 10]);
    network.script(1, &[19, 12, 12]);
    network.script(2, &[19, 17, 17]);
    network.start();
    network.run_until(2_000 * MS);
    network.transcribe("R-8: the leader's disk stalls for 1.8 s", &N);
    network.members[0].fsync = 1_800 * MS;
    network.members[0].wake_order = WakeOrder::MessagesFirst; // a ticker that nobody reads drops its ticks
    network.write(0, 1);
    network.show_heartbeats(false);
    network.run_until_ms(2_000);
    // The last heartbeat came at 10 ms, in tick 0; tick 12 begins at 1200.
    assert_eq!(network.when(1, &became(PreCandidate, 1)), [1200.0]);
    assert_eq!(network.when(1, &became(Candidate, 2)), [1220.0]);
    assert_eq!(network.when(1, &became(Leader, 2)), [1240.0]);
    assert_eq!(network.when(0, &became(Follower, 2)), [1800.0], "its disk is done");
    assert_eq!(network.members[1].register.0, 1, "what it had sent before is not lost");
    keep(&network, "r8_disk_stall.txt");
}

#[test]
fn a_stall_of_each_new_leader_is_an_election_storm() {
    let mut network = Network::new(Config::etcd(3), 100 * MS, 10 * MS, 1);
    network.start();
    network.run_until(3_000 * MS);
    let mut terms = Vec::new();
    for round in 1..=10 {
        let leader = network.leader().expect("a leader between two stalls");
        terms.push(network.members[leader].raft.as_ref().map(|raft| raft.term()));
        network.members[leader].fsync = 1_800 * MS;
        network.write(leader, round);
        network.run_until(network.now + 1);
        network.members[leader].fsync = 0;
        network.run_until(network.now + 5_000 * MS);
    }
    assert!(terms.is_sorted_by(|a, b| a < b), "each stall costs a leader: {terms:?}");
}
