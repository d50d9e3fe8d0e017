//! A worker: asks for the leadership, renews it, and does its jobs while it takes itself for the holder.
//!
//! ```text
//!        asks, is granted                 its own count is over, renewal refused, session over
//! Idle ------------------> Holding(token, until) ------------------------------------------> Idle
//!  ^  |                        | ^
//!  +--+ refused: asks again    +-+ renewed: until = sent (or received) + ttl
//! ```
//!
//! `until` counts from the sending of the request (safe whatever the delay) or from the receipt of the answer (a slow answer
//! eats the margin), on the worker's own monotonic clock (protocols.md 0.7). The lock of a session has no `until`: the worker
//! holds it until it learns that the session is over.

mod work;

use super::job::{Job, UnderWay};
use crate::engine::{Actor, ConnId, Ctx, Input, MonoTime, ProcId, Span, TimerKey};
use crate::vocabulary::{Ask, Grant, LeaseMessage, LeaseNote, Loss, Message, Note, Token, Words};

const ASK: TimerKey = TimerKey(0);
const RENEW: TimerKey = TimerKey(1);
const UNTIL: TimerKey = TimerKey(2);
const PATIENCE: TimerKey = TimerKey(3);
const RELEASE: TimerKey = TimerKey(4);
/// Of job `n`: these and `n`. There are fewer than a thousand.
const CHECKS: u32 = 1_000;
const WRITES: u32 = 2_000;
const REPEATS: u32 = 3_000;

/// From which instant a worker counts its lease.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CountsFrom {
    /// The request's sending: never later than the grantor does.
    #[default]
    Send,
    /// The answer's receipt.
    Receipt,
}

/// How a worker behaves.
#[derive(Clone, Debug)]
pub struct WorkerConfig {
    pub grantor: ProcId,
    /// Which of the grantor's locks.
    pub lock: u64,
    /// When it first asks, after its start; none: never.
    pub asks_after: Option<Span>,
    /// Between a refusal, or the end of a lease, and the next try.
    pub asks_every: Span,
    pub renews_every: Option<Span>,
    /// How long it waits for the answer to a renewal before it gives the session up.
    pub patience: Option<Span>,
    /// It gives the leadership back so long after the grant.
    pub holds_for: Option<Span>,
    pub counts_from: CountsFrom,
    /// Its token and the length of its lease when the run begins with it as the holder.
    pub holds: Option<(Option<Token>, Option<Span>)>,
    /// Its leadership ends with the session.
    pub by_session: bool,
    /// Before anything else it raises the fences of this resource to its token.
    pub stamps: Option<ProcId>,
    pub jobs: Vec<Job>,
}

#[derive(Clone, Debug)]
pub struct Worker {
    config: WorkerConfig,
    started: bool,
    grantor: Option<ConnId>,
    open: bool,
    /// While it takes itself for the holder.
    holds: Option<Option<Token>>,
    /// The question that waits for its answer or for a connection, and when it was sent.
    question: Option<(u32, Ask, MonoTime)>,
    request: u32,
    under_way: Vec<UnderWay>,
}

impl Worker {
    pub fn new(config: WorkerConfig) -> Worker {
        Worker {
            config,
            started: false,
            grantor: None,
            open: false,
            holds: None,
            question: None,
            request: 0,
            under_way: Vec::new(),
        }
    }

    fn start(&mut self, ctx: &mut Ctx<'_, Words>) {
        let again = self.started;
        *self = Worker::new(self.config.clone());
        self.started = true;
        if let Some((token, ttl)) = self.config.holds.filter(|_| !again) {
            self.hold(token, ttl, ctx.mono(), false, ctx);
        } else if let Some(after) = self.config.asks_after {
            ctx.set_timer(ASK, after);
        }
    }

    // --- who grants

    fn dial(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.grantor = Some(ctx.open(self.config.grantor));
        self.open = false;
    }

    /// Asks at once, or as soon as there is a connection.
    fn ask(&mut self, ask: Ask, ctx: &mut Ctx<'_, Words>) {
        self.request = self.request.wrapping_add(1);
        self.question = Some((self.request, ask, ctx.mono()));
        match self.grantor.filter(|_| self.open) {
            Some(conn) => self.send_question(conn, ctx),
            None if self.grantor.is_none() => self.dial(ctx),
            None => {}
        }
    }

    fn send_question(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Words>) {
        if let Some((request, ask, sent)) = &mut self.question {
            *sent = ctx.mono();
            let (request, ask) = (*request, *ask);
            ctx.send(conn, Message::Lease(LeaseMessage::Ask { request, ask }));
        }
    }

    fn ask_to_hold(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.holds.is_none() {
            let lock = self.config.lock;
            self.ask(Ask::Acquire { lock }, ctx);
        }
    }

    fn ask_to_stay(&mut self, ctx: &mut Ctx<'_, Words>) {
        let (Some(token), Some(every)) = (self.holds, self.config.renews_every) else {
            return;
        };
        ctx.set_timer(RENEW, every);
        if self.question.is_some() {
            return; // still waiting for the answer to the last one
        }
        self.ask(Ask::Renew { token }, ctx);
        if let Some(patience) = self.config.patience {
            let conns: Vec<ConnId> = self.grantor.into_iter().collect();
            ctx.set_timeout(PATIENCE, patience, &conns);
        }
    }

