//! The dynamic configuration while it changes (patroni.md 8). A change of `/config` wakes every loop, and is followed in two
//! steps:
//!
//! | when | what |
//! |------|------|
//! | S2: a cycle has read the cluster | everything but the timings, for this cycle already |
//! | the cycle is over, before the next one is scheduled | ttl, loop_wait, retry_timeout, adjusted as they have to be |
//!
//! A new ttl needs a new lease, so the next cycle follows at once. The old lease is not taken back: it keeps its time, and
//! the leader key hangs on it until the leader has written it again. Whose copy of the keys is stale goes on with the old
//! settings, and so does whoever cannot reach the store.

use super::{Agent, Timing};
use crate::engine::{Ctx, Keepalive, Span};
use crate::vocabulary::{Note, Settings, Words};

impl Timing {
    pub(super) fn of(settings: &Settings) -> Timing {
        Timing {
            ttl: settings.ttl,
            loop_wait: settings.loop_wait,
            retry_timeout: settings.retry_timeout,
        }
    }
}

/// Settings with these timings instead of their own.
pub(super) fn with_timing(settings: Settings, timing: Timing) -> Settings {
    Settings {
        ttl: timing.ttl,
        loop_wait: timing.loop_wait,
        retry_timeout: timing.retry_timeout,
        ..settings
    }
}

/// Between two unanswered probes.
const KEEPALIVE_EVERY: Span = Span::from_secs(3);

/// A dead peer on a silent stream is noticed between these (patroni.md 4.1).
pub(super) fn keepalive(settings: &Settings) -> Keepalive {
    let idle = settings.loop_wait + settings.retry_timeout;
    Keepalive {
        idle,
        every: KEEPALIVE_EVERY,
        dead_after: settings.ttl.max(idle),
        unacknowledged_too: true,
    }
}

impl Agent {
    /// S2
    pub(super) fn adopt_settings(&mut self, ctx: &mut Ctx<'_, Words>) {
        let Some(written) = self.view.settings else { return };
        let adopted = with_timing(written, Timing::of(&self.settings));
        let mut changes = adopted.since(&self.settings);
        self.settings = adopted;
        if let Some(on) = changes.pause.take() {
            ctx.note(Note::Maintenance { on });
        }
        if !changes.list().is_empty() {
            ctx.note(Note::AdoptsSettings(Box::new(changes)));
        }
    }

    /// After a cycle. Whether ttl has changed, and with it the lease is to be replaced.
    pub(super) fn adopt_timings(&mut self, ctx: &mut Ctx<'_, Words>) -> bool {
        let Some(written) = self.view.settings else {
            return false;
        };
        let timing = self.config.timing(&written);
        if timing == Timing::of(&self.settings) {
            return false;
        }
        let new_ttl = timing.ttl != self.settings.ttl;
        let Timing {
            ttl,
            loop_wait,
            retry_timeout,
        } = timing;
        ctx.note(Note::AdoptsTimings {
            ttl,
            loop_wait,
            retry_timeout,
        });
        self.settings = with_timing(self.settings, timing);
        for client in [&mut self.client, &mut self.task_client, &mut self.admin] {
            client.retime(ttl, retry_timeout);
        }
        self.watcher.retime(retry_timeout / 3, keepalive(&self.settings));
        if new_ttl {
            self.lease = None;
            self.published_member = None;
        }
        new_ttl
    }
}
