//! Cycles in which the database is not simply running: a long action is under way (patroni.md 2.2 S6), it is starting
//! (S7), or its process is gone (S13, 2.4).

use super::ha::Pc;
use super::lease::LeaseUse;
use super::manual::CandidatesFor;
use super::sql::{Monitored, SqlFailure, SqlLink};
use super::stop::Thread;
use super::{Agent, LEADER_SQL_TIMER, Role, executor};
use crate::engine::{Ctx, Span};
use crate::vocabulary::{ControlState, DbRole, Demotion, File, FileName, Note, RecoveryConfig, SqlState, Step, Words};

impl Agent {
    /// S6: a long action is under way. Whoever holds the lock renews it; whoever does not and still runs a primary
    /// stops it. `Promoted` is not `Primary` yet and is let go on.
    pub(super) fn while_executor_works(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.holds_key() {
            self.use_lease(LeaseUse::renewing(), ctx);
        } else {
            self.lock_missing_while_executor_works(ctx);
        }
    }

    pub(super) fn lock_missing_while_executor_works(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.role == Role::Primary && !self.settings.pause {
            return self.demote(Demotion::LockLost, ctx);
        }
        self.publish_member(ctx);
    }

    /// S13: the server's process is gone. A primary that ended uncleanly goes through crash recovery first, once, in
    /// single-user mode; only then does its log end where it says.
    pub(super) fn recover(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::DatabaseFoundDead);
        if self.settings.pause {
            self.state = SqlState::Stopped;
            return if self.holds_key() {
                self.drop_key(ctx)
            } else {
                self.publish_member(ctx)
            };
        }
        self.state = SqlState::Crashed;
        if self.holds_key() {
            return self.use_lease(LeaseUse::renewing(), ctx);
        }
        self.close_watchdog(ctx);
        let unclean = matches!(
            executor::control_state(ctx),
            Some(ControlState::InProduction | ControlState::ShuttingDown)
        );
        let useful = self.view.leader.is_none() || self.settings.use_pg_rewind;
        if unclean && useful && !self.crash_recovered {
            self.crash_recovered = true;
            self.recover_crash(ctx);
            return self.publish_member(ctx);
        }
        self.look_for_divergence(ctx);
    }

    /// Step 4 of `recover`, without the lock: the leader's history tells whether the own log has something that it has not.
    fn look_for_divergence(&mut self, ctx: &mut Ctx<'_, Words>) {
        match self.view.leader {
            Some(leader) if leader != self.config.me && self.may_lose_own_log() => {
                self.at(Step::AskingLeader, Pc::AskingLeader, ctx);
                let mut sql = SqlLink::new(self.config.databases[leader.index()], LEADER_SQL_TIMER);
                sql.ask_once(ctx);
                self.leader_sql = Some(sql);
            }
            _ => self.start_as_standby(ctx),
        }
    }

    /// Without an answer nothing is known and nothing rewound. What a former primary wrote last, its shutdown included,
    /// must be in the new leader's log; of a standby it is enough that all it has is there.
    pub(super) fn leader_told(&mut self, answer: Result<Monitored, SqlFailure>, ctx: &mut Ctx<'_, Words>) {
        if let Some(mut sql) = self.leader_sql.take() {
            sql.close(ctx);
        }
        let theirs = answer.ok().filter(|leader| leader.role == DbRole::Primary);
        match (theirs, ctx.file(FileName::Control)) {
            (Some(leader), Some(File::Control(own))) if !leader.position.history.continues(&own.position) => {
                let config = self.standby_of(self.view.leader);
                self.rewind_after_stop(leader.position, config, ctx);
                self.publish_member(ctx);
            }
            _ => self.start_as_standby(ctx),
        }
    }

    fn start_as_standby(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.recovering = true;
        let config = self.standby_of(self.view.leader);
        self.start_database(config, ctx);
        self.publish_member(ctx);
    }

    /// The key goes, the database stays as it is.
    pub(super) fn drop_key(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.at(Step::ReleasingKey, Pc::DroppingKey, ctx);
        self.release_key(Thread::Loop, ctx);
    }

    /// S9: the start was tried and the server is dead again. Whoever holds the lock makes room for another; the next cycle
    /// tries again.
    pub(super) fn gives_recovery_up(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.state = SqlState::Crashed;
        self.close_watchdog(ctx);
        if !self.holds_key() {
            return self.publish_member(ctx);
        }
        self.role = Role::Demoted;
        self.drop_key(ctx);
    }

    /// The lock is renewed and the server is dead. With `primary_start_timeout = 0` another node is preferred to a start.
    pub(super) fn recover_with_lock(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.settings.primary_start_timeout == Span::ZERO {
            return self.ask_who_could_lead(CandidatesFor::DeadDatabase, ctx);
        }
        self.start_with_lock(ctx);
    }

    fn ask_who_could_lead(&mut self, why: CandidatesFor, ctx: &mut Ctx<'_, Words>) {
        self.at(Step::AskingCandidates, Pc::AskingCandidates(why), ctx);
        self.ask_candidates(Thread::Loop, None, ctx);
    }

    /// The candidates have answered the HA loop.
    pub(super) fn candidates_answered(&mut self, why: CandidatesFor, possible: bool, ctx: &mut Ctx<'_, Words>) {
        match (why, possible) {
            (CandidatesFor::HandOver, _) => self.hand_over_if_possible(possible, ctx),
            (CandidatesFor::DeadDatabase | CandidatesFor::SlowStart, true) => {
                self.demote(Demotion::DatabaseFailed, ctx)
            }
            (CandidatesFor::DeadDatabase, false) => self.start_with_lock(ctx),
            (CandidatesFor::SlowStart, false) => self.publish_member(ctx),
        }
    }

    /// A server that crashed as a primary is started again as one, on its timeline; any other comes up read-only and is
    /// promoted by a later cycle.
    fn start_with_lock(&mut self, ctx: &mut Ctx<'_, Words>) {
        let was_primary = matches!(
            executor::control_state(ctx),
            Some(ControlState::InProduction | ControlState::ShuttingDown | ControlState::ShutDown)
        );
        let standby = !(was_primary && self.role == Role::Primary);
        self.recovering = true;
        self.start_database(
            RecoveryConfig {
                standby,
                upstream: None,
            },
            ctx,
        );
        self.publish_member(ctx);
    }

    /// S7, with the lock renewed: a primary that starts for too long makes room, if somebody else can lead.
    pub(super) fn starting_with_lock(&mut self, ctx: &mut Ctx<'_, Words>) {
        let patience = self.settings.primary_start_timeout;
        match self.starting_since {
            Some(since) if self.role == Role::Primary && ctx.mono().since(since) > patience => {
                self.ask_who_could_lead(CandidatesFor::SlowStart, ctx);
            }
            _ => self.publish_member(ctx),
        }
    }
}
