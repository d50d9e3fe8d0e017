//! The store's lane: the leader key's lease as a fuse that burns down from renewal to renewal.

use super::super::marks::{Anchor, Shape};
use super::super::story::{Fuse, FuseEnd, Halt, MemberLane};
use super::super::style::{Font, Style};
use super::layout::{Layout, StoreRows};
use super::member;
use super::painter::Painter;
use crate::engine::SimTime;
use crate::vocabulary::NodeId;

pub fn lane(painter: &mut Painter, layout: &Layout) {
    let story = painter.story;
    let Some(StoreRows { top, bottom, folded }) = layout.store else {
        return;
    };
    painter.hush(folded);
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
    for reign in reigns(seen) {
        holder(painter, &reign, seen, top, bottom);
    }
    if let [only] = story.store.members.as_slice() {
        halts(painter, only, top, bottom);
    }
    painter.hush(false);
}

/// The only member stands still or is dead.
fn halts(painter: &mut Painter, only: &MemberLane, top: f32, bottom: f32) {
    for halt in painter.visible(&only.halts) {
        let (style, words) = match halt.is {
            Halt::Frozen => (Style::Frozen, "the store is frozen"),
            Halt::Dead => (Style::Dead, "the store is down"),
        };
        if let Some(extent) = painter.bar(style, halt.from, halt.until, top - 4.0, bottom - top + 8.0) {
            painter.inside(Font::Mark, extent, top + 10.0, &[words, "frozen", "down"]);
        }
    }
    member::disk(painter, only, bottom + 2.0, top + 22.0);
}

/// One fuse: as high as what is left of the lease.
fn burn(painter: &mut Painter, fuse: &Fuse, top: f32, bottom: f32) {
    let Some((x0, x1)) = painter.extent(fuse.from, fuse.until) else {
        return;
    };
    let at = |x: f32| painter.plot.time(x).clamp(fuse.from, fuse.until);
    let y = |x: f32| bottom - share(fuse, at(x)) * (bottom - top);
    let quad = [(x0, bottom), (x0, y(x0)), (x1, y(x1)), (x1, bottom)];
    painter.put(Style::Fuse(fuse.holder.0), Shape::Quad(quad));
}

/// How much of the lease is left, 0 to 1.
fn share(fuse: &Fuse, t: SimTime) -> f32 {
    (fuse.left(t).0 as f64 / fuse.ttl.0.max(1) as f64).min(1.0) as f32
}

/// Who holds the key: on the fuse where it is high enough, else above it.
fn holder(painter: &mut Painter, reign: &(NodeId, SimTime, SimTime), fuses: &[Fuse], top: f32, bottom: f32) {
    let &(node, from, until) = reign;
    let Some((x0, x1)) = painter.extent(from, until) else {
        return;
    };
    let name = painter.story.name(node);
    let choices = [format!("{name} holds"), name.to_owned()];
    let end = painter.plot.time(x0 + 6.0 + Font::OnNode.width(&choices[0]));
    let under = |t: SimTime| {
        fuses
            .iter()
            .find(|fuse| fuse.from <= t && t < fuse.until)
            .map_or(0.0, |f| share(f, t))
    };
    // One µs before the end the last fuse still burns.
    let (first, last) = (
        painter.plot.time(x0).max(from),
        end.min(SimTime(until.0.saturating_sub(1))),
    );
    let lowest = under(first).min(under(last)) * (bottom - top);
    if lowest >= 16.0 {
        painter.inside(Font::OnNode, (x0, x1), bottom - 5.0, &choices);
    } else {
        let base = bottom - under(first) * (bottom - top) - 4.0;
        painter.inside(Font::Small, (x0, x1), base.max(top + 8.0), &choices);
    }
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
    for text in choices {
        // At the left only where the fuse has burnt down below the words.
        let start = painter.plot.time(x - 5.0 - Font::Small.width(&text));
        let clear = share(fuse, start) < 0.7 && fuse.from <= start;
        let placed = (clear && painter.text(Font::Small, (x - 5.0, top + 8.0), Anchor::End, (left, x), &[&text]))
            || painter.text(
                Font::Small,
                (x + 5.0, top + 8.0),
                Anchor::Start,
                (x, next_fuse(painter, x, right)),
                &[&text],
            );
        if placed {
            return;
        }
    }
}

/// Where the next fuse begins, right of `x`.
fn next_fuse(painter: &Painter, x: f32, right: f32) -> f32 {
    let t = painter.plot.time(x);
    let fuses = &painter.story.store.fuses;
    let next = fuses.partition_point(|fuse| fuse.from <= t);
    fuses
        .get(next)
        .map_or(right, |fuse| painter.plot.x(fuse.from).min(right))
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
