//! What the databases did when the key changed hands, and which fault it came from.
//!
//! **The fault of a failover** is found by a rule, the same with and without a trace, so that a verdict never depends on
//! what was kept. Of the faults that can stop renewals (they strike the old leader's host or its processes, a store
//! member or its host, or a link between the old leader and the store or among store members; or somebody asked for another
//! leader, or deleted the key) it is
//! 1. the first that began (or came again) after the last renewal of the old leader's lease and before the key was taken, or else
//! 2. the last that began before that renewal and was still in force. What is told once is in force until the key next
//!    changes hands.
//!
//! **Spurious** is a failover in whose time (last renewal to key taken) nothing of this happened: the old leader's host
//! or database was killed or stopped or could not do as it was told, its disk stalled, its agent was killed or asked to end, a
//! store member was killed, a cut separated the old leader from the store or the clients, or store members from each other, or
//! somebody asked the old leader to hand over or to restart, or another node to lead. What remains is bad timing: a stopped agent
//! or store, a blocked thread, slow or lossy links, wrong clocks, or settings that do not work together; and a key deleted by
//! hand.

use super::leader_key::Handover;
use super::{Change, Failover, Record};
use crate::engine::{SimTime, WallTime};
use crate::scenario::{Ends, Fault, FaultKind, Host, Links, Names, Process, Scenario, Target};
use crate::vocabulary::{NodeId, Order};

pub(super) fn failover(handover: &Handover, record: &Record, scenario: &Scenario) -> Failover {
    let (faults, names) = (&scenario.faults, scenario.names());
    let end = SimTime::ZERO + scenario.duration;
    let unhealthy = |fault: &Fault| breaks(fault, handover.from, names) && within(fault, handover, record, end);
    Failover {
        from: record.name(handover.from).to_owned(),
        to: record.name(handover.to).to_owned(),
        renewed: Some(handover.renewed),
        fault: fault_of(handover, record, faults, names, end),
        not_writable: not_writable(handover, record),
        key_gone: handover.gone,
        key_taken: handover.taken,
        writable: writable(handover, record),
        why: handover.why,
        spurious: !faults.iter().any(unhealthy),
    }
}

/// When the old leader stopped being writable: the last time before the key was taken, or the first after it.
fn not_writable(handover: &Handover, record: &Record) -> Option<SimTime> {
    let has = |change: &Change| change.nodes.contains(handover.from);
    let (before, after) = split(&record.writable, handover.taken);
    if before.last().is_some_and(has) {
        let again = next_holder(record, handover.taken, |holder| holder == handover.from);
        return after
            .iter()
            .find(|change| !has(change))
            .map(|change| change.from)
            .filter(|&at| at <= again);
    }
    let last = before.iter().rposition(has)?;
    before.get(last + 1).map(|change| change.from)
}

/// When the new leader was writable: from the taking of the key on, before anybody else took it.
fn writable(handover: &Handover, record: &Record) -> Option<SimTime> {
    let has = |change: &Change| change.nodes.contains(handover.to);
    let (before, after) = split(&record.writable, handover.taken);
    if before.last().is_some_and(has) {
        return Some(handover.taken);
    }
    let other = next_holder(record, handover.taken, |holder| holder != handover.to);
    after
        .iter()
        .find(|change| has(change))
        .map(|change| change.from)
        .filter(|&at| at <= other)
}

/// The changes up to and including `at`, and those after it.
fn split(changes: &[Change], at: SimTime) -> (&[Change], &[Change]) {
    changes.split_at(changes.partition_point(|change| change.from <= at))
}

/// When the key is next given to such a holder; the end of the run if never.
fn next_holder(record: &Record, after: SimTime, is: impl Fn(NodeId) -> bool) -> SimTime {
    let next = record
        .leader_key
        .iter()
        .find(|change| change.at > after && change.holder.is_some_and(&is));
    next.map_or(record.end, |change| change.at)
}

/// Each time the fault comes, and until when it is in force.
fn in_force(fault: &Fault, record: &Record, end: SimTime) -> impl Iterator<Item = (SimTime, Option<SimTime>)> {
    let once = matches!(fault.what, FaultKind::Order { .. }) && !fault.what.lasts();
    let times = fault.occurrences(end);
    let due = match fault.what {
        FaultKind::Order {
            order: Order::Switchover { scheduled, .. },
            ..
        } => scheduled.map(|due| SimTime::ZERO + due.since(WallTime(0))),
        _ => None,
    };
    times.map(move |(at, until)| {
        // A handover for a later time is not asked for before.
        let at = due.unwrap_or(at);
        (
            at,
            if once {
                Some(next_holder(record, at, |_| true))
            } else {
                until
            },
        )
    })
}

fn fault_of(handover: &Handover, record: &Record, faults: &[Fault], names: Names<'_>, end: SimTime) -> Option<SimTime> {
    let strikes = || {
        let striking = faults
            .iter()
            .filter(|fault| stops_renewals(fault, handover.from, names));
        striking.flat_map(|fault| in_force(fault, record, end))
    };
    let renewed = handover.renewed;
    let after = strikes()
        .map(|(at, _)| at)
        .filter(|&at| renewed < at && at <= handover.taken)
        .min();
    let before = |&(at, until): &(SimTime, Option<SimTime>)| at <= renewed && until.is_none_or(|until| until > renewed);
    after.or_else(|| strikes().filter(before).map(|(at, _)| at).max())
}

