//! What an actor waits for and how long it is willing to: its timers, as they are set and cancelled. They are no events of
//! the run, carry no number and are not hashed; a full trace keeps them beside the events so that it can be said of every
//! instant who waits for whom.

use super::ids::{ConnId, EventId, ProcId, TimerKey};
use crate::clocks::{SimTime, Span};

/// A timer is set (again), or cancelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alarm {
    pub at: SimTime,
    pub process: ProcId,
    pub key: TimerKey,
    /// The event that the actor answered when it did this.
    pub during: Option<EventId>,
    /// How many events had happened: it stands between them in the order of the run.
    pub after: u32,
    /// None: it is cancelled.
    pub set: Option<Patience>,
}

/// For how long, by the host's monotonic clock, and for something to come on which connections; on none, only time is
/// waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patience {
    pub span: Span,
    pub conns: Vec<ConnId>,
}
