//! One store member as an actor.
//!
//! | state  | input                      | commands |
//! |--------|----------------------------|----------|
//! | serves | a read, a renewal          | answers |
//! | serves | a write                    | writes to disk; when durable: applies, tells the watchers, answers |
//! | serves | the expiry tick, each 0.5 s | for each lease that ran out: writes its removal to disk, as a write |
//! | starts | (again, after a crash)     | keys and leases are on disk; every lease gets its full TTL again |
//!
//! Expiry is kept on this host's monotonic clock (patroni.md 4.1, "Server side"; protocols.md 3).

use super::Kv;
use crate::engine::{Actor, ConnId, Ctx, Draw, Input, Span, Spread, TimerKey};
use crate::vocabulary::{Item, Note};
use crate::vocabulary::{
    Key, LeaseId, Message, NodeId, Revision, StoreAnswer, StoreError, StoreOp, Value, WatchEvent, Words,
};
use std::collections::{BTreeMap, VecDeque};

/// etcd looks for expired leases twice a second.
const EXPIRY_TICK: Span = Span::from_millis(500);
/// What a restart adds to every lease: one election timeout.
const RESTART_GRACE: Span = Span::from_secs(1);
/// How long a request takes beyond network and disk: etcd's JSON gateway, as recorded with etcd 3.4.23 on an idle
/// machine (traces: 43 to 65 ms for a renewal or a put, nearly all of it delayed acknowledgements at the gateway).
const GATEWAY: Spread = Spread::from_millis(40, 44, 70);

/// How many past changes are kept for watchers. A watcher asks within a second of its reading; a second has far fewer.
const RECENT_KEPT: usize = 1_000;

const TICK: TimerKey = TimerKey(0);
const FIRST_REPLY: u32 = 1;

const DRAW_PHASE: Draw = Draw(0);
const DRAW_GATEWAY: Draw = Draw(1);

#[derive(Clone, Debug)]
enum Work {
    Request { conn: ConnId, request: u32, op: StoreOp },
    Expire { lease: LeaseId },
}

#[derive(Clone, Debug)]
pub struct Store {
    kv: Kv,
    started_before: bool,
    watchers: Vec<ConnId>,
    /// The latest changes, for watchers that begin at an earlier revision.
    recent: VecDeque<(Revision, Vec<WatchEvent>)>,
    /// Waiting for the disk, oldest first.
    writing: VecDeque<Work>,
    written: u64,
    /// Renewals of leases whose removal is under way.
    held: Vec<(LeaseId, ConnId, u32)>,
    replies: BTreeMap<u32, (ConnId, Message)>,
    next_reply: u32,
}

impl Store {
    /// A store of a cluster that is already running: every node has a lease and a member key, `leader` holds the key.
    /// Lease `n + 1` belongs to node `n`.
    pub fn of_running_cluster(nodes: u8, leader: NodeId, ttl: Span, member: impl Fn(NodeId) -> Value) -> Store {
        let mut kv = Kv::default();
        let (now, mut changes) = (Default::default(), Vec::new());
        let mut apply = |op: StoreOp| kv.apply(&op, now, &mut changes).is_ok();
        let mut fine = (0..nodes).all(|_| apply(StoreOp::LeaseGrant { ttl }));
        let lease = |node: NodeId| Some(LeaseId(u64::from(node.0) + 1));
        fine &= apply(StoreOp::Put {
            key: Key::Leader,
            value: Value::Leader(leader),
            lease: lease(leader),
        });
        for node in (0..nodes).map(NodeId) {
            fine &= apply(StoreOp::Put {
                key: Key::Member(node),
                value: member(node),
                lease: lease(node),
            });
        }
        debug_assert!(fine, "the leases were granted just above");
        Store {
            kv,
            started_before: false,
            watchers: Vec::new(),
            recent: VecDeque::new(),
            writing: VecDeque::new(),
            written: 0,
            held: Vec::new(),
            replies: BTreeMap::new(),
            next_reply: FIRST_REPLY,
        }
    }

