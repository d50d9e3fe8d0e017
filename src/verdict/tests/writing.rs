//! The damage: which acknowledged writes the final leader does not have.

use super::story::{N1, N2, N3, Story, ms};
use crate::engine::Life;
use crate::vocabulary::{Phase, WriteOutcome};

/// node2 opens its branch at 1,500 while node1 goes on writing.
fn overlap() -> Story {
    let mut story = Story::begin("");
    story.at(1_000).acknowledged(N1, 1_400);
    // Never reached node2: lost, although there was no overlap yet.
    story.at(2_000).acknowledged(N1, 1_600);
    story.at(40_000).expires(1).key_put(N2, 2, true);
    story.at(41_000).promotes(N2, N1, 1_500);
    story.at(42_000).acknowledged(N1, 1_700).acknowledged(N2, 1_700);
    story
}

#[test]
fn what_was_written_beyond_the_point_where_the_new_leader_branched_off_is_lost() {
    let verdict = overlap().end(50_000);
    assert_eq!((verdict.writes.acknowledged, verdict.writes.lost), (4, 2));
    assert_eq!(verdict.record.lost, [ms(2_000), ms(42_000)]);
    let finding = verdict.finding("no acknowledged write lost").unwrap();
    assert_eq!((finding.holds, finding.first), (false, Some(ms(2_000))));
}

#[test]
fn a_node_that_does_not_hold_the_newest_key_is_deposed_also_while_nobody_holds_one() {
    let mut story = overlap();
    story
        .at(43_000)
        .expires(2)
        .acknowledged(N2, 1_800)
        .acknowledged(N1, 1_800);
    let verdict = story.end(50_000);
    assert_eq!(verdict.record.deposed, [ms(42_000), ms(43_000)]);
    assert_eq!(verdict.writes.accepted_by_deposed, 2);
}

#[test]
fn a_successor_that_was_not_promoted_by_the_end_has_lost_nothing_yet() {
    let mut story = Story::begin("");
    story.at(1_000).acknowledged(N1, 1_600);
    story.at(40_000).expires(1).key_put(N2, 2, true);
    assert_eq!(story.end(50_000).writes.lost, 0);
}

#[test]
fn the_final_leaders_history_counts_also_when_it_is_dead_at_the_end() {
    let mut story = overlap();
    story
        .at(45_000)
        .life("node2", Life::Killed)
        .life("node2/postgres", Life::Killed);
    assert_eq!(story.end(50_000).writes.lost, 2);
}

#[test]
fn a_primary_that_gets_the_key_late_is_the_final_leader() {
    let mut story = Story::begin("");
    story.at(10_000).promotes(N3, N1, 1_200).acknowledged(N3, 1_300);
    story.at(11_000).acknowledged(N1, 1_300);
    story.at(12_000).database(N1, Phase::Stopping);
    story.at(40_000).expires(1).key_put(N3, 3, true);
    assert_eq!(story.end(50_000).record.lost, [ms(11_000)]);
}

#[test]
fn refused_and_unanswered_writes_are_counted_apart() {
    let mut story = Story::begin("");
    story
        .at(1_000)
        .write(WriteOutcome::Refused(None))
        .write(WriteOutcome::Unknown)
        .write(WriteOutcome::Unknown);
    let writes = story.end(50_000).writes;
    assert_eq!(
        (writes.acknowledged, writes.refused, writes.unknown, writes.lost),
        (0, 1, 2, 0)
    );
}
