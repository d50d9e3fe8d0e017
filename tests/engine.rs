#![cfg(not(target_arch = "wasm32"))]
//! What the engine's network, processes and clocks do, seen by a client that talks to a server once a second.

use leaselab::engine::*;

/// The client asks by number, the server answers with the same number.
#[derive(Clone, Debug, PartialEq)]
struct Numbers;

impl Wire for Numbers {
    type Message = u32;
    type FileName = u8;
    type File = u32;
    type Note = String;
    type Order = ();
}

const ASK: TimerKey = TimerKey(0);
const PATIENCE: TimerKey = TimerKey(1);
const OPEN: TimerKey = TimerKey(2);
const CLIENT: ProcId = ProcId(0);
const SERVER: ProcId = ProcId(1);

/// Opens one connection and asks on it once a second; notes what becomes of it.
#[derive(Clone, Debug)]
enum Peer {
    Client { conn: Option<ConnId>, asked: u32 },
    Server { answered: u32 },
}

impl Actor<Numbers> for Peer {
    fn handle(&mut self, input: Input<Numbers>, ctx: &mut Ctx<'_, Numbers>) {
        match self {
            Peer::Client { conn, asked } => match input {
                // Not at once, so that a fault at 0 comes first.
                Input::Start => ctx.set_timer(OPEN, Span::ZERO),
                Input::Timer(OPEN) => {
                    let opened = ctx.open(SERVER);
                    *conn = Some(opened);
                    ctx.set_timeout(PATIENCE, Span::from_secs(3), &[opened]);
                }
                Input::Opened(_) => {
                    ctx.note("opened".into());
                    ctx.cancel_timer(PATIENCE);
                    ctx.set_timer(ASK, Span::from_secs(1));
                }
                Input::Timer(ASK) => {
                    *asked += 1;
                    if let Some(conn) = *conn {
                        ctx.send(conn, *asked);
                        ctx.set_timeout(PATIENCE, Span::from_millis(500), &[conn]);
                    }
                    ctx.set_timer(ASK, Span::from_secs(1));
                }
                Input::Timer(_) => ctx.note("no answer".into()),
                Input::Message(_, number) => {
                    ctx.cancel_timer(PATIENCE);
                    ctx.note(format!("answer {number}"));
                }
                Input::Ended(_, how) => {
                    ctx.cancel_timer(ASK);
                    ctx.cancel_timer(PATIENCE);
                    ctx.note(format!("ended {how:?}"));
                }
                _ => {}
            },
            Peer::Server { answered } => match input {
                Input::Message(conn, number) => {
                    *answered += 1;
                    ctx.note(format!("asked {number}"));
                    ctx.send(conn, number);
                }
                Input::Ended(_, how) => ctx.note(format!("client {how:?}")),
                _ => {}
            },
        }
    }
}

fn plan(strikes: Vec<Strike>) -> Furnishing {
    Furnishing {
        seed: 1,
        latency: Spread::exactly(Span::from_millis(10)),
        loss_ppm: 0,
        hosts: 2,
        fsync: Spread::exactly(Span::from_millis(5)),
        second_takes: Spread::exactly(Span::from_secs(1)),
        pressure_ppm: 0,
        reaps_every: Span::ZERO,
        one_segment: false,
        processes: vec![(HostId(0), Starts::WithHost), (HostId(1), Starts::WithHost)],
        strikes,
    }
}

