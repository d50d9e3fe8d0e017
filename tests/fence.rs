#![cfg(not(target_arch = "wasm32"))]
//! Leases and fencing tokens (protocols.md 0 and 1): the scenarios of `lessons/scenarios/fence/`, with their exact times, as
//! conversations kept in `tests/transcripts/fence/`.

mod common;

use common::assert_transcript;
use leaselab::draw::lease_transcript;
use leaselab::engine::Span;
use leaselab::scenario::MORE;
use leaselab::scenario::lease::LeaseScenario;
use leaselab::verdict::{LeaseRun, LeaseVerdict, run_lease};
use leaselab::vocabulary::Token;
use proptest::prelude::*;

fn text(name: &str) -> &'static str {
    let known = MORE.iter().find(|(known, _)| *known == format!("fence/{name}"));
    known.expect("a scenario of that name").1
}

fn play(text: &str) -> LeaseRun {
    run_lease(&LeaseScenario::parse(text, "test").expect("valid"))
}

/// Runs a scenario and holds its conversation against the one that was written down.
fn keep(name: &str) -> LeaseVerdict {
    let run = play(text(name));
    let title = &run.verdict.scenario;
    let transcript = format!("{title}\n\n{}", lease_transcript(&run.trace, &run.layout));
    assert_transcript(&format!("fence/{name}.txt"), &transcript);
    let engine = run.verdict.finding("engine rules").expect("always looked at");
    assert!(engine.holds, "{engine:?}");
    run.verdict
}

/// When and to whom it was granted, in ms, with which token.
fn grants(verdict: &LeaseVerdict) -> Vec<(f64, &str, &str)> {
    let grant = |g: &leaselab::verdict::Granted| g.at.as_millis_f64();
    let all = verdict.grants.iter();
    all.map(|g| (grant(g), g.to.as_str(), g.token.as_deref().unwrap_or("-")))
        .collect()
}

/// Owner and fence of an object of the resource.
fn object(verdict: &LeaseVerdict, number: u16) -> (&str, &str) {
    let mut objects = verdict.objects.iter();
    let object = objects
        .find(|o| o.at == "resource" && o.object == number)
        .expect("written");
    (&object.owner, object.fence.as_deref().unwrap_or("-"))
}

fn holds(verdict: &LeaseVerdict, invariant: &str) -> bool {
    verdict.finding(invariant).expect("an invariant of that name").holds
}

const NO_OLDER_HOLDER: &str = "no write of an older holder after a newer one's";

#[test]
fn f1_with_fencing_off_the_late_write_of_the_old_holder_is_the_last_one() {
    let verdict = keep("f01-late-write-lands");
    assert_eq!(grants(&verdict), [(0.0, "A", "33"), (1_000.0, "B", "34")]);
    assert_eq!(object(&verdict, 1).0, "A");
    assert_eq!(verdict.writes.accepted_after_newer, 1);
    assert_eq!(verdict.writes.rejected_by_fence, 0);
    assert!(!holds(&verdict, NO_OLDER_HOLDER));
}

#[test]
fn f2_with_fencing_on_the_late_write_is_rejected_as_stale_and_belief_overlaps_all_the_same() {
    let verdict = keep("f02-late-write-bounces");
    assert_eq!(grants(&verdict), [(0.0, "A", "33"), (1_000.0, "B", "34")]);
    assert_eq!(object(&verdict, 1), ("B", "34"));
    assert_eq!((verdict.writes.accepted, verdict.writes.rejected_by_fence), (1, 1));
    assert!(holds(&verdict, NO_OLDER_HOLDER));
    // A believes from 0 to 2.0, B from 1.0 on.
    assert_eq!(verdict.believers.overlap, Span::from_secs(1));
}

#[test]
fn f3_a_fence_closes_with_the_first_write_of_the_successor_and_not_with_its_grant() {
    let verdict = keep("f03-token-seen-too-late");
    assert_eq!((verdict.writes.accepted, verdict.writes.accepted_by_deposed), (2, 1));
    assert_eq!(verdict.writes.accepted_after_newer, 0, "B had not written yet");
    assert_eq!(object(&verdict, 1), ("B", "34"));
}

#[test]
fn f3_a_successor_that_stamps_first_closes_it_before_it_writes() {
    let verdict = keep("f03-successor-stamps-first");
    assert_eq!((verdict.writes.accepted, verdict.writes.rejected_by_fence), (1, 1));
    assert_eq!(object(&verdict, 1), ("B", "34"));
}

