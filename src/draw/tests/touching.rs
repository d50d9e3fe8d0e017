//! What lies under a pointer.

use super::*;
use crate::draw::{Dress, LaneKey, Part, Scene, Spot, Style, Tip, View, dressed, put_carried};

fn drawn(width: f32, faults: &str) -> Scene {
    let text = format!("duration_s = 100\n[traffic]\nwriters = 0\n{faults}");
    let story = told(&text);
    let view = View {
        from: SimTime::ZERO,
        until: story.end(),
        width,
    };
    dressed(&story, &view, &Dress::default())
}

const TWO: &str = "[[fault]]\nat_s = 20\nfor_s = 40\nkind = \"pause\"\ntarget = \"node1/agent\"\n\
                   [[fault]]\nat_s = 80\nkind = \"clock_step\"\nby_s = 1\ntarget = \"node2\"\n";

#[test]
fn a_chip_is_held_at_its_ends_and_in_its_middle_and_a_finger_has_more_room() {
    let scene = drawn(1000.0, TWO);
    let [pause, step] = scene.chips[..] else {
        panic!("{:?}", scene.chips)
    };
    assert_eq!((pause.fault, step.fault), (0, 1));
    let y = pause.y + pause.height / 2.0;
    let at = |x, tip| scene.chip_at((x, y), tip);
    assert_eq!(at((pause.x0 + pause.x1) / 2.0, Tip::Mouse), Some((0, Part::Whole)));
    assert_eq!(at(pause.x0 + 2.0, Tip::Mouse), Some((0, Part::Start)));
    assert_eq!(at(pause.x1 - 2.0, Tip::Mouse), Some((0, Part::End)));
    assert_eq!(at(pause.x1 - 12.0, Tip::Mouse), Some((0, Part::Whole)));
    assert_eq!(at(pause.x1 - 12.0, Tip::Finger), Some((0, Part::End)));
    assert_eq!(at(pause.x1 + 8.0, Tip::Mouse), None);
    assert_eq!(at(pause.x1 + 8.0, Tip::Finger), Some((0, Part::End)));
    assert_eq!(
        scene.chip_at((step.x0, step.y + 5.0), Tip::Mouse),
        Some((1, Part::Whole)),
        "an instant has no ends"
    );
    assert_eq!(scene.chip_at((pause.x0 + 50.0, y + 60.0), Tip::Mouse), None);
}

#[test]
fn a_place_is_a_lane_and_a_moment_and_nothing_beside_the_plot() {
    let scene = drawn(1000.0, TWO);
    for lane in &scene.lanes {
        let spot = scene
            .spot_at((scene.plot.x(SimTime(50_000_000)), lane.y + lane.height / 2.0))
            .expect("a place");
        assert_eq!(spot.lane, Some(lane.key));
        assert_eq!(spot.at, SimTime(50_000_000));
    }
    let step = scene.plot.step().0;
    assert!(
        step > 1
            && (300..320).all(|x| scene
                .spot_at((x as f32, 100.0))
                .is_some_and(|spot| spot.at.0 % step == 0)),
        "round times"
    );
    assert_eq!(scene.spot_at((4.0, 100.0)), None);
    assert_eq!(scene.spot_at((500.0, scene.height + 1.0)), None);
}

#[test]
fn what_is_carried_marks_its_lane_and_its_moment_and_stays_within_the_drawing() {
    let scene = drawn(390.0, TWO);
    for at in [0, 50_000_000, 100_000_000] {
        let mut above = Scene {
            width: scene.width,
            height: scene.height,
            plot: scene.plot,
            ..Scene::default()
        };
        let spot = Spot {
            at: SimTime(at),
            lane: Some(LaneKey::Faults),
        };
        put_carried(&mut above, &scene, spot, "Cut it off from everything");
        let [text] = &above.texts[..] else {
            panic!("{:?}", above.texts)
        };
        assert!(
            text.x >= scene.plot.left && text.x + text.font.width(&text.text) <= scene.width,
            "{text:?}"
        );
        assert!(above.batches.iter().any(|batch| batch.style == Style::Target));
    }
}

#[test]
fn the_chosen_fault_stands_out_by_its_edge() {
    let story = told(&format!("duration_s = 100\n{TWO}"));
    let view = View {
        from: SimTime::ZERO,
        until: story.end(),
        width: 1000.0,
    };
    let edges = |chosen| {
        let scene = dressed(
            &story,
            &view,
            &Dress {
                chosen,
                ..Dress::default()
            },
        );
        let count = |style| count(&scene, style);
        (count(Style::Chip), count(Style::ChipChosen))
    };
    assert_eq!((edges(None), edges(Some(1))), ((2, 0), (1, 1)));
}
