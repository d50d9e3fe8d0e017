//! The names the engine gives to things. They are not integers: a host cannot be mistaken for a process.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroU32;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            Serialize, Deserialize, BorshSerialize, BorshDeserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// A machine with its own kernel, clocks, disk and network card.
    HostId(u8)
}
id! {
    /// A process on a host. The number stays the same when the process is started again.
    ProcId(u16)
}
id! {
    /// A connection. Numbers are never used twice in a run.
    ConnId(u32)
}
id! {
    /// An actor's own name for one of its timers; arming a key again replaces the earlier one.
    TimerKey(u32)
}

/// An event of the run: its place in the order of everything that happened, counted from one.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
#[serde(transparent)]
pub struct EventId(pub NonZeroU32);

impl EventId {
    /// Where this event stands in a full trace, counted from zero.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
    /// The event at `index` of a full trace.
    pub fn from_index(index: usize) -> Option<EventId> {
        u32::try_from(index + 1).ok().and_then(NonZeroU32::new).map(EventId)
    }
}
impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}
