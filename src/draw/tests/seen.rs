//! Patterns with names, on the shipped scenarios: each is seen where it must be, as often as it must be, and none where all is
//! well.

use super::{Played, play, play_all};
use crate::draw::story::{Pattern, Seen};
use crate::draw::words::{pattern_help, pattern_name};
use crate::engine::{SimTime, What};
use crate::verdict::run;
use crate::vocabulary::{Note, WriteOutcome};

/// How often a pattern occurs in a run.
fn count(seen: &[Seen], pattern: Pattern) -> usize {
    let found = seen.iter().find(|seen| seen.pattern == pattern);
    found.map_or(0, |seen| seen.instances.len())
}

fn first(seen: &[Seen], pattern: Pattern) -> SimTime {
    let found = seen.iter().find(|seen| seen.pattern == pattern);
    found.expect("it is seen").instances[0].at
}

#[test]
fn a_quiet_run_shows_no_pattern_nor_does_a_store_that_goes_on() {
    for name in ["steady-state", "store-one-member-killed"] {
        assert_eq!(play(name).story().seen, [], "{name}");
    }
}

#[test]
fn there_are_as_many_writes_by_a_deposed_primary_as_the_verdict_counts() {
    for played in play_all() {
        let story = played.story();
        let verdict = &played.run.verdict;
        assert_eq!(
            count(&story.seen, Pattern::WriteByDeposed),
            verdict.writes.accepted_by_deposed as usize,
            "{}",
            played.name
        );
    }
}

#[test]
fn every_place_of_a_pattern_is_an_event_of_the_run_at_its_time() {
    for played in play_all() {
        for seen in played.story().seen {
            assert!(!seen.instances.is_empty());
            assert!(
                seen.instances.is_sorted_by_key(|instance| instance.event),
                "{:?}",
                seen.pattern
            );
            for instance in seen.instances {
                let event = played.run.trace.get(instance.event).expect("in the trace");
                assert_eq!(event.at, instance.at);
                let fits = match seen.pattern {
                    Pattern::WriteByDeposed => matches!(
                        event.what,
                        What::Note(Note::Write {
                            outcome: WriteOutcome::Acknowledged { .. },
                            ..
                        })
                    ),
                    Pattern::ExpiredUnderLiving | Pattern::DatabaseRanOn => {
                        matches!(event.what, What::Note(Note::LeaseExpired { .. }))
                    }
                    Pattern::DemotedLate | Pattern::DemotedInTime => {
                        matches!(event.what, What::Note(Note::Demotes(_)))
                    }
                    Pattern::RenewalLate => matches!(event.what, What::Note(Note::Believes { .. })),
                    Pattern::RenewalGivenUp => matches!(event.what, What::Note(Note::StoreUnreachable)),
                    Pattern::DeclinedByAll => matches!(event.what, What::Note(Note::Declines(_))),
                    Pattern::RaceLost => matches!(event.what, What::Note(Note::LosesRace)),
                    Pattern::SplitVote => matches!(event.what, What::Note(Note::StoreRole { .. })),
                    Pattern::WatchdogReset => matches!(event.what, What::Note(Note::WatchdogFires)),
                };
                assert!(fits, "{:?}: {event:?}", seen.pattern);
            }
        }
    }
}

#[test]
fn a_killed_agent_leaves_a_database_that_runs_on_and_is_demoted_late() {
    let played = play("agent-killed");
    let seen = played.story().seen;
    let failover = &played.run.verdict.failovers[0];
    assert_eq!(Some(first(&seen, Pattern::DatabaseRanOn)), failover.key_gone);
    assert_eq!(count(&seen, Pattern::DatabaseRanOn), 1);
    assert_eq!(count(&seen, Pattern::DemotedLate), 1);
    assert_eq!(count(&seen, Pattern::DeclinedByAll), 1, "each was ahead of the other");
    assert_eq!(count(&seen, Pattern::ExpiredUnderLiving), 0, "its agent is dead");
    assert_eq!(count(&seen, Pattern::DemotedInTime), 0);
    let bad: Vec<_> = seen.iter().map(|seen| seen.pattern.is_bad()).collect();
    assert!(bad.is_sorted_by_key(|bad| !bad), "what is bad comes first: {seen:?}");
}

#[test]
fn a_leader_that_is_cut_off_is_demoted_in_time_and_one_in_failsafe_mode_leads_on_past_its_lease() {
    let mut played = play("leader-cut-from-store");
    let seen = played.story().seen;
    assert_eq!(count(&seen, Pattern::DemotedInTime), 1);
    assert_eq!(count(&seen, Pattern::RenewalGivenUp), 1);
    assert_eq!(count(&seen, Pattern::ExpiredUnderLiving), 0);

    played.scenario.patroni.failsafe_mode = true;
    let run = run(&played.scenario);
    let seen = Played { run, ..played }.story().seen;
    assert_eq!(count(&seen, Pattern::ExpiredUnderLiving), 1);
    assert_eq!(count(&seen, Pattern::DatabaseRanOn), 0, "its agent runs");
    assert_eq!(count(&seen, Pattern::DemotedInTime), 0);
}

#[test]
fn the_store_has_its_own_patterns() {
    let stalls = play("store-disk-stalls").story().seen;
    assert_eq!(count(&stalls, Pattern::SplitVote), 1);
    let lost = play("store-quorum-lost").story().seen;
    assert_eq!(
        count(&lost, Pattern::RenewalLate),
        1,
        "the first renewal when the store is back"
    );
    assert!(count(&lost, Pattern::RenewalGivenUp) >= 1);
    let reset = play("agent-killed-watchdog").story().seen;
    assert_eq!(count(&reset, Pattern::WatchdogReset), 1);
    assert_eq!(count(&reset, Pattern::WriteByDeposed), 0, "it was reset in time");
}

#[test]
fn every_pattern_has_its_own_name_and_meaning() {
    for (place, pattern) in Pattern::ALL.into_iter().enumerate() {
        assert_eq!(pattern as usize, place, "finders count by the place");
        let same = |other: &&Pattern| pattern_name(**other) == pattern_name(pattern);
        assert_eq!(Pattern::ALL.iter().filter(same).count(), 1);
        assert!(pattern_help(pattern).ends_with('.'));
    }
}
