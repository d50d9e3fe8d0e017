//! Builds the actors of a scenario and runs them.

mod layout;
mod strikes;

pub use layout::{Layout, NodeProcesses, Part};

use crate::engine::{Actor, Ctx, Engine, Finding, Furnishing, HostId, Input, MonoTime, Observer, SimTime, WallTime};
use crate::scenario::Scenario;
use crate::vocabulary::Words;

/// Any actor of a LeaseLab world.
#[derive(Clone, Debug)]
enum Role {
    Idle,
}

impl Actor<Words> for Role {
    fn handle(&mut self, _input: Input<Words>, _ctx: &mut Ctx<'_, Words>) {}
}

/// A scenario at one instant. Clone it to have two futures.
#[derive(Clone, Debug)]
pub struct World {
    engine: Engine<Words, Role>,
    layout: Layout,
}

impl World {
    /// The world at time 0, before anything happened.
    pub fn new(scenario: &Scenario) -> World {
        let layout = Layout::new(
            &scenario.cluster.nodes,
            scenario.store.members,
            scenario.traffic.direct_writers,
            scenario.traffic.writers as u8,
        );
        let plan = Furnishing {
            seed: scenario.seed,
            latency: strikes::spread(&scenario.network.latency),
            loss_ppm: scenario.network.loss_ppm,
            hosts: layout.host_count(),
            fsync: strikes::spread(&scenario.disk.fsync),
            processes: (0..layout.parts().len() as u16)
                .map(|p| (layout.host_of(crate::engine::ProcId(p)), true))
                .collect(),
            strikes: scenario
                .faults
                .iter()
                .map(|fault| strikes::strike(fault, scenario, &layout))
                .collect(),
        };
        let actors = layout.parts().iter().map(|_| Role::Idle).collect();
        World {
            engine: Engine::new(plan, actors),
            layout,
        }
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }
    pub fn now(&self) -> SimTime {
        self.engine.now()
    }
    /// How many events have happened so far, observed or not.
    pub fn events(&self) -> u32 {
        self.engine.events()
    }
    /// Rules of our own that were broken: empty unless LeaseLab has a bug.
    pub fn findings(&self) -> &[Finding] {
        self.engine.findings()
    }
    pub fn clock(&self, host: HostId) -> (MonoTime, WallTime) {
        self.engine.clock(host)
    }
    /// Runs everything that is due up to and including `until`.
    pub fn run_until<O: Observer<Words>>(&mut self, until: SimTime, obs: &mut O) {
        self.engine.run_until(until, obs);
    }
}
