#![cfg(not(target_arch = "wasm32"))]
//! Patroni's own behaviour scenarios (its `features/*.feature`, in our words: patroni.md 14) against the simulation.
//!
//! loop_wait 2, ttl 30, retry_timeout 10 unless said otherwise. `n0` of the suite is `node1` here, and so on. The bounds are
//! the suite's; where an agent is started on the way, [`BOOT`] is added for its process, which the suite starts in a step of
//! its own. Every scenario must hold with each of [`SEEDS`] seeds.
//!
//! A cluster here has been running when a test begins, so "start" means that an agent was stopped before. Not here:
//!
//! | scenario | why |
//! |----------|-----|
//! | B6       | in part: nothing stops the replay of a standby; here one falls behind because WAL does not reach it |
//! | B8       | in part: `/history` has no reasons, and there are no callbacks |
//! | P3       | in part: a scenario file cannot say `nofailover: false` beside a priority of 0 |
//! | F5, F8   | in part: there are no replication slots to advance |
//! | C1 to C3, L1 to L3, T1, T2, N1 | no standby clusters, replication slots, Citus, cascades |

#[path = "common/chronicle.rs"]
mod chronicle;

use chronicle::{Told, parsed, told_with_keys};
use leaselab::agent::Bugs;
use leaselab::engine::{SimTime, Span};
use leaselab::verdict::with_nth_seed;
use leaselab::vocabulary::{
    Decline, NodeId, NodeSet, Note, Phase, SqlState, SyncState, SynchronousMode, Timeline, Value,
};
use leaselab::world::Part;

const SEEDS: u32 = 10;
/// From the start of an agent's process to its first cycle.
const BOOT: f64 = 4.0;
/// When the first fault of a scenario begins.
const T: f64 = 20.5;
const N0: NodeId = NodeId(0);
const N1: NodeId = NodeId(1);
const N2: NodeId = NodeId(2);

const ALONE: &str = "cluster.nodes = ['node1']\n";
const PAIR: &str = "cluster.nodes = ['node1', 'node2']\n";
const THREE: &str = "";

/// Settings and faults of a scenario: what is written before and after its tables.
fn scenario(cluster: &str, patroni: &str, faults: &[String]) -> String {
    let timing = ["ttl", "loop_wait", "retry_timeout"];
    let default = |key: &&&str| !patroni.contains(&format!("patroni.{key} "));
    let defaults: String = timing
        .iter()
        .filter(default)
        .map(|key| {
            format!(
                "patroni.{key} = {}\n",
                match *key {
                    "ttl" => 30,
                    "loop_wait" => 2,
                    _ => 10,
                }
            )
        })
        .collect();
    let traffic = if patroni.contains("traffic.") {
        ""
    } else {
        "traffic.writers = 0\n"
    };
    format!(
        "duration_s = 130\n{cluster}{defaults}{patroni}{traffic}{}",
        faults.concat()
    )
}

fn fault(kind: &str, target: &str, at: f64, until: Option<f64>, more: &str) -> String {
    let until = until.map_or(String::new(), |until| format!("until_s = {until}\n"));
    format!("[[fault]]\nkind = '{kind}'\ntarget = '{target}'\nat_s = {at}\n{until}{more}\n")
}

/// The cluster's configuration is changed, by way of the agent of the first node.
fn configure(at: f64, settings: &str) -> String {
    fault("configure", "node1", at, None, settings)
}

fn stop_store(at: f64, until: Option<f64>) -> String {
    let members = ["etcd1", "etcd2", "etcd3"];
    members.map(|member| fault("pause", member, at, until, "")).concat()
}

/// Checks every seed's run.
#[track_caller]
fn always(text: &str, holds: impl Fn(&Told)) {
    let scenario = parsed(text);
    for n in 0..SEEDS {
        let told = told_with_keys(&with_nth_seed(&scenario, n), Bugs::default());
        let ours = told.verdict.finding("engine rules").expect("judged");
        assert!(ours.holds, "{ours:?}");
        holds(&told);
    }
}

fn at(seconds: f64) -> SimTime {
    SimTime((seconds * 1e6) as u64)
}

/// It happened, within `bound` seconds after `from`.
#[track_caller]
fn within(bound: f64, from: f64, what: Option<SimTime>) -> f64 {
    let happened = what.map(SimTime::as_secs_f64);
    let fits = happened.is_some_and(|happened| happened <= from + bound);
    assert!(fits, "at {happened:?}, which is not within {bound} s after {from}");
    happened.unwrap_or(from)
}

fn nodes(of: &[NodeId]) -> NodeSet {
    of.iter().copied().collect()
}

