//! The budget of one lease, by arithmetic and as measured.

use super::play;
use crate::draw::budget::{Budget, Ended, Measured, Spent};
use crate::engine::{SimTime, Span};
use crate::scenario::Scenario;
use proptest::prelude::*;

fn budget(toml: &str) -> Budget {
    Budget::of(&Scenario::parse(toml, "test").expect("valid"))
}

fn spent(budget: &Budget) -> Vec<(Spent, u64)> {
    let parts = budget.segments.iter();
    parts
        .map(|part| (part.spent, (part.until.as_micros() - part.from.as_micros()) / 1_000))
        .collect()
}

#[test]
fn the_defaults_leave_no_time_for_the_stop() {
    let budget = budget("");
    let parts = [
        (Spent::LoopWait, 10_000),
        (Spent::Renewal, 10_000),
        (Spent::Reload, 10_000),
        (Spent::Stop, 400),
    ];
    assert_eq!(spent(&budget), parts);
    assert_eq!(budget.over(), Some(Span::from_millis(400)));
    assert_eq!(
        budget.sum(),
        "loop_wait 10 + retry_timeout 10 + retry_timeout 10 + stop 0.4 = 30.4 of 30 s: 400 ms too long."
    );
    assert_eq!(budget.refresh_every, 30);
    assert!(budget.notes()[1].contains("stopped after 40.4 s, 10.4 s after the key is gone"));
}

#[test]
fn a_longer_ttl_leaves_slack_that_is_a_part_of_its_own() {
    let budget = budget("patroni.ttl = 45\n");
    assert_eq!(spent(&budget).last(), Some(&(Spent::Slack, 14_600)));
    assert!(budget.sum().ends_with("= 30.4 of 45 s: 14.6 s slack."));
    assert!(budget.notes()[1].ends_with("stopped after 40.4 s, still in time."));
    assert_eq!(budget.over(), None);
}

#[test]
fn failsafe_mode_asks_before_it_stops() {
    let budget = budget("patroni.failsafe_mode = true\n");
    assert!(spent(&budget).contains(&(Spent::Failsafe, 4_000)));
    assert_eq!(budget.stopped, Span::from_millis(34_400));
}

#[test]
fn the_watchdog_has_its_deadline_when_there_is_one_that_works() {
    assert_eq!(
        budget("watchdog.mode = \"required\"\n").watchdog,
        Some(Span::from_secs(25))
    );
    assert_eq!(
        budget("[watchdog]\nmode = \"required\"\nsafety_margin = -1\n").watchdog,
        Some(Span::from_secs(15))
    );
    assert_eq!(
        budget("[watchdog]\nmode = \"required\"\nsafety_margin = 25\n").watchdog,
        None
    );
    assert!(budget("").notes()[0].starts_with("No watchdog"));
}

#[test]
fn what_patroni_adjusts_is_what_counts() {
    let adjusted = budget("patroni.loop_wait = 15\n");
    assert_eq!(spent(&adjusted), spent(&budget("")));
    let note = "Patroni runs with loop_wait 10 s instead of 15 s: ttl 30 must be at least loop_wait + 2 retry_timeout.";
    assert_eq!(adjusted.notes()[0], note);
    let written = budget("[patroni]\nloop_wait = 15\ntiming_rules = \"none\"\n");
    assert_eq!(written.over(), Some(Span::from_millis(5_400)));
    assert!(written.notes()[0].starts_with("Patroni would run with loop_wait 10 s instead of 15 s: "));
    assert!(written.notes()[0].ends_with(" Here it runs as written."));
}

#[test]
fn the_run_says_how_long_it_really_took() {
    let story = play("agent-killed").story();
    let measured = Measured::of(&story);
    let (gap, _) = measured.renewal.expect("it was renewed");
    assert!(gap >= Span::from_secs(10) && gap < Span::from_secs(11), "{gap}");
    let stop = measured.stop.clone().expect("a lease expired");
    assert_eq!((stop.node.as_str(), stop.how), ("node1", Ended::Stopped));
    assert!(stop.renewed < SimTime(41_000_000) && stop.lasted > Span::from_secs(60));
    let words = measured.words(Span::from_secs(30));
    assert!(words[0].starts_with("The longest time from one renewal to the next was 10."));
    assert!(words[1].ends_with(" longer than the lease."), "{words:?}");
    assert_eq!(Measured::of(&play("steady-state").story()).stop, None);
    let mut again = play("agent-killed").scenario;
    again
        .set("patroni.ttl", "40")
        .and_then(|()| again.set("patroni.loop_wait", "20"))
        .expect("allowed");
    let run = crate::verdict::run(&again);
    let story = crate::draw::tell(&run.trace, run.verdict, &again, &run.layout);
    let stop = Measured::of(&story)
        .stop
        .expect("the lease expired, and the old leader took it again");
    assert!(
        stop.how == Ended::HeldAgain && stop.lasted < Span::from_secs(62),
        "{stop:?}"
    );
}

proptest! {
    #[test]
    fn the_parts_lie_back_to_back_from_the_renewal_to_the_end_of_the_bar(
        ttl in 1u64..3_600, loop_wait in 1u64..3_600, retry in 1u64..3_600, failsafe: bool, rules in prop::sample::select(vec!["4.1", "none"]),
    ) {
        let budget = budget(&format!(
            "[patroni]\nttl = {ttl}\nloop_wait = {loop_wait}\nretry_timeout = {retry}\nfailsafe_mode = {failsafe}\ntiming_rules = \"{rules}\"\n"
        ));
        let mut at = Span::ZERO;
        for part in &budget.segments {
            prop_assert_eq!(part.from, at);
            prop_assert!(part.until > part.from);
            at = part.until;
        }
        prop_assert_eq!(at, budget.length());
        prop_assert_eq!(budget.over().is_some(), budget.stopped > budget.ttl);
        prop_assert!(budget.refresh_every >= 1);
    }
}
