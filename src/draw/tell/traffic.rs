//! Writes, and the router's choice.

use super::super::story::{Stretch, Writes};
use super::Track;
use crate::engine::{Event, SimTime, What};
use crate::vocabulary::{NodeId, Note, Words, WriteOutcome};

#[derive(Clone, Debug)]
pub struct Traffic {
    nodes: usize,
    acknowledged: Vec<(SimTime, NodeId)>,
    refused: Vec<SimTime>,
    unknown: Vec<SimTime>,
    router: Track<Option<NodeId>>,
}

impl Traffic {
    pub fn new(nodes: usize) -> Traffic {
        Traffic {
            nodes,
            acknowledged: Vec::new(),
            refused: Vec::new(),
            unknown: Vec::new(),
            router: Track::new(),
        }
    }

    pub fn see(&mut self, event: &Event<Words>) {
        match &event.what {
            What::Note(Note::Write { direct, outcome }) => self.write(event.at, *direct, *outcome),
            What::Note(Note::Routes { to }) => self.router.begin(event.at, *to),
            _ => {}
        }
    }

    fn write(&mut self, at: SimTime, direct: bool, outcome: WriteOutcome) {
        match outcome {
            WriteOutcome::Acknowledged { by, .. } => self.acknowledged.push((at, by)),
            // A local client of a standby is refused all the time.
            WriteOutcome::Refused(_) if direct => {}
            WriteOutcome::Refused(_) => self.refused.push(at),
            WriteOutcome::Unknown => self.unknown.push(at),
        }
    }

    /// `lost`: when writes were acknowledged that the final leader does not have.
    pub fn finish(self, end: SimTime, lost: &[SimTime]) -> (Writes, Vec<Stretch<Option<NodeId>>>) {
        let mut writes = Writes {
            kept: vec![Vec::new(); self.nodes],
            lost: vec![Vec::new(); self.nodes],
            refused: self.refused,
            unknown: self.unknown,
        };
        let mut lost = lost.iter().peekable();
        for (at, by) in self.acknowledged {
            let lanes = if lost.next_if_eq(&&at).is_some() {
                &mut writes.lost
            } else {
                &mut writes.kept
            };
            if let Some(lane) = lanes.get_mut(by.index()) {
                lane.push(at);
            }
        }
        (writes, self.router.finish(end))
    }
}
