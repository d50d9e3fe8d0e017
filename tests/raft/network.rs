//! The network: links with a state per direction, events by (time, order), and what an observer sees.

use super::invariants::Invariants;
use super::member::{Input, Member, WakeOrder};
use super::transcript::Transcript;
use leaselab::engine::{Draw, Draws};
use leaselab::raft::{Body, Command, Config, Entry, Index, MemberId, Message, RoleName, Term};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// One direction between two members.
#[derive(Clone, Copy, Debug, Default)]
pub struct Link {
    pub cut: bool,
    /// One way, in µs; `jitter` comes on top at random, and so messages overtake each other.
    pub delay: u64,
    pub jitter: u64,
    /// Of a thousand messages.
    pub loss: u64,
    pub duplicates: u64,
}

/// What an observer sees happen at a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    Became(RoleName, Term),
    /// Its vote has left.
    Voted(MemberId, Term),
    Committed(Index),
    Applied(Index, Entry<u64>),
    ReadAsked(u64),
    /// The read, the value, and the place in the log of the write that made it.
    ReadServed(u64, u64, Index),
    ReadFailed(u64),
    /// The write of this value, at this place, was acknowledged to whoever asked.
    Acknowledged(u64, Index),
    Crashed,
    Restarted,
}

/// What a crash can wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A member has voted for another.
    Voted,
    Elected,
}

/// The next member of which this is seen takes some writes, reaches none of some others any more, and crashes so many µs
/// after, for so many µs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ambush {
    pub on: Moment,
    /// The others that it does not reach, as a mask.
    pub deaf: u8,
    pub writes: u8,
    pub after: u64,
    pub lasts: u64,
}

#[derive(Debug, PartialEq, Eq)]
enum Happening {
    Wake {
        member: usize,
        life: u32,
    },
    Delivery {
        from: MemberId,
        to: usize,
        message: Message<u64>,
    },
    DiskDone {
        member: usize,
        life: u32,
    },
    Crash {
        member: usize,
    },
    Restart {
        member: usize,
    },
    Write {
        member: usize,
    },
}

pub struct Network {
    pub now: u64,
    pub members: Vec<Member>,
    pub links: Vec<Link>,
    queue: BinaryHeap<Reverse<(u64, u64, usize)>>,
    happenings: Vec<Option<Happening>>,
    free: Vec<usize>,
    order: u64,
    draws: Draws,
    pub(super) next_read: u64,
    pub ambushes: Vec<Ambush>,
    pub invariants: Invariants,
    pub transcript: Option<Transcript>,
    /// Kept only with a transcript.
    pub seen: Vec<(u64, MemberId, Seen)>,
}

impl Network {
    /// Members that have not started yet, ticks of `tick` µs, `delay` µs one way.
    pub fn new(config: Config, tick: u64, delay: u64, seed: u64) -> Network {
        let members: Vec<Member> = (0..config.members)
            .map(|id| Member::new(MemberId(id), config, tick, seed))
            .collect();
        let link = Link {
            delay,
            ..Link::default()
        };
        Network {
            now: 0,
            links: vec![link; members.len() * members.len()],
            invariants: Invariants::new(members.len()),
            members,
            queue: BinaryHeap::new(),
            happenings: Vec::new(),
            free: Vec::new(),
            order: 0,
            draws: Draws::new(seed, u32::MAX),
            next_read: 0,
            ambushes: Vec::new(),
            transcript: None,
            seen: Vec::new(),
        }
    }

    // --- running

