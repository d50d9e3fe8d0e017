//! The event list: what is worth a sentence, without what only repeats.

use super::super::cast::{Cast, listing};
use super::super::story::{Lane, Row, Tone};
use super::super::words::{self, sentence};
use super::{cause_of, lane};
use crate::engine::{Event, FullTrace, Life, Place, SimTime, What};
use crate::raft::RoleName;
use crate::sorting;
use crate::verdict::{Record, Verdict};
use crate::vocabulary::{Key, LeaseId, NodeId, Note, Phase, Words, WriteOutcome};
use crate::world::Part;
use std::collections::{BTreeMap, BTreeSet};

pub fn rows(trace: &FullTrace<Words>, cast: &Cast, verdict: &Verdict) -> Vec<Row> {
    let mut list = List {
        cast,
        rows: Vec::new(),
        said: BTreeMap::new(),
        believed: BTreeMap::new(),
        leader_lease: None,
        campaigning: BTreeSet::new(),
    };
    for event in trace.iter() {
        match &event.what {
            What::Note(note) => list.note(event, note),
            What::Fault { .. } => list.add(event, Tone::Fault),
            What::Life(life) if is_news(*life, event, trace, cast) => list.add(event, Tone::Fault),
            _ => {}
        }
    }
    list.rows.extend(overlaps(&verdict.record));
    if cast.has_group() {
        list.rows.extend(no_quorum(&verdict.record));
    }
    list.rows.extend(first_lost(trace, verdict));
    for row in &mut list.rows {
        row.lamport = trace.get(row.event).map_or(0, |event| event.lamport.0);
    }
    sorting::by_key(&mut list.rows, |row| row.event);
    list.rows
}

struct List<'a> {
    cast: &'a Cast<'a>,
    rows: Vec<Row>,
    /// What each place said last on each subject, to leave out what it only repeats.
    said: BTreeMap<(Place, usize), String>,
    /// Until when each node takes itself for the leader.
    believed: BTreeMap<NodeId, SimTime>,
    /// The lease that the leader key hangs on.
    leader_lease: Option<LeaseId>,
    /// Which members of the store have asked for votes since it last had a new leader, and how.
    campaigning: BTreeSet<(Place, bool)>,
}

impl List<'_> {
    fn add(&mut self, event: &Event<Words>, tone: Tone) {
        if let Some(text) = sentence(event, self.cast) {
            self.push(event, text, tone);
        }
    }

    fn push(&mut self, event: &Event<Words>, text: String, tone: Tone) {
        let lane = if matches!(event.what, What::Fault { .. }) {
            Lane::Faults
        } else {
            lane(event.place, self.cast)
        };
        self.rows.push(Row {
            event: event.id,
            lamport: 0,
            at: event.at,
            lane,
            text,
            tone,
        });
    }

    /// Of the places in the store's group: who leads, who stops leading, and each member's first attempt to be elected.
    fn store_role(&mut self, event: &Event<Words>, role: RoleName) {
        match role {
            RoleName::Leader => {
                self.campaigning.clear();
                self.add(event, Tone::Turn);
            }
            RoleName::PreCandidate | RoleName::Candidate => {
                let real = role == RoleName::Candidate;
                if self.cast.has_group() && self.campaigning.insert((event.place, real)) {
                    self.add(event, Tone::Plain);
                }
            }
            RoleName::Follower => {
                if matches!(self.cast.place_before(event.id), Some((RoleName::Leader, _))) {
                    self.add(event, Tone::Turn);
                }
            }
        }
    }

    fn note(&mut self, event: &Event<Words>, note: &Note) {
        if let Note::StoreRole { role, .. } = note {
            return self.store_role(event, *role);
        }
        let Some(tone) = words::tone(note) else { return };
        match note {
            Note::Believes { span } => {
                let Some(node) = self.cast.node_of(event) else { return };
                let before = self.believed.insert(node, event.at + *span);
                if before.is_some_and(|until| event.at <= until) {
                    return;
                }
            }
            Note::StopsBelieving => {
                let node = self.cast.node_of(event);
                node.and_then(|node| self.believed.remove(&node));
            }
            Note::KeyPut {
                key: Key::Leader,
                lease,
                ..
            } => self.leader_lease = *lease,
            Note::LeaseExpired { lease } if self.leader_lease == Some(*lease) => {
                self.leader_lease = None;
                let text = words::leader_lease_expires(*lease, self.cast);
                return self.push(event, text, tone);
            }
            // The row before says it.
            Note::KeyDeleted { key: Key::Leader, .. } if self.leader_lease.is_none() => return,
            Note::KeyDeleted { key: Key::Leader, .. } => self.leader_lease = None,
            _ => {}
        }
        let Some(text) = sentence(event, self.cast) else { return };
        if let Some(subject) = subject(note) {
            let before = self.said.insert((event.place, subject), text.clone());
            if before.as_ref() == Some(&text) {
                return;
            }
        }
        self.push(event, text, tone);
    }
}

