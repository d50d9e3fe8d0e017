//! Two runs side by side.

use super::*;
use crate::draw::{Dress, View, dressed, parting, twins};

fn told(text: &str) -> Story {
    let scenario = Scenario::parse(text, "test").expect("valid");
    let run = run(&scenario);
    let name = "test";
    Played { name, scenario, run }.story()
}

fn paused(at: u32, lasts: u32, more: &str) -> Story {
    told(&format!(
        "duration_s = 100\nseed = 5\n{more}[[fault]]\nat_s = {at}\nfor_s = {lasts}\nkind = \"pause\"\ntarget = \"node1/agent\"\n"
    ))
}

#[test]
fn two_runs_part_where_they_first_differ_and_not_before() {
    let before = paused(40, 20, "");
    let s = |from: f64, until: f64, at: Option<SimTime>| {
        let at = at.expect("they part").as_secs_f64();
        assert!(from <= at && at <= until, "{at}");
    };
    assert_eq!(parting(&before, &paused(40, 20, "")), None);
    s(50.0, 50.0, parting(&before, &paused(40, 10, "")));
    s(30.0, 30.0, parting(&before, &paused(30, 30, "")));
    s(
        0.0,
        1.0,
        parting(
            &before,
            &paused(40, 20, "[network]\nlatency_ms = { min = 2, typical = 3, max = 4 }\n"),
        ),
    );
}

#[test]
fn figures_stand_side_by_side_and_what_differs_says_by_how_much() {
    let (long, short) = (paused(30, 50, ""), paused(30, 5, ""));
    let figures = twins(&long.verdict, &short.verdict);
    let figure = |title: &str| figures.iter().find(|twin| twin.title == title).expect("a figure");
    let two = figure("Two primaries, in all");
    assert!(long.verdict.two_primaries.ever && two.after == "0 s");
    assert_eq!(two.differs, Some(format!("− {}", two.before)));
    assert_eq!(figure("Failovers").differs.as_deref(), Some("− 1"));
    assert!(
        twins(&long.verdict, &long.verdict)
            .iter()
            .all(|twin| twin.differs.is_none())
    );
}

#[test]
fn where_they_part_a_line_says_so_in_words() {
    let story = paused(40, 20, "");
    let view = View {
        from: SimTime::ZERO,
        until: story.end(),
        width: 900.0,
    };
    let dress = Dress {
        parting: Some(SimTime(40_000_000)),
        ..Dress::default()
    };
    let words = |dress: &Dress| {
        dressed(&story, &view, dress)
            .texts
            .iter()
            .any(|text| text.text == "the runs part")
    };
    assert!(words(&dress) && !words(&Dress::default()));
}
