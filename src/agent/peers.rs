//! One round of questions to the other members in a leader race: all at once, two seconds, no retry; silence, refusal
//! and answers without a position count for nothing (patroni.md 5, R1.11e-f).

use super::costs::PEER_PATIENCE;
use crate::engine::{ConnId, Ctx, Input, ProcId, Span, TimerKey};
use crate::vocabulary::{Message, NodeId, RestStatus, Words};

#[derive(Clone, Debug)]
struct Asked {
    peer: NodeId,
    conn: ConnId,
    over: bool,
    answer: Option<RestStatus>,
}

#[derive(Clone, Debug)]
pub struct PeerRound {
    timer: TimerKey,
    asked: Vec<Asked>,
}

impl PeerRound {
    pub fn new(timer: TimerKey) -> PeerRound {
        PeerRound {
            timer,
            asked: Vec::new(),
        }
    }

    pub fn reset(&mut self) {
        self.asked.clear();
    }

    pub fn begin(&mut self, peers: impl Iterator<Item = (NodeId, ProcId)>, ctx: &mut Ctx<'_, Words>) {
        self.asked = peers
            .map(|(peer, agent)| Asked {
                peer,
                conn: ctx.open(agent),
                over: false,
                answer: None,
            })
            .collect();
        let conns: Vec<ConnId> = self.asked.iter().map(|a| a.conn).collect();
        let patience = if conns.is_empty() { Span::ZERO } else { PEER_PATIENCE };
        ctx.set_timeout(self.timer, patience, &conns);
    }

    /// Offers an input. All answers, once everybody has answered, failed, or the time is over.
    pub fn handle(
        &mut self,
        input: &Input<Words>,
        ctx: &mut Ctx<'_, Words>,
    ) -> Option<Vec<(NodeId, Option<RestStatus>)>> {
        match input {
            Input::Timer(key) if *key == self.timer => return Some(self.finish(ctx)),
            Input::Opened(conn) if self.is_ours(*conn) => {
                ctx.send(*conn, Message::AskStatus { request: 0 });
                return None;
            }
            Input::Message(conn, Message::Status { status, .. }) => {
                let asked = self.asked.iter_mut().find(|a| a.conn == *conn)?;
                asked.over = true;
                asked.answer = Some(*status);
                ctx.close(*conn);
            }
            Input::Ended(conn, _) => self.asked.iter_mut().find(|a| a.conn == *conn)?.over = true,
            _ => return None,
        }
        if self.asked.iter().all(|a| a.over) {
            ctx.cancel_timer(self.timer);
            return Some(self.finish(ctx));
        }
        None
    }

    fn is_ours(&self, conn: ConnId) -> bool {
        self.asked.iter().any(|a| a.conn == conn && !a.over)
    }

    fn finish(&mut self, ctx: &mut Ctx<'_, Words>) -> Vec<(NodeId, Option<RestStatus>)> {
        self.asked
            .drain(..)
            .map(|asked| {
                if !asked.over {
                    ctx.close(asked.conn);
                }
                (asked.peer, asked.answer)
            })
            .collect()
    }
}
