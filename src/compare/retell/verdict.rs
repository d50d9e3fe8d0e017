//! What a recorded run amounted to, in the form of a simulated run's verdict: two primaries from the stretches in which
//! databases proved writable, writes from the recorder's count.

use super::key::Reign;
use super::{NODES, Tape};
use crate::draw::story::FuseEnd;
use crate::engine::{EventId, SimTime, Span};
use crate::verdict::{
    Cause, Change, Failover, KeyChange, KeyLoss, Outage, Outside, Overlap, Record, Renewal, StoreFigures, TwoPrimaries,
    Verdict, Writes,
};
use crate::vocabulary::{NodeId, NodeSet};

pub fn verdict(tape: &Tape, reigns: &[Reign]) -> Verdict {
    let end = tape.end();
    let record = Record {
        nodes: NODES.map(str::to_owned).into(),
        end,
        writable: writable(tape),
        leader_key: key_changes(tape, reigns),
        renewals: renewals(tape, reigns),
        ..Record::default()
    };
    let stretches = record.overlaps(end);
    let lengths = || stretches.iter().map(|(from, to)| to.since(*from));
    let count = |name: &str| tape.recording.figure(name).unwrap_or(0.0) as u32;
    Verdict {
        // A recording counts what was lost; it does not say whose it was, nor how far a branch was written.
        lost_writes: Vec::new(),
        stray_branches: Vec::new(),
        outside: Outside::default(),
        scenario: format!("{}, recorded", tape.recording.id),
        seed: 0,
        engine: versions(tape),
        trace_hash: None,
        events: tape.recording.events.len() as u32,
        duration: end.since(SimTime::ZERO),
        adjusted: Vec::new(),
        two_primaries: TwoPrimaries {
            ever: !stretches.is_empty(),
            total: lengths().fold(Span::ZERO, |sum, length| sum + length),
            longest: lengths().max().unwrap_or(Span::ZERO),
            intervals: overlaps(tape, &record),
        },
        believers: Default::default(),
        writes: Writes {
            acknowledged: count("acked_writes"),
            lost: count("lost_acked"),
            ..Writes::default()
        },
        writable: written(&record),
        outages: outages(tape, &record),
        failovers: failovers(tape, reigns, &record),
        // Changes of the store's leader are told by its members' lanes; how long it could decide nothing was not recorded.
        store: StoreFigures::default(),
        findings: Vec::new(),
        record,
    }
}

/// `Patroni 4.1.5, etcd 3.4.23, PostgreSQL 15.18`.
fn versions(tape: &Tape) -> String {
    let names = [("patroni", "Patroni"), ("etcd", "etcd"), ("postgresql", "PostgreSQL")];
    let told = names.iter().filter_map(|(key, name)| {
        let version = tape.recording.versions.get(*key)?;
        Some(format!("{name} {version}"))
    });
    told.collect::<Vec<_>>().join(", ")
}

fn writable(tape: &Tape) -> Vec<Change> {
    let mut edges: Vec<(SimTime, NodeId, bool)> = Vec::new();
    // They are few, and a sort would weigh more on the page than it saves.
    let mut put = |edge: (SimTime, NodeId, bool)| {
        let after = edges.partition_point(|(at, ..)| *at <= edge.0);
        edges.insert(after, edge);
    };
    for node in 0..NODES.len() {
        for state in tape.states(node).iter().filter(|state| state.state == "writable") {
            let id = NodeId(node as u8);
            if let Some(stretch) = tape.stretch(state.from_ms, state.to_ms, id) {
                put((stretch.from, id, true));
                put((stretch.until, id, false));
            }
        }
    }
    let mut nodes = NodeSet::EMPTY;
    let mut changes: Vec<Change> = Vec::new();
    for (from, node, begins) in edges {
        nodes = if begins { nodes.with(node) } else { nodes.without(node) };
        match changes.last_mut().filter(|last| last.from == from) {
            Some(last) => last.nodes = nodes,
            None => changes.push(Change {
                from,
                nodes,
                event: None,
            }),
        }
    }
    // What is still so at the end does not end there.
    let end = tape.end();
    changes.retain(|change| change.from < end);
    changes
}

