//! One actor, looked at closely.

use super::*;
use crate::draw::waits::WaitFor;
use crate::draw::{Actor, Inspection};
use crate::engine::Span;
use crate::verdict::length;
use crate::vocabulary::NodeId;
use crate::world::Part;

fn agent(node: u8) -> Actor {
    Actor::Process(Part::Agent(NodeId(node)))
}

fn rows(played: &Played, story: &Story, actor: Actor, at: SimTime) -> Vec<String> {
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
    let node1 = agent(0);
    let looked = rows(&played, &story, node1, SimTime(35_000_000));
    assert!(
        looked[0].starts_with("Does: sleeps until its next cycle, ")
            && looked[0].ends_with(" of 10.0 s used (loop_wait)"),
        "{looked:?}"
    );
    assert!(
        looked[1].starts_with("Waits for: time to pass, ") && looked[1].ends_with(" s left"),
        "{looked:?}"
    );
    assert!(
        looked[2].starts_with("Lease, by its own clock: 2") && looked[3].starts_with("Lease, by the store’s: 2"),
        "{looked:?}"
    );
    assert!(
        looked[4].starts_with("Margin: it believes ") && looked[4].ends_with(" ms longer than the store keeps its key"),
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
    let database = rows(
        &played,
        &story,
        Actor::Process(Part::Postgres(NodeId(0))),
        SimTime(95_000_000),
    );
    assert!(
        database.contains(&"Accepts writes: yes, although its node does not hold the leader key".to_owned()),
        "{database:?}"
    );
}

/// What one row says, at each of so many instants, every 50 ms from here on.
fn said(played: &Played, story: &Story, actor: Actor, from: SimTime, title: &str) -> Vec<String> {
    let at = |n: u64| story.inspect(actor, from + Span::from_millis(50 * n), &played.scenario.patroni);
    let row = |looked: Inspection| {
        looked
            .rows
            .into_iter()
            .find(|(t, _)| *t == title)
            .map(|(_, words)| words)
    };
    (0..1_000).filter_map(|n| row(at(n))).collect()
}

#[test]
fn an_agent_whose_requests_are_lost_waits_for_one_member_after_the_other_as_long_as_patroni_allows_each() {
    let played = play("leader-cut-from-store");
    let story = played.story();
    let waits = said(&played, &story, agent(0), story.faults[0].from, "Waits for");
    let members = story.store.members.len() as u64;
    let whole = length(played.scenario.patroni.retry_timeout / if members == 1 { 3 } else { members });
    let tells = |begins: &str, ends: &str| {
        waits
            .iter()
            .any(|words| words.starts_with(begins) && words.ends_with(ends))
    };
    assert!(
        tells("the reply of ", &format!(" of {whole} used")),
        "{whole}: {waits:?}"
    );
    assert!(tells("a connection to ", " used"), "{waits:?}");
    let lasts: Vec<String> = (0..1_000)
        .filter_map(|n| {
            let at = story.faults[0].from + Span::from_millis(50 * n);
            story.inspect(agent(0), at, &played.scenario.patroni).last
        })
        .map(|last| last.text)
        .collect();
    assert!(
        lasts
            .iter()
            .any(|text| text.starts_with("no reply of ") && text.ends_with(" came within 3.3 s")),
        "{lasts:?}"
    );
}

#[test]
fn an_agent_asks_the_store_who_its_members_are_when_its_list_is_ten_ttls_old() {
    let text = "duration_s = 230\n[patroni]\nttl = 20\nloop_wait = 5\nretry_timeout = 5\n";
    let scenario = Scenario::parse(text, "test").expect("valid");
    let run = run(&scenario);
    let played = Played {
        name: "test",
        scenario,
        run,
    };
    let story = played.story();
    let waits = story.waits_of(Part::Agent(NodeId(0))).expect("it waits");
    let asks = waits.waits.iter().find(|wait| wait.what == WaitFor::MemberList);
    let asks = asks.expect("it asks");
    assert!(asks.from > SimTime(200_000_000), "{asks:?}");
    let words = &said(&played, &story, agent(0), asks.from, "Waits for")[0];
    assert_eq!(words, "etcd1 to say who the members are, 0 s of 1.7 s used");
    let looked = story.inspect(agent(0), asks.until, &played.scenario.patroni);
    assert!(
        looked
            .last
            .is_some_and(|last| last.text == "the reply of etcd1 arrives")
    );
}

#[test]
fn the_time_of_a_wait_passes_by_the_waiting_machines_own_clock_and_not_while_that_stands_still() {
    let faults = "duration_s = 60\n[[fault]]\nat_s = 5\nkind = \"clock_rate\"\ntarget = \"node2\"\nppm = 500000\n\
                  [[fault]]\nat_s = 20\nfor_s = 10\nkind = \"pause\"\ntarget = \"node3\"\nmonotonic_runs = false\n";
    let scenario = Scenario::parse(faults, "test").expect("valid");
    let run = run(&scenario);
    let story = Played {
        name: "test",
        scenario,
        run,
    }
    .story();
    let s = |seconds: u64| SimTime(seconds * 1_000_000);
    assert_eq!(story.nodes[0].ran(s(3), s(9)), Span::from_secs(6));
    assert_eq!(story.nodes[1].ran(s(3), s(9)), Span::from_secs(8));
    assert_eq!(story.nodes[2].ran(s(15), s(25)), Span::from_secs(5));
    assert_eq!(story.nodes[2].ran(s(15), s(40)), Span::from_secs(15));
}

#[test]
fn no_wait_outlasts_its_patience_while_its_machine_and_its_process_run() {
    for played in play_all() {
        let story = played.story();
        for actor in &story.detail.waiting {
            let Part::Agent(node) = actor.who else { continue };
            let lane = &story.nodes[node.index()];
            let halts: Vec<_> = lane.agent_halts.iter().chain(&lane.host_halts).collect();
            for wait in &actor.waits {
                let halted = halts
                    .iter()
                    .any(|halt| halt.from <= wait.until && wait.from <= halt.until);
                let over = story.used(actor.who, wait, wait.until).saturating_sub(wait.patience);
                // Rounded up by the clock, and down by us.
                assert!(halted || over <= Span(2), "{}: {over} too long: {wait:?}", played.name);
            }
        }
    }
}

#[test]
fn a_watchdog_tells_what_is_left_and_a_client_what_it_knows_of_its_writes() {
    let played = play("agent-killed-watchdog");
    let story = played.story();
    let watchdog = Actor::Process(Part::Watchdog(NodeId(0)));
    let left = &said(&played, &story, watchdog, SimTime(30_000_000), "Left")[0];
    assert!(left.ends_with(", then it resets the machine"), "{left}");
    let reset = story.nodes[0].resets[0];
    let last = story
        .inspect(watchdog, reset, &played.scenario.patroni)
        .last
        .expect("it fired");
    assert_eq!((last.text.as_str(), last.at), ("it resets the machine", reset));
    let (client, _) = story
        .actors()
        .into_iter()
        .find(|(_, name)| name == "client 1")
        .expect("there are clients");
    let knows = &said(&played, &story, client, SimTime(30_000_000), "Knows")[0];
    assert!(
        knows.starts_with("its writes are acknowledged by node1, for "),
        "{knows}"
    );
    let all = said(&played, &story, client, reset, "Knows");
    assert!(
        all.iter()
            .any(|words| !words.starts_with("its writes are acknowledged")),
        "{all:?}"
    );
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
