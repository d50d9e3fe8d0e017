//! Keyed randomness: a draw depends on the seed, on who draws, on what for, and on how many times it did so before.
//! Nothing depends on the order in which different actors draw, so changing one setting does not reshuffle the rest:
//! two runs differ only by what was changed.

use crate::clocks::Span;
use siphasher::sip::SipHasher13;
use std::hash::Hasher;

/// What a draw is for. An actor numbers its own kinds from 0; the engine's begin at [`Draw::ENGINE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw(pub u16);

impl Draw {
    pub const ENGINE: u16 = 0xff00;
    pub(super) const LATENCY: Draw = Draw(Draw::ENGINE);
    pub(super) const LOSS: Draw = Draw(Draw::ENGINE + 1);
    pub(super) const FSYNC: Draw = Draw(Draw::ENGINE + 2);
    pub(super) const SLOW_DISK: Draw = Draw(Draw::ENGINE + 3);
    pub(super) const PACE: Draw = Draw(Draw::ENGINE + 4);
    pub(super) const REAPER: Draw = Draw(Draw::ENGINE + 5);
    pub(super) const ACQUAINTED: Draw = Draw(Draw::ENGINE + 6);
}

/// The draws of one owner (a process or one direction of a link).
#[derive(Clone, Debug)]
pub struct Draws {
    seed: u64,
    owner: u32,
    counts: Vec<(u16, u32)>,
}

impl Draws {
    pub fn new(seed: u64, owner: u32) -> Draws {
        Draws {
            seed,
            owner,
            counts: Vec::new(),
        }
    }

    /// Which draw of its kind this is.
    fn count(&mut self, kind: Draw) -> u32 {
        match self.counts.iter_mut().find(|(k, _)| *k == kind.0) {
            Some((_, n)) => {
                *n += 1;
                *n
            }
            None => {
                self.counts.push((kind.0, 0));
                0
            }
        }
    }

    /// A draw that is consumed and that nobody looks at.
    pub fn skip(&mut self, kind: Draw) {
        self.count(kind);
    }

    /// 64 uniform bits.
    pub fn bits(&mut self, kind: Draw) -> u64 {
        let n = self.count(kind);
        bits_of(self.seed, self.owner, kind, n)
    }

    /// A whole number below `bound` (0 when `bound` is 0). The bias is below `bound` / 2^64.
    pub fn below(&mut self, kind: Draw, bound: u64) -> u64 {
        ((u128::from(self.bits(kind)) * u128::from(bound)) >> 64) as u64
    }

    pub fn sample(&mut self, kind: Draw, spread: &Spread) -> Span {
        spread.at(self.bits(kind))
    }
}

/// The 64 uniform bits of one draw: the same for the same seed, owner, kind and number.
pub(super) fn bits_of(seed: u64, owner: u32, kind: Draw, n: u32) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(seed, u64::from(owner) << 16 | u64::from(kind.0));
    hasher.write(&n.to_le_bytes());
    hasher.finish()
}

/// A distribution of durations given the way people know it: the least, the usual (median) and the worst.
///
/// Below the median it is uniform. Above, the distance to `max` grows with the fourth power of the rank, a long thin
/// tail: of a thousand draws about one comes within a tenth of `max`. Whole-number arithmetic only, because durations
/// decide what happens.
///
/// ```
/// use leaselab::engine::{Spread, Span};
/// let spread = Spread::from_millis(1, 2, 10);
/// assert_eq!(spread.at(0), Span::from_millis(1));
/// assert_eq!(spread.at(1 << 63), Span::from_millis(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    pub min: Span,
    pub typical: Span,
    pub max: Span,
}

impl Spread {
    pub const fn from_millis(min: u64, typical: u64, max: u64) -> Spread {
        Spread {
            min: Span::from_millis(min),
            typical: Span::from_millis(typical),
            max: Span::from_millis(max),
        }
    }
    pub const fn from_micros(min: u64, typical: u64, max: u64) -> Spread {
        Spread {
            min: Span(min),
            typical: Span(typical),
            max: Span(max),
        }
    }
    /// Always the same duration.
    pub const fn exactly(span: Span) -> Spread {
        Spread {
            min: span,
            typical: span,
            max: span,
        }
    }

    /// The duration at a rank, given as a fraction of 2^64.
    pub fn at(&self, rank: u64) -> Span {
        const HALF: u64 = 1 << 63;
        if rank < HALF {
            let width = self.typical.saturating_sub(self.min).0;
            self.min + Span(((u128::from(width) * u128::from(rank)) >> 63) as u64)
        } else {
            let x = (rank - HALF) >> 31; // 32 bits of fraction
            let x2 = (x * x) >> 32;
            let x4 = (x2 * x2) >> 32;
            let width = self.max.saturating_sub(self.typical).0;
            self.typical + Span(((u128::from(width) * u128::from(x4)) >> 32) as u64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_does_not_depend_on_draws_of_another_kind() {
        let mut quiet = Draws::new(7, 1);
        let mut busy = Draws::new(7, 1);
        for _ in 0..5 {
            busy.bits(Draw(2));
        }
        assert_eq!(quiet.bits(Draw(1)), busy.bits(Draw(1)));
        assert_ne!(quiet.bits(Draw(1)), Draws::new(8, 1).bits(Draw(1)));
    }

    #[test]
    fn a_skipped_draw_is_one_that_nobody_looked_at() {
        let (mut looking, mut skipping) = (Draws::new(7, 1), Draws::new(7, 1));
        looking.bits(Draw(1));
        skipping.skip(Draw(1));
        assert_eq!(looking.bits(Draw(1)), skipping.bits(Draw(1)));
    }

    #[test]
    fn a_spread_stays_between_its_least_and_its_worst_and_halves_at_the_usual() {
        let spread = Spread::from_millis(2, 5, 80);
        let mut draws = Draws::new(1, 1);
        let mut below = 0;
        for _ in 0..10_000 {
            let s = draws.sample(Draw(0), &spread);
            assert!(s >= spread.min && s <= spread.max);
            below += usize::from(s < spread.typical);
        }
        assert!((4_700..5_300).contains(&below), "{below} of 10000 below the median");
    }
}
