#![cfg(not(target_arch = "wasm32"))]
//! The cluster's configuration is changed while it runs (patroni.md 8.1, 8.2, 2.2 S2): who goes by it from when on.
//!
//! Patroni's own scenarios of this kind are in `conformance.rs` (B7, Q4, Q5, W2).

#[path = "common/chronicle.rs"]
mod chronicle;

use chronicle::{Told, parsed, told_with_keys};
use leaselab::agent::Bugs;
use leaselab::engine::{SimTime, Span};
use leaselab::scenario::Scenario;
use leaselab::verdict::with_nth_seed;
use leaselab::vocabulary::{Key, LeaseId, NodeId, Note, Value, WatchEvent};
use leaselab::world::Part;

const SEEDS: u32 = 5;
const N1: NodeId = NodeId(0);
const N2: NodeId = NodeId(1);
const N3: NodeId = NodeId(2);

fn at(seconds: f64) -> SimTime {
    SimTime((seconds * 1e6) as u64)
}

fn configure(at: f64, settings: &str) -> String {
    format!("[[fault]]\nat_s = {at}\nkind = 'configure'\ntarget = 'node1'\n{settings}\n")
}

fn fault(kind: &str, target: &str, at: f64, until: f64, more: &str) -> String {
    format!("[[fault]]\nat_s = {at}\nuntil_s = {until}\nkind = '{kind}'\ntarget = '{target}'\n{more}\n")
}

#[track_caller]
fn always(settings: &str, faults: &[String], holds: impl Fn(&Told)) {
    let text = format!("duration_s = 200\ntraffic.writers = 0\n{settings}{}", faults.concat());
    let scenario = parsed(&text);
    for n in 0..SEEDS {
        let told = told_with_keys(&with_nth_seed(&scenario, n), Bugs::default());
        assert!(told.verdict.finding("engine rules").expect("judged").holds);
        holds(&told);
    }
}

/// When this agent first goes by this ttl and this loop_wait, in seconds.
fn timings(told: &Told, node: NodeId, ttl: u64, loop_wait: u64) -> Option<SimTime> {
    told.agent(node, at(0.0), |note| {
        matches!(note, Note::AdoptsTimings { ttl: t, loop_wait: l, .. }
            if *t == Span::from_secs(ttl) && *l == Span::from_secs(loop_wait))
    })
}

/// When this agent first goes by other settings than its timings.
fn settings(told: &Told, node: NodeId, from: f64) -> Option<SimTime> {
    told.agent(node, at(from), |note| matches!(note, Note::AdoptsSettings(_)))
}

fn seconds(time: Option<SimTime>) -> f64 {
    time.expect("it happened").as_secs_f64()
}

/// The leases of the leader key, in the order in which they were first heard of.
fn leader_leases(told: &Told) -> Vec<LeaseId> {
    let mut leases: Vec<LeaseId> = Vec::new();
    for (_, event) in &told.keys.changes {
        if let WatchEvent::Put(item) = event
            && item.key == Key::Leader
            && let Some(lease) = item.lease
            && !leases.contains(&lease)
        {
            leases.push(lease);
        }
    }
    leases
}

/// What the store noted, the first time at or after `from`.
fn store(told: &Told, from: f64, wanted: impl Fn(&Note) -> bool) -> Option<SimTime> {
    told.first(at(from), |part, note| matches!(part, Part::Store(_)) && wanted(note))
}

#[test]
fn a_change_wakes_every_loop_and_a_new_ttl_gives_everybody_a_new_lease_at_once() {
    always("", &[configure(43.0, "ttl = 60")], |told| {
        for node in [N1, N2, N3] {
            let adopted = seconds(timings(told, node, 60, 10));
            assert!((43.0..44.0).contains(&adopted), "{adopted}");
        }
        assert_eq!(leader_leases(told).len(), 2);
        let granted = seconds(store(
            told,
            43.0,
            |note| matches!(note, Note::LeaseGranted { ttl, .. } if *ttl == Span::from_secs(60)),
        ));
        assert!(granted < 44.0, "{granted}");
        // The old lease keeps its time, and nothing hangs on it any more.
        let expired = seconds(store(told, 43.0, |note| {
            *note == Note::LeaseExpired { lease: LeaseId(1) }
        }));
        assert!((71.0..74.0).contains(&expired), "{expired}");
        assert!(told.key_deleted(at(0.0)).is_none() && told.verdict.outages.is_empty());
    });
}

