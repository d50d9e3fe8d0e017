//! Time, in whole microseconds, in three types that never convert into each other by themselves.
//!
//! | type       | whose clock                         | can it jump? |
//! |------------|-------------------------------------|--------------|
//! | `SimTime`  | the observer's, true time           | no           |
//! | `MonoTime` | one node's monotonic clock          | no           |
//! | `WallTime` | one node's wall clock               | yes, both ways |
//!
//! [`Span`] is a length of time and may be measured on any of them.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

/// A length of time, never negative. Resolution 1 µs; the largest value is about 584,000 years.
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
pub struct Span(pub u64);

impl Span {
    pub const ZERO: Span = Span(0);

    pub const fn from_micros(us: u64) -> Span {
        Span(us)
    }
    pub const fn from_millis(ms: u64) -> Span {
        Span(ms * 1_000)
    }
    pub const fn from_secs(s: u64) -> Span {
        Span(s * 1_000_000)
    }
    pub const fn as_micros(self) -> u64 {
        self.0
    }
    /// Milliseconds with their fraction, for people and for JSON; nothing is decided on it.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1_000.0
    }
    /// Seconds with their fraction, for people; nothing is decided on it.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1_000_000.0
    }
    /// This length less `other`, or nothing when `other` is longer.
    pub const fn saturating_sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0 + other.0)
    }
}
impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        self.0 += other.0;
    }
}
impl Mul<u64> for Span {
    type Output = Span;
    fn mul(self, n: u64) -> Span {
        Span(self.0 * n)
    }
}
impl std::ops::Div<u64> for Span {
    type Output = Span;
    fn div(self, n: u64) -> Span {
        Span(self.0 / n)
    }
}
impl fmt::Display for Span {
    /// Seconds with three decimals and the unit: `13.250 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03} s", self.0 / 1_000_000, self.0 % 1_000_000 / 1_000)
    }
}

/// What the two forward-only clocks share.
macro_rules! instant {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash,
            Serialize, Deserialize, BorshSerialize, BorshDeserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl $name {
            pub const ZERO: $name = $name(0);

            pub const fn as_micros(self) -> u64 {
                self.0
            }
            /// How long after `earlier` this is; nothing when it is before.
            pub const fn since(self, earlier: $name) -> Span {
                Span(self.0.saturating_sub(earlier.0))
            }
        }
        impl Add<Span> for $name {
            type Output = $name;
            fn add(self, span: Span) -> $name {
                $name(self.0 + span.0)
            }
        }
        impl AddAssign<Span> for $name {
            fn add_assign(&mut self, span: Span) {
                self.0 += span.0;
            }
        }
        impl Sub<Span> for $name {
            type Output = $name;
            fn sub(self, span: Span) -> $name {
                $name(self.0.saturating_sub(span.0))
            }
        }
    };
}

instant! {
    /// The observer's time, in µs since the start of the run. No actor ever sees it.
    SimTime
}
instant! {
    /// A node's monotonic clock, in µs. It never steps; its rate may be wrong.
    MonoTime
}

impl SimTime {
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1_000_000.0
    }
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1_000.0
    }
}
impl fmt::Display for SimTime {
    /// Seconds with three decimals, without a unit: `42.013`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1_000_000, self.0 % 1_000_000 / 1_000)
    }
}

/// A node's wall clock, in µs since the epoch of the run. It may be offset, drift and step, also backwards,
/// so it is signed and two readings may come in either order.
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
pub struct WallTime(pub i64);

impl WallTime {
    /// How long after `earlier` this reads; nothing when it reads before.
    pub fn since(self, earlier: WallTime) -> Span {
        Span(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}
impl Add<Span> for WallTime {
    type Output = WallTime;
    fn add(self, span: Span) -> WallTime {
        WallTime(self.0.saturating_add_unsigned(span.0))
    }
}
impl Sub<Span> for WallTime {
    type Output = WallTime;
    fn sub(self, span: Span) -> WallTime {
        WallTime(self.0.saturating_sub_unsigned(span.0))
    }
}
impl fmt::Display for WallTime {
    /// Seconds with three decimals, without a unit: `-0.040`. Rounded towards zero, as true time is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, us) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        write!(f, "{sign}{}.{:03}", us / 1_000_000, us % 1_000_000 / 1_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_clock_that_steps_back_measures_nothing_rather_than_an_age() {
        assert_eq!(WallTime(5).since(WallTime(9)), Span::ZERO);
        assert_eq!(WallTime(-4).since(WallTime(-9)), Span(5));
    }

    #[test]
    fn spans_print_seconds_with_their_unit() {
        assert_eq!(Span(13_250_900).to_string(), "13.250 s");
        assert_eq!(SimTime(42_013_000).to_string(), "42.013");
        assert_eq!(WallTime(-40_000).to_string(), "-0.040");
    }
}