fn sync(leader: NodeId, standbys: &[NodeId], quorum: u8) -> SyncState {
    SyncState {
        leader: Some(leader),
        standbys: nodes(standbys),
        quorum,
    }
}

/// When a primary first waits for so many of these.
fn waits_for(told: &Told, node: NodeId, from: f64, count: u8, of: &[NodeId]) -> Option<SimTime> {
    let wanted = Note::WaitsFor {
        count,
        standbys: nodes(of),
    };
    told.first(at(from), |part, note| part == Part::Postgres(node) && *note == wanted)
}

/// How many commits clients of this database were told of in this time.
fn commits(told: &Told, node: NodeId, from: f64, to: f64) -> usize {
    let all = told.chronicle.commits.iter();
    all.filter(|&&(t, by)| by == node && (at(from)..at(to)).contains(&t))
        .count()
}

fn declines(told: &Told, node: NodeId, from: f64, wanted: impl Fn(&Decline) -> bool) -> Option<SimTime> {
    told.agent(
        node,
        at(from),
        |note| matches!(note, Note::Declines(reason) if wanted(reason)),
    )
}

/// When this standby first streams at or after `from`.
fn streams(told: &Told, node: NodeId, from: f64) -> Option<SimTime> {
    told.first(at(from), |part, note| {
        part == Part::Postgres(node) && matches!(note, Note::Streams { .. })
    })
}

// --- basic_replication

#[test]
fn b1_a_node_alone_leads_when_it_is_started() {
    let text = scenario(ALONE, "", &[fault("stop", "node1/agent", T, Some(40.0), "")]);
    always(&text, |told| {
        within(10.0 + BOOT, 40.0, told.leads(N0, at(40.0)));
        within(15.0 + BOOT, 40.0, told.primary(N0, at(40.0)));
    });
}

#[test]
fn b2_a_node_alone_in_synchronous_mode_waits_for_nobody() {
    let text = scenario(ALONE, "patroni.ttl = 20\npatroni.synchronous_mode = 'on'\n", &[]);
    always(&text, |told| {
        assert_eq!(told.sync(at(22.0)), Some(sync(N0, &[], 0)));
        assert!(commits(told, N0, 10.0, 20.0) > 50);
    });
}

#[test]
fn b3_in_strict_mode_a_node_alone_commits_nothing() {
    let text = scenario(
        ALONE,
        "patroni.synchronous_mode = 'on'\npatroni.synchronous_mode_strict = true\n",
        &[],
    );
    always(&text, |told| {
        within(10.0, 0.0, waits_for(told, N0, 0.0, 1, &[]));
        assert_eq!(commits(told, N0, 0.0, 130.0), 0);
    });
}

#[test]
fn b4_b5_the_synchronous_role_stays_when_another_standby_stops_and_moves_when_its_own_does() {
    let stop = |node: &str, at, until| fault("stop", node, at, until, "");
    let text = scenario(
        THREE,
        "patroni.synchronous_mode = 'on'\n",
        &[
            stop("node3/agent", T, Some(40.0)),
            stop("node2/agent", 60.0, Some(90.0)),
        ],
    );
    always(&text, |told| {
        assert_eq!(told.sync(at(T)), Some(sync(N0, &[N1], 0)));
        for later in [5.0, 10.0, 18.0] {
            assert_eq!(told.sync(at(T + later)), Some(sync(N0, &[N1], 0)));
        }
        let moved = told.key(at(60.0), |value| *value == Value::Sync(sync(N0, &[N2], 0)));
        within(10.0, 60.0, moved);
        within(10.0, 60.0, waits_for(told, N0, 60.0, 1, &[N2]));
        // It asked to be released first, so no commit had to wait for a dead standby.
        assert!(told.verdict.outages.is_empty() && longest_pause(told, N0, 59.0, 75.0) < 1.0);
        within(10.0 + BOOT, 90.0, streams(told, N1, 90.0));
        assert_eq!(
            told.sync(at(120.0)),
            Some(sync(N0, &[N2], 0)),
            "the first stays asynchronous"
        );
    });
}

/// The longest time between two commits that the clients of this database were told of.
fn longest_pause(told: &Told, node: NodeId, from: f64, to: f64) -> f64 {
    let mine = told
        .chronicle
        .commits
        .iter()
        .filter(|&&(t, by)| by == node && (at(from)..at(to)).contains(&t));
    let times: Vec<f64> = [from]
        .into_iter()
        .chain(mine.map(|(t, _)| t.as_secs_f64()))
        .chain([to])
        .collect();
    times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max)
}

