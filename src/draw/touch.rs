//! What lies under a pointer on a drawing: a fault's chip and which part of it, a lane and an instant; and what is shown while
//! a fault from the palette is carried over it.

use super::arrange::LaneKey;
use super::marks::{Anchor, Plot, Scene, Shape, Text};
use super::style::{Font, Style};
use crate::engine::SimTime;

/// Where a fault is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChipBox {
    /// Its place in the scenario.
    pub fault: usize,
    pub x0: f32,
    pub x1: f32,
    pub y: f32,
    pub height: f32,
    /// Whether it has a beginning and an end of its own that are visible.
    pub ends: (bool, bool),
}

/// A part of a fault's chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Whole,
    Start,
    End,
}

/// A place on the timeline that means something, at a time as round as one can aim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    pub at: SimTime,
    pub lane: Option<LaneKey>,
}

/// A finger hides what it touches: more around a mark counts as the mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tip {
    Mouse,
    Finger,
}

impl Tip {
    /// How far beside a mark it may be, in CSS pixels.
    const fn slack(self) -> f32 {
        match self {
            Tip::Mouse => 3.0,
            Tip::Finger => 10.0,
        }
    }
    /// How much of a chip's end is for stretching.
    const fn end(self) -> f32 {
        match self {
            Tip::Mouse => 6.0,
            Tip::Finger => 16.0,
        }
    }
}

impl Scene {
    /// The chip at a place, and the part of it that is held there: its ends stretch it when it is long enough to tell them
    /// apart.
    pub fn chip_at(&self, (x, y): (f32, f32), tip: Tip) -> Option<(usize, Part)> {
        let slack = tip.slack();
        let distance = |chip: &ChipBox| (chip.x0 - x).max(x - chip.x1).max(0.0);
        let near = self.chips.iter().filter(|chip| {
            distance(chip) <= slack && y >= chip.y - slack / 2.0 && y <= chip.y + chip.height + slack / 2.0
        });
        let chip = near.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let (end, length) = (tip.end(), chip.x1 - chip.x0);
        let part = if chip.ends.1 && x > chip.x1 - end && length > end {
            Part::End
        } else if chip.ends.0 && x < chip.x0 + end && length > 3.0 * end {
            Part::Start
        } else {
            Part::Whole
        };
        Some((chip.fault, part))
    }

    /// What is at a place; nothing beside the plot.
    pub fn spot_at(&self, (x, y): (f32, f32)) -> Option<Spot> {
        if x < self.plot.left || x > self.plot.right || y < 0.0 || y > self.height {
            return None;
        }
        let lane = self.lanes.iter().find(|lane| lane.y <= y && y < lane.y + lane.height);
        let step = self.plot.step().0.max(1);
        Some(Spot {
            at: SimTime((self.plot.time(x).0 + step / 2) / step * step),
            lane: lane.map(|lane| lane.key),
        })
    }
}

/// Adds what is carried to a drawing above the lanes of `below`: the lane on which it would be dropped, the instant, and its
/// words.
pub fn put_carried(above: &mut Scene, below: &Scene, spot: Spot, words: &str) {
    let Plot { left, right, .. } = below.plot;
    let x = below.plot.x(spot.at);
    let lane = below.lanes.iter().find(|lane| Some(lane.key) == spot.lane);
    let (top, bottom) = lane.map_or((0.0, below.height), |lane| (lane.y, lane.y + lane.height));
    if lane.is_some() {
        let rect = Shape::Rect {
            x: left,
            y: top,
            w: right - left,
            h: bottom - top,
        };
        above.put(Style::Target, rect);
        above.put(Style::TargetEdge, rect);
    }
    let line = Shape::Line {
        x1: x,
        y1: 0.0,
        x2: x,
        y2: below.height,
    };
    above.put(Style::TargetEdge, line);
    let width = Font::Chip.width(words) + 12.0;
    let start = x.min(right - width).max(left);
    let plate = Shape::Rect {
        x: start,
        y: top + 2.0,
        w: width,
        h: 20.0,
    };
    above.put(Style::ChipFill, plate);
    above.put(Style::Chip, plate);
    above.texts.push(Text {
        x: start + 6.0,
        y: top + 16.0,
        text: words.to_owned(),
        anchor: Anchor::Start,
        font: Font::Chip,
    });
}
