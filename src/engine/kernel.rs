//! The machines: hosts, processes, timers, disks, and the one queue everything waits in. Connections are in `net.rs`,
//! disks in `disk.rs`, faults in `strike.rs`; all are this one `Kernel`.
//!
//! | a process is | its messages and timers        | its connections                              |
//! |--------------|--------------------------------|----------------------------------------------|
//! | running      | are handled when they are due  | work                                         |
//! | paused       | wait, and run when it resumes  | its kernel goes on accepting and buffering   |
//! | dead         | are lost                       | are reset, or go silent when the host is off |

use super::actor::{Command, Input};
use super::alarm::{Alarm, Patience};
use super::conns::Conns;
use super::disk::Disk;
use super::fault::{Act, ResumeOrder};
use super::ids::{ConnId, EventId, HostId, ProcId, TimerKey};
use super::link::{Direction, Links};
use super::neighbours::Neighbours;
use super::pace::Pace;
use super::rng::{Draw, Draws, Spread, bits_of};
use super::trace::{Event, FullTrace, Life, Observer, Place, Signal, What, Wire};
use crate::clocks::{HostClock, Lamport, MonoTime, SimTime, Span};
use crate::sorting;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

/// What waits in the queue. Small on purpose: messages stay in their connection until they are due.
#[derive(Clone, Copy, Debug)]
pub(super) enum Due {
    Timer { process: ProcId, armed: u32 },
    Syn { conn: ConnId },
    SynArrives { conn: ConnId },
    SynAck { conn: ConnId },
    Deliver { conn: ConnId, to: u8 },
    Retransmit { conn: ConnId, to: u8 },
    Reset { conn: ConnId, to: u8, refused: bool },
    Keepalive { conn: ConnId, side: u8 },
    NoRoute { from: HostId, to: HostId },
    Disk { host: HostId, write: u32 },
    Inbox { process: ProcId, life: u32 },
    Start { process: ProcId },
    PowerOn { host: HostId },
    Fault { index: u16, begins: bool },
}

/// The order of everything: by time, and at one instant by who came first.
#[derive(Clone, Copy, Debug)]
struct Queued {
    at: SimTime,
    sequence: u64,
    due: Due,
}

impl Ord for Queued {
    /// The earliest is the greatest, for that is what a heap gives first.
    fn cmp(&self, other: &Queued) -> Ordering {
        (other.at, other.sequence).cmp(&(self.at, self.sequence))
    }
}
impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Queued) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Queued {
    fn eq(&self, other: &Queued) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Queued {}

/// An input on its way to a process, with what the trace must say about it.
#[derive(Clone, Debug)]
pub(super) struct Arrival<W: Wire> {
    pub input: Input<W>,
    pub cause: Option<EventId>,
    pub because: Option<EventId>,
    /// What the Lamport clock of whoever brought it about showed then. Zero: it comes from no other process.
    pub stamp: Lamport,
    /// Who sent a message.
    pub from: Option<ProcId>,
}

impl<W: Wire> Arrival<W> {
    pub(super) fn new(input: Input<W>, cause: Option<EventId>) -> Arrival<W> {
        Arrival::led(input, (cause, Lamport::ZERO))
    }
    /// What another process, or a fault, brings about.
    pub(super) fn led(input: Input<W>, (cause, stamp): Led) -> Arrival<W> {
        Arrival {
            input,
            cause,
            because: None,
            stamp,
            from: None,
        }
    }
}

#[derive(Clone, Debug)]
struct Timer {
    key: TimerKey,
    armed: u32,
    deadline: MonoTime,
    cause: Option<EventId>,
    waiting_on: Vec<ConnId>,
}

#[derive(Clone, Debug)]
pub(super) struct Process<W: Wire> {
    pub host: HostId,
    /// Started by the host when it boots (a database is not: its agent decides).
    pub boots: bool,
    pub alive: bool,
    /// The faults that pause it.
    pub paused_by: Vec<u16>,
    /// Kill faults that hold it down across a boot of the host.
    pub held_down: u8,
    /// Asked to end and then to start again before it had ended: it starts when it has.
    pub starts_again: bool,
    /// How often it has been started; what was meant for an earlier life is dropped.
    pub life: u32,
    pub inbox: VecDeque<Arrival<W>>,
    /// After a resume: before this, what had come in is not read.
    pub reads_from: SimTime,
    /// The event that killed or paused it, for the trace's "because".
    pub halted_by: Option<EventId>,
    /// The orders that stand, by the fault that gave each.
    pub orders: Vec<(u16, W::Order)>,
    pub(super) lamport: Lamport,
    timers: Vec<Timer>,
    pub(super) draws: Draws,
}

#[derive(Clone, Debug)]
pub(super) struct Host<W: Wire> {
    pub clock: HostClock,
    pub on: bool,
    /// An off host whose kernel still answers for its dead processes.
    pub refuses: bool,
    pub kills: u8,
    /// The faults that pause it, and whether each lets the monotonic clock run.
    pub paused_by: Vec<(u16, bool)>,
    pub disk: Disk,
    pub files: Vec<(W::FileName, W::File)>,
    pub halted_by: Option<EventId>,
    /// It has a clock too, because it can be switched off by one process and then ends the others.
    lamport: Lamport,
}

impl<W: Wire> Host<W> {
    /// Whether its kernel takes packets at all, and if not, the event that ended that.
    pub(super) fn answers(&self) -> Result<(), Option<EventId>> {
        if !self.paused_by.is_empty() || (!self.on && !self.refuses) {
            Err(self.halted_by)
        } else {
            Ok(())
        }
    }
}

/// A process as the process table of its host has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed {
    pub host: HostId,
    pub alive: bool,
    /// Until then a process that has ended is a zombie, which the table still lists.
    pub reaped_at: SimTime,
}

