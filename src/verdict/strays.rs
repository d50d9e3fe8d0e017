//! The branches of the log that nobody follows: what a primary wrote beyond the point at which a promotion left its branch,
//! from then on until pg_rewind takes it back or a fresh copy replaces it.

use super::{instant_ms, maybe_ms};
use crate::engine::SimTime;
use crate::vocabulary::{Branch, Database, Lsn, NodeId, Note, Timeline};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// One such branch: the bytes after `from_lsn`, up to and including those before `to_lsn`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct Stray {
    /// On whose disk it is.
    pub node: String,
    /// PostgreSQL's number of the timeline that it belongs to.
    pub timeline: Timeline,
    #[serde(serialize_with = "as_printed")]
    pub from_lsn: Lsn,
    #[serde(serialize_with = "as_printed")]
    pub to_lsn: Lsn,
    /// When another node's promotion left it behind.
    #[serde(rename = "since_ms", serialize_with = "instant_ms")]
    pub since: SimTime,
    /// When it was taken back; null: not within the run.
    #[serde(rename = "until_ms", serialize_with = "maybe_ms")]
    pub until: Option<SimTime>,
    pub end: Option<StrayEnd>,
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "snake_case")]
pub enum StrayEnd {
    /// By pg_rewind.
    Rewound,
    /// With the whole database, which was copied anew.
    ThrownAway,
}

pub(super) fn as_printed<S: Serializer>(lsn: &Lsn, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(lsn)
}

/// A promotion: from `at` on, the log of `from` is no part of the new history.
#[derive(Clone, Copy, Debug)]
struct Departure {
    when: SimTime,
    from: Branch,
    timeline: Timeline,
    at: Lsn,
}

/// Gathers them while the world runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Strays {
    /// Where each node's log was last told to be: its branch and the timeline of that.
    tips: BTreeMap<NodeId, (Branch, Timeline)>,
    /// How far each branch was written by the node that it is named after.
    ends: BTreeMap<Branch, Lsn>,
    departures: Vec<Departure>,
    /// In the order of time.
    taken_back: Vec<(SimTime, NodeId, StrayEnd, Option<Lsn>)>,
}

impl Strays {
    pub fn database(&mut self, node: NodeId, database: &Database) {
        let tip = database.position.history.tip();
        self.tips.insert(node, (tip.branch, tip.timeline));
        if tip.branch.node == node {
            self.written(tip.branch, database.position.lsn);
        }
    }

    /// Something on this branch ends here.
    pub fn written(&mut self, branch: Branch, lsn: Lsn) {
        let end = self.ends.entry(branch).or_insert(lsn);
        *end = lsn.max(*end);
    }

    /// A node's database was promoted; told before its new history is.
    pub fn promoted(&mut self, when: SimTime, node: NodeId, at: Lsn) {
        if let Some(&(from, timeline)) = self.tips.get(&node) {
            self.departures.push(Departure {
                when,
                from,
                timeline,
                at,
            });
        }
    }

    pub fn agent(&mut self, when: SimTime, node: NodeId, note: &Note) {
        match *note {
            Note::Rewinds { from, .. } => self.taken_back.push((when, node, StrayEnd::Rewound, Some(from))),
            Note::Clones => self.taken_back.push((when, node, StrayEnd::ThrownAway, None)),
            _ => {}
        }
    }

    /// In the order in which they were left. `name` is what people call a node.
    pub fn finish(self, name: impl Fn(NodeId) -> String) -> Vec<Stray> {
        let stray = |departure: &Departure| {
            let node = departure.from.node;
            let mut later = self.taken_back.iter().filter(|(when, ..)| *when >= departure.when);
            let taken = later.find(|(_, of, ..)| *of == node);
            // pg_rewind knows to the byte how far it was written, also what no client heard of.
            let told = taken.and_then(|&(.., end)| end);
            let end = self.ends.get(&departure.from).copied().max(told)?;
            (end > departure.at).then(|| Stray {
                node: name(node),
                timeline: departure.timeline,
                from_lsn: departure.at,
                to_lsn: end,
                since: departure.when,
                until: taken.map(|&(when, ..)| when),
                end: taken.map(|&(_, _, end, _)| end),
            })
        };
        self.departures.iter().filter_map(stray).collect()
    }
}
