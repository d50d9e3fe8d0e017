#![cfg(not(target_arch = "wasm32"))]
//! What synchronous modes promise: an automatic failover loses no commit that a client was told of (patroni.md 9, 13.4 I4).
//!
//! Random schedules of dead hosts, of databases that die or stand still, of cuts and restarts, in every mode, with three to
//! five nodes. Not among them: agents that die or stand still. Those break the promise: in quorum mode as the last test
//! shows, and in every mode when the agent comes back, runs a primary and finds the key free, before its successor has
//! written /history or with a stale copy of the keys (M2 in `incidents.rs`).

#[path = "common/chronicle.rs"]
mod chronicle;

use chronicle::{parsed, told, told_by_seeds};
use leaselab::agent::Bugs;
use leaselab::engine::{Draw, Draws, SimTime};
use leaselab::vocabulary::{Decline, NodeId, Note};

const SCHEDULES: u64 = 250;
const CHANCE: Draw = Draw(0);

/// A scenario, and nothing but a seed to make it.
fn schedule(seed: u64) -> String {
    let mut draws = Draws::new(seed, 0);
    let mut below = |n: u64| draws.below(CHANCE, n);
    let nodes = 3 + below(3);
    let names: Vec<String> = (1..=nodes).map(|n| format!("'node{n}'")).collect();
    let mut text = format!(
        "duration_s = 300\nseed = {seed}\ncluster.nodes = [{}]\npatroni.loop_wait = {}\n\
         patroni.synchronous_mode = '{}'\npatroni.synchronous_mode_strict = {}\npatroni.synchronous_node_count = {}\n\
         patroni.failsafe_mode = {}\ntraffic.writers = 2\ntraffic.write_period_ms = 200\n\
         traffic.direct_write_period_ms = 200\n",
        names.join(", "),
        [2, 5, 10][below(3) as usize],
        ["on", "quorum"][below(2) as usize],
        below(3) == 0,
        1 + below(2),
        below(4) == 0,
    );
    if below(3) == 0 {
        text += &format!("cluster.nosync = ['node{}']\n", 2 + below(nodes - 1));
    }
    for _ in 0..2 + below(6) {
        let (one, another) = (1 + below(nodes), 1 + below(nodes - 1));
        let another = another + u64::from(another >= one);
        let (kind, target) = match below(7) {
            0 => ("kill", format!("node{one}")),
            1 => ("kill", format!("node{one}/postgres")),
            2 => ("pause", format!("node{one}/postgres")),
            3 => ("cut", format!("node{one} <-> *")),
            4 => ("cut", format!("[node{one}] | [etcd1, etcd2, etcd3]")),
            5 => ("cut", format!("node{one} <-> node{another}")),
            _ => ("stop", format!("node{one}/agent")),
        };
        let (at, lasts) = (20 + below(200), if kind == "stop" { 90 } else { 1 + below(70) });
        text += &format!("[[fault]]\nkind = '{kind}'\ntarget = '{target}'\nat_s = {at}\nfor_s = {lasts}\n");
    }
    text
}

#[test]
fn no_failover_loses_a_commit_that_a_client_was_told_of() {
    let lost = |odd: u64| {
        let mine = (0..SCHEDULES).filter(move |n| n % 2 == odd);
        mine.filter(|&n| told(&parsed(&schedule(n)), Bugs::default()).verdict.writes.lost > 0)
            .collect::<Vec<u64>>()
    };
    let lost = std::thread::scope(|scope| {
        let odd = scope.spawn(|| lost(1));
        [lost(0), odd.join().expect("no panic")].concat()
    });
    assert!(
        lost.is_empty(),
        "schedules {lost:?}; the first is\n{}",
        schedule(lost[0])
    );
}

