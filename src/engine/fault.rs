//! What a fault does to hosts, processes, links, disks and clocks, in the engine's own terms.

use super::ids::{HostId, ProcId};
use super::link::{Mode, Ppm, Slower};
use serde::{Deserialize, Serialize};

/// Which machine or process a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victim {
    Host(HostId),
    Process(ProcId),
}

/// In which order a resumed process takes up what became due while it stood still. No real system promises either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResumeOrder {
    /// Timers first, so the application acts before it hears the news: the dangerous order, and the default.
    #[default]
    Application,
    /// What arrived first, then timers.
    Messages,
}

/// What a fault does to a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskChange {
    /// Nothing becomes durable.
    Stall,
    /// Everything takes longer.
    Slower(Slower),
}

/// `O` is the language's [`Order`](super::Wire::Order).
#[derive(Clone, Debug, PartialEq)]
pub enum Act<O = ()> {
    /// The victim's processes end at once. A dead host is silent, or its kernel still refuses for it.
    Kill {
        victim: Victim,
        silent: bool,
    },
    /// All threads stand still. On a host the monotonic clock may stand still too.
    Pause {
        victim: Victim,
        mono_runs: bool,
        order: ResumeOrder,
    },
    Cut {
        from: HostId,
        to: HostId,
        mode: Mode,
    },
    Slow {
        from: HostId,
        to: HostId,
        more: Slower,
    },
    Lose {
        from: HostId,
        to: HostId,
        loss: Ppm,
    },
    Disk {
        host: HostId,
        change: DiskChange,
    },
    /// Steps the wall clock; it has no end.
    StepClock {
        host: HostId,
        by_us: i64,
    },
    /// Changes the rate of both clocks.
    ChangeRate {
        host: HostId,
        ppm: i32,
    },
    /// Asks the process to end (SIGTERM); it does so in its own time. When the fault ends it is started again.
    Terminate {
        process: ProcId,
    },
    /// Something an operator does to a process, or a condition it is under: see [`Ctx::orders`](super::Ctx::orders).
    Order {
        process: ProcId,
        order: O,
    },
}
