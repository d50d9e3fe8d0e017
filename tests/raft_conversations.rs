#![cfg(not(target_arch = "wasm32"))]
//! Conversations of a few members in which only the order matters, after etcd-io/raft's raft_test.go and testdata.

mod raft;

use leaselab::raft::RoleName::{Candidate, Follower, Leader, PreCandidate};
use leaselab::raft::{Body, Config, Index, MemberId, ReadToken, Term};
use raft::bench::{Bench, disk};

/// Neither pre-vote nor check-quorum.
fn plain(members: u8) -> Config {
    Config {
        pre_vote: false,
        check_quorum: false,
        ..Config::etcd(members)
    }
}

fn pre_vote(members: u8) -> Config {
    Config {
        pre_vote: true,
        ..plain(members)
    }
}

fn check_quorum(members: u8) -> Config {
    Config {
        check_quorum: true,
        ..plain(members)
    }
}

/// 0 and 2 do not reach each other, and both want to lead.
fn duel(config: Config) -> Bench {
    let mut bench = Bench::new(config);
    bench.cut_between(0, 2);
    bench.campaign(0);
    bench.campaign(2);
    bench
}

#[test]
fn of_two_candidates_the_second_is_refused_and_later_deposes_the_first() {
    let mut bench = duel(plain(3));
    assert_eq!(bench.roles(), [Leader, Follower, Candidate]);
    bench.mend();
    bench.campaign(2);
    assert_eq!(
        bench.roles(),
        [Follower, Follower, Follower],
        "its log is too old to win, its term is not"
    );
    assert_eq!(bench.terms(), [2, 2, 2]);
}

#[test]
fn of_two_pre_candidates_the_second_is_refused_and_deposes_nobody() {
    let mut bench = duel(pre_vote(3));
    assert_eq!(
        bench.roles(),
        [Leader, Follower, Follower],
        "refused in term 1, which it had not heard of"
    );
    bench.mend();
    bench.campaign(2);
    assert_eq!(bench.roles(), [Leader, Follower, Follower]);
    assert_eq!(bench.terms(), [1, 1, 1]);
}

#[test]
fn a_candidate_follows_a_leader_of_its_own_term() {
    let mut bench = Bench::new(plain(3));
    bench.isolate(2);
    bench.campaign(2);
    bench.campaign(0);
    assert_eq!(
        (bench.roles(), bench.terms()),
        (vec![Leader, Follower, Candidate], vec![1, 1, 1])
    );
    bench.mend();
    bench.pass(0, 1);
    assert_eq!(bench.roles(), [Leader, Follower, Follower]);
    assert_eq!(bench.log(2), bench.log(0));
}

#[test]
fn a_new_leader_commits_what_it_found_only_with_an_entry_of_its_own_term() {
    let mut bench = Bench::new(plain(5));
    bench.campaign(0);
    // 2, 3 and 4 do not get them.
    [2, 3, 4].into_iter().for_each(|member| bench.cut_between(0, member));
    bench.write(0, 11);
    bench.write(0, 12);
    assert_eq!(bench.members[0].committed(), Index(1));
    bench.mend();
    bench.lost = |body| matches!(body, Body::Append { .. });
    bench.campaign(1);
    assert_eq!(bench.roles()[1], Leader);
    assert_eq!(bench.members[1].committed(), Index(1), "it has them, and does not know");
    bench.lost = |_| false;
    bench.pass(1, 1);
    assert_eq!(bench.members[1].committed(), Index(4), "two found, one of its own");
    assert_eq!(bench.log(4), [1, 1, 1, 2]);
}

#[test]
fn newer_logs_that_were_never_committed_are_overwritten_at_the_second_try() {
    let voted = |member: u8| leaselab::raft::Durable {
        vote: Some(MemberId(member)),
        ..disk(2, &[])
    };
    let disks = [disk(1, &[1]), disk(1, &[1]), disk(2, &[2]), voted(2), voted(2)];
    let mut bench = Bench::on(plain(5), &disks);
    bench.campaign(0);
    assert_eq!(
        bench.roles()[0],
        Follower,
        "three have voted in term 2, or have the newer log"
    );
    assert_eq!(bench.terms()[0], 2);
    bench.campaign(0);
    assert_eq!((bench.roles()[0], bench.terms()[0]), (Leader, 3));
    (0..5).for_each(|member| assert_eq!(bench.log(member), [1, 3]));
}

#[test]
fn a_leader_that_hears_no_majority_steps_down_at_the_second_check() {
    let mut bench = Bench::new(check_quorum(3));
    bench.campaign(0);
    bench.pass(0, 10);
    assert_eq!(bench.roles()[0], Leader, "heard from both");
    bench.isolate(0);
    bench.pass(0, 10);
    assert_eq!(bench.roles()[0], Leader, "they answered just after the last check");
    bench.pass(0, 10);
    assert_eq!(bench.roles()[0], Follower);
    assert_eq!(bench.terms()[0], 1, "in the same term");
}

