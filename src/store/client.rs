//! One request at a time, as Patroni's etcd client makes it (patroni.md 3.6, 4.1, 4.7).
//!
//! ```text
//!            list too old, or last reload failed          answered
//! begin ---> Refreshing ------------------------> Trying ----------> Done
//!                                                  |  ^ all tries failed
//!                                                  v  | pause over
//!                          Unreachable <----- Reloading --> Pausing
//!                          (no time left, or the call is not retried)
//! ```
//!
//! - `Refreshing`: before the request the list of members is asked for again, outside the time budget.
//! - An answer of a member that has missed an election is no answer ([`TermGuard`]): the next server is tried.
//! - `Trying`: the request itself, at one server after the other, beginning with the one that answered last; each try has
//!   its own time-outs, shorter for connecting than for the whole.
//! - `Reloading`: when every try failed the list is asked for once more, *before* the remaining time is looked at. It is
//!   the part that the manual's arithmetic leaves out: with mute servers it takes another `retry_timeout`.
//! - `Pausing`: 0.1 s doubling to 1 s, plus up to 0.8 s of jitter.

use super::TermGuard;
use super::round::{LEAST_TRY, Round};
use crate::costs::store::NEXT_TRY;
use crate::engine::{ConnId, Ctx, Draw, Ended, Input, MonoTime, ProcId, Span, TimerKey};
use crate::vocabulary::{Message, Revision, StoreAnswer, StoreError, StoreOp, Words};

/// The list of members is refreshed when it is older than this many times ttl.
const REFRESH_AFTER_TTLS: u64 = 10;
const PAUSE_FIRST: Span = Span::from_millis(100);
const PAUSE_MAX: Span = Span::from_secs(1);
/// Jitter in steps of 10 ms, up to 0.8 s.
const JITTER_STEPS: u64 = 81;
const JITTER_STEP: Span = Span::from_millis(10);

/// Whether a failed request is repeated until `retry_timeout`, or given up after one server has not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    Retried,
    Once,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    Answered(Result<StoreAnswer, StoreError>),
    Unreachable,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Refreshing,
    Trying,
    Reloading,
    Pausing,
}

#[derive(Clone, Debug)]
struct Call {
    op: StoreOp,
    kind: CallKind,
    stage: Stage,
    round: Round,
    /// Servers of this round that have failed, and tries at the present one.
    failed: usize,
    tried: u64,
    try_began: MonoTime,
    /// Its time is over; the next try begins in a moment.
    giving_up: bool,
    deadline: MonoTime,
    pause: Span,
    /// No round of the request itself yet: the first has the whole time, however long a refresh took before it.
    fresh: bool,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    conn: ConnId,
    established: bool,
}

/// The client of one thread: one connection, at most one request under way.
#[derive(Clone, Debug)]
pub struct Client {
    servers: Vec<ProcId>,
    /// The server that answered last: the next request begins there.
    current: usize,
    timer: TimerKey,
    jitter: Draw,
    ttl: Span,
    retry_timeout: Span,
    link: Option<Link>,
    call: Option<Call>,
    request: u32,
    /// Of the store when it answered last.
    revision: Revision,
    list_read: MonoTime,
    list_doubtful: bool,
    guard: TermGuard,
    /// An error that it does not know is a reason to try the next server, not an answer.
    retries_unknown_errors: bool,
}

impl Client {
    /// `timer` and `jitter` are this client's own among those of its actor.
    pub fn new(
        servers: Vec<ProcId>,
        ttl: Span,
        retry_timeout: Span,
        timer: TimerKey,
        jitter: Draw,
        guard: TermGuard,
    ) -> Client {
        Client {
            servers,
            current: 0,
            timer,
            jitter,
            ttl,
            retry_timeout,
            link: None,
            call: None,
            request: 0,
            revision: Revision(0),
            list_read: MonoTime::ZERO,
            list_doubtful: false,
            guard,
            retries_unknown_errors: false,
        }
    }

    /// Takes an error that it does not know for a reason to try the next server.
    #[must_use]
    pub fn retrying_unknown_errors(self, retries: bool) -> Client {
        Client {
            retries_unknown_errors: retries,
            ..self
        }
    }

    /// From the next request on.
    pub fn retime(&mut self, ttl: Span, retry_timeout: Span) {
        (self.ttl, self.retry_timeout) = (ttl, retry_timeout);
    }

    /// What this client's process knows of the store's terms.
    pub fn guard(&mut self) -> &mut TermGuard {
        &mut self.guard
    }

