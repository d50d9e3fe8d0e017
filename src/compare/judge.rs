//! Recorded values against seeds.
//!
//! | what                                  | fits when |
//! |---------------------------------------|-----------|
//! | a figure of a run                     | it lies between the 1st and the 99th percentile of the seeds that took as many rounds of the race, and their band from the 5th to the 95th is not too wide |
//! | `failover`, `winner_abstained`, order | at least one seed in a hundred did the same |
//! | where recorded values fall            | their quantiles do not pile up: Kolmogorov-Smirnov, per figure and over all |
//! | declined rounds with a live database  | the seeds' rate lies in the binomial interval of the recorded rate |
//! | failovers, stopped primaries          | the recorded number lies within three standard deviations of the seeds' |
//!
//! A band is too wide when it is wider than half a second and than twice the recorded spread: the range of the figure over
//! the runs with the same scenario, settings and rounds. Where there is only one, it is the range over all runs of the
//! scenario of what is left after the median of each run's own seeds is taken away.

use super::figures::{Figure, Figures, order};
use super::known::known_misfits;
use super::quantiles::{binomial_interval, distance_allowed, distance_from_uniform, percentile, quantile};
use super::rebuild::NotBuilt;
use super::{Comparison, Recording};
use crate::sorting;
use serde::Serialize;
use std::collections::BTreeMap;

/// Recorded values are whole milliseconds.
const RESOLUTION: f64 = 0.5;
/// Fewer seeds than this say nothing about percentiles.
const LEAST_SEEDS: usize = 5;

/// One recorded value and what the seeds say to it.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    pub run: String,
    pub group: String,
    /// The runs of the group with the same settings and as many rounds.
    #[serde(skip)]
    pub cell: String,
    pub figure: String,
    pub recorded: String,
    /// How many seeds took as many rounds and have the figure.
    pub seeds: usize,
    pub band: Option<Band>,
    /// Where the recorded value falls among them, 0 to 1.
    pub quantile: Option<f64>,
    pub judged: Judged,
    /// Why a misfit is known.
    pub known: Option<&'static str>,
}

impl Line {
    pub fn fits(&self) -> bool {
        self.judged == Judged::Fits
    }
}

/// Percentiles of the seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Band {
    pub p1: f64,
    pub p5: f64,
    pub median: f64,
    pub p95: f64,
    pub p99: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    Fits,
    /// Beyond the 1st or the 99th percentile.
    Outside,
    /// The seeds differ too much to say anything.
    TooWide {
        allowed: f64,
    },
    /// No seed, or hardly one, did the same.
    NeverSo,
    /// Recorded values pile up somewhere, or a rate is another.
    Differs,
}

#[derive(Clone, Debug, Serialize)]
pub struct Unbuilt {
    pub run: String,
    pub why: NotBuilt,
}

/// What only all runs together can show.
#[derive(Clone, Debug, Serialize)]
pub struct Overall {
    /// How many recorded values fall into each tenth of their seeds.
    pub histogram: [usize; 10],
    pub checks: Vec<Line>,
}

type Runs<'a> = [(&'a Recording, Result<Vec<Figures>, NotBuilt>)];

pub fn judge(runs: &Runs<'_>, seeds: usize) -> Comparison {
    let mut unbuilt = Vec::new();
    let mut lines = Vec::new();
    for (recording, result) in runs {
        match result {
            Ok(figures) => lines.extend(lines_of(recording, figures)),
            Err(why) => unbuilt.push(Unbuilt {
                run: recording.id.clone(),
                why,
            }),
        }
    }
    judge_widths(&mut lines);
    let mut overall = overall(runs, &lines);
    let mut left: Vec<usize> = known_misfits().iter().map(|misfit| misfit.at_most).collect();
    for line in lines.iter_mut().chain(&mut overall.checks).filter(|line| !line.fits()) {
        let mut known = known_misfits().iter().zip(&mut left);
        let known = known.find(|(misfit, left)| **left > 0 && misfit.covers(&line.run, &line.figure));
        line.known = known.map(|(misfit, left)| {
            *left -= 1;
            misfit.why.as_str()
        });
    }
    Comparison {
        seeds,
        recordings: runs.len(),
        lines,
        unbuilt,
        overall,
    }
}

/// What was recorded, in the seeds' form.
pub(super) fn recorded(recording: &Recording) -> Figures {
    Figures {
        values: Figure::ALL
            .iter()
            .filter_map(|&figure| Some((figure, recording.figure(figure.name())?)))
            .collect(),
        failover: recording.derived.failover,
        winner_abstained: recording.figure("winner_abstained").unwrap_or(0.0) as u32,
        order: order(|name| recording.figure(name)),
    }
}

