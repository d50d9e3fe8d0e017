//! The key space: revisions, transactions, leases. A plain value without clocks: every member applies the same log to it
//! and has the same contents afterwards. When a lease runs out is the lessor's business.

use crate::engine::Span;
use crate::vocabulary::{
    Compare, Item, Key, Keys, LeaseId, Revision, StoreAnswer, StoreError, StoreOp, Txn, Value, WatchEvent,
};
use std::collections::BTreeMap;

/// etcd counts the seconds of a lease and refuses more than it could add to a time (server/lease/lessor.go, `MaxLeaseTTL`).
const TTL_MAX: Span = Span::from_secs(9_000_000_000);

/// ```
/// use leaselab::store::Kv;
/// use leaselab::vocabulary::*;
/// let mut kv = Kv::default();
/// let mut changes = Vec::new();
/// let me = Value::Leader(NodeId(0));
/// let create = StoreOp::Txn(Box::new(Txn {
///     when: vec![Compare::Absent(Key::Leader)],
///     then: vec![StoreOp::Put { key: Key::Leader, value: me, lease: None }],
///     or_else: vec![],
/// }));
/// let first = kv.apply(&create, &mut changes).unwrap();
/// let second = kv.apply(&create, &mut changes).unwrap();
/// assert!(matches!(first, StoreAnswer::Txn { succeeded: true, .. }));
/// assert!(matches!(second, StoreAnswer::Txn { succeeded: false, .. }));
/// assert_eq!(changes.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kv {
    revision: Revision,
    items: BTreeMap<Key, Item>,
    /// Each lease and how long it is granted for.
    leases: BTreeMap<LeaseId, Span>,
    last_lease: u64,
    /// Shorter leases are raised to it.
    least_ttl: Span,
}

impl Kv {
    /// An empty key space of a group with this election timeout.
    pub fn new(election_timeout: Span) -> Kv {
        Kv {
            least_ttl: least_ttl(election_timeout),
            ..Kv::default()
        }
    }

    /// The keys a read asks for.
    pub fn read(&self, keys: Keys) -> StoreAnswer {
        let asked = self.items.values().filter(|item| keys.contain(item.key));
        StoreAnswer::Items(asked.cloned().collect())
    }