#[test]
fn b6_a_synchronous_standby_that_falls_behind_is_replaced_even_in_maintenance_mode() {
    let text = scenario(
        THREE,
        "patroni.synchronous_mode = 'on'\npatroni.maximum_lag_on_syncnode = 5000\ntraffic.writers = 0\n\
         traffic.direct_commit = 'local'\n",
        &[
            fault("maintenance", "node1", T, None, ""),
            fault("cut", "node1 -> node2", 30.0, Some(50.0), "mode = 'silent'"),
        ],
    );
    always(&text, |told| {
        assert_eq!(told.sync(at(29.0)), Some(sync(N0, &[N1], 0)));
        within(
            15.0,
            30.0,
            told.key(at(30.0), |value| *value == Value::Sync(sync(N0, &[N2], 0))),
        );
    });
}

#[test]
fn b7_of_two_synchronous_standbys_the_one_that_stops_is_dropped() {
    let text = scenario(
        THREE,
        "patroni.synchronous_mode = 'on'\npatroni.synchronous_node_count = 2\n",
        &[fault("stop", "node2/agent", T, None, "")],
    );
    always(&text, |told| {
        assert_eq!(told.sync(at(T)), Some(sync(N0, &[N1, N2], 0)));
        within(
            10.0,
            T,
            told.key(at(T), |value| *value == Value::Sync(sync(N0, &[N2], 0))),
        );
        within(10.0, T, waits_for(told, N0, T, 1, &[N2]));
    });
}

#[test]
fn b7_a_second_synchronous_standby_is_taken_and_given_up_as_the_configuration_says() {
    let text = scenario(
        THREE,
        "patroni.synchronous_mode = 'on'\n",
        &[
            configure(T, "synchronous_node_count = 2"),
            configure(50.0, "synchronous_node_count = 1"),
            fault("stop", "node2/agent", 50.1, None, ""),
        ],
    );
    always(&text, |told| {
        assert_eq!(told.sync(at(T)), Some(sync(N0, &[N1], 0)));
        within(10.0, T, waits_for(told, N0, T, 2, &[N1, N2]));
        let both = told.key(at(T), |value| *value == Value::Sync(sync(N0, &[N1, N2], 0)));
        within(10.0, T, both);
        assert_eq!(told.sync(at(49.0)), Some(sync(N0, &[N1, N2], 0)));
        within(10.0, 50.1, waits_for(told, N0, 50.0, 1, &[N2]));
        let one = told.key(at(50.0), |value| *value == Value::Sync(sync(N0, &[N2], 0)));
        within(10.0, 50.1, one);
        assert!(told.verdict.outages.is_empty());
    });
}

#[test]
fn b8_b9_after_maintenance_the_synchronous_standby_takes_over_and_the_old_primary_rewinds() {
    let text = scenario(
        THREE,
        "patroni.synchronous_mode = 'on'\ntraffic.writers = 0\ntraffic.direct_commit = 'local'\n",
        &[
            fault("maintenance", "node3", T, Some(50.0), ""),
            fault("stop", "node1/agent", 25.0, Some(90.0), ""),
        ],
    );
    always(&text, |told| {
        assert!(told.is_primary(N0, at(49.0)), "it was left as it was");
        within(24.0, 50.0, told.primary(N1, at(50.0)));
        assert!(told.primary(N2, at(0.0)).is_none(), "the other standby may not");
        assert!(told.is_primary(N0, at(89.0)), "still running alone");
        let rewound = told.agent(N0, at(90.0), |note| matches!(note, Note::Rewinds { .. }));
        within(20.0 + BOOT, 90.0, rewound);
        within(20.0 + BOOT, 90.0, streams(told, N0, 90.0));
        assert!(!told.is_primary(N0, at(129.0)));
    });
}

#[test]
fn b10_a_second_agent_with_the_same_name_refuses_to_start() {
    let text = scenario(
        PAIR,
        "",
        &[fault("same_name", "node2/agent", T, None, "name = 'node1'")],
    );
    always(&text, |told| {
        within(5.0, T, told.agent(N1, at(T), |note| *note == Note::NameTaken));
        assert!(told.verdict.outages.is_empty() && !told.verdict.two_primaries.ever);
    });
}

#[test]
fn b11_in_strict_mode_the_new_leader_waits_for_the_old_one_rather_than_for_nobody() {
    let text = scenario(
        "cluster.leader = 'node3'\ncluster.nosync = ['node1']\n",
        "patroni.synchronous_mode = 'on'\npatroni.synchronous_mode_strict = true\n",
        &[fault("stop", "node3/agent", T, None, "")],
    );
    always(&text, |told| {
        within(10.0, T, told.primary(N1, at(T)));
        within(
            10.0,
            T,
            told.key(at(T), |value| *value == Value::Sync(sync(N1, &[N2], 0))),
        );
        assert_eq!(told.sync(at(60.0)), Some(sync(N1, &[N2], 0)));
        assert_eq!(commits(told, N1, T, 60.0), 0, "commits block");
    });
}