/// Whoever is no voter needs one vote more than a voter, which brings its own log: commits wait for any one of node3 and
/// node4, so one of them that is no further than node2 says nothing of the other.
#[test]
fn in_quorum_mode_a_node_that_is_no_voter_needs_one_vote_more() {
    let text = "duration_s = 130\ncluster.nodes = ['node1', 'node2', 'node3', 'node4']\ncluster.nosync = ['node2']\n\
                patroni.synchronous_mode = 'quorum'\n\
                [[fault]]\nkind = 'cut'\ntarget = '[node1] | [node2, node3]'\nat_s = 35.25\nmode = 'silent'\n\
                [[fault]]\nkind = 'kill'\ntarget = 'node1'\nat_s = 40.25\n\
                [[fault]]\nkind = 'kill'\ntarget = 'node4'\nat_s = 40.25\n";
    for told in told_by_seeds(&parsed(text), 12, Bugs::default()) {
        let few = |note: &Note| matches!(note, Note::Declines(Decline::TooFewVotes { votes: 1, needed: 2 }));
        assert!(told.agent(NodeId(1), SimTime::ZERO, few).is_some());
        assert!(told.primary(NodeId(1), SimTime::ZERO).is_none());
        assert_eq!(told.verdict.writes.lost, 0);
    }
}

/// What commits did not wait for may lead by a failover that somebody asks for, and not by a switchover (patroni.md 9).
#[test]
fn by_hand_only_a_failover_makes_an_asynchronous_node_the_leader() {
    for (fault, leads) in [
        ("kind = 'switchover'\ntarget = 'node1'\nto = 'node3'", NodeId(0)),
        ("kind = 'switchover'\ntarget = 'node1'\nto = 'node2'", NodeId(1)),
        ("kind = 'failover'\ntarget = 'node3'", NodeId(2)),
    ] {
        let text = format!("duration_s = 100\npatroni.synchronous_mode = 'on'\n[[fault]]\nat_s = 40.25\n{fault}\n");
        for told in told_by_seeds(&parsed(&text), 12, Bugs::default()) {
            // The leader is woken when it is asked itself, and otherwise sees the request in its next cycle.
            assert_eq!(told.holder(SimTime(55_000_000)), Some(leads), "{fault}");
            assert!(told.is_primary(leads, SimTime(55_000_000)), "{fault}");
            assert_eq!(told.verdict.writes.lost, 0);
        }
    }
}

/// patroni #3307: the voters that the leader leaves behind are enough.
#[test]
fn in_quorum_mode_a_switchover_finds_its_successor() {
    for strict in [false, true] {
        let text = format!(
            "duration_s = 100\npatroni.synchronous_mode = 'quorum'\npatroni.synchronous_mode_strict = {strict}\n\
             [[fault]]\nat_s = 40.25\nkind = 'switchover'\ntarget = 'node1'\n"
        );
        for told in told_by_seeds(&parsed(&text), 12, Bugs::default()) {
            let holder = told.holder(SimTime(46_000_000));
            assert!(holder.is_some_and(|holder| holder != NodeId(0)), "{holder:?}");
            assert_eq!(told.verdict.writes.lost, 0);
        }
    }
}

/// A voter that gave a candidate its vote, and cannot read the store, does not know that the key was taken: it goes on
/// streaming from the old primary, whose agent stands still, and confirms commits that the new leader does not have.
#[test]
fn in_quorum_mode_a_voter_without_the_store_goes_on_confirming_a_frozen_leaders_commits() {
    let text = "duration_s = 130\npatroni.synchronous_mode = 'quorum'\n\
                [[fault]]\nkind = 'pause'\ntarget = 'node1/agent'\nat_s = 40.25\nfor_s = 60\n\
                [[fault]]\nkind = 'cut'\ntarget = '[node3] | [etcd1, etcd2, etcd3]'\nat_s = 45\nfor_s = 60\nmode = 'silent'\n";
    let runs = told_by_seeds(&parsed(text), 12, Bugs::default());
    let broken = runs.iter().filter(|told| told.verdict.writes.lost > 0);
    for told in broken.clone() {
        assert!(told.verdict.writes.lost <= told.verdict.writes.accepted_by_deposed);
    }
    assert!(broken.count() > 0);
}
