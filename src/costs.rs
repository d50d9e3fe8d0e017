//! How long real programs and machines take: every duration that is neither a setting nor a rule of a protocol, in one
//! place, with where it comes from. The rules' own times (polls, time-outs) stand beside the rules.
//!
//! "Recorded" means real Patroni 4.1.5, etcd 3.4.23 and PostgreSQL 15.18 on two busy cores: `tests/recordings/`; three numbers
//! are the least, the median and the most of what was seen. The costs were fitted on every second run there, in the order of
//! their names, beginning with the first, within what `tests/shipped.rs` demands, and checked on the others.
//!
//! What computes for long ([`Ctx::compute`](crate::engine::Ctx::compute): starts, crash recovery, rewinds, the helpers that a
//! demotion runs) is given as it would take a machine with nothing else to do; how long it takes is that over the share of a
//! processor that is left. In the recordings its logarithm goes with that share (correlation 0.6 to 0.8). The rest only reacts,
//! and does not go with it.

use crate::engine::Spread;

/// The agent: work of its HA loop, its executor and its REST interface.
pub mod agent {
    use super::Spread;

    /// From the wake-up to the first step of a cycle. Recorded: of all gaps between renewals one in a hundred is 20 to 40 ms
    /// longer than the loop.
    pub const WORK: Spread = Spread::from_millis(3, 7, 20);
    /// From the answer of its own database to the first question to a peer: vetoes and the list of members. The position a
    /// candidate compares is that much older than what its peers answer. Recorded, with WORK and REST: 10, 32, 134 ms from
    /// the deletion of the key to the first answer of a peer.
    pub const RACE_PREPARE: Spread = Spread::from_millis(6, 14, 40);
    /// A question to the REST interface, beyond network and SQL. Recorded, with WORK and RACE_PREPARE: 28, 55, 125 ms from
    /// the deletion of the key to the request that creates it, less the 45 ms of the renewal before it.
    pub const REST: Spread = Spread::from_millis(13, 21, 45);
    /// From the last answer, or the end of the patience, to the request for the key. Recorded, where a silent peer uses the
    /// patience up, so that nothing else counts: 5, 30, 110 ms.
    pub const DECIDE: Spread = Spread::from_millis(6, 16, 40);
    /// From the won key to the promote signal: reading the cluster again, starting `pg_ctl`. Recorded: 41, 56, 138 ms.
    pub const PROMOTE_PREPARE: Spread = Spread::from_millis(46, 58, 80);
    /// From the decision to demote to the stop signal, computing: two helper binaries, archive settings. Recorded, with up to
    /// 50 ms until the next sample: 47, 125, 344 ms.
    pub const DEMOTE_PREPARE: Spread = Spread::from_millis(27, 35, 80);
    /// A CHECKPOINT of a tiny database before a stop in good order. Recorded, switchover: 0.61 s from the request to the
    /// stop signal, preparations included.
    pub const CHECKPOINT: Spread = Spread::from_millis(40, 80, 250);
    /// Writing the configuration and starting the server's process. Recorded: 52, 92, 149 ms.
    pub const START_PREPARE: Spread = Spread::from_millis(50, 80, 150);
    /// Crash recovery of a small database in single-user mode, computing. Recorded: 0.19, 0.4, 1.07 s to the agent's next cycle,
    /// 49, 118, 387 ms of it computing.
    pub const CRASH_RECOVERY: Spread = Spread::from_millis(55, 130, 380);
    /// pg_rewind of a tiny database, computing. Recorded: 0.22, 0.77, 2.6 s, which is 24, 212, 557 ms; and 40 to 400 ms of
    /// preparations.
    pub const REWIND: Spread = Spread::from_millis(130, 380, 1_000);
    /// From the last request of an agent that ends to the end of its process, computing. Recorded: 47 to 253 ms.
    pub const PROCESS_END: Spread = Spread::from_millis(12, 24, 60);
    /// From the start of the agent's process to its first request, computing. Recorded: 0.45, 1.7, 4.0 s, which is 128, 437,
    /// 1,260 ms.
    pub const PROCESS_START: Spread = Spread::from_millis(230, 480, 1_250);
}

/// The database server.
pub mod postgres {
    use super::Spread;

    /// From the start of the server to its first session, crash recovery of a small database included, computing. Recorded, with
    /// what comes before: 0.38, 1.3, 5.0 s, which is 125, 378, 800 ms from the 5th to the 95th percentile.
    pub const STARTUP: Spread = Spread::from_millis(170, 480, 900);
    /// From the promote signal to the first commit. Recorded, with up to 100 ms until the next sample: 37, 133, 328 ms.
    pub const PROMOTE: Spread = Spread::from_millis(58, 86, 120);
    /// From SIGINT to the end of the shutdown checkpoint. Recorded: a fast stop takes 70 to 200 ms.
    pub const FAST_STOP: Spread = Spread::from_millis(60, 100, 200);
    /// From SIGQUIT until all processes are gone. Recorded: about 20 ms.
    pub const IMMEDIATE_STOP: Spread = Spread::from_millis(10, 18, 40);
}

/// The store's client and its members.
pub mod store {
    use super::Spread;

    /// What a request takes at a member beyond network, disk and agreement: etcd's JSON gateway. Recorded: a renewal takes 41,
    /// 45, 65 ms (99th percentile), of which 40 are the network's (`engine/net.rs`, two packets).
    pub const ANSWER: Spread = Spread::from_millis(1, 2, 30);
    /// What giving up a try and beginning the next takes the client. Recorded: six tries of a second each take 6.02 s.
    pub const NEXT_TRY: Spread = Spread::from_millis(2, 4, 20);
}

/// The machine.
pub mod host {
    use super::Spread;

    /// From a reset by the watchdog to the processes of the host starting again: a small virtual machine's boot. Not
    /// recorded: the machine of the recordings had no watchdog device.
    pub const BOOT: Spread = Spread::from_millis(20_000, 30_000, 60_000);
}
