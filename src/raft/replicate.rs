//! Replication: T8, and what each message does once its term is admitted.

use super::{Body, Command, Entry, Index, MemberId, Message, Raft, Role, Step, Term};

/// The most entries of one append message.
const APPEND_MAX: usize = 64;

impl<C: Clone> Raft<C> {
    pub(super) fn handle(&mut self, from: MemberId, message: Message<C>, step: &mut Step<'_, C>) {
        match message.body {
            Body::Vote { .. } | Body::PreVote { .. } => self.vote(from, &message, step),
            Body::Voted { granted } => self.voted(from, granted, true, step),
            Body::PreVoted { granted } => self.voted(from, granted, false, step),
            Body::Append {
                previous,
                previous_term,
                entries,
                commit,
            } => {
                self.hear_leader(from, step);
                self.appended_by(from, (previous, previous_term), entries, commit, step);
            }
            Body::Heartbeat { commit, read } => {
                self.hear_leader(from, step);
                self.commit_up_to(commit.min(self.durable.log.last()), step);
                self.send(from, Body::HeartbeatAck { read }, false, step);
            }
            Body::Appended { success, at } => self.follower_answered(from, success, at, step),
            Body::HeartbeatAck { read } => {
                self.heard_from(from);
                if let Some(read) = read {
                    self.read_confirmed(from, read, step);
                }
                self.catch_up(from, step);
            }
            Body::ReadRequest { token } => self.read_for(Some(from), token, step),
            Body::ReadAnswer { token, index } => step.commands.push(Command::ReadReady { token, index }),
        }
    }

    /// Somebody leads this term: whatever I was, I follow.
    fn hear_leader(&mut self, leader: MemberId, step: &mut Step<'_, C>) {
        match &mut self.role {
            Role::Follower { leader: known } => {
                *known = Some(leader);
                self.reset_timer(step);
            }
            _ => self.become_follower(self.durable.term, Some(leader), step),
        }
    }

    /// T8: only a real conflict truncates; an old, short append must not.
    fn appended_by(
        &mut self,
        from: MemberId,
        (previous, previous_term): (Index, Term),
        entries: Vec<Entry<C>>,
        commit: Index,
        step: &mut Step<'_, C>,
    ) {
        if self.durable.log.term(previous) != Some(previous_term) {
            // Nothing of mine beyond here can match: the leader may skip what it would try in vain.
            let at = self.durable.log.last().min(previous.previous());
            return self.send(from, Body::Appended { success: false, at }, true, step);
        }
        let last_new = Index(previous.0 + entries.len() as u64);
        for (i, entry) in entries.into_iter().enumerate() {
            let index = Index(previous.0 + 1 + i as u64);
            if self.durable.log.term(index) != Some(entry.term) {
                self.durable.log.truncate(index.previous());
                self.stored = self.stored.min(index.previous());
                self.durable.log.push(entry);
                self.dirty = true;
            }
        }
        self.commit_up_to(commit.min(last_new), step);
        self.send(
            from,
            Body::Appended {
                success: true,
                at: last_new,
            },
            true,
            step,
        );
    }

    fn commit_up_to(&mut self, index: Index, step: &mut Step<'_, C>) {
        if index > self.committed {
            self.committed = index;
            step.commands.push(Command::Committed(index));
        }
    }

    fn follower_answered(&mut self, from: MemberId, success: bool, at: Index, step: &mut Step<'_, C>) {
        self.heard_from(from);
        let Role::Leader(leading) = &mut self.role else { return };
        let progress = &mut leading.progress[usize::from(from.0)];
        if success {
            if at > progress.matched {
                progress.matched = at;
                progress.next = progress.next.max(at.next());
                self.advance_commit(step);
            }
        } else if at.next() < progress.next {
            progress.next = at.next().max(progress.matched.next());
        }
        self.catch_up(from, step);
    }

    /// Sends a member what it lacks, if anything.
    pub(super) fn catch_up(&mut self, to: MemberId, step: &mut Step<'_, C>) {
        let Role::Leader(leading) = &self.role else { return };
        let progress = leading.progress[usize::from(to.0)];
        if progress.matched < self.durable.log.last() && progress.next <= self.durable.log.last() {
            self.send_append(to, step);
        }
    }

    pub(super) fn broadcast(&mut self, step: &mut Step<'_, C>) {
        for to in self.config.others(self.id) {
            self.send_append(to, step);
        }
    }

    fn send_append(&mut self, to: MemberId, step: &mut Step<'_, C>) {
        let Role::Leader(leading) = &mut self.role else { return };
        let progress = &mut leading.progress[usize::from(to.0)];
        let previous = progress.next.previous();
        let entries = self.durable.log.after(previous, APPEND_MAX);
        // Optimistic: what is sent is taken as received until the follower says otherwise, or a heartbeat finds it behind.
        progress.next = Index(progress.next.0 + entries.len() as u64);
        let previous_term = self.durable.log.term(previous).unwrap_or(Term(0));
        let commit = self.committed;
        // A leader need not have its entries on disk before it sends them; it only may not count itself (T9).
        self.send(
            to,
            Body::Append {
                previous,
                previous_term,
                entries,
                commit,
            },
            false,
            step,
        );
    }
}
