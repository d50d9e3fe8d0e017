//! Distributed locks over the store: etcd's recipe, as its Go client has it.
//!
//! | file            | what lives there |
//! |-----------------|------------------|
//! | `keep_alive.rs` | the lease of a session as its client sees it: when to renew it, and when to give it up (client/v3/lease.go) |
//! | `client.rs`     | a client that queues for the lock, as an actor (client/v3/concurrency: session.go, mutex.go, key.go) |
//! | `config.rs`     | how such a client behaves |
//!
//! The lock does not keep two clients from believing that they hold it: the store counts a lease from the receipt of the
//! renewal, the client from the receipt of the answer, and looks at its watch once a second (protocols.md 3(d)). What
//! protects a resource is the token.

mod client;
mod config;
mod keep_alive;

pub use client::LockClient;
pub use config::{Bugs, LockConfig};