// --- dcs_failsafe: loop_wait 2, ttl 20, retry_timeout 3

const FAILSAFE: &str = "patroni.ttl = 20\npatroni.retry_timeout = 3\npatroni.failsafe_mode = true\n";

fn failsafe_holds(told: &Told, node: NodeId, from: f64) -> Option<SimTime> {
    told.agent(node, at(from), |note| *note == Note::FailsafeHolds)
}

#[test]
fn f1_f2_a_node_alone_leads_on_without_its_store() {
    let text = scenario(ALONE, FAILSAFE, &[stop_store(T, Some(80.0))]);
    always(&text, |told| {
        within(
            10.0,
            0.0,
            told.key(at(0.0), |value| *value == Value::Failsafe(nodes(&[N0]))),
        );
        within(12.0, T, failsafe_holds(told, N0, T));
        assert!(told.verdict.outages.is_empty());
    });
}

#[test]
fn f3_f4_a_node_that_the_list_does_not_name_is_never_promoted() {
    let text = scenario(
        THREE,
        FAILSAFE,
        &[
            fault("kill", "node3", T, Some(70.0), ""),
            fault("stop", "node2/agent", 55.0, None, ""),
            fault("stop", "node1/agent", 60.0, Some(100.0), ""),
        ],
    );
    always(&text, |told| {
        let without = told.key(at(T), |value| *value == Value::Failsafe(nodes(&[N0, N1])));
        within(25.0, T, without);
        within(
            12.0 + BOOT,
            70.0,
            declines(told, N2, 70.0, |reason| *reason == Decline::NotInFailsafe),
        );
        assert!(told.primary(N2, at(0.0)).is_none());
        // The node that the list does name leads again, and the list names whoever is there.
        within(10.0 + BOOT, 100.0, told.primary(N0, at(100.0)));
        let both = told.key(
            at(100.0),
            |value| matches!(value, Value::Failsafe(list) if list.contains(N0) && list.contains(N2)),
        );
        within(15.0 + BOOT, 100.0, both);
    });
}

#[test]
fn f5_f6_f7_a_pair_leads_on_without_its_store_until_one_of_them_dies_which_leads_when_it_is_back() {
    let text = scenario(
        PAIR,
        FAILSAFE,
        &[
            stop_store(T, Some(80.0)),
            fault("kill", "node2", 50.0, Some(85.0), ""),
            fault("kill", "node1", 70.0, None, "network = 'refused'"),
        ],
    );
    always(&text, |told| {
        within(12.0, T, failsafe_holds(told, N0, T));
        assert!(told.is_primary(N0, at(49.9)) && commits(told, N0, 45.0, 49.0) > 30);
        within(12.0, 50.0, told.no_primary(N0, at(50.0)));
        assert!(!told.is_primary(N0, at(69.0)), "read-only");
        within(25.0 + BOOT, 85.0, told.primary(N1, at(85.0)));
    });
}

#[test]
fn f8_three_nodes_lead_on_without_their_store() {
    let text = scenario(THREE, FAILSAFE, &[stop_store(T, Some(80.0))]);
    always(&text, |told| {
        within(12.0, T, failsafe_holds(told, N0, T));
        assert!(told.verdict.outages.is_empty());
    });
}

// --- watchdog

/// When the device of this node notes this.
fn watchdog(told: &Told, node: NodeId, from: f64, wanted: impl Fn(&Note) -> bool) -> Option<SimTime> {
    told.first(at(from), |part, note| part == Part::Watchdog(node) && wanted(note))
}

#[test]
fn w1_w2_the_watchdog_waits_ttl_less_the_margin() {
    for (ttl, timeout) in [(21, 16), (20, 15)] {
        let settings = format!("patroni.ttl = {ttl}\nwatchdog.mode = 'required'\n");
        always(&scenario(ALONE, &settings, &[]), |told| {
            let timeout = Span::from_secs(timeout);
            within(
                10.0,
                0.0,
                watchdog(told, N0, 0.0, |note| *note == Note::WatchdogOpened { timeout }),
            );
            within(
                10.0,
                0.0,
                watchdog(told, N0, 0.0, |note| *note == Note::WatchdogPinged { timeout }),
            );
        });
    }
}

