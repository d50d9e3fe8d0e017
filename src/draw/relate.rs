//! What could have led to an event, what it could have led to, and what it has nothing to do with: Lamport's "happened
//! before", over a whole trace.
//!
//! One event happened before another when a chain of steps leads from it to the other, each from an event to
//!
//! - the next one of the same process (a node's agent and its database are two processes, and so is each member of the store), or
//! - one that it caused: the receipt of a message that was sent, the end of a wait that was begun, the start of a process.
//!
//! Two events of which neither happened before the other are concurrent, whatever a clock on the wall says.

use crate::engine::{EventId, FullTrace, Place};
use crate::vocabulary::Words;
use borsh::{BorshDeserialize, BorshSerialize};
use std::collections::BTreeMap;

/// How an event stands to the one that was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Itself,
    /// It happened before.
    Past,
    /// It happened after.
    Future,
    Concurrent,
}

/// How all events of a run stand to one of them.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Related {
    of: EventId,
    /// How many events happened before it, after it, and neither.
    pub past: u32,
    pub future: u32,
    pub concurrent: u32,
    /// Two bits for each event.
    bits: Vec<u8>,
}

const PAST: u8 = 1;
const FUTURE: u8 = 2;

impl Related {
    /// How an event stands to it; nothing of one that the run does not have.
    pub fn relation(&self, event: EventId) -> Relation {
        if event == self.of {
            return Relation::Itself;
        }
        let byte = self.bits.get(event.index() / 4).copied().unwrap_or(0);
        match byte >> (event.index() % 4 * 2) & 3 {
            PAST => Relation::Past,
            FUTURE => Relation::Future,
            _ => Relation::Concurrent,
        }
    }
}

/// Nothing when the trace does not have the event. Takes two walks over the trace, however many messages there are.
pub fn relate(trace: &FullTrace<Words>, of: EventId) -> Option<Related> {
    trace.get(of)?;
    let before = steps_to(trace);
    let mut marks = vec![0_u8; before.len()];
    marks[of.index()] = PAST | FUTURE;
    // An event is older than what it leads to: one walk in each direction finds all.
    for n in (0..=of.index()).rev() {
        if marks[n] & PAST != 0 {
            for earlier in before[n].into_iter().flatten() {
                marks[earlier.index()] |= PAST;
            }
        }
    }
    for n in of.index() + 1..before.len() {
        let mut led = before[n].into_iter().flatten();
        if led.any(|earlier| marks[earlier.index()] & FUTURE != 0) {
            marks[n] |= FUTURE;
        }
    }
    let count = |mark: u8| marks.iter().filter(|&&is| is == mark).count() as u32;
    let mut bits = vec![0; marks.len().div_ceil(4)];
    for (n, mark) in marks.iter().enumerate() {
        bits[n / 4] |= mark << (n % 4 * 2);
    }
    Some(Related {
        of,
        past: count(PAST),
        future: count(FUTURE),
        concurrent: count(0),
        bits,
    })
}

/// For each event the last one of the same process, and what caused it.
fn steps_to(trace: &FullTrace<Words>) -> Vec<[Option<EventId>; 2]> {
    let mut last: BTreeMap<Place, EventId> = BTreeMap::new();
    let step = |event: &crate::engine::Event<Words>| {
        // What happens on the links between hosts is nobody's next step.
        let same = match event.place {
            Place::Network => None,
            place => last.insert(place, event.id),
        };
        let caused = event.cause.filter(|cause| cause.index() < event.id.index());
        [same, caused]
    };
    trace.iter().map(step).collect()
}
