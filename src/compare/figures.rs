//! The figures, under the recordings' own names, and how each is read from a simulated run: by the recorder's own
//! definitions, from what the recorder could see.

use super::watch::{Doing, NodeSeen, Sample, Watch};
use crate::engine::{SimTime, Span};
use crate::sorting;
use crate::verdict::{KeyChange, KeyLoss, Verdict};
use crate::vocabulary::NodeId;
use borsh::{BorshDeserialize, BorshSerialize};
use std::collections::BTreeMap;

/// A figure of a run. All are milliseconds but `lost_acked` (rows).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
pub enum Figure {
    OldFirstStop,
    OldLastWrite,
    DemoteAfterFirstFailure,
    ExpiryAfterLastRenewal,
    RenewalGapMax,
    LeaderKeyGone,
    KeyGap,
    RaceSpread,
    Promote,
    NewWritable,
    NoWriterLongest,
    Overlap,
    LostAcked,
    OldRejoined,
}

impl Figure {
    pub const ALL: [Figure; 14] = [
        Figure::OldFirstStop,
        Figure::OldLastWrite,
        Figure::DemoteAfterFirstFailure,
        Figure::ExpiryAfterLastRenewal,
        Figure::RenewalGapMax,
        Figure::LeaderKeyGone,
        Figure::KeyGap,
        Figure::RaceSpread,
        Figure::Promote,
        Figure::NewWritable,
        Figure::NoWriterLongest,
        Figure::Overlap,
        Figure::LostAcked,
        Figure::OldRejoined,
    ];

    /// As the recordings' `derived` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Figure::OldFirstStop => "old_first_stop_ms",
            Figure::OldLastWrite => "old_last_write_ms",
            Figure::DemoteAfterFirstFailure => "demote_after_first_failure_ms",
            Figure::ExpiryAfterLastRenewal => "expiry_after_last_renewal_ms",
            Figure::RenewalGapMax => "renewal_gap_max_ms",
            Figure::LeaderKeyGone => "leader_key_gone_ms",
            Figure::KeyGap => "key_gap_ms",
            Figure::RaceSpread => "race_spread_ms",
            Figure::Promote => "promote_ms",
            Figure::NewWritable => "new_writable_ms",
            Figure::NoWriterLongest => "no_writer_longest_ms",
            Figure::Overlap => "overlap_ms",
            Figure::LostAcked => "lost_acked",
            Figure::OldRejoined => "old_rejoined_ms",
        }
    }

    /// The width that a band may always have: half a second, or the rows written in it.
    pub const fn width_allowed(self) -> f64 {
        match self {
            Figure::LostAcked => 10.0,
            _ => 500.0,
        }
    }
}

/// What a run, recorded or simulated, came to.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Figures {
    /// A figure that does not apply is missing.
    pub values: BTreeMap<Figure, f64>,
    /// Another node became the primary.
    pub failover: bool,
    /// Rounds of the race in which the later winner declined.
    pub winner_abstained: u32,
    /// The main events by time, such as `key gone, new writable, repair, old stops`.
    pub order: String,
}

impl Figures {
    /// How often the candidates raced: what tells a figure's two modes apart.
    pub fn rounds(&self) -> (bool, u32) {
        (self.failover, self.winner_abstained)
    }
}

/// The main events, and the figure that has their time.
const MAIN: [(&str, &str); 6] = [
    ("old stops", "old_first_stop_ms"),
    ("key gone", "leader_key_gone_ms"),
    ("key taken", "leader_key_new_ms"),
    ("new writable", "new_writable_ms"),
    ("repair", "repair_ms"),
    ("old rejoined", "old_rejoined_ms"),
];

/// Main events in the order of their times.
pub fn order(time_of: impl Fn(&str) -> Option<f64>) -> String {
    let mut events: Vec<(f64, &str)> = MAIN
        .iter()
        .filter_map(|&(event, figure)| Some((time_of(figure)?, event)))
        // A key that did not go was not taken: its holder wrote it again.
        .filter(|(_, event)| *event != "key taken" || time_of("leader_key_gone_ms").is_some())
        .collect();
    sorting::by(&mut events, |a, b| a.0.total_cmp(&b.0));
    let names: Vec<&str> = events.into_iter().map(|(_, event)| event).collect();
    names.join(", ")
}

