//! Leading: T7, T9 to T11, T14.

use super::role::{Leading, Progress, Role};
use super::{Body, Command, Entry, Index, MEMBERS_MAX, Members, Raft, ReadMode, RoleName, Round, Step, Tick};

impl<C: Clone> Raft<C> {
    /// T7: an empty entry of the own term, to everybody.
    pub(super) fn lead(&mut self, step: &mut Step<'_, C>) {
        let unknown = Progress {
            next: self.durable.log.last().next(),
            matched: Index(0),
            active: false,
            acked: Round::default(),
        };
        self.role = Role::Leader(Box::new(self.leading(unknown, step.now)));
        self.became(RoleName::Leader, step);
        self.append(None);
        self.broadcast(step);
    }

    pub(super) fn leading(&self, progress: Progress, now: Tick) -> Leading {
        Leading {
            progress: [progress; MEMBERS_MAX],
            next_heartbeat: now.plus(self.config.heartbeat),
            next_check: now.plus(self.config.election),
            reads: Default::default(),
        }
    }

    pub(super) fn append(&mut self, command: Option<C>) -> Index {
        let term = self.durable.term;
        self.durable.log.push(Entry { term, command });
        self.dirty = true;
        self.durable.log.last()
    }

    pub(super) fn tick_leader(&mut self, step: &mut Step<'_, C>) {
        let Role::Leader(leading) = &mut self.role else { return };
        if self.config.check_quorum && step.now >= leading.next_check {
            leading.next_check = step.now.plus(self.config.election);
            if !self.has_quorum() {
                return self.become_follower(self.durable.term, None, step);
            }
        }
        let Role::Leader(leading) = &mut self.role else { return };
        if step.now >= leading.next_heartbeat {
            leading.next_heartbeat = step.now.plus(self.config.heartbeat);
            self.heartbeat(step);
        }
    }

    /// T11: whom did I hear from since the last look? Whoever answered just after it counts until the next one, so a
    /// leader that is cut off abdicates between one and two election timeouts later.
    fn has_quorum(&mut self) -> bool {
        let quorum = self.active().len() >= self.config.quorum();
        if let Role::Leader(leading) = &mut self.role {
            leading.progress.iter_mut().for_each(|p| p.active = false);
        }
        quorum
    }

    /// T10. A waiting read asks along with it.
    pub(super) fn heartbeat(&self, step: &mut Step<'_, C>) {
        let Role::Leader(leading) = &self.role else { return };
        let round = Round {
            started: step.now,
            reads: leading.reads.asked(),
        };
        for to in self.config.others(self.id) {
            let commit = leading.progress[usize::from(to.0)].matched.min(self.committed);
            self.send(to, Body::Heartbeat { commit, round }, step);
        }
    }

    /// The best value that a majority has, my own being `mine`.
    pub(super) fn of_majority<T: Ord + Copy>(&self, mine: T, of: impl Fn(&Progress) -> T) -> T {
        let mut values = [mine; MEMBERS_MAX];
        if let Role::Leader(leading) = &self.role {
            for (value, member) in values[1..].iter_mut().zip(self.config.others(self.id)) {
                *value = of(&leading.progress[usize::from(member.0)]);
            }
        }
        let values = &mut values[..usize::from(self.config.members)];
        values.sort_unstable_by(|a, b| b.cmp(a));
        values[self.config.quorum() - 1]
    }

    /// T9: what a majority has on disk is committed, if it is of my own term.
    pub(super) fn advance_commit(&mut self, step: &mut Step<'_, C>) {
        if !matches!(self.role, Role::Leader(_)) {
            return;
        }
        let majority = self.of_majority(self.stored, |progress| progress.matched);
        let own_term = self.durable.log.term(majority) == Some(self.durable.term);
        if majority > self.committed && (own_term || self.config.bugs.commit_old_terms_by_counting) {
            self.committed = majority;
            step.commands.push(Command::Committed(majority));
            self.release_reads(step);
            if self.config.commit_at_once {
                self.broadcast(step);
            }
        }
    }

    /// Whether an entry of this leader's own term is committed: only then does it know what was committed before it.
    pub(super) fn knows_committed(&self) -> bool {
        self.durable.log.term(self.committed) == Some(self.durable.term)
    }

    /// The members a leader has heard from since its last check, itself included: what "has quorum" means from inside.
    pub fn active(&self) -> Members {
        let mut active = Members::default();
        if let Role::Leader(leading) = &self.role {
            active.insert(self.id);
            let heard = self
                .config
                .others(self.id)
                .filter(|m| leading.progress[usize::from(m.0)].active);
            heard.for_each(|member| active.insert(member));
        }
        active
    }

    /// T14: until when this leader's lease lasts, on its own clock; nothing outside [`ReadMode::LeaderLease`], or before
    /// a majority has answered a round.
    pub fn lease_until(&self) -> Option<Tick> {
        let ReadMode::LeaderLease { drift_ppm_max } = self.config.read_mode else {
            return None;
        };
        if !matches!(self.role, Role::Leader(_)) {
            return None;
        }
        let newest = Round {
            started: Tick(u64::MAX),
            reads: u64::MAX,
        };
        let round = self.of_majority(newest, |progress| progress.acked);
        let until = round.started.0.saturating_add(self.config.lease(drift_ppm_max));
        (round != Round::default()).then_some(Tick(until))
    }
}
