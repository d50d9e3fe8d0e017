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
//! | range              | ReadIndex, then this member's own copy |
//! | keep-alive         | the leader's memory; a follower forwards it |
//! | watch, member list | this member's own copy, whatever the others do |
//!
//! Sources: etcd server/etcdserver (server.go, v3_server.go), server/lease/lessor.go.

use super::Kv;
use super::lessor::{Lessor, Renewal};
use super::peers::Peers;
use crate::engine::{Actor, ConnId, Ctx, Draw, Input, MonoTime, Span, Spread, TimerKey};
use crate::raft::{self, Command, Durable, Entry, Index, Log, MemberId, Raft, ReadToken, RoleName, Step, Term};
use crate::vocabulary::{
    Item, Key, LeaseId, Logged, Message, Note, Revision, StoreAnswer, StoreError, StoreOp, Ticket, Value, WatchEvent,
    Words,
};
use std::collections::{BTreeMap, VecDeque};

/// etcd looks for expired leases twice a second; what has not found a leader is tried again as often.
const EXPIRY_TICK: Span = Span::from_millis(500);
/// How long a request takes beyond network, disk and agreement: etcd's JSON gateway, as recorded with etcd 3.4.23 on an
/// idle machine (43 to 65 ms for a renewal or a put, nearly all of it delayed acknowledgements at the gateway).
const GATEWAY: Spread = Spread::from_millis(40, 44, 70);
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
    /// Renewals of leases whose removal is under way.
    expiring: Vec<(LeaseId, Renewing)>,
    replies: BTreeMap<u32, (ConnId, Message)>,
    next_reply: u32,
    /// The member that leads when the run begins; nothing once this member has started.
    joins: Option<MemberId>,
}

/// Who asked for a renewal.
#[derive(Clone, Copy, Debug)]
enum Renewing {
    Client { conn: ConnId, request: u32 },
    Member { member: MemberId, number: u64 },
}