#[test]
fn w2_a_shorter_ttl_shortens_the_watchdog_at_the_next_ping() {
    let settings = "patroni.ttl = 21\nwatchdog.mode = 'required'\n";
    let text = scenario(ALONE, settings, &[configure(T, "ttl = 20")]);
    always(&text, |told| {
        let timeout = Span::from_secs(15);
        let pinged = |from, timeout| watchdog(told, N0, from, |note| *note == Note::WatchdogPinged { timeout });
        within(10.0, T, pinged(T, timeout));
        let after = pinged(T, timeout).expect("pinged").as_secs_f64();
        assert!(
            pinged(after, Span::from_secs(16)).is_none(),
            "none with the old timeout any more"
        );
        assert!(told.verdict.outages.is_empty());
    });
}

#[test]
fn w3_maintenance_mode_closes_the_watchdog_and_its_end_opens_it() {
    let text = scenario(
        ALONE,
        "patroni.ttl = 21\nwatchdog.mode = 'required'\n",
        &[fault("maintenance", "node1", T, Some(60.0), "")],
    );
    always(&text, |told| {
        within(2.0, T, watchdog(told, N0, T, |note| *note == Note::WatchdogClosed));
        let again = |note: &Note| matches!(note, Note::WatchdogOpened { .. } | Note::WatchdogPinged { .. });
        let opened = watchdog(told, N0, T + 1.0, again);
        assert!(opened.is_some_and(|opened| opened >= at(60.0)), "{opened:?}");
        within(10.0, 60.0, opened);
        assert!(told.verdict.outages.is_empty());
    });
}

#[test]
fn w4_an_agent_that_ends_in_good_order_closes_the_watchdog() {
    let text = scenario(
        ALONE,
        "patroni.ttl = 21\nwatchdog.mode = 'required'\n",
        &[fault("stop", "node1/agent", T, None, "")],
    );
    always(&text, |told| {
        within(2.0, T, watchdog(told, N0, T, |note| *note == Note::WatchdogClosed));
        assert!(watchdog(told, N0, T, |note| *note == Note::WatchdogFires).is_none());
    });
}

const FROZEN: &str = "patroni.ttl = 20\npatroni.loop_wait = 3\npatroni.retry_timeout = 8\n\
                      patroni.primary_race_backoff = 6\n";

#[test]
fn w5_the_watchdog_of_a_frozen_agent_fires_before_its_lease_ends() {
    let settings = format!("{FROZEN}watchdog.mode = 'required'\n");
    let text = scenario(PAIR, &settings, &[fault("pause", "node1/agent", T, Some(80.5), "")]);
    always(&text, |told| {
        within(20.0, T, watchdog(told, N0, T, |note| *note == Note::WatchdogFires));
        assert!(!told.verdict.two_primaries.ever);
    });
}

#[test]
fn w6_without_a_watchdog_the_other_node_waits_for_the_log_to_rest_and_then_takes_over_all_the_same() {
    let text = scenario(PAIR, FROZEN, &[fault("pause", "node1/agent", T, Some(80.5), "")]);
    always(&text, |told| {
        let backs_off = declines(told, N1, T, |reason| *reason == Decline::BacksOff);
        let since = within(20.0 + 12.0, T, backs_off);
        let promoted = within(20.0, since, told.primary(N1, at(T)));
        assert!(promoted >= since + 3.0, "it waited: {since} to {promoted}");
        assert!(told.is_primary(N0, at(promoted)), "two primaries, as the suite has it");
    });
}

// --- patroni_api

#[test]
fn a1_a_node_alone_hands_over_to_nobody() {
    let text = scenario(ALONE, "", &[fault("switchover", "node1", T, None, "")]);
    always(&text, |told| {
        within(5.0, T, told.agent(N0, at(T), |note| *note == Note::NobodyCanTakeOver));
        assert!(told.verdict.outages.is_empty());
    });
}

#[test]
fn a2_in_maintenance_mode_a_dead_database_is_not_started() {
    let text = scenario(
        PAIR,
        "",
        &[
            fault("maintenance", "node1", T, Some(70.0), ""),
            fault("kill", "node2/postgres", 30.0, None, ""),
        ],
    );
    always(&text, |told| {
        let stopped = |value: &Value| {
            matches!(
                value,
                Value::Member {
                    role: leaselab::vocabulary::DbRole::Replica,
                    state: SqlState::Stopped,
                    ..
                }
            )
        };
        within(10.0, 30.0, told.key(at(30.0), stopped));
        let starts = |part, note: &Note| {
            part == Part::Postgres(N1) && matches!(note, Note::Database(db) if db.phase == Phase::Starting)
        };
        let started = told.first(at(30.0), starts);
        assert!(started.is_some_and(|started| started >= at(70.0)), "{started:?}");
    });
}

