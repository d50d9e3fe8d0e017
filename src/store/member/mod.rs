//! One member of the store as an actor: etcd's layers over one [`Raft`].
//!
//! | thread      | does                                     | blocked by |
//! |-------------|------------------------------------------|------------|
//! | raft        | ticks, messages, proposals, applies      | its disk: while it writes, nothing of it moves |
//! | lessor      | looks for expired leases twice a second  | nothing: it goes on while the disk hangs |
//! | client API  | answers, forwards to the leader, waits   | the raft thread, for what must be agreed |
//!
//! | request            | where it is decided |
//! |--------------------|---------------------|
//! | put, txn, grant, revoke | in the log; answered by the member that was asked, when it has applied it |
//! | range, linearizable | ReadIndex, then this member's own copy, once it has applied what the read must see |
//! | range, serializable | this member's own copy, whatever the others do |
//! | keep-alive         | the leader's memory; a follower forwards it |
//! | watch, member list | this member's own copy, whatever the others do |
//!
//! | file             | what lives there |
//! |------------------|------------------|
//! | `mod.rs`         | the member's state, its start, and which input is whose |
//! | `raft_thread.rs` | ticks, the disk, and what must wait for it |
//! | `applying.rs`    | what is agreed on: applied, answered, told to watchers |
//! | `requests.rs`    | what clients and other members ask |
//! | `leases.rs`      | renewals, and the removal of what has run out |
//!
//! Sources: etcd server/etcdserver (server.go, v3_server.go), server/lease/lessor.go.

mod applying;
mod leases;
mod raft_thread;
mod requests;

use super::Kv;
use super::lessor::Lessor;
use super::peers::Peers;
use crate::engine::{Actor, ConnId, Ctx, Draw, Input, MonoTime, ProcId, Span, Spread, TimerKey};
use crate::raft::{self, Command, Durable, Entry, Index, Log, MemberId, Raft, ReadToken, RoleName, Term};
use crate::vocabulary::{Key, LeaseId, Logged, Message, Note, Order, Revision, StoreOp, Ticket, WatchEvent, Words};
use leases::Renewing;
use std::collections::{BTreeMap, VecDeque};

/// etcd looks for expired leases twice a second; what has not found a leader is tried again as often.
const EXPIRY_TICK: Span = Span::from_millis(500);
/// How many past changes are kept for watchers. A watcher asks within a second of its reading; a second has far fewer.
const RECENT_KEPT: usize = 1_000;
/// The raft thread counts as stuck when it has not moved for so many ticks (etcd's ensureLeadership).
const STUCK_TICKS: u64 = 3;
/// The term of a cluster that has been running for a while.
const FIRST_TERM: Term = Term(2);

const RAFT: TimerKey = TimerKey(0);
const EXPIRY: TimerKey = TimerKey(1);
const PEERS: TimerKey = TimerKey(2);
const REDIAL: TimerKey = TimerKey(3);
const FIRST_REPLY: u32 = 16;

const DRAW_PHASE: Draw = Draw(0);
const DRAW_GATEWAY: Draw = Draw(1);
const DRAW_ELECTION: Draw = Draw(2);

/// How a member behaves.
#[derive(Clone, Debug)]
pub struct MemberConfig {
    pub raft: raft::Config,
    /// etcd: 100 ms.
    pub tick: Span,
    /// Before it removes a lease, a leader whose raft thread was stuck makes sure that it still leads (etcd 3.5.13,
    /// 3.4.31). Without it a stale leader can remove a lease that lives (etcd#15247).
    pub guards_revoke: bool,
    /// The same before it renews one: the answer waits while the raft thread is stuck.
    pub guards_renew: bool,
    /// What an answer to a client takes on its way out; nothing: it leaves at once.
    pub gateway: Option<Spread>,
    /// Where the tickers of this member stand when it starts.
    pub phases: Phases,
}

/// How long after its start a member's tickers begin. In a real group nobody chooses them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Phases {
    pub tick: Span,
    /// The look for expired leases; drawn when nothing is given.
    pub expiry: Option<Span>,
}

