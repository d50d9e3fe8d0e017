//! The words the actors share: what travels on connections, what lies in files, what is noted in the trace.
//!
//! Actors are apart from each other; this is the only thing they have in common. It holds no rules.

mod lease;
mod message;
mod note;
mod order;
mod settings;
mod store;
mod wal;

pub use lease::{Ask, Effect, EffectAnswer, Grant, LeaderRow, LeaseMessage, LeaseNote, Loss, Object, Token};
pub use message::{
    DbRole, File, FileName, Message, RecoveryConfig, RestStatus, SqlAnswer, SqlError, SqlQuery, SqlState, SyncNames,
};
pub use note::{Database, Decline, Demotion, LockNote, Note, Phase, SessionEnd, Step, WriteOutcome};
pub use order::{Order, Tag};
pub use settings::{Changes, SettingValue, Settings, SynchronousMode};
pub use store::{
    Compare, FailoverRequest, Item, Key, Keys, LeaseId, Logged, Reading, Revision, StoreAnswer, StoreError, StoreOp,
    SyncState, Ticket, Txn, Value, WatchEvent,
};
pub use wal::{Branch, ControlFile, ControlState, History, Lsn, Position, Switch, Timeline};

use crate::engine::Wire;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

/// A database node, counted from zero in the order of the scenario's `nodes`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
#[serde(transparent)]
pub struct NodeId(pub u8);

impl NodeId {
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A set of nodes.
///
/// ```
/// use leaselab::vocabulary::{NodeId, NodeSet};
/// let set: NodeSet = [NodeId(2), NodeId(0)].into_iter().collect();
/// assert!(set.contains(NodeId(2)) && !set.contains(NodeId(1)));
/// assert_eq!(set.iter().collect::<Vec<_>>(), [NodeId(0), NodeId(2)]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct NodeSet(u8);

impl NodeSet {
    pub const EMPTY: NodeSet = NodeSet(0);

    pub fn contains(self, node: NodeId) -> bool {
        self.0 & (1 << node.0) != 0
    }
    #[must_use]
    pub fn with(self, node: NodeId) -> NodeSet {
        NodeSet(self.0 | 1 << node.0)
    }
    #[must_use]
    pub fn without(self, node: NodeId) -> NodeSet {
        NodeSet(self.0 & !(1 << node.0))
    }
    #[must_use]
    pub fn union(self, other: NodeSet) -> NodeSet {
        NodeSet(self.0 | other.0)
    }
    #[must_use]
    pub fn intersection(self, other: NodeSet) -> NodeSet {
        NodeSet(self.0 & other.0)
    }
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// In the order of the nodes.
    pub fn iter(self) -> impl Iterator<Item = NodeId> {
        (0..8).map(NodeId).filter(move |&node| self.contains(node))
    }
}

impl FromIterator<NodeId> for NodeSet {
    fn from_iter<I: IntoIterator<Item = NodeId>>(nodes: I) -> NodeSet {
        nodes.into_iter().fold(NodeSet::EMPTY, NodeSet::with)
    }
}

/// The language of LeaseLab's worlds.
#[derive(Clone, Debug, PartialEq)]
pub struct Words;

impl Wire for Words {
    type Message = Message;
    type FileName = FileName;
    type File = File;
    type Note = Note;
    type Order = Order;
}
