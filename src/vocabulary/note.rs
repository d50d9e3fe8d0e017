//! What actors state about themselves. Verdict, timeline, event list and transcripts are made from these; no actor
//! ever reads another's.

use super::{
    Branch, Changes, Item, Key, LeaseId, LeaseNote, Lsn, NodeId, NodeSet, Position, Revision, SqlError, Timeline,
    Token, Value,
};
use crate::engine::{ProcId, Span};
use crate::raft::{Index, RoleName, Term};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

/// Where the HA loop of an agent stands: one value for each place at which a fault can find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The agent process is coming up.
    Starting,
    Sleeping,
    /// Waits for its copy of the store's keys to be connected again.
    ReadingCluster,
    /// Asks its own database for role and position.
    AskingDatabase,
    RenewingLease,
    PublishingStatus,
    /// The leader race: questions to the other members.
    AskingPeers,
    /// A leader without its store asks every member whether it may lead on.
    AskingFailsafe,
    /// Asks whether another node could take over.
    AskingCandidates,
    /// Asks the leader's database whether its own log is part of the leader's history.
    AskingLeader,
    AcquiringKey,
    /// Waits for its database to stop.
    StoppingDatabase,
    /// Waits for its database to take sessions again.
    StartingDatabase,
    PublishingMember,
    /// Gives the leader key up.
    ReleasingKey,
}

/// Why an agent gives its database up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "snake_case")]
pub enum Demotion {
    /// The store could not be reached: fast stop, restart read-only with no upstream (Patroni: `offline`).
    StoreUnreachable,
    /// Another node holds the key: immediate stop (Patroni: `immediate-nolock`).
    LockLost,
    /// The watchdog could not be opened although it is required (Patroni: `immediate`).
    WatchdogMissing,
    /// The database crashed or starts too slowly, and another node can take over (Patroni: `immediate`).
    DatabaseFailed,
    /// Somebody asked for it: in good order, with a checkpoint first (Patroni: `graceful`).
    HandsOver,
}

/// Why a candidate does not race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Decline {
    DatabaseStarting,
    DatabaseDown,
    WatchdogUnusable,
    /// Further behind the published position than `maximum_lag_on_failover`.
    Lagging {
        behind: u64,
    },
    /// A peer answered that it runs as primary.
    PeerIsPrimary {
        peer: NodeId,
    },
    /// A peer's position is ahead of the one this candidate read at the start of its cycle.
    PeerAhead {
        peer: NodeId,
        mine: Lsn,
        theirs: Lsn,
    },
    /// Its timeline is older than the last recorded one.
    OldTimeline,
    /// Tagged so that it must not lead, or with a priority of 0.
    NoFailover,
    /// The cluster is in maintenance mode.
    Maintenance,
    /// The last failsafe list that it saw does not name it.
    NotInFailsafe,
    /// Synchronous mode is on and it is no synchronous standby.
    NotSynchronous,
    /// The request names another node, which is fit to lead.
    NotTheCandidate,
    /// A peer as far as this one has a higher priority.
    PeerPreferred {
        peer: NodeId,
    },
    /// In quorum mode: fewer voters than needed are no further.
    TooFewVotes {
        votes: u8,
        needed: u8,
    },
    /// The old primary still sends WAL, or its lease has only just run out (Patroni: `primary_race_backoff`).
    BacksOff,
}

/// What a database does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Down,
    /// Coming up, crash recovery included: no sessions yet.
    Starting,
    /// A standby: reads only.
    Recovery,
    /// Told to promote, not yet open for writing.
    Promoting,
    Primary,
    /// Refuses new sessions and ends.
    Stopping,
}

/// The state of a database after a change.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Database {
    pub phase: Phase,
    pub position: Position,
}

impl Database {
    /// A local session could commit at this instant (if the process runs).
    pub fn writable(&self) -> bool {
        self.phase == Phase::Primary
    }
}

/// How a client's write ended, as the client knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum WriteOutcome {
    /// The client was told that it is committed. The rest is what the observer needs to look for it later.
    Acknowledged {
        by: NodeId,
        branch: Branch,
        lsn: Lsn,
        /// The fencing token that came with the answer.
        token: Option<Token>,
    },
    /// Said no, or nobody to send it to: certainly not done.
    Refused(Option<SqlError>),
    /// Sent, and neither confirmed nor refused.
    Unknown,
}

/// How a client of the lock learns that its session is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionEnd {
    /// The store answered that the lease is gone.
    LeaseGone,
    /// No answer to a keep-alive for as long as the lease lasts.
    Silence,
}

/// What a client of the lock states. It takes itself for the holder from `Enters` until `SessionEnds` or `Releases`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum LockNote {
    /// Its key stands in the queue; it waits for this one, the last before it, to go.
    Waits {
        on: LeaseId,
    },
    /// The key it waited for is gone.
    Hears {
        gone: LeaseId,
    },
    /// The token for outside resources is the revision that created its key.
    Enters {
        token: Revision,
    },
    /// Its turn has come, and its own key or its session is gone: it does not enter.
    Refused,
    /// Whether the store says that its key is the one it created.
    IsOwner {
        yes: bool,
    },
    SessionEnds(SessionEnd),
    Releases,
}

