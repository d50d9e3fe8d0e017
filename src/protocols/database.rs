//! A database that is asked for the leadership.
//!
//! | asked for by   | granted | free again | token |
//! |----------------|---------|------------|-------|
//! | advisory lock of a session | when no other session has it | when the backend ends: a close or reset of the connection, or when the kernel gives the silent peer up | none |
//! | row with an epoch | when `expires_at < now()` | by that clock | the epoch |
//!
//! The statements on the row, each a transaction of its own but the guarded write (protocols.md 14(a)):
//!
//! ```text
//! acquire  UPDATE leader SET holder = me, epoch = epoch + 1, expires_at = now() + ttl WHERE expires_at < now() RETURNING epoch
//! renew    UPDATE leader SET expires_at = now() + ttl WHERE epoch = mine
//! guarded  BEGIN; SELECT FROM leader WHERE epoch = mine [FOR SHARE]; UPDATE object …; COMMIT
//! ```
//!
//! `FOR SHARE` keeps the row until the commit: an `UPDATE` waits for it and then looks at its `WHERE` again, with the `now()` of
//! its own beginning. A standby copies the row; by default nobody waits for the copy (PE-4).

use crate::engine::{Actor, ConnId, Ctx, Input, Keepalive, ProcId, Span, TimerKey, WallTime};
use crate::fence::Effects;
use crate::vocabulary::{Ask, Grant, LeaderRow, LeaseMessage, LeaseNote, Message, Note, Token, Words};
use std::collections::{BTreeMap, BTreeSet};

const PROMOTES: TimerKey = TimerKey(0);

/// By what the leadership is held.
#[derive(Clone, Debug)]
pub enum Leading {
    /// An advisory lock of the asker's session.
    Session,
    /// The row, for so long; this is in it when the run begins.
    Row { ttl: Span, row: LeaderRow },
}

/// A database is a primary with a standby, a standby, or alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standby {
    /// It copies to this one.
    pub copies_to: Option<ProcId>,
    /// A grant waits for the copy (`synchronous_commit = on` with a synchronous standby).
    pub waits: bool,
    /// It is a standby.
    pub of: Option<StandbyOf>,
}

/// A standby, and when whoever watches over it promotes it.
#[derive(Clone, Copy, Debug)]
pub struct StandbyOf {
    pub promoted_after: Option<Span>,
}

#[derive(Clone, Debug)]
pub struct DatabaseConfig {
    pub leading: Leading,
    /// What its kernel does about a client of which nothing is heard; none: for ever nothing.
    pub keepalive: Option<Keepalive>,
    pub standby: Standby,
    /// The token is timeline and epoch, not the epoch alone.
    pub timeline_in_token: bool,
}

/// An `UPDATE` of the row, from its beginning on.
#[derive(Clone, Copy, Debug)]
struct Update {
    conn: ConnId,
    request: u32,
    ask: Ask,
    began: WallTime,
}

/// What a client is told once its change is committed, and what the database says of it then.
#[derive(Clone, Copy, Debug)]
struct Reply {
    conn: ConnId,
    request: u32,
    grant: Grant,
    note: LeaseNote,
}

impl Reply {
    fn tell(self, ctx: &mut Ctx<'_, Words>) {
        let Reply { request, grant, .. } = self;
        ctx.note(Note::Lease(self.note));
        ctx.send(self.conn, Message::Lease(LeaseMessage::Answer { request, grant }));
    }
}

#[derive(Clone, Debug)]
pub struct Database {
    config: DatabaseConfig,
    effects: Effects,
    clients: BTreeMap<ConnId, ProcId>,
    /// Who has which advisory lock.
    locks: BTreeMap<u64, ConnId>,
    row: LeaderRow,
    timeline: u16,
    /// Transactions that keep the row as it is.
    shares: BTreeSet<ConnId>,
    /// Updates that wait for these to end, in order.
    blocked: Vec<Update>,
    /// The connection to the standby, and grants that wait for its word.
    copying: Option<ConnId>,
    uncopied: Vec<(u64, Reply)>,
    recovering: bool,
    started: bool,
}

impl Database {
    pub fn new(config: DatabaseConfig, effects: Effects) -> Database {
        let row = match config.leading {
            Leading::Row { row, .. } => row,
            Leading::Session => LeaderRow::default(),
        };
        Database {
            recovering: config.standby.of.is_some(),
            config,
            effects,
            clients: BTreeMap::new(),
            locks: BTreeMap::new(),
            row,
            timeline: 1,
            shares: BTreeSet::new(),
            blocked: Vec::new(),
            copying: None,
            uncopied: Vec::new(),
            started: false,
        }
    }

