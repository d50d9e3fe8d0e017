//! What comes in from others and goes out to them.
//!
//! | file                | what lives there |
//! |---------------------|------------------|
//! | `link.rs`           | an experiment in the fragment of an address |
//! | `trace_lines.rs`    | a trace as JSON lines: the schema and what every event has |
//! | `trace_words.rs`    | the part of it that messages and notes fill; `lease_words.rs` those of leases and fences |

mod lease_words;
pub mod link;
mod trace_lines;
mod trace_words;

pub use trace_lines::{write_events, write_trace};
