//! The figures of a recorded run beside those of one simulated run and the range of many.

use super::figures::Measured;
use super::figures::{Figure, Figures};
use super::judge::recorded;
use super::quantiles::percentile;
use super::rebuild::Rebuilt;
use super::recording::Recording;
use super::seeds::Fitting;
use super::watch::Watch;
use crate::engine::{FullTrace, Observer, SimTime, Span};
use crate::sorting;
use crate::verdict::Verdict;
use crate::vocabulary::{NodeId, Words};
use crate::world::Layout;
use borsh::{BorshDeserialize, BorshSerialize};

/// Fewer values than this have no range worth telling.
const LEAST: usize = 5;
/// Recorded values are whole milliseconds.
const RESOLUTION: f64 = 0.5;

/// What figures are read with from a run that has a trace: what the recording tells and a scenario does not.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Measure {
    /// Who leads before the fault.
    pub old: NodeId,
    pub fault: SimTime,
    /// Milliseconds from the fault.
    pub repaired: Option<f64>,
    /// How much longer each way to the store is while the fault lasts.
    pub delay: Span,
    pub loop_wait: Span,
}

impl Measure {
    pub fn of(rebuilt: &Rebuilt, fitting: Fitting) -> Measure {
        Measure {
            old: NodeId(rebuilt.leader as u8),
            fault: fitting.fault,
            repaired: fitting.repaired(rebuilt),
            delay: rebuilt.delay,
            loop_wait: rebuilt.scenario.patroni.loop_wait,
        }
    }

    /// The figures of a run, by the recorder's definitions.
    pub fn figures(&self, trace: &FullTrace<Words>, layout: &Layout, verdict: &Verdict) -> Figures {
        let mut watch = Watch::new(layout);
        trace.iter().for_each(|event| watch.record(event.clone()));
        Measured {
            watch: &watch,
            verdict,
            old: self.old,
            fault: self.fault,
            repaired: self.repaired,
            loop_wait: self.loop_wait,
            delay: self.delay,
        }
        .figures()
    }
}

/// One figure; all values in words with their unit, and empty where it does not apply.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    pub words: &'static str,
    pub recorded: String,
    pub this_run: String,
    /// From the 5th to the 95th percentile of the seeds.
    pub range: String,
    /// Whether the recorded value lies in that range; when it does not, by how much. None where one of them is missing.
    pub inside: Option<Result<(), String>>,
    /// It lies outside by more than the recorder's noise.
    pub notable: bool,
}

/// All figures that the recording has, or this run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SideBySide {
    pub rows: Vec<Beside>,
    /// How many seeds were run …
    pub seeds: usize,
    /// … and how many of them took as many rounds of the race as the recorded run: only they are compared.
    pub alike: usize,
}

impl SideBySide {
    pub fn of(recording: &Recording, this_run: Option<&Figures>, seeds: &[Figures]) -> SideBySide {
        let recorded = recorded(recording);
        let alike: Vec<&Figures> = seeds.iter().filter(|seed| seed.rounds() == recorded.rounds()).collect();
        let mut rows = vec![failover(&recorded, this_run, seeds), rounds(&recorded, this_run, seeds)];
        rows.extend(Figure::ALL.iter().filter_map(|&figure| {
            let mut values: Vec<f64> = alike
                .iter()
                .filter_map(|seed| seed.values.get(&figure).copied())
                .collect();
            sorting::by(&mut values, f64::total_cmp);
            let was = recorded.values.get(&figure).copied();
            let is = this_run.and_then(|run| run.values.get(&figure).copied());
            (was.is_some() || is.is_some()).then(|| beside(figure, was, is, &values))
        }));
        SideBySide {
            rows,
            seeds: seeds.len(),
            alike: alike.len(),
        }
    }
}

/// Differences below this are noise, says the recorder: in milliseconds, or in writes of one every 50 ms.
const fn noise(figure: Figure) -> f64 {
    match figure {
        Figure::LostAcked => 2.0,
        _ => 100.0,
    }
}

