//! The HA loop: when it runs, and one cycle of it in the true order (patroni.md 2.1, 2.2).
//!
//! ```text
//! Sleeping -> Working -> ReadingCluster -> AskingDatabase -+- I lead -----> renew (lease.rs) -> status -> role
//!    ^                                                      +- another leads -> follow, or demote (demote.rs)
//!    |                                                      +- nobody leads --> race (race.rs)
//!    +---------------- PublishingMember <-------------------+
//! ```

use super::costs::{
    ARRIVAL, DRAW_START, DRAW_WORK, FOLLOWERS_LATER, NAME_PATIENCE, OVERRUN_NAP, PROCESS_END, RELOAD, START_RETRY, WORK,
};
use super::lease::LeaseUse;
use super::manual::{AfterClear, CandidatesFor};
use super::peers::{Answers, Round};
use super::sql::{Monitored, SqlFailure};
use super::sync::Syncing;
use super::{Agent, HA_TIMER, Role};
use crate::engine::{Ctx, MonoTime, Span};
use crate::store::{CallKind, CallOutcome};
use crate::vocabulary::{Message, Note, Order, SqlState, Step, StoreAnswer, StoreOp, Words};

/// The program counter of the HA thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pc {
    Off,
    /// The run begins in the middle of its life.
    Arriving,
    /// The process loads.
    Booting,
    /// Asks whether another agent has its name.
    ProbingName,
    /// Asks the store for a first lease until it answers.
    Joining,
    /// The database runs already and reads its configuration again.
    Adopting,
    Sleeping,
    /// Awake, before the first step.
    Working,
    /// Waits until the copy of the store's keys is connected; then goes on with a cycle, or follows whoever won.
    ReadingCluster(AfterRead),
    AskingDatabase,
    UsingLease(LeaseUse),
    PublishingStatus,
    PublishingFailsafe,
    /// Looks for somebody who could take over.
    AskingCandidates(CandidatesFor),
    ClearingRequest(AfterClear),
    /// Sleeps until a handover that was asked for is due.
    AwaitingSchedule,
    Syncing(Syncing),
    PublishingHistory,
    /// The vetoes that need nobody's answer are passed.
    PreparingRace,
    AskingPeers,
    AskingLeader,
    /// All is said; the process ends.
    Ending,
    /// No answer forbids it to race.
    Deciding,
    AskingFailsafe,
    /// In `stop.rs`.
    Stopping,
    /// Waits until the server is up again, read-only.
    StartingReadOnly,
    ReleasingKey,
    /// The key is released; a pause for a successor to take it.
    Yielding,
    /// The key is released, and the cycle goes on.
    DroppingKey,
    /// A pause for somebody else to take the key.
    StandingBack,
    /// In `shutdown.rs`.
    AskingForRelease,
    WaitingForRelease {
        until: MonoTime,
    },
    PublishingMember,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterRead {
    Cycle,
    FollowTheWinner,
}

impl Agent {
    /// The simulation begins in the middle of this agent's life.
    pub(super) fn join_running(&mut self, ctx: &mut Ctx<'_, Words>) {
        // The connections between the store's members are made in the first milliseconds; this agent's come after them.
        self.pc = Pc::Arriving;
        ctx.set_timer(HA_TIMER, ARRIVAL);
    }

    fn arrive(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.watcher.restart(self.client.server(), ctx);
        self.next_run = self.clock(ctx);
        self.step = Step::Sleeping;
        self.pc = Pc::Sleeping;
        // The leader's loop is the clock of the cluster; the others run just after it.
        if self.role == Role::Primary {
            self.believe(ctx);
            self.leave_sleep(ctx);
        } else {
            self.next_run = self.next_run + self.settings.loop_wait;
            ctx.set_timer(HA_TIMER, self.settings.loop_wait + FOLLOWERS_LATER);
        }
    }

    // --- when it runs

    /// Sets the wake-up event.
    pub(super) fn wake(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.pc == Pc::Sleeping {
            // Woken early, the cadence starts again from here.
            self.first_cycle(ctx);
        } else {
            self.wake_up = true;
        }
    }

    fn first_cycle(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.next_run = self.clock(ctx);
        self.leave_sleep(ctx);
    }

    fn leave_sleep(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.wake_up = false;
        self.pc = Pc::Working;
        let after = ctx.sample(DRAW_WORK, &WORK);
        ctx.set_timer(HA_TIMER, after);
    }

