//! A drawing as SVG text, with presentation attributes only: for golden files, for documents, and to look at.

use super::marks::{Anchor, Batch, Scene, Shape, Text};
use super::style::{FAMILY, HALO, Paint};
use super::theme::{Ink, Theme};
use std::fmt::Write;

/// The drawing as one `<svg>` element.
pub fn svg(scene: &Scene, theme: Theme) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, scene, theme);
    out
}

fn write(out: &mut String, scene: &Scene, theme: Theme) -> std::fmt::Result {
    let (w, h) = (number(scene.width), number(scene.height));
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}">"#
    )?;
    let paper = theme.colour(Ink::Paper).css();
    writeln!(out, r#"<rect width="{w}" height="{h}" fill="{paper}"/>"#)?;
    for (n, batch) in scene.batches.iter().enumerate() {
        write_batch(out, n, batch, theme)?;
    }
    for text in &scene.texts {
        write_text(out, text, theme)?;
    }
    writeln!(out, "</svg>")
}

fn write_batch(out: &mut String, n: usize, batch: &Batch, theme: Theme) -> std::fmt::Result {
    let look = batch.style.look();
    let (colour, alpha) = (theme.colour(look.ink).css(), number(look.alpha));
    let paint = match look.how {
        Paint::Fill => format!(r#"fill="{colour}" opacity="{alpha}""#),
        Paint::Stroke { width } => {
            format!(
                r#"fill="none" stroke="{colour}" stroke-width="{}" opacity="{alpha}""#,
                number(width)
            )
        }
        Paint::Dashed { width, dash } => format!(
            r#"fill="none" stroke="{colour}" stroke-width="{}" stroke-dasharray="{}" opacity="{alpha}""#,
            number(width),
            number(dash)
        ),
        Paint::Hatch { width, every } => {
            let (width, every) = (number(width), number(every * std::f32::consts::FRAC_1_SQRT_2));
            writeln!(
                out,
                r#"<pattern id="hatch{n}" width="{every}" height="{every}" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="{width}" height="{every}" fill="{colour}"/></pattern>"#
            )?;
            format!(r#"fill="url(#hatch{n})" opacity="{alpha}""#)
        }
    };
    writeln!(out, r#"<g data-style="{:?}" {paint}>"#, batch.style)?;
    for shape in &batch.shapes {
        write_shape(out, shape)?;
    }
    writeln!(out, "</g>")
}

fn write_shape(out: &mut String, shape: &Shape) -> std::fmt::Result {
    match *shape {
        Shape::Rect { x, y, w, h } => writeln!(
            out,
            r#"<rect x="{}" y="{}" width="{}" height="{}"/>"#,
            number(x),
            number(y),
            number(w),
            number(h)
        ),
        Shape::Line { x1, y1, x2, y2 } => {
            let (x1, y1, x2, y2) = (number(x1), number(y1), number(x2), number(y2));
            writeln!(out, r#"<path d="M{x1} {y1}L{x2} {y2}"/>"#)
        }
        Shape::Quad(corners) => {
            let points: Vec<String> = corners
                .iter()
                .map(|(x, y)| format!("{},{}", number(*x), number(*y)))
                .collect();
            writeln!(out, r#"<polygon points="{}"/>"#, points.join(" "))
        }
        Shape::Circle { x, y, r } => {
            writeln!(
                out,
                r#"<circle cx="{}" cy="{}" r="{}"/>"#,
                number(x),
                number(y),
                number(r)
            )
        }
        Shape::Cross { x, y, r } => {
            let (left, right, top, bottom) = (number(x - r), number(x + r), number(y - r), number(y + r));
            writeln!(
                out,
                r#"<path d="M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}"/>"#
            )
        }
    }
}

fn write_text(out: &mut String, text: &Text, theme: Theme) -> std::fmt::Result {
    let (size, bold, ink) = text.font.look();
    let anchor = match text.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let halo = if text.font.has_halo() {
        let paper = theme.colour(Ink::Paper).css();
        format!(
            r#" paint-order="stroke" stroke="{paper}" stroke-width="{}""#,
            number(HALO * 2.0)
        )
    } else {
        String::new()
    };
    let weight = if bold { r#" font-weight="bold""# } else { "" };
    writeln!(
        out,
        r#"<text x="{}" y="{}" font-family="{}" font-size="{}"{weight}{halo} text-anchor="{anchor}" fill="{}">{}</text>"#,
        number(text.x),
        number(text.y),
        escaped(FAMILY),
        number(size),
        theme.colour(ink).css(),
        escaped(&text.text)
    )
}

/// At most two decimals, and none that say nothing.
fn number(value: f32) -> String {
    let text = format!("{value:.2}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" {
        "0".to_owned()
    } else {
        short.to_owned()
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
