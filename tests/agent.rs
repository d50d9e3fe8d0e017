#![cfg(not(target_arch = "wasm32"))]
//! What one agent does in a cycle, and what its threads do to each other (patroni.md 1.1, 2.1, 2.6, 3.1).

use leaselab::engine::{FullTrace, Life, Place, ProcId, SimTime, What};
use leaselab::scenario::Scenario;
use leaselab::vocabulary::{DbRole, Key, Message, NodeId, Note, SqlState, StoreOp, Value, Words};
use leaselab::world::World;

struct Run {
    world: World,
    trace: FullTrace<Words>,
}

impl Run {
    fn of(text: &str) -> Run {
        let scenario = Scenario::parse(text, "test").unwrap_or_else(|errors| panic!("{errors:?}"));
        let (mut world, mut trace) = (World::new(&scenario), FullTrace::default());
        world.run_until(SimTime::ZERO + scenario.duration, &mut trace);
        assert!(world.findings().is_empty(), "{:?}", world.findings());
        Run { world, trace }
    }

    fn agent(&self, node: u8) -> ProcId {
        self.world.layout().node(NodeId(node)).agent
    }

    /// When something happened at an agent, in seconds.
    fn times(&self, node: u8, is: impl Fn(&What<Words>) -> bool) -> Vec<f64> {
        let here = Place::Process(self.agent(node));
        let events = self.trace.iter().filter(|event| event.place == here && is(&event.what));
        events.map(|event| event.at.as_secs_f64()).collect()
    }

    fn cycles(&self, node: u8) -> Vec<f64> {
        self.times(node, |what| *what == What::Note(Note::CycleBegins))
    }

    fn requests(&self, node: u8, is: impl Fn(&StoreOp) -> bool) -> Vec<f64> {
        self.times(
            node,
            |what| matches!(what, What::Sent { message: Message::Store { op, .. }, .. } if is(op)),
        )
    }
}

fn between(times: &[f64], from: f64, to: f64) -> usize {
    times.iter().filter(|&&at| from <= at && at < to).count()
}

fn is_keep_alive(op: &StoreOp) -> bool {
    matches!(op, StoreOp::LeaseKeepAlive { .. })
}

fn puts(key: Key) -> impl Fn(&StoreOp) -> bool {
    move |op| matches!(op, StoreOp::Put { key: put, .. } if *put == key)
}

#[test]
fn a_cycle_costs_one_renewal_and_what_has_changed() {
    let run = Run::of("duration_s = 130\n[traffic]\ndirect_writers = true");
    for node in 0..3 {
        assert_eq!(run.cycles(node).len(), 13, "node {node}: {:?}", run.cycles(node));
        assert_eq!(
            run.requests(node, is_keep_alive).len(),
            13,
            "node {node} renews once a cycle"
        );
        let member = run.requests(node, puts(Key::Member(NodeId(node)))).len();
        assert!((12..=13).contains(&member), "node {node} says {member} times how it is");
        // Read once; after that the copy is kept fresh by the watch.
        assert_eq!(run.requests(node, |op| matches!(op, StoreOp::Range { .. })).len(), 1);
    }
    assert!((12..=13).contains(&run.requests(0, puts(Key::Status)).len()));
    assert_eq!(run.requests(1, puts(Key::Status)).len(), 0);
}

#[test]
fn while_nothing_is_written_nothing_is_published() {
    let run = Run::of("duration_s = 130\n[traffic]\nwriters = 0\ndirect_writers = false");
    assert_eq!(run.requests(0, is_keep_alive).len(), 13);
    assert!(run.requests(0, puts(Key::Status)).len() <= 1);
    for node in 0..3 {
        assert!(run.requests(node, puts(Key::Member(NodeId(node)))).len() <= 1);
    }
}

#[test]
fn the_leaders_publication_wakes_the_others() {
    let run = Run::of("duration_s = 130");
    let leads = run.cycles(0);
    for node in 1..3 {
        for at in run.cycles(node).into_iter().filter(|&at| at > 10.0) {
            let after = leads
                .iter()
                .map(|leader| at - leader)
                .filter(|after| *after >= 0.0)
                .fold(f64::MAX, f64::min);
            assert!(
                (0.0..0.25).contains(&after),
                "node {node} runs {after} s after its leader"
            );
        }
    }
}

#[test]
fn a_blocked_loop_leaves_the_other_threads_alone() {
    let run = Run::of("duration_s = 120\n[[fault]]\nat_s = 42\nfor_s = 60\nkind = 'block'\ntarget = 'node1/agent'");
    let asked = run.times(0, |what| {
        matches!(
            what,
            What::Sent {
                message: Message::Primary { .. },
                ..
            }
        )
    });
    assert_eq!(between(&run.cycles(0), 42.0, 102.0), 0);
    assert_eq!(between(&run.requests(0, is_keep_alive), 42.0, 102.0), 0);
    assert!(between(&asked, 42.0, 102.0) >= 19, "REST goes on: {asked:?}");
    // When it goes on it takes up what waited for it, and does not begin anew for each.
    assert!((1..=3).contains(&between(&run.cycles(0), 102.0, 103.0)));
}

