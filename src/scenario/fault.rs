//! The faults of a scenario, validated. What each kind takes and its defaults are in `faults.rs`.

use super::{Host, Latency, Links, Target};
use crate::engine::{Mode as CutMode, ResumeOrder, SimTime, Span};
use crate::vocabulary::Order;
use serde::Serialize;

/// One thing that breaks, and perhaps mends.
#[derive(Clone, Debug, Eq, Serialize)]
pub struct Fault {
    /// Not after the end of the run.
    pub at: SimTime,
    /// When it ends; later than `at`. Without it the fault lasts to the end of the run.
    pub until: Option<SimTime>,
    /// Comes again; only with an end.
    pub repeats: Option<Repeats>,
    pub what: FaultKind,
    /// The line of the file where the fault begins, from 1.
    pub line: usize,
}

/// Two faults are equal when they do the same; where they were written does not matter.
impl PartialEq for Fault {
    fn eq(&self, other: &Fault) -> bool {
        (self.at, self.until, self.repeats, &self.what) == (other.at, other.until, other.repeats, &other.what)
    }
}

/// How a fault comes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Repeats {
    /// From one beginning to the next; longer than the fault lasts.
    pub every: Span,
    /// It does not begin again at this time or later, later than its first beginning. Without it: at the end of the run.
    pub until: Option<SimTime>,
}

impl Fault {
    /// Each time it begins in a run that ends at `end`, with its end, in order. The first is always there.
    ///
    /// ```
    /// use leaselab::engine::SimTime;
    /// use leaselab::scenario::Scenario;
    /// let text = "duration_s = 50\n[[fault]]\nat_s = 10\nfor_s = 2\nevery_s = 15\nkind = \"kill\"\ntarget = \"etcd2\"\n";
    /// let scenario = Scenario::parse(text, "example").unwrap();
    /// let end = SimTime::ZERO + scenario.duration;
    /// let times: Vec<_> = scenario.faults[0].occurrences(end).map(|(from, _)| from.as_secs_f64()).collect();
    /// assert_eq!(times, [10.0, 25.0, 40.0]);
    /// ```
    pub fn occurrences(&self, end: SimTime) -> impl Iterator<Item = (SimTime, Option<SimTime>)> + use<> {
        let (at, lasts) = (self.at, self.until.map(|until| until.since(self.at)));
        let every = self.repeats.map_or(Span::ZERO, |repeats| repeats.every);
        (0..self.count(end)).map(move |n| {
            let from = at + every * n;
            (from, lasts.map(|lasts| from + lasts))
        })
    }

    /// How many [`occurrences`](Fault::occurrences) there are.
    pub(super) fn count(&self, end: SimTime) -> u64 {
        let Some(repeats) = self.repeats else { return 1 };
        let stop = repeats.until.map_or(end, |until| until.min(end));
        let room = stop.since(self.at).as_micros().saturating_sub(1);
        1 + room.checked_div(repeats.every.as_micros()).unwrap_or(0)
    }
}

/// What a fault does between its start and its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FaultKind {
    /// The processes end at once, without a word; they are started again when the fault ends.
    Kill {
        target: Target,
        /// Counts only when the target is a host.
        network: DeadHostNetwork,
    },
    /// A process is asked to end (SIGTERM), and does so in its own time. When the fault ends an agent is started again; a
    /// database is when its agent wants it.
    Stop {
        /// An agent or a database.
        target: Target,
    },
    /// All threads stop, clocks run on; they resume when the fault ends.
    Pause {
        target: Target,
        /// Whether the monotonic clock runs on; false only for hosts, as when a virtual machine is suspended.
        monotonic_runs: bool,
        resume_order: ResumeOrder,
    },
    Cut {
        links: Links,
        mode: CutMode,
    },
    Latency {
        links: Links,
        change: LatencyChange,
    },
    Loss {
        links: Links,
        /// The probability that a packet is lost, in parts per million (0 to 1,000,000), instead of the network's.
        ppm: u32,
    },
    /// Nothing written becomes durable; when the fault ends, what waits is written in order.
    DiskStall {
        host: Host,
    },
    DiskSlow {
        host: Host,
        change: LatencyChange,
    },
    /// The wall clock jumps once; the monotonic clock does not notice.
    ClockStep {
        host: Host,
        /// Microseconds, forward when positive.
        by_us: i64,
    },
    /// Both clocks run at another rate.
    ClockRate {
        host: Host,
        /// Parts per million faster than true time, -500,000 to 500,000.
        ppm: i32,
    },
    /// Something an operator tells a process, or a condition it is under.
    Order {
        /// As the file writes it: a node for what its agent is asked to do with the cluster, an agent, a database (also
        /// for the restart that its agent is asked for), or a member of the store.
        target: Target,
        order: Order,
    },
}

impl FaultKind {
    /// Whether it stands until it ends; what does not is done in an instant.
    pub const fn lasts(&self) -> bool {
        match self {
            FaultKind::ClockStep { .. } => false,
            FaultKind::Order { order, .. } => match order {
                Order::Switchover { .. }
                | Order::Failover
                | Order::RestartDatabase
                | Order::Configure(_)
                | Order::TakeName { .. }
                | Order::DeleteLeaderKey => false,
                Order::Maintenance
                | Order::BlockLoop
                | Order::BlockWatcher
                | Order::SlowSql { .. }
                | Order::StuckStop
                | Order::AnswerErrors
                | Order::Tag(_)
                | Order::FailPromotion => true,
            },
            _ => true,
        }
    }
}

/// What the peers of a killed host notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeadHostNetwork {
    /// Nothing: the machine is gone, packets to it are never answered.
    Silent,
    /// Resets: only the processes died, the kernel still answers for them.
    Refused,
}

/// What a fault does to the latency of links, or to the time in which a disk makes a write durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LatencyChange {
    /// On top of what is usual.
    Add(Span),
    /// Instead of what is usual.
    Replace(Latency),
}

impl DeadHostNetwork {
    /// As the file writes it; so for the other words here.
    pub const fn word(self) -> &'static str {
        match self {
            DeadHostNetwork::Silent => "silent",
            DeadHostNetwork::Refused => "refused",
        }
    }
}

impl ResumeOrder {
    pub const fn word(self) -> &'static str {
        match self {
            ResumeOrder::Application => "application",
            ResumeOrder::Messages => "messages",
        }
    }
}

impl CutMode {
    pub const fn word(self) -> &'static str {
        match self {
            CutMode::Silent => "silent",
            CutMode::Refused => "refused",
            CutMode::Mute => "mute",
            CutMode::PayloadLost => "payload_lost",
        }
    }
}
