//! The agent's SQL connection to its own database: one question at a time, two tries (patroni.md 3.6: 3 s to connect,
//! 2 s for the statement).

use super::costs::{SQL_CONNECT, SQL_STATEMENT};
use crate::engine::{ConnId, Ctx, Input, ProcId, TimerKey};
use crate::vocabulary::{DbRole, Lsn, Message, NodeId, Position, SqlAnswer, SqlError, SqlQuery, Words};

/// What the monitoring query told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monitored {
    pub role: DbRole,
    pub position: Position,
    pub streaming: bool,
    pub diverged: Option<Position>,
    /// Who streams from here, and up to where each has flushed.
    pub standbys: Vec<(NodeId, Lsn)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlFailure {
    /// It said so.
    Starting,
    /// No connection, no answer in time, or it is going down.
    NoAnswer,
}

#[derive(Clone, Debug)]
pub struct SqlLink {
    database: ProcId,
    timer: TimerKey,
    conn: Option<(ConnId, bool)>,
    request: u32,
    tries_left: u8,
}

impl SqlLink {
    pub fn new(database: ProcId, timer: TimerKey) -> SqlLink {
        SqlLink {
            database,
            timer,
            conn: None,
            request: 0,
            tries_left: 0,
        }
    }

    pub fn reset(&mut self) {
        *self = SqlLink::new(self.database, self.timer);
    }

    pub fn is_connected(&self) -> bool {
        self.conn.is_some()
    }

    /// Whether an input is for this connection.
    pub fn is_mine(&self, input: &Input<Words>) -> bool {
        match input {
            Input::Opened(conn) | Input::Message(conn, _) | Input::Ended(conn, _) => {
                self.conn.is_some_and(|(mine, _)| mine == *conn)
            }
            Input::Timer(key) => *key == self.timer,
            _ => false,
        }
    }

    /// Asks. The answer comes from [`SqlLink::handle`].
    pub fn ask(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.tries_left = 2;
        self.try_once(ctx);
    }

    /// The same, and does not ask again when nothing is answered.
    pub fn ask_once(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.tries_left = 1;
        self.try_once(ctx);
    }

    pub fn close(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let Some((conn, _)) = self.conn.take() {
            ctx.close(conn);
        }
    }

    fn try_once(&mut self, ctx: &mut Ctx<'_, Words>) {
        match self.conn {
            Some((conn, true)) => self.send(conn, ctx),
            _ => {
                let conn = ctx.open(self.database);
                self.conn = Some((conn, false));
                ctx.set_timeout(self.timer, SQL_CONNECT, &[conn]);
            }
        }
    }

    fn send(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Words>) {
        self.request = self.request.wrapping_add(1);
        ctx.send(
            conn,
            Message::Sql {
                request: self.request,
                query: SqlQuery::Monitor,
            },
        );
        ctx.set_timeout(self.timer, SQL_STATEMENT, &[conn]);
    }

    /// Offers an input. `None`: it was not ours, or the question goes on.
    pub fn handle(&mut self, input: &Input<Words>, ctx: &mut Ctx<'_, Words>) -> Option<Result<Monitored, SqlFailure>> {
        let ours = |conn: ConnId| self.conn.is_some_and(|(c, _)| c == conn);
        match input {
            Input::Opened(conn) if ours(*conn) => {
                self.conn = Some((*conn, true));
                if self.tries_left > 0 {
                    self.send(*conn, ctx);
                }
                None
            }
            Input::Ended(conn, _) if ours(*conn) => {
                self.conn = None;
                ctx.cancel_timer(self.timer);
                self.failed(ctx)
            }
            Input::Timer(key) if *key == self.timer => {
                if let Some((conn, _)) = self.conn.take() {
                    ctx.close(conn);
                }
                self.failed(ctx)
            }
            Input::Message(conn, Message::SqlReply { request, answer }) if ours(*conn) && *request == self.request => {
                ctx.cancel_timer(self.timer);
                self.tries_left = 0;
                Some(match answer {
                    SqlAnswer::Monitor {
                        role,
                        position,
                        streaming,
                        diverged,
                        standbys,
                    } => Ok(Monitored {
                        role: *role,
                        position: position.clone(),
                        streaming: *streaming,
                        diverged: diverged.clone(),
                        standbys: standbys.clone(),
                    }),
                    SqlAnswer::Failed {
                        error: SqlError::Starting,
                        ..
                    } => Err(SqlFailure::Starting),
                    SqlAnswer::Failed { .. } | SqlAnswer::Committed { .. } | SqlAnswer::Ready => {
                        Err(SqlFailure::NoAnswer)
                    }
                })
            }
            _ => None,
        }
    }

    fn failed(&mut self, ctx: &mut Ctx<'_, Words>) -> Option<Result<Monitored, SqlFailure>> {
        if self.tries_left == 0 {
            return None; // nobody had asked: an idle connection ended
        }
        self.tries_left -= 1;
        if self.tries_left > 0 {
            self.try_once(ctx);
            return None;
        }
        Some(Err(SqlFailure::NoAnswer))
    }
}
