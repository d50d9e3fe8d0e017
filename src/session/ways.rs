//! The ways to strike something by hand: the kinds of faults, each with its choices made. What a kind takes and how far
//! its numbers go is said in [`FAULTS`].

use crate::scenario::{FAULTS, FaultSpec, Field, Takes};

/// What can be struck, by what happens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A node's whole machine.
    Node,
    Agent,
    Database,
    /// A store member's whole machine.
    MemberHost,
    /// A store member that is a process on a node's machine.
    Member,
    Disk,
    /// To the members of the store, or of a member to the others.
    StoreLinks,
    /// To everything.
    AllLinks,
}

/// Of the hosts and processes that a kind takes, those to which a choice applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Only {
    Machines,
    Processes,
}

/// A way to strike: a kind of fault with its choice made.
#[derive(Debug, PartialEq, Eq)]
pub struct Way {
    pub name: &'static str,
    pub words: &'static str,
    pub(super) kind: &'static str,
    pub(super) only: Option<Only>,
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
pub const WAYS: [Way; 30] = [
    Way {
        only: Some(Only::Processes),
        ..way("kill", "kill", "kill it")
    },
    way("stop", "stop", "ask it to end"),
    Way {
        only: Some(Only::Machines),
        set: Some(("network", "silent")),
        ..way("power", "kill", "switch it off: nothing answers")
    },
    Way {
        only: Some(Only::Machines),
        set: Some(("network", "refused")),
        ..way("processes", "kill", "kill its processes: connections are refused")
    },
    way("pause", "pause", "freeze it"),
    Way {
        only: Some(Only::Machines),
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
    way("switchover", "switchover", "ask it to hand over to another"),
    way("failover", "failover", "ask it to become the leader"),
    way(
        "maintenance",
        "maintenance",
        "ask it for maintenance mode: nothing by itself",
    ),
    Way {
        amount: Some(("ttl", "60")),
        ..way("ttl", "configure", "change ttl in the cluster's configuration")
    },
    Way {
        set: Some(("thread", "loop")),
        ..way("block", "block", "block its loop: it still answers others")
    },
    Way {
        set: Some(("thread", "watcher")),
        ..way("watcher", "block", "block its watcher: it hears no news from the store")
    },
    Way {
        set: Some(("tag", "nosync")),
        ..way("nosync", "tag", "tag its node nosync: no commit waits for it")
    },
    Way {
        set: Some(("tag", "nofailover")),
        ..way("nofailover", "tag", "tag its node nofailover: it must not lead")
    },
    way("restart", "restart", "have its agent restart it"),
    Way {
        amount: Some(("add_ms", "2500")),
        ..way("sql", "slow_sql", "slow its answers to its agent")
    },
    way("stuck", "stuck_stop", "let no stop end it"),
    way("standby", "failed_promote", "let no promotion succeed"),
    way("errors", "store_errors", "answer with unknown errors"),
    way("key", "delete_key", "delete the leader key by hand"),
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
        let is_machine = matches!(sort, Sort::Node | Sort::MemberHost);
        let taken = match takes {
            Some(Takes::HostsAndProcesses) => !matches!(sort, Sort::Disk | Sort::StoreLinks | Sort::AllLinks),
            Some(Takes::Hosts) => is_machine,
            Some(Takes::Disks) => sort == Sort::Disk,
            Some(Takes::Links) => matches!(sort, Sort::StoreLinks | Sort::AllLinks),
            Some(Takes::Nodes) => sort == Sort::Node,
            Some(Takes::Processes) => matches!(sort, Sort::Agent | Sort::Database),
            Some(Takes::Agents) => sort == Sort::Agent,
            Some(Takes::Databases) => sort == Sort::Database,
            Some(Takes::Members) => matches!(sort, Sort::MemberHost | Sort::Member),
            None => false,
        };
        taken
            && match self.only {
                None => true,
                Some(Only::Machines) => is_machine,
                Some(Only::Processes) => !is_machine,
            }
    }
}
