//! Computes the verdict of a run about leases while the world runs.

use super::{Effects, Granted, Held, Holders, Invariant, LeaseVerdict, Owned};
use crate::engine::{Event, EventId, Finding, Life, Observer, Place, ProcId, SimTime, Span, What};
use crate::verdict::invariants::{Broken, findings};
use crate::vocabulary::{LeaseNote, Note, Object, Token, Words};
use crate::world::{LeaseLayout, Named};
use std::collections::{BTreeMap, BTreeSet};

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

#[derive(Clone, Debug)]
pub(super) struct LeaseMeter {
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
    pub fn new(layout: &LeaseLayout) -> LeaseMeter {
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
            LeaseNote::Accepted { by, object, token, .. } => self.accepted(at, event, place, by, object, token),
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

    pub fn finish(mut self, end: SimTime, engine: &[Finding]) -> LeaseVerdict {
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
