//! Linearizable reads: T13, T14.

use super::role::Role;
use super::{Body, Command, Index, MemberId, Raft, ReadMode, Step};
use borsh::{BorshDeserialize, BorshSerialize};

/// A read's name, given by whoever asks; the machine only hands it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
pub struct ReadToken {
    pub member: MemberId,
    pub number: u64,
}

/// Who is told: another member, or (none) the caller.
type Asker = Option<MemberId>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Waiting {
    token: ReadToken,
    asker: Asker,
    /// What was committed when the read came.
    index: Index,
    /// The first round of heartbeats whose answers count.
    round: u64,
}

/// The reads a leader has under way, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Reads {
    /// Came before this leader knew what was committed before it.
    early: Vec<(ReadToken, Asker)>,
    /// Waiting for a round of heartbeats.
    waiting: Vec<Waiting>,
    asked: u64,
}

impl Reads {
    /// How many reads have asked for a round so far: the newest round's number.
    pub fn asked(&self) -> u64 {
        self.asked
    }
}

impl<C: Clone> Raft<C> {
    /// Asks for a linearizable read; the answer is [`Command::ReadReady`] or [`Command::ReadFailed`], or never comes: the
    /// caller must have a deadline.
    pub fn read_index(&mut self, token: ReadToken, step: &mut Step<'_, C>) {
        match (&self.role, self.leader()) {
            (Role::Leader(_), _) => self.read_for(None, token, step),
            (_, Some(leader)) => self.send(leader, Body::ReadRequest { token }, step),
            (_, None) => step.commands.push(Command::ReadFailed { token }),
        }
        self.settle(step);
    }

    /// A member that does not lead any more lets another's read run into its deadline.
    pub(super) fn read_for(&mut self, asker: Asker, token: ReadToken, step: &mut Step<'_, C>) {
        let known = self.knows_committed() || self.config.bugs.reads_from_memory;
        let Role::Leader(leading) = &mut self.role else { return };
        if !known {
            leading.reads.early.push((token, asker));
            return;
        }
        if self.may_read_at_once(step) {
            return self.serve_read(asker, token, self.committed, step);
        }
        let Role::Leader(leading) = &mut self.role else { return };
        leading.reads.asked += 1;
        leading.reads.waiting.push(Waiting {
            token,
            asker,
            index: self.committed,
            round: leading.reads.asked,
        });
        self.heartbeat(step);
    }

    /// Whether nobody need be asked whether I still lead.
    fn may_read_at_once(&self, step: &Step<'_, C>) -> bool {
        self.config.quorum() == 1
            || self.config.bugs.reads_from_memory
            || match self.config.read_mode {
                ReadMode::ReadIndex => false,
                ReadMode::LeaseBased => true,
                ReadMode::LeaderLease { .. } => self.lease_until().is_some_and(|until| step.now < until),
            }
    }

    /// The first entry of my own term is committed: reads that came before it may go on.
    pub(super) fn release_reads(&mut self, step: &mut Step<'_, C>) {
        if self.knows_committed()
            && let Role::Leader(leading) = &mut self.role
        {
            for (token, asker) in std::mem::take(&mut leading.reads.early) {
                self.read_for(asker, token, step);
            }
        }
    }

    /// Serves what a majority's answers confirm. Answers to a round confirm every read that came before the round.
    pub(super) fn confirm_reads(&mut self, step: &mut Step<'_, C>) {
        let Role::Leader(leading) = &self.role else { return };
        if leading.reads.waiting.is_empty() {
            return;
        }
        let confirmed = self.of_majority(u64::MAX, |progress| progress.acked.reads);
        let Role::Leader(leading) = &mut self.role else { return };
        let ready = leading
            .reads
            .waiting
            .iter()
            .take_while(|w| w.round <= confirmed)
            .count();
        let ready: Vec<Waiting> = leading.reads.waiting.drain(..ready).collect();
        for Waiting {
            token, asker, index, ..
        } in ready
        {
            self.serve_read(asker, token, index, step);
        }
    }

    fn serve_read(&self, asker: Asker, token: ReadToken, index: Index, step: &mut Step<'_, C>) {
        match asker {
            Some(member) => self.send(member, Body::ReadAnswer { token, index }, step),
            None => step.commands.push(Command::ReadReady { token, index }),
        }
    }

    /// A deposed leader serves none of its reads.
    pub(super) fn fail_reads(&mut self, step: &mut Step<'_, C>) {
        if let Role::Leader(leading) = &mut self.role {
            let early = leading.reads.early.drain(..);
            let waiting = leading.reads.waiting.drain(..).map(|w| (w.token, w.asker));
            for (token, _) in early.chain(waiting).filter(|(_, asker)| asker.is_none()) {
                step.commands.push(Command::ReadFailed { token });
            }
        }
    }
}