#[test]
fn a_leader_that_is_heard_by_a_majority_stays() {
    let mut bench = Bench::new(check_quorum(5));
    bench.campaign(0);
    [3, 4].into_iter().for_each(|member| bench.cut_between(0, member));
    bench.pass(0, 200);
    assert_eq!(bench.roles()[0], Leader);
}

#[test]
fn who_has_a_leader_does_not_hear_candidates_until_the_least_timeout_has_passed() {
    let mut bench = Bench::new(check_quorum(3));
    bench.campaign(0);
    bench.cut_between(0, 2);
    bench.campaign(2);
    assert_eq!(bench.roles(), [Leader, Follower, Candidate]);
    assert_eq!(bench.terms(), [1, 1, 2], "1 has not even taken notice of the term");
    bench.now[1].0 += 9;
    bench.campaign(2);
    assert_eq!(bench.terms(), [1, 1, 3]);
    bench.now[1].0 += 1;
    bench.campaign(2);
    assert_eq!((bench.roles()[2], bench.terms()), (Leader, vec![1, 4, 4]));
}

#[test]
fn a_leader_does_not_hear_candidates_however_long_it_has_led() {
    let mut bench = Bench::new(check_quorum(3));
    bench.campaign(0);
    bench.cut_between(1, 2);
    bench.pass(0, 35);
    // Its heartbeats do not reach 2 any more, but 2's messages reach it.
    bench.cut = vec![(0, 2), (1, 2), (2, 1)];
    bench.campaign(2);
    assert_eq!(bench.roles(), [Leader, Follower, Candidate]);
    assert_eq!(bench.terms(), [1, 1, 2]);
}

#[test]
fn a_member_that_has_just_started_hears_candidates() {
    let mut bench = Bench::on(check_quorum(3), &[disk(1, &[1]), disk(1, &[1]), disk(1, &[1])]);
    bench.campaign(0);
    assert_eq!((bench.roles()[0], bench.terms()), (Leader, vec![2, 2, 2]));
}

#[test]
fn a_candidate_stuck_at_a_higher_term_is_freed_by_deposing_the_leader() {
    let mut bench = Bench::new(check_quorum(3));
    bench.campaign(0);
    bench.isolate(2);
    bench.campaign(2);
    bench.campaign(2);
    bench.mend();
    assert_eq!(bench.terms(), [1, 1, 3]);
    bench.campaign(2);
    assert_eq!(bench.roles(), [Leader, Follower, Candidate], "nobody hears it");
    bench.pass(0, 1);
    assert_eq!(
        bench.roles()[0],
        Follower,
        "its answer to the heartbeat carries its term"
    );
    assert_eq!(bench.terms()[0], 4);
    bench.campaign(0);
    assert_eq!(
        (bench.roles(), bench.terms()),
        (vec![Leader, Follower, Follower], vec![5, 5, 5])
    );
}

/// 2 hears nothing of the leader for a while, becomes a candidate, and then hears the leader again.
fn disruption(config: Config) -> Bench {
    let mut bench = Bench::on(config, &vec![disk(1, &[]); 3]);
    bench.campaign(0);
    assert_eq!(
        (bench.roles(), bench.terms()),
        (vec![Leader, Follower, Follower], vec![2, 2, 2])
    );
    bench.isolate(2);
    bench.campaign(2);
    bench.mend();
    bench
}

#[test]
fn without_pre_vote_a_follower_that_missed_heartbeats_deposes_the_leader() {
    let mut bench = disruption(check_quorum(3));
    assert_eq!(
        (bench.roles(), bench.terms()),
        (vec![Leader, Follower, Candidate], vec![2, 2, 3])
    );
    bench.pass(0, 1);
    assert_eq!((bench.roles()[0], bench.terms()[0]), (Follower, 3));
}

#[test]
fn with_pre_vote_a_follower_that_missed_heartbeats_follows_again() {
    let config = Config {
        check_quorum: false,
        ..Config::etcd(3)
    };
    let mut bench = disruption(config);
    assert_eq!(
        (bench.roles(), bench.terms()),
        (vec![Leader, Follower, PreCandidate], vec![2, 2, 2])
    );
    bench.pass(0, 1);
    assert_eq!(
        (bench.roles(), bench.terms()),
        (vec![Leader, Follower, Follower], vec![2, 2, 2])
    );
}

