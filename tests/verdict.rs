#![cfg(not(target_arch = "wasm32"))]
//! A verdict is the same however it was come by.

use leaselab::scenario::{SHIPPED, Scenario};
use leaselab::verdict::{Verdict, judge, judge_seeds, run, with_nth_seed};

fn shipped() -> impl Iterator<Item = Scenario> {
    SHIPPED
        .iter()
        .map(|(name, text)| Scenario::parse(text, name).expect("valid"))
}

#[test]
fn the_verdict_alone_is_that_of_the_full_run_without_its_hash() {
    for scenario in shipped() {
        let full = run(&scenario);
        assert_eq!(full.trace.len(), full.verdict.events as usize);
        assert_eq!(full.verdict.trace_hash, Some(full.trace.hash()));
        let bare = Verdict {
            trace_hash: None,
            ..full.verdict
        };
        assert_eq!(judge(&scenario), bare, "{}", scenario.title);
    }
}

#[test]
fn every_finding_names_the_event_at_whose_instant_it_first_failed() {
    for scenario in shipped() {
        let full = run(&scenario);
        for finding in full.verdict.findings.iter().filter(|finding| !finding.holds) {
            let event = full.trace.get(finding.event.expect("an event")).expect("in the trace");
            assert_eq!(
                Some(event.at),
                finding.first,
                "{}: {}",
                scenario.title,
                finding.invariant
            );
        }
    }
}

#[test]
fn the_verdicts_of_several_seeds_stand_in_the_order_of_the_seeds_on_any_number_of_threads() {
    let mut scenario = shipped().next().expect("one");
    scenario.duration = leaselab::engine::Span::from_secs(3);
    scenario.seed = (1 << 53) - 3;
    let alone = judge_seeds(&scenario, 8, 1, |verdict| verdict);
    assert_eq!(judge_seeds(&scenario, 8, 4, |verdict| verdict), alone);
    let seeds: Vec<u64> = alone.iter().map(|verdict| verdict.seed).collect();
    let first = scenario.seed;
    assert_eq!(
        seeds,
        [first, first + 1, first + 2, 0, 1, 2, 3, 4],
        "after the greatest seed comes 0"
    );
    assert_eq!(alone[5], judge(&with_nth_seed(&scenario, 5)));
}