    /// The lock table is in memory; the row is on disk.
    fn start(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.clients.clear();
        self.locks.clear();
        self.shares.clear();
        self.blocked.clear();
        self.uncopied.clear();
        let again = std::mem::replace(&mut self.started, true);
        if let (Leading::Row { ttl, .. }, Some(to), false) =
            (&self.config.leading, self.row.holder, again || self.recovering)
        {
            let (token, ttl) = (Some(self.token()), Some(*ttl));
            ctx.note(Note::Lease(LeaseNote::Granted {
                to,
                lock: 0,
                token,
                ttl,
            }));
        }
        self.copying = self.config.standby.copies_to.map(|standby| ctx.open(standby));
        let promoted_after = self.config.standby.of.and_then(|standby| standby.promoted_after);
        if let Some(after) = promoted_after.filter(|_| self.recovering) {
            ctx.set_timer(PROMOTES, after);
        }
    }

    fn promote(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.recovering = false;
        self.timeline += 1;
        let (timeline, epoch) = (self.timeline, self.row.epoch);
        ctx.note(Note::Lease(LeaseNote::Promoted { timeline, epoch }));
    }

    fn token(&self) -> Token {
        if self.config.timeline_in_token {
            Token::on_timeline(self.timeline, self.row.epoch)
        } else {
            Token(self.row.epoch)
        }
    }

    // --- the advisory lock

    fn ask_session(&mut self, conn: ConnId, ask: Ask, by: ProcId, ctx: &mut Ctx<'_, Words>) -> Grant {
        match ask {
            Ask::Acquire { lock } => {
                let holder = *self.locks.entry(lock).or_insert(conn);
                if holder != conn {
                    return Grant::Refused;
                }
                let (token, ttl) = (None, None);
                ctx.note(Note::Lease(LeaseNote::Granted {
                    to: by,
                    lock,
                    token,
                    ttl,
                }));
                Grant::Granted { token, ttl }
            }
            // SELECT 1: it answers because the session is there.
            Ask::Renew { .. } => Grant::Renewed { ttl: None },
            Ask::Release { .. } => {
                self.locks.retain(|_, holder| *holder != conn);
                let token = None;
                ctx.note(Note::Lease(LeaseNote::Released { by, token }));
                Grant::Released
            }
        }
    }

    fn session_over(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Words>) {
        let Some(of) = self.clients.remove(&conn) else { return };
        let held: Vec<u64> = self
            .locks
            .iter()
            .filter(|(_, holder)| **holder == conn)
            .map(|(&lock, _)| lock)
            .collect();
        for lock in held {
            self.locks.remove(&lock);
            ctx.note(Note::Lease(LeaseNote::SessionGone { of, lock }));
        }
        self.blocked.retain(|update| update.conn != conn);
        self.end_transaction(conn, ctx);
    }

    // --- the row

    fn update(&mut self, update: Update, ctx: &mut Ctx<'_, Words>) {
        if self.shares.is_empty() {
            return self.carry_out(update, ctx);
        }
        if let Some(&who) = self.clients.get(&update.conn) {
            ctx.note(Note::Lease(LeaseNote::Blocked { who }));
        }
        self.blocked.push(update);
    }

    fn carry_out(&mut self, update: Update, ctx: &mut Ctx<'_, Words>) {
        let Update {
            conn,
            request,
            ask,
            began,
        } = update;
        let (Leading::Row { ttl, .. }, Some(&by)) = (&self.config.leading, self.clients.get(&conn)) else {
            return;
        };
        let ttl = *ttl;
        let mine = |token: Option<Token>| token == Some(self.token());
        let (grant, note) = match ask {
            Ask::Acquire { lock } if WallTime(self.row.expires_us) < began => {
                self.row = LeaderRow {
                    holder: Some(by),
                    epoch: self.row.epoch + 1,
                    expires_us: (began + ttl).0,
                };
                let (to, token, ttl) = (by, Some(self.token()), Some(ttl));
                (
                    Grant::Granted { token, ttl },
                    LeaseNote::Granted { to, lock, token, ttl },
                )
            }
            Ask::Renew { token } if mine(token) => {
                self.row.expires_us = (began + ttl).0;
                (Grant::Renewed { ttl: Some(ttl) }, LeaseNote::Renewed { to: by, token })
            }
            Ask::Release { token } if mine(token) => {
                // Whatever any clock says, the next `expires_at < now()` holds.
                self.row.expires_us = i64::MIN;
                (Grant::Released, LeaseNote::Released { by, token })
            }
            Ask::Renew { token } => {
                ctx.note(Note::Lease(LeaseNote::RenewalRefused { to: by, token }));
                return refuse(conn, request, ctx);
            }
            Ask::Acquire { .. } | Ask::Release { .. } => return refuse(conn, request, ctx),
        };
        self.tell_once_committed(
            Reply {
                conn,
                request,
                grant,
                note,
            },
            ctx,
        );
    }

