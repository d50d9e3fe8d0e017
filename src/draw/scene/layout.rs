//! Where the lanes lie. It depends on the story and the width, never on the visible time, so that nothing jumps while
//! the view moves.

use super::super::arrange::{Arrangement, LaneKey};
use super::super::marks::LaneBox;
use super::super::story::{Lane, Story};
use crate::engine::SimTime;
use crate::sorting;
use std::collections::BTreeMap;

/// Below this width the column of names is narrow and words are shorter.
const NARROW: f32 = 560.0;

pub const AXIS_BASE: f32 = 14.0;
/// The time axis ends here, and the lanes begin.
pub const TOP: f32 = 22.0;
const DANGER_ROW: f32 = 20.0;
const DOUBT_ROW: f32 = 16.0;
const FAULT_ROW: f32 = 24.0;
const FAULT_H: f32 = 20.0;
const STORE: f32 = 62.0;
/// A member of the store, and inside its row: its place in the group, and below that its disk.
pub const MEMBER: f32 = 20.0;
pub const MEMBER_H: f32 = 13.0;
pub const DISK_Y: f32 = 14.0;
pub const DISK_H: f32 = 4.0;
/// Where it is said that the store can decide nothing.
const NO_QUORUM_ROW: f32 = 14.0;
const NODE: f32 = 62.0;
pub const WRITE_ROW: f32 = 14.0;
pub const PLAYHEAD: f32 = 20.0;

/// Where the words of a node's lane stand, from its top.
pub const TEXT_BASE: f32 = 14.0;

/// Folded, a lane is one row of its marks, without their words.
const FOLDED_FAULT_ROW: f32 = 8.0;
const FOLDED_FAULT_H: f32 = 6.0;
const FOLDED_STORE: f32 = 28.0;
const FOLDED_NODE: f32 = 32.0;
const FOLDED_WRITES: f32 = 26.0;

/// The faults: the top of the first row, how far the rows lie apart, how high a chip is.
#[derive(Clone, Copy, Debug)]
pub struct FaultRows {
    pub top: f32,
    pub row: f32,
    pub height: f32,
    pub folded: bool,
}

/// The fuses of the store, from top to bottom.
#[derive(Clone, Copy, Debug)]
pub struct StoreRows {
    pub top: f32,
    pub bottom: f32,
    pub folded: bool,
}

/// What a node's lane consists of: top and height of each.
#[derive(Clone, Copy, Debug)]
pub struct NodeRows {
    pub top: f32,
    pub agent: (f32, f32),
    pub watchdog: (f32, f32),
    pub database: (f32, f32),
    pub folded: bool,
}

impl NodeRows {
    fn at(top: f32, folded: bool) -> NodeRows {
        let (agent, watchdog, database) = if folded {
            ((4.0, 8.0), (13.0, 3.0), (17.0, 11.0))
        } else {
            ((18.0, 14.0), (34.0, 5.0), (42.0, 16.0))
        };
        let below = |(y, h): (f32, f32)| (top + y, h);
        NodeRows {
            top,
            agent: below(agent),
            watchdog: below(watchdog),
            database: below(database),
            folded,
        }
    }
}

/// The writes: the line of the router, the first row of ticks and how far the rows lie apart.
#[derive(Clone, Copy, Debug)]
pub struct WriteRows {
    pub top: f32,
    pub router: f32,
    pub ticks: f32,
    pub row: f32,
    pub folded: bool,
}

/// Where messages of a lane begin and end. One that is not shown has a place too: where it would be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Berth {
    pub y: f32,
    pub shown: bool,
}

#[derive(Clone, Debug)]
pub struct Layout {
    pub width: f32,
    pub narrow: bool,
    pub left: f32,
    pub right: f32,
    /// The words of the danger band; None in a story without two primaries.
    pub danger: Option<f32>,
    /// The words of the lighter band; None in a story without two believers.
    pub doubt: Option<f32>,
    /// None, as of all that follows, when it is hidden or there is nothing to show.
    pub faults: Option<FaultRows>,
    /// The row of each fault.
    pub fault_rows: Vec<usize>,
    pub store: Option<StoreRows>,
    /// The top of each member of the store; empty when there is only one.
    pub members: Vec<Option<f32>>,
    /// The base line of the words about a store that can decide nothing; None when it always could.
    pub no_quorum: Option<f32>,
    pub nodes: Vec<Option<NodeRows>>,
    pub writes: Option<WriteRows>,
    /// Which nodes have a row of writes: those that ever accepted one.
    pub write_rows: Vec<usize>,
    /// Whether there is a row for writes that were not confirmed.
    pub unconfirmed: bool,
    /// Where the lanes end and the playhead's label begins.
    pub bottom: f32,
    pub height: f32,
    pub lanes: Vec<LaneBox>,
    /// Where the hidden lanes would be.
    hidden: Vec<(LaneKey, f32)>,
}

