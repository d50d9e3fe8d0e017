//! The verdict of a run about leases: who believed, what was accepted, what the fences refused, and in whose hands everything
//! is in the end. Computed from notes and the life of processes while the world runs.
//!
//! The three truths stand apart: *belief* is what workers say of themselves, *grants* what the grantor gave, *writes* what the
//! resource accepted. Two measures of damage (protocols.md 0.5): two believers at one instant, which no fence prevents; and a
//! write of an older holder that is accepted after a newer one's, which a fence does.

mod meter;

use super::invariants::findings;
use super::{InvariantFinding, instant_ms, span_ms};
use crate::engine::{FullTrace, SimTime, Span};
use crate::scenario::lease::LeaseScenario;
use crate::vocabulary::Words;
use crate::world::{LeaseLayout, LeaseWorld};
use meter::LeaseMeter;
use serde::Serialize;
use std::collections::BTreeMap;

/// What happened in one run. Times are milliseconds of simulated time in JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeaseVerdict {
    pub scenario: String,
    pub seed: u64,
    pub engine: String,
    pub trace_hash: String,
    pub events: u32,
    #[serde(rename = "duration_ms", serialize_with = "span_ms")]
    pub duration: Span,
    pub grants: Vec<Granted>,
    pub believers: Holders,
    pub writes: Effects,
    /// The same for e-mails, which a gateway sends that cannot compare tokens.
    pub mails: Effects,
    /// What was written, and in whose hands it is in the end.
    pub objects: Vec<Owned>,
    pub findings: Vec<InvariantFinding>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Granted {
    #[serde(rename = "at_ms", serialize_with = "instant_ms")]
    pub at: SimTime,
    pub to: String,
    /// None: of the lock of a session, which has none.
    pub token: Option<String>,
}

/// Who took itself for the holder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Holders {
    pub most_at_once: u32,
    /// How long there were two or more.
    #[serde(rename = "overlap_ms", serialize_with = "span_ms")]
    pub overlap: Span,
    /// From when to when each did, in the order in which they began.
    pub intervals: Vec<Held>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Held {
    #[serde(rename = "from_ms", serialize_with = "instant_ms")]
    pub from: SimTime,
    #[serde(rename = "to_ms", serialize_with = "instant_ms")]
    pub to: SimTime,
    pub worker: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Effects {
    pub accepted: u32,
    /// Of these, by a worker that was not the one granted last.
    pub accepted_by_deposed: u32,
    /// Of these, after a write of a newer holder had been accepted there: the damage.
    pub accepted_after_newer: u32,
    pub rejected_by_fence: u32,
    /// Done before, by its key, and not done again.
    pub repeated: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Owned {
    /// The host that keeps it.
    pub at: String,
    pub object: u16,
    pub owner: String,
    /// The highest token that it was written with.
    pub fence: Option<String>,
}

/// What should hold in every run; what a scenario is about is often that one does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Invariant {
    OneBeliever,
    TokensGrow,
    NoOlderToken,
    NoOlderHolder,
}

impl Invariant {
    const ALL: [Invariant; 4] = [
        Invariant::OneBeliever,
        Invariant::TokensGrow,
        Invariant::NoOlderToken,
        Invariant::NoOlderHolder,
    ];

    const fn name(self) -> &'static str {
        match self {
            Invariant::OneBeliever => "one believer",
            Invariant::TokensGrow => "the token grows with every grant",
            Invariant::NoOlderToken => "no write with an older token than its object has seen",
            Invariant::NoOlderHolder => "no write of an older holder after a newer one's",
        }
    }
}

/// A run of which everything was kept.
#[derive(Clone, Debug)]
pub struct LeaseRun {
    pub verdict: LeaseVerdict,
    pub trace: FullTrace<Words>,
    pub layout: LeaseLayout,
}

/// Runs a scenario about leases and keeps every event.
///
/// ```
/// use leaselab::scenario::lease::LeaseScenario;
/// use leaselab::verdict::run_lease;
/// let text = "system = \"lease\"\n[lease]\nholder = \"A\"\n[[worker]]\nname = \"A\"\n[[job]]\nworker = \"A\"\n";
/// let run = run_lease(&LeaseScenario::parse(text, "example").unwrap());
/// assert_eq!((run.verdict.writes.accepted, run.verdict.objects[0].owner.as_str()), (1, "A"));
/// ```
pub fn run_lease(scenario: &LeaseScenario) -> LeaseRun {
    let mut world = LeaseWorld::new(scenario);
    let end = SimTime::ZERO + scenario.duration;
    let mut observers = (FullTrace::default(), LeaseMeter::new(world.layout()));
    world.run_until(end, &mut observers);
    let (trace, meter) = observers;
    let verdict = LeaseVerdict {
        scenario: scenario.title.clone(),
        seed: scenario.seed,
        trace_hash: trace.hash(),
        events: world.events(),
        ..meter.finish(end, world.findings())
    };
    let layout = world.layout().clone();
    LeaseRun { verdict, trace, layout }
}

impl LeaseVerdict {
    /// The object of `leaselab run --json`.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The finding of a named invariant.
    pub fn finding(&self, invariant: &str) -> Option<&InvariantFinding> {
        self.findings.iter().find(|finding| finding.invariant == invariant)
    }

    /// A verdict that has one of everything: what claims can be about.
    pub fn sample() -> LeaseVerdict {
        let (from, to) = (SimTime::ZERO, SimTime(1_000_000));
        let worker = || "A".to_owned();
        LeaseVerdict {
            scenario: "A sample".to_owned(),
            seed: 1,
            engine: crate::VERSION.to_owned(),
            trace_hash: String::new(),
            events: 1,
            duration: to.since(from),
            grants: vec![Granted {
                at: from,
                to: worker(),
                token: Some("33".to_owned()),
            }],
            believers: Holders {
                intervals: vec![Held {
                    from,
                    to,
                    worker: worker(),
                }],
                ..Holders::default()
            },
            writes: Effects::default(),
            mails: Effects::default(),
            objects: vec![Owned {
                at: "resource".to_owned(),
                object: 1,
                owner: worker(),
                fence: Some("33".to_owned()),
            }],
            findings: findings(Invariant::ALL.map(Invariant::name), &BTreeMap::new(), &[]),
        }
    }
}
