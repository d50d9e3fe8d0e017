#![cfg(not(target_arch = "wasm32"))]
//! Gray failure in the whole cluster: a leader whose disk is dead while its lease is renewed (protocols.md 19.14).

use leaselab::engine::{SimTime, Span};
use leaselab::scenario::{MORE, Scenario};
use leaselab::verdict::{Verdict, judge};

const FAULT: SimTime = SimTime(40_250_000);

fn played(change: impl Fn(&mut Scenario)) -> Verdict {
    let (_, text) = MORE
        .iter()
        .find(|(name, _)| *name == "gray/disk-dead")
        .expect("shipped");
    let mut scenario = Scenario::parse(text, "disk-dead").expect("valid");
    change(&mut scenario);
    judge(&scenario)
}

#[test]
fn a_dead_disk_stops_every_write_and_neither_the_renewals_nor_the_health_of_the_leader() {
    for seed in 1..=20 {
        let verdict = played(|scenario| scenario.seed = seed);
        // The lease lamp: renewed to the end, once in a loop.
        let after = verdict
            .record
            .renewals
            .iter()
            .filter(|renewal| renewal.at > FAULT + Span::from_secs(1));
        let renewals: Vec<_> = after.collect();
        assert!(
            renewals.len() >= 12 && renewals.iter().all(|renewal| renewal.node.0 == 0),
            "seed {seed}"
        );
        assert!(
            renewals.last().is_some_and(|last| last.at > SimTime(165_000_000)),
            "seed {seed}"
        );
        // The health lamp: its database takes sessions as a primary all the time, and nobody takes over.
        assert!(
            verdict.failovers.is_empty() && verdict.outages.is_empty(),
            "seed {seed}"
        );
        // The lamp that tells: no write comes back.
        let acknowledged = &verdict.record.acknowledged;
        assert!(
            acknowledged.iter().any(|at| *at > FAULT - Span::from_secs(1)),
            "seed {seed}"
        );
        assert!(
            !acknowledged.iter().any(|at| *at > FAULT + Span::from_millis(100)),
            "seed {seed}"
        );
        assert!(!verdict.two_primaries.ever && verdict.writes.lost == 0, "seed {seed}");
    }
}

/// The same with another fault: what the health check does see is answered by a failover.
#[test]
fn a_dead_host_is_seen_where_a_dead_disk_is_not() {
    let verdict = played(|scenario| {
        let text = "[[fault]]\nat_s = 40.25\nkind = \"kill\"\ntarget = \"node1\"\n";
        scenario.faults = Scenario::parse(text, "here").expect("valid").faults;
    });
    assert_eq!(verdict.failovers.len(), 1);
    assert!(verdict.record.acknowledged.iter().any(|at| *at > SimTime(100_000_000)));
}
