//! Of a run of too many events only what verdicts are made of is kept. What is told of it then, and of any part of it that is run
//! again, is what is told of it when everything is kept.

#![cfg(not(target_arch = "wasm32"))]

use leaselab::draw::{Detail, Story, look_closer, tell, why, why_within};
use leaselab::engine::{EventId, SimTime, Span};
use leaselab::scenario::{SHIPPED, Scenario};
use leaselab::verdict::Rerun;
use proptest::prelude::*;

/// So few that each run below is thinned long before its end.
const FEW: usize = 3_000;

fn whole(scenario: &Scenario, events_max: usize) -> Rerun {
    let mut rerun = Rerun::keeping(scenario, events_max);
    for slice in 1..=50 {
        rerun.run_until(SimTime(rerun.end().0 * slice / 50));
    }
    rerun
}

fn story(rerun: &Rerun) -> Story {
    tell(rerun.trace(), rerun.verdict(), rerun.scenario(), rerun.layout())
}

fn close_up(rerun: &Rerun, from: SimTime, until: SimTime) -> Detail {
    let part = rerun.part(from, until);
    let what = (rerun.scenario(), rerun.layout());
    look_closer(rerun.trace(), &part, what, (from, until))
}

/// Half an hour of a cluster with troubles in it.
fn long() -> Scenario {
    let text = "duration_s = 1800\nseed = 4\n[store]\nmembers = 3\n[watchdog]\nmode = \"automatic\"\n\
                [[fault]]\nat_s = 400\nfor_s = 60\nkind = \"kill\"\ntarget = \"node1/agent\"\n\
                [[fault]]\nat_s = 700\nfor_s = 40\nkind = \"cut\"\ntarget = \"node2 <-> *\"\n\
                [[fault]]\nat_s = 1100\nfor_s = 100\nkind = \"cut\"\ntarget = \"node1 -> etcd1\"\n\
                [[fault]]\nat_s = 1500\nkind = \"kill\"\ntarget = \"node2\"\n";
    Scenario::parse(text, "long").expect("valid")
}

/// Names the first difference only: the lists are long.
fn assert_same<T: PartialEq + std::fmt::Debug>(told: &[T], expected: &[T]) {
    let differs = |n: &usize| told.get(*n) != expected.get(*n);
    let first = (0..told.len().max(expected.len())).find(differs);
    let first = first.map(|n| (n, told.get(n), expected.get(n)));
    assert!(first.is_none(), "the first difference: {first:?}");
}

#[test]
fn what_is_told_of_a_thinned_run_is_what_is_told_of_a_full_one_but_for_messages_and_waits() {
    for (name, text) in SHIPPED {
        let scenario = Scenario::parse(text, name).expect("valid");
        let (full, thin) = (whole(&scenario, usize::MAX), whole(&scenario, FEW));
        assert!(!full.trace().is_thin() && thin.trace().is_thin(), "{name}");
        assert!(thin.trace().len() < full.trace().len() / 3, "{name}");
        let (mut full, thin) = (story(&full), story(&thin));
        assert!(full.detail.covers(SimTime::ZERO, full.end()));
        assert!(!thin.detail.covers(SimTime::ZERO, SimTime(1)));
        full.detail = Detail::default();
        assert!(full == thin, "{name}");
    }
}

#[test]
fn a_part_that_is_run_again_is_that_part_of_the_full_run_event_for_event() {
    let scenario = long();
    let (full, thin) = (whole(&scenario, usize::MAX), whole(&scenario, FEW));
    for from in (0..1_800).step_by(97) {
        let (from, until) = (SimTime(from * 1_000_000), SimTime((from + 20).min(1_800) * 1_000_000));
        let part = thin.part(from, until);
        let first = part.iter().next().expect("something happens in two minutes");
        assert_eq!(part.skipped(), first.id.index());
        assert!(
            part.skipped() == 0 || first.at >= from - Span::from_secs(121) && first.at <= from - Span::from_secs(119)
        );
        let expected = full
            .trace()
            .iter()
            .skip(part.skipped())
            .take_while(|event| event.at <= until);
        assert!(part.iter().eq(expected), "from {from:?}");
    }
}

