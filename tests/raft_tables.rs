#![cfg(not(target_arch = "wasm32"))]
//! One member at a time: the tables of etcd-io/raft (raft_paper_test.go, raft_test.go, quorum/testdata).

mod raft;

use leaselab::engine::{Draw, Draws};
use leaselab::raft::RoleName::{Candidate, Follower, Leader};
use leaselab::raft::{Body, Config, Durable, Index, MemberId, Message, Raft, RoleName, Term, Tick};
use raft::bench::{Bench, disk};

/// No pre-vote and no check-quorum, but a commit is told at once.
fn plain(members: u8) -> Config {
    Config {
        pre_vote: false,
        check_quorum: false,
        ..Config::etcd(members)
    }
}

/// A candidate of term 1 that gets these answers from its peers, in order.
fn after_votes(members: u8, pre_vote: bool, answers: &[bool]) -> RoleName {
    let mut bench = Bench::new(Config {
        pre_vote,
        ..plain(members)
    });
    bench.cut = (1..usize::from(members)).map(|to| (0, to)).collect();
    bench.campaign(0);
    for (i, &granted) in answers.iter().enumerate() {
        let (body, term) = match pre_vote {
            true => (Body::PreVoted { granted }, u64::from(granted)),
            false => (Body::Voted { granted }, 1),
        };
        bench.answers(0, i as u8 + 1, term, body);
    }
    bench.members[0].role()
}

#[test]
fn a_candidate_leads_with_a_majority_follows_without_a_chance_and_waits_in_between() {
    let (yes, no) = (true, false);
    let table: [(u8, &[bool], RoleName); 17] = [
        (1, &[], Leader),
        (2, &[], Candidate),
        (2, &[yes], Leader),
        (2, &[no], Follower),
        (3, &[], Candidate),
        (3, &[yes], Leader),
        (3, &[no], Candidate),
        (3, &[no, no], Follower),
        (4, &[yes, no], Candidate),
        (4, &[no, no], Follower),
        (5, &[yes], Candidate),
        (5, &[no, no], Candidate),
        (5, &[yes, yes], Leader),
        (5, &[yes, no, no, no], Follower),
        (5, &[no, no, no], Follower),
        (5, &[no, no, no, no], Follower),
        (7, &[yes, yes, no, no, yes], Leader),
    ];
    for (members, answers, role) in table {
        assert_eq!(
            after_votes(members, false, answers),
            role,
            "{members} members, {answers:?}"
        );
        let with_pre_vote = match role {
            // Won the question, now in the real election; or still asking.
            Leader if members > 1 => Candidate,
            Candidate => RoleName::PreCandidate,
            role => role,
        };
        assert_eq!(
            after_votes(members, true, answers),
            with_pre_vote,
            "pre-vote, {members} members, {answers:?}"
        );
    }
}

#[test]
fn a_members_first_answer_counts_once() {
    assert_eq!(after_votes(5, false, &[true]), Candidate);
    let mut bench = Bench::new(plain(5));
    bench.cut = (1..5).map(|to| (0, to)).collect();
    bench.campaign(0);
    for granted in [true, true, true, false] {
        bench.answers(0, 1, 1, Body::Voted { granted });
    }
    assert_eq!(
        bench.members[0].role(),
        Candidate,
        "one member's four answers are one vote"
    );
}

#[test]
fn a_late_yes_to_an_earlier_pre_vote_is_none_to_the_next() {
    let mut bench = Bench::new(Config {
        pre_vote: true,
        ..plain(3)
    });
    bench.isolate(0);
    bench.campaign(0);
    // Meanwhile the term moves on, and the member asks about the next one.
    bench.answers(0, 2, 1, Body::Voted { granted: false });
    bench.campaign(0);
    bench.answers(0, 1, 1, Body::PreVoted { granted: true });
    assert_eq!(bench.members[0].role(), RoleName::PreCandidate);
    bench.answers(0, 1, 2, Body::PreVoted { granted: true });
    assert_eq!(bench.members[0].role(), Candidate);
}

fn vote_answer(bench: &mut Bench, candidate: u8, term: u64, last: u64, last_term: u64) -> Option<bool> {
    let body = Body::Vote {
        last: Index(last),
        last_term: Term(last_term),
    };
    bench
        .answers(0, candidate, term, body)
        .into_iter()
        .find_map(|message| match message.body {
            Body::Voted { granted } => Some(granted),
            _ => None,
        })
}

#[test]
fn a_voter_that_has_voted_votes_for_the_same_again_and_for_no_other() {
    for (vote, candidate, granted) in [
        (None, 1, true),
        (None, 2, true),
        (Some(1), 1, true),
        (Some(2), 2, true),
        (Some(1), 2, false),
        (Some(2), 1, false),
    ] {
        let durable = Durable {
            vote: vote.map(MemberId),
            ..disk(1, &[])
        };
        let mut bench = Bench::on(plain(3), &[durable]);
        assert_eq!(
            vote_answer(&mut bench, candidate, 1, 0, 0),
            Some(granted),
            "{vote:?}, {candidate}"
        );
    }
}