    /// The cycle is over: sleeps until a loop_wait after this cycle was *scheduled*.
    pub(super) fn end_cycle(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.at(Step::Sleeping, Pc::Sleeping, ctx);
        if self.signs_off {
            self.pc = Pc::Ending;
            let after = ctx.compute(DRAW_START, &PROCESS_END);
            return ctx.set_timer(HA_TIMER, after);
        }
        if self.terminating {
            return self.begin_shut_down(ctx);
        }
        let new_ttl = self.adopt_timings(ctx);
        if new_ttl || self.wake_up {
            return self.wake(ctx);
        }
        let (now, scheduled) = (self.clock(ctx), self.next_run + self.settings.loop_wait);
        if scheduled <= now {
            self.next_run = now;
            return ctx.set_timer(HA_TIMER, OVERRUN_NAP);
        }
        self.next_run = scheduled;
        // Only whoever follows somebody waits longer; without a leader everybody keeps the plain period (recorded: after
        // both replicas declined, the next race came 10.2 s after the first, not 10.7 s).
        let follows = self.view.leader.is_some_and(|leader| leader != self.config.me);
        let later = if follows { FOLLOWERS_LATER } else { Span::ZERO };
        let nap = scheduled.since(now) + later;
        ctx.set_timer(HA_TIMER, self.back_off_left(ctx).map_or(nap, |left| left.min(nap)));
    }

    pub(super) fn ha_timer(&mut self, ctx: &mut Ctx<'_, Words>) {
        match self.pc.clone() {
            Pc::Arriving => self.arrive(ctx),
            Pc::Booting if self.config.me != self.config.node => self.probe_name(ctx),
            Pc::Booting => {
                self.watcher.restart(self.client.server(), ctx);
                self.ask_for_lease(ctx);
            }
            Pc::Joining => self.ask_for_lease(ctx),
            Pc::Adopting => self.first_cycle(ctx),
            Pc::Sleeping => self.leave_sleep(ctx),
            Pc::Working => self.begin_cycle(ctx),
            // The copy did not come back in time: the read has failed.
            Pc::ReadingCluster(_) => self.store_failed(ctx),
            Pc::PreparingRace => self.ask_peers(ctx),
            Pc::Ending => ctx.exit(),
            Pc::Deciding => self.use_lease(LeaseUse::acquiring(), ctx),
            Pc::AwaitingSchedule => self.answer_request(ctx),
            Pc::Yielding => self.yielded(ctx),
            Pc::StandingBack => self.stood_back(ctx),
            Pc::WaitingForRelease { until } => self.wait_for_release(until, ctx),
            Pc::Syncing(stage) => self.sync_settled(stage, ctx),
            _ => {}
        }
    }

    // --- joining the cluster

    fn ask_for_lease(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.pc = Pc::Joining;
        self.client
            .begin(StoreOp::LeaseGrant { ttl: self.settings.ttl }, CallKind::Retried, ctx);
    }

    /// Whoever answers under this agent's name keeps it (patroni.md 12).
    fn probe_name(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.pc = Pc::ProbingName;
        let other = self.agents_of([self.config.me].into_iter().collect());
        let round = Round {
            question: Message::AskStatus { request: 0 },
            tries: 1,
            patience: NAME_PATIENCE,
        };
        self.peers.begin(other.into_iter(), round, ctx);
    }

    fn name_probed(&mut self, answers: &Answers, ctx: &mut Ctx<'_, Words>) {
        if answers.iter().any(|(_, answer)| answer.is_some()) {
            ctx.note(Note::NameTaken);
            return ctx.exit();
        }
        self.watcher.restart(self.client.server(), ctx);
        self.ask_for_lease(ctx);
    }

    // --- S1: the cluster as the store has it

