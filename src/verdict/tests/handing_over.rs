//! The key: who had it, how it was lost, and what the databases did.

use super::story::{N1, N2, Story, ms};
use crate::engine::{Life, Span};
use crate::raft::{RoleName, Term};
use crate::verdict::{Failover, KeyLoss, Verdict};
use crate::vocabulary::{Note, Phase};

const AGENT_KILLED: &str = "[[fault]]\nat_s = 12\nkind = \"kill\"\ntarget = \"node1/agent\"\nfor_s = 60\n";

/// node1 renews at 10 s, its lease expires at 40.3 s, node2 takes over; node1's database stops at 73 s.
fn takes_over(toml: &str) -> Verdict {
    let mut story = Story::begin(toml);
    story.at(10_000).renews(1);
    story.at(40_300).expires(1);
    story.at(40_700).key_put(N2, 2, true);
    story.at(40_900).promotes(N2, N1, 1_000);
    story.at(73_000).database(N1, Phase::Stopping);
    story.end(100_000)
}

#[test]
fn a_failover_tells_when_each_of_its_steps_happened() {
    assert_eq!(
        takes_over(AGENT_KILLED).failovers,
        [Failover {
            from: "node1".to_owned(),
            to: "node2".to_owned(),
            renewed: Some(ms(10_000)),
            fault: Some(ms(12_000)),
            not_writable: Some(ms(73_000)),
            key_gone: Some(ms(40_300)),
            key_taken: ms(40_700),
            writable: Some(ms(40_900)),
            why: KeyLoss::LeaseExpired,
            spurious: false,
        }]
    );
}

#[test]
fn an_old_leader_that_stops_before_the_key_is_taken_stopped_then() {
    let mut story = Story::begin("");
    story
        .at(30_000)
        .database(N1, Phase::Stopping)
        .database(N1, Phase::Recovery);
    story.at(40_300).expires(1).key_put(N2, 2, true).promotes(N2, N1, 1_000);
    let verdict = story.end(100_000);
    assert_eq!(verdict.failovers[0].not_writable, Some(ms(30_000)));
    assert_eq!(verdict.failovers[0].writable, Some(ms(40_300)));
}

#[test]
fn the_store_counts_the_renewals_of_the_leader_key_and_the_longest_time_between_two() {
    let mut story = Story::begin("");
    story.at(10_000).renews(1);
    story.at(20_500).renews(1);
    story.at(30_400).renews(1);
    let store = story.end(60_000).store;
    assert_eq!(
        (store.renewals, store.longest_renewal_gap),
        (3, Span::from_millis(10_500))
    );
}

#[test]
fn what_a_failover_never_came_to_is_missing() {
    let mut story = Story::begin("");
    story.at(40_300).expires(1).key_put(N2, 2, true);
    story.at(80_000).key_deleted().key_put(N1, 3, true);
    // Both come too late to belong to the first failover.
    story
        .at(90_000)
        .database(N2, Phase::Primary)
        .database(N1, Phase::Stopping);
    let verdict = story.end(100_000);
    assert_eq!(verdict.failovers.len(), 2);
    assert_eq!(
        (verdict.failovers[0].writable, verdict.failovers[0].not_writable),
        (None, None)
    );
    assert_eq!(
        (verdict.failovers[1].writable, verdict.failovers[1].why),
        (Some(ms(80_000)), KeyLoss::Released)
    );
}

#[test]
fn the_same_node_taking_its_key_again_is_no_failover() {
    let mut story = Story::begin("");
    story.at(40_300).expires(1);
    story.at(41_000).key_put(N1, 2, true);
    assert_eq!(story.end(100_000).failovers, []);
}

#[test]
fn the_fault_of_a_failover_is_the_first_after_the_last_renewal_that_strikes_the_leader_or_the_store() {
    let fault = |at: u32, target: &str| format!("[[fault]]\nat_s = {at}\nkind = \"kill\"\ntarget = \"{target}\"\n");
    let toml = [
        fault(11, "node2"),
        fault(20, "node1"),
        fault(12, "node1/agent"),
        fault(30, "etcd1"),
    ]
    .concat();
    assert_eq!(takes_over(&toml).failovers[0].fault, Some(ms(12_000)));
}

