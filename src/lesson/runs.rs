//! The runs that lessons speak of: each made once, whoever speaks of it, for its verdict alone, on all cores.

use crate::scenario::Scenario;
use crate::verdict::{judge, with_nth_seed};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Verdicts by the scenario that they are of, seed included.
#[derive(Default)]
pub(super) struct Runs {
    verdicts: BTreeMap<String, Value>,
}

impl Runs {
    /// Runs what is wanted: scenarios, each with so many seeds from its own on.
    pub fn of(wanted: &[(&Scenario, u32)], threads: usize) -> Runs {
        let mut distinct: BTreeMap<String, Scenario> = BTreeMap::new();
        for (scenario, seeds) in wanted {
            for n in 0..*seeds {
                let seeded = with_nth_seed(scenario, n);
                distinct.entry(seeded.to_toml()).or_insert(seeded);
            }
        }
        let jobs: Vec<(String, Scenario)> = distinct.into_iter().collect();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            while let Some((key, scenario)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push((key.clone(), judge(scenario).to_json()));
            }
            done
        };
        let verdicts = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            let finished = workers.into_iter().map(|worker| match worker.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            finished.flatten().collect()
        });
        Runs { verdicts }
    }

    pub fn len(&self) -> usize {
        self.verdicts.len()
    }

    /// The verdicts of a scenario that was wanted, in the order of the seeds.
    pub fn verdicts(&self, scenario: &Scenario, seeds: u32) -> Vec<&Value> {
        let of_seed = |n| self.verdicts.get(&with_nth_seed(scenario, n).to_toml());
        (0..seeds).filter_map(of_seed).collect()
    }
}
