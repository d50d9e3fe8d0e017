//! Scenario files: what is accepted, what is refused and in which words, and that nothing a person can write makes
//! the reader panic or hang.
#![cfg(not(target_arch = "wasm32"))]

use leaselab::engine::{SimTime, Span};
use leaselab::scenario::faults::FAULTS;
use leaselab::scenario::{
    CutMode, DeadHostNetwork, FIELDS, Fault, FaultKind, Field, FieldKind, Host, LatencyChange, Placement, Process,
    Repeats, ResumeOrder, SHIPPED, Scenario, SynchronousCommit, SynchronousMode, Target, TimingRules, fault_reference,
};
use leaselab::vocabulary::{NodeId, Order};
use proptest::prelude::*;

/// The scenario, or its errors as text.
fn read(text: &str) -> Result<Scenario, String> {
    Scenario::parse(text, "s.toml").map_err(|errors| {
        assert!(!errors.is_empty(), "refused without a reason: {text:?}");
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        lines.join("\n")
    })
}

fn errors(text: &str) -> String {
    read(text).expect_err("this should be refused")
}

/// The one fault of a default cluster, or the errors.
fn fault(text: &str) -> Result<Fault, String> {
    read(&format!("[[fault]]\n{text}")).map(|scenario| scenario.faults[0].clone())
}

fn fault_errors(text: &str) -> String {
    fault(text).expect_err("this should be refused")
}

#[test]
fn an_empty_file_is_three_nodes_on_a_quiet_day() {
    let scenario = read("").unwrap();
    assert_eq!(scenario, Scenario::default());
    assert_eq!(scenario.cluster.nodes, ["node1", "node2", "node3"]);
    assert_eq!(
        (
            scenario.store.members,
            scenario.traffic.writers,
            scenario.traffic.direct_writers
        ),
        (3, 3, true)
    );
    assert_eq!(scenario.traffic.direct_write_period, Span::from_millis(100));
    assert_eq!(scenario.network.latency.min, Span::from_micros(200));
    assert_eq!(
        (
            scenario.store.placement,
            scenario.store.heartbeat,
            scenario.store.election
        ),
        (Placement::Own, Span::from_millis(100), Span::from_secs(1))
    );
    assert_eq!(scenario.hosts().len(), 7);
}

#[test]
fn every_shipped_scenario_parses_says_what_it_shows_and_survives_the_way_through_its_canonical_text() {
    for (name, text) in SHIPPED {
        let scenario = read(text).unwrap_or_else(|errors| panic!("{name}: {errors}"));
        assert!(scenario.comment.is_some(), "{name} says nothing");
        assert!(scenario.adjusted.is_empty(), "{name} has impossible timings");
        assert_eq!(read(&scenario.to_toml()), Ok(scenario), "{name}");
    }
    let titles: Vec<_> = SHIPPED.iter().map(|(_, text)| read(text).unwrap().title).collect();
    assert_eq!(titles[3], "The leader's agent is killed, its database runs on");
}

#[test]
fn every_example_of_the_reference_parses() {
    for spec in FAULTS {
        let scenario = read(spec.example).unwrap_or_else(|errors| panic!("{}: {errors}", spec.kind));
        assert_eq!(scenario.faults.len(), 1);
        assert_eq!(read(&scenario.to_toml()), Ok(scenario));
        let reference = fault_reference();
        assert!(reference.contains(spec.help));
        for field in spec.fields {
            assert!(reference.contains(field.help), "{} {}", spec.kind, field.key);
        }
    }
}

#[test]
fn an_error_says_file_line_key_value_and_remedy_on_one_line() {
    assert_eq!(
        errors("[patroni]\n\nttl = 0\n"),
        "s.toml:3: patroni.ttl = 0: is below the least value 1; use a number from 1 to 3600 s"
    );
    assert_eq!(
        errors("[patroni]\ntlt = 20\n"),
        "s.toml:2: patroni.tlt = 20: unknown key; did you mean patroni.ttl?"
    );
    assert_eq!(
        errors("ttl = 20\n"),
        "s.toml:1: ttl = 20: unknown key; did you mean patroni.ttl?"
    );
    assert_eq!(
        errors("[patrni]\nttl = 20"),
        "s.toml:1: patrni = {…}: unknown key; did you mean patroni?"
    );
    assert_eq!(
        errors("title = \"x\"\nduration_s = 31536000\n"),
        "s.toml:2: duration_s = 31536000: is above the limit of 86400; use a number from 0.001 to 86400 s"
    );
    assert_eq!(
        errors("duration_s = 0.0000001"),
        "s.toml:1: duration_s = 0.0000001: is finer than a microsecond, the smallest step of time here; \
         use at most 6 decimals"
    );
    assert_eq!(
        fault_errors("at_s = -1.5\nkind = \"kill\"\ntarget = \"node1\""),
        "s.toml:2: fault.1.at_s = -1.5: is negative; use a number from 0 to 86400 s"
    );
    assert_eq!(
        fault_errors("at_s = 1\nkind = \"kill\"\ntarget = \"node9\""),
        "s.toml:4: fault.1.target = \"node9\": there is no host node9; use one of node1, node2, node3, \
         etcd1, etcd2, etcd3, clients"
    );
}

#[test]
fn all_errors_are_reported_in_the_order_of_the_lines() {
    let text = "seed = -1\nfoo = 1\n[patroni]\nttl = 0\n[[fault]]\nat_s = 1\nkind = \"kil\"\n[[fault]]\nkind = \"cut\"\n\
                target = \"node1 <-> node7\"";
    let errors = errors(text);
    let lines: Vec<&str> = errors.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(
        lines,
        [
            "s.toml:1:",
            "s.toml:2:",
            "s.toml:4:",
            "s.toml:7:",
            "s.toml:8:",
            "s.toml:10:"
        ],
        "{errors}"
    );
    assert!(errors.contains("fault.2.at_s = (missing): must be given; add at_s = a number from 0 to 86400 s"));
}

#[test]
fn what_is_not_toml_is_an_error_on_its_line() {
    for (text, begins) in [
        ("title = \"x\"\nseed 5\n", "s.toml:2: seed 5 = (nothing): "),
        ("title = \"x", "s.toml:1: title = \"x: "),
        ("= 5\n", "s.toml:1: (nothing) = 5: "),
        ("seed = 1\nseed = 2\n", "s.toml:2: seed = 2: duplicate key"),
        ("[cluster\nnodes = []", "s.toml:1: [cluster = (nothing): "),
    ] {
        let errors = errors(text);
        assert!(errors.starts_with(begins), "{errors}");
        assert!(errors.contains("; write one key = value on a line"), "{errors}");
    }
}

#[test]
fn ten_thousand_nodes_are_too_many() {
    let names: Vec<String> = (0..10_000).map(|n| format!("\"node{n}\"")).collect();
    let errors = errors(&format!("[cluster]\nnodes = [{}]", names.join(",")));
    assert!(
        errors.ends_with("…: has 10000 names; use a list of 1 to 7 names"),
        "{errors}"
    );
}

#[test]
fn a_file_of_50_mb_is_refused_before_it_is_parsed() {
    let text = "# nothing\n".repeat(5_000_000);
    assert_eq!(
        errors(&text),
        "s.toml:1: file size = 50000000 bytes: larger than 1000000 bytes, the limit of a scenario; \
         leave out what is not needed"
    );
}

#[test]
fn more_than_a_thousand_faults_are_too_many() {
    let one = "[[fault]]\nat_s=1\nkind=\"kill\"\ntarget=\"node1\"\n";
    assert_eq!(read(&one.repeat(1000)).unwrap().faults.len(), 1000);
    assert!(errors(&one.repeat(1001)).contains("fault = 1001 faults: more than 1000 faults, the limit"));
}

#[test]
fn deep_and_huge_files_are_refused_without_a_crash() {
    for text in [
        "a.".repeat(400_000) + "a = 1",
        format!("[{}a]", "a.".repeat(400_000)),
        "a = ".to_string() + &"[".repeat(900_000),
        "a = ".to_string() + &"{a.a.a.a.a.a = ".repeat(50_000),
        "a = ".to_string() + &"[{a=".repeat(200_000),
        "[[a]]\n".repeat(150_000),
        "[[fault]]\n".repeat(90_000),
        "\"".repeat(900_000),
        "a".repeat(900_000),
        "x=1\n".repeat(200_000),
        "=\n".repeat(400_000),
        (0..80_000).map(|n| format!("k{n} = 1\n")).collect(),
        format!("title = \"{}\"", "x".repeat(900_000)),
        format!(
            "[[fault]]\nat_s=1\nkind=\"cut\"\ntarget=\"[{}]->*\"",
            "node1,".repeat(100_000)
        ),
    ] {
        let errors = errors(&text);
        assert!(errors.lines().count() <= 100 && errors.len() < 100_000);
    }
}

