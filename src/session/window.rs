//! The part of the run that the timeline shows: all of it, or a window that turns its page when the playhead leaves it.

use crate::engine::{SimTime, Span};

/// Which part of the run is in view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    from: SimTime,
    /// None: all of the run, however long it is.
    span: Option<Span>,
}

/// A window is never shorter than this: below, nothing in the engine happens that could be told apart.
pub const SHORTEST: Span = Span::from_millis(10);

/// One step in, in percent of what was visible; a step out is the way back.
const STEP_PERCENT: u32 = 50;
/// How far one key pans, as a part of what is visible.
const PAN_PARTS: i64 = 5;

impl Window {
    /// What [`Window::parts`] gives.
    pub fn of(from: SimTime, span: Option<Span>) -> Window {
        Window {
            from,
            span: span.map(|span| span.max(SHORTEST)),
        }
    }
    /// From where on, and how much; no length when all of the run is in view.
    pub fn parts(self) -> (SimTime, Option<Span>) {
        (self.from, self.span)
    }

    /// What is visible of a run with this end.
    pub fn visible(self, end: SimTime) -> (SimTime, SimTime) {
        let span = self.span(end);
        let from = self.from.min(end - span);
        (from, from + span)
    }

    pub fn is_whole(self) -> bool {
        self.span.is_none()
    }
    pub fn can_zoom_in(self, end: SimTime) -> bool {
        self.span(end) > SHORTEST
    }

    /// Shows exactly this, as far as there is such a time in the run.
    pub fn show(&mut self, from: SimTime, until: SimTime, end: SimTime) {
        let span = until.since(from).max(SHORTEST);
        *self = if span >= end.since(SimTime::ZERO) {
            Window::default()
        } else {
            Window {
                from: from.min(end - span),
                span: Some(span),
            }
        };
    }

    /// Shows so many percent of what was visible; what happened at `around` stays where it was on the screen.
    pub fn scale(&mut self, around: SimTime, percent: u32, end: SimTime) {
        let (from, until) = self.visible(end);
        let around = around.clamp(from, until);
        let old = until.since(from).0.max(1);
        let new = scaled(old, percent).max(SHORTEST.0);
        let before = u128::from(around.since(from).0) * u128::from(new) / u128::from(old);
        let from = around - Span(before as u64);
        self.show(from, from + Span(new), end);
    }

    /// Shows half as much, around the playhead.
    pub fn zoom_in(&mut self, playhead: SimTime, end: SimTime) {
        self.zoom(playhead, STEP_PERCENT, end);
    }
    /// Shows twice as much, around the playhead.
    pub fn zoom_out(&mut self, playhead: SimTime, end: SimTime) {
        self.zoom(playhead, 100 * 100 / STEP_PERCENT, end);
    }

    /// Shows what lies so much later, or earlier.
    pub fn pan(&mut self, by_us: i64, end: SimTime) {
        if let Some(span) = self.span {
            let from = SimTime(self.visible(end).0.0.saturating_add_signed(by_us));
            self.from = from.min(end - span);
        }
    }
    /// How far one key pans.
    pub fn pan_step_us(self, end: SimTime) -> i64 {
        (self.span(end).0 as i64 / PAN_PARTS).max(1)
    }

    /// Turns the page when the playhead is outside: it then stands near the left edge, with what comes next in view.
    pub fn follow(&mut self, playhead: SimTime, end: SimTime) {
        if !self.holds(playhead, end) {
            self.from = playhead - self.span(end) / 10;
        }
    }
    pub fn holds(self, t: SimTime, end: SimTime) -> bool {
        let (from, until) = self.visible(end);
        from <= t && t <= until
    }

    fn span(self, end: SimTime) -> Span {
        let all = end.since(SimTime::ZERO);
        self.span.map_or(all, |span| span.min(all))
    }
    /// With the playhead in the middle; when it is elsewhere, because somebody looks at something else, around that.
    fn zoom(&mut self, playhead: SimTime, percent: u32, end: SimTime) {
        let (from, until) = self.visible(end);
        let middle = if self.holds(playhead, end) {
            playhead
        } else {
            from + until.since(from) / 2
        };
        let span = Span(scaled(until.since(from).0, percent).max(SHORTEST.0));
        let from = middle - span / 2;
        self.show(from, from + span, end);
    }
}