#[test]
fn a_leader_that_dies_after_a_change_of_ttl_is_replaced_after_the_new_one() {
    let dies = fault("kill", "node1", 80.0, 200.0, "");
    always("", &[configure(43.0, "ttl = 60"), dies], |told| {
        let next = seconds(
            told.leads(N2, at(80.0))
                .into_iter()
                .chain(told.leads(N3, at(80.0)))
                .min(),
        );
        assert!((130.0..143.0).contains(&next), "{next}");
    });
}

#[test]
fn a_new_loop_wait_counts_from_the_cycle_in_which_it_is_read_and_needs_no_new_lease() {
    always("", &[configure(43.0, "loop_wait = 2")], |told| {
        assert!(seconds(timings(told, N1, 30, 2)) < 44.0);
        assert_eq!(leader_leases(told).len(), 1);
        let cycles = |from, to| {
            let notes = told.chronicle.notes.iter();
            notes
                .filter(|(t, part, note)| {
                    *part == Part::Agent(N1) && *note == Note::CycleBegins && (at(from)..at(to)).contains(t)
                })
                .count()
        };
        assert_eq!(cycles(44.0, 64.0), 10);
    });
}

#[test]
fn new_timings_are_adjusted_anew_from_what_was_written_and_not_from_what_was_made_of_it() {
    // 30, 15, 10 runs as 30, 10, 10. With ttl 60 the 15 has room.
    let start = "patroni.loop_wait = 15\n";
    always(
        start,
        &[configure(43.0, "ttl = 60"), configure(100.0, "ttl = 5")],
        |told| {
            assert!(timings(told, N1, 60, 15).is_some());
            assert!(timings(told, N1, 20, 1).is_some_and(|adopted| adopted > at(100.0)));
            assert!(told.verdict.outages.is_empty());
        },
    );
}

#[test]
fn with_a_stale_copy_of_the_keys_an_agent_keeps_the_old_settings() {
    let blocked = fault("block", "node3/agent", 30.0, 120.0, "thread = 'watcher'");
    always(
        "",
        &[blocked, configure(43.0, "check_timeline = true\nloop_wait = 5")],
        |told| {
            assert!(seconds(settings(told, N2, 43.0)) < 44.0);
            let (late, timed) = (seconds(settings(told, N3, 43.0)), seconds(timings(told, N3, 30, 5)));
            assert!(
                (120.0..131.0).contains(&late) && (120.0..131.0).contains(&timed),
                "{late} {timed}"
            );
        },
    );
}

#[test]
fn an_agent_that_was_down_during_the_change_starts_with_the_new_ttl() {
    let down = fault("kill", "node3/agent", 30.0, 90.0, "");
    always("", &[down, configure(43.0, "ttl = 60")], |told| {
        assert!(seconds(timings(told, N3, 60, 10)) > 90.0);
        let member = told.keys.changes.iter().rev().find_map(|(_, event)| match event {
            WatchEvent::Put(item) if item.key == Key::Member(N3) => item.lease,
            _ => None,
        });
        let ttl = told.chronicle.notes.iter().find_map(|(_, _, note)| match note {
            Note::LeaseGranted { lease, ttl } if Some(*lease) == member => Some(*ttl),
            _ => None,
        });
        assert_eq!(ttl, Some(Span::from_secs(60)));
    });
}

#[test]
fn failsafe_mode_that_is_switched_on_holds_and_switched_off_does_not() {
    let without_store = |from, until| {
        ["etcd1", "etcd2", "etcd3"]
            .map(|m| fault("pause", m, from, until, ""))
            .concat()
    };
    let faults = [
        configure(30.0, "failsafe_mode = true"),
        without_store(50.0, 90.0),
        configure(120.0, "failsafe_mode = false"),
        without_store(140.0, 190.0),
    ];
    always("", &faults, |told| {
        assert!(
            told.key(at(30.0), |value| matches!(value, Value::Failsafe(_)))
                .is_some()
        );
        assert!(told.is_primary(N1, at(119.0)) && told.no_primary(N1, at(0.0)).is_some_and(|down| down > at(140.0)));
        assert!(told.no_primary(N1, at(140.0)).is_some_and(|down| down < at(180.0)));
    });
}

