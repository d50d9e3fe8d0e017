//! A PostgreSQL server as an actor: what its agent, its clients and its standbys can see of it.
//!
//! ```text
//!               start, standby.signal          SIGUSR1 (promote)
//! Down --------------> Starting --> Recovery -------------------> Promoting --> Primary
//!   ^                      |  start without standby.signal                        ^
//!   |                      +------------------------------------------------------+
//!   +--- Stopping <---- SIGINT (fast): new sessions refused, shutdown checkpoint, waits for connected standbys
//!   +------------------ SIGQUIT (immediate): at once, unclean
//!   +------------------ SIGKILL, power: at once, unclean
//! ```
//!
//! The data directory is a file of the host ([`ControlFile`]): it survives, a killed server's successor reads it, and
//! pg_rewind, which the agent runs, rewrites it. Signals, stop modes and their times: patroni.md 3.5, 11, 13.2.
//!
//! A commit is written, flushed, and then waits for as many standbys as `synchronous_standby_names` asks for before its
//! client hears of it (patroni.md 9). A stop ends the wait: the commit is there and the client does not know.

mod replication;

use crate::costs::postgres::{FAST_STOP, IMMEDIATE_STOP, PROMOTE, STARTUP};
use crate::engine::{Actor, ConnId, Ctx, Draw, Input, ProcId, Signal, Span, TimerKey};
use crate::vocabulary::{
    Branch, ControlFile, ControlState, Database, DbRole, File, FileName, Lsn, Message, NodeId, Note, Order, Phase,
    Position, RecoveryConfig, SqlAnswer, SqlError, SqlQuery, SyncNames, Words,
};
use replication::{Standbys, Upstream};
use std::collections::{BTreeMap, VecDeque};

/// `wal_sender_timeout`: how long a stopping server waits for a standby that says nothing.
const WAL_SENDER_TIMEOUT: Span = Span::from_secs(60);
/// One row's WAL, in bytes: commit record included.
const ROW_BYTES: (u64, u64) = (180, 120);

const STARTED: TimerKey = TimerKey(0);
const PROMOTED: TimerKey = TimerKey(1);
const CHECKPOINTED: TimerKey = TimerKey(2);
const GIVE_UP_STANDBYS: TimerKey = TimerKey(3);
const GONE: TimerKey = TimerKey(4);
const RECONNECT: TimerKey = TimerKey(5);
const STATUS: TimerKey = TimerKey(6);
const FIRST_OWED: u32 = 16;

const DRAW_TIMES: Draw = Draw(0);
const DRAW_ROW: Draw = Draw(1);

/// A commit on its way to disk.
#[derive(Clone, Copy, Debug)]
struct Committing {
    conn: ConnId,
    request: u32,
    insert: u32,
    lsn: Lsn,
    /// For the standbys too, not only for the own disk.
    waits: bool,
}

/// An answer that a slow server still owes.
#[derive(Clone, Debug)]
struct Owed {
    conn: ConnId,
    message: Message,
}

#[derive(Clone, Debug)]
pub struct Postgres {
    node: NodeId,
    phase: Phase,
    /// Flushed: what survives a crash.
    flushed: Position,
    /// Written, perhaps not flushed yet.
    written: Lsn,
    promotions: u16,
    /// The server that is stopping was a primary.
    was_primary: bool,
    /// On the way to the disk.
    committing: VecDeque<Committing>,
    /// On disk, waiting for standbys.
    waiting: VecDeque<Committing>,
    sync: SyncNames,
    owed: BTreeMap<u32, Owed>,
    next_owed: u32,
    /// All that a stop has to do is done, and some process of the server still does not end.
    stuck: bool,
    sessions: Vec<ConnId>,
    standbys: Standbys,
    upstream: Upstream,
    /// The server of a cluster that already runs at time 0.
    running_at_first: Option<(RecoveryConfig, SyncNames)>,
}

impl Postgres {
    /// A server that already runs when the simulation begins, at `position`.
    pub fn running(node: NodeId, position: Position, recovery: RecoveryConfig, sync: SyncNames) -> Postgres {
        Postgres {
            node,
            phase: Phase::Down,
            written: position.lsn,
            flushed: position,
            promotions: 0,
            was_primary: false,
            committing: VecDeque::new(),
            waiting: VecDeque::new(),
            sync: SyncNames::default(),
            owed: BTreeMap::new(),
            next_owed: FIRST_OWED,
            stuck: false,
            sessions: Vec::new(),
            standbys: Standbys::default(),
            upstream: Upstream::new(node, RECONNECT, STATUS),
            running_at_first: Some((recovery, sync)),
        }
    }

    fn enter(&mut self, phase: Phase, ctx: &mut Ctx<'_, Words>) {
        self.phase = phase;
        self.save(ctx);
        ctx.note(Note::Database(Database {
            phase,
            position: self.flushed.clone(),
        }));
    }

