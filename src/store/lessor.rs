//! When leases run out. Only the Raft leader's lessor keeps time; the others hold every lease for ever, until they lead
//! (etcd server/lease/lessor.go).
//!
//! A renewal lives in the leader's memory only. That is why a new leader cannot know how old a lease is and gives each its
//! full TTL again, plus one election timeout: whatever the deposed leader may still have told a client has run out by then.

use crate::engine::{MonoTime, Span};
use crate::vocabulary::LeaseId;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Deadline {
    at: MonoTime,
    /// Its removal is on the way: it can no longer be renewed.
    revoking: bool,
}

/// What became of a renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    Renewed,
    /// It has run out and is not removed yet: the renewal waits for the removal and fails with it.
    Expiring,
    /// This member does not lead, or knows no such lease.
    NotHere,
}

#[derive(Clone, Debug, Default)]
pub struct Lessor {
    /// Empty while another member leads.
    deadlines: BTreeMap<LeaseId, Deadline>,
    leads: bool,
}

impl Lessor {
    pub fn leads(&self) -> bool {
        self.leads
    }

    /// This member leads from now on: every lease begins anew, with `grace` more.
    pub fn promote(&mut self, leases: impl Iterator<Item = (LeaseId, Span)>, grace: Span, now: MonoTime) {
        self.leads = true;
        self.deadlines = leases
            .map(|(lease, ttl)| {
                (
                    lease,
                    Deadline {
                        at: now + ttl + grace,
                        revoking: false,
                    },
                )
            })
            .collect();
    }

    pub fn demote(&mut self) {
        self.leads = false;
        self.deadlines.clear();
    }

    pub fn granted(&mut self, lease: LeaseId, ttl: Span, now: MonoTime) {
        if self.leads {
            self.deadlines.insert(
                lease,
                Deadline {
                    at: now + ttl,
                    revoking: false,
                },
            );
        }
    }

    pub fn revoked(&mut self, lease: LeaseId) {
        self.deadlines.remove(&lease);
    }

    pub fn renew(&mut self, lease: LeaseId, ttl: Span, now: MonoTime) -> Renewal {
        match self.deadlines.get_mut(&lease) {
            Some(deadline) if deadline.revoking || deadline.at <= now => Renewal::Expiring,
            Some(deadline) => {
                deadline.at = now + ttl;
                Renewal::Renewed
            }
            None => Renewal::NotHere,
        }
    }

    /// The leases that have run out and are not being removed yet; from now on they cannot be renewed.
    pub fn take_expired(&mut self, now: MonoTime) -> Vec<LeaseId> {
        let expired = self
            .deadlines
            .iter_mut()
            .filter(|(_, deadline)| deadline.at <= now && !deadline.revoking);
        expired
            .map(|(&lease, deadline)| {
                deadline.revoking = true;
                lease
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: LeaseId = LeaseId(1);
    const TTL: Span = Span::from_secs(10);
    const GRACE: Span = Span::from_secs(1);

    fn at(seconds: u64) -> MonoTime {
        MonoTime::ZERO + Span::from_secs(seconds)
    }

    fn leading() -> Lessor {
        let mut lessor = Lessor::default();
        lessor.promote([(LEASE, TTL)].into_iter(), GRACE, at(0));
        lessor
    }

    #[test]
    fn a_new_leader_gives_every_lease_its_full_time_and_the_grace() {
        let mut lessor = leading();
        assert_eq!(lessor.take_expired(at(10)), []);
        assert_eq!(lessor.take_expired(at(11)), [LEASE]);
    }

    #[test]
    fn a_lease_that_has_run_out_is_never_brought_back_even_before_its_removal() {
        let mut lessor = leading();
        assert_eq!(lessor.renew(LEASE, TTL, at(11)), Renewal::Expiring);
        lessor.take_expired(at(11));
        assert_eq!(lessor.renew(LEASE, TTL, at(12)), Renewal::Expiring);
        lessor.revoked(LEASE);
        assert_eq!(lessor.renew(LEASE, TTL, at(12)), Renewal::NotHere);
    }

    #[test]
    fn a_member_that_does_not_lead_neither_renews_nor_expires() {
        let mut lessor = leading();
        lessor.demote();
        assert_eq!(lessor.renew(LEASE, TTL, at(1)), Renewal::NotHere);
        lessor.granted(LeaseId(2), TTL, at(1));
        assert_eq!(lessor.take_expired(at(100)), []);
    }
}