#[test]
fn f3_a_fence_for_each_row_leaves_open_what_the_successor_did_not_touch_and_one_for_all_does_not() {
    let rows = keep("f03-another-row");
    assert_eq!((object(&rows, 1).0, object(&rows, 2).0), ("B", "A"));
    assert_eq!(rows.writes.accepted_after_newer, 1);
    let root = keep("f03-root-row");
    assert_eq!((root.objects.len(), object(&root, 1)), (1, ("B", "34")));
    assert_eq!(root.writes.rejected_by_fence, 1);
}

#[test]
fn f5_a_check_just_before_the_write_changes_nothing() {
    let checked = keep("f05-check-then-pause");
    let unchecked = keep("f01-late-write-lands");
    assert_eq!(checked.writes, unchecked.writes);
    assert_eq!(checked.objects, unchecked.objects);
}

#[test]
fn f6_a_write_that_was_lawful_when_it_was_sent_is_stale_when_it_arrives() {
    let off = keep("f06-delayed-packet");
    assert_eq!((object(&off, 1).0, off.writes.accepted_after_newer), ("A", 1));
    assert_eq!(off.believers.most_at_once, 1, "nobody believed too long");
    let on = keep("f06-delayed-packet-fenced");
    assert_eq!((object(&on, 1), on.writes.rejected_by_fence), (("B", "34"), 1));
}

#[test]
fn f7_tokens_that_begin_anew_turn_the_fence_round() {
    let verdict = keep("f07-tokens-begin-anew");
    assert_eq!(grants(&verdict)[1], (900.0, "B", "1"));
    assert_eq!(object(&verdict, 1), ("A", "33"));
    assert_eq!(verdict.writes.accepted_by_deposed, 1);
    assert!(verdict.writes.rejected_by_fence >= 2, "B is refused for ever");
    assert!(!holds(&verdict, "the token grows with every grant"));
    let remembers = play(&text("f07-tokens-begin-anew").replace("forgets = true", "forgets = false"));
    assert!(holds(&remembers.verdict, "the token grows with every grant"));
    assert_eq!(object(&remembers.verdict, 1), ("B", "34"));
}

#[test]
fn f8_a_fence_that_asks_for_more_than_the_last_token_refuses_the_holders_own_second_write() {
    assert_eq!(keep("f08-equal-token").writes.accepted, 2);
    let greater = keep("f08-greater-token").writes;
    assert_eq!((greater.accepted, greater.rejected_by_fence), (1, 1));
}

#[test]
fn f10_a_gateway_that_cannot_compare_sends_two_mails_and_one_that_knows_the_key_sends_one() {
    let two = keep("f10-two-mails");
    assert_eq!((two.mails.accepted, two.mails.repeated), (2, 0));
    assert_eq!(two.writes.rejected_by_fence, 1, "the database is fenced");
    let one = keep("f10-one-mail");
    assert_eq!((one.mails.accepted, one.mails.repeated), (1, 1));
}

#[test]
fn f11_equality_refuses_the_stale_holder_and_every_lawful_one_after_the_first() {
    let verdict = keep("f11-equality-fence");
    assert_eq!(
        (verdict.writes.accepted, verdict.writes.rejected_by_fence),
        (1, 2),
        "A and C"
    );
    assert_eq!(object(&verdict, 1), ("B", "34"));
    let first = keep("f11-equality-fence-first-holder");
    assert_eq!(first.writes.accepted_by_deposed, 1, "A's late write");
    assert_eq!((object(&first, 1), first.writes.rejected_by_fence), (("A", "33"), 1));
}

#[test]
fn a_lease_counted_from_the_receipt_of_a_slow_answer_outlives_the_grant_by_the_delay() {
    let receipt = keep("counted-from-the-receipt");
    assert_eq!(receipt.believers.overlap, Span::from_millis(400));
    assert_eq!(receipt.writes.accepted_after_newer, 1);
    let send = keep("counted-from-the-send");
    assert_eq!(send.believers.overlap, Span::ZERO);
    assert_eq!(send.writes.accepted_after_newer, 0);
}