#[test]
fn what_is_not_built_yet_says_so_and_names_the_key() {
    assert_eq!(
        errors("[store]\nkind = \"consul\""),
        "s.toml:2: store.kind = \"consul\": consul is not built yet; use \"etcd\""
    );
    let disk = fault_errors("at_s = 1\nkind = \"disk_full\"\ntarget = \"etcd1/disk\"");
    assert!(
        disk.contains("fault.1.kind = \"disk_full\": disk_full is not built yet;"),
        "{disk}"
    );
    let off = "[store]\nkind=\"etcd\"\nmembers=3\n[patroni]\nsynchronous_mode=\"off\"\nfailsafe_mode=false";
    assert_eq!(read(off), Ok(Scenario::default()));
    assert_eq!(read("[patroni]\nsynchronous_mode = false"), Ok(Scenario::default()));
}

#[test]
fn a_synchronous_cluster_and_a_failsafe_one_are_written_as_for_patroni() {
    let patroni = |text: &str| {
        let scenario = read(&format!("[patroni]\n{text}")).unwrap_or_else(|errors| panic!("{text}: {errors}"));
        assert_eq!(read(&scenario.to_toml()).as_ref(), Ok(&scenario), "{text}");
        scenario.patroni
    };
    let usual = patroni("");
    assert_eq!(
        (
            usual.synchronous_mode,
            usual.synchronous_mode_strict,
            usual.synchronous_node_count
        ),
        (SynchronousMode::Off, false, 1)
    );
    assert_eq!((usual.maximum_lag_on_syncnode, usual.failsafe_mode), (None, false));
    for (written, mode) in [
        ("\"on\"", SynchronousMode::On),
        ("true", SynchronousMode::On),
        ("\"quorum\"", SynchronousMode::Quorum),
        ("\"off\"", SynchronousMode::Off),
        ("false", SynchronousMode::Off),
    ] {
        assert_eq!(patroni(&format!("synchronous_mode = {written}")).synchronous_mode, mode);
    }
    let all = patroni(
        "synchronous_mode_strict = true\nsynchronous_node_count = 6\nmaximum_lag_on_syncnode = 8192\nfailsafe_mode = true",
    );
    assert!(all.synchronous_mode_strict && all.failsafe_mode);
    assert_eq!(
        (all.synchronous_node_count, all.maximum_lag_on_syncnode),
        (6, Some(8192))
    );
    // Patroni compares only with a limit above 0.
    assert_eq!(patroni("maximum_lag_on_syncnode = 0").maximum_lag_on_syncnode, None);
    for (text, says) in [
        (
            "synchronous_mode = \"quorm\"",
            "s.toml:2: patroni.synchronous_mode = \"quorm\": is not one of its values; did you mean quorum?",
        ),
        (
            "synchronous_mode_strict = \"on\"",
            "s.toml:2: patroni.synchronous_mode_strict = \"on\": is text; use true or false",
        ),
        (
            "synchronous_node_count = 0",
            "s.toml:2: patroni.synchronous_node_count = 0: is below the least value 1; use a whole number from 1 to 6",
        ),
        (
            "maximum_lag_on_syncnode = -2",
            "s.toml:2: patroni.maximum_lag_on_syncnode = -2: is below the least value -1; use a whole number from -1 to \
             1099511627776 bytes",
        ),
        (
            "failsafe_mode = 1",
            "s.toml:2: patroni.failsafe_mode = 1: is a number; use true or false",
        ),
    ] {
        assert_eq!(errors(&format!("[patroni]\n{text}")), says);
    }
    let mut scenario = Scenario::default();
    scenario.set("patroni.synchronous_mode", "true").unwrap();
    assert_eq!(scenario.get("patroni.synchronous_mode").as_deref(), Some("\"on\""));
}

#[test]
fn the_timeouts_of_a_primary_are_whole_seconds_and_zero_has_patronis_meaning() {
    let usual = Scenario::default().patroni;
    assert_eq!(usual.primary_start_timeout, Span::from_secs(300));
    assert_eq!(
        (usual.primary_stop_timeout, usual.primary_race_backoff),
        (None, Span::ZERO)
    );
    assert!(!usual.check_timeline);
    let text = "[patroni]\ncheck_timeline = true\nprimary_start_timeout = 0\nprimary_stop_timeout = 15\nprimary_race_backoff = 7";
    let scenario = read(text).unwrap();
    assert_eq!(read(&scenario.to_toml()).as_ref(), Ok(&scenario));
    let patroni = scenario.patroni;
    assert!(patroni.check_timeline);
    assert_eq!(patroni.primary_start_timeout, Span::ZERO);
    assert_eq!(patroni.primary_stop_timeout, Some(Span::from_secs(15)));
    assert_eq!(patroni.primary_race_backoff, Span::from_secs(7));
    for key in ["primary_start_timeout", "primary_stop_timeout", "primary_race_backoff"] {
        let range = "use a whole number from 0 to 3600 s";
        for (value, wrong) in [
            ("-1", "is negative"),
            ("3601", "is above the limit of 3600"),
            ("0.5", "is not a whole number"),
        ] {
            let says = format!("s.toml:2: patroni.{key} = {value}: {wrong}; {range}");
            assert_eq!(errors(&format!("[patroni]\n{key} = {value}")), says);
        }
    }
    assert_eq!(
        errors("[patroni]\ncheck_timeline = 0"),
        "s.toml:2: patroni.check_timeline = 0: is a number; use true or false"
    );
}

#[test]
fn nodes_are_tagged_by_name_or_by_a_priority_for_each_and_nofailover_wins() {
    let tags = |text: &str| {
        let scenario = read(&format!("[cluster]\n{text}")).unwrap_or_else(|errors| panic!("{text}: {errors}"));
        assert_eq!(read(&scenario.to_toml()).as_ref(), Ok(&scenario), "{text}");
        [0, 1, 2].map(|node| {
            let tags = scenario.cluster.tags(node);
            (tags.nofailover, tags.failover_priority, tags.nosync)
        })
    };
    let usual = (false, 1, false);
    assert_eq!(tags(""), [usual; 3]);
    assert_eq!(tags("nofailover = []\nnosync = []\nfailover_priority = []"), [usual; 3]);
    assert_eq!(
        tags("nofailover = [\"node3\", \"node1\"]\nnosync = [\"node2\"]"),
        [(true, 0, false), (false, 1, true), (true, 0, false)]
    );
    assert_eq!(
        tags("nofailover = [\"node1\"]\nfailover_priority = [1000, 0, 2]"),
        [(true, 0, false), (true, 0, false), (false, 2, false)]
    );
    assert_eq!(
        tags("nosync = [\"node1\"]\nsync_priority = [5, 0, 7]"),
        [(false, 1, true), (false, 1, true), usual]
    );
    let priorities = read("[cluster]\nnosync = [\"node1\"]\nsync_priority = [5, 0, 7]")
        .expect("read")
        .cluster;
    assert_eq!([0, 1, 2].map(|node| priorities.tags(node).sync_priority), [0, 0, 7]);
    for (text, says) in [
        (
            "nofailover = [\"node4\"]",
            "s.toml:2: cluster.nofailover = [\"node4\"]: there is no node node4; use some of node1, node2, node3, or leave \
             it out",
        ),
        (
            "nosync = [\"etcd1\"]",
            "s.toml:2: cluster.nosync = [\"etcd1\"]: there is no node etcd1; use some of node1, node2, node3, or leave it out",
        ),
        (
            "nosync = [\"node1\", \"node1\"]",
            "s.toml:2: cluster.nosync = [\"node1\", \"node1\"]: node1 stands there twice; name each node once",
        ),
        (
            "nofailover = \"node1\"",
            "s.toml:2: cluster.nofailover = \"node1\": is text; use a list of 0 to 7 names",
        ),
        (
            "failover_priority = [1, 2]",
            "s.toml:2: cluster.failover_priority = [1, 2]: has 2 numbers for 3 nodes; write one number for each of \
             cluster.nodes, in their order, or leave it out",
        ),
        (
            "failover_priority = [1, 2, 1001]",
            "s.toml:2: cluster.failover_priority = [1, 2, 1001]: 1001 is not one of these numbers; use a list of 0 to 7 \
             whole numbers from 0 to 1000",
        ),
        (
            "failover_priority = [1, 2.5, 1]",
            "s.toml:2: cluster.failover_priority = [1, 2.5, 1]: 2.5 is not one of these numbers; use a list of 0 to 7 whole \
             numbers from 0 to 1000",
        ),
        (
            "failover_priority = [1, \"2\", 1]",
            "s.toml:2: cluster.failover_priority = [1, \"2\", 1]: one of its numbers is text; use a list of 0 to 7 whole \
             numbers from 0 to 1000",
        ),
        (
            "failover_priority = 5",
            "s.toml:2: cluster.failover_priority = 5: is a number; use a list of 0 to 7 whole numbers from 0 to 1000",
        ),
    ] {
        assert_eq!(errors(&format!("[cluster]\n{text}")), says);
    }
    let mut scenario = Scenario::default();
    scenario.set("cluster.nofailover", "node2, node3").unwrap();
    scenario.set("cluster.failover_priority", "3,2,1").unwrap();
    assert_eq!(scenario.cluster.nofailover, [1, 2]);
    assert_eq!(scenario.cluster.failover_priority, [3, 2, 1]);
    scenario.set("cluster.nofailover", "").unwrap();
    scenario.set("cluster.failover_priority", "[]").unwrap();
    assert_eq!(scenario, Scenario::default());
}

