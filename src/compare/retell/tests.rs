//! Recorded runs, told.

use super::retell;
use crate::compare::Recording;
use crate::draw::story::{FuseEnd, Halt, Story, Tone};
use crate::draw::{Theme, View, scene, svg};
use crate::engine::{SimTime, Span};
use crate::vocabulary::{NodeId, Phase};
use std::path::Path;

const FAULT: SimTime = SimTime(40_000_000);

fn recording(id: &str) -> Recording {
    Recording::read(Path::new(&format!("tests/recordings/{id}.json"))).expect("a recording")
}
fn told(id: &str) -> Story {
    retell(&recording(id), FAULT)
}
fn at_ms(ms: u64) -> SimTime {
    FAULT + Span::from_millis(ms)
}
fn draw(story: &Story) -> String {
    let view = View {
        from: SimTime::ZERO,
        until: story.end(),
        width: 900.0,
    };
    svg(&scene(story, &view), Theme::Light)
}
/// From when to when, and what, of one node's database.
fn states(story: &Story, node: usize) -> Vec<(SimTime, Phase, u32)> {
    let database = story.nodes[node].database.iter();
    database.map(|s| (s.from, s.is.phase, s.is.timeline.0)).collect()
}
fn says(story: &Story, words: &str) -> bool {
    story.rows.iter().any(|row| row.text.contains(words))
}

#[test]
fn a_killed_agent_leaves_two_primaries_for_as_long_as_was_recorded() {
    let story = told("s3-default-02");
    let [only] = story.verdict.two_primaries.intervals.as_slice() else {
        panic!("{:?}", story.verdict.two_primaries);
    };
    assert_eq!((only.from, only.to), (at_ms(35_056), at_ms(53_251)));
    assert_eq!(only.nodes, ["pg1", "pg2"]);
    assert_eq!(story.verdict.two_primaries.total, Span::from_millis(18_195));
    assert_eq!(story.verdict.writes.lost, 568);
    assert_eq!(
        story.verdict.headline(),
        "Yes, for 18.2 s: from 75.1 s to 93.3 s pg1 and pg2 both accepted writes. 568 acknowledged writes are lost."
    );
    let danger: Vec<&str> = story
        .rows
        .iter()
        .filter(|row| row.tone == Tone::Danger)
        .map(|row| row.text.as_str())
        .collect();
    assert_eq!(
        danger,
        [
            "two primaries: pg1 and pg2 accept writes at the same time",
            "only pg1 accepts writes now"
        ]
    );
}

#[test]
fn its_lanes_show_the_databases_the_dead_agent_and_the_burning_lease() {
    let story = told("s3-default-02");
    assert_eq!(
        states(&story, 0),
        [
            (at_ms(0) - Span::from_millis(31_837), Phase::Recovery, 1),
            (at_ms(35_056), Phase::Primary, 2)
        ]
    );
    let old = states(&story, 1);
    assert_eq!(old[1], (at_ms(53_300), Phase::Down, 1));
    assert_eq!(old.last(), Some(&(at_ms(62_541), Phase::Recovery, 2)));
    let [dead] = story.nodes[1].agent_halts.as_slice() else {
        panic!("the agent is dead once");
    };
    assert_eq!((dead.from, dead.until, dead.is), (FAULT, at_ms(50_098), Halt::Dead));
    let expired: Vec<_> = story
        .store
        .fuses
        .iter()
        .filter(|fuse| fuse.end == FuseEnd::Expired)
        .collect();
    let [expired] = expired.as_slice() else {
        panic!("{:?}", story.store.fuses);
    };
    // Lit between the last renewal's request and its answer, 5.8 s before the fault.
    assert_eq!((expired.holder, expired.until), (NodeId(1), at_ms(24_653)));
    assert_eq!(expired.lit, SimTime(FAULT.0 - 5_788_500));
    assert_eq!(expired.ttl, Span::from_secs(30));
    let failover = &story.verdict.failovers[0];
    assert_eq!((failover.from.as_str(), failover.to.as_str()), ("pg2", "pg1"));
    assert_eq!(
        (failover.key_gone, failover.writable),
        (Some(at_ms(24_653)), Some(at_ms(35_056)))
    );
    assert!(says(&story, "pg2’s agent is killed; its database runs on"));
    assert!(says(
        &story,
        "pg1 logs “promoted self to leader by acquiring session lock”"
    ));
}

