//! The contract between the engine and an actor: one input in, commands out, nothing else.
//!
//! An actor sees its own state, the clocks and files of its own host, and whether a process of its own host is alive.
//! It never sees the queue, true time, or another actor.

use super::ids::{ConnId, HostId, ProcId, TimerKey};
use super::kernel::Listed;
use super::pace::Pace;
use super::rng::{Draw, Draws, Spread};
use super::trace::{Ended, Signal, Wire};
use crate::clocks::{MonoTime, SimTime, Span, WallTime};

/// What an actor is woken by.
#[derive(Clone, Debug, PartialEq)]
pub enum Input<W: Wire> {
    /// The process has been started. What it kept in memory is gone; what it kept on disk is its own to tell apart.
    Start,
    Timer(TimerKey),
    /// A connection it opened is established.
    Opened(ConnId),
    /// Another process has connected.
    Accepted(ConnId, ProcId),
    Message(ConnId, W::Message),
    /// A connection is over; nothing more comes from it.
    Ended(ConnId, Ended),
    Signal(Signal),
    /// What was given to [`Ctx::fsync`] with this tag is on disk.
    DiskDone(u64),
    /// An order begins to stand, or no longer does.
    Order {
        order: W::Order,
        begins: bool,
    },
}

/// TCP keep-alive: after `idle` without a word the peer is probed; without an answer for `dead_after` the connection
/// ends. A peer that has forgotten the connection ends it at the first probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keepalive {
    pub idle: Span,
    /// From one probe to the next.
    pub every: Span,
    pub dead_after: Span,
    /// The connection ends after `dead_after` also while something sent on it is not acknowledged, as `TCP_USER_TIMEOUT` has
    /// it. Otherwise nothing is probed as long as that is sent again and again, and the end of that ends the connection.
    pub unacknowledged_too: bool,
}

/// A state machine driven by the engine.
pub trait Actor<W: Wire>: Clone {
    fn handle(&mut self, input: Input<W>, ctx: &mut Ctx<'_, W>);
}

/// What an actor asks for. Commands take effect after the step, in the order in which they were given.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Command<W: Wire> {
    Open {
        conn: ConnId,
        to: ProcId,
        keepalive: Option<Keepalive>,
    },
    Send {
        conn: ConnId,
        message: W::Message,
        in_two: bool,
    },
    Close {
        conn: ConnId,
    },
    KeepAlive {
        conn: ConnId,
        keepalive: Keepalive,
    },
    SetTimer {
        key: TimerKey,
        after: Span,
        waiting_on: Vec<ConnId>,
    },
    CancelTimer {
        key: TimerKey,
    },
    Fsync {
        tag: u64,
    },
    Signal {
        to: ProcId,
        signal: Signal,
    },
    Spawn {
        process: ProcId,
    },
    Exit,
    ResetHost {
        back_after: Span,
    },
    Note(W::Note),
}

/// The collector of one step's commands, with the little an actor may look at.
pub struct Ctx<'a, W: Wire> {
    pub(super) me: ProcId,
    pub(super) host: HostId,
    pub(super) mono: MonoTime,
    pub(super) wall: WallTime,
    pub(super) files: &'a mut Vec<(W::FileName, W::File)>,
    pub(super) orders: &'a [(u16, W::Order)],
    pub(super) table: &'a [Listed],
    pub(super) draws: &'a mut Draws,
    pub(super) pace: Pace,
    /// True time: for the pace and the process table, no actor sees it.
    pub(super) now: SimTime,
    pub(super) next_conn: &'a mut u32,
    pub(super) commands: &'a mut Vec<Command<W>>,
}

