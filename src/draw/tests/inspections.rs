//! One actor, looked at closely.

use super::*;
use crate::draw::story::Lane;
use crate::engine::Span;
use crate::vocabulary::NodeId;

fn rows(played: &Played, story: &Story, actor: Lane, at: SimTime) -> Vec<String> {
    let inspection = story.inspect(actor, at, &played.scenario.patroni);
    inspection
        .rows
        .into_iter()
        .map(|(title, words)| format!("{title}: {words}"))
        .collect()
}

#[test]
fn a_quiet_leader_sleeps_and_counts_its_lease_from_the_reply_on_so_it_believes_a_little_too_long() {
    let played = play("agent-killed");
    let story = played.story();
    let node1 = Lane::Agent(NodeId(0));
    let looked = rows(&played, &story, node1, SimTime(35_000_000));
    assert!(
        looked[0].starts_with("Does: sleeps until its next cycle, ")
            && looked[0].ends_with(" of 10.0 s used (loop_wait)"),
        "{looked:?}"
    );
    assert!(
        looked[1].starts_with("Lease, by its own clock: 2") && looked[2].starts_with("Lease, by the store’s: 2"),
        "{looked:?}"
    );
    assert!(
        looked[3].starts_with("Margin: it believes ") && looked[3].ends_with(" ms longer than the store keeps its key"),
        "{looked:?}"
    );
    let last = story
        .inspect(node1, SimTime(60_000_000), &played.scenario.patroni)
        .last
        .expect("it was killed");
    assert_eq!(
        (last.text.as_str(), last.at),
        ("node1's agent is killed", SimTime(40_250_000))
    );
    let database = rows(&played, &story, Lane::Database(NodeId(0)), SimTime(95_000_000));
    assert!(
        database.contains(&"Accepts writes: yes, although its node does not hold the leader key".to_owned()),
        "{database:?}"
    );
}

#[test]
fn an_agent_whose_requests_are_lost_waits_for_a_member_and_its_retry_timeout_runs() {
    let played = play("leader-cut-from-store");
    let story = played.story();
    let cut = story.faults[0].from;
    let waits = (0..400).map(|n| cut + Span::from_millis(50 * n)).find_map(|at| {
        let looked = rows(&played, &story, Lane::Agent(NodeId(0)), at);
        let waits = looked
            .iter()
            .find(|row| row.starts_with("Waits for: the reply of etcd"))?
            .clone();
        Some((looked[0].clone(), waits))
    });
    let (does, waits) = waits.expect("it asks a member that does not answer");
    assert!(does.ends_with(" of 10.0 s used (retry_timeout)"), "{does}");
    assert!(waits.ends_with(" ago"), "{waits}");
}

#[test]
fn everybody_can_be_looked_at_at_every_moment_of_every_scenario() {
    for played in play_all() {
        let story = played.story();
        let actors = story.actors();
        for ms in (0..story.end().0 / 1_000).step_by(1_777) {
            for (actor, name) in &actors {
                let inspection = story.inspect(*actor, SimTime(ms * 1_000), &played.scenario.patroni);
                assert!(!inspection.rows.is_empty(), "{}: {name} at {ms}", played.name);
                assert!(inspection.last.is_none_or(|last| last.at <= SimTime(ms * 1_000)));
            }
        }
    }
}
