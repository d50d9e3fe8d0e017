//! What happened before an event, what after it, and what it has nothing to do with.

use super::{Effect, Session};
use crate::draw::{Cone, Related, Relation};
use crate::engine::EventId;
use std::rc::Rc;

/// A question for what an event is related to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relating {
    /// The row of the event list that was asked.
    pub row: usize,
    pub event: EventId,
    /// None while the answer is on its way.
    pub related: Option<Rc<Related>>,
}

/// So many concurrent events are offered, the nearest in time.
const OFFERED_MAX: usize = 8;

impl Session {
    /// Asks a row; the one that is asked already is let go.
    pub(super) fn relate(&mut self, row: usize) -> Vec<Effect> {
        if self.relating.take().is_some_and(|relating| relating.row == row) {
            return Vec::new();
        }
        let Some(event) = self.askable(row) else {
            return Vec::new();
        };
        self.relating = Some(Relating {
            row,
            event,
            related: None,
        });
        vec![Effect::Relate { run: self.run, event }]
    }

    pub(super) fn related(&mut self, run: u32, event: EventId, related: Option<Related>) -> Vec<Effect> {
        let asked = self
            .relating
            .as_mut()
            .filter(|asked| run == self.run && asked.event == event);
        match (asked, related) {
            (Some(asked), Some(related)) => asked.related = Some(Rc::new(related)),
            // The worker has another run by now.
            (Some(_), None) => self.relating = None,
            (None, _) => {}
        }
        Vec::new()
    }

    /// The answer, for drawings.
    pub fn cone(&self) -> Option<Cone> {
        self.relating.as_ref()?.related.clone().map(Cone)
    }

    /// The rows of the event list that are concurrent with the one that was asked, the nearest in time first.
    pub fn concurrent_rows(&self) -> Vec<usize> {
        let (
            Some(Relating {
                row,
                related: Some(related),
                ..
            }),
            Some(story),
        ) = (&self.relating, &self.story)
        else {
            return Vec::new();
        };
        let Some(at) = story.rows.get(*row).map(|row| row.at) else {
            return Vec::new();
        };
        let concurrent = |n: &usize| related.relation(story.rows[*n].event.index()) == Relation::Concurrent;
        let mut rows: Vec<usize> = (0..story.rows.len()).filter(concurrent).collect();
        crate::sorting::by_key(&mut rows, |&n| story.rows[n].at.0.abs_diff(at.0));
        rows.truncate(OFFERED_MAX);
        rows
    }
}
