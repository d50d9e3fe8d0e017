//! The event list of a recorded run, in plain words. What programs logged stands in quotation marks.

use super::{NODES, Tape, lanes, state_of};
use crate::compare::recording::{RecordedEvent, member_index, node_index};
use crate::draw::story::{Lane, Row, Tone};
use crate::draw::words::{place_words, seconds};
use crate::engine::{EventId, SimTime};
use crate::verdict::Record;
use crate::vocabulary::NodeId;

/// Lines of Patroni's log that tell of a decision.
const WORTH_TELLING: [&str; 15] = [
    "promoted self to leader",
    "Demoting self",
    "demoted self",
    "demoting self",
    "is ahead of my wal position",
    "because i am not the healthiest node",
    "Could not take out TTL lock",
    "following new leader after trying and failing",
    "running pg_rewind from pg",
    "pg_rewind exit code",
    "DCS is not accessible",
    "Exceeded retry deadline",
    "released leader key",
    "received switchover request",
    "continue to run as a leader because failsafe mode is enabled",
];
/// A line of a log is cut here.
const LINE_MAX: usize = 160;

/// What the recorder did, and how it is told after the node's name. The first that fits counts.
const FAULTS: [(&str, &str, &str); 13] = [
    (
        "SIGKILL agent and postgres",
        "kill agent and database",
        "agent and database are killed",
    ),
    (
        "SIGKILL agent only",
        "kill agent",
        "agent is killed; its database runs on",
    ),
    (
        "SIGSTOP agent and postgres",
        "freeze agent and database",
        "agent and database are frozen",
    ),
    (
        "SIGSTOP agent only",
        "freeze agent",
        "agent is frozen; its database runs on",
    ),
    (
        "partition: node cut from etcd and peers",
        "cut from store and peers",
        "machine is cut off from the store and from the other nodes",
    ),
    (
        "partition: node cut from etcd only",
        "cut from store",
        "machine is cut off from the store; the other nodes still reach it",
    ),
    (
        "SIGKILL two of three etcd members",
        "kill two members",
        "two of the store’s three members are killed",
    ),
    (
        "SIGKILL the etcd leader",
        "kill store leader",
        "the store’s leading member is killed",
    ),
    (
        "SIGTERM",
        "stop agent",
        "agent is asked to end, and its database with it",
    ),
    (
        "patronictl restart",
        "restart database",
        "database is to be restarted, asks an operator",
    ),
    (
        "patronictl switchover",
        "switchover",
        "an operator asks for a switchover",
    ),
    ("+", "slow store", "every request to the store takes longer"),
    ("no fault", "no fault", "no fault: what a healthy cluster does"),
];

/// How the bar of a fault is called.
pub fn fault_label(node: &str, detail: &str) -> String {
    let label = FAULTS
        .iter()
        .find(|(begins, ..)| detail.starts_with(begins))
        .map_or(detail, |(_, label, _)| label);
    if detail.starts_with('+') {
        let more = detail.split(" ms").next().unwrap_or_default();
        return format!("{label} by {} ms there and back", &more[1..]);
    }
    let whose = node_or_members(node);
    if whose.is_empty() {
        label.to_owned()
    } else {
        format!("{label}: {whose}")
    }
}

/// `pg2`, `etcd1 and etcd3`.
fn node_or_members(node: &str) -> String {
    let members: Vec<String> = node
        .split('+')
        .filter_map(member_index)
        .map(|member| format!("etcd{}", member + 1))
        .collect();
    if !members.is_empty() {
        return members.join(" and ");
    }
    if node_index(node).is_some() {
        node.to_owned()
    } else {
        String::new()
    }
}

pub fn rows(tape: &Tape, record: &Record) -> Vec<Row> {
    let mut rows: Vec<Row> = tape
        .recording
        .events
        .iter()
        .enumerate()
        .filter(|(_, event)| !event.detail.contains("(since before the window)"))
        .filter_map(|(index, event)| row(tape, index, event))
        .collect();
    // The events of a recording are in the order of time.
    for row in overlaps(record) {
        let after = rows.partition_point(|other| other.at <= row.at);
        rows.insert(after, row);
    }
    rows
}

