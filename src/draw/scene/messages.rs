//! Messages as lines between the lanes; one whose other end is hidden as a short stub.

use super::super::marks::{Shape, Trail};
use super::super::story::{Beat, Flight, Lane, Story, Talk, at};
use super::super::style::Style;
use super::layout::Layout;
use super::painter::Painter;
use super::{Cone, Dress};
use crate::clocks::Relation;
use crate::engine::{SimTime, Span};

/// While no more than this is visible, every message is drawn; else only those that may decide who leads, and losses.
const ALL_MESSAGES: Span = Span::from_secs(6);
/// While more than this is visible, not even those.
pub const MESSAGES_WITHIN: Span = Span::from_secs(600);
/// While no more than this is visible, the heartbeats of the store's members are drawn too.
const ALL_BEATS: Span = Span::from_secs(2);
/// More questions for votes than this would hide what else there is.
const VOTES_MAX: usize = 80;
/// Lost messages nearer to each other than this are thinned.
const LOSSES_APART: f32 = 12.0;
/// How far a lost message is drawn to come: near the other lane, where no words are.
const LOST_ON_THE_WAY: f32 = 0.82;
/// How long the stub of a message is whose other end is hidden.
const STUB: f32 = 10.0;

/// The message that is looked at and its counterpart stand out from all others, and are always drawn. When an event was asked
/// about, messages sent before and after it stand out, each in its own way.
pub fn messages(painter: &mut Painter, layout: &Layout, dress: &Dress) {
    let picked = dress.picked;
    let story = painter.story;
    let relation = |flight: usize| {
        let (Cone(related), flight) = (dress.cone.as_ref()?, story.detail.flights.get(flight)?);
        Some(related.relation(flight.event.index()))
    };
    let pair = picked.map(|picked| (picked, painter.story.counterpart(picked)));
    let emphasis = |flight: usize| match pair {
        None => match relation(flight) {
            None => Emphasis::None,
            Some(Relation::Past | Relation::Itself) => Emphasis::Past,
            Some(Relation::Future) => Emphasis::Future,
            Some(Relation::Concurrent | Relation::Unknown) => Emphasis::Dim,
        },
        Some((one, other)) if flight == one || Some(flight) == other => Emphasis::Picked,
        Some(_) => Emphasis::Dim,
    };
    others(painter, layout, emphasis, picked.is_some() || dress.cone.is_some());
    for flight in pair.into_iter().flat_map(|(one, other)| [Some(one), other]).flatten() {
        if let Some(known) = painter.story.detail.flights.get(flight) {
            message(painter, layout, (flight, known), Emphasis::Picked);
        }
    }
}

/// How much a message matters now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Emphasis {
    None,
    Picked,
    /// It happened before the event that was asked about, or after it.
    Past,
    Future,
    Dim,
}

fn others(painter: &mut Painter, layout: &Layout, emphasis: impl Fn(usize) -> Emphasis, dimmed: bool) {
    let span = painter.plot.span();
    if span > MESSAGES_WITHIN {
        return;
    }
    let flights = &painter.story.detail.flights;
    // A flight is short; one that began long before the view is not looked for.
    let early = painter.plot.from - Span::from_secs(2);
    let first = flights.partition_point(|flight| flight.sent < early);
    let last = flights.partition_point(|flight| flight.sent <= painter.plot.until);
    let seen = &flights[first.min(last)..last];
    let votes = seen.iter().filter(|flight| flight.what == Talk::Vote).count();
    let mut last_loss = f32::MIN;
    for (n, flight) in seen.iter().enumerate() {
        let n = first.min(last) + n;
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
        let emphasis = emphasis(n);
        if emphasis != Emphasis::Picked {
            message(painter, layout, (n, flight), emphasis);
        }
    }
    if span <= ALL_BEATS {
        beats(painter, layout, early, dimmed);
    }
}

/// What keeps the store's group together.
fn beats(painter: &mut Painter, layout: &Layout, early: SimTime, dimmed: bool) {
    let beats = &painter.story.detail.beats;
    let first = beats.partition_point(|beat| beat.sent < early);
    let last = beats.partition_point(|beat| beat.sent <= painter.plot.until);
    let seen = &beats[first.min(last)..last];
    for beat in seen {
        if beat.end() >= painter.plot.from {
            beat_line(painter, layout, beat, dimmed);
        }
    }
}

