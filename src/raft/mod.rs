//! Raft, as etcd runs it: a pure state machine that knows nothing of stores, clocks or networks.
//!
//! ```text
//!              timer               majority of pre-votes          majority of votes
//! Follower ------------> PreCandidate ------------> Candidate ------------> Leader
//!    ^  ^                    |  a higher term, or        |                     |
//!    |  +--------------------+  an append of this term   +---------------------+
//!    +-- check-quorum: fewer than a majority heard from in an election timeout
//! ```
//!
//! | input | what it is |
//! |---|---|
//! | [`Raft::tick`] | the deadline of [`Raft::deadline`] is there |
//! | [`Raft::receive`] | a message of another member |
//! | [`Raft::propose`] | a command for the log |
//! | [`Raft::read_index`] | a linearizable read |
//! | [`Raft::persisted`] | what [`Command::Persist`] asked for is on disk |
//!
//! Commands take effect in the order in which they are given, and one rule holds the whole up: a message marked
//! `after_persist` must not leave before everything asked for by an earlier [`Command::Persist`] is on disk. The rules
//! T1 to T14 cited here are those of etcd-io/raft and of the Raft papers (protocols.md 2).
//!
//! Time is counted in ticks of the member's own clock. There is no event per tick: the machine says when it next wants to
//! be called.

mod elect;
mod lead;
mod log;
mod message;
mod read;
mod replicate;

pub use log::{Entry, Index, Log, Term};
pub use message::{Body, Message};
pub use read::ReadToken;

use read::Reads;

/// A member, counted from zero.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    borsh::BorshSerialize,
    borsh::BorshDeserialize,
)]
#[serde(transparent)]
pub struct MemberId(pub u8);

/// The most members a group can have.
pub const MEMBERS_MAX: usize = 7;

/// Time in ticks of one member's clock, since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tick(pub u64);

impl Tick {
    /// Ticks since `earlier`.
    pub fn since(self, earlier: Tick) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
    fn plus(self, ticks: u64) -> Tick {
        Tick(self.0 + ticks)
    }
}

/// A set of members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Members(u8);

impl Members {
    fn insert(&mut self, member: MemberId) {
        self.0 |= 1 << member.0;
    }
    pub fn contains(self, member: MemberId) -> bool {
        self.0 & (1 << member.0) != 0
    }
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Rules that can be switched off, to see what each is for. `Bugs::default()` breaks nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bugs {
    /// T4: the vote is not on disk before it is told, so a restarted member can vote twice in a term.
    pub vote_not_persisted: bool,
    /// T9: entries of earlier terms count as committed once a majority stores them.
    pub commit_old_terms_by_counting: bool,
    /// T13: reads are answered from the leader's memory without asking anybody.
    pub reads_from_memory: bool,
}

/// How a linearizable read is made sure of (T13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ReadMode {
    /// One round of heartbeats that a majority must answer.
    #[default]
    ReadIndex,
    /// The leader trusts its lease: check-quorum and clocks of bounded rate. Not safe across an isolated leader.
    LeaseBased,
}

/// The settings of a member. All members of a group should have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// 1 to [`MEMBERS_MAX`].
    pub members: u8,
    /// The least election timeout in ticks, at least 2; the drawn one lies in `[election, 2 * election - 1]` (T3).
    pub election: u64,
    /// Ticks between heartbeats, at least 1.
    pub heartbeat: u64,
    /// T12
    pub pre_vote: bool,
    /// T5 and T11
    pub check_quorum: bool,
    pub read_mode: ReadMode,
    pub bugs: Bugs,
}

impl Config {
    /// etcd 3.5's: heartbeat 100 ms, election 1000 ms, counted in ticks of 100 ms; pre-vote and check-quorum on.
    pub fn etcd(members: u8) -> Config {
        Config {
            members,
            election: 10,
            heartbeat: 1,
            pre_vote: true,
            check_quorum: true,
            read_mode: ReadMode::ReadIndex,
            bugs: Bugs::default(),
        }
    }
    /// How many members are a majority.
    pub fn quorum(&self) -> usize {
        usize::from(self.members) / 2 + 1
    }
    fn others(&self, me: MemberId) -> impl Iterator<Item = MemberId> + use<> {
        (0..self.members).map(MemberId).filter(move |&member| member != me)
    }
}

