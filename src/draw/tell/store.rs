//! The store's lane: the lease behind the leader key, from one renewal to the next.

use super::super::story::{Fuse, FuseEnd};
use super::leases::Leases;
use crate::engine::{Event, SimTime, What};
use crate::raft::RoleName;
use crate::vocabulary::{Key, LeaseId, NodeId, Note, Revision, Words};

#[derive(Clone, Debug, Default)]
pub struct Store {
    burning: Option<Fuse>,
    /// The last change of the leader key that was told.
    newest: Revision,
    fuses: Vec<Fuse>,
}

impl Store {
    /// An event of a member of the store, once the leases have it.
    pub fn see(&mut self, event: &Event<Words>, leases: &Leases) {
        match &event.what {
            What::Note(Note::StoreRole {
                role: RoleName::Leader, ..
            }) => self.new_leader(event.at, leases),
            What::Note(note) => self.note(note, event.at, leases),
            _ => {}
        }
    }

    fn note(&mut self, note: &Note, at: SimTime, leases: &Leases) {
        match *note {
            Note::LeaseRenewed { lease } => {
                if let Some(fuse) = self.burning.filter(|fuse| fuse.lease == lease) {
                    self.put_out(at, FuseEnd::Renewed);
                    self.light(at, fuse.holder, lease, leases);
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
                    self.light(at, holder, lease, leases);
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

    fn light(&mut self, at: SimTime, holder: NodeId, lease: LeaseId, leases: &Leases) {
        self.burning = leases.last(lease).map(|(lit, ttl)| Fuse {
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

    /// The store has a new leader of its own, which counts every lease anew.
    fn new_leader(&mut self, at: SimTime, leases: &Leases) {
        if let Some(fuse) = self.burning.filter(|fuse| fuse.from < at) {
            self.put_out(at, FuseEnd::Renewed);
            self.light(at, fuse.holder, fuse.lease, leases);
        }
    }

    pub fn finish(mut self, end: SimTime) -> Vec<Fuse> {
        self.put_out(end, FuseEnd::Open);
        self.fuses
    }
}
