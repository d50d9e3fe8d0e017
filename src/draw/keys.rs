//! The store's keys at one instant, as the store has them: no node's belief, and no copy of them.

use super::story::{KeyChange, Story};
use crate::engine::{EventId, SimTime, Span};
use crate::vocabulary::{Key, NodeId};

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
        let changes = &self.store.keys;
        let so_far = &changes[..changes.partition_point(|change| change.at <= t)];
        let mut last: std::collections::BTreeMap<(bool, String), &KeyChange> = std::collections::BTreeMap::new();
        for change in so_far {
            last.insert(self.key_name(change.key), change);
        }
        let moment = |((is_member, name), change): ((bool, String), &KeyChange)| KeyMoment {
            name,
            is_member,
            value: change.put.as_ref().map(|put| put.value.clone()),
            revision: change.revision.0,
            lease: change.put.as_ref().and_then(|put| self.lease_at(put.lease?.0, t)),
            age: t.since(change.at),
            // At the very beginning all of it was there before.
            is_new: t.since(change.at) <= NEW && change.at > SimTime::ZERO,
            event: change.event,
            at: change.at,
        };
        last.into_iter().map(moment).collect()
    }

    fn key_name(&self, key: Key) -> (bool, String) {
        match key {
            Key::Member(NodeId(node)) => (true, self.name(NodeId(node)).to_owned()),
            other => (false, other.to_string().trim_start_matches('/').to_owned()),
        }
    }

    /// Whose a lease is, its number, and what is left of it.
    fn lease_at(&self, lease: u64, t: SimTime) -> Option<(String, u64, Span)> {
        let lives = &self.store.leases;
        let life = &lives[lives.binary_search_by_key(&lease, |life| life.lease.0).ok()?];
        let full = life.full.partition_point(|full| *full <= t);
        let last = life.full[..full].last().copied().unwrap_or(SimTime::ZERO);
        Some((life.owner.clone(), lease, (last + life.ttl).since(t)))
    }
}
