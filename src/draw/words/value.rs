//! What a key of the store holds, in words.

use super::super::cast::Cast;
use crate::vocabulary::{Changes, DbRole, NodeSet, SettingValue, SqlState, Value};

/// In as few words as somebody who reads the store would find there.
pub fn value_words(value: &Value, cast: &Cast) -> String {
    match value {
        Value::Leader(node) => cast.name(*node).to_owned(),
        Value::Status(lsn) => format!("LSN {lsn}"),
        Value::History(timeline, lsn) => format!("timeline {} began at LSN {lsn}", timeline.0),
        Value::Sync(sync) => {
            let leader = sync.leader.map_or("nobody", |node| cast.name(node));
            let quorum = if sync.quorum > 0 {
                format!(", quorum {}", sync.quorum)
            } else {
                String::new()
            };
            format!("leader {leader}, standbys {}{quorum}", names(sync.standbys, cast))
        }
        Value::Failsafe(nodes) => names(*nodes, cast),
        Value::Failover(request) => {
            let [from, to] =
                [request.leader, request.candidate].map(|node| node.map_or("anybody", |node| cast.name(node)));
            format!("from {from} to {to}")
        }
        Value::Config(settings) => {
            let all = Changes::from(**settings).list();
            let words: Vec<_> = all
                .into_iter()
                .map(|(key, value)| format!("{key} {}", setting(value)))
                .collect();
            words.join(", ")
        }
        Value::Member {
            role,
            state,
            lsn,
            timeline,
            nofailover,
            nosync,
            ..
        } => {
            let role = match role {
                DbRole::Primary => "primary",
                DbRole::Replica => "replica",
            };
            let state = match state {
                SqlState::Stopped => "stopped",
                SqlState::Starting => "starting",
                SqlState::Running => "running",
                SqlState::Stopping => "stopping",
                SqlState::Crashed => "crashed",
            };
            let mut words = format!("{role}, {state}, timeline {}, LSN {lsn}", timeline.0);
            for (tag, is) in [("nofailover", nofailover), ("nosync", nosync)] {
                if *is {
                    words.push_str(&format!(", {tag}"));
                }
            }
            words
        }
        Value::Empty => "nothing".to_owned(),
    }
}

fn setting(value: SettingValue) -> String {
    match value {
        SettingValue::Time(span) => format!("{} s", span.as_secs_f64()),
        SettingValue::Flag(flag) => flag.to_string(),
        SettingValue::Bytes(bytes) => format!("{bytes} bytes"),
        SettingValue::Count(count) => count.to_string(),
        SettingValue::Mode(mode) => mode.word().to_owned(),
    }
}

fn names(nodes: NodeSet, cast: &Cast) -> String {
    let names: Vec<_> = nodes.iter().map(|node| cast.name(node)).collect();
    if names.is_empty() {
        "nobody".to_owned()
    } else {
        names.join(", ")
    }
}
