//! What members say to each other.

use super::{Entry, Index, ReadToken, Term, Tick};
use borsh::{BorshDeserialize, BorshSerialize};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
pub struct Message<C> {
    /// The sender's term; in a pre-vote and in its grant the term that the candidate would have.
    pub term: Term,
    pub body: Body<C>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
pub enum Body<C> {
    /// "Would you vote for me?", without moving anybody's term (T12).
    PreVote {
        last: Index,
        last_term: Term,
    },
    PreVoted {
        granted: bool,
    },
    Vote {
        last: Index,
        last_term: Term,
    },
    Voted {
        granted: bool,
    },
    /// T8
    Append {
        previous: Index,
        previous_term: Term,
        entries: Vec<Entry<C>>,
        commit: Index,
    },
    /// Up to here the sender's log is on disk and the same as the leader's. Zero says nothing but the sender's term (T2).
    Appended {
        matched: Index,
    },
    /// The sender's log does not have the leader's entry at `previous`. The last place where it may be the same is
    /// `hint`, of this term (T8).
    Refused {
        previous: Index,
        hint: Index,
        hint_term: Term,
    },
    /// T10: never tells a follower to commit what it may not have.
    Heartbeat {
        commit: Index,
        round: Round,
    },
    HeartbeatAck {
        round: Round,
    },
    /// A follower's linearizable read, passed on to the leader (T13).
    ReadRequest {
        token: ReadToken,
    },
    ReadAnswer {
        token: ReadToken,
        index: Index,
    },
}

/// A round of heartbeats, named by its leader so that an answer tells what it is an answer to. Later rounds are greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
pub struct Round {
    /// When it began, on the leader's clock (T14).
    pub started: Tick,
    /// How many reads of this leadership were waiting or done when it began: an answer confirms them all (T13).
    pub reads: u64,
}