fn cell(recording: &Recording) -> String {
    format!(
        "{} {} {:?}",
        recording.group(),
        recording.set,
        recorded(recording).rounds()
    )
}

fn lines_of(recording: &Recording, seeds: &[Figures]) -> Vec<Line> {
    let recorded = recorded(recording);
    let same: Vec<&Figures> = seeds.iter().filter(|seed| seed.rounds() == recorded.rounds()).collect();
    let mut lines = vec![
        same_in(
            recording,
            "failover",
            &recorded.failover,
            seeds.iter().map(|seed| &seed.failover),
        ),
        same_in(
            recording,
            "winner_abstained",
            &recorded.winner_abstained,
            seeds.iter().map(|seed| &seed.winner_abstained),
        ),
        same_in(recording, "order", &recorded.order, same.iter().map(|seed| &seed.order)),
    ];
    for (&figure, &value) in &recorded.values {
        let values = same.iter().filter_map(|seed| seed.values.get(&figure).copied());
        lines.push(value_among(recording, figure, value, values.collect()));
    }
    lines
}

/// Something that is the same in some seeds.
fn same_in<'a, T: PartialEq + ToString + 'a>(
    recording: &Recording,
    figure: &str,
    recorded: &T,
    seeds: impl Iterator<Item = &'a T>,
) -> Line {
    let (mut all, mut same) = (0_usize, 0_usize);
    for seed in seeds {
        all += 1;
        same += usize::from(seed == recorded);
    }
    let judged = if same * 100 >= all && same > 0 {
        Judged::Fits
    } else {
        Judged::NeverSo
    };
    Line {
        run: recording.id.clone(),
        group: recording.group(),
        cell: cell(recording),
        figure: figure.to_owned(),
        recorded: recorded.to_string(),
        seeds: same,
        band: None,
        quantile: None,
        judged,
        known: None,
    }
}

fn value_among(recording: &Recording, figure: Figure, value: f64, mut values: Vec<f64>) -> Line {
    sorting::by(&mut values, f64::total_cmp);
    let at = |rank: f64| percentile(&values, rank).filter(|_| values.len() >= LEAST_SEEDS);
    let band = at(0.5).map(|median| Band {
        p1: at(0.01).unwrap_or(median),
        p5: at(0.05).unwrap_or(median),
        median,
        p95: at(0.95).unwrap_or(median),
        p99: at(0.99).unwrap_or(median),
    });
    let judged = match band {
        None => Judged::NeverSo,
        Some(band) if value < band.p1 - RESOLUTION || value > band.p99 + RESOLUTION => Judged::Outside,
        Some(_) => Judged::Fits,
    };
    Line {
        run: recording.id.clone(),
        group: recording.group(),
        cell: cell(recording),
        figure: figure.name().to_owned(),
        recorded: format!("{value}"),
        seeds: values.len(),
        quantile: band
            .filter(|band| band.p99 - band.p1 > 2.0 * RESOLUTION)
            .map(|_| quantile(&values, value, RESOLUTION)),
        band,
        judged,
        known: None,
    }
}

/// Marks the bands that are too wide, once the recorded spreads are known.
fn judge_widths(lines: &mut [Line]) {
    let mut cells: BTreeMap<(String, String), Range> = BTreeMap::new();
    let mut groups: BTreeMap<(String, String), Range> = BTreeMap::new();
    for line in lines.iter() {
        if let (Some(band), Ok(value)) = (line.band, line.recorded.parse::<f64>()) {
            let key = |of: &str| (of.to_owned(), line.figure.clone());
            cells.entry(key(&line.cell)).or_default().take(value);
            groups.entry(key(&line.group)).or_default().take(value - band.median);
        }
    }
    for line in lines.iter_mut().filter(|line| line.judged == Judged::Fits) {
        let figure = Figure::ALL.iter().find(|figure| figure.name() == line.figure);
        let (Some(band), Some(figure)) = (line.band, figure) else {
            continue;
        };
        let cell = cells
            .get(&(line.cell.clone(), line.figure.clone()))
            .filter(|range| range.count > 1);
        let range = cell.or_else(|| groups.get(&(line.group.clone(), line.figure.clone())));
        let allowed = figure.width_allowed().max(2.0 * range.map_or(0.0, Range::width));
        if band.p95 - band.p5 > allowed {
            line.judged = Judged::TooWide { allowed };
        }
    }
}

/// From the least to the greatest of some values.
#[derive(Clone, Copy, Debug)]
struct Range {
    low: f64,
    high: f64,
    count: usize,
}

impl Default for Range {
    fn default() -> Range {
        Range {
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            count: 0,
        }
    }
}

