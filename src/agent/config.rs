//! What an agent is told by its own configuration file (patroni.md 8.2). What the whole cluster goes by is in `settings.rs`.

use super::Timing;
use crate::engine::{ProcId, Span};
use crate::vocabulary::{NodeId, Settings, Tag};

/// The watchdog of a node, as its agent is configured to use it (patroni.md 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchdogUse {
    pub used: bool,
    pub required: bool,
    /// How long before the end of the lease it fires; `None`: after half of ttl.
    pub margin: Option<Span>,
}

impl WatchdogUse {
    /// What the device is set to.
    pub fn timeout(&self, ttl: Span) -> Span {
        self.margin.map_or(ttl / 2, |margin| ttl.saturating_sub(margin))
    }

    /// With less than a loop, a ping would always come too late, and the device is not opened.
    pub fn opens(&self, ttl: Span, loop_wait: Span) -> bool {
        let timeout = self.timeout(ttl);
        self.used && timeout >= loop_wait && timeout > Span::ZERO
    }
}

/// Rules that can be switched off, to see what they are for, or that other versions have otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bugs {
    /// The key is taken by a plain put instead of compare-and-create.
    pub blind_put: bool,
    /// A member of the store that has missed an election is believed, as before Patroni 4.0.6.
    pub trusts_stale_members: bool,
    /// A running primary takes a free key whatever its timeline, as before Patroni 3.1.0 (patroni #2779).
    pub no_timeline_check: bool,
    /// An error of the store that the agent does not know is tried again, as Patroni 4.1.3 does with more of them (#3407).
    pub retries_unknown_errors: bool,
    /// The monotonic clock is read instead of the wall's, as after patroni #3612.
    pub monotonic_clock: bool,
}

/// What this node must not be, as its agent has read it last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tags {
    pub nofailover: bool,
    pub nosync: bool,
}

/// What an agent is told by its own configuration file.
#[derive(Clone, Debug)]
pub struct Config {
    /// The member's name. Two agents with one name are a mistake that people make.
    pub me: NodeId,
    /// The node it runs on.
    pub node: NodeId,
    /// The agents and the databases of all nodes, by node.
    pub agents: Vec<ProcId>,
    pub databases: Vec<ProcId>,
    /// The store's members.
    pub store: Vec<ProcId>,
    pub watchdog_device: ProcId,
    /// The dynamic configuration as written, while the store has none.
    pub settings: Settings,
    /// Timings that cannot work together are adjusted, as Patroni does since 3.2.0.
    pub adjusts_timings: bool,
    pub nofailover: bool,
    pub nosync: bool,
    pub sync_priority: u16,
    /// `failover_priority`
    pub priority: u16,
    pub watchdog: WatchdogUse,
    /// The revision that created its leader key is handed out as a fencing token. No version of Patroni does this.
    pub hands_out_tokens: bool,
    pub bugs: Bugs,
}

impl Config {
    pub(super) fn database(&self) -> ProcId {
        self.databases[self.node.index()]
    }

    /// The timings as this agent runs with them.
    pub(super) fn timing(&self, written: &Settings) -> Timing {
        let timing = Timing::of(written);
        if self.adjusts_timings {
            timing.adjusted().0
        } else {
            timing
        }
    }

    /// Its tags, and those that an order puts beside them.
    pub(super) fn tags(&self, ordered: impl Iterator<Item = Tag>) -> Tags {
        let mut tags = Tags {
            nofailover: self.nofailover || self.priority == 0,
            nosync: self.nosync || self.sync_priority == 0,
        };
        for tag in ordered {
            match tag {
                Tag::NoFailover => tags.nofailover = true,
                Tag::NoSync => tags.nosync = true,
            }
        }
        tags
    }
}
