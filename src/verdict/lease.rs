//! The verdict of a run about leases: who believed, what was accepted, what the fences refused, and in whose hands everything
//! is in the end. Computed from notes and the life of processes while the world runs.
//!
//! The three truths stand apart: *belief* is what workers say of themselves, *grants* what the grantor gave, *writes* what the
//! resource accepted. Two measures of damage (protocols.md 0.5): two believers at one instant, which no fence prevents; and a
//! write of an older holder that is accepted after a newer one's, which a fence does.

use super::invariants::{Broken, findings};
use super::{InvariantFinding, instant_ms, span_ms};
use crate::engine::{Event, EventId, Finding, FullTrace, Life, Observer, Place, ProcId, SimTime, Span, What};
use crate::scenario::lease::LeaseScenario;
use crate::vocabulary::{LeaseNote, Note, Object, Token, Words};
use crate::world::{LeaseLayout, LeaseWorld, Named};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

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

/// One grant; a later one is of a newer holder.
#[derive(Clone, Copy, Debug)]
struct Grant {
    at: SimTime,
    to: ProcId,
    token: Option<Token>,
}

#[derive(Clone, Copy, Debug)]
struct Kept {
    owner: ProcId,
    fence: Option<Token>,
}

/// Computes the verdict while the world runs.
#[derive(Clone, Debug)]
struct LeaseMeter {
    layout: LeaseLayout,
    grants: Vec<Grant>,
    believing: BTreeMap<ProcId, SimTime>,
    believed: Vec<(SimTime, SimTime, ProcId)>,
    writes: Effects,
    mails: Effects,
    objects: BTreeMap<(ProcId, Object), Kept>,
    /// The newest grant of which a write was accepted, by where.
    newest: BTreeMap<ProcId, usize>,
    broken: BTreeMap<&'static str, Broken>,
}

impl Observer<Words> for LeaseMeter {
    const FULL: bool = false;

    fn record(&mut self, event: Event<Words>) {
        match (&event.what, event.place) {
            (What::Note(Note::Lease(note)), Place::Process(process)) => {
                self.note(event.at, event.id, process, note);
            }
            // What a process believed ends with it.
            (What::Life(Life::Killed | Life::Exited), Place::Process(process)) => self.stops(event.at, process),
            _ => {}
        }
    }
}

impl LeaseMeter {
    fn new(layout: &LeaseLayout) -> LeaseMeter {
        LeaseMeter {
            layout: layout.clone(),
            grants: Vec::new(),
            believing: BTreeMap::new(),
            believed: Vec::new(),
            writes: Effects::default(),
            mails: Effects::default(),
            objects: BTreeMap::new(),
            newest: BTreeMap::new(),
            broken: BTreeMap::new(),
        }
    }

    fn breaks(&mut self, invariant: Invariant, at: SimTime, event: EventId) {
        self.broken.entry(invariant.name()).or_insert((at, Some(event)));
    }

    fn note(&mut self, at: SimTime, event: EventId, place: ProcId, note: &LeaseNote) {
        match *note {
            LeaseNote::Granted { to, token, .. } => self.granted(at, event, to, token),
            LeaseNote::Holds { token, .. } => {
                self.claim(place, token);
                self.believing.entry(place).or_insert(at);
            }
            LeaseNote::Loses { .. } => self.stops(at, place),
            LeaseNote::Accepted { by, object, token } => self.accepted(at, event, place, by, object, token),
            LeaseNote::Rejected { .. } => self.effects(place).rejected_by_fence += 1,
            LeaseNote::Repeated { .. } => self.effects(place).repeated += 1,
            _ => {}
        }
    }

    fn effects(&mut self, place: ProcId) -> &mut Effects {
        if place == self.layout.mail() {
            &mut self.mails
        } else {
            &mut self.writes
        }
    }

    fn granted(&mut self, at: SimTime, event: EventId, to: ProcId, token: Option<Token>) {
        let highest = self.grants.iter().filter_map(|grant| grant.token).max();
        if token.is_some() && token <= highest {
            self.breaks(Invariant::TokensGrow, at, event);
        }
        self.grants.push(Grant { at, to, token });
    }

