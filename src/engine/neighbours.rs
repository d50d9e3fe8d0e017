//! Hosts on one network segment find each other by asking for a hardware address before the first packet (ARP). A silent
//! cut swallows the question too, and who has never spoken with a host learns after some seconds that there is no route to
//! it, where an old acquaintance waits for its handshake. Behind a router nothing of this is seen.

use super::ids::HostId;
use super::rng::{Draw, bits_of};
use crate::clocks::{SimTime, Span};

/// Three questions, a second apart, and what the kernel takes to tell. Recorded: 3.06 s from the first handshake to "no route
/// to host".
const GIVES_UP: Span = Span::from_millis(3_060);

/// How many hosts of a hundred have been spoken with before a run begins. Recorded: of 11 leaders cut off from two members of
/// the store that they were not using, 7 knew both.
const ACQUAINTED_PERCENT: u64 = 80;
/// The owner of that draw, beside all processes, hosts and links.
const OWNER: u32 = 1 << 23;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Neighbour {
    Stranger,
    /// The question is out.
    AskedFor,
    /// An address once known is kept and tried, whatever becomes of its host.
    Known,
}

/// What each host knows of each other one.
#[derive(Clone, Debug)]
pub(super) struct Neighbours {
    hosts: usize,
    /// By the asking host, then by the other; empty when there is a router between them.
    known: Vec<Neighbour>,
}

impl Neighbours {
    pub fn new(hosts: usize, one_segment: bool, seed: u64) -> Neighbours {
        let pairs = if one_segment { hosts * hosts } else { 0 };
        let known = |pair: usize| {
            if bits_of(seed, OWNER, Draw::ACQUAINTED, pair as u32) % 100 < ACQUAINTED_PERCENT {
                Neighbour::Known
            } else {
                Neighbour::Stranger
            }
        };
        Neighbours {
            hosts,
            known: (0..pairs).map(known).collect(),
        }
    }

    fn of(&mut self, from: HostId, to: HostId) -> Option<&mut Neighbour> {
        self.known.get_mut(from.index() * self.hosts + to.index())
    }

    /// A packet has gone each way.
    pub fn met(&mut self, a: HostId, b: HostId) {
        for (from, to) in [(a, b), (b, a)] {
            if let Some(neighbour) = self.of(from, to) {
                *neighbour = Neighbour::Known;
            }
        }
    }

    /// A handshake got no answer. Returns when the question for the other's address is given up, if it begins now.
    pub fn unanswered(&mut self, from: HostId, to: HostId, now: SimTime) -> Option<SimTime> {
        let neighbour = self
            .of(from, to)
            .filter(|neighbour| **neighbour == Neighbour::Stranger)?;
        *neighbour = Neighbour::AskedFor;
        Some(now + GIVES_UP)
    }

    /// The time for an answer is over. Returns whether there was none.
    pub fn gives_up(&mut self, from: HostId, to: HostId) -> bool {
        let asked = self.of(from, to).filter(|neighbour| **neighbour == Neighbour::AskedFor);
        asked.is_some_and(|neighbour| {
            *neighbour = Neighbour::Stranger;
            true
        })
    }
}