fn until(record: &Record, change: usize) -> SimTime {
    record.writable.get(change + 1).map_or(record.end, |next| next.from)
}

fn written(record: &Record) -> Span {
    let lengths = record
        .writable
        .iter()
        .enumerate()
        .filter(|(_, change)| !change.nodes.is_empty())
        .map(|(n, change)| until(record, n).since(change.from));
    lengths.fold(Span::ZERO, |sum, length| sum + length)
}

/// From the fault on, as the recorder counts them: before it, the recorder may not have written at all.
fn outages(tape: &Tape, record: &Record) -> Vec<Outage> {
    let all = record.outages(record.end).into_iter();
    all.filter(|outage| outage.to > tape.fault)
        .map(|outage| Outage {
            from: outage.from.max(tape.fault),
            ..outage
        })
        .collect()
}

/// A recording does not say why: that the old leader should have stopped is known, not what kept it.
fn overlaps(tape: &Tape, record: &Record) -> Vec<Overlap> {
    let overlap = |(n, change): (usize, &Change)| Overlap {
        from: change.from,
        to: until(record, n),
        nodes: record.names(change.nodes),
        deposed: tape.recording.derived.old_leader.clone(),
        why: Cause::Unknown,
    };
    let changes = record.writable.iter().enumerate();
    changes
        .filter(|(_, change)| change.nodes.len() >= 2)
        .map(overlap)
        .collect()
}

/// The number of an event stands for the event in the recording's own list.
fn event(tape: &Tape, ms: f64) -> Option<EventId> {
    let events = &tape.recording.events;
    let index = events
        .iter()
        .position(|event| event.kind == "leader_key" && event.t_ms == ms)?;
    EventId::from_index(index)
}

fn key_changes(tape: &Tape, reigns: &[Reign]) -> Vec<KeyChange> {
    let mut changes = Vec::new();
    for reign in reigns.iter().filter(|reign| tape.exact(reign.until_ms).is_some()) {
        let mut put = |ms: f64, holder| {
            changes.extend(event(tape, ms).map(|event| KeyChange {
                at: tape.at(ms),
                holder,
                event,
            }));
        };
        put(reign.from_ms, Some(reign.holder));
        if matches!(reign.end, FuseEnd::Expired | FuseEnd::Released) {
            put(reign.until_ms, None);
        }
    }
    changes
}

fn renewals(tape: &Tape, reigns: &[Reign]) -> Vec<Renewal> {
    super::key::fuses(tape, reigns)
        .into_iter()
        .filter(|fuse| fuse.lit == fuse.from)
        .map(|fuse| Renewal {
            at: fuse.lit,
            lease: fuse.lease,
            node: fuse.holder,
        })
        .collect()
}

fn failovers(tape: &Tape, reigns: &[Reign], record: &Record) -> Vec<Failover> {
    let name = |node: NodeId| record.name(node).to_owned();
    let first = |from: SimTime, is: &dyn Fn(&Change) -> bool| {
        let changes = record.writable.iter();
        changes
            .filter(|change| change.from >= from)
            .find(|change| is(change))
            .map(|change| change.from)
    };
    let moved = reigns.windows(2).filter(|pair| pair[0].holder != pair[1].holder);
    let failover = |pair: &[Reign]| {
        let (old, new) = (&pair[0], &pair[1]);
        let gone = tape.exact(old.until_ms)?;
        let taken = tape.exact(new.from_ms)?;
        let why = match old.end {
            FuseEnd::Expired => KeyLoss::LeaseExpired,
            FuseEnd::Released => KeyLoss::Released,
            _ => KeyLoss::Overwritten,
        };
        Some(Failover {
            from: name(old.holder),
            to: name(new.holder),
            renewed: None,
            fault: Some(tape.fault),
            not_writable: first(tape.fault, &|change| !change.nodes.contains(old.holder)),
            key_gone: (why != KeyLoss::Overwritten).then_some(gone),
            key_taken: taken,
            writable: first(taken, &|change| change.nodes.contains(new.holder)),
            why,
            spurious: false,
        })
    };
    moved.filter_map(failover).collect()
}
