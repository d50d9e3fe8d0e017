//! Synchronous modes, from the leader's side (patroni.md 9): whom commits wait for, and who may therefore lead.
//!
//! Two places say it: `/sync` in the store (who may lead) and `synchronous_standby_names` (what commits wait for). At
//! every instant a node that `/sync` lets lead has all that was acknowledged. So the list of who may lead is narrowed
//! before commits stop waiting for a node, and widened only after the node has caught up:
//!
//! ```text
//! Narrowing /sync --> names, reload --> 2 s --> AskingDatabase --caught up--> Widening /sync
//! Ending /sync --> no names, reload
//! ```
//!
//! - `on`: every node in `/sync` has every acknowledged commit, since commits wait for all of them.
//! - `quorum`: commits wait for any `count` of the voters, so a candidate must find `quorum` = voters - count others that
//!   are no further than itself. In between, both the old and the new voters count, with the smaller count.
//!
//! Every write of `/sync` is conditional on its revision; a conflict ends the round.

use super::costs::SYNC_SETTLE;
use super::ha::Pc;
use super::{Agent, HA_TIMER};
use crate::engine::{Ctx, Signal};
use crate::sorting;
use crate::store::{CallKind, CallOutcome};
use crate::vocabulary::{
    Compare, DbRole, File, FileName, Key, Lsn, NodeId, NodeSet, StoreAnswer, StoreOp, SyncNames, SyncState,
    SynchronousMode, Txn, Value, Words,
};
use std::cmp::Reverse;

/// Where a change of the synchronous standbys stands; `names`: what it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syncing {
    Narrowing {
        names: SyncNames,
    },
    /// The server has the new names; those who had flushed this far by then have everything acknowledged before.
    Settling {
        names: SyncNames,
        from: Lsn,
    },
    AskingDatabase {
        names: SyncNames,
        from: Lsn,
    },
    Widening,
    /// The mode was switched off.
    Ending,
    /// Before a promotion.
    Inheriting,
}

impl Agent {
    /// In the leader's cycle, once its database is a primary.
    pub(super) fn manage_sync(&mut self, ctx: &mut Ctx<'_, Words>) {
        let is_primary = self.db.as_ref().is_some_and(|db| db.role == DbRole::Primary);
        if !is_primary {
            return self.sync_managed(ctx);
        }
        if self.settings.synchronous_mode == SynchronousMode::Off {
            return self.leave_synchronous_mode(ctx);
        }
        let wanted = self.wanted_names();
        let current = sync_names(ctx);
        let settled = self.view.sync == self.sync_state(wanted);
        if settled && current == wanted {
            return self.sync_managed(ctx);
        }
        let narrow = self.narrowed(current, wanted);
        if narrow == self.view.sync {
            return self.set_names(wanted, ctx);
        }
        self.write_sync(narrow, Syncing::Narrowing { names: wanted }, ctx);
    }

    /// The mode was switched off: first anybody may lead, then commits wait for nobody.
    fn leave_synchronous_mode(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.view.sync.leader.is_some() {
            let key = Key::Sync;
            return self.change_sync(StoreOp::Delete { key }, Syncing::Ending, ctx);
        }
        self.wait_for_nobody(ctx);
        self.sync_managed(ctx);
    }

    fn wait_for_nobody(&mut self, ctx: &mut Ctx<'_, Words>) {
        if sync_names(ctx) != SyncNames::default() {
            ctx.write_file(FileName::SyncNames, File::SyncNames(SyncNames::default()));
            ctx.signal(self.config.database(), Signal::Hangup);
        }
    }

