//! Small protocols and what can be said about them: actors of the engine, and pure functions.
//!
//! | file            | what lives there |
//! |-----------------|------------------|
//! | `lease.rs`      | a lease service that gives a token with every grant (protocols.md 1) |
//! | `database.rs`   | a database that is asked for the leadership: by the advisory lock of a session, or by a row with an epoch (13, 14) |
//! | `pooler.rs`     | a connection pooler between a session and its database |
//! | `worker/`       | a worker that asks for the leadership and does its jobs while it has it |
//! | `job.rs`        | what a worker does, and how far it has come with it |
//! | `courier.rs`    | a process that does what a script says, by clocks of its own (18) |
//! | `detector.rs`   | failure detectors: a fixed timeout, Akka's and Cassandra's accrual (17) |
//! | `heartbeats.rs` | streams of heartbeats, and what a detector is worth on one (17, 19.2) |
//! | `quorum.rs`     | arithmetic of majorities (19.5) |
//! | `generals.rs`   | two generals and `k` acknowledgements (19.3) |
//! | `silence.rs`    | the three meanings of silence (19.1) |
//! | `flp.rs`        | elections under a scheduler that somebody plays (19.4) |
//!
//! What workers write to is [`Resource`](crate::fence::Resource).

mod courier;
mod database;
mod detector;
mod flp;
mod generals;
mod heartbeats;
mod job;
mod lease;
mod pooler;
mod quorum;
mod silence;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod worker;

pub use courier::{Courier, CourierNote, Couriers, Job as CourierJob, JobDeed, JobWhen, Kept};
pub use database::{Database, DatabaseConfig, Leading, Standby, StandbyOf};
pub use detector::{Akka, Cassandra, Detector, Rule, phi_exponential, phi_normal};
pub use flp::{Election, Pending, mean_rounds};
pub use generals::{Attack, Chances, Plan as GeneralsPlan};
pub use heartbeats::{Heartbeats, Stall, Worth, sweep, worth};
pub use job::{Check, Job};
pub use lease::{Lease, LeaseConfig, LeaseService};
pub use pooler::Pooler;
pub use quorum::{MEMBERS_MAX, after_cut, availability, commit_latency, disjoint, majority, tolerates};
pub use silence::{Caller, Outcome as SilenceOutcome, PATIENCE, SLOW, Seen, World as SilenceWorld, charge};
pub use worker::{CountsFrom, Worker, WorkerConfig};
