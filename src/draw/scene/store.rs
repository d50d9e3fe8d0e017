//! The store's lane: the leader key's lease as a fuse that burns down from renewal to renewal.

use super::super::marks::{Anchor, Shape};
use super::super::story::{Fuse, FuseEnd, Halt};
use super::super::style::{Font, Style};
use super::layout::Layout;
use super::painter::Painter;
use crate::engine::SimTime;
use crate::vocabulary::NodeId;

pub fn lane(painter: &mut Painter, layout: &Layout) {
    let story = painter.story;
    let (top, bottom) = layout.store;
    let fuses = &story.store.fuses;
    let first = fuses.partition_point(|fuse| fuse.until < painter.plot.from);
    let last = fuses.partition_point(|fuse| fuse.from <= painter.plot.until);
    let seen = &fuses[first.min(last)..last];
    for fuse in seen {
        burn(painter, fuse, top, bottom);
    }
    for fuse in seen
        .iter()
        .filter(|fuse| matches!(fuse.end, FuseEnd::Expired | FuseEnd::Released))
    {
        gone(painter, fuse, top, bottom);
    }
    for (holder, from, until) in reigns(seen) {
        if let Some((x0, x1)) = painter.extent(from, until) {
            let name = story.name(holder);
            painter.inside(
                Font::OnNode,
                (x0, x1),
                bottom - 6.0,
                &[format!("{name} holds"), name.to_owned()],
            );
        }
    }
    for halt in painter.visible(&story.store.halts) {
        let (style, words) = match halt.is {
            Halt::Frozen => (Style::Frozen, "the store is frozen"),
            Halt::Dead => (Style::Dead, "the store is down"),
        };
        if let Some(extent) = painter.bar(style, halt.from, halt.until, top - 4.0, bottom - top + 8.0) {
            painter.inside(Font::Mark, extent, top + 10.0, &[words, "frozen", "down"]);
        }
    }
}

/// One fuse: as high as what is left of the lease.
fn burn(painter: &mut Painter, fuse: &Fuse, top: f32, bottom: f32) {
    let Some((x0, x1)) = painter.extent(fuse.from, fuse.until) else {
        return;
    };
    let height = |t: SimTime| (fuse.left(t).0 as f64 / fuse.ttl.0.max(1) as f64).min(1.0) as f32 * (bottom - top);
    let at = |x: f32| painter.plot.time(x).clamp(fuse.from, fuse.until);
    let quad = [
        (x0, bottom),
        (x0, bottom - height(at(x0))),
        (x1, bottom - height(at(x1))),
        (x1, bottom),
    ];
    painter.put(Style::Fuse(fuse.holder.0), Shape::Quad(quad));
}

/// The key is gone.
fn gone(painter: &mut Painter, fuse: &Fuse, top: f32, bottom: f32) {
    if !painter.sees(fuse.until) {
        return;
    }
    painter.upright(Style::Expiry, fuse.until, top - 4.0, bottom + 4.0);
    let (x, when) = (painter.plot.x(fuse.until), tenths(fuse.until));
    let choices = match fuse.end {
        FuseEnd::Expired => [format!("key expires {when}"), format!("expires {when}"), when],
        _ => [format!("key given back {when}"), format!("back {when}"), when],
    };
    let (left, right) = (painter.plot.left, painter.plot.right);
    let done = painter.text(Font::Small, (x - 5.0, top + 8.0), Anchor::End, (left, x), &choices);
    if !done {
        painter.text(Font::Small, (x + 5.0, top + 8.0), Anchor::Start, (x, right), &choices);
    }
}

/// `40.4`
pub fn tenths(t: SimTime) -> String {
    let tenths = (t.0 + 50_000) / 100_000;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Who held the key from when to when, without the renewals between.
fn reigns(fuses: &[Fuse]) -> Vec<(NodeId, SimTime, SimTime)> {
    let mut reigns: Vec<(NodeId, SimTime, SimTime)> = Vec::new();
    for fuse in fuses {
        match reigns.last_mut() {
            Some((holder, _, until)) if *holder == fuse.holder && *until == fuse.from => *until = fuse.until,
            _ => reigns.push((fuse.holder, fuse.from, fuse.until)),
        }
    }
    reigns
}