/// What the machine asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command<C> {
    /// Term, vote and log, as they are now, must be on disk; answer with [`Raft::persisted`].
    Persist,
    Send {
        to: MemberId,
        message: Message<C>,
        after_persist: bool,
    },
    /// Everything up to this index may be applied.
    Committed(Index),
    /// Role or term changed.
    Became { role: RoleName, term: Term },
    /// Once everything up to the index is applied, the read may be served.
    ReadReady { token: ReadToken, index: Index },
    /// This member cannot serve it: no leader, or deposed meanwhile.
    ReadFailed { token: ReadToken },
}

#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    borsh::BorshSerialize,
    borsh::BorshDeserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum RoleName {
    Follower,
    PreCandidate,
    Candidate,
    Leader,
}

/// What the leader knows of one member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Progress {
    next: Index,
    matched: Index,
    /// Heard from since the last check of the quorum.
    active: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Role {
    Follower {
        leader: Option<MemberId>,
    },
    /// Votes for and against, myself among those for.
    PreCandidate {
        granted: Members,
        refused: Members,
    },
    Candidate {
        granted: Members,
        refused: Members,
    },
    Leader(Box<Leading>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Leading {
    progress: [Progress; MEMBERS_MAX],
    next_heartbeat: Tick,
    next_check: Tick,
    reads: Reads,
}

/// What survives a crash: exactly what was persisted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Durable<C> {
    pub term: Term,
    pub vote: Option<MemberId>,
    pub log: Log<C>,
}

impl<C> Default for Durable<C> {
    fn default() -> Self {
        Durable {
            term: Term(0),
            vote: None,
            log: Log::default(),
        }
    }
}

/// What the caller lends to a step: the time, dice, and where commands go.
pub struct Step<'a, C> {
    pub now: Tick,
    /// A uniform whole number below the bound.
    pub draw: &'a mut dyn FnMut(u64) -> u64,
    pub commands: &'a mut Vec<Command<C>>,
}

/// One member.
///
/// ```
/// use leaselab::raft::*;
/// // A group of one elects itself when its timer fires, and commits what is on disk.
/// let mut raft: Raft<&str> = Raft::start(MemberId(0), Config::etcd(1), Durable::default(), Tick(0), &mut |_| 0);
/// let mut commands = Vec::new();
/// let mut step = Step { now: Tick(10), draw: &mut |_| 0, commands: &mut commands };
/// raft.tick(&mut step);
/// raft.persisted(&mut step);
/// raft.propose("x = 1", &mut step);
/// raft.persisted(&mut step);
/// assert_eq!(raft.role(), RoleName::Leader);
/// assert_eq!(raft.committed(), Index(2), "its own empty entry, then the command");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Raft<C> {
    id: MemberId,
    config: Config,
    durable: Durable<C>,
    /// How far the log is on disk.
    stored: Index,
    committed: Index,
    role: Role,
    /// When the election timer was reset, and to how many ticks.
    reset_at: Tick,
    drawn: u64,
    /// Something of [`Durable`] changed in this step.
    dirty: bool,
}

