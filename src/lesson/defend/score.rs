//! What came of the attacks, and which of them won.

use super::{Attack, Defence, Must, Settings, Situation};
use crate::clocks::Span;
use crate::scenario::Adjustment;
use crate::sorting;
use crate::verdict::Verdict;

/// What matters of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// How long two databases were writable.
    pub two_primaries: Span,
    /// Acknowledged writes that are gone.
    pub lost: u32,
    /// The longest time without a writable database.
    pub outage: Span,
    pub failovers: u32,
    /// Failovers from a leader whose machine and database were healthy.
    pub spurious: u32,
}

impl Outcome {
    pub fn of(verdict: &Verdict) -> Outcome {
        let outages = verdict.outages.iter().map(|outage| outage.to.since(outage.from));
        Outcome {
            two_primaries: verdict.two_primaries.total,
            lost: verdict.writes.lost,
            outage: outages.max().unwrap_or_default(),
            failovers: verdict.failovers.len() as u32,
            spurious: verdict.failovers.iter().filter(|failover| failover.spurious).count() as u32,
        }
    }
}

/// Why an attack won: the worst of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// In so many runs, for at most so long.
    TwoPrimaries { runs: u32, longest: Span },
    /// So long without a writable database where less was promised.
    Outage { longest: Span },
    /// Somebody noticed what is everyday: in so many runs.
    Noticed { runs: u32, longest: Span },
    /// So many acknowledged writes in one run.
    Lost { most: u32 },
}

/// One attack and what came of it.
#[derive(Clone, Debug)]
pub struct Score {
    pub attack: Attack,
    pub outcomes: Vec<Outcome>,
    /// Nothing when the settings stood.
    pub loss: Option<Loss>,
}

impl Score {
    /// Judges the runs of an attack by what must come of it.
    pub fn of(attack: &Attack, situation: &Situation, outcomes: Vec<Outcome>) -> Score {
        let loss = loss(attack.must, situation, &outcomes);
        Score {
            attack: attack.clone(),
            outcomes,
            loss,
        }
    }
}

fn loss(must: Must, situation: &Situation, outcomes: &[Outcome]) -> Option<Loss> {
    let count = |is: &dyn Fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| is(outcome)).count() as u32;
    let longest_two = outcomes.iter().map(|outcome| outcome.two_primaries).max()?;
    let outage = outcomes.iter().map(|outcome| outcome.outage).max()?;
    let most = outcomes.iter().map(|outcome| outcome.lost).max()?;
    if longest_two > Span::ZERO {
        return Some(Loss::TwoPrimaries {
            runs: count(&|outcome| outcome.two_primaries > Span::ZERO),
            longest: longest_two,
        });
    }
    let noticed = count(&|outcome| outcome.failovers > 0 || outcome.outage > Span::ZERO);
    if must == Must::NotNotice && noticed > 0 {
        return Some(Loss::Noticed {
            runs: noticed,
            longest: outage,
        });
    }
    let p99 = percentile(outcomes.iter().map(|outcome| outcome.outage).collect(), 99)?;
    if must == Must::TakeOver && p99 > situation.outage_max {
        return Some(Loss::Outage { longest: p99 });
    }
    (most > situation.lost_writes_max).then_some(Loss::Lost { most })
}

/// The settings and everything that was done to them.
#[derive(Clone, Debug)]
pub struct Scorecard {
    pub situation: &'static Situation,
    pub settings: Settings,
    pub adjusted: Vec<Adjustment>,
    pub scores: Vec<Score>,
}

impl Scorecard {
    /// Of the outcomes of each attack, in the order of the attacks.
    pub fn of(defence: &Defence, outcomes: Vec<Vec<Outcome>>) -> Scorecard {
        let attacks = defence.attacks.iter().zip(outcomes);
        Scorecard {
            situation: defence.situation,
            settings: defence.settings.clone(),
            adjusted: defence.adjusted.clone(),
            scores: attacks
                .map(|(attack, outcomes)| Score::of(attack, defence.situation, outcomes))
                .collect(),
        }
    }

    /// Whether no attack won.
    pub fn stands(&self) -> bool {
        self.scores.iter().all(|score| score.loss.is_none())
    }

    /// How long nobody could write after a crash: the median and the 99th percentile.
    pub fn takeover(&self) -> Option<(Span, Span)> {
        let crashes = self.outcomes(|must| must == Must::TakeOver);
        let outages: Vec<Span> = crashes.map(|outcome| outcome.outage).collect();
        Some((percentile(outages.clone(), 50)?, percentile(outages, 99)?))
    }

    /// The outcomes of the attacks after which this must come.
    pub(super) fn outcomes(&self, of: impl Fn(Must) -> bool) -> impl Iterator<Item = &Outcome> {
        let scores = self.scores.iter().filter(move |score| of(score.attack.must));
        scores.flat_map(|score| &score.outcomes)
    }
}

/// The smallest value that at least so many in a hundred do not exceed.
fn percentile(mut spans: Vec<Span>, hundredths: usize) -> Option<Span> {
    sorting::by(&mut spans, Ord::cmp);
    let rank = (spans.len() * hundredths).div_ceil(100);
    spans.get(rank.checked_sub(1)?).copied()
}