#[test]
fn a3_in_maintenance_mode_a_switchover_to_a_named_node_works() {
    let text = scenario(
        PAIR,
        "",
        &[
            fault("maintenance", "node1", T, None, ""),
            fault("switchover", "node1", 30.0, None, "to = 'node2'"),
        ],
    );
    always(&text, |told| {
        within(5.0, 30.0, told.leads(N1, at(30.0)));
        within(10.0, 30.0, told.primary(N1, at(30.0)));
        within(20.0, 30.0, streams(told, N0, 30.0));
        assert!(!told.is_primary(N0, at(60.0)));
    });
}

#[test]
fn a4_a_switchover_for_a_later_time_is_refused_in_maintenance_mode_and_done_otherwise() {
    let scheduled = |at, when: f64| {
        fault(
            "switchover",
            "node1",
            at,
            None,
            &format!("to = 'node2'\nscheduled_at_s = {when}"),
        )
    };
    let text = scenario(
        PAIR,
        "",
        &[
            fault("maintenance", "node1", T, Some(50.0), ""),
            scheduled(30.0, 40.0),
            scheduled(60.0, 70.0),
        ],
    );
    always(&text, |told| {
        within(
            1.0,
            30.0,
            told.agent(N0, at(30.0), |note| *note == Note::ScheduleRefused),
        );
        assert!(told.is_primary(N0, at(69.9)), "not before its time");
        within(20.0, 60.0, told.leads(N1, at(60.0)));
        within(20.0, 60.0, told.primary(N1, at(60.0)));
        within(30.0, 60.0, streams(told, N0, 70.0));
    });
}

#[test]
fn a5_a_leader_whose_database_is_restarted_stays_the_leader() {
    let text = scenario(
        PAIR,
        "watchdog.mode = 'required'\n",
        &[fault("restart", "node1/postgres", T, None, "")],
    );
    always(&text, |told| {
        let down = told.no_primary(N0, at(T)).expect("restarted");
        within(5.0, T, told.primary(N0, down + Span::from_millis(1)));
        assert!(told.verdict.failovers.is_empty() && told.key_deleted(at(T)).is_none());
        assert!(watchdog(told, N0, T, |note| *note == Note::WatchdogClosed).is_none());
    });
}

// --- priority_failover

#[test]
fn p1_a_node_with_priority_0_stays_a_standby() {
    let text = scenario(
        "cluster.nodes = ['node1', 'node2']\ncluster.failover_priority = [1, 0]\n",
        "",
        &[fault("stop", "node1/agent", T, Some(50.0), "")],
    );
    always(&text, |told| {
        within(5.0, T, declines(told, N1, T, |reason| *reason == Decline::NoFailover));
        assert!(told.primary(N1, at(0.0)).is_none());
        within(10.0 + BOOT, 50.0, told.primary(N0, at(50.0)));
    });
}

#[test]
fn p2_of_two_that_are_equally_far_the_one_with_the_higher_priority_leads() {
    let text = scenario(
        "cluster.failover_priority = [1, 1, 2]\n",
        "traffic.writers = 0\ntraffic.direct_writers = false\n",
        &[fault("stop", "node1/agent", T, None, "")],
    );
    always(&text, |told| {
        within(10.0, T, told.primary(N2, at(T)));
        assert!(told.primary(N1, at(0.0)).is_none());
    });
}

#[test]
fn p3_of_tags_that_contradict_each_other_nofailover_wins_and_a_failover_by_hand_is_refused() {
    let cluster = "cluster.nofailover = ['node2']\ncluster.failover_priority = [1, 9, 1]\n";
    let text = scenario(
        cluster,
        "",
        &[
            fault("failover", "node2", T, None, ""),
            fault("failover", "node3", 40.0, None, ""),
            fault("stop", "node3/agent", 70.0, None, ""),
        ],
    );
    always(&text, |told| {
        within(5.0, T, told.agent(N1, at(T), |note| *note == Note::NobodyCanTakeOver));
        assert!(told.is_primary(N0, at(39.9)));
        within(10.0, 40.0, told.primary(N2, at(40.0)));
        within(15.0, 70.0, told.primary(N0, at(70.0)));
        assert!(told.primary(N1, at(0.0)).is_none());
    });
}

// --- synchronous standbys by tag, quorum_commit

#[test]
fn s1_q6_a_node_that_must_not_be_waited_for_is_never_chosen() {
    for (mode, quorum) in [("on", 0), ("quorum", 0)] {
        let text = scenario(
            "cluster.nosync = ['node2']\n",
            &format!("patroni.synchronous_mode = '{mode}'\n"),
            &[],
        );
        always(&text, |told| {
            assert_eq!(told.sync(at(20.0)), Some(sync(N0, &[N2], quorum)));
            assert!(
                told.key(
                    at(0.0),
                    |value| matches!(value, Value::Sync(sync) if sync.standbys.contains(N1))
                )
                .is_none()
            );
        });
    }
}

