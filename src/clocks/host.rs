//! A host's two clocks. Both run at the same (perhaps wrong) rate; only the wall clock can be stepped, and only the
//! monotonic clock can stand still while the host is paused.

use super::time::{MonoTime, SimTime, Span, WallTime};

/// The largest rate error a scenario may ask for, in parts per million, either way.
pub const MAX_RATE_PPM: i32 = 500_000;

/// A wall clock that is wrong is put right by running faster or slower for a while, so that it neither jumps nor runs backwards.
///
/// What a time daemon on Linux bends for it is the rate of both clocks: the monotonic one is free of steps, not of slews
/// (clock_gettime(2), adjtimex(2)). So a slew is a change of the rate that ends.
///
/// ```
/// use leaselab::clocks::{Slew, Span};
/// let slew = Slew::by(-40_000, 500);
/// assert_eq!((slew.ppm, slew.lasts), (-500, Span::from_secs(80)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slew {
    /// By how much the clocks run faster meanwhile, or slower when it is negative.
    pub ppm: i32,
    /// For so long, in true time.
    pub lasts: Span,
}

impl Slew {
    /// One that moves the wall clock by `by_us` in all. Linux slews by at most 500 ppm.
    pub fn by(by_us: i64, rate_ppm: u32) -> Slew {
        let ppm = rate_ppm.clamp(1, MAX_RATE_PPM.unsigned_abs());
        let lasts = u128::from(by_us.unsigned_abs()) * 1_000_000 / u128::from(ppm);
        let sign = if by_us < 0 { -1 } else { 1 };
        Slew {
            ppm: sign * ppm as i32,
            lasts: Span(u64::try_from(lasts).unwrap_or(u64::MAX / 2)),
        }
    }
}

/// The clocks of one host as a function of true time: straight lines from the last change on.
#[derive(Clone, Debug)]
pub struct HostClock {
    since: SimTime,
    mono_at: MonoTime,
    wall_at: WallTime,
    rate_ppm: i32,
    mono_stopped: bool,
}

impl HostClock {
    /// Clocks that are right at the start of the run, up to `offset_us` on the wall clock.
    pub fn new(offset_us: i64, rate_ppm: i32) -> HostClock {
        HostClock {
            since: SimTime::ZERO,
            mono_at: MonoTime::ZERO,
            wall_at: WallTime(offset_us),
            rate_ppm,
            mono_stopped: false,
        }
    }

    /// What a clock advances in a million of true time. The faults that lie on a host add up and are kept in full, so that
    /// each can end by itself; only what they make of the rate is limited.
    fn rate(&self) -> u64 {
        (1_000_000 + i64::from(self.rate_ppm.clamp(-MAX_RATE_PPM, MAX_RATE_PPM))) as u64
    }

    /// How far the host's clocks advance in `span` of true time.
    fn scaled(&self, span: Span) -> u64 {
        // Nearly every clock of nearly every run, at every event: and 128 bits are slow to divide.
        if self.rate_ppm == 0 {
            return span.0;
        }
        let rate = self.rate();
        (u128::from(span.0) * u128::from(rate) / 1_000_000) as u64
    }

    /// In how much true time the host's clocks advance by `ahead`, rounded up.
    fn unscaled(&self, ahead: u64) -> Span {
        if self.rate_ppm == 0 {
            return Span(ahead);
        }
        let rate = u128::from(self.rate());
        Span(u64::try_from((u128::from(ahead) * 1_000_000).div_ceil(rate)).unwrap_or(u64::MAX / 2))
    }

    pub fn mono(&self, now: SimTime) -> MonoTime {
        if self.mono_stopped {
            self.mono_at
        } else {
            self.mono_at + Span(self.scaled(now.since(self.since)))
        }
    }

    pub fn wall(&self, now: SimTime) -> WallTime {
        self.wall_at + Span(self.scaled(now.since(self.since)))
    }

    /// The first true instant at which the monotonic clock reads `deadline`; nothing while it stands still.
    pub fn when(&self, deadline: MonoTime, now: SimTime) -> Option<SimTime> {
        if deadline <= self.mono(now) {
            return Some(now);
        }
        if self.mono_stopped {
            return None;
        }
        Some(self.since + self.unscaled(deadline.since(self.mono_at).0))
    }

