//! One round of questions to other members' REST interfaces: all at once, each with a time-out, some asked once more.
//! Silence, refusal and answers that make no sense are no answer (patroni.md 5 R1.11e, 7).

use crate::engine::{ConnId, Ctx, Input, ProcId, Span, TimerKey};
use crate::vocabulary::{Message, NodeId, RestStatus, Words};

#[derive(Clone, Debug)]
struct Asked {
    peer: NodeId,
    agent: ProcId,
    conn: ConnId,
    tries_left: u8,
    over: bool,
    answer: Option<Message>,
}

/// What was asked of whom, and what came back.
pub(super) type Answers = Vec<(NodeId, Option<Message>)>;

/// The status in each answer.
pub(super) fn statuses(answers: Answers) -> Vec<(NodeId, Option<RestStatus>)> {
    let status = |answer: Option<Message>| match answer {
        Some(Message::Status { status, .. }) => Some(status),
        _ => None,
    };
    answers
        .into_iter()
        .map(|(peer, answer)| (peer, status(answer)))
        .collect()
}

/// What every round needs to know.
#[derive(Clone, Debug)]
pub(super) struct Round {
    pub question: Message,
    /// How often each is asked.
    pub tries: u8,
    /// How long each try may take.
    pub patience: Span,
}

/// The rounds of one thread: one at a time.
#[derive(Clone, Debug)]
pub(super) struct PeerRound {
    timer: TimerKey,
    round: Option<Round>,
    asked: Vec<Asked>,
}

impl PeerRound {
    pub fn new(timer: TimerKey) -> PeerRound {
        PeerRound {
            timer,
            round: None,
            asked: Vec::new(),
        }
    }

    pub fn reset(&mut self) {
        self.asked.clear();
        self.round = None;
    }

    pub fn begin(&mut self, peers: impl Iterator<Item = (NodeId, ProcId)>, round: Round, ctx: &mut Ctx<'_, Words>) {
        self.asked = peers
            .map(|(peer, agent)| Asked {
                peer,
                agent,
                conn: ctx.open(agent),
                tries_left: round.tries - 1,
                over: false,
                answer: None,
            })
            .collect();
        self.wait(round.patience, ctx);
        self.round = Some(round);
    }

    fn wait(&self, patience: Span, ctx: &mut Ctx<'_, Words>) {
        let conns: Vec<ConnId> = self.asked.iter().filter(|a| !a.over).map(|a| a.conn).collect();
        let patience = if conns.is_empty() { Span::ZERO } else { patience };
        ctx.set_timeout(self.timer, patience, &conns);
    }

    /// Whether an input is for this round.
    pub fn is_mine(&self, input: &Input<Words>) -> bool {
        match input {
            Input::Opened(conn) | Input::Message(conn, _) | Input::Ended(conn, _) => {
                self.asked.iter().any(|asked| asked.conn == *conn)
            }
            Input::Timer(key) => *key == self.timer,
            _ => false,
        }
    }

    /// Offers an input. All answers, once everybody has answered, failed, or the time is over.
    pub fn handle(&mut self, input: &Input<Words>, ctx: &mut Ctx<'_, Words>) -> Option<Answers> {
        let round = self.round.clone()?;
        match input {
            Input::Timer(key) if *key == self.timer => {
                let mut again = false;
                for asked in self.asked.iter_mut().filter(|a| !a.over) {
                    ctx.close(asked.conn);
                    again |= asked.try_again(ctx);
                }
                if again {
                    self.wait(round.patience, ctx);
                    return None;
                }
            }
            Input::Opened(conn) if self.asked.iter().any(|a| a.conn == *conn && !a.over) => {
                ctx.send(*conn, round.question);
                return None;
            }
            Input::Message(conn, message @ (Message::Status { .. } | Message::Failsafe { .. })) => {
                let asked = self.asked.iter_mut().find(|a| a.conn == *conn)?;
                asked.over = true;
                asked.answer = Some(message.clone());
                ctx.close(*conn);
            }
            Input::Ended(conn, _) => {
                self.asked
                    .iter_mut()
                    .find(|a| a.conn == *conn && !a.over)?
                    .try_again(ctx);
            }
            _ => return None,
        }
        if self.asked.iter().any(|a| !a.over) {
            return None;
        }
        ctx.cancel_timer(self.timer);
        self.round = None;
        Some(self.asked.drain(..).map(|asked| (asked.peer, asked.answer)).collect())
    }
}

impl Asked {
    fn try_again(&mut self, ctx: &mut Ctx<'_, Words>) -> bool {
        self.over = self.tries_left == 0;
        if !self.over {
            self.tries_left -= 1;
            self.conn = ctx.open(self.agent);
        }
        !self.over
    }
}