#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Note {
    // --- store
    /// A member's place in its Raft group has changed.
    StoreRole {
        role: RoleName,
        term: Term,
    },
    /// A member has learned that the log is agreed on up to here.
    StoreCommit {
        index: Index,
    },
    /// Its disk holds its raft thread up, for so long already: it takes no part in anything that is decided.
    StoreHangs {
        already: Span,
    },
    StoreGoesOn,
    LeaseGranted {
        lease: LeaseId,
        ttl: Span,
    },
    LeaseRenewed {
        lease: LeaseId,
    },
    /// Found expired; its keys go with it.
    LeaseExpired {
        lease: LeaseId,
    },
    LeaseRevoked {
        lease: LeaseId,
    },
    /// Noted by the member that leads. A new leader may say again what the old one had said: same revision, same change.
    KeyPut {
        key: Key,
        /// What it holds now.
        value: Box<Value>,
        /// Who leads, of the leader key.
        holder: Option<NodeId>,
        lease: Option<LeaseId>,
        revision: Revision,
        created: bool,
    },
    KeyDeleted {
        key: Key,
        revision: Revision,
    },
    /// A create found the key taken.
    CreateRefused {
        key: Key,
    },

    // --- agent
    Step(Step),
    /// A cycle of the HA loop begins.
    CycleBegins,
    /// From now on, for so long by its own clock, it takes itself for the leader.
    Believes {
        span: Span,
    },
    StopsBelieving,
    /// No answer from the store within `retry_timeout`.
    StoreUnreachable,
    /// Its view of the store has no leader: it considers to race.
    SeesNoLeader,
    Declines(Decline),
    Acquires,
    LosesRace,
    OrdersPromotion,
    Demotes(Demotion),
    Follows(Option<NodeId>),
    /// Takes back what its database wrote beyond the point the new leader's history knows.
    Rewinds {
        from: Lsn,
        to: Lsn,
    },
    /// Throws its database away and copies the leader's.
    Clones,
    DatabaseFoundDead,
    /// Runs the crash recovery of a dead primary in single-user mode.
    RecoversCrash,
    /// Every member agreed that it leads on without the store.
    FailsafeHolds,
    /// A member did not agree, or did not answer.
    FailsafeFails,
    /// Another node said that it leads without the store, and is taken for the leader for one ttl.
    FailsafeAccepted {
        leader: NodeId,
    },
    /// It was asked to hand the leadership over, to this node or to any.
    AskedToHandOver {
        to: Option<NodeId>,
    },
    /// It was asked and does not do it: no node can take over.
    NobodyCanTakeOver,
    /// A handover for a later time is not taken on: the time is past, or the cluster is in maintenance mode.
    ScheduleRefused,
    /// It waits for the time of a handover, which is less than a loop away.
    AwaitsSchedule,
    /// The time of a handover is long past: the request is dropped.
    ScheduleDropped,
    /// Maintenance mode begins or ends.
    Maintenance {
        on: bool,
    },
    /// The agent goes by a new configuration, but for its timings.
    AdoptsSettings(Box<Changes>),
    /// The agent goes by new timings, adjusted as they had to be.
    AdoptsTimings {
        ttl: Span,
        loop_wait: Span,
        retry_timeout: Span,
    },
    /// A change of the configuration was not made: it had changed meanwhile, or the store could not be reached.
    SettingsRefused,
    RestartsDatabase,
    /// The agent was asked to end.
    ShutsDown,
    /// Another agent with the same name answers: this one does not start.
    NameTaken,
    /// Commits wait for these standbys from now on.
    WaitsFor {
        count: u8,
        standbys: NodeSet,
    },

    // --- database
    Database(Database),
    Promoted {
        branch: Branch,
        timeline: Timeline,
        at: Lsn,
    },
    /// Changes of its upstream begin to come.
    Streams {
        upstream: ProcId,
    },
    StopsStreaming,
    /// Cannot follow: its log is not part of the upstream's history.
    CannotFollow,

    // --- watchdog
    WatchdogOpened {
        timeout: Span,
    },
    WatchdogPinged {
        timeout: Span,
    },
    WatchdogClosed,
    WatchdogFires,

    // --- lock clients
    Lock(LockNote),

    // --- traffic
    Routes {
        to: Option<NodeId>,
    },
    Write {
        direct: bool,
        outcome: WriteOutcome,
    },

    // --- leases that give out tokens, and what looks at these
    Lease(LeaseNote),
}

impl Note {
    /// A key was put, and is this now.
    pub fn key_put(item: &Item) -> Note {
        Note::KeyPut {
            key: item.key,
            value: Box::new(item.value.clone()),
            holder: match item.value {
                Value::Leader(node) => Some(node),
                _ => None,
            },
            lease: item.lease,
            revision: item.modified,
            created: item.version == 1,
        }
    }
}
