//! One direction between two hosts: what passes, how long it takes, and what chance takes away.

use super::ids::{EventId, HostId};
use super::rng::{Draw, Draws, Spread};
use super::trace::Lost;
use crate::clocks::Span;
use serde::{Deserialize, Serialize};

/// What a cut direction does to what is sent along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Every packet vanishes: connecting takes until somebody's patience ends.
    Silent,
    /// Answered at once with a reset, as a rejecting firewall does.
    Refused,
    /// Connections are accepted and data is taken, and nothing ever answers.
    Mute,
    /// Handshakes pass, packets that carry data vanish.
    PayloadLost,
}

/// One in a million parts of loss.
pub type Ppm = u32;

/// What a fault does to the latency of a direction, or to the time a disk takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slower {
    /// On top of what it has.
    Add(Spread),
    /// Instead of what it has.
    Replace(Spread),
}

/// A fault that lies on a direction or a disk, with the event of its beginning, so that what it does can be traced back to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Laid<T> {
    pub fault: u16,
    pub began: EventId,
    pub what: T,
}

/// Every direction between two of so many hosts.
#[derive(Clone, Debug)]
pub(super) struct Links {
    hosts: usize,
    /// `directions[from * hosts + to]`.
    directions: Vec<Direction>,
}

impl Links {
    pub fn new(hosts: usize, direction: impl Fn(u32) -> Direction) -> Links {
        let directions = (0..(hosts * hosts) as u32).map(direction).collect();
        Links { hosts, directions }
    }
    pub fn between(&mut self, from: HostId, to: HostId) -> &mut Direction {
        &mut self.directions[from.index() * self.hosts + to.index()]
    }
}

#[derive(Clone, Debug)]
pub struct Direction {
    base: Spread,
    base_loss: Ppm,
    cuts: Vec<Laid<Mode>>,
    slower: Vec<Laid<Slower>>,
    lossy: Vec<Laid<Ppm>>,
    draws: Draws,
}

/// What a direction does to one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Arrives(Span),
    Lost(Lost, Option<EventId>),
    Refused(EventId),
}

impl Direction {
    pub fn new(base: Spread, base_loss: Ppm, draws: Draws) -> Direction {
        Direction {
            base,
            base_loss,
            cuts: Vec::new(),
            slower: Vec::new(),
            lossy: Vec::new(),
            draws,
        }
    }

    /// The fate of one packet. All draws are consumed whatever happens, so that a cut does not shift later latencies.
    pub fn fate(&mut self, carries_data: bool) -> Fate {
        let worst = self.lossy.iter().max_by_key(|laid| laid.what);
        let loss = worst.map_or(self.base_loss, |laid| laid.what);
        let because = worst.map(|laid| laid.began);
        let mut latency = self.draws.sample(Draw::LATENCY, &self.base);
        let is_lost = if loss == 0 {
            self.draws.skip(Draw::LOSS);
            false
        } else {
            (self.draws.below(Draw::LOSS, 1_000_000) as u32) < loss
        };
        if self.slower.is_empty() {
            self.draws.skip(Draw::LATENCY);
        } else {
            let rank = self.draws.bits(Draw::LATENCY);
            for laid in &self.slower {
                match laid.what {
                    Slower::Add(more) => latency += more.at(rank),
                    Slower::Replace(other) => latency = other.at(rank),
                }
            }
        }
        if let Some(cut) = self.cuts.last() {
            match cut.what {
                Mode::Silent => return Fate::Lost(Lost::Silent, Some(cut.began)),
                Mode::Refused => return Fate::Refused(cut.began),
                Mode::Mute if carries_data => return Fate::Lost(Lost::Swallowed, Some(cut.began)),
                Mode::PayloadLost if carries_data => return Fate::Lost(Lost::PayloadLost, Some(cut.began)),
                Mode::Mute | Mode::PayloadLost => {}
            }
        }
        if is_lost {
            return Fate::Lost(Lost::Chance, because);
        }
        Fate::Arrives(latency)
    }

    pub fn cut(&mut self, fault: u16, began: EventId, mode: Mode) {
        self.cuts.push(Laid {
            fault,
            began,
            what: mode,
        });
    }
    pub fn slow(&mut self, fault: u16, began: EventId, more: Slower) {
        self.slower.push(Laid {
            fault,
            began,
            what: more,
        });
    }
    pub fn lose(&mut self, fault: u16, began: EventId, loss: Ppm) {
        self.lossy.push(Laid {
            fault,
            began,
            what: loss,
        });
    }
    /// Whether something on this direction takes data and never passes it on.
    pub fn swallows(&self) -> bool {
        self.cuts.last().is_some_and(|cut| cut.what == Mode::Mute)
    }
    /// Takes away what a fault laid here; what others laid stays.
    pub fn heal(&mut self, fault: u16) {
        self.cuts.retain(|laid| laid.fault != fault);
        self.slower.retain(|laid| laid.fault != fault);
        self.lossy.retain(|laid| laid.fault != fault);
    }
}
