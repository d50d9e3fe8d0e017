//! A run instant by instant: who was writable, who believed, who held the key, which writes were confirmed. The figures
//! of the verdict are sums over it, and the playhead reads it at any instant.

use super::{Cause, Interval, Outage, Overlap};
use crate::engine::{EventId, SimTime, Span};
use crate::vocabulary::{LeaseId, NodeId, NodeSet};
use borsh::{BorshDeserialize, BorshSerialize};

/// The leader key was put (by its holder) or deleted (no holder).
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct KeyChange {
    pub at: SimTime,
    pub holder: Option<NodeId>,
    pub event: EventId,
}

/// The store let the leader's lease begin anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Renewal {
    pub at: SimTime,
    pub lease: LeaseId,
    pub node: NodeId,
}

/// From `from` on, the nodes of `nodes`, until the next change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Change {
    pub from: SimTime,
    pub nodes: NodeSet,
    /// What made it so; a belief that runs out has no event.
    pub event: Option<EventId>,
}

/// A time during which the store could decide nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct NoQuorum {
    pub from: SimTime,
    pub to: SimTime,
    /// What made it so.
    pub event: Option<EventId>,
    /// When it began, fewer than a majority of the members ran without being held up by their disks; otherwise a majority
    /// did, and none of it led.
    pub too_few: bool,
}

/// Everything in the order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Record {
    /// The nodes' names, by [`NodeId`].
    pub nodes: Vec<String>,
    pub end: SimTime,
    pub writable: Vec<Change>,
    pub believers: Vec<Change>,
    pub leader_key: Vec<KeyChange>,
    pub renewals: Vec<Renewal>,
    pub no_quorum: Vec<NoQuorum>,
    /// When clients learned of the writes: all that were acknowledged, those of them that turned out lost, those that a
    /// deposed leader accepted, and those that nobody ever answered.
    pub acknowledged: Vec<SimTime>,
    pub lost: Vec<SimTime>,
    pub deposed: Vec<SimTime>,
    pub unknown: Vec<SimTime>,
    /// From when two databases were writable, which of them should not have been, and why it was.
    pub causes: Vec<(SimTime, NodeId, Cause)>,
}

/// One instant of a run, and what led up to it. Counts include the instant itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    pub at: SimTime,
    pub writable: NodeSet,
    pub believers: NodeSet,
    /// Who holds the leader key in the store now.
    pub holder: Option<NodeId>,
    /// Since when at least two databases are writable now without interruption; nothing while fewer are.
    pub two_primaries_since: Option<SimTime>,
    /// How long there have been two writable databases so far, altogether.
    pub two_primaries_total: Span,
    /// How many times it has come to that so far.
    pub two_primaries_times: usize,
    /// Since when no database is writable now; nothing before the first one was.
    pub outage_since: Option<SimTime>,
    pub acknowledged: usize,
    /// Of those acknowledged so far: how many the final leader's history does not have.
    pub lost: usize,
    pub deposed: usize,
    pub unknown: usize,
}

impl Record {
    pub fn name(&self, node: NodeId) -> &str {
        self.nodes.get(node.index()).map_or("?", String::as_str)
    }
    pub fn names(&self, nodes: NodeSet) -> Vec<String> {
        nodes.iter().map(|node| self.name(node).to_owned()).collect()
    }

    /// The run as it stands at `t`. Two binary searches and a walk over the few changes of the writable set.
    pub fn at(&self, t: SimTime) -> Moment {
        let t = t.min(self.end);
        let now = |changes: &[Change]| {
            let passed = changes.partition_point(|change| change.from <= t);
            passed.checked_sub(1).map_or(NodeSet::EMPTY, |last| changes[last].nodes)
        };
        let passed = self.leader_key.partition_point(|change| change.at <= t);
        let so_far = |times: &[SimTime]| times.partition_point(|&at| at <= t);
        let overlaps = self.overlaps(t);
        let open = |&(from, to): &(SimTime, SimTime)| (to == t && now(&self.writable).len() >= 2).then_some(from);
        Moment {
            at: t,
            writable: now(&self.writable),
            believers: now(&self.believers),
            holder: passed.checked_sub(1).and_then(|last| self.leader_key[last].holder),
            two_primaries_since: overlaps.last().and_then(open),
            two_primaries_total: total(&overlaps),
            two_primaries_times: overlaps.len(),
            outage_since: now(&self.writable)
                .is_empty()
                .then(|| self.outages(t).last().map(|outage| outage.from))
                .flatten(),
            acknowledged: so_far(&self.acknowledged),
            lost: so_far(&self.lost),
            deposed: so_far(&self.deposed),
            unknown: so_far(&self.unknown),
        }
    }

    /// The stretches of time up to `until` with two or more writable databases, whoever they were. One that begins at
    /// `until` is there with no length.
    pub fn overlaps(&self, until: SimTime) -> Vec<(SimTime, SimTime)> {
        stretches(&self.writable, until, |nodes| nodes.len() >= 2)
    }

    /// The stretches up to `until` without a writable database, once there had been one; all of it when there never was.
    pub fn outages(&self, until: SimTime) -> Vec<Outage> {
        let Some(first) = self.writable.iter().position(|change| !change.nodes.is_empty()) else {
            let (from, to) = (SimTime::ZERO, until);
            return vec![Outage { from, to }];
        };
        let gaps = stretches(&self.writable[first..], until, NodeSet::is_empty);
        gaps.into_iter().map(|(from, to)| Outage { from, to }).collect()
    }

    /// The times with two or more writable databases, with their causes.
    pub(super) fn overlap_intervals(&self) -> Vec<Overlap> {
        let overlap = |interval: Interval| {
            let found = self.causes.iter().rev().find(|(from, ..)| *from <= interval.from);
            let (deposed, why) = found.map_or((NodeId(0), Cause::Unknown), |&(_, deposed, why)| (deposed, why));
            Overlap {
                from: interval.from,
                to: interval.to,
                nodes: interval.nodes,
                deposed: self.name(deposed).to_owned(),
                why,
            }
        };
        self.intervals(&self.writable).into_iter().map(overlap).collect()
    }

    /// The times with two or more nodes in `changes`, one interval for each set of them.
    pub(super) fn intervals(&self, changes: &[Change]) -> Vec<Interval> {
        let ends = changes.iter().skip(1).map(|next| next.from).chain([self.end]);
        let pairs = changes
            .iter()
            .zip(ends)
            .filter(|(change, to)| change.nodes.len() >= 2 && change.from < *to);
        let interval = |(change, to): (&Change, SimTime)| Interval {
            from: change.from,
            to,
            nodes: self.names(change.nodes),
        };
        pairs.map(interval).collect()
    }
}

/// How long the stretches are together.
pub(super) fn total(stretches: &[(SimTime, SimTime)]) -> Span {
    stretches
        .iter()
        .fold(Span::ZERO, |sum, (from, to)| sum + to.since(*from))
}

fn stretches(changes: &[Change], until: SimTime, is: impl Fn(NodeSet) -> bool) -> Vec<(SimTime, SimTime)> {
    let mut found: Vec<(SimTime, SimTime)> = Vec::new();
    let ends = changes.iter().skip(1).map(|next| next.from).chain([SimTime(u64::MAX)]);
    for (change, to) in changes.iter().zip(ends).filter(|(change, _)| change.from <= until) {
        match found.last_mut() {
            _ if !is(change.nodes) => {}
            Some(last) if last.1 == change.from => last.1 = to.min(until),
            _ => found.push((change.from, to.min(until))),
        }
    }
    found
}