#[test]
fn without_a_fault_after_the_last_renewal_it_is_the_last_one_still_in_force() {
    let fault = |at: u32, lasts: u32| {
        let loss = "kind = \"loss\"\nlink = \"node1 -> etcd1\"\npercent = 90";
        format!("[[fault]]\nat_s = {at}\nfor_s = {lasts}\n{loss}\n")
    };
    let toml = [fault(1, 80), fault(3, 80), fault(5, 2)].concat();
    let toml = toml.replace("link =", "target =");
    assert_eq!(takes_over(&toml).failovers[0].fault, Some(ms(3_000)));
    assert_eq!(takes_over("").failovers[0].fault, None);
}

#[test]
fn of_a_fault_that_comes_again_the_time_that_stopped_the_renewals_is_the_fault_of_a_failover() {
    let stalls = |at: u32, every: u32| {
        let stall = "kind = \"disk_stall\"\ntarget = \"etcd1/disk\"";
        format!("[[fault]]\nat_s = {at}\nfor_s = 2\nevery_s = {every}\n{stall}\n")
    };
    assert_eq!(takes_over(&stalls(3, 10)).failovers[0].fault, Some(ms(13_000)));
    assert_eq!(takes_over(&stalls(3, 6)).failovers[0].fault, Some(ms(15_000)));
    assert_eq!(
        takes_over(&stalls(3, 80)).failovers[0].fault,
        None,
        "over before the last renewal"
    );
}

#[test]
fn a_node_with_a_member_of_the_store_on_it_is_part_of_the_store() {
    let placed = |fault: &str| {
        let fault = format!("[[fault]]\nat_s = 12\nfor_s = 60\n{fault}\n");
        let toml = format!("store.placement = \"nodes\"\nstore.members = 1\n{fault}");
        takes_over(&toml).failovers[0].clone()
    };
    // The store has one member, on node1.
    for (fault, spurious) in [
        ("kind = \"kill\"\ntarget = \"etcd1\"", false),
        ("kind = \"pause\"\ntarget = \"etcd1\"", true),
        ("kind = \"disk_stall\"\ntarget = \"node1/disk\"", false),
    ] {
        let failover = placed(fault);
        assert_eq!(
            (failover.fault, failover.spurious),
            (Some(ms(12_000)), spurious),
            "{fault}"
        );
    }
    assert_eq!(placed("kind = \"kill\"\ntarget = \"node2\"").fault, None);
}

#[test]
fn a_failover_is_spurious_when_only_timing_failed() {
    let fault = |rest: &str| format!("[[fault]]\nat_s = 12\nfor_s = 60\n{rest}\n");
    for (rest, spurious) in [
        ("kind = \"pause\"\ntarget = \"node1/agent\"", true),
        ("kind = \"pause\"\ntarget = \"etcd1\"", true),
        ("kind = \"latency\"\ntarget = \"node1 <-> etcd1\"\nadd_ms = 3000", true),
        ("kind = \"cut\"\ntarget = \"node2 <-> *\"", true),
        ("kind = \"kill\"\ntarget = \"node2\"", true),
        ("kind = \"disk_slow\"\ntarget = \"node1/disk\"\nadd_ms = 900", true),
        ("kind = \"disk_stall\"\ntarget = \"etcd1/disk\"", true),
        ("kind = \"disk_stall\"\ntarget = \"node1/disk\"", false),
        ("kind = \"kill\"\ntarget = \"node1/agent\"", false),
        ("kind = \"kill\"\ntarget = \"etcd1\"", false),
        ("kind = \"pause\"\ntarget = \"node1\"", false),
        ("kind = \"pause\"\ntarget = \"node1/postgres\"", false),
        ("kind = \"cut\"\ntarget = \"node1 <-> *\"", false),
        ("kind = \"cut\"\ntarget = \"node1 -> etcd1\"", false),
        ("kind = \"cut\"\ntarget = \"[node1, clients] | *\"", false),
        ("kind = \"cut\"\ntarget = \"node1 <-> clients\"", false),
    ] {
        assert_eq!(takes_over(&fault(rest)).failovers[0].spurious, spurious, "{rest}");
    }
    let healed = "[[fault]]\nat_s = 2\nfor_s = 3\nkind = \"pause\"\ntarget = \"node1\"\n";
    assert!(
        takes_over(healed).failovers[0].spurious,
        "what was over before the last renewal did not matter"
    );
    assert!(
        takes_over("").failovers[0].spurious,
        "settings that do not work together are timing too"
    );
}