/// So many percent of a length.
fn scaled(us: u64, percent: u32) -> u64 {
    (u128::from(us) * u128::from(percent) / 100) as u64
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const END: SimTime = SimTime(100_000_000);
    const DAY: SimTime = SimTime(86_400_000_000);

    #[test]
    fn a_zoomed_window_holds_the_playhead_in_its_middle_and_stays_within_the_run() {
        let mut window = Window::default();
        assert_eq!(window.visible(END), (SimTime::ZERO, END));
        window.zoom_in(SimTime(50_000_000), END);
        assert_eq!(window.visible(END), (SimTime(25_000_000), SimTime(75_000_000)));
        window.zoom_in(SimTime(75_000_000), END);
        assert_eq!(window.visible(END), (SimTime(62_500_000), SimTime(87_500_000)));
        window.zoom_out(END, END);
        window.zoom_out(END, END);
        assert!(window.is_whole() && window.visible(END) == (SimTime::ZERO, END));
    }

    #[test]
    fn who_looks_elsewhere_than_at_the_playhead_zooms_there() {
        let mut window = Window::default();
        window.show(SimTime(80_000_000), SimTime(90_000_000), END);
        window.zoom_in(SimTime::ZERO, END);
        assert_eq!(window.visible(END), (SimTime(82_500_000), SimTime(87_500_000)));
    }

    #[test]
    fn it_turns_the_page_only_when_the_playhead_leaves() {
        let mut window = Window::default();
        window.zoom_in(SimTime::ZERO, END);
        window.follow(SimTime(50_000_000), END);
        assert_eq!(window.visible(END).0, SimTime::ZERO);
        window.follow(SimTime(50_000_001), END);
        assert_eq!(window.visible(END).0, SimTime(45_000_001));
        window.follow(SimTime(10_000_000), END);
        assert_eq!(window.visible(END).0, SimTime(5_000_000));
    }

    #[test]
    fn zooming_goes_from_a_day_to_ten_milliseconds_and_back() {
        let mut window = Window::default();
        let mut steps = 0;
        while window.can_zoom_in(DAY) {
            window.zoom_in(SimTime(40_000_000), DAY);
            steps += 1;
        }
        let (from, until) = window.visible(DAY);
        assert_eq!((until.since(from), steps), (SHORTEST, 24));
        while !window.is_whole() {
            window.zoom_out(SimTime(40_000_000), DAY);
            steps -= 1;
        }
        assert_eq!(steps, 0);
    }

    #[test]
    fn panning_ends_at_the_ends_of_the_run_and_keeps_how_much_is_visible() {
        let mut window = Window::default();
        window.pan(1_000_000, END);
        assert!(window.is_whole(), "there is nothing beside all");
        window.zoom_in(SimTime::ZERO, END);
        window.pan(10_000_000, END);
        assert_eq!(window.visible(END), (SimTime(10_000_000), SimTime(60_000_000)));
        window.pan(i64::MAX, END);
        assert_eq!(window.visible(END), (SimTime(50_000_000), END));
        window.pan(i64::MIN, END);
        assert_eq!(window.visible(END), (SimTime::ZERO, SimTime(50_000_000)));
    }

    proptest! {
        #[test]
        fn what_is_under_the_pointer_stays_there_while_one_zooms(
            at in 0u64..100_000_000, percents in proptest::collection::vec(30u32..300, 1..20),
        ) {
            let mut window = Window::default();
            let around = SimTime(at);
            for percent in percents {
                let (from, until) = window.visible(END);
                let share = |from: SimTime, until: SimTime| around.since(from).0 as f64 / until.since(from).0 as f64;
                let before = share(from, until);
                window.scale(around, percent, END);
                let (from, until) = window.visible(END);
                prop_assert!(from <= around && around <= until && until <= END && until.since(from) >= SHORTEST);
                // At the ends of the run there is nothing to scroll to.
                if from > SimTime::ZERO && until < END {
                    prop_assert!((share(from, until) - before).abs() < 0.001);
                }
            }
        }
    }
}
