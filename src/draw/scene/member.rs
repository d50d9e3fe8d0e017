//! The members of the store, a thin lane each: who leads the group, in which term, who asks for votes, what ails them.

use super::super::marks::{Anchor, Shape};
use super::super::story::{DiskTrouble, Halt, MemberLane, MemberPlace, Stretch};
use super::super::style::{Font, Style};
use super::super::words;
use super::layout::{DISK_H, DISK_Y, Layout, MEMBER, MEMBER_H};
use super::painter::Painter;
use crate::engine::SimTime;
use crate::raft::RoleName;
use crate::verdict::length;

/// A follower is a line so thick.
const LINE_H: f32 = 3.0;
/// Words about a follower stand on its line.
const WORDS: f32 = 8.0;
/// Term marks nearer to each other than this are thinned.
const TERMS_APART: f32 = 5.0;
/// The strokes of a disk that stalls stand so far apart.
const STROKES_APART: f32 = 4.0;

pub fn lanes(painter: &mut Painter, layout: &Layout) {
    let story = painter.story;
    no_quorum(painter, layout);
    for (lane, y) in story.store.members.iter().zip(&layout.members) {
        let Some(y) = *y else { continue };
        let places = story_of(in_view(painter, &lane.places));
        let seen: Vec<&Stretch<Phase>> = places
            .iter()
            .filter(|phase| painter.overlaps(phase.from, phase.until))
            .collect();
        for phase in &seen {
            shape(painter, lane, phase, y);
        }
        for halt in painter.visible(&lane.halts) {
            let (style, word) = match halt.is {
                Halt::Frozen => (Style::Frozen, "frozen"),
                Halt::Dead => (Style::Dead, "dead"),
            };
            if let Some(extent) = painter.bar(style, halt.from, halt.until, y, MEMBER_H) {
                painter.inside(Font::Mark, extent, y + MEMBER_H - 2.0, &[word]);
            }
        }
        for phase in &seen {
            label(painter, lane, phase, y);
        }
        terms(painter, lane, y);
        disk(painter, lane, y + DISK_Y, y + WORDS);
    }
}

/// One thing that a member is for a while: all attempts of one candidacy are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Phase {
    form: Form,
    /// The first and the last term.
    terms: (u64, u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Leads,
    Follows,
    /// Asks for votes, or who would give it one.
    Asks,
}

/// The places that are visible, and before them those that are one phase with the first of them.
fn in_view<'p>(painter: &Painter, places: &'p [Stretch<MemberPlace>]) -> &'p [Stretch<MemberPlace>] {
    let mut first = places.partition_point(|place| place.until < painter.plot.from);
    let last = places.partition_point(|place| place.from <= painter.plot.until);
    let asks = |place: &Stretch<MemberPlace>| matches!(place.is.role, RoleName::PreCandidate | RoleName::Candidate);
    while first > 0 && places.get(first).is_some_and(asks) && asks(&places[first - 1]) {
        first -= 1;
    }
    &places[first.min(last)..last]
}

/// The places of a member, told in phases. A follower that becomes one again in a later term goes on following.
fn story_of(places: &[Stretch<MemberPlace>]) -> Vec<Stretch<Phase>> {
    let mut phases: Vec<Stretch<Phase>> = Vec::new();
    for place in places {
        let (term, form) = match place.is.role {
            RoleName::Leader => (place.is.term.0, Form::Leads),
            RoleName::Follower => (place.is.term.0, Form::Follows),
            RoleName::PreCandidate => (place.is.term.0 + 1, Form::Asks),
            RoleName::Candidate => (place.is.term.0, Form::Asks),
        };
        match phases.last_mut() {
            Some(last) if last.until == place.from && last.is.form == form && form != Form::Leads => {
                last.until = place.until;
                last.is.terms.1 = term;
            }
            _ => phases.push(Stretch {
                from: place.from,
                until: place.until,
                is: Phase {
                    form,
                    terms: (term, term),
                },
            }),
        }
    }
    phases
}

