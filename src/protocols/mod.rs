//! Small protocols and what can be said about them: actors of the engine, and pure functions.
//!
//! | file         | what lives there |
//! |--------------|------------------|
//! | `courier.rs` | a process that does what a script says, by clocks of its own (protocols.md 18) |

mod courier;

pub use courier::{Courier, CourierNote, Couriers, Job, JobDeed, JobWhen, Kept};
