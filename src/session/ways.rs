//! The ways to strike something by hand: the kinds of faults, each with its choices made. What a kind takes and how far
//! its numbers go is said in [`FAULTS`].

use crate::scenario::{FAULTS, FaultSpec, Field, Takes};

/// What can be struck, by what happens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Host,
    Process,
    Disk,
    Links,
}

/// A way to strike: a kind of fault with its choice made.
#[derive(Debug, PartialEq, Eq)]
pub struct Way {
    pub name: &'static str,
    pub words: &'static str,
    pub(super) kind: &'static str,
    /// Only for this sort of target, of those that the kind takes.
    pub(super) only: Option<Sort>,
    /// What is set besides: key and value.
    pub(super) set: Option<(&'static str, &'static str)>,
    /// What the person says how much of: key, and what it is when nothing is typed.
    pub(super) amount: Option<(&'static str, &'static str)>,
}

const fn way(name: &'static str, kind: &'static str, words: &'static str) -> Way {
    Way {
        name,
        words,
        kind,
        only: None,
        set: None,
        amount: None,
    }
}

/// All ways, in the order in which they are offered.
pub const WAYS: [Way; 15] = [
    Way {
        only: Some(Sort::Process),
        ..way("kill", "kill", "kill it")
    },
    Way {
        only: Some(Sort::Host),
        set: Some(("network", "silent")),
        ..way("power", "kill", "switch it off: nothing answers")
    },
    Way {
        only: Some(Sort::Host),
        set: Some(("network", "refused")),
        ..way("processes", "kill", "kill its processes: connections are refused")
    },
    way("pause", "pause", "freeze it"),
    Way {
        only: Some(Sort::Host),
        set: Some(("monotonic_runs", "false")),
        ..way("suspend", "pause", "suspend it: its clock stands still too")
    },
    Way {
        set: Some(("mode", "silent")),
        ..way("silent", "cut", "cut: nothing passes")
    },
    Way {
        set: Some(("mode", "refused")),
        ..way("refused", "cut", "cut: connections are refused at once")
    },
    Way {
        set: Some(("mode", "mute")),
        ..way("mute", "cut", "cut: connections are taken and never answered")
    },
    Way {
        set: Some(("mode", "payload_lost")),
        ..way("payload", "cut", "cut: connections are made, data is lost")
    },
    Way {
        amount: Some(("add_ms", "500")),
        ..way("latency", "latency", "slow down")
    },
    Way {
        amount: Some(("percent", "20")),
        ..way("loss", "loss", "lose packets")
    },
    way("stall", "disk_stall", "stall: no write gets done"),
    Way {
        amount: Some(("add_ms", "200")),
        ..way("slow", "disk_slow", "slow down")
    },
    Way {
        amount: Some(("by_s", "5")),
        ..way("step", "clock_step", "set its clock: forward, or back with a minus")
    },
    Way {
        amount: Some(("ppm", "100000")),
        ..way("rate", "clock_rate", "let its clocks run fast, or slow with a minus")
    },
];

impl Way {
    fn spec(&self) -> Option<&'static FaultSpec> {
        FAULTS.iter().find(|spec| spec.kind == self.kind)
    }
    /// The field that says how much, and what it is when nothing is typed.
    pub fn amount(&self) -> Option<(&'static Field, &'static str)> {
        let (key, usual) = self.amount?;
        let field = self.spec()?.fields.iter().find(|field| field.key == key)?;
        Some((field, usual))
    }
    /// Whether it can come to an end.
    pub fn ends(&self) -> bool {
        self.spec().is_some_and(|spec| spec.ends)
    }
    pub(super) fn suits(&self, sort: Sort) -> bool {
        let takes = self.spec().map(|spec| spec.takes);
        let taken = match takes {
            Some(Takes::HostsAndProcesses) => matches!(sort, Sort::Host | Sort::Process),
            Some(Takes::Hosts) => sort == Sort::Host,
            Some(Takes::Disks) => sort == Sort::Disk,
            Some(Takes::Links) => sort == Sort::Links,
            None => false,
        };
        taken && self.only.is_none_or(|only| only == sort)
    }
}
