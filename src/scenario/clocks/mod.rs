//! A file about clocks (`system = "clocks"`): processes with wall clocks of their own, the links between them, and a script of
//! what they do. Nothing in it is left to chance.
//!
//! | file        | what lives there |
//! |-------------|------------------|
//! | `mod.rs`    | the validated types |
//! | `fields.rs` | the one description of every field |
//! | `read.rs`   | the whole file: raw to [`ClocksScenario`], all errors at once |
//!
//! ```toml
//! system = "clocks"
//! title = "An order and its payment"
//! duration_s = 1001
//!
//! [[process]]
//! name = "A"
//!
//! [[process]]
//! name = "B"
//! offset_ms = -40             # what its wall clock shows more than true time at the start
//!
//! [[clock]]                   # something happens to a wall clock: a step, or a slew
//! process = "B"
//! at_s = 1000.012
//! step_ms = 60
//!
//! [[do]]                      # at an instant of true time
//! process = "A"
//! at_s = 1000.005
//! send = "order"
//! to = "B"
//!
//! [[do]]                      # so long after a receipt, by the own monotonic clock
//! process = "B"
//! on = "order"
//! after_ms = 5
//! note = "packs the order"
//! ```

mod fields;
mod read;

pub use fields::{CLOCK_FIELDS, CLOCKS_FIELDS, DO_FIELDS, LINK_FIELDS, PROCESS_FIELDS};

use crate::clocks::{HostClock, ReceiveRule, SimTime, Slew, Span};

/// One experiment, validated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClocksScenario {
    pub title: String,
    /// The comment at the top of the file, without its `#` signs: what the scenario shows.
    pub comment: Option<String>,
    pub duration: Span,
    /// By how much, as all are told, a wall clock is wrong at most: half the width of every interval.
    pub epsilon: Span,
    /// How a receipt moves a hybrid clock.
    pub rule: ReceiveRule,
    /// What a line of the report tells, in this order.
    pub shows: Vec<Shows>,
    /// How often a process that waits for an instant of its wall clock looks at it.
    pub looks_every: Span,
    /// One way, between any two processes.
    pub latency: Span,
    pub processes: Vec<ClockProcess>,
    /// Links that take another time.
    pub links: Vec<ClockLink>,
    pub script: Vec<Errand>,
}

/// What is told of each event, and at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shows {
    True,
    Wall,
    Lamport,
    Vector,
    Hybrid,
    Interval,
    /// Sorted by each kind of stamp, with what comes out wrong.
    Orders,
    /// What became of commits and leases.
    Outcome,
}

/// A process on a machine of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockProcess {
    pub name: String,
    /// What its wall clock shows more than true time at the start, in µs.
    pub offset_us: i64,
    /// By how much its clocks run fast, in parts per million.
    pub rate_ppm: i32,
    /// In the order of time.
    pub changes: Vec<(SimTime, ClockChange)>,
}

/// Something that happens to the clocks of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockChange {
    /// The wall clock jumps by so many µs.
    Step(i64),
    Slew(Slew),
}

impl ClockProcess {
    /// Its clocks, from each change on.
    pub fn clocks(&self) -> Vec<(SimTime, HostClock)> {
        let mut points: Vec<(SimTime, i64, i32)> = Vec::new();
        for &(at, change) in &self.changes {
            match change {
                ClockChange::Step(by_us) => points.push((at, by_us, 0)),
                ClockChange::Slew(slew) => points.extend([(at, 0, slew.ppm), (at + slew.lasts, 0, -slew.ppm)]),
            }
        }
        points.sort_unstable();
        let mut clock = HostClock::new(self.offset_us, self.rate_ppm);
        let mut clocks = vec![(SimTime::ZERO, clock.clone())];
        for (at, step, ppm) in points {
            clock.step_wall(at, step);
            clock.change_rate(at, ppm);
            clocks.push((at, clock.clone()));
        }
        clocks
    }
}

/// A direction between two processes that takes another time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockLink {
    /// Indices into the processes.
    pub from: usize,
    pub to: usize,
    pub latency: Span,
}

/// Something that a process does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errand {
    /// Index into the processes.
    pub process: usize,
    pub when: When,
    pub what: Deed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// At this instant of true time.
    At(SimTime),
    /// So long after it receives this message, by its own monotonic clock.
    OnReceipt { message: String, after: Span },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    Send {
        message: String,
        to: usize,
    },
    /// A local event.
    Note(String),
    /// Commits a transaction; others see it after the commit wait, or at once.
    Commit {
        name: String,
        waits: bool,
    },
    /// Grants a lease and lets it run out.
    Grant {
        name: String,
        lasts: Span,
        by: LeaseClock,
    },
}

/// By which clock a lease is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseClock {
    Wall,
    Monotonic,
}