/// A scenario of two workers that write all the time, with a pause and a slow link somewhere.
fn troubled(fence: &str, pause: (u64, u64), slow: (u64, u64, u64), from: &str) -> String {
    let jobs: String = ["A", "B"]
        .iter()
        .flat_map(|worker| (0..20).map(move |n| (worker, n)))
        .map(|(worker, n)| {
            format!(
                "[[job]]\nworker = \"{worker}\"\nafter_s = 0.{:02}\nobject = {}\n",
                n * 4,
                n % 3 + 1
            )
        })
        .collect();
    format!(
        "system = \"lease\"\nduration_s = 12\n[lease]\nholder = \"A\"\ncounts_from = \"{from}\"\n[resource]\nfence = \"{fence}\"\n\
         [[worker]]\nname = \"A\"\nasks_at_s = 0\nrenews_every_s = 0.4\nholds_for_s = 3\n\
         [[worker]]\nname = \"B\"\nasks_at_s = 0\nrenews_every_s = 0.4\nholds_for_s = 3\n{jobs}\
         [[fault]]\nkind = \"pause\"\ntarget = \"A\"\nat_s = {}\nfor_s = {}\n\
         [[fault]]\nkind = \"latency\"\ntarget = \"* <-> service\"\nat_s = {}\nfor_s = {}\nadd_ms = {}\n",
        pause.0 as f64 / 1_000.0,
        pause.1 as f64 / 1_000.0,
        slow.0 as f64 / 1_000.0,
        slow.1 as f64 / 1_000.0,
        slow.2
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn behind_a_fence_no_object_goes_back_to_an_older_holder(
        pause in (0..8_000_u64, 1..3_000_u64),
        slow in (0..8_000_u64, 1..3_000_u64, 1..900_u64),
        receipt in any::<bool>(),
    ) {
        let from = if receipt { "receipt" } else { "send" };
        let run = play(&troubled("at_least", pause, slow, from));
        prop_assert!(holds(&run.verdict, "no write with an older token than its object has seen"));
        prop_assert!(holds(&run.verdict, "the token grows with every grant"));
        prop_assert!(run.verdict.writes.accepted > 0);
    }

    #[test]
    fn counted_from_the_send_and_without_a_pause_there_is_never_a_second_believer(
        slow in (0..8_000_u64, 1..3_000_u64, 1..900_u64),
    ) {
        let run = play(&troubled("off", (11_999, 1), slow, "send"));
        prop_assert!(run.verdict.believers.most_at_once <= 1, "{:?}", run.verdict.believers);
    }
}

#[test]
fn without_a_fence_some_pause_lets_an_older_holder_write_last() {
    // The property above is one of the fence and not of the scenario.
    let run = play(&troubled("off", (10, 2_000), (0, 1, 1), "send"));
    assert!(!holds(
        &run.verdict,
        "no write with an older token than its object has seen"
    ));
}

#[test]
fn a_token_says_its_timeline_when_it_has_one() {
    assert_eq!(Token(33).to_string(), "33");
    assert_eq!(Token::on_timeline(2, 8).to_string(), "2.8");
    assert!(Token::on_timeline(2, 8) > Token::on_timeline(1, 9));
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_line_and_a_remedy() {
    let wrong = |text: &str| LeaseScenario::parse(text, "l.toml").expect_err("wrong")[0].to_string();
    let worker = "system = \"lease\"\n[[worker]]\nname = \"A\"\n";
    for (text, says) in [
        (
            "system = \"lease\"\n[lease]\nttl_s = 0",
            "l.toml:3: lease.ttl_s = 0: a lease that lasts no time is none; use at least 0.000001",
        ),
        (
            "system = \"lease\"\n[lease]\nholder = \"Z\"",
            "l.toml:3: lease.holder = \"Z\": there is no such worker; use one of ",
        ),
        (
            "system = \"leese\"",
            "l.toml:1: system = \"leese\": there is no such system; did you mean lease?",
        ),
        (
            "[patroni]\nttl = 3",
            "l.toml:1: patroni = {…}: unknown key; leave it out",
        ),
        (
            &format!("{worker}[[job]]\nworker = \"A\"\nat = \"database\""),
            "l.toml:4: job.1.at = A: no database grants here; use lease.by = \"row\" or \"session\", or at = \"resource\"",
        ),
        (
            &format!("{worker}[[fault]]\nat_s = 1\nkind = \"disk_stall\"\ntarget = \"A/disk\""),
            "l.toml:6: fault.1.kind = \"disk_stall\": nothing here can be struck by it; use kill, pause, cut, latency, loss, clock_step or clock_rate, of hosts and links",
        ),
        (
            &format!("{worker}[[worker]]\nname = \"A\""),
            "l.toml:4: worker.2.name = A: another worker has this name; name each worker otherwise",
        ),
    ] {
        assert_eq!(wrong(text), says);
    }
}

#[test]
fn a_file_about_leases_is_refused_where_a_cluster_is_wanted() {
    let errors = leaselab::scenario::Scenario::parse("system = \"lease\"", "l.toml").expect_err("another system");
    assert!(
        errors[0]
            .to_string()
            .starts_with("l.toml:1: system = \"lease\": is another system than this is for;")
    );
    assert!(leaselab::scenario::Scenario::parse("system = \"patroni\"", "p.toml").is_ok());
}
