//! What the page and the worker say to each other: borsh in array buffers, which change hands without being copied.

use crate::compare::{Figures, Fitting, Measure};
use crate::draw::{Detail, Reason, Related, Story};
use crate::engine::{EventId, SimTime};
use borsh::{BorshDeserialize, BorshSerialize};
use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};

/// From the page to the worker.
#[derive(BorshSerialize, BorshDeserialize)]
pub enum Request {
    Simulate {
        run: u32,
        toml: String,
        measure: Option<Measure>,
    },
    /// Messages and waits of a part of the run that was simulated last.
    Look { run: u32, from: SimTime, until: SimTime },
    /// Of the run that was simulated last.
    Explain { run: u32, event: EventId },
    /// Of the run that was simulated last.
    Relate { run: u32, event: EventId },
    /// The events of a part of the run that was simulated last; none: what is kept of all of it.
    Trace { run: u32, part: Option<(SimTime, SimTime)> },
    /// Of the recorded run with this text: the first seed that fits, then the figures of so many.
    Survey {
        survey: u32,
        name: String,
        text: String,
        seeds: u32,
    },
}

impl Request {
    /// Whether nobody waits for the answer to another any more once this is asked.
    pub fn replaces(&self, other: &Request) -> bool {
        let new_run = matches!(self, Request::Simulate { .. });
        new_run || std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// From the worker to the page.
#[derive(BorshSerialize, BorshDeserialize)]
pub enum Answer {
    Progress {
        run: u32,
        reached: SimTime,
    },
    Simulated {
        run: u32,
        story: Box<Story>,
        figures: Option<Box<Figures>>,
    },
    Looked {
        run: u32,
        detail: Box<Detail>,
    },
    Explained {
        run: u32,
        event: EventId,
        reasons: Vec<Reason>,
    },
    Related {
        run: u32,
        event: EventId,
        related: Option<Related>,
    },
    Traced {
        run: u32,
        lines: Option<Vec<u8>>,
    },
    Fits {
        survey: u32,
        fitting: Fitting,
    },
    Seed {
        survey: u32,
        figures: Box<Figures>,
    },
    Surveyed {
        survey: u32,
    },
}

impl Answer {
    /// More is to come to the same request.
    pub fn goes_on(&self) -> bool {
        matches!(
            self,
            Answer::Progress { .. } | Answer::Fits { .. } | Answer::Seed { .. }
        )
    }
}

/// The message, and the list of what it hands over.
pub fn pack<T: BorshSerialize>(what: &T) -> (ArrayBuffer, Array) {
    // Writing to memory does not fail; an empty message would be noticed as unreadable.
    let bytes = borsh::to_vec(what).unwrap_or_default();
    let buffer = Uint8Array::from(bytes.as_slice()).buffer();
    let transfer = Array::of1(&buffer);
    (buffer, transfer)
}

/// What was packed; nothing when it was not packed by the same build.
pub fn unpack<T: BorshDeserialize>(message: &JsValue) -> Option<T> {
    let buffer: &ArrayBuffer = message.dyn_ref()?;
    borsh::from_slice(&Uint8Array::new(buffer).to_vec()).ok()
}
