//! Terms, timers and votes: T1 to T6, T12.

use super::{Body, Command, MemberId, Members, Message, Raft, Role, RoleName, Step, Term};

impl<C: Clone> Raft<C> {
    /// The election timer has fired.
    pub(super) fn campaign(&mut self, step: &mut Step<'_, C>) {
        if self.config.pre_vote {
            self.ask_pre_votes(step)
        } else {
            self.ask_votes(step)
        }
    }

    fn only_me(&self) -> Members {
        let mut me = Members::default();
        me.insert(self.id);
        me
    }

    /// T12: asks about the next term without entering it.
    fn ask_pre_votes(&mut self, step: &mut Step<'_, C>) {
        self.role = Role::PreCandidate {
            granted: self.only_me(),
            refused: Members::default(),
        };
        self.reset_timer(step);
        step.commands.push(Command::Became {
            role: RoleName::PreCandidate,
            term: self.durable.term,
        });
        if self.config.quorum() == 1 {
            return self.ask_votes(step);
        }
        let (last, last_term) = (self.durable.log.last(), self.durable.log.last_term());
        for to in self.config.others(self.id) {
            let next = Term(self.durable.term.0 + 1);
            self.send_at(next, to, Body::PreVote { last, last_term }, false, step);
        }
    }

    /// T3: a new term, my own vote first, on disk before anybody is asked.
    fn ask_votes(&mut self, step: &mut Step<'_, C>) {
        self.durable.term = Term(self.durable.term.0 + 1);
        self.durable.vote = Some(self.id);
        self.dirty = true;
        self.role = Role::Candidate {
            granted: self.only_me(),
            refused: Members::default(),
        };
        self.reset_timer(step);
        step.commands.push(Command::Became {
            role: RoleName::Candidate,
            term: self.durable.term,
        });
        if self.config.quorum() == 1 {
            return self.lead(step);
        }
        let (last, last_term) = (self.durable.log.last(), self.durable.log.last_term());
        for to in self.config.others(self.id) {
            self.send(to, Body::Vote { last, last_term }, true, step);
        }
    }

    /// T1, T2 and T5: what a message's term means before it is read. False: the message is not for me any more.
    pub(super) fn admits(&mut self, from: MemberId, message: &Message<C>, step: &mut Step<'_, C>) -> bool {
        let mine = self.durable.term;
        let asks_for_votes = matches!(message.body, Body::Vote { .. } | Body::PreVote { .. });
        if message.term > mine {
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
        if message.term < mine {
            match message.body {
                // Frees a candidate that is stuck at a higher term, and deposes the old leader.
                Body::Append { .. } | Body::Heartbeat { .. } if self.config.check_quorum || self.config.pre_vote => {
                    self.send(
                        from,
                        Body::Appended {
                            success: false,
                            at: self.durable.log.last(),
                        },
                        false,
                        step,
                    );
                }
                Body::PreVote { .. } => self.send(from, Body::PreVoted { granted: false }, false, step),
                _ => {}
            }
            return false;
        }
        true
    }

    /// T5: heard from a leader less than the least election timeout ago.
    fn is_sticky(&self, step: &Step<'_, C>) -> bool {
        self.config.check_quorum && self.leader().is_some() && step.now.since(self.reset_at) < self.config.election
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
            return self.send_at(term, from, Body::PreVoted { granted }, false, step);
        }
        if granted {
            self.durable.vote = Some(from);
            self.dirty = true;
            self.reset_timer(step);
        }
        self.send(from, Body::Voted { granted }, true, step);
    }

    /// T6: a majority either way decides.
    pub(super) fn voted(&mut self, from: MemberId, yes: bool, real: bool, step: &mut Step<'_, C>) {
        let quorum = self.config.quorum();
        let (granted, refused) = match (&mut self.role, real) {
            (Role::PreCandidate { granted, refused }, false) | (Role::Candidate { granted, refused }, true) => {
                (granted, refused)
            }
            _ => return,
        };
        if yes {
            granted.insert(from)
        } else {
            refused.insert(from)
        }
        let (won, lost) = (granted.len() >= quorum, refused.len() >= quorum);
        match (won, lost, real) {
            (true, _, false) => self.ask_votes(step),
            (true, _, true) => self.lead(step),
            (_, true, _) => self.become_follower(self.durable.term, None, step),
            _ => {}
        }
    }
}
