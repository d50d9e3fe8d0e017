//! What happened, in order: the trace. Every event knows what led to it (`cause`) and, where something was missed
//! because it never came, what took it away (`because`).

use super::alarm::Alarm;
use super::ids::{ConnId, EventId, HostId, ProcId, TimerKey};
use crate::clocks::{Lamport, SimTime};
use borsh::BorshSerialize;
use siphasher::sip128::{Hasher128, SipHasher24};
use std::fmt::Debug;
use std::hash::Hasher;

/// What the actors of a world say to each other, keep on a host, and note. The engine carries these and never looks in.
pub trait Wire: Clone + Debug + PartialEq + 'static {
    /// Travels on connections.
    type Message: Clone + Debug + PartialEq + BorshSerialize;
    /// The name of a file on a host.
    type FileName: Clone + Copy + Debug + PartialEq;
    /// The contents of a file on a host.
    type File: Clone + Debug;
    /// A statement of an actor about itself, for people and for the verdict.
    type Note: Clone + Debug + PartialEq + BorshSerialize;
    /// What an operator tells a process, or a condition a fault puts it under.
    type Order: Clone + Debug + PartialEq;
}

/// Where an event happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, BorshSerialize)]
pub enum Place {
    Process(ProcId),
    Host(HostId),
    /// The links between hosts, or several hosts at once.
    Network,
}

/// Why a packet did not arrive or a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize)]
pub enum Lost {
    /// The link drops everything.
    Silent,
    /// The link lets handshakes pass and drops what carries data.
    PayloadLost,
    /// Something on the way accepted it and will never pass it on.
    Swallowed,
    /// Random loss on the link.
    Chance,
    /// The receiving host is dead or stands still.
    HostGone,
}

/// Why a connection is no longer usable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize)]
pub enum Ended {
    /// The other side closed it.
    Closed,
    /// Nobody listens, or the path refuses: known at once.
    Refused,
    /// The other side is gone and its kernel said so.
    Reset,
    /// Sent again for so long without an answer that the kernel gave up.
    TimedOut,
}

/// A signal that one process sends another on the same host. It reaches a paused process only when that runs again,
/// except `Kill`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize)]
pub enum Signal {
    Hangup,
    Interrupt,
    Quit,
    User1,
    Terminate,
    Kill,
}

/// What happened to a process or a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize)]
pub enum Life {
    Started,
    /// The process ended by itself.
    Exited,
    Killed,
    Paused,
    Resumed,
}

/// One event.
///
/// `lamport` is the clock of the process, or the host, in which it happened. It ticks on a send, on a receipt and on a note.
/// Everything else carries the current value, brought up to the stamp of what led to it: connections, signals, starts and
/// ends, timers, disks. What happens in the network carries none (zero).
#[derive(Clone, Debug, PartialEq, BorshSerialize)]
pub struct Event<W: Wire> {
    pub id: EventId,
    pub at: SimTime,
    pub place: Place,
    pub lamport: Lamport,
    pub cause: Option<EventId>,
    pub because: Option<EventId>,
    #[borsh(bound(serialize = ""))]
    pub what: What<W>,
}

#[derive(Clone, Debug, PartialEq, BorshSerialize)]
pub enum What<W: Wire> {
    Life(Life),
    Timer(TimerKey),
    Opening {
        conn: ConnId,
        to: ProcId,
    },
    Opened {
        conn: ConnId,
    },
    Accepted {
        conn: ConnId,
        from: ProcId,
    },
    Ended {
        conn: ConnId,
        how: Ended,
    },
    Sent {
        conn: ConnId,
        to: ProcId,
        message: W::Message,
    },
    Received {
        conn: ConnId,
        from: ProcId,
        sent: EventId,
        message: W::Message,
    },
    /// A message that did not arrive (it may be sent again by the kernel), or a handshake, which has no `sent`.
    Dropped {
        conn: ConnId,
        to: ProcId,
        sent: Option<EventId>,
        how: Lost,
    },
    Signal(Signal),
    DiskDone {
        tag: u64,
    },
    Note(W::Note),
    /// The numbered fault of the scenario begins or ends.
    Fault {
        index: u16,
        begins: bool,
    },
}

/// Watches a run. `FULL` says whether it wants every event or only what verdicts are made of: notes, faults and the
/// life of processes. What is not wanted is not even built.
pub trait Observer<W: Wire> {
    const FULL: bool;
    fn record(&mut self, event: Event<W>);
    /// A timer was set or cancelled; told only to who wants every event.
    fn alarm(&mut self, _alarm: Alarm) {}
}

