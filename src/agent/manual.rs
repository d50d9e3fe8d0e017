//! Switchover and failover by hand, from the leader's side (patroni.md 3.7). Without a leader the request is for the race.

use super::Agent;
use super::ha::Pc;
use super::stop::Thread;
use crate::engine::Ctx;
use crate::store::CallKind;
use crate::vocabulary::{Key, Note, Step, StoreOp, Words};

/// What a cleared request is followed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterClear {
    /// The leader goes on with its cycle.
    EnforceRole,
    /// The winner of a race.
    Won,
}

impl Agent {
    /// After the renewal: is there a request to give the leadership up?
    pub(super) fn look_at_request(&mut self, ctx: &mut Ctx<'_, Words>) {
        let Some(request) = self.view.request else {
            return self.enforce_primary_role(ctx);
        };
        let for_another = request.leader.is_some_and(|leader| leader != self.config.me);
        let to_myself = request.candidate == Some(self.config.me);
        let unnamed_in_maintenance = self.settings.pause && request.candidate.is_none();
        if for_another || to_myself || unnamed_in_maintenance {
            return self.clear_request(AfterClear::EnforceRole, ctx);
        }
        ctx.note(Note::AskedToHandOver { to: request.candidate });
        self.at(
            Step::AskingCandidates,
            Pc::AskingCandidates(CandidatesFor::HandOver),
            ctx,
        );
        self.ask_candidates(Thread::Loop, request.candidate, ctx);
    }

    pub(super) fn hand_over_if_possible(&mut self, possible: bool, ctx: &mut Ctx<'_, Words>) {
        if possible {
            self.hand_over(ctx);
            self.publish_member(ctx);
        } else {
            ctx.note(Note::NobodyCanTakeOver);
            self.clear_request(AfterClear::EnforceRole, ctx);
        }
    }

    pub(super) fn clear_request(&mut self, then: AfterClear, ctx: &mut Ctx<'_, Words>) {
        self.view.request = None;
        self.pc = Pc::ClearingRequest(then);
        self.client
            .begin(StoreOp::Delete { key: Key::Failover }, CallKind::Once, ctx);
    }

    pub(super) fn request_cleared(&mut self, then: AfterClear, ctx: &mut Ctx<'_, Words>) {
        match then {
            AfterClear::EnforceRole => self.enforce_primary_role(ctx),
            AfterClear::Won => self.won_and_cleared(ctx),
        }
    }
}

/// Why the leader asks who could take over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CandidatesFor {
    HandOver,
    /// The database is dead, and a start is not to be tried if somebody else can lead (`primary_start_timeout = 0`).
    DeadDatabase,
    /// The database has been starting for longer than `primary_start_timeout`.
    SlowStart,
}
