//! Writes as ticks, the router's choice as a line, messages as lines between lanes.

use super::super::marks::{Anchor, Shape};
use super::super::story::{Beat, Flight, Lane, Story, Talk, at};
use super::super::style::{Font, Style};
use super::layout::{Layout, WRITE_ROW};
use super::painter::Painter;
use crate::engine::{SimTime, Span};

/// Ticks nearer to each other than this are thinned.
const TICKS_APART: f32 = 4.0;
/// While no more than this is visible, every message is drawn; else only those that may decide who leads, and losses.
const ALL_MESSAGES: Span = Span::from_secs(6);
/// While more than this is visible, not even those.
const ANY_MESSAGES: Span = Span::from_secs(600);
/// While no more than this is visible, the heartbeats of the store's members are drawn too.
const ALL_BEATS: Span = Span::from_secs(2);
/// More questions for votes than this would hide what else there is.
const VOTES_MAX: usize = 80;
/// Lost messages nearer to each other than this are thinned.
const LOSSES_APART: f32 = 12.0;
/// How far a lost message is drawn to come: near the other lane, where no words are.
const LOST_ON_THE_WAY: f32 = 0.82;

pub fn writes(painter: &mut Painter, layout: &Layout) {
    let story = painter.story;
    lost_words(painter, layout);
    router(painter, layout);
    for (row, &n) in layout.write_rows.iter().enumerate() {
        let y = layout.writes + 21.0 + row as f32 * WRITE_ROW;
        for x in painter.places(list(&story.writes.kept, n), TICKS_APART) {
            painter.put(
                Style::Write(n as u8),
                Shape::Rect {
                    x: x - 1.0,
                    y,
                    w: 2.0,
                    h: 10.0,
                },
            );
        }
        for x in painter.places(list(&story.writes.lost, n), TICKS_APART + 1.0) {
            painter.put(
                Style::WriteLost,
                Shape::Rect {
                    x: x - 1.5,
                    y,
                    w: 3.0,
                    h: 10.0,
                },
            );
        }
    }
    let y = layout.writes + 21.0 + layout.write_rows.len() as f32 * WRITE_ROW;
    for x in painter.places(&story.writes.unknown, TICKS_APART + 1.0) {
        painter.put(
            Style::WriteUnknown,
            Shape::Rect {
                x: x - 1.5,
                y,
                w: 3.0,
                h: 10.0,
            },
        );
    }
    for x in painter.places(&story.writes.refused, TICKS_APART) {
        painter.put(
            Style::WriteRefused,
            Shape::Line {
                x1: x,
                y1: y + 2.0,
                x2: x,
                y2: y + 8.0,
            },
        );
    }
}

fn list(lists: &[Vec<SimTime>], node: usize) -> &[SimTime] {
    lists.get(node).map_or(&[], Vec::as_slice)
}

/// Whom the router sends writes to: a thin line in that node's colour.
fn router(painter: &mut Painter, layout: &Layout) {
    let story = painter.story;
    for choice in painter.visible(&story.router) {
        let Some(node) = choice.is else { continue };
        let y = layout.writes + 13.0;
        let Some((x0, x1)) = painter.bar(Style::RouterTo(node.0), choice.from, choice.until, y, 3.0) else {
            continue;
        };
        let name = story.name(node);
        painter.text(
            Font::Small,
            (x0 + 2.0, y - 2.0),
            Anchor::Start,
            (x0, x1),
            &[format!("router sends to {name}"), format!("to {name}"), name.to_owned()],
        );
    }
}

/// How many writes were lost, beside where it happened.
fn lost_words(painter: &mut Painter, layout: &Layout) {
    let lost = &painter.story.writes.lost;
    let all = || lost.iter().flatten().copied();
    let (Some(first), Some(last)) = (all().min(), all().max()) else {
        return;
    };
    let Some((x0, x1)) = painter.extent(first, last) else {
        return;
    };
    let count = painter.story.verdict.writes.lost;
    let choices = [format!("{count} acknowledged, later lost"), format!("{count} lost")];
    let room = (painter.plot.left, painter.plot.right);
    painter.text(
        Font::Lost,
        ((x0 + x1) / 2.0, layout.writes + 11.0),
        Anchor::Middle,
        room,
        &choices,
    );
}

