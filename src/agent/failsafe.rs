//! Failsafe mode: a primary without its store leads on while every member it knows agrees (patroni.md 7).
//!
//! | who       | does |
//! |-----------|------|
//! | leader    | keeps the list of members in `/failsafe`; without the store it asks all of them in every cycle |
//! | member    | agrees unless it runs as a primary itself, and takes the asker for the leader for one ttl |
//! | candidate | does not race if the list does not name it; asks those on the list too |
//!
//! A node in the middle of a promotion is no primary yet and agrees: two primaries until the next question.

use super::costs::{FAILSAFE_TRIES, PEER_PATIENCE};
use super::ha::Pc;
use super::peers::{Answers, Round};
use super::{Agent, Role};
use crate::engine::{Ctx, Span, WallTime};
use crate::store::CallKind;
use crate::vocabulary::{Demotion, Key, Message, NodeId, NodeSet, Note, Step, StoreOp, Value, Words};

#[derive(Clone, Debug, Default)]
pub(super) struct Failsafe {
    /// The last list that this node read or wrote.
    pub known: NodeSet,
    /// Who said last that it leads without the store, and when.
    said: Option<(NodeId, WallTime)>,
}

impl Failsafe {
    /// Who said within the last `ttl` that it leads.
    pub fn heard(&self, now: WallTime, ttl: Span) -> Option<NodeId> {
        self.said.filter(|&(_, at)| now < at + ttl).map(|(node, _)| node)
    }

    pub fn hears(&mut self, leader: NodeId, now: WallTime) {
        self.said = Some((leader, now));
    }

    pub fn forget(&mut self) {
        self.said = None;
    }
}

impl Agent {
    /// After the renewal: the list of members, if it is not what the store has.
    pub(super) fn publish_failsafe(&mut self, ctx: &mut Ctx<'_, Words>) {
        let members = self.view.members.with(self.config.me);
        let stored = self.watcher.get(Key::Failsafe).map(|item| &item.value);
        if !self.settings.failsafe_mode || stored == Some(&Value::Failsafe(members)) {
            return self.renewed(ctx);
        }
        self.failsafe.known = members;
        self.at(Step::PublishingStatus, Pc::PublishingFailsafe, ctx);
        let put = StoreOp::Put {
            key: Key::Failsafe,
            value: Value::Failsafe(members),
            lease: None,
        };
        self.client.begin(put, CallKind::Once, ctx);
    }

    /// Instead of a demotion, if the list names this node. With nobody else on the list, nobody has to agree.
    pub(super) fn ask_failsafe(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.at(Step::AskingFailsafe, Pc::AskingFailsafe, ctx);
        let others = self.agents_of(self.failsafe.known.without(self.config.me));
        let round = Round {
            question: Message::AskFailsafe { leader: self.config.me },
            tries: FAILSAFE_TRIES,
            patience: PEER_PATIENCE,
        };
        self.peers.begin(others.into_iter(), round, ctx);
    }

    pub(super) fn failsafe_answered(&mut self, answers: &Answers, ctx: &mut Ctx<'_, Words>) {
        let agrees = |answer: &Option<Message>| matches!(answer, Some(Message::Failsafe { accepted: true, .. }));
        if answers.iter().all(|(_, answer)| agrees(answer)) {
            ctx.note(Note::FailsafeHolds);
            self.believe(ctx);
            self.ping_watchdog(ctx);
            self.end_cycle(ctx);
        } else {
            ctx.note(Note::FailsafeFails);
            self.demote(Demotion::StoreUnreachable, ctx);
        }
    }

    /// The REST interface was asked. It does not look at its own view of the store.
    pub(super) fn failsafe_asked(&mut self, leader: NodeId, ctx: &mut Ctx<'_, Words>) -> bool {
        let accepted = self.settings.failsafe_mode && self.role != Role::Primary;
        if accepted {
            let now = self.clock(ctx);
            self.failsafe.hears(leader, now);
            ctx.note(Note::FailsafeAccepted { leader });
        }
        accepted
    }
}