impl<C: Clone> Raft<C> {
    /// A member that starts, for the first time or again, with what it has on disk (T4: nothing else).
    pub fn start(
        id: MemberId,
        config: Config,
        durable: Durable<C>,
        now: Tick,
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> Raft<C> {
        let stored = durable.log.last();
        let drawn = config.election + draw(config.election);
        let role = Role::Follower { leader: None };
        Raft {
            id,
            config,
            durable,
            stored,
            committed: Index(0),
            role,
            reset_at: now,
            drawn,
            dirty: false,
        }
    }

    /// A member of a group that has been running: `leader` leads, every log is the same and committed.
    pub fn of_running_group(id: MemberId, config: Config, durable: Durable<C>, leader: MemberId) -> Raft<C> {
        let last = durable.log.last();
        let role = if id == leader {
            let progress = Progress {
                next: last.next(),
                matched: last,
                active: true,
            };
            Role::Leader(Box::new(Leading {
                progress: [progress; MEMBERS_MAX],
                next_heartbeat: Tick(config.heartbeat),
                next_check: Tick(config.election),
                reads: Reads::default(),
            }))
        } else {
            Role::Follower { leader: Some(leader) }
        };
        let (reset_at, drawn) = (Tick(0), 2 * config.election - 1);
        Raft {
            id,
            config,
            durable,
            stored: last,
            committed: last,
            role,
            reset_at,
            drawn,
            dirty: false,
        }
    }

    pub fn id(&self) -> MemberId {
        self.id
    }
    pub fn term(&self) -> Term {
        self.durable.term
    }
    pub fn committed(&self) -> Index {
        self.committed
    }
    pub fn log(&self) -> &Log<C> {
        &self.durable.log
    }
    pub fn config(&self) -> &Config {
        &self.config
    }
    /// What must be on disk now, and what a restart finds there.
    pub fn durable(&self) -> Durable<C> {
        let mut durable = self.durable.clone();
        if self.config.bugs.vote_not_persisted {
            durable.vote = None;
        }
        durable
    }

    pub fn role(&self) -> RoleName {
        match self.role {
            Role::Follower { .. } => RoleName::Follower,
            Role::PreCandidate { .. } => RoleName::PreCandidate,
            Role::Candidate { .. } => RoleName::Candidate,
            Role::Leader(_) => RoleName::Leader,
        }
    }
    /// Who leads, as far as this member knows.
    pub fn leader(&self) -> Option<MemberId> {
        match self.role {
            Role::Follower { leader } => leader,
            Role::Leader(_) => Some(self.id),
            Role::PreCandidate { .. } | Role::Candidate { .. } => None,
        }
    }

    /// When [`Raft::tick`] must be called next.
    pub fn deadline(&self) -> Tick {
        match &self.role {
            Role::Leader(leading) if self.config.check_quorum => leading.next_heartbeat.min(leading.next_check),
            Role::Leader(leading) => leading.next_heartbeat,
            _ => self.reset_at.plus(self.drawn),
        }
    }

    /// The deadline is there (nothing happens before it).
    pub fn tick(&mut self, step: &mut Step<'_, C>) {
        if matches!(self.role, Role::Leader(_)) {
            self.tick_leader(step);
        } else if step.now >= self.deadline() {
            self.campaign(step);
        }
        self.settle(step);
    }

    /// A message has come.
    pub fn receive(&mut self, from: MemberId, message: Message<C>, step: &mut Step<'_, C>) {
        if self.admits(from, &message, step) {
            self.handle(from, message, step);
        }
        self.settle(step);
    }

    /// Appends a command to the log if this member leads. The index says where to look for it; it counts only if the entry
    /// committed there is still of the term in which it was proposed.
    pub fn propose(&mut self, command: C, step: &mut Step<'_, C>) -> Option<Index> {
        let index = matches!(self.role, Role::Leader(_)).then(|| {
            let index = self.append(Some(command), step);
            self.broadcast(step);
            index
        });
        self.settle(step);
        index
    }

    /// Everything asked for by [`Command::Persist`] so far is on disk.
    pub fn persisted(&mut self, step: &mut Step<'_, C>) {
        self.stored = self.durable.log.last();
        if matches!(self.role, Role::Leader(_)) {
            self.advance_commit(step);
        }
        self.settle(step);
    }

    /// Puts the request to persist before the messages that wait for it.
    fn settle(&mut self, step: &mut Step<'_, C>) {
        if std::mem::take(&mut self.dirty) {
            let first = step.commands.iter().position(|c| {
                matches!(
                    c,
                    Command::Send {
                        after_persist: true,
                        ..
                    }
                )
            });
            step.commands
                .insert(first.unwrap_or(step.commands.len()), Command::Persist);
        }
    }

    fn send(&self, to: MemberId, body: Body<C>, after_persist: bool, step: &mut Step<'_, C>) {
        self.send_at(self.durable.term, to, body, after_persist, step);
    }

    fn send_at(&self, term: Term, to: MemberId, body: Body<C>, after_persist: bool, step: &mut Step<'_, C>) {
        step.commands.push(Command::Send {
            to,
            message: Message { term, body },
            after_persist,
        });
    }

    /// T3: every reset draws anew.
    fn reset_timer(&mut self, step: &mut Step<'_, C>) {
        self.reset_at = step.now;
        self.drawn = self.config.election + (step.draw)(self.config.election);
    }

    fn become_follower(&mut self, term: Term, leader: Option<MemberId>, step: &mut Step<'_, C>) {
        let (role, old_term) = (self.role(), self.durable.term);
        if term > self.durable.term {
            self.durable.term = term;
            self.durable.vote = None;
            self.dirty = true;
        }
        self.fail_reads(step);
        self.role = Role::Follower { leader };
        self.reset_timer(step);
        if role != RoleName::Follower || term != old_term {
            step.commands.push(Command::Became {
                role: RoleName::Follower,
                term,
            });
        }
    }
}