impl Listed {
    fn new(host: HostId) -> Listed {
        Listed {
            host,
            alive: false,
            reaped_at: SimTime::ZERO,
        }
    }
}

/// A fault on the schedule: what it does, and from when to when it does it.
#[derive(Clone, Debug, PartialEq)]
pub struct Strike<O = ()> {
    /// In order, without overlaps; one without an end is the last.
    pub times: Vec<(SimTime, Option<SimTime>)>,
    pub acts: Vec<Act<O>>,
}

/// Something the engine's own rules forbid and that happened all the same. Never a panic: in wasm that ends the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub at: SimTime,
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct Kernel<W: Wire> {
    pub(super) now: SimTime,
    queue: BinaryHeap<Queued>,
    sequence: u64,
    pub(super) hosts: Vec<Host<W>>,
    pub(super) processes: Vec<Process<W>>,
    pub(super) table: Vec<Listed>,
    reaps_every: Span,
    seed: u64,
    pub(super) conns: Conns<W>,
    pub(super) next_conn: u32,
    pub(super) links: Links,
    pub(super) neighbours: Neighbours,
    pub(super) pace: Pace,
    pub(super) strikes: Vec<Strike<W::Order>>,
    next_armed: u32,
    events: u32,
    /// Inputs that are due now, in order.
    pub(super) ready: VecDeque<(ProcId, Arrival<W>)>,
    pub(super) findings: Vec<Finding>,
}

/// What starts a process again when its host has booted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starts {
    /// The host does.
    WithHost,
    /// Another process decides.
    ByAnother,
}

/// How the world is furnished at the start.
#[derive(Clone, Debug)]
pub struct Furnishing<O = ()> {
    pub seed: u64,
    pub latency: Spread,
    pub loss_ppm: u32,
    /// No router lies between the hosts.
    pub one_segment: bool,
    pub hosts: usize,
    pub fsync: Spread,
    /// How long what usually takes a second takes, drawn anew every half second for all hosts together.
    pub second_takes: Spread,
    /// In how many millionths of the time some process waits for a processor.
    pub pressure_ppm: u32,
    /// How often a host's first process collects those that have ended; zero: at once.
    pub reaps_every: Span,
    /// Each process: its host, and when it starts. At time 0 all start, in this order, before any fault.
    pub processes: Vec<(HostId, Starts)>,
    pub strikes: Vec<Strike<O>>,
}

