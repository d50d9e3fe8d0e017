//! Stopping the database (patroni.md 3.5), in the thread that asked for it, which waits for it. One at a time: a demotion
//! overrules whatever the executor was about.
//!
//! ```text
//! Preparing --signal--> Sessions --own session ended--> Exit --process gone--> (what it was for)
//!                                |                        ^
//!                                +--> Control --> Lingering --> AskingCandidates --> Releasing
//!                                     a stop that hands over looks once a second whether pg_control says "shut down",
//!                                     and gives the key up then, though some process of the server may still be busy
//! ```
//!
//! There is no time-out but `primary_stop_timeout`, which counts only in synchronous mode: a stop that does not end
//! blocks its thread for ever. From the first step on REST answers carry no position.

use super::costs::{CHECKPOINT, DEMOTE_PREPARE, DRAW_DATABASE, EXIT_POLL, POLL};
use super::{Agent, Role, STOP_TIMER};
use crate::engine::{Ctx, MonoTime, Signal, Span};
use crate::store::CallKind;
use crate::vocabulary::{
    Compare, ControlFile, ControlState, Demotion, File, FileName, Key, Lsn, Position, RecoveryConfig, SqlState,
    StoreOp, SynchronousMode, Txn, Value, Words,
};

/// Which thread waits for the stop: its timer, store client and questions to peers are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thread {
    Loop,
    Executor,
}

/// What comes after the stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StopFor {
    Demotion(Demotion),
    /// It is started again in the same role.
    Restart,
    Rewind {
        target: Position,
        config: RecoveryConfig,
    },
    /// The agent ends.
    ShutDown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Preparing,
    Sessions,
    Control,
    Lingering,
    AskingCandidates,
    Releasing,
    Exit,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stop {
    pub thread: Thread,
    what_for: StopFor,
    stage: Stage,
    /// When the next harder signal is sent.
    escalates_at: Option<MonoTime>,
    /// The leader key was given up on the way.
    released: bool,
}

impl Stop {
    fn signal(&self) -> Signal {
        match self.what_for {
            StopFor::Demotion(Demotion::LockLost | Demotion::WatchdogMissing | Demotion::DatabaseFailed) => {
                Signal::Quit
            }
            _ => Signal::Interrupt,
        }
    }

    /// In good order, by somebody's wish: checkpointed first, so that the stop itself is short.
    fn is_graceful(&self) -> bool {
        matches!(
            self.what_for,
            StopFor::Demotion(Demotion::HandsOver) | StopFor::Restart | StopFor::ShutDown
        )
    }
}

impl Agent {
    pub(super) fn stop_database(&mut self, thread: Thread, what_for: StopFor, ctx: &mut Ctx<'_, Words>) {
        let stop = Stop {
            thread,
            what_for,
            stage: Stage::Preparing,
            escalates_at: None,
            released: false,
        };
        self.state = SqlState::Stopping;
        let mut after = match stop.what_for {
            StopFor::Rewind { .. } => Span::ZERO,
            _ => ctx.compute(DRAW_DATABASE, &DEMOTE_PREPARE),
        };
        if stop.is_graceful() {
            after += ctx.sample(DRAW_DATABASE, &CHECKPOINT);
        }
        self.stop = Some(stop);
        ctx.set_timer(STOP_TIMER, after);
    }

    pub(super) fn stop_timer(&mut self, ctx: &mut Ctx<'_, Words>) {
        let alive = ctx.is_alive(self.config.database());
        let Some(stop) = &mut self.stop else { return };
        match stop.stage {
            Stage::Preparing => {
                let signal = stop.signal();
                stop.stage = Stage::Sessions;
                ctx.signal(self.config.database(), signal);
                self.set_escalation(ctx);
                ctx.set_timer(STOP_TIMER, POLL);
            }
            Stage::Sessions if alive && self.sql.is_connected() => self.look_again(POLL, ctx),
            Stage::Sessions => {
                let comes_back = stop.what_for == StopFor::Restart;
                let releases = stop.is_graceful() && !comes_back && self.holds_key();
                if let Some(stop) = &mut self.stop {
                    stop.stage = if releases { Stage::Control } else { Stage::Exit };
                }
                // No session is left, so nobody can write: the watchdog may rest, though the server is still busy.
                if !comes_back {
                    self.close_watchdog(ctx);
                }
                self.stop_timer(ctx);
            }
            Stage::Control if is_shut_down(ctx) => {
                stop.stage = Stage::Lingering;
                ctx.set_timer(STOP_TIMER, POLL);
            }
            Stage::Control if alive => self.look_again(POLL, ctx),
            Stage::Lingering => {
                stop.stage = Stage::AskingCandidates;
                let thread = stop.thread;
                let only = self.view.request.and_then(|request| request.candidate);
                self.ask_candidates(thread, only, ctx);
            }
            Stage::Exit if alive => self.look_again(EXIT_POLL, ctx),
            Stage::Control | Stage::Exit => self.database_stopped(ctx),
            Stage::AskingCandidates | Stage::Releasing => {}
        }
    }

