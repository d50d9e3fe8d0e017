#![cfg(not(target_arch = "wasm32"))]
//! What the store's group does to the databases: Patroni defaults, three nodes, three members unless said.

use leaselab::engine::SimTime;
use leaselab::scenario::Scenario;
use leaselab::verdict::{Verdict, judge_seeds};

const SEEDS: u32 = 30;

fn runs(text: &str) -> Vec<Verdict> {
    let scenario = Scenario::parse(text, "test").unwrap_or_else(|errors| panic!("{errors:?}"));
    judge_seeds(&scenario, SEEDS, 2, |verdict| verdict)
}

fn fault(at: f64, until: f64, rest: &str) -> String {
    format!("[[fault]]\nat_s = {at}\nuntil_s = {until}\n{rest}\n")
}

fn kill(member: u8) -> String {
    fault(40.25, 100.25, &format!("kind = 'kill'\ntarget = 'etcd{member}'"))
}

fn seconds(at: SimTime) -> f64 {
    at.as_secs_f64()
}

#[test]
fn one_member_of_three_less_changes_nothing_for_the_databases() {
    for member in 1..=3 {
        for verdict in runs(&format!("duration_s = 160\n{}", kill(member))) {
            assert!(
                verdict.outages.is_empty() && verdict.failovers.is_empty(),
                "etcd{member}, seed {}",
                verdict.seed
            );
            assert!(!verdict.two_primaries.ever);
            assert_eq!(verdict.writes.lost, 0);
        }
    }
}

#[test]
fn without_a_majority_the_primary_stops_writing_within_its_budget_and_nobody_succeeds_it_until_the_majority_is_back() {
    for verdict in runs(&format!("duration_s = 180\n{}{}", kill(1), kill(2))) {
        assert!(!verdict.two_primaries.ever);
        let outage = &verdict.outages[0];
        // R is 40; one loop, one retry, one reload of the list: at the latest R + 30.
        assert!(
            (56.0..=71.0).contains(&seconds(outage.from)),
            "seed {}: {outage:?}",
            verdict.seed
        );
        assert!(
            (100.25..=125.0).contains(&seconds(outage.to)),
            "seed {}: {outage:?}",
            verdict.seed
        );
        let taken = verdict.failovers.iter().map(|failover| seconds(failover.key_taken));
        assert!(
            taken.clone().all(|at| at > 100.25),
            "nobody takes the key without a majority"
        );
        assert!(verdict.store.no_quorum.as_secs_f64() > 55.0, "{:?}", verdict.store);
        assert_eq!(verdict.at(SimTime::ZERO + verdict.duration).writable.len(), 1);
    }
}

#[test]
fn the_crash_of_the_stores_leader_costs_the_store_an_election_and_the_databases_nothing() {
    let mut without = Vec::new();
    for verdict in
        (1..=3).flat_map(|member| runs(&format!("duration_s = 95\n{}", kill(member).replace("100.25", "90"))))
    {
        assert!(
            verdict.failovers.is_empty() && verdict.outages.is_empty(),
            "seed {}",
            verdict.seed
        );
        if verdict.store.leader_changes > 0 {
            without.push(verdict.store.no_quorum.as_secs_f64());
        }
    }
    without.sort_by(f64::total_cmp);
    println!("without a leader: {without:?}");
    assert!(
        without.len() >= SEEDS as usize,
        "each seed's leader is killed in one of the three"
    );
    // The earlier of two timers of 1.0 to 1.9 s, mean 1.29, and the rounds of two elections. Two timers on one tick, one in
    // ten, split the vote and cost another round.
    let median = without[without.len() / 2];
    assert!((1.0..=1.6).contains(&median), "{median}");
    let once = without.iter().filter(|&&s| s <= 2.1).count();
    assert!(once * 10 >= without.len() * 7, "{once} of {}", without.len());
    assert!(without.iter().all(|&s| s >= 0.9));
}

#[test]
fn disks_that_stall_for_longer_than_the_election_timeout_keep_the_store_electing() {
    // Each member's disk in turn, every 20 s; a loop a second, so that the log has something to write all the time.
    let stalls = |election: u32| {
        let stall = |n: u8| {
            // The first write in this second takes 1.8 s, and the raft thread with it.
            let at = 5.0 + 6.7 * f64::from(n);
            let slow = format!("kind = 'disk_slow'\ntarget = 'etcd{n}/disk'\nadd_ms = 1800");
            format!("[[fault]]\nat_s = {at:.1}\nfor_s = 1\nevery_s = 20\n{slow}\n")
        };
        let text = format!(
            "duration_s = 600\n[store]\nelection_ms = {election}\n[patroni]\nloop_wait = 1\n{}{}{}",
            stall(1),
            stall(2),
            stall(3)
        );
        runs(&text)
            .iter()
            .map(|verdict| verdict.store.leader_changes)
            .collect::<Vec<_>>()
    };
    let storm = stalls(1_000);
    let calm = stalls(3_000);
    println!("election 1 s: {storm:?}\nelection 3 s: {calm:?}");
    // In most groups every stall of the present leader's disk deposes it: 180 changes an hour and more. A group whose
    // followers happen to have drawn timers longer than the stall is left in peace, until a term changes.
    let mut sorted = storm.clone();
    sorted.sort_unstable();
    assert!(sorted[sorted.len() / 2] >= 30, "{storm:?}");
    assert!(calm.iter().all(|&changes| changes == 0), "{calm:?}");
}

