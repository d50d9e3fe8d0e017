//! The bands over all lanes: two primaries, hatched; two believers, lighter and wider hatched, with dashed edges. Each says
//! in words what it is and for how long.

use super::super::marks::{Anchor, Shape};
use super::super::style::{Font, Style};
use super::layout::{Layout, TOP};
use super::painter::Painter;
use crate::engine::SimTime;
use crate::verdict::length;

/// Two databases accept writes.
pub fn two_primaries(painter: &mut Painter, layout: &Layout) {
    let Some(base) = layout.danger else { return };
    for (from, until) in painter.story.two_primaries() {
        let styles = [Style::DangerBand, Style::DangerHatch, Style::DangerEdge];
        let Some((x0, x1)) = band(painter, layout, (from, until), styles) else {
            continue;
        };
        let long = length(until.since(from));
        let choices = [
            format!("TWO PRIMARIES · {long}"),
            format!("2 PRIMARIES · {long}"),
            "2 PRIMARIES".to_owned(),
            "2".to_owned(),
        ];
        let middle = (x0 + x1) / 2.0;
        for text in choices {
            let room = (painter.plot.left, painter.plot.right);
            if painter.text(Font::Danger, (middle, base), Anchor::Middle, room, &[&text]) {
                let half = Font::Danger.width(&text) / 2.0 + 3.0;
                let x = middle.clamp(room.0 + half - 3.0, (room.1 - half + 3.0).max(room.0 + half - 3.0));
                let plate = Shape::Rect {
                    x: x - half,
                    y: base - 12.0,
                    w: half * 2.0,
                    h: 16.0,
                };
                painter.put(Style::DangerPlate, plate);
                break;
            }
        }
    }
}

/// Two agents take themselves for the leader. That is normal for a moment, and how it begins.
pub fn two_believers(painter: &mut Painter, layout: &Layout) {
    let Some(base) = layout.doubt else { return };
    let intervals = &painter.story.verdict.believers.intervals;
    let first = intervals.partition_point(|interval| interval.to < painter.plot.from);
    let last = intervals.partition_point(|interval| interval.from <= painter.plot.until);
    for interval in &intervals[first.min(last)..last] {
        let styles = [Style::DoubtBand, Style::DoubtHatch, Style::DoubtEdge];
        let Some((x0, x1)) = band(painter, layout, (interval.from, interval.to), styles) else {
            continue;
        };
        let (count, long) = (interval.nodes.len(), length(interval.to.since(interval.from)));
        let choices = [
            format!("{count} believe they lead · {long}"),
            format!("{count} believe · {long}"),
            format!("{count} believe"),
        ];
        let room = (painter.plot.left, painter.plot.right);
        painter.text(Font::Small, ((x0 + x1) / 2.0, base), Anchor::Middle, room, &choices);
    }
}

/// Filling, hatching and edges over all lanes.
fn band(
    painter: &mut Painter,
    layout: &Layout,
    (from, until): (SimTime, SimTime),
    [fill, hatch, edge]: [Style; 3],
) -> Option<(f32, f32)> {
    let (x0, x1) = painter.extent(from, until)?;
    let shape = Shape::Rect {
        x: x0,
        y: TOP,
        w: x1 - x0,
        h: layout.bottom - TOP,
    };
    painter.put(fill, shape);
    painter.put(hatch, shape);
    painter.upright(edge, from, TOP, layout.bottom);
    painter.upright(edge, until, TOP, layout.bottom);
    Some((x0, x1))
}
