//! How quickly the machine works: what else runs on it makes everything take longer, and that changes all the time. What
//! computes for long suffers most, for it shares the processor with all that waits for one; what only reacts gets it soon.
//! Recorded: the start of a database takes 0.4 s where processes wait in 20 % of the time, 3 s where they do in 90 %; the time
//! from a won race to the first commit does not hang on it.
//!
//! Hosts are taken to be virtual machines or containers on one machine, which is where such a cluster is usually tried out and
//! what the recorded runs were: they are all slow at the same time. Durations that actors draw are stretched; those of the
//! network and of disks, which have settings of their own, are not.

use super::rng::{Draw, Spread, bits_of};
use crate::clocks::{SimTime, Span};

/// How long one pace is kept. A race and the promotion after it each take about as long; recorded, their durations hang
/// together only loosely, those of two candidates in one race closely.
const KEPT: Span = Span::from_millis(500);
const SECOND: Span = Span::from_secs(1);

/// The owner of these draws, beside all processes, hosts and links.
const OWNER: u32 = 1 << 22;

/// How long what usually takes a second takes, drawn anew for each stretch of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    seed: u64,
    second_takes: Spread,
    /// In how many millionths of the time some process waits for a processor.
    pressure_ppm: u32,
}

/// How long a computation takes on a machine on which some process waits for a processor in so many millionths of the time, if
/// it takes `alone` where there is nothing else to do: what is left of a processor is its share.
pub fn shared(alone: Span, pressure_ppm: u32) -> Span {
    let share_ppm = 1_000_000_u128.saturating_sub(pressure_ppm.into()).max(1);
    let takes = u128::from(alone.as_micros()) * 1_000_000 / share_ppm;
    Span(u64::try_from(takes).unwrap_or(u64::MAX))
}

impl Pace {
    /// `pressure_ppm`: the time in which some process waits for a processor, in millionths.
    pub fn new(seed: u64, second_takes: Spread, pressure_ppm: u32) -> Pace {
        Pace {
            seed,
            second_takes,
            pressure_ppm,
        }
    }

    /// How long a computation takes that begins now and takes `alone` on a machine that does nothing else.
    pub fn compute(&self, alone: Span, now: SimTime) -> Span {
        self.stretch(shared(alone, self.pressure_ppm), now)
    }

    /// How long something takes that begins now and usually takes `usual`: it gets on at the pace of each stretch of time
    /// that it lasts.
    pub fn stretch(&self, usual: Span, now: SimTime) -> Span {
        if self.second_takes == Spread::exactly(SECOND) {
            return usual;
        }
        let (mut left, mut takes) = (usual.as_micros(), 0);
        loop {
            let at = now.as_micros() + takes;
            let stretch = at / KEPT.as_micros();
            let second = self.second_in(stretch).as_micros().max(1);
            let until_next = (stretch + 1) * KEPT.as_micros() - at;
            // Work below a microsecond at the end of a stretch is done in no time, so that a whole one is never lost.
            let done = until_next * SECOND.as_micros() / second;
            if left <= done {
                return Span(takes + left * second / SECOND.as_micros());
            }
            left -= done;
            takes += until_next;
        }
    }

    /// How long what usually takes a second takes in one stretch of time.
    fn second_in(&self, stretch: u64) -> Span {
        self.second_takes
            .at(bits_of(self.seed, OWNER, Draw::PACE, stretch as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_machine_takes_as_long_as_usual() {
        let pace = Pace::new(7, Spread::from_millis(1_000, 1_000, 1_000), 0);
        for micros in [0, 1, 999_999, 7_200_000_000] {
            assert_eq!(pace.stretch(Span(micros), SimTime(micros)), Span(micros));
        }
    }

    #[test]
    fn a_pace_is_kept_for_a_while_and_then_another_is_drawn() {
        let pace = Pace::new(7, Spread::from_millis(500, 1_000, 4_000), 0);
        let at = |millis: u64| pace.stretch(Span::from_millis(10), SimTime(millis * 1_000));
        assert_eq!(at(0), at(450));
        let drawn: Vec<Span> = (0..100).map(|n| at(n * 500)).collect();
        assert!(
            drawn
                .iter()
                .all(|takes| (5..=40).contains(&(takes.as_micros() / 1_000)))
        );
        let slower = drawn.iter().filter(|takes| **takes > Span::from_millis(10)).count();
        assert!((35..65).contains(&slower), "{slower} of 100 slower than usual");
    }

    #[test]
    fn long_work_gets_on_at_every_pace_that_it_meets() {
        let pace = Pace::new(7, Spread::from_millis(500, 1_000, 4_000), 0);
        let at = |span: Span, from: SimTime| pace.stretch(span, from);
        let whole = Span::from_secs(20);
        let half = at(Span::from_secs(10), SimTime::ZERO);
        let rest = at(Span::from_secs(10), SimTime::ZERO + half);
        let apart = (half + rest).as_micros().abs_diff(at(whole, SimTime::ZERO).as_micros());
        assert!(apart <= 100, "{apart} us lost where a stretch ends");
        assert!((whole / 2..whole * 2).contains(&at(whole, SimTime::ZERO)));
    }

    #[test]
    fn a_computation_shares_the_processor_with_what_waits_for_one() {
        let pace = |pressure_ppm| Pace::new(7, Spread::exactly(SECOND), pressure_ppm);
        let takes = |pressure_ppm| pace(pressure_ppm).compute(Span::from_millis(300), SimTime::ZERO);
        assert_eq!(takes(0), Span::from_millis(300));
        assert_eq!(takes(500_000), Span::from_millis(600));
        assert_eq!(
            pace(500_000).stretch(Span::from_millis(300), SimTime::ZERO),
            Span::from_millis(300)
        );
    }
}
