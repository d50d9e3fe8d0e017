//! Leadership in other ways than the cluster's: who grants it, and the workers that act on it.
//!
//! | file          | what lives there |
//! |---------------|------------------|
//! | `lease.rs`    | a lease service that gives a token with every grant (protocols.md 1) |
//! | `database.rs` | a database that is asked for the leadership: by the advisory lock of a session, or by a row with an epoch (protocols.md 13, 14) |
//! | `pooler.rs`   | a connection pooler between a session and its database |
//! | `worker/`     | a worker that asks for the leadership and does its jobs while it has it |
//! | `job.rs`      | what a worker does, and how far it has come with it |
//!
//! What the workers write to is [`Resource`](crate::fence::Resource).

mod database;
mod job;
mod lease;
mod pooler;
mod worker;

pub use database::{Database, DatabaseConfig, Leading, Standby, StandbyOf};
pub use job::{Check, Job};
pub use lease::{Lease, LeaseConfig, LeaseService};
pub use pooler::Pooler;
pub use worker::{CountsFrom, Worker, WorkerConfig};
