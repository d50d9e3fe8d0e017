//! What can be found out about the order of a run from its trace: the steps of happened-before, and the stamps of the clocks
//! that no event carries. They cost a run nothing; whoever asks pays.

use super::ids::{EventId, ProcId};
use super::trace::{Event, FullTrace, Place, What, Wire};
use crate::clocks::{
    Hybrid, HybridClock, Interval, ReceiveRule, Related, Relation, SimTime, Span, Stamped, Vector, WallTime,
};
use std::collections::BTreeMap;

/// For each event of a run the events from which one step leads to it: the last one of the same process (or of the same host,
/// for what happens to a host as a whole), and what caused it, by their places in the trace.
pub fn steps<W: Wire>(trace: &FullTrace<W>) -> Vec<[Option<usize>; 2]> {
    let mut last: BTreeMap<Place, usize> = BTreeMap::new();
    let place_of = |event: EventId| event.index().checked_sub(trace.skipped());
    let step = |(n, event): (usize, &Event<W>)| {
        // What happens on the links between hosts is nobody's next step.
        let same = match event.place {
            Place::Network => None,
            place => last.insert(place, n),
        };
        [same, event.cause.and_then(place_of).filter(|&cause| cause < n)]
    };
    trace.iter().enumerate().map(step).collect()
}

/// The vector clock of an event: of each process, at how many events that clocks tick at it knows of, itself among them.
/// Entries are by the number of the process. Nothing when the trace does not have the event.
pub fn vector<W: Wire>(trace: &FullTrace<W>, steps: &[[Option<usize>; 2]], of: EventId) -> Option<Vector> {
    let related = Related::of(of.index(), steps)?;
    let mut known = Vector::default();
    for event in trace.iter().take(of.index() + 1).filter(|event| event.what.ticks()) {
        if let Place::Process(process) = event.place
            && matches!(related.relation(event.id.index()), Relation::Past | Relation::Itself)
        {
            known.tick(process.index());
        }
    }
    Some(known)
}

/// The hybrid clock of each event, by the given rule; none where nothing was known yet. `wall` says what the wall clock of a
/// process shows at a true instant.
pub fn hybrids<W: Wire>(
    trace: &FullTrace<W>,
    rule: ReceiveRule,
    wall: impl Fn(ProcId, SimTime) -> WallTime,
) -> Vec<Option<Hybrid>> {
    let mut clocks: BTreeMap<Place, HybridClock> = BTreeMap::new();
    let mut stamps: Vec<Option<Hybrid>> = Vec::with_capacity(trace.len());
    for event in trace.iter() {
        let led = event
            .cause
            .and_then(|cause| stamps.get(cause.index()).copied().flatten());
        let clock = clocks.entry(event.place).or_insert_with(|| HybridClock::new(rule));
        let stamp = match (event.place, &event.what) {
            // Every packet there is one of its own.
            (Place::Network, _) => led,
            (Place::Process(process), What::Received { .. }) => {
                let pt = wall(process, event.at);
                Some(match led {
                    Some(led) => clock.receive(pt, led),
                    None => clock.tick(pt),
                })
            }
            (Place::Process(process), what) if what.ticks() => Some(clock.tick(wall(process, event.at))),
            _ => {
                led.into_iter().for_each(|led| {
                    clock.catch_up(led);
                });
                clock.shows()
            }
        };
        stamps.push(stamp);
    }
    stamps
}

/// The events of processes for which `wanted` says so, in true order, each with all stamps. `wall` as for [`hybrids`]; `epsilon` is
/// the bound of error that intervals are made of.
///
/// Each costs a walk over the trace: for what people look at, not for a whole hour.
pub fn stamped<W: Wire>(
    trace: &FullTrace<W>,
    wanted: impl Fn(&Event<W>) -> bool,
    rule: ReceiveRule,
    epsilon: Span,
    wall: impl Fn(ProcId, SimTime) -> WallTime,
) -> Vec<(EventId, Stamped)> {
    let hybrids = hybrids(trace, rule, &wall);
    let steps = steps(trace);
    let stamped = |event: &Event<W>| {
        let Place::Process(process) = event.place else {
            return None;
        };
        let wall = wall(process, event.at);
        let stamps = Stamped {
            process: process.index(),
            at: event.at,
            wall,
            lamport: event.lamport,
            vector: vector(trace, &steps, event.id)?,
            hybrid: hybrids[event.id.index()].unwrap_or(Hybrid { wall, count: 0 }),
            interval: Interval::around(wall, epsilon),
        };
        Some((event.id, stamps))
    };
    trace.iter().filter(|event| wanted(event)).filter_map(stamped).collect()
}