/// Notes of one subject: of these, one that says the same as the last is not a new row.
fn subject(note: &Note) -> Option<usize> {
    match note {
        Note::Follows(_) => Some(0),
        Note::Routes { .. } => Some(1),
        // That there is a leader again is said by its belief or by whom it follows.
        Note::Database(database) if database.phase != Phase::Primary => Some(2),
        _ => None,
    }
}

/// Whether the life of a process or host is told by itself, and not by the fault or the note that it comes from.
fn is_news(life: Life, event: &Event<Words>, trace: &FullTrace<Words>, cast: &Cast) -> bool {
    let struck = matches!(cause_of(trace, event.cause).map(|e| &e.what), Some(What::Fault { .. }));
    match (event.place, life) {
        _ if struck || event.at == SimTime::ZERO => false,
        (Place::Host(_), Life::Started) => true,
        (place, Life::Exited) => matches!(cast.part_at(place), Some(Part::Agent(_))),
        _ => false,
    }
}

/// The first write that was acknowledged and is not in the final leader's history.
fn first_lost(trace: &FullTrace<Words>, verdict: &Verdict) -> Option<Row> {
    let at = *verdict.record.lost.first()?;
    let acknowledged = |event: &&Event<Words>| {
        let outcome = |note: &Note| {
            matches!(
                note,
                Note::Write {
                    outcome: WriteOutcome::Acknowledged { .. },
                    ..
                }
            )
        };
        event.at == at && matches!(&event.what, What::Note(note) if outcome(note))
    };
    let event = trace.iter().find(acknowledged)?;
    let text = match verdict.writes.lost {
        1 => "a client is told that its write is committed; it will be lost".to_owned(),
        count => format!("the first of {count} writes that clients are told are committed and that will be lost"),
    };
    Some(Row {
        event: event.id,
        lamport: 0,
        at,
        lane: Lane::Traffic,
        text,
        tone: Tone::Danger,
    })
}

/// Rows for when the store can decide nothing any more. That it can again is told by its new leader, or by the member
/// that is started again.
fn no_quorum(record: &Record) -> impl Iterator<Item = Row> {
    record.no_quorum.iter().filter_map(|dark| {
        Some(Row {
            event: dark.event?,
            lamport: 0,
            at: dark.from,
            lane: Lane::Store,
            text: words::no_quorum(dark.too_few).to_owned(),
            tone: Tone::Turn,
        })
    })
}

/// Rows for the beginning and the end of two primaries.
fn overlaps(record: &Record) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut before = 0;
    for change in &record.writable {
        let now = change.nodes.len();
        let names = record.names(change.nodes);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = match (before, now) {
            (0 | 1, 2..) => Some(format!(
                "two primaries: {} accept writes at the same time",
                listing(&names)
            )),
            (2.., 2..) => Some(format!("now {} accept writes at the same time", listing(&names))),
            (2.., 1) => Some(format!("only {} accepts writes now", listing(&names))),
            (2.., 0) => Some("no database accepts writes any more".to_owned()),
            _ => None,
        };
        before = now;
        if let (Some(text), Some(event)) = (text, change.event) {
            let row = Row {
                event,
                lamport: 0,
                at: change.from,
                lane: Lane::Faults,
                text,
                tone: Tone::Danger,
            };
            rows.push(row);
        }
    }
    rows
}
