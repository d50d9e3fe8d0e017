//! The map: the whole run in a strip under the timeline, with what went wrong in it, and the frame around what is in view.
//!
//! From top to bottom: faults as thin bars; dangers, hatched as on the timeline, and outages, dashed; where another node
//! began to lead, a triangle.

use super::super::arrange::Arrangement;
use super::super::marks::{Anchor, Scene, Shape, View};
use super::super::story::Story;
use super::super::style::{Font, Style};
use super::layout::Layout;
use super::painter::Painter;
use crate::engine::SimTime;

const HEIGHT: f32 = 30.0;
const FAULTS: (f32, f32) = (2.0, 4.0);
const DANGERS: (f32, f32) = (7.0, 22.0);
/// Half the width of a triangle, and its height.
const TRIANGLE: (f32, f32) = (5.0, 7.0);
/// What can be taken hold of at the ends of the frame.
const HANDLE: f32 = 5.0;

/// The whole run. Its time axis lies under that of the timeline of the same width.
pub fn map(story: &Story, width: f32) -> Scene {
    let layout = Layout::of(story, width, &Arrangement::default());
    let view = View {
        from: SimTime::ZERO,
        until: story.end(),
        width,
    };
    let mut painter = Painter::new(story, &view, &layout);
    let (top, bottom) = DANGERS;
    for fault in &story.faults {
        let until = fault.until.unwrap_or(story.end());
        painter.bar(Style::MapFault, fault.from, until, FAULTS.0, FAULTS.1);
    }
    for interval in &story.verdict.believers.intervals {
        painter.bar(Style::DoubtBand, interval.from, interval.to, top, bottom - top);
        painter.bar(Style::DoubtHatch, interval.from, interval.to, top, bottom - top);
    }
    for (from, until) in story.two_primaries() {
        for style in [Style::DangerBand, Style::DangerHatch, Style::DangerEdge] {
            painter.bar(style, from, until, top, bottom - top);
        }
    }
    for outage in &story.verdict.outages {
        painter.bar(Style::Outage, outage.from, outage.to, top + 4.0, bottom - top - 8.0);
    }
    for at in story
        .verdict
        .failovers
        .iter()
        .map(|failover| failover.writable.unwrap_or(failover.key_taken))
    {
        let (x, (half, high)) = (painter.plot.x(at), TRIANGLE);
        let corners = [
            (x, bottom),
            (x + half, bottom + high),
            (x - half, bottom + high),
            (x, bottom),
        ];
        painter.put(Style::MapFailover, Shape::Quad(corners));
    }
    let base = Shape::Line {
        x1: painter.plot.left,
        y1: bottom,
        x2: painter.plot.right,
        y2: bottom,
    };
    painter.put(Style::Separator, base);
    let (left, room) = (if layout.narrow { 4.0 } else { 10.0 }, (0.0, layout.left));
    painter.text(Font::LaneSub, (left, 18.0), Anchor::Start, room, &["whole run", "all"]);
    Scene {
        height: HEIGHT,
        lanes: Vec::new(),
        ..painter.finish(&layout)
    }
}

/// Over a map of this axis: what is not in view pale, a frame with handles around what is, and the playhead.
pub fn map_frame(map: &Scene, (from, until): (SimTime, SimTime), at: SimTime) -> Scene {
    let plot = map.plot;
    let mut above = Scene {
        width: map.width,
        height: map.height,
        plot,
        ..Scene::default()
    };
    let (x0, x1) = (plot.x(from), plot.x(until));
    // However little is in view, the frame can be seen and taken hold of.
    let x1 = x1.max(x0 + 2.0);
    let mut rect = |style, x: f32, w: f32| {
        let (y, h) = (1.0, HEIGHT - 2.0);
        above.put(style, Shape::Rect { x, y, w, h });
    };
    if x0 > plot.left {
        rect(Style::MapRest, plot.left, x0 - plot.left);
    }
    if x1 < plot.right {
        rect(Style::MapRest, x1, plot.right - x1);
    }
    rect(Style::Playhead, plot.x(at), 0.0);
    rect(Style::MapFrame, x0, x1 - x0);
    rect(Style::MapHandle, x0 - HANDLE, HANDLE);
    rect(Style::MapHandle, x1, HANDLE);
    above
}
