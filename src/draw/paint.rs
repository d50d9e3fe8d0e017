//! The shapes of a drawing, painted on any plotters backend in device pixels. Dashes and hatching are plain lines here,
//! so a backend needs neither. Texts are not painted: plotters measures them in ways a strict page forbids.

use super::marks::{Scene, Shape};
use super::style::{Look, Paint};
use super::theme::{Rgb, Theme};
use plotters::style::RGBColor;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, DrawingBackend, DrawingErrorKind};

type Painted<DB> = Result<(), DrawingErrorKind<<DB as DrawingBackend>::ErrorType>>;

/// A colour and a width in device pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pen {
    pub colour: Rgb,
    pub alpha: f32,
    pub width: u32,
}

impl BackendStyle for Pen {
    fn color(&self) -> BackendColor {
        BackendColor {
            alpha: f64::from(self.alpha),
            rgb: (self.colour.0, self.colour.1, self.colour.2),
        }
    }
    fn stroke_width(&self) -> u32 {
        self.width
    }
}

impl From<Rgb> for RGBColor {
    fn from(rgb: Rgb) -> RGBColor {
        RGBColor(rgb.0, rgb.1, rgb.2)
    }
}

/// Paints all shapes, one style after the other. `scale` is device pixels per CSS pixel.
pub fn paint<DB: DrawingBackend>(scene: &Scene, theme: Theme, scale: f32, backend: &mut DB) -> Painted<DB> {
    backend.ensure_prepared()?;
    for batch in &scene.batches {
        let look = batch.style.look();
        let brush = Brush::new(look, theme, scale);
        for shape in &batch.shapes {
            brush.paint(shape, backend)?;
        }
    }
    backend.present()
}

struct Brush {
    how: Paint,
    pen: Pen,
    scale: f32,
}

impl Brush {
    fn new(look: Look, theme: Theme, scale: f32) -> Brush {
        let width = match look.how {
            Paint::Fill => 1.0,
            Paint::Stroke { width } | Paint::Dashed { width, .. } | Paint::Hatch { width, .. } => width * scale,
        };
        let pen = Pen {
            colour: theme.colour(look.ink),
            alpha: look.alpha,
            width: (width.round() as u32).max(1),
        };
        Brush {
            how: look.how,
            pen,
            scale,
        }
    }

    fn at(&self, x: f32, y: f32) -> BackendCoord {
        ((x * self.scale).round() as i32, (y * self.scale).round() as i32)
    }

    fn paint<DB: DrawingBackend>(&self, shape: &Shape, backend: &mut DB) -> Painted<DB> {
        let fills = self.how == Paint::Fill;
        match (*shape, self.how) {
            (Shape::Rect { x, y, w, h }, Paint::Fill | Paint::Stroke { .. }) => {
                backend.draw_rect(self.at(x, y), self.at(x + w, y + h), &self.pen, fills)
            }
            (Shape::Rect { x, y, w, h }, Paint::Hatch { every, .. }) => {
                hatch((x, y, w, h), every).try_for_each(|(from, to)| self.line(from, to, backend))
            }
            (Shape::Rect { x, y, w, h }, Paint::Dashed { .. }) => {
                let corners = [(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)];
                corners
                    .windows(2)
                    .try_for_each(|side| self.line(side[0], side[1], backend))
            }
            (Shape::Line { x1, y1, x2, y2 }, _) => self.line((x1, y1), (x2, y2), backend),
            (Shape::Cross { x, y, r }, _) => {
                self.line((x - r, y - r), (x + r, y + r), backend)?;
                self.line((x - r, y + r), (x + r, y - r), backend)
            }
            (Shape::Quad(corners), _) if fills => backend.fill_polygon(corners.map(|(x, y)| self.at(x, y)), &self.pen),
            (Shape::Quad([a, b, c, d]), _) => [(a, b), (b, c), (c, d), (d, a)]
                .into_iter()
                .try_for_each(|(from, to)| self.line(from, to, backend)),
            (Shape::Circle { x, y, r }, _) => {
                backend.draw_circle(self.at(x, y), (r * self.scale).round() as u32, &self.pen, fills)
            }
        }
    }

    /// A line, in pieces when it is dashed.
    fn line<DB: DrawingBackend>(&self, from: (f32, f32), to: (f32, f32), backend: &mut DB) -> Painted<DB> {
        let mut piece =
            |(a, b): ((f32, f32), (f32, f32))| backend.draw_line(self.at(a.0, a.1), self.at(b.0, b.1), &self.pen);
        match self.how {
            Paint::Dashed { dash, .. } => dashes(from, to, dash).try_for_each(piece),
            _ => piece((from, to)),
        }
    }
}

type Piece = ((f32, f32), (f32, f32));

/// The pieces of a dashed line, with as much gap as dash.
fn dashes(from: (f32, f32), to: (f32, f32), dash: f32) -> impl Iterator<Item = Piece> {
    let length = (to.0 - from.0).hypot(to.1 - from.1).max(0.01);
    let point = move |at: f32| {
        let share = (at / length).min(1.0);
        (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share)
    };
    let count = (length / (dash * 2.0)).ceil() as usize;
    (0..count).map(move |n| (point(n as f32 * dash * 2.0), point(n as f32 * dash * 2.0 + dash)))
}

/// Lines from lower left to upper right across a rectangle, `every` so many pixels along its edge. They lie on one grid
/// for the whole drawing, so that hatchings beside each other fit together.
fn hatch((x, y, w, h): (f32, f32, f32, f32), every: f32) -> impl Iterator<Item = Piece> {
    let first = ((x + y) / every).ceil() as i64;
    let last = ((x + w + y + h) / every).floor() as i64;
    (first..=last).map(move |n| {
        // On the line, x + y is always this.
        let sum = n as f32 * every;
        let left = (sum - (y + h)).max(x);
        let right = (sum - y).min(x + w);
        ((left, sum - left), (right, sum - right))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hatching_stays_inside_its_rectangle_and_covers_all_of_it() {
        let (x, y, w, h) = (10.0, 20.0, 33.0, 57.0);
        let lines: Vec<Piece> = hatch((x, y, w, h), 9.0).collect();
        assert_eq!(lines.len(), 10);
        for ((x1, y1), (x2, y2)) in lines {
            for (px, py) in [(x1, y1), (x2, y2)] {
                assert!((x..=x + w).contains(&px) && (y..=y + h).contains(&py), "{px} {py}");
            }
            assert!(x1 <= x2 && y1 >= y2);
        }
    }

    #[test]
    fn dashes_begin_at_the_start_and_never_reach_beyond_the_end() {
        let pieces: Vec<Piece> = dashes((0.0, 0.0), (10.0, 0.0), 3.0).collect();
        assert_eq!(pieces, vec![((0.0, 0.0), (3.0, 0.0)), ((6.0, 0.0), (9.0, 0.0))]);
        assert_eq!(
            dashes((0.0, 0.0), (7.0, 0.0), 3.0).last(),
            Some(((6.0, 0.0), (7.0, 0.0)))
        );
    }
}
