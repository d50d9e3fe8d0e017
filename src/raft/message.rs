//! What members say to each other.

use super::{Entry, Index, ReadToken, Term};
use borsh::{BorshDeserialize, BorshSerialize};

#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Message<C> {
    /// The sender's term; in a pre-vote and in its grant the term that the candidate would have.
    pub term: Term,
    pub body: Body<C>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
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
    /// On success, up to where the logs now match; otherwise where the leader may try again.
    Appended {
        success: bool,
        at: Index,
    },
    /// T10: never tells a follower to commit what it may not have.
    Heartbeat {
        commit: Index,
        read: Option<ReadToken>,
    },
    HeartbeatAck {
        read: Option<ReadToken>,
    },
    /// A follower's linearizable read, passed on to the leader.
    ReadRequest {
        token: ReadToken,
    },
    ReadAnswer {
        token: ReadToken,
        index: Index,
    },
}
