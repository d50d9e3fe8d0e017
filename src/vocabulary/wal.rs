//! Where a database stands in its history: WAL positions, timelines, and the branches that promotions make.

use super::NodeId;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A position in the write-ahead log, in bytes, as PostgreSQL counts them.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(transparent)]
pub struct Lsn(pub u64);

/// A shutdown checkpoint's or end-of-recovery record's WAL, in bytes.
const CHECKPOINT_BYTES: u64 = 120;

impl Lsn {
    /// Where the log ends after a shutdown checkpoint or an end-of-recovery record.
    pub fn after_checkpoint(self) -> Lsn {
        Lsn(self.0 + CHECKPOINT_BYTES)
    }
}

impl fmt::Display for Lsn {
    /// As PostgreSQL prints it: `0/5029498`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:X}/{:X}", self.0 >> 32, self.0 & 0xffff_ffff)
    }
}

/// PostgreSQL's timeline number: plus one with every promotion. Two nodes can be promoted to the same number.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(transparent)]
pub struct Timeline(pub u32);

/// The identity of what one promotion wrote, which a timeline number is not: who was promoted, and how many times
/// before. The observer's knowledge; no rule of a database or an agent may depend on it beyond telling histories apart
/// where real ones would differ in content.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
pub struct Branch {
    pub node: NodeId,
    pub promotion: u16,
}

/// One step of a history: from `from` on, the log was written on `branch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Switch {
    pub branch: Branch,
    pub timeline: Timeline,
    pub from: Lsn,
}

/// The branches a log went through, oldest first; never empty. Shared, because every WAL message names it.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct History(Arc<Vec<Switch>>);

impl History {
    /// The history of a fresh cluster: timeline 1 from the beginning.
    pub fn begun_by(node: NodeId) -> History {
        let branch = Branch { node, promotion: 0 };
        History(Arc::new(vec![Switch {
            branch,
            timeline: Timeline(1),
            from: Lsn(0),
        }]))
    }
    /// The current branch.
    pub fn tip(&self) -> Switch {
        // Never empty: both constructors put at least one in.
        self.0[self.0.len() - 1]
    }
    pub fn timeline(&self) -> Timeline {
        self.tip().timeline
    }
    /// The history after a promotion at `at`.
    pub fn promoted(&self, branch: Branch, at: Lsn) -> History {
        let mut switches = (*self.0).clone();
        switches.push(Switch {
            branch,
            timeline: Timeline(self.timeline().0 + 1),
            from: at,
        });
        History(Arc::new(switches))
    }
    /// How far a log written up to `end` on `branch` is part of this history; nothing when the branch is not.
    pub fn shared_until(&self, branch: Branch, end: Lsn) -> Option<Lsn> {
        let at = self.0.iter().position(|s| s.branch == branch)?;
        let limit = self.0.get(at + 1).map_or(end, |next| next.from);
        Some(limit.min(end))
    }
    /// Whether a log at `position` can be continued by this history without taking anything back.
    pub fn continues(&self, position: &Position) -> bool {
        let tip = position.history.tip();
        self.shared_until(tip.branch, position.lsn) == Some(position.lsn)
    }
    /// The last position that both histories share, for a log at `position`.
    pub fn fork_from(&self, position: &Position) -> Lsn {
        let shared = position.history.0.iter().enumerate().filter_map(|(i, s)| {
            let end = position.history.0.get(i + 1).map_or(position.lsn, |next| next.from);
            self.shared_until(s.branch, end)
        });
        shared.max().unwrap_or(Lsn(0))
    }
}

/// Where a log ends.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Position {
    pub history: History,
    pub lsn: Lsn,
}

/// What pg_control says: the one thing about a database that can be read while it is down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlFile {
    pub state: ControlState,
    pub position: Position,
    /// The status line of `postmaster.pid`: the running server takes sessions.
    pub ready: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlState {
    InProduction,
    ShuttingDown,
    ShutDown,
    InArchiveRecovery,
    ShutDownInRecovery,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(history: &History, lsn: u64) -> Position {
        Position {
            history: history.clone(),
            lsn: Lsn(lsn),
        }
    }

    #[test]
    fn a_log_beyond_the_switch_point_cannot_be_continued_and_forks_there() {
        let old = History::begun_by(NodeId(0));
        let new = old.promoted(
            Branch {
                node: NodeId(1),
                promotion: 1,
            },
            Lsn(100),
        );
        assert!(new.continues(&position(&old, 100)));
        assert!(!new.continues(&position(&old, 101)));
        assert_eq!(new.fork_from(&position(&old, 140)), Lsn(100));
    }

    #[test]
    fn two_promotions_to_the_same_timeline_number_are_different_branches() {
        let old = History::begun_by(NodeId(0));
        let one = old.promoted(
            Branch {
                node: NodeId(1),
                promotion: 1,
            },
            Lsn(100),
        );
        let two = old.promoted(
            Branch {
                node: NodeId(2),
                promotion: 1,
            },
            Lsn(90),
        );
        assert_eq!(one.timeline(), two.timeline());
        assert!(!two.continues(&position(&one, 120)));
        assert_eq!(two.fork_from(&position(&one, 120)), Lsn(90));
    }
}
