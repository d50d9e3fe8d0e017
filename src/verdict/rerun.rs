//! A run that can be told again from where a change begins. While it goes, it leaves marks: the world and the meter as they
//! were at some instants. Another scenario that differs only in faults, and only from some instant on, is run from the last
//! mark before that, with the events so far kept.

use super::{Meter, Verdict};
use crate::engine::{FullTrace, SimTime, Span};
use crate::scenario::{Scenario, differs_from};
use crate::vocabulary::Words;
use crate::world::{Layout, World};

/// A run, as far as it has come.
#[derive(Clone, Debug)]
pub struct Rerun {
    scenario: Scenario,
    world: World,
    meter: Meter,
    trace: FullTrace<Words>,
    marks: Vec<Mark>,
    /// From where the last change was run.
    from: SimTime,
}

#[derive(Clone, Debug)]
struct Mark {
    world: World,
    meter: Meter,
    events: usize,
}

/// So many marks at most: what one costs in memory is about what a second of the busiest run's trace does.
const MARKS_MAX: u64 = 20;
/// Marks nearer to each other than this save nothing that anybody would notice.
const APART_MIN: Span = Span::from_secs(5);

impl Rerun {
    /// A scenario at its beginning.
    pub fn new(scenario: &Scenario) -> Rerun {
        let world = World::new(scenario);
        Rerun {
            meter: Meter::new(scenario, world.layout()),
            scenario: scenario.clone(),
            world,
            trace: FullTrace::default(),
            marks: Vec::new(),
            from: SimTime::ZERO,
        }
    }

    /// Another scenario, from the last mark before it differs from this one; from the beginning when there is none.
    #[must_use]
    pub fn again(mut self, scenario: &Scenario) -> Rerun {
        let differs = differs_from(&self.scenario, scenario).unwrap_or(SimTime(u64::MAX));
        self.marks.retain(|mark| mark.world.now() < differs);
        let Some(Mark { world, meter, events }) = self.marks.last().cloned() else {
            return Rerun::new(scenario);
        };
        self.trace.truncate(events);
        Rerun {
            from: world.now(),
            world: world.with_faults(scenario),
            meter: meter.with_faults(scenario),
            scenario: scenario.clone(),
            ..self
        }
    }

    /// From where the scenario was run; what lies before was run for another one.
    pub fn from(&self) -> SimTime {
        self.from
    }
    pub fn end(&self) -> SimTime {
        SimTime::ZERO + self.scenario.duration
    }

    /// Runs on to `until`, leaving marks.
    pub fn run_until(&mut self, until: SimTime) {
        let apart = Span(self.scenario.duration.0 / MARKS_MAX).max(APART_MIN);
        loop {
            let last = self.marks.last().map_or(SimTime::ZERO, |mark| mark.world.now());
            let next = last + apart;
            if next > until || next >= self.end() {
                break;
            }
            self.advance(next);
            self.marks.push(Mark {
                world: self.world.clone(),
                meter: self.meter.clone(),
                events: self.trace.len(),
            });
        }
        self.advance(until);
    }

    fn advance(&mut self, until: SimTime) {
        let mut observers = (std::mem::take(&mut self.trace), &mut self.meter);
        self.world.run_until(until, &mut observers);
        self.trace = observers.0;
    }

    /// What the run amounted to, up to where it has come. Without the trace's hash, which costs as much as the run.
    pub fn verdict(&self) -> Verdict {
        let (world, meter) = (&self.world, self.meter.clone());
        meter.finish(world.now(), world.events(), world.findings(), None)
    }
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }
    pub fn layout(&self) -> &Layout {
        self.world.layout()
    }
    pub fn trace(&self) -> &FullTrace<Words> {
        &self.trace
    }
}
