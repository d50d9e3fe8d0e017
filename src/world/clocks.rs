//! Runs a scenario about clocks on the engine, and gives every event that people would tell of all its stamps.

use crate::clocks::{
    Commit, HostClock, Order, SimTime, Span, Stamped, WallTime, WrongPair, inverted, sorted, wrong_pairs,
};
use crate::engine::{
    Act, Engine, Event, EventId, FullTrace, Furnishing, HostId, Place, ProcId, Slower, Spread, Starts, Strike, What,
    stamped,
};
use crate::protocols::{Courier, CourierJob, CourierNote, Couriers, JobDeed, JobWhen, Kept};
use crate::scenario::clocks::{ClockChange, ClocksScenario, Deed, LeaseClock, When};

/// What happened in a run.
pub struct ClocksRun {
    /// The names of the processes, by number.
    pub processes: Vec<String>,
    /// What people would tell of, in true order.
    pub told: Vec<Told>,
    /// Those with a stamp, in the order of their stamps' giving.
    pub commits: Vec<ToldCommit>,
    pub leases: Vec<ToldLease>,
    pub trace: FullTrace<Couriers>,
}

/// One event.
pub struct Told {
    pub event: EventId,
    /// Such as "A sends order".
    pub says: String,
    pub stamps: Stamped,
}

/// A commit, and when others could see it.
pub struct ToldCommit {
    pub name: String,
    pub process: usize,
    pub begun: SimTime,
    /// None: it was not shown before the run ended.
    pub commit: Option<Commit>,
    pub stamp: WallTime,
}

/// A lease, and how long it really lasted.
pub struct ToldLease {
    pub name: String,
    pub granted: SimTime,
    /// None: it had not run out when the run ended.
    pub lasted: Option<Span>,
}

impl ClocksRun {
    pub fn of(scenario: &ClocksScenario) -> ClocksRun {
        let mut engine = Engine::new(furnishing(scenario), couriers(scenario));
        let mut trace = FullTrace::default();
        engine.run_until(SimTime::ZERO + scenario.duration, &mut trace);
        let clocks: Vec<_> = scenario.processes.iter().map(|process| process.clocks()).collect();
        let wall = |process: ProcId, at: SimTime| reads(&clocks[process.index()], at);
        let says = |event: &Event<Couriers>| match event.place {
            Place::Process(process) => says(&scenario.processes[process.index()].name, &event.what),
            Place::Host(_) | Place::Network => None,
        };
        let told = |(event, stamps): (EventId, Stamped)| {
            let says = trace.get(event).and_then(says)?;
            Some(Told { event, says, stamps })
        };
        let wanted = |event: &Event<Couriers>| says(event).is_some();
        let told = stamped(&trace, wanted, scenario.rule, scenario.epsilon, wall)
            .into_iter()
            .filter_map(told)
            .collect();
        ClocksRun {
            processes: scenario.processes.iter().map(|process| process.name.clone()).collect(),
            told,
            commits: commits(&trace),
            leases: leases(&trace),
            trace,
        }
    }

    /// The stamps of all that is told, in true order.
    pub fn stamps(&self) -> Vec<Stamped> {
        self.told.iter().map(|told| told.stamps.clone()).collect()
    }

    /// What is told, by one kind of stamp, and which pairs come out wrong. Both as places in `told`.
    pub fn sorted(&self, by: Order) -> (Vec<usize>, Vec<WrongPair>) {
        let stamps = self.stamps();
        (sorted(&stamps, by), wrong_pairs(&stamps, by))
    }

    /// Pairs of commits of which the second began when the first could be seen and has no larger stamp: places in `commits`.
    pub fn inverted(&self) -> Vec<(usize, usize)> {
        let commits: Vec<_> = self.commits.iter().map(|told| (told.begun, told.commit)).collect();
        inverted(&commits)
    }
}

/// What clocks that change from time to time read.
fn reads(clocks: &[(SimTime, HostClock)], at: SimTime) -> WallTime {
    let since = clocks.partition_point(|(from, _)| *from <= at);
    clocks[since.saturating_sub(1)].1.wall(at)
}

/// What a person would say of an event; most are nobody's business.
fn says(name: &str, what: &What<Couriers>) -> Option<String> {
    Some(match what {
        What::Sent { message, .. } => format!("{name} sends {message}"),
        What::Received { .. } => format!("{name} receives"),
        What::Note(CourierNote::Does(what)) => format!("{name} {what}"),
        What::Note(CourierNote::Commits { name: what, stamp_us }) => {
            format!("{name} commits {what} stamp={}", WallTime(*stamp_us))
        }
        What::Note(CourierNote::Shows(what)) => format!("{name} shows {what}"),
        What::Note(CourierNote::Grants { name: what, kept }) => match kept {
            Kept::ByWall => format!("{name} grants {what} by its wall clock"),
            Kept::ByMonotonic => format!("{name} grants {what} by its monotonic clock"),
        },
        What::Note(CourierNote::Expires(what)) => format!("{name} sees {what} expire"),
        _ => return None,
    })
}

