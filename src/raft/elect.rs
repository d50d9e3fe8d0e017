//! Terms, timers and votes: T1 to T6, T12.

use super::role::{Role, Votes};
use super::{Body, Command, MemberId, Message, Raft, RoleName, Step, Term};

impl<C: Clone> Raft<C> {
    /// The election timer has fired.
    pub(super) fn campaign(&mut self, step: &mut Step<'_, C>) {
        if self.config.pre_vote {
            self.ask_pre_votes(step)
        } else {
            self.ask_votes(step)
        }
    }

    /// T12: asks about the next term without entering it.
    fn ask_pre_votes(&mut self, step: &mut Step<'_, C>) {
        self.role = Role::PreCandidate(Votes::of_myself(self.id));
        // The term is the same, and so is the draw (T3).
        self.restart_timer(step);
        self.became(RoleName::PreCandidate, step);
        if self.config.quorum() == 1 {
            return self.ask_votes(step);
        }
        let (last, last_term) = (self.durable.log.last(), self.durable.log.last_term());
        let term = self.next_term();
        for to in self.config.others(self.id) {
            self.send_at(term, to, Body::PreVote { last, last_term }, step);
        }
    }

    /// T3: a new term, my own vote first, on disk before anybody is asked.
    fn ask_votes(&mut self, step: &mut Step<'_, C>) {
        self.durable.term = self.next_term();
        self.durable.vote = Some(self.id);
        self.dirty = true;
        self.role = Role::Candidate(Votes::of_myself(self.id));
        self.redraw_timer(step);
        self.became(RoleName::Candidate, step);
        if self.config.quorum() == 1 {
            return self.lead(step);
        }
        let (last, last_term) = (self.durable.log.last(), self.durable.log.last_term());
        for to in self.config.others(self.id) {
            self.promise(to, Body::Vote { last, last_term }, step);
        }
    }

    fn next_term(&self) -> Term {
        Term(self.durable.term.0 + 1)
    }

    pub(super) fn became(&self, role: RoleName, step: &mut Step<'_, C>) {
        let term = self.durable.term;
        step.commands.push(Command::Became { role, term });
    }

    /// T1, T2 and T5: what a message's term means before it is read. False: the message is not for me any more.
    pub(super) fn admits(&mut self, from: MemberId, message: &Message<C>, step: &mut Step<'_, C>) -> bool {
        if message.term > self.durable.term {
            let asks_for_votes = matches!(message.body, Body::Vote { .. } | Body::PreVote { .. });
            if asks_for_votes && self.is_sticky(step) {
                return false; // no reply, no change: I have a leader (T5)
            }
            let from_leader = matches!(message.body, Body::Append { .. } | Body::Heartbeat { .. });
            match message.body {
                // Neither a question nor a yes about a future term moves mine.
                Body::PreVote { .. } | Body::PreVoted { granted: true } => {}
                _ => self.become_follower(message.term, from_leader.then_some(from), step),
            }
            return true;
        }
        if message.term < self.durable.term {
            self.refuse_stale(from, &message.body, step);
            return false;
        }
        true
    }

    /// T2. An answer of my higher term deposes the old leader; without it, where members do not hear my candidacy (T5),
    /// a candidate at a higher term would be stuck for ever. The paper answers everybody; etcd only where it must.
    fn refuse_stale(&mut self, from: MemberId, body: &Body<C>, step: &mut Step<'_, C>) {
        match body {
            Body::Append { .. } | Body::Heartbeat { .. } if self.config.check_quorum || self.config.pre_vote => {
                let matched = super::Index(0);
                self.promise(from, Body::Appended { matched }, step);
            }
            Body::PreVote { .. } => self.promise(from, Body::PreVoted { granted: false }, step),
            _ => {}
        }
    }

    /// T5: a leader, or heard from one less than the least election timeout ago. A leader's own clock for it is T11's.
    fn is_sticky(&self, step: &Step<'_, C>) -> bool {
        self.config.check_quorum
            && match self.role {
                Role::Leader(_) => true,
                _ => self.leader().is_some() && step.now.since(self.reset_at) < self.config.election,
            }
    }

    /// T4, for votes and pre-votes.
    pub(super) fn vote(&mut self, from: MemberId, message: &Message<C>, step: &mut Step<'_, C>) {
        let (last, last_term, real) = match message.body {
            Body::Vote { last, last_term } => (last, last_term, true),
            Body::PreVote { last, last_term } => (last, last_term, false),
            _ => return,
        };
        let free = match self.durable.vote {
            Some(vote) => vote == from,
            None => self.leader().is_none(),
        };
        let future = !real && message.term > self.durable.term;
        let granted = (free || future) && self.durable.log.is_up_to_date(last_term, last);
        if !real {
            // A yes carries the term asked about, a no my own.
            let term = if granted { message.term } else { self.durable.term };
            return self.promise_at(term, from, Body::PreVoted { granted }, step);
        }
        if granted {
            self.dirty |= self.durable.vote.is_none();
            self.durable.vote = Some(from);
            self.restart_timer(step);
        }
        self.promise(from, Body::Voted { granted }, step);
    }

    pub(super) fn voted(&mut self, from: MemberId, granted: bool, step: &mut Step<'_, C>) {
        if let Role::Candidate(votes) = &mut self.role {
            votes.record(from, granted);
            self.count_votes(step);
        }
    }

    /// A late yes to an earlier question carries an earlier term and is none to this one.
    pub(super) fn pre_voted(&mut self, from: MemberId, granted: bool, term: Term, step: &mut Step<'_, C>) {
        let asked = self.next_term();
        if let Role::PreCandidate(votes) = &mut self.role
            && (!granted || term == asked)
        {
            votes.record(from, granted);
            self.count_votes(step);
        }
    }

    /// T6: a majority decides; and so does whoever makes a majority impossible, which in a group of even size is half of it.
    fn count_votes(&mut self, step: &mut Step<'_, C>) {
        let quorum = self.config.quorum();
        let members = usize::from(self.config.members);
        match &self.role {
            Role::PreCandidate(votes) if votes.granted() >= quorum => self.ask_votes(step),
            Role::Candidate(votes) if votes.granted() >= quorum => self.lead(step),
            Role::PreCandidate(votes) | Role::Candidate(votes) if members - votes.refused() < quorum => {
                self.become_follower(self.durable.term, None, step);
            }
            _ => {}
        }
    }
}
