//! Who is in the group, and how a member counts time.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

/// A member, counted from zero.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
#[serde(transparent)]
pub struct MemberId(pub u8);

/// The most members a group can have.
pub const MEMBERS_MAX: usize = 7;

/// A set of members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Members(u8);

impl Members {
    pub fn insert(&mut self, member: MemberId) {
        self.0 |= 1 << member.0;
    }
    pub fn contains(self, member: MemberId) -> bool {
        self.0 & (1 << member.0) != 0
    }
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Time in ticks of one member's clock, since it started. A caller whose ticker drops ticks while its thread stands
/// still (Go's does) counts only those that were handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
pub struct Tick(pub u64);

impl Tick {
    /// Ticks since `earlier`.
    pub fn since(self, earlier: Tick) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
    pub(super) fn plus(self, ticks: u64) -> Tick {
        Tick(self.0 + ticks)
    }
}