fn within(fault: &Fault, handover: &Handover, record: &Record, end: SimTime) -> bool {
    let overlaps = |(at, until): (SimTime, Option<SimTime>)| {
        at <= handover.taken && until.is_none_or(|until| until > handover.renewed)
    };
    in_force(fault, record, end).any(overlaps)
}

/// Whether the fault can keep the node's renewals from the store, or takes the key from it.
fn stops_renewals(fault: &Fault, node: NodeId, names: Names<'_>) -> bool {
    let (me, hosts) = (Host::Node(node.index()), &names.hosts());
    let is_store = |host| names.has_member(host);
    match &fault.what {
        FaultKind::Kill { target, .. } | FaultKind::Pause { target, .. } => match *target {
            Target::Host(host) => host == me || is_store(host),
            Target::Process(of, _) => of == node.index(),
            Target::Member(_) => true,
        },
        FaultKind::Stop { target } => is_of(*target, node),
        FaultKind::Order { target, order } => match order {
            Order::Failover => !is_of(*target, node),
            Order::TakeName { name } => is_of(*target, node) || *name == node,
            Order::DeleteLeaderKey | Order::AnswerErrors => true,
            Order::Maintenance | Order::Configure(_) | Order::Tag(_) => false,
            Order::Switchover { .. }
            | Order::RestartDatabase
            | Order::BlockLoop
            | Order::BlockWatcher
            | Order::SlowSql { .. }
            | Order::StuckStop
            | Order::FailPromotion => is_of(*target, node),
        },
        FaultKind::Cut { links, .. } | FaultKind::Latency { links, .. } | FaultKind::Loss { links, .. } => {
            joins(links, hosts, |host| host == me, is_store) || joins(links, hosts, is_store, is_store)
        }
        FaultKind::DiskStall { host }
        | FaultKind::DiskSlow { host, .. }
        | FaultKind::ClockStep { host, .. }
        | FaultKind::ClockRate { host, .. } => *host == me || is_store(*host),
    }
}

/// Whether the target is the node or one of its processes.
fn is_of(target: Target, node: NodeId) -> bool {
    matches!(target, Target::Host(Host::Node(of)) | Target::Process(of, _) if of == node.index())
}

/// Whether the fault makes the node, its database or its clients' way to it unhealthy, ends an agent or store member, or
/// asks for the failover.
fn breaks(fault: &Fault, node: NodeId, names: Names<'_>) -> bool {
    let (me, hosts) = (Host::Node(node.index()), &names.hosts());
    let is_store = |host| names.has_member(host);
    match &fault.what {
        FaultKind::Kill { target, .. } => match *target {
            Target::Host(host) => host == me || is_store(host),
            Target::Process(of, _) => of == node.index(),
            Target::Member(_) => true,
        },
        FaultKind::Pause { target, .. } => {
            matches!(*target, Target::Host(host) if host == me)
                || *target == Target::Process(node.index(), Process::Postgres)
        }
        FaultKind::Cut { links, .. } => {
            let served = |host| is_store(host) || host == Host::Clients;
            joins(links, hosts, |host| host == me, served) || joins(links, hosts, is_store, is_store)
        }
        FaultKind::DiskStall { host } => *host == me,
        FaultKind::Stop { target } => is_of(*target, node),
        FaultKind::Order { target, order } => match order {
            Order::Failover => !is_of(*target, node),
            Order::Switchover { .. } | Order::RestartDatabase | Order::StuckStop | Order::FailPromotion => {
                is_of(*target, node)
            }
            Order::Maintenance
            | Order::Configure(_)
            | Order::Tag(_)
            | Order::BlockLoop
            | Order::BlockWatcher
            | Order::TakeName { .. }
            | Order::SlowSql { .. }
            | Order::AnswerErrors
            | Order::DeleteLeaderKey => false,
        },
        FaultKind::Latency { .. }
        | FaultKind::Loss { .. }
        | FaultKind::DiskSlow { .. }
        | FaultKind::ClockStep { .. }
        | FaultKind::ClockRate { .. } => false,
    }
}

/// Whether some link of `hosts` goes between a host of the one kind and a host of the other, in either direction.
fn joins(links: &Links, hosts: &[Host], one: impl Fn(Host) -> bool, other: impl Fn(Host) -> bool) -> bool {
    let has = |side: &Ends, opposite: &Ends, is: &dyn Fn(Host) -> bool| match (side, opposite) {
        (Ends::Hosts(named), _) => named.iter().any(|&host| is(host)),
        (Ends::Others, Ends::Hosts(named)) => hosts.iter().any(|&host| !named.contains(&host) && is(host)),
        (Ends::Others, Ends::Others) => false,
    };
    let joined = |left: &Ends, right: &Ends| has(left, right, &one) && has(right, left, &other);
    joined(&links.left, &links.right) || joined(&links.right, &links.left)
}
