//! One host's disk: the writes on their way to it, and what faults do to them. Writes become durable one after another,
//! in the order in which they were asked for.
//!
//! | the disk is  | the write that is under way                                 | those that wait, and new ones        |
//! |--------------|-------------------------------------------------------------|--------------------------------------|
//! | as it should | is durable after its time                                   | begin when the one before is durable |
//! | slower       | takes what was decided when it was asked for                | the same; new ones take longer       |
//! | stalled      | is durable after its time or the stall, whichever is longer | begin when the stall ends            |
//!
//! Faults on one disk end one by one: it goes on when the last stall has ended. What a dying host had not made durable is
//! lost.

use super::actor::Input;
use super::fault::DiskChange;
use super::ids::{EventId, HostId, ProcId};
use super::kernel::{Arrival, Due, Kernel};
use super::link::{Laid, Slower};
use super::rng::{Draw, Draws, Spread};
use super::trace::Wire;
use crate::clocks::{SimTime, Span};
use std::collections::VecDeque;

/// A write on its way.
#[derive(Clone, Debug)]
struct Write {
    number: u32,
    process: ProcId,
    /// The life of the process that asked for it; a later one is not told.
    life: u32,
    tag: u64,
    cause: Option<EventId>,
    /// The beginning of the fault that made it late.
    because: Option<EventId>,
    begins: SimTime,
    takes: Span,
    done: SimTime,
}

#[derive(Clone, Debug)]
pub(super) struct Disk {
    fsync: Spread,
    draws: Draws,
    /// Oldest first, so `done` never falls. While the disk is stalled, `done` is what it would be without the stall.
    writes: VecDeque<Write>,
    next_number: u32,
    stalls: Vec<Laid<()>>,
    /// Since when there has always been a stall; means nothing without one.
    stalled_since: SimTime,
    slower: Vec<Laid<Slower>>,
}

impl Disk {
    pub fn new(fsync: Spread, draws: Draws) -> Disk {
        Disk {
            fsync,
            draws,
            writes: VecDeque::new(),
            next_number: 0,
            stalls: Vec::new(),
            stalled_since: SimTime::ZERO,
            slower: Vec::new(),
        }
    }

    /// How long the next write takes. The faults draw apart from the disk, so that they shift nothing later.
    fn takes(&mut self) -> Span {
        let mut takes = self.draws.sample(Draw::FSYNC, &self.fsync);
        if !self.slower.is_empty() {
            let rank = self.draws.bits(Draw::SLOW_DISK);
            for laid in &self.slower {
                match laid.what {
                    Slower::Add(more) => takes += more.at(rank),
                    Slower::Replace(other) => takes = other.at(rank),
                }
            }
        }
        takes
    }

    /// Takes a write; answers its number and, unless the disk is stalled, when to look whether it is durable.
    fn write(
        &mut self,
        now: SimTime,
        process: ProcId,
        life: u32,
        tag: u64,
        cause: Option<EventId>,
    ) -> (u32, Option<SimTime>) {
        let takes = self.takes();
        let before = self.writes.back();
        let begins = before.map_or(now, |before| before.done.max(now));
        let waits_for = before.and_then(|before| before.because);
        let because = self.slower.last().map(|laid| laid.began).or(waits_for);
        let number = self.next_number;
        self.next_number = number.wrapping_add(1);
        let done = begins + takes;
        self.writes.push_back(Write {
            number,
            process,
            life,
            tag,
            cause,
            because,
            begins,
            takes,
            done,
        });
        (number, self.stalls.is_empty().then_some(done))
    }

    /// The write of this number, if it is durable now.
    fn durable(&mut self, now: SimTime, number: u32) -> Option<Write> {
        if !self.stalls.is_empty() {
            return None;
        }
        let at = self
            .writes
            .iter()
            .position(|write| write.number == number && write.done == now)?;
        self.writes.remove(at)
    }

    fn stall(&mut self, now: SimTime, fault: u16, began: EventId) {
        if self.stalls.is_empty() {
            self.stalled_since = now;
        }
        self.stalls.push(Laid { fault, began, what: () });
    }

    /// Takes away what a fault laid here; what others laid stays. Answers whether the disk goes on with its writes now.
    fn heal(&mut self, now: SimTime, fault: u16) -> bool {
        self.slower.retain(|laid| laid.fault != fault);
        let Some(ended) = self.stalls.iter().position(|laid| laid.fault == fault) else {
            return false;
        };
        let began = self.stalls.remove(ended).began;
        if !self.stalls.is_empty() {
            return false;
        }
        let mut free = now;
        for write in &mut self.writes {
            let before = write.done;
            if write.begins < self.stalled_since {
                write.done = write.done.max(now);
            } else {
                write.begins = free;
                write.done = free + write.takes;
            }
            free = write.done;
            if write.done != before {
                write.because = Some(began);
            }
        }
        true
    }

    /// What is not durable is lost.
    pub fn power_off(&mut self) {
        self.writes.clear();
    }

    /// The fault for which this process waits, if it waits for one.
    pub fn holds_up(&self, process: ProcId) -> Option<EventId> {
        let write = self.writes.iter().find(|write| write.process == process)?;
        self.stalls.first().map(|laid| laid.began).or(write.because)
    }
}

impl<W: Wire> Kernel<W> {
    pub(super) fn fsync(&mut self, me: ProcId, tag: u64, cause: Option<EventId>) {
        let (now, p) = (self.now, &self.processes[me.index()]);
        let (host, life) = (p.host, p.life);
        let (write, done) = self.hosts[host.index()].disk.write(now, me, life, tag, cause);
        if let Some(done) = done {
            self.push(done, Due::Disk { host, write });
        }
    }

    pub(super) fn disk_due(&mut self, host: HostId, number: u32) {
        let Some(write) = self.hosts[host.index()].disk.durable(self.now, number) else {
            return;
        };
        if self.processes[write.process.index()].life == write.life {
            let arrival = Arrival {
                because: write.because,
                ..Arrival::new(Input::DiskDone(write.tag), write.cause)
            };
            self.arrive(write.process, arrival);
        }
    }

    pub(super) fn change_disk(&mut self, host: HostId, fault: u16, began: EventId, change: DiskChange) {
        let disk = &mut self.hosts[host.index()].disk;
        match change {
            DiskChange::Stall => disk.stall(self.now, fault, began),
            DiskChange::Slower(what) => disk.slower.push(Laid { fault, began, what }),
        }
    }

    pub(super) fn heal_disk(&mut self, host: HostId, fault: u16) {
        let disk = &mut self.hosts[host.index()].disk;
        if disk.heal(self.now, fault) {
            let due: Vec<_> = disk.writes.iter().map(|write| (write.done, write.number)).collect();
            for (done, write) in due {
                self.push(done, Due::Disk { host, write });
            }
        }
    }
}
