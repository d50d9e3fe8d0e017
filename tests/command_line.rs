#![cfg(not(target_arch = "wasm32"))]
//! The command line from outside: what it prints, and with which status it ends.

use serde_json::Value;
use std::io::Write;
use std::process::{Command, Output, Stdio};

fn leaselab(arguments: &[&str]) -> Output {
    leaselab_fed(arguments, "")
}

fn leaselab_fed(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_leaselab"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("piped");
    // A program that refuses its input stops reading it.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// The one line of complaint that goes with status 2.
fn complaint(output: &Output) -> String {
    let text = String::from_utf8(output.stderr.clone()).expect("text");
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(output.stdout.is_empty());
    text.trim_end().to_owned()
}

#[test]
fn a_shipped_scenario_runs_by_its_name_and_says_what_happened() {
    let output = leaselab(&["run", "steady-state"]);
    assert_eq!(output.status.code(), Some(0));
    let text = out(&output);
    assert!(
        text.starts_with("Steady state: the leader renews its lease in time\n120.0 s simulated, seed 7, "),
        "{text}"
    );
    assert!(
        text.contains("\nNo: at every instant at most one database accepted writes."),
        "{text}"
    );
}

#[test]
fn the_json_is_one_object_whose_keys_stand_in_the_documented_order() {
    let output = leaselab(&["run", "steady-state", "--json", "--seed", "11"]);
    assert_eq!(json(&output)["seed"], 11);
    let text = out(&output);
    let keys = [
        "scenario",
        "seed",
        "engine",
        "trace_hash",
        "events",
        "duration_ms",
        "two_primaries",
        "writes",
        "findings",
    ];
    let places: Vec<_> = keys
        .iter()
        .map(|key| text.find(&format!("\n  \"{key}\":")).expect(key))
        .collect();
    assert!(places.is_sorted());
}

#[test]
fn a_scenario_can_come_from_standard_input_and_its_values_from_set() {
    let output = leaselab_fed(
        &[
            "run",
            "-",
            "--json",
            "--set",
            "title=Another",
            "--set",
            "duration_s = 2",
        ],
        "seed = 3\n",
    );
    let verdict = json(&output);
    assert_eq!(
        (&verdict["scenario"], &verdict["seed"]),
        (&Value::from("Another"), &Value::from(3))
    );
    assert_eq!(verdict["duration_ms"], 2_000);
}

#[test]
fn what_patroni_adjusts_is_reported() {
    let arguments = [
        "run",
        "steady-state",
        "--set",
        "patroni.loop_wait=15",
        "--set",
        "duration_s=1",
    ];
    assert!(out(&leaselab(&arguments)).contains("\npatroni.loop_wait is 10 instead of 15: "));
    let verdict = json(&leaselab(&[&arguments[..], &["--json"]].concat()));
    assert_eq!(verdict["adjusted"][0]["from"], 15);
}

#[test]
fn what_is_hardly_meant_is_warned_of_and_runs_all_the_same() {
    let warned = |set: &[&str]| {
        let settings = set.iter().flat_map(|set| ["--set", set]);
        let arguments: Vec<&str> = ["run", "steady-state", "--set", "duration_s=1"]
            .into_iter()
            .chain(settings)
            .collect();
        let output = leaselab(&arguments);
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stderr).expect("text")
    };
    assert_eq!(warned(&[]), "");
    let short = warned(&["patroni.timing_rules=none", "patroni.ttl=1"]);
    assert!(
        short.starts_with(
            "leaselab: warning: patroni.ttl is 1.000 s, and the store grants no lease shorter than 2.000 s"
        )
    );
}

#[test]
fn an_expectation_that_does_not_hold_ends_with_status_1() {
    let run = |claim: &str| {
        leaselab(&[
            "run",
            "steady-state",
            "--set",
            "duration_s=5",
            "--json",
            "--expect",
            claim,
        ])
    };
    let good = run("two_primaries.ever == false");
    assert_eq!(
        (good.status.code(), &json(&good)["expected"][0]["holds"]),
        (Some(0), &Value::from(true))
    );
    let bad = run("two_primaries.ever");
    assert_eq!(bad.status.code(), Some(1));
    assert_eq!(json(&bad)["expected"][0]["why"], "two_primaries.ever is false (seed 7)");
}

#[test]
fn several_seeds_give_the_range_of_every_figure() {
    let arguments = ["run", "steady-state", "--set", "duration_s=5", "--seeds", "9"];
    let figures = json(&leaselab(&[&arguments[..], &["--json"]].concat()));
    assert_eq!(
        (&figures["seeds"], &figures["first_seed"]),
        (&Value::from(9), &Value::from(7))
    );
    let events = &figures["figures"]["events"];
    assert_eq!(events["runs"], 9);
    assert!(events["min"].as_f64() <= events["median"].as_f64() && events["median"].as_f64() <= events["max"].as_f64());
    assert_eq!(figures["true_in"]["findings[\"engine rules\"].holds"], 9);
    let text = out(&leaselab(&arguments));
    assert!(text.contains("Two primaries coexisted in 0 of 9 runs."), "{text}");
}

