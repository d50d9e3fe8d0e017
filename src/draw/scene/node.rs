//! A node's lane: what its agent does and believes above, what its database really does below.

use super::super::marks::{Anchor, Shape};
use super::super::story::{Belief, DatabaseState, Halt, NodeLane, Stretch, at};
use super::super::style::{Font, Style};
use super::super::words;
use super::layout::{NodeRows, TEXT_BASE};
use super::painter::Painter;
use super::store::tenths;
use crate::engine::SimTime;
use crate::vocabulary::{Phase, Step};

/// Cycles nearer to each other than this are not drawn one by one.
const CYCLES_APART: f32 = 8.0;

pub fn lane(painter: &mut Painter, lane: &NodeLane, rows: &NodeRows) {
    let hue = painter
        .story
        .nodes
        .iter()
        .position(|other| std::ptr::eq(other, lane))
        .unwrap_or(0) as u8;
    beliefs(painter, lane, hue, rows);
    agent_halts(painter, lane, rows);
    work(painter, lane, rows);
    watchdog(painter, lane, rows);
    databases(painter, lane, hue, rows);
    for x in painter.places(&lane.cycles, CYCLES_APART) {
        let circle = Shape::Circle {
            x,
            y: rows.agent.0 + rows.agent.1 / 2.0,
            r: (rows.agent.1 / 2.0 - 1.0).min(3.0),
        };
        painter.put(Style::CycleFill, circle);
        painter.put(Style::Cycle, circle);
    }
}

/// Hollow bars: it takes itself for the leader. Renewals in time make one bar.
fn beliefs(painter: &mut Painter, lane: &NodeLane, hue: u8, rows: &NodeRows) {
    for (from, until, last) in believing(painter.visible(&lane.beliefs)) {
        let Some((x0, x1)) = painter.bar(Style::Belief(hue), from, until, rows.agent.0, rows.agent.1) else {
            continue;
        };
        let choices = if until == last.is.expires {
            let when = tenths(until);
            [
                format!("believes it leads, until {when} by its own clock"),
                format!("believes it leads until {when}"),
            ]
        } else {
            ["believes it leads".to_owned(), "believes".to_owned()]
        };
        let right = painter.plot.right;
        let room = if x1 - x0 > 60.0 { (x0, right) } else { (x0, x0) };
        painter.text(
            Font::Small,
            (x0 + 2.0, rows.top + TEXT_BASE),
            Anchor::Start,
            room,
            &choices,
        );
    }
}

/// Beliefs that follow each other without a gap, as one: from, until, and the last of them.
fn believing(beliefs: &[Stretch<Belief>]) -> Vec<(SimTime, SimTime, &Stretch<Belief>)> {
    let mut runs: Vec<(SimTime, SimTime, &Stretch<Belief>)> = Vec::new();
    for belief in beliefs {
        match runs.last_mut() {
            Some(run) if run.1 == belief.from => *run = (run.0, belief.until, belief),
            _ => runs.push((belief.from, belief.until, belief)),
        }
    }
    runs
}

/// Frozen is grey, dead is dashed.
fn agent_halts(painter: &mut Painter, lane: &NodeLane, rows: &NodeRows) {
    let frozen = painter.visible(&lane.host_halts).iter();
    let frozen = frozen.filter(|halt| halt.is == Halt::Frozen);
    let halts: Vec<Stretch<Halt>> = painter
        .visible(&lane.agent_halts)
        .iter()
        .chain(frozen)
        .copied()
        .collect();
    for halt in halts {
        let (style, choices) = match halt.is {
            Halt::Frozen => (Style::Frozen, ["frozen: neither renews nor demotes", "frozen"]),
            Halt::Dead => (Style::Dead, ["dead: neither renews nor demotes", "dead"]),
        };
        if let Some(extent) = painter.bar(style, halt.from, halt.until, rows.agent.0, rows.agent.1) {
            let whole_machine = at(&lane.host_halts, halt.from).is_some();
            let choices = if whole_machine { &choices[1..] } else { &choices[..] };
            painter.inside(Font::Mark, extent, rows.agent.0 + 11.0, choices);
        }
    }
}

