//! The settings of a member, and the rules that can be switched off.

use super::{MEMBERS_MAX, MemberId};

/// Rules that can be switched off, to see what each is for. `Bugs::default()` breaks nothing. (Pre-vote and check-quorum
/// are rules that real systems run without; they are switched off in [`Config`].)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bugs {
    /// T4: the vote is not on disk before it is told, so a restarted member can vote twice in a term.
    pub vote_not_persisted: bool,
    /// T9: entries of earlier terms count as committed once a majority stores them.
    pub commit_old_terms_by_counting: bool,
    /// T13: reads are answered from the leader's memory without asking anybody.
    pub reads_from_memory: bool,
}

/// How a leader makes sure that a read is not stale (T13, T14).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ReadMode {
    /// One round of heartbeats that a majority must answer. Needs no clock.
    #[default]
    ReadIndex,
    /// etcd's `ReadOnlyLeaseBased`: whoever passed its last check of the quorum may answer. A leader that was cut off
    /// believes that for up to two election timeouts, and the others elect after one: not safe.
    LeaseBased,
    /// The lease of the Raft thesis (6.4.1): counted from the start of a heartbeat round that a majority has answered.
    /// Safe as long as no clock runs faster than another by more than the bound and no member forgets, by a restart,
    /// that it has a leader. Outside the lease a read falls back to ReadIndex.
    LeaderLease {
        /// By how much one member's clock may run faster than another's, in parts per million.
        drift_ppm_max: u32,
    },
}

/// The settings of a member. All members of a group should have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// 1 to [`MEMBERS_MAX`].
    pub members: u8,
    /// The least election timeout in ticks; the drawn one lies in `[election, 2 * election - 1]` (T3).
    pub election: u64,
    /// Ticks between heartbeats, fewer than `election`.
    pub heartbeat: u64,
    /// T12
    pub pre_vote: bool,
    /// T5 and T11
    pub check_quorum: bool,
    /// Followers are told of a commit at once (etcd), or with the next append or heartbeat (the paper).
    pub commit_at_once: bool,
    /// The most entries of one append message, at least 1.
    pub entries_max: u32,
    pub read_mode: ReadMode,
    pub bugs: Bugs,
}

/// Why a [`Config`] cannot work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("a group has 1 to {MEMBERS_MAX} members, not {0}")]
    Members(u8),
    #[error("the heartbeat must be at least 1 tick and less than the election timeout of {election}, not {heartbeat}")]
    Heartbeat { heartbeat: u64, election: u64 },
    #[error("an append must carry at least 1 entry")]
    Entries,
    #[error("lease reads need check-quorum: without it a leader that was cut off never stops believing")]
    LeaseWithoutCheckQuorum,
}

impl Config {
    /// etcd 3.5's: heartbeat 100 ms, election 1000 ms, counted in ticks of 100 ms; pre-vote and check-quorum on
    /// (etcd server/embed/config.go).
    pub fn etcd(members: u8) -> Config {
        Config {
            members,
            election: 10,
            heartbeat: 1,
            pre_vote: true,
            check_quorum: true,
            commit_at_once: true,
            entries_max: 64,
            read_mode: ReadMode::ReadIndex,
            bugs: Bugs::default(),
        }
    }

    /// The Raft paper's: election 150 to 299 ms, heartbeat 50 ms, counted in ticks of 1 ms; no pre-vote, no
    /// check-quorum, and a commit is told with the next heartbeat.
    pub fn paper(members: u8) -> Config {
        Config {
            election: 150,
            heartbeat: 50,
            pre_vote: false,
            check_quorum: false,
            commit_at_once: false,
            ..Config::etcd(members)
        }
    }

    /// # Errors
    /// The first setting that cannot work.
    pub fn check(&self) -> Result<(), ConfigError> {
        let (heartbeat, election) = (self.heartbeat, self.election);
        if self.members == 0 || usize::from(self.members) > MEMBERS_MAX {
            return Err(ConfigError::Members(self.members));
        }
        if heartbeat == 0 || heartbeat >= election {
            return Err(ConfigError::Heartbeat { heartbeat, election });
        }
        if self.entries_max == 0 {
            return Err(ConfigError::Entries);
        }
        if self.read_mode != ReadMode::ReadIndex && !self.check_quorum {
            return Err(ConfigError::LeaseWithoutCheckQuorum);
        }
        Ok(())
    }

    /// How many members are a majority.
    pub fn quorum(&self) -> usize {
        usize::from(self.members) / 2 + 1
    }

    pub(super) fn others(&self, me: MemberId) -> impl Iterator<Item = MemberId> + use<> {
        (0..self.members).map(MemberId).filter(move |&member| member != me)
    }

    /// T14: how long the lease lasts from the start of its round, in ticks. One tick is taken off because a follower
    /// counts whole ticks: a heartbeat just before its tick gives it the first of them for nothing.
    pub(super) fn lease(&self, drift_ppm_max: u32) -> u64 {
        const MILLION: u64 = 1_000_000;
        self.election.saturating_sub(1) * MILLION / (MILLION + u64::from(drift_ppm_max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_settings_work_and_each_impossible_one_says_why() {
        assert_eq!(Config::etcd(3).check(), Ok(()));
        assert_eq!(Config::paper(7).check(), Ok(()));
        let broken = |change: fn(&mut Config)| {
            let mut config = Config::etcd(3);
            change(&mut config);
            config.check().map_err(|e| e.to_string())
        };
        let says = |why: &str| Err(why.to_owned());
        assert_eq!(broken(|c| c.members = 0), says("a group has 1 to 7 members, not 0"));
        assert_eq!(broken(|c| c.members = 8), says("a group has 1 to 7 members, not 8"));
        let heartbeat = "the heartbeat must be at least 1 tick and less than the election timeout of 10, not";
        assert_eq!(broken(|c| c.heartbeat = 0), says(&format!("{heartbeat} 0")));
        assert_eq!(broken(|c| c.heartbeat = 10), says(&format!("{heartbeat} 10")));
        assert_eq!(
            broken(|c| c.entries_max = 0),
            says("an append must carry at least 1 entry")
        );
        let lease = "lease reads need check-quorum: without it a leader that was cut off never stops believing";
        let without = |c: &mut Config| (c.check_quorum, c.read_mode) = (false, ReadMode::LeaseBased);
        assert_eq!(broken(without), says(lease));
    }

    #[test]
    fn a_majority_is_more_than_half() {
        let quorums: Vec<usize> = (1..=7).map(|members| Config::etcd(members).quorum()).collect();
        assert_eq!(quorums, [1, 2, 2, 3, 3, 4, 4]);
    }
}