fn beat_line(painter: &mut Painter, layout: &Layout, beat: &Beat, dimmed: bool) {
    let (from, to) = (Lane::Member(beat.from), Lane::Member(beat.to));
    let waiting = painter.story.store.members.get(usize::from(beat.to));
    let waits = waiting.is_some_and(|lane| at(&lane.halts, beat.sent).is_some());
    let Some(way) = Way::of(painter, layout, (from, to), (beat.sent, beat.end())) else {
        return;
    };
    let (style, way) = match (beat.arrives, waits) {
        (true, false) => (Style::Beat, way),
        // The machine took it; the frozen process does not look.
        (true, true) => (Style::BeatLost, way.upright()),
        (false, _) => (Style::BeatLost, way.cut_short()),
    };
    painter.put(if dimmed { Style::MessageDim } else { style }, way.line());
}

/// From where to where a message is drawn.
#[derive(Clone, Copy, Debug)]
struct Way {
    from: (f32, f32),
    to: (f32, f32),
    /// One of its ends is hidden: only a stub is drawn at the other.
    stub: bool,
}

impl Way {
    /// None when neither end is shown, or nothing of it is in view.
    fn of(
        painter: &Painter,
        layout: &Layout,
        (from, to): (Lane, Lane),
        (sent, end): (SimTime, SimTime),
    ) -> Option<Way> {
        if !painter.overlaps(sent, end) {
            return None;
        }
        let clamp = |x: f32| x.clamp(painter.plot.left, painter.plot.right);
        let (x1, x2) = (clamp(painter.plot.x(sent)), clamp(painter.plot.x(end)));
        let (from, to) = (layout.berth(from), layout.berth(to));
        let way = |from, to, stub| Some(Way { from, to, stub });
        let aside = |shown: f32, hidden: f32| shown + if hidden < shown { -STUB } else { STUB };
        match (from.shown, to.shown) {
            (true, true) => way((x1, from.y), (x2, to.y), false),
            (true, false) => way((x1, from.y), (x1, aside(from.y, to.y)), true),
            (false, true) => way((x2, aside(to.y, from.y)), (x2, to.y), true),
            (false, false) => None,
        }
    }
    fn upright(self) -> Way {
        Way {
            to: (self.from.0, self.to.1),
            ..self
        }
    }
    /// It did not get there: it ends on the way.
    fn cut_short(self) -> Way {
        let reach = if self.stub { 1.0 } else { LOST_ON_THE_WAY };
        Way {
            to: (self.to.0, self.from.1 + (self.to.1 - self.from.1) * reach),
            ..self
        }
    }
    fn line(self) -> Shape {
        let ((x1, y1), (x2, y2)) = (self.from, self.to);
        Shape::Line { x1, y1, x2, y2 }
    }
}

fn message(painter: &mut Painter, layout: &Layout, (n, flight): (usize, &Flight), emphasis: Emphasis) {
    let Some(way) = Way::of(painter, layout, (flight.from, flight.to), (flight.sent, flight.end)) else {
        return;
    };
    // The machine took it; the frozen process does not look.
    let in_vain = flight.arrives && waits(painter.story, flight);
    let way = match (flight.arrives, in_vain) {
        (true, true) => way.upright(),
        (true, false) => way,
        (false, _) => way.cut_short(),
    };
    let (style, cross) = match emphasis {
        Emphasis::Dim => (Style::MessageDim, 3.5),
        Emphasis::Past => (Style::MessagePast, 3.5),
        Emphasis::Future => (Style::MessageFuture, 3.5),
        Emphasis::Picked if flight.arrives && !in_vain => (Style::MessagePicked, 6.0),
        Emphasis::Picked => (Style::LostPicked, 6.0),
        Emphasis::None if flight.arrives && !in_vain => (Style::Message, 3.5),
        Emphasis::None => (Style::MessageLost, 3.5),
    };
    painter.put(style, way.line());
    if !flight.arrives {
        let (x, y) = way.to;
        painter.put(Style::LostCross, Shape::Cross { x, y, r: cross });
    }
    painter.trail(Trail {
        flight: n,
        from: way.from,
        to: way.to,
    });
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
