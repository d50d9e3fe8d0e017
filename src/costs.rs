//! How long real programs and machines take: every duration that is neither a setting nor a rule of a protocol, in one
//! place, with where it comes from. The rules' own times (polls, time-outs) stand beside the rules.
//!
//! "Recorded" means real Patroni 4.1.5, etcd 3.4.23 and PostgreSQL 15.18 on two busy cores.

use crate::engine::Spread;

/// The agent: work of its HA loop, its executor and its REST interface.
pub mod agent {
    use super::Spread;

    /// From the wake-up to the first step of a cycle. Recorded, together with the preparation of a race: 10 to 60 ms
    /// between the deletion of the key and the first question to a peer.
    pub const WORK: Spread = Spread::from_millis(4, 8, 20);
    /// From the answer of its own database to the first question to a peer: vetoes and the list of members. The position a
    /// candidate compares is that much older than what its peers answer.
    pub const RACE_PREPARE: Spread = Spread::from_millis(8, 14, 45);
    /// A question to the REST interface, beyond network and SQL. Recorded: 10 to 60 ms.
    pub const REST: Spread = Spread::from_millis(11, 22, 65);
    /// From the won key to the promote signal: reading the cluster again, starting `pg_ctl`. Recorded: 30 to 120 ms.
    pub const PROMOTE_PREPARE: Spread = Spread::from_millis(55, 65, 130);
    /// From the decision to demote to the stop signal: two helper binaries, archive settings. Recorded: 0.06 to 0.4 s.
    pub const DEMOTE_PREPARE: Spread = Spread::from_millis(70, 130, 300);
    /// A CHECKPOINT of a tiny database before a stop in good order. Recorded, switchover: 0.61 s from the request to the
    /// stop signal, preparations included.
    pub const CHECKPOINT: Spread = Spread::from_millis(20, 60, 250);
    /// Writing the configuration and starting the server's process. Recorded: 60 to 150 ms.
    pub const START_PREPARE: Spread = Spread::from_millis(50, 80, 160);
    /// pg_rewind of a tiny database with its preparations. Recorded: 1 to 3 s.
    pub const REWIND: Spread = Spread::from_millis(900, 1_400, 3_000);
    /// From the start of the agent's process to its first request. Recorded: 1.5 to 3 s.
    pub const PROCESS_START: Spread = Spread::from_millis(1_300, 2_200, 3_500);
}

/// The database server.
pub mod postgres {
    use super::Spread;

    /// From the start of the server to its first session, crash recovery of a small database included. Recorded: a standby
    /// accepts sessions 0.1 to 1.2 s after its start.
    pub const STARTUP: Spread = Spread::from_millis(120, 350, 1_200);
    /// From the promote signal to the first commit. Recorded (promote_ms less the agent's part): 60 to 300 ms.
    pub const PROMOTE: Spread = Spread::from_millis(100, 130, 240);
    /// From SIGINT to the end of the shutdown checkpoint. Recorded: a fast stop takes 70 to 200 ms.
    pub const FAST_STOP: Spread = Spread::from_millis(60, 100, 200);
    /// From SIGQUIT until all processes are gone. Recorded: about 20 ms.
    pub const IMMEDIATE_STOP: Spread = Spread::from_millis(10, 18, 40);
}

/// The machine.
pub mod host {
    use super::Spread;

    /// From a reset by the watchdog to the processes of the host starting again: a small virtual machine's boot. Not
    /// recorded: the machine of the recordings had no watchdog device.
    pub const BOOT: Spread = Spread::from_millis(20_000, 30_000, 60_000);
}