fn shape(painter: &mut Painter, lane: &MemberLane, phase: &Stretch<Phase>, y: f32) {
    match phase.is.form {
        Form::Follows => {
            painter.bar(
                Style::StoreFollows,
                phase.from,
                phase.until,
                y + MEMBER_H - LINE_H,
                LINE_H,
            );
        }
        Form::Asks => {
            painter.bar(Style::StoreAsks, phase.from, phase.until, y, MEMBER_H);
        }
        // While it stands still it leads nobody, and the grey of what is frozen takes the place of its bar.
        Form::Leads => {
            let mut from = phase.from;
            for halt in lane
                .halts
                .iter()
                .filter(|halt| halt.from < phase.until && phase.from < halt.until)
            {
                if from < halt.from {
                    painter.bar(Style::StoreLeads, from, halt.from, y, MEMBER_H);
                }
                from = halt.until;
            }
            if from < phase.until {
                painter.bar(Style::StoreLeads, from, phase.until, y, MEMBER_H);
            }
        }
    }
}

/// Where the next thing of a member begins that words must not run into: all but following.
fn clear_until(painter: &Painter, lane: &MemberLane, from: SimTime) -> f32 {
    let place = lane.places.partition_point(|place| place.from < from);
    let halt = lane.halts.partition_point(|halt| halt.from < from);
    let busy = lane.places[place..]
        .iter()
        .find(|place| place.is.role != RoleName::Follower);
    let next = busy.map(|place| place.from).into_iter();
    let next = next.chain(lane.halts.get(halt).map(|halt| halt.from)).min();
    next.map_or(painter.plot.right, |at| painter.plot.x(at).min(painter.plot.right))
}

fn label(painter: &mut Painter, lane: &MemberLane, phase: &Stretch<Phase>, y: f32) {
    // What stands still says so itself.
    let halt = lane
        .halts
        .iter()
        .map(|halt| halt.from)
        .find(|&at| phase.from <= at && at < phase.until);
    let Some(extent) = painter.extent(phase.from, halt.unwrap_or(phase.until)) else {
        return;
    };
    let base = y + MEMBER_H - 2.0;
    let (first, last) = phase.is.terms;
    match phase.is.form {
        Form::Leads => {
            let choices = [
                format!("leads · term {first}"),
                format!("leads · {first}"),
                first.to_string(),
            ];
            painter.inside(Font::OnNeutral, extent, base, &choices);
        }
        Form::Asks => {
            let terms = if first == last {
                format!("term {first}")
            } else {
                format!("terms {first} to {last}")
            };
            let choices = [
                format!("asks for votes · {terms}"),
                "asks for votes".to_owned(),
                "asks".to_owned(),
            ];
            // Most candidacies are short: their words stand beside them.
            if !painter.inside(Font::Mark, extent, base, &choices) {
                let room = (extent.1, clear_until(painter, lane, phase.until));
                let place = (extent.1 + 4.0, y + WORDS);
                painter.text(Font::Small, place, Anchor::Start, room, &choices[1..]);
            }
        }
        Form::Follows => {}
    }
}

/// Where a follower learns of a new term.
fn terms(painter: &mut Painter, lane: &MemberLane, y: f32) {
    let first = lane.places.partition_point(|place| place.until < painter.plot.from);
    let last = lane.places.partition_point(|place| place.from <= painter.plot.until);
    let seen = &lane.places[first.min(last)..last];
    let changes = seen.windows(2).filter(|pair| pair[0].is.term < pair[1].is.term);
    let mut last = f32::MIN;
    for pair in changes {
        let (at, place) = (pair[1].from, pair[1].is);
        let x = painter.plot.x(at);
        if !painter.sees(at) || x - last < TERMS_APART || place.role == RoleName::Leader {
            continue;
        }
        last = x;
        painter.upright(Style::StoreTerm, at, y, y + MEMBER_H);
        if place.role == RoleName::Follower {
            let right = clear_until(painter, lane, at);
            let choices = [format!("term {}", place.term.0), place.term.0.to_string()];
            painter.text(Font::Small, (x + 3.0, y + WORDS), Anchor::Start, (x, right), &choices);
        }
    }
}

