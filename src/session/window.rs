//! The part of the run that the timeline shows: all of it, or a window that turns its page when the playhead leaves it.

use crate::engine::{SimTime, Span};

/// How far the timeline is zoomed in, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Each step shows half as much; 0 shows all.
    zoom: u8,
    from: SimTime,
}

/// A zoomed window is never shorter than this: below, the ticks of the axis have nothing to say.
const SHORTEST: Span = Span::from_millis(100);
/// The longest run, a day, is shorter than [`SHORTEST`] after so many halvings.
const ZOOM_MAX: u8 = 20;

impl Window {
    /// As a link says it: how often it shows half as much, and from where on.
    pub fn of(zoom: u8, from: SimTime) -> Window {
        Window {
            zoom: zoom.min(ZOOM_MAX),
            from,
        }
    }
    /// What [`Window::of`] makes the same window of.
    pub fn parts(self) -> (u8, SimTime) {
        (self.zoom, self.from)
    }

    /// What is visible of a run with this end.
    pub fn visible(self, end: SimTime) -> (SimTime, SimTime) {
        let span = self.span(end);
        let from = self.from.min(end - span);
        (from, from + span)
    }

    pub fn is_whole(self) -> bool {
        self.zoom == 0
    }
    pub fn can_zoom_in(self, end: SimTime) -> bool {
        self.span(end) > SHORTEST * 2
    }

    /// Shows half as much, around the playhead.
    pub fn zoom_in(&mut self, playhead: SimTime, end: SimTime) {
        if self.can_zoom_in(end) {
            self.zoom += 1;
            self.centre(playhead, end);
        }
    }
    /// Shows twice as much, around the playhead.
    pub fn zoom_out(&mut self, playhead: SimTime, end: SimTime) {
        self.zoom = self.zoom.saturating_sub(1);
        self.centre(playhead, end);
    }

    /// Turns the page when the playhead is outside: it then stands near the left edge, with what comes next in view.
    pub fn follow(&mut self, playhead: SimTime, end: SimTime) {
        let (from, until) = self.visible(end);
        if playhead < from || playhead > until {
            self.from = playhead - self.span(end) / 10;
        }
    }

    fn span(self, end: SimTime) -> Span {
        Span((end.0 >> self.zoom).max(SHORTEST.0.min(end.0)))
    }
    fn centre(&mut self, playhead: SimTime, end: SimTime) {
        self.from = playhead - self.span(end) / 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: SimTime = SimTime(100_000_000);

    #[test]
    fn a_zoomed_window_holds_the_playhead_in_its_middle_and_stays_within_the_run() {
        let mut window = Window::default();
        assert_eq!(window.visible(END), (SimTime::ZERO, END));
        window.zoom_in(SimTime(50_000_000), END);
        assert_eq!(window.visible(END), (SimTime(25_000_000), SimTime(75_000_000)));
        window.zoom_in(END, END);
        assert_eq!(window.visible(END), (SimTime(75_000_000), END));
        window.zoom_out(END, END);
        window.zoom_out(END, END);
        assert!(window.is_whole() && window.visible(END) == (SimTime::ZERO, END));
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
    fn zooming_ends_where_nothing_more_could_be_seen() {
        let mut window = Window::default();
        for _ in 0..100 {
            window.zoom_in(SimTime::ZERO, END);
        }
        let (from, until) = window.visible(END);
        assert!(until.since(from) >= SHORTEST);
    }
}