#[test]
fn of_a_part_the_same_messages_and_waits_are_told_as_of_the_full_run() {
    let scenario = long();
    let (full, thin) = (whole(&scenario, usize::MAX), whole(&scenario, FEW));
    let all = story(&full).detail;
    for from in (0..1_740).step_by(61) {
        let (from, until) = (SimTime(from * 1_000_000), SimTime((from + 60) * 1_000_000));
        let detail = close_up(&thin, from, until);
        // What was sent before that and is given up only now is not told.
        let led_up = thin.part(from, until).skipped();
        assert!(detail.covers(from, until));
        let within = |at: SimTime| at > from && at < until;
        let flights = |detail: &Detail| -> Vec<_> {
            let flights = detail
                .flights
                .iter()
                .filter(|flight| within(flight.sent) && within(flight.end) && flight.event.index() >= led_up);
            flights.copied().collect()
        };
        assert_same(&flights(&detail), &flights(&all));
        let beats = |detail: &Detail| -> Vec<_> {
            let beats = detail
                .beats
                .iter()
                .filter(|beat| within(beat.sent) && within(beat.end()));
            beats.copied().collect()
        };
        assert_same(&beats(&detail), &beats(&all));
        for (told, expected) in detail.waiting.iter().zip(&all.waiting) {
            assert_eq!(told.who, expected.who);
            let waits = |waits: &[leaselab::draw::Wait]| -> Vec<_> {
                let waits = waits.iter().filter(|wait| within(wait.from) && within(wait.until));
                waits.cloned().collect()
            };
            assert_same(&waits(&told.waits), &waits(&expected.waits));
        }
    }
}

#[test]
fn why_is_answered_of_a_part_as_of_the_full_run() {
    let scenario = long();
    let (full, thin) = (whole(&scenario, usize::MAX), whole(&scenario, FEW));
    let ask = |event: EventId, at: SimTime| {
        let part = thin.part(at, at);
        why_within((thin.trace(), &part), thin.layout(), &scenario, event)
    };
    let rows = story(&full).rows;
    assert!(rows.len() > 40, "{}", rows.len());
    for row in rows {
        let expected = why(full.trace(), full.layout(), &scenario, row.event);
        let told = ask(row.event, row.at);
        // What led to it more than two minutes before is not looked at, unless verdicts are made of it.
        let recent: Vec<_> = expected
            .iter()
            .filter(|reason| row.at.since(reason.at) < Span::from_secs(115))
            .collect();
        let told: Vec<_> = told
            .iter()
            .filter(|reason| row.at.since(reason.at) < Span::from_secs(115))
            .collect();
        assert_eq!(told, recent, "{} at {:?}", row.text, row.at);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) })]

    #[test]
    fn a_change_of_faults_is_run_on_with_a_thinned_trace_too(at in 300_u64..1_700, until in 1_u64..90) {
        let scenario = long();
        let mut changed = scenario.clone();
        changed.set("fault.4.at_s", &at.to_string()).expect("it can be");
        prop_assume!(changed.set("fault.2.until_s", &(700 + until).to_string()).is_ok());
        let mut again = whole(&scenario, FEW).again(&changed);
        again.run_until(again.end());
        let afresh = whole(&changed, FEW);
        prop_assert!(again.trace().iter().eq(afresh.trace().iter()));
        prop_assert_eq!(again.verdict(), afresh.verdict());
        let (from, until) = (SimTime(at * 1_000_000), SimTime((at + 5) * 1_000_000));
        prop_assert!(again.part(from, until).iter().eq(afresh.part(from, until).iter()));
    }
}
