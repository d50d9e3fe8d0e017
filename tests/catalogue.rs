#![cfg(not(target_arch = "wasm32"))]
//! Where two primaries can coexist, and where not: the causes of patroni.md 15 that etcd v3 has, one test for each. Those that
//! were measured are rows of `measured.rs`: D1 row 2, D2 row 3, D4 row 4, D5 rows 34 and 35, D7 row 32; D10 is in
//! `incidents.rs` (M2). D11 and D14 to D17 are other stores'; D19 is about routers.

#[path = "common/chronicle.rs"]
mod chronicle;

use chronicle::{Told, parsed, told, told_by_seeds};
use leaselab::agent::Bugs;
use leaselab::engine::{Life, SimTime, Span};
use leaselab::scenario::Scenario;
use leaselab::verdict::with_nth_seed;
use leaselab::vocabulary::{Decline, Demotion, NodeId, Note, Timeline};
use leaselab::world::Part;

const SEEDS: u32 = 12;
const R: f64 = 40.03;
const A: NodeId = NodeId(0);
const B: NodeId = NodeId(1);
const C: NodeId = NodeId(2);

fn scenario(settings: &str, faults: &[&str]) -> Scenario {
    let faults: String = faults.iter().map(|fault| format!("[[fault]]\n{fault}\n")).collect();
    let text = format!(
        "duration_s = 150\nstore.version = '3.4.23'\n{settings}traffic.writers = 0\ntraffic.direct_write_period_ms = 200\n{faults}"
    );
    parsed(&text)
}

fn runs(scenario: &Scenario) -> Vec<Told> {
    told_by_seeds(scenario, SEEDS, Bugs::default())
}

fn at(after_r: f64) -> SimTime {
    SimTime(((R + after_r) * 1e6) as u64)
}

fn after(at: Option<SimTime>) -> f64 {
    at.map_or(f64::NAN, |at| at.as_secs_f64() - R)
}

#[track_caller]
fn within(what: &str, value: f64, least: f64, most: f64) {
    assert!(
        (least..=most).contains(&value),
        "{what}: {value} is not in {least} to {most}"
    );
}

const STORE_CUT: &str = "kind = 'cut'\ntarget = '[node1] | [etcd1, etcd2, etcd3]'\nat_s = 40.25\nuntil_s = 110";

/// Half of D3: REST goes on answering, and its "primary" keeps everybody else away.
#[test]
fn d3_while_the_agent_of_a_blocked_loop_answers_nobody_takes_over() {
    let block = "kind = 'block'\ntarget = 'node1/agent'\nthread = 'loop'\nat_s = 40.25\nuntil_s = 110";
    for told in runs(&scenario("", &[block])) {
        assert!(told.verdict.outages.is_empty() && told.verdict.failovers.is_empty());
        let kept_away = |note: &Note| matches!(note, Note::Declines(Decline::PeerIsPrimary { peer }) if *peer == A);
        assert!(told.agent(B, at(30.0), kept_away).is_some());
        // Its own belief runs out all the same, and with it the router's 200.
        assert!(!told.verdict.at(at(35.0)).believers.contains(A));
        within("key gone", after(told.key_deleted(at(0.0))), 30.0, 30.7);
        within("taken again", after(told.leads(A, at(60.0))), 69.9, 71.0);
    }
}

/// The other half: a blocked loop whose database answers slowly is as good as a dead agent.
#[test]
fn d3_with_slow_answers_of_its_database_a_second_primary_runs_until_the_loop_goes_on() {
    let block = "kind = 'block'\ntarget = 'node1/agent'\nthread = 'loop'\nat_s = 40.25\nuntil_s = 110";
    let slow = "kind = 'slow_sql'\ntarget = 'node1/postgres'\nadd_ms = 5000\nat_s = 41\nuntil_s = 105";
    for told in runs(&scenario("", &[block, slow])) {
        let overlap = &told.verdict.two_primaries.intervals[0];
        let from = after(Some(overlap.from));
        assert!((32.1..=33.3).contains(&from) || (42.1..=43.5).contains(&from), "{from}");
        within("until the loop goes on", after(Some(overlap.to)), 69.97, 71.2);
    }
}

