//! What travels on connections and lies in files: SQL, replication, and the agents' REST interface. What is said to the
//! store is in `store.rs`.

use super::lease::LeaseMessage;
use super::store::{Logged, Revision, StoreAnswer, StoreError, StoreOp, Ticket, WatchEvent};
use super::{ControlFile, Lsn, NodeId, NodeSet, Position, Timeline, Token};
use crate::engine::{ProcId, Span};
use crate::raft::{self, Term};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

/// Whether a database would accept writes, as `pg_is_in_recovery()` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "snake_case")]
pub enum DbRole {
    Primary,
    Replica,
}

/// What an agent says of its database's condition (Patroni's `state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "snake_case")]
pub enum SqlState {
    Stopped,
    Starting,
    Running,
    Stopping,
    Crashed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum SqlQuery {
    /// A client's start-up packet: a session is asked for.
    Connect,
    /// The agent's monitoring query: role, position, timeline.
    Monitor,
    /// One row, committed. The number is the client's own.
    Insert {
        number: u32,
        /// `synchronous_commit = on`: the commit waits for the synchronous standbys; otherwise for the own disk only.
        waits: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum SqlAnswer {
    /// The session is open.
    Ready,
    Monitor {
        role: DbRole,
        position: Position,
        streaming: bool,
        /// The upstream refused to stream, for this log has left its history, which is given up to its present end.
        diverged: Option<Position>,
        /// The standbys that stream from here, and what each has told to have flushed.
        standbys: Vec<(NodeId, Lsn)>,
    },
    /// Durable on this node, at this position.
    Committed {
        insert: u32,
        node: NodeId,
        position: Position,
        /// The fencing token that the agent of this node handed out last, if it hands out any.
        token: Option<Token>,
    },
    Failed {
        insert: Option<u32>,
        error: SqlError,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "snake_case")]
pub enum SqlError {
    /// In recovery: reads only.
    ReadOnly,
    Starting,
    ShuttingDown,
}

/// The answer to `GET /patroni`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct RestStatus {
    pub state: SqlState,
    pub role: DbRole,
    /// Missing when the database did not tell: such an answer counts for nothing in a race.
    pub lsn: Option<Lsn>,
    pub timeline: Option<Timeline>,
    pub watchdog_failed: bool,
    pub nofailover: bool,
    pub priority: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Message {
    Store {
        request: u32,
        op: StoreOp,
    },
    StoreReply {
        request: u32,
        revision: Revision,
        /// The answering member's Raft term.
        term: Term,
        answer: Result<StoreAnswer, StoreError>,
    },
    WatchEvents {
        revision: Revision,
        term: Term,
        events: Vec<WatchEvent>,
    },

    /// Between the store's members.
    Raft(raft::Message<Logged>),
    /// A request that only the leader can decide.
    Forward {
        ticket: Ticket,
        op: StoreOp,
    },
    Forwarded {
        number: u64,
        answer: StoreAnswer,
    },
    /// Nothing to say, but still there.
    PeerAlive,

    Sql {
        request: u32,
        query: SqlQuery,
    },
    SqlReply {
        request: u32,
        answer: SqlAnswer,
    },

    /// A standby asks its upstream to stream from its position.
    Replicate {
        node: NodeId,
        from: Position,
    },
    /// The upstream's log now ends here. `confirm`: the upstream stops and waits until this is flushed.
    Wal {
        position: Position,
        confirm: bool,
    },
    /// The standby has flushed up to here.
    WalFlushed {
        lsn: Lsn,
    },
    /// The standby's log is not part of the upstream's history, which is given up to its present end.
    Diverged {
        from: Position,
    },

    /// `GET /patroni`: what a candidate asks its peers.
    AskStatus {
        request: u32,
    },
    Status {
        request: u32,
        status: RestStatus,
    },
    /// `POST /failsafe`: a leader without its store asks whether it may lead on.
    AskFailsafe {
        leader: NodeId,
    },
    /// Accepted, unless the asked node runs as primary itself.
    Failsafe {
        accepted: bool,
        lsn: Option<Lsn>,
    },
    /// `GET /primary`: what a router asks. True: 200, false: 503.
    AskPrimary {
        request: u32,
    },
    Primary {
        request: u32,
        yes: bool,
    },

    /// An agent's ping of its watchdog device; the first opens it.
    WatchdogPing {
        timeout: Span,
    },
    WatchdogClose,

    /// Of leases that give out tokens, and of what looks at these.
    Lease(LeaseMessage),
}

/// Files on a node. They survive the processes that write them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileName {
    /// `pg_control`
    Control,
    /// `postgresql.conf` and `standby.signal`
    Recovery,
    /// `synchronous_standby_names`
    SyncNames,
    /// The fencing token that the agent hands out. Real Patroni has no such thing.
    Token,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum File {
    Control(ControlFile),
    Recovery(RecoveryConfig),
    SyncNames(SyncNames),
    Token(Token),
}

/// `synchronous_standby_names`: how many of these standbys a commit waits for. Nobody named and more than none waited
/// for: a placeholder, and commits wait for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct SyncNames {
    pub count: u8,
    pub names: NodeSet,
}

/// How a database starts and whom it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryConfig {
    /// `standby.signal` exists: start in recovery and stay there until promoted.
    pub standby: bool,
    /// `primary_conninfo`: the upstream's database process.
    pub upstream: Option<ProcId>,
}
