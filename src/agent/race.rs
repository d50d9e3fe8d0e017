//! The leader race, in the order of its vetoes; the first decisive answer wins (patroni.md 5).
//!
//! There is no vote, no random pause and no term: whoever passes every veto sends a compare-and-create, and the store's
//! order of arrival decides. Between the won key and the promote command the lease is not looked at again.

use super::costs::{DECIDE, DRAW_WORK, PEER_PATIENCE, RACE_PREPARE, YIELD};
use super::ha::{AfterRead, Pc};
use super::lease::LeaseUse;
use super::manual::AfterClear;
use super::peers::{Answers, Round, statuses};
use super::{Agent, HA_TIMER, Role};
use crate::engine::{Ctx, MonoTime, Span};
use crate::vocabulary::{
    DbRole, Decline, FailoverRequest, Lsn, Message, NodeId, NodeSet, Note, RestStatus, SqlState, Step, SynchronousMode,
    Words,
};

/// How a candidate judges the others' answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RaceKind {
    Ordinary,
    /// A request by hand: if the node that it names is fit to lead, nobody else may; if it is not, or none is named, this is
    /// like an ordinary race, without the limit of the lag.
    ByHand {
        candidate: Option<NodeId>,
    },
    /// A request by hand names this node's own place as the old leader: it stays unless anybody else can take it.
    OldLeader,
}

