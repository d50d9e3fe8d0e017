//! Linearizable reads: T13.

use super::{Body, Command, Index, MemberId, Members, Raft, ReadMode, Role, Step};
use borsh::{BorshDeserialize, BorshSerialize};

/// A read's name, given by whoever asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
pub struct ReadToken {
    pub member: MemberId,
    pub number: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Waiting {
    token: ReadToken,
    /// Who is told: another member, or (none) the caller.
    asker: Option<MemberId>,
    /// Known once the leader knows what is committed.
    index: Option<Index>,
    confirmed: Members,
}

/// The reads a leader has under way, oldest first. A confirmation of one confirms all before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Reads {
    waiting: Vec<Waiting>,
}

impl Reads {
    pub fn newest(&self) -> Option<ReadToken> {
        self.waiting.iter().rev().find(|w| w.index.is_some()).map(|w| w.token)
    }
}

impl<C: Clone> Raft<C> {
    /// Asks for a linearizable read; the answer is [`Command::ReadReady`] or [`Command::ReadFailed`], or never comes: the
    /// caller must have a deadline.
    pub fn read_index(&mut self, token: ReadToken, step: &mut Step<'_, C>) {
        match (&self.role, self.leader()) {
            (Role::Leader(_), _) => self.read_for(None, token, step),
            (_, Some(leader)) => self.send(leader, Body::ReadRequest { token }, false, step),
            (_, None) => step.commands.push(Command::ReadFailed { token }),
        }
        self.settle(step);
    }

    pub(super) fn read_for(&mut self, asker: Option<MemberId>, token: ReadToken, step: &mut Step<'_, C>) {
        let known = self.knows_committed();
        let at_once = self.config.quorum() == 1
            || self.config.bugs.reads_from_memory
            || (self.config.read_mode == ReadMode::LeaseBased && self.config.check_quorum);
        let committed = self.committed;
        let Role::Leader(leading) = &mut self.role else { return };
        if at_once && (known || self.config.bugs.reads_from_memory) {
            return self.answer(asker, token, committed, step);
        }
        let mut confirmed = Members::default();
        confirmed.insert(self.id);
        leading.reads.waiting.push(Waiting {
            token,
            asker,
            index: known.then_some(committed),
            confirmed,
        });
        if known {
            self.heartbeat(step);
        }
    }

    /// The first entry of my own term is committed: reads that came before it may begin their round.
    pub(super) fn release_reads(&mut self, step: &mut Step<'_, C>) {
        let (known, committed) = (self.knows_committed(), self.committed);
        let Role::Leader(leading) = &mut self.role else { return };
        let mut released = false;
        for waiting in leading.reads.waiting.iter_mut().filter(|w| known && w.index.is_none()) {
            waiting.index = Some(committed);
            released = true;
        }
        if released {
            self.heartbeat(step);
        }
    }

    pub(super) fn read_confirmed(&mut self, from: MemberId, token: ReadToken, step: &mut Step<'_, C>) {
        let quorum = self.config.quorum();
        let Role::Leader(leading) = &mut self.role else { return };
        let reads = &mut leading.reads.waiting;
        let Some(at) = reads.iter().position(|w| w.token == token && w.index.is_some()) else {
            return;
        };
        reads[at].confirmed.insert(from);
        if reads[at].confirmed.len() < quorum {
            return;
        }
        let ready: Vec<Waiting> = reads.drain(..=at).collect();
        for waiting in ready {
            self.answer(
                waiting.asker,
                waiting.token,
                waiting.index.unwrap_or(self.committed),
                step,
            );
        }
    }

    fn answer(&mut self, asker: Option<MemberId>, token: ReadToken, index: Index, step: &mut Step<'_, C>) {
        match asker {
            Some(member) => self.send(member, Body::ReadAnswer { token, index }, false, step),
            None => step.commands.push(Command::ReadReady { token, index }),
        }
    }

    /// A deposed leader answers none of its reads.
    pub(super) fn fail_reads(&mut self, step: &mut Step<'_, C>) {
        if let Role::Leader(leading) = &mut self.role {
            for waiting in leading.reads.waiting.drain(..).filter(|w| w.asker.is_none()) {
                step.commands.push(Command::ReadFailed { token: waiting.token });
            }
        }
    }
}
