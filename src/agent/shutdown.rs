//! The agent is asked to end (patroni.md 12): it stops its database, hands the key over if it holds it, says in
//! its member key that the database is down, and exits. In maintenance mode it leaves both as they are.
//!
//! A synchronous standby asks first to be one no more, so that commits do not have to wait for a dead one (9):
//!
//! ```text
//! AskingForRelease --member key written, not to be waited for--> WaitingForRelease --no longer in /sync, or 2 loop_wait--> stop
//! ```

use super::costs::POLL;
use super::ha::Pc;
use super::stop::{StopFor, Thread};
use super::{Agent, HA_TIMER};
use crate::engine::{Ctx, MonoTime};
use crate::store::CallKind;
use crate::vocabulary::{Key, Note, Step, StoreOp, SynchronousMode, Value, Words};

impl Agent {
    /// SIGTERM: the loop ends after the cycle it is in.
    pub(super) fn terminate(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.terminating = true;
        match self.pc {
            Pc::Sleeping => {
                // Whoever has slept asks the store again for its lease.
                self.lease_touched = false;
                self.begin_shut_down(ctx);
            }
            Pc::Off | Pc::Arriving | Pc::Booting | Pc::ProbingName | Pc::Joining => ctx.exit(),
            _ => {}
        }
    }

    pub(super) fn begin_shut_down(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::ShutsDown);
        self.cancel_task(ctx);
        if self.settings.pause {
            return ctx.exit();
        }
        if self.is_waited_for() && !self.holds_key() {
            return self.ask_for_release(ctx);
        }
        self.stop_and_exit(ctx);
    }

    /// Whether `/sync` names this node, as far as it knows.
    fn is_waited_for(&self) -> bool {
        match self.watcher.get(Key::Sync).map(|item| &item.value) {
            Some(Value::Sync(sync)) => {
                self.settings.synchronous_mode != SynchronousMode::Off && sync.standbys.contains(self.config.me)
            }
            _ => false,
        }
    }

    fn ask_for_release(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.leaving = true;
        self.at(Step::PublishingMember, Pc::AskingForRelease, ctx);
        let (key, value) = self.member_entry();
        let lease = self.lease;
        self.client
            .begin(StoreOp::Put { key, value, lease }, CallKind::Once, ctx);
    }

    /// The store has taken the wish, or is not there to take it.
    pub(super) fn release_asked_for(&mut self, answered: bool, ctx: &mut Ctx<'_, Words>) {
        if answered {
            let until = ctx.mono() + self.settings.loop_wait * 2;
            self.wait_for_release(until, ctx);
        } else {
            self.stop_and_exit(ctx);
        }
    }

    pub(super) fn wait_for_release(&mut self, until: MonoTime, ctx: &mut Ctx<'_, Words>) {
        if !self.is_waited_for() || ctx.mono() >= until {
            return self.stop_and_exit(ctx);
        }
        self.pc = Pc::WaitingForRelease { until };
        ctx.set_timer(HA_TIMER, POLL);
    }

    fn stop_and_exit(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.at(Step::StoppingDatabase, Pc::Stopping, ctx);
        if ctx.is_alive(self.config.database()) {
            self.stop_database(Thread::Loop, StopFor::ShutDown, ctx);
        } else {
            self.shut_down(false, ctx);
        }
    }

    /// The database is down.
    pub(super) fn shut_down(&mut self, released: bool, ctx: &mut Ctx<'_, Words>) {
        self.close_watchdog(ctx);
        self.stop_believing(ctx);
        self.db = None;
        if released || !self.holds_key() {
            return self.sign_off(ctx);
        }
        self.at(Step::ReleasingKey, Pc::ReleasingKey, ctx);
        self.release_key(Thread::Loop, ctx);
    }

    /// The last it does: its member key says that the database is down. That key hangs on the lease, which is kept alive
    /// for it once more (recorded: 3 to 24 ms after the answer to the deletion of the leader key, then the key).
    pub(super) fn sign_off(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.signs_off = true;
        self.publish_member(ctx);
    }
}
