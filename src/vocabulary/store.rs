//! What the store keeps and how it is asked: keys, values, operations, answers.

use super::{DbRole, Lsn, NodeId, NodeSet, Settings, SqlState, Timeline};
use crate::engine::{Span, WallTime};
use crate::raft::MemberId;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The store's global counter: plus one with every transaction that changed something (etcd: revision).
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(transparent)]
pub struct Revision(pub u64);

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
#[serde(transparent)]
pub struct LeaseId(pub u64);

/// The keys a Patroni cluster keeps, below `/service/<scope>/`, and those of one lock.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    Leader,
    Status,
    History,
    /// Who may lead and who is asked while synchronous mode is on.
    Sync,
    /// All members, as the leader saw them last: whom failsafe mode asks.
    Failsafe,
    /// A request to hand the leadership over.
    Failover,
    /// The dynamic configuration. Not there before the first change: until then every agent's own file says the same.
    Config,
    Member(NodeId),
    /// What stands for one client in the queue for the lock: named after the lease it hangs on, as etcd's recipe does.
    Lock(LeaseId),
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Leader => f.write_str("/leader"),
            Key::Status => f.write_str("/status"),
            Key::History => f.write_str("/history"),
            Key::Sync => f.write_str("/sync"),
            Key::Failsafe => f.write_str("/failsafe"),
            Key::Failover => f.write_str("/failover"),
            Key::Config => f.write_str("/config"),
            Key::Member(node) => write!(f, "/members/{}", node.0),
            Key::Lock(lease) => write!(f, "/lock/{:x}", lease.0),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Value {
    /// The leader key: who leads.
    Leader(NodeId),
    /// The leader's WAL position as last published.
    Status(Lsn),
    /// The last switch: the timeline that began, and where.
    History(Timeline, Lsn),
    Sync(SyncState),
    Failsafe(NodeSet),
    Failover(FailoverRequest),
    Config(Box<Settings>),
    Member {
        role: DbRole,
        state: SqlState,
        lsn: Lsn,
        timeline: Timeline,
        /// Must not lead.
        nofailover: bool,
        /// Must not be a synchronous standby.
        nosync: bool,
        /// Of those that may be one, whoever has the highest is preferred.
        sync_priority: u16,
    },
    /// A lock's key is there or not; it says nothing else.
    Empty,
}

/// What the `/sync` key says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct SyncState {
    /// Who wrote it as the leader; none: synchronous mode is off.
    pub leader: Option<NodeId>,
    /// The standbys one of which commits wait for; in quorum mode the voters.
    pub standbys: NodeSet,
    /// In quorum mode: of how many voters a candidate must be no further behind than any; otherwise 0.
    pub quorum: u8,
}

/// What the `/failover` key says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct FailoverRequest {
    /// Who is to give the leadership up (a switchover); none: whoever leads, if anybody does (a failover).
    pub leader: Option<NodeId>,
    pub candidate: Option<NodeId>,
    /// Not before this time, by the leader's clock.
    pub scheduled: Option<WallTime>,
}

/// A key as stored.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Item {
    pub key: Key,
    pub value: Value,
    pub create: Revision,
    pub modified: Revision,
    pub version: u64,
    pub lease: Option<LeaseId>,
}

impl Item {
    /// What a put at revision `at` makes of a key that holds `old`.
    pub fn put(old: Option<&Item>, key: Key, value: Value, lease: Option<LeaseId>, at: Revision) -> Item {
        Item {
            key,
            value,
            create: old.map_or(at, |old| old.create),
            modified: at,
            version: old.map_or(1, |old| old.version + 1),
            lease,
        }
    }
}

/// A condition of a transaction.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Compare {
    /// Create revision 0: the key does not exist.
    Absent(Key),
    /// The key was last created at this revision: it has not been deleted since.
    CreatedAt(Key, Revision),
    /// Never holds for a key that does not exist.
    ValueIs(Key, Value),
    /// Its modification revision; 0 for a key that does not exist.
    ModifiedAt(Key, Revision),
}

/// All conditions hold: `then`, otherwise `or_else`. One revision for the whole.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Txn {
    pub when: Vec<Compare>,
    pub then: Vec<StoreOp>,
    pub or_else: Vec<StoreOp>,
}

/// Which keys are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Keys {
    All,
    One(Key),
    /// The queue for the lock.
    Locks,
}

impl Keys {
    pub fn contain(self, key: Key) -> bool {
        match self {
            Keys::All => true,
            Keys::One(one) => key == one,
            Keys::Locks => matches!(key, Key::Lock(_)),
        }
    }
}

/// What a read may miss (etcd's api_guarantees).
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Reading {
    /// Nothing that was acknowledged before the read was asked for. Needs a majority.
    Linearizable,
    /// Whatever the member that is asked has not heard of yet. It answers at once, from its own copy, also when it is cut
    /// off from all others.
    Serializable,
}

#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum StoreOp {
    /// Within a transaction the reading does not matter.
    Range {
        keys: Keys,
        reading: Reading,
    },
    Put {
        key: Key,
        value: Value,
        lease: Option<LeaseId>,
    },
    Delete {
        key: Key,
    },
    Txn(Box<Txn>),
    /// The answer says for how long it really is granted.
    LeaseGrant {
        ttl: Span,
    },
    LeaseKeepAlive {
        lease: LeaseId,
    },
    LeaseRevoke {
        lease: LeaseId,
    },
    /// All changes after this revision, until the connection ends.
    Watch {
        after: Revision,
    },
    /// Who the members are: what a client asks to refresh its list of servers.
    Members,
}

/// A request's name within the store: who was asked, and that member's own number for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Ticket {
    pub member: MemberId,
    pub number: u64,
}

/// What the store's members agree on: an operation, and where its answer is waited for.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Logged {
    pub ticket: Ticket,
    pub op: StoreOp,
}

#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum StoreAnswer {
    Items(Vec<Item>),
    Done,
    /// Which branch a transaction took.
    Txn {
        succeeded: bool,
        inner: Vec<StoreAnswer>,
    },
    Lease {
        lease: LeaseId,
        ttl: Span,
    },
    /// The keep-alive of a lease that does not exist (etcd answers with a TTL of 0).
    LeaseGone,
    Watching,
    Members,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum StoreError {
    /// A put or a revoke names a lease that is gone (etcd: `requested lease not found`).
    LeaseNotFound,
    /// An error that the client has no name for: neither a refusal nor a reason to try again.
    Unknown,
    /// A grant asks for more than the store can count (etcd: `too large lease TTL`).
    LeaseTtlTooLarge,
}

#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum WatchEvent {
    Put(Item),
    Delete { key: Key, at: Revision },
}
