#![cfg(not(target_arch = "wasm32"))]
//! A checker that cannot fail is worth nothing: each is shown a history that breaks its sentence, and one that does not.

mod raft;

use leaselab::raft::RoleName::Leader;
use leaselab::raft::{Config, Durable, Entry, Index, Log, MemberId, Raft, Term, Tick};
use raft::invariants::*;
use raft::{Invariants, Seen};

const A: MemberId = MemberId(0);
const B: MemberId = MemberId(1);

fn entry(term: u64, value: u64) -> Entry<u64> {
    Entry {
        term: Term(term),
        command: Some(value),
    }
}

fn durable(term: u64, log: &[(u64, u64)]) -> Durable<u64> {
    Durable {
        term: Term(term),
        vote: None,
        log: Log::of(log.iter().map(|&(term, value)| entry(term, value))),
    }
}

/// A member that has just started.
fn follower(id: MemberId, term: u64, log: &[(u64, u64)]) -> Raft<u64> {
    Raft::start(id, Config::etcd(3), durable(term, log), Tick(0), &mut |_| 0)
}

/// A member that leads, everything in its log committed.
fn leader(id: MemberId, term: u64, log: &[(u64, u64)]) -> Raft<u64> {
    Raft::of_running_group(id, Config::etcd(3), durable(term, log), id, &mut |_| 0)
}

fn new() -> Invariants {
    Invariants::new(3)
}

fn see(invariants: &mut Invariants, by: MemberId, seen: Seen) {
    invariants.see(0, by, &seen, [].iter());
}

/// The second history breaks this sentence and no other; the first breaks nothing.
fn tells(sentence: &str, good: Invariants, bad: Invariants) {
    assert_eq!(good.findings, []);
    let sentences: Vec<&str> = bad.findings.iter().map(|finding| finding.sentence).collect();
    assert_eq!(sentences, [sentence]);
}

#[test]
fn election_safety_tells_two_leaders_of_one_term_from_leaders_of_two() {
    let [good, bad] = [2, 1].map(|term| {
        let mut invariants = new();
        see(&mut invariants, A, Seen::Became(Leader, Term(1)));
        see(&mut invariants, B, Seen::Became(Leader, Term(term)));
        invariants
    });
    tells(ELECTION_SAFETY, good, bad);
}

#[test]
fn one_vote_tells_a_repeated_vote_from_a_second_one() {
    let [good, bad] = [A, B].map(|candidate| {
        let mut invariants = new();
        see(&mut invariants, B, Seen::Voted(A, Term(1)));
        see(&mut invariants, B, Seen::Voted(candidate, Term(1)));
        invariants
    });
    tells(ONE_VOTE, good, bad);
}

#[test]
fn log_matching_tells_logs_that_differ_in_the_end_from_logs_that_differ_below_a_common_entry() {
    let [good, bad] = [3, 2].map(|term| {
        let mut invariants = new();
        invariants.check(0, &follower(A, 3, &[(1, 1), (2, 2)]));
        invariants.check(0, &follower(B, 3, &[(2, 1), (term, 2)]));
        invariants
    });
    tells(LOG_MATCHING, good, bad);
}

#[test]
fn log_matching_tells_different_commands_under_one_index_and_term() {
    let [good, bad] = [1, 2].map(|value| {
        let mut invariants = new();
        invariants.check(0, &follower(A, 1, &[(1, 1)]));
        invariants.check(0, &follower(B, 1, &[(1, value)]));
        invariants
    });
    tells(LOG_MATCHING, good, bad);
}

#[test]
fn leader_append_only_tells_a_leader_that_truncates_from_a_follower_that_does() {
    let [good, bad] = [false, true].map(|leads| {
        let member = if leads { leader } else { follower };
        let mut invariants = new();
        invariants.check(0, &member(A, 2, &[(1, 1)]));
        invariants.check(0, &member(A, 2, &[(2, 1)]));
        invariants
    });
    tells(LEADER_APPEND_ONLY, good, bad);
}

