//! LeaseLab runs lease-based leadership for real and lets people break it.
pub mod engine;
pub mod scenario;