pub fn messages(painter: &mut Painter, layout: &Layout) {
    let span = painter.plot.span();
    if span > ANY_MESSAGES {
        return;
    }
    let flights = &painter.story.flights;
    // A flight is short; one that began long before the view is not looked for.
    let early = painter.plot.from - Span::from_secs(2);
    let first = flights.partition_point(|flight| flight.sent < early);
    let last = flights.partition_point(|flight| flight.sent <= painter.plot.until);
    let seen = &flights[first.min(last)..last];
    let votes = seen.iter().filter(|flight| flight.what == Talk::Vote).count();
    let mut last_loss = f32::MIN;
    for flight in seen {
        let wanted = match flight.what {
            Talk::Vote => span <= ALL_MESSAGES || votes <= VOTES_MAX,
            Talk::Append => span <= ALL_MESSAGES,
            _ => flight.decides || !flight.arrives || span <= ALL_MESSAGES,
        };
        if !wanted || flight.end < painter.plot.from {
            continue;
        }
        if !flight.arrives {
            let x = painter.plot.x(flight.end);
            if (x - last_loss).abs() < LOSSES_APART {
                continue;
            }
            last_loss = x;
        }
        message(painter, layout, flight);
    }
    if span <= ALL_BEATS {
        beats(painter, layout, early);
    }
}

/// What keeps the store's group together.
fn beats(painter: &mut Painter, layout: &Layout, early: SimTime) {
    let beats = &painter.story.beats;
    let first = beats.partition_point(|beat| beat.sent < early);
    let last = beats.partition_point(|beat| beat.sent <= painter.plot.until);
    let seen = &beats[first.min(last)..last];
    for beat in seen {
        if beat.end() >= painter.plot.from {
            beat_line(painter, layout, beat);
        }
    }
}

fn beat_line(painter: &mut Painter, layout: &Layout, beat: &Beat) {
    let clamp = |x: f32| x.clamp(painter.plot.left, painter.plot.right);
    let (x1, x2) = (clamp(painter.plot.x(beat.sent)), clamp(painter.plot.x(beat.end())));
    let (y1, y2) = (
        layout.anchor(Lane::Member(beat.from)),
        layout.anchor(Lane::Member(beat.to)),
    );
    let to = painter.story.store.members.get(usize::from(beat.to));
    let waits = to.is_some_and(|lane| at(&lane.halts, beat.sent).is_some());
    let (style, x2, reach) = match (beat.arrives, waits) {
        (true, false) => (Style::Beat, x2, 1.0),
        // The machine took it; the frozen process does not look.
        (true, true) => (Style::BeatLost, x1, 1.0),
        (false, _) => (Style::BeatLost, x2, LOST_ON_THE_WAY),
    };
    let y2 = y1 + (y2 - y1) * reach;
    painter.put(style, Shape::Line { x1, y1, x2, y2 });
}

fn message(painter: &mut Painter, layout: &Layout, flight: &Flight) {
    let clamp = |x: f32| x.clamp(painter.plot.left, painter.plot.right);
    let (x1, x2) = (clamp(painter.plot.x(flight.sent)), clamp(painter.plot.x(flight.end)));
    let (y1, y2) = (layout.anchor(flight.from), layout.anchor(flight.to));
    if flight.arrives && waits(painter.story, flight) {
        // The machine took it; the frozen process does not look.
        return painter.put(Style::MessageLost, Shape::Line { x1, y1, x2: x1, y2 });
    }
    if flight.arrives {
        return painter.put(Style::Message, Shape::Line { x1, y1, x2, y2 });
    }
    // It did not get there: the line ends on the way, in a cross.
    let y2 = y1 + (y2 - y1) * LOST_ON_THE_WAY;
    painter.put(Style::MessageLost, Shape::Line { x1, y1, x2, y2 });
    painter.put(Style::LostCross, Shape::Cross { x: x2, y: y2, r: 3.5 });
}

/// Whether a message came to a process that stood still.
fn waits(story: &Story, flight: &Flight) -> bool {
    let member = |member: usize| story.store.members.get(member).map(|lane| &lane.halts);
    let halts = match flight.to {
        Lane::Store => member(0).into_iter().collect(),
        Lane::Member(to) => member(usize::from(to)).into_iter().collect(),
        Lane::Agent(node) => {
            let lane = story.nodes.get(node.index());
            lane.map_or_else(Vec::new, |lane| vec![&lane.agent_halts, &lane.host_halts])
        }
        _ => Vec::new(),
    };
    halts.into_iter().any(|halts| at(halts, flight.sent).is_some())
}
