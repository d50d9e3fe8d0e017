//! Stand-in until the drawing room paints on canvases itself.
use crate::draw::{Anchor, Paint, Scene, Shape, Theme};
use web_sys::CanvasRenderingContext2d;

pub fn paint(context: &CanvasRenderingContext2d, scene: &Scene, theme: Theme) {
    for batch in &scene.batches {
        let look = batch.style.look();
        let colour = theme.colour(look.ink).css();
        context.set_global_alpha(f64::from(look.alpha));
        context.set_fill_style_str(&colour);
        context.set_stroke_style_str(&colour);
        context.begin_path();
        for shape in &batch.shapes {
            match *shape {
                Shape::Rect { x, y, w, h } => context.rect(x.into(), y.into(), w.into(), h.into()),
                Shape::Line { x1, y1, x2, y2 } => {
                    context.move_to(x1.into(), y1.into());
                    context.line_to(x2.into(), y2.into());
                }
                Shape::Quad(points) => {
                    context.move_to(points[0].0.into(), points[0].1.into());
                    for (x, y) in &points[1..] {
                        context.line_to((*x).into(), (*y).into());
                    }
                    context.close_path();
                }
                Shape::Circle { x, y, r } => {
                    context.move_to((x + r).into(), y.into());
                    let _ = context.arc(x.into(), y.into(), r.into(), 0.0, 6.3);
                }
                Shape::Cross { .. } => {}
            }
        }
        match look.how {
            Paint::Fill => context.fill(),
            Paint::Hatch { .. } => {}
            Paint::Stroke { width } | Paint::Dashed { width, .. } => {
                context.set_line_width(width.into());
                context.stroke();
            }
        }
    }
    context.set_global_alpha(1.0);
    for text in &scene.texts {
        let (size, bold, ink) = text.font.look();
        context.set_font(&format!(
            "{}{size}px {}",
            if bold { "bold " } else { "" },
            crate::draw::FAMILY
        ));
        context.set_fill_style_str(&theme.colour(ink).css());
        context.set_text_align(match text.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "center",
            Anchor::End => "end",
        });
        let _ = context.fill_text(&text.text, text.x.into(), text.y.into());
    }
}
