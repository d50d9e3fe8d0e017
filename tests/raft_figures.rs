#![cfg(not(target_arch = "wasm32"))]
//! The Raft paper's figures 7 and 8, and a vote that was forgotten, as conversations kept in `tests/transcripts/raft/`.

mod common;
mod raft;

use common::assert_transcript;
use leaselab::raft::RoleName::{Candidate, Leader};
use leaselab::raft::{Bugs, Config, Durable, Entry, Index, Log, MemberId, Term};
use raft::invariants::{ELECTION_SAFETY, STATE_MACHINE_SAFETY};
use raft::{MS, Network, Seen};

/// A disk with these terms in its log.
fn disk(term: u64, log: &[u64]) -> Durable<u64> {
    let entry = |&term: &u64| Entry {
        term: Term(term),
        command: None,
    };
    Durable {
        term: Term(term),
        vote: None,
        log: Log::of(log.iter().map(entry)),
    }
}

#[test]
fn figure_7_a_new_leader_makes_every_log_like_its_own() {
    let leader = [1, 1, 1, 4, 4, 5, 5, 6, 6, 6];
    let logs: [&[u64]; 7] = [
        &leader,
        &leader[..9],
        &[1, 1, 1, 4],
        &[1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 6],
        &[1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 7, 7],
        &[1, 1, 1, 4, 4, 4, 4],
        &[1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3],
    ];
    let mut network = Network::new(Config::paper(7), MS, 10 * MS, 1);
    network.transcribe("R-5: figure 7", &["leader", "a", "b", "c", "d", "e", "f"]);
    for (member, log) in logs.iter().enumerate() {
        network.members[member].disk = disk(7, log);
        network.script(member, &[if member == 0 { 150 } else { 299 }, 299]);
    }
    network.start();
    network.run_until_ms(235);
    let yes = Seen::Voted(MemberId(0), Term(8));
    let voters: Vec<usize> = (1..7).filter(|&m| !network.when(m, &yes).is_empty()).collect();
    assert_eq!(voters, [1, 2, 5, 6], "c and d have the newer logs and refuse");
    assert_eq!(network.when(0, &Seen::Became(Leader, Term(8))), [170.0]);
    let all = [&leader[..], &[8]].concat();
    for member in 0..7 {
        assert_eq!(network.terms(member), all);
    }
    // The bugs of nobody: what c, d and f lose was never committed.
    assert_eq!(network.invariants.findings, []);
    assert_transcript("raft/r5_figure_7.txt", network.text());
}

/// Up to (c), where S1 has copied its entry of term 2 to S3: index 2 is on three disks of five.
///
/// (a) S1 led term 2 and wrote index 2, for a client of S2, to itself and S2. (b) It crashed; S5 is elected in term 3 by S3
/// and S4, reaches nobody, and crashes with its own entry at index 2. (c) S1 is back and is elected in term 4.
fn figure_8(title: &str, bugs: Bugs) -> Network {
    let config = Config {
        entries_max: 1,
        commit_at_once: true,
        bugs,
        ..Config::paper(5)
    };
    let mut network = Network::new(config, MS, 10 * MS, 1);
    network.transcribe(title, &["S1", "S2", "S3", "S4", "S5"]);
    for member in 0..5 {
        network.members[member].disk = disk(2, &[1]);
        network.script(member, &[299, 299, 299]);
    }
    for member in [0, 1] {
        let (term, command) = (Term(2), Some(22));
        network.members[member].disk.log.push(Entry { term, command });
    }
    network.members[0].script = [299, 150].into(); // its timer of term 3 fires at 310
    network.members[4].script = [150, 299, 299, 150].into(); // its timers of terms 2 and 4 fire at 150 and 470
    (1..5).for_each(|member| network.restart(member));
    network.members[1].proposed.insert(Index(2), (Term(2), 22));
    network.run_until_ms(140);
    network.restart(0);
    network.run_until_ms(165);
    network.cut(&[4], &[0, 1, 2, 3], true);
    network.run_until_ms(180);
    assert_eq!(network.when(4, &Seen::Became(Leader, Term(3))), [170.0]);
    network.crash(4);
    network.cut(&[4], &[0, 1, 2, 3], false);
    network.run_until_ms(300);
    network.restart(4);
    network.run_until_ms(325);
    network.cut(&[0], &[3, 4], true);
    network.run_until_ms(365);
    assert_eq!(network.when(0, &Seen::Became(Leader, Term(4))), [330.0]);
    assert_eq!(
        terms(&network),
        [&[1, 2, 4][..], &[1, 2, 4], &[1, 2], &[1], &[1, 3]],
        "(c)"
    );
    network
}

fn terms(network: &Network) -> Vec<Vec<u64>> {
    (0..5).map(|member| network.terms(member)).collect()
}