#[test]
fn the_direct_writers_wait_for_the_synchronous_standbys_or_for_their_own_disk_only() {
    let commit = |text: &str| {
        let scenario = read(&format!("[traffic]\n{text}")).unwrap();
        assert_eq!(read(&scenario.to_toml()).as_ref(), Ok(&scenario));
        scenario.traffic.direct_commit
    };
    assert_eq!(commit(""), SynchronousCommit::On);
    assert_eq!(commit("direct_commit = \"on\""), SynchronousCommit::On);
    assert_eq!(commit("direct_commit = \"local\""), SynchronousCommit::Local);
    assert_eq!(
        errors("[traffic]\ndirect_commit = \"remote_apply\""),
        "s.toml:2: traffic.direct_commit = \"remote_apply\": is not one of its values; use one of on, local"
    );
}

#[test]
fn values_of_the_wrong_type_are_told_what_they_are() {
    for (text, says) in [
        (
            "seed = \"7\"",
            "seed = \"7\": is text; use a whole number from 0 to 9007199254740991",
        ),
        ("seed = 1.5", "seed = 1.5: is not a whole number;"),
        ("title = 7", "title = 7: is a number; use a text of 1 to 200 characters"),
        ("title = \"\"", "title = \"\": is empty;"),
        ("title = \"a\\nb\"", "is more than one line of plain text;"),
        (
            "[store]\nversion = 3.5",
            "store.version = 3.5: is a number; use \"3.4.23\" or \"3.5\"",
        ),
        (
            "[watchdog]\nmode = \"requird\"",
            "is not one of its values; did you mean required?",
        ),
        (
            "patroni = 5",
            "patroni = 5: has fields of its own; write patroni.ttl = …",
        ),
        (
            "network.latency_ms = 5",
            "has fields of its own; write network.latency_ms.min = …",
        ),
        (
            "fault = 5",
            "fault = 5: faults are a list; begin each fault with a line [[fault]]",
        ),
        ("duration_s = inf", "duration_s = inf: is not a number;"),
        ("duration_s = 2020-01-01", "is a date;"),
        ("[cluster]\nnodes = [\"a\", \"a\"]", "a stands there twice;"),
        ("[cluster]\nnodes = [\"etcd7\"]", "etcd7 is the name of another host;"),
        ("[cluster]\nnodes = [\"Node\"]", "Node is no name for a node;"),
        ("[cluster]\nnodes = [1]", "one of its names is a number;"),
        ("[cluster]\nnodes = []", "has 0 names;"),
        (
            "[cluster]\nleader = \"node4\"",
            "there is no such node; use one of node1, node2, node3",
        ),
        (
            "[network]\nlatency_ms = { min = 1 }",
            "network.latency_ms.min = 1: min is above typical;",
        ),
        (
            "[network]\nlatency_ms = { typical = 9 }",
            "network.latency_ms.typical = 9: typical is above max;",
        ),
        (
            "[network]\nloss_percent = 0.00001",
            "is finer than one part per million; use at most 4 decimals",
        ),
        ("[traffic]\nwrite_period_ms = 0.5", "is below the least value 1;"),
        ("[traffic]\nwriters = 101", "is above the limit of 100;"),
    ] {
        let errors = errors(text);
        assert!(errors.contains(says), "{text}: {errors}");
    }
}

#[test]
fn impossible_timings_are_adjusted_and_reported_unless_the_file_says_otherwise() {
    let timings = "[patroni]\nttl = 20\nloop_wait = 10\nretry_timeout = 10\n";
    let adjusted = read(timings).unwrap();
    assert_eq!(adjusted.patroni.loop_wait, Span::from_secs(1));
    assert_eq!(adjusted.patroni.retry_timeout, Span::from_secs(9));
    assert_eq!(adjusted.adjusted.len(), 2);
    assert_eq!(adjusted.get("patroni.loop_wait").as_deref(), Some("10"));
    assert_eq!(read(&adjusted.to_toml()), Ok(adjusted));

    let raw = read("[patroni]\nttl = 1.000001\nloop_wait = 10\nretry_timeout = 10\ntiming_rules = \"none\"").unwrap();
    assert_eq!(
        (raw.patroni.ttl, raw.patroni.timing_rules),
        (Span(1_000_001), TimingRules::None)
    );
    assert!(raw.adjusted.is_empty());

    assert_eq!(
        errors("[patroni]\nttl = 30.5"),
        "s.toml:2: patroni.ttl = 30.5: Patroni 4.1 takes whole seconds only; use whole seconds, or timing_rules = \"none\""
    );
    for rules in ["4.1", "none"] {
        for ttl in ["0", "-1", "0.5", "4000000000"] {
            errors(&format!("[patroni]\ntiming_rules = \"{rules}\"\nttl = {ttl}"));
        }
    }
}

#[test]
fn faults_mean_what_they_say() {
    let killed = fault("at_s = 40.05\nfor_s = 60\nkind = \"kill\"\ntarget = \"node2/agent\"").unwrap();
    assert_eq!(
        (killed.at, killed.until, killed.line),
        (SimTime(40_050_000), Some(SimTime(100_050_000)), 1)
    );
    let target = Target::Process(1, Process::Agent);
    assert_eq!(
        killed.what,
        FaultKind::Kill {
            target,
            network: DeadHostNetwork::Silent
        }
    );

    let paused = fault("at_s = 1\nuntil_s = 2\nkind = \"pause\"\ntarget = \"etcd1\"\nmonotonic_runs = false").unwrap();
    let target = Target::Host(Host::Store(0));
    let resume_order = ResumeOrder::Application;
    assert_eq!(
        paused.what,
        FaultKind::Pause {
            target,
            monotonic_runs: false,
            resume_order
        }
    );

    let slow = fault("at_s = 1\nkind = \"latency\"\ntarget = \"node1 -> *\"\nadd_ms = 0.5").unwrap();
    assert!(matches!(
        slow.what,
        FaultKind::Latency {
            change: LatencyChange::Add(Span(500)),
            ..
        }
    ));

    let stepped = fault("at_s = 1\nkind = \"clock_step\"\ntarget = \"node1\"\nby_s = -0.000001").unwrap();
    assert_eq!(
        stepped.what,
        FaultKind::ClockStep {
            host: Host::Node(0),
            by_us: -1
        }
    );

    let lossy = fault("at_s = 1\nkind = \"loss\"\ntarget = \"node1 <-> node2\"\npercent = 0.000100").unwrap();
    assert!(matches!(lossy.what, FaultKind::Loss { ppm: 1, .. }));
}

