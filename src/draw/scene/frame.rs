//! Everything around the lanes: names, axis, faults, playhead.

use super::super::marks::{Anchor, Plot, Scene, Shape, Text};
use super::super::remark::Remark;
use super::super::story::FaultBar;
use super::super::style::{Font, Style};
use super::super::touch::ChipBox;
use super::super::words::seconds;
use super::layout::{AXIS_BASE, FaultRows, Layout, MEMBER_H, PLAYHEAD, TEXT_BASE, TOP, WRITE_ROW};
use super::painter::{Painter, cut};
use crate::engine::{SimTime, Span};

/// The space between two labels of the axis, at least.
const LABELS_APART: f32 = 64.0;
/// And between the end of one and the beginning of the next.
const LABELS_GAP: f32 = 14.0;
/// While more than this is visible, the playhead tells tenths of a second; else milliseconds.
const TENTHS: Span = Span::from_secs(10);
/// In a chip narrower than this, not even the beginning of its words says anything.
const WORTH_CUTTING: f32 = 70.0;

/// The column of names, and the lines between the lanes.
pub fn names(painter: &mut Painter, layout: &Layout) {
    let story = painter.story;
    let left = if layout.narrow { 4.0 } else { 10.0 };
    let room = layout.left - left - 4.0;
    let mut name = |font: Font, y: f32, choices: &[&str]| {
        let fit = choices
            .iter()
            .find(|text| font.width(text) <= room)
            .map(|text| (*text).to_owned());
        let text = fit.or_else(|| choices.last().and_then(|text| cut(text, font, room)));
        painter.text(
            font,
            (left, y),
            Anchor::Start,
            (0.0, layout.left),
            &Vec::from_iter(text),
        );
    };
    if let Some(faults) = layout.faults {
        name(Font::LaneName, faults.top + 14.0, &["Faults"]);
    }
    if let Some(store) = layout.store {
        name(
            Font::LaneName,
            store.top + if store.folded { 13.0 } else { 16.0 },
            &["Store"],
        );
        if !store.folded {
            name(Font::LaneSub, store.top + 31.0, &["leader key", "key"]);
        }
    }
    for (member, y) in story.store.members.iter().zip(&layout.members) {
        if let Some(y) = y {
            name(Font::LaneSub, y + MEMBER_H - 2.0, &[&member.name]);
        }
    }
    for (lane, rows) in story.nodes.iter().zip(&layout.nodes) {
        let Some(rows) = rows else { continue };
        name(
            Font::LaneName,
            rows.top + if rows.folded { 20.0 } else { TEXT_BASE },
            &[&lane.name],
        );
        if rows.folded {
            continue;
        }
        let beside = |(y, h): (f32, f32), up: f32| y + h - up;
        name(Font::LaneSub, beside(rows.agent, 4.0), &["agent"]);
        if !lane.watchdog.is_empty() {
            name(Font::LaneSub, beside(rows.watchdog, -2.0), &["watchdog"]);
        }
        name(Font::LaneSub, beside(rows.database, 5.0), &["database", "db"]);
    }
    if let Some(writes) = layout.writes {
        name(
            Font::LaneName,
            writes.top + if writes.folded { 18.0 } else { 15.0 },
            &["Writes"],
        );
        if !writes.folded {
            for (row, &n) in layout.write_rows.iter().enumerate() {
                let y = writes.top + 30.0 + row as f32 * WRITE_ROW;
                name(Font::LaneSub, y, &[&story.nodes[n].name]);
            }
            if layout.unconfirmed {
                let y = writes.top + 30.0 + layout.write_rows.len() as f32 * WRITE_ROW;
                name(Font::LaneSub, y, &["not confirmed", "unclear"]);
            }
        }
    }
    let between = layout.lanes.iter().skip(1).map(|lane| lane.y).chain([layout.bottom]);
    // A member that follows the store or another member belongs to it.
    let separators = between.filter(|y| !layout.members.contains(&Some(*y)));
    for y in separators {
        painter.put(
            Style::Separator,
            Shape::Line {
                x1: 0.0,
                y1: y,
                x2: layout.width,
                y2: y,
            },
        );
    }
}

/// Lines at round times, with as many labels as there is room for.
pub fn axis(painter: &mut Painter, layout: &Layout) {
    let plot = painter.plot;
    let step = axis_step(&plot);
    let mut t = plot.from.0.div_ceil(step.0) * step.0;
    while t <= plot.until.0 {
        let at = SimTime(t);
        painter.upright(Style::Grid, at, TOP, layout.bottom);
        let room = (plot.left - 24.0, layout.width - 3.0);
        let label = axis_label(at, step);
        painter.text(Font::Axis, (plot.x(at), AXIS_BASE), Anchor::Middle, room, &[label]);
        let Some(next) = t.checked_add(step.0) else { return };
        t = next;
    }
}