    /// Whom commits are to wait for: those who stream and may be waited for. Who is one already stays one, unless another is
    /// preferred (14 S2).
    fn wanted_names(&self) -> SyncNames {
        let streaming = self.db.iter().flat_map(|db| db.standbys.iter());
        let behind = |lsn: Lsn| {
            let most = self.db.iter().flat_map(|db| &db.standbys).map(|(_, lsn)| lsn.0).max();
            most.unwrap_or(0).saturating_sub(lsn.0)
        };
        let limit = self.settings.maximum_lag_on_syncnode;
        let fit: Vec<NodeId> = streaming
            .filter(|(node, lsn)| !self.view.nosync.contains(*node) && (limit == 0 || behind(*lsn) <= limit))
            .map(|&(node, _)| node)
            .collect();
        let count = usize::from(self.settings.synchronous_node_count);
        let names: NodeSet = match self.settings.synchronous_mode {
            SynchronousMode::Quorum => fit.iter().copied().collect(),
            SynchronousMode::Off | SynchronousMode::On => {
                let mut fit = fit;
                // False sorts first: those who may lead, of those the preferred ones, of those who is synchronous already.
                sorting::by_key(&mut fit, |&node| {
                    let new = !self.view.sync.standbys.contains(node);
                    let preferred = Reverse(self.view.sync_priority[node.index()]);
                    (self.view.nofailover.contains(node), preferred, new, node)
                });
                fit.into_iter().take(count).collect()
            }
        };
        // Nobody there: commits go on alone, or, in strict mode, wait for those who were known last.
        let keep = self.settings.synchronous_mode_strict && names.is_empty();
        let names = if keep { self.listed_others() } else { names };
        let least = usize::from(self.settings.synchronous_mode_strict);
        SyncNames {
            count: count.min(names.len()).max(least) as u8,
            names,
        }
    }

    /// What `/sync` says once commits wait for `names`.
    fn sync_state(&self, names: SyncNames) -> SyncState {
        let voters = names.names.len() as u8;
        SyncState {
            leader: Some(self.config.me),
            standbys: names.names,
            quorum: match self.settings.synchronous_mode {
                SynchronousMode::Quorum => voters.saturating_sub(names.count),
                SynchronousMode::Off | SynchronousMode::On => 0,
            },
        }
    }

    /// Whom `/sync` lists as standbys; a primary that was one itself until now is none any more.
    fn listed_others(&self) -> NodeSet {
        self.view.sync.standbys.without(self.config.me)
    }

    /// What `/sync` may say both while commits wait for `current` and while they wait for `wanted`.
    fn narrowed(&self, current: SyncNames, wanted: SyncNames) -> SyncState {
        // The mode has just been switched on: nobody else may lead, until commits wait for somebody.
        if self.view.sync.leader.is_none() {
            return self.sync_state(SyncNames::default());
        }
        let listed = self.listed_others();
        let standbys = match self.settings.synchronous_mode {
            SynchronousMode::Quorum => listed.union(wanted.names),
            // While commits wait for any of several nodes, as after quorum mode, no single one has them all.
            SynchronousMode::Off | SynchronousMode::On if usize::from(current.count) < current.names.len() => {
                NodeSet::EMPTY
            }
            SynchronousMode::Off | SynchronousMode::On => listed.intersection(wanted.names),
        };
        let quorum = match self.settings.synchronous_mode {
            SynchronousMode::Quorum => (standbys.len() as u8).saturating_sub(current.count.min(wanted.count)),
            SynchronousMode::Off | SynchronousMode::On => 0,
        };
        SyncState {
            leader: Some(self.config.me),
            standbys,
            quorum,
        }
    }

    fn write_sync(&mut self, state: SyncState, stage: Syncing, ctx: &mut Ctx<'_, Words>) {
        let put = StoreOp::Put {
            key: Key::Sync,
            value: Value::Sync(state),
            lease: None,
        };
        self.change_sync(put, stage, ctx);
    }

    fn change_sync(&mut self, op: StoreOp, stage: Syncing, ctx: &mut Ctx<'_, Words>) {
        let txn = Txn {
            when: vec![Compare::ModifiedAt(Key::Sync, self.view.sync_revision)],
            then: vec![op],
            or_else: Vec::new(),
        };
        self.pc = Pc::Syncing(stage);
        self.client.begin(StoreOp::Txn(Box::new(txn)), CallKind::Retried, ctx);
    }