/// A watcher that stands still: the copy grows stale, and nobody notices while the renewals succeed.
#[test]
fn a_stale_copy_alone_harms_nobody() {
    let block = "kind = 'block'\ntarget = 'node1/agent'\nthread = 'watcher'\nat_s = 40.25\nuntil_s = 110";
    for told in runs(&scenario("", &[block])) {
        assert!(told.verdict.outages.is_empty() && told.verdict.failovers.is_empty());
        assert!(told.key_deleted(at(0.0)).is_none());
    }
}

/// D6: the stop does not end. Nothing is committed, and the loop is blocked until it does.
#[test]
fn d6_a_stop_that_does_not_end_blocks_the_loop_and_commits_nothing() {
    let stuck = "kind = 'stuck_stop'\ntarget = 'node1/postgres'\nat_s = 40.25\nuntil_s = 120";
    for told in runs(&scenario("", &[STORE_CUT, stuck])) {
        assert!(!told.verdict.two_primaries.ever);
        let (when, why) = told.demotes(A, at(0.0)).expect("it tries to");
        assert_eq!(why, Demotion::StoreUnreachable);
        let late = told.agent(A, when + Span::from_secs(1), |note| *note == Note::CycleBegins);
        within("next cycle", after(late), 79.9, 84.0);
    }
}

/// D8: the leader key is deleted by hand. Every agent is woken, and the leader is the first to create it again.
#[test]
fn d8_a_deleted_key_is_taken_again_by_its_holder() {
    let delete = "kind = 'delete_key'\ntarget = 'etcd1'\nat_s = 45";
    for told in runs(&scenario("", &[delete])) {
        assert!(told.verdict.outages.is_empty() && told.verdict.failovers.is_empty());
        let gone = told.key_deleted(at(0.0));
        within(
            "taken again",
            after(told.leads(A, gone.expect("gone"))) - after(gone),
            0.0,
            0.4,
        );
    }
}

/// D8 when the leader does not hear of it and is not heard itself.
#[test]
fn d8_a_key_deleted_behind_a_leader_that_is_cut_off_gives_two_primaries_until_it_gives_up() {
    let cut = "kind = 'cut'\ntarget = 'node1 <-> *'\nat_s = 40.25\nuntil_s = 110";
    let delete = "kind = 'delete_key'\ntarget = 'etcd1'\nat_s = 45";
    for told in runs(&scenario("", &[cut, delete])) {
        let overlap = &told.verdict.two_primaries.intervals[0];
        within("from", after(Some(overlap.from)), 4.97 + 2.1, 4.97 + 3.3);
        within("to", after(Some(overlap.to)), 21.5, 22.3);
    }
}

/// D9: between the won key and the promote command the lease is not looked at again (patroni.md 5 R3).
#[test]
fn d9_an_agent_frozen_between_key_and_promotion_promotes_when_it_goes_on() {
    let crash = "kind = 'kill'\ntarget = 'node1'\nnetwork = 'refused'\nat_s = 40.25";
    let base = scenario("", &[crash]);
    let mut seen = 0;
    for n in 0..SEEDS {
        let base = with_nth_seed(&base, n);
        let first = told(&base, Bugs::default());
        let won = first.first(at(29.0), |part, note| {
            matches!(part, Part::Agent(_)) && *note == Note::Acquires
        });
        let won = won.expect("somebody wins");
        let winner = if first.agent(B, won, |note| *note == Note::Acquires) == Some(won) {
            "node2"
        } else {
            "node3"
        };
        let (from, until) = (won + Span::from_millis(20), won + Span::from_secs(45));
        let freeze = format!(
            "kind = 'pause'\ntarget = '{winner}/agent'\nat_s = {:.6}\nuntil_s = {:.6}",
            from.as_secs_f64(),
            until.as_secs_f64()
        );
        let frozen = told(&with_nth_seed(&scenario("", &[crash, &freeze]), n), Bugs::default());
        let twice = |_, note: &Note| {
            matches!(
                note,
                Note::Promoted {
                    timeline: Timeline(2),
                    ..
                }
            )
        };
        assert_eq!(
            frozen.count(at(0.0), twice),
            2,
            "seed {n}: the same timeline number twice"
        );
        let overlap = frozen.verdict.two_primaries.total.as_secs_f64();
        within("two primaries", overlap, 0.05, 2.3);
        seen += 1;
    }
    assert_eq!(seen, SEEDS);
}