    /// Everything up to and including this time.
    pub fn run_until(&mut self, until: u64) {
        while let Some(&Reverse((at, _, slot))) = self.queue.peek() {
            if at > until {
                break;
            }
            self.queue.pop();
            self.now = at;
            self.free.push(slot);
            if let Some(happening) = self.happenings[slot].take() {
                self.happen(happening);
            }
        }
        self.now = until;
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Delivery { from, to, message } => self.give(to, Input::Message(from, message)),
            Happening::Wake { member, life } => {
                let m = &mut self.members[member];
                // Not the call that counts any more: another was set for earlier.
                if m.life == life && m.wake_at == Some(self.now) {
                    m.wake_at = None;
                    if !m.is_blocked() {
                        self.tick_if_due(member);
                    }
                }
            }
            Happening::DiskDone { member, life } if self.members[member].life == life => {
                if self.members[member].paused {
                    self.members[member].disk_done = true;
                } else {
                    self.disk_done(member);
                }
            }
            Happening::DiskDone { .. } => {}
            Happening::Write { member } => self.give(member, Input::Propose(0)),
            Happening::Crash { member } => self.crash(member),
            Happening::Restart { member } => {
                (0..self.members.len()).for_each(|to| self.link(member, to).cut = false);
                self.restart(member);
            }
        }
    }

    fn schedule(&mut self, at: u64, happening: Happening) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.happenings.push(None);
            self.happenings.len() - 1
        });
        self.happenings[slot] = Some(happening);
        self.queue.push(Reverse((at, self.order, slot)));
        self.order += 1;
    }

    pub(super) fn give(&mut self, member: usize, input: Input) {
        let m = &mut self.members[member];
        if m.raft.is_none() {
            return;
        }
        if m.is_blocked() {
            m.backlog.push_back(input);
        } else {
            self.step(member, input);
        }
    }

    fn tick_if_due(&mut self, member: usize) {
        if self.members[member].deadline().is_some_and(|at| at <= self.now) {
            self.step(member, Input::Tick);
        } else {
            self.arm(member);
        }
    }

    pub(super) fn disk_done(&mut self, member: usize) {
        let m = &mut self.members[member];
        if let Some(written) = m.writing.take() {
            m.disk = written;
            let held = std::mem::take(&mut m.held);
            self.say_stored(member);
            held.into_iter()
                .for_each(|(to, message)| self.transmit(member, to, message));
            self.step(member, Input::Persisted);
        }
        self.work_off(member);
    }

    /// What queued up while the thread stood still.
    pub(super) fn work_off(&mut self, member: usize) {
        if self.members[member].wake_order == WakeOrder::TimerFirst && !self.members[member].is_blocked() {
            self.tick_if_due(member);
        }
        while !self.members[member].is_blocked() {
            let Some(input) = self.members[member].backlog.pop_front() else {
                return self.tick_if_due(member);
            };
            self.step(member, input);
        }
    }

    fn step(&mut self, member: usize, input: Input) {
        let mut commands = Vec::new();
        self.members[member].step(self.now, input, &mut commands);
        let mut persisted = false;
        for command in commands {
            match command {
                Command::Persist => persisted |= self.persist(member),
                Command::Send {
                    to,
                    message,
                    after_persist,
                } => {
                    if after_persist && self.members[member].writing.is_some() {
                        self.members[member].held.push((to, message));
                    } else {
                        self.transmit(member, to, message);
                    }
                }
                Command::Committed(index) => {
                    self.see(member, Seen::Committed(index));
                    self.apply(member, index);
                }
                Command::Became { role, term } => self.see(member, Seen::Became(role, term)),
                Command::ReadReady { token, index } => {
                    self.members[member].reads.push((token.number, index));
                    self.serve_reads(member);
                }
                Command::ReadFailed { token } => self.see(member, Seen::ReadFailed(token.number)),
            }
        }
        if let Some(raft) = &self.members[member].raft {
            self.invariants.check(self.now, raft);
        }
        if persisted {
            self.step(member, Input::Persisted);
        }
        self.arm(member);
    }

    /// True: it is on disk already.
    fn persist(&mut self, member: usize) -> bool {
        let m = &mut self.members[member];
        let Some(durable) = m.raft.as_ref().map(|raft| raft.durable()) else {
            return false;
        };
        if m.fsync == 0 {
            m.disk = durable;
            self.say_stored(member);
            return true;
        }
        m.writing = Some(durable);
        let (at, life) = (self.now + m.fsync, m.life);
        self.schedule(at, Happening::DiskDone { member, life });
        false
    }

    fn apply(&mut self, member: usize, committed: Index) {
        while let Some(raft) = &self.members[member].raft
            && self.members[member].applied < committed
        {
            let index = self.members[member].applied.next();
            let entry = raft.log().get(index).cloned().expect("what is committed is there");
            let m = &mut self.members[member];
            m.applied = index;
            if let Some(value) = entry.command {
                m.register = (value, index);
            }
            let (term, mine) = (entry.term, m.proposed.remove(&index));
            self.see(member, Seen::Applied(index, entry));
            if let Some((_, value)) = mine.filter(|mine| mine.0 == term) {
                self.see(member, Seen::Acknowledged(value, index));
            }
        }
        self.serve_reads(member);
    }

    fn serve_reads(&mut self, member: usize) {
        let m = &mut self.members[member];
        let (applied, (value, at)) = (m.applied, m.register);
        let ready: Vec<u64> = m.reads.extract_if(.., |r| r.1 <= applied).map(|r| r.0).collect();
        for number in ready {
            self.see(member, Seen::ReadServed(number, value, at));
        }
    }

    pub(super) fn arm(&mut self, member: usize) {
        let m = &mut self.members[member];
        if let Some(deadline) = m.deadline()
            && m.wake_at.is_none_or(|at| deadline < at)
        {
            // An earlier call finds nothing to do and is set again.
            let (at, life) = (deadline.max(self.now), m.life);
            m.wake_at = Some(at);
            self.schedule(at, Happening::Wake { member, life });
        }
    }

    fn transmit(&mut self, from: usize, to: MemberId, message: Message<u64>) {
        match message.body {
            Body::Voted { granted: true } => self.see(from, Seen::Voted(to, message.term)),
            // Who asks for votes has voted for itself.
            Body::Vote { .. } => self.see(from, Seen::Voted(self.members[from].id, message.term)),
            _ => {}
        }
        let (sender, to) = (self.members[from].id, usize::from(to.0));
        let link = *self.link(from, to);
        let mut below = |kind: u16, bound: u64| match bound {
            0 => 0,
            _ => self.draws.below(Draw(kind), bound),
        };
        let lost = link.cut || (link.loss > 0 && below(0, 1_000) < link.loss);
        let twice = link.duplicates > 0 && below(1, 1_000) < link.duplicates;
        let at = (!lost).then(|| self.now + link.delay + below(2, link.jitter));
        let again = twice.then(|| self.now + link.delay + below(3, 10 * link.delay));
        if let Some(transcript) = &mut self.transcript {
            transcript.message(self.now, from, to, &message, at);
        }
        for at in at.into_iter().chain(again.filter(|_| !lost)) {
            let message = message.clone();
            let from = sender;
            self.schedule(at, Happening::Delivery { from, to, message });
        }
    }

    // --- observing

    pub(super) fn see(&mut self, member: usize, seen: Seen) {
        self.spring(member, &seen);
        let others = self.members.iter().filter_map(|m| m.raft.as_ref());
        self.invariants.see(self.now, self.members[member].id, &seen, others);
        if let Some(transcript) = &mut self.transcript {
            transcript.seen(self.now, member, &seen);
            self.seen.push((self.now, self.members[member].id, seen));
        }
    }

    fn spring(&mut self, member: usize, seen: &Seen) {
        let moment = match seen {
            Seen::Became(RoleName::Leader, _) => Moment::Elected,
            Seen::Voted(candidate, _) if *candidate != self.members[member].id => Moment::Voted,
            _ => return,
        };
        if let Some(at) = self.ambushes.iter().position(|ambush| ambush.on == moment) {
            let ambush = self.ambushes.remove(at);
            let Ambush { deaf, after, lasts, .. } = ambush;
            (0..ambush.writes).for_each(|_| self.schedule(self.now, Happening::Write { member }));
            (0..self.members.len()).for_each(|to| self.link(member, to).cut |= deaf & (1 << to) != 0);
            self.schedule(self.now + after, Happening::Crash { member });
            self.schedule(self.now + after + lasts, Happening::Restart { member });
        }
    }

    pub fn say(&mut self, what: impl FnOnce(&[String]) -> String) {
        if let Some(transcript) = &mut self.transcript {
            transcript.say(self.now, what);
        }
    }

    fn say_stored(&mut self, member: usize) {
        if let Some(transcript) = &mut self.transcript {
            transcript.stored(self.now, member, &self.members[member].disk);
        }
    }
}
