//! One round of questions to other members' REST interfaces: all at once, each with a time-out for the connection and the
//! same again for the answer, some asked once more. Silence, refusal and answers that make no sense are no answer
//! (patroni.md 5 R1.11e, 7).

use crate::engine::{ConnId, Ctx, Input, MonoTime, ProcId, Span, TimerKey};
use crate::vocabulary::{Message, NodeId, RestStatus, Words};

#[derive(Clone, Debug)]
struct Asked {
    peer: NodeId,
    agent: ProcId,
    conn: ConnId,
    /// Until when it may take to connect, then to answer.
    until: MonoTime,
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
    /// How long each try may take to connect, and then to answer.
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
        let until = ctx.mono() + round.patience;
        self.asked = peers
            .map(|(peer, agent)| Asked {
                peer,
                agent,
                conn: ctx.open(agent),
                until,
                tries_left: round.tries - 1,
                over: false,
                answer: None,
            })
            .collect();
        self.round = Some(round);
        self.wait(ctx);
    }

    /// For whoever has the least time left; not at all when nobody was asked.
    fn wait(&self, ctx: &mut Ctx<'_, Words>) {
        let waiting = || self.asked.iter().filter(|asked| !asked.over);
        let first = waiting().map(|asked| asked.until).min();
        let conns: Vec<ConnId> = waiting()
            .filter(|asked| Some(asked.until) == first)
            .map(|asked| asked.conn)
            .collect();
        let after = first.map_or(Span::ZERO, |first| first.since(ctx.mono()));
        ctx.set_timeout(self.timer, after, &conns);
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
                let now = ctx.mono();
                for asked in self.asked.iter_mut().filter(|a| !a.over && a.until <= now) {
                    ctx.close(asked.conn);
                    asked.try_again(round.patience, ctx);
                }
            }
            Input::Opened(conn) => {
                let asked = self.asked.iter_mut().find(|a| a.conn == *conn && !a.over)?;
                asked.until = ctx.mono() + round.patience;
                ctx.send(*conn, round.question);
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
                    .try_again(round.patience, ctx);
            }
            _ => return None,
        }
        if self.asked.iter().any(|a| !a.over) {
            self.wait(ctx);
            return None;
        }
        ctx.cancel_timer(self.timer);
        self.round = None;
        Some(self.asked.drain(..).map(|asked| (asked.peer, asked.answer)).collect())
    }
}

impl Asked {
    fn try_again(&mut self, patience: Span, ctx: &mut Ctx<'_, Words>) {
        self.over = self.tries_left == 0;
        if !self.over {
            self.tries_left -= 1;
            self.conn = ctx.open(self.agent);
            self.until = ctx.mono() + patience;
        }
    }
}
