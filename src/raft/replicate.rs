//! Replication: T8, and what each message does once its term is admitted.

use super::role::{Progress, Role};
use super::{Body, Command, Entry, Index, MemberId, Message, Raft, Round, Step, Term};

impl<C: Clone> Raft<C> {
    pub(super) fn handle(&mut self, from: MemberId, message: Message<C>, step: &mut Step<'_, C>) {
        match message.body {
            Body::Vote { .. } | Body::PreVote { .. } => self.vote(from, &message, step),
            Body::Voted { granted } => self.voted(from, granted, step),
            Body::PreVoted { granted } => self.pre_voted(from, granted, message.term, step),
            Body::Append {
                previous,
                previous_term,
                entries,
                commit,
            } => {
                if self.follows(from, step) {
                    self.appended_by(from, (previous, previous_term), entries, commit, step);
                }
            }
            Body::Heartbeat { commit, round } => {
                if self.follows(from, step) {
                    debug_assert!(commit <= self.durable.log.last(), "T10");
                    self.commit_up_to(commit, step);
                    self.send(from, Body::HeartbeatAck { round }, step);
                }
            }
            Body::Appended { matched } => self.follower_appended(from, matched, step),
            Body::Refused {
                previous,
                hint,
                hint_term,
            } => self.follower_refused(from, previous, (hint, hint_term), step),
            Body::HeartbeatAck { round } => self.follower_lives(from, round, step),
            Body::ReadRequest { token } => self.read_for(Some(from), token, step),
            Body::ReadAnswer { token, index } => step.commands.push(Command::ReadReady { token, index }),
        }
    }

    /// Somebody leads this term: whoever I was, I follow. Unless I lead it myself: then two members were elected in one
    /// term, which no rule allows and a bug switch can bring about, and a leader's log stays as it is (T7).
    fn follows(&mut self, from: MemberId, step: &mut Step<'_, C>) -> bool {
        match &mut self.role {
            Role::Leader(_) => return false,
            Role::Follower { leader } => {
                *leader = Some(from);
                self.restart_timer(step);
            }
            Role::PreCandidate(_) | Role::Candidate(_) => self.become_follower(self.durable.term, Some(from), step),
        }
        true
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
            let hint = self.durable.log.last_at_most(previous, previous_term);
            let hint_term = self.durable.log.term(hint).unwrap_or_default();
            return self.promise(
                from,
                Body::Refused {
                    previous,
                    hint,
                    hint_term,
                },
                step,
            );
        }
        let mut matched = previous;
        for entry in entries {
            matched = matched.next();
            if self.durable.log.term(matched) != Some(entry.term) {
                self.durable.log.truncate(matched.previous());
                self.stored = self.stored.min(matched.previous());
                self.durable.log.push(entry);
                self.dirty = true;
            }
        }
        // Beyond `matched` my log may still hold what another leader wrote.
        self.commit_up_to(commit.min(matched), step);
        self.promise(from, Body::Appended { matched }, step);
    }

    fn commit_up_to(&mut self, index: Index, step: &mut Step<'_, C>) {
        if index > self.committed {
            self.committed = index;
            step.commands.push(Command::Committed(index));
        }
    }

    /// What a leader knows of a member that it hears from.
    fn heard(&mut self, from: MemberId) -> Option<&mut Progress> {
        let Role::Leader(leading) = &mut self.role else {
            return None;
        };
        let progress = leading.of(from);
        progress.active = self.config.check_quorum;
        Some(progress)
    }

    fn follower_appended(&mut self, from: MemberId, matched: Index, step: &mut Step<'_, C>) {
        let Some(progress) = self.heard(from) else { return };
        if matched > progress.matched {
            progress.matched = matched;
            progress.next = progress.next.max(matched.next());
            self.advance_commit(step);
        }
        self.send_rest(from, step);
    }

    /// Goes back to where the logs may be the same. Both sides skip whole terms: the follower's hint is the last of its
    /// entries that is no newer than what was refused, and the leader looks for the last of its own no newer than that.
    fn follower_refused(
        &mut self,
        from: MemberId,
        previous: Index,
        (hint, hint_term): (Index, Term),
        step: &mut Step<'_, C>,
    ) {
        let maybe = self.durable.log.last_at_most(hint, hint_term);
        let Some(progress) = self.heard(from) else { return };
        let next = previous.min(maybe.next()).max(progress.matched.next());
        // Late refusals, of what has been stored since or is being sent again already, change nothing.
        if previous > progress.matched && next < progress.next {
            progress.next = next;
            self.send_append(from, step);
        }
    }

    /// An answered heartbeat. Whoever is behind is sent something, if only an empty append: if what was sent before was
    /// lost, it does not fit, and its refusal tells where to go on.
    fn follower_lives(&mut self, from: MemberId, round: Round, step: &mut Step<'_, C>) {
        let last = self.durable.log.last();
        let Some(progress) = self.heard(from) else { return };
        progress.acked = progress.acked.max(round);
        let is_behind = progress.matched < last;
        self.confirm_reads(step);
        if is_behind {
            self.send_append(from, step);
        }
    }

    /// Sends a member what has not been sent to it yet, if anything.
    fn send_rest(&mut self, to: MemberId, step: &mut Step<'_, C>) {
        let last = self.durable.log.last();
        let Role::Leader(leading) = &mut self.role else { return };
        if leading.of(to).next <= last {
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
        let progress = leading.of(to);
        let previous = progress.next.previous();
        let entries = self.durable.log.after(previous, self.config.entries_max as usize);
        progress.next = Index(progress.next.0 + entries.len() as u64);
        let body = Body::Append {
            previous,
            previous_term: self.durable.log.term(previous).unwrap_or_default(),
            entries,
            commit: self.committed,
        };
        self.send(to, body, step);
    }
}
