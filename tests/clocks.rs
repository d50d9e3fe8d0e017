#![cfg(not(target_arch = "wasm32"))]
//! Scenarios about clocks, with the exact numbers of protocols.md 18 and golden transcripts in `tests/transcripts/clocks/`.

mod common;

use common::assert_transcript;
use leaselab::clocks::{Lamport, Order, Relation, SimTime, Span, Stamped, WallTime, WrongPair, caused};
use leaselab::draw::clocks_report;
use leaselab::scenario::clocks::ClocksScenario;
use leaselab::scenario::{MORE, Scenario, System};
use leaselab::world::ClocksRun;
use std::process::Command;

fn text(name: &str) -> &'static str {
    let full = format!("clocks/{name}");
    MORE.iter().find(|(known, _)| *known == full).expect("shipped").1
}

fn read(text: &str) -> ClocksScenario {
    ClocksScenario::parse(text, "here").unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Runs a shipped scenario, and keeps all that can be shown of it.
fn kept(name: &str) -> ClocksRun {
    let everything = [(
        "show".to_owned(),
        "true, wall, lamport, vector, hybrid, interval, orders, outcome".to_owned(),
    )];
    let scenario = ClocksScenario::parse_with(text(name), name, &everything).expect("valid");
    let run = ClocksRun::of(&scenario);
    let report = format!("{}\n\n{}", scenario.title, clocks_report(&scenario, &run));
    assert_transcript(&format!("clocks/{name}.txt"), &report);
    run
}

fn columns(run: &ClocksRun) -> Vec<(String, i64, u64, String, String, String)> {
    let row = |told: &leaselab::world::Told| {
        let Stamped {
            wall,
            lamport,
            vector,
            hybrid,
            interval,
            ..
        } = &told.stamps;
        let vector = format!("{:?}", vector.entries(run.processes.len()));
        (
            told.says.clone(),
            wall.0,
            lamport.0,
            vector,
            hybrid.to_string(),
            interval.to_string(),
        )
    };
    run.told.iter().map(row).collect()
}

fn wrong(run: &ClocksRun, by: Order) -> Vec<(usize, usize)> {
    run.sorted(by)
        .1
        .iter()
        .map(|pair: &WrongPair| (pair.first, pair.second))
        .collect()
}

#[test]
fn clk_1_prints_the_four_lines_and_nothing_else() {
    let output = Command::new(env!("CARGO_BIN_EXE_leaselab"))
        .args(["run", "lessons/scenarios/clocks/clk-1.toml"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(
        String::from_utf8(output.stdout).expect("text"),
        "A sends order wall=1000.005 lamport=1\n\
         B receives wall=999.970 lamport=2\n\
         B sends payment wall=999.975 lamport=3\n\
         C receives wall=1000.020 lamport=4\n"
    );
}

#[test]
fn clk_1_is_the_table_of_the_reference_with_every_kind_of_stamp() {
    let run = kept("clk-1");
    let row = |says: &str, wall, lamport, vector: &str, hybrid: &str, interval: &str| {
        (
            says.to_owned(),
            wall,
            lamport,
            vector.to_owned(),
            hybrid.to_owned(),
            interval.to_owned(),
        )
    };
    assert_eq!(
        columns(&run),
        [
            row(
                "A sends order",
                1_000_005_000,
                1,
                "[1, 0, 0]",
                "(1000.005,0)",
                "[999.965,1000.045]"
            ),
            row(
                "B receives",
                999_970_000,
                2,
                "[1, 1, 0]",
                "(1000.005,1)",
                "[999.930,1000.010]"
            ),
            row(
                "B sends payment",
                999_975_000,
                3,
                "[1, 2, 0]",
                "(1000.005,2)",
                "[999.935,1000.015]"
            ),
            row(
                "C receives",
                1_000_020_000,
                4,
                "[1, 2, 1]",
                "(1000.020,0)",
                "[999.980,1000.060]"
            ),
        ]
    );
    let times: Vec<u64> = run.told.iter().map(|told| told.stamps.at.0).collect();
    assert_eq!(times, [1_000_005_000, 1_000_010_000, 1_000_015_000, 1_000_020_000]);
    // B's receipt, B's sending, A's sending, C's receipt: the payment before its order.
    assert_eq!(run.sorted(Order::Wall).0, [1, 2, 0, 3]);
    assert_eq!(wrong(&run, Order::Wall), [(0, 1), (0, 2)]);
    assert!(run.sorted(Order::Wall).1.iter().all(|pair| pair.caused));
    for by in [Order::True, Order::Lamport, Order::Hybrid] {
        assert_eq!(run.sorted(by), (vec![0, 1, 2, 3], vec![]), "{by:?}");
    }
    // "Cannot tell", and never wrong.
    let stamps = run.stamps();
    assert!(stamps[0].interval.overlaps(stamps[1].interval));
    for (n, later) in stamps.iter().enumerate() {
        assert!(
            stamps[..n]
                .iter()
                .all(|earlier| !later.interval.is_before(earlier.interval))
        );
    }
}

#[test]
fn clk_2_the_wall_order_breaks_as_soon_as_the_lag_exceeds_what_has_passed() {
    kept("clk-2");
    for lag_us in (0..=20_000_i64).step_by(250) {
        let offset = format!("offset_ms = {}", -(lag_us as f64) / 1_000.0);
        let run = ClocksRun::of(&read(&text("clk-2").replace("offset_ms = -8", &offset)));
        let mut expected = Vec::new();
        expected.extend((lag_us > 5_000).then_some((0, 1)));
        expected.extend((lag_us > 10_000).then_some((0, 2)));
        assert_eq!(wrong(&run, Order::Wall), expected, "{lag_us} µs");
        assert!(wrong(&run, Order::Lamport).is_empty() && wrong(&run, Order::Hybrid).is_empty());
    }
}

#[test]
fn clk_3_a_step_between_receipt_and_sending_puts_the_sending_after_its_receipt() {
    let run = kept("clk-3");
    assert_eq!(run.told[2].stamps.wall, WallTime(1_000_035_000));
    assert_eq!(run.told[3].stamps.wall, WallTime(1_000_020_000));
    assert_eq!(wrong(&run, Order::Wall), [(0, 1), (2, 3)]);
    assert!(wrong(&run, Order::Hybrid).is_empty());
}

#[test]
fn clk_4_a_step_of_the_wall_clock_shortens_or_stretches_the_lease_that_is_counted_by_it_and_no_other() {
    let lasted = |run: &ClocksRun, name: &str| {
        let lease = run.leases.iter().find(|lease| lease.name == name).expect("granted");
        lease.lasted.expect("it ran out")
    };
    let forward = kept("clk-4-forward");
    assert_eq!(lasted(&forward, "lease W"), Span::from_secs(10), "at once, at the step");
    assert_eq!(lasted(&forward, "lease M"), Span::from_secs(30));
    let back = kept("clk-4-back");
    assert_eq!(lasted(&back, "lease W"), Span::from_secs(60));
    assert_eq!(lasted(&back, "lease M"), Span::from_secs(30));
}

#[test]
fn a_slew_moves_the_wall_clock_without_a_jump_and_bends_both_clocks() {
    let run = kept("slew");
    let walls: Vec<i64> = run.told.iter().map(|told| told.stamps.wall.0).collect();
    assert!(walls.is_sorted());
    assert_eq!(run.told.last().map(|told| told.stamps.wall), Some(WallTime(90_000_000)));
    for lease in &run.leases {
        // 30 s at 500 ppm less.
        assert_eq!(lease.lasted, Some(Span(30_015_008)), "{}", lease.name);
    }
}

#[test]
fn tt_1_commit_wait_keeps_the_order() {
    let run = kept("tt-1");
    let first = run.commits[0].commit.expect("shown");
    assert_eq!(first.stamp, WallTime(1_000_045_000));
    assert_eq!(first.visible, SimTime(1_000_085_001), "after 1000.085");
    let second = run.commits[1].commit.expect("shown");
    assert_eq!(second.stamp, WallTime(1_000_090_000));
    assert!(run.inverted().is_empty());
}

#[test]
fn tt_2_without_the_wait_the_order_is_inverted() {
    let run = kept("tt-2");
    assert_eq!(run.commits[0].commit.expect("shown").visible, SimTime(1_000_005_000));
    assert_eq!(run.commits[1].stamp, WallTime(1_000_015_000));
    assert_eq!(run.inverted(), [(0, 1)]);
}

#[test]
fn tt_3_with_a_bound_that_does_not_hold_the_order_is_inverted_in_spite_of_the_wait() {
    let run = kept("tt-3");
    let first = run.commits[0].commit.expect("shown");
    assert_eq!(
        (first.stamp, first.visible),
        (WallTime(1_000_012_000), SimTime(1_000_019_001))
    );
    assert_eq!(run.told[2].stamps.wall, WallTime(999_984_000));
    assert_eq!(run.commits[1].stamp, WallTime(999_991_000));
    assert_eq!(run.inverted(), [(0, 1)]);
}

/// protocols.md 19.12: the order breaks exactly where the skew exceeds the bound and nobody waits for as much as it is.
#[test]
fn commit_wait_breaks_exactly_where_the_true_skew_exceeds_the_bound() {
    for epsilon_ms in [7_i64, 20, 40] {
        for skew_ms in (0..=100).step_by(2) {
            // B begins as soon as it can see A's commit: the wait is twice the bound, and a microsecond.
            let begins = format!("at_s = {:.6}", 1000.005001 + 2.0 * epsilon_ms as f64 / 1e3);
            let text = text("tt-1")
                .replace("epsilon_ms = 40", &format!("epsilon_ms = {epsilon_ms}"))
                .replace("offset_ms = -40", &format!("offset_ms = {}", -skew_ms))
                .replace("at_s = 1000.090", &begins);
            let inverted = ClocksRun::of(&read(&text)).inverted();
            // A is right, so it is the wait of twice the bound that the skew is held against.
            assert_eq!(
                !inverted.is_empty(),
                skew_ms > 2 * epsilon_ms,
                "ε {epsilon_ms} ms, skew {skew_ms} ms"
            );
        }
    }
}

#[test]
fn a_larger_lamport_number_is_no_effect_and_an_equal_one_neither() {
    let run = kept("lamport-converse");
    let find = |says: &str| run.told.iter().filter(|told| told.says == says).collect::<Vec<_>>();
    let (counts, sends, receives) = (find("D counts"), find("A sends order")[0], find("C receives")[0]);
    assert_eq!(counts[0].stamps.lamport, sends.stamps.lamport);
    assert_eq!(
        (counts[4].stamps.lamport, receives.stamps.lamport),
        (Lamport(5), Lamport(4))
    );
    assert!(counts[4].stamps.at < receives.stamps.at, "though it is earlier");
    let answer = caused(
        ("C receives", &receives.stamps),
        ("D counts", &counts[4].stamps),
        &run.processes,
    );
    assert_eq!(answer.relation, Relation::Concurrent);
    let answer = caused(
        ("A sends order", &sends.stamps),
        ("C receives", &receives.stamps),
        &run.processes,
    );
    assert_eq!(answer.relation, Relation::Past);
    // Lamport numbers put some unrelated events in another order than they happened, and never an effect before its cause.
    let (_, wrong) = run.sorted(Order::Lamport);
    assert!(!wrong.is_empty() && wrong.iter().all(|pair| !pair.caused));
}

#[test]
fn with_cockroachdbs_rule_a_receipt_is_no_event_of_the_hybrid_clock() {
    let forward = format!("hybrid = \"forward\"\n{}", text("clk-1"));
    let run = ClocksRun::of(&read(&forward));
    let hybrids: Vec<String> = run.told.iter().map(|told| told.stamps.hybrid.to_string()).collect();
    assert_eq!(
        hybrids,
        ["(1000.005,0)", "(1000.005,0)", "(1000.005,1)", "(1000.005,1)"]
    );
}

#[test]
fn links_have_a_latency_in_each_direction() {
    let text = format!(
        "{}\n[[link]]\nfrom = \"A\"\nto = \"B\"\nlatency_ms = 11.5\n",
        text("clk-1")
    );
    let run = ClocksRun::of(&read(&text));
    assert_eq!(run.told[1].stamps.at, SimTime(1_000_016_500));
    assert_eq!(run.told[3].stamps.at, SimTime(1_000_026_500));
}

/// Each line: what is replaced in CLK-1 by what, and the one line of complaint.
#[test]
fn what_cannot_be_is_refused_with_its_line_and_a_remedy() {
    let cases = [
        (
            "to = \"B\"",
            "to = \"Zacharias\"",
            "clk-1:24: do.1.to = \"Zacharias\": there is no such process; use one of A, B, C",
        ),
        (
            "to = \"B\"",
            "to = \"A\"",
            "clk-1:24: do.1.to = \"A\": is who sends; name another process, or write note = …",
        ),
        (
            "at_s = 1000.005",
            "at_s = 0.005",
            "clk-1:22: do.1.at_s = 0.005: is before the connections stand, which takes a round trip; let everything happen after 0.010 s",
        ),
        (
            "after_ms = 5",
            "after_ms = 5\nat_s = 1000.1",
            "clk-1:28: do.2.on = \"order\": stands beside another of them; give one of at_s, on",
        ),
        (
            "send = \"order\"",
            "sned = \"order\"",
            "clk-1:23: do.1.sned = \"order\": unknown key; did you mean send?",
        ),
        (
            "name = \"C\"",
            "name = \"A\"",
            "clk-1:18: process.3.name = \"A\": is the name of another process too; name it otherwise",
        ),
        (
            "offset_ms = -40",
            "offset_ms = -0.0001",
            "clk-1:15: process.2.offset_ms = -0.0001: is finer than a microsecond, the smallest step of time here; use at most 3 decimals",
        ),
        (
            "[\"wall\", ",
            "[\"wal\", ",
            "clk-1:7: show = [\"wal\", \"lamport\"]: wal is nothing that can be shown; did you mean wall?",
        ),
        (
            "epsilon_ms",
            "epsilon",
            "clk-1:6: epsilon = 40: unknown key; leave it out",
        ),
        (
            "\"clocks\"",
            "\"clock\"",
            "clk-1:3: system = \"clock\": there is no such system; did you mean clocks?",
        ),
    ];
    for (from, to, complaint) in cases {
        let broken = text("clk-1").replacen(from, to, 1);
        assert_ne!(broken, text("clk-1"), "{from}");
        let errors = ClocksScenario::parse(&broken, "clk-1").expect_err(to);
        assert!(
            errors.iter().any(|error| error.to_string() == complaint),
            "{complaint}\n{errors:#?}"
        );
    }
}

#[test]
fn each_reader_refuses_what_is_another_systems() {
    let errors = Scenario::parse(text("clk-1"), "clk-1").expect_err("another system");
    assert!(
        errors[0].to_string().contains("is another system than this is for"),
        "{}",
        errors[0]
    );
    assert_eq!(System::of(text("clk-1")), System::Clocks);
    assert!(Scenario::parse("system = \"patroni\"\n", "cluster").is_ok());
    assert!(ClocksScenario::parse("system = \"patroni\"\n", "cluster").is_err());
}

#[test]
fn the_command_line_says_which_options_mean_nothing_here_and_tells_all_as_json() {
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_leaselab"))
            .args(["run", "clocks/clk-1"])
            .args(arguments)
            .output()
            .expect("the binary runs");
        (
            output.status.code(),
            String::from_utf8(output.stdout).expect("text"),
            String::from_utf8(output.stderr).expect("text"),
        )
    };
    let (status, _, complaint) = run(&["--seeds", "3"]);
    assert_eq!(status, Some(2));
    assert_eq!(
        complaint,
        "leaselab: --seeds: nothing in a scenario about clocks is left to chance; leave it out\n"
    );
    let (status, json, _) = run(&["--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(status, Some(0));
    assert_eq!(json["events"][1]["wall_us"], 999_970_000_i64);
    assert_eq!(json["orders"][1]["order"], serde_json::json!([1, 2, 0, 3]));
    let (_, text, _) = run(&["--set", "network.latency_ms=7", "--set", "show=wall"]);
    assert!(text.contains("B receives wall=999.972\n"), "{text}");
}
