//! What agents and store say to each other, as the protocol has it: one line for each message.

use super::super::cast::Cast;
use super::super::words::seconds;
use crate::engine::WallTime;
use crate::raft::{self, Body, Entry};
use crate::vocabulary::{
    Compare, DbRole, Item, Key, Keys, Logged, Message, Reading, RestStatus, SqlState, StoreAnswer, StoreError, StoreOp,
    Value, WatchEvent,
};

/// A key in which a node says how it is.
pub fn publishes(key: Key) -> bool {
    matches!(key, Key::Member(_) | Key::Status)
}

/// None for what is left out.
pub fn message_words(message: &Message, cast: &Cast) -> Option<String> {
    Some(match message {
        Message::Store {
            op: StoreOp::Put {
                key: Key::Member(_), ..
            },
            ..
        } => return None,
        Message::Store { op, .. } => op_words(op, cast),
        Message::StoreReply {
            answer: Ok(StoreAnswer::Done),
            ..
        } => return None,
        Message::StoreReply { answer: Ok(answer), .. } => answer_words(answer),
        Message::StoreReply { answer: Err(error), .. } => format!("error: {}", error_words(*error)),
        Message::WatchEvents { events, .. } => {
            let news = events.iter().filter_map(|event| news_words(event, cast));
            let news: Vec<String> = news.collect();
            if news.is_empty() {
                return None;
            }
            format!("news: {}", news.join(", "))
        }
        Message::Raft(message) => raft_words(message, cast)?,
        Message::Forward { op, .. } if !publishes_op(op) => format!("passes on: {}", op_words(op, cast)),
        Message::AskStatus { .. } => "GET /patroni".to_owned(),
        Message::Status { status, .. } => status_words(status),
        Message::AskFailsafe { .. } => "POST /failsafe".to_owned(),
        Message::Failsafe { accepted: true, .. } => "200 accepted".to_owned(),
        Message::Failsafe { accepted: false, .. } => "500 running as primary".to_owned(),
        _ => return None,
    })
}

/// Votes, and what the leader gives the others for their logs. What only says "I am here" is left out, and so are
/// acknowledgements: whoever commits has them.
fn raft_words(message: &raft::Message<Logged>, cast: &Cast) -> Option<String> {
    let term = message.term.0;
    let yes = |granted: bool| if granted { "yes" } else { "no" };
    Some(match &message.body {
        Body::PreVote { last, last_term } => {
            format!(
                "would you vote for me in term {term}? my log ends at {} of term {}",
                last.0, last_term.0
            )
        }
        Body::PreVoted { granted: true } => format!("yes, I would in term {term}"),
        Body::PreVoted { granted: false } => format!("no, I would not: I am in term {term}"),
        Body::Vote { last, last_term } => {
            format!(
                "vote for me in term {term}! my log ends at {} of term {}",
                last.0, last_term.0
            )
        }
        Body::Voted { granted } => format!("{}, in term {term}", yes(*granted)),
        Body::Append { previous, entries, .. } => {
            let told: Vec<String> = entries.iter().filter_map(|entry| entry_words(entry, cast)).collect();
            if told.is_empty() {
                return None;
            }
            format!("append after {} in term {term}: {}", previous.0, told.join("; "))
        }
        Body::Refused { previous, hint, .. } => format!("I do not have {}: try again after {}", previous.0, hint.0),
        _ => return None,
    })
}

fn entry_words(entry: &Entry<Logged>, cast: &Cast) -> Option<String> {
    match &entry.command {
        None => Some(format!("I lead in term {}", entry.term.0)),
        Some(logged) => (!publishes_op(&logged.op)).then(|| op_words(&logged.op, cast)),
    }
}

/// A node says how it is.
fn publishes_op(op: &StoreOp) -> bool {
    matches!(op, StoreOp::Put { key, .. } if publishes(*key))
}

fn op_words(op: &StoreOp, cast: &Cast) -> String {
    match op {
        StoreOp::Range { keys, reading } => read_words(*keys, *reading),
        StoreOp::Put { key, value, lease } => {
            let lease = lease.map_or(String::new(), |lease| format!(", lease {}", lease.0));
            format!("put {key}{}{lease}", value_words(value, cast))
        }
        StoreOp::Delete { key } => format!("delete {key}"),
        StoreOp::Txn(txn) => {
            let when: Vec<String> = txn.when.iter().map(|compare| compare_words(compare, cast)).collect();
            let ops = |ops: &[StoreOp]| {
                let all: Vec<String> = ops.iter().map(|op| op_words(op, cast)).collect();
                all.join("; ")
            };
            let or_else = if txn.or_else.is_empty() {
                String::new()
            } else {
                format!(" else {}", ops(&txn.or_else))
            };
            format!("if {} then {}{or_else}", when.join(" and "), ops(&txn.then))
        }
        StoreOp::LeaseGrant { ttl } => format!("grant a lease of {ttl}"),
        StoreOp::LeaseKeepAlive { lease } => format!("keepalive lease {}", lease.0),
        StoreOp::LeaseRevoke { lease } => format!("revoke lease {}", lease.0),
        StoreOp::Watch { .. } => "watch all keys".to_owned(),
        StoreOp::Members => "who are the members?".to_owned(),
    }
}