#[test]
fn a_delay_on_the_way_to_the_store_that_the_client_does_not_wait_for_is_an_outage_and_no_failover() {
    // Added to the round trip, for all agents alike: half of it each way.
    let delayed = |added_ms: f64, settings: &str| {
        let links = "kind = 'latency'\ntarget = '[node1, node2, node3] | [etcd1, etcd2, etcd3]'";
        let text = format!(
            "duration_s = 150\n[patroni]\n{settings}\n{}",
            fault(40.25, 100.25, &format!("{links}\nadd_ms = {}", added_ms / 2.0))
        );
        let verdicts = runs(&text);
        for verdict in &verdicts {
            assert!(!verdict.two_primaries.ever);
            let early = verdict
                .failovers
                .iter()
                .any(|failover| seconds(failover.key_taken) < 100.25);
            assert!(
                !early,
                "{added_ms} ms, seed {}: nobody takes the key while the delay lasts",
                verdict.seed
            );
        }
        verdicts.iter().filter(|verdict| !verdict.outages.is_empty()).count()
    };
    let all = SEEDS as usize;
    let fast = "ttl = 20\nloop_wait = 2\nretry_timeout = 3";
    assert_eq!(delayed(200.0, fast), 0, "recorded: survives 200 ms");
    for added_ms in [500.0, 700.0, 900.0, 1_000.0, 3_000.0, 5_000.0] {
        assert_eq!(delayed(added_ms, fast), all, "recorded: demotes at {added_ms} ms");
    }
    let default = "ttl = 30\nloop_wait = 10\nretry_timeout = 10";
    assert_eq!(delayed(200.0, default), 0, "recorded: survives 200 ms");
    for added_ms in [2_000.0, 3_000.0, 5_000.0] {
        assert_eq!(delayed(added_ms, default), all, "recorded: demotes at {added_ms} ms");
    }
}

#[test]
fn of_a_store_split_two_and_two_neither_side_accepts_anything() {
    let cut = "kind = 'cut'\ntarget = '[etcd1, etcd2, node1] | [etcd3, etcd4, node2, node3]'";
    for verdict in runs(&format!(
        "duration_s = 180\n[store]\nmembers = 4\n{}",
        fault(40.25, 100.25, cut)
    )) {
        assert!(!verdict.two_primaries.ever);
        let taken = verdict.failovers.iter().map(|failover| seconds(failover.key_taken));
        assert!(taken.clone().all(|at| at > 100.25));
        assert!(
            (56.0..=71.0).contains(&seconds(verdict.outages[0].from)),
            "{:?}",
            verdict.outages
        );
    }
}

#[test]
fn a_leader_on_the_losing_side_of_a_partition_stops_before_the_winning_side_has_a_new_one() {
    let cut = "kind = 'cut'\ntarget = '[etcd1, node1] | [etcd2, etcd3, node2, node3]'";
    for verdict in runs(&format!("duration_s = 180\n{}", fault(40.25, 140.25, cut))) {
        assert!(!verdict.two_primaries.ever, "seed {}", verdict.seed);
        assert_eq!(verdict.failovers.len(), 1);
        assert_eq!(verdict.failovers[0].from, "node1");
    }
}

/// The disk of etcd1 stands still for 20 s; who leads depends on the seed.
fn stalled(members: u8) -> Vec<Verdict> {
    let stall = fault(40.25, 60.25, "kind = 'disk_stall'\ntarget = 'etcd1/disk'");
    runs(&format!("duration_s = 90\n[store]\nmembers = {members}\n{stall}"))
}

#[test]
fn a_store_whose_leader_hangs_on_its_disk_decides_nothing_until_another_leads() {
    for verdict in stalled(3) {
        let dark: Vec<f64> = verdict
            .record
            .no_quorum
            .iter()
            .map(|dark| dark.to.since(dark.from).as_secs_f64())
            .collect();
        if verdict.store.leader_changes == 0 {
            assert!(
                dark.is_empty(),
                "seed {}: two of three are enough: {dark:?}",
                verdict.seed
            );
        } else {
            // From the first write that does not end to the end of an election.
            assert!((0.9..=4.0).contains(&dark[0]), "seed {}: {dark:?}", verdict.seed);
        }
    }
    let changed = stalled(3)
        .iter()
        .filter(|verdict| verdict.store.leader_changes > 0)
        .count();
    assert_eq!(changed, SEEDS as usize / 3, "etcd1 leads in every third");
}

#[test]
fn a_store_of_one_member_decides_nothing_while_its_disk_stands_still() {
    for verdict in stalled(1) {
        let dark = &verdict.record.no_quorum;
        assert_eq!(dark.len(), 1, "seed {}: {dark:?}", verdict.seed);
        // From the first write of the next loop on, or from the last of this one, if a slow replica is not done yet.
        let from = seconds(dark[0].from);
        assert!((45.0..52.0).contains(&from) || (40.2..40.5).contains(&from), "{dark:?}");
        assert!((60.25..60.3).contains(&seconds(dark[0].to)), "{dark:?}");
        assert_eq!(verdict.store.leader_changes, 0);
    }
}