impl Member {
    /// A member of a group that is already running: `setup` is its log, `leader` leads.
    pub fn of_running_group(
        me: MemberId,
        leader: MemberId,
        config: MemberConfig,
        peers: Vec<crate::engine::ProcId>,
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
            expiring: Vec::new(),
            replies: BTreeMap::new(),
            next_reply: FIRST_REPLY,
            joins: Some(leader),
        }
    }

    // --- start

    fn start(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.ticks_from = ctx.mono();
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
        self.held.clear();
        self.backlog.clear();
        self.watchers.clear();
        self.asked.clear();
        self.parked.clear();
        self.expiring.clear();
        self.replies.clear();
        let phase = Span(ctx.below(DRAW_PHASE, EXPIRY_TICK.as_micros()));
        ctx.set_timer(EXPIRY, phase);
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
        if let Some(Item {
            key,
            value: Value::Leader(holder),
            lease,
            modified,
            ..
        }) = self.kv.get(Key::Leader)
        {
            let (key, holder, lease, revision) = (*key, Some(*holder), *lease, *modified);
            ctx.note(Note::KeyPut {
                key,
                holder,
                lease,
                revision,
                created: true,
            });
            if let Some(lease) = lease {
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

    fn tick(&self, now: MonoTime) -> raft::Tick {
        raft::Tick(now.since(self.ticks_from).as_micros() / self.config.tick.as_micros())
    }

    fn arm(&mut self, ctx: &mut Ctx<'_, Words>) {
        let at = self.ticks_from + self.config.tick * self.raft.deadline().0;
        // A deadline that moved away needs no new timer: the old one finds nothing to do and is set again.
        if self.armed.is_none_or(|armed| at < armed) {
            self.armed = Some(at);
            ctx.set_timer(RAFT, at.since(ctx.mono()));
        }
    }

    /// Ticks that come due while the thread stands still are lost but for one, as with a ticker nobody reads.
    fn lose_ticks(&mut self, still_since: MonoTime, now: MonoTime) {
        let ticks = now.since(still_since).as_micros() / self.config.tick.as_micros();
        self.ticks_from += self.config.tick * ticks.saturating_sub(1);
    }

    fn raft_timer(&mut self, ctx: &mut Ctx<'_, Words>) {
        let due = self.armed.take();
        if self.writing.is_some() {
            return; // looked at again when the disk is done
        }
        if let Some(due) = due {
            self.lose_ticks(due, ctx.mono());
        }
        self.raft_step(ctx, |raft, step| raft.tick(step));
    }

    fn raft_input(&mut self, input: RaftInput, ctx: &mut Ctx<'_, Words>) {
        if self.writing.is_some() {
            return self.backlog.push_back(input);
        }
        match input {
            RaftInput::Message(from, message) => {
                self.raft_step(ctx, |raft, step| raft.receive(from, message, step));
            }
            RaftInput::Read(token) => self.raft_step(ctx, |raft, step| raft.read_index(token, step)),
            RaftInput::Propose(logged) => self.propose(logged, ctx),
        }
    }

    fn propose(&mut self, logged: Logged, ctx: &mut Ctx<'_, Words>) {
        match self.raft.leader() {
            Some(leader) if leader == self.me => {
                self.raft_step(ctx, |raft, step| {
                    raft.propose(logged, step);
                });
            }
            Some(leader) => self.peers.send(
                leader,
                Message::Forward {
                    ticket: logged.ticket,
                    op: logged.op,
                },
                ctx,
            ),
            None if logged.ticket.member == self.me => self.parked.push(logged.ticket.number),
            None => {}
        }
    }

    fn raft_step(&mut self, ctx: &mut Ctx<'_, Words>, act: impl FnOnce(&mut Raft<Logged>, &mut Step<'_, Logged>)) {
        let (now, mut commands) = (self.tick(ctx.mono()), std::mem::take(&mut self.commands));
        let mut draw = |bound| ctx.below(DRAW_ELECTION, bound);
        act(
            &mut self.raft,
            &mut Step {
                now,
                draw: &mut draw,
                commands: &mut commands,
            },
        );
        let had_leader = self.raft.leader();
        for command in commands.drain(..) {
            match command {
                Command::Persist => {
                    self.writing = Some((self.raft.durable(), ctx.mono()));
                    ctx.fsync(0);
                }
                Command::Send {
                    to,
                    message,
                    after_persist: true,
                } if self.writing.is_some() => {
                    self.held.push((to, message));
                }
                Command::Send { to, message, .. } => self.peers.send(to, Message::Raft(message), ctx),
                Command::Committed(index) => {
                    self.apply_up_to(index, ctx);
                    ctx.note(Note::StoreCommit { index });
                }
                Command::Became { role, term } => {
                    if role != RoleName::Leader {
                        self.lessor.demote();
                    }
                    ctx.note(Note::StoreRole { role, term });
                }
                Command::ReadReady { token, index } if index <= self.applied => self.serve_read(token.number, ctx),
                // This member has not applied all that the read must see; the read is asked for again.
                Command::ReadReady { .. } => {}
                Command::ReadFailed { token } => self.parked.push(token.number),
            }
        }
        self.commands = commands;
        self.arm(ctx);
        if had_leader.is_some() && !self.parked.is_empty() {
            self.retry_parked(ctx);
        }
    }

    fn written(&mut self, ctx: &mut Ctx<'_, Words>) {
        let Some((durable, since)) = self.writing.take() else {
            return;
        };
        self.durable = durable;
        self.lose_ticks(since, ctx.mono());
        for (to, message) in std::mem::take(&mut self.held) {
            self.peers.send(to, Message::Raft(message), ctx);
        }
        self.raft_step(ctx, |raft, step| raft.persisted(step));
        while self.writing.is_none() {
            let Some(input) = self.backlog.pop_front() else { break };
            self.raft_input(input, ctx);
        }
        if self.writing.is_none() && self.armed.is_none() {
            self.raft_step(ctx, |raft, step| raft.tick(step));
        }
    }

    fn is_stuck(&self, now: MonoTime) -> bool {
        let stuck = self.config.tick * STUCK_TICKS;
        self.writing
            .as_ref()
            .is_some_and(|(_, since)| now.since(*since) > stuck)
    }

    // --- applying

    fn apply_up_to(&mut self, index: Index, ctx: &mut Ctx<'_, Words>) {
        while self.applied < index {
            let next = self.applied.next();
            let Some(entry) = self.raft.log().get(next).cloned() else {
                return;
            };
            self.applied = next;
            match entry.command {
                Some(logged) => self.apply(logged, ctx),
                // The empty entry of its own term: a new leader now knows everything that was decided before it.
                None if self.raft.role() == RoleName::Leader && entry.term == self.raft.term() => {
                    let grace = self.config.tick * self.config.raft.election;
                    self.lessor.promote(self.kv.leases(), grace, ctx.mono());
                }
                None => {}
            }
        }
    }

    fn apply(&mut self, logged: Logged, ctx: &mut Ctx<'_, Words>) {
        let mut changes = Vec::new();
        let answer = self.kv.apply(&logged.op, &mut changes);
        match (&logged.op, &answer) {
            (StoreOp::LeaseGrant { .. }, Ok(StoreAnswer::Lease { lease, ttl })) => {
                self.lessor.granted(*lease, *ttl, ctx.mono());
                if self.lessor.leads() {
                    ctx.note(Note::LeaseGranted {
                        lease: *lease,
                        ttl: *ttl,
                    });
                }
            }
            (StoreOp::LeaseRevoke { lease }, _) => self.revoked(*lease, ctx),
            (StoreOp::Txn(_), Ok(StoreAnswer::Txn { succeeded: false, .. }))
                if changes.is_empty() && self.lessor.leads() =>
            {
                ctx.note(Note::CreateRefused { key: Key::Leader });
            }
            _ => {}
        }
        self.tell(changes, ctx);
        if logged.ticket.member == self.me
            && let Some(asked) = self.asked.remove(&logged.ticket.number)
        {
            self.reply(asked.conn, asked.request, answer, ctx);
        }
    }

    fn revoked(&mut self, lease: LeaseId, ctx: &mut Ctx<'_, Words>) {
        if self.lessor.leads() {
            ctx.note(Note::LeaseExpired { lease });
        }
        self.lessor.revoked(lease);
        let (due, rest) = std::mem::take(&mut self.expiring)
            .into_iter()
            .partition(|(l, _)| *l == lease);
        self.expiring = rest;
        let due: Vec<(LeaseId, Renewing)> = due;
        for (_, renewing) in due {
            self.answer_renewal(renewing, StoreAnswer::LeaseGone, ctx);
        }
    }

    /// Sends changes of keys to every watcher. Every member applies the same; the one that leads notes them. A new leader may
    /// note again what the old one had committed last: readers of notes go by the revision.
    fn tell(&mut self, changes: Vec<WatchEvent>, ctx: &mut Ctx<'_, Words>) {
        if changes.is_empty() {
            return;
        }
        let leads = self.raft.role() == RoleName::Leader;
        for change in changes.iter().filter(|_| leads) {
            ctx.note(match *change {
                WatchEvent::Put(item) => Note::KeyPut {
                    key: item.key,
                    holder: if let Value::Leader(node) = item.value {
                        Some(node)
                    } else {
                        None
                    },
                    lease: item.lease,
                    revision: item.modified,
                    created: item.version == 1,
                },
                WatchEvent::Delete { key, at } => Note::KeyDeleted { key, revision: at },
            });
        }
        let revision = self.kv.revision();
        for &watcher in &self.watchers {
            ctx.send(
                watcher,
                Message::WatchEvents {
                    revision,
                    events: changes.clone(),
                },
            );
        }
        if self.recent.len() == RECENT_KEPT {
            self.recent.pop_front();
        }
        self.recent.push_back((revision, changes));
    }

    // --- clients

    fn request(&mut self, conn: ConnId, request: u32, op: StoreOp, ctx: &mut Ctx<'_, Words>) {
        match op {
            StoreOp::LeaseKeepAlive { lease } => self.renew(lease, Renewing::Client { conn, request }, ctx),
            StoreOp::Watch { after } => self.watch(conn, after, ctx),
            StoreOp::Members => self.reply(conn, request, Ok(StoreAnswer::Members), ctx),
            op => {
                let number = self.next_number;
                self.next_number += 1;
                self.asked.insert(
                    number,
                    Asked {
                        conn,
                        request,
                        op,
                        at: ctx.mono(),
                    },
                );
                self.pursue(number, ctx);
            }
        }
    }

    /// Brings a request on its way: into the log, or to a read that the group confirms.
    fn pursue(&mut self, number: u64, ctx: &mut Ctx<'_, Words>) {
        let Some(asked) = self.asked.get(&number) else { return };
        let input = match &asked.op {
            StoreOp::Range => RaftInput::Read(ReadToken {
                member: self.me,
                number,
            }),
            StoreOp::LeaseKeepAlive { lease } => {
                let (conn, request, lease) = (asked.conn, asked.request, *lease);
                self.asked.remove(&number);
                return self.renew(lease, Renewing::Client { conn, request }, ctx);
            }
            op => RaftInput::Propose(Logged {
                ticket: Ticket {
                    member: self.me,
                    number,
                },
                op: op.clone(),
            }),
        };
        self.raft_input(input, ctx);
    }

    fn retry_parked(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.raft.leader().is_some() {
            for number in std::mem::take(&mut self.parked) {
                self.pursue(number, ctx);
            }
        }
    }

    /// Reads and renewals on their way to the leader can be lost with it or with a connection: etcd asks again every 500 ms.
    /// A write is never proposed twice.
    fn ask_again(&mut self, ctx: &mut Ctx<'_, Words>) {
        let now = ctx.mono();
        let again = |asked: &Asked| {
            matches!(asked.op, StoreOp::Range | StoreOp::LeaseKeepAlive { .. }) && now.since(asked.at) >= EXPIRY_TICK
        };
        let late: Vec<u64> = self
            .asked
            .iter()
            .filter(|(_, asked)| again(asked))
            .map(|(&number, _)| number)
            .collect();
        for number in late {
            if let Some(asked) = self.asked.get_mut(&number) {
                asked.at = now;
            }
            self.pursue(number, ctx);
        }
    }

    fn serve_read(&mut self, number: u64, ctx: &mut Ctx<'_, Words>) {
        if let Some(asked) = self.asked.remove(&number) {
            let answer = self.kv.apply(&StoreOp::Range, &mut Vec::new());
            self.reply(asked.conn, asked.request, answer, ctx);
        }
    }

    /// A keep-alive: answered from the leader's memory, by whoever leads.
    fn renew(&mut self, lease: LeaseId, who: Renewing, ctx: &mut Ctx<'_, Words>) {
        if self.lessor.leads() {
            let Some(ttl) = self.kv.ttl(lease) else {
                return self.answer_renewal(who, StoreAnswer::LeaseGone, ctx);
            };
            return match self.lessor.renew(lease, ttl, ctx.mono()) {
                Renewal::Renewed => {
                    ctx.note(Note::LeaseRenewed { lease });
                    self.answer_renewal(who, StoreAnswer::Lease { lease, ttl }, ctx);
                }
                Renewal::Expiring => {
                    self.expiring.push((lease, who));
                    self.expire(ctx);
                }
                Renewal::NotHere => self.answer_renewal(who, StoreAnswer::LeaseGone, ctx),
            };
        }
        // A member asks only one that it takes for the leader; it will ask again.
        let Renewing::Client { conn, request } = who else {
            return;
        };
        let number = self.next_number;
        self.next_number += 1;
        self.asked.insert(
            number,
            Asked {
                conn,
                request,
                op: StoreOp::LeaseKeepAlive { lease },
                at: ctx.mono(),
            },
        );
        match self.raft.leader().filter(|&leader| leader != self.me) {
            Some(leader) => {
                let ticket = Ticket {
                    member: self.me,
                    number,
                };
                self.peers.send(
                    leader,
                    Message::Forward {
                        ticket,
                        op: StoreOp::LeaseKeepAlive { lease },
                    },
                    ctx,
                );
            }
            None => self.parked.push(number),
        }
    }

    fn answer_renewal(&mut self, who: Renewing, answer: StoreAnswer, ctx: &mut Ctx<'_, Words>) {
        match who {
            Renewing::Client { conn, request } => self.reply(conn, request, Ok(answer), ctx),
            Renewing::Member { member, number } => {
                self.peers.send(member, Message::Forwarded { number, answer }, ctx);
            }
        }
    }

    /// The lessor's look at the leases. Its removals go through the raft thread, and wait there while that hangs.
    fn expire(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.config.guards_revoke && self.is_stuck(ctx.mono()) {
            return;
        }
        for lease in self.lessor.take_expired(ctx.mono()) {
            let number = self.next_number;
            self.next_number += 1;
            let ticket = Ticket {
                member: self.me,
                number,
            };
            self.raft_input(
                RaftInput::Propose(Logged {
                    ticket,
                    op: StoreOp::LeaseRevoke { lease },
                }),
                ctx,
            );
        }
    }

    fn watch(&mut self, conn: ConnId, after: Revision, ctx: &mut Ctx<'_, Words>) {
        for (revision, events) in self.recent.iter().filter(|(revision, _)| *revision > after) {
            ctx.send(
                conn,
                Message::WatchEvents {
                    revision: *revision,
                    events: events.clone(),
                },
            );
        }
        self.watchers.push(conn);
    }

    fn reply(&mut self, conn: ConnId, request: u32, answer: Result<StoreAnswer, StoreError>, ctx: &mut Ctx<'_, Words>) {
        let message = Message::StoreReply {
            request,
            revision: self.kv.revision(),
            answer,
        };
        let after = ctx.sample(DRAW_GATEWAY, &GATEWAY);
        let number = self.next_reply;
        self.next_reply = self.next_reply.wrapping_add(1).max(FIRST_REPLY);
        self.replies.insert(number, (conn, message));
        ctx.set_timer(TimerKey(number), after);
    }

    // --- other members

    fn hear_member(&mut self, from: MemberId, message: Message, ctx: &mut Ctx<'_, Words>) {
        match message {
            Message::Raft(message) => self.raft_input(RaftInput::Message(from, message), ctx),
            Message::Forward {
                ticket,
                op: StoreOp::LeaseKeepAlive { lease },
            } => {
                let who = Renewing::Member {
                    member: ticket.member,
                    number: ticket.number,
                };
                self.renew(lease, who, ctx);
            }
            Message::Forward { ticket, op } => self.raft_input(RaftInput::Propose(Logged { ticket, op }), ctx),
            Message::Forwarded { number, answer } => {
                if let Some(asked) = self.asked.remove(&number) {
                    self.reply(asked.conn, asked.request, Ok(answer), ctx);
                }
            }
            _ => {}
        }
    }
}

impl Actor<Words> for Member {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match input {
            Input::Start => self.start(ctx),
            Input::Timer(RAFT) => self.raft_timer(ctx),
            Input::Timer(EXPIRY) => {
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
            Input::Signal(_) => {}
        }
    }
}
