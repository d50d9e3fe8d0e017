//! Lamport's clock: a counter in each process, and its value on everything that leaves the process.
//!
//! | what happens                              | the clock                                    |
//! |-------------------------------------------|----------------------------------------------|
//! | something is sent, or stated              | [`tick`](Lamport::tick): one more            |
//! | something is received                     | [`receive`](Lamport::receive): one more than the larger of its own value and the stamp that came with it |
//! | a connection, a signal, a start, an end, a timer | carries the current value, [brought up](Lamport::catch_up) to the stamp of the process that did it |
//!
//! So what happened before an event never has a larger stamp, and when the event is one that ticks, a smaller one. Ties are
//! broken by the number of the process, which makes one order of all events out of the stamps (protocols.md 18.2).

use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use std::fmt;

/// The clock of a process, or what it showed at an event.
///
/// ```
/// use leaselab::clocks::Lamport;
/// let (mut here, mut there) = (Lamport(5), Lamport(131));
/// let stamp = there.tick();
/// assert_eq!(here.receive(stamp), Lamport(133));
/// assert_eq!(here.to_string(), "L 133");
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, BorshSerialize, BorshDeserialize,
)]
#[serde(transparent)]
pub struct Lamport(pub u64);

impl Lamport {
    /// What a clock shows before anything has happened, and what comes with anything that no process sent.
    pub const ZERO: Lamport = Lamport(0);

    /// Something is sent or stated. What is sent carries the value that is given back.
    pub fn tick(&mut self) -> Lamport {
        self.0 = self.0.saturating_add(1);
        *self
    }

    /// Something with this stamp is received.
    pub fn receive(&mut self, stamp: Lamport) -> Lamport {
        self.catch_up(stamp);
        self.tick()
    }

    /// Another process, whose clock shows `stamp`, did something to this one that is no receipt: it started or ended it.
    pub fn catch_up(&mut self, stamp: Lamport) {
        *self = (*self).max(stamp);
    }
}

impl fmt::Display for Lamport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "L {}", self.0)
    }
}
