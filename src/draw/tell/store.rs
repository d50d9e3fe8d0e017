//! The store's lane: the lease behind the leader key, from one renewal to the next.

use super::super::cast::Cast;
use super::super::story::{Fuse, FuseEnd};
use crate::engine::{Event, SimTime, Span, What};
use crate::raft::RoleName;
use crate::scenario::Scenario;
use crate::vocabulary::{Key, LeaseId, NodeId, Note, Revision, Words};
use crate::world::Part;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub struct Store {
    /// What a lease lasts that was granted before the run began.
    default_ttl: Span,
    /// What a new leader of the store adds to every lease.
    grace: Span,
    /// When each lease was last full, and how long it lasts.
    leases: BTreeMap<LeaseId, (SimTime, Span)>,
    burning: Option<Fuse>,
    /// The last change of the leader key that was told.
    newest: Revision,
    fuses: Vec<Fuse>,
}

impl Store {
    pub fn new(scenario: &Scenario) -> Store {
        Store {
            default_ttl: scenario.patroni.ttl,
            grace: scenario.store.election,
            leases: BTreeMap::new(),
            burning: None,
            newest: Revision(0),
            fuses: Vec::new(),
        }
    }

    pub fn see(&mut self, event: &Event<Words>, cast: &Cast) {
        if !matches!(cast.part_at(event.place), Some(Part::Store(_))) {
            return;
        }
        match &event.what {
            What::Note(Note::StoreRole {
                role: RoleName::Leader, ..
            }) => self.new_leader(event.at),
            What::Note(note) => self.note(note, event.at),
            _ => {}
        }
    }

    fn note(&mut self, note: &Note, at: SimTime) {
        match *note {
            Note::LeaseGranted { lease, ttl } => {
                self.leases.insert(lease, (at, ttl));
            }
            Note::LeaseRenewed { lease } => {
                self.leases.entry(lease).or_insert((at, self.default_ttl)).0 = at;
                if let Some(fuse) = self.burning.filter(|fuse| fuse.lease == lease) {
                    self.put_out(at, FuseEnd::Renewed);
                    self.light(at, fuse.holder, lease);
                }
            }
            Note::LeaseExpired { lease } if self.burning.is_some_and(|fuse| fuse.lease == lease) => {
                self.put_out(at, FuseEnd::Expired);
            }
            Note::KeyPut {
                key: Key::Leader,
                holder: Some(holder),
                lease,
                revision,
                ..
            } if self.is_new(revision) => {
                self.put_out(at, FuseEnd::Replaced);
                if let Some(lease) = lease {
                    self.light(at, holder, lease);
                }
            }
            Note::KeyDeleted {
                key: Key::Leader,
                revision,
            } if self.is_new(revision) => {
                self.put_out(at, FuseEnd::Released);
            }
            _ => {}
        }
    }

    /// A new leader of the store may tell again what the old one had told.
    fn is_new(&mut self, revision: Revision) -> bool {
        let new = revision > self.newest;
        self.newest = self.newest.max(revision);
        new
    }

    fn light(&mut self, at: SimTime, holder: NodeId, lease: LeaseId) {
        let &(lit, ttl) = self.leases.get(&lease).unwrap_or(&(at, self.default_ttl));
        self.burning = Some(Fuse {
            holder,
            lease,
            lit,
            ttl,
            from: at,
            until: at,
            end: FuseEnd::Open,
        });
    }

    fn put_out(&mut self, at: SimTime, end: FuseEnd) {
        if let Some(fuse) = self.burning.take().filter(|fuse| fuse.from < at) {
            self.fuses.push(Fuse { until: at, end, ..fuse });
        }
    }

    /// The store has a new leader of its own. It cannot know how old a lease is, so it gives each its full length again,
    /// and one election timeout more.
    fn new_leader(&mut self, at: SimTime) {
        for (lit, _) in self.leases.values_mut() {
            *lit = at + self.grace;
        }
        if let Some(fuse) = self.burning.filter(|fuse| fuse.from < at) {
            self.put_out(at, FuseEnd::Renewed);
            self.light(at, fuse.holder, fuse.lease);
        }
    }

    pub fn finish(mut self, end: SimTime) -> Vec<Fuse> {
        self.put_out(end, FuseEnd::Open);
        self.fuses
    }
}
