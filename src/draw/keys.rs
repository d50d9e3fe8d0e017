//! The store's keys at one instant, as the store has them: no node's belief, and no copy of them.

use super::story::{KeyLine, Story};
use crate::engine::{EventId, SimTime, Span};
use crate::vocabulary::{Key, LeaseId, NodeId};

/// A change that is no older than this is said to be new.
const NEW: Span = Span::from_secs(1);

/// One key at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyMoment {
    /// Below `members/` for a member.
    pub name: String,
    pub is_member: bool,
    /// None: it was there once, and is deleted.
    pub value: Option<String>,
    /// The store's revision when it was last put or deleted.
    pub revision: u64,
    /// The lease that it hangs on: whose, its number, and what is left of it by the store's clock.
    pub lease: Option<(String, u64, Span)>,
    /// How long ago it was changed.
    pub age: Span,
    pub is_new: bool,
    pub event: EventId,
    pub at: SimTime,
}

impl Story {
    /// All keys that are there at instant `t`, and those that were before, by their names.
    pub fn keys_at(&self, t: SimTime) -> Vec<KeyMoment> {
        let moment = |line: &KeyLine| {
            let so_far = line.changes.partition_point(|change| change.at <= t);
            let change = line.changes[..so_far].last()?;
            let (is_member, name) = self.key_name(line.key);
            Some(KeyMoment {
                name,
                is_member,
                value: change.put.as_ref().map(|put| put.value.clone()),
                revision: change.revision.0,
                lease: change.put.as_ref().and_then(|put| self.lease_at(put.lease?, t)),
                age: t.since(change.at),
                // At the very beginning all of it was there before.
                is_new: t.since(change.at) <= NEW && change.at > SimTime::ZERO,
                event: change.event,
                at: change.at,
            })
        };
        let mut keys: Vec<KeyMoment> = self.store.keys.iter().filter_map(moment).collect();
        keys.sort_unstable_by(|a, b| (a.is_member, &a.name).cmp(&(b.is_member, &b.name)));
        keys
    }

    fn key_name(&self, key: Key) -> (bool, String) {
        match key {
            Key::Member(NodeId(node)) => (true, self.name(NodeId(node)).to_owned()),
            other => (false, other.to_string().trim_start_matches('/').to_owned()),
        }
    }

    /// Whose a lease is, its number, and what is left of it.
    fn lease_at(&self, lease: LeaseId, t: SimTime) -> Option<(String, u64, Span)> {
        let lives = &self.store.leases;
        let life = &lives[lives.binary_search_by_key(&lease, |life| life.lease).ok()?];
        let so_far = life.counted.partition_point(|(from, _)| *from <= t);
        let (_, full) = life.counted[..so_far].last()?;
        Some((life.owner.clone(), lease.0, (*full + life.ttl).since(t)))
    }
}
