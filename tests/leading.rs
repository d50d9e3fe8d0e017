#![cfg(not(target_arch = "wasm32"))]
//! Leadership through a database (protocols.md 13 and 14): by the advisory lock of a session, and by a row with an epoch. The
//! scenarios of `lessons/scenarios/fence/` with their exact times, as conversations kept in `tests/transcripts/fence/`.

mod common;

use common::assert_transcript;
use leaselab::draw::lease_transcript;
use leaselab::engine::Span;
use leaselab::scenario::MORE;
use leaselab::scenario::lease::LeaseScenario;
use leaselab::verdict::{LeaseVerdict, run_lease};

fn text(name: &str) -> &'static str {
    let known = MORE.iter().find(|(known, _)| *known == format!("fence/{name}"));
    known.expect("a scenario of that name").1
}

fn play(text: &str) -> LeaseVerdict {
    run_lease(&LeaseScenario::parse(text, "test").expect("valid")).verdict
}

/// Runs a scenario and holds its conversation against the one that was written down.
fn keep(name: &str) -> LeaseVerdict {
    let run = run_lease(&LeaseScenario::parse(text(name), name).expect("valid"));
    let title = &run.verdict.scenario;
    let transcript = format!("{title}\n\n{}", lease_transcript(&run.trace, &run.layout));
    assert_transcript(&format!("fence/{name}.txt"), &transcript);
    assert!(run.verdict.finding("engine rules").expect("always looked at").holds);
    run.verdict
}

/// When B was granted it, in seconds.
fn b_at(verdict: &LeaseVerdict) -> f64 {
    let grant = verdict.grants.iter().find(|grant| grant.to == "B");
    grant.expect("B was granted it").at.as_secs_f64()
}

fn tokens(verdict: &LeaseVerdict) -> Vec<&str> {
    verdict
        .grants
        .iter()
        .map(|grant| grant.token.as_deref().unwrap_or("-"))
        .collect()
}

/// Who owns object 1 there.
fn owner<'a>(verdict: &'a LeaseVerdict, at: &str) -> &'a str {
    let owned = verdict.objects.iter().find(|owned| owned.at == at);
    &owned.expect("written").owner
}

#[test]
fn pg1_an_idle_session_of_a_host_that_vanished_keeps_its_lock_for_7875_seconds_after_its_last_word() {
    // The last word at 7.0, three seconds before the host vanishes: 7872 s after that.
    let verdict = keep("pg1-host-vanishes");
    let freed = 7.0 + 7_875.0;
    assert!((freed..=freed + 5.0).contains(&b_at(&verdict)), "B asks every 5 s");
    assert_eq!(freed - 10.0, 7_872.0);
    let tuned = keep("pg1-host-vanishes-tuned");
    let freed = 7.0 + 25.0;
    assert!((freed..=freed + 5.0).contains(&b_at(&tuned)));
    assert_eq!(freed - 10.0, 22.0);
}

#[test]
fn pg1_a_holder_that_only_ends_frees_the_lock_at_once() {
    let text = text("pg1-host-vanishes").replace("target = \"A\"\n", "target = \"A\"\nnetwork = \"refused\"\n");
    let verdict = play(&text);
    assert_eq!(b_at(&verdict), 13.5, "B's next question: it asks every 5 s from 8.5 on");
}

#[test]
fn pg2_what_is_not_acknowledged_is_repeated_for_a_quarter_of_an_hour_before_the_session_ends() {
    let verdict = keep("pg2-unacknowledged");
    // 0.2 s doubling to 120 s, 15 times, is 924.6 s; the first pause has the round trip in it, 12 ms, which doubles as well.
    let after = b_at(&verdict) - 10.03;
    assert!((924.6..=940.0 + 5.0).contains(&after), "{after}");
    let timeout = keep("pg2-user-timeout");
    assert!((30.0..=35.0).contains(&(b_at(&timeout) - 10.03)), "{}", b_at(&timeout));
}

#[test]
fn pg3_a_holder_whose_session_was_recycled_leads_on_until_it_next_uses_it() {
    let verdict = keep("pg3-pooler-recycles");
    assert_eq!(b_at(&verdict), 5.95);
    assert_eq!(verdict.believers.overlap, Span::from_millis(30_000 - 5_950));
    assert_eq!(
        (verdict.writes.accepted_after_newer, owner(&verdict, "resource")),
        (1, "A")
    );
    let looks = keep("pg3-holder-looks");
    assert!(
        looks.believers.overlap <= Span::from_secs(2),
        "at most the period and the patience"
    );
    assert_eq!(looks.writes.accepted_after_newer, 0);
}