/// How far the labels lie apart. Late in a long run they are longer, so there are fewer.
pub fn axis_step(plot: &Plot) -> Span {
    let width = plot.right - plot.left;
    let mut apart = LABELS_APART;
    loop {
        let labels = f64::from(width / apart).max(1.0);
        let step = nice_step(Span((plot.span().0 as f64 / labels) as u64));
        let needed = Font::Axis.width(&axis_label(plot.until, step)) + LABELS_GAP;
        if needed <= apart || apart >= width {
            return step;
        }
        apart = needed;
    }
}

const MINUTE: u64 = 60_000_000;
const HOUR: u64 = 60 * MINUTE;
/// Round steps that people use above ten seconds.
const CLOCK_STEPS: [u64; 11] = [
    20_000_000,
    30_000_000,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    6 * HOUR,
    12 * HOUR,
];

/// The smallest round step that is not below `at_least`: 1, 2, 5 times a power of ten up to ten seconds, then what clocks
/// have, then days.
pub fn nice_step(at_least: Span) -> Span {
    let mut power: u64 = 1;
    while power <= 10_000_000 {
        let factors = if power == 10_000_000 { &[1][..] } else { &[1, 2, 5] };
        if let Some(step) = factors
            .iter()
            .map(|factor| power * factor)
            .find(|&step| step >= at_least.0)
        {
            return Span(step);
        }
        power *= 10;
    }
    let clock = CLOCK_STEPS.into_iter().find(|&step| step >= at_least.0);
    Span(clock.unwrap_or_else(|| at_least.0.div_ceil(24 * HOUR) * 24 * HOUR))
}

/// An instant with as much as the step needs: `40.25 s`, `40 s`, `5 min`, `1:05 h`.
pub fn axis_label(at: SimTime, step: Span) -> String {
    if step.0 >= MINUTE {
        let minutes = at.0 / MINUTE;
        return match (minutes / 60, minutes % 60) {
            (0, minutes) => format!("{minutes} min"),
            (hours, 0) => format!("{hours} h"),
            (hours, minutes) => format!("{hours}:{minutes:02} h"),
        };
    }
    let decimals = (0..6).find(|&d| step.0.is_multiple_of(10u64.pow(6 - d))).unwrap_or(6);
    let fraction = at.0 % 1_000_000 / 10u64.pow(6 - decimals);
    match decimals {
        0 => format!("{} s", at.0 / 1_000_000),
        _ => format!("{}.{fraction:0width$} s", at.0 / 1_000_000, width = decimals as usize),
    }
}

/// So far from the playhead its time does not reach.
const BESIDE_PLAYHEAD: f32 = 36.0;

/// The line from which on two compared runs are not the same.
pub fn parting(painter: &mut Painter, layout: &Layout, at: Option<SimTime>) {
    let Some(at) = at.filter(|at| painter.sees(*at)) else {
        return;
    };
    painter.upright(Style::Parting, at, TOP, layout.bottom + 4.0);
    // Beside the line: the playhead stands on it for whoever goes there, with its time below the lanes, and then goes right.
    let (x, y) = (painter.plot.x(at), layout.bottom + 15.0);
    let words = ["the runs part", "part"];
    let left = (0.0, x - BESIDE_PLAYHEAD);
    if !painter.text(Font::Small, (left.1, y), Anchor::End, left, &words[..1]) {
        let right = (x + BESIDE_PLAYHEAD, layout.width - 3.0);
        painter.text(Font::Small, (right.0, y), Anchor::Start, right, &words);
    }
}

/// A flag at each moment that somebody wrote something about, with as much of the words as there is room for.
pub fn remarks(painter: &mut Painter, layout: &Layout, remarks: &[Remark]) {
    let y = layout.bottom + 15.0;
    let seen: Vec<&Remark> = remarks.iter().filter(|remark| painter.sees(remark.at)).collect();
    for (n, remark) in seen.iter().enumerate() {
        let x = painter.plot.x(remark.at);
        painter.upright(Style::Remark, remark.at, TOP, layout.bottom + 6.0);
        let flag = [(x, y - 9.0), (x + 7.0, y - 5.5), (x + 7.0, y - 5.5), (x, y - 2.0)];
        painter.put(Style::RemarkFlag, Shape::Quad(flag));
        let next = seen.get(n + 1).map_or(layout.width, |next| painter.plot.x(next.at));
        let room = (x + 10.0, next - 3.0);
        if let Some(words) = cut(&remark.text, Font::Small, room.1 - room.0) {
            painter.text(Font::Small, (room.0, y), Anchor::Start, room, &[&words]);
        }
    }
}