#[test]
fn pre_candidates_may_all_be_encouraged_and_still_split_the_vote() {
    let mut bench = Bench::new(pre_vote(3));
    bench.campaign(0);
    bench.isolate(0);
    // Both ask at once, each grants the other's question, and then both have voted for themselves.
    for member in [1, 2] {
        bench.now[member] = bench.members[member].deadline();
        bench.step(member, |raft, step| raft.tick(step));
    }
    bench.settle();
    assert_eq!(
        (&bench.roles()[1..], &bench.terms()[1..]),
        (&[Candidate, Candidate][..], &[2, 2][..])
    );
    bench.campaign(1);
    assert_eq!(
        (&bench.roles()[1..], &bench.terms()[1..]),
        (&[Leader, Follower][..], &[3, 3][..])
    );
}

#[test]
fn a_read_at_a_new_leader_waits_for_an_entry_of_its_own_term() {
    let mut bench = Bench::on(plain(3), &vec![disk(1, &[1, 1]); 3]);
    bench.lost = |body| matches!(body, Body::Append { .. });
    bench.campaign(0);
    let token = ReadToken {
        member: MemberId(0),
        number: 7,
    };
    bench.step(0, |raft, step| raft.read_index(token, step));
    bench.settle();
    assert_eq!(bench.reads, []);
    bench.lost = |_| false;
    bench.pass(0, 1);
    assert_eq!(
        bench.reads,
        [(0, 7, Index(3))],
        "what the term before had committed, and its own entry"
    );
}

#[test]
fn a_followers_read_goes_to_the_leader_and_a_deposed_leader_answers_nobody() {
    let mut bench = Bench::new(Config::etcd(3));
    bench.campaign(0);
    let token = |number| ReadToken {
        member: MemberId(1),
        number,
    };
    bench.step(1, |raft, step| raft.read_index(token(1), step));
    bench.settle();
    assert_eq!(bench.reads, [(1, 1, Index(1))]);
    bench.cut_between(0, 2);
    bench.cut.push((1, 0));
    bench.step(0, |raft, step| raft.read_index(token(2), step));
    bench.pass(0, 20);
    assert_eq!(bench.roles()[0], Follower);
    bench.mend();
    bench.pass(0, 5);
    assert_eq!(bench.reads.len(), 1);
}

#[test]
fn answers_to_rounds_before_a_read_do_not_confirm_it() {
    let mut bench = Bench::new(Config::etcd(3));
    bench.campaign(0);
    let round = |reads| leaselab::raft::Round {
        started: bench.now[0],
        reads,
    };
    let (before, after) = (round(0), round(1));
    let token = ReadToken {
        member: MemberId(0),
        number: 1,
    };
    bench.lost = |body| matches!(body, Body::Heartbeat { .. });
    bench.step(0, |raft, step| raft.read_index(token, step));
    for from in [1, 2] {
        bench.answers(0, from, 1, Body::HeartbeatAck { round: before });
    }
    assert_eq!(bench.reads, []);
    bench.answers(0, 1, 1, Body::HeartbeatAck { round: after });
    assert_eq!(bench.reads, [(0, 1, Index(1))]);
}

#[test]
fn a_follower_whose_answer_was_lost_learns_of_the_commit_a_round_trip_and_a_half_after_a_heartbeat() {
    let mut bench = Bench::new(Config::etcd(3));
    bench.campaign(0);
    // 2 stores the write, but neither its answer nor the news of the commit comes through.
    bench.cut = vec![(2, 0)];
    bench.write(0, 11);
    assert_eq!(bench.committed(), [2, 2, 2], "told at once");
    bench.lost = |body| matches!(body, Body::Append { entries, .. } if entries.is_empty());
    bench.write(0, 12);
    assert_eq!(bench.committed(), [3, 2, 2]);
    bench.mend();
    bench.lost = |_| false;
    let token = bench.step(0, |raft, step| {
        step.now.0 += 1;
        raft.tick(step);
    });
    let heartbeats = token
        .iter()
        .filter(|command| format!("{command:?}").contains("Heartbeat { commit: Index(1)"));
    assert_eq!(
        heartbeats.count(),
        1,
        "to 2, of whom the leader has heard only of the first entry"
    );
    bench.settle();
    assert_eq!(bench.committed(), [3, 3, 3]);
    assert_eq!(bench.members[2].term(), Term(1));
}

#[test]
fn an_append_that_was_lost_is_sent_again_after_the_next_heartbeat() {
    let mut bench = Bench::new(Config::etcd(3));
    bench.campaign(0);
    bench.isolate(2);
    (1..=200).for_each(|value| bench.write(0, value));
    bench.mend();
    assert_eq!(bench.log(2).len(), 1);
    bench.pass(0, 1);
    assert_eq!(bench.log(2).len(), 201, "64 at a time");
    assert_eq!(bench.committed(), [201, 201, 201]);
}
