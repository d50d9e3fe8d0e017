//! Patterns with names: what happens again and again where leadership hangs on a lease, found in one run.
//!
//! Each is found by one rule, from what the processes and the store stated and not from words:
//!
//! | pattern             | when it is seen |
//! |---------------------|-----------------|
//! | `WriteByDeposed`    | a client is told that its write is committed, by a node that does not hold the newest granted key |
//! | `ExpiredUnderLiving`| the leader key's lease expires while its holder's agent runs and its database accepts writes |
//! | `DatabaseRanOn`     | the same while the agent is dead or frozen |
//! | `DemotedLate`       | an agent gives its database up when the store no longer has the key as its own |
//! | `DemotedInTime`     | an agent gives its database up while the store still has the key as its own |
//! | `RenewalLate`       | the answer to a renewal takes longer than [`LATE`] |
//! | `RenewalGivenUp`    | the holder of the key hears nothing from the store within `retry_timeout` |
//! | `DeclinedByAll`     | the key is free, two agents or more have seen it, and each of them has declined; once for each time it is free |
//! | `RaceLost`          | an agent tries to take the key and another has it |
//! | `SplitVote`         | two members of the store or more ask for votes in one term, and nobody leads in it |
//! | `WatchdogReset`     | a watchdog resets its machine |

use super::super::cast::Cast;
use super::super::story::{Instance, NodeLane, Pattern, Seen, at};
use crate::engine::{Event, FullTrace, Place, SimTime, Span, What};
use crate::raft::{RoleName, Term};
use crate::vocabulary::{Demotion, Key, LeaseId, NodeId, NodeSet, Note, Revision, Step, Words, WriteOutcome};

/// In health an answer takes milliseconds.
const LATE: Span = Span::from_secs(1);

/// The patterns that occur, in the order of their weight.
pub fn seen(trace: &FullTrace<Words>, cast: &Cast, nodes: &[NodeLane]) -> Vec<Seen> {
    let mut finder = Finder {
        nodes,
        key: LeaderKey::default(),
        free: Free::default(),
        renewing: vec![None; nodes.len()],
        terms: Vec::new(),
        found: Pattern::ALL.map(|_| Vec::new()),
    };
    for event in trace.iter() {
        if let What::Note(note) = &event.what {
            finder.note(event, note, cast);
        }
    }
    finder.finish()
}

struct Finder<'a> {
    nodes: &'a [NodeLane],
    key: LeaderKey,
    free: Free,
    /// Since when each agent waits for the answer to a renewal.
    renewing: Vec<Option<SimTime>>,
    /// The terms in which a member of the store asked for votes.
    terms: Vec<Votes>,
    /// By the place of the pattern in [`Pattern::ALL`].
    found: [Vec<Instance>; Pattern::ALL.len()],
}

/// The leader key as the store has it.
#[derive(Default)]
struct LeaderKey {
    holder: Option<NodeId>,
    /// The holder of the newest granted key, also when that key is gone.
    newest: Option<NodeId>,
    lease: Option<LeaseId>,
    /// A new leader of the store tells the last changes again.
    revision: Revision,
}

/// What happened since the key is free.
#[derive(Default)]
struct Free {
    saw: NodeSet,
    declined: NodeSet,
    counted: bool,
}

/// An election of the store's members.
struct Votes {
    term: Term,
    candidates: Vec<Place>,
    /// When the second of them asked.
    split: Option<Instance>,
    won: bool,
}