fn read_words(keys: Keys, reading: Reading) -> String {
    let keys = match keys {
        Keys::All => "all keys".to_owned(),
        Keys::One(key) => key.to_string(),
        Keys::Locks => "/lock/*".to_owned(),
    };
    match reading {
        Reading::Linearizable => format!("read {keys}"),
        Reading::Serializable => format!("read {keys} from your own copy"),
    }
}

fn error_words(error: StoreError) -> &'static str {
    match error {
        StoreError::LeaseNotFound => "no such lease",
        StoreError::Unknown => "one that nobody knows",
        StoreError::LeaseTtlTooLarge => "a lease cannot last so long",
    }
}

fn compare_words(compare: &Compare, cast: &Cast) -> String {
    match compare {
        Compare::Absent(key) => format!("{key} is absent"),
        Compare::CreatedAt(key, revision) => format!("{key} was created at {}", revision.0),
        Compare::ModifiedAt(key, _) => format!("{key} is unchanged"),
        Compare::ValueIs(key, value) => format!("{key}{}", value_words(value, cast)),
    }
}

fn value_words(value: &Value, cast: &Cast) -> String {
    match value {
        Value::Leader(node) => format!(" = {}", cast.name(*node)),
        Value::Status(_) | Value::Empty => String::new(),
        Value::History(timeline, _) => format!(" = timeline {} ended", timeline.0),
        Value::Sync(sync) => {
            let who: Vec<&str> = sync.standbys.iter().map(|node| cast.name(node)).collect();
            let quorum = if sync.quorum > 0 {
                format!(", quorum {}", sync.quorum)
            } else {
                String::new()
            };
            let leader = sync.leader.map_or("nobody", |node| cast.name(node));
            format!(" = leader {leader}, standbys [{}]{quorum}", who.join(", "))
        }
        Value::Failsafe(members) => {
            let who: Vec<&str> = members.iter().map(|node| cast.name(node)).collect();
            format!(" = [{}]", who.join(", "))
        }
        Value::Failover(request) => {
            let from = request.leader.map_or("whoever leads", |node| cast.name(node));
            let to = request.candidate.map_or("anybody", |node| cast.name(node));
            let when = request
                .scheduled
                .map_or_else(String::new, |at| format!(" at {}", seconds(at.since(WallTime(0)))));
            format!(" = from {from} to {to}{when}")
        }
        Value::Config(settings) => format!(" = pause {}, ttl {}", settings.pause, seconds(settings.ttl)),
        Value::Member {
            role, state, timeline, ..
        } => {
            format!(
                " = {} {}, timeline {}",
                role_words(*role),
                state_words(*state),
                timeline.0
            )
        }
    }
}

fn answer_words(answer: &StoreAnswer) -> String {
    match answer {
        StoreAnswer::Items(items) => format!("{} keys", items.len()),
        StoreAnswer::Done => "done".to_owned(),
        StoreAnswer::Txn { succeeded: true, .. } => "condition held, done".to_owned(),
        StoreAnswer::Txn { succeeded: false, .. } => "condition did not hold".to_owned(),
        StoreAnswer::Lease { lease, .. } => format!("lease {} is alive", lease.0),
        StoreAnswer::LeaseGone => "the lease is gone".to_owned(),
        StoreAnswer::Watching => "watching".to_owned(),
        StoreAnswer::Members => "the list of members".to_owned(),
    }
}

/// What is worth telling of a change.
fn news_words(event: &WatchEvent, cast: &Cast) -> Option<String> {
    match event {
        WatchEvent::Put(Item { key, value, .. }) => {
            (!publishes(*key)).then(|| format!("{key}{}", value_words(value, cast)))
        }
        WatchEvent::Delete { key, .. } => (!publishes(*key)).then(|| format!("{key} is deleted")),
    }
}

fn status_words(status: &RestStatus) -> String {
    let timeline = status
        .timeline
        .map_or(String::new(), |timeline| format!(", timeline {}", timeline.0));
    let unknown = if status.lsn.is_none() { ", position unknown" } else { "" };
    let watchdog = if status.watchdog_failed {
        ", watchdog failed"
    } else {
        ""
    };
    format!(
        "{} {}{timeline}{unknown}{watchdog}",
        role_words(status.role),
        state_words(status.state)
    )
}

fn role_words(role: DbRole) -> &'static str {
    match role {
        DbRole::Primary => "primary",
        DbRole::Replica => "replica",
    }
}

fn state_words(state: SqlState) -> &'static str {
    match state {
        SqlState::Stopped => "stopped",
        SqlState::Starting => "starting",
        SqlState::Running => "running",
        SqlState::Stopping => "stopping",
        SqlState::Crashed => "crashed",
    }
}
