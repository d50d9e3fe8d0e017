//! The links between all hosts, each direction apart: which are cut at the playhead, and how to cut or heal one there.

use super::strike::STRIKE;
use super::{Effect, Refused, Session};
use crate::engine::{Mode, SimTime};
use crate::scenario::{Direction, Ends, Fault, FaultKind, Host, Links, Scenario};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How it is with a link at one instant, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wire {
    Whole,
    /// It is slow, or loses packets.
    Poor,
    Cut,
}

/// The links that are not whole at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wires(BTreeMap<(Host, Host), Wire>);

impl Wires {
    pub fn at(scenario: &Scenario, at: SimTime) -> Wires {
        let hosts = scenario.names().hosts();
        let mut wires = BTreeMap::new();
        for fault in scenario.faults.iter().filter(|fault| stands(scenario, fault, at)) {
            let (links, state) = match &fault.what {
                FaultKind::Cut { links, .. } => (links, Wire::Cut),
                FaultKind::Latency { links, .. } | FaultKind::Loss { links, .. } => (links, Wire::Poor),
                _ => continue,
            };
            for pair in links.pairs(&hosts) {
                let worst = wires.entry(pair).or_insert(state);
                *worst = state.max(*worst);
            }
        }
        Wires(wires)
    }

    /// The link from one host to another.
    pub fn between(&self, from: Host, to: Host) -> Wire {
        self.0.get(&(from, to)).copied().unwrap_or(Wire::Whole)
    }
}

fn stands(scenario: &Scenario, fault: &Fault, at: SimTime) -> bool {
    let mut times = fault.occurrences(SimTime::ZERO + scenario.duration);
    times.any(|(from, until)| from <= at && until.is_none_or(|until| at < until))
}

impl Session {
    /// Cuts a whole link from the playhead on, to the end of the run; heals a cut one from the playhead on, and leaves what else the
    /// same fault cuts as it is.
    pub(super) fn toggle_link(&mut self, from: Host, to: Host) -> Vec<Effect> {
        let at = self.playhead;
        let hosts = self.scenario.names().hosts();
        if from == to || !hosts.contains(&from) || !hosts.contains(&to) {
            return Vec::new();
        }
        self.refused = None;
        if Wires::at(&self.scenario, at).between(from, to) == Wire::Cut {
            return self.heal(from, to, at, &hosts);
        }
        let links = Links {
            left: Ends::Hosts(vec![from]),
            right: Ends::Hosts(vec![to]),
            direction: Direction::LeftToRight,
        };
        let cut = cut(links, at, None, Mode::Silent);
        self.with_faults(|faults| faults.push(cut))
    }

    fn heal(&mut self, from: Host, to: Host, at: SimTime, hosts: &[Host]) -> Vec<Effect> {
        let scenario = self.scenario.clone();
        let is_it = |fault: &Fault| match &fault.what {
            FaultKind::Cut { links, .. } => stands(&scenario, fault, at) && links.pairs(hosts).contains(&(from, to)),
            _ => false,
        };
        if scenario
            .faults
            .iter()
            .any(|fault| is_it(fault) && fault.repeats.is_some())
        {
            let names = scenario.names();
            self.refused = Some(Refused {
                key: STRIKE,
                value: format!("healing {} → {}", names.host(from), names.host(to)),
                words: "this cut comes again and again; change or remove it in the list of faults".to_owned(),
            });
            return Vec::new();
        }
        self.with_faults(|faults| {
            let mut kept = Vec::new();
            for fault in faults.drain(..) {
                match &fault.what {
                    FaultKind::Cut { links, mode } if is_it(&fault) => {
                        let rest = links.pairs(hosts).into_iter().filter(|pair| *pair != (from, to));
                        kept.extend(one_way(rest).map(|links| cut(links, at, fault.until, *mode)));
                        if fault.at < at {
                            kept.push(Fault {
                                until: Some(at),
                                ..fault
                            });
                        }
                    }
                    _ => kept.push(fault),
                }
            }
            *faults = kept;
        })
    }

    /// Changes the list of faults as far as a file could say the same, and runs again.
    fn with_faults(&mut self, change: impl FnOnce(&mut Vec<Fault>)) -> Vec<Effect> {
        let mut changed = (*self.scenario).clone();
        change(&mut changed.faults);
        match Scenario::parse(&changed.to_toml(), "scenario") {
            Ok(changed) => {
                (self.chosen_fault, self.grasp) = (None, None);
                self.scenario = Rc::new(changed);
                self.simulate()
            }
            Err(errors) => self.refuse_fault(None, &errors),
        }
    }
}

fn cut(links: Links, at: SimTime, until: Option<SimTime>, mode: Mode) -> Fault {
    Fault {
        at,
        until,
        repeats: None,
        what: FaultKind::Cut { links, mode },
        line: 0,
    }
}

/// These pairs, those of one sender together.
fn one_way(pairs: impl Iterator<Item = (Host, Host)>) -> impl Iterator<Item = Links> {
    let mut receivers: BTreeMap<Host, Vec<Host>> = BTreeMap::new();
    for (from, to) in pairs {
        receivers.entry(from).or_default().push(to);
    }
    receivers.into_iter().map(|(from, to)| Links {
        left: Ends::Hosts(vec![from]),
        right: Ends::Hosts(to),
        direction: Direction::LeftToRight,
    })
}
