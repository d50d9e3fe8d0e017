//! What an agent is told by its configuration (patroni.md 8.2).

use crate::engine::{ProcId, Span};
use crate::vocabulary::NodeId;

/// The watchdog of a node, as its agent is configured to use it (patroni.md 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchdogUse {
    pub required: bool,
    /// What the device is set to; `None`: not used, because it is off or its timeout leaves no room for the loop.
    pub timeout: Option<Span>,
}

impl WatchdogUse {
    /// Required and not usable: such a node must not lead.
    pub fn is_broken(&self) -> bool {
        self.required && self.timeout.is_none()
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncMode {
    Off,
    On,
    Quorum,
}

/// `synchronous_mode` and what goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncConfig {
    pub mode: SyncMode,
    /// Commits wait rather than go on without a standby.
    pub strict: bool,
    /// `synchronous_node_count`
    pub count: u8,
    /// `maximum_lag_on_syncnode`, in bytes.
    pub maximum_lag: Option<u64>,
}

/// What an agent is told by its configuration.
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
    pub ttl: Span,
    pub loop_wait: Span,
    pub retry_timeout: Span,
    pub maximum_lag_on_failover: u64,
    pub check_timeline: bool,
    pub failsafe_mode: bool,
    pub sync: SyncConfig,
    pub primary_start_timeout: Span,
    /// 0: a stop may take for ever.
    pub primary_stop_timeout: Span,
    pub primary_race_backoff: Span,
    pub nofailover: bool,
    pub nosync: bool,
    /// `failover_priority`
    pub priority: u16,
    pub watchdog: WatchdogUse,
    pub bugs: Bugs,
}

impl Config {
    pub(super) fn database(&self) -> ProcId {
        self.databases[self.node.index()]
    }

    pub(super) fn may_not_lead(&self) -> bool {
        self.nofailover || self.priority == 0
    }
}
