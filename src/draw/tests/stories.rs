//! A story says the same as the trace and the verdict it was told from.

use super::super::story::{FuseEnd, Halt, Lane, Stretch, Tone};
use super::super::{Moment, Story};
use super::{Script, play, play_all, told, winner};
use crate::engine::{Place, SimTime, Span, TimerKey, What};
use crate::verdict::judge;
use crate::vocabulary::{Key, LeaseId, NodeId, Note, Revision};

#[test]
fn a_story_comes_through_its_bytes_unchanged() {
    let story = play("agent-killed-watchdog").story();
    let bytes = borsh::to_vec(&story).expect("encodes");
    assert_eq!(borsh::from_slice::<Story>(&bytes).expect("decodes"), story);
    assert!(bytes.len() < 200_000, "{} bytes for two minutes", bytes.len());
}

fn in_order<T>(what: &str, stretches: &[Stretch<T>], end: SimTime) {
    let apart = stretches.windows(2).all(|pair| pair[0].until <= pair[1].from);
    let sound = stretches.iter().all(|s| s.from < s.until && s.until <= end);
    assert!(apart && sound, "{what} overlap, are empty or go beyond the end");
}

#[test]
fn the_stretches_of_a_lane_follow_each_other_and_end_within_the_run() {
    for played in play_all() {
        let story = played.story();
        let end = story.end();
        for node in &story.nodes {
            in_order("steps", &node.steps, end);
            in_order("beliefs", &node.beliefs, end);
            in_order("databases", &node.database, end);
            in_order("upstreams", &node.upstream, end);
            in_order("halts", &node.agent_halts, end);
            in_order("watchdogs", &node.watchdog, end);
        }
        in_order("router", &story.router, end);
        assert!(story.rows.is_sorted_by_key(|row| row.event), "{}", played.name);
        assert!(
            story.detail.flights.is_sorted_by_key(|flight| flight.sent),
            "{}",
            played.name
        );
    }
}

#[test]
fn at_every_instant_a_story_and_its_verdict_agree_on_who_believes_and_who_is_writable() {
    for played in play_all() {
        let story = played.story();
        for ms in (0..story.end().0 / 1_000).step_by(97) {
            let moment = story.at(SimTime(ms * 1_000));
            for node in (0..story.nodes.len() as u8).map(NodeId) {
                let drawn = &moment.nodes[node.index()];
                let believes = moment.truth.believers.contains(node);
                assert_eq!(
                    drawn.believes, believes,
                    "{} at {ms} ms: {node:?} believes",
                    played.name
                );
                let writable = drawn.database.is_some_and(|d| d.writable()) && drawn.database_halt.is_none();
                let really = moment.truth.writable.contains(node);
                assert_eq!(writable, really, "{} at {ms} ms: {node:?} is writable", played.name);
            }
        }
    }
}

#[test]
fn every_acknowledged_write_is_drawn_once_and_as_many_are_lost_as_the_verdict_says() {
    for played in play_all() {
        let story = played.story();
        let count = |lists: &[Vec<SimTime>]| lists.iter().map(Vec::len).sum::<usize>();
        let (kept, lost) = (count(&story.writes.kept), count(&story.writes.lost));
        assert_eq!(lost, story.verdict.writes.lost as usize, "{}", played.name);
        assert_eq!(
            kept + lost,
            story.verdict.writes.acknowledged as usize,
            "{}",
            played.name
        );
    }
}

#[test]
fn the_fuse_of_the_leader_key_is_full_at_each_renewal_and_burnt_when_the_key_expires() {
    let story = play("agent-paused").story();
    let fuses = &story.store.fuses;
    let expired: Vec<_> = fuses.iter().filter(|fuse| fuse.end == FuseEnd::Expired).collect();
    assert_eq!(expired.len(), 1);
    assert_eq!(expired[0].left(expired[0].until), Span::ZERO);
    for pair in fuses.windows(2).filter(|pair| pair[0].end == FuseEnd::Renewed) {
        assert_eq!(pair[0].until, pair[1].from);
        assert_eq!(pair[1].left(pair[1].from), pair[1].ttl);
    }
}

#[test]
fn a_frozen_agent_is_frozen_for_as_long_as_the_fault_lasts_and_its_database_is_not() {
    let story = play("agent-paused").story();
    let fault = &story.faults[0];
    let frozen = Stretch {
        from: fault.from,
        until: fault.until.expect("ends"),
        is: Halt::Frozen,
    };
    assert_eq!(story.nodes[0].agent_halts, vec![frozen]);
    assert!(story.nodes[0].database_halts.is_empty());
    assert_eq!(fault.label, "pause node1/agent");
    assert_eq!(fault.lanes, vec![Lane::Agent(NodeId(0))]);
}

#[test]
fn the_event_list_tells_a_failover_in_order_and_says_when_two_primaries_begin_and_end() {
    let story = play("agent-paused").story();
    let new = winner(&story);
    let mut rows = story.rows.iter().map(|row| row.text.as_str());
    for sentence in [
        "node1 holds the leader key when the run begins",
        "node1's agent freezes: nothing in it runs",
        "node1's lease expires: the store deletes the leader key",
        &format!("{new} creates the leader key"),
        &format!("{new}'s database accepts writes, on timeline 2"),
        &format!("two primaries: node1 and {new} accept writes at the same time"),
        "node1 demotes its database: it no longer holds the leader key",
        &format!("only {new} accepts writes now"),
    ] {
        assert!(rows.any(|row| row == sentence), "missing, or not in order: {sentence}");
    }
}

