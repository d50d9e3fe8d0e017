//! LeaseLab runs lease-based leadership for real and lets people break it.

/// The engine's version, as every verdict names it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

#[cfg(target_arch = "wasm32")]
pub mod ui;
