#![cfg(not(target_arch = "wasm32"))]
//! What a process sees of another one of its host: the process table, and how long computing takes on a busy machine.

use leaselab::engine::*;

#[derive(Clone, Debug, PartialEq)]
struct Silence;

impl Wire for Silence {
    type Message = u8;
    type FileName = u8;
    type File = u8;
    type Note = &'static str;
    type Order = ();
}

const LOOK: TimerKey = TimerKey(0);
const COMPUTED: TimerKey = TimerKey(1);
const VICTIM: ProcId = ProcId(1);

/// One looks at the process table every 10 ms and notes when the other is gone; the other computes for a second.
#[derive(Clone, Debug)]
enum Process {
    Looks { seen: bool },
    Computes,
}

impl Actor<Silence> for Process {
    fn handle(&mut self, input: Input<Silence>, ctx: &mut Ctx<'_, Silence>) {
        match (self, input) {
            (Process::Looks { .. }, Input::Start) => ctx.set_timer(LOOK, Span::from_millis(10)),
            (Process::Looks { seen }, Input::Timer(LOOK)) => {
                if !ctx.is_alive(VICTIM) && !std::mem::replace(seen, true) {
                    ctx.note("gone");
                }
                ctx.set_timer(LOOK, Span::from_millis(10));
            }
            (Process::Computes, Input::Start) => {
                let after = ctx.compute(Draw(0), &Spread::exactly(Span::from_millis(500)));
                ctx.set_timer(COMPUTED, after);
            }
            (Process::Computes, Input::Timer(COMPUTED)) => ctx.note("computed"),
            _ => {}
        }
    }
}

/// When something was noted, in milliseconds, if the victim is killed at 1 s.
fn noted(what: &'static str, seed: u64, reaps_every: Span, pressure_ppm: u32) -> Option<u64> {
    let kill = Act::Kill {
        victim: Victim::Process(VICTIM),
        silent: false,
    };
    let plan = Furnishing {
        seed,
        latency: Spread::exactly(Span::from_millis(1)),
        loss_ppm: 0,
        one_segment: false,
        hosts: 1,
        fsync: Spread::exactly(Span::ZERO),
        second_takes: Spread::exactly(Span::from_secs(1)),
        pressure_ppm,
        reaps_every,
        processes: vec![(HostId(0), Starts::WithHost), (HostId(0), Starts::WithHost)],
        strikes: vec![Strike {
            times: vec![(SimTime(1_000_000), None)],
            acts: vec![kill],
        }],
    };
    let mut engine = Engine::new(plan, vec![Process::Looks { seen: false }, Process::Computes]);
    let mut trace = FullTrace::default();
    engine.run_until(SimTime(5_000_000), &mut trace);
    let event = trace.iter().find(|event| event.what == What::Note(what))?;
    Some(event.at.as_micros() / 1_000)
}

#[test]
fn a_process_that_has_ended_is_listed_until_it_is_collected() {
    assert_eq!(noted("gone", 1, Span::ZERO, 0), Some(1_000));
    let seen: Vec<u64> = (0..200)
        .filter_map(|seed| noted("gone", seed, Span::from_secs(1), 0))
        .collect();
    assert_eq!(seen.len(), 200);
    assert!(seen.iter().all(|at| (2_000..=3_010).contains(at)), "{seen:?}");
    let early = seen.iter().filter(|at| **at < 2_500).count();
    assert!((75..125).contains(&early), "{early} of 200 in the first half second");
}

#[test]
fn computing_takes_longer_the_more_of_the_time_something_waits_for_a_processor() {
    assert_eq!(noted("computed", 1, Span::ZERO, 0), Some(500));
    assert_eq!(noted("computed", 1, Span::ZERO, 400_000), Some(833));
    assert_eq!(noted("computed", 1, Span::ZERO, 800_000), None, "killed before");
}
