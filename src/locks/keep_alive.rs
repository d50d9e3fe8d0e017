//! The lease of a session as its client sees it (client/v3/lease.go).
//!
//! | loop            | every  | what it does |
//! |-----------------|--------|--------------|
//! | sender          | 500 ms | sends a keep-alive when a third of the TTL has passed since the last answer |
//! | deadline        | 1 s    | gives the lease up when its TTL has passed since the last answer |
//!
//! Both look at the client's own monotonic clock, and both count from the answer's receipt, which is later than what the
//! store counts from.

use crate::engine::{MonoTime, Span};

/// Pause of the sender, and before a broken connection is opened again (`retryConnWait`).
pub(super) const RETRY: Span = Span::from_millis(500);
/// How often the deadline is looked at.
pub(super) const LOOK: Span = Span::from_secs(1);
/// A lease that never had an answer is given up after this long (`defaultTTL`).
const FIRST_PATIENCE: Span = Span::from_secs(5);

#[derive(Clone, Copy, Debug)]
pub(super) struct KeepAlive {
    next: MonoTime,
    deadline: MonoTime,
}

impl KeepAlive {
    pub fn begun(now: MonoTime) -> KeepAlive {
        let (next, deadline) = (now, now + FIRST_PATIENCE);
        KeepAlive { next, deadline }
    }
    pub fn answered(&mut self, ttl: Span, now: MonoTime) {
        self.next = now + ttl / 3;
        self.deadline = now + ttl;
    }
    pub fn is_due(&self, now: MonoTime) -> bool {
        self.next <= now
    }
    /// The deadline itself is not past it: a look at that very instant comes too early.
    pub fn is_over(&self, now: MonoTime) -> bool {
        self.deadline < now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> MonoTime {
        MonoTime::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn a_lease_is_renewed_after_a_third_of_its_time_and_given_up_after_all_of_it() {
        let mut lease = KeepAlive::begun(at(0));
        assert!(lease.is_due(at(0)), "the first at once");
        lease.answered(Span::from_secs(9), at(10));
        assert!(!lease.is_due(at(3_009)) && lease.is_due(at(3_010)));
        assert!(!lease.is_over(at(9_010)) && lease.is_over(at(9_011)));
    }

    #[test]
    fn a_lease_without_any_answer_is_given_up_after_five_seconds() {
        assert!(!KeepAlive::begun(at(0)).is_over(at(5_000)));
        assert!(KeepAlive::begun(at(0)).is_over(at(5_001)));
    }
}
