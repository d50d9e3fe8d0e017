//! Belief and effect: who took itself for the leader, who could commit.

use super::story::{N1, N2, N3, Story, ms};
use crate::engine::{Finding, Life, Span};
use crate::scenario::Placement;
use crate::verdict::{Meter, NodeSet};
use crate::vocabulary::{Note, Phase};
use crate::world::Layout;

#[test]
fn two_writable_databases_are_one_interval_for_each_set_of_them_and_one_stretch_in_the_totals() {
    let mut story = Story::begin("");
    story.at(10_000).database(N2, Phase::Primary);
    let first = story.last();
    story.at(12_000).database(N3, Phase::Primary);
    story.at(15_000).database(N1, Phase::Stopping);
    story.at(20_000).database(N3, Phase::Stopping);
    story.at(30_000).database(N1, Phase::Primary);
    story.at(31_000).database(N2, Phase::Down);
    let verdict = story.end(40_000);
    let two = &verdict.two_primaries;
    let told: Vec<_> = two
        .intervals
        .iter()
        .map(|i| (i.from, i.to, i.nodes.join(" ")))
        .collect();
    assert_eq!(
        told,
        [
            (ms(10_000), ms(12_000), "node1 node2".to_owned()),
            (ms(12_000), ms(15_000), "node1 node2 node3".to_owned()),
            (ms(15_000), ms(20_000), "node2 node3".to_owned()),
            (ms(30_000), ms(31_000), "node1 node2".to_owned()),
        ]
    );
    assert_eq!(
        (two.total, two.longest),
        (Span::from_millis(11_000), Span::from_millis(10_000))
    );
    let finding = verdict.finding("one writable primary").unwrap();
    assert_eq!(
        (finding.holds, finding.first, finding.event),
        (false, Some(ms(10_000)), Some(first))
    );
}

#[test]
fn a_handover_within_one_instant_is_neither_an_overlap_nor_an_outage() {
    let mut story = Story::begin("");
    story
        .at(10_000)
        .database(N2, Phase::Primary)
        .database(N1, Phase::Stopping);
    story
        .at(20_000)
        .database(N2, Phase::Stopping)
        .database(N1, Phase::Primary);
    let verdict = story.end(40_000);
    assert!(!verdict.two_primaries.ever && verdict.outages.is_empty());
    assert!(verdict.finding("one writable primary").unwrap().holds);
}

#[test]
fn a_stopped_or_dead_database_is_not_writable_and_neither_is_one_on_a_stopped_host() {
    for (name, stops, goes_on) in [
        ("node1/postgres", Life::Paused, Life::Resumed),
        ("node1", Life::Paused, Life::Resumed),
        ("node1", Life::Killed, Life::Started),
    ] {
        let mut story = Story::begin("");
        story.at(10_000).life(name, stops);
        story.at(15_000).life(name, goes_on);
        let verdict = story.end(100_000);
        assert_eq!(verdict.outages.len(), 1, "{name} {stops:?}");
        assert_eq!(
            (verdict.outages[0].from, verdict.outages[0].to),
            (ms(10_000), ms(15_000))
        );
        assert_eq!(verdict.writable, Span::from_secs(95));
    }
}

#[test]
fn a_database_process_that_is_started_again_is_writable_only_when_it_says_so() {
    let mut story = Story::begin("");
    story.at(10_000).life("node1/postgres", Life::Killed);
    story.at(11_000).life("node1/postgres", Life::Started);
    story.at(13_000).database(N1, Phase::Primary);
    let verdict = story.end(100_000);
    assert_eq!(
        (verdict.outages[0].from, verdict.outages[0].to),
        (ms(10_000), ms(13_000))
    );
}

#[test]
fn a_run_without_a_writable_database_is_one_outage() {
    let scenario = crate::scenario::Scenario::parse("duration_s = 5", "").unwrap();
    let layout = Layout::new(&scenario.cluster.nodes, 1, Placement::Own, false, 0);
    let verdict = Meter::new(&scenario, &layout).finish(ms(5_000), 0, &[], None);
    assert_eq!((verdict.outages[0].to, verdict.writable), (ms(5_000), Span::ZERO));
    assert!(verdict.sentence().ends_with("No database accepted writes at any time."));
}

#[test]
fn a_belief_ends_by_the_believers_own_clock() {
    // Ten per cent too fast: 30 s of its own are over after 27.272728 s.
    let mut story = Story::begin("[[fault]]\nat_s = 0\nkind = \"clock_rate\"\ntarget = \"node1\"\nppm = 100000\n");
    story.fault(0, true).believes(N1, 30_000).believes(N2, 60_000);
    let verdict = story.end(50_000);
    assert_eq!(verdict.believers.intervals[0].to.as_micros(), 27_272_728);
    assert_eq!(verdict.believers.most_at_once, 2);
}

#[test]
fn a_wall_clock_that_jumps_back_prolongs_a_belief_and_even_revives_one() {
    let jump = "[[fault]]\nat_s = 15\nkind = \"clock_step\"\ntarget = \"node1\"\nby_s = -4\n";
    for (believed_ms, until_ms) in [(20_000, 24_000), (12_000, 16_000)] {
        let mut story = Story::begin(jump);
        story.believes(N1, believed_ms);
        story.at(15_000).fault(0, true);
        let record = story.end(50_000).record;
        let believes = |at| record.at(ms(at)).believers.contains(N1);
        assert!(believes(15_000) && believes(until_ms - 1) && !believes(until_ms));
    }
}

#[test]
fn a_belief_that_begins_after_a_jump_lasts_its_full_time() {
    let mut story = Story::begin("[[fault]]\nat_s = 1\nkind = \"clock_step\"\ntarget = \"node1\"\nby_s = 500\n");
    story.at(1_000).fault(0, true);
    story.at(2_000).believes(N1, 10_000);
    let record = story.end(50_000).record;
    let believes = |at| record.at(ms(at)).believers.contains(N1);
    assert!(believes(2_000) && believes(11_999) && !believes(12_000));
}

#[test]
fn a_stopped_agent_goes_on_believing_and_a_dead_one_believes_nothing() {
    let mut story = Story::begin("");
    story.believes(N1, 30_000).believes(N2, 30_000);
    story
        .at(5_000)
        .life("node1/agent", Life::Paused)
        .life("node2/agent", Life::Killed);
    let record = story.end(50_000).record;
    let believers = |at| record.at(ms(at)).believers;
    assert_eq!(believers(5_000), NodeSet::EMPTY.with(N1));
    assert_eq!(believers(29_999), NodeSet::EMPTY.with(N1));
    assert_eq!(believers(30_000), NodeSet::EMPTY);
}

#[test]
fn who_says_that_it_stops_believing_does() {
    let mut story = Story::begin("");
    story.believes(N1, 30_000);
    story.at(5_000).note("node1/agent", Note::StopsBelieving);
    assert_eq!(story.end(50_000).record.at(ms(5_000)).believers, NodeSet::EMPTY);
}

#[test]
fn a_broken_rule_of_the_engine_is_a_finding_with_its_text() {
    let scenario = crate::scenario::Scenario::default();
    let layout = Layout::new(&scenario.cluster.nodes, 1, Placement::Own, false, 0);
    let broken = Finding {
        at: ms(3),
        text: "a timer fired twice".to_owned(),
    };
    let verdict = Meter::new(&scenario, &layout).finish(ms(5_000), 0, &[broken], None);
    let finding = verdict.finding("engine rules").unwrap();
    assert_eq!(
        (finding.holds, finding.detail.as_deref()),
        (false, Some("a timer fired twice"))
    );
}
