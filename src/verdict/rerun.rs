//! A run that can be told again from where a change begins. While it goes, it leaves marks: the world and the meter as they
//! were at some instants. Another scenario that differs only in faults, and only from some instant on, is run from the last
//! mark before that, with the events so far kept.
//!
//! Of a run of more than a million events only what verdicts are made of is kept. Whoever wants all that happened in a part of it
//! has that part run again, from the mark before it.

use super::{Meter, Verdict};
use crate::engine::{FullTrace, SimTime, Span, Thinly, Unwatched, What};
use crate::scenario::{Scenario, differs_from};
use crate::vocabulary::{Note, Words, WriteOutcome};
use crate::world::{Layout, World};
use std::borrow::Cow;

/// A run, as far as it has come.
#[derive(Clone, Debug)]
pub struct Rerun {
    scenario: Scenario,
    world: World,
    meter: Meter,
    trace: FullTrace<Words>,
    /// A trace of more events is thinned.
    events_max: usize,
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

/// Whether a thinned trace keeps it. A local client of a standby is refused all the time, and nothing is told of that.
fn is_kept(what: &What<Words>) -> bool {
    let refused = |note: &Note| {
        matches!(
            note,
            Note::Write {
                direct: true,
                outcome: WriteOutcome::Refused(_)
            }
        )
    };
    !matches!(what, What::Note(note) if refused(note))
}

/// So many events take about as much memory as a page may take.
const EVENTS_MAX: usize = 1_000_000;
/// How far a part of a run goes back before what was asked for, so that what led to its first events is in it: several cycles
/// and the longest usual lease.
const LED_UP: Span = Span::from_secs(120);

impl Rerun {
    /// A scenario at its beginning.
    pub fn new(scenario: &Scenario) -> Rerun {
        Rerun::keeping(scenario, EVENTS_MAX)
    }

    /// The same, whose trace is thinned when it has more than so many events.
    pub fn keeping(scenario: &Scenario, events_max: usize) -> Rerun {
        let world = World::new(scenario);
        Rerun {
            meter: Meter::new(scenario, world.layout()),
            scenario: scenario.clone(),
            world,
            trace: FullTrace::default(),
            events_max,
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
            return Rerun::keeping(scenario, self.events_max);
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
                events: self.world.events() as usize,
            });
        }
        self.advance(until);
    }

    fn advance(&mut self, until: SimTime) {
        let (trace, meter) = (&mut self.trace, &mut self.meter);
        if trace.is_thin() {
            self.world.run_until(until, &mut (Thinly(trace), meter));
            return;
        }
        self.world.run_until(until, &mut (&mut *trace, meter));
        if trace.len() > self.events_max {
            trace.thin(is_kept);
        }
    }

    /// The full trace from some time before `from` to `until`; the whole one when it was not thinned.
    pub fn part(&self, from: SimTime, until: SimTime) -> Cow<'_, FullTrace<Words>> {
        if !self.trace.is_thin() {
            return Cow::Borrowed(&self.trace);
        }
        let begins = from - LED_UP;
        let mark = self.marks.iter().rfind(|mark| mark.world.now() <= begins);
        let mut world = match mark {
            Some(mark) => mark.world.clone().with_faults(&self.scenario),
            None => World::new(&self.scenario),
        };
        // At the very beginning there is nothing before the first events.
        if begins > SimTime::ZERO {
            world.run_until(begins, &mut Unwatched);
        }
        let mut trace = world.trace_from_here();
        world.run_until(until, &mut trace);
        Cow::Owned(trace)
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