    fn start(&mut self, ctx: &mut Ctx<'_, Words>) {
        if std::mem::replace(&mut self.started_before, true) {
            self.kv.rearm_all(ctx.mono(), RESTART_GRACE);
        } else if let Some(Item {
            key,
            value: Value::Leader(holder),
            lease,
            modified,
            ..
        }) = self.kv.get(Key::Leader)
        {
            // The run begins in the middle of a cluster's life; the observer learns who holds the key.
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
        self.watchers.clear();
        self.writing.clear();
        self.held.clear();
        self.replies.clear();
        let phase = Span(ctx.below(DRAW_PHASE, EXPIRY_TICK.as_micros()));
        ctx.set_timer(TICK, phase);
    }

    fn receive(&mut self, conn: ConnId, request: u32, op: StoreOp, ctx: &mut Ctx<'_, Words>) {
        if let StoreOp::LeaseKeepAlive { lease } = op
            && self.kv.is_expiring(lease, ctx.mono())
        {
            self.expire(ctx);
            return self.held.push((lease, conn, request));
        }
        if Kv::writes(&op) {
            self.write(Work::Request { conn, request, op }, ctx);
        } else {
            self.carry_out(conn, request, &op, ctx);
        }
    }

    fn write(&mut self, work: Work, ctx: &mut Ctx<'_, Words>) {
        self.writing.push_back(work);
        self.written += 1;
        ctx.fsync(self.written);
    }

    fn expire(&mut self, ctx: &mut Ctx<'_, Words>) {
        for lease in self.kv.take_expired(ctx.mono()) {
            self.write(Work::Expire { lease }, ctx);
        }
    }

    /// The oldest write is durable.
    fn durable(&mut self, ctx: &mut Ctx<'_, Words>) {
        match self.writing.pop_front() {
            Some(Work::Request { conn, request, op }) => self.carry_out(conn, request, &op, ctx),
            Some(Work::Expire { lease }) => {
                ctx.note(Note::LeaseExpired { lease });
                let mut changes = Vec::new();
                // A revoke has no way to fail.
                let _ = self.kv.apply(&StoreOp::LeaseRevoke { lease }, ctx.mono(), &mut changes);
                self.tell(changes, ctx);
                let (due, rest) = self.held.iter().partition(|(l, ..)| *l == lease);
                self.held = rest;
                for (_, conn, request) in Vec::<(LeaseId, ConnId, u32)>::from_iter(due) {
                    self.reply(conn, request, Ok(StoreAnswer::LeaseGone), ctx);
                }
            }
            None => {}
        }
    }

    fn carry_out(&mut self, conn: ConnId, request: u32, op: &StoreOp, ctx: &mut Ctx<'_, Words>) {
        let mut changes = Vec::new();
        let answer = self.kv.apply(op, ctx.mono(), &mut changes);
        match (op, &answer) {
            (StoreOp::Watch { after }, _) => self.watch(conn, *after, ctx),
            (StoreOp::LeaseGrant { .. }, Ok(StoreAnswer::Lease { lease, ttl })) => {
                ctx.note(Note::LeaseGranted {
                    lease: *lease,
                    ttl: *ttl,
                });
            }
            (StoreOp::LeaseKeepAlive { .. }, Ok(StoreAnswer::Lease { lease, .. })) => {
                ctx.note(Note::LeaseRenewed { lease: *lease });
            }
            (StoreOp::LeaseRevoke { lease }, _) => ctx.note(Note::LeaseRevoked { lease: *lease }),
            (StoreOp::Txn(_), Ok(StoreAnswer::Txn { succeeded: false, .. })) if changes.is_empty() => {
                ctx.note(Note::CreateRefused { key: Key::Leader });
            }
            _ => {}
        }
        self.tell(changes, ctx);
        self.reply(conn, request, answer, ctx);
    }

    /// Notes changes of keys and sends them to every watcher.
    fn tell(&mut self, changes: Vec<WatchEvent>, ctx: &mut Ctx<'_, Words>) {
        if changes.is_empty() {
            return;
        }
        for change in &changes {
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

    /// Begins to watch: first what happened since the watcher's own reading, then everything new.
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
        let revision: Revision = self.kv.revision();
        let message = Message::StoreReply {
            request,
            revision,
            answer,
        };
        let after = ctx.sample(DRAW_GATEWAY, &GATEWAY);
        let number = self.next_reply;
        self.next_reply = self.next_reply.wrapping_add(1).max(FIRST_REPLY);
        self.replies.insert(number, (conn, message));
        ctx.set_timer(TimerKey(number), after);
    }
}

impl Actor<Words> for Store {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match input {
            Input::Start => self.start(ctx),
            Input::Timer(TICK) => {
                self.expire(ctx);
                ctx.set_timer(TICK, EXPIRY_TICK);
            }
            Input::Timer(TimerKey(number)) => {
                if let Some((conn, message)) = self.replies.remove(&number) {
                    ctx.send(conn, message);
                }
            }
            Input::DiskDone(_) => self.durable(ctx),
            Input::Message(conn, Message::Store { request, op }) => self.receive(conn, request, op, ctx),
            Input::Ended(conn, _) => self.watchers.retain(|&watcher| watcher != conn),
            Input::Message(..) | Input::Opened(_) | Input::Accepted(..) | Input::Signal(_) => {}
        }
    }
}