fn couriers(scenario: &ClocksScenario) -> Vec<Courier> {
    let of = |process: usize| {
        let errands = scenario.script.iter().filter(|errand| errand.process == process);
        let job = |errand: &crate::scenario::clocks::Errand| CourierJob {
            when: match &errand.when {
                When::At(_) => JobWhen::Ordered,
                When::OnReceipt { message, after } => JobWhen::After(message.clone(), *after),
            },
            deed: match &errand.what {
                Deed::Send { message, to } => JobDeed::Send(message.clone(), ProcId(*to as u16)),
                Deed::Note(what) => JobDeed::Do(what.clone()),
                Deed::Commit { name, waits } => JobDeed::Commit {
                    name: name.clone(),
                    waits: *waits,
                },
                Deed::Grant { name, lasts, by } => JobDeed::Grant {
                    name: name.clone(),
                    lasts: *lasts,
                    kept: match by {
                        LeaseClock::Wall => Kept::ByWall,
                        LeaseClock::Monotonic => Kept::ByMonotonic,
                    },
                },
            },
        };
        Courier::new(errands.map(job).collect(), scenario.epsilon, scenario.looks_every)
    };
    (0..scenario.processes.len()).map(of).collect()
}

/// A machine for each process. What happens to clocks comes before what is done at the same instant.
fn furnishing(scenario: &ClocksScenario) -> Furnishing<u16> {
    let mut strikes: Vec<Strike<u16>> = Vec::new();
    let mut strike = |at: SimTime, until: Option<SimTime>, act: Act<u16>| {
        let times = vec![(at, until)];
        strikes.push(Strike { times, acts: vec![act] });
    };
    for (n, process) in scenario.processes.iter().enumerate() {
        let host = HostId(n as u8);
        if process.offset_us != 0 {
            let by_us = process.offset_us;
            strike(SimTime::ZERO, None, Act::StepClock { host, by_us });
        }
        if process.rate_ppm != 0 {
            let ppm = process.rate_ppm;
            strike(SimTime::ZERO, None, Act::ChangeRate { host, ppm });
        }
        for &(at, change) in &process.changes {
            match change {
                ClockChange::Step(by_us) => strike(at, None, Act::StepClock { host, by_us }),
                ClockChange::Slew(slew) => {
                    let ppm = slew.ppm;
                    strike(at, Some(at + slew.lasts), Act::ChangeRate { host, ppm });
                }
            }
        }
    }
    for link in &scenario.links {
        let more = Slower::Replace(Spread::exactly(link.latency));
        let (from, to) = (HostId(link.from as u8), HostId(link.to as u8));
        strike(SimTime::ZERO, None, Act::Slow { from, to, more });
    }
    let mut jobs = vec![0_u16; scenario.processes.len()];
    for errand in &scenario.script {
        let number = &mut jobs[errand.process];
        if let When::At(at) = errand.when {
            let process = ProcId(errand.process as u16);
            strike(
                at,
                None,
                Act::Order {
                    process,
                    order: *number,
                },
            );
        }
        *number += 1;
    }
    Furnishing {
        seed: 1,
        latency: Spread::exactly(scenario.latency),
        loss_ppm: 0,
        one_segment: false,
        hosts: scenario.processes.len(),
        fsync: Spread::exactly(Span::ZERO),
        second_takes: Spread::exactly(Span::from_secs(1)),
        pressure_ppm: 0,
        reaps_every: Span::ZERO,
        processes: (0..scenario.processes.len())
            .map(|n| (HostId(n as u8), Starts::WithHost))
            .collect(),
        strikes,
    }
}

fn commits(trace: &FullTrace<Couriers>) -> Vec<ToldCommit> {
    let mut commits: Vec<ToldCommit> = Vec::new();
    for event in trace.iter() {
        match (event.place, &event.what) {
            (Place::Process(process), What::Note(CourierNote::Commits { name, stamp_us })) => {
                commits.push(ToldCommit {
                    name: name.clone(),
                    process: process.index(),
                    begun: event.at,
                    commit: None,
                    stamp: WallTime(*stamp_us),
                })
            }
            (Place::Process(process), What::Note(CourierNote::Shows(name))) => {
                let shown = commits
                    .iter_mut()
                    .find(|told| told.process == process.index() && told.name == *name && told.commit.is_none());
                if let Some(told) = shown {
                    let (stamp, visible) = (told.stamp, event.at);
                    told.commit = Some(Commit { stamp, visible });
                }
            }
            _ => {}
        }
    }
    commits
}

fn leases(trace: &FullTrace<Couriers>) -> Vec<ToldLease> {
    let mut leases: Vec<ToldLease> = Vec::new();
    for event in trace.iter() {
        match &event.what {
            What::Note(CourierNote::Grants { name, .. }) => leases.push(ToldLease {
                name: name.clone(),
                granted: event.at,
                lasted: None,
            }),
            What::Note(CourierNote::Expires(name)) => {
                let lease = leases
                    .iter_mut()
                    .find(|lease| lease.name == *name && lease.lasted.is_none());
                if let Some(lease) = lease {
                    lease.lasted = Some(event.at.since(lease.granted));
                }
            }
            _ => {}
        }
    }
    leases
}
