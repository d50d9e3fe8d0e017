//! What a drawing consists of: shapes with a style, texts, and where the lanes lie. A style says what a mark means; its
//! looks are in `style.rs`, so that canvas, SVG and tests agree.

use super::arrange::LaneKey;
use super::scene::nice_step;
use super::style::{Font, Style};
use super::touch::ChipBox;
use crate::engine::{SimTime, Span};

/// A window on a story. Lengths are CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    pub from: SimTime,
    pub until: SimTime,
    pub width: f32,
}

/// A drawing. It covers `width` times `height` CSS pixels from (0, 0).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    pub width: f32,
    pub height: f32,
    /// Where the time axis lies.
    pub plot: Plot,
    /// In the order of painting; one entry for each style that occurs.
    pub batches: Vec<Batch>,
    /// Painted after all shapes.
    pub texts: Vec<Text>,
    pub lanes: Vec<LaneBox>,
    /// The faults that are drawn.
    pub chips: Vec<ChipBox>,
    /// The messages that are drawn.
    pub trails: Vec<Trail>,
}

/// Where a message is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trail {
    /// Its place among the story's flights.
    pub flight: usize,
    pub from: (f32, f32),
    pub to: (f32, f32),
}

impl Trail {
    /// How far a place is from the nearest point of the line.
    fn distance(&self, (x, y): (f32, f32)) -> f32 {
        let (dx, dy) = (self.to.0 - self.from.0, self.to.1 - self.from.1);
        let along = ((x - self.from.0) * dx + (y - self.from.1) * dy) / (dx * dx + dy * dy).max(0.01);
        let along = along.clamp(0.0, 1.0);
        (self.from.0 + along * dx - x).hypot(self.from.1 + along * dy - y)
    }
}

/// A pointer that is no farther from a message means it, in CSS pixels.
const REACH: f32 = 7.0;

/// The part of a drawing that is to scale in time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plot {
    pub left: f32,
    pub right: f32,
    pub from: SimTime,
    pub until: SimTime,
}

impl Plot {
    /// How long the visible time is; never nothing.
    pub fn span(&self) -> Span {
        Span(self.until.since(self.from).0.max(1))
    }
    /// As fine as one can aim at an instant: a round time, about a pixel wide.
    pub fn step(&self) -> Span {
        let width = f64::from((self.right - self.left).max(1.0));
        nice_step(Span((self.span().0 as f64 / width) as u64))
    }
    /// Where an instant lies, also outside of the plot.
    pub fn x(&self, t: SimTime) -> f32 {
        let ahead = t.0 as f64 - self.from.0 as f64;
        (f64::from(self.left) + ahead / self.span().0 as f64 * f64::from(self.right - self.left)) as f32
    }
    /// The instant at a place, never outside of the plot.
    pub fn time(&self, x: f32) -> SimTime {
        let share = f64::from((x - self.left) / (self.right - self.left).max(1.0)).clamp(0.0, 1.0);
        self.from + Span((share * self.span().0 as f64) as u64)
    }
}

/// All shapes of one style.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    pub style: Style,
    pub shapes: Vec<Shape>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    Rect {
        x: f32,
        y: f32,
        w: f32,
        h: f32,
    },
    Line {
        x1: f32,
        y1: f32,
        x2: f32,
        y2: f32,
    },
    Quad([(f32, f32); 4]),
    Circle {
        x: f32,
        y: f32,
        r: f32,
    },
    /// Two strokes, each reaching `r` to every side.
    Cross {
        x: f32,
        y: f32,
        r: f32,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub x: f32,
    /// The base line.
    pub y: f32,
    pub text: String,
    pub anchor: Anchor,
    pub font: Font,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// Where a lane lies.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneBox {
    pub key: LaneKey,
    pub name: String,
    pub y: f32,
    pub height: f32,
}

impl Scene {
    /// Adds a shape to the batch of its style.
    pub fn put(&mut self, style: Style, shape: Shape) {
        match self.batches.binary_search_by_key(&style, |batch| batch.style) {
            Ok(at) => self.batches[at].shapes.push(shape),
            Err(at) => self.batches.insert(
                at,
                Batch {
                    style,
                    shapes: vec![shape],
                },
            ),
        }
    }
    /// The message that a pointer at this place means, if it means one.
    pub fn message_at(&self, x: f32, y: f32) -> Option<usize> {
        let near = self.trails.iter().map(|trail| (trail.distance((x, y)), trail.flight));
        let near = near.filter(|(distance, _)| *distance <= REACH);
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, flight)| flight)
    }
    /// How many marks it has, texts included.
    pub fn len(&self) -> usize {
        self.texts.len() + self.batches.iter().map(|batch| batch.shapes.len()).sum::<usize>()
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
