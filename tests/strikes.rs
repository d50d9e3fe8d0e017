#![cfg(not(target_arch = "wasm32"))]
//! What the faults of a scenario strike in its world: which host, process or disk, and how often.

use leaselab::engine::{FullTrace, Life, Place, SimTime, What};
use leaselab::scenario::Scenario;
use leaselab::vocabulary::{Note, Words, WriteOutcome};
use leaselab::world::{Layout, Part, World};

/// A run of 60 s with a store of one member.
fn run(text: &str) -> (FullTrace<Words>, Layout) {
    let text = format!("duration_s = 60\nstore.members = 1\n{text}");
    let scenario = Scenario::parse(&text, "test").unwrap_or_else(|errors| panic!("{errors:?}"));
    let (mut world, mut trace) = (World::new(&scenario), FullTrace::default());
    world.run_until(SimTime::ZERO + scenario.duration, &mut trace);
    assert_eq!(world.findings(), &[]);
    (trace, world.layout().clone())
}

/// `seconds name` of every process and host to which this happened after the start.
fn lives((trace, layout): &(FullTrace<Words>, Layout), life: Life) -> Vec<String> {
    let lived = trace
        .iter()
        .filter(|e| e.what == What::Life(life) && e.at > SimTime::ZERO);
    lived
        .map(|e| {
            let kind = if matches!(e.place, Place::Host(_)) { "host " } else { "" };
            format!("{} {kind}{}", e.at, layout.place_name(e.place))
        })
        .collect()
}

fn fault(rest: &str) -> String {
    format!("[[fault]]\nat_s = 10\nfor_s = 2\n{rest}\n")
}

#[test]
fn a_fault_that_comes_again_strikes_each_time_until_the_run_ends() {
    let run = run(&fault("every_s = 20\nkind = \"pause\"\ntarget = \"node3/agent\""));
    let paused = ["10.000 node3/agent", "30.000 node3/agent", "50.000 node3/agent"];
    let resumed = ["12.000 node3/agent", "32.000 node3/agent", "52.000 node3/agent"];
    assert_eq!(lives(&run, Life::Paused), paused);
    assert_eq!(lives(&run, Life::Resumed), resumed);
    let numbers = run.0.iter().filter_map(|e| match e.what {
        What::Fault { index, .. } => Some(index),
        _ => None,
    });
    assert!(numbers.eq([0; 6]), "every time under the number of the fault");
}

#[test]
fn a_pause_of_a_member_stops_its_process_or_with_its_monotonic_clock_the_whole_machine() {
    let process = run(&fault("kind = \"pause\"\ntarget = \"etcd1\""));
    assert_eq!(lives(&process, Life::Paused), ["10.000 etcd1"]);
    let machine = run(&fault("kind = \"pause\"\ntarget = \"etcd1\"\nmonotonic_runs = false"));
    assert_eq!(lives(&machine, Life::Paused), ["10.000 host etcd1"]);
}

#[test]
fn a_member_placed_on_a_node_is_killed_alone_by_its_name_and_with_the_node_by_the_nodes() {
    let placed = "store.placement = \"nodes\"\n";
    let member_killed = run(&format!("{placed}{}", fault("kind = \"kill\"\ntarget = \"etcd1\"")));
    let layout = &member_killed.1;
    assert_eq!(layout.host_count(), 4, "three nodes and the clients");
    let (host, member) = layout.store()[0];
    assert_eq!((host, layout.part(member)), (layout.nodes()[0].host, Part::Store(0)));
    assert_eq!(
        layout.node_at(Place::Process(member)),
        None,
        "it is no part of the node"
    );
    assert_eq!(lives(&member_killed, Life::Killed), ["10.000 etcd1"]);
    assert_eq!(lives(&member_killed, Life::Started)[0], "12.000 etcd1");

    let node = run(&format!("{placed}{}", fault("kind = \"kill\"\ntarget = \"node1\"")));
    let killed = lives(&node, Life::Killed);
    for life in ["10.000 host node1", "10.000 node1/agent", "10.000 etcd1"] {
        assert!(killed.iter().any(|killed| killed == life), "{killed:?}");
    }
}