impl<W: Wire> Ctx<'_, W> {
    pub fn me(&self) -> ProcId {
        self.me
    }
    pub fn host(&self) -> HostId {
        self.host
    }
    /// The host's monotonic clock.
    pub fn mono(&self) -> MonoTime {
        self.mono
    }
    /// The host's wall clock, which may be wrong and may jump.
    pub fn wall(&self) -> WallTime {
        self.wall
    }

    /// Begins a connection. `Opened` or `Ended` will follow; silence follows when the path is silent, so set a timer.
    pub fn open(&mut self, to: ProcId) -> ConnId {
        self.connect(to, None)
    }
    /// The same with TCP keep-alive: the kernel looks after the peer of a connection on which nothing comes.
    pub fn open_with_keepalive(&mut self, to: ProcId, keepalive: Keepalive) -> ConnId {
        self.connect(to, Some(keepalive))
    }
    /// From now on the kernel looks after the peer of a connection that was accepted.
    pub fn keep_alive(&mut self, conn: ConnId, keepalive: Keepalive) {
        self.commands.push(Command::KeepAlive { conn, keepalive });
    }
    fn connect(&mut self, to: ProcId, keepalive: Option<Keepalive>) -> ConnId {
        let conn = ConnId(*self.next_conn);
        *self.next_conn += 1;
        self.commands.push(Command::Open { conn, to, keepalive });
        conn
    }
    /// Sends on an established connection. On one that has ended it does nothing, as a write to a dead socket would.
    pub fn send(&mut self, conn: ConnId, message: W::Message) {
        let in_two = false;
        self.commands.push(Command::Send { conn, message, in_two });
    }
    /// The same in two small packets, head and body, as many HTTP clients do: the body leaves only when the head has been
    /// acknowledged, so it costs two round trips and the receiver's delay of that acknowledgement.
    pub fn send_in_two(&mut self, conn: ConnId, message: W::Message) {
        let in_two = true;
        self.commands.push(Command::Send { conn, message, in_two });
    }
    pub fn close(&mut self, conn: ConnId) {
        self.commands.push(Command::Close { conn });
    }

    /// Fires once, `after` on the host's monotonic clock.
    pub fn set_timer(&mut self, key: TimerKey, after: Span) {
        self.commands.push(Command::SetTimer {
            key,
            after,
            waiting_on: Vec::new(),
        });
    }
    /// A timer that ends the wait for something to come on any of `conns`. Should it fire, the trace can say what became
    /// of the message that did not come.
    pub fn set_timeout(&mut self, key: TimerKey, after: Span, conns: &[ConnId]) {
        self.commands.push(Command::SetTimer {
            key,
            after,
            waiting_on: conns.to_vec(),
        });
    }
    pub fn cancel_timer(&mut self, key: TimerKey) {
        self.commands.push(Command::CancelTimer { key });
    }

    /// Writes to disk; `DiskDone(tag)` follows when it is durable.
    pub fn fsync(&mut self, tag: u64) {
        self.commands.push(Command::Fsync { tag });
    }
    /// Sends a signal to a process of the same host.
    pub fn signal(&mut self, to: ProcId, signal: Signal) {
        self.commands.push(Command::Signal { to, signal });
    }
    /// Starts a process of the same host; nothing happens when it already runs.
    pub fn spawn(&mut self, process: ProcId) {
        self.commands.push(Command::Spawn { process });
    }
    /// Ends this process.
    pub fn exit(&mut self) {
        self.commands.push(Command::Exit);
    }
    /// Cuts the power of this host, as a watchdog device does; it comes back after a while and its processes start.
    pub fn reset_host(&mut self, back_after: Span) {
        self.commands.push(Command::ResetHost { back_after });
    }

    /// The orders that stand for this process now, whether or not it was alive when they began.
    pub fn orders(&self) -> impl Iterator<Item = &W::Order> {
        self.orders.iter().map(|(_, order)| order)
    }

    /// States something about this actor, for the trace and the verdict.
    pub fn note(&mut self, note: W::Note) {
        self.commands.push(Command::Note(note));
    }

    /// Reads a file of this host.
    pub fn file(&self, name: W::FileName) -> Option<&W::File> {
        self.files.iter().find(|(n, _)| *n == name).map(|(_, file)| file)
    }
    /// Writes a file of this host. It is there at once for the other processes of the host and survives them.
    pub fn write_file(&mut self, name: W::FileName, file: W::File) {
        match self.files.iter_mut().find(|(n, _)| *n == name) {
            Some((_, old)) => *old = file,
            None => self.files.push((name, file)),
        }
    }
    /// Whether a process of this host is alive (a paused one is, and one that has ended but was not collected yet seems to
    /// be), as a look at the process table tells.
    pub fn is_alive(&self, process: ProcId) -> bool {
        let listed = self
            .table
            .get(process.index())
            .filter(|listed| listed.host == self.host);
        listed.is_some_and(|listed| listed.alive || self.now < listed.reaped_at)
    }

    /// How long a piece of work takes, drawn for `kind` and stretched by how slow the machine is now.
    pub fn sample(&mut self, kind: Draw, spread: &Spread) -> Span {
        self.pace.stretch(self.draws.sample(kind, spread), self.now)
    }
    /// How long a computation takes that would take a duration drawn for `kind` on a machine that does nothing else.
    pub fn compute(&mut self, kind: Draw, spread: &Spread) -> Span {
        self.pace.compute(self.draws.sample(kind, spread), self.now)
    }
    /// A whole number below `bound`.
    pub fn below(&mut self, kind: Draw, bound: u64) -> u64 {
        self.draws.below(kind, bound)
    }
}