    /// Brings the data directory up to date.
    fn save(&mut self, ctx: &mut Ctx<'_, Words>) {
        let state = match self.phase {
            Phase::Primary => ControlState::InProduction,
            Phase::Starting | Phase::Recovery | Phase::Promoting => ControlState::InArchiveRecovery,
            Phase::Stopping => ControlState::ShuttingDown,
            Phase::Down => ControlState::ShutDown,
        };
        let ready = matches!(self.phase, Phase::Recovery | Phase::Promoting | Phase::Primary);
        let control = ControlFile {
            state,
            position: self.flushed.clone(),
            ready,
        };
        ctx.write_file(FileName::Control, File::Control(control));
    }

    fn recovery(&self, ctx: &Ctx<'_, Words>) -> RecoveryConfig {
        match ctx.file(FileName::Recovery) {
            Some(File::Recovery(config)) => *config,
            _ => RecoveryConfig {
                standby: false,
                upstream: None,
            },
        }
    }

    fn start(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.committing.clear();
        self.waiting.clear();
        self.owed.clear();
        self.stuck = false;
        self.sync = SyncNames::default();
        self.sessions.clear();
        self.standbys.clear();
        self.upstream.reset();
        if let Some((recovery, sync)) = self.running_at_first.take() {
            ctx.write_file(FileName::Recovery, File::Recovery(recovery));
            ctx.write_file(FileName::SyncNames, File::SyncNames(sync));
            self.read_sync_names(ctx);
            return self.open_for_sessions(ctx);
        }
        if let Some(File::Control(control)) = ctx.file(FileName::Control) {
            self.flushed = control.position.clone();
        }
        self.written = self.flushed.lsn;
        self.read_sync_names(ctx);
        self.enter(Phase::Starting, ctx);
        let after = ctx.compute(DRAW_TIMES, &STARTUP);
        ctx.set_timer(STARTED, after);
    }

    /// `synchronous_standby_names` as the configuration has it now. Whoever waits for fewer is let go.
    fn read_sync_names(&mut self, ctx: &mut Ctx<'_, Words>) {
        let Some(&File::SyncNames(names)) = ctx.file(FileName::SyncNames) else {
            return;
        };
        if names != self.sync {
            self.sync = names;
            ctx.note(Note::WaitsFor {
                count: names.count,
                standbys: names.names,
            });
            self.answer_synchronous(ctx);
        }
    }

    fn open_for_sessions(&mut self, ctx: &mut Ctx<'_, Words>) {
        let config = self.recovery(ctx);
        if config.standby {
            self.enter(Phase::Recovery, ctx);
            self.upstream.follow(config.upstream, ctx);
        } else {
            self.enter(Phase::Primary, ctx);
        }
    }

    fn signal(&mut self, signal: Signal, ctx: &mut Ctx<'_, Words>) {
        match (signal, self.phase) {
            (Signal::User1, Phase::Recovery) => {
                self.upstream.leave(ctx);
                self.enter(Phase::Promoting, ctx);
                let after = ctx.sample(DRAW_TIMES, &PROMOTE);
                ctx.set_timer(PROMOTED, after);
            }
            (Signal::Hangup, Phase::Recovery) => {
                self.read_sync_names(ctx);
                let upstream = self.recovery(ctx).upstream;
                self.upstream.follow(upstream, ctx);
            }
            (Signal::Hangup, Phase::Primary) => self.read_sync_names(ctx),
            (Signal::Interrupt | Signal::Terminate | Signal::Quit, Phase::Down)
            | (Signal::Interrupt | Signal::Terminate, Phase::Stopping) => {}
            (Signal::Interrupt | Signal::Terminate, _) => {
                self.end_sessions(ctx);
                self.upstream.leave(ctx);
                self.was_primary = self.phase == Phase::Primary;
                self.enter(Phase::Stopping, ctx);
                let after = ctx.sample(DRAW_TIMES, &FAST_STOP);
                ctx.set_timer(CHECKPOINTED, after);
            }
            (Signal::Quit, _) => {
                self.end_sessions(ctx);
                self.upstream.leave(ctx);
                self.standbys.close_all(ctx);
                // Unclean: the control file goes on saying what it said.
                ctx.note(Note::Database(Database {
                    phase: Phase::Stopping,
                    position: self.flushed.clone(),
                }));
                self.phase = Phase::Down;
                let after = ctx.sample(DRAW_TIMES, &IMMEDIATE_STOP);
                ctx.set_timer(GONE, after);
            }
            _ => {}
        }
    }

    fn end_sessions(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.waiting.clear();
        for session in self.sessions.drain(..) {
            ctx.close(session);
        }
    }

