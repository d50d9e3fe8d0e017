#![cfg(not(target_arch = "wasm32"))]
//! Each shipped scenario shows what real Patroni 4.1.5 with etcd and PostgreSQL showed, over 100 seeds.
//!
//! `R` is the instant at which the store processed the last renewal before the fault. The ranges are those measured on
//! the real software with ttl 30, loop_wait 10, retry_timeout 10.

use leaselab::engine::{SimTime, Span};
use leaselab::scenario::{SHIPPED, Scenario};
use leaselab::verdict::{Verdict, judge_seeds};
use std::ops::RangeInclusive;

const SEEDS: u32 = 100;
/// When the shipped faults begin.
const FAULT: SimTime = SimTime(40_250_000);

fn shipped(name: &str) -> Scenario {
    let (_, text) = SHIPPED.iter().find(|(n, _)| *n == name).expect("shipped");
    Scenario::parse(text, name).expect("valid")
}

fn verdicts(name: &str) -> Vec<Verdict> {
    judge_seeds(&shipped(name), SEEDS, 2, |verdict| verdict)
}

/// Seconds after R.
fn after_r(verdict: &Verdict, at: SimTime) -> f64 {
    let renewals = verdict
        .record
        .renewals
        .iter()
        .filter(|renewal| renewal.node.0 == 0 && renewal.at < FAULT);
    let r = renewals
        .map(|renewal| renewal.at)
        .max()
        .expect("a renewal before the fault");
    at.since(r).as_secs_f64()
}

fn each_in(what: &str, values: &[f64], ranges: &[RangeInclusive<f64>]) {
    let (min, max) = values
        .iter()
        .fold((f64::MAX, f64::MIN), |(a, b), &v| (a.min(v), b.max(v)));
    println!("{what}: {min:.3} to {max:.3}");
    for value in values {
        assert!(
            ranges.iter().any(|range| range.contains(value)),
            "{what}: {value} is in none of {ranges:?}"
        );
    }
}

fn key_gone(verdict: &Verdict) -> f64 {
    after_r(verdict, verdict.failovers[0].key_gone.expect("the key was deleted"))
}

fn new_writable(verdict: &Verdict) -> f64 {
    after_r(
        verdict,
        verdict.failovers[0].writable.expect("the new primary became writable"),
    )
}

fn all(verdicts: &[Verdict], figure: impl Fn(&Verdict) -> f64) -> Vec<f64> {
    verdicts.iter().map(figure).collect()
}

fn never_two(verdicts: &[Verdict]) {
    for verdict in verdicts {
        assert!(
            !verdict.two_primaries.ever,
            "seed {}: {:?}",
            verdict.seed, verdict.two_primaries
        );
    }
}

#[test]
fn in_steady_state_nothing_fails_over_and_nothing_is_lost() {
    let verdicts = verdicts("steady-state");
    never_two(&verdicts);
    for verdict in &verdicts {
        assert!(verdict.failovers.is_empty() && verdict.outages.is_empty());
        assert_eq!((verdict.writes.lost, verdict.writes.unknown), (0, 0));
        assert!(
            verdict.findings.iter().all(|finding| finding.holds),
            "{:?}",
            verdict.findings
        );
    }
}

#[test]
fn after_a_silent_host_crash_the_new_primary_waits_for_an_answer_that_does_not_come() {
    let verdicts = verdicts("host-crash");
    never_two(&verdicts);
    each_in("key gone", &all(&verdicts, key_gone), &[30.0..=30.6]);
    each_in("new primary writable", &all(&verdicts, new_writable), &[32.0..=33.5]);
}

#[test]
fn when_the_dead_processes_kernel_refuses_the_new_primary_is_there_at_once() {
    let verdicts = verdicts("host-processes-killed");
    never_two(&verdicts);
    each_in("key gone", &all(&verdicts, key_gone), &[30.0..=30.6]);
    let waited = all(&verdicts, |v| new_writable(v) - key_gone(v));
    each_in("key gone to writable", &waited, &[0.2..=0.6]);
}

#[test]
fn a_killed_agent_leaves_a_second_primary_behind_until_it_comes_back() {
    let verdicts = verdicts("agent-killed");
    let begins = all(&verdicts, |v| after_r(v, v.two_primaries.intervals[0].from));
    each_in("two primaries from", &begins, &[30.3..=31.1, 40.2..=41.3]);
    let back = shipped("agent-killed").faults[0].until.expect("the agent comes back");
    let ends = all(&verdicts, |v| v.two_primaries.intervals[0].to.since(back).as_secs_f64());
    each_in(
        "from the agent's return to the end of two primaries",
        &ends,
        &[1.0..=5.0],
    );
}

#[test]
fn a_killed_agent_that_never_comes_back_leaves_two_primaries_for_ever() {
    let mut scenario = shipped("agent-killed");
    scenario.faults[0].until = None;
    for verdict in judge_seeds(&scenario, 10, 2, |verdict| verdict) {
        let end = SimTime::ZERO + scenario.duration;
        assert_eq!(
            verdict.two_primaries.intervals.last().map(|interval| interval.to),
            Some(end)
        );
    }
}

#[test]
fn a_required_watchdog_resets_the_host_of_a_killed_agent_before_the_lease_ends() {
    let verdicts = verdicts("agent-killed-watchdog");
    never_two(&verdicts);
    let reset = all(&verdicts, |v| {
        after_r(v, v.failovers[0].not_writable.expect("the old primary stopped"))
    });
    each_in("host reset", &reset, &[25.0..=25.2]);
}

#[test]
fn a_paused_agent_leaves_two_primaries_from_the_new_ones_promotion_to_its_own_return() {
    let verdicts = verdicts("agent-paused");
    let begins = all(&verdicts, |v| after_r(v, v.two_primaries.intervals[0].from));
    each_in("two primaries from", &begins, &[32.1..=33.3, 42.0..=43.3]);
    let ends = all(&verdicts, |v| after_r(v, v.two_primaries.intervals[0].to));
    each_in("two primaries to", &ends, &[45.3..=45.9]);
}

#[test]
fn a_leader_cut_off_from_everything_demotes_itself_before_its_key_is_gone() {
    let verdicts = verdicts("leader-cut-off");
    never_two(&verdicts);
    for verdict in &verdicts {
        let failover = &verdict.failovers[0];
        assert!(
            failover.not_writable < failover.key_gone,
            "seed {}: {failover:?}",
            verdict.seed
        );
    }
    let stopped = all(&verdicts, |v| after_r(v, v.failovers[0].not_writable.expect("stopped")));
    each_in("old primary stops", &stopped, &[21.4..=22.2]);
}

#[test]
fn a_leader_cut_off_from_the_store_only_demotes_itself_and_is_succeeded_without_the_two_second_wait() {
    let verdicts = verdicts("leader-cut-from-store");
    never_two(&verdicts);
    let stopped = all(&verdicts, |v| after_r(v, v.failovers[0].not_writable.expect("stopped")));
    each_in("old primary stops", &stopped, &[21.4..=22.2]);
    each_in("new primary writable", &all(&verdicts, new_writable), &[30.2..=31.2]);
}

#[test]
fn of_two_candidates_one_takes_over() {
    let verdicts = verdicts("two-candidates");
    never_two(&verdicts);
    each_in("new primary writable", &all(&verdicts, new_writable), &[30.2..=31.2]);
    let winners: std::collections::BTreeSet<_> = verdicts.iter().map(|v| v.failovers[0].to.clone()).collect();
    assert_eq!(winners.len(), 2, "either candidate can win: {winners:?}");
    assert_eq!(verdicts[0].duration, Span::from_secs(120));
}