#[test]
fn what_was_not_recorded_stays_empty() {
    let story = told("s3-default-02");
    assert!(story.detail.flights.is_empty() && story.detail.beats.is_empty() && story.router.is_empty());
    assert!(
        story
            .nodes
            .iter()
            .all(|node| node.beliefs.is_empty() && node.steps.is_empty())
    );
    assert!(story.store.members.iter().all(|member| member.commits.is_empty()));
    assert!(story.writes.kept.is_empty());
    // While the recorder does not write, nobody is shown as writable.
    let quiet = recording("s3q-default-01");
    let story = retell(&quiet, FAULT);
    let old = super::node_index(&quiet.derived.old_leader).expect("a node");
    let paused = at_ms(1_000);
    assert!(crate::draw::story::at(&story.nodes[old].database, paused).is_none());
    assert!(says(&story, "the recorder stops its writes"));
    let words = story.comment.expect("a note");
    assert!(words.starts_with("The recorder wrote nothing from "), "{words}");
}

#[test]
fn a_leader_that_is_cut_off_stops_before_another_begins() {
    let story = told("s6-default-02");
    assert!(!story.verdict.two_primaries.ever);
    assert!(story.verdict.headline().starts_with("No:"));
    assert_eq!(story.faults.len(), 1);
    assert!(story.faults[0].label.starts_with("cut from store and peers: pg"));
    assert!(story.nodes.iter().all(|node| node.agent_halts.is_empty()));
    assert_eq!(story.verdict.failovers.len(), 1);
}

#[test]
fn a_store_without_majority_shows_its_dead_members() {
    let recording = recording("s9off-fast-01");
    let story = retell(&recording, FAULT);
    let dead = story.store.members.iter().filter(|member| !member.halts.is_empty());
    assert_eq!(dead.count(), 2);
    for member in &story.store.members {
        let places = &member.places;
        let alive = places.iter().all(|place| {
            member
                .halts
                .iter()
                .all(|halt| place.until <= halt.from || halt.until <= place.from)
        });
        assert!(alive, "{}: {places:?}", member.name);
    }
    assert!(says(&story, "knows no leader"));
    assert!(!story.verdict.two_primaries.ever && story.verdict.failovers.is_empty());
}

#[test]
fn every_recording_is_told_in_order_within_its_time_and_as_its_own_figures_say() {
    for recording in Recording::read_all(Path::new("tests/recordings")).expect("recordings") {
        let id = &recording.id;
        let story = retell(&recording, FAULT);
        let end = story.end();
        assert!(story.rows.is_sorted_by_key(|row| row.at), "{id}");
        assert!(story.rows.iter().all(|row| row.at <= end), "{id}");
        for node in &story.nodes {
            assert!(
                node.database.windows(2).all(|pair| pair[0].until <= pair[1].from),
                "{id}"
            );
            assert!(node.database.iter().all(|s| s.from < s.until && s.until <= end), "{id}");
            assert!(!node.cycles.is_empty(), "{id}");
        }
        let fuses = &story.store.fuses;
        assert!(
            !fuses.is_empty() && fuses.windows(2).all(|pair| pair[0].until <= pair[1].from),
            "{id}"
        );
        let overlap = recording.figure("overlap_ms").unwrap_or(0.0);
        let told = story.verdict.two_primaries.total.as_millis_f64();
        assert!(
            (told - overlap).abs() <= 5.0,
            "{id}: {told} ms told, {overlap} ms recorded"
        );
        assert_eq!(
            f64::from(story.verdict.writes.lost),
            recording.figure("lost_acked").unwrap_or(0.0),
            "{id}"
        );
        let failover = story
            .verdict
            .failovers
            .iter()
            .any(|failover| failover.to != recording.derived.old_leader);
        assert_eq!(
            failover, recording.derived.failover,
            "{id}: {:?}",
            story.verdict.failovers
        );
        assert!(!draw(&story).is_empty());
        assert!(!story.lists().is_empty());
    }
}
