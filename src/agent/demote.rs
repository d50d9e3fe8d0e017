//! Giving a primary up (patroni.md 3.4, 3.5). The stop runs in the HA thread and blocks it: no renewal, no ping, no
//! reaction to a healed network until the server's processes are gone.
//!
//! ```text
//! Preparing --signal--> Stopping --gone--> unreachable store: started again at once, read-only, following nobody
//!                                          lock lost: the executor starts it as a standby of the new leader
//! ```

use super::costs::{DEMOTE_PREPARE, DRAW_DATABASE, POLL};
use super::ha::Pc;
use super::{Agent, HA_TIMER, Role};
use crate::engine::{Ctx, Signal};
use crate::store::CallKind;
use crate::vocabulary::{Compare, Demotion, Key, Note, RecoveryConfig, SqlState, Step, StoreOp, Txn, Value, Words};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demoting {
    Preparing(Demotion),
    Stopping(Demotion),
}

impl Agent {
    pub(super) fn demote(&mut self, why: Demotion, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::Demotes(why));
        self.at(Step::StoppingDatabase, Pc::Demoting(Demoting::Preparing(why)), ctx);
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
            Demoting::Stopping(_) if ctx.is_alive(self.config.database()) => ctx.set_timer(HA_TIMER, POLL),
            Demoting::Stopping(why) => self.demoted(why, ctx),
        }
    }

    fn demoted(&mut self, why: Demotion, ctx: &mut Ctx<'_, Words>) {
        self.close_watchdog(ctx);
        self.role = Role::Demoted;
        self.state = SqlState::Stopped;
        self.stop_believing(ctx);
        let config = match why {
            Demotion::StoreUnreachable => RecoveryConfig {
                standby: true,
                upstream: None,
            },
            Demotion::LockLost | Demotion::WatchdogMissing => {
                self.look_at_cluster(ctx);
                self.standby_of(self.view.leader)
            }
        };
        self.start_database(config, ctx);
        if why == Demotion::WatchdogMissing {
            return self.release_key(ctx);
        }
        // The member key is not written: an unreachable store would only block again.
        self.end_cycle(ctx);
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