/// A chip for each fault, as long as it lasts.
pub fn faults(painter: &mut Painter, layout: &Layout, chosen: Option<usize>) {
    let Some(FaultRows {
        top,
        row: apart,
        height,
        folded,
    }) = layout.faults
    else {
        return;
    };
    let mut chips: Vec<Chip> = Vec::new();
    for (fault, &row) in painter.story.faults.iter().zip(&layout.fault_rows) {
        let until = fault.until.unwrap_or(painter.story.end());
        let y = top + row as f32 * apart;
        if let Some((x0, x1)) = painter.bar(Style::ChipFill, fault.from, until, y, height) {
            let is_chosen = chosen == Some(fault.index);
            let edge = if is_chosen { Style::ChipChosen } else { Style::Chip };
            painter.bar(edge, fault.from, until, y, height);
            let lasts = fault.until != Some(fault.from);
            painter.chip(ChipBox {
                fault: fault.index,
                x0,
                x1,
                y,
                height,
                ends: (lasts && painter.sees(fault.from), lasts && painter.sees(until)),
            });
            chips.push(Chip { fault, x0, x1, y });
        }
    }
    for chip in chips.iter().filter(|_| !folded) {
        // Words beside a chip must not run into the next one of its row.
        let others = || chips.iter().filter(|other| other.y == chip.y);
        let left = others().map(|other| other.x1).filter(|&x| x <= chip.x0);
        let right = others().map(|other| other.x0).filter(|&x| x >= chip.x1);
        let room = (
            left.fold(painter.plot.left, f32::max),
            right.fold(painter.plot.right, f32::min),
        );
        chip_words(painter, chip, room);
    }
}

/// A fault where it is drawn.
struct Chip<'a> {
    fault: &'a FaultBar,
    x0: f32,
    x1: f32,
    y: f32,
}

fn chip_words(painter: &mut Painter, chip: &Chip, (left, right): (f32, f32)) {
    let &Chip { fault, x0, x1, y } = chip;
    let choices = fault_words(fault);
    let inside = choices[..2]
        .iter()
        .any(|text| painter.text(Font::Chip, (x0 + 6.0, y + 14.0), Anchor::Start, (x0, x1 - 4.0), &[text]));
    if !inside {
        // Too short for its words: they stand beside it, or are cut.
        let mut beside = |choices: &[String]| {
            painter.text(Font::Chip, (x1 + 5.0, y + 14.0), Anchor::Start, (x1, right), choices)
                || painter.text(Font::Chip, (x0 - 5.0, y + 14.0), Anchor::End, (left, x0), choices)
        };
        if x1 - x0 > WORTH_CUTTING && !beside(&choices[..1]) {
            let short = cut(&choices[1], Font::Chip, x1 - x0 - 10.0);
            painter.inside(Font::Chip, (x0, x1), y + 14.0, &Vec::from_iter(short));
        } else {
            beside(&choices);
        }
    }
    painter.reserve(x0, x1, y + 14.0);
}

/// From the longest to the shortest.
fn fault_words(fault: &FaultBar) -> [String; 4] {
    let label = fault.label.clone();
    let short = label.trim_end_matches("/disk").to_owned();
    let verb = label.split(' ').next().unwrap_or_default().to_owned();
    let long = match fault.until {
        Some(until) if until > fault.from => format!("{label} · {}", seconds(until.since(fault.from))),
        Some(_) => label.clone(),
        None => format!("{label} · to the end"),
    };
    [long, label, short, verb]
}

/// The line at the current instant, with its time below the lanes.
pub fn put_playhead(scene: &mut Scene, at: SimTime) {
    let (plot, bottom) = (scene.plot, scene.height - PLAYHEAD);
    if at < plot.from || at > plot.until {
        return;
    }
    let x = plot.x(at);
    let line = Shape::Line {
        x1: x,
        y1: TOP,
        x2: x,
        y2: bottom + 4.0,
    };
    scene.put(Style::Playhead, line);
    // As fine as one can see.
    let text = if plot.span() > TENTHS {
        format!("{}.{} s", at.0 / 1_000_000, at.0 % 1_000_000 / 100_000)
    } else {
        format!("{at} s")
    };
    let half = Font::Playhead.width(&text) / 2.0 + 8.0;
    let middle = x.clamp(half, (scene.width - half).max(half));
    let chip = Shape::Rect {
        x: middle - half,
        y: bottom + 3.0,
        w: half * 2.0,
        h: 16.0,
    };
    scene.put(Style::PlayheadChip, chip);
    scene.texts.push(Text {
        x: middle,
        y: bottom + 15.0,
        text,
        anchor: Anchor::Middle,
        font: Font::Playhead,
    });
}