#[test]
fn a_key_put_over_another_nodes_key_breaks_the_invariant_of_one_holder() {
    let mut story = Story::begin("");
    story.at(20_000).key_put(N2, 2, false);
    let event = story.last();
    let verdict = story.end(100_000);
    let finding = verdict.finding("one leader key holder per revision").unwrap();
    assert_eq!(
        (finding.holds, finding.first, finding.event),
        (false, Some(ms(20_000)), Some(event))
    );
    assert_eq!(
        (verdict.failovers[0].why, verdict.failovers[0].key_gone),
        (KeyLoss::Overwritten, None)
    );
    assert!(
        takes_over("")
            .finding("one leader key holder per revision")
            .unwrap()
            .holds
    );
}

#[test]
fn a_database_that_is_writable_when_the_key_is_gone_breaks_the_invariant_of_the_lease() {
    let verdict = takes_over(AGENT_KILLED);
    let finding = verdict.finding("writable implies lease valid").unwrap();
    assert_eq!((finding.holds, finding.first), (false, Some(ms(40_300))));

    let mut story = Story::begin("");
    story.at(40_000).database(N1, Phase::Stopping);
    story.at(40_300).expires(1);
    story.at(40_700).key_put(N2, 2, true).promotes(N2, N1, 1_000);
    assert!(
        story
            .end(100_000)
            .finding("writable implies lease valid")
            .unwrap()
            .holds
    );
}

#[test]
fn renewals_of_the_leaders_lease_are_kept_and_those_of_others_are_not() {
    let mut story = Story::begin("");
    story.at(10_000).renews(1).renews(2);
    let record = story.end(100_000).record;
    let kept: Vec<_> = record.renewals.iter().map(|r| (r.at, r.node)).collect();
    assert_eq!(kept, [(ms(10_000), N1)]);
}

#[test]
fn a_store_without_a_leader_or_without_a_majority_can_decide_nothing() {
    let role = |role| Note::StoreRole { role, term: Term(2) };
    let mut story = Story::begin("");
    story.at(0).note("etcd1", role(RoleName::Leader));
    // The leader stands still; another is elected, and two of three are enough.
    story.at(10_000).life("etcd1", Life::Paused);
    story.at(13_000).note("etcd2", role(RoleName::Leader));
    story.at(20_000).life("etcd3", Life::Killed);
    story
        .at(24_000)
        .life("etcd1", Life::Resumed)
        .note("etcd1", role(RoleName::Follower));
    let store = story.end(30_000).store;
    assert_eq!(store.no_quorum, Span::from_secs(3 + 4));
    assert_eq!(store.leader_changes, 1);
}

#[test]
fn a_store_is_dark_from_when_its_leaders_disk_began_to_hang_until_another_leads() {
    let mut story = Story::begin("");
    let hangs = |already| Note::StoreHangs {
        already: Span::from_millis(already),
    };
    // It is said late.
    story.at(10_500).note("etcd1", hangs(400));
    story.at(11_400).store_role("etcd3", RoleName::Leader, 3);
    story.at(15_000).note("etcd2", hangs(400));
    story.at(40_000).note("etcd1", Note::StoreGoesOn);
    story.at(41_000).note("etcd2", Note::StoreGoesOn);
    let dark: Vec<_> = story
        .end(100_000)
        .record
        .no_quorum
        .iter()
        .map(|d| (d.from, d.to))
        .collect();
    // etcd1 and etcd2 together are a majority that takes part in nothing.
    assert_eq!(dark, [(ms(10_100), ms(11_400)), (ms(14_600), ms(40_000))]);
}

