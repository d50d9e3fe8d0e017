//! Giving a primary up (patroni.md 3.4).
//!
//! | mode                        | thread   | stop  | key released     | afterwards |
//! |-----------------------------|----------|-------|------------------|------------|
//! | store unreachable           | HA loop  | fast  | no               | started read-only, following nobody; the loop waits for it |
//! | lock lost                   | HA loop  | quit  | no               | started by the executor, following the new leader |
//! | no watchdog, failed server  | HA loop  | quit  | after the stop   | 2 s pause, then as with a lost lock |
//! | hand-over                   | executor | fast  | before it has all ended | 2 s pause, then as with a lost lock |
//!
//! A stop in the HA loop blocks it: no renewal, no ping, no reaction to a healed network until the server is gone.

use super::costs::YIELD;
use super::executor::Task;
use super::ha::Pc;
use super::stop::{StopFor, Thread};
use super::{Agent, EXECUTOR_TIMER, HA_TIMER, Role};
use crate::engine::Ctx;
use crate::vocabulary::{Demotion, File, FileName, Note, RecoveryConfig, Step, SyncNames, SynchronousMode, Words};

impl Agent {
    /// Demotes in the HA loop.
    pub(super) fn demote(&mut self, why: Demotion, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::Demotes(why));
        self.at(Step::StoppingDatabase, Pc::Stopping, ctx);
        self.cancel_task(ctx);
        self.stop_database(Thread::Loop, StopFor::Demotion(why), ctx);
    }

    /// Demotes in the executor, while the loop goes on renewing.
    pub(super) fn hand_over(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::Demotes(Demotion::HandsOver));
        self.task = Task::Stopping;
        self.stop_database(Thread::Executor, StopFor::Demotion(Demotion::HandsOver), ctx);
    }

    pub(super) fn demoted(&mut self, why: Demotion, released: bool, ctx: &mut Ctx<'_, Words>) {
        self.close_watchdog(ctx);
        self.role = Role::Demoted;
        self.stop_believing(ctx);
        if self.settings.synchronous_mode != SynchronousMode::Off {
            ctx.write_file(FileName::SyncNames, File::SyncNames(SyncNames::default()));
        }
        match why {
            Demotion::StoreUnreachable => {
                self.at(Step::StartingDatabase, Pc::StartingReadOnly, ctx);
                self.start_database(
                    RecoveryConfig {
                        standby: true,
                        upstream: None,
                    },
                    ctx,
                );
            }
            Demotion::LockLost => self.start_as_follower(ctx),
            Demotion::WatchdogMissing | Demotion::DatabaseFailed => {
                self.at(Step::ReleasingKey, Pc::ReleasingKey, ctx);
                self.release_key(Thread::Loop, ctx);
            }
            Demotion::HandsOver if released => self.yield_to_successor(ctx),
            Demotion::HandsOver => {
                self.task = Task::Releasing;
                self.release_key(Thread::Executor, ctx);
            }
        }
    }

    fn start_as_follower(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.look_at_cluster(ctx);
        let config = self.standby_of(self.view.leader);
        self.start_database(config, ctx);
        self.publish_member(ctx);
    }

    /// The server takes sessions again, or has failed to. Whoever waits for it goes on; otherwise the loop is woken.
    pub(super) fn database_started(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.pc == Pc::StartingReadOnly {
            // The member key is not written: an unreachable store would only block again.
            self.end_cycle(ctx);
        } else {
            self.wake(ctx);
        }
    }

    pub(super) fn key_released(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.pc = Pc::Yielding;
        ctx.set_timer(HA_TIMER, YIELD);
    }

    pub(super) fn yielded(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.start_as_follower(ctx);
    }

    /// The executor has handed over: time for a successor to take the key.
    pub(super) fn yield_to_successor(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.task = Task::Yielding;
        ctx.set_timer(EXECUTOR_TIMER, YIELD);
    }
}