#[test]
fn s1_s2_the_synchronous_standby_is_whoever_has_the_highest_priority_and_no_tag_against_it() {
    let text = scenario(
        "cluster.nodes = ['node1', 'node2', 'node3', 'node4']\ncluster.sync_priority = [1, 0, 1, 2]\n",
        "patroni.synchronous_mode = 'on'\n",
        &[
            fault("tag", "node4/agent", T, Some(60.0), "tag = 'nosync'"),
            fault("stop", "node3/agent", 90.0, None, ""),
            fault("stop", "node4/agent", 110.0, None, ""),
        ],
    );
    let n3 = NodeId(3);
    always(&text, |told| {
        assert_eq!(told.sync(at(T)), Some(sync(N0, &[n3], 0)));
        within(
            10.0,
            T,
            told.key(at(T), |value| *value == Value::Sync(sync(N0, &[N2], 0))),
        );
        // Without the tag it is preferred again, though another holds the place.
        within(
            10.0,
            60.0,
            told.key(at(60.0), |value| *value == Value::Sync(sync(N0, &[n3], 0))),
        );
        within(
            10.0,
            110.0,
            told.key(at(110.0), |value| *value == Value::Sync(sync(N0, &[], 0))),
        );
        let ever = |value: &Value| matches!(value, Value::Sync(sync) if sync.standbys.contains(N1));
        assert!(told.key(at(0.0), ever).is_none(), "a priority of 0 is never chosen");
    });
}

#[test]
fn q6_a_voter_that_is_tagged_leaves_the_voters_and_comes_back_without_the_tag() {
    let text = scenario(
        THREE,
        "patroni.synchronous_mode = 'quorum'\n",
        &[fault("tag", "node3/agent", T, Some(60.0), "tag = 'nosync'")],
    );
    always(&text, |told| {
        assert_eq!(told.sync(at(T)), Some(sync(N0, &[N1, N2], 1)));
        within(
            10.0,
            T,
            told.key(at(T), |value| *value == Value::Sync(sync(N0, &[N1], 0))),
        );
        within(10.0, T, waits_for(told, N0, T, 1, &[N1]));
        within(
            10.0,
            60.0,
            told.key(at(60.0), |value| *value == Value::Sync(sync(N0, &[N1, N2], 1))),
        );
    });
}

#[test]
fn p3_a_node_that_is_tagged_during_the_run_must_not_lead_until_the_tag_is_gone() {
    let text = scenario(
        PAIR,
        "",
        &[
            fault("tag", "node2/agent", T, Some(70.0), "tag = 'nofailover'"),
            fault("failover", "node2", 30.0, None, ""),
            fault("failover", "node2", 80.0, None, ""),
        ],
    );
    always(&text, |told| {
        within(
            5.0,
            30.0,
            told.agent(N1, at(30.0), |note| *note == Note::NobodyCanTakeOver),
        );
        assert!(told.is_primary(N0, at(79.9)));
        within(10.0, 80.0, told.primary(N1, at(80.0)));
    });
}

#[test]
fn q1_a_node_alone_in_quorum_mode_leads_again_after_a_restart() {
    let text = scenario(
        ALONE,
        "patroni.ttl = 20\npatroni.synchronous_mode = 'quorum'\n",
        &[fault("stop", "node1/agent", T, Some(40.0), "")],
    );
    always(&text, |told| {
        assert_eq!(told.sync(at(20.0)), Some(sync(N0, &[], 0)));
        within(10.0 + BOOT, 40.0, told.primary(N0, at(40.0)));
        assert!(commits(told, N0, 60.0, 70.0) > 50, "and waits for nobody");
    });
}

#[test]
fn q2_in_strict_quorum_mode_a_node_alone_commits_nothing() {
    let text = scenario(
        ALONE,
        "patroni.synchronous_mode = 'quorum'\npatroni.synchronous_mode_strict = true\n",
        &[],
    );
    always(&text, |told| {
        within(10.0, 0.0, waits_for(told, N0, 0.0, 1, &[]));
        assert_eq!(commits(told, N0, 0.0, 130.0), 0);
    });
}

#[test]
fn q3_in_strict_quorum_mode_the_new_leader_waits_for_the_old_one() {
    let text = scenario(
        PAIR,
        "patroni.synchronous_mode = 'quorum'\npatroni.synchronous_mode_strict = true\n",
        &[fault("stop", "node1/agent", T, None, "")],
    );
    always(&text, |told| {
        within(10.0, T, told.primary(N1, at(T)));
        within(
            10.0,
            T,
            told.key(at(T), |value| *value == Value::Sync(sync(N1, &[N0], 0))),
        );
        within(10.0, T, waits_for(told, N1, T, 1, &[N0]));
        assert_eq!(told.sync(at(60.0)), Some(sync(N1, &[N0], 0)));
    });
}

