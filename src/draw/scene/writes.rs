//! Writes as ticks, the router's choice as a line.

use super::super::marks::{Anchor, Shape};
use super::super::style::{Font, Style};
use super::layout::{Layout, WriteRows};
use super::painter::Painter;
use crate::engine::SimTime;

/// Ticks nearer to each other than this are thinned.
const TICKS_APART: f32 = 4.0;

pub fn writes(painter: &mut Painter, layout: &Layout) {
    let story = painter.story;
    let Some(rows) = layout.writes else { return };
    painter.hush(rows.folded);
    lost_words(painter, &rows);
    router(painter, &rows);
    painter.hush(false);
    for (row, &n) in layout.write_rows.iter().enumerate() {
        let y = rows.ticks + row as f32 * rows.row;
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
    let y = rows.ticks + layout.write_rows.len() as f32 * rows.row;
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
fn router(painter: &mut Painter, rows: &WriteRows) {
    let story = painter.story;
    for choice in painter.visible(&story.router) {
        let Some(node) = choice.is else { continue };
        let y = rows.router;
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
fn lost_words(painter: &mut Painter, rows: &WriteRows) {
    let lost = &painter.story.writes.lost;
    let first = lost.iter().filter_map(|list| list.first()).min();
    let last = lost.iter().filter_map(|list| list.last()).max();
    let (Some(&first), Some(&last)) = (first, last) else {
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
        ((x0 + x1) / 2.0, rows.top + 11.0),
        Anchor::Middle,
        room,
        &choices,
    );
}
