//! The members of the store: lanes, flights, rows, lines and reasons.

use super::super::story::{DiskTrouble, Halt, Lane, Talk};
use super::super::{Scene, Story, Style, View, height, scene, transcript};
use super::whys::{ask, texts};
use super::{Played, count};
use crate::engine::SimTime;
use crate::raft::RoleName;
use crate::scenario::Scenario;
use crate::verdict::run;
use crate::vocabulary::Note;

/// A run of the default cluster with something else in its scenario.
fn play(toml: &str) -> Played {
    let scenario = Scenario::parse(&format!("duration_s = 120\nseed = 7\n{toml}"), "test").expect("valid");
    let run = run(&scenario);
    Played {
        name: "test",
        scenario,
        run,
    }
}

fn fault(at: u32, lasts: u32, kind: &str, target: &str) -> String {
    format!("[[fault]]\nat_s = {at}\nfor_s = {lasts}\nkind = \"{kind}\"\ntarget = \"{target}\"\n")
}

/// Two of three members are dead for a while.
fn without_majority() -> Played {
    play(&(fault(40, 30, "kill", "etcd1") + &fault(40, 30, "kill", "etcd2")))
}

/// The group is cut in two halves.
fn halved() -> Played {
    play(&format!(
        "store.members = 4\n{}",
        fault(30, 30, "cut", "[etcd1, etcd2] | [etcd3, etcd4]")
    ))
}

fn drawn(story: &Story, from: u64, until: u64, width: f32) -> Scene {
    let (from, until) = (SimTime(from * 1_000_000), SimTime(until * 1_000_000));
    scene(story, &View { from, until, width })
}

fn says(drawing: &Scene, words: &str) -> bool {
    drawing.texts.iter().any(|text| text.text.contains(words))
}

#[test]
fn a_store_of_one_has_the_lane_it_always_had_and_every_member_of_a_group_one_of_its_own() {
    let heights = [1, 3, 7].map(|members| {
        let story = play(&format!("store.members = {members}\n")).story();
        let lanes = drawn(&story, 0, 120, 946.0).lanes;
        let own = lanes.iter().filter(|lane| lane.name.starts_with("etcd")).count();
        assert_eq!(own, if members == 1 { 0 } else { members });
        height(&story, 946.0)
    });
    assert_eq!(heights[2] - heights[1], (heights[1] - heights[0]) / 3.0 * 4.0);
}

#[test]
fn a_lane_says_who_leads_in_which_term_who_is_dead_and_for_how_long_nothing_was_decided() {
    let story = without_majority().story();
    let members = &story.store.members;
    assert_eq!(
        members
            .iter()
            .filter(|member| member.halts.iter().any(|halt| halt.is == Halt::Dead))
            .count(),
        2
    );
    let mut terms: Vec<u64> = members
        .iter()
        .flat_map(|member| &member.places)
        .filter(|place| place.is.role == RoleName::Leader)
        .map(|place| place.is.term.0)
        .collect();
    terms.sort_unstable();
    terms.dedup();
    assert_eq!(terms, [2, 3], "one leader in each term");
    for width in [360.0, 946.0] {
        let drawing = drawn(&story, 0, 120, width);
        assert!(says(&drawing, "no quorum") && says(&drawing, "dead"), "at {width}");
        assert!(count(&drawing, Style::StoreLeads) >= 2 && count(&drawing, Style::NoQuorum) == 1);
    }
    assert!(says(&drawn(&story, 0, 120, 946.0), "leads · term 2"));
}

#[test]
fn a_frozen_leader_loses_its_bar_while_it_stands_still() {
    let story = play(
        &(1..=3)
            .map(|m| fault(40, 20, "pause", &format!("etcd{m}")))
            .collect::<String>(),
    )
    .story();
    let drawing = drawn(&story, 45, 55, 946.0);
    assert_eq!(count(&drawing, Style::StoreLeads), 0);
    assert_eq!(count(&drawing, Style::Frozen), 3);
}

#[test]
fn a_disk_that_stalls_is_strokes_and_words_and_never_the_hatching_of_danger() {
    let story = play(&fault(30, 20, "disk_stall", "etcd3/disk")).story();
    let disk = &story.store.members[2].disk;
    assert_eq!((disk.len(), disk[0].is), (1, DiskTrouble::Stalls));
    let drawing = drawn(&story, 0, 120, 946.0);
    assert!(count(&drawing, Style::DiskStalls) > 10 && says(&drawing, "disk stalls"));
    assert_eq!(count(&drawing, Style::DangerHatch), 0);
    assert_eq!(story.at(SimTime(40_000_000)).members[2].disk, Some(DiskTrouble::Stalls));
}

