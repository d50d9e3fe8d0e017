//! The lanes of databases, agents and members of the store, and the bars of the faults.

use super::{NODES, Tape, state_of};
use crate::compare::recording::{member_index, node_index};
use crate::draw::story::{DatabaseState, FaultBar, Halt, Lane, MemberLane, MemberPlace, NodeLane, Stretch};
use crate::raft::{RoleName, Term};
use crate::sorting;
use crate::vocabulary::{NodeId, Phase, Timeline};

pub fn node(tape: &Tape, node: usize) -> NodeLane {
    NodeLane {
        name: NODES[node].to_owned(),
        clock: Vec::new(),
        stopped: Vec::new(),
        cycles: cycles(tape, node),
        database: databases(tape, node),
        agent_halts: agent_halts(tape, node).into_iter().collect(),
        database_halts: database_halts(tape, node).into_iter().collect(),
        ..NodeLane::default()
    }
}

/// Every agent renews its lease once in every round of its loop, so a renewal is a round.
fn cycles(tape: &Tape, node: usize) -> Vec<crate::engine::SimTime> {
    let mine = tape.recording.renewals.iter().filter(|r| r.node == NODES[node]);
    let mut sent: Vec<f64> = mine
        .flat_map(|r| r.sent_done_ms.iter().map(|(sent, _)| *sent))
        .collect();
    sorting::by(&mut sent, f64::total_cmp);
    sent.into_iter().filter_map(|ms| tape.exact(ms)).collect()
}

/// A stretch of one state, split where the timeline changes. A primary that was not proven writable is left out.
fn databases(tape: &Tape, node: usize) -> Vec<Stretch<DatabaseState>> {
    let changes: Vec<(f64, u32, u32)> = tape
        .events("timeline")
        .filter(|event| event.node == NODES[node])
        .filter_map(|event| {
            let (from, to) = event.detail.split_once(" -> ")?;
            Some((event.t_ms, from.parse().ok()?, to.parse().ok()?))
        })
        .collect();
    let timeline = |ms: f64| {
        let passed = changes.iter().rfind(|(at, ..)| *at <= ms).map(|&(.., to)| to);
        Timeline(passed.or(changes.first().map(|&(_, from, _)| from)).unwrap_or(1))
    };
    let mut told = Vec::new();
    for state in tape.states(node) {
        let Some(phase) = phase(&state.state) else { continue };
        let inside = |at: &f64| state.from_ms < *at && *at < state.to_ms;
        let splits = changes.iter().map(|&(at, ..)| at).filter(inside);
        let mut from_ms = state.from_ms;
        for until_ms in splits.chain([state.to_ms]) {
            let is = DatabaseState {
                phase,
                timeline: timeline(from_ms),
            };
            told.extend(tape.stretch(from_ms, until_ms, is));
            from_ms = until_ms;
        }
    }
    told
}

fn phase(state: &str) -> Option<Phase> {
    Some(match state {
        "writable" => Phase::Primary,
        "replica" => Phase::Recovery,
        "starting" => Phase::Starting,
        "stopping" => Phase::Stopping,
        "down" => Phase::Down,
        _ => return None,
    })
}

fn agent_halts(tape: &Tape, node: usize) -> Option<Stretch<Halt>> {
    if node != tape.old_leader() {
        return None;
    }
    let words = tape.fault_words();
    let (from_ms, halt) = if words.starts_with("SIGKILL agent") {
        (0.0, Halt::Dead)
    } else if words.starts_with("SIGSTOP agent") {
        (0.0, Halt::Frozen)
    } else if words.starts_with("SIGTERM") {
        // It ends by itself, after its database: when its REST interface refuses connections, it is gone.
        let gone = tape.events("rest").find(|event| {
            event.node == NODES[node] && event.t_ms > 0.0 && event.detail.starts_with("no answer (refused)")
        });
        (gone?.t_ms, Halt::Dead)
    } else {
        return None;
    };
    tape.stretch(from_ms, tape.repaired(), halt)
}

/// A killed database is down, and is seen so; one that stands still cannot be told from one that is slow.
fn database_halts(tape: &Tape, node: usize) -> Option<Stretch<Halt>> {
    let frozen = node == tape.old_leader() && tape.fault_words() == "SIGSTOP agent and postgres";
    frozen
        .then(|| tape.stretch(0.0, tape.repaired(), Halt::Frozen))
        .flatten()
}

pub fn member(tape: &Tape, member: usize) -> MemberLane {
    let seen: Vec<(f64, Option<MemberPlace>)> = tape
        .events("etcd_member")
        .filter(|event| member_index(&event.node) == Some(member))
        .map(|event| (event.t_ms, place(&event.detail)))
        .collect();
    let killed = struck_members(tape).any(|struck| struck == member);
    let halts: Vec<_> = killed
        .then(|| tape.stretch(0.0, tape.repaired(), Halt::Dead))
        .flatten()
        .into_iter()
        .collect();
    let until = |n: usize| {
        let next = seen.get(n + 1).map_or(f64::INFINITY, |(at, _)| *at);
        // The recorder asks every 500 ms; a killed member has no place from the kill on.
        if killed && seen[n].0 <= 0.0 {
            next.min(0.0)
        } else {
            next
        }
    };
    let places = seen
        .iter()
        .enumerate()
        .filter_map(|(n, &(from, place))| tape.stretch(from, until(n), place?));
    MemberLane {
        name: format!("etcd{}", member + 1),
        places: places.collect(),
        halts,
        ..MemberLane::default()
    }
}

/// `leads term=2`, `follows e3 term=2`; nothing when there is no answer, or it follows nobody: whether it asks for votes
/// then is not recorded.
pub fn place(detail: &str) -> Option<MemberPlace> {
    let said = Some(state_of(detail)).filter(|said| !said.starts_with("follows nobody"))?;
    let term = said.split("term=").nth(1)?.parse().ok()?;
    let role = if said.starts_with("leads") {
        RoleName::Leader
    } else {
        RoleName::Follower
    };
    Some(MemberPlace { role, term: Term(term) })
}

/// The fault's node is `e1+e3` when members of the store are struck.
fn struck_members(tape: &Tape) -> impl Iterator<Item = usize> {
    let fault = tape
        .recording
        .event("fault")
        .filter(|event| event.detail.contains("etcd member") || event.detail.contains("etcd leader"));
    let names = fault.map(|event| event.node.as_str()).unwrap_or_default();
    names.split('+').filter_map(member_index)
}

/// One bar, or none in a run without a fault.
pub fn faults(tape: &Tape) -> Vec<FaultBar> {
    let words = tape.fault_words();
    let Some(event) = tape.recording.event("fault").filter(|_| !words.is_empty()) else {
        return Vec::new();
    };
    let from = tape.at(0.0);
    // An order to the agent is an instant; all else lasts until it is repaired.
    let until = match tape.recording.derived.repair_ms {
        Some(repaired) => tape.at(repaired),
        None => from,
    };
    let node = node_index(&event.node).map(|node| NodeId(node as u8));
    let lanes = match node {
        Some(node) if words.contains("agent only") || words.starts_with("patronictl") => vec![Lane::Agent(node)],
        Some(node) => vec![Lane::Agent(node), Lane::Database(node)],
        None => vec![Lane::Store],
    };
    vec![FaultBar {
        index: 0,
        from,
        until: Some(until),
        label: super::rows::fault_label(&event.node, words),
        lanes,
        event: None,
    }]
}
