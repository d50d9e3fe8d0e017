//! Patroni's guard against a member that has missed an election (`StaleEtcdNodeGuard`, since 4.0.6; patroni.md 4.1).
//!
//! Every answer of etcd carries the Raft term of the member that gives it. A member that was cut off comes back with the
//! term in which it was cut off and shows what was true then: the new leader read the old one's name there and gave itself
//! up (patroni#3314). Terms never fall, so an answer of a lower term than one already seen is worth nothing.

use crate::raft::Term;

/// ```
/// use leaselab::raft::Term;
/// use leaselab::store::TermGuard;
/// let mut guard = TermGuard::default();
/// assert!(guard.admits(Term(3)) && guard.admits(Term(3)));
/// assert!(!guard.admits(Term(2)), "an election was missed");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TermGuard {
    seen: Term,
    off: bool,
}

impl TermGuard {
    /// One that lets everything pass, as before 4.0.6.
    pub fn off() -> TermGuard {
        let seen = Term(0);
        TermGuard { seen, off: true }
    }

    /// Whether an answer of this term may be believed.
    pub fn admits(&mut self, term: Term) -> bool {
        let fresh = term >= self.seen || self.off;
        self.seen = self.seen.max(term);
        fresh
    }

    /// Forgets what it has seen.
    pub fn reset(&mut self) {
        self.seen = Term(0);
    }
}
