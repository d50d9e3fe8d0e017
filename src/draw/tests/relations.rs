//! Before, after and concurrent, held against a naive closure, and Lamport's clock condition.

use super::*;
use crate::draw::{Cone, Dress, Relation, Style, View, dressed, relate};
use std::collections::BTreeSet;
use std::rc::Rc;

/// All that happened before each event, by following every step from every event.
fn closure(trace: &FullTrace<Words>) -> Vec<BTreeSet<usize>> {
    let mut before: Vec<BTreeSet<usize>> = Vec::new();
    let mut last = std::collections::BTreeMap::new();
    for event in trace.iter() {
        let n = event.id.index();
        let same = match event.place {
            Place::Network => None,
            place => last.insert(place, n),
        };
        let mut all = BTreeSet::new();
        for step in [same, event.cause.map(EventId::index)]
            .into_iter()
            .flatten()
            .filter(|&step| step < n)
        {
            all.insert(step);
            all.extend(before[step].iter().copied());
        }
        before.push(all);
    }
    before
}

fn id(n: usize) -> EventId {
    EventId::from_index(n).expect("few events")
}

#[test]
fn every_event_stands_to_every_other_as_the_closure_of_all_steps_says() {
    let played = play_text(
        "duration_s = 1\nseed = 3\n[[fault]]\nat_s = 0.3\nfor_s = 0.4\nkind = \"cut\"\ntarget = \"node1 <-> *\"\n",
    );
    let trace = &played.run.trace;
    let before = closure(trace);
    assert!(before.len() > 300, "{}", before.len());
    for of in (0..before.len()).step_by(7) {
        let related = relate(trace, id(of)).expect("it is there");
        let mut counts = [0; 3];
        for other in 0..before.len() {
            let expected = if other == of {
                Relation::Itself
            } else if before[of].contains(&other) {
                counts[0] += 1;
                Relation::Past
            } else if before[other].contains(&of) {
                counts[1] += 1;
                Relation::Future
            } else {
                counts[2] += 1;
                Relation::Concurrent
            };
            assert_eq!(related.relation(other), expected, "{other} to {of}");
        }
        assert_eq!([related.past, related.future, related.concurrent], counts);
    }
    assert_eq!(relate(trace, id(before.len())), None);
}

#[test]
fn before_and_after_are_each_others_mirror_and_concurrent_is_its_own() {
    let played = play("agent-killed");
    let rows = played.story().rows;
    let trace = &played.run.trace;
    let all: Vec<_> = rows
        .iter()
        .map(|row| relate(trace, row.event).expect("it is there"))
        .collect();
    for (a, of_a) in rows.iter().zip(&all) {
        for (b, of_b) in rows.iter().zip(&all) {
            let mirrored = match of_a.relation(b.event.index()) {
                Relation::Past => Relation::Future,
                Relation::Future => Relation::Past,
                same => same,
            };
            assert_eq!(of_b.relation(a.event.index()), mirrored, "{} and {}", a.text, b.text);
        }
    }
}

/// Lamport's clock condition along every step of happened-before, over the network too: a lost packet carries no stamp of its
/// own and is held to carry that of its sending.
#[test]
fn a_lamport_stamp_is_never_less_than_that_of_what_happened_before_and_greater_where_clocks_tick() {
    for played in play_all() {
        let trace = &played.run.trace;
        let mut carried: Vec<u64> = Vec::new();
        for (event, steps) in trace.iter().zip(crate::engine::steps(trace)) {
            let before = steps.into_iter().flatten().map(|n| carried[n]).max().unwrap_or(0);
            if event.place == Place::Network {
                assert_eq!(event.lamport.0, 0, "{}: {event:?}", played.name);
                carried.push(before);
            } else {
                let least = before + u64::from(event.what.ticks());
                assert!(event.lamport.0 >= least, "{}: {event:?}, at least {least}", played.name);
                carried.push(event.lamport.0);
            }
        }
    }
}

/// Wall clocks that differ by up to 80 ms, by the number of the process.
fn wrong_clock(process: crate::engine::ProcId, at: SimTime) -> crate::engine::WallTime {
    crate::engine::WallTime(at.0 as i64 + i64::from(process.0 % 5) * 20_000 - 40_000)
}

