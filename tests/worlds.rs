#![cfg(not(target_arch = "wasm32"))]
//! Whole worlds under random faults: nothing of ours breaks, and when every fault is over the cluster is whole again.

use leaselab::engine::{FullTrace, Mode, ResumeOrder, SimTime, Span};
use leaselab::scenario::{
    DeadHostNetwork, Direction, Ends, Fault, FaultKind, Host, Latency, LatencyChange, Links, Process, Repeats,
    Scenario, Target, Traffic,
};
use leaselab::verdict::{judge, run};
use leaselab::world::World;
use proptest::prelude::*;

/// Faults end by then.
const CALM_S: u64 = 120;
/// Long enough after it for a lease to run out, a race, a rewind, and a router to notice; and for the longest pause
/// between two retransmissions, 120 s, that a long cut can leave behind.
const END_S: u64 = CALM_S + 240;

fn cluster() -> Scenario {
    let traffic = Traffic {
        direct_write_period: Span::from_millis(500),
        ..Scenario::default().traffic
    };
    Scenario {
        duration: Span::from_secs(END_S),
        traffic,
        ..Scenario::default()
    }
}

fn host() -> impl Strategy<Value = Host> {
    prop_oneof![3 => (0usize..3).prop_map(Host::Node), 1 => Just(Host::Store(0))]
}

fn target() -> impl Strategy<Value = Target> {
    let process = prop_oneof![Just(Process::Agent), Just(Process::Postgres)];
    prop_oneof![
        host().prop_map(Target::Host),
        (0usize..3, process).prop_map(|(node, p)| Target::Process(node, p))
    ]
}

fn links() -> impl Strategy<Value = Links> {
    let direction = prop_oneof![Just(Direction::LeftToRight), Just(Direction::Both)];
    let right = prop_oneof![
        Just(Ends::Others),
        Just(Ends::Hosts(vec![Host::Store(0)])),
        Just(Ends::Hosts(vec![Host::Clients]))
    ];
    (0usize..3, right, direction).prop_map(|(node, right, direction)| Links {
        left: Ends::Hosts(vec![Host::Node(node)]),
        right,
        direction,
    })
}

fn kind() -> impl Strategy<Value = FaultKind> {
    let network = prop_oneof![Just(DeadHostNetwork::Silent), Just(DeadHostNetwork::Refused)];
    let order = prop_oneof![Just(ResumeOrder::Application), Just(ResumeOrder::Messages)];
    let mode = prop_oneof![
        Just(Mode::Silent),
        Just(Mode::Refused),
        Just(Mode::Mute),
        Just(Mode::PayloadLost)
    ];
    let slow = Latency {
        min: Span::from_millis(50),
        typical: Span::from_millis(400),
        max: Span::from_secs(4),
    };
    let change = move || {
        prop_oneof![
            (1u64..3_000).prop_map(|ms| LatencyChange::Add(Span::from_millis(ms))),
            Just(LatencyChange::Replace(slow)),
        ]
    };
    prop_oneof![
        3 => (target(), network).prop_map(|(target, network)| FaultKind::Kill { target, network }),
        3 => (target(), any::<bool>(), order).prop_map(|(target, runs, resume_order)| {
            let monotonic_runs = runs || !matches!(target, Target::Host(_));
            FaultKind::Pause { target, monotonic_runs, resume_order }
        }),
        3 => (links(), mode).prop_map(|(links, mode)| FaultKind::Cut { links, mode }),
        1 => (links(), change()).prop_map(|(links, change)| FaultKind::Latency { links, change }),
        1 => (links(), 0u32..600_000).prop_map(|(links, ppm)| FaultKind::Loss { links, ppm }),
        1 => host().prop_map(|host| FaultKind::DiskStall { host }),
        1 => (host(), change()).prop_map(|(host, change)| FaultKind::DiskSlow { host, change }),
        1 => (host(), -60_000_000i64..60_000_000).prop_map(|(host, by_us)| FaultKind::ClockStep { host, by_us }),
        1 => (host(), -100_000i32..100_000).prop_map(|(host, ppm)| FaultKind::ClockRate { host, ppm }),
    ]
}

fn fault() -> impl Strategy<Value = Fault> {
    let again = prop::option::weighted(0.3, 1u64..30_000_000);
    (0..(CALM_S - 1) * 1_000_000, 1..CALM_S * 1_000_000, again, kind()).prop_map(|(at, end, again, what)| {
        let (at, end) = (SimTime(at), SimTime(end.max(at + 1_000)));
        let until = (!matches!(what, FaultKind::ClockStep { .. })).then_some(end);
        let lasts = end.since(at);
        let repeats = again.filter(|_| until.is_some()).map(|pause| Repeats {
            every: lasts + Span(pause),
            // The last time ends by then, too.
            until: Some(SimTime(CALM_S * 1_000_000) - lasts)
                .filter(|&stop| stop > at)
                .or(Some(at + Span(1))),
        });
        Fault {
            at,
            until,
            repeats,
            what,
            line: 0,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn after_the_last_fault_one_primary_leads_and_the_others_stream_from_it(
        seed in 0u64..1_000_000, faults in prop::collection::vec(fault(), 1..5),
    ) {
        let scenario = Scenario { seed, faults, ..cluster() };
        let run = run(&scenario);
        prop_assert!(run.verdict.finding("engine rules").is_none_or(|f| f.holds), "{:?}", run.verdict.findings);
        let last = run.verdict.at(SimTime::ZERO + scenario.duration);
        prop_assert_eq!(last.writable.len(), 1, "writable at the end: {:?}, holder {:?}", last.writable, last.holder);
        prop_assert_eq!(last.writable.iter().next(), last.holder);
        prop_assert_eq!(streaming(&run.trace, &run.layout), 2);
    }

    #[test]
    fn a_run_for_its_verdict_alone_gives_the_verdict_of_a_full_run(
        seed in 0u64..1_000_000, faults in prop::collection::vec(fault(), 1..4),
    ) {
        let scenario = Scenario { seed, faults, duration: Span::from_secs(150), ..cluster() };
        let (alone, mut full) = (judge(&scenario), run(&scenario).verdict);
        full.trace_hash = None;
        prop_assert_eq!(alone, full);
    }
}

/// How many standbys stream at the end.
fn streaming(trace: &FullTrace<leaselab::vocabulary::Words>, layout: &leaselab::world::Layout) -> usize {
    use leaselab::engine::{Life, Place, What};
    use leaselab::vocabulary::Note;
    let of = |process| {
        let mine = trace.iter().filter(move |e| e.place == Place::Process(process));
        mine.rev().find_map(|e| match &e.what {
            What::Note(Note::Streams { .. }) => Some(true),
            What::Note(Note::StopsStreaming) | What::Life(Life::Killed | Life::Exited) => Some(false),
            _ => None,
        })
    };
    layout
        .nodes()
        .iter()
        .filter(|node| of(node.postgres) == Some(true))
        .count()
}

#[test]
fn a_world_stopped_half_way_and_cloned_ends_like_one_that_ran_through() {
    let scenario = cluster();
    let (mut through, mut trace) = (World::new(&scenario), FullTrace::default());
    through.run_until(SimTime(100_000_000), &mut trace);
    let (mut halves, mut first) = (World::new(&scenario), FullTrace::default());
    halves.run_until(SimTime(41_234_567), &mut first);
    halves.clone().run_until(SimTime(100_000_000), &mut first);
    assert_eq!(trace.hash(), first.hash());
}
