//! The scorecard in sentences with numbers.

use super::{Loss, Must, Score, Scorecard, Settings, Situation};
use crate::clocks::Span;
use crate::verdict::length;
use std::fmt::Write;

impl Situation {
    /// What the room says before anybody chooses, in sentences.
    pub fn brief(&self) -> String {
        let mut text = format!("{}\n{}\n", self.title, self.tells);
        let mut still = |what: &str, still: &super::Stillness| {
            let (p99, longest) = (length(still.p99), length(still.longest));
            let _ = writeln!(text, "- {what}: {p99} in 99 of 100 cases, {longest} at the longest");
        };
        still("an agent stands still", &self.agent_pause);
        still("the whole store stands still", &self.store_stall);
        still("a packet to the store takes longer by", &self.slow_way);
        let _ = writeln!(
            text,
            "- the way between leader and store flaps: gone for {} every ten seconds",
            length(self.flap)
        );
        let _ = writeln!(
            text,
            "Promised: never two primaries; after a crash a primary within {}, in 99 of 100 cases; at most {} acknowledged \
             writes lost; nobody notices what is everyday{}.",
            length(self.outage_max),
            self.lost_writes_max,
            if self.without_store {
                "; writes go on while the store is away for a minute"
            } else {
                ""
            }
        );
        text
    }
}

impl Scorecard {
    /// What came of it, for people.
    pub fn told(&self) -> String {
        let mut text = format!("Chosen: {}.\n", settings(&self.settings));
        for adjusted in &self.adjusted {
            let _ = writeln!(
                text,
                "Patroni runs with {} {} instead of {}: {}.",
                adjusted.key, adjusted.to, adjusted.from, adjusted.why
            );
        }
        let runs: usize = self.scores.iter().map(|score| score.outcomes.len()).sum();
        let _ = writeln!(
            text,
            "{} attacks, {runs} runs, begun at all phases of the loop.\n",
            self.scores.len()
        );
        self.figures(&mut text, runs);
        let won: Vec<&Score> = self.scores.iter().filter(|score| score.loss.is_some()).collect();
        if won.is_empty() {
            text.push_str("\nNo attack won. These numbers stand.\n");
            return text;
        }
        let _ = writeln!(text, "\n{} of {} attacks won:", won.len(), self.scores.len());
        for score in won {
            let _ = writeln!(text, "- {}: {}. {}", score.attack.name, score.attack.tells, why(score));
        }
        text
    }

    fn figures(&self, text: &mut String, runs: usize) {
        if let Some((median, p99)) = self.takeover() {
            let _ = writeln!(
                text,
                "After a crash nobody could write for {} in the median and {} in 99 of 100 cases; {} are promised.",
                length(median),
                length(p99),
                length(self.situation.outage_max)
            );
        }
        let everyday: Vec<_> = self.outcomes(|must| must == Must::NotNotice).collect();
        let noticed = everyday
            .iter()
            .filter(|outcome| outcome.failovers > 0 || outcome.outage > Span::ZERO);
        let _ = writeln!(
            text,
            "Somebody noticed what is everyday in {} of {} runs.",
            noticed.count(),
            everyday.len()
        );
        let all = || self.outcomes(|_| true);
        let spurious: u32 = all().map(|outcome| outcome.spurious).sum();
        let _ = writeln!(text, "Spurious failovers: {spurious} in {runs} runs.");
        let two = all().filter(|outcome| outcome.two_primaries > Span::ZERO).count();
        let longest = all().map(|outcome| outcome.two_primaries).max().unwrap_or_default();
        let _ = match two {
            0 => writeln!(text, "Two primaries: never."),
            _ => writeln!(
                text,
                "Two primaries: in {two} of {runs} runs, for {} at the longest.",
                length(longest)
            ),
        };
        let most = all().map(|outcome| outcome.lost).max().unwrap_or_default();
        let _ = writeln!(
            text,
            "Acknowledged writes lost: at most {most} in a run; {} are allowed.",
            self.situation.lost_writes_max
        );
    }
}

fn why(score: &Score) -> String {
    let of = score.outcomes.len();
    match score.loss {
        Some(Loss::TwoPrimaries { runs, longest }) => {
            format!(
                "Two primaries in {runs} of {of} runs, for {} at the longest.",
                length(longest)
            )
        }
        Some(Loss::Outage { longest }) => format!("Nobody could write for {}.", length(longest)),
        Some(Loss::Noticed { runs, longest }) if longest > Span::ZERO => {
            format!(
                "Noticed in {runs} of {of} runs: nobody could write for up to {}.",
                length(longest)
            )
        }
        Some(Loss::Noticed { runs, .. }) => format!("Noticed in {runs} of {of} runs: a failover for nothing."),
        Some(Loss::Lost { most }) => format!("{most} acknowledged writes lost in one run."),
        None => String::new(),
    }
}

/// `ttl 20, loop_wait 5`; what is left out is as usual.
pub(super) fn settings(settings: &Settings) -> String {
    if settings.is_empty() {
        return "everything as usual".to_owned();
    }
    let told = settings.iter().map(|(key, value)| {
        let name = key.strip_prefix("patroni.").unwrap_or(key);
        format!("{name} = {value}")
    });
    told.collect::<Vec<_>>().join(", ")
}

#[cfg(not(target_arch = "wasm32"))]
impl super::Advice {
    /// What would have stood, for people.
    pub fn told(&self) -> String {
        match &self.stands {
            Some(scorecard) => {
                let mut text = format!("What would have stood: {}.\n", settings(&scorecard.settings));
                if let Some((median, p99)) = scorecard.takeover() {
                    let _ = writeln!(
                        text,
                        "With it a crash costs {} in the median and {} in 99 of 100 cases. It is choice {} in the order of how \
                         little it differs from yours.",
                        length(median),
                        length(p99),
                        self.tried
                    );
                }
                text
            }
            None => format!(
                "None of {} choices near yours would have stood. Then the promise is what has to change, or what stands still.\n",
                self.tried
            ),
        }
    }
}
