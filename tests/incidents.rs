#![cfg(not(target_arch = "wasm32"))]
//! Incidents that were reported in public, as schedules: what must come of each, before and after it was mended where that is
//! a switch ([`Bugs`]). Numbers are Patroni's issues; seconds are after R, the last renewal of the old leader before the fault.
//!
//! | schedule | here |
//! |----------|------|
//! | M1  #2188, #3055, #3453: agent frozen, database alive | `incidents/m01`, and `measured/row-02`, `row-03` |
//! | M2  #2779: an old primary takes the key back | `incidents/m02`, two variants |
//! | M6  #3407, #3572: an unknown error of the store is taken for a definite loss | `incidents/m06`, also with failsafe mode |
//! | M9  #3560, #3612: clock set back | `incidents/m09`, as etcd v3 has it |
//! | M11 #3550: failsafe mode with a distant member | `incidents/m11` |
//! | M12 #3678: mute store | `measured/row-35`; variant a `row-34`, b `row-32`, c `row-11` and `row-21`, d `row-12`, e `row-13`; here the remedies |
//! | M4 #3718, M8 #1018 and the others | not here: they are Kubernetes', etcd v2's, Consul's and ZooKeeper's |

#[path = "common/chronicle.rs"]
mod chronicle;

use chronicle::{Told, told_by_seeds};
use leaselab::agent::Bugs;
use leaselab::engine::{SimTime, Span};
use leaselab::scenario::{FaultKind, LatencyChange, MORE, ResumeOrder, Scenario};
use leaselab::vocabulary::{Decline, Demotion, NodeId, Note, Timeline};
use leaselab::world::Part;

const SEEDS: u32 = 20;
/// The leader's cycles begin at 0.03, 10.03, ...; its renewals are processed at most a few milliseconds later.
const R: f64 = 40.03;
const A: NodeId = NodeId(0);
const B: NodeId = NodeId(1);

