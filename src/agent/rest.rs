//! The REST interface: its own thread, which goes on answering while the HA loop is blocked.
//!
//! | question         | from       | answer |
//! |------------------|------------|--------|
//! | `GET /primary`   | a router   | 200 while the agent believes it leads, from memory (patroni.md 2.5) |
//! | `GET /patroni`   | candidates | state, role and position, by SQL on a connection of its own |
//! | `POST /failsafe` | a leader without its store | 200 unless this node runs as primary (patroni.md 7) |

use super::costs::{DRAW_REST, REST};
use super::sql::SqlLink;
use super::{Agent, REST_SQL_TIMER, REST_WORK_TIMER};
use crate::engine::{ConnId, Ctx, Input, ProcId};
use crate::vocabulary::{DbRole, Message, NodeId, RestStatus, SqlState, Words};

/// A question that waits for the thread to get to it.
#[derive(Clone, Copy, Debug)]
enum Question {
    Status { request: u32 },
    Failsafe { leader: NodeId },
}

#[derive(Clone, Debug)]
pub(super) struct Rest {
    sql: SqlLink,
    fresh: Vec<(ConnId, Question)>,
    /// Questions that wait for the database.
    asking: Vec<(ConnId, u32)>,
}

impl Rest {
    pub fn new(database: ProcId) -> Rest {
        Rest {
            sql: SqlLink::new(database, REST_SQL_TIMER),
            fresh: Vec::new(),
            asking: Vec::new(),
        }
    }
    pub fn reset(&mut self) {
        self.sql.reset();
        self.fresh.clear();
        self.asking.clear();
    }
    pub fn is_mine(&self, input: &Input<Words>) -> bool {
        self.sql.is_mine(input)
    }
}

impl Agent {
    pub(super) fn rest_question(&mut self, conn: ConnId, message: &Message, ctx: &mut Ctx<'_, Words>) {
        // An agent that was asked to end takes no more questions. Its port is open until the process is gone, so who asks
        // hears nothing until then. Recorded: candidates that asked just before it ended had to wait for that.
        if self.terminating {
            return;
        }
        let question = match *message {
            Message::AskPrimary { request } => {
                let yes = self.believes(self.clock(ctx));
                return ctx.send(conn, Message::Primary { request, yes });
            }
            Message::AskStatus { request } => Question::Status { request },
            Message::AskFailsafe { leader } => Question::Failsafe { leader },
            _ => return,
        };
        if self.rest.fresh.is_empty() {
            let after = ctx.sample(DRAW_REST, &REST);
            ctx.set_timer(REST_WORK_TIMER, after);
        }
        self.rest.fresh.push((conn, question));
    }

    /// The thread gets to the questions that came in.
    pub(super) fn rest_works(&mut self, ctx: &mut Ctx<'_, Words>) {
        for (conn, question) in std::mem::take(&mut self.rest.fresh) {
            match question {
                Question::Failsafe { leader } => {
                    let accepted = self.failsafe_asked(leader, ctx);
                    let lsn = self.db.as_ref().map(|db| db.position.lsn);
                    ctx.send(conn, Message::Failsafe { accepted, lsn });
                }
                Question::Status { request } if matches!(self.state, SqlState::Running | SqlState::Starting) => {
                    if self.rest.asking.is_empty() {
                        self.rest.sql.ask(ctx);
                    }
                    self.rest.asking.push((conn, request));
                }
                // No position while it stops or is down, even if the answer says that the role is primary.
                Question::Status { request } => {
                    let status = self.status_without_position();
                    ctx.send(conn, Message::Status { request, status });
                }
            }
        }
    }

    pub(super) fn rest_sql(&mut self, input: &Input<Words>, ctx: &mut Ctx<'_, Words>) {
        let Some(result) = self.rest.sql.handle(input, ctx) else {
            return;
        };
        let status = match result {
            Ok(db) => RestStatus {
                role: db.role,
                lsn: Some(db.position.lsn),
                timeline: Some(db.position.history.timeline()),
                ..self.status_without_position()
            },
            Err(_) => self.status_without_position(),
        };
        for (conn, request) in std::mem::take(&mut self.rest.asking) {
            ctx.send(conn, Message::Status { request, status });
        }
    }

    fn status_without_position(&self) -> RestStatus {
        RestStatus {
            state: self.state,
            role: if self.role.is_leading() {
                DbRole::Primary
            } else {
                DbRole::Replica
            },
            lsn: None,
            timeline: None,
            watchdog_failed: self.watchdog_is_broken(),
            nofailover: self.tags.nofailover,
            priority: self.config.priority,
        }
    }
}