fn world(strikes: Vec<Strike>) -> Engine<Numbers, Peer> {
    Engine::new(
        plan(strikes),
        vec![Peer::Client { conn: None, asked: 0 }, Peer::Server { answered: 0 }],
    )
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

fn cut(mode: Mode) -> Vec<Act> {
    let (a, b) = (HostId(0), HostId(1));
    vec![Act::Cut { from: a, to: b, mode }, Act::Cut { from: b, to: a, mode }]
}

fn trace(strikes: Vec<Strike>, seconds: f64) -> FullTrace<Numbers> {
    let (mut engine, mut trace) = (world(strikes), FullTrace::default());
    engine.run_until(at(seconds), &mut trace);
    assert_eq!(engine.findings(), &[]);
    trace
}

/// `seconds text` of every note of a process.
fn notes(trace: &FullTrace<Numbers>, of: ProcId) -> Vec<String> {
    let of = trace.iter().filter(|e| e.place == Place::Process(of));
    of.filter_map(|e| {
        if let What::Note(text) = &e.what {
            Some(format!("{} {text}", e.at))
        } else {
            None
        }
    })
    .collect()
}

fn client(strikes: Vec<Strike>, seconds: f64) -> Vec<String> {
    notes(&trace(strikes, seconds), CLIENT)
}

#[test]
fn on_an_open_link_a_handshake_and_an_answer_take_one_round_trip_each() {
    assert_eq!(
        client(vec![], 2.5),
        ["0.020 opened", "1.040 answer 1", "2.040 answer 2"]
    );
}

#[test]
fn a_refusing_link_ends_a_new_connection_at_once_and_an_old_one_at_its_next_message() {
    assert_eq!(
        client(vec![strike(0.0, None, cut(Mode::Refused))], 9.0),
        ["0.000 ended Refused"]
    );
    let late = client(vec![strike(1.5, None, cut(Mode::Refused))], 9.0);
    assert_eq!(late, ["0.020 opened", "1.040 answer 1", "2.020 ended Reset"]);
}

#[test]
fn a_silent_link_lets_a_caller_wait_and_its_handshake_is_sent_again_after_1_then_2_then_4_seconds() {
    let trace = trace(vec![strike(0.0, None, cut(Mode::Silent))], 9.0);
    let drops: Vec<_> = trace
        .iter()
        .filter(|e| matches!(e.what, What::Dropped { .. }))
        .map(|e| e.at.0)
        .collect();
    assert_eq!(drops, [0, 1_000_000, 3_000_000, 7_000_000]);
    assert_eq!(notes(&trace, CLIENT), ["3.000 no answer"]);
}

#[test]
fn lost_data_is_sent_again_with_doubling_pauses_and_arrives_in_order_after_the_heal() {
    let notes = client(vec![strike(1.5, Some(4.5), cut(Mode::Silent))], 6.5);
    let expected = [
        "0.020 opened",
        "1.040 answer 1",
        "2.520 no answer",
        "3.520 no answer",
        "4.520 no answer",
        // Lost at 2.02, then tries 0.2225 s later (200 ms, the round trip's 20 and 2.5 for the receiver), then twice, four and
        // eight times that: the last comes through at 5.3575, and what waited behind it follows.
        "5.377 answer 2",
        "5.377 answer 3",
        "5.377 answer 4",
        "5.377 answer 5",
        "6.040 answer 6",
    ];
    assert_eq!(notes, expected);
}

/// How many of a hundred clients, cut off from the start, learn of it that there is no route.
fn without_a_route(one_segment: bool) -> usize {
    let told = |seed: u64| {
        let plan = Furnishing {
            seed,
            one_segment,
            ..plan(vec![strike(0.0, None, cut(Mode::Silent))])
        };
        let actors = vec![Peer::Client { conn: None, asked: 0 }, Peer::Server { answered: 0 }];
        let (mut engine, mut trace) = (Engine::new(plan, actors), FullTrace::default());
        engine.run_until(at(9.0), &mut trace);
        let notes = notes(&trace, CLIENT);
        assert!(
            notes == ["3.000 no answer"] || notes == ["3.000 no answer", "3.060 ended TimedOut"],
            "{notes:?}"
        );
        notes.len() == 2
    };
    (0..100).filter(|&seed| told(seed)).count()
}

#[test]
fn on_one_segment_who_was_never_spoken_with_is_unreachable_after_the_question_for_its_address() {
    assert_eq!(without_a_route(false), 0);
    let strangers = without_a_route(true);
    assert!((8..35).contains(&strangers), "{strangers} of 100");
}

#[test]
fn where_only_payload_is_lost_a_new_connection_opens_and_then_nothing_comes() {
    let fault = strike(0.0, Some(5.0), cut(Mode::PayloadLost));
    let notes = client(vec![fault], 5.0);
    assert_eq!(
        notes,
        [
            "0.020 opened",
            "1.520 no answer",
            "2.520 no answer",
            "3.520 no answer",
            "4.520 no answer"
        ]
    );
}

#[test]
fn what_a_mute_link_has_swallowed_is_never_heard_of_again_and_after_the_heal_the_connection_is_reset() {
    let trace = trace(vec![strike(1.5, Some(3.5), cut(Mode::Mute))], 20.0);
    assert_eq!(notes(&trace, SERVER), ["1.030 asked 1"]);
    let expected = [
        "0.020 opened",
        "1.040 answer 1",
        "2.520 no answer",
        "3.520 no answer",
        "4.030 ended Reset",
    ];
    assert_eq!(notes(&trace, CLIENT), expected);
}

#[test]
fn one_way_loss_lets_a_request_be_carried_out_whose_answer_never_comes() {
    let back = vec![Act::Cut {
        from: HostId(1),
        to: HostId(0),
        mode: Mode::Silent,
    }];
    let trace = trace(vec![strike(1.5, None, back)], 3.5);
    assert_eq!(
        notes(&trace, SERVER),
        ["1.030 asked 1", "2.030 asked 2", "3.030 asked 3"]
    );
    assert_eq!(
        notes(&trace, CLIENT),
        ["0.020 opened", "1.040 answer 1", "2.520 no answer", "3.500 no answer"][..3]
    );
}

#[test]
fn a_paused_server_takes_connections_and_data_and_answers_when_it_resumes() {
    let pause = |order| {
        let victim = Victim::Process(SERVER);
        strike(
            0.0,
            Some(2.5),
            vec![Act::Pause {
                victim,
                mono_runs: true,
                order,
            }],
        )
    };
    let notes = client(vec![pause(ResumeOrder::Messages)], 2.9);
    assert_eq!(
        notes,
        ["0.020 opened", "1.520 no answer", "2.510 answer 1", "2.510 answer 2"]
    );
    // Acting before reading, it reads a little later.
    let notes = client(vec![pause(ResumeOrder::Application)], 2.9);
    assert_eq!(
        notes[1..],
        ["1.520 no answer", "2.520 no answer", "2.550 answer 1", "2.550 answer 2"]
    );
}

#[test]
fn a_killed_process_resets_its_connections_and_a_silent_dead_host_resets_nothing() {
    let kill = |victim, silent| vec![Act::Kill { victim, silent }];
    let notes = client(vec![strike(1.5, None, kill(Victim::Process(SERVER), false))], 9.0);
    assert_eq!(notes, ["0.020 opened", "1.040 answer 1", "1.510 ended Reset"]);
    let notes = client(vec![strike(1.5, None, kill(Victim::Host(HostId(1)), false))], 9.0);
    assert_eq!(notes, ["0.020 opened", "1.040 answer 1", "1.510 ended Reset"]);
    let notes = client(vec![strike(1.5, None, kill(Victim::Host(HostId(1)), true))], 4.0);
    assert_eq!(
        notes,
        ["0.020 opened", "1.040 answer 1", "2.520 no answer", "3.520 no answer"]
    );
}

#[test]
fn a_dead_host_that_comes_back_answers_old_connections_with_a_reset() {
    let kill = vec![Act::Kill {
        victim: Victim::Host(HostId(1)),
        silent: true,
    }];
    let notes = client(vec![strike(1.5, Some(2.5), kill)], 9.0);
    assert_eq!(
        notes,
        ["0.020 opened", "1.040 answer 1", "2.520 no answer", "2.707 ended Reset"]
    );
}

#[test]
fn a_timer_follows_its_hosts_clock_and_a_change_of_rate_moves_it() {
    // Half speed from 0.02 on: one second on the client's clock is two of true time.
    let slow = vec![Act::ChangeRate {
        host: HostId(0),
        ppm: -500_000,
    }];
    let notes = client(vec![strike(0.02, None, slow)], 3.0);
    assert_eq!(notes, ["0.020 opened", "2.040 answer 1"]);
    // A step of the wall clock moves no timer.
    let step = vec![Act::StepClock {
        host: HostId(0),
        by_us: 3_600_000_000,
    }];
    assert_eq!(
        client(vec![strike(0.5, None, step)], 1.5),
        ["0.020 opened", "1.040 answer 1"]
    );
}

#[test]
fn a_suspended_host_whose_monotonic_clock_stood_still_has_its_timers_all_before_it() {
    let suspend = |mono_runs| {
        let (victim, order) = (Victim::Host(HostId(0)), ResumeOrder::Application);
        strike(
            0.5,
            Some(10.5),
            vec![Act::Pause {
                victim,
                mono_runs,
                order,
            }],
        )
    };
    assert_eq!(client(vec![suspend(true)], 10.9)[1], "10.520 answer 1");
    assert_eq!(client(vec![suspend(false)], 11.2)[1], "11.040 answer 1");
}

#[test]
fn every_timeout_can_be_traced_to_the_fault_that_made_it() {
    for (mode, from) in [
        (Mode::Silent, 1.5),
        (Mode::Silent, 0.0),
        (Mode::PayloadLost, 0.0),
        (Mode::Mute, 0.0),
    ] {
        let trace = trace(vec![strike(from, None, cut(mode))], 4.0);
        let timeout = trace
            .iter()
            .find(|e| e.what == What::Timer(PATIENCE))
            .expect("a timeout");
        let drop = trace
            .get(timeout.because.expect("something was missed"))
            .expect("in the trace");
        assert!(matches!(drop.what, What::Dropped { .. }), "{:?}", drop.what);
        let fault = trace
            .get(drop.because.expect("something took it away"))
            .expect("in the trace");
        assert_eq!(fault.what, What::Fault { index: 0, begins: true });
    }
}

#[test]
fn a_timeout_on_a_paused_peer_is_traced_to_the_pause() {
    let victim = Victim::Process(SERVER);
    let pause = Act::Pause {
        victim,
        mono_runs: true,
        order: ResumeOrder::Application,
    };
    let trace = trace(vec![strike(0.5, None, vec![pause])], 4.0);
    let timeout = trace
        .iter()
        .find(|e| e.what == What::Timer(PATIENCE))
        .expect("a timeout");
    let why = trace
        .get(timeout.because.expect("something was missed"))
        .expect("in the trace");
    assert_eq!(why.what, What::Fault { index: 0, begins: true });
}

#[test]
fn a_receipt_is_stamped_later_than_its_sending_and_follows_it() {
    let trace = trace(vec![], 5.0);
    let mut receipts = 0;
    for event in trace.iter() {
        if let What::Received { sent, message, .. } = &event.what {
            let sending = trace.get(*sent).expect("in the trace");
            assert!(matches!(&sending.what, What::Sent { message: m, .. } if m == message));
            assert!(sending.lamport < event.lamport && sending.at < event.at);
            receipts += 1;
        }
    }
    assert_eq!(receipts, 8);
}

#[test]
fn two_faults_on_one_link_end_one_by_one() {
    let faults = vec![
        strike(1.5, Some(6.5), cut(Mode::Silent)),
        strike(1.6, Some(3.0), cut(Mode::Refused)),
    ];
    let notes = client(faults, 3.9);
    // The refusal lies on top while it lasts.
    assert_eq!(notes.last().map(String::as_str), Some("2.020 ended Reset"));
}

#[test]
fn a_cloned_world_goes_on_exactly_as_the_original() {
    let fault = || vec![strike(1.5, Some(4.5), cut(Mode::Silent))];
    let (mut one, mut whole) = (world(fault()), FullTrace::default());
    one.run_until(at(3.0), &mut whole);
    let (mut two, mut rest) = (one.clone(), FullTrace::default());
    two.run_until(at(20.0), &mut rest);
    let before = whole.len();
    one.run_until(at(20.0), &mut whole);
    let tail: Vec<_> = whole.iter().skip(before).collect();
    assert_eq!(tail, rest.iter().collect::<Vec<_>>());
    assert!(tail.len() > 50);
}

#[test]
fn the_same_seed_gives_the_same_hash_and_another_seed_another() {
    let run = |seed| {
        let mut plan = plan(vec![]);
        plan.seed = seed;
        plan.latency = Spread::from_millis(1, 5, 50);
        let actors = vec![Peer::Client { conn: None, asked: 0 }, Peer::Server { answered: 0 }];
        let (mut engine, mut trace) = (Engine::new(plan, actors), FullTrace::default());
        engine.run_until(at(10.0), &mut trace);
        trace.hash()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn random_loss_delays_a_connection_and_never_breaks_its_order() {
    let lose = |loss| {
        let (a, b) = (HostId(0), HostId(1));
        vec![Act::Lose { from: a, to: b, loss }, Act::Lose { from: b, to: a, loss }]
    };
    let notes = client(vec![strike(0.5, None, lose(300_000))], 60.0);
    let answers: Vec<u32> = notes
        .iter()
        .filter_map(|n| n.split(" answer ").nth(1)?.parse().ok())
        .collect();
    assert!(
        answers.len() > 50 && answers.windows(2).all(|w| w[0] + 1 == w[1]),
        "{answers:?}"
    );
    assert!(notes.iter().any(|n| n.ends_with("no answer")), "some were late");
}

#[test]
fn a_pause_that_ends_does_not_wake_what_another_still_holds() {
    let pause = |from, until| {
        let act = Act::Pause {
            victim: Victim::Process(SERVER),
            mono_runs: true,
            order: ResumeOrder::Messages,
        };
        strike(from, Some(until), vec![act])
    };
    let kill = strike(
        3.0,
        Some(3.2),
        vec![Act::Kill {
            victim: Victim::Process(SERVER),
            silent: false,
        }],
    );
    let trace_of = |strikes| trace(strikes, 9.0);
    let lives = |trace: &FullTrace<Numbers>| -> Vec<(u64, Life)> {
        let server = trace.iter().filter(|e| e.place == Place::Process(SERVER));
        server
            .filter_map(|e| {
                if let What::Life(life) = e.what {
                    Some((e.at.0 / 100_000, life))
                } else {
                    None
                }
            })
            .collect()
    };
    let overlapping = lives(&trace_of(vec![pause(1.5, 5.0), pause(2.0, 7.0)]));
    assert_eq!(
        overlapping,
        [(0, Life::Started), (15, Life::Paused), (70, Life::Resumed)]
    );
    // Killed and started in between, it is held by the second only.
    let restarted = lives(&trace_of(vec![pause(1.5, 5.0), kill, pause(4.0, 7.0)]));
    let expected = [
        (0, Life::Started),
        (15, Life::Paused),
        (30, Life::Killed),
        (32, Life::Started),
        (40, Life::Paused),
        (70, Life::Resumed),
    ];
    assert_eq!(restarted, expected);
}

#[test]
fn clock_rates_that_add_up_beyond_the_limit_come_back_to_what_they_were() {
    let rate = |from, until| {
        strike(
            from,
            Some(until),
            vec![Act::ChangeRate {
                host: HostId(0),
                ppm: 400_000,
            }],
        )
    };
    let (mut engine, mut trace) = (world(vec![rate(1.0, 5.0), rate(2.0, 6.0)]), FullTrace::default());
    engine.run_until(at(6.0), &mut trace);
    let (before, _) = engine.clock(HostId(0));
    engine.run_until(at(7.0), &mut trace);
    let (after, _) = engine.clock(HostId(0));
    assert_eq!(after.since(before), Span::from_secs(1));
}

#[test]
fn what_a_machine_still_had_to_send_dies_with_its_power() {
    // The client's question waits behind a cut; its machine dies and comes back; the cut heals.
    let cut_away = vec![Act::Cut {
        from: HostId(0),
        to: HostId(1),
        mode: Mode::Silent,
    }];
    let off = vec![Act::Kill {
        victim: Victim::Host(HostId(0)),
        silent: true,
    }];
    let trace = trace(
        vec![strike(1.5, Some(4.0), cut_away), strike(2.5, Some(3.5), off)],
        30.0,
    );
    let asked: Vec<_> = notes(&trace, SERVER)
        .into_iter()
        .filter(|n| n.ends_with("asked 2"))
        .collect();
    assert_eq!(asked.len(), 0, "{asked:?}");
}

/// Two processes of one machine and one of another. The first does much by itself, then kills the second, to which the third
/// has a connection.
#[derive(Clone)]
struct Killer(u16);

#[derive(Clone, Debug, PartialEq)]
struct Deeds;

impl Wire for Deeds {
    type Message = u8;
    type FileName = u8;
    type File = u8;
    type Note = u8;
    type Order = ();
}

impl Actor<Deeds> for Killer {
    fn handle(&mut self, input: Input<Deeds>, ctx: &mut Ctx<'_, Deeds>) {
        match (self.0, input) {
            (0, Input::Start) => ctx.set_timer(TimerKey(0), Span::from_secs(1)),
            (0, Input::Timer(_)) => {
                (0..9).for_each(|n| ctx.note(n));
                ctx.signal(ProcId(1), Signal::Kill);
            }
            (2, Input::Start) => {
                ctx.open(ProcId(1));
            }
            (2, Input::Ended(..)) => ctx.note(0),
            _ => {}
        }
    }
}

#[test]
fn a_death_carries_the_stamp_of_who_killed_and_so_does_the_end_of_each_connection() {
    let plan = Furnishing {
        seed: 1,
        latency: Spread::exactly(Span::from_millis(1)),
        loss_ppm: 0,
        one_segment: false,
        hosts: 2,
        fsync: Spread::exactly(Span::ZERO),
        second_takes: Spread::exactly(Span::from_secs(1)),
        pressure_ppm: 0,
        reaps_every: Span::ZERO,
        processes: [0, 0, 1].map(|host| (HostId(host), Starts::WithHost)).to_vec(),
        strikes: Vec::new(),
    };
    let mut engine = Engine::new(plan, [0, 1, 2].map(Killer).to_vec());
    let mut trace = FullTrace::default();
    engine.run_until(SimTime(2_000_000), &mut trace);
    let stamp = |what: &dyn Fn(&What<Deeds>) -> bool, process: u16| {
        let place = Place::Process(ProcId(process));
        let event = trace.iter().find(|event| event.place == place && what(&event.what));
        event.expect("it happened").lamport.0
    };
    assert_eq!(stamp(&|what| *what == What::Life(Life::Killed), 1), 9);
    assert_eq!(stamp(&|what| matches!(what, What::Ended { .. }), 2), 9);
    assert_eq!(stamp(&|what| matches!(what, What::Note(_)), 2), 10);
}