/// How long after a resume a process acts before it reads what came in meanwhile, in the order
/// [`ResumeOrder::Application`]. Recorded: an agent thawed after 45 s sent its renewal 4 ms later and learned of the new
/// leader 140 ms later.
const RESUME_READ_LAG: Span = Span::from_millis(40);

/// Owners of draws: processes count from 0, hosts and links from these.
const HOST_DRAWS: u32 = 1 << 20;
const LINK_DRAWS: u32 = 1 << 21;

/// The event that led to something, with what the Lamport clock showed where it happened.
pub(super) type Led = (Option<EventId>, Lamport);

/// It happens by itself.
const BY_NOBODY: Led = (None, Lamport::ZERO);

/// Above all starts and strikes.
const FIRST_SEQUENCE: u64 = 1 << 32;

impl<W: Wire> Kernel<W> {
    pub(super) fn new(plan: Furnishing<W::Order>) -> Kernel<W> {
        let hosts = (0..plan.hosts as u32)
            .map(|h| Host {
                clock: HostClock::new(0, 0),
                on: true,
                refuses: false,
                kills: 0,
                paused_by: Vec::new(),
                disk: Disk::new(plan.fsync, Draws::new(plan.seed, HOST_DRAWS + h)),
                files: Vec::new(),
                halted_by: None,
                lamport: Lamport::ZERO,
            })
            .collect();
        let process = |(p, &(host, starts)): (usize, &(HostId, Starts))| Process {
            host,
            boots: starts == Starts::WithHost,
            alive: false,
            paused_by: Vec::new(),
            held_down: 0,
            starts_again: false,
            life: 0,
            inbox: VecDeque::new(),
            reads_from: SimTime::ZERO,
            halted_by: None,
            orders: Vec::new(),
            lamport: Lamport::ZERO,
            timers: Vec::new(),
            draws: Draws::new(plan.seed, p as u32),
        };
        let link = |l: u32| Direction::new(plan.latency, plan.loss_ppm, Draws::new(plan.seed, LINK_DRAWS + l));
        let mut kernel = Kernel {
            now: SimTime::ZERO,
            queue: BinaryHeap::new(),
            sequence: 0,
            hosts,
            table: plan.processes.iter().map(|&(host, _)| Listed::new(host)).collect(),
            reaps_every: plan.reaps_every,
            seed: plan.seed,
            processes: plan.processes.iter().enumerate().map(process).collect(),
            conns: Conns::new(),
            next_conn: 0,
            links: Links::new(plan.hosts, link),
            neighbours: Neighbours::new(plan.hosts, plan.one_segment, plan.seed),
            pace: Pace::new(plan.seed, plan.second_takes, plan.pressure_ppm),
            strikes: plan.strikes,
            next_armed: 0,
            events: 0,
            ready: VecDeque::new(),
            findings: Vec::new(),
        };
        for process in 0..kernel.processes.len() {
            kernel.push(
                SimTime::ZERO,
                Due::Start {
                    process: ProcId(process as u16),
                },
            );
        }
        kernel.schedule_strikes(None);
        kernel.sequence = FIRST_SEQUENCE;
        kernel
    }

    /// Puts the strikes on the schedule, those after `after`. At one instant they come before all that happens by itself, in
    /// their own order, and that does not depend on how many there are.
    fn schedule_strikes(&mut self, after: Option<SimTime>) {
        let mut sequence = self.processes.len() as u64;
        for index in 0..self.strikes.len() {
            for (at, until) in self.strikes[index].times.clone() {
                for (at, begins) in [(Some(at), true), (until, false)] {
                    let index = index as u16;
                    sequence += 1;
                    if let Some(at) = at.filter(|at| after.is_none_or(|after| *at > after)) {
                        let due = Due::Fault { index, begins };
                        self.queue.push(Queued { at, sequence, due });
                    }
                }
            }
        }
    }

    /// What has not begun or ended by now is as in these strikes instead; what has must be the same, at the same places.
    pub(super) fn reschedule(&mut self, strikes: Vec<Strike<W::Order>>) {
        self.queue.retain(|queued| !matches!(queued.due, Due::Fault { .. }));
        self.strikes = strikes;
        self.schedule_strikes(Some(self.now));
    }

