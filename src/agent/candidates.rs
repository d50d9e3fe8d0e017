//! Whether another node could take over: the leader's question before it gives its place up (patroni.md 2.4, 5.6).

use super::Agent;
use super::costs::PEER_PATIENCE;
use super::peers::{Answers, Round, statuses};
use super::stop::{Thread, shut_down_at};
use crate::engine::{Ctx, ProcId};
use crate::vocabulary::{Lsn, Message, NodeId, NodeSet, RestStatus, SynchronousMode, Words};

impl Agent {
    /// Asks those who may take over; `only`: this one, if it may.
    pub(super) fn ask_candidates(&mut self, thread: Thread, only: Option<NodeId>, ctx: &mut Ctx<'_, Words>) {
        let mut who = self.view.members.without(self.config.me);
        who = who
            .iter()
            .filter(|&node| !self.view.nofailover.contains(node))
            .collect();
        if let Some(only) = only {
            who = who.intersection([only].into_iter().collect());
        }
        // Only a failover by hand may choose a node that commits did not wait for.
        let by_force = self.view.request.is_some_and(|request| request.leader.is_none());
        if self.sync_is_active() && !by_force {
            who = who.intersection(self.view.sync.standbys);
        }
        let agents = self.agents_of(who);
        let round = Round {
            question: Message::AskStatus { request: 0 },
            tries: 1,
            patience: PEER_PATIENCE,
        };
        match thread {
            Thread::Loop => self.peers.begin(agents.into_iter(), round, ctx),
            Thread::Executor => self.task_peers.begin(agents.into_iter(), round, ctx),
        }
    }

    pub(super) fn agents_of(&self, nodes: NodeSet) -> Vec<(NodeId, ProcId)> {
        nodes
            .iter()
            .map(|node| (node, self.config.agents[node.index()]))
            .collect()
    }

    pub(super) fn sync_is_active(&self) -> bool {
        self.settings.synchronous_mode != SynchronousMode::Off && self.view.sync.leader.is_some()
    }

    /// At least one of them, or in quorum mode enough of them, could lead. A server that has shut down wants its last
    /// record to be there too.
    pub(super) fn somebody_can_take_over(&self, answers: Answers, ctx: &Ctx<'_, Words>) -> bool {
        let shut_down_at = shut_down_at(ctx).filter(|_| !ctx.is_alive(self.config.database()));
        let fit = statuses(answers)
            .into_iter()
            .filter(|(_, status)| status.is_some_and(|status| self.can_take_over(&status, shut_down_at)))
            .count();
        let needed = match self.settings.synchronous_mode {
            SynchronousMode::Quorum => usize::from(self.view.sync.quorum).max(1),
            SynchronousMode::Off | SynchronousMode::On => 1,
        };
        fit >= needed
    }

    fn can_take_over(&self, status: &RestStatus, shut_down_at: Option<Lsn>) -> bool {
        let Some(lsn) = status.lsn else { return false };
        let far_enough = match (shut_down_at, self.view.published) {
            (Some(end), _) => lsn >= end,
            (None, Some(published)) => published.0.saturating_sub(lsn.0) <= self.settings.maximum_lag_on_failover,
            (None, None) => true,
        };
        let timeline = !self.settings.check_timeline || status.timeline.is_some_and(|t| t >= self.last_timeline());
        far_enough && timeline && !status.nofailover && !status.watchdog_failed
    }
}
