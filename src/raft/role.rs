//! What a member is, and what it then keeps in mind. None of it survives a crash.

use super::read::Reads;
use super::{Index, MEMBERS_MAX, MemberId, Members, Round, Tick};

#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    borsh::BorshSerialize,
    borsh::BorshDeserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum RoleName {
    Follower,
    PreCandidate,
    Candidate,
    Leader,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    Follower { leader: Option<MemberId> },
    PreCandidate(Votes),
    Candidate(Votes),
    Leader(Box<Leading>),
}

/// The answers to a candidate, its own among those for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Votes {
    granted: Members,
    refused: Members,
}

impl Votes {
    pub fn of_myself(me: MemberId) -> Votes {
        let (mut granted, refused) = (Members::default(), Members::default());
        granted.insert(me);
        Votes { granted, refused }
    }
    /// A member's first answer counts, whatever the network makes of the others.
    pub fn record(&mut self, from: MemberId, yes: bool) {
        if !self.granted.contains(from) && !self.refused.contains(from) {
            if yes {
                self.granted.insert(from);
            } else {
                self.refused.insert(from);
            }
        }
    }
    pub fn granted(&self) -> usize {
        self.granted.len()
    }
    pub fn refused(&self) -> usize {
        self.refused.len()
    }
}

/// What a leader knows of one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Progress {
    /// The next entry to send. Optimistic: what is sent counts as received, until the member says otherwise.
    pub next: Index,
    /// How far the member's log is known to be on its disk and the same as mine.
    pub matched: Index,
    /// Heard from since the last check of the quorum (T11). Stays false where nobody checks.
    pub active: bool,
    /// The newest round of heartbeats that it answered; the default is before any.
    pub acked: Round,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Leading {
    pub progress: [Progress; MEMBERS_MAX],
    pub next_heartbeat: Tick,
    pub next_check: Tick,
    pub reads: Reads,
}

impl Leading {
    pub fn of(&mut self, member: MemberId) -> &mut Progress {
        &mut self.progress[usize::from(member.0)]
    }
}
