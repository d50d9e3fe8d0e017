//! A run told again from where a change begins is the run from the beginning, event for event.

#![cfg(not(target_arch = "wasm32"))]

use leaselab::scenario::{SHIPPED, Scenario};
use leaselab::verdict::{Rerun, run};
use proptest::prelude::*;

fn whole(scenario: &Scenario) -> Rerun {
    let mut rerun = Rerun::new(scenario);
    rerun.run_until(rerun.end());
    rerun
}

fn assert_same(rerun: &Rerun, scenario: &Scenario) {
    let afresh = run(scenario);
    assert_eq!(rerun.trace().len(), afresh.trace.len());
    let parted = rerun.trace().iter().zip(afresh.trace.iter()).find(|(a, b)| a != b);
    assert_eq!(parted, None);
    let (verdict, mut expected) = (rerun.verdict(), afresh.verdict);
    expected.trace_hash = None;
    assert_eq!(verdict, expected);
}

#[test]
fn every_shipped_scenario_leaves_marks_without_being_disturbed() {
    for (name, text) in SHIPPED {
        let scenario = Scenario::parse(text, name).expect("valid");
        assert_same(&whole(&scenario), &scenario);
    }
}

#[test]
fn a_change_late_in_a_run_is_run_from_shortly_before_it_and_one_of_a_setting_from_the_beginning() {
    let (name, text) = SHIPPED
        .iter()
        .find(|(name, _)| *name == "agent-killed")
        .expect("shipped");
    let before = Scenario::parse(text, name).expect("valid");
    let mut late = before.clone();
    late.set("fault.1.until_s", "110.25").expect("it can be");
    let again = whole(&before).again(&late);
    let differs = before.faults[0].until.expect("it ends");
    assert!(
        again.from() < differs && differs.since(again.from()).as_secs_f64() <= 7.0,
        "{:?}",
        again.from()
    );
    let mut setting = before.clone();
    setting.set("patroni.ttl", "40").expect("it can be");
    assert_eq!(whole(&before).again(&setting).from().0, 0);
    // Half a run can be changed as well, and changed back.
    let mut half = Rerun::new(&before);
    half.run_until(differs);
    let mut back = half.again(&late);
    back.run_until(back.end());
    assert_same(&back, &late);
    let mut back = back.again(&before);
    back.run_until(back.end());
    assert_same(&back, &before);
}

const KINDS: [&str; 8] = [
    "kind = \"pause\"\ntarget = \"node1/agent\"",
    "kind = \"kill\"\ntarget = \"node1\"",
    "kind = \"kill\"\ntarget = \"node2/postgres\"",
    "kind = \"cut\"\ntarget = \"node1 <-> *\"",
    "kind = \"latency\"\ntarget = \"node3 <-> *\"\nadd_ms = 300",
    "kind = \"disk_stall\"\ntarget = \"etcd2/disk\"",
    "kind = \"block\"\ntarget = \"node1/agent\"\nthread = \"loop\"",
    "kind = \"maintenance\"\ntarget = \"node1\"",
];

fn faults() -> impl Strategy<Value = String> {
    let fault = (0..KINDS.len(), 1u32..110, 1u32..60)
        .prop_map(|(kind, at, lasts)| format!("[[fault]]\nat_s = {at}\nfor_s = {lasts}\n{}\n", KINDS[kind]));
    prop::collection::vec(fault, 0..4).prop_map(|faults| faults.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// The faults that both have come first, so that marks are often of use.
    #[test]
    fn after_any_change_of_the_faults_the_run_is_that_from_the_beginning(
        both in faults(), before in faults(), after in faults(), seed in 0u64..50
    ) {
        let with = |more: &str| {
            let text = format!("duration_s = 120\nseed = {seed}\n{both}{more}");
            Scenario::parse(&text, "test").ok()
        };
        let (Some(before), Some(after)) = (with(&before), with(&after)) else { return Ok(()) };
        let mut rerun = whole(&before).again(&after);
        rerun.run_until(rerun.end());
        assert_same(&rerun, &after);
    }
}
