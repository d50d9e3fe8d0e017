//! A small deterministic network of Rafts for the tests: delays, cuts, loss, duplication and reordering; crashes that keep
//! what was fsynced, pauses, slow disks; scripted election draws; and checkers of what must hold at every step.
//!
//! Each test file uses a part of it.
#![allow(dead_code, unused_imports)]

pub mod bench;
pub mod control;
pub mod faults;
pub mod invariants;
pub mod member;
pub mod network;
pub mod transcript;

pub use faults::Schedule;
pub use invariants::Invariants;
pub use network::{Network, Seen};

/// Microseconds in a millisecond: times of the network are in µs, scenarios are written in ms.
pub const MS: u64 = 1_000;