#[test]
fn a_store_is_dark_while_too_few_members_run_or_none_of_them_leads() {
    let mut story = Story::begin("");
    story.at(10_000).life("etcd1", Life::Killed);
    story.at(11_400).store_role("etcd3", RoleName::Leader, 3);
    story.at(20_000).life("etcd2", Life::Killed);
    story.at(50_000).life("etcd2", Life::Started);
    let verdict = story.end(100_000);
    let dark: Vec<_> = verdict
        .record
        .no_quorum
        .iter()
        .map(|dark| (dark.from, dark.to, dark.too_few))
        .collect();
    assert_eq!(dark, [(ms(10_000), ms(11_400), false), (ms(20_000), ms(50_000), true)]);
    assert_eq!(verdict.store.leader_changes, 1);
    assert!(
        verdict
            .headline()
            .ends_with("The store changed its leader once and could decide nothing for 31.4 s.")
    );
}

#[test]
fn a_failover_that_was_asked_for_or_came_of_a_process_that_was_told_to_end_is_not_spurious() {
    let told = |rest: &str| {
        let failover = &takes_over(&format!("[[fault]]\nat_s = 12\n{rest}\n")).failovers[0];
        (failover.fault, failover.spurious)
    };
    let struck = Some(ms(12_000));
    for (rest, is) in [
        ("kind = \"switchover\"\ntarget = \"node1\"", (struck, false)),
        ("kind = \"failover\"\ntarget = \"node2\"", (struck, false)),
        ("kind = \"restart\"\ntarget = \"node1/postgres\"", (struck, false)),
        ("kind = \"stop\"\ntarget = \"node1/agent\"", (struck, false)),
        ("kind = \"stop\"\ntarget = \"node1/postgres\"", (struck, false)),
        ("kind = \"stuck_stop\"\ntarget = \"node1/postgres\"", (struck, false)),
        (
            "kind = \"failed_promote\"\ntarget = \"node1/postgres\"",
            (struck, false),
        ),
        ("kind = \"block\"\ntarget = \"node1/agent\"", (struck, true)),
        (
            "kind = \"slow_sql\"\ntarget = \"node1/postgres\"\nadd_ms = 9000",
            (struck, true),
        ),
        (
            "kind = \"same_name\"\ntarget = \"node3/agent\"\nname = \"node1\"",
            (struck, true),
        ),
        ("kind = \"delete_key\"\ntarget = \"etcd1\"", (struck, true)),
        // Of no account: another node, or nothing that takes the key from anybody.
        ("kind = \"switchover\"\ntarget = \"node2\"", (None, true)),
        ("kind = \"failover\"\ntarget = \"node1\"", (None, true)),
        ("kind = \"stop\"\ntarget = \"node2/agent\"", (None, true)),
        ("kind = \"maintenance\"\ntarget = \"node1\"", (None, true)),
    ] {
        assert_eq!(told(rest), is, "{rest}");
    }
}

#[test]
fn what_was_told_once_is_the_fault_of_the_next_failover_only() {
    // The leader renews once more while it stops its database.
    let mut story = Story::begin("[[fault]]\nat_s = 9\nkind = \"switchover\"\ntarget = \"node1\"\n");
    story.at(10_000).renews(1);
    story.at(11_000).key_deleted().key_put(N2, 2, true);
    story.at(20_000).key_deleted().key_put(N1, 3, true);
    story.at(30_000).renews(3);
    story.at(70_300).expires(3).key_put(N2, 4, true);
    let verdict = story.end(100_000);
    let told: Vec<_> = verdict.failovers.iter().map(|f| (f.fault, f.spurious)).collect();
    assert_eq!(told, [(Some(ms(9_000)), false), (None, true), (None, true)]);
}