/// A disk that stalls: short upright strokes below the member; one that is slow: a thin line. `base`: where the words go.
pub fn disk(painter: &mut Painter, lane: &MemberLane, y: f32, base: f32) {
    for trouble in painter.visible(&lane.disk) {
        let Some((x0, x1)) = painter.extent(trouble.from, trouble.until) else {
            continue;
        };
        match trouble.is {
            DiskTrouble::Slow => painter.put(
                Style::DiskSlow,
                Shape::Rect {
                    x: x0,
                    y: y + 1.0,
                    w: x1 - x0,
                    h: 2.0,
                },
            ),
            DiskTrouble::Stalls => {
                let mut x = x0 + 1.0;
                while x <= x1 {
                    painter.put(
                        Style::DiskStalls,
                        Shape::Line {
                            x1: x,
                            y1: y,
                            x2: x,
                            y2: y + DISK_H,
                        },
                    );
                    x += STROKES_APART;
                }
            }
        }
        let words = words::disk_words(trouble.is);
        let right = clear_until(painter, lane, trouble.from);
        let end = painter.plot.time(x0 + 8.0 + Font::Small.width(words));
        if let Some(font) = written_on(lane, trouble.from, end) {
            painter.text(font, (x0 + 2.0, base), Anchor::Start, (x0, right), &[words]);
        }
    }
}

/// What words can be written with that lie over a member's lane in this time; None where they would lie half on a bar.
fn written_on(lane: &MemberLane, from: SimTime, until: SimTime) -> Option<Font> {
    let leads =
        |place: &&Stretch<MemberPlace>| place.is.role == RoleName::Leader && place.from < until && from < place.until;
    match lane.places.iter().find(leads) {
        None => Some(Font::Small),
        Some(place) if place.from <= from && until <= place.until => Some(Font::OnNeutral),
        Some(_) => None,
    }
}

/// The tops of the first and the last of members that lie directly below each other.
fn neighbours(layout: &Layout) -> Vec<(f32, f32)> {
    let mut tops: Vec<f32> = layout.members.iter().flatten().copied().collect();
    tops.sort_by(f32::total_cmp);
    let mut groups: Vec<(f32, f32)> = Vec::new();
    for top in tops {
        match groups.last_mut().filter(|(_, last)| top - *last <= MEMBER) {
            Some(group) => group.1 = top,
            None => groups.push((top, top)),
        }
    }
    groups
}

/// Over all members: the store can decide nothing. The words stand once, in the store's own lane.
fn no_quorum(painter: &mut Painter, layout: &Layout) {
    let story = painter.story;
    let dark = &story.verdict.record.no_quorum;
    let first = dark.partition_point(|dark| dark.to < painter.plot.from);
    let last = dark.partition_point(|dark| dark.from <= painter.plot.until);
    for dark in &dark[first.min(last)..last] {
        let Some((x0, x1)) = painter.extent(dark.from, dark.to) else {
            continue;
        };
        for (first, last) in neighbours(layout) {
            let (top, bottom) = (first - 2.0, last + DISK_Y + DISK_H);
            painter.bar(Style::NoQuorum, dark.from, dark.to, top, bottom - top);
            painter.upright(Style::NoQuorumEdge, dark.from, top, bottom);
            painter.upright(Style::NoQuorumEdge, dark.to, top, bottom);
        }
        let Some(base) = layout.no_quorum else { continue };
        let what = if dark.too_few { "no quorum" } else { "no leader" };
        let choices = [format!("{what} {}", length(dark.to.since(dark.from))), what.to_owned()];
        let room = (painter.plot.left, painter.plot.right);
        painter.text(Font::Mark, ((x0 + x1) / 2.0, base), Anchor::Middle, room, &choices);
    }
}