    /// A database knows only the pooler; who holds it is who was told so.
    fn claim(&mut self, worker: ProcId, token: Option<Token>) {
        let pooler = self.layout.named("pooler");
        let pooled = |grant: &&mut Grant| Some(grant.to) == pooler && grant.token == token;
        if let Some(grant) = self.grants.iter_mut().rfind(pooled) {
            grant.to = worker;
        }
    }

    fn stops(&mut self, at: SimTime, process: ProcId) {
        if let Some(from) = self.believing.remove(&process) {
            self.believed.push((from, at, process));
        }
    }

    /// Which grant a write belongs to: the last one with this token to its writer.
    fn grant_of(&self, by: ProcId, token: Option<Token>) -> Option<usize> {
        self.grants
            .iter()
            .rposition(|grant| grant.to == by && grant.token == token)
    }

    fn accepted(
        &mut self,
        at: SimTime,
        event: EventId,
        place: ProcId,
        by: ProcId,
        object: Object,
        token: Option<Token>,
    ) {
        let grant = self.grant_of(by, token);
        let newest = self.newest.get(&place).copied();
        let deposed = grant.is_some() && grant < self.grants.len().checked_sub(1);
        let after_newer = grant.is_some() && grant < newest;
        let effects = self.effects(place);
        effects.accepted += 1;
        effects.accepted_by_deposed += u32::from(deposed);
        effects.accepted_after_newer += u32::from(after_newer);
        if after_newer {
            self.breaks(Invariant::NoOlderHolder, at, event);
        }
        if let Some(grant) = grant {
            let newest = self.newest.entry(place).or_insert(grant);
            *newest = grant.max(*newest);
        }
        let seen = self.objects.get(&(place, object)).and_then(|kept| kept.fence);
        // What cannot compare has seen nothing.
        if token < seen && place != self.layout.mail() {
            self.breaks(Invariant::NoOlderToken, at, event);
        }
        let fence = token.max(seen);
        self.objects.insert((place, object), Kept { owner: by, fence });
    }

    fn finish(mut self, end: SimTime, engine: &[Finding]) -> LeaseVerdict {
        for process in Vec::from_iter(self.believing.keys().copied()) {
            self.stops(end, process);
        }
        self.believed.sort_by_key(|&(from, to, process)| (from, process, to));
        let (most_at_once, overlap, first) = overlaps(&self.believed);
        if let Some(first) = first {
            self.broken.insert(Invariant::OneBeliever.name(), (first, None));
        }
        let name = |process| self.layout.process_name(process);
        let text = |token: Option<Token>| token.map(|token| token.to_string());
        LeaseVerdict {
            scenario: String::new(),
            seed: 0,
            engine: crate::VERSION.to_owned(),
            trace_hash: String::new(),
            events: 0,
            duration: end.since(SimTime::ZERO),
            grants: self
                .grants
                .iter()
                .map(|grant| Granted {
                    at: grant.at,
                    to: name(grant.to),
                    token: text(grant.token),
                })
                .collect(),
            believers: Holders {
                most_at_once,
                overlap,
                intervals: self
                    .believed
                    .iter()
                    .map(|&(from, to, process)| Held {
                        from,
                        to,
                        worker: name(process),
                    })
                    .collect(),
            },
            writes: self.writes,
            mails: self.mails,
            objects: self
                .objects
                .iter()
                .map(|(&(place, object), kept)| Owned {
                    at: name(place),
                    object: object.0,
                    owner: name(kept.owner),
                    fence: text(kept.fence),
                })
                .collect(),
            findings: findings(Invariant::ALL.map(Invariant::name), &self.broken, engine),
        }
    }
}

/// The most of these at one instant, how long there were two or more, and when that began first. Each lasts up to, not
/// including, its end.
fn overlaps(held: &[(SimTime, SimTime, ProcId)]) -> (u32, Span, Option<SimTime>) {
    let instants: BTreeSet<SimTime> = held.iter().flat_map(|&(from, to, _)| [from, to]).collect();
    let instants = Vec::from_iter(instants);
    let (mut most, mut sum, mut first) = (0, Span::ZERO, None);
    for pair in instants.windows(2) {
        let count = held
            .iter()
            .filter(|(from, to, _)| *from <= pair[0] && pair[1] <= *to)
            .count() as u32;
        most = most.max(count);
        if count >= 2 {
            sum += pair[1].since(pair[0]);
            first = first.or(Some(pair[0]));
        }
    }
    (most, sum, first)
}