/// A longer silence than this ends a stretch: the database is then called hung.
const HUNG: Span = Span::from_millis(500);
/// A steady replica is sampled only half as often.
const REPLICA_PERIOD: Span = Span::from_millis(75);
/// From the moment the store renews a lease to its answer at the agent.
const ANSWERED: Span = Span::from_millis(3);
/// The least that Patroni's client gives a server to answer.
const LEAST_TRY: Span = Span::from_secs(1);
/// A database that was still writable so shortly before the end never stopped.
const STILL: Span = Span::from_millis(700);

/// Where a simulated run's figures are read from.
pub struct Measured<'a> {
    pub watch: &'a Watch,
    pub verdict: &'a Verdict,
    pub old: NodeId,
    pub fault: SimTime,
    /// Milliseconds from the fault.
    pub repaired: Option<f64>,
    pub loop_wait: Span,
    /// How much longer every answer of the store is under way while the fault lasts.
    pub delay: Span,
}

/// From the first to the last sample that showed a database writable.
type Stretch = (SimTime, SimTime);

impl Measured<'_> {
    pub fn figures(&self) -> Figures {
        let new = self.new_leader();
        let gone = self.key_gone();
        let retaken = gone.and_then(|gone| self.key_changes().find(|c| c.at > gone && c.holder.is_some()));
        let old_stretches = stretches(self.watch.node(self.old));
        let mut named = BTreeMap::new();
        let mut put = |name: &'static str, value: Option<f64>| {
            if let Some(value) = value {
                named.insert(name, value);
            }
        };
        put("repair_ms", self.repaired);
        put("old_first_stop_ms", self.old_first_stop(&old_stretches));
        put("leader_key_gone_ms", gone.map(|at| self.ms(at)));
        put("leader_key_new_ms", retaken.map(|change| self.ms(change.at)));
        put(
            "key_gap_ms",
            gone.zip(retaken).map(|(gone, new)| new.at.since(gone).as_millis_f64()),
        );
        put("expiry_after_last_renewal_ms", gone.and_then(|gone| self.expiry(gone)));
        put("renewal_gap_max_ms", self.renewal_gap());
        put("demote_after_first_failure_ms", self.demote_after_first_failure());
        put("race_spread_ms", gone.and_then(|gone| self.race_spread(gone)));
        put("no_writer_longest_ms", Some(self.no_writer_longest()));
        put("overlap_ms", Some(self.overlap()));
        put("lost_acked", Some(f64::from(self.verdict.writes.lost)));
        if let Some(new) = new {
            let writable = self.new_writable(new);
            put("old_last_write_ms", self.old_last_write());
            put("new_writable_ms", writable.map(|at| self.ms(at)));
            put("promote_ms", writable.map(|at| at.since(new.at).as_millis_f64()));
            put("old_rejoined_ms", self.old_rejoined(new));
        }
        Figures {
            values: Figure::ALL
                .iter()
                .filter_map(|&figure| Some((figure, *named.get(figure.name())?)))
                .collect(),
            failover: new.is_some(),
            winner_abstained: gone.zip(retaken).map_or(0, |(gone, by)| self.abstained(gone, by)),
            order: order(|name| named.get(name).copied()),
        }
    }

    fn ms(&self, at: SimTime) -> f64 {
        at.as_millis_f64() - self.fault.as_millis_f64()
    }

    // --- the leader key

    fn key_changes(&self) -> impl Iterator<Item = &KeyChange> {
        let fault = self.fault;
        self.verdict
            .record
            .leader_key
            .iter()
            .filter(move |change| change.at > fault)
    }

    fn key_gone(&self) -> Option<SimTime> {
        self.key_changes()
            .find(|change| change.holder.is_none())
            .map(|change| change.at)
    }

    /// The first other holder's put.
    fn new_leader(&self) -> Option<&KeyChange> {
        self.key_changes()
            .find(|change| change.holder.is_some_and(|holder| holder != self.old))
    }

    /// From the answer to the last renewal of the lease. A key that was given back did not expire.
    fn expiry(&self, gone: SimTime) -> Option<f64> {
        let failover = self
            .verdict
            .failovers
            .iter()
            .find(|failover| failover.key_gone == Some(gone));
        if failover.is_some_and(|failover| failover.why != KeyLoss::LeaseExpired) {
            return None;
        }
        let last = self.renewals().into_iter().rfind(|&answered| answered < gone)?;
        Some(gone.since(last).as_millis_f64())
    }

    /// When the answers to the renewals of the old leader's lease came: also those that it did not wait for any more.
    fn renewals(&self) -> Vec<SimTime> {
        let all = &self.verdict.record.renewals;
        let Some(lease) = all.first().map(|renewal| renewal.lease) else {
            return Vec::new();
        };
        let mine = all.iter().filter(|renewal| renewal.lease == lease);
        mine.map(|renewal| renewal.at + ANSWERED + self.delay_at(renewal.at))
            .collect()
    }

    /// How much longer an answer of the store takes at this time.
    fn delay_at(&self, at: SimTime) -> Span {
        let slow = at >= self.fault && self.repaired.is_none_or(|repaired| self.ms(at) < repaired);
        if slow { self.delay } else { Span::ZERO }
    }

    /// The longest time between two answered renewals of the lease under which the old leader led.
    fn renewal_gap(&self) -> Option<f64> {
        let from = SimTime(self.fault.as_micros().saturating_sub((self.loop_wait * 2).as_micros()));
        let renewals = self.renewals();
        let gaps = renewals
            .windows(2)
            .filter(|pair| pair[1] >= from)
            .map(|pair| pair[1].since(pair[0]));
        gaps.max().map(Span::as_millis_f64)
    }

    // --- the race

    /// Between the first tries of two nodes, in the round that was decided.
    fn race_spread(&self, gone: SimTime) -> Option<f64> {
        let decided = self
            .key_changes()
            .find(|change| change.at > gone && change.holder.is_some())?;
        let window = decided.at + Span::from_secs(1);
        let first = |seen: &NodeSeen| {
            let tries = seen.agent.iter().filter(|(_, doing)| *doing == Doing::Acquires);
            tries.map(|&(at, _)| at).find(|&at| at > gone && at < window)
        };
        let mut tries: Vec<SimTime> = self.watch.nodes.iter().filter_map(first).collect();
        sorting::by(&mut tries, Ord::cmp);
        Some(tries.get(1)?.since(*tries.first()?).as_millis_f64())
    }

    fn abstained(&self, gone: SimTime, taken: &KeyChange) -> u32 {
        let winner = taken.holder.map(|holder| self.watch.node(holder));
        let declines = winner.into_iter().flat_map(|seen| &seen.agent);
        let between = declines.filter(|(at, doing)| *doing == Doing::Declines && *at > gone && *at < taken.at);
        between.count() as u32
    }

    // --- the databases

    /// The end of the stretch in which the fault found it, or of the last before.
    fn old_first_stop(&self, stretches: &[Stretch]) -> Option<f64> {
        let found = stretches.iter().find(|(_, to)| *to >= self.fault);
        let (_, to) = found.filter(|(from, _)| *from <= self.fault).or_else(|| {
            let before = stretches.iter().rfind(|(_, to)| *to < self.fault);
            before.or(found)
        })?;
        (self.verdict.record.end.since(*to) > STILL).then(|| self.ms(*to))
    }

    fn old_last_write(&self) -> Option<f64> {
        let samples = &self.watch.node(self.old).samples;
        let first = samples.iter().find_map(|(_, sample)| branch(*sample))?;
        let last = samples.iter().rfind(|(_, sample)| branch(*sample) == Some(first))?;
        Some(self.ms(last.0))
    }

    fn new_writable(&self, new: &KeyChange) -> Option<SimTime> {
        let stretches = stretches(self.watch.node(new.holder?));
        stretches.iter().map(|(from, _)| *from).find(|&from| from > new.at)
    }

    /// The first sample of the old leader as a streaming replica of the new one.
    fn old_rejoined(&self, new: &KeyChange) -> Option<f64> {
        let promoted = *self.watch.node(new.holder?).promoted.iter().find(|&&at| at > new.at)?;
        let old = self.watch.node(self.old);
        let streams = *old.streams.iter().find(|&&at| at > promoted)?;
        let mut samples = counted(old);
        samples
            .find(|(at, sample)| *at > streams && *sample == Sample::Replica)
            .map(|(at, _)| self.ms(at))
    }

    fn no_writer_longest(&self) -> f64 {
        let mut all: Vec<Stretch> = self.watch.nodes.iter().flat_map(stretches).collect();
        sorting::by(&mut all, Ord::cmp);
        let Some(&(_, mut until)) = all.first() else { return 0.0 };
        let mut longest = 0.0_f64;
        for (from, to) in all {
            if from > until && from > self.fault {
                // Writes that paused before the fault were no outage.
                let since = if self.fault.since(until) > Span::from_secs(1) {
                    self.fault
                } else {
                    until
                };
                longest = longest.max(from.since(since).as_millis_f64());
            }
            until = until.max(to);
        }
        longest
    }

    fn overlap(&self) -> f64 {
        let each: Vec<Vec<Stretch>> = self.watch.nodes.iter().map(stretches).collect();
        let mut sum = 0.0;
        for (a, one) in each.iter().enumerate() {
            for other in &each[a + 1..] {
                for (from, to) in one {
                    for (other_from, other_to) in other {
                        let (begin, end) = (*from.max(other_from), *to.min(other_to));
                        sum += end.since(begin.min(end)).as_millis_f64();
                    }
                }
            }
        }
        sum
    }

    /// From the first request that was not answered to the decision to demote.
    fn demote_after_first_failure(&self) -> Option<f64> {
        let steps: Vec<_> = self
            .watch
            .node(self.old)
            .agent
            .iter()
            .filter(|(at, _)| *at > self.fault)
            .collect();
        let unanswered = steps.windows(2).find(|pair| match pair[0].1 {
            Doing::Renews => pair[1].1 == Doing::Unreachable,
            // Given up after one server's time, it is not missed.
            Doing::Publishes => pair[1].0.since(pair[0].0) >= LEAST_TRY,
            _ => false,
        })?;
        let sent = unanswered[0].0;
        let demotes = steps
            .iter()
            .find(|(at, doing)| *at > sent && *doing == Doing::Demotes)?;
        Some(demotes.0.since(sent).as_millis_f64())
    }
}

fn branch(sample: Sample) -> Option<crate::vocabulary::Branch> {
    match sample {
        Sample::Writable(branch) => Some(branch),
        Sample::Replica | Sample::Other => None,
    }
}

/// The samples that the recorder would have taken.
fn counted(seen: &NodeSeen) -> impl Iterator<Item = (SimTime, Sample)> {
    let mut last: Option<(SimTime, Sample)> = None;
    seen.samples.iter().copied().filter(move |&(at, sample)| {
        let skipped = last.is_some_and(|(before, was)| was == Sample::Replica && at.since(before) < REPLICA_PERIOD);
        if !skipped {
            last = Some((at, sample));
        }
        !skipped
    })
}

fn stretches(seen: &NodeSeen) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut open = false;
    for (at, sample) in counted(seen) {
        let writable = branch(sample).is_some();
        match stretches.last_mut() {
            Some((_, to)) if open && writable && at.since(*to) <= HUNG => *to = at,
            _ if writable => stretches.push((at, at)),
            _ => {}
        }
        open = writable;
    }
    stretches
}