#[test]
fn what_is_told_to_a_process_is_an_order_and_says_whom_it_is_told() {
    let node1 = Target::Host(Host::Node(0));
    let process = |node, process| Target::Process(node, process);
    let by = Span::from_millis(2500);
    for (text, target, order) in [
        (
            "kind = \"switchover\"\ntarget = \"node1\"",
            node1,
            Order::Switchover {
                to: None,
                scheduled: None,
            },
        ),
        (
            "kind = \"switchover\"\ntarget = \"node1\"\nto = \"node3\"",
            node1,
            Order::Switchover {
                to: Some(NodeId(2)),
                scheduled: None,
            },
        ),
        ("kind = \"failover\"\ntarget = \"node1\"", node1, Order::Failover),
        (
            "kind = \"restart\"\ntarget = \"node2/postgres\"",
            process(1, Process::Postgres),
            Order::RestartDatabase,
        ),
        ("kind = \"maintenance\"\ntarget = \"node1\"", node1, Order::Maintenance),
        (
            "kind = \"block\"\ntarget = \"node1/agent\"",
            process(0, Process::Agent),
            Order::BlockLoop,
        ),
        (
            "kind = \"block\"\ntarget = \"node1/agent\"\nthread = \"loop\"",
            process(0, Process::Agent),
            Order::BlockLoop,
        ),
        (
            "kind = \"block\"\ntarget = \"node1/agent\"\nthread = \"watcher\"",
            process(0, Process::Agent),
            Order::BlockWatcher,
        ),
        (
            "kind = \"same_name\"\ntarget = \"node3/agent\"\nname = \"node1\"",
            process(2, Process::Agent),
            Order::TakeName { name: NodeId(0) },
        ),
        (
            "kind = \"slow_sql\"\ntarget = \"node1/postgres\"\nadd_ms = 2500",
            process(0, Process::Postgres),
            Order::SlowSql { by },
        ),
        (
            "kind = \"stuck_stop\"\ntarget = \"node1/postgres\"",
            process(0, Process::Postgres),
            Order::StuckStop,
        ),
        (
            "kind = \"failed_promote\"\ntarget = \"node2/postgres\"",
            process(1, Process::Postgres),
            Order::FailPromotion,
        ),
        (
            "kind = \"delete_key\"\ntarget = \"etcd2\"",
            Target::Host(Host::Store(1)),
            Order::DeleteLeaderKey,
        ),
    ] {
        let scenario = read(&format!("[[fault]]\nat_s = 1\n{text}")).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(scenario.faults[0].what, FaultKind::Order { target, order }, "{text}");
        assert_eq!(read(&scenario.to_toml()), Ok(scenario), "{text}");
    }
    let placed = read(&format!(
        "{PLACED}[[fault]]\nat_s = 1\nkind = \"delete_key\"\ntarget = \"etcd2\""
    ))
    .unwrap();
    let (target, order) = (Target::Member(1), Order::DeleteLeaderKey);
    assert_eq!(placed.faults[0].what, FaultKind::Order { target, order });
    assert_eq!(read(&placed.to_toml()), Ok(placed));
    for (target, named) in [(Process::Agent, "node1/agent"), (Process::Postgres, "node1/postgres")] {
        let text = format!("at_s = 1\nfor_s = 5\nkind = \"stop\"\ntarget = \"{named}\"");
        let target = process(0, target);
        assert_eq!(fault(&text).unwrap().what, FaultKind::Stop { target });
    }
}

#[test]
fn a_kind_has_an_end_exactly_when_what_it_does_lasts() {
    for spec in FAULTS {
        let what = &read(spec.example).unwrap().faults[0].what;
        assert_eq!(what.lasts(), spec.ends, "{}", spec.kind);
    }
}

#[test]
fn an_order_that_nobody_could_be_told_says_what_is_possible() {
    for (fault, says) in [
        (
            "kind = \"switchover\"\ntarget = \"node1/agent\"",
            "fault.1.target = \"node1/agent\": switchover does not strike an agent; use \"node1\"",
        ),
        (
            "kind = \"failover\"\ntarget = \"etcd1\"",
            "fault.1.target = \"etcd1\": failover does not strike a member of the store; use a node (node1)",
        ),
        (
            "kind = \"maintenance\"\ntarget = \"clients\"",
            "fault.1.target = \"clients\": maintenance does not strike the clients' host; use a node (node1)",
        ),
        (
            "kind = \"stop\"\ntarget = \"node2\"",
            "fault.1.target = \"node2\": stop does not strike a node; use a process of a node (node1/agent, node1/postgres)",
        ),
        (
            "kind = \"restart\"\ntarget = \"node2\"",
            "fault.1.target = \"node2\": restart does not strike a node; use \"node2/postgres\"",
        ),
        (
            "kind = \"block\"\ntarget = \"node3/postgres\"",
            "fault.1.target = \"node3/postgres\": block does not strike a database; use \"node3/agent\"",
        ),
        (
            "kind = \"same_name\"\ntarget = \"node3\"\nname = \"node1\"",
            "fault.1.target = \"node3\": same_name does not strike a node; use \"node3/agent\"",
        ),
        (
            "kind = \"slow_sql\"\ntarget = \"node1/disk\"\nadd_ms = 5",
            "fault.1.target = \"node1/disk\": slow_sql does not strike a disk; use \"node1/postgres\"",
        ),
        (
            "kind = \"stuck_stop\"\ntarget = \"node1 -> node2\"",
            "fault.1.target = \"node1 -> node2\": stuck_stop does not strike links; use a database (node1/postgres)",
        ),
        (
            "kind = \"failed_promote\"\ntarget = \"node1/agent\"",
            "fault.1.target = \"node1/agent\": failed_promote does not strike an agent; use \"node1/postgres\"",
        ),
        (
            "kind = \"delete_key\"\ntarget = \"node1\"",
            "fault.1.target = \"node1\": delete_key does not strike a node; use a member of the store (etcd1)",
        ),
        (
            "kind = \"clock_rate\"\ntarget = \"node1/postgres\"\nppm = 1",
            "clock_rate does not strike a process;",
        ),
        (
            "kind = \"switchover\"\ntarget = \"node1\"\nto = \"node4\"",
            "fault.1.to = \"node4\": there is no node node4; use one of node1, node2, node3",
        ),
        (
            "kind = \"switchover\"\ntarget = \"node1\"\nto = \"node1\"",
            "fault.1.to = \"node1\": node1 cannot hand over to itself; name another node",
        ),
        (
            "kind = \"failover\"\ntarget = \"node1\"\nto = \"node2\"",
            "fault.1.to = \"node2\": failover has no such field, switchover has; leave it out",
        ),
        (
            "kind = \"same_name\"\ntarget = \"node3/agent\"",
            "fault.1.name = (missing): must be given; add name = the node whose name it takes",
        ),
        (
            "kind = \"same_name\"\ntarget = \"node3/agent\"\nname = \"node3\"",
            "fault.1.name = \"node3\": node3 has that name already; name another node",
        ),
        (
            "kind = \"same_name\"\ntarget = \"node3/agent\"\nname = \"etcd1\"",
            "fault.1.name = \"etcd1\": there is no node etcd1; use one of node1, node2, node3",
        ),
        (
            "kind = \"block\"\ntarget = \"node3/agent\"\nthread = \"rest\"",
            "fault.1.thread = \"rest\": is not one of its values; use one of loop, watcher",
        ),
        (
            "kind = \"slow_sql\"\ntarget = \"node1/postgres\"",
            "fault.1.add_ms = (missing): must be given; add add_ms = a number from 0 to 60000 ms",
        ),
        (
            "kind = \"restart\"\ntarget = \"node1/postgres\"\nfor_s = 5",
            "fault.1.for_s = 5: a restart has no end; leave it out",
        ),
        (
            "kind = \"delete_key\"\ntarget = \"etcd1\"\nevery_s = 5",
            "fault.1.every_s = 5: a delete_key has no end and does not come again; leave it out; write a fault for each",
        ),
        (
            "kind = \"switchovr\"\ntarget = \"node1\"",
            "there is no such fault; did you mean switchover?",
        ),
    ] {
        let errors = fault_errors(&format!("at_s = 10\n{fault}"));
        assert!(errors.contains(says), "{fault}: {errors}");
    }
    let placed = errors(&format!(
        "{PLACED}[[fault]]\nat_s = 1\nkind = \"restart\"\ntarget = \"etcd2\""
    ));
    assert!(
        placed.contains("restart does not strike a member of the store; use a database"),
        "{placed}"
    );
}

