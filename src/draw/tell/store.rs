//! The store's lane: the lease behind the leader key, from one renewal to the next.

use super::super::cast::Cast;
use super::super::story::{Fuse, FuseEnd, Halt, StoreLane};
use super::Track;
use crate::engine::{Event, Life, Place, SimTime, Span, What};
use crate::vocabulary::{Key, LeaseId, NodeId, Note, Words};
use crate::world::Part;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub struct Store {
    /// What a lease lasts that was granted before the run began.
    default_ttl: Span,
    /// When each lease was last full, and how long it lasts.
    leases: BTreeMap<LeaseId, (SimTime, Span)>,
    burning: Option<Fuse>,
    fuses: Vec<Fuse>,
    halts: Track<Halt>,
}

impl Store {
    pub fn new(default_ttl: Span) -> Store {
        Store {
            default_ttl,
            leases: BTreeMap::new(),
            burning: None,
            fuses: Vec::new(),
            halts: Track::new(),
        }
    }

    pub fn see(&mut self, event: &Event<Words>, cast: &Cast) {
        let on_store = match event.place {
            Place::Process(process) => matches!(cast.part(process), Some(Part::Store(_))),
            Place::Host(host) => cast.layout.store().iter().any(|&(h, _)| h == host),
            Place::Network => false,
        };
        if !on_store {
            return;
        }
        match &event.what {
            What::Note(note) => self.note(note, event.at),
            What::Life(life) => self.life(*life, event.at),
            _ => {}
        }
    }

    fn note(&mut self, note: &Note, at: SimTime) {
        match *note {
            Note::LeaseGranted { lease, ttl } => {
                self.leases.insert(lease, (at, ttl));
            }
            Note::LeaseRenewed { lease } => {
                self.leases.entry(lease).or_insert((at, self.default_ttl)).0 = at;
                if let Some(fuse) = self.burning.filter(|fuse| fuse.lease == lease) {
                    self.put_out(at, FuseEnd::Renewed);
                    self.light(at, fuse.holder, lease);
                }
            }
            Note::LeaseExpired { lease } if self.burning.is_some_and(|fuse| fuse.lease == lease) => {
                self.put_out(at, FuseEnd::Expired);
            }
            Note::KeyPut {
                key: Key::Leader,
                holder: Some(holder),
                lease,
                ..
            } => {
                self.put_out(at, FuseEnd::Replaced);
                if let Some(lease) = lease {
                    self.light(at, holder, lease);
                }
            }
            Note::KeyDeleted { key: Key::Leader, .. } => self.put_out(at, FuseEnd::Released),
            _ => {}
        }
    }

    fn light(&mut self, at: SimTime, holder: NodeId, lease: LeaseId) {
        let &(lit, ttl) = self.leases.get(&lease).unwrap_or(&(at, self.default_ttl));
        self.burning = Some(Fuse {
            holder,
            lease,
            lit,
            ttl,
            from: at,
            until: at,
            end: FuseEnd::Open,
        });
    }

    fn put_out(&mut self, at: SimTime, end: FuseEnd) {
        if let Some(fuse) = self.burning.take().filter(|fuse| fuse.from < at) {
            self.fuses.push(Fuse { until: at, end, ..fuse });
        }
    }

    fn life(&mut self, life: Life, at: SimTime) {
        match life {
            Life::Paused => self.halts.begin(at, Halt::Frozen),
            Life::Killed | Life::Exited => self.halts.begin(at, Halt::Dead),
            Life::Resumed => self.halts.end(at),
            Life::Started => {
                self.halts.end(at);
                // A store that comes up again gives every lease its full length anew.
                for (lit, _) in self.leases.values_mut() {
                    *lit = at;
                }
                if let Some(fuse) = self.burning.filter(|fuse| fuse.from < at) {
                    self.put_out(at, FuseEnd::Renewed);
                    self.light(at, fuse.holder, fuse.lease);
                }
            }
        }
    }

    pub fn finish(mut self, end: SimTime) -> StoreLane {
        self.put_out(end, FuseEnd::Open);
        StoreLane {
            fuses: self.fuses,
            halts: self.halts.finish(end),
        }
    }
}
