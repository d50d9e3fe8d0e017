//! The keys of the store, as its leader applied them, and the leases they hang on.

use super::super::cast::Cast;
use super::super::story::{KeyChange, KeyPut, LeaseLife};
use super::super::words::value_words;
use crate::engine::{Event, SimTime, Span, What};
use crate::raft::RoleName;
use crate::scenario::Scenario;
use crate::vocabulary::{LeaseId, Note, Revision, Words};
use crate::world::Part;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub struct Keys {
    /// What a lease lasts that was granted before the run began.
    default_ttl: Span,
    /// What a new leader of the store adds to every lease.
    grace: Span,
    changes: Vec<KeyChange>,
    newest: Revision,
    leases: BTreeMap<LeaseId, (Span, Vec<SimTime>)>,
}

impl Keys {
    pub fn new(scenario: &Scenario) -> Keys {
        Keys {
            default_ttl: scenario.patroni.ttl,
            grace: scenario.store.election,
            changes: Vec::new(),
            newest: Revision(0),
            leases: BTreeMap::new(),
        }
    }

    pub fn see(&mut self, event: &Event<Words>, cast: &Cast) {
        let What::Note(note) = &event.what else { return };
        if !matches!(cast.part_at(event.place), Some(Part::Store(_))) {
            return;
        }
        match note {
            Note::LeaseGranted { lease, ttl } => {
                self.leases.insert(*lease, (*ttl, vec![event.at]));
            }
            Note::LeaseRenewed { lease } => self.full(*lease, event.at),
            // It cannot know how old a lease is, so it gives each its full length again, and one election timeout more.
            Note::StoreRole {
                role: RoleName::Leader, ..
            } => {
                let at = event.at + self.grace;
                self.leases.values_mut().for_each(|(_, full)| full.push(at));
            }
            Note::KeyPut {
                key,
                value,
                lease,
                revision,
                created,
                ..
            } => {
                if let Some(lease) = lease.filter(|lease| !self.leases.contains_key(lease)) {
                    self.full(lease, event.at);
                }
                let put = KeyPut {
                    value: value_words(value, cast),
                    created: *created,
                    lease: *lease,
                };
                self.change(event, (*key, *revision), Some(put));
            }
            Note::KeyDeleted { key, revision } => self.change(event, (*key, *revision), None),
            _ => {}
        }
    }

    fn full(&mut self, lease: LeaseId, at: SimTime) {
        let ttl = self.default_ttl;
        self.leases.entry(lease).or_insert_with(|| (ttl, Vec::new())).1.push(at);
    }

    /// A new leader of the store may tell again what the old one had told. Keys that go with their lease go at one revision.
    fn change(
        &mut self,
        event: &Event<Words>,
        (key, revision): (crate::vocabulary::Key, Revision),
        put: Option<KeyPut>,
    ) {
        let known = || {
            let same = self
                .changes
                .iter()
                .rev()
                .take_while(|change| change.revision == revision);
            same.into_iter().any(|change| change.key == key)
        };
        let at_start = event.at == SimTime::ZERO;
        if !at_start && (revision < self.newest || known()) {
            return;
        }
        self.newest = self.newest.max(revision);
        self.changes.push(KeyChange {
            at: event.at,
            event: event.id,
            key,
            revision,
            put,
        });
    }

    pub fn finish(self, cast: &Cast) -> (Vec<KeyChange>, Vec<LeaseLife>) {
        let life = |(lease, (ttl, full))| LeaseLife {
            lease,
            owner: cast.owners(lease),
            ttl,
            full,
        };
        (self.changes, self.leases.into_iter().map(life).collect())
    }
}