/// Where each fault of the run struck.
fn struck((trace, layout): &(FullTrace<Words>, Layout)) -> Vec<String> {
    let faults = trace.iter().filter(|e| matches!(e.what, What::Fault { .. }));
    faults
        .map(|e| format!("{} {}", e.at, layout.place_name(e.place)))
        .collect()
}

#[test]
fn an_order_is_told_to_the_agent_of_the_node_to_its_database_or_to_the_member_that_is_named() {
    let once = |rest: &str| format!("[[fault]]\nat_s = 10\n{rest}\n");
    for (text, whom) in [
        (once("kind = \"switchover\"\ntarget = \"node1\""), "10.000 node1/agent"),
        (once("kind = \"failover\"\ntarget = \"node2\""), "10.000 node2/agent"),
        (
            once("kind = \"restart\"\ntarget = \"node3/postgres\""),
            "10.000 node3/agent",
        ),
        (
            once("kind = \"same_name\"\ntarget = \"node3/agent\"\nname = \"node1\""),
            "10.000 node3/agent",
        ),
        (once("kind = \"delete_key\"\ntarget = \"etcd1\""), "10.000 etcd1"),
    ] {
        assert_eq!(struck(&run(&text)), [whom], "{text}");
        let placed = format!("store.placement = \"nodes\"\n{text}");
        assert_eq!(struck(&run(&placed)), [whom], "{placed}");
    }
    for (text, from, until) in [
        (
            fault("kind = \"maintenance\"\ntarget = \"node1\""),
            "10.000 node1/agent",
            "12.000 node1/agent",
        ),
        (
            fault("kind = \"block\"\ntarget = \"node2/agent\""),
            "10.000 node2/agent",
            "12.000 node2/agent",
        ),
        (
            fault("kind = \"slow_sql\"\ntarget = \"node1/postgres\"\nadd_ms = 900"),
            "10.000 node1/postgres",
            "12.000 node1/postgres",
        ),
        (
            fault("kind = \"stop\"\ntarget = \"node3/agent\""),
            "10.000 node3/agent",
            "12.000 node3/agent",
        ),
    ] {
        assert_eq!(struck(&run(&text)), [from, until], "{text}");
    }
}

/// The times at which the writer on this node was told that its write is durable.
fn acknowledged((trace, layout): &(FullTrace<Words>, Layout), node: usize) -> Vec<SimTime> {
    let writer = layout.nodes()[node].writer.map(Place::Process);
    let told = trace.iter().filter(|e| Some(e.place) == writer);
    let acknowledged = |what: &What<Words>| {
        matches!(
            what,
            What::Note(Note::Write {
                outcome: WriteOutcome::Acknowledged { .. },
                ..
            })
        )
    };
    told.filter(|e| acknowledged(&e.what)).map(|e| e.at).collect()
}

#[test]
fn while_a_nodes_disk_stalls_no_write_on_it_is_acknowledged_and_then_those_that_waited_are() {
    let run = run(&fault("kind = \"disk_stall\"\ntarget = \"node1/disk\""));
    let times = acknowledged(&run, 0);
    let within = |from: u64, to: u64| times.iter().filter(|at| (from..to).contains(&at.0)).count();
    assert!(within(8_000_000, 10_000_000) > 15);
    assert!(within(10_010_000, 12_000_000) == 0, "{times:?}");
    assert!(within(12_000_000, 14_000_000) > 15);
}

#[test]
fn a_slow_disk_makes_acknowledgements_late() {
    let count = |text: &str| {
        let times = acknowledged(&run(text), 0);
        times
            .iter()
            .filter(|at| (10_000_000..12_000_000).contains(&at.0))
            .count()
    };
    let slow = count(&fault("kind = \"disk_slow\"\ntarget = \"node1/disk\"\nadd_ms = 900"));
    assert!((1..=3).contains(&slow), "{slow}");
    assert!(count("") > 15);
}
