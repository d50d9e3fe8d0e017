//! The language of claims, and figures over several runs.

use crate::verdict::{Claim, Figure, FigureKind, Series, Verdict};
use serde_json::{Value, json};

fn sample() -> Value {
    Verdict::sample().to_json()
}

fn holds(text: &str) -> bool {
    let claim = Claim::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    claim.check(&[sample()]).holds
}

fn refused(text: &str) -> String {
    Claim::parse(text).unwrap_err().to_string()
}

#[test]
fn claims_name_values_by_path_index_and_invariant() {
    for text in [
        "two_primaries.total_ms == 13250",
        "failovers[0].why == \"lease expired\"",
        "failovers[0].why == 'lease expired'",
        "failovers.len == 1 and believers.intervals.len == 1",
        "two_primaries.intervals[0].nodes[1] == 'node2'",
        "not findings[\"one writable primary\"].holds",
        "failovers[0].writable_ms - failovers[0].key_gone_ms == 1900",
        "failovers[1].writable_ms == null and failovers[0].writable_ms != null",
        "two_primaries.ever == true",
        "seed + 0.5 > 7",
    ] {
        assert!(holds(text), "{text}");
    }
}

#[test]
fn a_range_with_two_points_leaves_its_upper_end_out_and_with_a_sign_of_equality_takes_it_in() {
    assert!(holds("two_primaries.total_ms in 13250..13251"));
    assert!(!holds("two_primaries.total_ms in 13000..13250"));
    assert!(holds("two_primaries.total_ms in 13000..=13250"));
    assert!(!holds("1 in 2..0"));
    assert!(holds("2 in 1+0.5..1*4"));
}

#[test]
fn times_have_units_and_a_bare_number_held_against_a_time_is_milliseconds() {
    for text in [
        "two_primaries.total_ms == 13.25 s",
        "two_primaries.total_ms == 13.25s and two_primaries.total_ms == 13250",
        "two_primaries.total_ms in 13 s..15 s",
        "two_primaries.total_ms in 13s..=13250ms",
        "duration_ms == 2 min and duration_ms < 1 h",
        "failovers[0].writable_ms - failovers[0].key_gone_ms == 1.9 s",
        "failovers[0].renewed_ms + 30 s < failovers[0].key_gone_ms",
        "writable_ms / duration_ms in 0.98..0.99",
        "2 * writable_ms > duration_ms + 60 s",
        "0.1 s + 0.2 s < 300.001 ms and 5 us == 0.005 ms",
    ] {
        assert!(holds(text), "{text}");
    }
    assert!(!holds("two_primaries.total_ms in 14 s..15 s"));
}

#[test]
fn a_figure_is_a_value_with_its_kind_and_null_where_the_run_has_none() {
    let figure = |text: &str| Figure::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    for (text, kind, value) in [
        ("two_primaries.total_ms / 2", FigureKind::Time, json!(6625.0)),
        ("writes.lost + 1", FigureKind::Count, json!(238.0)),
        ("failovers.len", FigureKind::Count, json!(1)),
        ("failovers[0].to", FigureKind::Text, json!("node2")),
        ("failovers.len == 1", FigureKind::Truth, json!(true)),
        ("2.5 s", FigureKind::Time, json!(2500.0)),
        ("failovers[1].writable_ms", FigureKind::Time, Value::Null),
        ("failovers[1].writable_ms - 1 s", FigureKind::Time, Value::Null),
    ] {
        assert_eq!(
            (figure(text).kind(), figure(text).of(&sample())),
            (kind, value),
            "{text}"
        );
    }
    let refused = |text: &str| Figure::parse(text).unwrap_err().to_string();
    assert_eq!(refused("null"), "column 1: a figure has a value; this is null");
    assert!(refused("median writes.lost").contains("column 1: a quantifier belongs before a claim"));
}

#[test]
fn multiplication_binds_closer_than_addition_comparison_than_not_and_than_or() {
    for text in [
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "10 - 2 - 3 == 5",
        "12 / 2 / 3 == 2",
        "-2 * -3 == 6",
        "not 1 == 2",
        "not (1 == 1 and 1 == 2)",
        "true or false and false",
        "not false and true",
        "2 - -1 == 3",
    ] {
        assert!(holds(text), "{text}");
    }
    assert!(!holds("(true or false) and false"));
}