    /// The first true instant, not before `now`, at which the wall clock reads `deadline` if nothing more happens to it.
    pub fn when_wall(&self, deadline: WallTime, now: SimTime) -> SimTime {
        if deadline <= self.wall(now) {
            return now;
        }
        self.since + self.unscaled(deadline.since(self.wall_at).0)
    }

    fn rebase(&mut self, now: SimTime) {
        self.mono_at = self.mono(now);
        self.wall_at = self.wall(now);
        self.since = now;
    }

    pub fn step_wall(&mut self, now: SimTime, by_us: i64) {
        self.rebase(now);
        self.wall_at = WallTime(self.wall_at.0.saturating_add(by_us));
    }

    /// Changes the rate by `ppm` relative to what it is: several faults add up and end one by one.
    pub fn change_rate(&mut self, now: SimTime, ppm: i32) {
        self.rebase(now);
        self.rate_ppm = self.rate_ppm.saturating_add(ppm);
    }

    pub fn stop_mono(&mut self, now: SimTime, stopped: bool) {
        self.rebase(now);
        self.mono_stopped = stopped;
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_step_moves_the_wall_clock_and_leaves_the_monotonic_one() {
        let mut clock = HostClock::new(0, 0);
        let t = SimTime(10_000_000);
        clock.step_wall(t, -3_000_000);
        assert_eq!(clock.wall(t), WallTime(7_000_000));
        assert_eq!(clock.mono(t), MonoTime(10_000_000));
    }

    #[test]
    fn a_slew_of_40_ms_at_500_ppm_takes_80_seconds_and_the_wall_clock_never_stands_still_meanwhile() {
        let (mut clock, slew) = (HostClock::new(40_000, 0), Slew::by(-40_000, 500));
        clock.change_rate(SimTime::ZERO, slew.ppm);
        let mut before = clock.wall(SimTime::ZERO);
        for at in (1..=80).map(|s| SimTime(s * 1_000_000)) {
            assert!(clock.wall(at) > before);
            before = clock.wall(at);
        }
        let end = SimTime::ZERO + slew.lasts;
        clock.change_rate(end, -slew.ppm);
        assert_eq!(clock.wall(end), WallTime(80_000_000));
        assert_eq!(clock.wall(SimTime(90_000_000)), WallTime(90_000_000));
    }

    /// protocols.md 18.6.
    #[test]
    fn wrong_rates_are_small_next_to_a_lease() {
        let gains = |ppm, span: Span| HostClock::new(0, ppm).wall(SimTime::ZERO + span).0 as u64 - span.0;
        let day = Span::from_secs(86_400);
        assert_eq!((gains(20, day), gains(200, day)), (1_728_000, 17_280_000));
        let lease = Span::from_secs(30);
        assert_eq!((gains(200, lease), gains(1_000, lease)), (6_000, 30_000));
    }

    proptest! {
        #[test]
        fn the_instant_of_a_deadline_is_the_first_at_which_the_clock_reads_it(
            ppm in -MAX_RATE_PPM..=MAX_RATE_PPM, deadline in 1u64..10_000_000_000,
        ) {
            let clock = HostClock::new(0, ppm);
            let at = clock.when(MonoTime(deadline), SimTime::ZERO).unwrap();
            prop_assert!(clock.mono(at) >= MonoTime(deadline));
            prop_assert!(clock.mono(SimTime(at.0 - 1)) < MonoTime(deadline));
        }

        #[test]
        fn the_instant_of_a_wall_deadline_is_the_first_at_which_a_stepped_clock_reads_it(
            ppm in -MAX_RATE_PPM..=MAX_RATE_PPM,
            step in -100_000_000i64..100_000_000,
            now in 1u64..1_000_000_000,
            ahead in 1i64..10_000_000_000,
        ) {
            let mut clock = HostClock::new(0, ppm);
            clock.step_wall(SimTime(now), step);
            let deadline = WallTime(clock.wall(SimTime(now)).0 + ahead);
            let at = clock.when_wall(deadline, SimTime(now));
            prop_assert!(clock.wall(at) >= deadline);
            prop_assert!(clock.wall(SimTime(at.0 - 1)) < deadline);
        }
    }
}