/// A scenario by its name, with other values.
fn with(name: &str, values: &[(&str, &str)]) -> Scenario {
    let (_, text) = MORE.iter().find(|(n, _)| *n == name).expect("shipped");
    let values: Vec<_> = values
        .iter()
        .map(|&(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    Scenario::parse_with(text, name, &values).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn at(after_r: f64) -> SimTime {
    SimTime(((R + after_r) * 1e6) as u64)
}

#[track_caller]
fn within(what: &str, value: f64, least: f64, most: f64) {
    assert!(
        (least..=most).contains(&value),
        "{what}: {value} is not in {least} to {most}"
    );
}

fn after(at: Option<SimTime>) -> f64 {
    at.map_or(f64::NAN, |at| at.as_secs_f64() - R)
}

fn runs(scenario: &Scenario, bugs: Bugs) -> Vec<Told> {
    told_by_seeds(scenario, SEEDS, bugs)
}

#[test]
fn m1_two_primaries_from_the_successors_promotion_to_the_frozen_agents_return() {
    for told in runs(&with("incidents/m01-agent-frozen", &[]), Bugs::default()) {
        let from = told.verdict.two_primaries.intervals[0].from;
        // At once, or one loop_wait later when both candidates had declined.
        let from = after(Some(from));
        assert!((32.1..=33.3).contains(&from) || (42.1..=43.5).contains(&from), "{from}");
        within(
            "to",
            after(Some(told.verdict.two_primaries.intervals[0].to)),
            45.15,
            45.9,
        );
    }
}

#[test]
fn m1_a_watchdog_resets_the_machine_5_s_before_the_lease_ends() {
    let scenario = with("incidents/m01-agent-frozen", &[("watchdog.mode", "required")]);
    for told in runs(&scenario, Bugs::default()) {
        assert!(!told.verdict.two_primaries.ever);
        let fires = told.first(at(0.0), |part, note| {
            part == Part::Watchdog(A) && *note == Note::WatchdogFires
        });
        within("reset", after(fires), 25.0, 25.3);
    }
}

#[test]
fn m6_an_unknown_error_is_a_definite_loss_and_costs_an_outage_with_failsafe_mode_too() {
    for failsafe in ["false", "true"] {
        let scenario = with(
            "incidents/m06-unknown-error-of-the-store",
            &[("patroni.failsafe_mode", failsafe)],
        );
        for told in runs(&scenario, Bugs::default()) {
            let (decided, why) = told.demotes(A, at(0.0)).expect("demotes");
            within("decides", after(Some(decided)), 10.0, 10.2);
            assert_eq!(why, Demotion::LockLost);
            assert!(told.verdict.failovers.is_empty(), "the key still names it");
            let outage = told.verdict.outages[0];
            within("nobody writes", outage.to.since(outage.from).as_secs_f64(), 4.0, 11.0);
        }
    }
}

#[test]
fn m6_where_the_error_is_known_as_one_to_try_again_nothing_happens() {
    let mut scenario = with("incidents/m06-unknown-error-of-the-store", &[]);
    // One member has it: the next one answers.
    scenario.faults.truncate(1);
    let bugs = Bugs {
        retries_unknown_errors: true,
        ..Bugs::default()
    };
    for told in runs(&scenario, bugs) {
        assert!(told.demotes(A, at(0.0)).is_none() && told.verdict.outages.is_empty());
    }
}

/// When the old agent goes on.
const M2_THAW: f64 = 65.0;

#[test]
fn m2_without_a_look_at_the_timeline_a_woken_primary_takes_the_key_beside_its_successors_database() {
    let scenario = with("incidents/m02-old-primary-takes-the-key-back", &[]);
    let bugs = Bugs {
        no_timeline_check: true,
        ..Bugs::default()
    };
    for told in runs(&scenario, bugs) {
        assert!(told.is_primary(B, at(M2_THAW)), "the successor's database lives");
        within("A leads", after(told.leads(A, at(M2_THAW))), M2_THAW, M2_THAW + 0.5);
        assert!(told.is_primary(A, at(95.0)) && told.is_primary(B, at(95.0)));
    }
}

#[test]
fn m2_with_it_the_woken_primary_stops() {
    let scenario = with("incidents/m02-old-primary-takes-the-key-back", &[]);
    for told in runs(&scenario, Bugs::default()) {
        let declines = told.agent(A, at(M2_THAW), |note| *note == Note::Declines(Decline::OldTimeline));
        within("declines", after(declines), M2_THAW, M2_THAW + 0.5);
        let (when, why) = told.demotes(A, at(M2_THAW)).expect("it stops");
        within("demotes", after(Some(when)), M2_THAW, M2_THAW + 0.5);
        assert_eq!(why, Demotion::LockLost);
        // As a standby it is held to its timeline no more: it hears nothing of the successor's dead agent, takes the key, and
        // is promoted to the timeline that the successor has already.
        let twice = |_, note: &Note| {
            matches!(
                note,
                Note::Promoted {
                    timeline: Timeline(2),
                    ..
                }
            )
        };
        assert_eq!(told.count(at(0.0), twice), 2);
    }
}

#[test]
fn m2_with_check_timeline_it_does_not_come_back_as_a_standby_either() {
    let scenario = with(
        "incidents/m02-old-primary-takes-the-key-back",
        &[("patroni.check_timeline", "true")],
    );
    for told in runs(&scenario, Bugs::default()) {
        let stopped = told.no_primary(A, at(M2_THAW));
        within("stops", after(stopped), M2_THAW, M2_THAW + 0.9);
        assert!(told.primary(A, stopped.expect("stops")).is_none());
        assert!(told.is_primary(B, at(95.0)));
    }
}

/// The hole that is left (patroni.md 0.12): in a stale copy it leads, and a renewal that finds the key absent creates it.
#[test]
fn m2_with_a_stale_copy_of_the_keys_the_timeline_is_not_looked_at() {
    let mut scenario = with("incidents/m02-old-primary-takes-the-key-back", &[]);
    for fault in &mut scenario.faults {
        if let FaultKind::Pause { resume_order, .. } = &mut fault.what {
            *resume_order = ResumeOrder::Application;
        }
    }
    let all = runs(&scenario, Bugs::default());
    // In the others the news is read before the first look (measured in both orders: patroni.md 4.1).
    let at_once = |told: &&Told| after(told.leads(A, at(M2_THAW))) < M2_THAW + 0.5;
    let stale: Vec<&Told> = all.iter().filter(at_once).collect();
    assert!(stale.len() * 2 > all.len(), "{} of {}", stale.len(), all.len());
    for told in stale {
        assert!(told.is_primary(A, at(90.0)) && told.is_primary(B, at(90.0)));
    }
}

#[test]
fn m2_a_successor_that_dies_before_it_writes_history_is_not_noticed() {
    let scenario = with("incidents/m02-successor-dies-before-history", &[]);
    for told in runs(&scenario, Bugs::default()) {
        assert!(told.is_primary(B, at(M2_THAW)), "it was promoted");
        within("A leads", after(told.leads(A, at(M2_THAW))), M2_THAW, M2_THAW + 0.5);
        assert!(told.is_primary(A, at(95.0)));
        assert!(told.verdict.writes.lost > 0, "the successor's commits are given up");
    }
}

#[test]
fn m9_a_clock_that_is_set_back_costs_the_key_once_and_its_end_wakes_the_leader() {
    for told in runs(&with("incidents/m09-clock-stepped-back", &[]), Bugs::default()) {
        let gone = told.key_deleted(at(0.0));
        // The cycle that was scheduled before the step comes in time; the next one not.
        within("key gone", after(gone), 40.0, 40.6);
        let again = told.leads(A, gone.expect("gone"));
        within("missing for", after(again) - after(gone), 0.0, 0.4);
        assert!(told.verdict.outages.is_empty() && told.verdict.failovers.is_empty());
        // The wake-up bases the schedule on the clock as it is.
        assert!(told.key_deleted(again.expect("again")).is_none());
    }
}

#[test]
fn m9_with_a_monotonic_clock_nothing_happens() {
    let bugs = Bugs {
        monotonic_clock: true,
        ..Bugs::default()
    };
    for told in runs(&with("incidents/m09-clock-stepped-back", &[]), bugs) {
        assert!(told.key_deleted(at(0.0)).is_none() && told.verdict.outages.is_empty());
    }
}

#[test]
fn m11_a_member_2_5_s_away_is_as_good_as_dead() {
    for told in runs(&with("incidents/m11-failsafe-distant-member", &[]), Bugs::default()) {
        let unreachable = told.agent(A, at(0.0), |note| *note == Note::StoreUnreachable);
        let (when, why) = told.demotes(A, at(0.0)).expect("it stops");
        assert_eq!(why, Demotion::StoreUnreachable);
        within("two questions of 2 s", after(Some(when)) - after(unreachable), 3.9, 4.1);
    }
}

#[test]
fn m11_a_member_0_9_s_away_is_heard_in_every_cycle() {
    let mut scenario = with("incidents/m11-failsafe-distant-member", &[]);
    for fault in &mut scenario.faults {
        if let FaultKind::Latency { change, .. } = &mut fault.what {
            *change = LatencyChange::Add(Span::from_millis(900));
        }
    }
    for told in runs(&scenario, Bugs::default()) {
        assert!(told.verdict.outages.is_empty(), "seed {}", told.verdict.seed);
        let holds = told.count(at(0.0), |part, note| {
            part == Part::Agent(A) && *note == Note::FailsafeHolds
        });
        assert!(holds >= 4, "{holds}");
    }
}

/// Variant a is `measured/row-34`: two primaries for 7.8 s with default settings. A refresh is due every ten times ttl.
#[test]
fn m12_a_longer_lease_leaves_room_for_the_refresh() {
    let values = [("patroni.ttl", "45"), ("duration_s", "530")];
    let mut scenario = with("measured/row-34-gray-card-refresh-due", &values);
    scenario.faults[0].at = SimTime(440_250_000);
    scenario.faults[0].until = None;
    for told in told_by_seeds(&scenario, SEEDS / 2, Bugs::default()) {
        assert!(!told.verdict.two_primaries.ever, "seed {}", told.verdict.seed);
        let (when, _) = told.demotes(A, SimTime(441_000_000)).expect("it stops");
        within("decision, refresh included", when.as_secs_f64() - 440.03, 39.8, 40.2);
    }
}

/// Variant c is `measured/row-11`: everybody's store is mute, and the leader demotes itself although nobody could take over;
/// with failsafe mode (`row-21`) it does not.
#[test]
fn m12_failsafe_mode_is_the_remedy_for_a_store_that_is_mute_for_everybody() {
    for (failsafe, gap) in [("false", true), ("true", false)] {
        let scenario = with(
            "measured/row-11-store-paused-60",
            &[("patroni.failsafe_mode", failsafe)],
        );
        for told in told_by_seeds(&scenario, SEEDS / 2, Bugs::default()) {
            assert_eq!(!told.verdict.outages.is_empty(), gap, "failsafe_mode {failsafe}");
        }
    }
}