#[test]
fn a_value_that_the_run_does_not_have_makes_a_claim_not_hold_unless_an_earlier_part_decided() {
    for text in [
        "failovers[3].writable_ms < 5",
        "not failovers[3].writable_ms < 5",
        "failovers[3].spurious",
        "1 / 0 == 1",
    ] {
        assert!(!holds(text), "{text}");
    }
    assert!(holds("failovers.len <= 3 or failovers[3].writable_ms < 5"));
    let outcome = Claim::parse("failovers[3].writable_ms < 5").unwrap().check(&[sample()]);
    assert_eq!(outcome.why, "failovers[3].writable_ms has no value (seed 7)");
}

#[test]
fn errors_name_the_column_and_the_remedy() {
    for (text, error) in [
        (
            "two_primaries.totl_ms == 0",
            "column 15: two_primaries has no totl_ms; it has ever, intervals, longest_ms, total_ms",
        ),
        ("failovers[0].why = 'x'", "column 18: compare with =="),
        ("writes.lost == 0 &", "column 18: '&' has no meaning here"),
        ("writes.lost == ", "column 16: a value is missing here, found the end"),
        (
            "writes.lost == 0 0",
            "column 18: 0 is too much here; join claims with and, or",
        ),
        (
            "writes.lost",
            "column 1: a claim is something true or false, such as two_primaries.total_ms == 0; this is a number",
        ),
        (
            "writes == 0",
            "column 1: writes is a group; choose accepted_by_deposed, acknowledged, lost, refused, rejected_by_fence, unknown",
        ),
        (
            "failovers.writable_ms == 0",
            "column 11: failovers is a list; write failovers.len or failovers[0]",
        ),
        (
            "outages == 0",
            "column 1: outages is a list; write outages.len or outages[0]",
        ),
        (
            "findings['x'].holds",
            "column 9: there is no such invariant; there are: one writable primary, one leader key holder per revision, no acknowledged write lost, writable implies lease valid, engine rules",
        ),
        (
            "two_primaries.ever < 1",
            "column 1: this needs a number; this is true or false",
        ),
        ("failovers[0].why == 3", "column 21: a number cannot equal a text"),
        (
            "1 < 2 < 3",
            "column 7: compare two values at a time, and join the comparisons with and",
        ),
        ("writes.lost < 13s", "column 15: a time cannot be held against a count"),
        (
            "two_primaries.total_ms < 13sec",
            "column 28: sec is no unit; the units of time are us, ms, s, min, h, and everything else has none",
        ),
        (
            "writable_ms * writable_ms > 1",
            "column 15: two times cannot be multiplied",
        ),
        (
            "writable_ms == writes.lost",
            "column 16: a count cannot be held against a time",
        ),
        (
            "writable_ms in 1 s..writes.lost",
            "column 21: a count cannot be held against a time",
        ),
        (
            "writes.lost / writable_ms > 1",
            "column 15: only a time can be divided by a time",
        ),
        (
            "failovers[0].why == 'x",
            "column 21: this text has no end; close it with '",
        ),
        (
            "writes.lost in 1",
            "column 17: .. after the lower end of a range, as in 10..20 or 10..=20, found the end",
        ),
        (
            "median failovers[0].why == 'x'",
            "column 8: median and p99 are of numbers; failovers[0].why is a text",
        ),
        ("", "column 1: a value is missing here, found the end"),
    ] {
        assert_eq!(refused(text), error, "{text}");
    }
}

#[test]
fn a_tower_of_parentheses_is_refused_and_not_climbed() {
    assert!(refused(&"(".repeat(1_900)).contains("at most 50 parts may be nested"));
    assert!(refused(&"not ".repeat(400)).contains("at most 50 parts may be nested"));
    assert!(refused(&"1".repeat(3_000)).contains("at most 2000 characters"));
    assert!(refused("seed == 9999999999999999").contains("not a number that can be handled"));
    assert!(refused(&"9".repeat(400)).contains("not a number that can be handled"));
}

/// Runs with these total times of two primaries.
fn runs(totals: &[u64]) -> Vec<Value> {
    let run = |(seed, &total): (usize, &u64)| {
        let mut verdict = sample();
        verdict["seed"] = json!(seed);
        verdict["two_primaries"]["total_ms"] = json!(total);
        verdict
    };
    totals.iter().enumerate().map(run).collect()
}

