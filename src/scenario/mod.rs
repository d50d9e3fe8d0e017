//! The scenario file: what is simulated, for how long, and what breaks when.
//!
//! | file           | what lives there |
//! |----------------|------------------|
//! | `mod.rs`       | the validated types, what the rest of the program works with |
//! | `fault.rs`     | the faults, `target.rs` what they strike |
//! | `fields.rs`    | the one description of every field: range, default, unit, meaning |
//! | `faults.rs`    | the same for the fault kinds, and their reference text |
//! | `decimal.rs`   | exact numbers |
//! | `error.rs`     | what is wrong, in one line |
//! | `raw.rs`       | the file as written, with the line of every value |
//! | `reader.rs`    | single values: raw to typed, by the description in `fields.rs` |
//! | `validate.rs`  | the whole file: raw to [`Scenario`], all errors at once; `read_fault.rs` one fault, `read_order.rs` one that is told to a process, `read_settings.rs` a change of the configuration |
//! | `warnings.rs`  | what is allowed but hardly meant |
//! | `timing.rs`    | Patroni's own adjustment of ttl, loop_wait and retry_timeout |
//! | `canonical.rs` | back to text; `edit.rs` changes by way of it |
//! | `change.rs`    | from when on two scenarios lead to different runs |
//! | `system.rs`    | which system a file is about; `lease/` the files about leases and fencing tokens, `clocks/` those about clocks |
//! | `shipped.rs`   | the scenarios that come with the program; `more.rs` those that the page does not carry |

mod canonical;
mod change;
pub mod clocks;
pub mod decimal;
mod edit;
mod error;
pub mod fault;
pub mod faults;
pub mod fields;
pub mod lease;
#[cfg(not(target_arch = "wasm32"))]
mod more;
mod raw;
mod read_fault;
mod read_order;
mod read_settings;
mod reader;
mod shipped;
mod system;
pub mod target;
pub mod timing;
mod validate;
mod warnings;

pub use crate::engine::{Mode as CutMode, ResumeOrder};
pub use crate::vocabulary::SynchronousMode;
pub use change::differs_from;
pub use error::ScenarioError;
pub use fault::{DeadHostNetwork, Fault, FaultKind, LatencyChange, Repeats};
pub use faults::{COMMON, FAULTS, FaultSpec, PLACED_ON_NODES, Takes, fault_reference};
pub use fields::{FIELDS, Field, FieldKind, Form, GROUPS, Slider};
#[cfg(not(target_arch = "wasm32"))]
pub use more::MORE;
pub use shipped::SHIPPED;
pub use system::System;
pub use target::{Direction, Ends, Host, Links, Names, Process, Target};
pub use timing::{Timing, adjust_timing};

use crate::agent::WatchdogUse;
use crate::engine::Span;
use serde::Serialize;

/// One experiment, validated: every value lies in its range and every name refers to something that exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Scenario {
    /// What the experiment is, in one line of at most 200 characters.
    pub title: String,
    /// The comment at the top of the file, without its `#` signs: what the scenario shows.
    pub comment: Option<String>,
    /// How long the run lasts: 1 ms to one day.
    pub duration: Span,
    /// Where all randomness starts: 0 to 2^53 - 1, so that it survives JSON and a number field.
    pub seed: u64,
    pub cluster: Cluster,
    pub store: Store,
    pub patroni: Patroni,
    pub watchdog: Watchdog,
    pub network: Network,
    pub traffic: Traffic,
    pub fence: FenceUse,
    pub disk: Disk,
    pub machine: Machine,
    /// In the order of the file, which need not be the order of time.
    pub faults: Vec<Fault>,
    /// What Patroni's timing rule changed; empty when the values run as written.
    pub adjusted: Vec<Adjustment>,
}

impl Scenario {
    /// The names of all hosts, to write targets.
    pub fn names(&self) -> Names<'_> {
        Names {
            nodes: &self.cluster.nodes,
            members: usize::from(self.store.members),
            placement: self.store.placement,
            writers: self.traffic.direct_writers,
        }
    }

    /// All hosts: the nodes, the store members' own, the clients'.
    pub fn hosts(&self) -> Vec<Host> {
        self.names().hosts()
    }
}