#[test]
fn a_trace_has_a_line_for_every_event_and_names_places_as_scenarios_do() {
    let path = std::env::temp_dir().join(format!("leaselab-trace-{}.jsonl", std::process::id()));
    let name = path.to_str().expect("a name");
    let output = leaselab(&[
        "run",
        "steady-state",
        "--set",
        "duration_s=15",
        "--json",
        "--trace",
        name,
    ]);
    let text = std::fs::read_to_string(&path).expect("written");
    std::fs::remove_file(&path).expect("removed");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(json(&output)["events"], lines.len());
    assert!(lines.iter().enumerate().all(|(n, line)| line["event"] == n + 1));
    let note = |line: &Value, kind: &str| line["note"]["kind"] == kind;
    let put = lines.iter().find(|line| note(line, "key_put")).expect("the leader key");
    let place = put["place"].as_str().expect("a name");
    assert!(place.starts_with("etcd") && put["note"]["holder"] == "node1", "{put}");
    let write = lines
        .iter()
        .find(|line| line["note"]["outcome"] == "acknowledged")
        .expect("a write");
    assert_eq!(write["note"]["by"], "node1");
}

#[test]
fn bad_input_is_one_line_that_says_what_where_and_what_to_do() {
    for (arguments, input, words) in [
        (
            &["run", "nowhere.toml"][..],
            "",
            &["nowhere.toml: no such file", "steady-state"][..],
        ),
        (
            &["run", "-"],
            "[patroni]\ntll = 3\n",
            &["standard input:2: patroni.tll", "patroni.ttl"],
        ),
        (
            &["run", "-"],
            "[patroni]\nttl = 0\n",
            &["standard input:2: patroni.ttl = 0"],
        ),
        (
            &["run", "-"],
            "seed = -1\nduration_s = 0\n",
            &["standard input:1: seed = -1", "(and 1 more error)"],
        ),
        (
            &["run", "steady-state", "--set", "patroni.ttl"],
            "",
            &["--set patroni.ttl: no value"],
        ),
        (
            &["run", "steady-state", "--set", "patroni.ttl=0"],
            "",
            &["patroni.ttl = 0"],
        ),
        (
            &["run", "steady-state", "--seed", "x"],
            "",
            &["invalid value 'x'", "--help"],
        ),
        (&["run", "steady-state", "--seeds", "0"], "", &["1..=10000"]),
        (
            &["run", "steady-state", "--seeds", "2", "--trace", "t"],
            "",
            &["cannot be used with"],
        ),
        (
            &["run", "steady-state", "--expect", "writes.lst == 0"],
            "",
            &["--expect 'writes.lst == 0': column 8"],
        ),
        (
            &["run", "steady-state", "--trace", "/no/such/folder/t"],
            "",
            &["--trace /no/such/folder/t: cannot be written"],
        ),
        (&["run", "/"], "", &["/: cannot be read"]),
        (&["run"], "", &["<FILE>"]),
        (&["walk"], "", &["unrecognized subcommand 'walk'"]),
        (&[], "", &["--help"]),
    ] {
        let line = complaint(&leaselab_fed(arguments, input));
        for word in words {
            assert!(line.contains(word), "{arguments:?}: {line}");
        }
    }
}

#[test]
fn what_is_too_large_is_refused_before_it_is_read_whole() {
    let large = "# a comment of a scenario that never ends\n".repeat(200_000);
    assert!(complaint(&leaselab_fed(&["run", "-"], &large)).contains("larger than 1000000 bytes"));
}

#[test]
fn the_lessons_are_checked_and_what_fails_is_told_with_status_1() {
    let text = out(&leaselab(&["lessons", "check"]));
    assert!(text.ends_with("all of it holds\n"), "{text}");
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lessons-cli-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("track")).expect("a folder");
    let lesson = folder.join("track/01-wrong.md");
    std::fs::write(&lesson, "# No front matter\n").expect("written");
    let name = folder.to_str().expect("a name");
    let output = leaselab(&["lessons", "check", name]);
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).starts_with(&format!(
        "{}:1: a lesson begins with its front matter",
        lesson.display()
    )));
    std::fs::remove_dir_all(&folder).expect("removed");
    assert!(complaint(&leaselab(&["lessons", "check", "/no/such/folder"])).contains("name the folder of the lessons"));
}

#[test]
fn faults_and_fields_are_described() {
    assert!(out(&leaselab(&["faults"])).contains("clock_step"));
    assert!(out(&leaselab(&["fields"])).contains("patroni.ttl: 1 to 3600 s, 30 when left out\n"));
    assert!(out(&leaselab(&["--help"])).contains("Usage: leaselab"));
}

