//! The HA loop: when it runs, and one cycle of it in the true order (patroni.md 2.1, 2.2).
//!
//! ```text
//! Sleeping -> Working -> ReadingCluster -> AskingDatabase -+- I lead -----> renew (lease.rs) -> status -> role
//!    ^                                                      +- another leads -> follow, or demote (demote.rs)
//!    |                                                      +- nobody leads --> race (race.rs)
//!    +---------------- PublishingMember <-------------------+
//! ```

use super::costs::{ARRIVAL, DRAW_WORK, FOLLOWERS_LATER, OVERRUN_NAP, RELOAD, START_RETRY, WORK};
use super::demote::Demoting;
use super::lease::LeaseUse;
use super::sql::{Monitored, SqlFailure};
use super::{Agent, HA_TIMER, Role, View};
use crate::engine::{Ctx, Signal, Span};
use crate::store::{CallKind, CallOutcome};
use crate::vocabulary::{
    ControlFile, ControlState, DbRole, Decline, Demotion, File, FileName, Key, NodeId, Note, RecoveryConfig, SqlState,
    Step, StoreAnswer, StoreOp, Value, Words,
};

/// The program counter of the HA thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pc {
    Off,
    /// The run begins in the middle of its life.
    Arriving,
    /// The process loads.
    Booting,
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
    PublishingHistory,
    /// The vetoes that need nobody's answer are passed.
    PreparingRace,
    AskingPeers,
    Demoting(Demoting),
    ReleasingKey,
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
        self.next_run = ctx.wall();
        self.step = Step::Sleeping;
        self.pc = Pc::Sleeping;
        // The leader's loop is the clock of the cluster; the others run just after it.
        if self.role == Role::Primary {
            self.believe(ctx);
            self.leave_sleep(ctx);
        } else {
            self.next_run = self.next_run + self.config.loop_wait;
            ctx.set_timer(HA_TIMER, self.config.loop_wait + FOLLOWERS_LATER);
        }
    }

    // --- when it runs

    /// Sets the wake-up event.
    pub(super) fn wake(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.pc == Pc::Sleeping {
            // Woken early, the cadence starts again from here.
            self.next_run = ctx.wall();
            self.leave_sleep(ctx);
        } else {
            self.wake_up = true;
        }
    }

    fn first_cycle(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.next_run = ctx.wall();
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
        if self.wake_up {
            return self.wake(ctx);
        }
        let (now, scheduled) = (ctx.wall(), self.next_run + self.config.loop_wait);
        if scheduled <= now {
            self.next_run = now;
            return ctx.set_timer(HA_TIMER, OVERRUN_NAP);
        }
        self.next_run = scheduled;
        // Only whoever follows somebody waits longer; without a leader everybody keeps the plain period (recorded: after
        // both replicas declined, the next race came 10.2 s after the first, not 10.7 s).
        let follows = self.view.leader.is_some_and(|leader| leader != self.config.me);
        let later = if follows { FOLLOWERS_LATER } else { Span::ZERO };
        ctx.set_timer(HA_TIMER, scheduled.since(now) + later);
    }

    pub(super) fn ha_timer(&mut self, ctx: &mut Ctx<'_, Words>) {
        match self.pc.clone() {
            Pc::Arriving => self.arrive(ctx),
            Pc::Booting => {
                self.watcher.restart(self.client.server(), ctx);
                self.pc = Pc::Joining;
                self.client
                    .begin(StoreOp::LeaseGrant { ttl: self.config.ttl }, CallKind::Retried, ctx);
            }
            Pc::Joining => {
                self.client
                    .begin(StoreOp::LeaseGrant { ttl: self.config.ttl }, CallKind::Retried, ctx);
            }
            Pc::Adopting => self.first_cycle(ctx),
            Pc::Sleeping => self.leave_sleep(ctx),
            Pc::Working => self.begin_cycle(ctx),
            // The copy did not come back in time: the read has failed.
            Pc::ReadingCluster(_) => self.store_failed(ctx),
            Pc::PreparingRace => self.ask_peers(ctx),
            Pc::Demoting(stage) => self.demotion_timer(stage, ctx),
            _ => {}
        }
    }

    // --- S1: the cluster as the store has it

    fn begin_cycle(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::CycleBegins);
        self.lease_touched = false;
        self.db = None;
        self.read_cluster(AfterRead::Cycle, ctx);
    }

    /// A look at the watcher's copy, which is free; waiting for the copy to be connected costs up to retry_timeout.
    pub(super) fn read_cluster(&mut self, then: AfterRead, ctx: &mut Ctx<'_, Words>) {
        if self.watcher.is_ready() {
            return self.cluster_read(then, ctx);
        }
        self.at(Step::ReadingCluster, Pc::ReadingCluster(then), ctx);
        ctx.set_timer(HA_TIMER, self.config.retry_timeout);
    }

    pub(super) fn cluster_became_readable(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let Pc::ReadingCluster(then) = self.pc {
            ctx.cancel_timer(HA_TIMER);
            self.cluster_read(then, ctx);
        }
    }

    pub(super) fn watcher_leader(&self) -> Option<NodeId> {
        match self.watcher.get(Key::Leader)?.value {
            Value::Leader(node) => Some(node),
            _ => None,
        }
    }

    pub(super) fn look_at_cluster(&mut self, ctx: &mut Ctx<'_, Words>) {
        let published = match self.watcher.get(Key::Status).map(|item| item.value) {
            Some(Value::Status(lsn)) => Some(lsn),
            _ => None,
        };
        let leader_lease = self.watcher.get(Key::Leader).and_then(|item| item.lease);
        self.view = View {
            leader: self.watcher_leader(),
            leader_lease,
            published,
        };
        if self.view.leader != Some(self.config.me) {
            self.stop_believing(ctx);
        }
    }

    fn cluster_read(&mut self, then: AfterRead, ctx: &mut Ctx<'_, Words>) {
        self.look_at_cluster(ctx);
        if then == AfterRead::FollowTheWinner {
            return self.follow(ctx);
        }
        if self.executor_is_busy() {
            return self.while_executor_works(ctx);
        }
        if !ctx.is_alive(self.config.database()) {
            return self.recover(ctx);
        }
        self.at(Step::AskingDatabase, Pc::AskingDatabase, ctx);
        self.sql.ask(ctx);
    }

    /// S6: a long action is under way. Whoever holds the lock renews it; whoever does not and still runs a primary
    /// stops it. `Promoted` is not `Primary` yet and is let go on.
    fn while_executor_works(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.view.leader == Some(self.config.me) {
            self.use_lease(LeaseUse::renewing(), ctx);
        } else if self.role == Role::Primary {
            self.demote(Demotion::LockLost, ctx);
        } else {
            self.publish_member(ctx);
        }
    }

    /// S13: the server's process is gone.
    fn recover(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::DatabaseFoundDead);
        self.state = SqlState::Crashed;
        if self.view.leader == Some(self.config.me) {
            return self.use_lease(LeaseUse::renewing(), ctx);
        }
        self.close_watchdog(ctx);
        let config = self.standby_of(self.view.leader);
        self.start_database(config, ctx);
        self.publish_member(ctx);
    }

    /// With the lock held: a server that crashed as a primary is started again as one, on its timeline; any other comes
    /// up read-only and is promoted by a later cycle.
    pub(super) fn recover_with_lock(&mut self, ctx: &mut Ctx<'_, Words>) {
        let was_primary = matches!(
            ctx.file(FileName::Control),
            Some(File::Control(ControlFile {
                state: ControlState::InProduction,
                ..
            }))
        );
        let standby = !(was_primary && self.role == Role::Primary);
        self.start_database(
            RecoveryConfig {
                standby,
                upstream: None,
            },
            ctx,
        );
        self.publish_member(ctx);
    }

    pub(super) fn standby_of(&self, leader: Option<NodeId>) -> RecoveryConfig {
        let upstream = leader
            .filter(|&node| node != self.config.me)
            .map(|node| self.config.databases[node.index()]);
        RecoveryConfig {
            standby: true,
            upstream,
        }
    }

    // --- S14: healthy or unhealthy cluster

    pub(super) fn database_answered(&mut self, result: Result<Monitored, SqlFailure>, ctx: &mut Ctx<'_, Words>) {
        if self.pc != Pc::AskingDatabase {
            return;
        }
        let starting = result == Err(SqlFailure::Starting);
        self.state = if starting {
            SqlState::Starting
        } else {
            SqlState::Running
        };
        self.db = result.ok();
        match (self.view.leader, self.db.is_some()) {
            // An unresponsive database does not stop the renewal (patroni.md 3.1).
            (Some(leader), _) if leader == self.config.me => self.use_lease(LeaseUse::renewing(), ctx),
            (Some(_), _) => self.follow(ctx),
            (None, true) => self.unhealthy_cluster(ctx),
            (None, false) => {
                ctx.note(Note::SeesNoLeader);
                ctx.note(Note::Declines(if starting {
                    Decline::DatabaseStarting
                } else {
                    Decline::DatabaseDown
                }));
                self.publish_member(ctx);
            }
        }
    }

    /// Someone else leads, or nobody does and this node stands back: streams from whoever leads, gives up a primary.
    pub(super) fn follow(&mut self, ctx: &mut Ctx<'_, Words>) {
        let primary = self
            .db
            .as_ref()
            .map_or(self.role.is_leading(), |db| db.role == DbRole::Primary);
        if primary {
            return self.demote(Demotion::LockLost, ctx);
        }
        self.role = Role::Replica;
        let config = self.standby_of(self.view.leader);
        let diverged = self.db.as_ref().and_then(|db| db.diverged.clone());
        if let (Some(target), Some(_)) = (diverged, config.upstream) {
            self.rewind(target, config, ctx);
        } else if ctx.file(FileName::Recovery) != Some(&File::Recovery(config)) {
            ctx.write_file(FileName::Recovery, File::Recovery(config));
            ctx.signal(self.config.database(), Signal::Hangup);
            ctx.note(Note::Follows(self.view.leader));
        }
        self.publish_member(ctx);
    }

    /// S14 for the holder of the lock, after the renewal: the database must be a primary.
    pub(super) fn enforce_primary_role(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.config.watchdog.is_broken() {
            return self.demote(Demotion::WatchdogMissing, ctx);
        }
        match self.db.as_ref().map(|db| db.role) {
            Some(DbRole::Primary) => self.role = Role::Primary,
            Some(DbRole::Replica) if self.role != Role::Promoted => self.promote(ctx),
            _ => {}
        }
        if std::mem::take(&mut self.history_due) {
            return self.publish_history(ctx);
        }
        self.publish_member(ctx);
    }

    // --- S16: the store did not answer

    /// A primary without its store stops being one; a replica changes nothing and goes on streaming.
    pub(super) fn store_failed(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::StoreUnreachable);
        self.watcher.restart(self.client.server(), ctx);
        let primary = self
            .db
            .as_ref()
            .map_or(self.role.is_leading(), |db| db.role == DbRole::Primary);
        if primary && ctx.is_alive(self.config.database()) {
            self.demote(Demotion::StoreUnreachable, ctx);
        } else {
            self.end_cycle(ctx);
        }
    }

    // --- answers of the store

    pub(super) fn store_answered(&mut self, outcome: CallOutcome, ctx: &mut Ctx<'_, Words>) {
        self.watcher.prefer(self.client.server(), ctx);
        match self.pc.clone() {
            Pc::Joining => match outcome {
                CallOutcome::Answered(Ok(StoreAnswer::Lease { lease, .. })) => {
                    self.lease = Some(lease);
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
                self.status_published(ctx);
            }
            Pc::PublishingHistory => {
                self.restart_watcher_after(&outcome, ctx);
                self.publish_member(ctx);
            }
            Pc::ReleasingKey => self.key_released(ctx),
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
