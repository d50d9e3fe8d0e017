//! Recorded runs of the real software against the engine: does the engine tell the same stories, at the same times?
//!
//! | file           | what lives there |
//! |----------------|------------------|
//! | `recording.rs` | a recorded run, as its file has it |
//! | `rebuild.rs`   | from a recorded run to its scenario |
//! | `seeds.rs`     | that scenario under many seeds, each with its fault in the recorded phase |
//! | `watch.rs`     | what the recorder could see of a run |
//! | `figures.rs`   | the figures, by the recorder's definitions |
//! | `quantiles.rs` | percentiles, the Kolmogorov-Smirnov statistic, the binomial interval |
//! | `judge.rs`     | one recorded value against its seeds; all of them together |
//! | `known.rs`     | the misfits that are known, with their reasons (`known_misfits.toml`) |
//! | `report.rs`    | all of it in words |
//! | `shelf.rs`     | the list of recorded runs that the page offers |
//! | `retell/`      | a recorded run as a story that can be drawn |
//! | `side_by_side.rs` | the figures of a recorded run beside those of a simulated one |
//!
//! Nothing here is part of a run; the engine does not know that it is compared.

mod figures;
mod judge;
mod known;
mod quantiles;
mod rebuild;
mod recording;
mod report;
mod retell;
mod seeds;
mod shelf;
mod side_by_side;
mod watch;

pub use figures::{Figure, Figures};
pub use judge::{Judged, Line, Overall, Unbuilt};
pub use known::{KnownMisfit, known_misfits, known_misfits_table};
pub use rebuild::{NotBuilt, Rebuilt};
pub use recording::{Recording, RecordingError};
pub use retell::retell;
pub use seeds::{Fitting, fitting};
pub use shelf::{Group, Listed, groups, settings, title};
pub use side_by_side::{Beside, Measure, SideBySide};

use serde::Serialize;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many seeds each recorded run is held against, unless told otherwise.
pub const SEEDS: usize = 100;

/// All recorded runs against the engine.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub seeds: usize,
    pub recordings: usize,
    /// One for each run and figure, in the order of the runs.
    pub lines: Vec<Line>,
    /// Runs that cannot be rebuilt yet.
    pub unbuilt: Vec<Unbuilt>,
    pub overall: Overall,
}

impl Comparison {
    /// Runs every recording's scenario with so many seeds, on so many threads.
    pub fn of(recordings: &[Recording], seeds: usize, threads: usize) -> Comparison {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                let Some(recording) = recordings.get(n) else {
                    return done;
                };
                done.push((n, Rebuilt::of(recording).map(|rebuilt| seeds::figures(&rebuilt, seeds))));
            }
        };
        let mut all: Vec<(usize, Result<Vec<Figures>, NotBuilt>)> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            let done = workers.into_iter().map(|worker| match worker.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            done.flatten().collect()
        });
        all.sort_by_key(|(n, _)| *n);
        let runs: Vec<_> = recordings
            .iter()
            .zip(all.into_iter().map(|(_, result)| result))
            .collect();
        judge::judge(&runs, seeds)
    }

    /// What does not fit and is not known.
    pub fn unknown(&self) -> impl Iterator<Item = &Line> {
        self.all_lines().filter(|line| !line.fits() && line.known.is_none())
    }

    /// Known misfits that nothing shows any more.
    pub fn outdated(&self) -> Vec<&'static KnownMisfit> {
        let shown = |misfit: &&KnownMisfit| {
            self.all_lines()
                .any(|line| !line.fits() && misfit.covers(&line.run, &line.figure))
        };
        known_misfits().iter().filter(|misfit| !shown(misfit)).collect()
    }

    fn all_lines(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().chain(&self.overall.checks)
    }

    /// For people: a line for each run and figure, then all together.
    pub fn to_text(&self) -> String {
        report::text(self)
    }
}