#[test]
fn over_several_runs_a_claim_is_for_all_or_some_of_them_or_for_their_median_or_percentile() {
    let runs = runs(&[0, 10, 20, 30]);
    let check = |text: &str| Claim::parse(text).unwrap().check(&runs);
    assert!(check("two_primaries.total_ms <= 30").holds);
    assert_eq!(
        check("all two_primaries.total_ms < 20").why,
        "two_primaries.total_ms is 20 (seed 2)"
    );
    assert!(check("some two_primaries.total_ms == 30").holds);
    assert!(!check("some two_primaries.total_ms > 30").holds);
    assert_eq!(
        check("median two_primaries.total_ms == 15").why,
        "two_primaries.total_ms is 15.0 over 4 runs"
    );
    assert!(check("median two_primaries.total_ms in 14..16 and writes.lost == 237").holds);
    assert!(check("p99 two_primaries.total_ms == 30").holds);
    let hundred: Vec<u64> = (1..=200).collect();
    assert!(
        Claim::parse("p99 two_primaries.total_ms == 198")
            .unwrap()
            .check(&self::runs(&hundred))
            .holds
    );
}

#[test]
fn there_is_no_median_of_what_some_runs_do_not_have_and_nothing_holds_about_no_runs() {
    let mut runs = runs(&[1, 2]);
    runs[1]["failovers"] = json!([]);
    assert!(
        !Claim::parse("median failovers[0].writable_ms > 0")
            .unwrap()
            .check(&runs)
            .holds
    );
    for text in ["true", "some true", "median writes.lost >= 0"] {
        assert!(!Claim::parse(text).unwrap().check(&[]).holds, "{text}");
    }
}

#[test]
fn figures_have_the_range_over_the_runs_that_have_them() {
    let mut series = Series::default();
    let mut runs = runs(&[10, 40, 20]);
    runs[1]["failovers"] = json!([]);
    runs[1]["two_primaries"]["ever"] = json!(false);
    runs.iter().for_each(|run| series.add(run));
    let ranges = series.ranges();
    let of = |path: &str| {
        (
            ranges[path].min,
            ranges[path].median,
            ranges[path].max,
            ranges[path].runs,
        )
    };
    assert_eq!(of("two_primaries.total_ms"), (10.0, 20.0, 40.0, 3));
    assert_eq!(of("failovers.len"), (0.0, 1.0, 1.0, 3));
    assert_eq!(of("failovers[0].writable_ms"), (72_200.0, 72_200.0, 72_200.0, 2));
    assert_eq!(of("findings[\"one writable primary\"].first_ms").3, 3);
    assert_eq!(series.truths()["two_primaries.ever"], 2);
    assert!(!ranges.contains_key("seed") && !ranges.keys().any(|path| path.ends_with("event")));
}

#[cfg(not(target_arch = "wasm32"))]
mod any_text {
    use super::*;
    use proptest::prelude::*;

    /// Texts that get further than noise does.
    fn claimlike() -> impl Strategy<Value = String> {
        let word = prop::sample::select(vec![
            "writes",
            ".",
            "lost",
            "failovers",
            "[",
            "]",
            "0",
            "1.5",
            "..",
            "..=",
            "==",
            "<",
            "in",
            "not",
            "and",
            "or",
            "(",
            ")",
            "+",
            "-",
            "*",
            "/",
            "'x'",
            "null",
            "true",
            "median",
            "s",
            "ms",
            "len",
            "findings",
            "writable_ms",
            "two_primaries",
        ]);
        let gap = prop::sample::select(vec!["", " "]);
        prop::collection::vec((word, gap), 0..24)
            .prop_map(|parts| parts.into_iter().flat_map(|(w, g)| [w, g]).collect())
    }

    fn stands(text: &str) -> Result<(), TestCaseError> {
        match Claim::parse(text) {
            Ok(claim) => {
                claim.check(&[]);
                claim.check(&[json!({})]);
                claim.check(&runs(&[1, 2, 3]));
            }
            Err(error) => prop_assert!(error.column >= 1 && error.column <= text.chars().count() + 1),
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn no_text_whatever_makes_a_claim_panic(text in any::<String>()) {
            stands(&text)?;
        }

        #[test]
        fn no_row_of_words_of_the_language_makes_a_claim_panic(text in claimlike()) {
            stands(&text)?;
        }
    }
}
