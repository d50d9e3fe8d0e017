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
//! `after_persist` must not leave before everything asked for by an earlier [`Command::Persist`] is on disk.
//!
//! Time is counted in ticks of the member's own clock. There is no event per tick: the machine says when it next wants to
//! be called. Safety uses no clock at all; only the leases do (T5, T14).
//!
//! # The rules
//!
//! They are those of etcd-io/raft (raft.go, read_only.go) and of Ongaro's paper and thesis, under the names by which the
//! code and the tests cite them.
//!
//! | rule | what it says |
//! |---|---|
//! | T1 | a higher term makes a follower; only a pre-vote and a yes to one leave the term alone |
//! | T2 | a lower term is ignored, but a stale leader is told, and a stale pre-vote refused |
//! | T3 | the election timeout is drawn anew with every change of role or term; when it passes, a candidate |
//! | T4 | one vote a term, on disk before it is told, and only for a log at least as up to date |
//! | T5 | whoever heard from a leader within the least election timeout does not hear candidates (with check-quorum) |
//! | T6 | a majority for: leader; so many against that there can be none: follower; an append of the same term: follower |
//! | T7 | a leader begins with an empty entry of its own term, and never removes an entry of its own log |
//! | T8 | an append fits the entry before it or is refused; only a real conflict truncates |
//! | T9 | committed is what a majority has on disk, if it is of the leader's own term; what is before it too |
//! | T10 | a heartbeat never tells a follower to commit what it may not have |
//! | T11 | once in an election timeout a leader that did not hear from a majority steps down (check-quorum) |
//! | T12 | before a real election a candidate asks who would vote for it (pre-vote; thesis 9.6) |
//! | T13 | a read is served once the leader has made sure that it still leads (thesis 6.4) |
//! | T14 | a leader's lease counts from the start of a round that a majority answered (thesis 6.4.1) |

mod command;
mod config;
mod elect;
mod lead;
mod log;
mod member;
mod message;
mod read;
mod replicate;
mod role;

pub use command::{Command, Durable, Step};
pub use config::{Bugs, Config, ConfigError, ReadMode};
pub use log::{Entry, Index, Log, Term};
pub use member::{MEMBERS_MAX, MemberId, Members, Tick};
pub use message::{Body, Message, Round};
pub use read::ReadToken;
pub use role::RoleName;

use role::{Progress, Role};

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
    /// Something of [`Durable`] changed, and no [`Command::Persist`] was given since.
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

    /// A member of a group that has been running: `leader` leads in the term of `durable`, every log is the same and
    /// committed, and the last heartbeat was heard at tick 0.
    pub fn of_running_group(
        id: MemberId,
        config: Config,
        durable: Durable<C>,
        leader: MemberId,
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> Raft<C> {
        let last = durable.log.last();
        let mut raft = Raft::start(id, config, durable, Tick(0), draw);
        raft.committed = last;
        raft.role = if id == leader {
            let known = Progress {
                next: last.next(),
                matched: last,
                active: true,
                acked: Round::default(),
            };
            let mut leading = raft.leading(known, Tick(0));
            // It has led for a while, so it stands anywhere between two looks at its quorum: where the timer it does not
            // need as a leader was drawn.
            leading.next_check = Tick(config.election * 2 - raft.drawn);
            Role::Leader(Box::new(leading))
        } else {
            Role::Follower { leader: Some(leader) }
        };
        raft
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
            Role::PreCandidate(_) => RoleName::PreCandidate,
            Role::Candidate(_) => RoleName::Candidate,
            Role::Leader(_) => RoleName::Leader,
        }
    }
    /// Who leads, as far as this member knows.
    pub fn leader(&self) -> Option<MemberId> {
        match self.role {
            Role::Follower { leader } => leader,
            Role::Leader(_) => Some(self.id),
            Role::PreCandidate(_) | Role::Candidate(_) => None,
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
            let index = self.append(Some(command));
            self.broadcast(step);
            index
        });
        self.settle(step);
        index
    }

    /// Everything asked for by [`Command::Persist`] so far is on disk.
    pub fn persisted(&mut self, step: &mut Step<'_, C>) {
        self.stored = self.durable.log.last();
        self.advance_commit(step);
        self.settle(step);
    }

    /// What changed goes to disk before the step ends, and before the first message that waits for it.
    fn settle(&mut self, step: &mut Step<'_, C>) {
        if std::mem::take(&mut self.dirty) {
            step.commands.push(Command::Persist);
        }
    }

    /// A question, or what only a leader says: it may leave at once, and a leader's entries do, while its own disk still
    /// writes (it only may not count itself: T9).
    fn send(&self, to: MemberId, body: Body<C>, step: &mut Step<'_, C>) {
        self.send_at(self.durable.term, to, body, step);
    }

    fn send_at(&self, term: Term, to: MemberId, body: Body<C>, step: &mut Step<'_, C>) {
        let (message, after_persist) = (Message { term, body }, false);
        step.commands.push(Command::Send {
            to,
            message,
            after_persist,
        });
    }

    /// What is said about my term, vote or log must still hold after a crash: it waits for the disk.
    fn promise(&mut self, to: MemberId, body: Body<C>, step: &mut Step<'_, C>) {
        self.promise_at(self.durable.term, to, body, step);
    }

    fn promise_at(&mut self, term: Term, to: MemberId, body: Body<C>, step: &mut Step<'_, C>) {
        self.settle(step);
        let (message, after_persist) = (Message { term, body }, true);
        step.commands.push(Command::Send {
            to,
            message,
            after_persist,
        });
    }

    /// T3: every change of role or term draws anew.
    fn redraw_timer(&mut self, step: &mut Step<'_, C>) {
        self.restart_timer(step);
        self.drawn = self.config.election + (step.draw)(self.config.election);
    }

    /// A heartbeat starts the same timeout again.
    fn restart_timer(&mut self, step: &Step<'_, C>) {
        self.reset_at = step.now;
    }

    fn become_follower(&mut self, term: Term, leader: Option<MemberId>, step: &mut Step<'_, C>) {
        let (role, old_term) = (self.role(), self.durable.term);
        if term > old_term {
            self.durable.term = term;
            self.durable.vote = None;
            self.dirty = true;
        }
        self.fail_reads(step);
        self.role = Role::Follower { leader };
        self.redraw_timer(step);
        if role != RoleName::Follower || term != old_term {
            step.commands.push(Command::Became {
                role: RoleName::Follower,
                term,
            });
        }
    }
}
