//! The small chart beside the timeline: what is left of the lease over time, once by the store's clock (filled) and once
//! by the holder's own (a line). Where the line lies above the filling, or goes on beside it, a node believes more than
//! the store would grant.

use super::marks::{Anchor, Plot, Text};
use super::story::Story;
use super::style::Font;
use super::theme::{Ink, Theme};
use crate::engine::{SimTime, Span};
use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;

/// How much time the chart shows: the playhead is in its middle.
const SHOWN: Span = Span::from_secs(60);

/// Space for the labels, in CSS pixels.
const LEFT: f32 = 34.0;
const TOP: f32 = 8.0;
const RIGHT: f32 = 8.0;
const BOTTOM: f32 = 20.0;

/// Points (seconds, seconds left) of one node.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pub node: u8,
    pub points: Vec<(f64, f64)>,
}

/// What the chart shows, before it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    pub from: SimTime,
    pub until: SimTime,
    pub playhead: SimTime,
    /// The top of the scale, in seconds.
    pub most: f64,
    pub by_store: Vec<Curve>,
    pub by_holder: Vec<Curve>,
}

impl Chart {
    /// The chart around an instant.
    pub fn around(story: &Story, playhead: SimTime) -> Chart {
        let shown = Span(SHOWN.0.min(story.end().0.max(1)));
        let latest = story.end() - shown;
        let from = (playhead - shown / 2).min(latest);
        let until = from + shown;
        let ttl = story
            .store
            .fuses
            .iter()
            .map(|fuse| fuse.ttl)
            .max()
            .unwrap_or(Span::from_secs(1));
        Chart {
            from,
            until,
            playhead,
            most: (ttl.as_secs_f64() * 1.05).max(0.001),
            by_store: by_store(story, from, until),
            by_holder: by_holder(story, from, until),
        }
    }

    /// Draws everything but the labels on a backend whose size is `scale` times CSS pixels. Labels come from
    /// [`Chart::labels`].
    pub fn draw<DB: DrawingBackend>(
        &self,
        backend: DB,
        theme: Theme,
        scale: f32,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        let root = backend.into_drawing_area();
        root.fill(&colour(theme, Ink::Paper))?;
        let area = self.area(&root, scale);
        let x = self.from.as_secs_f64()..self.until.as_secs_f64();
        let mut chart = ChartBuilder::on(&area).build_cartesian_2d(x.clone(), 0.0..self.most)?;
        let width = |css: f32| (css * scale).round().max(1.0) as u32;
        let grid = colour(theme, Ink::Line).stroke_width(width(1.0));
        for seconds in self.marks() {
            chart.draw_series(LineSeries::new([(x.start, seconds), (x.end, seconds)], grid))?;
        }
        for curve in &self.by_store {
            let hue = colour(theme, Ink::Node(curve.node));
            let points = curve.points.iter().copied();
            chart.draw_series(AreaSeries::new(points, 0.0, hue.mix(0.35)))?;
        }
        for curve in &self.by_holder {
            let line = colour(theme, Ink::Node(curve.node)).stroke_width(width(2.0));
            chart.draw_series(LineSeries::new(curve.points.iter().copied(), line))?;
        }
        let playhead = colour(theme, Ink::Text).stroke_width(width(1.5));
        let at = self.playhead.as_secs_f64();
        chart.draw_series(LineSeries::new([(at, 0.0), (at, self.most)], playhead))?;
        root.present()
    }

    fn area<DB: DrawingBackend>(&self, root: &DrawingArea<DB, Shift>, scale: f32) -> DrawingArea<DB, Shift> {
        let px = |css: f32| (css * scale).round() as i32;
        root.margin(px(TOP), px(BOTTOM), px(LEFT), px(RIGHT))
    }

    /// Round values of the scale: a handful of seconds left.
    fn marks(&self) -> impl Iterator<Item = f64> {
        let step = super::scene::nice_step(Span((self.most * 1_000_000.0 / 4.0) as u64)).as_secs_f64();
        let most = self.most;
        (0..)
            .map(move |n| f64::from(n) * step)
            .take_while(move |seconds| *seconds <= most)
    }

    /// The labels of a chart of this size in CSS pixels.
    pub fn labels(&self, width: f32, height: f32) -> Vec<Text> {
        let text = |x: f32, y: f32, text: String, anchor: Anchor| Text {
            x,
            y,
            text,
            anchor,
            font: Font::Axis,
        };
        let floor = height - BOTTOM;
        let y = |seconds: f64| floor - (seconds / self.most) as f32 * (floor - TOP);
        let scale = self
            .marks()
            .map(|s| text(LEFT - 5.0, y(s) + 4.0, format!("{s} s"), Anchor::End));
        let plot = Plot {
            left: LEFT,
            right: width - RIGHT,
            from: self.from,
            until: self.until,
        };
        let instants = [self.from, self.from + plot.span() / 2, self.until];
        let anchors = [Anchor::Start, Anchor::Middle, Anchor::End];
        let axis = instants
            .into_iter()
            .zip(anchors)
            .map(|(t, anchor)| text(plot.x(t), height - 5.0, format!("{:.0} s", t.as_secs_f64()), anchor));
        scale.chain(axis).collect()
    }
}

fn colour(theme: Theme, ink: Ink) -> RGBColor {
    theme.colour(ink).into()
}

/// A sawtooth for each reign: from every renewal down to the next.
fn by_store(story: &Story, from: SimTime, until: SimTime) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    let mut end = None;
    for fuse in &story.store.fuses {
        let (a, b) = (fuse.from.max(from), fuse.until.min(until));
        if a >= b {
            continue;
        }
        let points = [a, b].map(|t| (t.as_secs_f64(), fuse.left(t).as_secs_f64()));
        match curves
            .last_mut()
            .filter(|curve| end == Some(a) && curve.node == fuse.holder.0)
        {
            Some(curve) => curve.points.extend(points),
            None => curves.push(Curve {
                node: fuse.holder.0,
                points: points.to_vec(),
            }),
        }
        end = Some(b);
    }
    curves
}

fn by_holder(story: &Story, from: SimTime, until: SimTime) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for (node, lane) in story.nodes.iter().enumerate() {
        let mut end = None;
        for belief in &lane.beliefs {
            let (a, b) = (belief.from.max(from), belief.until.min(until));
            if a >= b {
                continue;
            }
            let left = |t: SimTime| (t.as_secs_f64(), belief.is.expires.since(t).as_secs_f64());
            match curves.last_mut().filter(|_| end == Some(a)) {
                Some(curve) => curve.points.extend([a, b].map(left)),
                None => curves.push(Curve {
                    node: node as u8,
                    points: [a, b].map(left).to_vec(),
                }),
            }
            end = Some(b);
        }
    }
    curves
}
