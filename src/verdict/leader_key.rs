//! The leader key as the store has it, and how it went from node to node.

use super::{KeyChange, KeyLoss, Renewal};
use crate::engine::{EventId, SimTime};
use crate::vocabulary::{Key, LeaseId, NodeId, Note, Revision};
use std::collections::BTreeMap;

/// The key changed hands; what the databases did is looked up in the record when the run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handover {
    pub from: NodeId,
    pub to: NodeId,
    /// The last time the store heard from the old holder about its lease.
    pub renewed: SimTime,
    pub gone: Option<SimTime>,
    pub taken: SimTime,
    pub why: KeyLoss,
}

#[derive(Clone, Debug, Default)]
pub(super) struct LeaderKey {
    pub holder: Option<NodeId>,
    /// The holder of the newest granted key, also when that key is gone.
    pub newest: Option<NodeId>,
    lease: Option<LeaseId>,
    revision: Revision,
    renewed: SimTime,
    gone: Option<(SimTime, KeyLoss)>,
    /// The lease last found expired: a key that goes with it went for that reason.
    expired: Option<LeaseId>,
    pub handovers: Vec<Handover>,
    pub changes: Vec<KeyChange>,
    pub renewals: Vec<Renewal>,
    /// Every change told so far: a new leader of the store may tell the last ones again.
    told: BTreeMap<Revision, Option<NodeId>>,
    /// The first time the store gave the key to one node while another had it.
    pub two_holders: Option<(SimTime, EventId)>,
}

impl LeaderKey {
    /// Takes in a note of the store; says whether the holder changed.
    pub fn note(&mut self, at: SimTime, event: EventId, note: &Note) -> bool {
        let before = self.holder;
        if self.is_told_again(at, event, note) {
            return false;
        }
        match *note {
            Note::KeyPut {
                key: Key::Leader,
                holder: Some(holder),
                lease,
                revision,
                created,
                ..
            } => {
                self.put(at, event, holder, revision, created);
                self.lease = lease;
            }
            Note::KeyDeleted {
                key: Key::Leader,
                revision,
            } => {
                let expired = self.lease.is_some() && self.expired == self.lease;
                let why = if expired {
                    KeyLoss::LeaseExpired
                } else {
                    KeyLoss::Released
                };
                self.gone = Some((at, why));
                self.holder = None;
                self.revision = revision;
                self.changes.push(KeyChange {
                    at,
                    holder: None,
                    event,
                });
            }
            Note::LeaseRenewed { lease } if self.lease == Some(lease) => {
                if self.holder.is_some() {
                    self.renewed = at;
                }
                // Whoever gave the key up may renew its lease once more, for its member key.
                if let Some(node) = self.newest {
                    self.renewals.push(Renewal { at, lease, node });
                }
            }
            Note::LeaseExpired { lease } => self.expired = Some(lease),
            _ => {}
        }
        before != self.holder
    }

    /// Whether this change is known. One revision that means two things would be two holders.
    fn is_told_again(&mut self, at: SimTime, event: EventId, note: &Note) -> bool {
        let (revision, holder) = match *note {
            Note::KeyPut {
                key: Key::Leader,
                holder,
                revision,
                ..
            } => (revision, holder),
            Note::KeyDeleted {
                key: Key::Leader,
                revision,
            } => (revision, None),
            _ => return false,
        };
        match self.told.insert(revision, holder) {
            None => false,
            Some(before) => {
                if before != holder {
                    self.two_holders.get_or_insert((at, event));
                }
                true
            }
        }
    }

    fn put(&mut self, at: SimTime, event: EventId, holder: NodeId, revision: Revision, created: bool) {
        let other = self.holder.is_some_and(|old| old != holder);
        let not_newer = self.newest.is_some() && revision <= self.revision;
        if (other || (created && self.holder.is_some()) || not_newer) && self.two_holders.is_none() {
            self.two_holders = Some((at, event));
        }
        if let Some(from) = self.newest.filter(|&old| old != holder) {
            let gone = if other { None } else { self.gone };
            self.handovers.push(Handover {
                from,
                to: holder,
                renewed: self.renewed,
                gone: gone.map(|(at, _)| at),
                taken: at,
                why: gone.map_or(KeyLoss::Overwritten, |(_, why)| why),
            });
        }
        if self.holder != Some(holder) {
            self.changes.push(KeyChange {
                at,
                holder: Some(holder),
                event,
            });
            // Granting a lease counts as hearing from its holder.
            self.renewed = at;
        }
        self.holder = Some(holder);
        self.newest = Some(holder);
        self.revision = revision;
    }
}
