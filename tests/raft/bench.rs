//! Members on a bench: no time passes, messages arrive at once and in order, and the test says who does what. For tables and
//! for conversations in which only the order matters.

use leaselab::raft::{
    Body, Command, Config, Durable, Entry, Index, Log, MemberId, Message, Raft, RoleName, Step, Term, Tick,
};
use std::collections::VecDeque;

pub struct Bench {
    pub members: Vec<Raft<u64>>,
    /// The time on each member's clock.
    pub now: Vec<Tick>,
    /// One direction each.
    pub cut: Vec<(usize, usize)>,
    /// Messages that the test wants lost, by what they say.
    pub lost: fn(&Body<u64>) -> bool,
    under_way: VecDeque<(MemberId, MemberId, Message<u64>)>,
    /// Reads that may be served: member, number, index.
    pub reads: Vec<(usize, u64, Index)>,
}

/// A disk with a log of these terms.
pub fn disk(term: u64, log: &[u64]) -> Durable<u64> {
    let entry = |&term: &u64| Entry {
        term: Term(term),
        command: None,
    };
    Durable {
        term: Term(term),
        vote: None,
        log: Log::of(log.iter().map(entry)),
    }
}

impl Bench {
    pub fn new(config: Config) -> Bench {
        Bench::on(config, &vec![Durable::default(); usize::from(config.members)])
    }

    /// Members that start with these disks, and with the longest timeouts.
    pub fn on(config: Config, disks: &[Durable<u64>]) -> Bench {
        let start = |(id, disk): (usize, &Durable<u64>)| {
            Raft::start(MemberId(id as u8), config, disk.clone(), Tick(0), &mut |bound| {
                bound - 1
            })
        };
        Bench {
            members: disks.iter().enumerate().map(start).collect(),
            now: vec![Tick(0); disks.len()],
            cut: Vec::new(),
            lost: |_| false,
            under_way: VecDeque::new(),
            reads: Vec::new(),
        }
    }

    /// One input of one member; what it says is under way.
    pub fn step(&mut self, member: usize, act: impl FnOnce(&mut Raft<u64>, &mut Step<'_, u64>)) -> Vec<Command<u64>> {
        let mut commands = Vec::new();
        let mut step = Step {
            now: self.now[member],
            draw: &mut |bound| bound - 1,
            commands: &mut commands,
        };
        let raft = &mut self.members[member];
        act(raft, &mut step);
        if step.commands.contains(&Command::Persist) {
            raft.persisted(&mut step);
        }
        for command in &commands {
            match command {
                Command::Send { to, message, .. } => {
                    let link = (member, usize::from(to.0));
                    if !self.cut.contains(&link) && !(self.lost)(&message.body) {
                        self.under_way.push_back((MemberId(member as u8), *to, message.clone()));
                    }
                }
                Command::ReadReady { token, index } => self.reads.push((member, token.number, *index)),
                _ => {}
            }
        }
        commands
    }

    /// Lets everything arrive, and whatever it leads to.
    pub fn settle(&mut self) {
        while let Some((from, to, message)) = self.under_way.pop_front() {
            self.step(usize::from(to.0), |raft, step| raft.receive(from, message, step));
        }
    }

    /// What a member answers to a message.
    pub fn answers(&mut self, member: usize, from: u8, term: u64, body: Body<u64>) -> Vec<Message<u64>> {
        let message = Message { term: Term(term), body };
        let commands = self.step(member, |raft, step| raft.receive(MemberId(from), message, step));
        self.under_way.clear();
        let sent = |command| match command {
            Command::Send { message, .. } => Some(message),
            _ => None,
        };
        commands.into_iter().filter_map(sent).collect()
    }

    /// Its election timer fires.
    pub fn campaign(&mut self, member: usize) {
        self.now[member] = self.members[member].deadline();
        self.step(member, |raft, step| raft.tick(step));
        self.settle();
    }

    /// So many ticks pass on its clock, with everything that falls due.
    pub fn pass(&mut self, member: usize, ticks: u64) {
        let until = Tick(self.now[member].0 + ticks);
        while self.members[member].deadline() <= until {
            self.now[member] = self.members[member].deadline();
            self.step(member, |raft, step| raft.tick(step));
            self.settle();
        }
        self.now[member] = until;
    }

    pub fn write(&mut self, member: usize, value: u64) {
        self.step(member, |raft, step| {
            raft.propose(value, step);
        });
        self.settle();
    }

    pub fn cut_between(&mut self, a: usize, b: usize) {
        self.cut.extend([(a, b), (b, a)]);
    }

    pub fn isolate(&mut self, member: usize) {
        (0..self.members.len()).for_each(|other| self.cut_between(member, other));
    }

    pub fn mend(&mut self) {
        self.cut.clear();
    }

    pub fn roles(&self) -> Vec<RoleName> {
        self.members.iter().map(|raft| raft.role()).collect()
    }

    pub fn terms(&self) -> Vec<u64> {
        self.members.iter().map(|raft| raft.term().0).collect()
    }

    pub fn committed(&self) -> Vec<u64> {
        self.members.iter().map(|raft| raft.committed().0).collect()
    }

    /// The terms of a member's log, in order.
    pub fn log(&self, member: usize) -> Vec<u64> {
        let log = self.members[member].log();
        (1..=log.last().0)
            .filter_map(|i| log.term(Index(i)))
            .map(|t| t.0)
            .collect()
    }
}