    pub(super) fn push(&mut self, at: SimTime, due: Due) {
        debug_assert!(!matches!(due, Due::Fault { .. }));
        self.sequence += 1;
        let sequence = self.sequence;
        self.queue.push(Queued { at, sequence, due });
    }

    /// When the next thing is due.
    pub(super) fn next_at(&self) -> Option<SimTime> {
        self.queue.peek().map(|queued| queued.at)
    }

    pub(super) fn events(&self) -> u32 {
        self.events
    }

    /// Records an event if anybody wants it, and gives it its number in any case.
    pub(super) fn record<O: Observer<W>>(
        &mut self,
        obs: &mut O,
        wanted: bool,
        place: Place,
        cause: Option<EventId>,
        because: Option<EventId>,
        what: impl FnOnce() -> What<W>,
    ) -> Option<EventId> {
        let id = EventId::from_index(self.events as usize);
        self.events = self.events.saturating_add(1);
        if let (Some(id), true) = (id, O::FULL || wanted) {
            let lamport = self.stamp_at(place);
            obs.record(Event {
                id,
                at: self.now,
                place,
                lamport,
                cause,
                because,
                what: what(),
            });
        }
        id
    }

    /// What the clock of this place shows. The network has none.
    pub(super) fn stamp_at(&self, place: Place) -> Lamport {
        match place {
            Place::Process(p) => self.processes[p.index()].lamport,
            Place::Host(h) => self.hosts[h.index()].lamport,
            Place::Network => Lamport::ZERO,
        }
    }

    pub(super) fn lamport(&mut self, process: ProcId) -> &mut Lamport {
        &mut self.processes[process.index()].lamport
    }

    pub(super) fn is_paused(&self, process: ProcId) -> bool {
        let p = &self.processes[process.index()];
        !p.paused_by.is_empty() || !self.hosts[p.host.index()].paused_by.is_empty()
    }

    /// Takes the next thing from the queue and turns it into inputs that are ready.
    pub(super) fn advance<O: Observer<W>>(&mut self, obs: &mut O) {
        let Some(Queued { at, due, .. }) = self.queue.pop() else {
            return;
        };
        self.now = at;
        match due {
            Due::Timer { process, armed } => self.timer_due(process, armed),
            Due::Disk { host, write } => self.disk_due(host, write),
            Due::Inbox { process, life } => self.take_from_inbox(process, life),
            Due::Start { process } => {
                self.start(obs, process, BY_NOBODY);
            }
            Due::PowerOn { host } => self.power_on(obs, host, BY_NOBODY),
            Due::Fault { index, begins } => self.strike(obs, index, begins),
            Due::Syn { conn } => self.syn(obs, conn),
            Due::SynArrives { conn } => self.syn_arrives(obs, conn),
            Due::SynAck { conn } => self.syn_ack(conn),
            Due::Deliver { conn, to } => self.deliver(obs, conn, to),
            Due::Keepalive { conn, side } => self.keep_alive(conn, side),
            Due::NoRoute { from, to } => self.no_route(from, to),
            Due::Retransmit { conn, to } => self.retransmit(obs, conn, to),
            Due::Reset { conn, to, refused } => self.reset_arrives(conn, to, refused),
        }
    }

    /// Hands an input to a process: at once, when it resumes, or never.
    pub(super) fn arrive(&mut self, process: ProcId, arrival: Arrival<W>) {
        if !self.processes[process.index()].alive {
            return;
        }
        // A paused process's inbox keeps what comes; so does a resumed one's until what waited there is through.
        let paused = self.is_paused(process);
        let p = &mut self.processes[process.index()];
        if paused || !p.inbox.is_empty() {
            p.inbox.push_back(arrival);
            if !paused {
                let (life, at) = (p.life, p.reads_from.max(self.now));
                self.push(at, Due::Inbox { process, life });
            }
        } else {
            self.ready.push_back((process, arrival));
        }
    }

    fn take_from_inbox(&mut self, process: ProcId, life: u32) {
        if self.is_paused(process) || self.processes[process.index()].life != life {
            return;
        }
        if let Some(arrival) = self.processes[process.index()].inbox.pop_front() {
            self.ready.push_back((process, arrival));
        }
    }

