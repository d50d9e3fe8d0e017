//! A rebuilt scenario under many seeds. Seeds differ in everything the recording does not tell; what it does tell is the
//! same in all: who leads the store, whom the old leader asks, and how long after its last renewal the fault strikes.

use super::figures::{Figures, Measured};
use super::rebuild::{Rebuilt, Saw};
use super::watch::{Doing, Watch};
use crate::engine::{Draw, Draws, Event, FullTrace, Observer, Place, SimTime, Span, Spread, What};
use crate::scenario::Scenario;
use crate::verdict::Meter;
use crate::vocabulary::{Message, NodeId, StoreOp, Words};
use crate::world::World;
use borsh::{BorshDeserialize, BorshSerialize};

/// Long enough to see whom an agent asks first.
const FIRST_REQUESTS: SimTime = SimTime(200_000);
/// How often the recorder samples a database.
const LOOK: Span = Span::from_millis(50);
/// After this nobody waits for a new primary any more.
const PATIENCE: Span = Span::from_secs(120);
/// How many seeds are looked at for each that is wanted, before it is plain that none fits.
const TRIES: u64 = 60;

/// The figures of `count` seeds that fit the recording, or as many as there are.
pub fn figures(rebuilt: &Rebuilt, count: usize) -> Vec<Figures> {
    fitting(rebuilt, count)
        .map(|fitting| fitting.figures(rebuilt))
        .collect()
}

/// A seed that tells what the recording tells of the time before the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Fitting {
    pub seed: u64,
    /// When the fault strikes under it.
    pub fault: SimTime,
    /// When the recorder sees the new primary, if it waits for that.
    pub sees: Option<SimTime>,
}

/// The first `count` seeds that fit the recording, each looked for when it is asked for.
pub fn fitting(rebuilt: &Rebuilt, count: usize) -> impl Iterator<Item = Fitting> {
    let seeds = (0..TRIES * count as u64).map(|n| n * 3 + rebuilt.store_leader as u64);
    let fitting = seeds.filter_map(|seed| {
        let fault = fault_time(rebuilt, seed)?;
        let sees = rebuilt.saw.and_then(|how| sees_new_primary(rebuilt, how, seed, fault));
        Some(Fitting { seed, fault, sees })
    });
    fitting.take(count)
}

impl Fitting {
    /// What runs under this seed.
    pub fn scenario(&self, rebuilt: &Rebuilt) -> Scenario {
        rebuilt.scenario(self.seed, self.fault, self.sees, late(self.seed))
    }

    /// In milliseconds from the fault: when it is repaired.
    pub fn repaired(&self, rebuilt: &Rebuilt) -> Option<f64> {
        let later = match (rebuilt.saw, self.sees) {
            (Some(saw), Some(sees)) => sees.since(self.fault).as_millis_f64() - saw.ms(),
            _ => 0.0,
        };
        Some(rebuilt.repaired? + later)
    }

    pub fn figures(&self, rebuilt: &Rebuilt) -> Figures {
        run(rebuilt, *self)
    }
}

/// By how much a fault trails its stamp under a seed.
fn late(seed: u64) -> impl Fn(&Spread) -> Span {
    move |spread| Draws::new(seed, u32::MAX).sample(Draw(0), spread)
}

/// When the recorder, which looks every 50 ms, sees another database than the old one that takes writes, or that would take
/// them while its own writers pause.
fn sees_new_primary(rebuilt: &Rebuilt, how: Saw, seed: u64, fault: SimTime) -> Option<SimTime> {
    let scenario = rebuilt.waiting(seed, fault, late(seed));
    let mut world = World::new(&scenario);
    let mut recorder = Recorder {
        watch: Watch::new(world.layout()),
        meter: None,
    };
    let end = fault + PATIENCE;
    let old = rebuilt.leader;
    while world.now() < end {
        world.run_until(world.now() + LOOK, &mut recorder);
        let others = || recorder.watch.nodes.iter().enumerate().filter(|(node, _)| *node != old);
        let seen = match how {
            Saw::Write(_) => others().any(|(_, node)| node.is_writable()),
            Saw::EndOfRecovery(_) => others().any(|(_, node)| !node.promoted.is_empty()),
        };
        if seen {
            return Some(world.now());
        }
    }
    None
}

/// When the fault must strike under this seed; nothing if it asks another member, or renews once more before.
fn fault_time(rebuilt: &Rebuilt, seed: u64) -> Option<SimTime> {
    let scenario = Scenario {
        seed,
        faults: Vec::new(),
        ..rebuilt.scenario.clone()
    };
    let leader = NodeId(rebuilt.leader as u8);
    if asked_first(&scenario, leader) != Some(rebuilt.asks) {
        return None;
    }
    let mut world = World::new(&scenario);
    let mut recorder = Recorder {
        watch: Watch::new(world.layout()),
        meter: None,
    };
    let slack = Span::from_millis(100);
    world.run_until(rebuilt.nominal + slack, &mut recorder);
    let sent: Vec<SimTime> = recorder
        .watch
        .node(leader)
        .agent
        .iter()
        .filter(|(_, doing)| *doing == Doing::Renews)
        .map(|&(at, _)| at)
        .collect();
    let fault = *sent.get(rebuilt.renewal)? + rebuilt.phase;
    let next = sent.get(rebuilt.renewal + 1);
    next.is_none_or(|&next| next > fault).then_some(fault)
}

fn run(rebuilt: &Rebuilt, fitting: Fitting) -> Figures {
    let scenario = fitting.scenario(rebuilt);
    let mut world = World::new(&scenario);
    let meter = Meter::new(&scenario, world.layout());
    let mut recorder = Recorder {
        watch: Watch::new(world.layout()),
        meter: Some(meter),
    };
    let end = SimTime::ZERO + scenario.duration;
    world.run_until(end, &mut recorder);
    let Recorder { watch, meter } = recorder;
    // It was put in above.
    let meter = meter.unwrap_or_else(|| Meter::new(&scenario, world.layout()));
    let verdict = meter.finish(end, world.events(), world.findings(), None);
    Measured {
        watch: &watch,
        verdict: &verdict,
        old: NodeId(rebuilt.leader as u8),
        fault: fitting.fault,
        repaired: fitting.repaired(rebuilt),
        loop_wait: scenario.patroni.loop_wait,
        delay: rebuilt.delay,
    }
    .figures()
}

/// The member that an agent sends its first keep-alive to. The page runs with the same observers, so that the engine is not
/// compiled once more for this question.
fn asked_first(scenario: &Scenario, agent: NodeId) -> Option<usize> {
    let mut world = World::new(scenario);
    let mut observers = (FullTrace::default(), Meter::new(scenario, world.layout()));
    world.run_until(FIRST_REQUESTS, &mut observers);
    let place = Place::Process(world.layout().node(agent).agent);
    let asked = observers.0.iter().find_map(|event| match &event.what {
        What::Sent {
            to,
            message:
                Message::Store {
                    op: StoreOp::LeaseKeepAlive { .. },
                    ..
                },
            ..
        } if event.place == place => Some(*to),
        _ => None,
    })?;
    world.layout().store().iter().position(|&(_, member)| member == asked)
}

/// What the recorder saw and, for a whole run, what it amounted to. One type for both, because the engine is compiled anew
/// for every observer.
struct Recorder {
    watch: Watch,
    meter: Option<Meter>,
}

impl Observer<Words> for Recorder {
    const FULL: bool = false;

    fn record(&mut self, event: Event<Words>) {
        if let Some(meter) = &mut self.meter {
            meter.record(event.clone());
        }
        self.watch.record(event);
    }
}
