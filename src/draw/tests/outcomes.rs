//! What a run amounted to: the figures say what the verdict says, and every link leads to its moment.

use super::{play, play_all};
use crate::draw::{Outcome, outcomes};
use crate::engine::SimTime;

fn of(name: &str) -> (super::Played, Vec<Outcome>) {
    let played = play(name);
    let all = outcomes(&played.story());
    (played, all)
}

fn titled<'a>(all: &'a [Outcome], title: &str) -> &'a Outcome {
    all.iter()
        .find(|outcome| outcome.title == title)
        .expect("the figure is there")
}

#[test]
fn a_quiet_run_has_nothing_to_link_to() {
    let (_, all) = of("steady-state");
    assert!(
        all.iter().all(|outcome| outcome.links.is_empty() && !outcome.bad),
        "{all:?}"
    );
    assert_eq!(titled(&all, "Two primaries").words, "never");
    assert_eq!(titled(&all, "Failovers").words, "none");
}

#[test]
fn two_primaries_are_bad_and_lead_to_where_they_begin() {
    let (played, all) = of("agent-paused");
    let verdict = &played.run.verdict;
    let two = titled(&all, "Two primaries");
    assert!(two.bad);
    assert_eq!(two.links[0].at, verdict.two_primaries.intervals[0].from);
    let writes = titled(&all, "Writes");
    assert!(writes.bad && writes.words.contains(&format!("{} lost", verdict.writes.lost)));
    assert!(
        writes
            .links
            .iter()
            .any(|link| link.words == "first lost" && link.at == verdict.record.lost[0])
    );
}

#[test]
fn a_failover_has_its_phases_in_order_each_from_the_end_of_the_one_before() {
    let (played, all) = of("leader-cut-off");
    let failover = &played.run.verdict.failovers[0];
    let told = titled(&all, "Failover");
    let phases: Vec<&str> = told
        .links
        .iter()
        .map(|link| {
            link.words
                .trim_end_matches(|c: char| !c.is_alphabetic())
                .trim_end_matches(" s")
        })
        .map(|words| words.trim_end_matches(|c: char| !c.is_alphabetic()))
        .collect();
    assert_eq!(phases[..3], ["old leader stops", "lease runs out", "race"], "{told:?}");
    assert_eq!(Some(told.links[0].at), failover.fault);
    assert_eq!(Some(told.links[1].at), failover.not_writable);
    assert_eq!(Some(told.links[2].at), failover.key_gone);
    assert_eq!(told.links[3].at, failover.key_taken);
}

#[test]
fn in_every_shipped_scenario_links_lie_within_the_run_and_figures_are_few() {
    for played in play_all() {
        let end = SimTime::ZERO + played.scenario.duration;
        for outcome in outcomes(&played.story()) {
            assert!(
                outcome.links.len() <= 5 && !outcome.words.is_empty(),
                "{}: {outcome:?}",
                played.name
            );
            assert!(
                outcome
                    .links
                    .iter()
                    .all(|link| link.at <= end && !link.words.is_empty())
            );
        }
    }
}