    fn promoted(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.promotions += 1;
        let branch = Branch {
            node: self.node,
            promotion: self.promotions,
        };
        let at = self.flushed.lsn;
        let history = self.flushed.history.promoted(branch, at);
        let timeline = history.timeline();
        self.flushed = Position {
            history,
            lsn: at.after_checkpoint(),
        };
        self.written = self.flushed.lsn;
        ctx.note(Note::Promoted { branch, timeline, at });
        self.enter(Phase::Primary, ctx);
        self.standbys.tell(&self.flushed, false, ctx);
    }

    fn checkpointed(&mut self, ctx: &mut Ctx<'_, Words>) {
        // A standby writes no WAL of its own.
        if self.was_primary {
            self.flushed.lsn = self.flushed.lsn.after_checkpoint();
        }
        self.standbys.tell(&self.flushed, true, ctx);
        if self.standbys.all_confirmed() {
            self.shut_down(ctx);
        } else {
            ctx.set_timer(GIVE_UP_STANDBYS, WAL_SENDER_TIMEOUT);
        }
    }

    fn shut_down(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.standbys.close_all(ctx);
        if !self.is_stuck(ctx) {
            self.enter(Phase::Down, ctx);
            ctx.exit();
        }
    }

    /// After SIGQUIT: the control file goes on saying what it said.
    fn gone(&mut self, ctx: &mut Ctx<'_, Words>) {
        if !self.is_stuck(ctx) {
            ctx.note(Note::Database(Database {
                phase: Phase::Down,
                position: self.flushed.clone(),
            }));
            ctx.exit();
        }
    }

    fn is_stuck(&mut self, ctx: &Ctx<'_, Words>) -> bool {
        self.stuck = ctx.orders().any(|order| *order == Order::StuckStop);
        self.stuck
    }

    /// What kept the server from ending has gone.
    fn no_longer_stuck(&mut self, ctx: &mut Ctx<'_, Words>) {
        match self.phase {
            Phase::Stopping if self.stuck => self.shut_down(ctx),
            Phase::Down if self.stuck => self.gone(ctx),
            _ => {}
        }
    }

    fn query(&mut self, conn: ConnId, request: u32, query: SqlQuery, ctx: &mut Ctx<'_, Words>) {
        let insert = match query {
            SqlQuery::Insert { number, .. } => Some(number),
            SqlQuery::Connect | SqlQuery::Monitor => None,
        };
        let refuse = |error| SqlAnswer::Failed { insert, error };
        let answer = match (self.phase, query) {
            (Phase::Starting | Phase::Down, _) => refuse(SqlError::Starting),
            (Phase::Stopping, _) => refuse(SqlError::ShuttingDown),
            (Phase::Recovery | Phase::Promoting | Phase::Primary, SqlQuery::Connect) => SqlAnswer::Ready,
            (Phase::Recovery | Phase::Promoting | Phase::Primary, SqlQuery::Monitor) => SqlAnswer::Monitor {
                role: if self.phase == Phase::Primary {
                    DbRole::Primary
                } else {
                    DbRole::Replica
                },
                position: self.flushed.clone(),
                streaming: self.upstream.is_streaming(),
                diverged: self.upstream.diverged().cloned(),
                standbys: self.standbys.list(),
            },
            (Phase::Recovery | Phase::Promoting, SqlQuery::Insert { .. }) => refuse(SqlError::ReadOnly),
            (Phase::Primary, SqlQuery::Insert { number, waits }) => {
                let bytes = ROW_BYTES.0 + ctx.below(DRAW_ROW, ROW_BYTES.1);
                self.written = Lsn(self.written.0 + bytes);
                self.committing.push_back(Committing {
                    conn,
                    request,
                    insert: number,
                    lsn: self.written,
                    waits,
                });
                return ctx.fsync(0);
            }
        };
        let message = Message::SqlReply { request, answer };
        let slow = ctx.orders().find_map(|order| match order {
            Order::SlowSql { by } if query == SqlQuery::Monitor => Some(*by),
            _ => None,
        });
        match slow {
            Some(by) => {
                self.owed.insert(self.next_owed, Owed { conn, message });
                ctx.set_timer(TimerKey(self.next_owed), by);
                self.next_owed = self.next_owed.wrapping_add(1).max(FIRST_OWED);
            }
            None => ctx.send(conn, message),
        }
    }

    /// The oldest commit is durable.
    fn flushed_one(&mut self, ctx: &mut Ctx<'_, Words>) {
        let Some(done) = self.committing.pop_front() else {
            return;
        };
        if !matches!(self.phase, Phase::Primary | Phase::Stopping) {
            return;
        }
        self.flushed.lsn = self.flushed.lsn.max(done.lsn);
        self.save(ctx);
        self.standbys.tell(&self.flushed, self.sync.count > 0, ctx);
        // A session that a stop has ended is told nothing: its client will not know.
        if done.waits && self.phase == Phase::Primary {
            self.waiting.push_back(done);
            self.answer_synchronous(ctx);
        } else {
            self.answer_commit(done, ctx);
        }
    }