/// The nodes, each with one agent and one database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cluster {
    /// 1 to 7 different names, `[a-z][a-z0-9_-]{0,30}`.
    pub nodes: Vec<String>,
    /// Index into `nodes`: who leads when the run starts.
    pub leader: usize,
    /// Indices into `nodes`, in the order of the file: who never becomes the leader.
    pub nofailover: Vec<usize>,
    /// 0 to 1000 for each node, in their order; or empty, and every node has 1.
    pub failover_priority: Vec<u32>,
    /// Indices into `nodes`, in the order of the file: who is never chosen as a synchronous standby.
    pub nosync: Vec<usize>,
    /// 0 to 1000 for each node, in their order; or empty, and every node has 1.
    pub sync_priority: Vec<u32>,
}

impl Cluster {
    /// What a node is tagged with, its index given. Of tags that contradict each other `nofailover` wins.
    ///
    /// Source: Patroni 4.1, `patroni/tags.py`; its test is `priority_failover.feature`.
    ///
    /// ```
    /// use leaselab::scenario::Scenario;
    /// let text = "cluster.nofailover = [\"node3\"]\ncluster.failover_priority = [5, 0, 7]";
    /// let cluster = Scenario::parse(text, "example").unwrap().cluster;
    /// let tags = [0, 1, 2].map(|node| (cluster.tags(node).nofailover, cluster.tags(node).failover_priority));
    /// assert_eq!(tags, [(false, 5), (true, 0), (true, 0)]);
    /// ```
    pub fn tags(&self, node: usize) -> Tags {
        let priority = self.failover_priority.get(node).copied().unwrap_or(1);
        let nofailover = self.nofailover.contains(&node) || priority == 0;
        let sync_priority = self.sync_priority.get(node).copied().unwrap_or(1);
        let nosync = self.nosync.contains(&node) || sync_priority == 0;
        Tags {
            nofailover,
            failover_priority: if nofailover { 0 } else { priority },
            nosync,
            sync_priority: if nosync { 0 } else { sync_priority },
        }
    }
}

/// Patroni's tags of one node, as they are in effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Tags {
    /// It never becomes the leader, not even when it is asked to.
    pub nofailover: bool,
    /// The higher one wins between nodes that are equally far; 0 exactly when `nofailover`.
    pub failover_priority: u32,
    /// It is never chosen as a synchronous standby.
    pub nosync: bool,
    /// Those with the highest are chosen first; 0 exactly when `nosync`.
    pub sync_priority: u32,
}

/// The consensus store that holds the lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Store {
    pub kind: StoreKind,
    pub version: StoreVersion,
    /// How many members `etcd1`, `etcd2`, … there are, 1 to 7.
    pub members: u8,
    pub placement: Placement,
    /// How often the leading member tells the others that it leads: 10 ms to 10 s.
    pub heartbeat: Span,
    /// How long a member hears nothing before it may call an election: 5 times `heartbeat` to 50 s.
    pub election: Span,
}

/// Where the members of the store run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Placement {
    /// Each on a host of its own, which has the member's name.
    Own,
    /// Each on a node's host: the first on the first node's, and so on. There are at least as many nodes.
    Nodes,
}

impl Placement {
    /// As the file writes it.
    pub const fn word(self) -> &'static str {
        match self {
            Placement::Own => "own",
            Placement::Nodes => "nodes",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StoreKind {
    Etcd,
}

/// Whose behaviour the store has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum StoreVersion {
    /// etcd 3.4.23: no pre-vote, and a stale leader may still revoke a lease.
    #[serde(rename = "3.4.23")]
    V3_4_23,
    /// etcd 3.5.
    #[serde(rename = "3.5")]
    V3_5,
}

/// Patroni's dynamic configuration, as it is in effect (after [`adjust_timing`], when that applies).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Patroni {
    /// How long the leader key lives without a renewal.
    pub ttl: Span,
    /// The period of the HA loop.
    pub loop_wait: Span,
    /// The deadline of one store operation with all its retries.
    pub retry_timeout: Span,
    /// The three as they are written, which is what the cluster's configuration says.
    pub written: Timing,
    /// Bytes of WAL a replica may be behind and still become the leader.
    pub maximum_lag_on_failover: u64,
    /// Whether a node may become the leader only on the newest timeline that the store knows of.
    pub check_timeline: bool,
    /// How long a leader's crashed database may take to start before another node takes over, up to an hour; 0: another
    /// takes over at once when it can.
    pub primary_start_timeout: Span,
    /// How long the database of a leader that is demoted in synchronous mode may take to stop before it is killed, up to
    /// an hour; none: for ever.
    pub primary_stop_timeout: Option<Span>,
    /// How long replicas wait for the old leader before they race, up to an hour; 0: not at all.
    pub primary_race_backoff: Span,
    pub synchronous_mode: SynchronousMode,
    /// Whether commits wait even when there is no replica to wait for.
    pub synchronous_mode_strict: bool,
    /// For how many replicas a commit waits, 1 to 6; there need not be as many.
    pub synchronous_node_count: u8,
    /// Bytes of WAL that a synchronous standby may be behind before another takes its place; none: any number.
    pub maximum_lag_on_syncnode: Option<u64>,
    /// Whether a database that wrote what the new leader does not know is rewound, so that it can follow.
    pub use_pg_rewind: bool,
    /// Whether such a database, when it is not rewound, is thrown away and copied anew.
    pub remove_data_directory_on_diverged_timelines: bool,
    /// Whether a leader that lost the store leads on while every member still answers it.
    pub failsafe_mode: bool,
    pub timing_rules: TimingRules,
}