/// What the raft thread is given to do, in order, when the disk lets it.
#[derive(Clone, Debug)]
enum RaftInput {
    Message(MemberId, raft::Message<Logged>),
    Propose(Logged),
    Read(ReadToken),
}

/// A client's request that waits.
#[derive(Clone, Debug)]
struct Asked {
    conn: ConnId,
    request: u32,
    op: StoreOp,
    /// When it was last brought on its way.
    at: MonoTime,
}

#[derive(Clone, Debug)]
pub struct Member {
    config: MemberConfig,
    me: MemberId,
    peers: Peers,

    // raft thread
    raft: Raft<Logged>,
    /// On disk.
    durable: Durable<Logged>,
    /// On its way there, and since when.
    writing: Option<(Durable<Logged>, MonoTime)>,
    /// It was said that the thread is stuck.
    hangs: bool,
    /// What may leave only when that is done.
    held: Vec<(MemberId, raft::Message<Logged>)>,
    backlog: VecDeque<RaftInput>,
    /// Tick 0 of this life, moved on by the ticks that were lost while nothing moved.
    ticks_from: MonoTime,
    armed: Option<MonoTime>,
    /// Empty between steps; kept for its memory.
    commands: Vec<Command<Logged>>,

    kv: Kv,
    applied: Index,
    lessor: Lessor,
    recent: VecDeque<(Revision, Vec<WatchEvent>)>,

    watchers: Vec<ConnId>,
    /// Writes and reads under way, by their number.
    asked: BTreeMap<u64, Asked>,
    next_number: u64,
    /// Requests for a leader that is not known.
    parked: Vec<u64>,
    /// Reads that may be served once this member has applied so much.
    unapplied: Vec<(Index, u64)>,
    /// Renewals of leases whose removal is under way.
    expiring: Vec<(LeaseId, Renewing)>,
    replies: BTreeMap<u32, (ConnId, Message)>,
    next_reply: u32,
    /// The member that leads when the run begins; nothing once this member has started.
    joins: Option<MemberId>,
}

impl Member {
    /// A member of a group that is already running: `setup` is its log, `leader` leads.
    pub fn of_running_group(
        me: MemberId,
        leader: MemberId,
        config: MemberConfig,
        peers: Vec<ProcId>,
        setup: &[StoreOp],
    ) -> Member {
        let entry = |op: &StoreOp| Entry {
            term: FIRST_TERM,
            command: Some(Logged {
                ticket: Ticket { member: me, number: 0 },
                op: op.clone(),
            }),
        };
        let durable = Durable {
            term: FIRST_TERM,
            vote: Some(leader),
            log: Log::of(setup.iter().map(entry)),
        };
        let mut kv = Kv::new(config.tick * config.raft.election);
        for op in setup {
            // The set-up is the world's own; what it puts is always there to be put.
            let _ = kv.apply(op, &mut Vec::new());
        }
        // Replaced when the process starts: only then are there dice for its timer.
        let raft = Raft::of_running_group(me, config.raft, durable.clone(), leader, &mut |_| 0);
        Member {
            me,
            peers: Peers::new(me, peers),
            applied: durable.log.last(),
            raft,
            durable,
            config,
            writing: None,
            hangs: false,
            held: Vec::new(),
            backlog: VecDeque::new(),
            ticks_from: MonoTime::ZERO,
            armed: None,
            commands: Vec::new(),
            kv,
            lessor: Lessor::default(),
            recent: VecDeque::new(),
            watchers: Vec::new(),
            asked: BTreeMap::new(),
            next_number: 1,
            parked: Vec::new(),
            unapplied: Vec::new(),
            expiring: Vec::new(),
            replies: BTreeMap::new(),
            next_reply: FIRST_REPLY,
            joins: Some(leader),
        }
    }

