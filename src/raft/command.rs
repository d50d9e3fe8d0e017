//! What the machine is lent for a step, what it asks for, and what of it survives.

use super::{Index, Log, MemberId, Message, ReadToken, RoleName, Term, Tick};

/// What the machine asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command<C> {
    /// Term, vote and log, as they are now ([`super::Raft::durable`]), must be on disk; answer with
    /// [`super::Raft::persisted`].
    Persist,
    Send {
        to: MemberId,
        message: Message<C>,
        after_persist: bool,
    },
    /// Everything up to this index may be applied.
    Committed(Index),
    /// Role or term changed.
    Became { role: RoleName, term: Term },
    /// Once everything up to the index is applied, the read may be served. Where the network duplicates, it may come twice.
    ReadReady { token: ReadToken, index: Index },
    /// This member cannot serve it: no leader, or deposed meanwhile.
    ReadFailed { token: ReadToken },
}

/// What the caller lends to a step: the time, dice, and where commands go.
pub struct Step<'a, C> {
    pub now: Tick,
    /// A uniform whole number below the bound.
    pub draw: &'a mut dyn FnMut(u64) -> u64,
    pub commands: &'a mut Vec<Command<C>>,
}

/// What survives a crash: exactly what was persisted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Durable<C> {
    pub term: Term,
    pub vote: Option<MemberId>,
    pub log: Log<C>,
}

impl<C> Default for Durable<C> {
    fn default() -> Self {
        Durable {
            term: Term(0),
            vote: None,
            log: Log::default(),
        }
    }
}