    fn set_names(&mut self, names: SyncNames, ctx: &mut Ctx<'_, Words>) {
        ctx.write_file(FileName::SyncNames, File::SyncNames(names));
        ctx.signal(self.config.database(), Signal::Hangup);
        let from = self.db.as_ref().map_or(Lsn(0), |db| db.position.lsn);
        self.pc = Pc::Syncing(Syncing::Settling { names, from });
        ctx.set_timer(HA_TIMER, SYNC_SETTLE);
    }

    /// The pause is over.
    pub(super) fn sync_settled(&mut self, stage: Syncing, ctx: &mut Ctx<'_, Words>) {
        if let Syncing::Settling { names, from } = stage {
            self.pc = Pc::Syncing(Syncing::AskingDatabase { names, from });
            self.sql.ask(ctx);
        }
    }

    /// The standbys as they are now: whoever has caught up may lead from now on.
    pub(super) fn sync_looked(&mut self, names: SyncNames, from: Lsn, ctx: &mut Ctx<'_, Words>) {
        let caught_up = |node: NodeId| {
            let standbys = self.db.iter().flat_map(|db| &db.standbys);
            standbys
                .into_iter()
                .any(|&(standby, lsn)| standby == node && lsn >= from)
        };
        let all_there = names.names.iter().all(caught_up);
        self.look_at_cluster(ctx);
        let state = self.sync_state(names);
        if all_there && state != self.view.sync && self.holds_key() {
            return self.write_sync(state, Syncing::Widening, ctx);
        }
        self.sync_managed(ctx);
    }

    pub(super) fn sync_answered(&mut self, stage: Syncing, outcome: &CallOutcome, ctx: &mut Ctx<'_, Words>) {
        let done = match outcome {
            CallOutcome::Unreachable => return self.store_failed(ctx),
            CallOutcome::Answered(answer) => matches!(answer, Ok(StoreAnswer::Txn { succeeded: true, .. })),
        };
        match (stage, done) {
            (Syncing::Narrowing { names }, true) => self.set_names(names, ctx),
            (Syncing::Inheriting, true) => self.order_promotion(ctx),
            (Syncing::Ending, true) => {
                self.wait_for_nobody(ctx);
                self.sync_managed(ctx);
            }
            // The promotion waits for the next cycle.
            (Syncing::Inheriting, false) => self.publish_member(ctx),
            _ => self.sync_managed(ctx),
        }
    }

    /// Before a promotion `/sync` becomes this node's: with nobody else on it, or in quorum mode with all who had a vote, or
    /// in strict mode with all who may have what was acknowledged, though they may be dead (14 B11, Q3).
    pub(super) fn inherit_sync(&mut self, ctx: &mut Ctx<'_, Words>) {
        let old = self.view.sync;
        let voters =
            if self.settings.synchronous_mode == SynchronousMode::Quorum || self.settings.synchronous_mode_strict {
                let leader: NodeSet = old.leader.into_iter().collect();
                old.standbys.union(leader).without(self.config.me)
            } else {
                NodeSet::EMPTY
            };
        let least = u8::from(self.settings.synchronous_mode_strict);
        let names = SyncNames {
            count: self.settings.synchronous_node_count.min(voters.len() as u8).max(least),
            names: voters,
        };
        ctx.write_file(FileName::SyncNames, File::SyncNames(names));
        ctx.signal(self.config.database(), Signal::Hangup);
        self.write_sync(self.sync_state(names), Syncing::Inheriting, ctx);
    }
}

fn sync_names(ctx: &Ctx<'_, Words>) -> SyncNames {
    match ctx.file(FileName::SyncNames) {
        Some(File::SyncNames(names)) => *names,
        _ => SyncNames::default(),
    }
}