fn beside(figure: Figure, was: Option<f64>, is: Option<f64>, values: &[f64]) -> Beside {
    let words = |value: Option<f64>| value.map_or_else(String::new, |value| quantity(figure, value));
    let range = Some(values).filter(|values| values.len() >= LEAST);
    let range = range.and_then(|values| percentile(values, 0.05).zip(percentile(values, 0.95)));
    let beyond = was.zip(range).map(|(was, (low, high))| (low - was).max(was - high));
    Beside {
        words: figure.words(),
        recorded: words(was),
        this_run: words(is),
        range: range.map_or_else(String::new, |(low, high)| match (words(Some(low)), words(Some(high))) {
            (low, high) if low == high => low,
            (low, high) => format!("{low} to {high}"),
        }),
        inside: beyond.map(|beyond| match beyond {
            beyond if beyond <= RESOLUTION => Ok(()),
            beyond => Err(quantity(figure, beyond.max(1.0))),
        }),
        notable: beyond.is_some_and(|beyond| beyond > noise(figure)),
    }
}

fn failover(recorded: &Figures, this_run: Option<&Figures>, seeds: &[Figures]) -> Beside {
    let yes = |figures: &Figures| if figures.failover { "yes" } else { "no" }.to_owned();
    let did = seeds.iter().filter(|seed| seed.failover).count();
    Beside {
        words: "Another node becomes the primary",
        recorded: yes(recorded),
        this_run: this_run.map(yes).unwrap_or_default(),
        range: if seeds.is_empty() {
            String::new()
        } else {
            format!("yes in {did} of {} seeds", seeds.len())
        },
        inside: some_seed(seeds, |seed| seed.failover == recorded.failover),
        notable: true,
    }
}

fn rounds(recorded: &Figures, this_run: Option<&Figures>, seeds: &[Figures]) -> Beside {
    let rounds = |figures: &Figures| match figures.winner_abstained {
        1 => "1 round".to_owned(),
        n => format!("{n} rounds"),
    };
    let most = seeds.iter().map(|seed| seed.winner_abstained).max().unwrap_or(0);
    let shares = (0..=most).filter_map(|n| {
        let count = seeds.iter().filter(|seed| seed.winner_abstained == n).count();
        (count > 0).then(|| format!("{n} in {count} seeds"))
    });
    Beside {
        words: "Rounds in which the later winner did not run for the key",
        recorded: rounds(recorded),
        this_run: this_run.map(rounds).unwrap_or_default(),
        range: shares.collect::<Vec<_>>().join(", "),
        inside: some_seed(seeds, |seed| seed.winner_abstained == recorded.winner_abstained),
        notable: true,
    }
}

/// Whether any seed did the same.
fn some_seed(seeds: &[Figures], same: impl Fn(&Figures) -> bool) -> Option<Result<(), String>> {
    let did = move || {
        if seeds.iter().any(same) {
            Ok(())
        } else {
            Err(String::new())
        }
    };
    (seeds.len() >= LEAST).then(did)
}

/// `157 ms`, `35.056 s`, `568 writes`.
fn quantity(figure: Figure, value: f64) -> String {
    match figure {
        Figure::LostAcked => format!("{value:.0} {}", if value == 1.0 { "write" } else { "writes" }),
        _ if value.abs() < 1_000.0 => format!("{value:.0} ms"),
        _ => format!("{:.3} s", value / 1_000.0),
    }
}

impl Figure {
    /// What it is, in plain words. Times are from the fault unless something else is said.
    pub const fn words(self) -> &'static str {
        match self {
            Figure::OldFirstStop => "The old primary first stops accepting writes",
            Figure::OldLastWrite => "Its last accepted write on the old timeline",
            Figure::DemoteAfterFirstFailure => "From its first unanswered request to its decision to step down",
            Figure::ExpiryAfterLastRenewal => "From the last renewal to the end of the lease",
            Figure::RenewalGapMax => "The longest time between two renewals",
            Figure::LeaderKeyGone => "The leader key is gone",
            Figure::KeyGap => "For how long nobody holds the key",
            Figure::RaceSpread => "Between the candidates’ attempts to take it",
            Figure::Promote => "From taking the key to the first accepted write",
            Figure::NewWritable => "The new primary accepts writes",
            Figure::NoWriterLongest => "The longest time without any writable database",
            Figure::Overlap => "Two primaries, in all",
            Figure::LostAcked => "Accepted writes that are lost",
            Figure::OldRejoined => "The old primary follows the new one",
        }
    }
}