impl Layout {
    pub fn of(story: &Story, width: f32, arrangement: &Arrangement) -> Layout {
        let mut layout = Layout::empty(story, width);
        layout.bands(story);
        for lane in arrangement.lanes(story) {
            if lane.hidden {
                layout.hidden.push((lane.key, layout.bottom));
                continue;
            }
            let top = layout.bottom;
            let height = layout.put(lane.key, lane.folded, story);
            layout.lanes.push(LaneBox {
                key: lane.key,
                name: lane.key.name(story),
                y: top,
                height,
            });
            layout.bottom = top + height;
        }
        layout.height = layout.bottom + PLAYHEAD;
        layout
    }

    fn empty(story: &Story, width: f32) -> Layout {
        let width = width.max(120.0);
        let narrow = width < NARROW;
        let accepts = |n: &usize| {
            let has = |lists: &[Vec<SimTime>]| lists.get(*n).is_some_and(|list| !list.is_empty());
            has(&story.writes.kept) || has(&story.writes.lost)
        };
        Layout {
            width,
            narrow,
            left: if narrow { 66.0 } else { 98.0 },
            right: width - if narrow { 8.0 } else { 12.0 },
            danger: None,
            doubt: None,
            faults: None,
            fault_rows: rows_of(story),
            store: None,
            members: vec![
                None;
                if story.store.is_group() {
                    story.store.members.len()
                } else {
                    0
                }
            ],
            no_quorum: None,
            nodes: vec![None; story.nodes.len()],
            writes: None,
            write_rows: (0..story.nodes.len()).filter(accepts).collect(),
            unconfirmed: !(story.writes.refused.is_empty() && story.writes.unknown.is_empty()),
            bottom: TOP,
            height: TOP,
            lanes: Vec::new(),
            hidden: Vec::new(),
        }
    }

    /// Room for the words of the bands that go over all lanes.
    fn bands(&mut self, story: &Story) {
        if !story.two_primaries().is_empty() {
            self.danger = Some(self.bottom + 14.0);
            self.bottom += DANGER_ROW;
        }
        if !story.verdict.believers.intervals.is_empty() {
            self.doubt = Some(self.bottom + 12.0);
            self.bottom += DOUBT_ROW;
        }
    }

    /// Puts a lane below those that are there, and says how high it is.
    fn put(&mut self, key: LaneKey, folded: bool, story: &Story) -> f32 {
        let top = self.bottom;
        match key {
            LaneKey::Faults => {
                let (row, height) = if folded {
                    (FOLDED_FAULT_ROW, FOLDED_FAULT_H)
                } else {
                    (FAULT_ROW, FAULT_H)
                };
                self.faults = Some(FaultRows {
                    top: top + 4.0,
                    row,
                    height,
                    folded,
                });
                let count = self.fault_rows.iter().max().map_or(0, |last| last + 1);
                (count as f32 * row + 4.0).max(FAULT_ROW)
            }
            LaneKey::Store => {
                let (pad, height) = if folded { (5.0, FOLDED_STORE) } else { (8.0, STORE) };
                self.store = Some(StoreRows {
                    top: top + pad,
                    bottom: top + height - pad,
                    folded,
                });
                let dark = story.store.is_group() && !story.verdict.record.no_quorum.is_empty() && !folded;
                self.no_quorum = dark.then_some(top + STORE + 8.0);
                height + if dark { NO_QUORUM_ROW } else { 0.0 }
            }
            LaneKey::Member(member) => {
                if let Some(place) = self.members.get_mut(usize::from(member)) {
                    *place = Some(top);
                }
                MEMBER
            }
            LaneKey::Node(node) => {
                if let Some(place) = self.nodes.get_mut(node.index()) {
                    *place = Some(NodeRows::at(top, folded));
                }
                if folded { FOLDED_NODE } else { NODE }
            }
            LaneKey::Writes => {
                let (router, ticks, row) = if folded {
                    (4.0, 11.0, 0.0)
                } else {
                    (13.0, 21.0, WRITE_ROW)
                };
                self.writes = Some(WriteRows {
                    top,
                    router: top + router,
                    ticks: top + ticks,
                    row,
                    folded,
                });
                let rows = self.write_rows.len() + usize::from(self.unconfirmed);
                if folded {
                    FOLDED_WRITES
                } else {
                    24.0 + rows as f32 * row
                }
            }
        }
    }

    /// Where a message to or from a lane begins or ends.
    pub fn berth(&self, lane: Lane) -> Berth {
        let middle = |(y, h): (f32, f32)| y + h / 2.0;
        let node = |node: usize| self.nodes.get(node).copied().flatten();
        let y = match lane {
            Lane::Store => self.store.map(|store| store.bottom),
            Lane::Member(member) => self
                .members
                .get(usize::from(member))
                .copied()
                .flatten()
                .map(|y| y + MEMBER_H / 2.0),
            Lane::Agent(id) => node(id.index()).map(|rows| middle(rows.agent)),
            Lane::Database(id) => node(id.index()).map(|rows| middle(rows.database)),
            Lane::Traffic | Lane::Faults => Some(self.bottom),
        };
        let key = LaneKey::of(lane);
        let would_be = || self.hidden.iter().find(|(hidden, _)| *hidden == key);
        Berth {
            y: y.unwrap_or_else(|| would_be().map_or(self.bottom, |(_, y)| *y)),
            shown: y.is_some(),
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