    fn timer_due(&mut self, process: ProcId, armed: u32) {
        if self.is_paused(process) {
            return; // the slot stays; it is looked at again when the process resumes
        }
        let host = self.processes[process.index()].host;
        let timers = &mut self.processes[process.index()].timers;
        let Some(at) = timers.iter().position(|t| t.armed == armed) else {
            return;
        };
        let clock = &self.hosts[host.index()].clock;
        let deadline = timers[at].deadline;
        if clock.mono(self.now) < deadline {
            if let Some(when) = clock.when(deadline, self.now) {
                self.push(when, Due::Timer { process, armed });
            }
            return;
        }
        let timer = timers.swap_remove(at);
        let because = timer.waiting_on.iter().find_map(|&conn| self.why_silent(conn, process));
        let arrival = Arrival {
            because,
            ..Arrival::new(Input::Timer(timer.key), timer.cause)
        };
        self.ready.push_back((process, arrival));
    }

    /// Puts the timers of a process into the queue again, after its clock changed or it resumed.
    pub(super) fn requeue_timers(&mut self, process: ProcId) {
        let p = &mut self.processes[process.index()];
        sorting::by_key(&mut p.timers, |t| (t.deadline, t.armed));
        let clock = self.hosts[p.host.index()].clock.clone();
        let due: Vec<_> = p
            .timers
            .iter()
            .filter_map(|t| clock.when(t.deadline, self.now).map(|at| (at, t.armed)))
            .collect();
        for (at, armed) in due {
            self.push(at, Due::Timer { process, armed });
        }
    }

    /// Lets a process take up what waited for it.
    pub(super) fn take_up(&mut self, process: ProcId, order: ResumeOrder) {
        let p = &self.processes[process.index()];
        if !p.alive || self.is_paused(process) {
            return;
        }
        let (life, waiting) = (p.life, p.inbox.len());
        let lag = if order == ResumeOrder::Application {
            RESUME_READ_LAG
        } else {
            Span::ZERO
        };
        let reads_from = self.now + lag;
        self.processes[process.index()].reads_from = reads_from;
        for _ in 0..waiting {
            self.push(reads_from, Due::Inbox { process, life });
        }
        self.requeue_timers(process);
    }

    pub(super) fn start<O: Observer<W>>(&mut self, obs: &mut O, process: ProcId, (cause, stamp): Led) {
        let p = &mut self.processes[process.index()];
        let host = &self.hosts[p.host.index()];
        if p.alive || !host.on {
            return;
        }
        p.alive = true;
        p.starts_again = false;
        p.life += 1;
        p.paused_by.clear();
        p.inbox.clear();
        p.timers.clear();
        p.halted_by = None;
        p.lamport.catch_up(stamp);
        self.table[process.index()].alive = true;
        let id = self
            .record(obs, true, Place::Process(process), cause, None, || {
                What::Life(Life::Started)
            })
            .or(cause);
        self.arrive(process, Arrival::new(Input::Start, id));
    }

    /// Ends a process. Its connections are reset unless the whole host has gone silent.
    pub(super) fn stop<O: Observer<W>>(
        &mut self,
        obs: &mut O,
        process: ProcId,
        how: Life,
        (cause, stamp): Led,
        silent: bool,
    ) {
        let p = &mut self.processes[process.index()];
        if !p.alive {
            return;
        }
        p.alive = false;
        p.lamport.catch_up(stamp);
        p.inbox.clear();
        p.timers.clear();
        let again = std::mem::take(&mut p.starts_again);
        let host = p.host;
        let reaped_at = self.reaped_at(host);
        let listed = &mut self.table[process.index()];
        (listed.alive, listed.reaped_at) = (false, reaped_at);
        let id = self.record(obs, true, Place::Process(process), cause, None, || What::Life(how));
        self.processes[process.index()].halted_by = id;
        self.ready.retain(|(to, _)| *to != process);
        self.abandon_connections(process, silent);
        if again {
            self.push(self.now, Due::Start { process });
        }
    }

