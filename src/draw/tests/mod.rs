//! What the drawing promises, held against every shipped scenario and against traces written by hand.

mod arranging;
mod budgets;
mod clocks;
mod inspections;
mod keys;
mod look;
mod members;
mod outcomes;
mod relations;
mod remarks;
mod scenes;
mod seen;
mod stories;
mod touching;
mod transcripts;
mod twins;
mod whys;

use super::{Scene, Story, Style, tell};
use crate::engine::{Event, EventId, FullTrace, Observer, Place, ProcId, SimTime, What};
use crate::scenario::{Placement, SHIPPED, Scenario};
use crate::verdict::{Run, run};
use crate::vocabulary::{Note, Words};
use crate::world::Layout;

/// A run with its scenario.
pub struct Played {
    pub name: &'static str,
    pub scenario: Scenario,
    pub run: Run,
}

impl Played {
    pub fn story(&self) -> Story {
        tell(
            &self.run.trace,
            self.run.verdict.clone(),
            &self.scenario,
            &self.run.layout,
        )
    }
}

pub fn play(name: &str) -> Played {
    let (name, text) = SHIPPED.iter().find(|(n, _)| *n == name).expect("shipped");
    let scenario = Scenario::parse(text, name).expect("valid");
    let run = run(&scenario);
    Played { name, scenario, run }
}

pub fn play_all() -> impl Iterator<Item = Played> {
    SHIPPED.iter().map(|(name, _)| play(name))
}

/// A scenario of a test's own.
pub fn play_text(text: &str) -> Played {
    let name = "test";
    let scenario = Scenario::parse(text, name).expect("valid");
    let run = run(&scenario);
    Played { name, scenario, run }
}

pub fn told(text: &str) -> Story {
    play_text(text).story()
}

/// How many shapes of a style are drawn.
pub fn count(drawing: &Scene, style: Style) -> usize {
    let batch = drawing.batches.iter().find(|batch| batch.style == style);
    batch.map_or(0, |batch| batch.shapes.len())
}

/// A trace written event by event, on the furnishing of the shipped scenario `agent-paused`.
pub struct Script {
    pub trace: FullTrace<Words>,
    pub scenario: Scenario,
    pub layout: Layout,
}

impl Script {
    pub fn new() -> Script {
        let (name, text) = SHIPPED.iter().find(|(n, _)| *n == "agent-paused").expect("shipped");
        let scenario = Scenario::parse(text, name).expect("valid");
        let layout = Layout::new(&scenario.cluster.nodes, 1, Placement::Own, false, 0);
        Script {
            trace: FullTrace::default(),
            scenario,
            layout,
        }
    }
    pub fn agent(&self, node: usize) -> ProcId {
        self.layout.nodes()[node].agent
    }
    pub fn store(&self) -> ProcId {
        self.layout.store()[0].1
    }
    /// Adds an event at so many milliseconds.
    pub fn add(&mut self, ms: u64, place: Place, cause: Option<EventId>, what: What<Words>) -> EventId {
        self.because(ms, place, cause, None, what)
    }
    pub fn because(
        &mut self,
        ms: u64,
        place: Place,
        cause: Option<EventId>,
        because: Option<EventId>,
        what: What<Words>,
    ) -> EventId {
        let id = EventId::from_index(self.trace.len()).expect("few events");
        let at = SimTime(ms * 1_000);
        self.trace.record(Event {
            id,
            at,
            place,
            lamport: crate::engine::Lamport::ZERO,
            cause,
            because,
            what,
        });
        id
    }
    pub fn note(&mut self, ms: u64, process: ProcId, cause: EventId, note: Note) -> EventId {
        self.add(ms, Place::Process(process), Some(cause), What::Note(note))
    }
}

/// The name of the node that took over.
pub fn winner(story: &Story) -> &str {
    &story.verdict.failovers[0].to
}