    fn start(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.ticks_from = ctx.mono() + self.config.phases.tick;
        self.armed = None;
        let joins = self.joins.take();
        let mut draw = |bound| ctx.below(DRAW_ELECTION, bound);
        if let Some(leader) = joins {
            self.raft = Raft::of_running_group(self.me, self.config.raft, self.durable.clone(), leader, &mut draw);
            self.join_running(ctx);
        } else {
            self.raft = Raft::start(
                self.me,
                self.config.raft,
                self.durable.clone(),
                raft::Tick(0),
                &mut draw,
            );
            self.lessor.demote();
            self.note_role(ctx);
        }
        self.writing = None;
        self.hangs = false;
        self.held.clear();
        self.backlog.clear();
        self.watchers.clear();
        self.asked.clear();
        self.parked.clear();
        self.unapplied.clear();
        self.expiring.clear();
        self.replies.clear();
        let drawn = Span(ctx.below(DRAW_PHASE, EXPIRY_TICK.as_micros()));
        ctx.set_timer(EXPIRY, self.config.phases.expiry.unwrap_or(drawn));
        self.peers.start(ctx);
        ctx.set_timer(PEERS, super::peers::LINK_HEARTBEAT);
        self.arm(ctx);
    }

    /// The run begins in the middle of a cluster's life; the observer learns who holds what.
    fn join_running(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.note_role(ctx);
        let index = self.raft.committed();
        ctx.note(Note::StoreCommit { index });
        if self.raft.role() != RoleName::Leader {
            return;
        }
        self.lessor.promote(self.kv.leases(), Span::ZERO, ctx.mono());
        // The leader key first: whoever watches the run wants to know that before all else.
        let leader = self.kv.get(Key::Leader);
        let others = self.kv.items().filter(|item| item.key != Key::Leader);
        for item in leader.into_iter().chain(others) {
            ctx.note(Note::key_put(item));
            if let Some(lease) = item.lease.filter(|_| item.key == Key::Leader) {
                ctx.note(Note::LeaseRenewed { lease });
            }
        }
    }

    fn note_role(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::StoreRole {
            role: self.raft.role(),
            term: self.raft.term(),
        });
    }

    // --- the raft thread
}

impl Actor<Words> for Member {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match input {
            Input::Start => self.start(ctx),
            Input::Timer(RAFT) => self.raft_timer(ctx),
            Input::Timer(EXPIRY) => {
                self.note_whether_it_hangs(ctx);
                self.expire(ctx);
                self.retry_parked(ctx);
                self.ask_again(ctx);
                ctx.set_timer(EXPIRY, EXPIRY_TICK);
            }
            Input::Timer(PEERS) => {
                self.peers.look_after(ctx);
                ctx.set_timer(PEERS, super::peers::LINK_HEARTBEAT);
            }
            Input::Timer(REDIAL) => self.peers.redial(ctx),
            Input::Timer(TimerKey(number)) => {
                if let Some((conn, message)) = self.replies.remove(&number) {
                    ctx.send(conn, message);
                }
            }
            Input::DiskDone(_) => self.written(ctx),
            Input::Accepted(conn, from) => self.peers.accepted(conn, from, ctx),
            Input::Opened(conn) => self.peers.opened(conn, ctx),
            Input::Message(conn, Message::Store { request, op }) => self.request(conn, request, op, ctx),
            Input::Message(conn, message) => {
                if let Some(from) = self.peers.heard(conn, ctx) {
                    self.hear_member(from, message, ctx);
                }
            }
            Input::Ended(conn, _) => {
                self.watchers.retain(|&watcher| watcher != conn);
                self.asked.retain(|_, asked| asked.conn != conn);
                if self.peers.ended(conn) {
                    ctx.set_timer(REDIAL, super::peers::REDIAL);
                }
            }
            // An operator deletes the key through this member.
            Input::Order {
                order: Order::DeleteLeaderKey,
                begins: true,
            } => self.propose_own(StoreOp::Delete { key: Key::Leader }, ctx),
            Input::Signal(_) | Input::Order { .. } => {}
        }
    }
}