fn row(tape: &Tape, index: usize, event: &RecordedEvent) -> Option<Row> {
    let at = tape.exact(event.t_ms)?;
    let node = node_index(&event.node).map(|node| NodeId(node as u8));
    let (lane, text, tone) = match event.kind.as_str() {
        "fault" => (Lane::Faults, fault(event), Tone::Fault),
        "repair" => (Lane::Faults, repair(event), Tone::Fault),
        "leader_key" => (Lane::Store, key(&event.detail), Tone::Turn),
        "pg" => {
            let (text, tone) = database(&event.node, state_of(&event.detail))?;
            (Lane::Database(node?), text, tone)
        }
        "timeline" => {
            let (from, to) = event.detail.split_once(" -> ")?;
            let text = format!("{}’s database goes from timeline {from} to {to}", event.node);
            (Lane::Database(node?), text, Tone::Plain)
        }
        "etcd_member" => {
            let member = member_index(&event.node)?;
            let said = match lanes::place(&event.detail) {
                Some(place) => place_words(place),
                None if event.detail.starts_with("follows nobody") => "knows no leader".to_owned(),
                None => "does not answer".to_owned(),
            };
            (
                Lane::Member(member as u8),
                format!("etcd{}: {said}", member + 1),
                Tone::Plain,
            )
        }
        "log" => {
            let told = |words: &str| event.detail.contains(words);
            let worth = WORTH_TELLING.iter().any(|words| told(words)) && !told("in progress");
            let line = worth.then(|| log(event))?;
            (Lane::Agent(node?), line, Tone::Plain)
        }
        "note" if event.detail.starts_with("probe writes") => {
            let again = event.detail.starts_with("probe writes on");
            let text = if again {
                "the recorder writes again"
            } else {
                "the recorder stops its writes for a while: whether a database is writable is not recorded meanwhile"
            };
            (Lane::Traffic, text.to_owned(), Tone::Plain)
        }
        _ => return None,
    };
    Some(Row {
        event: EventId::from_index(index)?,
        lamport: 0,
        at,
        lane,
        text,
        tone,
    })
}

/// When the recorder did not write, if it ever did not: in words, because a database cannot be told writable meanwhile.
pub fn pause(tape: &Tape) -> Option<String> {
    let seconds = |ms: f64| seconds(tape.at(ms).since(SimTime::ZERO));
    let from = seconds(tape.recording.note("probe writes paused")?);
    let until = match tape.recording.note("probe writes on again") {
        Some(again) => format!("to {}", seconds(again)),
        None => "until after the fault".to_owned(),
    };
    Some(format!(
        "The recorder wrote nothing from {from} {until}, so the old primary is not shown as writable then."
    ))
}

fn fault(event: &RecordedEvent) -> String {
    let known = FAULTS.iter().find(|(begins, ..)| event.detail.starts_with(begins));
    let words = known.map_or(event.detail.as_str(), |(.., words)| words);
    match node_index(&event.node) {
        Some(_) if known.is_some_and(|(begins, ..)| !begins.starts_with("patronictl switchover")) => {
            format!("{}’s {words}", event.node)
        }
        _ => words.to_owned(),
    }
}

fn repair(event: &RecordedEvent) -> String {
    let whose = node_or_members(&event.node);
    match whose.as_str() {
        "" => format!("repaired: {}", event.detail),
        whose => format!("repaired at {whose}: {}", event.detail),
    }
}

fn key(detail: &str) -> String {
    match detail.strip_prefix("PUT ").and_then(|put| put.split(' ').next()) {
        Some(holder) => format!("{holder} holds the leader key"),
        None => "the leader key is gone".to_owned(),
    }
}

fn database(node: &str, state: &str) -> Option<(String, Tone)> {
    let (words, tone) = match state {
        "writable" => ("accepts writes", Tone::Turn),
        "replica" => ("follows", Tone::Plain),
        "starting" => ("starts", Tone::Plain),
        "stopping" => ("is stopping", Tone::Plain),
        "down" => ("is down", Tone::Turn),
        "hung" => ("does not answer", Tone::Plain),
        "primary_write_failed" => ("is a primary and refuses a write", Tone::Plain),
        // The recorder's pause has a row of its own.
        _ => return None,
    };
    Some((format!("{node}’s database {words}"), tone))
}

fn log(event: &RecordedEvent) -> String {
    let line = event
        .detail
        .split_once(": ")
        .map_or(event.detail.as_str(), |(_, line)| line);
    let cut: String = line.chars().take(LINE_MAX).collect();
    let more = if cut.len() < line.len() { " …" } else { "" };
    format!("{} logs “{cut}{more}”", event.node)
}

/// The beginning and the end of two primaries.
fn overlaps(record: &Record) -> Vec<Row> {
    let row = |at: SimTime, text: String| {
        Some(Row {
            event: EventId::from_index(0)?,
            lamport: 0,
            at,
            lane: Lane::Faults,
            text,
            tone: Tone::Danger,
        })
    };
    let mut rows = Vec::new();
    for (from, to) in record.overlaps(record.end) {
        let names = record.names(record.at(from).writable).join(" and ");
        rows.extend(row(
            from,
            format!("two primaries: {names} accept writes at the same time"),
        ));
        if to < record.end {
            let left = record.names(record.at(to).writable);
            let text = match left.first() {
                Some(only) => format!("only {only} accepts writes now"),
                None => "no database accepts writes any more".to_owned(),
            };
            rows.extend(row(to, text));
        }
    }
    debug_assert!(record.nodes.len() == NODES.len());
    rows
}
