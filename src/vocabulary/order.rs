//! What an operator tells a process, and the conditions a fault can put one under.

use super::{Changes, NodeId};
use crate::engine::{Span, WallTime};
use serde::Serialize;

/// A tag of a node that says what it must not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tag {
    NoFailover,
    NoSync,
}

impl Tag {
    /// As Patroni and a scenario file write it.
    pub const fn word(self) -> &'static str {
        match self {
            Tag::NoFailover => "nofailover",
            Tag::NoSync => "nosync",
        }
    }
}

/// One order. Those marked *once* are told and done; the others stand until the fault ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "order", rename_all = "snake_case")]
pub enum Order {
    // --- to an agent, through its REST interface
    /// Once: hand the leadership over in good order, to this node or to any that can take it; at once, or when the leader's
    /// clock says so.
    Switchover {
        to: Option<NodeId>,
        scheduled: Option<WallTime>,
    },
    /// Once: make this agent's node the leader, whether or not there is one.
    Failover,
    /// Once: restart the database, keeping the lock.
    RestartDatabase,
    /// The cluster is in maintenance mode (Patroni: `pause`): nothing is promoted or demoted by itself.
    Maintenance,
    /// Once: change the dynamic configuration (`patronictl edit-config`).
    Configure(Box<Changes>),

    // --- to an agent, as a fault
    /// The HA loop stands still; REST, watcher and executor go on.
    BlockLoop,
    /// The watcher's stream stands still: the copy of the store's keys grows stale and nobody notices.
    BlockWatcher,
    /// Its configuration file has this tag, read again before its next cycle.
    Tag(Tag),
    /// `pg_ctl promote` fails.
    FailPromotion,
    /// Once: the agent is started again with another member's name in its configuration.
    TakeName { name: NodeId },

    // --- to a database
    /// Every answer to the agent's monitoring queries takes so much longer.
    SlowSql { by: Span },
    /// A stop does not end: some process of the server cannot be killed.
    StuckStop,

    // --- to a member of the store
    /// It answers every request with an error that its clients do not know.
    AnswerErrors,
    /// Once: the leader key is deleted by hand.
    DeleteLeaderKey,
}
