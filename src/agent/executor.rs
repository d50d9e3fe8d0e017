//! The asynchronous executor: one long action at a time, beside the HA loop (patroni.md 1.1).
//!
//! ```text
//! Promote: prepare -> signal the server, role `promoted` -> look at pg_control once a second -> role `primary`, wake
//! Start:   prepare -> configuration, start the server -> look until it takes sessions -> wake
//! Rewind:  fast stop -> look once a second whether it has stopped -> pg_rewind -> Start
//! ```

use super::costs::{DRAW_DATABASE, POLL, PROMOTE_PREPARE, REWIND, START_POLL, START_PREPARE};
use super::{Agent, EXECUTOR_TIMER, Role};
use crate::engine::{Ctx, Signal};
use crate::vocabulary::{ControlFile, ControlState, File, FileName, Note, Position, RecoveryConfig, SqlState, Words};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Task {
    Idle,
    PreparingPromotion,
    WaitingForPromotion { polls_left: u64 },
    PreparingStart(RecoveryConfig),
    WaitingForStart(RecoveryConfig),
    StoppingForRewind { target: Position, config: RecoveryConfig },
    Rewinding { target: Position, config: RecoveryConfig },
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

    /// Drops what has not begun yet: a demotion overrules it.
    pub(super) fn cancel_task(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.task = Task::Idle;
        ctx.cancel_timer(EXECUTOR_TIMER);
    }

    pub(super) fn start_database(&mut self, config: RecoveryConfig, ctx: &mut Ctx<'_, Words>) {
        self.task = Task::PreparingStart(config);
        self.state = SqlState::Starting;
        let after = ctx.sample(DRAW_DATABASE, &START_PREPARE);
        ctx.set_timer(EXECUTOR_TIMER, after);
    }

    /// Takes back what the own log has beyond the shared history. `target`: where the new leader stands.
    pub(super) fn rewind(&mut self, target: Position, config: RecoveryConfig, ctx: &mut Ctx<'_, Words>) {
        self.task = Task::StoppingForRewind { target, config };
        self.state = SqlState::Stopping;
        ctx.signal(self.config.database(), Signal::Interrupt);
        ctx.set_timer(EXECUTOR_TIMER, POLL);
    }

    pub(super) fn executor_timer(&mut self, ctx: &mut Ctx<'_, Words>) {
        match std::mem::replace(&mut self.task, Task::Idle) {
            Task::Idle => {}
            Task::PreparingPromotion => {
                ctx.signal(self.config.database(), Signal::User1);
                self.role = Role::Promoted;
                let polls_left = self.config.loop_wait.as_micros().div_ceil(POLL.as_micros());
                self.task = Task::WaitingForPromotion { polls_left };
                ctx.set_timer(EXECUTOR_TIMER, POLL);
            }
            Task::WaitingForPromotion { polls_left } => {
                let done = matches!(
                    ctx.file(FileName::Control),
                    Some(File::Control(ControlFile {
                        state: ControlState::InProduction,
                        ..
                    }))
                );
                if done {
                    self.role = Role::Primary;
                    self.history_due = true;
                    self.wake(ctx);
                } else if polls_left > 1 {
                    self.task = Task::WaitingForPromotion {
                        polls_left: polls_left - 1,
                    };
                    ctx.set_timer(EXECUTOR_TIMER, POLL);
                }
            }
            Task::PreparingStart(config) => {
                ctx.write_file(FileName::Recovery, File::Recovery(config));
                ctx.spawn(self.config.database());
                self.task = Task::WaitingForStart(config);
                ctx.set_timer(EXECUTOR_TIMER, START_POLL);
            }
            Task::WaitingForStart(config) => {
                let alive = ctx.is_alive(self.config.database());
                let ready = matches!(ctx.file(FileName::Control), Some(File::Control(control)) if control.ready);
                if alive && !ready {
                    self.task = Task::WaitingForStart(config);
                    return ctx.set_timer(EXECUTOR_TIMER, START_POLL);
                }
                self.state = if alive { SqlState::Running } else { SqlState::Crashed };
                self.role = if config.standby { Role::Replica } else { Role::Primary };
                self.database_started(ctx);
            }
            Task::StoppingForRewind { target, config } => {
                if ctx.is_alive(self.config.database()) {
                    self.task = Task::StoppingForRewind { target, config };
                    ctx.set_timer(EXECUTOR_TIMER, POLL);
                } else {
                    self.state = SqlState::Stopped;
                    let after = ctx.sample(DRAW_DATABASE, &REWIND);
                    ctx.set_timer(EXECUTOR_TIMER, after);
                    self.task = Task::Rewinding { target, config };
                }
            }
            Task::Rewinding { target, config } => {
                if let Some(File::Control(control)) = ctx.file(FileName::Control) {
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
    }
}
