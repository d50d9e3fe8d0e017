//! The store's keys at one instant, as the store has them: no node's belief, and no copy of them.

use super::story::{KeyLine, Story};
use crate::engine::{EventId, SimTime, Span};
use crate::vocabulary::{Key, LeaseId, NodeId};

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
    /// The revision that created it; none when it is deleted.
    pub create: Option<u64>,
    /// The lease that it hangs on: whose, its number, and what is left of it by the store's clock.
    pub lease: Option<(String, u64, Span)>,
    /// Nobody counts the time of leases: the store has no leader.
    pub uncounted: bool,
    /// How long ago it was changed.
    pub age: Span,
    pub news: Option<KeyNews>,
    pub event: EventId,
    pub at: SimTime,
}

/// How new a change of a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyNews {
    /// Within the last loop_wait, and since the last row of the event list before this instant.
    Now,
    /// Only within the last loop_wait.
    ThisLoop,
}

impl Story {
    /// All keys that are there at instant `t`, and those that were before: the members last. `loop_wait`: how long a change
    /// counts as one of this loop.
    pub fn keys_at(&self, t: SimTime, loop_wait: Span) -> Vec<KeyMoment> {
        let (now, uncounted) = (self.since_last_event(t), self.at(t).no_quorum_since.is_some());
        let moment = |line: &KeyLine| {
            let so_far = line.changes.partition_point(|change| change.at <= t);
            let change = line.changes[..so_far].last()?;
            let (is_member, name) = self.key_name(line.key);
            Some(KeyMoment {
                name,
                is_member,
                value: change.put.as_ref().map(|put| put.value.clone()),
                revision: change.revision.0,
                create: change.put.as_ref().map(|put| put.create.0),
                lease: change.put.as_ref().and_then(|put| self.lease_at(put.lease?, t)),
                uncounted,
                age: t.since(change.at),
                // At the very beginning all of it was there before.
                news: Some(change.at)
                    .filter(|at| *at > SimTime::ZERO)
                    .and_then(|at| match at {
                        at if t.since(at) > loop_wait => None,
                        at if at >= now => Some(KeyNews::Now),
                        _ => Some(KeyNews::ThisLoop),
                    }),
                event: change.event,
                at: change.at,
            })
        };
        let mut keys: Vec<KeyMoment> = self.store.keys.iter().filter_map(moment).collect();
        crate::sorting::by_key(&mut keys, |key| (key.is_member, key.name.clone()));
        keys
    }

    /// When the last row of the event list was told. At the instant of a row itself, that of the row before.
    fn since_last_event(&self, t: SimTime) -> SimTime {
        let before = self.rows.partition_point(|row| row.at < t);
        self.rows[..before].last().map_or(SimTime::ZERO, |row| row.at)
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
