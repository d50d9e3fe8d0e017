//! The hybrid logical clock (Kulkarni et al., 2014): a Lamport clock that stays near the wall clock.
//!
//! Its state is a wall time `l`, the latest this process has seen anywhere, and a counter `c` of events since `l` last moved.
//! `pt` is what the own wall clock shows; `l'` the new value.
//!
//! | what happens | the clock (paper)                                                                   |
//! |--------------|-------------------------------------------------------------------------------------|
//! | local, send  | `l' = max(l, pt)`; `c + 1` if `l' = l`, else 0                                      |
//! | receipt of `(lm, cm)` | `l' = max(l, lm, pt)`; `max(c, cm) + 1` if both `l` and `lm` are `l'`, `c + 1` if only `l` is, `cm + 1` if only `lm` is, else 0 |
//!
//! CockroachDB has a receipt only move the state forward to the message's stamp (pkg/util/hlc: `Update`), and every reading of
//! the clock is an event (`Now`): see [`ReceiveRule`]. Read right after the receipt it gives the numbers of the paper, whatever
//! they are; what differs is that a receipt by itself is no event there.
//!
//! What holds for every event: one before another has the smaller stamp; `l` is never behind `pt`, and ahead of it by no
//! more than the wall clocks differ; it does not run backwards when `pt` is stepped back (`c` counts until `pt` has passed
//! `l`). What it costs to trust others: one clock far ahead drags all along. So a message that is too far ahead can be
//! refused (protocols.md 18.4).

use super::time::{Span, WallTime};
use std::fmt;

/// A stamp: compared first by `wall`, then by `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hybrid {
    /// `l`.
    pub wall: WallTime,
    /// `c`.
    pub count: u32,
}

/// How a receipt moves the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ReceiveRule {
    /// One step, as the paper has it.
    #[default]
    Paper,
    /// CockroachDB's: the state moves forward to the message's stamp, the wall clock is not looked at, and nothing is counted.
    Forward,
}

/// The clock of one process.
///
/// ```
/// use leaselab::clocks::{Hybrid, HybridClock, ReceiveRule, WallTime};
/// let mut clock = HybridClock::new(ReceiveRule::Paper);
/// clock.tick(WallTime(6));
/// let stamp = Hybrid { wall: WallTime(10), count: 5 };
/// assert_eq!(clock.receive(WallTime(10), stamp), Hybrid { wall: WallTime(10), count: 6 });
/// // The wall clock was stepped back: the hybrid one counts on.
/// assert_eq!(clock.tick(WallTime(7)), Hybrid { wall: WallTime(10), count: 7 });
/// ```
#[derive(Clone, Debug)]
pub struct HybridClock {
    rule: ReceiveRule,
    now: Hybrid,
}

/// Before all that any wall clock shows.
const NEVER: WallTime = WallTime(i64::MIN);

/// A message was refused: its stamp is further ahead of the wall clock than may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a stamp {ahead} ahead of the wall clock is refused: more than {allowed}")]
pub struct TooFarAhead {
    pub ahead: Span,
    pub allowed: Span,
}

impl HybridClock {
    /// One that has seen nothing.
    pub fn new(rule: ReceiveRule) -> HybridClock {
        let now = Hybrid { wall: NEVER, count: 0 };
        HybridClock { rule, now }
    }

    /// What it shows; nothing before anything was seen.
    pub fn shows(&self) -> Option<Hybrid> {
        Some(self.now).filter(|now| now.wall != NEVER)
    }

    /// Something is sent, or happens here, while the wall clock shows `pt`.
    pub fn tick(&mut self, pt: WallTime) -> Hybrid {
        if pt > self.now.wall {
            self.now = Hybrid { wall: pt, count: 0 };
        } else {
            self.now.count += 1;
        }
        self.now
    }

    /// Something with this stamp is received while the wall clock shows `pt`.
    pub fn receive(&mut self, pt: WallTime, stamp: Hybrid) -> Hybrid {
        match self.rule {
            ReceiveRule::Paper => {
                let wall = self.now.wall.max(stamp.wall).max(pt);
                let count = match (wall == self.now.wall, wall == stamp.wall) {
                    (true, true) => self.now.count.max(stamp.count) + 1,
                    (true, false) => self.now.count + 1,
                    (false, true) => stamp.count + 1,
                    (false, false) => 0,
                };
                self.now = Hybrid { wall, count };
                self.now
            }
            ReceiveRule::Forward => self.catch_up(stamp),
        }
    }

    /// Another process, whose clock shows `stamp`, did something to this one that is no receipt. What the clock shows then.
    pub fn catch_up(&mut self, stamp: Hybrid) -> Hybrid {
        self.now = self.now.max(stamp);
        self.now
    }

    /// The same, unless the stamp is more than `allowed` ahead of the own wall clock: then nothing changes. CockroachDB
    /// allows 500 ms (`max-offset`).
    ///
    /// # Errors
    /// By how much it is ahead.
    pub fn receive_within(&mut self, pt: WallTime, stamp: Hybrid, allowed: Span) -> Result<Hybrid, TooFarAhead> {
        let ahead = stamp.wall.since(pt);
        if ahead > allowed {
            return Err(TooFarAhead { ahead, allowed });
        }
        Ok(self.receive(pt, stamp))
    }
}

impl fmt::Display for Hybrid {
    /// `(1000.005,1)`: seconds and the counter.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.wall, self.count)
    }
}