#[test]
fn leader_completeness_tells_a_leader_that_lacks_what_an_earlier_term_committed() {
    let [good, bad] = [&[(1, 7)][..], &[]].map(|log| {
        let mut invariants = new();
        let first = [leader(A, 1, &[(1, 7)])];
        invariants.see(0, A, &Seen::Applied(Index(1), entry(1, 7)), first.iter());
        let second = [leader(B, 2, log)];
        invariants.see(1, B, &Seen::Became(Leader, Term(2)), second.iter());
        invariants
    });
    tells(LEADER_COMPLETENESS, good, bad);
}

#[test]
fn leader_completeness_holds_of_leaders_that_are_there_when_an_earlier_term_commits() {
    let [good, bad] = [&[(1, 7)][..], &[]].map(|log| {
        let mut invariants = new();
        let both = [leader(A, 1, &[(1, 7)]), leader(B, 2, log)];
        invariants.see(0, A, &Seen::Applied(Index(1), entry(1, 7)), both.iter());
        invariants
    });
    tells(LEADER_COMPLETENESS, good, bad);
}

#[test]
fn state_machine_safety_tells_the_same_entry_applied_twice_from_another_one() {
    let [good, bad] = [1, 2].map(|value| {
        let mut invariants = new();
        see(&mut invariants, A, Seen::Applied(Index(1), entry(1, 1)));
        see(&mut invariants, B, Seen::Applied(Index(1), entry(1, value)));
        invariants
    });
    tells(STATE_MACHINE_SAFETY, good, bad);
}

#[test]
fn term_monotone_tells_a_term_that_a_crash_may_forget_from_one_in_which_it_voted() {
    let [good, bad] = [Term(1), Term(2)].map(|voted_in| {
        let mut invariants = new();
        see(&mut invariants, A, Seen::Voted(A, voted_in));
        invariants.check(0, &follower(A, 2, &[]));
        see(&mut invariants, A, Seen::Crashed);
        invariants.check(1, &follower(A, 1, &[]));
        invariants
    });
    tells(TERM_MONOTONE, good, bad);
    let mut runs_on = new();
    [2, 1]
        .into_iter()
        .for_each(|term| runs_on.check(0, &follower(A, term, &[])));
    tells(TERM_MONOTONE, new(), runs_on);
}

#[test]
fn commit_monotone_tells_a_commit_index_that_falls_from_one_that_begins_anew_after_a_crash() {
    let [good, bad] = [true, false].map(|crashes| {
        let mut invariants = new();
        invariants.check(0, &leader(A, 1, &[(1, 1)]));
        if crashes {
            see(&mut invariants, A, Seen::Crashed);
        }
        invariants.check(1, &follower(A, 1, &[(1, 1)]));
        invariants
    });
    tells(COMMIT_MONOTONE, good, bad);
}

#[test]
fn linearizable_reads_tells_a_stale_read_from_one_that_began_before_the_write_was_acknowledged() {
    let [good, bad] = [true, false].map(|read_first| {
        let mut invariants = new();
        let asked = Seen::ReadAsked(0);
        if read_first {
            see(&mut invariants, B, asked.clone());
        }
        see(&mut invariants, A, Seen::Acknowledged(2, Index(2)));
        if !read_first {
            see(&mut invariants, B, asked);
        }
        see(&mut invariants, B, Seen::ReadServed(0, 1, Index(1)));
        invariants
    });
    tells(LINEARIZABLE_READS, good, bad);
}

#[test]
fn linearizable_reads_tells_a_read_that_is_older_than_a_read_before_it() {
    let [good, bad] = [Index(2), Index(1)].map(|second| {
        let mut invariants = new();
        for (number, index) in [(0, Index(2)), (1, second)] {
            see(&mut invariants, B, Seen::ReadAsked(number));
            see(&mut invariants, B, Seen::ReadServed(number, 0, index));
        }
        invariants
    });
    tells(LINEARIZABLE_READS, good, bad);
}
