//! The asynchronous executor: one long action at a time, beside the HA loop (patroni.md 1.1).
//!
//! ```text
//! Promote:  prepare -> signal the server, role `promoted` -> look at pg_control once a second -> role `primary`, wake
//! Start:    prepare -> configuration, start the server -> look until it takes sessions -> wake
//! Restart:  stop -> Start
//! Recover:  the dead server's crash recovery in single-user mode -> wake
//! Rewind:   fast stop, if it runs -> pg_rewind, or a copy of the leader's -> Start
//! HandOver: stop, releasing the key on the way or -> release it -> yield 2 s -> Start as a follower
//! ```

use super::costs::{
    CRASH_RECOVERY, DRAW_DATABASE, POLL, PROMOTE_PREPARE, REWIND, START_PATIENCE, START_POLL, START_PREPARE,
};
use super::stop::{StopFor, Thread};
use super::{Agent, EXECUTOR_TIMER, Role};
use crate::engine::{Ctx, MonoTime, Signal};
use crate::store::CallOutcome;
use crate::vocabulary::{
    ControlFile, ControlState, File, FileName, Note, Order, Position, RecoveryConfig, SqlState, Words,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Task {
    Idle,
    PreparingPromotion,
    WaitingForPromotion {
        polls_left: u64,
    },
    PreparingStart(RecoveryConfig),
    WaitingForStart {
        config: RecoveryConfig,
        until: MonoTime,
    },
    /// In `stop.rs`.
    Stopping,
    Releasing,
    Yielding,
    RecoveringCrash,
    Rewinding {
        target: Position,
        config: RecoveryConfig,
    },
}

impl Agent {
    pub(super) fn executor_is_busy(&self) -> bool {
        self.task != Task::Idle
    }

    pub(super) fn promote(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::OrdersPromotion);
        self.task = Task::PreparingPromotion;
        let after = ctx.sample(DRAW_DATABASE, &PROMOTE_PREPARE);
        ctx.set_timer(EXECUTOR_TIMER, after);
    }

    /// Drops what is under way: a demotion overrules it.
    pub(super) fn cancel_task(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.task = Task::Idle;
        self.stop = None;
        ctx.cancel_timer(EXECUTOR_TIMER);
    }

    pub(super) fn start_database(&mut self, config: RecoveryConfig, ctx: &mut Ctx<'_, Words>) {
        self.task = Task::PreparingStart(config);
        self.state = SqlState::Starting;
        self.starting_since = Some(ctx.mono());
        let after = ctx.sample(DRAW_DATABASE, &START_PREPARE);
        ctx.set_timer(EXECUTOR_TIMER, after);
    }

    /// Takes back what the own log has beyond the shared history, or where that is not allowed copies the whole database
    /// (patroni.md 8.2, 11). `target`: where the new leader stands.
    pub(super) fn rewind(&mut self, target: Position, config: RecoveryConfig, ctx: &mut Ctx<'_, Words>) {
        self.task = Task::Stopping;
        self.stop_database(Thread::Executor, StopFor::Rewind { target, config }, ctx);
    }

    pub(super) fn rewind_after_stop(&mut self, target: Position, config: RecoveryConfig, ctx: &mut Ctx<'_, Words>) {
        // A copy of a small database is taken to last as long; that was not measured.
        let after = ctx.compute(DRAW_DATABASE, &REWIND);
        ctx.set_timer(EXECUTOR_TIMER, after);
        self.task = Task::Rewinding { target, config };
    }

    /// Ends the log of a primary that ended uncleanly, as a single-user server does: recovery, then a shutdown checkpoint.
    pub(super) fn recover_crash(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::RecoversCrash);
        self.task = Task::RecoveringCrash;
        let after = ctx.compute(DRAW_DATABASE, &CRASH_RECOVERY);
        ctx.set_timer(EXECUTOR_TIMER, after);
    }

    fn crash_recovered(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let Some(File::Control(control)) = ctx.file(FileName::Control).cloned() {
            let lsn = control.position.lsn.after_checkpoint();
            let control = ControlFile {
                state: ControlState::ShutDown,
                position: Position {
                    lsn,
                    ..control.position
                },
                ready: false,
            };
            ctx.write_file(FileName::Control, File::Control(control));
        }
        self.wake(ctx);
    }

    /// Stops the database and starts it in the same role: a primary keeps its lock and its timeline.
    pub(super) fn restart(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::RestartsDatabase);
        self.task = Task::Stopping;
        self.stop_database(Thread::Executor, StopFor::Restart, ctx);
    }

    pub(super) fn restart_after_stop(&mut self, ctx: &mut Ctx<'_, Words>) {
        let config = if self.role.is_leading() {
            RecoveryConfig {
                standby: false,
                upstream: None,
            }
        } else {
            self.standby_of(self.view.leader)
        };
        self.start_database(config, ctx);
    }

    /// The store has answered the executor's client.
    pub(super) fn task_store_answered(&mut self, outcome: &CallOutcome, ctx: &mut Ctx<'_, Words>) {
        let answered = *outcome != CallOutcome::Unreachable;
        if self.stop_releases(Thread::Executor) {
            self.stop_released(answered, ctx);
        } else if self.task == Task::Releasing {
            self.yield_to_successor(ctx);
        }
    }

    pub(super) fn executor_timer(&mut self, ctx: &mut Ctx<'_, Words>) {
        match std::mem::replace(&mut self.task, Task::Idle) {
            Task::Idle => {}
            task @ (Task::Stopping | Task::Releasing) => self.task = task,
            // `pg_ctl promote` fails: the loop is woken, and tries again.
            Task::PreparingPromotion if ctx.orders().any(|order| *order == Order::FailPromotion) => self.wake(ctx),
            Task::PreparingPromotion => {
                ctx.signal(self.config.database(), Signal::User1);
                self.role = Role::Promoted;
                let polls_left = self.settings.loop_wait.as_micros().div_ceil(POLL.as_micros());
                self.task = Task::WaitingForPromotion { polls_left };
                ctx.set_timer(EXECUTOR_TIMER, POLL);
            }
            Task::WaitingForPromotion { polls_left } => self.wait_for_promotion(polls_left, ctx),
            Task::PreparingStart(config) => {
                ctx.write_file(FileName::Recovery, File::Recovery(config));
                ctx.spawn(self.config.database());
                let patience = if config.standby {
                    START_PATIENCE
                } else {
                    self.settings.primary_start_timeout
                };
                let until = ctx.mono() + patience;
                self.task = Task::WaitingForStart { config, until };
                ctx.set_timer(EXECUTOR_TIMER, START_POLL);
            }
            Task::WaitingForStart { config, until } => self.wait_for_start(config, until, ctx),
            Task::Yielding => {
                self.look_at_cluster(ctx);
                let config = self.standby_of(self.view.leader);
                self.start_database(config, ctx);
            }
            Task::RecoveringCrash => self.crash_recovered(ctx),
            Task::Rewinding { target, config } => self.rewound(target, config, ctx),
        }
    }

    fn wait_for_promotion(&mut self, polls_left: u64, ctx: &mut Ctx<'_, Words>) {
        if control_state(ctx) == Some(ControlState::InProduction) {
            self.role = Role::Primary;
            self.wake(ctx);
        } else if polls_left > 1 {
            self.task = Task::WaitingForPromotion {
                polls_left: polls_left - 1,
            };
            ctx.set_timer(EXECUTOR_TIMER, POLL);
        }
    }

    fn wait_for_start(&mut self, config: RecoveryConfig, until: MonoTime, ctx: &mut Ctx<'_, Words>) {
        let alive = ctx.is_alive(self.config.database());
        let ready = matches!(ctx.file(FileName::Control), Some(File::Control(control)) if control.ready);
        if alive && !ready && ctx.mono() < until {
            self.task = Task::WaitingForStart { config, until };
            return ctx.set_timer(EXECUTOR_TIMER, START_POLL);
        }
        self.state = match (alive, ready) {
            (true, true) => SqlState::Running,
            (true, false) => SqlState::Starting,
            (false, _) => SqlState::Crashed,
        };
        self.role = if config.standby { Role::Replica } else { Role::Primary };
        self.database_started(ctx);
    }

    fn rewound(&mut self, target: Position, config: RecoveryConfig, ctx: &mut Ctx<'_, Words>) {
        if !self.settings.use_pg_rewind {
            ctx.note(Note::Clones);
        } else if let Some(File::Control(control)) = ctx.file(FileName::Control) {
            let (from, to) = (control.position.lsn, target.history.fork_from(&control.position));
            ctx.note(Note::Rewinds { from, to });
        }
        // The files are now the leader's, up to where it stood; streaming brings the rest.
        let control = ControlFile {
            state: ControlState::ShutDownInRecovery,
            position: target,
            ready: false,
        };
        ctx.write_file(FileName::Control, File::Control(control));
        self.start_database(config, ctx);
    }
}

/// What the data directory says.
pub(super) fn control_state(ctx: &Ctx<'_, Words>) -> Option<ControlState> {
    match ctx.file(FileName::Control) {
        Some(File::Control(control)) => Some(control.state),
        _ => None,
    }
}
