//! The engine: the event queue, randomness, the network, disks, processes, faults and the trace.
//!
//! It runs any set of actors that speak one [`Wire`] and knows nothing of leases. One world, one thread, one order:
//! everything that happens is ordered by (time, sequence number), and the same seed gives the same run to the bit on
//! every platform.
//!
//! ```
//! use leaselab::engine::*;
//! # use borsh::{BorshSerialize, BorshDeserialize};
//! /// A process that says hello to its neighbour and a neighbour that notes it.
//! #[derive(Clone, Debug, PartialEq)]
//! struct Words;
//! impl Wire for Words {
//!     type Message = u8;
//!     type FileName = u8;
//!     type File = u8;
//!     type Note = u8;
//!     type Order = ();
//! }
//! #[derive(Clone)]
//! struct Greeter(Option<ProcId>);
//! impl Actor<Words> for Greeter {
//!     fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
//!         match (input, self.0) {
//!             (Input::Start, Some(neighbour)) => { ctx.open(neighbour); }
//!             (Input::Opened(conn), _) => ctx.send(conn, 7),
//!             (Input::Message(_, word), _) => ctx.note(word),
//!             _ => {}
//!         }
//!     }
//! }
//! let plan = Furnishing {
//!     seed: 1, latency: Spread::from_millis(1, 2, 10), loss_ppm: 0, one_segment: false, hosts: 2, fsync: Spread::from_millis(1, 2, 3),
//!     second_takes: Spread::from_millis(1_000, 1_000, 1_000), pressure_ppm: 0,
//!     reaps_every: Span::ZERO,
//!     processes: vec![(HostId(0), Starts::WithHost), (HostId(1), Starts::WithHost)], strikes: vec![],
//! };
//! let mut engine = Engine::new(plan, vec![Greeter(Some(ProcId(1))), Greeter(None)]);
//! let mut trace = FullTrace::default();
//! engine.run_until(SimTime(1_000_000), &mut trace);
//! assert!(trace.iter().any(|event| event.what == What::Note(7)));
//! ```

mod actor;
mod alarm;
mod conns;
mod disk;
mod fault;
mod ids;
mod kernel;
mod link;
mod neighbours;
mod net;
mod pace;
mod rng;
mod stamps;
mod strike;
mod trace;

pub use crate::clocks::{HostClock, Lamport, MAX_RATE_PPM, MonoTime, SimTime, Span, WallTime};
pub use actor::{Actor, Ctx, Input, Keepalive};
pub use alarm::{Alarm, Patience};
pub use fault::{Act, DiskChange, ResumeOrder, Victim};
pub use ids::{ConnId, EventId, HostId, ProcId, TimerKey};
pub use kernel::{Finding, Furnishing, Starts, Strike};
pub use link::{Mode, Ppm, Slower};
pub use pace::shared;
pub use rng::{Draw, Draws, Spread};
pub use stamps::{hybrids, stamped, steps, vector};
pub use trace::{
    Ended, Event, FullTrace, Life, Lost, Observer, OpenedBefore, Place, Signal, Thinly, Unwatched, What, Wire,
};

use kernel::Kernel;

/// A world at one instant: the machines and the actors on them. Cloning it gives a second world that goes on by itself
/// and, left alone, does exactly the same.
#[derive(Clone, Debug)]
pub struct Engine<W: Wire, A> {
    kernel: Kernel<W>,
    actors: Vec<A>,
}

impl<W: Wire, A: Actor<W>> Engine<W, A> {
    /// `actors[p]` is process `p` of the furnishing.
    pub fn new(plan: Furnishing<W::Order>, actors: Vec<A>) -> Engine<W, A> {
        debug_assert_eq!(plan.processes.len(), actors.len());
        Engine {
            kernel: Kernel::new(plan),
            actors,
        }
    }

    pub fn now(&self) -> SimTime {
        self.kernel.now
    }

    /// How many events have happened so far, observed or not.
    pub fn events(&self) -> u32 {
        self.kernel.events()
    }

    /// An empty trace for what happens from now on.
    pub fn trace_from_here(&self) -> FullTrace<W> {
        self.kernel.trace_from_here()
    }

    /// Broken rules of the engine itself; empty unless LeaseLab has a bug.
    pub fn findings(&self) -> &[Finding] {
        &self.kernel.findings
    }

    /// The clocks of a host now: what the observer compares with true time.
    pub fn clock(&self, host: HostId) -> (MonoTime, WallTime) {
        let clock = &self.kernel.hosts[host.index()].clock;
        (clock.mono(self.kernel.now), clock.wall(self.kernel.now))
    }

    /// From now on other strikes lie ahead. What has happened already must be the same in both, at the same places.
    pub fn reschedule(&mut self, strikes: Vec<Strike<W::Order>>) {
        self.kernel.reschedule(strikes);
    }

    pub fn actor(&self, process: ProcId) -> Option<&A> {
        self.actors.get(process.index())
    }

    /// Runs everything that is due up to and including `until`; then it is `until`.
    pub fn run_until<O: Observer<W>>(&mut self, until: SimTime, obs: &mut O) {
        let mut commands = Vec::new();
        while self.kernel.next_at().is_some_and(|at| at <= until) {
            self.kernel.advance(obs);
            while let Some((process, arrival)) = self.kernel.ready.pop_front() {
                // Two arrivals of one instant: the first may have paused or ended the second's process.
                if self.kernel.is_paused(process) {
                    self.kernel.arrive(process, arrival);
                    continue;
                }
                self.step(process, arrival, &mut commands, obs);
            }
        }
        self.kernel.now = self.kernel.now.max(until);
    }

    fn step<O: Observer<W>>(
        &mut self,
        process: ProcId,
        arrival: kernel::Arrival<W>,
        commands: &mut Vec<actor::Command<W>>,
        obs: &mut O,
    ) {
        let kernel = &mut self.kernel;
        let current = kernel.record_arrival(obs, process, &arrival);
        let now = kernel.now;
        let slot = &mut kernel.processes[process.index()];
        let host = &mut kernel.hosts[slot.host.index()];
        let mut ctx = Ctx {
            me: process,
            host: slot.host,
            mono: host.clock.mono(now),
            wall: host.clock.wall(now),
            files: &mut host.files,
            orders: &slot.orders,
            table: &kernel.table,
            draws: &mut slot.draws,
            pace: kernel.pace,
            now,
            next_conn: &mut kernel.next_conn,
            commands,
        };
        self.actors[process.index()].handle(arrival.input, &mut ctx);
        kernel.apply(obs, process, current, commands);
    }
}