    /// The server that answered last.
    pub fn server(&self) -> ProcId {
        self.servers[self.current]
    }

    /// The store's revision in the last answer: after a write, that of the write.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Begins with another server: each client chooses its first by chance.
    pub fn start_with(&mut self, server: usize) {
        self.current = server % self.servers.len();
    }

    pub fn begin(&mut self, op: StoreOp, kind: CallKind, ctx: &mut Ctx<'_, Words>) {
        let list_old = ctx.mono().since(self.list_read) > self.ttl * REFRESH_AFTER_TTLS;
        let stage = if self.list_doubtful || list_old {
            Stage::Refreshing
        } else {
            Stage::Trying
        };
        self.call = Some(Call {
            op,
            kind,
            stage,
            round: Round::within(self.retry_timeout, self.servers.len()),
            failed: 0,
            tried: 0,
            try_began: ctx.mono(),
            giving_up: false,
            deadline: ctx.mono() + self.retry_timeout,
            pause: PAUSE_FIRST,
            fresh: true,
        });
        self.enter(stage, ctx);
    }

    /// Whether an input is for this client.
    pub fn is_mine(&self, input: &Input<Words>) -> bool {
        match input {
            Input::Opened(conn) | Input::Message(conn, _) | Input::Ended(conn, _) => {
                self.link.is_some_and(|link| link.conn == *conn)
            }
            Input::Timer(key) => *key == self.timer,
            _ => false,
        }
    }

    /// Offers an input. `None`: it was not ours, or the call goes on.
    pub fn handle(&mut self, input: &Input<Words>, ctx: &mut Ctx<'_, Words>) -> Option<CallOutcome> {
        let ours = |conn: ConnId| self.link.is_some_and(|link| link.conn == conn);
        match input {
            // What comes while the try is being given up comes too late.
            Input::Opened(conn) | Input::Message(conn, _) if ours(*conn) && self.is_giving_up() => None,
            Input::Opened(conn) if ours(*conn) => {
                self.link = Some(Link {
                    conn: *conn,
                    established: true,
                });
                self.send(*conn, ctx);
                None
            }
            Input::Ended(conn, how) if ours(*conn) => {
                self.link = None;
                ctx.cancel_timer(self.timer);
                self.call.as_ref()?;
                // A connection that the server had closed meanwhile is no failed try: it is opened again.
                if *how == Ended::Closed {
                    self.try_once(ctx)
                } else {
                    self.try_failed(ctx)
                }
            }
            Input::Message(
                conn,
                Message::StoreReply {
                    request,
                    revision,
                    term,
                    answer,
                },
            ) if ours(*conn) => {
                if *request != self.request || self.call.is_none() {
                    return None; // the answer to a request that was given up
                }
                ctx.cancel_timer(self.timer);
                if !self.guard.admits(*term) {
                    self.hang_up(ctx);
                    return self.try_failed(ctx);
                }
                self.revision = *revision;
                if self.retries_unknown_errors && *answer == Err(StoreError::Unknown) {
                    self.hang_up(ctx);
                    return self.try_failed(ctx);
                }
                self.answered(answer.clone(), ctx)
            }
            Input::Timer(key) if *key == self.timer => match self.call.as_ref()?.stage {
                Stage::Pausing => self.enter(Stage::Trying, ctx),
                _ if self.is_giving_up() => {
                    self.hang_up(ctx);
                    self.try_failed(ctx)
                }
                _ => {
                    let after = ctx.sample(self.jitter, &NEXT_TRY);
                    self.call.as_mut()?.giving_up = true;
                    let conns: Vec<ConnId> = self.link.iter().map(|link| link.conn).collect();
                    ctx.set_timeout(self.timer, after, &conns);
                    None
                }
            },
            _ => None,
        }
    }

    /// Forgets the connection and whatever is under way, as the death of the process would. A new process reads the list
    /// as it starts.
    pub fn reset(&mut self, now: MonoTime) {
        self.link = None;
        self.call = None;
        self.list_doubtful = false;
        self.list_read = now;
        self.guard.reset();
    }

    fn is_giving_up(&self) -> bool {
        self.call.as_ref().is_some_and(|call| call.giving_up)
    }

    fn hang_up(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let Some(link) = self.link.take() {
            ctx.close(link.conn);
        }
    }

