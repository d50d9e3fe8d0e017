//! One member: a Raft, its disk, its one thread, and a register as state machine (each command is a write of its value).

use leaselab::engine::{Draw, Draws};
use leaselab::raft::{Command, Config, Durable, Index, MemberId, Message, Raft, ReadToken, Step, Term, Tick};
use std::collections::{BTreeMap, VecDeque};

/// What the thread is given to do.
#[derive(Clone, Debug)]
pub enum Input {
    Tick,
    Message(MemberId, Message<u64>),
    Propose(u64),
    Read(u64),
    Persisted,
}

/// Who is served first when a member can move again: the overdue timer, or what queued up meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WakeOrder {
    TimerFirst,
    MessagesFirst,
}

pub struct Member {
    pub id: MemberId,
    pub config: Config,
    /// None while it is crashed.
    pub raft: Option<Raft<u64>>,
    /// What a restart finds.
    pub disk: Durable<u64>,
    /// Length of its tick, and how far into one it was at time 0, in µs.
    pub tick: u64,
    pub phase: u64,
    /// How long a write to disk takes, in µs. Nothing else happens on this member's thread meanwhile.
    pub fsync: u64,
    pub writing: Option<Durable<u64>>,
    pub held: Vec<(MemberId, Message<u64>)>,
    pub paused: bool,
    /// Its disk finished while it was paused.
    pub disk_done: bool,
    pub wake_order: WakeOrder,
    pub backlog: VecDeque<Input>,
    /// Counts restarts, so that what belongs to an earlier life can be told.
    pub life: u32,
    pub wake_at: Option<u64>,
    /// Election timeouts to come, in ticks; when it is used up they are drawn.
    pub script: VecDeque<u64>,
    draws: Draws,
    pub applied: Index,
    /// The register's value, and the place in the log of the write that made it.
    pub register: (u64, Index),
    /// Writes that wait to be committed: one counts if its place of the log is committed in its term.
    pub proposed: BTreeMap<Index, (Term, u64)>,
    /// Reads that may be served once this much is applied.
    pub reads: Vec<(u64, Index)>,
}

impl Member {
    pub fn new(id: MemberId, config: Config, tick: u64, seed: u64) -> Member {
        Member {
            id,
            config,
            raft: None,
            disk: Durable::default(),
            tick,
            phase: 0,
            fsync: 0,
            writing: None,
            held: Vec::new(),
            paused: false,
            disk_done: false,
            wake_order: WakeOrder::TimerFirst,
            backlog: VecDeque::new(),
            life: 0,
            wake_at: None,
            script: VecDeque::new(),
            draws: Draws::new(seed, u32::from(id.0)),
            applied: Index(0),
            register: (0, Index(0)),
            proposed: BTreeMap::new(),
            reads: Vec::new(),
        }
    }

    pub fn tick_at(&self, now: u64) -> Tick {
        Tick((now + self.phase) / self.tick)
    }

    pub fn deadline(&self) -> Option<u64> {
        let raft = self.raft.as_ref()?;
        Some((raft.deadline().0 * self.tick).saturating_sub(self.phase))
    }

    /// Whether its thread stands still.
    pub fn is_blocked(&self) -> bool {
        self.paused || self.writing.is_some()
    }

    pub fn start(&mut self, now: u64) {
        let tick = self.tick_at(now);
        let mut draw = draw_from(&mut self.script, &mut self.draws, self.config.election);
        self.raft = Some(Raft::start(self.id, self.config, self.disk.clone(), tick, &mut draw));
    }

    /// Everything but the disk is gone, and of that what was not written to the end.
    pub fn crash(&mut self) {
        self.raft = None;
        self.writing = None;
        self.held.clear();
        self.backlog.clear();
        self.proposed.clear();
        self.reads.clear();
        (self.paused, self.disk_done) = (false, false);
        self.life += 1;
        self.wake_at = None;
        self.applied = Index(0);
        self.register = (0, Index(0));
    }

    /// Lets the Raft do one thing.
    pub fn step(&mut self, now: u64, input: Input, commands: &mut Vec<Command<u64>>) {
        let now = self.tick_at(now);
        let Some(raft) = &mut self.raft else { return };
        let mut draw = draw_from(&mut self.script, &mut self.draws, self.config.election);
        let mut step = Step {
            now,
            draw: &mut draw,
            commands,
        };
        match input {
            Input::Tick => raft.tick(&mut step),
            Input::Message(from, message) => raft.receive(from, message, &mut step),
            Input::Persisted => raft.persisted(&mut step),
            Input::Read(number) => {
                let member = self.id;
                raft.read_index(ReadToken { member, number }, &mut step);
            }
            Input::Propose(value) => {
                let term = raft.term();
                if let Some(index) = raft.propose(value, &mut step) {
                    self.proposed.insert(index, (term, value));
                }
            }
        }
    }
}

/// Scripted timeouts are whole ones, as scenarios tell them; a Raft draws what comes on top of the least.
fn draw_from(script: &mut VecDeque<u64>, draws: &mut Draws, election: u64) -> impl FnMut(u64) -> u64 {
    move |bound| match script.pop_front() {
        Some(timeout) => timeout - election,
        None => draws.below(Draw(0), bound),
    }
}
