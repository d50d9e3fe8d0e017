//! Runs a scenario for its verdict. The command line, the page's worker and the tests all come through here.

use super::{Meter, Verdict};
use crate::engine::{FullTrace, SimTime};
use crate::scenario::Scenario;
use crate::vocabulary::Words;
use crate::world::{Layout, World};

/// A run of which everything was kept.
#[derive(Clone, Debug)]
pub struct Run {
    pub verdict: Verdict,
    pub trace: FullTrace<Words>,
    pub layout: Layout,
}

/// Runs a scenario and keeps every event.
pub fn run(scenario: &Scenario) -> Run {
    let (mut world, end) = prepare(scenario);
    let mut observers = (FullTrace::default(), Meter::new(scenario, world.layout()));
    world.run_until(end, &mut observers);
    let (trace, meter) = observers;
    let verdict = meter.finish(end, world.events(), world.findings(), Some(trace.hash()));
    let layout = world.layout().clone();
    Run { verdict, trace, layout }
}

/// Runs a scenario for its verdict alone: the same as that of [`run`], but without a trace hash, in less time and memory.
pub fn judge(scenario: &Scenario) -> Verdict {
    let (mut world, end) = prepare(scenario);
    let mut meter = Meter::new(scenario, world.layout());
    world.run_until(end, &mut meter);
    meter.finish(end, world.events(), world.findings(), None)
}

fn prepare(scenario: &Scenario) -> (World, SimTime) {
    (World::new(scenario), SimTime::ZERO + scenario.duration)
}

/// The greatest seed: the greatest whole number that survives JSON and a number field.
const SEED_MAX: u64 = (1 << 53) - 1;

/// The `n`-th scenario of a series over seeds: the scenario's own seed is the first, and after the greatest comes 0.
pub fn with_nth_seed(scenario: &Scenario, n: u32) -> Scenario {
    Scenario {
        seed: (scenario.seed + u64::from(n)) % (SEED_MAX + 1),
        ..scenario.clone()
    }
}

/// Judges a scenario with `seeds` seeds, its own and the following, on so many threads, and keeps of every verdict what
/// `keep` makes of it. The result is in the order of the seeds, whatever the threads did.
#[cfg(not(target_arch = "wasm32"))]
pub fn judge_seeds<T: Send>(
    scenario: &Scenario,
    seeds: u32,
    threads: usize,
    keep: impl Fn(Verdict) -> T + Sync,
) -> Vec<T> {
    use std::sync::atomic::{AtomicU32, Ordering};
    let next = AtomicU32::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= seeds {
                return done;
            }
            done.push((n, keep(judge(&with_nth_seed(scenario, n)))));
        }
    };
    let mut all: Vec<(u32, T)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let finished = workers.into_iter().map(|worker| match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        finished.flatten().collect()
    });
    all.sort_by_key(|(n, _)| *n);
    all.into_iter().map(|(_, kept)| kept).collect()
}
