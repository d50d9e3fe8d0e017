//! Playing, stepping, jumping: everything that moves the playhead. Steps stop the playing, because who steps wants to look.

use super::{Action, Page, Session, Window};
use crate::draw::story::{Row, Tone};
use crate::engine::{EventId, SimTime, Span};

/// The longest real time that one tick counts: a page that was in the background goes on where it was.
const TICK_MAX: Span = Span::from_millis(100);

impl Session {
    /// The end of the run that is shown.
    pub fn end(&self) -> SimTime {
        self.shown_end().unwrap_or(SimTime::ZERO)
    }

    /// The same, when there is one: the end of the time axis.
    pub fn shown_end(&self) -> Option<SimTime> {
        self.story.as_ref().map(|story| story.end())
    }

    /// Where two primaries first coexist; when they never do, where first no database is writable.
    pub fn first_bad_moment(&self) -> Option<SimTime> {
        let verdict = &self.story.as_ref()?.verdict;
        let two = verdict.two_primaries.intervals.first().map(|interval| interval.from);
        two.or(verdict.outages.first().map(|outage| outage.from))
    }

    /// The row of the event list that tells of the first two primaries.
    pub fn first_bad_row(&self) -> Option<usize> {
        let story = self.story.as_ref()?;
        let from = story.verdict.two_primaries.intervals.first()?.from;
        let tells = |row: &Row| row.tone == Tone::Danger && row.at >= from;
        story.rows.iter().position(tells)
    }

    pub(super) fn play_back(&mut self, movement: Action) {
        match movement {
            Action::TogglePlay => self.toggle(),
            Action::Restart => {
                self.seek(SimTime::ZERO);
                self.playing = self.end() > SimTime::ZERO;
            }
            Action::Tick(real) => self.tick(real),
            Action::Hold(held) => self.held = held,
            Action::SetSpeed(speed) => self.speed = speed,
            Action::Seek(to) => self.seek(to),
            Action::Start => self.seek(SimTime::ZERO),
            Action::End => self.stop_at(self.end()),
            Action::Shift(us) => self.stop_at(SimTime(self.playhead.0.saturating_add_signed(us))),
            Action::FirstBadMoment => {
                if let Some(at) = self.first_bad_moment() {
                    self.stop_at(at);
                }
            }
            Action::NextEvent => self.go_to_row(self.row.map_or(0, |row| row + 1)),
            Action::PreviousEvent => self.step_back(),
            Action::ToRow(row) => self.go_to_row(row),
            Action::ToEvent(event, at) => self.go_to_event(event, at),
            Action::ZoomIn => self.window.zoom_in(self.playhead, self.end()),
            Action::ZoomOut => self.window.zoom_out(self.playhead, self.end()),
            Action::ZoomFit => self.window = Window::default(),
            Action::Zoom { around, percent } => self.window.scale(around, percent, self.end()),
            Action::Pan(us) => self.window.pan(us, self.end()),
            Action::See(from, until) => self.window.show(from, until, self.end()),
            Action::PickMessage(message) => self.message = message,
            Action::NextMessage => self.step_message(true),
            Action::PreviousMessage => self.step_message(false),
            _ => debug_assert!(false, "{movement:?} does not move the playhead"),
        }
    }

    /// Where a newly chosen scenario begins: playing from the start or, when nothing may move by itself, still, where there
    /// is something to see.
    pub(super) fn land(&mut self) {
        // Nobody would see it behind another page.
        self.playing = !self.calm && self.page == Page::Lab;
        let bad = self.first_bad_moment().filter(|_| self.calm);
        self.seek(bad.unwrap_or(SimTime::ZERO));
    }

    pub(super) fn seek(&mut self, to: SimTime) {
        self.move_to(to);
        self.window.follow(self.playhead, self.end());
    }

    fn move_to(&mut self, to: SimTime) {
        self.playhead = to.min(self.end());
        self.row = self.story.as_ref().and_then(|story| story.row_at(self.playhead));
    }

    fn stop_at(&mut self, to: SimTime) {
        self.playing = false;
        self.seek(to);
    }

    fn toggle(&mut self) {
        if !self.playing && self.playhead >= self.end() {
            self.seek(SimTime::ZERO);
        }
        self.playing = !self.playing && self.end() > SimTime::ZERO;
    }

    fn tick(&mut self, real: Span) {
        if !self.playing || self.held {
            return;
        }
        let to = self.playhead + self.speed.of(real.min(TICK_MAX));
        // Who looks at another part of the run while it plays is left there.
        if self.window.holds(self.playhead, self.end()) {
            self.seek(to);
        } else {
            self.move_to(to);
        }
        self.playing = self.playhead < self.end();
    }

    /// Several rows may lie at one instant, so a step goes by rows and not by time.
    fn go_to_row(&mut self, row: usize) {
        let at = self
            .story
            .as_ref()
            .and_then(|story| story.rows.get(row))
            .map(|row| row.at);
        self.playing = false;
        if let Some(at) = at {
            self.seek(at);
            self.row = Some(row);
        }
    }

    /// Not every event that explains another has a row of its own.
    fn go_to_event(&mut self, event: EventId, at: SimTime) {
        let rows = self.story.iter().flat_map(|story| &story.rows);
        match rows.enumerate().find(|(_, row)| row.event == event) {
            Some((row, _)) => self.go_to_row(row),
            None => self.stop_at(at),
        }
    }

    /// To the message before or after the one that is looked at, or, when none is, the playhead.
    fn step_message(&mut self, on: bool) {
        let Some(story) = self.story.clone() else { return };
        let next = match (self.message, on) {
            (Some(now), true) => Some(now + 1),
            (Some(now), false) => now.checked_sub(1),
            (None, true) => Some(story.message_from(self.playhead)),
            (None, false) => story.message_from(self.playhead).checked_sub(1),
        };
        if let Some((next, flight)) = next.and_then(|next| Some((next, story.detail.flights.get(next)?))) {
            self.message = Some(next);
            self.stop_at(flight.sent);
        }
    }

    /// To the row at which the playhead stands, or, when it stands exactly there, to the one before.
    fn step_back(&mut self) {
        let rows = self
            .story
            .as_ref()
            .map(|story| story.rows.as_slice())
            .unwrap_or_default();
        match self.row {
            Some(row) if rows.get(row).is_some_and(|row| row.at < self.playhead) => self.go_to_row(row),
            Some(row) if row > 0 => self.go_to_row(row - 1),
            _ => self.stop_at(SimTime::ZERO),
        }
    }
}
