//! A recorded run as a [`Story`], so that it is drawn, read out and stepped through like a simulated one.
//!
//! | file         | what it tells |
//! |--------------|---------------|
//! | `key.rs`     | who held the leader key, and the lease behind it |
//! | `lanes.rs`   | databases, agents, members of the store, faults |
//! | `rows.rs`    | the event list |
//! | `verdict.rs` | what it amounted to |
//!
//! What was not recorded is left empty: what agents believe, messages, single writes, what members agreed on, from when to
//! when the store could decide nothing.

mod key;
mod lanes;
mod rows;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod verdict;

use super::recording::{RecordedEvent, RecordedInterval, Recording, node_index};
use crate::draw::Story;
use crate::draw::story::{StoreLane, Stretch};
use crate::engine::{SimTime, Span};
use crate::vocabulary::{LeaseId, NodeId};

/// What the recorder calls the nodes.
const NODES: [&str; 3] = ["pg1", "pg2", "pg3"];
/// The resolution of the recordings. Something seen in one sample only is told as so long.
const RESOLUTION: Span = Span::from_millis(1);

/// The story of a recorded run, with its fault at `fault`. What lies before the story's beginning is cut off.
pub fn retell(recording: &Recording, fault: SimTime) -> Story {
    let tape = Tape { recording, fault };
    let reigns = key::reigns(&tape);
    let verdict = verdict::verdict(&tape, &reigns);
    Story {
        comment: rows::pause(&tape),
        nodes: (0..NODES.len()).map(|node| lanes::node(&tape, node)).collect(),
        faults: lanes::faults(&tape),
        store: StoreLane {
            keys: Vec::new(),
            leases: Vec::new(),
            fuses: key::fuses(&tape, &reigns),
            members: (0..3).map(|member| lanes::member(&tape, member)).collect(),
        },
        router: Vec::new(),
        writes: Default::default(),
        // A recording does not say enough.
        detail: Default::default(),
        rows: rows::rows(&tape, &verdict.record),
        seen: Vec::new(),
        verdict,
    }
}

/// A recording on the time of the story.
#[derive(Clone, Copy)]
struct Tape<'a> {
    recording: &'a Recording,
    fault: SimTime,
}

/// A steady replica was looked at every 100 ms, anything else every 50 ms; a busy machine is a little later.
const LAST_LOOK_MS: f64 = 150.0;

impl<'a> Tape<'a> {
    /// Not before the story's beginning, and not after its end.
    fn at(&self, ms: f64) -> SimTime {
        self.exact(ms).unwrap_or(SimTime::ZERO).min(self.end())
    }
    /// None before the story's beginning.
    fn exact(&self, ms: f64) -> Option<SimTime> {
        let us = self.fault.0 as f64 + ms * 1_000.0;
        (us >= 0.0).then(|| SimTime(us.round() as u64))
    }
    fn end(&self) -> SimTime {
        self.fault + Span((self.recording.derived.run_end_ms * 1_000.0) as u64)
    }
    /// The part of a stretch that lies in the story.
    fn stretch<T>(&self, from_ms: f64, to_ms: f64, is: T) -> Option<Stretch<T>> {
        let (from, until) = (self.at(from_ms), self.at(to_ms));
        (from < until).then_some(Stretch { from, until, is })
    }
    fn repaired(&self) -> f64 {
        self.recording.derived.repair_ms.unwrap_or(f64::INFINITY)
    }
    fn events(&self, kind: &'static str) -> impl Iterator<Item = &'a RecordedEvent> {
        self.recording.events.iter().filter(move |event| event.kind == kind)
    }
    /// What the fault's detail says; nothing in a run without one.
    fn fault_words(&self) -> &'a str {
        let event = self.recording.event("fault");
        event
            .map(|event| event.detail.as_str())
            .filter(|detail| !detail.starts_with("no fault"))
            .unwrap_or_default()
    }
    fn old_leader(&self) -> usize {
        node_index(&self.recording.derived.old_leader).unwrap_or(0)
    }
    /// The states of a node's database: the proven stretches, and before the first of them what was seen before the
    /// recording proper.
    fn states(&self, node: usize) -> Vec<RecordedInterval> {
        let name = NODES[node];
        let mut states = self.recording.intervals.get(name).cloned().unwrap_or_default();
        if let Some(first) = states.first_mut() {
            let before = self
                .events("pg")
                .filter(|event| event.node == name && event.t_ms < first.from_ms)
                .last();
            if let Some(event) = before.filter(|event| state_of(&event.detail) == first.state) {
                first.from_ms = event.t_ms;
            }
        }
        for state in &mut states {
            state.to_ms = state.to_ms.max(state.from_ms + RESOLUTION.as_millis_f64());
        }
        // The last look of all: nothing was seen to end there.
        let end = self.recording.derived.run_end_ms;
        if let Some(last) = states.last_mut().filter(|last| end - last.to_ms <= LAST_LOOK_MS) {
            last.to_ms = last.to_ms.max(end);
        }
        states
    }
}

/// `replica (since before the window)` is `replica`.
fn state_of(detail: &str) -> &str {
    detail.split(" (").next().unwrap_or(detail)
}

fn node_id(name: &str) -> Option<NodeId> {
    node_index(name).map(|node| NodeId(node as u8))
}

/// etcd writes leases as hexadecimal numbers.
fn lease_id(hex: &str) -> LeaseId {
    LeaseId(u64::from_str_radix(hex, 16).unwrap_or_default())
}