    /// Answers the commits that enough standbys have, in their order.
    fn answer_synchronous(&mut self, ctx: &mut Ctx<'_, Words>) {
        while let Some(&first) = self.waiting.front() {
            if self.standbys.with(first.lsn, self.sync.names) < usize::from(self.sync.count) {
                return;
            }
            self.waiting.pop_front();
            self.answer_commit(first, ctx);
        }
    }

    fn answer_commit(&self, done: Committing, ctx: &mut Ctx<'_, Words>) {
        let answer = SqlAnswer::Committed {
            insert: done.insert,
            node: self.node,
            position: Position {
                lsn: done.lsn,
                ..self.flushed.clone()
            },
            token: match ctx.file(FileName::Token) {
                Some(&File::Token(token)) => Some(token),
                _ => None,
            },
        };
        ctx.send(
            done.conn,
            Message::SqlReply {
                request: done.request,
                answer,
            },
        );
    }

    fn receive(&mut self, conn: ConnId, message: Message, ctx: &mut Ctx<'_, Words>) {
        match message {
            Message::Sql { request, query } => {
                if self.phase == Phase::Stopping && !self.sessions.contains(&conn) {
                    return ctx.close(conn);
                }
                self.query(conn, request, query, ctx);
            }
            Message::Replicate { from, node } => {
                self.sessions.retain(|&session| session != conn);
                if matches!(self.phase, Phase::Primary | Phase::Recovery | Phase::Promoting) {
                    self.standbys.begin(conn, node, &from, &self.flushed, ctx);
                    self.answer_synchronous(ctx);
                } else {
                    ctx.close(conn);
                }
            }
            Message::WalFlushed { lsn } => {
                let stopping = self.phase == Phase::Stopping;
                self.standbys.reported(conn, lsn, &self.flushed, stopping, ctx);
                self.answer_synchronous(ctx);
                if self.phase == Phase::Stopping && self.standbys.all_confirmed() {
                    self.shut_down(ctx);
                }
            }
            Message::Wal { position, confirm }
                if self.phase == Phase::Recovery
                    && self.upstream.is(conn)
                    && position.history.continues(&self.flushed) =>
            {
                self.flushed = position;
                self.written = self.flushed.lsn;
                self.save(ctx);
                self.upstream.streams(ctx);
                if confirm {
                    ctx.send(conn, Message::WalFlushed { lsn: self.flushed.lsn });
                }
            }
            Message::Diverged { from } => self.upstream.refused(conn, from, ctx),
            _ => {}
        }
    }

    fn ended(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Words>) {
        self.sessions.retain(|&session| session != conn);
        if self.standbys.ended(conn) && self.phase == Phase::Stopping && self.standbys.all_confirmed() {
            return self.shut_down(ctx);
        }
        self.upstream.ended(conn, ctx);
    }

    /// The process that this server streams from, for tests and the observer.
    pub fn upstream(&self) -> Option<ProcId> {
        self.upstream.target()
    }
}

impl Actor<Words> for Postgres {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match input {
            Input::Start => self.start(ctx),
            Input::Accepted(conn, _) => self.sessions.push(conn),
            Input::Opened(conn) => self.upstream.opened(conn, &self.flushed, ctx),
            Input::Message(conn, message) => self.receive(conn, message, ctx),
            Input::Ended(conn, _) => self.ended(conn, ctx),
            Input::Signal(signal) => self.signal(signal, ctx),
            Input::DiskDone(_) => self.flushed_one(ctx),
            Input::Timer(STARTED) if self.phase == Phase::Starting => self.open_for_sessions(ctx),
            Input::Timer(PROMOTED) if self.phase == Phase::Promoting => self.promoted(ctx),
            Input::Timer(CHECKPOINTED) if self.phase == Phase::Stopping => self.checkpointed(ctx),
            Input::Timer(GIVE_UP_STANDBYS) if self.phase == Phase::Stopping => self.shut_down(ctx),
            Input::Timer(GONE) => self.gone(ctx),
            Input::Timer(RECONNECT) => self.upstream.again(ctx),
            Input::Timer(STATUS) => self.upstream.status_due(self.flushed.lsn, ctx),
            Input::Timer(TimerKey(number)) => {
                if let Some(Owed { conn, message }) = self.owed.remove(&number) {
                    ctx.send(conn, message);
                }
            }
            Input::Order {
                order: Order::StuckStop,
                begins: false,
            } => self.no_longer_stuck(ctx),
            Input::Order { .. } => {}
        }
    }
}