#[test]
fn q4_the_quorum_is_what_the_voters_leave_beside_those_that_a_commit_waits_for() {
    for (count, quorum) in [(1, 1), (2, 0)] {
        let settings = format!("patroni.synchronous_mode = 'quorum'\npatroni.synchronous_node_count = {count}\n");
        always(&scenario(THREE, &settings, &[]), |told| {
            assert_eq!(told.sync(at(20.0)), Some(sync(N0, &[N1, N2], quorum)));
            within(10.0, 0.0, waits_for(told, N0, 0.0, count, &[N1, N2]));
        });
    }
}

#[test]
fn q4_the_quorum_follows_a_change_of_the_number_of_nodes() {
    let text = scenario(
        THREE,
        "patroni.synchronous_mode = 'quorum'\n",
        &[
            configure(T, "synchronous_node_count = 2"),
            configure(60.0, "synchronous_node_count = 1"),
        ],
    );
    always(&text, |told| {
        let quorum = |from, quorum| told.key(at(from), |value| *value == Value::Sync(sync(N0, &[N1, N2], quorum)));
        assert_eq!(told.sync(at(T)), Some(sync(N0, &[N1, N2], 1)));
        // More is asked of commits first, and of candidates less only then; on the way back it is the other way round.
        let commits = within(10.0, T, waits_for(told, N0, T, 2, &[N1, N2]));
        let candidates = within(10.0, T, quorum(T, 0));
        assert!(commits < candidates);
        let candidates = within(10.0, 60.0, quorum(60.0, 1));
        let commits = within(10.0, 60.0, waits_for(told, N0, 60.0, 1, &[N1, N2]));
        assert!(candidates - 0.1 < commits);
    });
}

#[test]
fn q5_quorum_becomes_plain_synchronous_mode_and_back_with_one_node_stopped_meanwhile() {
    let text = scenario(
        THREE,
        "patroni.synchronous_mode = 'quorum'\n",
        &[
            fault("stop", "node3/agent", T, Some(70.0), ""),
            configure(40.0, "synchronous_mode = 'on'"),
            configure(90.0, "synchronous_mode = 'quorum'"),
        ],
    );
    always(&text, |told| {
        assert_eq!(told.sync(at(39.0)), Some(sync(N0, &[N1], 0)));
        within(10.0, 40.0, told.agent(N0, at(40.0), adopts(SynchronousMode::On)));
        assert_eq!(told.sync(at(50.0)), Some(sync(N0, &[N1], 0)));
        assert_eq!(
            told.sync(at(89.0)),
            Some(sync(N0, &[N1], 0)),
            "the third stays asynchronous"
        );
        within(10.0, 90.0, waits_for(told, N0, 90.0, 1, &[N1, N2]));
        let back = told.key(at(90.0), |value| *value == Value::Sync(sync(N0, &[N1, N2], 1)));
        within(10.0, 90.0, back);
        assert!(told.verdict.outages.is_empty());
    });
}

/// Whether an agent says that it goes over to this mode.
fn adopts(mode: SynchronousMode) -> impl Fn(&Note) -> bool {
    move |note| matches!(note, Note::AdoptsSettings(changes) if changes.synchronous_mode == Some(mode))
}

// --- recovery

#[test]
fn r1_a_leader_whose_database_is_killed_starts_it_again_as_primary_on_its_timeline() {
    let text = scenario(PAIR, "", &[fault("kill", "node1/postgres", T, None, "")]);
    always(&text, |told| {
        within(10.0, T, told.primary(N0, at(T + 0.1)));
        assert!(told.verdict.failovers.is_empty());
        let promoted = |_, note: &Note| matches!(note, Note::Promoted { timeline, .. } if *timeline > Timeline(1));
        assert!(told.first(at(0.0), promoted).is_none());
    });
}

#[test]
fn r2_with_no_time_for_a_start_the_other_node_leads() {
    let text = scenario(
        PAIR,
        "patroni.primary_start_timeout = 0\n",
        &[fault("kill", "node1/postgres", T, None, "")],
    );
    always(&text, |told| {
        within(10.0, T, told.primary(N1, at(T)));
    });
}

#[test]
fn r3_a_leader_whose_database_does_not_start_makes_room_for_the_other_node() {
    // Killed again and again, so that no start succeeds.
    let again = "for_s = 0.02\nevery_s = 0.05\nrepeat_until_s = 60";
    let text = scenario(PAIR, "", &[fault("kill", "node1/postgres", T, None, again)]);
    always(&text, |told| {
        within(10.0, T, told.primary(N1, at(T)));
    });
}
