//! LeaseLab runs lease-based leadership for real and lets people break it.
//!
//! The rooms, from the ground up; a room may use only rooms before it in this list.

pub mod sorting;

pub mod clocks;
pub mod engine;
pub mod raft;
pub mod vocabulary;

pub mod costs;

pub mod agent;
pub mod fence;
pub mod locks;
pub mod postgres;
pub mod protocols;
pub mod store;
pub mod traffic;
pub mod watchdog;

pub mod scenario;
pub mod world;

pub mod verdict;

pub mod draw;

pub mod compare;

pub mod lesson;

pub mod exchange;
pub mod session;

#[cfg(target_arch = "wasm32")]
pub mod ui;

/// The engine's version, as every verdict names it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
