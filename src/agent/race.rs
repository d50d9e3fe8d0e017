//! The leader race, in the order of its vetoes; the first decisive answer wins (patroni.md 5).
//!
//! There is no vote, no random pause and no term: whoever passes every veto sends a compare-and-create, and the store's
//! order of arrival decides. Between the won key and the promote command the lease is not looked at again.

use super::costs::{DRAW_WORK, RACE_PREPARE};
use super::ha::{AfterRead, Pc};
use super::lease::LeaseUse;
use super::{Agent, HA_TIMER, Role};
use crate::engine::Ctx;
use crate::vocabulary::{DbRole, Decline, Key, Lsn, NodeId, Note, RestStatus, Step, Timeline, Value, Words};

impl Agent {
    /// S14: the view has no leader and the database has told its role and position.
    pub(super) fn unhealthy_cluster(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::SeesNoLeader);
        let Some(db) = &self.db else { return self.end_cycle(ctx) };
        // R1.4: a node that runs as primary asks nobody.
        if db.role == DbRole::Primary {
            return if db.position.history.timeline() >= self.last_timeline() {
                self.use_lease(LeaseUse::acquiring(), ctx)
            } else {
                self.decline(Decline::OldTimeline, ctx)
            };
        }
        // R1.8
        if self.config.watchdog.is_broken() {
            return self.decline(Decline::WatchdogUnusable, ctx);
        }
        // R1.11b: against the position the leader published last, strictly.
        let behind = self
            .view
            .published
            .map_or(0, |published| published.0.saturating_sub(db.position.lsn.0));
        if behind > self.config.maximum_lag_on_failover {
            return self.decline(Decline::Lagging { behind }, ctx);
        }
        self.at(Step::AskingPeers, Pc::PreparingRace, ctx);
        let after = ctx.sample(DRAW_WORK, &RACE_PREPARE);
        ctx.set_timer(HA_TIMER, after);
    }

    /// R1.11e
    pub(super) fn ask_peers(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.pc = Pc::AskingPeers;
        let me = self.config.me;
        let others = self
            .config
            .agents
            .iter()
            .enumerate()
            .map(|(n, &agent)| (NodeId(n as u8), agent));
        let others: Vec<_> = others.filter(|&(node, _)| node != me).collect();
        self.peers.begin(others.into_iter(), ctx);
    }

    fn last_timeline(&self) -> Timeline {
        match self.watcher.get(Key::History).map(|item| item.value) {
            Some(Value::History(timeline, _)) => timeline,
            _ => Timeline(0),
        }
    }

    /// R1.11f: an answer "I run as primary" vetoes; a position ahead of the one read at the start of this cycle vetoes,
    /// although the peer read its own later; silence and answers without a position do not.
    pub(super) fn peers_answered(&mut self, answers: Vec<(NodeId, Option<RestStatus>)>, ctx: &mut Ctx<'_, Words>) {
        if self.pc != Pc::AskingPeers {
            return;
        }
        let mine = self.db.as_ref().map_or(Lsn(0), |db| db.position.lsn);
        let veto = answers.iter().find_map(|&(peer, answer)| {
            let answer = answer.filter(|a| !a.watchdog_failed)?;
            let theirs = answer.lsn?;
            if answer.role == DbRole::Primary {
                Some(Decline::PeerIsPrimary { peer })
            } else if theirs > mine {
                Some(Decline::PeerAhead { peer, mine, theirs })
            } else {
                None
            }
        });
        match veto {
            Some(reason) => self.decline(reason, ctx),
            None => self.use_lease(LeaseUse::acquiring(), ctx),
        }
    }

    /// R5: stands back. If there is still no leader it follows nobody, so its streaming from the old primary ends.
    fn decline(&mut self, reason: Decline, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::Declines(reason));
        self.look_at_cluster(ctx);
        self.follow(ctx);
    }

    /// R3
    pub(super) fn won(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::Acquires);
        self.believe(ctx);
        self.view.leader = Some(self.config.me);
        self.view.leader_lease = self.lease;
        if self.role == Role::Demoted {
            self.role = Role::Replica;
        }
        // The watchdog is opened after the lock is taken and before the promotion.
        self.ping_watchdog(ctx);
        self.enforce_primary_role(ctx);
    }

    /// R4
    pub(super) fn lost(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::LosesRace);
        // A failed conditional write makes the copy suspect: read anew before following anybody.
        self.watcher.restart(ctx);
        self.read_cluster(AfterRead::FollowTheWinner, ctx);
    }
}
