//! What must hold at every step, whatever the network, the disks and the clocks do. Each checker is a sentence; a broken one
//! is a finding that names it.

use super::network::Seen;
use leaselab::raft::{Entry, Index, MemberId, Raft, RoleName, Term};
use std::collections::HashMap;

pub const ELECTION_SAFETY: &str = "at most one member is elected in a term";
pub const ONE_VOTE: &str = "a member votes for one candidate in a term";
pub const LOG_MATCHING: &str = "entries with the same index and term are the same, and so is all before them";
pub const LEADER_APPEND_ONLY: &str = "a leader never changes what is in its own log";
pub const LEADER_COMPLETENESS: &str = "a leader has every entry that was committed in an earlier term";
pub const STATE_MACHINE_SAFETY: &str = "no two members ever apply different entries at one index";
pub const TERM_MONOTONE: &str =
    "a member's term never falls while it runs, and not by a crash below one in which it voted";
pub const COMMIT_MONOTONE: &str = "a member's commit index never falls while it runs";
pub const LINEARIZABLE_READS: &str = "a read returns what was newest when it began, or something newer";

/// A sentence that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// In µs.
    pub at: u64,
    pub sentence: &'static str,
    pub detail: String,
}

/// An entry as it was first applied, and in whose term it was committed.
#[derive(Clone, Debug)]
struct Decided {
    entry: Entry<u64>,
    in_term: Term,
}

/// What is remembered of one member.
#[derive(Clone, Debug, Default)]
struct Memory {
    /// The terms of its log when it was last looked at.
    log: Vec<Term>,
    term: Term,
    /// The highest in which it voted: this must be on its disk.
    voted_in: Term,
    committed: Index,
    led: Option<Term>,
}

#[derive(Clone, Debug, Default)]
pub struct Invariants {
    pub findings: Vec<Finding>,
    elected: HashMap<Term, MemberId>,
    votes: HashMap<(MemberId, Term), MemberId>,
    /// Every entry that ever was in a log, with the term of the one before it.
    entries: HashMap<(Index, Term), (Term, Option<u64>)>,
    decided: Vec<Decided>,
    members: Vec<Memory>,
    /// The place in the log of the newest write that somebody was told of, by an acknowledgement or by a read.
    told: Index,
    /// The newest write that was acknowledged.
    acknowledged: u64,
    /// And where that was when each read began.
    reads: HashMap<u64, Index>,
}

impl Invariants {
    pub fn new(members: usize) -> Invariants {
        Invariants {
            members: vec![Memory::default(); members],
            ..Invariants::default()
        }
    }

    /// How many entries were applied by somebody: a run in which nothing was decided proves nothing.
    pub fn decided(&self) -> usize {
        self.decided.len()
    }
    /// The newest write that was acknowledged; writes are numbered.
    pub fn acknowledged(&self) -> u64 {
        self.acknowledged
    }
    pub fn elections(&self) -> usize {
        self.elected.len()
    }
    pub fn broke(&self, sentence: &str) -> bool {
        self.findings.iter().any(|finding| finding.sentence == sentence)
    }

    fn find(&mut self, at: u64, sentence: &'static str, detail: String) {
        if !self.broke(sentence) {
            self.findings.push(Finding { at, sentence, detail });
        }
    }

