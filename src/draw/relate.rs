//! What could have led to an event of a run, what it could have led to, and what it has nothing to do with. A node's agent and
//! its database are two processes, and so is each member of the store.

use crate::clocks::Related;
use crate::engine::{EventId, FullTrace, steps};
use crate::vocabulary::Words;

/// Nothing when the trace does not have the event. Takes two walks over the trace, however many messages there are.
pub fn relate(trace: &FullTrace<Words>, of: EventId) -> Option<Related> {
    let place = of.index().checked_sub(trace.skipped())?;
    Related::of(place, &steps(trace)).map(|related| related.in_a_part(trace.skipped()))
}
