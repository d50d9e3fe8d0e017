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
    /// It lies outside of the part of the run that was looked at.
    Unknown,
}

/// How all events of a run stand to one of them.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Related {
    of: EventId,
    /// How many events of the run came before the first that was looked at.
    skipped: u32,
    /// How many events happened before it, after it, and neither.
    pub past: u32,
    pub future: u32,
    pub concurrent: u32,
    /// Two bits for each event.
    bits: Vec<u8>,
}

const PAST: u8 = 1;
const FUTURE: u8 = 2;
const CONCURRENT: u8 = 3;

impl Related {
    /// How an event stands to it; nothing of one that the run does not have.
    pub fn relation(&self, event: EventId) -> Relation {
        if event == self.of {
            return Relation::Itself;
        }
        let place = event.index().wrapping_sub(self.skipped as usize);
        match self.bits.get(place / 4).map(|byte| byte >> (place % 4 * 2) & 3) {
            Some(PAST) => Relation::Past,
            Some(FUTURE) => Relation::Future,
            Some(CONCURRENT) => Relation::Concurrent,
            _ => Relation::Unknown,
        }
    }
}

/// Nothing when the trace does not have the event. Takes two walks over the trace, however many messages there are.
pub fn relate(trace: &FullTrace<Words>, of: EventId) -> Option<Related> {
    trace.get(of)?;
    let skipped = trace.skipped();
    let (before, itself) = (steps_to(trace), of.index() - skipped);
    let mut marks = vec![0_u8; before.len()];
    marks[itself] = PAST | FUTURE;
    // An event is older than what it leads to: one walk in each direction finds all.
    for n in (0..=itself).rev() {
        if marks[n] & PAST != 0 {
            for earlier in before[n].into_iter().flatten() {
                marks[earlier] |= PAST;
            }
        }
    }
    for n in itself + 1..before.len() {
        let mut led = before[n].into_iter().flatten();
        if led.any(|earlier| marks[earlier] & FUTURE != 0) {
            marks[n] |= FUTURE;
        }
    }
    marks[itself] = 0;
    let related = |(n, mark): (usize, &mut u8)| {
        if n != itself && *mark == 0 {
            *mark = CONCURRENT;
        }
    };
    marks.iter_mut().enumerate().for_each(related);
    let count = |mark: u8| marks.iter().filter(|&&is| is == mark).count() as u32;
    let mut bits = vec![0; marks.len().div_ceil(4)];
    for (n, mark) in marks.iter().enumerate() {
        bits[n / 4] |= mark << (n % 4 * 2);
    }
    Some(Related {
        of,
        skipped: skipped as u32,
        past: count(PAST),
        future: count(FUTURE),
        concurrent: count(CONCURRENT),
        bits,
    })
}

/// For each event the last one of the same process, and what caused it, by their places in the trace.
fn steps_to(trace: &FullTrace<Words>) -> Vec<[Option<usize>; 2]> {
    let mut last: BTreeMap<Place, usize> = BTreeMap::new();
    let place_of = |event: EventId| event.index().checked_sub(trace.skipped());
    let step = |(n, event): (usize, &crate::engine::Event<Words>)| {
        // What happens on the links between hosts is nobody's next step.
        let same = match event.place {
            Place::Network => None,
            place => last.insert(place, n),
        };
        let caused = event.cause.and_then(place_of).filter(|cause| *cause < n);
        [same, caused]
    };
    trace.iter().enumerate().map(step).collect()
}
