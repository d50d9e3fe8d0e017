//! Switchover and failover by hand, from the leader's side (patroni.md 3.7). Without a leader the request is for the race.

use super::ha::Pc;
use super::stop::Thread;
use super::{Agent, HA_TIMER};
use crate::engine::{Ctx, Span, WallTime};
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
        match request.scheduled.map(|scheduled| self.look_at_schedule(scheduled, ctx)) {
            None => self.answer_request(ctx),
            Some(Schedule::Later) => self.enforce_primary_role(ctx),
            Some(Schedule::Past) => {
                ctx.note(Note::ScheduleDropped);
                self.clear_request(AfterClear::EnforceRole, ctx);
            }
            Some(Schedule::Within(rest)) => {
                ctx.note(Note::AwaitsSchedule);
                self.pc = Pc::AwaitingSchedule;
                ctx.set_timer(HA_TIMER, rest);
            }
        }
    }

    /// A request for a later time is left alone until that is less than a loop away, and all the time in maintenance mode.
    /// After one and a half loops, in whole seconds, it is too late.
    fn look_at_schedule(&self, scheduled: WallTime, ctx: &Ctx<'_, Words>) -> Schedule {
        let (now, loop_wait) = (self.clock(ctx), self.settings.loop_wait);
        let too_late = Span::from_secs(loop_wait.as_micros() * 3 / 2 / 1_000_000);
        if self.settings.pause || scheduled > now + loop_wait {
            Schedule::Later
        } else if now.since(scheduled) > too_late {
            Schedule::Past
        } else {
            Schedule::Within(scheduled.since(now))
        }
    }

    /// The time has come. The loop has slept until then: it renewed its lease before, and renews it again while it hands over.
    pub(super) fn answer_request(&mut self, ctx: &mut Ctx<'_, Words>) {
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

/// Where a request for a later time stands.
enum Schedule {
    Later,
    /// In so long, which is less than a loop.
    Within(Span),
    Past,
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
