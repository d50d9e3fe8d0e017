//! Small protocols and what can be said about them: actors of the engine, and pure functions.
//!
//! | file            | what lives there |
//! |-----------------|------------------|
//! | `courier.rs`    | a process that does what a script says, by clocks of its own (protocols.md 18) |
//! | `detector.rs`   | failure detectors: a fixed timeout, Akka's and Cassandra's accrual (17) |
//! | `heartbeats.rs` | streams of heartbeats, and what a detector is worth on one (17, 19.2) |
//! | `quorum.rs`     | arithmetic of majorities (19.5) |
//! | `generals.rs`   | two generals and `k` acknowledgements (19.3) |
//! | `silence.rs`    | the three meanings of silence (19.1) |
//! | `flp.rs`        | elections under a scheduler that somebody plays (19.4) |

mod courier;
mod detector;
mod flp;
mod generals;
mod heartbeats;
mod quorum;
mod silence;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

pub use courier::{Courier, CourierNote, Couriers, Job, JobDeed, JobWhen, Kept};
pub use detector::{Akka, Cassandra, Detector, Rule, phi_exponential, phi_normal};
pub use flp::{Election, Pending, mean_rounds};
pub use generals::{Attack, Chances, Plan as GeneralsPlan};
pub use heartbeats::{Heartbeats, Stall, Worth, sweep, worth};
pub use quorum::{MEMBERS_MAX, after_cut, availability, commit_latency, disjoint, majority, tolerates};
pub use silence::{Caller, Outcome as SilenceOutcome, PATIENCE, SLOW, Seen, World as SilenceWorld, charge};
