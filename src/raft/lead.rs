//! Leading: T7, T9 to T11.

use super::read::Reads;
use super::{
    Body, Command, Entry, Index, Leading, MEMBERS_MAX, MemberId, Members, Progress, Raft, Role, RoleName, Step,
};

impl<C: Clone> Raft<C> {
    /// T7: an empty entry of the own term, to everybody.
    pub(super) fn lead(&mut self, step: &mut Step<'_, C>) {
        let next = self.durable.log.last().next();
        self.role = Role::Leader(Box::new(Leading {
            progress: [Progress {
                next,
                matched: Index(0),
                active: false,
            }; MEMBERS_MAX],
            next_heartbeat: step.now.plus(self.config.heartbeat),
            next_check: step.now.plus(self.config.election),
            reads: Reads::default(),
        }));
        self.reset_timer(step);
        step.commands.push(Command::Became {
            role: RoleName::Leader,
            term: self.durable.term,
        });
        self.append(None, step);
        self.broadcast(step);
    }

    pub(super) fn append(&mut self, command: Option<C>, _step: &mut Step<'_, C>) -> Index {
        self.durable.log.push(Entry {
            term: self.durable.term,
            command,
        });
        self.dirty = true;
        self.durable.log.last()
    }

    pub(super) fn tick_leader(&mut self, step: &mut Step<'_, C>) {
        let Role::Leader(leading) = &mut self.role else { return };
        if self.config.check_quorum && step.now >= leading.next_check {
            // T11: whom did I hear from since the last look?
            let active = leading.progress.iter().filter(|p| p.active).count() + 1;
            leading.progress.iter_mut().for_each(|p| p.active = false);
            leading.next_check = step.now.plus(self.config.election);
            if active < self.config.quorum() {
                return self.become_follower(self.durable.term, None, step);
            }
        }
        let Role::Leader(leading) = &mut self.role else { return };
        if step.now >= leading.next_heartbeat {
            leading.next_heartbeat = step.now.plus(self.config.heartbeat);
            self.heartbeat(step);
        }
    }

    /// T10. A waiting read asks along with it.
    pub(super) fn heartbeat(&mut self, step: &mut Step<'_, C>) {
        let Role::Leader(leading) = &self.role else { return };
        let read = leading.reads.newest();
        for to in self.config.others(self.id) {
            let commit = leading.progress[usize::from(to.0)].matched.min(self.committed);
            self.send(to, Body::Heartbeat { commit, read }, false, step);
        }
    }

    /// T9: what a majority has on disk is committed, if it is of my own term.
    pub(super) fn advance_commit(&mut self, step: &mut Step<'_, C>) {
        let Role::Leader(leading) = &self.role else { return };
        let mut matched: Vec<Index> = self
            .config
            .others(self.id)
            .map(|member| leading.progress[usize::from(member.0)].matched)
            .collect();
        matched.push(self.stored);
        matched.sort_unstable_by(|a, b| b.cmp(a));
        let majority = matched[self.config.quorum() - 1];
        let own_term = self.durable.log.term(majority) == Some(self.durable.term);
        if majority > self.committed && (own_term || self.config.bugs.commit_old_terms_by_counting) {
            self.committed = majority;
            step.commands.push(Command::Committed(majority));
            self.release_reads(step);
            // Followers learn of it at once, not with the next heartbeat.
            self.broadcast(step);
        }
    }

    /// Whether an entry of this leader's own term is committed: only then does it know what was committed before it.
    pub(super) fn knows_committed(&self) -> bool {
        self.durable.log.term(self.committed) == Some(self.durable.term)
    }

    pub(super) fn heard_from(&mut self, member: MemberId) {
        if let Role::Leader(leading) = &mut self.role {
            leading.progress[usize::from(member.0)].active = true;
        }
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
}