/// What happens to timings that cannot work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum TimingRules {
    /// They are adjusted as Patroni 4.1 does and reported in [`Scenario::adjusted`].
    #[serde(rename = "4.1")]
    V4_1,
    /// They run as written, for lessons about wrong settings.
    #[serde(rename = "none")]
    None,
}

/// The watchdog device of every node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Watchdog {
    pub mode: WatchdogMode,
    /// Seconds between the watchdog's reset and the end of the lease; -1 means that the watchdog waits half of ttl.
    pub safety_margin: i64,
}

impl Watchdog {
    /// As an agent is configured to use it.
    pub fn usage(&self) -> WatchdogUse {
        WatchdogUse {
            used: self.mode != WatchdogMode::Off,
            required: self.mode == WatchdogMode::Required,
            margin: u64::try_from(self.safety_margin).ok().map(Span::from_secs),
        }
    }

    /// How long the device waits for a ping, if it is opened at all.
    pub fn timeout(&self, ttl: Span, loop_wait: Span) -> Option<Span> {
        let usage = self.usage();
        usage.opens(ttl, loop_wait).then(|| usage.timeout(ttl))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WatchdogMode {
    /// No node has one.
    Off,
    /// Used when its timeout leaves room for the HA loop.
    Automatic,
    /// A node leads only with a working one.
    Required,
}

/// How the hosts are connected while nothing is broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Network {
    /// One way, between any two hosts.
    pub latency: Latency,
    /// The probability that a packet is lost, in parts per million (0 to 1,000,000).
    pub loss_ppm: u32,
    /// No router lies between the hosts: who was never spoken with is unreachable after some seconds, not just silent.
    pub one_segment: bool,
}

/// A distribution of times: `min` <= `typical` <= `max`, with `typical` in the middle of the draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Latency {
    pub min: Span,
    pub typical: Span,
    pub max: Span,
}

/// Who writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// Clients that write through the router, 0 to 100.
    pub writers: u32,
    /// Each of them writes once in this time.
    pub write_period: Span,
    /// Whether each node also has a local client that writes to its own database, whoever leads.
    pub direct_writers: bool,
    /// Each of those writes once in this time.
    pub direct_write_period: Span,
    /// What their commits wait for.
    pub direct_commit: SynchronousCommit,
}

/// What a commit waits for: PostgreSQL's `synchronous_commit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SynchronousCommit {
    /// The own disk and the synchronous standbys, when there are any.
    On,
    /// The own disk only.
    Local,
}

impl SynchronousCommit {
    /// As the file writes it.
    pub const fn word(self) -> &'static str {
        match self {
            SynchronousCommit::On => "on",
            SynchronousCommit::Local => "local",
        }
    }
}

/// What clients do outside the cluster, and whether a fence stands before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FenceUse {
    /// After each commit a client writes an object and has an e-mail sent.
    pub outside: bool,
    /// The agents hand out fencing tokens, and the object store refuses older ones. No version of Patroni does this.
    pub tokens: bool,
    /// The mail gateway sends what comes with the same key only once.
    pub mail_keys: bool,
}

/// The disk of every host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Disk {
    /// How long one fsync takes.
    pub fsync: Latency,
}

/// The machine that all hosts share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// How long the work of one second takes; another value every half second.
    pub second_takes: Latency,
    /// In how many millionths of the time some process waits for a processor.
    pub pressure_ppm: u32,
    /// How often the first process of a host collects those that have ended; zero: at once.
    pub reaps_every: Span,
}

/// One value that Patroni would not run with, and what it runs with instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Adjustment {
    /// The field's key, such as `patroni.loop_wait`.
    pub key: String,
    /// As written, in the field's unit.
    pub from: String,
    /// In effect, in the field's unit.
    pub to: String,
    pub why: String,
}