    /// Something was seen at a member; `rafts` are all that run.
    pub fn see<'a>(&mut self, at: u64, by: MemberId, seen: &Seen, mut rafts: impl Iterator<Item = &'a Raft<u64>>) {
        match seen {
            Seen::Became(RoleName::Leader, term) => {
                self.elected_once(at, by, *term);
                if let Some(raft) = rafts.find(|raft| raft.id() == by) {
                    self.leader_is_complete(at, raft);
                }
            }
            Seen::Voted(candidate, term) => self.votes_once(at, by, *candidate, *term),
            Seen::Applied(index, entry) => self.applied(at, by, (*index, entry), rafts),
            Seen::Acknowledged(value, index) => {
                self.told = self.told.max(*index);
                self.acknowledged = self.acknowledged.max(*value);
            }
            Seen::ReadAsked(number) => {
                self.reads.insert(*number, self.told);
            }
            Seen::ReadServed(number, _, index) => self.read_is_fresh(at, *number, *index),
            Seen::Crashed => {
                let memory = &mut self.members[usize::from(by.0)];
                (memory.committed, memory.led) = (Index(0), None);
                memory.term = memory.voted_in;
            }
            _ => {}
        }
    }

    fn elected_once(&mut self, at: u64, by: MemberId, term: Term) {
        let first = *self.elected.entry(term).or_insert(by);
        if first != by {
            self.find(at, ELECTION_SAFETY, format!("{first:?} and {by:?} in {term:?}"));
        }
    }

    fn votes_once(&mut self, at: u64, by: MemberId, candidate: MemberId, term: Term) {
        let memory = &mut self.members[usize::from(by.0)];
        memory.voted_in = memory.voted_in.max(term);
        let first = *self.votes.entry((by, term)).or_insert(candidate);
        if first != candidate {
            self.find(
                at,
                ONE_VOTE,
                format!("{by:?} for {first:?} and {candidate:?} in {term:?}"),
            );
        }
    }

    fn leader_is_complete(&mut self, at: u64, leader: &Raft<u64>) {
        let lacks = self.decided.iter().enumerate().find(|(i, decided)| {
            let index = Index(*i as u64 + 1);
            decided.in_term < leader.term() && leader.log().get(index) != Some(&decided.entry)
        });
        if let Some((i, decided)) = lacks {
            let (id, term) = (leader.id(), leader.term());
            self.find(
                at,
                LEADER_COMPLETENESS,
                format!("{id:?} of {term:?} lacks {decided:?}, {i} entries before it"),
            );
        }
    }

    fn applied<'a>(
        &mut self,
        at: u64,
        by: MemberId,
        (index, entry): (Index, &Entry<u64>),
        rafts: impl Iterator<Item = &'a Raft<u64>>,
    ) {
        let i = index.0 as usize - 1;
        if let Some(first) = self.decided.get(i) {
            if first.entry != *entry {
                let first = first.entry.clone();
                self.find(
                    at,
                    STATE_MACHINE_SAFETY,
                    format!("{by:?} at {index:?}: {entry:?}, before it {first:?}"),
                );
            }
            return;
        }
        let mut in_term = Term(0);
        let leads = |raft: &&Raft<u64>| raft.role() == RoleName::Leader;
        let rafts: Vec<&Raft<u64>> = rafts.collect();
        for raft in &rafts {
            if raft.id() == by {
                in_term = raft.term();
            }
        }
        let entry = entry.clone();
        self.decided.push(Decided { entry, in_term });
        for leader in rafts.into_iter().filter(leads) {
            self.leader_is_complete(at, leader);
        }
    }

    fn read_is_fresh(&mut self, at: u64, number: u64, index: Index) {
        // Duplicates of an answer find nobody who still waits for it.
        if let Some(began) = self.reads.remove(&number) {
            if index < began {
                self.find(
                    at,
                    LINEARIZABLE_READS,
                    format!("read {number} saw {index:?}, {began:?} was told before it began"),
                );
            }
            self.told = self.told.max(index);
        }
    }

    /// After each step of a member.
    pub fn check(&mut self, at: u64, raft: &Raft<u64>) {
        let m = usize::from(raft.id().0);
        let before = &self.members[m];
        if raft.term() < before.term {
            let detail = format!("{:?} from {:?} to {:?}", raft.id(), before.term, raft.term());
            self.find(at, TERM_MONOTONE, detail);
        }
        if raft.committed() < self.members[m].committed {
            self.find(
                at,
                COMMIT_MONOTONE,
                format!("{:?} to {:?}", raft.id(), raft.committed()),
            );
        }
        self.members[m].term = raft.term();
        self.members[m].committed = raft.committed();
        let leads = (raft.role() == RoleName::Leader).then(|| raft.term());
        let still_leads = leads.is_some() && self.members[m].led == leads;
        self.members[m].led = leads;
        self.check_log(at, raft, still_leads);
    }

    fn check_log(&mut self, at: u64, raft: &Raft<u64>, still_leads: bool) {
        let m = usize::from(raft.id().0);
        let log = raft.log();
        let mut known = std::mem::take(&mut self.members[m].log);
        let was = known.len();
        // From the end back to where nothing changed; if it is the same there, it is the same before (what this proves).
        known.truncate(log.last().0 as usize);
        while let Some(&term) = known.last()
            && log.term(Index(known.len() as u64)) != Some(term)
        {
            known.pop();
        }
        if still_leads && known.len() < was {
            self.find(at, LEADER_APPEND_ONLY, format!("{:?} in {:?}", raft.id(), raft.term()));
        }
        while let Some(entry) = log.get(Index(known.len() as u64 + 1)) {
            let index = Index(known.len() as u64 + 1);
            let this = (known.last().copied().unwrap_or(Term(0)), entry.command);
            let first = *self.entries.entry((index, entry.term)).or_insert(this);
            if first != this {
                self.find(
                    at,
                    LOG_MATCHING,
                    format!("{:?} at {index:?} of {:?}", raft.id(), entry.term),
                );
            }
            known.push(entry.term);
        }
        self.members[m].log = known;
    }
}
