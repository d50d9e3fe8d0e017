//! Faults in words: their label on the timeline, their beginning and their end.

use super::order::{order_begins, order_ends, order_label};
use super::seconds;
use crate::engine::Span;
use crate::scenario::{CutMode, DeadHostNetwork, Fault, FaultKind, Host, LatencyChange, Process, Scenario, Target};

/// What is struck, as the subject of a sentence.
fn whom(target: Target, scenario: &Scenario) -> String {
    let names = scenario.names();
    match target {
        Target::Host(host) => format!("{}'s machine", names.host(host)),
        Target::Member(_) => format!("the store's member {}", names.target(target)),
        Target::Process(node, process) => {
            let what = match process {
                Process::Agent => "agent",
                Process::Postgres => "database",
                Process::Writer => "local client",
            };
            format!("{}'s {what}", names.host(Host::Node(node)))
        }
    }
}

fn cut_words(mode: CutMode) -> &'static str {
    match mode {
        CutMode::Refused => "connections are refused at once",
        CutMode::Silent => "nothing passes",
        CutMode::Mute => "connections are taken and never answered",
        CutMode::PayloadLost => "connections are made, data is lost",
    }
}

fn jump(by_us: i64) -> String {
    let sign = if by_us < 0 { "back" } else { "forward" };
    format!("{sign} by {}", seconds(Span(by_us.unsigned_abs())))
}

fn percent(ppm: u32) -> String {
    format!("{} %", f64::from(ppm) / 10_000.0)
}

/// A fault in a few words, for its bar: `pause node1/agent`.
pub fn fault_label(fault: &Fault, scenario: &Scenario) -> String {
    let names = scenario.names();
    match &fault.what {
        FaultKind::Kill { target, .. } => format!("kill {}", names.target(*target)),
        FaultKind::Pause { target, .. } => format!("pause {}", names.target(*target)),
        FaultKind::Cut { links, .. } => format!("cut {}", names.links(links)),
        FaultKind::Latency { links, .. } => format!("slow {}", names.links(links)),
        FaultKind::Loss { links, ppm } => format!("lose {} on {}", percent(*ppm), names.links(links)),
        FaultKind::DiskStall { host } => format!("stall {}", names.disk(*host)),
        FaultKind::DiskSlow { host, .. } => format!("slow {}", names.disk(*host)),
        FaultKind::ClockStep { host, by_us } => format!("{} clock {}", names.host(*host), jump(*by_us)),
        FaultKind::ClockRate { host, ppm } => format!("{} clocks {ppm:+} ppm", names.host(*host)),
        FaultKind::Stop { target } => format!("stop {}", names.target(*target)),
        FaultKind::Order { target, order } => order_label(*target, order, names),
    }
}

pub fn fault_begins(fault: &Fault, scenario: &Scenario) -> String {
    let names = scenario.names();
    match &fault.what {
        FaultKind::Kill { target, network } => match (target, network) {
            (Target::Host(_), DeadHostNetwork::Silent) => {
                format!("{} goes down: nothing there answers any more", whom(*target, scenario))
            }
            (Target::Host(host), DeadHostNetwork::Refused) => {
                format!(
                    "everything on {} is killed: its kernel refuses connections",
                    names.host(*host)
                )
            }
            (Target::Process(..) | Target::Member(_), _) => format!("{} is killed", whom(*target, scenario)),
        },
        FaultKind::Pause { target, .. } => format!("{} freezes: nothing in it runs", whom(*target, scenario)),
        FaultKind::Cut { links, mode } => {
            format!("the network is cut, {}: {}", names.links(links), cut_words(*mode))
        }
        FaultKind::Latency { links, change } => match change {
            LatencyChange::Add(more) => {
                format!("the network slows down by {}, {}", seconds(*more), names.links(links))
            }
            LatencyChange::Replace(to) => {
                format!(
                    "the network takes {} one way, {}",
                    seconds(to.typical),
                    names.links(links)
                )
            }
        },
        FaultKind::Loss { links, ppm } => {
            format!(
                "the network loses {} of its packets, {}",
                percent(*ppm),
                names.links(links)
            )
        }
        FaultKind::DiskStall { host } => {
            format!("{}'s disk stalls: nothing written becomes durable", names.host(*host))
        }
        FaultKind::DiskSlow { host, change } => match change {
            LatencyChange::Add(more) => format!("{}'s disk takes {} longer", names.host(*host), seconds(*more)),
            LatencyChange::Replace(to) => {
                format!("{}'s disk takes {} for a write", names.host(*host), seconds(to.typical))
            }
        },
        FaultKind::ClockStep { host, by_us } => format!("{}'s clock jumps {}", names.host(*host), jump(*by_us)),
        FaultKind::ClockRate { host, ppm } => {
            format!("{}'s clocks run at a wrong rate: {ppm:+} ppm", names.host(*host))
        }
        FaultKind::Stop { target } => format!("{} is asked to end", whom(*target, scenario)),
        FaultKind::Order { target, order } => order_begins(*target, order, names),
    }
}

pub fn fault_ends(fault: &Fault, scenario: &Scenario) -> String {
    let names = scenario.names();
    match &fault.what {
        FaultKind::Kill { target, .. } => format!("{} is started again", whom(*target, scenario)),
        FaultKind::Pause { target, .. } => format!("{} runs again", whom(*target, scenario)),
        FaultKind::Cut { links, .. } => format!("the network is whole again, {}", names.links(links)),
        FaultKind::Latency { links, .. } => format!("the network is as fast as before, {}", names.links(links)),
        FaultKind::Loss { links, .. } => format!("the network loses no more than before, {}", names.links(links)),
        FaultKind::DiskStall { host } => format!("{}'s disk goes on with what waited for it", names.host(*host)),
        FaultKind::DiskSlow { host, .. } => format!("{}'s disk is as fast as before", names.host(*host)),
        FaultKind::ClockStep { host, .. } => format!("{}'s clock has jumped", names.host(*host)),
        FaultKind::ClockRate { host, .. } => format!("{}'s clocks run at their old rate", names.host(*host)),
        FaultKind::Stop { target } => format!("{} may be started again", whom(*target, scenario)),
        FaultKind::Order { target, order } => order_ends(*target, order, names),
    }
}

/// When a fault strikes: `from 40.25 s for 60 s`, `from 40 s to the end`.
pub fn fault_times(fault: &Fault) -> String {
    let from = format!("{} s", fault.at.to_string().trim_end_matches('0').trim_end_matches('.'));
    if !fault.what.lasts() {
        return format!("at {from}");
    }
    let lasts = match fault.until {
        Some(until) => format!("for {}", seconds(until.since(fault.at))),
        None => "to the end".to_owned(),
    };
    let again = fault.repeats.map_or_else(String::new, |repeats| {
        format!(", again every {}", seconds(repeats.every))
    });
    format!("from {from} {lasts}{again}")
}
