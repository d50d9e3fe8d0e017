//! Colours, painting, SVG, chart.

use super::super::marks::{Scene, Shape};
use super::super::paint::{Pen, paint};
use super::super::{Anchor, Chart, Font, Ink, Rgb, Style, Text, Theme, View, scene, svg};
use super::play;
use crate::engine::SimTime;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, DrawingBackend, DrawingErrorKind};
use std::convert::Infallible;

/// Of sRGB, 0 to 1.
fn linear(channel: u8) -> f64 {
    let c = f64::from(channel) / 255.0;
    if c <= 0.04045 {
        c / 12.92
    } else {
        ((c + 0.055) / 1.055).powf(2.4)
    }
}

fn luminance(rgb: Rgb) -> f64 {
    0.2126 * linear(rgb.0) + 0.7152 * linear(rgb.1) + 0.0722 * linear(rgb.2)
}

fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn every_text_stands_out_from_what_is_behind_it() {
    for theme in [Theme::Light, Theme::Dark] {
        let colour = |ink| theme.colour(ink);
        for ink in [Ink::Text, Ink::Mute, Ink::Bad] {
            let ratio = contrast(colour(ink), colour(Ink::Paper));
            assert!(ratio >= 4.5, "{theme:?} {ink:?} on paper: {ratio:.2}");
        }
        for node in 0..7 {
            let ratio = contrast(colour(Ink::OnNode), colour(Ink::Node(node)));
            assert!(ratio >= 4.5, "{theme:?} on node {node}: {ratio:.2}");
        }
    }
}

/// How people see who lack the cones for red, green or blue (Machado, Oliveira and Fernandes 2009, severity 1).
const BLINDNESS: [[[f64; 3]; 3]; 4] = [
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
];

/// The colour in CIE L*a*b*, as seen with one of the above.
fn seen(rgb: Rgb, with: &[[f64; 3]; 3]) -> [f64; 3] {
    let light = [linear(rgb.0), linear(rgb.1), linear(rgb.2)];
    let [r, g, b] = with.map(|row| row.iter().zip(light).map(|(a, b)| a * b).sum::<f64>().clamp(0.0, 1.0));
    let xyz = [
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
    ];
    let [x, y, z] = xyz.map(|t| {
        if t > 0.008856 {
            t.cbrt()
        } else {
            7.787 * t + 16.0 / 116.0
        }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[test]
fn all_nodes_look_different_to_everybody() {
    for theme in [Theme::Light, Theme::Dark] {
        for with in &BLINDNESS {
            let nodes: Vec<[f64; 3]> = (0..7).map(|n| seen(theme.colour(Ink::Node(n)), with)).collect();
            for (a, one) in nodes.iter().enumerate() {
                for (b, other) in nodes.iter().enumerate().skip(a + 1) {
                    let distance = one.iter().zip(other).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
                    assert!(distance > 13.0, "{theme:?} nodes {a} and {b}: {distance:.1}");
                }
            }
        }
    }
}

/// Remembers what it was asked to paint.
#[derive(Default)]
struct Recorder {
    pens: Vec<Pen>,
    texts: usize,
    beyond: usize,
    size: (u32, u32),
}

impl Recorder {
    fn took<S: BackendStyle>(&mut self, style: &S, points: &[BackendCoord]) {
        let BackendColor { alpha, rgb } = style.color();
        let colour = Rgb(rgb.0, rgb.1, rgb.2);
        self.pens.push(Pen {
            colour,
            alpha: alpha as f32,
            width: style.stroke_width(),
        });
        let inside = |&(x, y): &BackendCoord| x >= 0 && y >= 0 && x <= self.size.0 as i32 && y <= self.size.1 as i32;
        self.beyond += points.iter().filter(|point| !inside(point)).count();
    }
}

type Done = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for &mut Recorder {
    type ErrorType = Infallible;
    fn get_size(&self) -> (u32, u32) {
        self.size
    }
    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }
    fn present(&mut self) -> Done {
        Ok(())
    }
    fn draw_pixel(&mut self, _: BackendCoord, _: BackendColor) -> Done {
        Ok(())
    }
    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Done {
        self.took(style, &[from, to]);
        Ok(())
    }
    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, _: bool) -> Done {
        self.took(style, &[from, to]);
        Ok(())
    }
    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Done {
        self.took(style, &Vec::from_iter(path));
        Ok(())
    }
    fn draw_circle<S: BackendStyle>(&mut self, at: BackendCoord, _: u32, style: &S, _: bool) -> Done {
        self.took(style, &[at]);
        Ok(())
    }
    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, corners: I, style: &S) -> Done {
        self.took(style, &Vec::from_iter(corners));
        Ok(())
    }
    fn draw_text<T: plotters_backend::BackendTextStyle>(&mut self, _: &str, _: &T, _: BackendCoord) -> Done {
        self.texts += 1;
        Ok(())
    }
}