    fn enter(&mut self, stage: Stage, ctx: &mut Ctx<'_, Words>) -> Option<CallOutcome> {
        let (now, servers) = (ctx.mono(), self.servers.len());
        let whole_round = Round::within(self.retry_timeout, servers);
        let call = self.call.as_mut()?;
        call.stage = stage;
        (call.failed, call.tried) = (0, 0);
        call.round = match (stage, call.kind) {
            // One server, one time-out; only a single server is tried again and again.
            (Stage::Trying, CallKind::Once) if servers > 1 => Round {
                servers: 1,
                tries_each: 1,
                ..whole_round
            },
            (Stage::Trying | Stage::Pausing, _) if !std::mem::take(&mut call.fresh) => {
                Round::within(call.deadline.since(now), servers)
            }
            _ => whole_round,
        };
        self.try_once(ctx)
    }

    fn try_once(&mut self, ctx: &mut Ctx<'_, Words>) -> Option<CallOutcome> {
        let call = self.call.as_mut()?;
        (call.try_began, call.giving_up) = (ctx.mono(), false);
        let (round, server) = (call.round, (self.current + call.failed) % self.servers.len());
        match self.link {
            Some(Link {
                conn,
                established: true,
            }) => self.send(conn, ctx),
            _ => {
                let conn = ctx.open(self.servers[server]);
                self.link = Some(Link {
                    conn,
                    established: false,
                });
                ctx.set_timeout(self.timer, round.connect, &[conn]);
            }
        }
        None
    }

    fn send(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Words>) {
        let Some(call) = &self.call else { return };
        let op = match call.stage {
            Stage::Refreshing | Stage::Reloading => StoreOp::Members,
            Stage::Trying | Stage::Pausing => call.op.clone(),
        };
        self.request = self.request.wrapping_add(1);
        // urllib3 sends head and body one after the other, and etcd's gateway answers only to both.
        ctx.send_in_two(
            conn,
            Message::Store {
                request: self.request,
                op,
            },
        );
        // What connecting took is part of the whole.
        let left = call.round.whole.saturating_sub(ctx.mono().since(call.try_began));
        ctx.set_timeout(self.timer, left, &[conn]);
    }

    fn try_failed(&mut self, ctx: &mut Ctx<'_, Words>) -> Option<CallOutcome> {
        let call = self.call.as_mut()?;
        call.tried += 1;
        if call.tried >= call.round.tries_each {
            (call.failed, call.tried) = (call.failed + 1, 0);
        }
        if call.failed < call.round.servers {
            return self.try_once(ctx);
        }
        match call.stage {
            Stage::Refreshing => {
                self.list_doubtful = true;
                self.enter(Stage::Trying, ctx)
            }
            Stage::Trying | Stage::Pausing if call.kind == CallKind::Once => self.give_up(),
            Stage::Trying | Stage::Pausing => self.enter(Stage::Reloading, ctx),
            Stage::Reloading => {
                self.list_doubtful = true;
                self.pause_or_give_up(ctx)
            }
        }
    }

    fn answered(&mut self, answer: Result<StoreAnswer, StoreError>, ctx: &mut Ctx<'_, Words>) -> Option<CallOutcome> {
        let call = self.call.as_mut()?;
        self.current = (self.current + std::mem::take(&mut call.failed)) % self.servers.len();
        match call.stage {
            Stage::Trying | Stage::Pausing => {
                self.call = None;
                Some(CallOutcome::Answered(answer))
            }
            stage @ (Stage::Refreshing | Stage::Reloading) => {
                self.list_read = ctx.mono();
                self.list_doubtful = false;
                if stage == Stage::Refreshing {
                    self.enter(Stage::Trying, ctx)
                } else {
                    self.pause_or_give_up(ctx)
                }
            }
        }
    }

    /// After a failed round: again, if after the pause there is time for at least one try.
    fn pause_or_give_up(&mut self, ctx: &mut Ctx<'_, Words>) -> Option<CallOutcome> {
        let jitter = JITTER_STEP * ctx.below(self.jitter, JITTER_STEPS);
        let now = ctx.mono();
        let call = self.call.as_mut()?;
        let pause = call.pause + jitter;
        if call.deadline.since(now + pause) < LEAST_TRY {
            return self.give_up();
        }
        call.pause = (call.pause * 2).min(PAUSE_MAX);
        call.stage = Stage::Pausing;
        ctx.set_timer(self.timer, pause);
        None
    }

    fn give_up(&mut self) -> Option<CallOutcome> {
        self.call = None;
        Some(CallOutcome::Unreachable)
    }
}