#[test]
fn a_moment_has_the_place_the_term_and_the_log_of_every_member() {
    let story = without_majority().story();
    let before = story.at(SimTime(30_000_000));
    assert!(
        before
            .members
            .iter()
            .any(|member| member.words.starts_with("leads, term 2, log to "))
    );
    let commits: Vec<_> = before.members.iter().map(|member| member.commit).collect();
    assert!(commits[0].is_some() && commits.iter().all(|commit| *commit == commits[0]));
    let dark = story.at(SimTime(50_000_000));
    assert_eq!(dark.no_quorum_since, Some(SimTime(40_000_000)));
    assert_eq!(dark.members[0].words, "dead");
}

#[test]
fn votes_are_always_drawn_and_heartbeats_only_when_very_little_time_is_visible() {
    let story = without_majority().story();
    assert!(story.detail.flights.iter().any(|flight| flight.what == Talk::Vote));
    let member = |lane| matches!(lane, Lane::Member(_));
    assert!(
        story
            .detail
            .flights
            .iter()
            .any(|flight| flight.what == Talk::Append && member(flight.from) && member(flight.to))
    );
    assert!(story.detail.beats.is_sorted_by_key(|beat| beat.sent));
    assert_eq!(count(&drawn(&story, 0, 120, 946.0), Style::Beat), 0);
    assert!(count(&drawn(&story, 10, 12, 946.0), Style::Beat) > 20);
    let election = story
        .detail
        .flights
        .iter()
        .find(|flight| flight.what == Talk::Vote && flight.arrives)
        .expect("a vote");
    let x = drawn(&story, 0, 120, 946.0).plot.x(election.sent);
    let drawing = drawn(&story, 0, 120, 946.0);
    let messages = drawing
        .batches
        .iter()
        .find(|batch| batch.style == Style::Message)
        .expect("messages");
    let at_vote =
        |shape: &super::super::Shape| matches!(shape, super::super::Shape::Line { x1, .. } if (x1 - x).abs() < 1.0);
    assert!(messages.shapes.iter().any(at_vote));
}

#[test]
fn rows_tell_changes_of_the_stores_leader_and_repeated_candidacies_once() {
    let rows = |played: &Played| played.story().rows.into_iter().map(|row| row.text).collect::<Vec<_>>();
    let halved = rows(&halved());
    let has = |rows: &[String], words: &str| rows.iter().filter(|row| row.contains(words)).count();
    assert_eq!(
        has(&halved, "no longer leads the store: it does not hear from a majority"),
        1
    );
    assert_eq!(
        has(
            &halved,
            "the store has no leader: it decides nothing until it has elected one"
        ),
        1
    );
    assert_eq!(has(&halved, "becomes leader of the store in term 3"), 1);
    assert!(has(&halved, "asks who would vote for it in term 3") <= 4, "{halved:#?}");
    assert_eq!(has(&rows(&without_majority()), "the store has no majority"), 1);
    let alone = rows(&play(&format!("store.members = 1\n{}", fault(40, 10, "kill", "etcd1"))));
    assert_eq!(has(&alone, "votes"), 0);
}

#[test]
fn the_conversation_has_votes_and_entries_and_leaves_heartbeats_out() {
    let played = without_majority();
    let text = transcript(&played.run.trace, &played.run.layout, &played.scenario);
    for words in [
        "would you vote for me in term 3? my log ends at",
        "vote for me in term 3! my log ends at",
        "yes, in term 3",
        "in term 3: I lead in term 3",
        "becomes leader of the store in term 3",
    ] {
        assert!(text.contains(words), "it lacks: {words}\n{text}");
    }
    assert!(text.lines().count() < 400, "{} lines", text.lines().count());
}

#[test]
fn a_candidacy_and_a_leader_that_gives_up_lead_back_to_what_keeps_the_others_silent() {
    let lost = ask(&halved(), |note| matches!(note, Note::Demotes(_)));
    let texts_of = texts(&lost);
    assert!(
        texts_of[1].ends_with("no longer leads the store: it does not hear from a majority"),
        "{texts_of:#?}"
    );
    assert!(texts_of.last().expect("a cause").starts_with("the network is cut"));
    let is_candidate = |note: &Note| {
        matches!(
            note,
            Note::StoreRole {
                role: RoleName::PreCandidate,
                ..
            }
        )
    };
    let asks = ask(&without_majority(), is_candidate);
    assert!(texts(&asks)[0].ends_with("machine goes down: nothing there answers any more"));
}