#[test]
fn synchronous_mode_that_is_switched_on_waits_for_a_standby_and_switched_off_for_nobody() {
    for mode in ["on", "quorum"] {
        let faults = [
            configure(30.0, &format!("synchronous_mode = '{mode}'")),
            configure(100.0, "synchronous_mode = false"),
        ];
        always("", &faults, |told| {
            let first = told
                .key(at(30.0), |value| matches!(value, Value::Sync(_)))
                .expect("switched on");
            let said = told.sync(first).expect("just written");
            assert!(
                said.standbys.is_empty(),
                "nobody may lead before commits wait for it: {said:?}"
            );
            assert!(told.sync(at(60.0)).is_some_and(|sync| !sync.standbys.is_empty()));
            let alone = told.first(at(100.0), |part, note| {
                part == Part::Postgres(N1) && matches!(note, Note::WaitsFor { count: 0, .. })
            });
            assert!(seconds(alone) < 102.0);
            let gone = told.keys.changes.iter().find_map(|(at, event)| match event {
                WatchEvent::Delete { key: Key::Sync, .. } => Some(*at),
                _ => None,
            });
            assert!(
                gone.is_some_and(|gone| Some(gone) < alone),
                "anybody may lead before commits wait for nobody"
            );
            assert!(told.key(at(102.0), |value| matches!(value, Value::Sync(_))).is_none());
            assert!(told.verdict.outages.is_empty());
        });
    }
}

#[test]
fn what_is_switched_at_the_same_time_by_two_agents_is_switched_by_one_of_them_only() {
    let other = "[[fault]]\nat_s = 43\nkind = 'configure'\ntarget = 'node2'\nttl = 50\n".to_owned();
    always("", &[configure(43.0, "ttl = 60"), other], |told| {
        let refused = |node| {
            told.agent(node, at(43.0), |note| *note == Note::SettingsRefused)
                .is_some()
        };
        assert!(refused(N1) != refused(N2));
        let ttl = if refused(N1) { 50 } else { 60 };
        assert!(timings(told, N3, ttl, 10).is_some());
    });
}

#[test]
fn maintenance_mode_and_another_change_do_not_undo_each_other() {
    let faults = [
        fault("maintenance", "node2", 30.0, 100.0, ""),
        configure(50.0, "ttl = 60"),
    ];
    always("", &faults, |told| {
        let paused = |from| told.agent(N3, at(from), |note| matches!(note, Note::Maintenance { .. }));
        assert!(seconds(paused(30.0)) < 31.0 && seconds(paused(31.0)) > 100.0);
        assert!(timings(told, N3, 60, 10).is_some() && timings(told, N3, 30, 10).is_none());
    });
}

#[test]
fn what_one_agent_is_asked_for_at_the_same_instant_is_all_done() {
    let faults = [
        fault("maintenance", "node1", 43.0, 100.0, ""),
        configure(43.0, "ttl = 60"),
        configure(43.0, "check_timeline = true"),
    ];
    always("", &faults, |told| {
        assert!(timings(told, N3, 60, 10).is_some() && settings(told, N3, 43.0).is_some());
        assert!(
            told.agent(N3, at(43.0), |note| *note == Note::Maintenance { on: true })
                .is_some()
        );
        let refused = |node| told.agent(node, at(43.0), |note| *note == Note::SettingsRefused);
        assert_eq!(refused(N1), None);
    });
}

#[test]
fn a_thread_that_two_faults_block_goes_on_when_both_have_ended() {
    for thread in ["loop", "watcher"] {
        let block = |from, until| fault("block", "node2/agent", from, until, &format!("thread = '{thread}'"));
        let change = configure(65.0, "check_timeline = true");
        always("", &[block(30.0, 60.0), block(40.0, 90.0), change], |told| {
            assert!(seconds(settings(told, N3, 65.0)) < 66.0);
            assert!(
                seconds(settings(told, N2, 65.0)) >= 90.0,
                "the second fault still stands"
            );
            let mut cycles = told.chronicle.notes.iter().filter(|(t, part, note)| {
                thread == "loop" && *part == Part::Agent(N2) && *note == Note::CycleBegins && *t > at(45.0)
            });
            assert!(cycles.next().is_none_or(|(t, ..)| *t >= at(90.0)));
        });
    }
}

#[test]
fn a_change_is_read_and_written_like_any_other_fault() {
    let text = configure(
        43.0,
        "ttl = 60\nsynchronous_mode = true\nmaximum_lag_on_syncnode = -1\nprimary_start_timeout = 0",
    );
    let scenario = parsed(&text);
    assert_eq!(Scenario::parse(&scenario.to_toml(), "again"), Ok(scenario));
    let wrong = |settings: &str| Scenario::parse(&configure(43.0, settings), "test").unwrap_err()[0].to_string();
    assert!(wrong("").contains("changes nothing"));
    assert!(wrong("ttl = 0").contains("below the least value 1"));
    assert!(wrong("ttl = 60\nfor_s = 3").contains("has no end"));
    assert!(wrong("nofailover = true\nttl = 60").contains("leave it out"));
    assert!(wrong("ttl = 60.5").contains("whole seconds"));
}