impl Finder<'_> {
    fn add(&mut self, pattern: Pattern, event: &Event<Words>) {
        self.found[pattern as usize].push(instance(event));
    }

    fn note(&mut self, event: &Event<Words>, note: &Note, cast: &Cast) {
        match note {
            Note::KeyPut { .. } | Note::KeyDeleted { .. } | Note::LeaseExpired { .. } => self.store(event, note),
            Note::StoreRole { role, term } => self.votes(event, *role, *term),
            Note::Write {
                outcome: WriteOutcome::Acknowledged { by, .. },
                ..
            } if self.key.newest.is_some_and(|newest| newest != *by) => self.add(Pattern::WriteByDeposed, event),
            Note::WatchdogFires => self.add(Pattern::WatchdogReset, event),
            _ => {
                if let Some(node) = cast.node_of(event) {
                    self.agent(event, note, node);
                }
            }
        }
    }

    fn store(&mut self, event: &Event<Words>, note: &Note) {
        match *note {
            Note::KeyPut {
                key: Key::Leader,
                holder: Some(holder),
                lease,
                revision,
                ..
            } if revision > self.key.revision => {
                self.key = LeaderKey {
                    holder: Some(holder),
                    newest: Some(holder),
                    lease,
                    revision,
                };
                self.free = Free::default();
            }
            Note::KeyDeleted {
                key: Key::Leader,
                revision,
            } if revision > self.key.revision => {
                self.key = LeaderKey {
                    newest: self.key.newest,
                    revision,
                    ..LeaderKey::default()
                };
                self.free = Free::default();
            }
            Note::LeaseExpired { lease } if self.key.lease == Some(lease) => self.expired(event),
            _ => {}
        }
    }

    /// The key's lease expires: what do its holder's agent and database do?
    fn expired(&mut self, event: &Event<Words>) {
        let Some(lane) = self.key.holder.and_then(|holder| self.nodes.get(holder.index())) else {
            return;
        };
        let writable = at(&lane.database, event.at).is_some_and(|state| state.is.writable());
        let halted = |halts| at(halts, event.at).is_some();
        let pattern = match halted(&lane.agent_halts) {
            false => Pattern::ExpiredUnderLiving,
            true => Pattern::DatabaseRanOn,
        };
        if writable && !halted(&lane.database_halts) {
            self.add(pattern, event);
        }
    }

    fn agent(&mut self, event: &Event<Words>, note: &Note, node: NodeId) {
        let holds = self.key.holder == Some(node);
        match note {
            Note::Step(step) => self.renews(node, (*step == Step::RenewingLease).then_some(event.at)),
            Note::Believes { .. } => {
                let since = self.renewing.get(node.index()).copied().flatten();
                if since.is_some_and(|since| event.at.since(since) > LATE) {
                    self.add(Pattern::RenewalLate, event);
                }
                self.renews(node, None);
            }
            Note::StoreUnreachable if holds => self.add(Pattern::RenewalGivenUp, event),
            // Whoever hands over gives the key up on purpose.
            Note::Demotes(Demotion::HandsOver) => {}
            Note::Demotes(_) if holds => self.add(Pattern::DemotedInTime, event),
            Note::Demotes(_) => self.add(Pattern::DemotedLate, event),
            Note::SeesNoLeader => self.free.saw = self.free.saw.with(node),
            Note::Declines(_) => self.declines(event, node),
            Note::LosesRace => self.add(Pattern::RaceLost, event),
            _ => {}
        }
    }

    fn renews(&mut self, node: NodeId, since: Option<SimTime>) {
        if let Some(renewing) = self.renewing.get_mut(node.index()) {
            *renewing = since;
        }
    }

    fn declines(&mut self, event: &Event<Words>, node: NodeId) {
        let free = &mut self.free;
        free.declined = free.declined.with(node);
        let all = free.saw.len() >= 2 && free.saw.iter().all(|node| free.declined.contains(node));
        if self.key.holder.is_none() && all && !free.counted {
            free.counted = true;
            self.add(Pattern::DeclinedByAll, event);
        }
    }

    fn votes(&mut self, event: &Event<Words>, role: RoleName, term: Term) {
        let place = self.terms.iter().rposition(|votes| votes.term == term);
        match (role, place) {
            (RoleName::Candidate, None) => self.terms.push(Votes {
                term,
                candidates: vec![event.place],
                split: None,
                won: false,
            }),
            (RoleName::Candidate, Some(place)) => {
                let votes = &mut self.terms[place];
                if !votes.candidates.contains(&event.place) {
                    votes.candidates.push(event.place);
                    votes.split.get_or_insert(instance(event));
                }
            }
            (RoleName::Leader, Some(place)) => self.terms[place].won = true,
            _ => {}
        }
    }

    fn finish(mut self) -> Vec<Seen> {
        let split = self.terms.iter().filter(|votes| !votes.won);
        self.found[Pattern::SplitVote as usize] = split.filter_map(|votes| votes.split).collect();
        let seen = |(pattern, instances): (Pattern, Vec<Instance>)| Seen { pattern, instances };
        let all = Pattern::ALL.into_iter().zip(self.found);
        all.map(seen).filter(|seen| !seen.instances.is_empty()).collect()
    }
}

fn instance(event: &Event<Words>) -> Instance {
    Instance {
        event: event.id,
        at: event.at,
    }
}
