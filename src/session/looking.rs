//! The part of a long run that is looked at closely. Of a run of too many events the worker keeps only what verdicts are made of;
//! the messages and waits of what is in view are asked for when it comes into view.

use super::{Effect, Session, Worker};
use crate::draw::{Detail, MESSAGES_WITHIN};
use crate::engine::{SimTime, Span};
use std::rc::Rc;

/// In a longer view no message is drawn: then what is around the playhead is asked for, for who waits for whom.
const AROUND: Span = Span::from_secs(30);
/// More events than this are not looked at closely: what a worker tells of them might not fit into its memory.
const EVENTS_MAX: u128 = 1_000_000;

impl Session {
    /// Asks for the messages and waits of what is in view, when they are not known and nothing else is under way.
    pub(super) fn look_closer(&mut self) -> Option<Effect> {
        let story = self.story.as_ref()?;
        if self.worker != Worker::Idle || self.looks.is_some() {
            return None;
        }
        let end = story.end();
        let (from, until) = self.window.visible(end);
        let (from, until) = match self.sees_messages() {
            true => (from, until),
            // While it plays, the playhead is soon elsewhere.
            false if self.playing => return None,
            false => (self.playhead - AROUND, (self.playhead + AROUND).min(end)),
        };
        if story.detail.covers(from, until) {
            return None;
        }
        // More than is seen, so that not every step to the side asks again.
        let span = until.since(from);
        let wide = (from - span, (until + span).min(end));
        let (from, until) = [wide, (from, until)]
            .into_iter()
            .find(|part| self.can_be_looked_at(*part))?;
        self.looks = Some((from, until));
        let run = self.run;
        Some(Effect::Look { run, from, until })
    }

    /// Whether so little is in view that messages are drawn.
    pub fn sees_messages(&self) -> bool {
        let end = self.story.as_ref().map_or(SimTime::ZERO, |story| story.end());
        let (from, until) = self.window.visible(end);
        until.since(from) <= MESSAGES_WITHIN
    }

    /// Whether a part of the run has no more events than one may ask for, as far as one can tell.
    fn can_be_looked_at(&self, (from, until): (SimTime, SimTime)) -> bool {
        let Some(story) = &self.story else { return false };
        let (events, all) = (u128::from(story.verdict.events), story.verdict.duration.0.max(1));
        events * u128::from(until.since(from).0) / u128::from(all) <= EVENTS_MAX
    }

    pub(super) fn looked(&mut self, run: u32, detail: Detail) -> Vec<Effect> {
        if run != self.run {
            return Vec::new();
        }
        self.looks = None;
        let Some(story) = &mut self.story else {
            return Vec::new();
        };
        // The message that is looked at has another place now.
        let message = self.message.and_then(|message| story.detail.flights.get(message));
        self.message = message.and_then(|one| detail.flights.iter().position(|other| other == one));
        Rc::make_mut(story).detail = detail;
        Vec::new()
    }

    /// Whether the messages of all of the run are known, as they are of all but very long ones.
    pub fn knows_all(&self) -> bool {
        let whole = |story: &Rc<crate::draw::Story>| story.detail.covers(SimTime::ZERO, story.end());
        self.story.as_ref().is_none_or(whole)
    }

    /// The part of the run whose events are written to a file: what is in view, when that is not too much; nothing: what is kept of
    /// all of it.
    pub(super) fn traced_part(&self) -> Option<(SimTime, SimTime)> {
        let end = self.story.as_ref()?.end();
        let part = match self.knows_all() {
            true => (SimTime::ZERO, end),
            false => self.window.visible(end),
        };
        Some(part).filter(|part| self.knows_all() || self.can_be_looked_at(*part))
    }
}
