//! The tools of the lanes: bars, ticks, and texts that never overlap each other.

use super::super::marks::{Anchor, Plot, Scene, Shape, Text, Trail, View};
use super::super::story::{Story, Stretch};
use super::super::style::{Font, Style};
use super::super::touch::ChipBox;
use super::layout::Layout;
use crate::engine::{SimTime, Span};

/// A bar is never thinner than this, so that what is short is still seen.
const THINNEST: f32 = 1.5;

pub struct Painter<'a> {
    pub story: &'a Story,
    pub plot: Plot,
    scene: Scene,
    /// Where texts are: left, right, base line.
    taken: Vec<(f32, f32, f32)>,
    /// What is drawn now has no room for words: its lane is folded.
    hushed: bool,
}

impl<'a> Painter<'a> {
    pub fn new(story: &'a Story, view: &View, layout: &Layout) -> Painter<'a> {
        let until = SimTime(view.until.0.max(view.from.0.saturating_add(1)));
        let plot = Plot {
            left: layout.left,
            right: layout.right,
            from: view.from,
            until,
        };
        let scene = Scene {
            width: layout.width,
            height: layout.height,
            plot,
            ..Scene::default()
        };
        Painter {
            story,
            plot,
            scene,
            taken: Vec::new(),
            hushed: false,
        }
    }

    pub fn finish(mut self, layout: &Layout) -> Scene {
        self.scene.lanes = layout.lanes.clone();
        self.scene
    }

    /// From now on words are left out, or written again.
    pub fn hush(&mut self, hushed: bool) {
        self.hushed = hushed;
    }

    /// Notes where a message was drawn, so that a pointer can find it.
    pub fn trail(&mut self, trail: Trail) {
        self.scene.trails.push(trail);
    }

    pub fn put(&mut self, style: Style, shape: Shape) {
        self.scene.put(style, shape);
    }

    /// Where a stretch is visible, if it is.
    pub fn extent(&self, from: SimTime, until: SimTime) -> Option<(f32, f32)> {
        if until < self.plot.from || from > self.plot.until {
            return None;
        }
        let x0 = self.plot.x(from.max(self.plot.from));
        let x1 = self.plot.x(until.min(self.plot.until));
        let x1 = x1.max(x0 + THINNEST).min(self.plot.right);
        Some((x0.min(x1 - THINNEST).max(self.plot.left), x1))
    }

    /// A bar, cut at the edges of the view. Gives back where it came to lie.
    pub fn bar(&mut self, style: Style, from: SimTime, until: SimTime, y: f32, h: f32) -> Option<(f32, f32)> {
        let (x0, x1) = self.extent(from, until)?;
        self.put(
            style,
            Shape::Rect {
                x: x0,
                y,
                w: x1 - x0,
                h,
            },
        );
        Some((x0, x1))
    }

    pub fn upright(&mut self, style: Style, t: SimTime, y1: f32, y2: f32) {
        if self.sees(t) {
            let x = self.plot.x(t);
            self.put(style, Shape::Line { x1: x, y1, x2: x, y2 });
        }
    }

    pub fn sees(&self, t: SimTime) -> bool {
        self.plot.from <= t && t <= self.plot.until
    }

    pub fn overlaps(&self, from: SimTime, until: SimTime) -> bool {
        from <= self.plot.until && self.plot.from <= until
    }

    /// The stretches that are visible, of a list whose stretches do not overlap.
    pub fn visible<'s, T>(&self, stretches: &'s [Stretch<T>]) -> &'s [Stretch<T>] {
        let first = stretches.partition_point(|s| s.until < self.plot.from);
        let last = stretches.partition_point(|s| s.from <= self.plot.until);
        &stretches[first.min(last)..last]
    }

    /// Places for marks at these instants, at least `apart` pixels from each other: where they are denser, only as many
    /// as can be told apart. Takes as long as there are places, not instants.
    pub fn places(&self, instants: &[SimTime], apart: f32) -> Vec<f32> {
        let mut places = Vec::new();
        let mut next = instants.partition_point(|&t| t < self.plot.from);
        let width = f64::from((self.plot.right - self.plot.left).max(1.0));
        let step = Span((self.plot.span().0 as f64 * f64::from(apart) / width).ceil().max(1.0) as u64);
        while let Some(&t) = instants.get(next).filter(|&&t| t <= self.plot.until) {
            places.push(self.plot.x(t));
            let rest = &instants[next..];
            next += rest.partition_point(|&later| later < t + step).max(1);
        }
        places
    }

    /// Notes where a fault is drawn.
    pub fn chip(&mut self, chip: ChipBox) {
        self.scene.chips.push(chip);
    }

    /// Writes the first of `choices` that fits between `room` and collides with no text so far; says whether one did.
    pub fn text(
        &mut self,
        font: Font,
        (x, y): (f32, f32),
        anchor: Anchor,
        room: (f32, f32),
        choices: &[impl AsRef<str>],
    ) -> bool {
        for text in choices.iter().map(AsRef::as_ref).filter(|_| !self.hushed) {
            let width = font.width(text);
            let start = match anchor {
                Anchor::Start => x,
                Anchor::Middle => (x - width / 2.0).min(room.1 - width).max(room.0),
                Anchor::End => x - width,
            };
            let (left, right) = (start, start + width);
            if left < room.0 - 0.5 || right > room.1 + 0.5 || !self.is_free(left, right, y) {
                continue;
            }
            self.taken.push((left, right, y));
            let x = match anchor {
                Anchor::Start => start,
                Anchor::Middle => start + width / 2.0,
                Anchor::End => x,
            };
            self.scene.texts.push(Text {
                x,
                y,
                text: text.to_owned(),
                anchor,
                font,
            });
            return true;
        }
        false
    }

    fn is_free(&self, left: f32, right: f32, y: f32) -> bool {
        let clash = |&(l, r, base): &(f32, f32, f32)| (base - y).abs() < 11.0 && left < r + 3.0 && l < right + 3.0;
        !self.taken.iter().any(clash)
    }

    /// Keeps other texts away from a place.
    pub fn reserve(&mut self, left: f32, right: f32, y: f32) {
        self.taken.push((left, right, y));
    }

    /// A text inside a bar, at its visible beginning.
    pub fn inside(&mut self, font: Font, (x0, x1): (f32, f32), base: f32, choices: &[impl AsRef<str>]) -> bool {
        self.text(font, (x0 + 6.0, base), Anchor::Start, (x0, x1 - 4.0), choices)
    }
}

/// A text cut to a width with an ellipsis; nothing when not even two letters fit.
pub fn cut(text: &str, font: Font, width: f32) -> Option<String> {
    if font.width(text) <= width {
        return Some(text.to_owned());
    }
    let letters: Vec<char> = text.chars().collect();
    let fits = (2..letters.len())
        .rev()
        .map(|n| format!("{}…", letters[..n].iter().collect::<String>()));
    fits.into_iter().find(|short| font.width(short) <= width)
}
