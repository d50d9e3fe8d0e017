//! A lease service: one lease, and a token that is one higher with every grant.
//!
//! ```text
//!          acquire, nobody holds it or its time is over: token + 1, expiry = now + ttl
//! Free ---------------------------------------------------------------------------------> Held(worker, token, expiry)
//!   ^                                                                                      |   ^  | renew, same token, in time
//!   +-- expiry (nobody has to ask), release with the same token ---------------------------+   +--+ expiry = now + ttl
//! ```
//!
//! The service counts on its own monotonic clock. It takes nothing away from a holder: whoever held it is not told, and may
//! believe for longer (protocols.md 1(d)). The lease is valid while `now < expiry` (0.6).

use crate::engine::{Actor, ConnId, Ctx, Input, MonoTime, ProcId, Span, TimerKey};
use crate::vocabulary::{Ask, Grant, LeaseMessage, LeaseNote, Message, Note, Token, Words};
use std::collections::BTreeMap;

const EXPIRY: TimerKey = TimerKey(0);

/// How a lease service behaves.
#[derive(Clone, Debug)]
pub struct LeaseConfig {
    pub ttl: Span,
    /// The token of the first grant.
    pub first_token: Token,
    /// Who holds it when the run begins.
    pub holder: Option<ProcId>,
    /// A restart of the process brings back neither the lease nor the last token: tokens begin at 1 again (F-7).
    pub forgets: bool,
}

/// The lease as a value: who has it, until when, and which token is next.
///
/// ```
/// use leaselab::engine::{MonoTime, ProcId, Span};
/// use leaselab::protocols::Lease;
/// use leaselab::vocabulary::Token;
/// let second = |s: u64| MonoTime::ZERO + Span::from_secs(s);
/// let mut lease = Lease::new(Token(33), Span::from_secs(1));
/// assert_eq!(lease.acquire(ProcId(0), second(0)), Some(Token(33)));
/// assert_eq!(lease.acquire(ProcId(1), second(0)), None);
/// assert_eq!(lease.acquire(ProcId(1), second(1)), Some(Token(34)), "valid while now < expiry");
/// assert!(!lease.renew(Token(33), second(1)) && lease.renew(Token(34), second(1)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    ttl: Span,
    next: Token,
    held: Option<Held>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Held {
    by: ProcId,
    token: Token,
    expiry: MonoTime,
}

impl Lease {
    pub fn new(first: Token, ttl: Span) -> Lease {
        Lease {
            ttl,
            next: first,
            held: None,
        }
    }

    fn valid(&self, now: MonoTime) -> Option<&Held> {
        self.held.as_ref().filter(|held| now < held.expiry)
    }

    /// The token of a grant; nothing while somebody holds it, whoever that is.
    pub fn acquire(&mut self, by: ProcId, now: MonoTime) -> Option<Token> {
        if self.valid(now).is_some() {
            return None;
        }
        let (token, expiry) = (self.next, now + self.ttl);
        self.next = Token(token.0 + 1);
        self.held = Some(Held { by, token, expiry });
        Some(token)
    }

    /// Whether the holder of this token holds it for another while.
    pub fn renew(&mut self, token: Token, now: MonoTime) -> bool {
        let expiry = now + self.ttl;
        let valid = self.valid(now).is_some_and(|held| held.token == token);
        if let Some(held) = self.held.as_mut().filter(|_| valid) {
            held.expiry = expiry;
        }
        valid
    }

    /// Whether the holder of this token held it until now.
    pub fn release(&mut self, token: Token) -> bool {
        let mine = self.held.is_some_and(|held| held.token == token);
        if mine {
            self.held = None;
        }
        mine
    }

    /// What ran out by now and was not taken note of before.
    fn run_out(&mut self, now: MonoTime) -> Option<Token> {
        let over = self.held.filter(|held| now >= held.expiry)?;
        self.held = None;
        Some(over.token)
    }
}

/// The actor around it.
#[derive(Clone, Debug)]
pub struct LeaseService {
    config: LeaseConfig,
    lease: Lease,
    clients: BTreeMap<ConnId, ProcId>,
    started: bool,
}

impl LeaseService {
    pub fn new(config: LeaseConfig) -> LeaseService {
        LeaseService {
            lease: Lease::new(config.first_token, config.ttl),
            config,
            clients: BTreeMap::new(),
            started: false,
        }
    }

    fn start(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.clients.clear();
        if std::mem::replace(&mut self.started, true) {
            if self.config.forgets {
                self.lease = Lease::new(Token(1), self.config.ttl);
                ctx.note(Note::Lease(LeaseNote::Forgot));
            }
            self.watch(ctx);
        } else if let Some(holder) = self.config.holder {
            self.acquire(holder, ctx);
        }
    }

    /// Looks again when the lease will be over.
    fn watch(&self, ctx: &mut Ctx<'_, Words>) {
        if let Some(held) = self.lease.held {
            ctx.set_timer(EXPIRY, held.expiry.since(ctx.mono()));
        }
    }

    fn expire(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let Some(token) = self.lease.run_out(ctx.mono()) {
            ctx.note(Note::Lease(LeaseNote::Expired { token }));
        }
    }

    fn acquire(&mut self, by: ProcId, ctx: &mut Ctx<'_, Words>) -> Grant {
        // Whoever asks at the very instant of the expiry may come before the timer.
        self.expire(ctx);
        let Some(token) = self.lease.acquire(by, ctx.mono()) else {
            return Grant::Refused;
        };
        let (token, ttl) = (Some(token), Some(self.config.ttl));
        ctx.note(Note::Lease(LeaseNote::Granted {
            to: by,
            lock: 0,
            token,
            ttl,
        }));
        self.watch(ctx);
        Grant::Granted { token, ttl }
    }

    fn renew(&mut self, by: ProcId, token: Token, ctx: &mut Ctx<'_, Words>) -> Grant {
        let (to, shown) = (by, Some(token));
        if !self.lease.renew(token, ctx.mono()) {
            ctx.note(Note::Lease(LeaseNote::RenewalRefused { to, token: shown }));
            return Grant::Refused;
        }
        ctx.note(Note::Lease(LeaseNote::Renewed { to, token: shown }));
        self.watch(ctx);
        let ttl = Some(self.config.ttl);
        Grant::Renewed { ttl }
    }

    fn release(&mut self, by: ProcId, token: Token, ctx: &mut Ctx<'_, Words>) -> Grant {
        if self.lease.release(token) {
            let token = Some(token);
            ctx.note(Note::Lease(LeaseNote::Released { by, token }));
        }
        Grant::Released
    }

    fn asked(&mut self, conn: ConnId, request: u32, ask: Ask, ctx: &mut Ctx<'_, Words>) {
        let Some(&by) = self.clients.get(&conn) else { return };
        let grant = match ask {
            Ask::Acquire { .. } => self.acquire(by, ctx),
            Ask::Renew { token } => self.renew(by, token.unwrap_or_default(), ctx),
            Ask::Release { token } => self.release(by, token.unwrap_or_default(), ctx),
        };
        ctx.send(conn, Message::Lease(LeaseMessage::Answer { request, grant }));
    }
}

impl Actor<Words> for LeaseService {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match input {
            Input::Start => self.start(ctx),
            Input::Timer(EXPIRY) => self.expire(ctx),
            Input::Accepted(conn, from) => {
                self.clients.insert(conn, from);
            }
            Input::Ended(conn, _) => {
                self.clients.remove(&conn);
            }
            Input::Message(conn, Message::Lease(LeaseMessage::Ask { request, ask })) => {
                self.asked(conn, request, ask, ctx);
            }
            _ => {}
        }
    }
}
