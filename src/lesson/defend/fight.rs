//! The runs of a defence, made on threads. A page makes them one by one in its worker instead.

use super::{Defence, Outcome, Score, Scorecard};
use crate::verdict::judge;
use std::sync::atomic::{AtomicU32, Ordering};

impl Defence {
    /// Makes every attack so many times.
    pub fn fight(&self, each: u32, threads: usize) -> Scorecard {
        let attacks = 0..self.attacks.len();
        Scorecard::of(
            self,
            attacks.map(|attack| self.outcomes(attack, each, threads)).collect(),
        )
    }

    /// Makes the attacks in this order (every one of them, by its place) until one wins.
    ///
    /// # Errors
    /// The place in `order` of the attack that won.
    pub(super) fn withstands(&self, order: &[usize], each: u32, threads: usize) -> Result<Scorecard, usize> {
        let mut all = vec![Vec::new(); self.attacks.len()];
        for (at, &attack) in order.iter().enumerate() {
            let outcomes = self.outcomes(attack, each, threads);
            let score = Score::of(&self.attacks[attack], self.situation, outcomes);
            if score.loss.is_some() {
                return Err(at);
            }
            all[attack] = score.outcomes;
        }
        Ok(Scorecard::of(self, all))
    }

    /// Of one attack, in the order of its runs, whatever the threads did.
    fn outcomes(&self, attack: usize, each: u32, threads: usize) -> Vec<Outcome> {
        let next = AtomicU32::new(0);
        let work = || {
            let mut done = Vec::new();
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if n >= each {
                    return done;
                }
                done.push((n, Outcome::of(&judge(&self.scenario(attack, n, each)))));
            }
        };
        let mut all: Vec<(u32, Outcome)> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            let finished = workers.into_iter().map(|worker| match worker.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            finished.flatten().collect()
        });
        all.sort_by_key(|(n, _)| *n);
        all.into_iter().map(|(_, outcome)| outcome).collect()
    }
}