/// D12: nobody answers under the name, because the network is cut while the second agent starts.
#[test]
fn d12_two_agents_with_one_name_both_lead_when_the_second_cannot_ask_the_first() {
    let cut = "kind = 'cut'\ntarget = 'node2 <-> node1'\nat_s = 40.25\nuntil_s = 60";
    let name = "kind = 'same_name'\ntarget = 'node2/agent'\nname = 'node1'\nat_s = 41";
    for told in runs(&scenario("", &[cut, name])) {
        let overlap = told.verdict.two_primaries.total.as_secs_f64();
        within("two primaries", overlap, 85.0, 110.0);
    }
}

/// D13: in maintenance mode a failure demotes nobody, and a request makes a second primary.
#[test]
fn d13_in_maintenance_mode_a_failover_by_hand_leaves_the_old_primary_as_it_is() {
    let pause = "kind = 'maintenance'\ntarget = 'node2'\nat_s = 30\nuntil_s = 100";
    let failover = "kind = 'failover'\ntarget = 'node2'\nat_s = 75";
    for told in runs(&scenario("", &[pause, STORE_CUT, failover])) {
        assert!(told.demotes(A, at(0.0)).is_none_or(|(when, _)| when > at(60.0)));
        let overlap = &told.verdict.two_primaries.intervals[0];
        within("from", after(Some(overlap.from)), 34.9, 37.5);
        assert!(overlap.to > at(59.0));
        assert!(told.primary(C, at(0.0)).is_none());
    }
}

/// D18: nobody asks a primary that is tagged so that it must not lead.
#[test]
fn d18_a_primary_that_must_not_lead_is_not_asked_and_keeps_nobody_away() {
    let settings = "cluster.nofailover = ['node1']\n";
    let block = "kind = 'block'\ntarget = 'node1/agent'\nthread = 'loop'\nat_s = 40.25\nuntil_s = 110";
    for told in runs(&scenario(settings, &[block])) {
        let overlap = &told.verdict.two_primaries.intervals[0];
        let from = after(Some(overlap.from));
        assert!((30.1..=31.4).contains(&from) || (40.1..=41.5).contains(&from), "{from}");
        within("to", after(Some(overlap.to)), 69.97, 71.2);
    }
}

/// patroni.md 3.5: without it a fast stop waits for silent standbys for a minute.
#[test]
fn in_synchronous_mode_a_stop_that_takes_too_long_is_made_harder() {
    let cut = "kind = 'cut'\ntarget = 'node1 <-> *'\nat_s = 40.25\nuntil_s = 140";
    for (timeout, least, most) in [(0, 60.0, 63.0), (5, 5.0, 7.0)] {
        let settings = format!("patroni.synchronous_mode = 'on'\npatroni.primary_stop_timeout = {timeout}\n");
        for told in runs(&scenario(&settings, &[cut])) {
            let (decision, _) = told.demotes(A, at(0.0)).expect("it demotes");
            let ended = told.chronicle.lives.iter().find(|(when, part, life)| {
                *when > decision && *part == Part::Postgres(A) && matches!(life, Life::Exited | Life::Killed)
            });
            let took = ended.expect("it ends").0.since(decision).as_secs_f64();
            within("stop", took, least, most);
        }
    }
}

/// A promotion that fails is tried again in the next cycle, by whoever has the key.
#[test]
fn a_promotion_that_fails_is_tried_again() {
    let crash = "kind = 'kill'\ntarget = 'node1'\nat_s = 40.25";
    let fails = |node: &str| format!("kind = 'failed_promote'\ntarget = '{node}/postgres'\nat_s = 40.25\nuntil_s = 90");
    for told in runs(&scenario("", &[crash, &fails("node2"), &fails("node3")])) {
        let writable = [B, C].into_iter().filter_map(|node| told.primary(node, at(0.0))).min();
        within("writable", after(writable), 49.9, 61.0);
    }
}