    /// It is not down yet: a stop that has taken too long gets the next harder signal.
    fn look_again(&mut self, after: Span, ctx: &mut Ctx<'_, Words>) {
        let late = |stop: &Stop| stop.escalates_at.is_some_and(|at| at <= ctx.mono());
        if self.stop.as_ref().is_some_and(late) {
            let harder = match self.stop.as_ref().map(Stop::signal) {
                Some(Signal::Interrupt) => Signal::Quit,
                _ => Signal::Kill,
            };
            ctx.signal(self.config.database(), harder);
            self.set_escalation(ctx);
        }
        ctx.set_timer(STOP_TIMER, after);
    }

    fn set_escalation(&mut self, ctx: &mut Ctx<'_, Words>) {
        let timeout = self.settings.primary_stop_timeout;
        let counts = timeout > Span::ZERO && self.settings.synchronous_mode != SynchronousMode::Off;
        if let Some(stop) = &mut self.stop {
            stop.escalates_at = counts.then(|| ctx.mono() + timeout);
        }
    }

    pub(super) fn holds_key(&self) -> bool {
        self.view.leader == Some(self.config.me)
    }

    /// The candidates have answered while this stop lingers.
    pub(super) fn stop_candidates_answered(&mut self, possible: bool, ctx: &mut Ctx<'_, Words>) {
        let Some(stop) = self.stop.as_mut().filter(|stop| stop.stage == Stage::AskingCandidates) else {
            return;
        };
        if possible {
            stop.stage = Stage::Releasing;
            let thread = stop.thread;
            // Before the key is gone, or the loop would find a primary without its lock (patroni.md 3.4). An agent that ends
            // has no loop any more, and calls itself a primary to the last (recorded).
            if stop.what_for != StopFor::ShutDown {
                self.role = Role::Demoted;
            }
            self.release_key(thread, ctx);
        } else {
            stop.stage = Stage::Exit;
            self.stop_timer(ctx);
        }
    }

    /// The store has answered the release of the key, or not; then it is for the lease to end.
    pub(super) fn stop_released(&mut self, answered: bool, ctx: &mut Ctx<'_, Words>) {
        if let Some(stop) = self.stop.as_mut().filter(|stop| stop.stage == Stage::Releasing) {
            stop.released = answered;
            stop.stage = Stage::Exit;
            self.stop_timer(ctx);
        }
    }

    /// Whether the stop of this thread waits for the store.
    pub(super) fn stop_releases(&self, thread: Thread) -> bool {
        let waits = |stop: &Stop| stop.thread == thread && stop.stage == Stage::Releasing;
        self.stop.as_ref().is_some_and(waits)
    }

    /// Deletes the leader key if it still names this node.
    pub(super) fn release_key(&mut self, thread: Thread, ctx: &mut Ctx<'_, Words>) {
        let release = Txn {
            when: vec![Compare::ValueIs(Key::Leader, Value::Leader(self.config.me))],
            then: vec![StoreOp::Delete { key: Key::Leader }],
            or_else: Vec::new(),
        };
        let op = StoreOp::Txn(Box::new(release));
        match thread {
            Thread::Loop => self.client.begin(op, CallKind::Once, ctx),
            Thread::Executor => self.task_client.begin(op, CallKind::Once, ctx),
        }
    }

    fn database_stopped(&mut self, ctx: &mut Ctx<'_, Words>) {
        let Some(stop) = self.stop.take() else { return };
        self.state = SqlState::Stopped;
        match stop.what_for {
            StopFor::Demotion(why) => self.demoted(why, stop.released, ctx),
            StopFor::Restart => self.restart_after_stop(ctx),
            StopFor::Rewind { target, config } => self.rewind_after_stop(target, config, ctx),
            StopFor::ShutDown => self.shut_down(stop.released, ctx),
        }
    }
}

/// Where the log of a server that has shut down ends.
pub(super) fn shut_down_at(ctx: &Ctx<'_, Words>) -> Option<Lsn> {
    match ctx.file(FileName::Control) {
        Some(File::Control(ControlFile {
            state: ControlState::ShutDown,
            position,
            ..
        })) => Some(position.lsn),
        _ => None,
    }
}

fn is_shut_down(ctx: &Ctx<'_, Words>) -> bool {
    shut_down_at(ctx).is_some()
}