    pub fn revision(&self) -> Revision {
        self.revision
    }
    /// Every key, in their order.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.items.values()
    }
    pub fn get(&self, key: Key) -> Option<&Item> {
        self.items.get(&key)
    }

    /// Whether an operation must be on disk before it is answered.
    pub fn writes(op: &StoreOp) -> bool {
        match op {
            StoreOp::Put { .. } | StoreOp::Delete { .. } | StoreOp::Txn(_) => true,
            StoreOp::LeaseGrant { .. } | StoreOp::LeaseRevoke { .. } => true,
            // Renewals live in the leader's memory only.
            StoreOp::LeaseKeepAlive { .. } | StoreOp::Range { .. } | StoreOp::Watch { .. } | StoreOp::Members => false,
        }
    }

    /// Carries out one operation. Everything it changes has one and the same new revision and is appended to `changes`.
    pub fn apply(&mut self, op: &StoreOp, changes: &mut Vec<WatchEvent>) -> Result<StoreAnswer, StoreError> {
        let next = Revision(self.revision.0 + 1);
        let before = changes.len();
        let answer = self.apply_at(op, next, changes);
        if changes.len() > before {
            self.revision = next;
        }
        answer
    }

    fn apply_at(
        &mut self,
        op: &StoreOp,
        at: Revision,
        changes: &mut Vec<WatchEvent>,
    ) -> Result<StoreAnswer, StoreError> {
        match op {
            StoreOp::Range { keys, .. } => Ok(self.read(*keys)),
            StoreOp::Put { key, value, lease } => self.put(*key, value.clone(), *lease, at, changes),
            StoreOp::Delete { key } => {
                self.delete(*key, at, changes);
                Ok(StoreAnswer::Done)
            }
            StoreOp::Txn(txn) => self.transact(txn, at, changes),
            StoreOp::LeaseGrant { ttl } if *ttl > TTL_MAX => Err(StoreError::LeaseTtlTooLarge),
            StoreOp::LeaseGrant { ttl } => {
                self.last_lease += 1;
                let (lease, ttl) = (LeaseId(self.last_lease), (*ttl).max(self.least_ttl));
                self.leases.insert(lease, ttl);
                Ok(StoreAnswer::Lease { lease, ttl })
            }
            // Renewals do not pass through the log; the lessor answers them.
            StoreOp::LeaseKeepAlive { lease } => Ok(match self.leases.get(lease) {
                Some(&ttl) => StoreAnswer::Lease { lease: *lease, ttl },
                None => StoreAnswer::LeaseGone,
            }),
            StoreOp::LeaseRevoke { lease } => self.revoke(*lease, at, changes),
            StoreOp::Watch { .. } => Ok(StoreAnswer::Watching),
            StoreOp::Members => Ok(StoreAnswer::Members),
        }
    }

    /// The leases that exist, with what they are granted for.
    pub fn leases(&self) -> impl Iterator<Item = (LeaseId, Span)> + '_ {
        self.leases.iter().map(|(&lease, &ttl)| (lease, ttl))
    }
    pub fn ttl(&self, lease: LeaseId) -> Option<Span> {
        self.leases.get(&lease).copied()
    }

    fn put(
        &mut self,
        key: Key,
        value: Value,
        lease: Option<LeaseId>,
        at: Revision,
        changes: &mut Vec<WatchEvent>,
    ) -> Result<StoreAnswer, StoreError> {
        if lease.is_some_and(|l| !self.leases.contains_key(&l)) {
            return Err(StoreError::LeaseNotFound);
        }
        let item = Item::put(self.items.get(&key), key, value, lease, at);
        changes.push(WatchEvent::Put(item.clone()));
        self.items.insert(key, item);
        Ok(StoreAnswer::Done)
    }

    fn delete(&mut self, key: Key, at: Revision, changes: &mut Vec<WatchEvent>) {
        if self.items.remove(&key).is_some() {
            changes.push(WatchEvent::Delete { key, at });
        }
    }

    /// A key that does not exist counts as created and modified at revision 0, and equals no value (etcd txn.go, `applyCompare`).
    fn holds(&self, compare: &Compare) -> bool {
        let created = |key| self.get(key).map_or(Revision(0), |item| item.create);
        let modified = |key| self.get(key).map_or(Revision(0), |item| item.modified);
        match compare {
            Compare::Absent(key) => created(*key) == Revision(0),
            Compare::CreatedAt(key, revision) => created(*key) == *revision,
            Compare::ModifiedAt(key, revision) => modified(*key) == *revision,
            Compare::ValueIs(key, value) => self.get(*key).is_some_and(|item| item.value == *value),
        }
    }

    /// All of it or nothing: an operation that must fail stops the whole before anything is changed.
    fn transact(&mut self, txn: &Txn, at: Revision, changes: &mut Vec<WatchEvent>) -> Result<StoreAnswer, StoreError> {
        let (before, changed) = (self.clone(), changes.len());
        let succeeded = txn.when.iter().all(|compare| self.holds(compare));
        let ops = if succeeded { &txn.then } else { &txn.or_else };
        let answers = ops.iter().map(|op| self.apply_at(op, at, changes));
        match answers.collect() {
            Ok(inner) => Ok(StoreAnswer::Txn { succeeded, inner }),
            Err(error) => {
                *self = before;
                changes.truncate(changed);
                Err(error)
            }
        }
    }

    fn revoke(
        &mut self,
        lease: LeaseId,
        at: Revision,
        changes: &mut Vec<WatchEvent>,
    ) -> Result<StoreAnswer, StoreError> {
        self.leases.remove(&lease).ok_or(StoreError::LeaseNotFound)?;
        let attached: Vec<Key> = self
            .items
            .values()
            .filter(|i| i.lease == Some(lease))
            .map(|i| i.key)
            .collect();
        for key in attached {
            self.delete(key, at, changes);
        }
        Ok(StoreAnswer::Done)
    }
}

