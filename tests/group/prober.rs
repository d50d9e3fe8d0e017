//! A client that asks the same thing again and again, and keeps the answers.

use leaselab::engine::{Actor, ConnId, Ctx, Input, MonoTime, ProcId, Span, TimerKey};
use leaselab::raft::Term;
use leaselab::vocabulary::{Message, Revision, StoreAnswer, StoreError, StoreOp, Words};

/// One question and, once it is there, its answer.
#[derive(Clone, Debug)]
pub struct Asked {
    pub at: MonoTime,
    pub answered: Option<(MonoTime, Revision, Term, Result<StoreAnswer, StoreError>)>,
}

#[derive(Clone)]
pub struct Prober {
    server: ProcId,
    every: Span,
    op: StoreOp,
    from: Span,
    conn: Option<ConnId>,
    pub asked: Vec<Asked>,
}

impl Prober {
    pub fn new(server: ProcId, every: Span, op: StoreOp) -> Prober {
        let (conn, asked) = (None, Vec::new());
        Prober {
            server,
            every,
            op,
            from: Span::ZERO,
            conn,
            asked,
        }
    }
    /// Begins so long after its connection is there.
    pub fn from(self, from: Span) -> Prober {
        Prober { from, ..self }
    }
}

impl Actor<Words> for Prober {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match input {
            Input::Start | Input::Ended(..) => {
                self.conn = None;
                ctx.open(self.server);
            }
            Input::Opened(conn) => {
                self.conn = Some(conn);
                ctx.set_timer(TimerKey(0), self.from);
            }
            Input::Timer(_) => {
                if let Some(conn) = self.conn {
                    let (request, op) = (self.asked.len() as u32, self.op.clone());
                    let (at, answered) = (ctx.mono(), None);
                    self.asked.push(Asked { at, answered });
                    ctx.send(conn, Message::Store { request, op });
                    ctx.set_timer(TimerKey(0), self.every);
                }
            }
            Input::Message(
                _,
                Message::StoreReply {
                    request,
                    revision,
                    term,
                    answer,
                },
            ) => {
                let asked = &mut self.asked[request as usize];
                assert!(asked.answered.is_none(), "a question is answered once");
                asked.answered = Some((ctx.mono(), revision, term, answer));
            }
            _ => {}
        }
    }
}