    fn answered(&mut self, request: u32, grant: Grant, ctx: &mut Ctx<'_, Words>) {
        let Some((_, ask, sent)) = self.question.filter(|(asked, ..)| *asked == request) else {
            return;
        };
        self.question = None;
        ctx.cancel_timer(PATIENCE);
        let from = match self.config.counts_from {
            CountsFrom::Send => sent,
            CountsFrom::Receipt => ctx.mono(),
        };
        match (grant, ask) {
            (Grant::Granted { token, ttl }, _) => self.hold(token, ttl, from, true, ctx),
            (Grant::Renewed { ttl: Some(ttl) }, _) if self.holds.is_some() => {
                let span = (from + ttl).since(ctx.mono());
                ctx.note(Note::Lease(LeaseNote::Extends { span }));
                ctx.set_timer(UNTIL, span);
            }
            (Grant::Refused, Ask::Renew { .. }) => self.lose(Loss::Refused, ctx),
            (Grant::Refused, _) => ctx.set_timer(ASK, self.config.asks_every),
            (Grant::Renewed { .. } | Grant::Released, _) => {}
        }
    }

    /// The connection to who grants is over.
    fn hung_up(&mut self, why: Loss, ctx: &mut Ctx<'_, Words>) {
        self.grantor = None;
        self.open = false;
        self.question = None;
        ctx.cancel_timer(PATIENCE);
        if self.config.by_session {
            self.lose(why, ctx);
        }
        if self.holds.is_none() && self.config.asks_after.is_some() {
            ctx.set_timer(ASK, self.config.asks_every);
        }
    }

    fn out_of_patience(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let Some(conn) = self.grantor {
            ctx.close(conn);
        }
        self.hung_up(Loss::Silence, ctx);
    }

    // --- holding

    /// `fresh`: it was granted now, not before the run began; then its stamp would be old as well.
    fn hold(&mut self, token: Option<Token>, ttl: Option<Span>, from: MonoTime, fresh: bool, ctx: &mut Ctx<'_, Words>) {
        let span = ttl.map(|ttl| (from + ttl).since(ctx.mono()));
        self.holds = Some(token);
        ctx.note(Note::Lease(LeaseNote::Holds { token, span }));
        if let Some(span) = span {
            ctx.set_timer(UNTIL, span);
        }
        if let Some(every) = self.config.renews_every {
            ctx.set_timer(RENEW, every);
        }
        if let Some(after) = self.config.holds_for {
            ctx.set_timer(RELEASE, after);
        }
        if fresh && self.config.stamps.is_some() {
            self.begin(None, token, true, ctx);
        }
        for n in 0..self.config.jobs.len() {
            let Job { after, check, .. } = self.config.jobs[n];
            if let Some(check) = check {
                ctx.set_timer(TimerKey(CHECKS + n as u32), check.after());
            }
            ctx.set_timer(TimerKey(WRITES + n as u32), after);
        }
    }

    fn lose(&mut self, why: Loss, ctx: &mut Ctx<'_, Words>) {
        let Some(token) = self.holds.take() else { return };
        ctx.note(Note::Lease(LeaseNote::Loses { token, why }));
        self.stop(ctx);
        if self.config.asks_after.is_some() {
            ctx.set_timer(ASK, self.config.asks_every);
        }
    }

    fn release(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let Some(token) = self.holds.take() {
            let why = Loss::GaveBack;
            ctx.note(Note::Lease(LeaseNote::Loses { token, why }));
            self.stop(ctx);
            self.ask(Ask::Release { token }, ctx);
        }
    }

    /// Begins nothing more. What has begun goes on.
    fn stop(&mut self, ctx: &mut Ctx<'_, Words>) {
        for timer in [UNTIL, RENEW, RELEASE] {
            ctx.cancel_timer(timer);
        }
        for n in 0..self.config.jobs.len() {
            ctx.cancel_timer(TimerKey(CHECKS + n as u32));
            if !self.under_way.iter().any(|job| job.job == Some(n)) {
                ctx.cancel_timer(TimerKey(WRITES + n as u32));
            }
        }
    }

    fn message(&mut self, message: LeaseMessage, ctx: &mut Ctx<'_, Words>) {
        match message {
            LeaseMessage::Answer { request, grant } => self.answered(request, grant, ctx),
            LeaseMessage::Guarded { request, holds } => self.guarded(request, holds, ctx),
            LeaseMessage::Done { request, answer } => self.done(request, answer, ctx),
            _ => {}
        }
    }

    fn timer(&mut self, key: TimerKey, ctx: &mut Ctx<'_, Words>) {
        let jobs = self.config.jobs.len() as u32;
        let of = |first: u32| (first..first + jobs).contains(&key.0).then(|| (key.0 - first) as usize);
        if let Some(n) = of(CHECKS) {
            self.check(n, ctx);
        } else if let Some(n) = of(WRITES) {
            self.write(n, ctx);
        } else if let Some(n) = of(REPEATS) {
            self.repeat(n, ctx);
        }
    }
}

impl Actor<Words> for Worker {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match input {
            Input::Start => self.start(ctx),
            Input::Timer(ASK) => self.ask_to_hold(ctx),
            Input::Timer(RENEW) => self.ask_to_stay(ctx),
            Input::Timer(UNTIL) => self.lose(Loss::Expired, ctx),
            Input::Timer(PATIENCE) => self.out_of_patience(ctx),
            Input::Timer(RELEASE) => self.release(ctx),
            Input::Timer(key) => self.timer(key, ctx),
            Input::Opened(conn) if self.grantor == Some(conn) => {
                self.open = true;
                self.send_question(conn, ctx);
            }
            Input::Opened(conn) => self.opened(conn, ctx),
            Input::Ended(conn, _) if self.grantor == Some(conn) => {
                self.under_way.retain(|job| job.conn != conn);
                self.hung_up(Loss::SessionEnded, ctx);
            }
            Input::Ended(conn, _) => self.under_way.retain(|job| job.conn != conn),
            Input::Message(_, Message::Lease(message)) => self.message(message, ctx),
            _ => {}
        }
    }
}
