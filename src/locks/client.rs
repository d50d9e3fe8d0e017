//! A client that queues for the lock, as an actor: one session with one lease, one try to get the lock.
//!
//! ```text
//!                      mine is the lowest
//! Granting -> Putting ---------------------------------------------> Holding -> Over
//!                |                             both are there          ^
//!                +--> Listing --none before me--> Checking -------------+
//!                      ^  |                          | one is gone
//!                      |  v one before me            +--------------> Over
//!                      Waiting (until its key is deleted)
//! ```
//!
//! - `Granting`: a lease for the session. Its keep-alives begin as soon as it is there.
//! - `Putting`: the key `/lock/<lease>`, unless it exists; whoever has the lowest create revision has the lock.
//! - `Listing`, `Waiting`: the last of the keys created before mine is waited for, then the queue is read again
//!   (`waitDeletes`).
//! - `Checking`: whether my own key and my session are still there. My lease may have run out while I waited (etcd#11456).
//! - `Holding`: until the session ends. Nothing wakes a client that does not look at its own session.
//!
//! A session that ends does not end the wait: only the check finds out. A connection that breaks is opened again after
//! 500 ms, at the next server, and what was under way is asked again there.
//!
//! Sources: etcd client/v3/lease.go, client/v3/concurrency/{session,mutex,key}.go; protocols.md 3(a).

use super::LockConfig;
use super::keep_alive::{KeepAlive, LOOK, RETRY};
use crate::engine::{Actor, ConnId, Ctx, Input, TimerKey};
use crate::vocabulary::{
    Compare, Item, Key, Keys, LeaseId, LockNote, Message, Note, Reading, Revision, SessionEnd, StoreAnswer, StoreOp,
    Txn, Value, WatchEvent, Words,
};

const BEGIN: TimerKey = TimerKey(0);
const SENDER: TimerKey = TimerKey(1);
const DEADLINE: TimerKey = TimerKey(2);
const REDIAL: TimerKey = TimerKey(3);
const WORK: TimerKey = TimerKey(4);
const RELEASE: TimerKey = TimerKey(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Off,
    Granting,
    Putting,
    Listing,
    Waiting { on: LeaseId },
    Checking,
    Holding,
    Over,
}

#[derive(Clone, Debug)]
pub struct LockClient {
    config: LockConfig,
    server: usize,
    conn: Option<ConnId>,
    established: bool,
    stage: Stage,
    lease: Option<LeaseId>,
    session: Option<KeepAlive>,
    /// The revision that created my key, and the newest that I know.
    token: Revision,
    revision: Revision,
    next_request: u32,
    /// The request of the present stage.
    request: u32,
}

impl LockClient {
    pub fn new(config: LockConfig) -> LockClient {
        LockClient {
            config,
            server: 0,
            conn: None,
            established: false,
            stage: Stage::Off,
            lease: None,
            session: None,
            token: Revision(0),
            revision: Revision(0),
            next_request: 0,
            request: 0,
        }
    }

    fn start(&mut self, ctx: &mut Ctx<'_, Words>) {
        let lease = self.lease.filter(|_| self.config.keeps_lease);
        *self = LockClient {
            lease,
            ..LockClient::new(self.config.clone())
        };
        ctx.set_timer(BEGIN, self.config.begins_after);
    }

    fn begin(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.lease.is_some() {
            self.stage = Stage::Putting;
            self.begin_session(ctx);
        } else {
            self.stage = Stage::Granting;
        }
        self.dial(ctx);
    }

    // --- the connection

    fn dial(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.conn = Some(ctx.open(self.config.servers[self.server]));
        self.established = false;
    }

    fn opened(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.established = true;
        self.ask(ctx);
        if self.session.is_some() {
            self.send_keep_alive(ctx);
        }
    }

    fn lost(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.conn = None;
        self.server = (self.server + 1) % self.config.servers.len();
        ctx.set_timer(REDIAL, RETRY);
    }

    fn send(&mut self, op: StoreOp, ctx: &mut Ctx<'_, Words>) -> u32 {
        self.next_request = self.next_request.wrapping_add(1);
        let request = self.next_request;
        if let Some(conn) = self.conn.filter(|_| self.established) {
            ctx.send(conn, Message::Store { request, op });
        }
        request
    }

    // --- the session

    fn begin_session(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.session = Some(KeepAlive::begun(ctx.mono()));
        ctx.set_timer(DEADLINE, LOOK.saturating_sub(self.config.deadline_phase));
        self.send_keep_alive(ctx);
    }

