//! The consensus store: what etcd v3 means by revisions, leases, transactions and watches, kept by a Raft group.
//!
//! | file         | what lives there |
//! |--------------|------------------|
//! | `kv.rs`      | the key space as a plain value: what an operation does |
//! | `lessor.rs`  | when leases run out; only the Raft leader's keeps time |
//! | `member/`    | one member as an actor: raft thread, lessor, client API |
//! | `peers.rs`   | the connections between members |
//! | `client.rs`  | one request as Patroni's etcd client makes it: servers, tries, time-outs, reload of the list, pauses |
//! | `round.rs`   | how the time of one request is divided over the servers |
//! | `guard.rs`   | whether an answer comes from a member that has missed an election |
//! | `watcher.rs` | the agent's copy of all keys, kept fresh by a watch |
//!
//! Agents know the store only through `client.rs` and `watcher.rs`.

mod client;
mod guard;
mod kv;
mod lessor;
mod member;
mod peers;
mod round;
mod watcher;

pub use client::{CallKind, CallOutcome, Client};
pub use guard::TermGuard;
pub use kv::{Kv, least_ttl};
pub use lessor::{Lessor, Renewal};
pub use member::{Member, MemberConfig, Phases};
pub use watcher::{News, Watcher};