    fn begin_cycle(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::CycleBegins);
        self.lease_touched = false;
        // A changed configuration file is read again before a cycle.
        let ordered = ctx.orders().filter_map(|order| match order {
            Order::Tag(tag) => Some(*tag),
            _ => None,
        });
        self.tags = self.config.tags(ordered);
        // S0
        if let Some(db) = self.db.take() {
            self.last_lsn = Some(db.position.lsn);
        }
        self.read_cluster(AfterRead::Cycle, ctx);
    }

    /// A look at the watcher's copy, which is free; waiting for the copy to be connected costs up to retry_timeout.
    pub(super) fn read_cluster(&mut self, then: AfterRead, ctx: &mut Ctx<'_, Words>) {
        if self.watcher.is_ready() {
            return self.cluster_read(then, ctx);
        }
        self.at(Step::ReadingCluster, Pc::ReadingCluster(then), ctx);
        ctx.set_timer(HA_TIMER, self.settings.retry_timeout);
    }

    pub(super) fn cluster_became_readable(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let Pc::ReadingCluster(then) = self.pc {
            ctx.cancel_timer(HA_TIMER);
            self.cluster_read(then, ctx);
        }
    }

    fn cluster_read(&mut self, then: AfterRead, ctx: &mut Ctx<'_, Words>) {
        self.look_at_cluster(ctx);
        if then == AfterRead::FollowTheWinner {
            return self.follow(ctx);
        }
        self.adopt_settings(ctx);
        if self.settings.pause {
            self.close_watchdog(ctx);
        }
        if self.executor_is_busy() {
            return self.while_executor_works(ctx);
        }
        let alive = ctx.is_alive(self.config.database());
        if std::mem::take(&mut self.recovering) && !alive {
            return self.gives_recovery_up(ctx);
        }
        if !alive {
            return self.recover(ctx);
        }
        self.crash_recovered = false;
        self.at(Step::AskingDatabase, Pc::AskingDatabase, ctx);
        self.sql.ask(ctx);
    }

    // --- S14: healthy or unhealthy cluster

    pub(super) fn database_answered(&mut self, result: Result<Monitored, SqlFailure>, ctx: &mut Ctx<'_, Words>) {
        let looks_again = match self.pc {
            Pc::AskingDatabase => None,
            Pc::Syncing(Syncing::AskingDatabase { names, from }) => Some((names, from)),
            _ => return,
        };
        let starting = result == Err(SqlFailure::Starting);
        self.state = if starting {
            SqlState::Starting
        } else {
            SqlState::Running
        };
        self.db = result.ok();
        if let Some((names, from)) = looks_again {
            return self.sync_looked(names, from, ctx);
        }
        let chosen = self.view.request.and_then(|request| request.candidate) == Some(self.config.me);
        match self.view.leader {
            Some(leader) if leader == self.config.me && self.settings.pause && !self.is_primary() && !chosen => {
                self.drop_key(ctx);
            }
            // An unresponsive database does not stop the renewal (patroni.md 3.1).
            Some(leader) if leader == self.config.me => self.use_lease(LeaseUse::renewing(), ctx),
            Some(_) => self.follow(ctx),
            None => self.unhealthy_cluster(ctx),
        }
    }

    // --- answers of the peers

    pub(super) fn round_answered(&mut self, answers: Answers, ctx: &mut Ctx<'_, Words>) {
        match self.pc {
            Pc::ProbingName => self.name_probed(&answers, ctx),
            Pc::AskingPeers => self.peers_answered(answers, ctx),
            Pc::AskingFailsafe => self.failsafe_answered(&answers, ctx),
            Pc::AskingCandidates(why) => {
                let possible = self.somebody_can_take_over(answers, ctx);
                self.candidates_answered(why, possible, ctx);
            }
            Pc::Stopping => {
                let possible = self.somebody_can_take_over(answers, ctx);
                self.stop_candidates_answered(possible, ctx);
            }
            _ => {}
        }
    }

    // --- answers of the store

    pub(super) fn store_answered(&mut self, outcome: CallOutcome, ctx: &mut Ctx<'_, Words>) {
        self.watcher.prefer(self.client.server(), ctx);
        match self.pc.clone() {
            Pc::Joining => match outcome {
                CallOutcome::Answered(Ok(StoreAnswer::Lease { lease, .. })) => {
                    self.lease = Some(lease);
                    // The configuration is read before anything else is done; a lease for another ttl is of no use.
                    self.view.settings = self.read_view().settings;
                    if self.adopt_timings(ctx) {
                        return self.ask_for_lease(ctx);
                    }
                    if ctx.is_alive(self.config.database()) {
                        self.pc = Pc::Adopting;
                        return ctx.set_timer(HA_TIMER, RELOAD);
                    }
                    self.first_cycle(ctx);
                }
                _ => ctx.set_timer(HA_TIMER, START_RETRY),
            },
            Pc::UsingLease(stage) => self.lease_answered(stage, outcome, ctx),
            Pc::PublishingStatus => {
                self.restart_watcher_after(&outcome, ctx);
                self.publish_failsafe(ctx);
            }
            Pc::PublishingHistory => {
                self.restart_watcher_after(&outcome, ctx);
                self.publish_member(ctx);
            }
            Pc::PublishingFailsafe => {
                self.restart_watcher_after(&outcome, ctx);
                self.renewed(ctx);
            }
            Pc::ClearingRequest(then) => {
                self.restart_watcher_after(&outcome, ctx);
                self.request_cleared(then, ctx);
            }
            Pc::Syncing(stage) => self.sync_answered(stage, &outcome, ctx),
            Pc::Stopping => self.stop_released(outcome != CallOutcome::Unreachable, ctx),
            Pc::ReleasingKey if self.terminating => self.sign_off(ctx),
            Pc::ReleasingKey => self.key_released(ctx),
            Pc::DroppingKey => {
                self.stop_believing(ctx);
                self.publish_member(ctx);
            }
            Pc::AskingForRelease => self.release_asked_for(outcome != CallOutcome::Unreachable, ctx),
            Pc::PublishingMember => {
                self.restart_watcher_after(&outcome, ctx);
                if outcome == CallOutcome::Unreachable {
                    self.published_member = None;
                }
                self.end_cycle(ctx);
            }
            _ => {}
        }
    }

    /// A failed request that is not retried makes the stream suspect.
    fn restart_watcher_after(&mut self, outcome: &CallOutcome, ctx: &mut Ctx<'_, Words>) {
        if *outcome == CallOutcome::Unreachable {
            self.watcher.restart(self.client.server(), ctx);
        }
    }
}