/// Keeps everything, in chunks so that a long trace never has to be copied to grow.
#[derive(Clone, Debug)]
pub struct FullTrace<W: Wire> {
    chunks: Vec<Vec<Event<W>>>,
    alarms: Vec<Alarm>,
}

const CHUNK: usize = 4_096;

impl<W: Wire> Default for FullTrace<W> {
    fn default() -> Self {
        FullTrace {
            chunks: Vec::new(),
            alarms: Vec::new(),
        }
    }
}

impl<W: Wire> Observer<W> for FullTrace<W> {
    const FULL: bool = true;
    fn record(&mut self, event: Event<W>) {
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push(event),
            _ => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(event);
                self.chunks.push(chunk);
            }
        }
    }
    fn alarm(&mut self, alarm: Alarm) {
        self.alarms.push(alarm);
    }
}

impl<W: Wire> FullTrace<W> {
    pub fn len(&self) -> usize {
        self.chunks
            .last()
            .map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }
    pub fn get(&self, id: EventId) -> Option<&Event<W>> {
        self.chunks.get(id.index() / CHUNK)?.get(id.index() % CHUNK)
    }
    /// Every setting and cancelling of a timer, in order.
    pub fn alarms(&self) -> &[Alarm] {
        &self.alarms
    }
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Event<W>> + Clone {
        self.chunks.iter().flatten()
    }

    /// Forgets all but the first `len` events, and what came after them.
    pub fn truncate(&mut self, len: usize) {
        let kept = self.alarms.partition_point(|alarm| alarm.after as usize <= len);
        self.alarms.truncate(kept);
        self.chunks.truncate(len.div_ceil(CHUNK));
        if let Some(last) = self.chunks.last_mut() {
            last.truncate(len - (len - 1) / CHUNK * CHUNK);
        }
    }

    /// The identity of a run: a 128-bit hash over the canonical little-endian encoding of every event, in hexadecimal.
    /// Equal on every platform, because the encoding knows no pointer-sized integers and the hasher is a named one.
    pub fn hash(&self) -> String {
        let mut hasher = SipHasher24::new();
        let mut bytes = Vec::with_capacity(256);
        for event in self.iter() {
            bytes.clear();
            // Writing into a vector cannot fail, and an event has nothing that refuses to be encoded.
            if borsh::to_writer(&mut bytes, event).is_ok() {
                hasher.write(&bytes);
            }
        }
        let hash = hasher.finish128();
        format!("{:016x}{:016x}", hash.h1, hash.h2)
    }
}

impl<W: Wire> What<W> {
    /// Whether logical clocks tick at it: a send, a receipt, a statement. At everything else they are at most brought up.
    pub fn ticks(&self) -> bool {
        matches!(self, What::Sent { .. } | What::Received { .. } | What::Note(_))
    }

    /// Whether this is among what verdicts are made of.
    fn is_for_verdicts(&self) -> bool {
        matches!(self, What::Life(_) | What::Note(_) | What::Fault { .. })
    }
}

impl<W: Wire, A: Observer<W>> Observer<W> for &mut A {
    const FULL: bool = A::FULL;
    fn record(&mut self, event: Event<W>) {
        (**self).record(event);
    }
    fn alarm(&mut self, alarm: Alarm) {
        (**self).alarm(alarm);
    }
}

/// Two observers of the same run. Each is given what it wants.
impl<W: Wire, A: Observer<W>, B: Observer<W>> Observer<W> for (A, B) {
    const FULL: bool = A::FULL || B::FULL;
    fn record(&mut self, event: Event<W>) {
        let verdict = event.what.is_for_verdicts();
        match (A::FULL || verdict, B::FULL || verdict) {
            (true, true) => {
                self.0.record(event.clone());
                self.1.record(event);
            }
            (true, false) => self.0.record(event),
            (false, true) => self.1.record(event),
            (false, false) => {}
        }
    }
    fn alarm(&mut self, alarm: Alarm) {
        match (A::FULL, B::FULL) {
            (true, true) => {
                self.0.alarm(alarm.clone());
                self.1.alarm(alarm);
            }
            (true, false) => self.0.alarm(alarm),
            (false, true) => self.1.alarm(alarm),
            (false, false) => {}
        }
    }
}