/// Steps that take long enough to matter: questions to the peers, waiting for the store or the database.
fn work(painter: &mut Painter, lane: &NodeLane, rows: &NodeRows) {
    for step in painter.visible(&lane.steps) {
        let words = match step.is {
            Step::AskingPeers => ["asks the others", "asks"],
            Step::ReadingCluster | Step::RenewingLease | Step::AcquiringKey => ["waits for the store", "waits"],
            Step::StoppingDatabase => ["stops its database", "stops"],
            Step::StartingDatabase => ["starts its database", "starts"],
            _ => continue,
        };
        let Some((x0, x1)) = painter.extent(step.from, step.until).filter(|(x0, x1)| x1 - x0 > 3.0) else {
            continue;
        };
        painter.put(
            Style::Race,
            Shape::Rect {
                x: x0,
                y: rows.agent.0,
                w: x1 - x0,
                h: rows.agent.1,
            },
        );
        let (left, right) = (painter.plot.left, painter.plot.right);
        let base = rows.top + TEXT_BASE;
        let roomy = x1 - x0 > Font::Small.width(words[0]);
        if roomy || !painter.text(Font::Small, (x1, base), Anchor::End, (left, x1), &words) {
            painter.text(Font::Small, (x0, base), Anchor::Start, (x0, right), &words);
        }
    }
}

/// The watchdog's countdown: a small fuse under the agent.
fn watchdog(painter: &mut Painter, lane: &NodeLane, rows: &NodeRows) {
    let bottom = rows.watchdog.0 + rows.watchdog.1;
    for fuse in painter.visible(&lane.watchdog) {
        let Some((x0, x1)) = painter.extent(fuse.from, fuse.until) else {
            continue;
        };
        let left = |x: f32| {
            let t = painter.plot.time(x).clamp(fuse.from, fuse.until);
            let share = fuse.is.fires.since(t).0 as f64 / fuse.is.timeout.0.max(1) as f64;
            share.min(1.0) as f32 * rows.watchdog.1
        };
        let quad = [
            (x0, bottom),
            (x0, bottom - left(x0)),
            (x1, bottom - left(x1)),
            (x1, bottom),
        ];
        painter.put(Style::Watchdog, Shape::Quad(quad));
    }
    let first = lane.resets.partition_point(|&at| at < painter.plot.from);
    let last = lane.resets.partition_point(|&at| at <= painter.plot.until);
    for &at in &lane.resets[first.min(last)..last] {
        painter.upright(
            Style::Reset,
            at,
            rows.agent.0 - 2.0,
            rows.database.0 + rows.database.1 + 2.0,
        );
        let (x, right) = (painter.plot.x(at), painter.plot.right);
        let choices = ["watchdog resets the machine", "watchdog resets", "reset"];
        painter.text(
            Font::Small,
            (x + 4.0, rows.top + TEXT_BASE),
            Anchor::Start,
            (x, right),
            &choices,
        );
    }
}

/// Filled bars: thick when it accepts writes, a thin line when it follows.
fn databases(painter: &mut Painter, lane: &NodeLane, hue: u8, rows: &NodeRows) {
    for state in painter.visible(&lane.database) {
        database(painter, state, hue, rows);
    }
    let frozen = painter
        .visible(&lane.host_halts)
        .iter()
        .chain(painter.visible(&lane.database_halts))
        .filter(|halt| halt.is == Halt::Frozen);
    for halt in frozen {
        if let Some(extent) = painter.bar(
            Style::Frozen,
            halt.from,
            halt.until,
            rows.database.0 - 2.0,
            rows.database.1 + 4.0,
        ) {
            painter.inside(Font::Mark, extent, rows.database.0 + 12.0, &["frozen"]);
        }
    }
}

fn database(painter: &mut Painter, state: &Stretch<DatabaseState>, hue: u8, rows: &NodeRows) {
    let (from, until, top) = (state.from, state.until, rows.database.0);
    let timeline = state.is.timeline.0;
    let base = top + 12.0;
    match state.is.phase {
        Phase::Primary => {
            let Some(extent) = painter.bar(Style::Writable(hue), from, until, top, rows.database.1) else {
                return;
            };
            let choices = [
                format!("primary · writable · timeline {timeline}"),
                format!("primary · timeline {timeline}"),
                "primary".to_owned(),
            ];
            painter.inside(Font::OnNode, extent, base, &choices);
        }
        Phase::Recovery => {
            let line = (top + rows.database.1 / 2.0 - 2.0, 4.0);
            let Some(extent) = painter.bar(Style::Replica(hue), from, until, line.0, line.1) else {
                return;
            };
            let choices = [format!("replica · timeline {timeline}"), "replica".to_owned()];
            painter.inside(Font::Small, extent, top + 3.0, &choices);
        }
        phase => {
            let style = if phase == Phase::Down {
                Style::Down
            } else {
                Style::Between
            };
            let Some(extent) = painter.bar(style, from, until, top + 1.0, rows.database.1 - 2.0) else {
                return;
            };
            painter.inside(Font::Small, extent, base, &[words::database_words(state.is)]);
        }
    }
}
