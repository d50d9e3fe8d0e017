//! A rebuilt scenario under many seeds. Seeds differ in everything the recording does not tell; what it does tell is the
//! same in all: who leads the store, whom the old leader asks, and how long after its last renewal the fault strikes.

use super::figures::{Figures, Measured};
use super::rebuild::Rebuilt;
use super::watch::{Doing, Watch};
use crate::engine::{Draw, Draws, Event, Observer, Place, ProcId, SimTime, Span, Spread, What};
use crate::scenario::Scenario;
use crate::verdict::Meter;
use crate::vocabulary::{Message, NodeId, StoreOp, Words};
use crate::world::World;
use borsh::{BorshDeserialize, BorshSerialize};

/// Long enough to see whom an agent asks first.
const FIRST_REQUESTS: SimTime = SimTime(200_000);
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
}

/// The first `count` seeds that fit the recording, each looked for when it is asked for.
pub fn fitting(rebuilt: &Rebuilt, count: usize) -> impl Iterator<Item = Fitting> {
    let seeds = (0..TRIES * count as u64).map(|n| n * 3 + rebuilt.store_leader as u64);
    let fitting = seeds.filter_map(|seed| {
        let fault = fault_time(rebuilt, seed)?;
        Some(Fitting { seed, fault })
    });
    fitting.take(count)
}

impl Fitting {
    /// What runs under this seed.
    pub fn scenario(&self, rebuilt: &Rebuilt) -> Scenario {
        let late = |spread: &Spread| Draws::new(self.seed, u32::MAX).sample(Draw(0), spread);
        rebuilt.scenario(self.seed, self.fault, late)
    }

    pub fn figures(&self, rebuilt: &Rebuilt) -> Figures {
        run(rebuilt, *self)
    }
}

/// When the fault must strike under this seed; nothing if it asks another member, or renews once more before.
fn fault_time(rebuilt: &Rebuilt, seed: u64) -> Option<SimTime> {
    let scenario = Scenario {
        seed,
        faults: Vec::new(),
        ..rebuilt.scenario.clone()
    };
    let mut world = World::new(&scenario);
    let leader = NodeId(rebuilt.leader as u8);
    let mut asked = Asked {
        agent: world.layout().node(leader).agent,
        member: None,
    };
    world.run_until(FIRST_REQUESTS, &mut asked);
    if asked.member != Some(world.layout().store()[rebuilt.asks].1) {
        return None;
    }
    let mut world = World::new(&scenario);
    let mut watch = Watch::new(world.layout());
    let slack = Span::from_millis(100);
    world.run_until(rebuilt.nominal + slack, &mut watch);
    let sent: Vec<SimTime> = watch
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
    let mut observers = (Meter::new(&scenario, world.layout()), Watch::new(world.layout()));
    let end = SimTime::ZERO + scenario.duration;
    world.run_until(end, &mut observers);
    let (meter, watch) = observers;
    let verdict = meter.finish(end, world.events(), world.findings(), None);
    Measured {
        watch: &watch,
        verdict: &verdict,
        old: NodeId(rebuilt.leader as u8),
        fault: fitting.fault,
        repaired: rebuilt.repaired,
        loop_wait: scenario.patroni.loop_wait,
        delay: rebuilt.delay,
    }
    .figures()
}

/// Which member an agent sends its keep-alives to.
struct Asked {
    agent: ProcId,
    member: Option<ProcId>,
}

impl Observer<Words> for Asked {
    const FULL: bool = true;

    fn record(&mut self, event: Event<Words>) {
        if let What::Sent { to, message, .. } = &event.what
            && event.place == Place::Process(self.agent)
            && matches!(
                message,
                Message::Store {
                    op: StoreOp::LeaseKeepAlive { .. },
                    ..
                }
            )
        {
            self.member.get_or_insert(*to);
        }
    }
}