    /// When the first process of this host collects a process that ends now. It looks regularly, at a phase of its own, and
    /// collects what was dead at the look before. Recorded, with a look every second: 1.06 to 2.0 s after the end, evenly.
    fn reaped_at(&self, host: HostId) -> SimTime {
        let every = self.reaps_every.as_micros();
        if every == 0 {
            return self.now;
        }
        let phase = bits_of(self.seed, HOST_DRAWS + u32::from(host.0), Draw::REAPER, 0) % every;
        let since = (self.now.as_micros() + every - phase) % every;
        self.now + Span(every - since + every)
    }

    pub(super) fn power_off<O: Observer<W>>(&mut self, obs: &mut O, host: HostId, silent: bool, (cause, stamp): Led) {
        let clock = &mut self.hosts[host.index()].lamport;
        clock.catch_up(stamp);
        let stamp = *clock;
        let id = self
            .record(obs, true, Place::Host(host), cause, None, || What::Life(Life::Killed))
            .or(cause);
        let h = &mut self.hosts[host.index()];
        h.on = false;
        h.refuses = !silent;
        h.halted_by = id;
        h.disk.power_off();
        for process in 0..self.processes.len() {
            if self.processes[process].host == host {
                self.stop(obs, ProcId(process as u16), Life::Killed, (id, stamp), silent);
            }
        }
    }

    pub(super) fn power_on<O: Observer<W>>(&mut self, obs: &mut O, host: HostId, (cause, stamp): Led) {
        let h = &mut self.hosts[host.index()];
        if h.on || h.kills > 0 {
            return;
        }
        h.on = true;
        h.refuses = false;
        h.halted_by = None;
        h.lamport.catch_up(stamp);
        let stamp = h.lamport;
        let id = self
            .record(obs, true, Place::Host(host), cause, None, || What::Life(Life::Started))
            .or(cause);
        for process in 0..self.processes.len() {
            let p = &self.processes[process];
            if p.host == host && p.boots && p.held_down == 0 {
                self.start(obs, ProcId(process as u16), (id, stamp));
            }
        }
    }

    /// Carries out what a step of `me` asked for, in order. `current` is the event the step answered.
    pub(super) fn apply<O: Observer<W>>(
        &mut self,
        obs: &mut O,
        me: ProcId,
        current: Option<EventId>,
        commands: &mut Vec<Command<W>>,
    ) {
        for command in commands.drain(..) {
            match command {
                Command::Note(note) => {
                    self.lamport(me).tick();
                    self.record(obs, true, Place::Process(me), current, None, || What::Note(note));
                }
                Command::SetTimer { key, after, waiting_on } => {
                    self.alarm(obs, me, key, current, || {
                        let conns = waiting_on.clone();
                        Some(Patience { span: after, conns })
                    });
                    self.arm(me, key, after, waiting_on, current);
                }
                Command::CancelTimer { key } => {
                    self.alarm(obs, me, key, current, || None);
                    self.processes[me.index()].timers.retain(|t| t.key != key);
                }
                Command::Open { conn, to, keepalive } => self.open(obs, me, conn, to, keepalive, current),
                Command::Send { conn, message, in_two } => self.send(obs, me, conn, message, in_two, current),
                Command::Close { conn } => self.close(obs, me, conn, current),
                Command::KeepAlive { conn, keepalive } => self.look_after(me, conn, keepalive),
                Command::Fsync { tag } => self.fsync(me, tag, current),
                Command::Signal { to, signal } => self.signal(obs, me, to, signal, current),
                Command::Spawn { process } => {
                    if self.processes[process.index()].host == self.processes[me.index()].host {
                        let stamp = *self.lamport(me);
                        self.start(obs, process, (current, stamp));
                    } else {
                        self.find(format!("process {} tried to start one of another host", me.0));
                    }
                }
                Command::Exit => self.stop(obs, me, Life::Exited, (current, Lamport::ZERO), false),
                Command::ResetHost { back_after } => {
                    let (host, stamp) = (self.processes[me.index()].host, *self.lamport(me));
                    self.power_off(obs, host, true, (current, stamp));
                    self.push(self.now + back_after, Due::PowerOn { host });
                }
            }
        }
    }

