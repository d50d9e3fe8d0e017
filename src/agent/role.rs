//! S14 for a cluster with a leader: the holder's database must be a primary, everybody else's must follow
//! (patroni.md 2.3).

use super::{Agent, Role};
use crate::engine::{Ctx, Signal};
use crate::vocabulary::{DbRole, Demotion, File, FileName, NodeId, Note, RecoveryConfig, SynchronousMode, Words};

impl Agent {
    /// Whether the database is a primary; if it does not say, by what the agent made of it.
    pub(super) fn is_primary(&self) -> bool {
        self.db
            .as_ref()
            .map_or(self.role.is_leading(), |db| db.role == DbRole::Primary)
    }

    pub(super) fn standby_of(&self, leader: Option<NodeId>) -> RecoveryConfig {
        let upstream = leader
            .filter(|&node| node != self.config.me)
            .map(|node| self.config.databases[node.index()]);
        RecoveryConfig {
            standby: true,
            upstream,
        }
    }

    /// Whether what the leader's history does not know may be rewound or removed. If not, a diverged database stays up, unable
    /// to stream, until somebody sets it up anew (patroni.md 11).
    pub(super) fn may_lose_own_log(&self) -> bool {
        self.settings.use_pg_rewind || self.settings.remove_data_directory_on_diverged_timelines
    }

    /// Someone else leads, or nobody does and this node stands back: streams from whoever leads, gives up a primary.
    pub(super) fn follow(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.is_primary() {
            return if self.settings.pause {
                self.publish_member(ctx)
            } else {
                self.demote(Demotion::LockLost, ctx)
            };
        }
        self.role = Role::Replica;
        let config = self.standby_of(self.view.leader);
        let diverged = self.db.as_ref().and_then(|db| db.diverged.clone());
        if let (Some(target), Some(_)) = (diverged.filter(|_| self.may_lose_own_log()), config.upstream) {
            self.rewind(target, config, ctx);
        } else if ctx.file(FileName::Recovery) != Some(&File::Recovery(config)) {
            ctx.write_file(FileName::Recovery, File::Recovery(config));
            ctx.signal(self.config.database(), Signal::Hangup);
            ctx.note(Note::Follows(self.view.leader));
        }
        self.publish_member(ctx);
    }

    /// The lock is renewed, or has just been won: the database must be a primary.
    pub(super) fn enforce_primary_role(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.watchdog_is_broken() && !self.settings.pause {
            return self.demote(Demotion::WatchdogMissing, ctx);
        }
        match self.db.as_ref().map(|db| db.role) {
            Some(DbRole::Primary) => {
                self.role = Role::Primary;
                self.manage_sync(ctx);
            }
            Some(DbRole::Replica) if self.role != Role::Promoted => self.prepare_promotion(ctx),
            _ => self.sync_managed(ctx),
        }
    }

    fn prepare_promotion(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.settings.synchronous_mode == SynchronousMode::Off {
            return self.order_promotion(ctx);
        }
        self.inherit_sync(ctx);
    }

    pub(super) fn order_promotion(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.failsafe.forget();
        self.promote(ctx);
        self.sync_managed(ctx);
    }

    /// What remains of the leader's cycle.
    pub(super) fn sync_managed(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.publish_history(ctx);
    }

    // --- the store did not answer (S16, 3.3)

    /// A primary without its store stops being one, unless all members agree; a replica changes nothing and goes on
    /// streaming.
    pub(super) fn store_failed(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::StoreUnreachable);
        self.watcher.restart(self.client.server(), ctx);
        let runs = ctx.is_alive(self.config.database());
        if self.settings.pause || !runs || !self.is_primary() {
            return self.end_cycle(ctx);
        }
        if self.settings.failsafe_mode && self.failsafe.known.contains(self.config.me) {
            return self.ask_failsafe(ctx);
        }
        self.demote(Demotion::StoreUnreachable, ctx);
    }

    /// A definite answer: the key is another's. Very different from no answer.
    pub(super) fn lock_lost(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.stop_believing(ctx);
        // A failed conditional write makes the watcher's copy suspect.
        self.watcher.restart(self.client.server(), ctx);
        if self.executor_is_busy() {
            self.lock_missing_while_executor_works(ctx);
        } else if self.is_primary() && !self.settings.pause {
            self.demote(Demotion::LockLost, ctx);
        } else {
            self.publish_member(ctx);
        }
    }
}
