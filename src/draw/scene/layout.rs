//! Where the lanes lie. It depends on the story and the width, never on the visible time, so that nothing jumps while
//! the view moves.

use super::super::marks::LaneBox;
use super::super::story::{Lane, Story};
use crate::engine::SimTime;
use crate::sorting;
use std::collections::BTreeMap;

/// Below this width the column of names is narrow and words are shorter.
const NARROW: f32 = 560.0;

pub const AXIS_BASE: f32 = 14.0;
pub const TOP: f32 = 22.0;
const DANGER_ROW: f32 = 20.0;
pub const FAULT_ROW: f32 = 24.0;
const STORE: f32 = 62.0;
/// A member of the store, and inside its row: its place in the group, and below that its disk.
pub const MEMBER: f32 = 20.0;
pub const MEMBER_H: f32 = 13.0;
pub const DISK_Y: f32 = 14.0;
pub const DISK_H: f32 = 4.0;
/// Where it is said that the store can decide nothing.
const NO_QUORUM_ROW: f32 = 14.0;
pub const NODE: f32 = 75.0;
pub const WRITE_ROW: f32 = 14.0;
pub const PLAYHEAD: f32 = 20.0;

/// Inside a node's lane, from its top.
pub const TEXT_BASE: f32 = 14.0;
pub const AGENT_Y: f32 = 20.0;
pub const AGENT_H: f32 = 16.0;
pub const WATCHDOG_Y: f32 = 39.0;
pub const WATCHDOG_H: f32 = 7.0;
pub const DATABASE_Y: f32 = 52.0;
pub const DATABASE_H: f32 = 18.0;

#[derive(Clone, Debug)]
pub struct Layout {
    pub width: f32,
    pub narrow: bool,
    pub left: f32,
    pub right: f32,
    /// The words of the danger band; None in a story without two primaries.
    pub danger: Option<f32>,
    pub faults: f32,
    /// The row of each fault.
    pub fault_rows: Vec<usize>,
    /// The top and the bottom of the fuses.
    pub store: (f32, f32),
    /// The top of each member of the store; empty when there is only one.
    pub members: Vec<f32>,
    /// The base line of the words about a store that can decide nothing; None when it always could.
    pub no_quorum: Option<f32>,
    pub nodes: Vec<f32>,
    pub writes: f32,
    /// Which nodes have a row of writes: those that ever accepted one.
    pub write_rows: Vec<usize>,
    /// Whether there is a row for writes that were not confirmed.
    pub unconfirmed: bool,
    /// Where the lanes end and the playhead's label begins.
    pub bottom: f32,
    pub height: f32,
    pub lanes: Vec<LaneBox>,
}

impl Layout {
    pub fn of(story: &Story, width: f32) -> Layout {
        let width = width.max(120.0);
        let narrow = width < NARROW;
        let mut lanes = Vec::new();
        let mut y = TOP;
        let danger = (!story.two_primaries().is_empty()).then_some(y + 14.0);
        if danger.is_some() {
            y += DANGER_ROW;
        }
        let mut add = |name: &str, height: f32| {
            let top = y;
            lanes.push(LaneBox {
                name: name.to_owned(),
                y: top,
                height,
            });
            y += height;
            top
        };
        let fault_rows = rows_of(story);
        let count = fault_rows.iter().max().map_or(0, |last| last + 1);
        let faults = if count > 0 {
            add("Faults", count as f32 * FAULT_ROW + 4.0)
        } else {
            TOP
        };
        let group = story.store.is_group();
        let dark = group && !story.verdict.record.no_quorum.is_empty();
        let store = add("Store", if dark { STORE + NO_QUORUM_ROW } else { STORE });
        let members = story.store.members.iter().filter(|_| group);
        let members = members.map(|member| add(&member.name, MEMBER)).collect();
        let nodes = story.nodes.iter().map(|node| add(&node.name, NODE)).collect();
        let accepts = |n: &usize| {
            let has = |lists: &[Vec<SimTime>]| lists.get(*n).is_some_and(|list| !list.is_empty());
            has(&story.writes.kept) || has(&story.writes.lost)
        };
        let write_rows: Vec<usize> = (0..story.nodes.len()).filter(accepts).collect();
        let unconfirmed = !(story.writes.refused.is_empty() && story.writes.unknown.is_empty());
        let rows = write_rows.len() + usize::from(unconfirmed);
        let writes = add("Writes", 24.0 + rows as f32 * WRITE_ROW);
        Layout {
            width,
            narrow,
            left: if narrow { 66.0 } else { 98.0 },
            right: width - if narrow { 8.0 } else { 12.0 },
            danger,
            faults,
            fault_rows,
            store: (store + 8.0, store + STORE - 8.0),
            members,
            no_quorum: dark.then_some(store + STORE + 8.0),
            nodes,
            writes,
            write_rows,
            unconfirmed,
            bottom: y,
            height: y + PLAYHEAD,
            lanes,
        }
    }

    /// The height at which a message to or from a lane begins or ends.
    pub fn anchor(&self, lane: Lane) -> f32 {
        match lane {
            Lane::Store => self.store.1,
            Lane::Member(member) => self
                .members
                .get(usize::from(member))
                .map_or(self.store.1, |y| y + MEMBER_H / 2.0),
            Lane::Agent(node) => self
                .nodes
                .get(node.index())
                .map_or(self.bottom, |y| y + AGENT_Y + AGENT_H / 2.0),
            Lane::Database(node) => self
                .nodes
                .get(node.index())
                .map_or(self.bottom, |y| y + DATABASE_Y + DATABASE_H / 2.0),
            Lane::Traffic | Lane::Faults => self.bottom,
        }
    }
}

/// Faults that overlap get rows of their own; one that comes again keeps its row when it can.
fn rows_of(story: &Story) -> Vec<usize> {
    let mut order: Vec<usize> = (0..story.faults.len()).collect();
    sorting::by_key(&mut order, |&f| story.faults[f].from);
    let mut rows = vec![0; story.faults.len()];
    let mut free_at: Vec<SimTime> = Vec::new();
    let mut last_row: BTreeMap<&str, usize> = BTreeMap::new();
    for f in order {
        let fault = &story.faults[f];
        let end = fault
            .until
            .unwrap_or(SimTime(u64::MAX))
            .max(SimTime(fault.from.0.saturating_add(1)));
        let is_free = |&row: &usize| free_at.get(row).is_none_or(|&free| free <= fault.from);
        let before = last_row.get(fault.label.as_str()).copied().filter(is_free);
        let row = before
            .or_else(|| (0..free_at.len()).find(is_free))
            .unwrap_or(free_at.len());
        last_row.insert(&fault.label, row);
        match free_at.get_mut(row) {
            Some(free) => *free = end,
            None => free_at.push(end),
        }
        rows[f] = row;
    }
    rows
}
