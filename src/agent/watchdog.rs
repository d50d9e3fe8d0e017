//! The watchdog of this node, from its agent's side (patroni.md 6): opened with the first ping after the lock is taken.

use super::Agent;
use crate::engine::Ctx;
use crate::vocabulary::{Message, Settings, Words};

impl Agent {
    /// A new ttl counts from the next ping on. One that leaves no room for the loop keeps the device from being opened, but
    /// closes none that is open.
    pub(super) fn ping_watchdog(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let Some(conn) = self.watchdog.filter(|_| self.watchdog_open || self.watchdog_opens()) {
            self.watchdog_open = true;
            let timeout = self.config.watchdog.timeout(self.settings.ttl);
            ctx.send(conn, Message::WatchdogPing { timeout });
        }
    }

    pub(super) fn close_watchdog(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let Some(conn) = self.watchdog.filter(|_| self.watchdog_open) {
            self.watchdog_open = false;
            ctx.send(conn, Message::WatchdogClose);
        }
    }

    /// Required and not usable: such a node must not lead.
    pub(super) fn watchdog_is_broken(&self) -> bool {
        self.config.watchdog.required && !self.watchdog_opens()
    }

    fn watchdog_opens(&self) -> bool {
        let Settings { ttl, loop_wait, .. } = self.settings;
        self.config.watchdog.opens(ttl, loop_wait)
    }
}
