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

mod replication;

use crate::costs::postgres::{FAST_STOP, IMMEDIATE_STOP, PROMOTE, STARTUP};
use crate::engine::{Actor, ConnId, Ctx, Draw, Input, ProcId, Signal, Span, TimerKey};
use crate::vocabulary::{
    Branch, ControlFile, ControlState, Database, DbRole, File, FileName, Lsn, Message, NodeId, Note, Phase, Position,
    RecoveryConfig, SqlAnswer, SqlError, SqlQuery, Words,
};
use replication::{Standbys, Upstream};
use std::collections::VecDeque;

/// `wal_sender_timeout`: how long a stopping server waits for a standby that says nothing.
const WAL_SENDER_TIMEOUT: Span = Span::from_secs(60);
/// One row's WAL, in bytes: commit record included.
const ROW_BYTES: (u64, u64) = (180, 120);
/// A shutdown checkpoint's or end-of-recovery record's WAL, in bytes.
const CHECKPOINT_BYTES: u64 = 120;

const STARTED: TimerKey = TimerKey(0);
const PROMOTED: TimerKey = TimerKey(1);
const CHECKPOINTED: TimerKey = TimerKey(2);
const GIVE_UP_STANDBYS: TimerKey = TimerKey(3);
const GONE: TimerKey = TimerKey(4);
const RECONNECT: TimerKey = TimerKey(5);
const STATUS: TimerKey = TimerKey(6);

const DRAW_TIMES: Draw = Draw(0);
const DRAW_ROW: Draw = Draw(1);

/// A commit on its way to disk.
#[derive(Clone, Copy, Debug)]
struct Committing {
    conn: ConnId,
    request: u32,
    insert: u32,
    lsn: Lsn,
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
    committing: VecDeque<Committing>,
    sessions: Vec<ConnId>,
    standbys: Standbys,
    upstream: Upstream,
    /// The server of a cluster that already runs at time 0.
    running_at_first: Option<RecoveryConfig>,
}

impl Postgres {
    /// A server that already runs when the simulation begins, at `position`.
    pub fn running(node: NodeId, position: Position, recovery: RecoveryConfig) -> Postgres {
        Postgres {
            node,
            phase: Phase::Down,
            written: position.lsn,
            flushed: position,
            promotions: 0,
            was_primary: false,
            committing: VecDeque::new(),
            sessions: Vec::new(),
            standbys: Standbys::default(),
            upstream: Upstream::new(node, RECONNECT, STATUS),
            running_at_first: Some(recovery),
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
        self.sessions.clear();
        self.standbys.clear();
        self.upstream.reset();
        if let Some(recovery) = self.running_at_first.take() {
            ctx.write_file(FileName::Recovery, File::Recovery(recovery));
            return self.open_for_sessions(ctx);
        }
        if let Some(File::Control(control)) = ctx.file(FileName::Control) {
            self.flushed = control.position.clone();
        }
        self.written = self.flushed.lsn;
        self.enter(Phase::Starting, ctx);
        let after = ctx.sample(DRAW_TIMES, &STARTUP);
        ctx.set_timer(STARTED, after);
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
                let upstream = self.recovery(ctx).upstream;
                self.upstream.follow(upstream, ctx);
            }
            (Signal::Interrupt | Signal::Quit, Phase::Down) | (Signal::Interrupt, Phase::Stopping) => {}
            (Signal::Interrupt, _) => {
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
            lsn: Lsn(at.0 + CHECKPOINT_BYTES),
        };
        self.written = self.flushed.lsn;
        ctx.note(Note::Promoted { branch, timeline, at });
        self.enter(Phase::Primary, ctx);
        self.standbys.tell(&self.flushed, false, ctx);
    }

    fn checkpointed(&mut self, ctx: &mut Ctx<'_, Words>) {
        // A standby writes no WAL of its own.
        if self.was_primary {
            self.flushed.lsn = Lsn(self.flushed.lsn.0 + CHECKPOINT_BYTES);
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
        self.enter(Phase::Down, ctx);
        ctx.exit();
    }

    fn query(&mut self, conn: ConnId, request: u32, query: SqlQuery, ctx: &mut Ctx<'_, Words>) {
        let insert = if let SqlQuery::Insert(number) = query {
            Some(number)
        } else {
            None
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
            },
            (Phase::Recovery | Phase::Promoting, SqlQuery::Insert(_)) => refuse(SqlError::ReadOnly),
            (Phase::Primary, SqlQuery::Insert(number)) => {
                let bytes = ROW_BYTES.0 + ctx.below(DRAW_ROW, ROW_BYTES.1);
                self.written = Lsn(self.written.0 + bytes);
                self.committing.push_back(Committing {
                    conn,
                    request,
                    insert: number,
                    lsn: self.written,
                });
                return ctx.fsync(0);
            }
        };
        ctx.send(conn, Message::SqlReply { request, answer });
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
        let answer = SqlAnswer::Committed {
            insert: done.insert,
            node: self.node,
            position: self.flushed.clone(),
        };
        // A session that a stop has ended is told nothing: its client will not know.
        ctx.send(
            done.conn,
            Message::SqlReply {
                request: done.request,
                answer,
            },
        );
        self.standbys.tell(&self.flushed, false, ctx);
    }

    fn receive(&mut self, conn: ConnId, message: Message, ctx: &mut Ctx<'_, Words>) {
        match message {
            Message::Sql { request, query } => {
                if self.phase == Phase::Stopping && !self.sessions.contains(&conn) {
                    return ctx.close(conn);
                }
                self.query(conn, request, query, ctx);
            }
            Message::Replicate { from, .. } => {
                self.sessions.retain(|&session| session != conn);
                if matches!(self.phase, Phase::Primary | Phase::Recovery | Phase::Promoting) {
                    self.standbys.begin(conn, &from, &self.flushed, ctx);
                } else {
                    ctx.close(conn);
                }
            }
            Message::WalFlushed { lsn } => {
                let stopping = self.phase == Phase::Stopping;
                self.standbys.reported(conn, lsn, &self.flushed, stopping, ctx);
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
            Input::Timer(GONE) => {
                ctx.note(Note::Database(Database {
                    phase: Phase::Down,
                    position: self.flushed.clone(),
                }));
                ctx.exit();
            }
            Input::Timer(RECONNECT) => self.upstream.again(ctx),
            Input::Timer(STATUS) => self.upstream.status_due(self.flushed.lsn, ctx),
            Input::Timer(_) | Input::Order { .. } => {}
        }
    }
}