impl Range {
    fn take(&mut self, value: f64) {
        (self.low, self.high) = (self.low.min(value), self.high.max(value));
        self.count += 1;
    }
    fn width(&self) -> f64 {
        (self.high - self.low).max(0.0)
    }
}

fn overall(runs: &Runs<'_>, lines: &[Line]) -> Overall {
    let mut histogram = [0; 10];
    let mut by_figure: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for line in lines {
        if let Some(q) = line.quantile {
            histogram[((q * 10.0) as usize).min(9)] += 1;
            by_figure.entry(&line.figure).or_default().push(q);
        }
    }
    let mut checks: Vec<Line> = by_figure
        .iter()
        .map(|(figure, quantiles)| spread_out(figure, quantiles))
        .collect();
    let all: Vec<f64> = by_figure.values().flatten().copied().collect();
    // Figures of one run hang together: there are only as many independent values as runs.
    let independent = runs.iter().filter(|(_, result)| result.is_ok()).count();
    checks.push(piled("all figures", &all, independent));
    checks.push(declined(runs));
    for (name, says) in [
        ("failovers", &(|f: &Figures| f.failover) as &dyn Fn(&Figures) -> bool),
        ("stopped primaries", &|f: &Figures| {
            f.values.contains_key(&Figure::OldFirstStop)
        }),
    ] {
        let mut groups: Vec<String> = runs.iter().map(|(recording, _)| recording.group()).collect();
        groups.dedup();
        for group in groups.iter().filter(|group| group.starts_with("11_")) {
            checks.extend(counted(runs, name, group, says));
        }
    }
    Overall { histogram, checks }
}

fn check(figure: &str, run: &str, recorded: String, seeds: usize, fits: bool) -> Line {
    Line {
        run: run.to_owned(),
        group: run.to_owned(),
        cell: run.to_owned(),
        figure: figure.to_owned(),
        recorded,
        seeds,
        band: None,
        quantile: None,
        judged: if fits { Judged::Fits } else { Judged::Differs },
        known: None,
    }
}

fn spread_out(figure: &str, quantiles: &[f64]) -> Line {
    piled(figure, quantiles, quantiles.len())
}

fn piled(figure: &str, quantiles: &[f64], independent: usize) -> Line {
    let (distance, allowed) = (distance_from_uniform(quantiles), distance_allowed(independent));
    let says = format!("Kolmogorov-Smirnov {distance:.3}, up to {allowed:.3} allowed");
    check(figure, "all runs", says, quantiles.len(), distance <= allowed)
}

/// The rate at which both candidates decline while the old database lives: scenarios 3 and 4.
fn declined(runs: &Runs<'_>) -> Line {
    let (mut hits, mut of, mut rate) = (0, 0, 0.0);
    for (recording, result) in runs {
        let live = recording.scenario.starts_with("3_") || recording.scenario.starts_with("4_");
        let Some(seeds) = result.as_ref().ok().filter(|seeds| live && !seeds.is_empty()) else {
            continue;
        };
        of += 1;
        hits += u32::from(recorded(recording).winner_abstained > 0);
        let declined = seeds.iter().filter(|seed| seed.winner_abstained > 0).count();
        rate += declined as f64 / seeds.len() as f64;
    }
    let rate = rate / f64::from(of.max(1));
    let (low, high) = binomial_interval(hits, of);
    let says = format!("{hits} of {of} runs, so {low:.2} to {high:.2}; the seeds {rate:.2}");
    check(
        "declined rounds",
        "all runs",
        says,
        of as usize,
        (low..=high).contains(&rate) || of == 0,
    )
}

/// In how many runs of a group something happened, against the chance that each run's seeds give it.
fn counted(runs: &Runs<'_>, what: &str, group: &str, says: &dyn Fn(&Figures) -> bool) -> Option<Line> {
    let (mut happened, mut expected, mut variance, mut of) = (0.0, 0.0, 0.0, 0);
    for (recording, result) in runs.iter().filter(|(recording, _)| recording.group() == group) {
        let seeds = result.as_ref().ok().filter(|seeds| !seeds.is_empty())?;
        let chance = seeds.iter().filter(|seed| says(seed)).count() as f64 / seeds.len() as f64;
        of += 1;
        happened += f64::from(u8::from(says(&recorded(recording))));
        expected += chance;
        variance += chance * (1.0 - chance);
    }
    // Half a run more, because runs are whole.
    let fits = (happened - expected).abs() <= 3.0 * f64::sqrt(variance) + 0.5;
    let says = format!("{happened} of {of}; the seeds {expected:.1}");
    Some(check(what, group, says, of, fits))
}