/// etcd's shortest lease is one and a half election timeouts, rounded up to seconds: 2 s by default. A shorter one could
/// run out before a new leader is there to renew it.
pub fn least_ttl(election_timeout: Span) -> Span {
    Span::from_secs((election_timeout.as_micros() * 3).div_ceil(2 * 1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::NodeId;

    const LEADER: Value = Value::Leader(NodeId(0));

    fn grant(kv: &mut Kv, ttl_s: u64) -> LeaseId {
        match kv.apply(
            &StoreOp::LeaseGrant {
                ttl: Span::from_secs(ttl_s),
            },
            &mut Vec::new(),
        ) {
            Ok(StoreAnswer::Lease { lease, .. }) => lease,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_revoked_lease_takes_only_the_keys_that_still_hang_on_it() {
        let mut kv = Kv::default();
        let mut changes = Vec::new();
        let (old, new) = (grant(&mut kv, 30), grant(&mut kv, 30));
        let put = |lease| StoreOp::Put {
            key: Key::Leader,
            value: LEADER,
            lease: Some(lease),
        };
        kv.apply(&put(old), &mut changes).unwrap();
        kv.apply(&put(new), &mut changes).unwrap();
        kv.apply(&StoreOp::LeaseRevoke { lease: old }, &mut changes).unwrap();
        assert!(kv.get(Key::Leader).is_some());
        kv.apply(&StoreOp::LeaseRevoke { lease: new }, &mut changes).unwrap();
        assert!(kv.get(Key::Leader).is_none());
    }

    #[test]
    fn everything_a_transaction_changes_has_one_revision() {
        let mut kv = Kv::default();
        let mut changes = Vec::new();
        let put = |key| StoreOp::Put {
            key,
            value: LEADER,
            lease: None,
        };
        let txn = Txn {
            when: vec![],
            then: vec![put(Key::Leader), put(Key::Status)],
            or_else: vec![],
        };
        kv.apply(&StoreOp::Txn(Box::new(txn)), &mut changes).unwrap();
        assert_eq!(kv.revision(), Revision(1));
        assert!(
            changes
                .iter()
                .all(|c| matches!(c, WatchEvent::Put(item) if item.modified == Revision(1)))
        );
    }

    #[test]
    fn a_lease_shorter_than_one_and_a_half_election_timeouts_is_raised_to_it_in_whole_seconds() {
        for (election_ms, least_s) in [(500, 1), (1_000, 2), (2_000, 3), (2_100, 4)] {
            let mut kv = Kv::new(Span::from_millis(election_ms));
            let answer = kv.apply(
                &StoreOp::LeaseGrant {
                    ttl: Span::from_millis(1),
                },
                &mut Vec::new(),
            );
            assert_eq!(
                answer,
                Ok(StoreAnswer::Lease {
                    lease: LeaseId(1),
                    ttl: Span::from_secs(least_s)
                })
            );
        }
    }

    #[test]
    fn a_key_that_does_not_exist_was_created_at_0_and_has_no_value() {
        let (mut kv, mut changes) = (Kv::default(), Vec::new());
        let mut holds = |kv: &mut Kv, compare| {
            let (when, then, or_else) = (vec![compare], vec![], vec![]);
            let txn = Txn { when, then, or_else };
            match kv.apply(&StoreOp::Txn(Box::new(txn)), &mut changes) {
                Ok(StoreAnswer::Txn { succeeded, .. }) => succeeded,
                other => panic!("{other:?}"),
            }
        };
        assert!(holds(&mut kv, Compare::Absent(Key::Leader)));
        assert!(holds(&mut kv, Compare::CreatedAt(Key::Leader, Revision(0))));
        assert!(!holds(&mut kv, Compare::CreatedAt(Key::Leader, Revision(1))));
        assert!(!holds(&mut kv, Compare::ValueIs(Key::Leader, LEADER)));
        let (key, value, lease) = (Key::Leader, LEADER, None);
        let put = StoreOp::Put { key, value, lease };
        kv.apply(&put, &mut Vec::new()).unwrap();
        assert!(holds(&mut kv, Compare::CreatedAt(Key::Leader, Revision(1))));
        assert!(!holds(&mut kv, Compare::Absent(Key::Leader)));
        // Created anew is another key: what a fence goes by.
        kv.apply(&StoreOp::Delete { key }, &mut Vec::new()).unwrap();
        kv.apply(&put, &mut Vec::new()).unwrap();
        assert!(!holds(&mut kv, Compare::CreatedAt(Key::Leader, Revision(1))));
        assert_eq!(changes, [], "comparing changes nothing");
        assert_eq!(kv.revision(), Revision(3), "and has no revision of its own");
    }

    #[test]
    fn a_transaction_that_must_fail_leaves_everything_as_it_was() {
        let (mut kv, mut changes) = (Kv::default(), Vec::new());
        let put = |key, lease| StoreOp::Put {
            key,
            value: LEADER,
            lease,
        };
        let inner = Txn {
            when: vec![],
            then: vec![put(Key::Status, None), put(Key::History, Some(LeaseId(9)))],
            or_else: vec![],
        };
        let txn = Txn {
            when: vec![],
            then: vec![put(Key::Leader, None), StoreOp::Txn(Box::new(inner))],
            or_else: vec![],
        };
        let before = kv.clone();
        let answer = kv.apply(&StoreOp::Txn(Box::new(txn)), &mut changes);
        assert_eq!(answer, Err(StoreError::LeaseNotFound));
        assert_eq!((kv, changes), (before, Vec::new()));
    }

    #[test]
    fn a_put_under_a_lease_that_is_gone_is_refused() {
        let mut kv = Kv::default();
        let put = StoreOp::Put {
            key: Key::Leader,
            value: LEADER,
            lease: Some(LeaseId(9)),
        };
        assert_eq!(kv.apply(&put, &mut Vec::new()), Err(StoreError::LeaseNotFound));
    }
}
