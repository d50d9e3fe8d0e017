//! Notes on the timeline, as they are drawn.

use super::*;
use crate::draw::{Dress, Remark, Scene, Shape, Style, View, dressed};
use std::rc::Rc;

fn drawn(remarks: &[(u64, &str)], from: u64, until: u64) -> Scene {
    let story = play("steady-state").story();
    let view = View {
        from: SimTime(from * 1_000_000),
        until: SimTime(until * 1_000_000),
        width: 900.0,
    };
    let remark = |(at, text): &(u64, &str)| Remark::new(SimTime(at * 1_000_000), text).expect("something is said");
    let dress = Dress {
        remarks: Rc::new(remarks.iter().map(remark).collect()),
        ..Dress::default()
    };
    dressed(&story, &view, &dress)
}

/// Where the flags stand.
fn flags(scene: &Scene) -> Vec<f32> {
    let batch = scene.batches.iter().find(|batch| batch.style == Style::RemarkFlag);
    let shapes = batch.map(|batch| batch.shapes.as_slice()).unwrap_or_default();
    let place = |shape: &Shape| match shape {
        Shape::Quad([(x, _), ..]) => *x,
        other => panic!("{other:?}"),
    };
    shapes.iter().map(place).collect()
}

#[test]
fn a_note_in_view_has_a_flag_at_its_moment_with_its_words_and_one_out_of_view_has_none() {
    let scene = drawn(&[(5, "before"), (20, "look here"), (50, "after")], 10, 40);
    assert_eq!(flags(&scene), [scene.plot.x(SimTime(20_000_000))]);
    let says = |words: &str| scene.texts.iter().any(|text| text.text == words);
    assert!(says("look here") && !says("before") && !says("after"));
}

#[test]
fn words_end_where_the_next_flag_stands_and_each_flag_stays() {
    let long = "a remark that goes on and on and on, much longer than there is room for";
    let scene = drawn(&[(10, long), (12, "second"), (12, "third")], 0, 60);
    assert_eq!(flags(&scene).len(), 3);
    let next = scene.plot.x(SimTime(12_000_000));
    let cut = scene.texts.iter().find(|text| text.text.starts_with("a rem"));
    if let Some(cut) = cut {
        assert!(cut.x + cut.font.width(&cut.text) <= next, "{}", cut.text);
    }
    assert!(scene.texts.iter().all(|text| text.text != long));
}
