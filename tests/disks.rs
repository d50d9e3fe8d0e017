#![cfg(not(target_arch = "wasm32"))]
//! What faults do to disks, seen by a process that writes at fixed times, and how a fault comes more than once.

use leaselab::engine::*;

/// What the actors here say.
#[derive(Clone, Debug, PartialEq)]
struct Numbers;

impl Wire for Numbers {
    type Message = u32;
    type FileName = u8;
    type File = u32;
    type Note = String;
    type Order = ();
}

fn at(seconds: f64) -> SimTime {
    SimTime((seconds * 1e6) as u64)
}

fn strike(from: f64, until: Option<f64>, acts: Vec<Act>) -> Strike {
    Strike {
        times: vec![(at(from), until.map(at))],
        acts,
    }
}

/// `seconds text` of every note.
fn notes(trace: &FullTrace<Numbers>) -> Vec<String> {
    let note = |e: &Event<Numbers>| match &e.what {
        What::Note(text) => Some(format!("{} {text}", e.at)),
        _ => None,
    };
    trace.iter().filter_map(note).collect()
}

/// A run of 60 s of these actors, each on a host of its own.
fn run<A: Actor<Numbers>>(actors: Vec<A>, fsync: Spread, strikes: Vec<Strike>) -> FullTrace<Numbers> {
    let plan = Furnishing {
        seed: 1,
        latency: Spread::exactly(Span::from_millis(10)),
        loss_ppm: 0,
        hosts: actors.len(),
        fsync,
        second_takes: Spread::exactly(Span::from_secs(1)),
        pressure_ppm: 0,
        reaps_every: Span::ZERO,
        one_segment: false,
        processes: (0..actors.len() as u8).map(|h| (HostId(h), Starts::WithHost)).collect(),
        strikes,
    };
    let (mut engine, mut trace) = (Engine::new(plan, actors), FullTrace::default());
    engine.run_until(at(60.0), &mut trace);
    assert_eq!(engine.findings(), &[]);
    trace
}

const WRITE: Spread = Spread::from_millis(5, 5, 5);

/// Asks its disk for a write at fixed times after its start, and notes when each is durable.
#[derive(Clone, Debug)]
struct Scribe(Vec<u64>);

impl Actor<Numbers> for Scribe {
    fn handle(&mut self, input: Input<Numbers>, ctx: &mut Ctx<'_, Numbers>) {
        match input {
            Input::Start => {
                for (n, &ms) in self.0.iter().enumerate() {
                    ctx.set_timer(TimerKey(n as u32), Span::from_millis(ms));
                }
            }
            Input::Timer(TimerKey(n)) => ctx.fsync(n.into()),
            Input::DiskDone(n) => ctx.note(format!("durable {n}")),
            _ => {}
        }
    }
}

/// The scribe asks for a write at each of these times, in ms.
fn scribe(writes: &[u64], strikes: Vec<Strike>) -> FullTrace<Numbers> {
    run(vec![Scribe(writes.to_vec())], WRITE, strikes)
}

fn durable(writes: &[u64], strikes: Vec<Strike>) -> Vec<String> {
    notes(&scribe(writes, strikes))
}

fn disk(change: DiskChange) -> Vec<Act> {
    let host = HostId(0);
    vec![Act::Disk { host, change }]
}

fn stall(from: f64, until: f64) -> Strike {
    strike(from, Some(until), disk(DiskChange::Stall))
}

fn slower(from: f64, until: f64, slower: Slower) -> Strike {
    strike(from, Some(until), disk(DiskChange::Slower(slower)))
}

#[test]
fn writes_become_durable_one_after_another() {
    assert_eq!(
        durable(&[10, 12, 30], vec![]),
        ["0.015 durable 0", "0.020 durable 1", "0.035 durable 2"]
    );
}

#[test]
fn a_stalled_disk_makes_nothing_durable_and_then_everything_in_its_order() {
    assert_eq!(
        durable(&[100, 500, 501, 1_200], vec![stall(0.05, 1.0)]),
        [
            "1.005 durable 0",
            "1.010 durable 1",
            "1.015 durable 2",
            "1.205 durable 3"
        ]
    );
    let never = strike(0.05, None, disk(DiskChange::Stall));
    assert!(durable(&[10, 100], vec![never]).iter().eq(["0.015 durable 0"]));
}

#[test]
fn a_write_that_is_under_way_when_a_stall_begins_is_durable_when_it_ends_and_not_before() {
    // Under way: write 0, from 0.010 to 0.015. Write 1 waits behind it and begins after the stall.
    assert_eq!(
        durable(&[10, 11], vec![stall(0.012, 0.5)]),
        ["0.500 durable 0", "0.505 durable 1"]
    );
    // A stall shorter than the rest of the write changes nothing, for what waits behind it neither.
    assert_eq!(
        durable(&[10, 11, 12], vec![stall(0.0115, 0.0125)]),
        ["0.015 durable 0", "0.020 durable 1", "0.025 durable 2"]
    );
}

#[test]
fn stalls_that_overlap_end_one_by_one() {
    let both = vec![stall(0.05, 1.0), stall(0.5, 2.0)];
    assert_eq!(durable(&[100, 1_500], both), ["2.005 durable 0", "2.010 durable 1"]);
    let inner = vec![stall(0.05, 2.0), stall(0.5, 1.0)];
    assert_eq!(durable(&[100], inner), ["2.005 durable 0"]);
}

