//! Giving a primary up (patroni.md 3.4, 3.5). The stop runs in the HA thread and blocks it: no renewal, no ping, no
//! reaction to a healed network until the server's processes are gone.
//!
//! ```text
//! Preparing --signal--> Stopping --gone--> store unreachable: Starting, read-only, following nobody; the loop waits
//!                                          lock lost: the executor starts it as a standby of the new leader
//!                                          no watchdog: the key is released, Yielding for 2 s, then as with a lost lock
//! ```

use super::costs::{DEMOTE_PREPARE, DRAW_DATABASE, POLL, YIELD};
use super::ha::Pc;
use super::{Agent, HA_TIMER, Role};
use crate::engine::{Ctx, Signal};
use crate::store::CallKind;
use crate::vocabulary::{Compare, Demotion, Key, Note, RecoveryConfig, SqlState, Step, StoreOp, Txn, Value, Words};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demoting {
    Preparing(Demotion),
    Stopping(Demotion),
    /// The key is released; a pause for a successor to take it.
    Yielding,
    /// Waits in this thread until the server is up again, read-only.
    Starting,
}

impl Agent {
    pub(super) fn demote(&mut self, why: Demotion, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::Demotes(why));
        self.at(Step::StoppingDatabase, Pc::Demoting(Demoting::Preparing(why)), ctx);
        self.cancel_task(ctx);
        // From here on REST answers carry no position.
        self.state = SqlState::Stopping;
        let after = ctx.sample(DRAW_DATABASE, &DEMOTE_PREPARE);
        ctx.set_timer(HA_TIMER, after);
    }

    pub(super) fn demotion_timer(&mut self, stage: Demoting, ctx: &mut Ctx<'_, Words>) {
        match stage {
            Demoting::Preparing(why) => {
                let signal = match why {
                    Demotion::StoreUnreachable => Signal::Interrupt,
                    Demotion::LockLost | Demotion::WatchdogMissing => Signal::Quit,
                };
                ctx.signal(self.config.database(), signal);
                self.pc = Pc::Demoting(Demoting::Stopping(why));
                ctx.set_timer(HA_TIMER, POLL);
            }
            Demoting::Stopping(_) if ctx.is_alive(self.config.database()) => {
                // Its sessions have ended, so nobody can write: the watchdog may rest, though the server is still busy
                // with its standbys.
                if !self.sql.is_connected() {
                    self.close_watchdog(ctx);
                }
                ctx.set_timer(HA_TIMER, POLL);
            }
            Demoting::Stopping(why) => self.demoted(why, ctx),
            Demoting::Yielding => self.start_as_follower(ctx),
            Demoting::Starting => {}
        }
    }

    fn demoted(&mut self, why: Demotion, ctx: &mut Ctx<'_, Words>) {
        self.close_watchdog(ctx);
        self.role = Role::Demoted;
        self.state = SqlState::Stopped;
        self.stop_believing(ctx);
        match why {
            Demotion::StoreUnreachable => {
                self.at(Step::StartingDatabase, Pc::Demoting(Demoting::Starting), ctx);
                self.start_database(
                    RecoveryConfig {
                        standby: true,
                        upstream: None,
                    },
                    ctx,
                );
            }
            Demotion::LockLost => self.start_as_follower(ctx),
            Demotion::WatchdogMissing => self.release_key(ctx),
        }
    }

    fn start_as_follower(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.look_at_cluster(ctx);
        let config = self.standby_of(self.view.leader);
        self.start_database(config, ctx);
        self.end_cycle(ctx);
    }

    /// The server takes sessions again. Whoever waits for it goes on; otherwise the loop is woken.
    pub(super) fn database_started(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.pc == Pc::Demoting(Demoting::Starting) {
            // The member key is not written: an unreachable store would only block again.
            self.end_cycle(ctx);
        } else {
            self.wake(ctx);
        }
    }

    pub(super) fn key_released(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.pc = Pc::Demoting(Demoting::Yielding);
        ctx.set_timer(HA_TIMER, YIELD);
    }

    /// Gives the key up, so that a node that may lead can take it at once.
    fn release_key(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.at(Step::ReleasingKey, Pc::ReleasingKey, ctx);
        let mine = vec![Compare::ValueIs(Key::Leader, Value::Leader(self.config.me))];
        let release = Txn {
            when: mine,
            then: vec![StoreOp::Delete { key: Key::Leader }],
            or_else: Vec::new(),
        };
        self.client.begin(StoreOp::Txn(Box::new(release)), CallKind::Once, ctx);
    }
}