    fn send_keep_alive(&mut self, ctx: &mut Ctx<'_, Words>) {
        let (Some(session), Some(lease)) = (self.session, self.lease) else {
            return;
        };
        if session.is_due(ctx.mono()) {
            self.send(StoreOp::LeaseKeepAlive { lease }, ctx);
        }
        ctx.set_timer(SENDER, RETRY);
    }

    fn kept_alive(&mut self, answer: &StoreAnswer, ctx: &mut Ctx<'_, Words>) {
        match (answer, &mut self.session) {
            (StoreAnswer::Lease { ttl, .. }, Some(session)) => session.answered(*ttl, ctx.mono()),
            (StoreAnswer::LeaseGone, Some(_)) => self.end_session(SessionEnd::LeaseGone, ctx),
            _ => {}
        }
    }

    fn look_at_deadline(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let Some(session) = self.session {
            if session.is_over(ctx.mono()) {
                self.end_session(SessionEnd::Silence, ctx);
            } else {
                ctx.set_timer(DEADLINE, LOOK);
            }
        }
    }

    fn end_session(&mut self, why: SessionEnd, ctx: &mut Ctx<'_, Words>) {
        self.session = None;
        ctx.note(Note::Lock(LockNote::SessionEnds(why)));
        if self.stage == Stage::Holding {
            self.stage = Stage::Over;
        }
    }

    // --- the lock

    fn go(&mut self, stage: Stage, ctx: &mut Ctx<'_, Words>) {
        self.stage = stage;
        self.ask(ctx);
    }

    /// Sends the request of the present stage.
    fn ask(&mut self, ctx: &mut Ctx<'_, Words>) {
        let read = |keys| StoreOp::Range {
            keys,
            reading: Reading::Linearizable,
        };
        let op = match (self.stage, self.lease) {
            (Stage::Granting, _) => StoreOp::LeaseGrant { ttl: self.config.ttl },
            (Stage::Putting, Some(lease)) => take_place(lease),
            (Stage::Listing, _) => read(Keys::Locks),
            (Stage::Waiting { .. }, _) => StoreOp::Watch { after: self.revision },
            (Stage::Checking, Some(lease)) => read(Keys::One(Key::Lock(lease))),
            _ => return,
        };
        self.request = self.send(op, ctx);
    }

    fn answered(&mut self, revision: Revision, answer: &StoreAnswer, ctx: &mut Ctx<'_, Words>) {
        match (self.stage, answer) {
            (Stage::Granting, StoreAnswer::Lease { lease, .. }) => {
                self.lease = Some(*lease);
                self.begin_session(ctx);
                self.go(Stage::Putting, ctx);
            }
            (Stage::Putting, StoreAnswer::Txn { inner, .. }) => self.took_place(revision, inner, ctx),
            (Stage::Listing, StoreAnswer::Items(queue)) => self.listed(revision, queue, ctx),
            // etcd's `Lock` does not ask whether the session is over; whoever waits for its end learns so at once.
            (Stage::Checking, StoreAnswer::Items(mine)) if mine.is_empty() || self.session.is_none() => {
                self.stage = Stage::Over;
                ctx.note(Note::Lock(LockNote::Refused));
            }
            (Stage::Checking, StoreAnswer::Items(_)) => self.enter(ctx),
            (Stage::Holding, StoreAnswer::Txn { succeeded, .. }) => {
                ctx.note(Note::Lock(LockNote::IsOwner { yes: *succeeded }));
            }
            _ => {}
        }
    }

    /// Either branch of the transaction ends with the queue; the second finds the key of an earlier try.
    fn took_place(&mut self, revision: Revision, inner: &[StoreAnswer], ctx: &mut Ctx<'_, Words>) {
        let Some(StoreAnswer::Items(queue)) = inner.last() else {
            return;
        };
        let mine = queue.iter().find(|item| self.is_mine(item.key));
        self.token = mine.map_or(revision, |item| item.create);
        let lowest = queue.iter().min_by_key(|item| item.create);
        if lowest.is_none_or(|item| item.create == self.token) {
            self.enter(ctx);
        } else {
            self.go(Stage::Listing, ctx);
        }
    }

    fn is_mine(&self, key: Key) -> bool {
        self.lease.is_some_and(|lease| key == Key::Lock(lease))
    }