#[test]
fn links_strike_exactly_the_directions_they_name() {
    let pairs = |target: &str| {
        let scenario = read(&format!(
            "[[fault]]\nat_s = 1\nkind = \"cut\"\ntarget = \"{target}\"\nmode = \"mute\""
        ))
        .unwrap();
        let FaultKind::Cut {
            links,
            mode: CutMode::Mute,
        } = &scenario.faults[0].what
        else {
            panic!("no cut")
        };
        let names = scenario.names();
        let name = |(a, b)| format!("{}>{}", names.host(a), names.host(b));
        links
            .pairs(&scenario.hosts())
            .into_iter()
            .map(name)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(pairs("node1 -> node2"), "node1>node2");
    assert_eq!(pairs("node1<->etcd1"), "node1>etcd1 etcd1>node1");
    assert_eq!(
        pairs("* -> node1"),
        "node2>node1 node3>node1 etcd1>node1 etcd2>node1 etcd3>node1 clients>node1"
    );
    assert_eq!(pairs("[node1, clients] -> [node2]"), "node1>node2 clients>node2");
    assert_eq!(
        pairs("[node1] | [node2, etcd1]"),
        "node1>node2 node1>etcd1 node2>node1 etcd1>node1"
    );
}

#[test]
fn a_nodes_writer_can_be_struck_only_when_there_is_one() {
    let pause = "[[fault]]\nat_s = 1\nkind = \"pause\"\ntarget = \"node2/writer\"\n";
    let struck = Scenario::parse(pause, "test").expect("direct writers are there by default");
    let back = Scenario::parse(&struck.to_toml(), "test").expect("its own text is valid");
    assert_eq!(back.faults, struck.faults);
    let none = Scenario::parse(&format!("[traffic]\ndirect_writers = false\n{pause}"), "test");
    let errors = none.expect_err("no such writer");
    assert!(
        errors[0].to_string().contains("set traffic.direct_writers = true"),
        "{errors:?}"
    );
}

#[test]
fn a_fault_on_something_it_cannot_strike_says_what_it_can() {
    for (fault, says) in [
        (
            "kind = \"cut\"\ntarget = \"node1/agent\"",
            "cut does not strike a process; use links between hosts (a -> b, a <-> b, [a, b] | [c, d], a <-> *)",
        ),
        (
            "kind = \"cut\"\ntarget = \"node1\"",
            "cut strikes links, not a host; use \"node1 <-> *\", or links between",
        ),
        (
            "kind = \"kill\"\ntarget = \"node1 -> node2\"",
            "kill does not strike links; use a host (node1, etcd1) or a",
        ),
        (
            "kind = \"pause\"\ntarget = \"clients\"",
            "pause does not strike the clients' host; cut its links instead",
        ),
        (
            "kind = \"clock_rate\"\ntarget = \"node1/agent\"\nppm = 1",
            "clock_rate does not strike a process;",
        ),
        (
            "kind = \"kill\"\ntarget = \"etcd1/disk\"",
            "kill does not strike a disk; use a host (node1, etcd1) or a",
        ),
        (
            "kind = \"clock_step\"\ntarget = \"etcd1/disk\"\nby_s = 1",
            "clock_step does not strike a disk; use a host",
        ),
        (
            "kind = \"loss\"\ntarget = \"etcd1/disk\"\npercent = 1",
            "loss does not strike a disk; use links between",
        ),
        (
            "kind = \"disk_stall\"\ntarget = \"etcd2\"",
            "disk_stall strikes a disk, not a host; use \"etcd2/disk\"",
        ),
        (
            "kind = \"disk_stall\"\ntarget = \"node1/postgres\"",
            "disk_stall does not strike a process; use a disk (node1/disk, etcd1/disk)",
        ),
        (
            "kind = \"disk_slow\"\ntarget = \"node1 -> *\"\nadd_ms = 1",
            "disk_slow does not strike links; use a disk (node1/disk, etcd1/disk)",
        ),
        (
            "kind = \"disk_stall\"\ntarget = \"clients/disk\"",
            "nothing on the clients' host writes to a disk; use the disk of a node",
        ),
        (
            "kind = \"disk_stall\"\ntarget = \"clients\"",
            "disk_stall does not strike the clients' host; use a disk",
        ),
        (
            "kind = \"disk_stall\"\ntarget = \"etcd4/disk\"",
            "there is no host etcd4; use one of node1, node2,",
        ),
        (
            "kind = \"disk_stall\"\ntarget = \"etcd1/dsk\"",
            "there is no process dsk; did you mean disk?",
        ),
        (
            "kind = \"disk_stall\"\ntarget = \"etcd1/disk\"\nadd_ms = 5",
            "disk_stall has no such field, latency has; leave it out",
        ),
        (
            "kind = \"disk_slow\"\ntarget = \"etcd1/disk\"",
            "fault.1.add_ms = (missing): must be given;",
        ),
        (
            "kind = \"disk_slow\"\ntarget = \"etcd1/disk\"\nadd_ms = 5\nmax_ms = 9",
            "max_ms replaces that to which add_ms adds; leave one out",
        ),
        (
            "kind = \"disk_slow\"\ntarget = \"etcd1/disk\"\nmin_ms = 5\ntypical_ms = 2\nmax_ms = 9",
            "min is above typical; make min_ms at most typical_ms",
        ),
        (
            "kind = \"cut\"\ntarget = \"etcd1/disk -> node2\"",
            "etcd1/disk is no host; links join hosts: leave out /disk",
        ),
        (
            "kind = \"pause\"\ntarget = \"etcd1/writer\"",
            "etcd1 is no node and runs no writer",
        ),
        (
            "kind = \"kill\"\ntarget = \"node1/agnet\"",
            "there is no process agnet; did you mean agent?",
        ),
        (
            "kind = \"kill\"\ntarget = \"etcd1/agent\"",
            "etcd1 is no node and runs no agent; use etcd1 itself",
        ),
        (
            "kind = \"cut\"\ntarget = \"node1 -> node1\"",
            "node1 stands on both sides; name different hosts",
        ),
        ("kind = \"cut\"\ntarget = \"* <-> *\"", "one side of it is nobody;"),
        (
            "kind = \"cut\"\ntarget = \"node1/agent -> node2\"",
            "node1/agent is no host; links join hosts",
        ),
        ("kind = \"cut\"\ntarget = \"[node1 | node2\"", "a [ is not closed;"),
        (
            "kind = \"cut\"\ntarget = \"[node1, node1] | node2\"",
            "node1 stands there twice;",
        ),
        (
            "kind = \"kill\"\ntarget = \"node1/agent\"\nnetwork = \"refused\"",
            "node1/agent is a process, only a whole host has this; leave it out, or use target = \"node1\"",
        ),
        (
            "kind = \"cut\"\ntarget = \"node1 -> *\"\nnetwork = \"silent\"",
            "cut has no such field, kill has; leave it out",
        ),
        (
            "kind = \"cut\"\ntarget = \"node1 -> *\"\nmod = \"mute\"",
            "unknown key; did you mean mode?",
        ),
        (
            "kind = \"clock_step\"\ntarget = \"node1\"\nby_s = 1\nfor_s = 5",
            "a clock_step has no end;",
        ),
        (
            "kind = \"kill\"\ntarget = \"node1\"\nfor_s = 5\nuntil_s = 20",
            "for_s and until_s both say when it ends;",
        ),
        (
            "kind = \"kill\"\ntarget = \"node1\"\nuntil_s = 10",
            "is not after at_s;",
        ),
        (
            "kind = \"kill\"\ntarget = \"node1\"\nfor_s = 0",
            "is below the least value 0.000001;",
        ),
        (
            "kind = \"latency\"\ntarget = \"node1 -> *\"",
            "fault.1.add_ms = (missing): must be given;",
        ),
        (
            "kind = \"latency\"\ntarget = \"node1 -> *\"\nmin_ms = 1",
            "fault.1.typical_ms = (missing): must be given;",
        ),
        (
            "kind = \"latency\"\ntarget = \"node1 -> *\"\nadd_ms = 1\nmin_ms = 1",
            "leave one out",
        ),
        (
            "kind = \"loss\"\ntarget = \"node1 -> *\"\npercent = 101",
            "is above the limit of 100;",
        ),
        (
            "kind = \"clock_rate\"\ntarget = \"node1\"\nppm = 500001",
            "is above the limit of 500000;",
        ),
    ] {
        let errors = fault_errors(&format!("at_s = 10\n{fault}"));
        assert!(errors.contains(says), "{fault}: {errors}");
    }
    let late = fault_errors("at_s = 120.000001\nkind = \"kill\"\ntarget = \"node1\"");
    assert!(
        late.contains("is after the end of the run at 120 s; begin it earlier or lengthen duration_s"),
        "{late}"
    );
}

#[test]
fn a_fault_that_comes_again_says_how_long_it_lasts_each_time_how_often_it_comes_and_perhaps_until_when() {
    let times = |text: &str| {
        let fault = fault(&format!("at_s = 10\nkind = \"kill\"\ntarget = \"etcd2\"\n{text}")).unwrap();
        let occurrences = fault.occurrences(SimTime(120_000_000));
        let shown: Vec<_> = occurrences
            .map(|(from, until)| format!("{}-{}", from.as_secs_f64(), until.unwrap().as_secs_f64()))
            .collect();
        (shown.join(" "), fault.repeats)
    };
    let every = Span::from_secs(40);
    let (shown, repeats) = times("for_s = 5\nevery_s = 40");
    assert_eq!(shown, "10-15 50-55 90-95");
    assert_eq!(repeats, Some(Repeats { every, until: None }));
    // It lasts its time, but does not begin at the end or later.
    let until = Some(SimTime(90_000_000));
    let (shown, repeats) = times("for_s = 35.5\nevery_s = 40\nrepeat_until_s = 90");
    assert_eq!(shown, "10-45.5 50-85.5");
    assert_eq!(repeats, Some(Repeats { every, until }));
    assert_eq!(times("for_s = 5\nevery_s = 40\nrepeat_until_s = 10.000001").0, "10-15");
    assert_eq!(
        times("for_s = 5\nevery_s = 40\nrepeat_until_s = 5000").0,
        "10-15 50-55 90-95"
    );
    assert_eq!(times("for_s = 5").0, "10-15");

    let last = fault("at_s = 120\nkind = \"kill\"\ntarget = \"etcd2\"\nfor_s = 1\nevery_s = 2").unwrap();
    assert_eq!(last.occurrences(SimTime(120_000_000)).count(), 1);
}

#[test]
fn every_kind_that_can_end_can_come_again() {
    for spec in FAULTS {
        let lines = spec.example.lines();
        let rest: Vec<_> = lines
            .filter(|line| !["for_s", "until_s", "every_s"].iter().any(|key| line.starts_with(key)))
            .filter(|line| !line.starts_with("repeat_until_s"))
            .collect();
        let text = format!("{}\nfor_s = 1.5\nevery_s = 30\nrepeat_until_s = 110", rest.join("\n"));
        match read(&text) {
            Ok(scenario) => {
                assert!(scenario.faults[0].repeats.is_some());
                assert_eq!(read(&scenario.to_toml()), Ok(scenario));
            }
            Err(errors) => assert!(!spec.ends && errors.contains("has no end"), "{}: {errors}", spec.kind),
        }
    }
}

#[test]
fn a_fault_that_cannot_come_again_as_written_says_why() {
    for (fault, says) in [
        (
            "every_s = 20",
            "fault.1.every_s = 20: comes again without saying how long it lasts each time; add for_s",
        ),
        (
            "until_s = 50\nevery_s = 20",
            "fault.1.every_s = 20: comes again without saying how long it lasts each time; write for_s instead of until_s",
        ),
        (
            "for_s = 20\nevery_s = 20",
            "fault.1.every_s = 20: comes again before it has ended, after 20 s; make every_s longer than for_s",
        ),
        (
            "for_s = 20\nevery_s = 0",
            "fault.1.every_s = 0: is below the least value 0.000001; use a number from 0.000001 to 86400 s",
        ),
        (
            "for_s = 2\nrepeat_until_s = 90",
            "fault.1.repeat_until_s = 90: says until when it comes again, but not how often; add every_s",
        ),
        (
            "for_s = 2\nevery_s = 20\nrepeat_until_s = 10",
            "fault.1.repeat_until_s = 10: is not after at_s; let it stop later than it begins for the first time",
        ),
    ] {
        let errors = fault_errors(&format!("at_s = 10\nkind = \"kill\"\ntarget = \"node1\"\n{fault}"));
        assert!(errors.contains(says), "{fault}: {errors}");
    }
    let step = "at_s = 1\nkind = \"clock_step\"\ntarget = \"node1\"\nby_s = 1\nevery_s = 5";
    assert!(fault_errors(step).contains(
        "fault.1.every_s = 5: a clock_step has no end and does not come again; leave it out; write a fault for each time"
    ));
}

#[test]
fn ten_thousand_strikes_are_the_limit_for_all_faults_together() {
    let faults = |often: &str| {
        let once = "[[fault]]\nat_s = 1\nkind = \"kill\"\ntarget = \"node1\"\n";
        let often = format!("[[fault]]\nat_s = 0\nfor_s = 0.001\nkind = \"kill\"\ntarget = \"etcd1\"\n{often}\n");
        read(&format!("duration_s = 86400\n{once}{often}{once}"))
    };
    let most = faults("every_s = 5\nrepeat_until_s = 49990").unwrap();
    let end = SimTime::ZERO + most.duration;
    assert_eq!(
        most.faults.iter().flat_map(|fault| fault.occurrences(end)).count(),
        10_000
    );
    assert_eq!(
        faults("every_s = 5\nrepeat_until_s = 49991").unwrap_err(),
        "s.toml:11: fault.2.every_s = 5: the fault would come 9999 times, all faults 10001 times, above the limit of \
         10000; make every_s longer, or repeat_until_s earlier"
    );
    assert!(
        faults("every_s = 0.001001")
            .unwrap_err()
            .contains("would come 86313687 times")
    );
}

#[test]
fn a_ttl_below_the_stores_shortest_lease_is_warned_of() {
    let warnings = |text: &str| read(text).unwrap().warnings();
    let none = "[patroni]\ntiming_rules = \"none\"\nttl = ";
    assert_eq!(warnings(&format!("{none}2")), [""; 0]);
    let says = warnings(&format!("{none}1.5"));
    assert!(says[0].starts_with("patroni.ttl is 1.500 s, and the store grants no lease shorter than 2.000 s"));
    // An election timeout of 20 s takes leases of 30 s at least.
    assert_eq!(warnings("[store]\nelection_ms = 20000"), [""; 0]);
    assert!(warnings("[store]\nelection_ms = 20001")[0].contains("no lease shorter than 31.000 s"));
}

#[test]
fn a_store_that_can_never_have_a_majority_is_warned_of() {
    let kill = |member: u8, at: u32, rest: &str| {
        format!("[[fault]]\nat_s = {at}\n{rest}\nkind = \"kill\"\ntarget = \"etcd{member}\"\n")
    };
    let warns = |faults: String, head: &str| {
        !read(&format!("duration_s = 60\n{head}\n{faults}"))
            .unwrap()
            .warnings()
            .is_empty()
    };
    let two = |rest: &str| kill(1, 0, rest) + &kill(2, 0, rest);
    assert!(warns(two(""), ""), "two of three, all the time");
    assert!(!warns(kill(1, 0, ""), ""), "one of three");
    assert!(!warns(two("until_s = 50"), ""), "they come back");
    assert!(
        !warns(kill(1, 0, "") + &kill(2, 10, ""), ""),
        "ten seconds are not never"
    );
    assert!(!warns(two(""), "[store]\nmembers = 5"), "three of five are left");
    assert!(warns(two(""), "[store]\nmembers = 4"), "two of four are none");
    // They never run together: each is down while the other is up.
    let turns = kill(1, 0, "for_s = 10\nevery_s = 20") + &kill(2, 10, "for_s = 10\nevery_s = 20");
    assert!(!warns(turns.clone(), ""));
    assert!(warns(turns + &kill(3, 0, ""), ""));
    let node = "[[fault]]\nat_s = 0\nkind = \"kill\"\ntarget = \"node1\"\n";
    assert!(warns(node.to_owned(), "[store]\nmembers = 2\nplacement = \"nodes\""));
    assert!(!warns(node.to_owned(), "[store]\nmembers = 2"));
}

#[test]
fn the_store_has_one_to_seven_members() {
    for members in 1..=7 {
        let scenario = read(&format!("[store]\nmembers = {members}")).unwrap();
        assert_eq!(scenario.hosts().len(), 3 + members + 1);
        assert_eq!(read(&scenario.to_toml()), Ok(scenario));
    }
    assert_eq!(
        errors("[store]\nmembers = 0"),
        "s.toml:2: store.members = 0: is below the least value 1; use a whole number from 1 to 7"
    );
    assert_eq!(
        errors("[store]\nmembers = 8"),
        "s.toml:2: store.members = 8: is above the limit of 7; use a whole number from 1 to 7"
    );
}

#[test]
fn an_election_takes_at_least_five_heartbeats_as_etcd_demands() {
    let timed = read("[store]\nheartbeat_ms = 600\nelection_ms = 3000").unwrap().store;
    assert_eq!(
        (timed.heartbeat, timed.election),
        (Span::from_millis(600), Span::from_secs(3))
    );
    for (text, says) in [
        (
            "election_ms = 499",
            "s.toml:2: store.election_ms = 499: etcd does not start with election_ms (499) below 5 times heartbeat_ms \
             (100); use at least 500 ms, or a shorter heartbeat_ms",
        ),
        (
            "heartbeat_ms = 201",
            "s.toml:2: store.heartbeat_ms = 201: etcd does not start with election_ms (1000) below 5 times \
             heartbeat_ms (201); use at most 200 ms, or a longer election_ms",
        ),
        (
            "election_ms = 50001",
            "s.toml:2: store.election_ms = 50001: is above the limit of 50000; use a whole number from 50 to 50000 ms",
        ),
        (
            "heartbeat_ms = 9",
            "s.toml:2: store.heartbeat_ms = 9: is below the least value 10; use a whole number from 10 to 10000 ms",
        ),
        (
            "heartbeat_ms = 100.5",
            "s.toml:2: store.heartbeat_ms = 100.5: is not a whole number; use a whole number from 10 to 10000 ms",
        ),
    ] {
        assert_eq!(errors(&format!("[store]\n{text}")), says);
    }
}

const PLACED: &str = "[store]\nplacement = \"nodes\"\n";

#[test]
fn members_placed_on_nodes_have_no_hosts_of_their_own_and_are_struck_as_processes() {
    let scenario = read(PLACED).unwrap();
    assert_eq!(scenario.store.placement, Placement::Nodes);
    assert_eq!(
        scenario.hosts(),
        [Host::Node(0), Host::Node(1), Host::Node(2), Host::Clients]
    );
    for (kind, ends) in [("kill", ""), ("pause", "resume_order = \"messages\"")] {
        let text = format!("{PLACED}[[fault]]\nat_s = 1\nkind = \"{kind}\"\ntarget = \"etcd2\"\n{ends}\n");
        let scenario = read(&text).unwrap();
        let (FaultKind::Kill { target, .. } | FaultKind::Pause { target, .. }) = &scenario.faults[0].what else {
            panic!("neither killed nor paused")
        };
        assert_eq!(*target, Target::Member(1));
        assert_eq!(read(&scenario.to_toml()), Ok(scenario));
    }
}

#[test]
fn a_member_placed_on_a_node_is_told_apart_from_the_nodes_host() {
    for (fault, says) in [
        (
            "kind = \"kill\"\ntarget = \"etcd2\"\nnetwork = \"refused\"",
            "fault.1.network = \"refused\": etcd2 is a process, only a whole host has this; leave it out, or use \
             target = \"node2\"",
        ),
        (
            "kind = \"pause\"\ntarget = \"etcd2\"\nmonotonic_runs = false",
            "etcd2 is a process, only a whole host has this;",
        ),
        (
            "kind = \"clock_rate\"\ntarget = \"etcd3\"\nppm = 5",
            "etcd3 has no clock of its own, it runs on node3 (store.placement = \"nodes\"); use node3",
        ),
        (
            "kind = \"cut\"\ntarget = \"etcd1\"",
            "etcd1 has no links of its own, it runs on node1 (store.placement = \"nodes\"); use node1 <-> *",
        ),
        (
            "kind = \"cut\"\ntarget = \"[node2, etcd1] -> *\"",
            "etcd1 has no links of its own, it runs on node1 (store.placement = \"nodes\"); use node1",
        ),
        (
            "kind = \"disk_stall\"\ntarget = \"etcd1\"",
            "etcd1 has no disk of its own, it runs on node1 (store.placement = \"nodes\"); use node1/disk",
        ),
        (
            "kind = \"disk_stall\"\ntarget = \"etcd1/disk\"",
            "etcd1 has no disk of its own, it runs on node1 (store.placement = \"nodes\"); use node1/disk",
        ),
        (
            "kind = \"kill\"\ntarget = \"etcd1/agent\"",
            "etcd1 has no agent of its own, it runs on node1 (store.placement = \"nodes\"); use node1/agent",
        ),
        (
            "kind = \"kill\"\ntarget = \"etcd4\"",
            "there is no host etcd4; use one of node1, node2, node3, clients",
        ),
    ] {
        let errors = errors(&format!("{PLACED}[[fault]]\nat_s = 10\n{fault}"));
        assert!(errors.contains(says), "{fault}: {errors}");
    }
}

#[test]
fn members_placed_on_nodes_are_no_more_than_the_nodes() {
    assert_eq!(
        errors("[store]\nmembers = 5\nplacement = \"nodes\""),
        "s.toml:2: store.members = 5: 5 members cannot each sit on another node's host, there are 3 nodes; use \
         store.members = 3 at most, or store.placement = \"own\""
    );
    assert_eq!(
        errors("[cluster]\nnodes = [\"a\", \"b\"]\n[store]\nplacement = \"nodes\""),
        "s.toml:4: store.placement = \"nodes\": 3 members cannot each sit on another node's host, there are 2 nodes; \
         use store.members = 2 at most, or store.placement = \"own\""
    );
    let two = read("[store]\nmembers = 2\nplacement = \"nodes\"").unwrap();
    assert!(two.names().has_member(Host::Node(1)) && !two.names().has_member(Host::Node(2)));
}

#[test]
fn settings_from_outside_replace_values_of_the_file_and_name_themselves_in_errors() {
    let set = |pairs: &[(&str, &str)]| {
        let pairs: Vec<_> = pairs
            .iter()
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect();
        Scenario::parse_with(SHIPPED[3].1, "s.toml", &pairs)
            .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    };
    let scenario = set(&[
        ("patroni.ttl", "40"),
        ("title", "Ten o'clock"),
        ("watchdog.mode", "required"),
        ("cluster.nodes", "node1,node2"),
        ("traffic.direct_writers", "false"),
        ("fault.1.at_s", "41.5"),
    ])
    .unwrap();
    assert_eq!(scenario.patroni.ttl, Span::from_secs(40));
    assert_eq!(scenario.title, "Ten o'clock");
    assert_eq!(scenario.cluster.nodes, ["node1", "node2"]);
    assert_eq!(scenario.faults[0].at, SimTime(41_500_000));
    assert!(!scenario.traffic.direct_writers);
    assert_eq!(
        set(&[("seed", "1"), ("patroni.ttl", "soon")]).unwrap_err(),
        "--set:2: patroni.ttl = soon: is not a number; use a number from 1 to 3600 s"
    );
    assert_eq!(
        set(&[("patroni.tll", "5")]).unwrap_err(),
        "--set:1: patroni.tll = 5: unknown key; did you mean patroni.ttl?"
    );
    assert_eq!(
        set(&[("fault.2.at_s", "5")]).unwrap_err(),
        "--set:1: fault.2.at_s = 5: there is no such fault; the file has 1"
    );
}

#[test]
fn setting_a_value_keeps_everything_else_and_a_refused_value_changes_nothing() {
    let mut scenario = read(SHIPPED[5].1).unwrap();
    let before = scenario.clone();
    assert!(scenario.set("patroni.ttl", "0").is_err());
    assert_eq!(scenario, before);
    scenario.set("patroni.ttl", "60").unwrap();
    assert_eq!(scenario.patroni.ttl, Span::from_secs(60));
    assert_eq!(scenario.faults[0].line, before.faults[0].line);
    scenario.set("patroni.ttl", "30").unwrap();
    assert_eq!(scenario, before);
}

#[test]
fn every_described_field_can_be_read_back_and_set_to_its_own_value() {
    let mut scenario = Scenario::default();
    for field in FIELDS {
        let value = scenario
            .get(field.key)
            .unwrap_or_else(|| panic!("{} has no value", field.key));
        scenario
            .set(field.key, &value)
            .unwrap_or_else(|errors| panic!("{}: {errors:?}", field.key));
        if let Some(default) = field.default {
            assert_eq!(value, default, "{}", field.key);
        }
    }
    assert_eq!(scenario, Scenario::default());
}

/// A value within a field's description, as the file writes it, or nothing where the default stays.
fn value(field: &'static Field) -> BoxedStrategy<Option<String>> {
    match field.kind {
        // Values that depend on each other have strategies of their own.
        _ if field.key.contains("_ms.") || !field.later.is_empty() => Just(None).boxed(),
        _ if [
            "store.members",
            "store.placement",
            "store.heartbeat_ms",
            "store.election_ms",
        ]
        .contains(&field.key) =>
        {
            Just(None).boxed()
        }
        FieldKind::Number { min, max, places } => {
            let places = if field.key.starts_with("patroni.") { 0 } else { places };
            let step = 10_i128.pow(6 - u32::from(places));
            (min.as_millionths() / step..=max.as_millionths() / step)
                .prop_map(move |n| {
                    let number = leaselab::scenario::decimal::Decimal::millionths(n * step);
                    (number >= min).then(|| number.to_string())
                })
                .boxed()
        }
        FieldKind::Flag => any::<bool>().prop_map(|flag| Some(flag.to_string())).boxed(),
        FieldKind::Choice(words) => proptest::sample::select(words)
            .prop_map(|w| Some(format!("\"{w}\"")))
            .boxed(),
        FieldKind::Text { .. } if field.key == "title" => "[ -~äé]{1,60}"
            .prop_map(|text| Some(format!("{:?}", format!("x{text}"))))
            .boxed(),
        FieldKind::Names { count_min: 0, .. } => proptest::sample::subsequence(vec!["node1", "node2", "node3"], 0..=3)
            .prop_map(|names| Some(format!("{names:?}")))
            .boxed(),
        FieldKind::Numbers { min, max, .. } => proptest::option::of(proptest::array::uniform3(min..=max))
            .prop_map(|numbers| numbers.map(|numbers| format!("{numbers:?}")))
            .boxed(),
        FieldKind::Text { .. } | FieldKind::Names { .. } => Just(None).boxed(),
    }
}

fn store() -> impl Strategy<Value = String> {
    let placed = prop_oneof![
        (1..=7).prop_map(|members| format!("store.members = {members}\nstore.placement = \"own\"\n")),
        (1..=3).prop_map(|members| format!("store.members = {members}\nstore.placement = \"nodes\"\n")),
    ];
    let timed = (10..=10_000).prop_flat_map(|heartbeat| (Just(heartbeat), heartbeat * 5..=50_000));
    (placed, timed).prop_map(|(placed, (heartbeat, election))| {
        format!("{placed}store.heartbeat_ms = {heartbeat}\nstore.election_ms = {election}\n")
    })
}

fn comment() -> impl Strategy<Value = String> {
    proptest::collection::vec("[ \t#-~é]{0,40}", 0..4)
        .prop_map(|lines| lines.iter().map(|line| format!("#{line}\n")).collect())
}

fn links() -> impl Strategy<Value = String> {
    let host = || {
        proptest::sample::select(vec![
            "node1",
            "node2",
            "node3",
            "etcd1",
            "clients",
            "*",
            "[node1, node2]",
        ])
    };
    (host(), proptest::sample::select(vec!["->", "<->", "|"]), host()).prop_map(|(a, way, b)| format!("{a} {way} {b}"))
}

fn fault_text() -> impl Strategy<Value = String> {
    let number = |range: std::ops::Range<u32>| range.prop_map(|n| format!("{}.{:03}", n / 1000, n % 1000));
    let end = prop_oneof![
        Just(String::new()),
        number(1..90_000).prop_map(|n| format!("for_s = {n}\n")),
        number(1..900_000).prop_map(|n| format!("until_s = {n}\n")),
        (number(1..90_000), number(1..900_000)).prop_map(|(n, every)| format!("for_s = {n}\nevery_s = {every}\n")),
        (number(1..9_000), number(9_000..90_000), number(1..900_000))
            .prop_map(|(n, every, stop)| format!("for_s = {n}\nevery_s = {every}\nrepeat_until_s = {stop}\n")),
    ];
    let target = || proptest::sample::select(vec!["node1", "etcd1", "node3/agent", "node2/postgres"]);
    let disk = || proptest::sample::select(vec!["node1/disk", "etcd3/disk", "etcd1/disk", "etcd2"]);
    let what = prop_oneof![
        target().prop_map(|target| format!("kind = \"kill\"\ntarget = \"{target}\"")),
        (target(), proptest::sample::select(vec!["messages", "application"]))
            .prop_map(|(target, order)| format!("kind=\"pause\"\ntarget=\"{target}\"\nresume_order=\"{order}\"")),
        (
            links(),
            proptest::sample::select(vec!["silent", "refused", "mute", "payload_lost"])
        )
            .prop_map(|(links, mode)| format!("kind = \"cut\"\ntarget = \"{links}\"\nmode = \"{mode}\"")),
        (links(), number(0..90_000))
            .prop_map(|(links, add)| format!("kind = \"latency\"\ntarget = \"{links}\"\nadd_ms = {add}")),
        (links(), number(0..100_000))
            .prop_map(|(links, loss)| format!("kind = \"loss\"\ntarget = \"{links}\"\npercent = {loss}")),
        disk().prop_map(|disk| format!("kind = \"disk_stall\"\ntarget = \"{disk}\"")),
        (disk(), number(0..70_000))
            .prop_map(|(disk, add)| format!("kind = \"disk_slow\"\ntarget = \"{disk}\"\nadd_ms = {add}")),
        (disk(), proptest::array::uniform3(0..60_000)).prop_map(|(disk, [min, typical, max])| format!(
            "kind = \"disk_slow\"\ntarget = \"{disk}\"\nmin_ms = {min}\ntypical_ms = {typical}\nmax_ms = {max}"
        )),
        (target(), number(0..90_000))
            .prop_map(|(host, by)| format!("kind = \"clock_step\"\ntarget = \"{host}\"\nby_s = -{by}")),
        (
            proptest::sample::select(vec!["stop", "restart", "stuck_stop", "failed_promote"]),
            target()
        )
            .prop_map(|(kind, target)| format!("kind = \"{kind}\"\ntarget = \"{target}\"")),
        (
            proptest::sample::select(vec!["failover", "maintenance", "delete_key"]),
            target()
        )
            .prop_map(|(kind, target)| format!("kind = \"{kind}\"\ntarget = \"{target}\"")),
        (target(), target())
            .prop_map(|(node, to)| format!("kind = \"switchover\"\ntarget = \"{node}\"\nto = \"{to}\"")),
        (target(), target())
            .prop_map(|(node, name)| format!("kind = \"same_name\"\ntarget = \"{node}\"\nname = \"{name}\"")),
        (target(), number(0..90_000))
            .prop_map(|(target, add)| format!("kind = \"slow_sql\"\ntarget = \"{target}\"\nadd_ms = {add}")),
        (target(), -600_000..600_000)
            .prop_map(|(host, ppm)| format!("kind = \"clock_rate\"\ntarget = \"{host}\"\nppm = {ppm}")),
    ];
    (number(0..130_000), end, what).prop_map(|(at, end, what)| format!("[[fault]]\nat_s = {at}\n{end}{what}\n"))
}

proptest! {
    #[test]
    fn the_canonical_text_of_any_settings_parses_back_to_the_same_scenario(
        comment in comment(),
        store in store(),
        values in FIELDS.iter().map(value).collect::<Vec<_>>(),
        mut latency in proptest::array::uniform3(0_u64..60_000),
    ) {
        latency.sort();
        let mut text = comment + &store;
        for (field, value) in FIELDS.iter().zip(values) {
            if let Some(value) = value {
                text += &format!("{} = {value}\n", field.key);
            }
        }
        for (part, value) in ["min", "typical", "max"].into_iter().zip(latency) {
            text += &format!("network.latency_ms.{part} = {value}\n");
        }
        let scenario = read(&text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        prop_assert_eq!(read(&scenario.to_toml()), Ok(scenario));
    }

    #[test]
    fn faults_survive_the_way_through_the_canonical_text_or_are_refused_with_a_reason(
        store in store(), faults in proptest::collection::vec(fault_text(), 1..5),
    ) {
        if let Ok(scenario) = read(&(store + &faults.concat())) {
            prop_assert_eq!(read(&scenario.to_toml()), Ok(scenario));
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,400}") {
        let _ = read(&text);
    }

    #[test]
    fn no_text_that_looks_like_a_scenario_makes_the_reader_panic(
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "title", "[patroni]", "[[fault]]", "ttl", "=", "\"", "'''", "\n", "0x7f", "-1e9", ".", "{", "}", "[", "]",
            "fault", "cluster.nodes", "\"node1\"", "kind", "target", "\"node1 <-> *\"", "\"cut\"", ",", "é", "#", " ",
            "at_s", "1e400", "nan", "latency_ms", "min", "1979-05-27", "true", "\\u", "\r", "\"\"\"", "network",
        ]), 0..60),
    ) {
        let _ = read(&parts.concat());
    }

    #[test]
    fn no_setting_from_outside_makes_the_reader_panic(key in "[a-z._0-9]{0,20}", value in "\\PC{0,40}", index in 0..FIELDS.len()) {
        let known = FIELDS[index].key.to_string();
        let _ = Scenario::parse_with(SHIPPED[0].1, "s", &[(key, value.clone())]);
        let _ = Scenario::parse_with(SHIPPED[3].1, "s", &[(known, value.clone()), ("fault.1.target".into(), value)]);
    }

    #[test]
    fn a_target_is_any_text_and_is_read_or_refused(target in "[a-z0-9 \\[\\],|<>*/-]{0,30}") {
        let _ = fault(&format!("at_s = 1\nkind = \"cut\"\ntarget = '{target}'"));
        let _ = fault(&format!("at_s = 1\nkind = \"kill\"\ntarget = '{target}'"));
    }
}