#[test]
fn a_slow_disk_takes_longer_for_what_is_asked_of_it_meanwhile() {
    let add = Slower::Add(Spread::exactly(Span::from_millis(100)));
    let replace = Slower::Replace(Spread::exactly(Span::from_millis(50)));
    assert_eq!(
        durable(&[10, 1_000, 3_000], vec![slower(0.5, 2.0, add)]),
        ["0.015 durable 0", "1.105 durable 1", "3.005 durable 2"]
    );
    assert_eq!(
        durable(
            &[1_000, 3_000, 5_000],
            vec![slower(0.5, 4.0, replace), slower(0.6, 2.0, add)]
        ),
        ["1.150 durable 0", "3.050 durable 1", "5.005 durable 2"],
        "two on one disk end one by one"
    );
    assert_eq!(
        durable(&[1_000], vec![slower(0.5, 9.0, add), stall(1.05, 3.0)]),
        ["3.000 durable 0"],
        "a stall lies on top"
    );
}

#[test]
fn a_fault_of_the_disk_does_not_change_how_long_later_writes_take() {
    let times = |strikes| {
        let scribe = Scribe((0..200).map(|n| n * 100).collect());
        notes(&run(vec![scribe], Spread::from_millis(1, 5, 50), strikes))
    };
    let add = Slower::Add(Spread::from_millis(1, 10, 20));
    let (quiet, struck) = (times(vec![]), times(vec![slower(1.0, 2.0, add), stall(3.0, 3.5)]));
    assert_ne!(quiet[..40], struck[..40]);
    assert_eq!(quiet[50..], struck[50..]);
}

#[test]
fn a_late_write_is_traced_to_the_fault_of_the_disk() {
    let add = Slower::Add(Spread::exactly(Span::from_millis(100)));
    let strikes = vec![slower(0.5, 2.0, add), stall(3.0, 4.0)];
    // On time; slow; waiting behind a slow one, when the disk is as before; on time; stalled.
    let trace = scribe(&[10, 1_999, 2_001, 2_500, 3_500], strikes);
    let why: Vec<_> = trace
        .iter()
        .filter(|e| matches!(e.what, What::DiskDone { .. }))
        .map(|e| {
            e.because
                .map(|because| trace.get(because).expect("in the trace").what.clone())
        })
        .collect();
    let fault = |index| Some(What::Fault { index, begins: true });
    assert_eq!(why, [None, fault(0), fault(0), None, fault(1)]);
}

#[test]
fn what_a_killed_host_had_not_made_durable_is_lost_and_a_stall_outlives_its_boot() {
    let victim = Victim::Host(HostId(0));
    let kill = strike(0.5, Some(1.0), vec![Act::Kill { victim, silent: true }]);
    // Started again at 1.0, the scribe asks at 1.1 and 1.4.
    let trace = durable(&[100, 400], vec![stall(0.05, 2.0), kill]);
    assert_eq!(trace, ["2.005 durable 0", "2.010 durable 1"]);
}

/// The client asks the server once and waits for half a second; the server answers when the question is durable.
#[derive(Clone, Debug)]
enum Keeper {
    Client,
    Server(Option<ConnId>),
}

impl Actor<Numbers> for Keeper {
    fn handle(&mut self, input: Input<Numbers>, ctx: &mut Ctx<'_, Numbers>) {
        match (self, input) {
            (Keeper::Client, Input::Start) => {
                ctx.open(ProcId(1));
            }
            (Keeper::Client, Input::Opened(conn)) => {
                ctx.send(conn, 1);
                ctx.set_timeout(TimerKey(0), Span::from_millis(500), &[conn]);
            }
            (Keeper::Client, Input::Timer(_)) => ctx.note("no answer".into()),
            (Keeper::Client, Input::Message(..)) => ctx.note("answer".into()),
            (Keeper::Server(asker), Input::Message(conn, _)) => {
                *asker = Some(conn);
                ctx.fsync(0);
            }
            (Keeper::Server(Some(conn)), Input::DiskDone(_)) => ctx.send(*conn, 2),
            _ => {}
        }
    }
}

#[test]
fn a_timeout_on_a_peer_whose_disk_stalls_is_traced_to_the_stall() {
    let act = Act::Disk {
        host: HostId(1),
        change: DiskChange::Stall,
    };
    let stall = strike(0.01, Some(3.2), vec![act]);
    let trace = run(vec![Keeper::Client, Keeper::Server(None)], WRITE, vec![stall]);
    assert_eq!(notes(&trace), ["0.520 no answer", "3.215 answer"]);
    let timeout = trace
        .iter()
        .find(|e| matches!(e.what, What::Timer(_)))
        .expect("a timeout");
    let why = trace
        .get(timeout.because.expect("something was missed"))
        .expect("in the trace");
    assert_eq!(why.what, What::Fault { index: 0, begins: true });
}

#[test]
fn a_strike_comes_at_each_of_its_times_under_one_number() {
    let times = [(0.05, 0.5), (1.0, 1.5), (2.0, 2.5)];
    let stalls = Strike {
        times: times.iter().map(|&(from, until)| (at(from), Some(at(until)))).collect(),
        acts: disk(DiskChange::Stall),
    };
    let trace = scribe(&[100, 700, 1_100, 2_100], vec![stalls]);
    assert_eq!(
        notes(&trace),
        [
            "0.505 durable 0",
            "0.705 durable 1",
            "1.505 durable 2",
            "2.505 durable 3"
        ]
    );
    let faults: Vec<_> = trace
        .iter()
        .filter_map(|e| {
            if let What::Fault { index, begins } = e.what {
                Some((e.at, index, begins))
            } else {
                None
            }
        })
        .collect();
    let expected = times
        .iter()
        .flat_map(|&(from, until)| [(at(from), 0, true), (at(until), 0, false)]);
    assert_eq!(faults, expected.collect::<Vec<_>>());
}
