//! The agent is asked to end (patroni.md 12): it stops its database, hands the key over if it holds it, and exits. In
//! maintenance mode it leaves both as they are.

use super::Agent;
use super::ha::Pc;
use super::stop::{StopFor, Thread};
use crate::engine::Ctx;
use crate::vocabulary::{Note, Step, Words};

impl Agent {
    /// SIGTERM: the loop ends after the cycle it is in.
    pub(super) fn terminate(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.terminating = true;
        match self.pc {
            Pc::Sleeping => self.begin_shut_down(ctx),
            Pc::Off | Pc::Arriving | Pc::Booting | Pc::ProbingName | Pc::Joining => ctx.exit(),
            _ => {}
        }
    }

    pub(super) fn begin_shut_down(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::ShutsDown);
        self.cancel_task(ctx);
        if self.view.paused {
            return ctx.exit();
        }
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
        if released || !self.holds_key() {
            return ctx.exit();
        }
        self.at(Step::ReleasingKey, Pc::ReleasingKey, ctx);
        self.release_key(Thread::Loop, ctx);
    }
}
