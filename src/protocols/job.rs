//! What a worker does while it holds the leadership, and how far it has come with it.
//!
//! ```text
//!            its check's time            connection     SELECT … epoch = mine      its time        answer
//! (waiting) -----------------> Opening -----------+----> Asking ---------> Ready ---------> Sent -------> (done)
//!     |  its time, no check       ^                |       | no row          ^
//!     +---------------------------+                +-------|-----------------+  without such a question
//!                                                          +--> (given up)
//! ```
//!
//! A job that has begun goes on, whatever becomes of the leadership meanwhile: that is what a pause between the check and
//! the effect comes to (protocols.md 0.8).

use crate::engine::{ConnId, ProcId, Span};
use crate::vocabulary::{Effect, Object, Token};

/// How a worker looks whether it still holds, before a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// At its own clock: is its lease over? So long after the grant.
    Clock { after: Span },
    /// In the database, as the first statement of the transaction that the write commits: does the row still have my epoch?
    Guard {
        after: Span,
        /// `FOR SHARE`: a successor waits for the end of this transaction.
        share: bool,
    },
}

impl Check {
    pub fn after(self) -> Span {
        match self {
            Check::Clock { after } | Check::Guard { after, .. } => after,
        }
    }
}

/// One thing that a worker does, counted from each grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// When it writes, after the grant; not before its check is answered.
    pub after: Span,
    pub check: Option<Check>,
    pub object: Object,
    /// To whom.
    pub at: ProcId,
    /// Through the session that holds the lock, instead of a connection of its own.
    pub in_session: bool,
    /// Names what is done.
    pub key: Option<u32>,
    /// Once more after so long: a client that is not sure that the first time arrived.
    pub again_after: Option<Span>,
}

impl Job {
    pub(super) fn effect(&self, token: Option<Token>) -> Effect {
        Effect::Write {
            object: self.object,
            token,
            key: self.key,
            confirmed_by: None,
        }
    }
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Waits for its connection.
    Opening,
    /// Waits for the database's word on the epoch.
    Asking,
    /// Nothing but its time is missing.
    Ready,
    Sent,
}

/// A job that has begun: nothing but its own answers ends it.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnderWay {
    /// Which job, by its place in the list; none: the stamp of a successor.
    pub job: Option<usize>,
    pub conn: ConnId,
    pub stage: Stage,
    /// Its time to write has come.
    pub due: bool,
    pub token: Option<Token>,
    pub request: u32,
}
