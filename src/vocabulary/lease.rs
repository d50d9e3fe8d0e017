//! What is said where a lease or a lock gives out a fencing token and something outside looks at it: between workers, who
//! grants, and the resource they write to (protocols.md 1, 13, 14).

use super::NodeId;
use crate::engine::{ProcId, Span};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A fencing token: a number that is greater with every grant. It orders holders, it does not tell the time.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(transparent)]
pub struct Token(pub u64);

/// Where a token has the timeline of the database that issued it above its epoch (protocols.md 14(d)).
const TIMELINE_SHIFT: u32 = 48;

impl Token {
    /// A token that orders by timeline first: the same epoch on a later timeline is a later token.
    pub fn on_timeline(timeline: u16, epoch: u64) -> Token {
        Token(u64::from(timeline) << TIMELINE_SHIFT | epoch)
    }
}

impl fmt::Display for Token {
    /// `33`, or `2.8` for epoch 8 on timeline 2.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 >> TIMELINE_SHIFT {
            0 => write!(f, "{}", self.0),
            timeline => write!(f, "{timeline}.{}", self.0 & ((1 << TIMELINE_SHIFT) - 1)),
        }
    }
}

/// One thing that a resource keeps: a row, a file, an e-mail.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
#[serde(transparent)]
pub struct Object(pub u16);

/// What a worker asks of who grants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Ask {
    /// Be the holder. `lock`: which lock, where there are several.
    Acquire { lock: u64 },
    /// Stay the holder; without a token it only asks whether the session is there.
    Renew { token: Option<Token> },
    /// Be the holder no longer.
    Release { token: Option<Token> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Grant {
    /// The lock of a session has neither a token nor an end of its own.
    Granted {
        token: Option<Token>,
        ttl: Option<Span>,
    },
    Renewed {
        ttl: Option<Span>,
    },
    /// Another holds it; of a renewal: no longer.
    Refused,
    Released,
}

/// A change of an object, as its writer wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Effect {
    Write {
        object: Object,
        token: Option<Token>,
        /// Names what is to be done, so that it is done once however often it is asked for.
        key: Option<u32>,
        /// Whose commit it follows, where it follows one.
        confirmed_by: Option<NodeId>,
    },
    /// Changes nothing but the fences: nobody with an older token may write any of the objects from now on.
    Stamp { token: Option<Token> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum EffectAnswer {
    Accepted,
    /// A newer token has been seen: 0 rows.
    Rejected {
        fence: Token,
    },
    /// Done already, by this key; nothing was done now.
    Repeated,
}

/// The row of a database that is lock and fence in one, as it is copied to a standby.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct LeaderRow {
    pub holder: Option<ProcId>,
    pub epoch: u64,
    /// By the database's wall clock, in µs.
    pub expires_us: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum LeaseMessage {
    Ask {
        request: u32,
        ask: Ask,
    },
    Answer {
        request: u32,
        grant: Grant,
    },
    /// The first statement of a transaction: `SELECT … WHERE epoch = mine`, with `FOR SHARE` or without.
    Guard {
        request: u32,
        token: Token,
        share: bool,
    },
    Guarded {
        request: u32,
        /// A row came back.
        holds: bool,
    },
    Effect {
        request: u32,
        effect: Effect,
    },
    Done {
        request: u32,
        answer: EffectAnswer,
    },
    /// From a database to its standby.
    Row(LeaderRow),
    RowFlushed {
        epoch: u64,
    },
}

/// Why a worker no longer takes itself for the holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// Its own count of the lease is over.
    Expired,
    /// It was told that it is not the holder.
    Refused,
    /// The session that had the lock is over.
    SessionEnded,
    /// No answer to its question whether the session is there.
    Silence,
    GaveBack,
}

/// What those concerned state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum LeaseNote {
    // --- who grants
    Granted {
        to: ProcId,
        lock: u64,
        token: Option<Token>,
        ttl: Option<Span>,
    },
    Renewed {
        to: ProcId,
        token: Option<Token>,
    },
    RenewalRefused {
        to: ProcId,
        token: Option<Token>,
    },
    /// Nobody holds it from now on: its time is over.
    Expired {
        token: Token,
    },
    Released {
        by: ProcId,
        token: Option<Token>,
    },
    /// The session that held a lock is over, and the lock is free.
    SessionGone {
        of: ProcId,
        lock: u64,
    },
    /// A restart brought nothing back: not who holds it, not how far the tokens were.
    Forgot,
    /// A statement waits for a row that a transaction has locked.
    Blocked {
        who: ProcId,
    },
    /// A standby takes over.
    Promoted {
        timeline: u16,
        epoch: u64,
    },

    // --- worker
    /// From now on it takes itself for the holder; for so long by its own clock, or until its session ends.
    Holds {
        token: Option<Token>,
        span: Option<Span>,
    },
    /// The same for longer.
    Extends {
        span: Span,
    },
    Loses {
        token: Option<Token>,
        why: Loss,
    },
    /// It looked whether it holds, before it does something.
    Looked {
        holds: bool,
    },
    /// What it was told of what it did.
    Told {
        object: Option<Object>,
        answer: EffectAnswer,
    },

    // --- resource
    Accepted {
        by: ProcId,
        object: Object,
        token: Option<Token>,
        confirmed_by: Option<NodeId>,
    },
    Rejected {
        by: ProcId,
        /// None: of all objects at once.
        object: Option<Object>,
        token: Option<Token>,
        fence: Token,
    },
    Repeated {
        by: ProcId,
        object: Object,
        key: u32,
    },
    Stamped {
        by: ProcId,
        token: Token,
    },

    // --- clients of the Patroni cluster
    /// A client goes on to the resources outside with the token of the leader that confirmed its commit.
    GoesOutside {
        commit: u32,
        token: Option<Token>,
    },
    /// The agent hands out the revision that created its leader key as a token.
    HandsOut {
        token: Token,
    },
}