#[test]
fn a_drawing_is_painted_style_by_style_so_that_one_path_does_for_each() {
    let story = play("agent-paused").story();
    let drawing = scene(
        &story,
        &View {
            from: SimTime::ZERO,
            until: story.end(),
            width: 946.0,
        },
    );
    let mut recorder = Recorder {
        size: (1_892, (drawing.height * 2.0) as u32),
        ..Recorder::default()
    };
    paint(&drawing, Theme::Light, 2.0, &mut &mut recorder).expect("painted");
    let mut changes = recorder.pens.clone();
    changes.dedup();
    assert!(changes.len() <= drawing.batches.len(), "{} pens", changes.len());
    assert!(recorder.pens.len() > 500);
    assert_eq!((recorder.texts, recorder.beyond), (0, 0));
}

/// Who took over.
fn winner(story: &super::super::Story) -> u8 {
    let name = super::winner(story);
    story.nodes.iter().position(|node| node.name == name).expect("a node") as u8
}

#[test]
fn the_chart_shows_the_lease_by_both_clocks_and_writes_nothing_itself() {
    let story = play("agent-paused").story();
    let chart = Chart::around(&story, SimTime(75_000_000));
    assert_eq!((chart.from, chart.until), (SimTime(45_000_000), SimTime(105_000_000)));
    let nodes = |curves: &[super::super::Curve]| curves.iter().map(|curve| curve.node).collect::<Vec<u8>>();
    let winner = winner(&story);
    assert_eq!(nodes(&chart.by_store), vec![0, winner]);
    assert_eq!(nodes(&chart.by_holder), vec![0, winner]);
    let mut recorder = Recorder {
        size: (600, 240),
        ..Recorder::default()
    };
    chart.draw(&mut recorder, Theme::Dark, 2.0).expect("drawn");
    assert_eq!((recorder.texts, recorder.beyond), (0, 0));
    assert!(
        recorder
            .pens
            .iter()
            .any(|pen| pen.colour == Theme::Dark.colour(Ink::Node(winner)))
    );
    for label in chart.labels(300.0, 120.0) {
        assert!(
            label.x >= 0.0 && label.x <= 300.0 && label.y > 0.0 && label.y < 120.0,
            "{label:?}"
        );
    }
}

#[test]
fn at_the_edges_of_a_run_the_chart_stays_inside_it() {
    let story = play("two-candidates").story();
    assert_eq!(Chart::around(&story, SimTime::ZERO).from, SimTime::ZERO);
    assert_eq!(Chart::around(&story, story.end()).until, story.end());
}

#[test]
fn svg_has_attributes_and_no_inline_style() {
    let mut drawing = Scene {
        width: 100.0,
        height: 40.0,
        ..Scene::default()
    };
    drawing.put(
        Style::Expiry,
        Shape::Line {
            x1: 1.0,
            y1: 2.5,
            x2: 1.0,
            y2: 30.0,
        },
    );
    drawing.put(
        Style::Writable(0),
        Shape::Rect {
            x: 0.0,
            y: 0.0,
            w: 33.333,
            h: 4.0,
        },
    );
    drawing.texts.push(Text {
        x: 5.0,
        y: 12.0,
        text: "a <-> b".to_owned(),
        anchor: Anchor::Start,
        font: Font::Chip,
    });
    let expected = r##"<svg xmlns="http://www.w3.org/2000/svg" width="100" height="40" viewBox="0 0 100 40">
<rect width="100" height="40" fill="#fbfaf7"/>
<g data-style="Writable(0)" fill="#0072b2" opacity="1">
<rect x="0" y="0" width="33.33" height="4"/>
</g>
<g data-style="Expiry" fill="none" stroke="#1b1f24" stroke-width="1" stroke-dasharray="4" opacity="1">
<path d="M1 2.5L1 30"/>
</g>
<text x="5" y="12" font-family="Inter, &quot;Segoe UI&quot;, system-ui, sans-serif" font-size="12" text-anchor="start" fill="#1b1f24">a &lt;-&gt; b</text>
</svg>
"##;
    assert_eq!(svg(&drawing, Theme::Light), expected);
}