    pub(super) fn find(&mut self, text: String) {
        self.findings.push(Finding { at: self.now, text });
    }

    pub(super) fn trace_from_here(&self) -> FullTrace<W> {
        let opened = self.conns.iter().map(|(id, conn)| conn.opened_before(id));
        FullTrace::since(self.events as usize, opened.collect())
    }

    /// Tells who wants everything that a timer is set or cancelled.
    fn alarm<O: Observer<W>>(
        &self,
        obs: &mut O,
        process: ProcId,
        key: TimerKey,
        during: Option<EventId>,
        set: impl FnOnce() -> Option<Patience>,
    ) {
        if O::FULL {
            obs.alarm(Alarm {
                at: self.now,
                process,
                key,
                during,
                after: self.events,
                set: set(),
            });
        }
    }

    fn arm(&mut self, me: ProcId, key: TimerKey, after: Span, waiting_on: Vec<ConnId>, cause: Option<EventId>) {
        self.next_armed = self.next_armed.wrapping_add(1);
        let armed = self.next_armed;
        let p = &mut self.processes[me.index()];
        if !p.alive {
            return;
        }
        let clock = &self.hosts[p.host.index()].clock;
        let deadline = clock.mono(self.now) + after;
        let timer = Timer {
            key,
            armed,
            deadline,
            cause,
            waiting_on,
        };
        match p.timers.iter_mut().find(|t| t.key == key) {
            Some(slot) => *slot = timer,
            None => p.timers.push(timer),
        }
        if let Some(when) = clock.when(deadline, self.now) {
            self.push(when, Due::Timer { process: me, armed });
        }
    }

    fn signal<O: Observer<W>>(&mut self, obs: &mut O, me: ProcId, to: ProcId, signal: Signal, cause: Option<EventId>) {
        if self.processes[me.index()].host != self.processes[to.index()].host {
            self.find(format!("process {} signalled one of another host", me.0));
            return;
        }
        let stamp = *self.lamport(me);
        if signal == Signal::Kill {
            self.stop(obs, to, Life::Killed, (cause, stamp), false);
        } else {
            self.arrive(to, Arrival::led(Input::Signal(signal), (cause, stamp)));
        }
    }

    /// Records what a process is about to be told, and returns the event its step answers.
    pub(super) fn record_arrival<O: Observer<W>>(
        &mut self,
        obs: &mut O,
        process: ProcId,
        arrival: &Arrival<W>,
    ) -> Option<EventId> {
        let place = Place::Process(process);
        let cause = arrival.cause;
        let because = arrival.because;
        let clock = self.lamport(process);
        if matches!(arrival.input, Input::Message(..)) {
            clock.receive(arrival.stamp);
        } else {
            clock.catch_up(arrival.stamp);
        }
        match &arrival.input {
            // The start itself is the event.
            Input::Start => cause,
            Input::Timer(key) => self.record(obs, false, place, cause, because, || What::Timer(*key)),
            Input::Opened(conn) => self.record(obs, false, place, cause, None, || What::Opened { conn: *conn }),
            Input::Accepted(conn, from) => self.record(obs, false, place, cause, None, || What::Accepted {
                conn: *conn,
                from: *from,
            }),
            Input::Ended(conn, how) => self.record(obs, false, place, cause, None, || What::Ended {
                conn: *conn,
                how: *how,
            }),
            Input::Signal(signal) => self.record(obs, false, place, cause, None, || What::Signal(*signal)),
            // The fault itself is the event.
            Input::Order { .. } => cause,
            Input::DiskDone(tag) => self.record(obs, false, place, cause, because, || What::DiskDone { tag: *tag }),
            Input::Message(conn, message) => {
                let (conn, from) = (*conn, arrival.from.unwrap_or(process));
                self.record(obs, false, place, cause, None, || What::Received {
                    conn,
                    from,
                    // A message always has the event of its sending; its absence would be a fault of ours.
                    sent: cause.unwrap_or(EventId(std::num::NonZeroU32::MIN)),
                    message: message.clone(),
                })
            }
        }
    }
}
