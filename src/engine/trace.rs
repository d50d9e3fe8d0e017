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

/// Nobody watches: the run only has to come to some instant.
#[derive(Debug)]
pub struct Unwatched;

impl<W: Wire> Observer<W> for Unwatched {
    const FULL: bool = false;
    fn record(&mut self, _event: Event<W>) {}
}

/// A connection that was there when a trace began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenedBefore {
    pub conn: ConnId,
    pub from: ProcId,
    pub to: ProcId,
    pub established: bool,
}

/// Keeps every event from some point of a run on, in chunks so that a long trace never has to be copied to grow. One that
/// became too long is thinned: then it keeps only what verdicts are made of, and not all of that.
#[derive(Clone, Debug)]
pub struct FullTrace<W: Wire> {
    /// How many events came before the first.
    skipped: usize,
    opened_before: Vec<OpenedBefore>,
    /// What a thinned one keeps; all, while it is not.
    keeps: Option<fn(&What<W>) -> bool>,
    chunks: Vec<Vec<Event<W>>>,
    alarms: Vec<Alarm>,
}

const CHUNK: usize = 4_096;

impl<W: Wire> Default for FullTrace<W> {
    fn default() -> Self {
        FullTrace::since(0, Vec::new())
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

/// Goes on with a thinned trace.
#[derive(Debug)]
pub struct Thinly<'a, W: Wire>(pub &'a mut FullTrace<W>);

impl<W: Wire> Observer<W> for Thinly<'_, W> {
    const FULL: bool = false;
    fn record(&mut self, event: Event<W>) {
        if self.0.keeps.is_none_or(|keeps| keeps(&event.what)) {
            self.0.record(event);
        }
    }
}

impl<W: Wire> FullTrace<W> {
    /// Of a run in which so many events have happened, and in which these connections are there now.
    pub fn since(events: usize, opened_before: Vec<OpenedBefore>) -> FullTrace<W> {
        FullTrace {
            skipped: events,
            opened_before,
            keeps: None,
            chunks: Vec::new(),
            alarms: Vec::new(),
        }
    }

    /// How many events it keeps.
    pub fn len(&self) -> usize {
        self.chunks
            .last()
            .map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }
    /// How many events of the run came before the first that it keeps.
    pub fn skipped(&self) -> usize {
        self.skipped
    }
    pub fn opened_before(&self) -> &[OpenedBefore] {
        &self.opened_before
    }
    /// Whether it keeps only what verdicts are made of.
    pub fn is_thin(&self) -> bool {
        self.keeps.is_some()
    }

    /// An event that it keeps.
    pub fn get(&self, id: EventId) -> Option<&Event<W>> {
        let place = match self.is_thin() {
            false => id.index().checked_sub(self.skipped)?,
            true => self.before(id.index()),
        };
        self.at(place).filter(|event| event.id == id)
    }
    fn at(&self, place: usize) -> Option<&Event<W>> {
        self.chunks.get(place / CHUNK)?.get(place % CHUNK)
    }
    /// How many of the events that it keeps are among the first `events` of the run.
    fn before(&self, events: usize) -> usize {
        if !self.is_thin() {
            return events.saturating_sub(self.skipped).min(self.len());
        }
        let older = |event: &Event<W>| event.id.index() < events;
        let chunk = self.chunks.partition_point(|chunk| chunk.last().is_some_and(older));
        let within = self.chunks.get(chunk).map_or(0, |chunk| chunk.partition_point(older));
        chunk * CHUNK + within
    }

    /// Every setting and cancelling of a timer, in order; none in a thinned trace.
    pub fn alarms(&self) -> &[Alarm] {
        &self.alarms
    }
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Event<W>> + Clone {
        self.chunks.iter().flatten()
    }

    /// Forgets all but what is among the first `events` of the run.
    pub fn truncate(&mut self, events: usize) {
        let kept = self.alarms.partition_point(|alarm| alarm.after as usize <= events);
        self.alarms.truncate(kept);
        let kept = self.before(events);
        self.chunks.truncate(kept.div_ceil(CHUNK));
        if let Some(last) = self.chunks.last_mut() {
            last.truncate((kept - 1) % CHUNK + 1);
        }
    }

    /// Forgets all but what verdicts are made of, and of that what is not to be kept. Whoever records more of the run does it
    /// [`Thinly`].
    pub fn thin(&mut self, keeps: fn(&What<W>) -> bool) {
        let chunks = std::mem::take(&mut self.chunks);
        self.alarms = Vec::new();
        self.keeps = Some(keeps);
        for event in chunks.into_iter().flatten() {
            if event.what.is_for_verdicts() {
                Thinly(self).record(event);
            }
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
