//! Builds the actors of a scenario and runs them.

mod layout;

pub use layout::{Layout, NodeProcesses, Part};