/// (d) S1 crashes before its entry of term 4 is on a majority; S5 is elected in term 5 by S3 and S4 and overwrites index 2.
fn figure_8_d(title: &str, bugs: Bugs) -> Network {
    let mut network = figure_8(title, bugs);
    network.cut(&[0], &[2], true);
    network.run_until_ms(385);
    network.crash(0);
    network.cut(&[0], &[1, 2, 3, 4], false);
    network.run_until_ms(600);
    network.restart(0);
    network.run_until_ms(760);
    assert_eq!(network.when(4, &Seen::Became(Leader, Term(5))), [490.0]);
    assert_eq!(terms(&network), vec![vec![1, 3, 5]; 5]);
    network
}

#[test]
fn figure_8_an_old_entry_on_a_majority_can_still_be_overwritten_so_it_is_not_committed() {
    let network = figure_8_d("R-6: figure 8, (d)", Bugs::default());
    assert_eq!(network.when(1, &Seen::Acknowledged(22, Index(2))), [0.0; 0]);
    assert_eq!(network.invariants.findings, []);
    assert_transcript("raft/r6_figure_8_d.txt", network.text());
}

#[test]
fn figure_8_with_old_entries_committed_by_counting_an_acknowledged_write_disappears() {
    let bugs = Bugs {
        commit_old_terms_by_counting: true,
        ..Bugs::default()
    };
    let network = figure_8_d("R-6: figure 8, (d), old entries committed by counting", bugs);
    assert_eq!(
        network.when(1, &Seen::Acknowledged(22, Index(2))),
        [380.0],
        "and it is gone"
    );
    assert!(network.invariants.broke(STATE_MACHINE_SAFETY));
    assert_transcript("raft/r6_figure_8_d_by_counting.txt", network.text());
}

#[test]
fn figure_8_once_an_entry_of_its_own_term_is_on_a_majority_all_before_it_is_safe() {
    let mut network = figure_8("R-6: figure 8, (e)", Bugs::default());
    network.run_until_ms(395);
    network.crash(0);
    network.cut(&[0], &[3, 4], false);
    network.run_until_ms(600);
    assert_eq!(network.when(0, &Seen::Committed(Index(3))), [390.0], "index 2 with it");
    assert_eq!(network.when(1, &Seen::Acknowledged(22, Index(2))), [400.0]);
    assert_eq!(network.when(4, &Seen::Became(Candidate, Term(5))), [470.0]);
    assert_eq!(
        network.when(4, &Seen::Became(Leader, Term(5))),
        [0.0; 0],
        "S2 and S3 refuse"
    );
    assert_eq!(network.invariants.findings, []);
    assert_transcript("raft/r6_figure_8_e.txt", network.text());
}

/// n1 and n2, which do not reach each other, both want to lead term 2. n3 votes for n1, crashes, is back a millisecond
/// later, and is asked by n2. A client of each then writes.
fn forgotten_vote(title: &str, bugs: Bugs) -> Network {
    let config = Config {
        bugs,
        ..Config::paper(3)
    };
    let mut network = Network::new(config, MS, 10 * MS, 1);
    network.transcribe(title, &["n1", "n2", "n3"]);
    for (member, timeout) in [150, 155, 299].into_iter().enumerate() {
        network.members[member].disk = disk(1, &[]);
        network.script(member, &[timeout, 299, 299, 299]);
    }
    network.cut(&[0], &[1], true);
    network.start();
    network.run_until_ms(162);
    network.crash(2);
    network.run_until_ms(163);
    network.restart(2);
    for (at, member, value) in [(172, 0, 11), (177, 1, 22)] {
        network.run_until_ms(at);
        network.write(member, value);
    }
    network.run_until_ms(215);
    assert_eq!(network.when(2, &Seen::Voted(MemberId(0), Term(2))), [160.0]);
    network
}

#[test]
fn a_vote_on_disk_is_remembered_after_a_crash() {
    let network = forgotten_vote("R-9: a vote on disk", Bugs::default());
    assert_eq!(network.when(2, &Seen::Voted(MemberId(1), Term(2))), [0.0; 0]);
    assert_eq!(network.invariants.findings, []);
    assert_transcript("raft/r9_vote_remembered.txt", network.text());
}

#[test]
fn a_forgotten_vote_makes_two_leaders_in_one_term_who_acknowledge_different_writes_at_one_index() {
    let bugs = Bugs {
        vote_not_persisted: true,
        ..Bugs::default()
    };
    let network = forgotten_vote("R-9: a vote that was not on disk", bugs);
    assert_eq!(
        network.when(2, &Seen::Voted(MemberId(1), Term(2))),
        [165.0],
        "the same term"
    );
    assert_eq!(network.when(0, &Seen::Became(Leader, Term(2))), [170.0]);
    assert_eq!(network.when(1, &Seen::Became(Leader, Term(2))), [175.0]);
    assert_eq!(network.when(0, &Seen::Acknowledged(11, Index(2))), [192.0]);
    assert_eq!(network.when(1, &Seen::Acknowledged(22, Index(2))), [197.0]);
    assert!(network.invariants.broke(ELECTION_SAFETY) && network.invariants.broke(STATE_MACHINE_SAFETY));
    assert_transcript("raft/r9_vote_forgotten.txt", network.text());
}