impl Agent {
    /// S14: the view has no leader.
    pub(super) fn unhealthy_cluster(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::SeesNoLeader);
        if self.backs_off(ctx) {
            ctx.note(Note::Declines(Decline::BacksOff));
            return self.publish_member(ctx);
        }
        match self.first_vetoes() {
            Some(Ok(())) if self.is_primary() => self.use_lease(LeaseUse::acquiring(), ctx),
            // A candidate named by hand asks nobody; what it goes through before is the same. Recorded: 56 to 141 ms.
            Some(Ok(())) => {
                let after = ctx.sample(DRAW_WORK, &RACE_PREPARE);
                self.decide(after, ctx);
            }
            Some(Err(Decline::DatabaseDown | Decline::DatabaseStarting)) => {
                let starting = self.state == SqlState::Starting;
                ctx.note(Note::Declines(if starting {
                    Decline::DatabaseStarting
                } else {
                    Decline::DatabaseDown
                }));
                self.publish_member(ctx);
            }
            Some(Err(reason)) => self.decline(reason, ctx),
            None => {
                self.at(Step::AskingPeers, Pc::PreparingRace, ctx);
                let after = ctx.sample(DRAW_WORK, &RACE_PREPARE);
                ctx.set_timer(HA_TIMER, after);
            }
        }
    }

    /// R0: with `primary_race_backoff`, the race waits while WAL still comes in, and at least one loop_wait.
    fn backs_off(&mut self, ctx: &Ctx<'_, Words>) -> bool {
        let back_off = self.settings.primary_race_backoff;
        let named = self.view.request.is_some_and(|request| request.candidate.is_some());
        let (Some(db), Some(before)) = (&self.db, self.last_lsn) else {
            return false;
        };
        if back_off == Span::ZERO || self.settings.pause || named {
            return false;
        }
        let now: MonoTime = ctx.mono();
        let waited = now.since(*self.backing_off_since.get_or_insert(now));
        (waited < back_off && db.streaming && db.position.lsn > before) || waited < self.settings.loop_wait
    }

    /// What is left of the back-off: the loop sleeps no longer than that (patroni.md 2.1).
    pub(super) fn back_off_left(&self, ctx: &Ctx<'_, Words>) -> Option<Span> {
        let waited = ctx.mono().since(self.backing_off_since?);
        let left = self.settings.primary_race_backoff.saturating_sub(waited);
        (left > Span::ZERO).then_some(left)
    }

    /// R1.2 to R1.11d: what can be decided without asking anybody. `Ok`: the key may be taken at once.
    fn first_vetoes(&mut self) -> Option<Result<(), Decline>> {
        self.race = RaceKind::Ordinary;
        let request = self.view.request;
        // R1.2
        if self.settings.pause
            && !self.tags.nofailover
            && let Some(request) = request.filter(|request| request.scheduled.is_none())
        {
            return self.by_hand(request);
        }
        // R1.3
        let Some(db) = &self.db else {
            return Some(Err(Decline::DatabaseDown));
        };
        let timeline = db.position.history.timeline();
        // R1.4: a node that runs as primary asks nobody.
        if db.role == DbRole::Primary {
            let unchecked = self.settings.pause || self.config.bugs.no_timeline_check;
            let current = unchecked || timeline >= self.last_timeline();
            return Some(if current { Ok(()) } else { Err(Decline::OldTimeline) });
        }
        // R1.5, R1.6
        if self.settings.pause {
            return Some(Err(Decline::Maintenance));
        }
        if self.tags.nofailover {
            return Some(Err(Decline::NoFailover));
        }
        // R1.7
        if let Some(request) = request
            && let Some(decided) = self.by_hand(request)
        {
            return Some(decided);
        }
        self.ordinary_vetoes()
    }

    /// R1.8 to R1.11c
    fn ordinary_vetoes(&self) -> Option<Result<(), Decline>> {
        let db = self.db.as_ref()?;
        if self.watchdog_is_broken() {
            return Some(Err(Decline::WatchdogUnusable));
        }
        let listed = self.failsafe.known;
        if self.settings.failsafe_mode && !listed.is_empty() && !listed.contains(self.config.me) {
            return Some(Err(Decline::NotInFailsafe));
        }
        let may_lead =
            self.view.sync.standbys.contains(self.config.me) || self.view.sync.leader == Some(self.config.me);
        if self.settings.synchronous_mode == SynchronousMode::On && self.sync_is_active() && !may_lead {
            return Some(Err(Decline::NotSynchronous));
        }
        // Against the position the leader published last, strictly.
        let behind = self
            .view
            .published
            .map_or(0, |published| published.0.saturating_sub(db.position.lsn.0));
        if self.race == RaceKind::Ordinary && behind > self.settings.maximum_lag_on_failover {
            return Some(Err(Decline::Lagging { behind }));
        }
        if self.settings.check_timeline && db.position.history.timeline() < self.last_timeline() {
            return Some(Err(Decline::OldTimeline));
        }
        None
    }

    /// R1.7, 5.5: somebody asked for a new leader. Nothing decided: an ordinary race, with [`Agent::race`]'s exceptions.
    fn by_hand(&mut self, request: FailoverRequest) -> Option<Result<(), Decline>> {
        let me = self.config.me;
        let synchronous = self.view.sync.standbys.contains(me) || self.view.sync.leader == Some(me);
        if self.sync_is_active() && request.leader.is_some() && !synchronous {
            return Some(Err(Decline::NotSynchronous));
        }
        if request.candidate == Some(me) {
            return Some(Ok(()));
        }
        let candidate = request.candidate.filter(|&named| self.view.members.contains(named));
        if self.settings.pause {
            let reason = candidate.map_or(Decline::Maintenance, |_| Decline::NotTheCandidate);
            return Some(Err(reason));
        }
        self.race = if request.leader == Some(me) {
            RaceKind::OldLeader
        } else {
            RaceKind::ByHand { candidate }
        };
        None
    }

    /// R1.9, R1.10: everybody known, or in synchronous mode everybody who may have what was acknowledged.
    fn whom_to_ask(&self) -> NodeSet {
        let mut peers = self.old_members.union(self.view.members);
        if self.settings.failsafe_mode {
            peers = peers.union(self.failsafe.known);
        }
        if self.sync_is_active() {
            let leader: NodeSet = self.view.sync.leader.into_iter().collect();
            peers = self.view.sync.standbys.union(leader);
        }
        // 5.5: among all but the old leader, and whoever was named is asked in any case.
        if let (RaceKind::ByHand { candidate }, Some(request)) = (self.race, self.view.request) {
            peers = request.leader.map_or(peers, |old| peers.without(old));
            peers = candidate.map_or(peers, |named| peers.with(named));
        }
        // R1.11d: nobody asks a member that may not lead, unless it has a vote.
        let votes = self.settings.synchronous_mode == SynchronousMode::Quorum && self.sync_is_active();
        let asked = |node: &NodeId| votes || !self.view.nofailover.contains(*node);
        peers.without(self.config.me).iter().filter(asked).collect()
    }

    /// R1.11e
    pub(super) fn ask_peers(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.pc = Pc::AskingPeers;
        let others = self.agents_of(self.whom_to_ask());
        let round = Round {
            question: Message::AskStatus { request: 0 },
            tries: 1,
            patience: PEER_PATIENCE,
        };
        self.peers.begin(others.into_iter(), round, ctx);
    }

    /// R1.11f, g: an answer "I run as primary" vetoes; a position ahead of the one read at the start of this cycle vetoes,
    /// although the peer read its own later; silence and answers without a position do not.
    pub(super) fn peers_answered(&mut self, answers: Answers, ctx: &mut Ctx<'_, Words>) {
        let mine = self.db.as_ref().map_or(Lsn(0), |db| db.position.lsn);
        let quorum_mode = self.settings.synchronous_mode == SynchronousMode::Quorum && self.sync_is_active();
        let (mut votes, mut ahead) = (0, false);
        let mut veto = None;
        for (peer, status) in statuses(answers) {
            let Some((status, theirs)) = status.and_then(|status| Some((status, status.lsn?))) else {
                continue;
            };
            let voter = quorum_mode && self.view.sync.standbys.contains(peer);
            if status.watchdog_failed || (status.nofailover && !voter) {
                continue;
            }
            let former = self.sync_is_active() && self.view.sync.leader == Some(peer);
            match self.judge(peer, &status, theirs, mine, former) {
                Some(reason) => veto = veto.or(Some(reason)),
                None if theirs > mine => ahead = true,
                None => votes += u8::from(voter),
            }
        }
        if veto.is_none() && quorum_mode {
            // Whoever is no voter itself needs one more: with as many as a voter needs it could miss who has the last commit.
            let outsider = !self.view.sync.standbys.contains(self.config.me);
            let needed = self.view.sync.quorum + u8::from(outsider);
            let was_leader = self.view.sync.leader == Some(self.config.me);
            let enough = votes >= needed || (was_leader && !ahead);
            veto = (!enough).then_some(Decline::TooFewVotes { votes, needed });
        }
        match veto {
            Some(reason) => self.decline(reason, ctx),
            None => self.decide(Span::ZERO, ctx),
        }
    }

    fn decide(&mut self, after: Span, ctx: &mut Ctx<'_, Words>) {
        self.pc = Pc::Deciding;
        let after = after + ctx.sample(DRAW_WORK, &DECIDE);
        ctx.set_timer(HA_TIMER, after);
    }

    /// One peer's answer. `former`: `/sync` names it as the leader it was.
    fn judge(&self, peer: NodeId, status: &RestStatus, theirs: Lsn, mine: Lsn, former: bool) -> Option<Decline> {
        if status.role == DbRole::Primary {
            return Some(Decline::PeerIsPrimary { peer });
        }
        match self.race {
            RaceKind::OldLeader if !status.nofailover => return Some(Decline::NotTheCandidate),
            RaceKind::ByHand { candidate } if candidate == Some(peer) => return Some(Decline::NotTheCandidate),
            _ => {}
        }
        if theirs > mine && !former {
            return Some(Decline::PeerAhead { peer, mine, theirs });
        }
        let preferred = theirs == mine && status.priority > self.config.priority && !former;
        preferred.then_some(Decline::PeerPreferred { peer })
    }

    /// R5: stands back. After a request by hand, and if it may never lead, it gives somebody time to take the key.
    fn decline(&mut self, reason: Decline, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::Declines(reason));
        if self.view.request.is_some() || self.tags.nofailover {
            self.pc = Pc::StandingBack;
            return ctx.set_timer(HA_TIMER, YIELD);
        }
        self.stood_back(ctx);
    }

    /// If there is still no leader it follows nobody, so its streaming from the old primary ends.
    pub(super) fn stood_back(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.look_at_cluster(ctx);
        self.follow(ctx);
    }

    /// R3
    pub(super) fn won(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::Acquires);
        // The revision of the write that created the key.
        self.hand_out(self.client.revision(), ctx);
        self.believe(ctx);
        self.view.leader = Some(self.config.me);
        self.view.leader_lease = self.lease;
        self.backing_off_since = None;
        if self.role == Role::Demoted {
            self.role = Role::Replica;
        }
        if self.view.request.is_some() {
            return self.clear_request(AfterClear::Won, ctx);
        }
        self.won_and_cleared(ctx);
    }

    pub(super) fn won_and_cleared(&mut self, ctx: &mut Ctx<'_, Words>) {
        // The watchdog is opened after the lock is taken and before the promotion.
        self.ping_watchdog(ctx);
        self.enforce_primary_role(ctx);
    }

    /// R4
    pub(super) fn lost(&mut self, ctx: &mut Ctx<'_, Words>) {
        ctx.note(Note::LosesRace);
        // A failed conditional write makes the copy suspect: read anew before following anybody.
        self.watcher.restart(self.client.server(), ctx);
        self.read_cluster(AfterRead::FollowTheWinner, ctx);
    }
}
