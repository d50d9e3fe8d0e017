//! Everything around the lanes: names, axis, danger band, faults, playhead.

use super::super::marks::{Anchor, Scene, Shape, Text};
use super::super::story::FaultBar;
use super::super::style::{Font, Style};
use super::super::words::seconds;
use super::layout::{
    AGENT_H, AGENT_Y, AXIS_BASE, DATABASE_H, DATABASE_Y, FAULT_ROW, Layout, MEMBER_H, PLAYHEAD, TEXT_BASE, TOP,
    WATCHDOG_H, WATCHDOG_Y, WRITE_ROW,
};
use super::painter::{Painter, cut};
use crate::engine::{SimTime, Span};
use crate::verdict::length;

/// The space between two labels of the axis, at least.
const LABELS_APART: f32 = 64.0;
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
    if !layout.fault_rows.is_empty() {
        name(Font::LaneName, layout.faults + 18.0, &["Faults"]);
    }
    name(Font::LaneName, layout.store.0 + 16.0, &["Store"]);
    name(Font::LaneSub, layout.store.0 + 31.0, &["leader key", "key"]);
    for (member, y) in story.store.members.iter().zip(&layout.members) {
        name(Font::LaneSub, y + MEMBER_H - 2.0, &[&member.name]);
    }
    for (lane, y) in story.nodes.iter().zip(&layout.nodes) {
        name(Font::LaneName, y + TEXT_BASE, &[&lane.name]);
        name(Font::LaneSub, y + AGENT_Y + AGENT_H - 4.0, &["agent"]);
        if !lane.watchdog.is_empty() {
            name(Font::LaneSub, y + WATCHDOG_Y + WATCHDOG_H + 2.0, &["watchdog"]);
        }
        name(Font::LaneSub, y + DATABASE_Y + DATABASE_H - 5.0, &["database", "db"]);
    }
    name(Font::LaneName, layout.writes + 15.0, &["Writes"]);
    for (row, &n) in layout.write_rows.iter().enumerate() {
        let y = layout.writes + 30.0 + row as f32 * WRITE_ROW;
        name(Font::LaneSub, y, &[&story.nodes[n].name]);
    }
    if layout.unconfirmed {
        let y = layout.writes + 30.0 + layout.write_rows.len() as f32 * WRITE_ROW;
        name(Font::LaneSub, y, &["not confirmed", "unclear"]);
    }
    let between = layout.lanes.iter().skip(1).map(|lane| lane.y).chain([layout.bottom]);
    // The members belong to the store's lane.
    let separators = between.filter(|y| !layout.members.contains(y));
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
    let labels = f64::from((plot.right - plot.left) / LABELS_APART).max(1.0);
    let step = nice_step(Span((plot.span().0 as f64 / labels) as u64));
    let mut t = plot.from.0.div_ceil(step.0) * step.0;
    while t <= plot.until.0 {
        let at = SimTime(t);
        painter.upright(Style::Grid, at, TOP, layout.bottom);
        let room = (plot.left - 24.0, layout.width - 3.0);
        painter.text(
            Font::Axis,
            (plot.x(at), AXIS_BASE),
            Anchor::Middle,
            room,
            &[axis_label(at, step)],
        );
        let Some(next) = t.checked_add(step.0) else { return };
        t = next;
    }
}

/// The smallest of 1, 2, 5 times a power of ten µs that is not below `at_least`.
pub fn nice_step(at_least: Span) -> Span {
    let mut power: u64 = 1;
    loop {
        for factor in [1, 2, 5] {
            let step = power.saturating_mul(factor);
            if step >= at_least.0 {
                return Span(step);
            }
        }
        power = power.saturating_mul(10);
    }
}

/// An instant with as many decimals as the step needs: `40 s`, `40.25 s`.
fn axis_label(at: SimTime, step: Span) -> String {
    let decimals = (0..6).find(|&d| step.0.is_multiple_of(10u64.pow(6 - d))).unwrap_or(6);
    let fraction = at.0 % 1_000_000 / 10u64.pow(6 - decimals);
    match decimals {
        0 => format!("{} s", at.0 / 1_000_000),
        _ => format!("{}.{fraction:0width$} s", at.0 / 1_000_000, width = decimals as usize),
    }
}

/// Two primaries: a hatched band over all lanes, with words.
pub fn danger(painter: &mut Painter, layout: &Layout) {
    let Some(base) = layout.danger else { return };
    for (from, until) in painter.story.two_primaries() {
        let Some((x0, x1)) = painter.extent(from, until) else {
            continue;
        };
        let band = Shape::Rect {
            x: x0,
            y: TOP,
            w: x1 - x0,
            h: layout.bottom - TOP,
        };
        painter.put(Style::DangerBand, band);
        painter.put(Style::DangerHatch, band);
        painter.upright(Style::DangerEdge, from, TOP, layout.bottom);
        painter.upright(Style::DangerEdge, until, TOP, layout.bottom);
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

/// A chip for each fault, as long as it lasts.
pub fn faults(painter: &mut Painter, layout: &Layout) {
    let mut chips: Vec<Chip> = Vec::new();
    for (fault, &row) in painter.story.faults.iter().zip(&layout.fault_rows) {
        let until = fault.until.unwrap_or(painter.story.end());
        let y = layout.faults + 4.0 + row as f32 * FAULT_ROW;
        if let Some((x0, x1)) = painter.bar(Style::ChipFill, fault.from, until, y, 20.0) {
            painter.bar(Style::Chip, fault.from, until, y, 20.0);
            chips.push(Chip { fault, x0, x1, y });
        }
    }
    for chip in &chips {
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
    let text = format!("{}.{} s", at.0 / 1_000_000, at.0 % 1_000_000 / 100_000);
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
