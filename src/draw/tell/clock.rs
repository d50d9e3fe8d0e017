//! The wall clock of each node's machine, from the faults that strike it.

use super::super::story::{ClockPiece, Stretch};
use crate::engine::{MAX_RATE_PPM, SimTime};
use crate::scenario::{FaultKind, Host, Scenario, Target};

/// One change of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Step(i64),
    /// So many parts per million more from now on.
    Rate(i32),
}

/// A clock that nothing strikes is right. A pause does not stop it: only the monotonic clock of a suspended machine stands still.
pub fn pieces(node: usize, scenario: &Scenario) -> Vec<ClockPiece> {
    let end = SimTime::ZERO + scenario.duration;
    let mut changes: Vec<(SimTime, Change)> = Vec::new();
    for fault in &scenario.faults {
        match fault.what {
            FaultKind::ClockStep {
                host: Host::Node(n),
                by_us,
            } if n == node => {
                changes.extend(fault.occurrences(end).map(|(from, _)| (from, Change::Step(by_us))));
            }
            FaultKind::ClockRate {
                host: Host::Node(n),
                ppm,
            } if n == node => {
                for (from, until) in fault.occurrences(end) {
                    changes.push((from, Change::Rate(ppm)));
                    changes.extend(until.map(|until| (until, Change::Rate(-ppm))));
                }
            }
            _ => {}
        }
    }
    changes.sort_unstable();
    let mut ppm = 0_i32;
    let mut pieces = vec![ClockPiece {
        from: SimTime::ZERO,
        wall_us: 0,
        rate: 1_000_000,
    }];
    for (at, change) in changes.into_iter().filter(|(at, _)| *at <= end) {
        let mut wall_us = pieces.last().map_or(0, |piece| piece.at(at));
        match change {
            Change::Step(by_us) => wall_us += by_us,
            Change::Rate(more) => ppm += more,
        }
        let rate = (1_000_000 + ppm.clamp(-MAX_RATE_PPM, MAX_RATE_PPM)) as u32;
        pieces.push(ClockPiece {
            from: at,
            wall_us,
            rate,
        });
    }
    pieces
}

/// When a machine is suspended so that its monotonic clock stands still. Several suspensions at once are one.
pub fn stopped(node: usize, scenario: &Scenario) -> Vec<Stretch<()>> {
    let end = SimTime::ZERO + scenario.duration;
    let suspends = |what: &FaultKind| matches!(what, FaultKind::Pause { target: Target::Host(Host::Node(n)), monotonic_runs: false, .. } if *n == node);
    let faults = scenario.faults.iter().filter(|fault| suspends(&fault.what));
    let mut all: Vec<Stretch<()>> = faults
        .flat_map(|fault| fault.occurrences(end))
        .map(|(from, until)| Stretch {
            from,
            until: until.unwrap_or(end).min(end),
            is: (),
        })
        .collect();
    all.sort_unstable_by_key(|stop| stop.from);
    let mut stops: Vec<Stretch<()>> = Vec::new();
    for stop in all {
        match stops.last_mut() {
            Some(last) if stop.from <= last.until => last.until = last.until.max(stop.until),
            _ => stops.push(stop),
        }
    }
    stops
}
