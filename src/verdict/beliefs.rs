//! Who takes itself for the leader. A belief lasts until an instant of the believer's own wall clock, which may run
//! wrong and jump; the observer needs the true instant.

use super::NodeSet;
use crate::engine::{HostClock, SimTime, Span, WallTime};
use crate::scenario::{Fault, FaultKind, Host};
use crate::vocabulary::NodeId;

#[derive(Clone, Debug)]
struct Believer {
    clock: HostClock,
    /// It believes while its clock reads less. Kept when that time has passed: a clock that jumps back makes it believe
    /// again.
    until: Option<WallTime>,
}

#[derive(Clone, Debug)]
pub(super) struct Beliefs {
    nodes: Vec<Believer>,
    next_expiry: Option<SimTime>,
}

impl Beliefs {
    pub fn new(nodes: usize) -> Beliefs {
        let clock = HostClock::new(0, 0);
        Beliefs {
            nodes: vec![Believer { clock, until: None }; nodes],
            next_expiry: None,
        }
    }

    pub fn begins(&mut self, now: SimTime, node: NodeId, span: Span) {
        let believer = &mut self.nodes[node.index()];
        believer.until = Some(believer.clock.wall(now) + span);
        self.look_ahead(now);
    }

    /// It said so, or its process ended: a dead process believes nothing, a stopped one goes on believing.
    pub fn ends(&mut self, now: SimTime, node: NodeId) {
        self.nodes[node.index()].until = None;
        self.look_ahead(now);
    }

    /// A fault of the scenario begins or ends; those of clocks move the ends of beliefs.
    pub fn fault(&mut self, now: SimTime, fault: &Fault, begins: bool) {
        match fault.what {
            FaultKind::ClockStep {
                host: Host::Node(node),
                by_us,
            } if begins => {
                self.nodes[node].clock.step_wall(now, by_us);
            }
            FaultKind::ClockRate {
                host: Host::Node(node),
                ppm,
            } => {
                self.nodes[node].clock.change_rate(now, if begins { ppm } else { -ppm });
            }
            _ => return,
        }
        self.look_ahead(now);
    }

    /// When the next belief runs out by itself.
    pub fn next_expiry(&self) -> Option<SimTime> {
        self.next_expiry
    }

    /// Finds the next expiry after `now`.
    pub fn look_ahead(&mut self, now: SimTime) {
        let held = self.nodes.iter().filter_map(|b| {
            let until = b.until.filter(|&until| b.clock.wall(now) < until)?;
            Some(b.clock.when_wall(until, now))
        });
        self.next_expiry = held.min();
    }

    pub fn set(&self, now: SimTime) -> NodeSet {
        let holds = |b: &Believer| b.until.is_some_and(|until| b.clock.wall(now) < until);
        let believing = self.nodes.iter().enumerate().filter(|(_, b)| holds(b));
        believing.map(|(node, _)| NodeId(node as u8)).collect()
    }
}