#[test]
fn peers_that_hear_a_primary_do_not_race_however_long_its_loop_stands_still() {
    let run = Run::of("duration_s = 200\n[[fault]]\nat_s = 42\nfor_s = 120\nkind = 'block'\ntarget = 'node1/agent'");
    for node in 1..3 {
        assert_eq!(run.times(node, |what| *what == What::Note(Note::Acquires)).len(), 0);
    }
}

#[test]
fn a_blocked_watcher_leaves_the_loop_with_what_it_knew() {
    let run = Run::of(
        "duration_s = 120\n[[fault]]\nat_s = 42\nfor_s = 60\nkind = 'block'\ntarget = 'node2/agent'\nthread = 'watcher'",
    );
    // The loop goes on by its own clock, half a second later than its leader for want of news.
    assert!(
        (5..=6).contains(&between(&run.cycles(1), 42.0, 102.0)),
        "{:?}",
        run.cycles(1)
    );
    assert!((5..=6).contains(&between(&run.requests(1, is_keep_alive), 42.0, 102.0)));
}

#[test]
fn an_unresponsive_database_does_not_stop_the_renewal() {
    let run = Run::of(
        "duration_s = 160\n[[fault]]\nat_s = 42\nfor_s = 100\nkind = 'slow_sql'\ntarget = 'node1/postgres'\nadd_ms = 5000",
    );
    let renewals = run.requests(0, is_keep_alive);
    let gaps = renewals.windows(2).map(|pair| pair[1] - pair[0]);
    let longest = gaps.fold(0.0, f64::max);
    // Two tries of two seconds each, once.
    assert!((13.0..15.0).contains(&longest), "{longest}: {renewals:?}");
    assert_eq!(
        run.times(0, |what| matches!(what, What::Note(Note::Demotes(_)))).len(),
        0
    );
}

#[test]
fn a_stop_that_does_not_end_blocks_the_loop_for_as_long() {
    let run = Run::of(
        "duration_s = 160\n[[fault]]\nat_s = 40.5\nfor_s = 30\nkind = 'cut'\ntarget = '[node1] | [etcd1, etcd2, etcd3]'\n\
         [[fault]]\nat_s = 40.5\nfor_s = 80\nkind = 'stuck_stop'\ntarget = 'node1/postgres'",
    );
    let demotes = run.times(0, |what| matches!(what, What::Note(Note::Demotes(_))));
    assert_eq!(demotes.len(), 1);
    // The network is whole again from 70.5 s on, and the loop does not see it.
    assert_eq!(between(&run.cycles(0), demotes[0], 120.5), 0, "{:?}", run.cycles(0));
    assert!(between(&run.cycles(0), 120.5, 130.0) >= 1);
}

#[test]
fn an_agent_that_is_asked_to_start_again_before_it_has_ended_starts_when_it_has() {
    let run = Run::of("duration_s = 120\n[[fault]]\nat_s = 42\nfor_s = 0.5\nkind = 'stop'\ntarget = 'node2/agent'");
    assert!(between(&run.cycles(1), 50.0, 120.0) >= 6, "{:?}", run.cycles(1));
}

#[test]
fn an_agent_that_is_asked_to_end_deletes_the_key_then_renews_its_lease_and_says_that_its_database_is_down() {
    let run = Run::of("[[fault]]\nat_s = 40.25\nkind = 'stop'\ntarget = 'node1/agent'\n");
    let first = |is: &dyn Fn(&StoreOp) -> bool| {
        let all = run.requests(0, is).into_iter().filter(|&at| at > 40.25);
        all.collect::<Vec<f64>>()
    };
    let releases = first(&|op| matches!(op, StoreOp::Txn(txn) if txn.then == [StoreOp::Delete { key: Key::Leader }]));
    let renews = first(&is_keep_alive);
    let signs_off = first(&|op| {
        let stopped = |value: &Value| {
            matches!(
                value,
                Value::Member {
                    state: SqlState::Stopped,
                    role: DbRole::Primary,
                    ..
                }
            )
        };
        matches!(op, StoreOp::Put { key: Key::Member(NodeId(0)), value, .. } if stopped(value))
    });
    let (&[released], &[renewed], &[signed_off]) = (&releases[..], &renews[..], &signs_off[..]) else {
        panic!("{releases:?} {renews:?} {signs_off:?}");
    };
    assert!(released < renewed && renewed < signed_off && signed_off < released + 0.2);
    let exits = run.times(0, |what| *what == What::Life(Life::Exited));
    // The write, and what ending takes: 47 to 253 ms as recorded.
    assert!(exits.len() == 1 && exits[0] > signed_off && exits[0] < signed_off + 0.3);
}

/// It has nothing to hand over; its member key is kept alive for as long as the lease lasts.
#[test]
fn a_standbys_agent_that_is_asked_to_end_says_so_too() {
    let run = Run::of("[[fault]]\nat_s = 40.25\nkind = 'stop'\ntarget = 'node2/agent'\n");
    let signs_off = run.requests(1, |op| {
        matches!(
            op,
            StoreOp::Put {
                value: Value::Member {
                    state: SqlState::Stopped,
                    ..
                },
                ..
            }
        )
    });
    assert_eq!(signs_off.len(), 1);
}