#[test]
fn a_voter_votes_only_for_a_log_at_least_as_new_as_its_own() {
    let table: [(&[u64], (u64, u64), bool); 8] = [
        (&[1], (1, 1), true),
        (&[1], (2, 1), true),
        (&[1, 1], (1, 1), false),
        (&[1], (1, 2), true),
        (&[1, 1], (1, 2), true),
        (&[2], (1, 1), false),
        (&[2], (2, 1), false),
        (&[2, 1], (1, 1), false),
    ];
    for (log, (last, last_term), granted) in table {
        let mut bench = Bench::on(plain(3), &[disk(2, log)]);
        assert_eq!(
            vote_answer(&mut bench, 1, 3, last, last_term),
            Some(granted),
            "{log:?}, {last} of {last_term}"
        );
    }
}

/// A leader of term 3 with these terms in its log, whose second and third members have stored so much.
fn committed(log: &[u64], commands: u64, acks: &[u64]) -> u64 {
    let mut bench = Bench::on(plain(3), &vec![disk(2, log); 3]);
    bench.lost = |body| matches!(body, Body::Append { .. });
    bench.campaign(0);
    (0..commands).for_each(|value| bench.write(0, value));
    for (i, &matched) in acks.iter().enumerate() {
        let matched = Index(matched);
        bench.answers(0, i as u8 + 1, 3, Body::Appended { matched });
    }
    bench.members[0].committed().0
}

#[test]
fn only_an_entry_of_the_leaders_own_term_is_committed_by_counting() {
    for (ack, commits) in [(1, 0), (2, 0), (3, 3)] {
        assert_eq!(committed(&[1, 2], 0, &[ack]), commits, "stored up to {ack}");
    }
}

#[test]
fn committed_is_what_a_majority_has_stored() {
    let own = |last: u64, acks: &[u64]| committed(&[], last - 1, acks);
    assert_eq!(own(12, &[5]), 5);
    assert_eq!(own(12, &[5, 6]), 6);
    assert_eq!(own(103, &[100, 101]), 101);
    assert_eq!(own(12, &[]), 0);
}

#[test]
fn a_follower_commits_only_what_it_knows_to_be_the_leaders() {
    // Its own log goes on, but the leader has only spoken of the first entry.
    let append = |entries, commit| Body::Append {
        previous: Index(1),
        previous_term: Term(1),
        entries,
        commit: Index(commit),
    };
    for (commit, commits) in [(0, 0), (1, 1), (3, 1)] {
        let mut bench = Bench::on(plain(3), &[disk(2, &[1, 2, 2])]);
        bench.answers(0, 1, 3, append(Vec::new(), commit));
        assert_eq!(bench.members[0].committed().0, commits);
        assert_eq!(bench.log(0), [1, 2, 2], "an append that says nothing truncates nothing");
    }
}

#[test]
fn an_old_short_append_does_not_truncate_and_a_conflict_does() {
    let entry = |term| leaselab::raft::Entry {
        term: Term(term),
        command: None,
    };
    let table: [(&[u64], &[u64]); 4] = [
        (&[2], &[1, 2, 2]),
        (&[2, 2], &[1, 2, 2]),
        (&[3], &[1, 3]),
        (&[2, 2, 3], &[1, 2, 2, 3]),
    ];
    for (entries, log) in table {
        let mut bench = Bench::on(plain(3), &[disk(3, &[1, 2, 2])]);
        let body = Body::Append {
            previous: Index(1),
            previous_term: Term(1),
            entries: entries.iter().map(|&term| entry(term)).collect(),
            commit: Index(0),
        };
        let matched = Index(1 + entries.len() as u64);
        let answer = Message {
            term: Term(3),
            body: Body::Appended { matched },
        };
        assert_eq!(bench.answers(0, 1, 3, body), [answer]);
        assert_eq!(bench.log(0), log, "{entries:?}");
    }
}

/// A follower's timeouts, drawn as a run draws them.
fn timeouts(seed: u64, member: u8, times: usize) -> Vec<u64> {
    let mut draws = Draws::new(seed, u32::from(member));
    let mut draw = |bound| draws.below(Draw(0), bound);
    let mut start = || Raft::<u64>::start(MemberId(member), plain(5), Durable::default(), Tick(0), &mut draw);
    (0..times).map(|_| start().deadline().0).collect()
}

#[test]
fn election_timeouts_are_uniform_from_the_least_to_just_below_twice_of_it() {
    let drawn = timeouts(1, 0, 20_000);
    assert!(drawn.iter().all(|ticks| (10..20).contains(ticks)));
    for (elapsed, tenths) in [(5, 0), (10, 1), (13, 4), (15, 6), (18, 9), (20, 10)] {
        let fired = drawn.iter().filter(|&&ticks| ticks <= elapsed).count();
        assert!(
            fired.abs_diff(tenths * 2_000) < 300,
            "after {elapsed} ticks {fired} of 20000"
        );
    }
}

#[test]
fn the_earliest_two_timers_of_a_group_fire_in_the_same_tick_in_less_than_a_third_of_the_elections() {
    let members: Vec<Vec<u64>> = (0..5).map(|member| timeouts(7, member, 1_000)).collect();
    let same = |election: &usize| {
        let mut ticks: Vec<u64> = members.iter().map(|timeouts| timeouts[*election]).collect();
        ticks.sort_unstable();
        ticks[0] == ticks[1]
    };
    let conflicts = (0..1_000).filter(same).count();
    assert!((100..300).contains(&conflicts), "{conflicts} of 1000");
}