    fn listed(&mut self, revision: Revision, queue: &[Item], ctx: &mut Ctx<'_, Words>) {
        self.revision = revision;
        let before_me = queue.iter().filter(|item| item.create < self.token);
        let Some(Key::Lock(on)) = before_me.max_by_key(|item| item.create).map(|item| item.key) else {
            return if self.config.bugs.enters_without_a_look {
                self.enter(ctx)
            } else {
                self.go(Stage::Checking, ctx)
            };
        };
        ctx.note(Note::Lock(LockNote::Waits { on }));
        self.go(Stage::Waiting { on }, ctx);
    }

    fn news(&mut self, revision: Revision, events: &[WatchEvent], ctx: &mut Ctx<'_, Words>) {
        if revision <= self.revision {
            return; // of a member that lags behind what I have read
        }
        self.revision = revision;
        let Stage::Waiting { on } = self.stage else { return };
        let goes = |event: &WatchEvent| matches!(event, WatchEvent::Delete { key, .. } if *key == Key::Lock(on));
        if events.iter().any(goes) {
            ctx.note(Note::Lock(LockNote::Hears { gone: on }));
            self.go(Stage::Listing, ctx);
        }
    }

    fn enter(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.stage = Stage::Holding;
        ctx.note(Note::Lock(LockNote::Enters { token: self.token }));
        if let Some(every) = self.config.asks_every {
            ctx.set_timer(WORK, every);
        }
        if let Some(after) = self.config.holds_for {
            ctx.set_timer(RELEASE, after);
        }
    }

    /// `IsOwner`: what a guarded write would put into its own transaction.
    fn ask_whether_owner(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let (Stage::Holding, Some(lease), Some(every)) = (self.stage, self.lease, self.config.asks_every) {
            let is_owner = Txn {
                when: vec![Compare::CreatedAt(Key::Lock(lease), self.token)],
                then: Vec::new(),
                or_else: Vec::new(),
            };
            self.request = self.send(StoreOp::Txn(Box::new(is_owner)), ctx);
            ctx.set_timer(WORK, every);
        }
    }

    fn release(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let (Stage::Holding, Some(lease)) = (self.stage, self.lease) {
            self.stage = Stage::Over;
            ctx.note(Note::Lock(LockNote::Releases));
            let key = Key::Lock(lease);
            self.send(StoreOp::Delete { key }, ctx);
        }
    }

    fn message(&mut self, message: &Message, ctx: &mut Ctx<'_, Words>) {
        match message {
            Message::StoreReply {
                request,
                revision,
                answer: Ok(answer),
                ..
            } if *request == self.request => self.answered(*revision, answer, ctx),
            Message::StoreReply { answer: Ok(answer), .. } => self.kept_alive(answer, ctx),
            // Its lease is gone before its key was there.
            Message::StoreReply { answer: Err(_), .. } => {
                self.stage = Stage::Over;
                ctx.note(Note::Lock(LockNote::Refused));
            }
            Message::WatchEvents { revision, events, .. } => self.news(*revision, events, ctx),
            _ => {}
        }
    }
}

/// The place in the queue, under the session's lease, and the queue as it is then (mutex.go, `tryAcquire`; there only its
/// first key is read).
fn take_place(lease: LeaseId) -> StoreOp {
    let key = Key::Lock(lease);
    let queue = StoreOp::Range {
        keys: Keys::Locks,
        reading: Reading::Linearizable,
    };
    let put = StoreOp::Put {
        key,
        value: Value::Empty,
        lease: Some(lease),
    };
    StoreOp::Txn(Box::new(Txn {
        when: vec![Compare::Absent(key)],
        then: vec![put, queue.clone()],
        or_else: vec![queue],
    }))
}

impl Actor<Words> for LockClient {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match input {
            Input::Start => self.start(ctx),
            Input::Timer(BEGIN) => self.begin(ctx),
            Input::Timer(SENDER) => self.send_keep_alive(ctx),
            Input::Timer(DEADLINE) => self.look_at_deadline(ctx),
            Input::Timer(REDIAL) => self.dial(ctx),
            Input::Timer(WORK) => self.ask_whether_owner(ctx),
            Input::Timer(RELEASE) => self.release(ctx),
            Input::Opened(conn) if self.conn == Some(conn) => self.opened(ctx),
            Input::Ended(conn, _) if self.conn == Some(conn) => self.lost(ctx),
            Input::Message(conn, message) if self.conn == Some(conn) => self.message(&message, ctx),
            _ => {}
        }
    }
}
