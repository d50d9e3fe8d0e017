//! A node's own clock as a second scale, below the lanes: its ticks lie where that clock reads round times. A clock that runs
//! fast has them nearer to each other, one that is set jumps; a bar says when its monotonic clock stood still.

use super::super::marks::Anchor;
use super::super::story::{ClockPiece, Stretch};
use super::super::style::{Font, Style};
use super::frame::{axis_label, axis_step};
use super::layout::Layout;
use super::painter::Painter;
use crate::engine::{SimTime, Span};
use crate::vocabulary::NodeId;

const TICK: f32 = 4.0;
const JUMP: f32 = 9.0;
/// Where its labels stand, below the lanes.
const BASE: f32 = 15.0;

pub fn scale(painter: &mut Painter, layout: &Layout, node: Option<NodeId>) {
    let Some(lane) = node.and_then(|node| painter.story.nodes.get(node.index())) else {
        return;
    };
    let (story, plot) = (painter.story, painter.plot);
    let step = axis_step(&plot).0 as i64;
    let base = layout.bottom + BASE;
    let room = (plot.left - 24.0, layout.width - 3.0);
    let name = [format!("{}’s clock", lane.name), "its clock".to_owned()];
    painter.text(
        Font::LaneSub,
        (10.0, base),
        Anchor::Start,
        (0.0, plot.left - 4.0),
        &name,
    );
    for stop in &lane.stopped {
        stands_still(painter, layout, stop);
    }
    for (n, piece) in lane.clock.iter().enumerate() {
        let until = lane.clock.get(n + 1).map_or(story.end(), |next| next.from);
        if let Some(before) = n.checked_sub(1).map(|n| &lane.clock[n]) {
            jump(painter, layout, before, piece);
        }
        let (from, until) = (piece.from.max(plot.from), until.min(plot.until));
        if from > until {
            continue;
        }
        let mut reads = (piece.at(from) + step - 1).div_euclid(step) * step;
        // What it would read where it is set, it never reads.
        let is_set = lane.clock.get(n + 1).is_some_and(|next| next.from == until);
        while reads < piece.at(until) + i64::from(!is_set) {
            let at = piece.when(reads);
            painter.upright(Style::Separator, at, layout.bottom, layout.bottom + TICK);
            let label = format!(
                "{}{}",
                if reads < 0 { "−" } else { "" },
                axis_label(SimTime(reads.unsigned_abs()), Span(step as u64))
            );
            painter.text(Font::Axis, (plot.x(at), base), Anchor::Middle, room, &[label]);
            reads += step;
        }
    }
}

/// A clock that is set says by how much.
fn jump(painter: &mut Painter, layout: &Layout, before: &ClockPiece, after: &ClockPiece) {
    let by = after.wall_us - before.at(after.from);
    if by == 0 || !painter.sees(after.from) {
        return;
    }
    painter.upright(Style::Reset, after.from, layout.bottom - JUMP, layout.bottom + TICK);
    let words = format!(
        "{}{} s",
        if by < 0 { "−" } else { "+" },
        Span(by.unsigned_abs()).as_secs_f64()
    );
    let place = (painter.plot.x(after.from) + 4.0, layout.bottom - 2.0);
    painter.text(
        Font::Small,
        place,
        Anchor::Start,
        (painter.plot.left, layout.width),
        &[words],
    );
}

/// While its machine is suspended the wall clock goes on and the monotonic clock, by which timers run, does not.
fn stands_still(painter: &mut Painter, layout: &Layout, stop: &Stretch<()>) {
    let Some((x0, x1)) = painter.bar(Style::Frozen, stop.from, stop.until, layout.bottom, TICK) else {
        return;
    };
    let words = ["its monotonic clock stands still", "monotonic: still", "still"];
    let place = (x0 + 4.0, layout.bottom - 2.0);
    painter.text(
        Font::Small,
        place,
        Anchor::Start,
        (painter.plot.left, x1.max(layout.right)),
        &words,
    );
}
