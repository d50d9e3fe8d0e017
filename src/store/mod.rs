//! The consensus store: etcd v3's meaning of revisions, leases, transactions and watches, on one member.
//!
//! | file         | what lives there |
//! |--------------|------------------|
//! | `kv.rs`      | the key space and its leases as a plain value: what an operation does |
//! | `server.rs`  | the member as an actor: disk, expiry, watches, replies |
//! | `client.rs`  | one request as Patroni's etcd client makes it: tries, timeouts, reload of the list, pauses |
//! | `watcher.rs` | the agent's copy of all keys, kept fresh by a watch |
//!
//! Agents know the store only through `client.rs` and `watcher.rs`.

mod client;
mod kv;
mod server;
mod watcher;

pub use client::{CallKind, CallOutcome, Client};
pub use kv::{Kv, MIN_TTL};
pub use server::Store;
pub use watcher::{News, Watcher};