#[test]
fn the_fields_of_a_scenario_about_leases_are_described_after_those_of_a_cluster() {
    let text = out(&leaselab(&["fields"]));
    let at = |key: &str| text.find(&format!("\n{key}: ")).unwrap_or_else(|| panic!("no {key}"));
    assert!(at("patroni.ttl") < at("lease.ttl_s") && at("lease.ttl_s") < at("worker.asks_every_s"));
    assert!(at("worker.asks_every_s") < at("job.check"));
}

#[test]
fn a_scenario_about_leases_runs_by_the_same_command_and_says_in_whose_hands_everything_is() {
    let off = out(&leaselab(&["run", "fence/f01-late-write-lands"]));
    for line in [
        "    0.000  service           grants it to A, token 33, for 1.000 s\n",
        "    1.000  service           grants it to B, token 34, for 1.000 s\n",
        "    2.000  resource          ACCEPTS object 1 of A, token 33\n",
        "final owner of object 1 at the resource: A, fence 34\n",
        "writes: 2 accepted, 1 of them of a deposed holder, 1 after one of a newer holder; 0 rejected as stale,",
    ] {
        assert!(off.contains(line), "{line}{off}");
    }
    let on = out(&leaselab(&[
        "run",
        "lessons/scenarios/fence/f02-late-write-bounces.toml",
    ]));
    for line in [
        "    2.000  resource          REJECTS object 1 of A, token 33, as stale: it has seen 34\n",
        "final owner of object 1 at the resource: B, fence 34\n",
    ] {
        assert!(on.contains(line), "{line}{on}");
    }
}

#[test]
fn claims_settings_and_traces_go_with_a_scenario_about_leases_as_with_any_other() {
    let run = |more: &[&str]| {
        let arguments: Vec<&str> = ["run", "fence/f01-late-write-lands"]
            .iter()
            .chain(more)
            .copied()
            .collect();
        leaselab(&arguments)
    };
    let claim = "writes.accepted_after_newer == 0 and objects[0].owner == \"B\"";
    assert_eq!(run(&["--expect", claim]).status.code(), Some(1));
    let set = run(&["--set", "resource.fence=at_least", "--expect", claim, "--json"]);
    assert_eq!(set.status.code(), Some(0));
    assert_eq!(json(&set)["writes"]["rejected_by_fence"], 1);
    assert_eq!(
        complaint(&run(&["--expect", "two_primaries.ever"])).split(';').next(),
        Some("leaselab: --expect 'two_primaries.ever': column 1: a verdict has no two_primaries")
    );
    assert!(complaint(&run(&["--seeds", "3"])).contains("nothing in a scenario about leases is left to chance"));
    let path = std::env::temp_dir().join(format!("leaselab-lease-{}.jsonl", std::process::id()));
    let output = run(&["--trace", path.to_str().expect("a path in text")]);
    assert_eq!(output.status.code(), Some(0));
    let trace = std::fs::read_to_string(&path).expect("written");
    std::fs::remove_file(&path).expect("removed");
    let accepted = trace
        .lines()
        .filter(|line| line.contains("\"kind\":\"effect_accepted\""));
    assert_eq!(accepted.count(), 2);
}

#[test]
fn settings_are_defended_with_status_1_when_an_attack_wins_and_with_advice() {
    let lost = leaselab(&[
        "defend",
        "one-data-centre",
        "--set",
        "watchdog.mode=required",
        "--runs",
        "3",
    ]);
    let text = out(&lost);
    assert_eq!(lost.status.code(), Some(1), "{text}");
    assert!(
        text.starts_with("One data centre\n") && text.contains("\n1 of 14 attacks won:\n- crash: "),
        "{text}"
    );
    let advice = text
        .lines()
        .find_map(|line| line.strip_prefix("What would have stood: "))
        .expect("advice");
    let set: Vec<String> = advice
        .trim_end_matches('.')
        .split(", ")
        .map(|setting| match setting.split_once(" = ") {
            Some(("watchdog.mode", value)) => format!("watchdog.mode={value}"),
            Some((key, value)) => format!("patroni.{key}={value}"),
            None => panic!("{setting}"),
        })
        .collect();
    let mut arguments = vec!["defend", "one-data-centre", "--runs", "3"];
    set.iter().for_each(|setting| arguments.extend(["--set", setting]));
    let stood = leaselab(&arguments);
    assert_eq!(stood.status.code(), Some(0), "{}", out(&stood));
    assert!(out(&stood).contains("No attack won."));
    assert!(complaint(&leaselab(&["defend", "the-moon"])).contains("there are one-data-centre, two-regions, "));
    let seed = complaint(&leaselab(&["defend", "noisy-cloud", "--set", "seed=3"]));
    assert!(
        seed.contains("--set seed: not among what can be chosen: patroni.ttl, "),
        "{seed}"
    );
    let zero = complaint(&leaselab(&["defend", "noisy-cloud", "--set", "patroni.ttl=0"]));
    assert!(zero.contains("--set patroni.ttl=0: "), "{zero}");
}