#[test]
fn a_quiet_run_has_a_short_event_list() {
    let story = play("steady-state").story();
    assert!(story.rows.len() < 12, "{} rows", story.rows.len());
    assert!(story.rows.iter().all(|row| row.tone != Tone::Danger));
}

#[test]
fn a_moment_says_in_words_what_every_node_does() {
    let story = play("agent-paused").story();
    let Moment { nodes, .. } = story.at(SimTime(60_000_000));
    assert_eq!(nodes[0].agent_words, "frozen while it sleeps until its next cycle");
    assert_eq!(nodes[0].database_words, "primary, writable, timeline 1");
    assert_eq!(nodes[1].database_words, "replica, timeline 1");
    assert!(nodes[0].left_by_own_clock_us.is_some_and(|us| us > 0));
    let after = story.at(SimTime(75_000_000));
    assert!(
        after.nodes[0].left_by_own_clock_us.is_some_and(|us| us < 0),
        "it ran out and nobody told it"
    );
}

#[test]
fn a_key_that_moves_to_a_lease_renewed_before_starts_with_what_is_left_of_it() {
    let mut script = Script::new();
    let (store, lease) = (script.store(), LeaseId(7));
    let tick = script.add(0, Place::Process(store), None, What::Timer(TimerKey(0)));
    script.note(
        1_000,
        store,
        tick,
        Note::LeaseGranted {
            lease,
            ttl: Span::from_secs(30),
        },
    );
    let put = Note::KeyPut {
        key: Key::Leader,
        value: Box::new(crate::vocabulary::Value::Leader(NodeId(1))),
        holder: Some(NodeId(1)),
        lease: Some(lease),
        revision: Revision(9),
        created: true,
    };
    script.note(5_000, store, tick, put);
    script.note(
        8_000,
        store,
        tick,
        Note::KeyDeleted {
            key: Key::Leader,
            revision: Revision(10),
        },
    );
    let verdict = judge(&script.scenario);
    let story = super::tell(&script.trace, verdict, &script.scenario, &script.layout);
    let fuse = story.store.fuses[0];
    assert_eq!(
        (fuse.from, fuse.left(fuse.from)),
        (SimTime(5_000_000), Span::from_secs(26))
    );
    assert_eq!((fuse.until, fuse.end), (SimTime(8_000_000), FuseEnd::Released));
}

/// The story of a scenario's text, with a store of one member.
fn minute(text: &str) -> Story {
    told(&format!("duration_s = 60\nstore.members = 1\n{text}"))
}

#[test]
fn a_fault_that_comes_again_has_a_bar_for_each_time_and_each_bar_its_event() {
    let story = minute(
        "[[fault]]\nat_s = 10\nfor_s = 2\nevery_s = 20\nkind = \"disk_stall\"\ntarget = \"node1/disk\"\n\
         [[fault]]\nat_s = 20\nkind = \"clock_step\"\ntarget = \"node2\"\nby_s = 1\n",
    );
    let bars = story.faults.iter().map(|bar| {
        let until = bar.until.expect("each ends");
        (bar.from.as_secs_f64(), until.as_secs_f64(), bar.label.as_str())
    });
    let stall = "stall node1/disk";
    let expected = [
        (10.0, 12.0, stall),
        (30.0, 32.0, stall),
        (50.0, 52.0, stall),
        (20.0, 20.0, "node2 clock forward by 1 s"),
    ];
    assert_eq!(bars.collect::<Vec<_>>(), expected);
    let mut events: Vec<_> = story
        .faults
        .iter()
        .map(|bar| bar.event.expect("it came so far"))
        .collect();
    events.dedup();
    assert_eq!(events.len(), 4);
    let said = |text: &str| story.rows.iter().filter(|row| row.text == text).count();
    assert_eq!(said("node1's disk stalls: nothing written becomes durable"), 3);
    assert_eq!(said("node1's disk goes on with what waited for it"), 3);
}

#[test]
fn a_fault_strikes_the_stores_lane_where_a_member_of_the_store_is() {
    let lanes = |placement: &str, fault: &str| {
        let text = format!("store.placement = \"{placement}\"\n[[fault]]\nat_s = 10\nfor_s = 2\n{fault}\n");
        minute(&text).faults[0].lanes.clone()
    };
    let (agent, database) = (Lane::Agent(NodeId(0)), Lane::Database(NodeId(0)));
    let (kill, stall) = (
        "kind = \"kill\"\ntarget = \"node1\"",
        "kind = \"disk_stall\"\ntarget = \"node1/disk\"",
    );
    assert_eq!(lanes("own", kill), [agent, database]);
    assert_eq!(lanes("nodes", kill), [agent, database, Lane::Store]);
    assert_eq!(lanes("own", stall), [database]);
    assert_eq!(lanes("nodes", stall), [database, Lane::Store]);
    for placement in ["own", "nodes"] {
        assert_eq!(lanes(placement, "kind = \"kill\"\ntarget = \"etcd1\""), [Lane::Store]);
    }
    assert_eq!(
        lanes("own", "kind = \"disk_slow\"\ntarget = \"etcd1/disk\"\nadd_ms = 5"),
        [Lane::Store]
    );
}
