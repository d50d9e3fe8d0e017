//! A client that writes one row each period and remembers only what it was told.
//!
//! | state    | input                     | commands |
//! |----------|---------------------------|----------|
//! | idle     | period                    | opens a session if need be, sends one insert |
//! | opening  | refused, ended, 5 s       | notes that the write was refused: it was never sent |
//! | waiting  | committed, or an error    | notes the outcome |
//! | waiting  | connection ended, 5 s     | notes that it does not know, hangs up |
//!
//! A direct writer sits on a database's own host, as a session that stayed with the old primary does; the others go
//! through the router. Where there is something outside, each goes on there after a commit (`outside.rs`).

use super::outside::{Outside, Places};
use crate::engine::{Actor, ConnId, Ctx, Draw, Input, ProcId, Span, TimerKey};
use crate::vocabulary::{LeaseMessage, Message, Note, SqlAnswer, SqlQuery, Words, WriteOutcome};

/// How long a client waits for the answer to a write.
const PATIENCE: Span = Span::from_secs(5);
const PERIOD: TimerKey = TimerKey(0);
const GIVE_UP: TimerKey = TimerKey(1);
const OUTSIDE: TimerKey = TimerKey(2);
/// The request number of the start-up packet; writes count from one.
const CONNECT: u32 = 0;
const DRAW_PHASE: Draw = Draw(0);

#[derive(Clone, Debug)]
pub struct Writer {
    server: ProcId,
    direct: bool,
    period: Span,
    /// `synchronous_commit = on`; otherwise `local`.
    waits: bool,
    /// The connection, and whether a session is open on it.
    conn: Option<(ConnId, bool)>,
    /// A write that is due and not sent yet, or sent and not answered.
    pending: Option<Pending>,
    number: u32,
    outside: Option<Outside>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pending {
    Unsent,
    Sent,
}

impl Writer {
    pub fn new(server: ProcId, direct: bool, period: Span, waits: bool) -> Writer {
        Writer {
            server,
            direct,
            period,
            waits,
            conn: None,
            pending: None,
            number: 0,
            outside: None,
        }
    }

    /// The same client, which goes on outside after each commit.
    #[must_use]
    pub fn going_outside(self, places: Option<Places>) -> Writer {
        let outside = places.map(|places| Outside::new(places, OUTSIDE));
        Writer { outside, ..self }
    }

    fn outcome(&mut self, outcome: WriteOutcome, ctx: &mut Ctx<'_, Words>) {
        self.pending = None;
        ctx.cancel_timer(GIVE_UP);
        ctx.note(Note::Write {
            direct: self.direct,
            outcome,
        });
    }

    fn due(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.set_timer(PERIOD, self.period);
        if self.pending.is_some() {
            return; // still waiting for the last one
        }
        self.pending = Some(Pending::Unsent);
        match self.conn {
            Some((conn, true)) => self.send(conn, ctx),
            Some((conn, false)) => ctx.set_timeout(GIVE_UP, PATIENCE, &[conn]),
            None => {
                let conn = ctx.open(self.server);
                self.conn = Some((conn, false));
                ctx.set_timeout(GIVE_UP, PATIENCE, &[conn]);
            }
        }
    }

    fn send(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Words>) {
        self.pending = Some(Pending::Sent);
        self.number = self.number.wrapping_add(1).max(CONNECT + 1);
        ctx.send(
            conn,
            Message::Sql {
                request: self.number,
                query: SqlQuery::Insert {
                    number: self.number,
                    waits: self.waits,
                },
            },
        );
        ctx.set_timeout(GIVE_UP, PATIENCE, &[conn]);
    }

    /// What is not known to have failed may have happened.
    fn gave_out(&mut self, ctx: &mut Ctx<'_, Words>) {
        match self.pending {
            Some(Pending::Sent) => self.outcome(WriteOutcome::Unknown, ctx),
            Some(Pending::Unsent) => self.outcome(WriteOutcome::Refused(None), ctx),
            None => {}
        }
    }
}

impl Writer {
    /// What concerns only what it does outside.
    fn outside(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        let Some(outside) = &mut self.outside else { return };
        match input {
            Input::Timer(OUTSIDE) => outside.look(ctx),
            Input::Opened(conn) => outside.opened(conn, ctx),
            Input::Ended(conn, _) => outside.ended(conn),
            Input::Message(conn, Message::Lease(LeaseMessage::Done { request, .. })) => {
                outside.answered(conn, request, ctx);
            }
            _ => {}
        }
    }
}

impl Actor<Words> for Writer {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match input {
            Input::Start => {
                self.conn = None;
                self.pending = None;
                if let Some(outside) = &mut self.outside {
                    outside.start(ctx);
                }
                let phase = Span(ctx.below(DRAW_PHASE, self.period.as_micros()));
                ctx.set_timer(PERIOD, phase);
            }
            Input::Timer(PERIOD) => self.due(ctx),
            Input::Opened(conn) if self.conn == Some((conn, false)) => {
                ctx.send(
                    conn,
                    Message::Sql {
                        request: CONNECT,
                        query: SqlQuery::Connect,
                    },
                );
            }
            Input::Message(
                conn,
                Message::SqlReply {
                    request: CONNECT,
                    answer,
                },
            ) => match answer {
                SqlAnswer::Ready => {
                    self.conn = Some((conn, true));
                    if self.pending == Some(Pending::Unsent) {
                        self.send(conn, ctx);
                    }
                }
                SqlAnswer::Failed { error, .. } => {
                    self.conn = None;
                    ctx.close(conn);
                    self.outcome(WriteOutcome::Refused(Some(error)), ctx);
                }
                SqlAnswer::Monitor { .. } | SqlAnswer::Committed { .. } => {}
            },
            Input::Message(_, Message::SqlReply { request, answer }) if request == self.number => match answer {
                SqlAnswer::Committed {
                    node, position, token, ..
                } => {
                    let branch = position.history.tip().branch;
                    self.outcome(
                        WriteOutcome::Acknowledged {
                            by: node,
                            branch,
                            lsn: position.lsn,
                            token,
                        },
                        ctx,
                    );
                    if let Some(outside) = &mut self.outside {
                        outside.committed(self.number, node, token, ctx);
                    }
                }
                SqlAnswer::Failed { error, .. } => self.outcome(WriteOutcome::Refused(Some(error)), ctx),
                SqlAnswer::Monitor { .. } | SqlAnswer::Ready => {}
            },
            Input::Ended(conn, _) if self.conn.is_some_and(|(c, _)| c == conn) => {
                self.conn = None;
                self.gave_out(ctx);
            }
            Input::Timer(GIVE_UP) => {
                if let Some((conn, _)) = self.conn.take() {
                    ctx.close(conn);
                }
                self.gave_out(ctx);
            }
            input => self.outside(input, ctx),
        }
    }
}
