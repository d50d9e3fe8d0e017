//! The scenario's faults in the engine's terms.

use super::Layout;
use crate::engine::{Act, DiskChange, HostId, ProcId, SimTime, Slower, Spread, Strike, Victim};
use crate::scenario::{
    DeadHostNetwork, Fault, FaultKind, Host, Latency, LatencyChange, Links, Process, Scenario, Target,
};
use crate::vocabulary::{NodeId, Order};

pub fn spread(latency: &Latency) -> Spread {
    Spread {
        min: latency.min,
        typical: latency.typical,
        max: latency.max,
    }
}

/// Those of all faults, in their order.
pub fn all(scenario: &Scenario, layout: &Layout) -> Vec<Strike<Order>> {
    let faults = scenario.faults.iter();
    faults.map(|fault| strike(fault, scenario, layout)).collect()
}

fn strike(fault: &Fault, scenario: &Scenario, layout: &Layout) -> Strike<Order> {
    let hosts = scenario.hosts();
    // One act for every direction that the links stand for.
    let on_each = |links: &Links, act: &dyn Fn(HostId, HostId) -> Act<Order>| {
        let ends = links.pairs(&hosts).into_iter();
        ends.map(|(from, to)| act(host_id(from, layout), host_id(to, layout)))
            .collect()
    };
    let acts = match &fault.what {
        FaultKind::Kill { target, network } => {
            vec![Act::Kill {
                victim: victim(*target, layout),
                silent: *network == DeadHostNetwork::Silent,
            }]
        }
        // A store's member that is paused is its process, unless the whole machine is suspended with its clock.
        FaultKind::Pause {
            target: Target::Host(Host::Store(member)),
            monotonic_runs: true,
            resume_order,
        } => {
            let victim = Victim::Process(layout.store()[*member].1);
            vec![Act::Pause {
                victim,
                mono_runs: true,
                order: *resume_order,
            }]
        }
        FaultKind::Pause {
            target,
            monotonic_runs,
            resume_order,
        } => {
            vec![Act::Pause {
                victim: victim(*target, layout),
                mono_runs: *monotonic_runs,
                order: *resume_order,
            }]
        }
        FaultKind::Cut { links, mode } => on_each(links, &|from, to| Act::Cut { from, to, mode: *mode }),
        FaultKind::Latency { links, change } => {
            let more = slower(change);
            on_each(links, &|from, to| Act::Slow { from, to, more })
        }
        FaultKind::Loss { links, ppm } => on_each(links, &|from, to| Act::Lose { from, to, loss: *ppm }),
        FaultKind::DiskStall { host } => vec![Act::Disk {
            host: host_id(*host, layout),
            change: DiskChange::Stall,
        }],
        FaultKind::DiskSlow { host, change } => vec![Act::Disk {
            host: host_id(*host, layout),
            change: DiskChange::Slower(slower(change)),
        }],
        FaultKind::ClockStep { host, by_us } => vec![Act::StepClock {
            host: host_id(*host, layout),
            by_us: *by_us,
        }],
        FaultKind::ClockRate { host, ppm } => vec![Act::ChangeRate {
            host: host_id(*host, layout),
            ppm: *ppm,
        }],
        FaultKind::Stop { target } => vec![Act::Terminate {
            process: process(*target, layout),
        }],
        FaultKind::Order { target, order } => vec![Act::Order {
            process: told(*target, order, layout),
            order: order.clone(),
        }],
    };
    Strike {
        times: fault.occurrences(SimTime::ZERO + scenario.duration).collect(),
        acts,
    }
}

pub(super) fn slower(change: &LatencyChange) -> Slower {
    match change {
        LatencyChange::Add(span) => Slower::Add(Spread::exactly(*span)),
        LatencyChange::Replace(latency) => Slower::Replace(spread(latency)),
    }
}

fn host_id(host: Host, layout: &Layout) -> HostId {
    match host {
        Host::Node(node) => HostId(node as u8),
        Host::Store(member) => layout.store()[member].0,
        Host::Clients => layout.clients(),
    }
}

fn victim(target: Target, layout: &Layout) -> Victim {
    match target {
        Target::Host(host) => Victim::Host(host_id(host, layout)),
        Target::Member(_) | Target::Process(..) => Victim::Process(process(target, layout)),
    }
}

/// The process that is meant; of a whole node its agent, of a store member's host the member.
fn process(target: Target, layout: &Layout) -> ProcId {
    let node = |node: usize| layout.node(NodeId(node as u8));
    match target {
        Target::Host(Host::Node(n)) | Target::Process(n, Process::Agent) => node(n).agent,
        Target::Process(n, Process::Postgres) => node(n).postgres,
        Target::Process(n, Process::Writer) => node(n)
            .writer
            .unwrap_or_else(|| unreachable!("a scenario without direct writers has no such target")),
        Target::Host(Host::Store(member)) | Target::Member(member) => layout.store()[member].1,
        Target::Host(Host::Clients) => unreachable!("no fault strikes the clients"),
    }
}

/// To whom an order is told: a database is restarted and promoted by its agent, everything else goes to what the file names.
fn told(target: Target, order: &Order, layout: &Layout) -> ProcId {
    match (order, target) {
        (Order::RestartDatabase | Order::FailPromotion, Target::Process(node, Process::Postgres)) => {
            process(Target::Process(node, Process::Agent), layout)
        }
        _ => process(target, layout),
    }
}
