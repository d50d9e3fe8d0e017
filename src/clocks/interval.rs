//! A clock that knows how wrong it may be, as Spanner's TrueTime (Corbett et al., 2012), and the wait that makes an order of it.
//!
//! Asked for the time, it answers with an [`Interval`]. Of two intervals that overlap nobody can tell which came first; of two
//! that do not, everybody can: it never says anything wrong, as long as true time lies within.
//!
//! Commit wait: a transaction takes the latest instant it may be now as its stamp, and shows its effect only when that
//! instant has surely passed. Whoever starts after having seen it then gets a larger stamp, without a message between them
//! (external consistency; protocols.md 18.5). It costs twice the bound for each commit, and is worth as much as the bound:
//! where a clock is wrong by more, the order breaks.

use super::host::HostClock;
use super::time::{SimTime, Span, WallTime};
use std::fmt;

/// The earliest and the latest instant that it may be now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    pub earliest: WallTime,
    pub latest: WallTime,
}

impl Interval {
    pub fn around(wall: WallTime, epsilon: Span) -> Interval {
        Interval {
            earliest: wall - epsilon,
            latest: wall + epsilon,
        }
    }

    pub fn contains(self, instant: WallTime) -> bool {
        (self.earliest..=self.latest).contains(&instant)
    }

    /// Surely before: not so when they overlap, though one of them was.
    pub fn is_before(self, other: Interval) -> bool {
        self.latest < other.earliest
    }

    pub fn overlaps(self, other: Interval) -> bool {
        !self.is_before(other) && !other.is_before(self)
    }
}

impl fmt::Display for Interval {
    /// `[999.965,1000.045]`: seconds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{},{}]", self.earliest, self.latest)
    }
}

/// A machine's wall clock with a bound of its error that somebody promised. Nothing here makes the promise true.
#[derive(Clone, Debug)]
pub struct Timekeeper {
    pub clock: HostClock,
    pub epsilon: Span,
}

/// What became of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit {
    /// What it is ordered by.
    pub stamp: WallTime,
    /// When others can see it, in true time.
    pub visible: SimTime,
}

impl Timekeeper {
    pub fn now(&self, at: SimTime) -> Interval {
        Interval::around(self.clock.wall(at), self.epsilon)
    }

    /// A commit that is asked for at `at`, not to be stamped before `after` (the largest stamp this machine has given).
    ///
    /// With the wait it shows at the first instant at which the earliest time possible is past its stamp; without, at once.
    pub fn commit(&self, at: SimTime, after: Option<WallTime>, waits: bool) -> Commit {
        let latest = self.now(at).latest;
        let stamp = after.map_or(latest, |after| latest.max(after + Span(1)));
        let visible = if waits {
            // Past, not at: a microsecond is the smallest step of time here.
            self.clock.when_wall(stamp + self.epsilon + Span(1), at)
        } else {
            at
        };
        Commit { stamp, visible }
    }
}

/// Pairs of commits that contradict external consistency: the second began after the first could be seen, and has no larger
/// stamp. Each commit is given with when it began; one that never showed nobody could have seen, and the stamp of one that is
/// not there is not compared.
pub fn inverted(commits: &[(SimTime, Option<Commit>)]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (first, (_, one)) in commits.iter().enumerate() {
        for (second, (begun, other)) in commits.iter().enumerate() {
            if let (Some(one), Some(other)) = (one, other)
                && one.visible <= *begun
                && first != second
                && other.stamp <= one.stamp
            {
                pairs.push((first, second));
            }
        }
    }
    pairs
}
