//! What clients and other members ask of this member, and how the answers go out.

use super::leases::Renewing;
use super::{Asked, DRAW_GATEWAY, EXPIRY_TICK, FIRST_REPLY, Member, RaftInput};
use crate::engine::{ConnId, Ctx, TimerKey};
use crate::raft::{MemberId, ReadToken};
use crate::vocabulary::{Logged, Message, Order, Reading, Revision, StoreAnswer, StoreError, StoreOp, Ticket, Words};

impl Member {
    pub(super) fn request(&mut self, conn: ConnId, request: u32, op: StoreOp, ctx: &mut Ctx<'_, Words>) {
        let streams = matches!(op, StoreOp::Watch { .. } | StoreOp::Members);
        if !streams && ctx.orders().any(|order| *order == Order::AnswerErrors) {
            return self.reply(conn, request, Err(StoreError::Unknown), ctx);
        }
        match op {
            StoreOp::LeaseKeepAlive { lease } => self.renew(lease, Renewing::Client { conn, request }, ctx),
            StoreOp::Watch { after } => self.watch(conn, after, ctx),
            StoreOp::Members => self.reply(conn, request, Ok(StoreAnswer::Members), ctx),
            StoreOp::Range {
                keys,
                reading: Reading::Serializable,
            } => self.reply(conn, request, Ok(self.kv.read(keys)), ctx),
            op => {
                let number = self.keep(conn, request, op, ctx);
                self.pursue(number, ctx);
            }
        }
    }

    /// Keeps a request until it is answered, under a number of its own.
    pub(super) fn keep(&mut self, conn: ConnId, request: u32, op: StoreOp, ctx: &Ctx<'_, Words>) -> u64 {
        let (number, at) = (self.next_number, ctx.mono());
        self.next_number += 1;
        self.asked.insert(number, Asked { conn, request, op, at });
        number
    }

    /// Brings a request on its way: into the log, or to a read that the group confirms.
    pub(super) fn pursue(&mut self, number: u64, ctx: &mut Ctx<'_, Words>) {
        let Some(asked) = self.asked.get(&number) else { return };
        let input = match &asked.op {
            StoreOp::Range { .. } => RaftInput::Read(ReadToken {
                member: self.me,
                number,
            }),
            StoreOp::LeaseKeepAlive { lease } => {
                let (conn, request, lease) = (asked.conn, asked.request, *lease);
                self.asked.remove(&number);
                return self.renew(lease, Renewing::Client { conn, request }, ctx);
            }
            op => RaftInput::Propose(Logged {
                ticket: Ticket {
                    member: self.me,
                    number,
                },
                op: op.clone(),
            }),
        };
        self.raft_input(input, ctx);
    }

    /// Proposes something that no client waits for.
    pub(super) fn propose_own(&mut self, op: StoreOp, ctx: &mut Ctx<'_, Words>) {
        let ticket = Ticket {
            member: self.me,
            number: self.next_number,
        };
        self.next_number += 1;
        self.raft_input(RaftInput::Propose(Logged { ticket, op }), ctx);
    }

    pub(super) fn retry_parked(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.raft.leader().is_some() {
            for number in std::mem::take(&mut self.parked) {
                self.pursue(number, ctx);
            }
        }
    }

    /// Reads and renewals on their way to the leader can be lost with it or with a connection: etcd asks again every 500 ms.
    /// A write is never proposed twice.
    pub(super) fn ask_again(&mut self, ctx: &mut Ctx<'_, Words>) {
        let now = ctx.mono();
        let again = |asked: &Asked| {
            matches!(asked.op, StoreOp::Range { .. } | StoreOp::LeaseKeepAlive { .. })
                && now.since(asked.at) >= EXPIRY_TICK
        };
        let late: Vec<u64> = self
            .asked
            .iter()
            .filter(|(_, asked)| again(asked))
            .map(|(&number, _)| number)
            .filter(|number| !self.unapplied.iter().any(|(_, waits)| waits == number))
            .collect();
        for number in late {
            if let Some(asked) = self.asked.get_mut(&number) {
                asked.at = now;
            }
            self.pursue(number, ctx);
        }
    }

    fn watch(&mut self, conn: ConnId, after: Revision, ctx: &mut Ctx<'_, Words>) {
        for (revision, events) in self.recent.iter().filter(|(revision, _)| *revision > after) {
            ctx.send(
                conn,
                Message::WatchEvents {
                    revision: *revision,
                    term: self.raft.term(),
                    events: events.clone(),
                },
            );
        }
        // A client that watches again has given its earlier watch up.
        if !self.watchers.contains(&conn) {
            self.watchers.push(conn);
        }
    }

    pub(super) fn reply(
        &mut self,
        conn: ConnId,
        request: u32,
        answer: Result<StoreAnswer, StoreError>,
        ctx: &mut Ctx<'_, Words>,
    ) {
        let message = Message::StoreReply {
            request,
            revision: self.kv.revision(),
            term: self.raft.term(),
            answer,
        };
        let Some(gateway) = &self.config.gateway else {
            return ctx.send(conn, message);
        };
        let after = ctx.sample(DRAW_GATEWAY, gateway);
        let number = self.next_reply;
        self.next_reply = self.next_reply.wrapping_add(1).max(FIRST_REPLY);
        self.replies.insert(number, (conn, message));
        ctx.set_timer(TimerKey(number), after);
    }

    // --- other members
    pub(super) fn hear_member(&mut self, from: MemberId, message: Message, ctx: &mut Ctx<'_, Words>) {
        match message {
            Message::Raft(message) => self.raft_input(RaftInput::Message(from, message), ctx),
            Message::Forward {
                ticket,
                op: StoreOp::LeaseKeepAlive { lease },
            } => {
                let who = Renewing::Member {
                    member: ticket.member,
                    number: ticket.number,
                };
                self.renew(lease, who, ctx);
            }
            Message::Forward { ticket, op } => self.raft_input(RaftInput::Propose(Logged { ticket, op }), ctx),
            Message::Forwarded { number, answer } => {
                if let Some(asked) = self.asked.remove(&number) {
                    self.reply(asked.conn, asked.request, Ok(answer), ctx);
                }
            }
            _ => {}
        }
    }
}
