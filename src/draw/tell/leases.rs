//! The leases, as the store's leader counts them: for the leader key's fuse, and for all keys.

use super::super::cast::Cast;
use super::super::story::LeaseLife;
use crate::engine::{SimTime, Span};
use crate::raft::RoleName;
use crate::scenario::Scenario;
use crate::vocabulary::{LeaseId, Note};
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub struct Leases {
    /// What a lease lasts that was granted before the run began.
    default_ttl: Span,
    /// What a new leader of the store adds to every lease.
    grace: Span,
    lives: BTreeMap<LeaseId, Life>,
}

#[derive(Clone, Debug)]
struct Life {
    ttl: Span,
    /// From when on it counts so, and when it then is full.
    counted: Vec<(SimTime, SimTime)>,
}

impl Leases {
    pub fn new(scenario: &Scenario) -> Leases {
        Leases {
            default_ttl: scenario.patroni.ttl,
            grace: scenario.store.election,
            lives: BTreeMap::new(),
        }
    }

    /// A note of a member of the store.
    pub fn note(&mut self, note: &Note, at: SimTime) {
        match *note {
            Note::LeaseGranted { lease, ttl } => {
                let counted = vec![(at, at)];
                self.lives.insert(lease, Life { ttl, counted });
            }
            Note::LeaseRenewed { lease } => self.life(lease).counted.push((at, at)),
            // Granted before the run began, and not renewed since.
            Note::KeyPut { lease: Some(lease), .. } if !self.lives.contains_key(&lease) => {
                self.life(lease).counted.push((at, at));
            }
            // It cannot know how old a lease is, so it gives each its full length again, and one election timeout more.
            Note::StoreRole {
                role: RoleName::Leader, ..
            } => {
                let full = at + self.grace;
                self.lives.values_mut().for_each(|life| life.counted.push((at, full)));
            }
            _ => {}
        }
    }

    fn life(&mut self, lease: LeaseId) -> &mut Life {
        let (ttl, counted) = (self.default_ttl, Vec::new());
        self.lives.entry(lease).or_insert(Life { ttl, counted })
    }

    /// When a lease was or will be full by the latest count, and how long it lasts then.
    pub fn last(&self, lease: LeaseId) -> Option<(SimTime, Span)> {
        let life = self.lives.get(&lease)?;
        Some((life.counted.last()?.1, life.ttl))
    }

    pub fn finish(self, cast: &Cast) -> Vec<LeaseLife> {
        let life = |(lease, life): (LeaseId, Life)| LeaseLife {
            lease,
            owner: cast.owners(lease),
            ttl: life.ttl,
            counted: life.counted,
        };
        self.lives.into_iter().map(life).collect()
    }
}