#[test]
fn stamps_made_from_a_trace_say_what_its_steps_say() {
    use crate::clocks::{Order, ReceiveRule, wrong_pairs};
    let played = play("agent-killed");
    let trace = &played.run.trace;
    let bound = crate::engine::Span::from_millis(40);
    let some = |event: &crate::engine::Event<Words>| event.what.ticks() && event.id.index().is_multiple_of(401);
    let stamped = crate::engine::stamped(trace, some, ReceiveRule::Paper, bound, wrong_clock);
    assert!(stamped.len() > 30, "{}", stamped.len());
    for (a, of_a) in &stamped {
        let related = relate(trace, *a).expect("it is there");
        for (b, of_b) in &stamped {
            let is_past = related.relation(b.index()) == Relation::Past;
            assert_eq!(of_b.vector < of_a.vector, is_past, "{b} to {a}");
            assert!(
                !is_past || (of_b.lamport < of_a.lamport && of_b.hybrid < of_a.hybrid),
                "{b} to {a}"
            );
            assert!(!of_b.interval.is_before(of_a.interval) || of_b.at < of_a.at);
        }
        assert!(of_a.hybrid.wall >= of_a.wall && of_a.hybrid.wall.since(of_a.wall) <= bound * 2);
    }
    let stamps: Vec<_> = stamped.into_iter().map(|(_, stamps)| stamps).collect();
    for by in [Order::True, Order::Lamport, Order::Hybrid] {
        assert!(wrong_pairs(&stamps, by).iter().all(|pair| !pair.caused), "{by:?}");
    }
}

#[test]
fn a_hybrid_stamp_grows_along_every_step_of_a_run() {
    for rule in [crate::clocks::ReceiveRule::Paper, crate::clocks::ReceiveRule::Forward] {
        let played = play("agent-killed-watchdog");
        let trace = &played.run.trace;
        let hybrids = crate::engine::hybrids(trace, rule, wrong_clock);
        for (event, steps) in trace.iter().zip(crate::engine::steps(trace)) {
            let own = hybrids[event.id.index()];
            let before = steps.into_iter().flatten().filter_map(|n| hybrids[n]).max();
            let is_event = match event.what {
                What::Received { .. } => rule == crate::clocks::ReceiveRule::Paper,
                _ => event.what.ticks(),
            };
            if event.place != Place::Network {
                assert!(
                    own >= before && (!is_event || own > before),
                    "{event:?}: {own:?}, {before:?}"
                );
            }
        }
    }
}

#[test]
fn the_new_leader_knows_nothing_of_the_agent_that_was_killed_meanwhile() {
    let played = play("agent-killed");
    let story = played.story();
    let row = |words: &str| {
        story
            .rows
            .iter()
            .find(|row| row.text.contains(words))
            .unwrap_or_else(|| panic!("{words}: {:#?}", story.rows))
    };
    let killed = row("agent is killed");
    let promoted = row("is being promoted");
    let related = relate(&played.run.trace, promoted.event).expect("it is there");
    assert_eq!(
        related.relation(killed.event.index()),
        Relation::Concurrent,
        "no message can tell of it"
    );
    assert!(promoted.lamport > 0 && related.past > 1_000);
}

#[test]
fn messages_before_and_after_are_drawn_each_in_its_own_way_and_all_others_pale() {
    let played = play("agent-killed");
    let story = played.story();
    let row = story
        .rows
        .iter()
        .find(|row| row.text.contains("is being promoted"))
        .expect("a promotion");
    let related = relate(&played.run.trace, row.event).expect("it is there");
    let view = View {
        from: row.at - crate::engine::Span::from_secs(2),
        until: row.at + crate::engine::Span::from_secs(2),
        width: 900.0,
    };
    let dress = Dress {
        cone: Some(Cone(Rc::new(related))),
        ..Dress::default()
    };
    let scene = dressed(&story, &view, &dress);
    let count = |style| count(&scene, style);
    let [past, future, dim, plain] = [
        Style::MessagePast,
        Style::MessageFuture,
        Style::MessageDim,
        Style::Message,
    ]
    .map(count);
    assert!(
        past > 0 && future > 0 && dim > 0 && plain == 0,
        "{past} {future} {dim} {plain}"
    );
}