#[test]
fn pg3_a_dropped_connection_leaves_two_leaders_unless_the_holder_gives_up_first() {
    let careful = keep("pg3-connection-dropped");
    assert_eq!(careful.believers.most_at_once, 1);
    let ends = careful.believers.intervals[0].to.as_secs_f64();
    assert_eq!((ends, b_at(&careful)), (9.0, 13.0));
    let patient = play(&text("pg3-connection-dropped").replace("patience_s = 3", "patience_s = 15"));
    assert_eq!(patient.believers.overlap, Span::from_secs(8), "from 13 to 6 + 15");
}

#[test]
fn pg4_work_in_the_session_of_the_lock_ends_with_it_and_what_is_outside_does_not() {
    let verdict = keep("pg4-work-in-the-session");
    assert_eq!(
        owner(&verdict, "database"),
        "B",
        "A's statement failed with its session"
    );
    assert_eq!(owner(&verdict, "resource"), "A");
    assert_eq!(verdict.writes.accepted_after_newer, 1, "the one outside");
}

#[test]
fn pg5_a_hash_that_every_process_salts_makes_two_leaders_from_the_start() {
    let salted = keep("pg5-salted-hash");
    assert_eq!(salted.believers.overlap, Span::from_secs(5));
    let stable = keep("pg5-stable-hash");
    assert_eq!((stable.believers.most_at_once, stable.grants.len()), (1, 1));
}

#[test]
fn pe1_a_transaction_that_finds_another_epoch_is_rolled_back() {
    let verdict = keep("pe1-guarded-by-the-epoch");
    assert_eq!(tokens(&verdict), ["7", "8"]);
    assert_eq!(
        b_at(&verdict),
        10.1,
        "expires_at < now() holds at the first question after 10.0"
    );
    assert_eq!((verdict.writes.accepted, owner(&verdict, "database")), (1, "B"));
}

#[test]
fn pe2_a_row_that_is_only_looked_at_lets_a_stale_write_through() {
    let verdict = keep("pe2-check-without-share");
    assert_eq!(
        (verdict.writes.accepted_after_newer, owner(&verdict, "database")),
        (1, "A")
    );
}

#[test]
fn pe3_a_row_that_is_kept_puts_the_write_before_the_next_epoch() {
    let verdict = keep("pe3-for-share");
    assert_eq!((verdict.writes.accepted, verdict.writes.accepted_by_deposed), (2, 0));
    assert_eq!((b_at(&verdict), owner(&verdict, "database")), (10.01, "B"));
}

#[test]
fn pe4_an_epoch_that_was_lost_with_the_primary_is_issued_again() {
    let twice = keep("pe4-epoch-issued-twice");
    assert_eq!(tokens(&twice), ["7", "8", "8"]);
    assert_eq!((twice.writes.rejected_by_fence, owner(&twice, "resource")), (0, "B"));
    assert_eq!(twice.writes.accepted_after_newer, 1);
    let synchronous = keep("pe4-synchronous");
    assert_eq!(tokens(&synchronous), ["7", "8"]);
    assert_eq!(synchronous.grants[1].to, "C");
    let timeline = keep("pe4-timeline-in-the-token");
    assert_eq!(tokens(&timeline), ["1.7", "1.8", "2.8"]);
    assert_eq!(
        (timeline.writes.rejected_by_fence, owner(&timeline, "resource")),
        (1, "C")
    );
}

#[test]
fn pe5_the_rows_equality_and_the_objects_order_refuse_the_same_write() {
    let (row, object) = (keep("pe1-guarded-by-the-epoch"), keep("pe5-fenced-by-the-object"));
    assert_eq!(row.objects, object.objects);
    assert_eq!(row.writes.accepted, object.writes.accepted);
    assert_eq!(
        (row.writes.rejected_by_fence, object.writes.rejected_by_fence),
        (0, 1),
        "rolled back, and refused"
    );
}

#[test]
fn a_row_obeys_the_databases_wall_clock_both_ways() {
    let stepped = |by: &str| {
        let step = format!("[[fault]]\nat_s = 6\nkind = \"clock_step\"\ntarget = \"database\"\nby_s = {by}\n");
        play(&format!("{}{step}", text("pe1-guarded-by-the-epoch")))
    };
    // A step forward lets it run out early, which the epoch makes harmless; a step back puts the take-over off.
    let (forward, back) = (stepped("3"), stepped("-5"));
    assert_eq!((b_at(&forward), forward.writes.accepted_by_deposed), (7.1, 0));
    assert_eq!(b_at(&back), 15.1);
}