    /// Every change goes to the standby; whether its commit waits for that is a setting.
    fn tell_once_committed(&mut self, reply: Reply, ctx: &mut Ctx<'_, Words>) {
        if let Some(copying) = self.copying {
            ctx.send(copying, Message::Lease(LeaseMessage::Row(self.row)));
            if self.config.standby.waits {
                return self.uncopied.push((self.row.epoch, reply));
            }
        }
        reply.tell(ctx);
    }

    fn copied(&mut self, epoch: u64, ctx: &mut Ctx<'_, Words>) {
        for (of, reply) in std::mem::take(&mut self.uncopied) {
            if of <= epoch {
                reply.tell(ctx);
            } else {
                self.uncopied.push((of, reply));
            }
        }
    }

    fn guard(&mut self, conn: ConnId, token: Token, share: bool) -> bool {
        let holds = token == self.token();
        if holds && share {
            self.shares.insert(conn);
        }
        holds
    }

    /// A transaction ends: who waited for the row goes on.
    fn end_transaction(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Words>) {
        if self.shares.remove(&conn) && self.shares.is_empty() {
            for update in std::mem::take(&mut self.blocked) {
                self.carry_out(update, ctx);
            }
        }
    }

    fn message(&mut self, conn: ConnId, message: LeaseMessage, ctx: &mut Ctx<'_, Words>) {
        if let LeaseMessage::RowFlushed { epoch } = message {
            return self.copied(epoch, ctx);
        }
        if let LeaseMessage::Row(row) = message {
            self.row = row;
            let epoch = row.epoch;
            return ctx.send(conn, Message::Lease(LeaseMessage::RowFlushed { epoch }));
        }
        let Some(&by) = self.clients.get(&conn) else { return };
        let answer = match message {
            LeaseMessage::Ask { request, .. } if self.recovering => LeaseMessage::Answer {
                request,
                grant: Grant::Refused,
            },
            LeaseMessage::Ask { request, ask } => match self.config.leading {
                Leading::Session => LeaseMessage::Answer {
                    request,
                    grant: self.ask_session(conn, ask, by, ctx),
                },
                Leading::Row { .. } => {
                    let began = ctx.wall();
                    return self.update(
                        Update {
                            conn,
                            request,
                            ask,
                            began,
                        },
                        ctx,
                    );
                }
            },
            LeaseMessage::Guard { request, token, share } => LeaseMessage::Guarded {
                request,
                holds: self.guard(conn, token, share),
            },
            LeaseMessage::Effect { request, effect } => {
                let answer = self.effects.carry_out(by, effect, ctx);
                self.end_transaction(conn, ctx);
                LeaseMessage::Done { request, answer }
            }
            _ => return,
        };
        ctx.send(conn, Message::Lease(answer));
    }
}

fn refuse(conn: ConnId, request: u32, ctx: &mut Ctx<'_, Words>) {
    let grant = Grant::Refused;
    ctx.send(conn, Message::Lease(LeaseMessage::Answer { request, grant }));
}

impl Actor<Words> for Database {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match input {
            Input::Start => self.start(ctx),
            Input::Timer(PROMOTES) => self.promote(ctx),
            Input::Accepted(conn, from) => {
                self.clients.insert(conn, from);
                if let Some(keepalive) = self.config.keepalive {
                    ctx.keep_alive(conn, keepalive);
                }
            }
            Input::Ended(conn, _) => self.session_over(conn, ctx),
            Input::Message(conn, Message::Lease(message)) => self.message(conn, message, ctx),
            _ => {}
        }
    }
}
