//! Clocks: what a machine's own show, and logical ones, which say what can be said about the order of events without looking
//! at any watch. Small pure types that know nothing of the engine.
//!
//! One event *happened before* another (Lamport, 1978) when it could have told it something:
//!
//! - both happened in the same sequential process, and it came first there;
//! - it sent what the other received, or did anything else by which one process acts on another;
//! - or a chain of such steps leads from one to the other.
//!
//! Two events of which neither happened before the other are *concurrent*, whatever a watch says.
//!
//! | file          | what lives there | a before b, and the clock says so | the clock says so, and a was before b |
//! |---------------|------------------|-----------------------------------|---------------------------------------|
//! | `time.rs`     | instants and spans, in three types | | |
//! | `host.rs`     | [`HostClock`]: a machine's wall and monotonic clock, with offset, rate and steps; [`Slew`] | no: they differ | no |
//! | `lamport.rs`  | [`Lamport`]: one number | always | no: it may be concurrent |
//! | `vector.rs`   | [`Vector`]: a number for each process | always | always |
//! | `hybrid.rs`   | [`Hybrid`]: one number that stays near the wall clock | always | no |
//! | `interval.rs` | [`Interval`]: between which two instants it is now; the wait before a commit shows | with the wait, if the error is within its bound | never wrong, but often silent |
//! | `causal.rs`   | [`Related`]: the past and the future of one event, from the steps themselves | | |
//! | `stamped.rs`  | [`Stamped`]: an event with all its stamps; sorting by each, and which pairs come out wrong | | |
//! | `reason.rs`   | concurrent or caused? The answer in sentences made of the stamps | | |
//!
//! A Lamport stamp costs nothing to keep, so every event of the engine has one. A vector takes as many numbers as there are
//! processes: it is made when somebody asks.

mod causal;
mod host;
mod hybrid;
mod interval;
mod lamport;
mod reason;
mod stamped;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod time;
mod vector;

pub use causal::{Related, Relation};
pub use host::{HostClock, MAX_RATE_PPM, Slew};
pub use hybrid::{Hybrid, HybridClock, ReceiveRule, TooFarAhead};
pub use interval::{Commit, Interval, Timekeeper, inverted};
pub use lamport::Lamport;
pub use reason::{Answer, caused};
pub use stamped::{Order, Stamped, WrongPair, sorted, wrong_pairs};
pub use time::{MonoTime, SimTime, Span, WallTime};
pub use vector::Vector;
