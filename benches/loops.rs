//! What is measured: loops that are the same code natively and in the browser. Each answers how many events it made.

use leaselab::clocks::ReceiveRule;
use leaselab::engine::{
    Engine, Event, FullTrace, Furnishing, HostId, Observer, ProcId, SimTime, Span, Spread, Starts, WallTime, hybrids,
    steps, vector,
};
use leaselab::raft::{self, MemberId};
use leaselab::scenario::Scenario;
use leaselab::store::{Member, MemberConfig, Phases};
use leaselab::verdict::judge;
use leaselab::vocabulary::Words;
use leaselab::world::World;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;

pub const MINUTE: Span = Span::from_secs(60);
pub const HOUR: Span = Span::from_secs(3_600);
const TEN_MINUTES: Span = Span::from_secs(600);

/// A loop to measure.
#[derive(Clone, Copy)]
pub struct Loop {
    pub name: &'static str,
    pub run: fn() -> u32,
    pub budget: Budget,
}

/// What a loop may take in the browser of the reference machine.
#[derive(Clone, Copy)]
pub enum Budget {
    MillionEventsPerSecond(f64),
    Milliseconds(f64),
    None,
}

impl Budget {
    /// In ms, for a loop of so many events.
    pub fn for_events(self, events: u32) -> Option<f64> {
        match self {
            Budget::MillionEventsPerSecond(rate) => Some(f64::from(events) / rate / 1e3),
            Budget::Milliseconds(ms) => Some(ms),
            Budget::None => None,
        }
    }
}

/// What the yardstick takes on the reference machine, in ms. It is the floor without cleverness.
pub const BARE_HEAP_MS: f64 = 12.6;

/// The yardstick comes first: how fast the machine is at the moment. The others are reported in its terms too.
pub const LOOPS: [Loop; 7] = [
    Loop {
        name: "bare heap",
        run: bare_heap,
        budget: Budget::Milliseconds(BARE_HEAP_MS),
    },
    Loop {
        name: "10 min, 3 nodes + 3 members, full trace",
        run: full_trace,
        budget: Budget::MillionEventsPerSecond(3.0),
    },
    Loop {
        name: "the same, and one vector stamp",
        run: one_vector,
        budget: Budget::None,
    },
    Loop {
        name: "the same, and every hybrid stamp",
        run: every_hybrid,
        budget: Budget::None,
    },
    Loop {
        name: "10 min, 3 nodes + 3 members, verdict only",
        run: verdict_only,
        budget: Budget::MillionEventsPerSecond(6.0),
    },
    Loop {
        name: "1 h, 3 nodes + 3 members, verdict only",
        run: one_hour,
        budget: Budget::Milliseconds(40.0),
    },
    Loop {
        name: "1 h, a store of 5 members alone",
        run: store_alone,
        budget: Budget::None,
    },
];

/// A healthy cluster in which one client writes once a second.
pub fn quiet(duration: Span, members: u8) -> Scenario {
    let mut scenario = Scenario {
        duration,
        ..Scenario::default()
    };
    scenario.store.members = members;
    scenario.traffic.writers = 1;
    scenario.traffic.write_period = Span::from_secs(1);
    scenario.traffic.direct_writers = false;
    scenario
}

/// The yardstick: a queue that is filled with as many events as three members' heartbeats are in an hour, and emptied.
fn bare_heap() -> u32 {
    const EVENTS: u32 = 180_000;
    let mut random = 1_u64;
    let event = |number| {
        // xorshift
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        Reverse((random % HOUR.as_micros(), u64::from(number), number))
    };
    let mut queue = BinaryHeap::new();
    (0..EVENTS).map(event).for_each(|event| queue.push(event));
    while let Some(event) = queue.pop() {
        black_box(event);
    }
    EVENTS
}

fn full_trace() -> u32 {
    traced(|trace| {
        black_box(trace.len());
    })
}

/// What the stamps cost that nobody keeps: of one event, and of all.
fn one_vector() -> u32 {
    traced(|trace| {
        let last = trace.iter().next_back().map(|event| event.id);
        black_box(last.and_then(|last| vector(trace, &steps(trace), last)));
    })
}

fn every_hybrid() -> u32 {
    traced(|trace| {
        let right = |_: ProcId, at: SimTime| WallTime(at.as_micros() as i64);
        black_box(hybrids(trace, ReceiveRule::Paper, right));
    })
}

fn traced(look: impl Fn(&FullTrace<Words>)) -> u32 {
    let scenario = quiet(TEN_MINUTES, 3);
    let (mut world, mut trace) = (World::new(&scenario), FullTrace::default());
    world.run_until(SimTime::ZERO + scenario.duration, &mut trace);
    look(&trace);
    world.events()
}

fn verdict_only() -> u32 {
    judge(&quiet(TEN_MINUTES, 3)).events
}

fn one_hour() -> u32 {
    judge(&quiet(HOUR, 3)).events
}

/// Only what members say to each other: Raft's heartbeats, and that each stream is still there.
fn store_alone() -> u32 {
    const MEMBERS: u8 = 5;
    let config = MemberConfig {
        raft: raft::Config::etcd(MEMBERS),
        tick: Span::from_millis(100),
        guards_revoke: true,
        guards_renew: true,
        gateway: None,
        phases: Phases::default(),
    };
    let processes: Vec<ProcId> = (0..MEMBERS).map(|m| ProcId(m.into())).collect();
    let member = |m| Member::of_running_group(MemberId(m), MemberId(0), config.clone(), processes.clone(), &[]);
    let plan = Furnishing {
        seed: 1,
        latency: Spread::from_micros(200, 500, 5_000),
        loss_ppm: 0,
        hosts: MEMBERS.into(),
        fsync: Spread::from_millis(1, 2, 10),
        second_takes: Spread::exactly(Span::from_secs(1)),
        pressure_ppm: 0,
        reaps_every: Span::ZERO,
        one_segment: false,
        processes: (0..MEMBERS).map(|m| (HostId(m), Starts::WithHost)).collect(),
        strikes: Vec::new(),
    };
    let mut engine = Engine::new(plan, (0..MEMBERS).map(member).collect());
    engine.run_until(SimTime::ZERO + HOUR, &mut Nobody);
    engine.events()
}

/// Watches without a thought.
struct Nobody;

impl Observer<Words> for Nobody {
    const FULL: bool = false;
    fn record(&mut self, event: Event<Words>) {
        black_box(event.id);
    }
}
