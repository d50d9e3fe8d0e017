//! How fast simulated time passes while the page plays.

use crate::engine::Span;

/// A step of the speed control: simulated time for one unit of real time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed(usize);

/// In tenths, so that a tenth of real time is a whole number.
const TENTHS: [u64; 13] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];

impl Default for Speed {
    /// 10×: a lease of 30 s burns down in three.
    fn default() -> Speed {
        Speed(6)
    }
}

impl Speed {
    /// All steps, from the slowest (0.1×) to the fastest (1000×).
    pub fn all() -> impl Iterator<Item = Speed> {
        (0..TENTHS.len()).map(Speed)
    }
    /// The step with this place in [`Speed::all`]; the fastest when there are not so many.
    pub fn nth(place: usize) -> Speed {
        Speed(place.min(TENTHS.len() - 1))
    }
    pub fn place(self) -> usize {
        self.0
    }
    pub fn faster(self) -> Speed {
        Speed::nth(self.0 + 1)
    }
    pub fn slower(self) -> Speed {
        Speed(self.0.saturating_sub(1))
    }
    /// How much simulated time passes in this much real time.
    pub fn of(self, real: Span) -> Span {
        Span(real.0 * TENTHS[self.0] / 10)
    }
}

impl std::fmt::Display for Speed {
    /// `0.5×`, `10×`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match TENTHS[self.0] {
            tenths if tenths < 10 => write!(f, "0.{tenths}×"),
            tenths => write!(f, "{}×", tenths / 10),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_run_from_a_tenth_to_a_thousand_and_stop_there() {
        let words: Vec<String> = Speed::all().map(|speed| speed.to_string()).collect();
        assert_eq!((words[0].as_str(), words[12].as_str()), ("0.1×", "1000×"));
        assert_eq!(Speed::nth(0).slower(), Speed::nth(0));
        assert_eq!(Speed::nth(12).faster(), Speed::nth(12));
        assert_eq!(Speed::default().to_string(), "10×");
    }

    #[test]
    fn ten_times_as_fast_turns_a_sixtieth_of_a_second_into_a_sixth() {
        assert_eq!(Speed::default().of(Span(16_667)), Span(166_670));
        assert_eq!(Speed::nth(0).of(Span(10)), Span(1));
    }
}
