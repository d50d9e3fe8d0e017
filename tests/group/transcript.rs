//! A run of a group as text: what clients ask and are told, who leads, what becomes of leases and keys.
//!
//! Left out: heartbeats, appends and their answers, and the answers to keep-alives (the renewal is noted).

use leaselab::engine::{Event, FullTrace, Life, Place, ProcId, SimTime, What};
use leaselab::raft::{Body, RoleName};
use leaselab::vocabulary::{
    Compare, Key, Keys, LockNote, Message, Note, Reading, SessionEnd, StoreAnswer, StoreOp, WatchEvent, Words,
};
use std::fmt::Write;

pub fn write(title: &str, trace: &FullTrace<Words>, names: &[String], origin: SimTime) -> String {
    let mut out = format!("{title}\n\n");
    for event in trace.iter() {
        let name = |process: ProcId| names[process.index()].as_str();
        let who = match event.place {
            Place::Process(process) => name(process).to_owned(),
            Place::Host(host) => format!("the host of {}", names[host.index()]),
            Place::Network => "the network".to_owned(),
        };
        let Some((to, what)) = line(event) else { continue };
        let ends = to.map_or(who.clone(), |to| format!("{who} -> {}", name(to)));
        let at = (event.at.as_millis_f64() - origin.as_millis_f64()) / 1_000.0;
        writeln!(out, "{at:>9.3}  {ends:<16}  {what}").expect("a string takes everything");
    }
    out
}

fn line(event: &Event<Words>) -> Option<(Option<ProcId>, String)> {
    Some(match &event.what {
        What::Sent { to, message, .. } => (Some(*to), message_words(message)?),
        What::Note(note) => (None, note_words(note)?),
        What::Life(life) if event.at > SimTime::ZERO => (None, life_words(*life).to_owned()),
        What::Fault { begins: true, .. } => (None, "a fault begins".to_owned()),
        What::Fault { begins: false, .. } => (None, "a fault ends".to_owned()),
        _ => return None,
    })
}

fn life_words(life: Life) -> &'static str {
    match life {
        Life::Started => "starts",
        Life::Exited => "ends",
        Life::Killed => "is dead",
        Life::Paused => "stands still",
        Life::Resumed => "goes on",
    }
}

fn message_words(message: &Message) -> Option<String> {
    Some(match message {
        Message::Store { op, .. } => op_words(op),
        Message::StoreReply { answer: Ok(answer), .. } => answer_words(answer)?,
        Message::StoreReply { answer: Err(error), .. } => format!("error: {error:?}"),
        Message::WatchEvents { events, .. } => {
            let news: Vec<String> = events.iter().map(event_words).collect();
            format!("news: {}", news.join(", "))
        }
        Message::Forward { op, .. } => format!("passes on: {}", op_words(op)),
        Message::Raft(message) => match message.body {
            Body::PreVote { .. } => format!("would you vote for me in term {}?", message.term.0),
            Body::PreVoted { granted } => format!("{}, term {}", yes(granted), message.term.0),
            Body::Vote { .. } => format!("vote for me in term {}!", message.term.0),
            Body::Voted { granted } => format!("{}, my vote in term {}", yes(granted), message.term.0),
            _ => return None,
        },
        _ => return None,
    })
}

fn yes(granted: bool) -> &'static str {
    if granted { "yes" } else { "no" }
}

fn op_words(op: &StoreOp) -> String {
    let all = |ops: &[StoreOp]| ops.iter().map(op_words).collect::<Vec<_>>().join(", ");
    match op {
        StoreOp::Range { keys, reading } => {
            let keys = match keys {
                Keys::All => "all keys".to_owned(),
                Keys::One(key) => key.to_string(),
                Keys::Locks => "the queue".to_owned(),
            };
            let own = if *reading == Reading::Serializable {
                " from your own copy"
            } else {
                ""
            };
            format!("read {keys}{own}")
        }
        StoreOp::Put { key, .. } => format!("put {key}"),
        StoreOp::Delete { key } => format!("delete {key}"),
        StoreOp::Txn(txn) => {
            let when: Vec<String> = txn.when.iter().map(compare_words).collect();
            let otherwise = if txn.or_else.is_empty() {
                String::new()
            } else {
                format!(" else {}", all(&txn.or_else))
            };
            let then = if txn.then.is_empty() {
                String::new()
            } else {
                format!(" then {}", all(&txn.then))
            };
            format!("if {}{then}{otherwise}", when.join(" and "))
        }
        StoreOp::LeaseGrant { ttl } => format!("grant a lease of {ttl}"),
        StoreOp::LeaseKeepAlive { lease } => format!("keep lease {} alive", lease.0),
        StoreOp::LeaseRevoke { lease } => format!("revoke lease {}", lease.0),
        StoreOp::Watch { after } => format!("watch from {} on", after.0 + 1),
        StoreOp::Members => "who are the members?".to_owned(),
    }
}

fn compare_words(compare: &Compare) -> String {
    match compare {
        Compare::Absent(key) => format!("{key} is absent"),
        Compare::CreatedAt(key, revision) => format!("{key} was created at {}", revision.0),
        Compare::ModifiedAt(key, revision) => format!("{key} was changed last at {}", revision.0),
        Compare::ValueIs(key, value) => format!("{key} = {value:?}"),
    }
}

fn answer_words(answer: &StoreAnswer) -> Option<String> {
    Some(match answer {
        StoreAnswer::Items(items) => {
            let keys: Vec<String> = items
                .iter()
                .map(|item| format!("{} ({})", item.key, item.create.0))
                .collect();
            if keys.is_empty() {
                "nothing".to_owned()
            } else {
                keys.join(", ")
            }
        }
        StoreAnswer::Txn { succeeded, inner } => {
            let inner: Vec<String> = inner.iter().filter_map(answer_words).collect();
            format!("{}: {}", yes(*succeeded), inner.join(", "))
                .trim_end_matches(": ")
                .to_owned()
        }
        StoreAnswer::LeaseGone => "the lease is gone".to_owned(),
        StoreAnswer::Done | StoreAnswer::Lease { .. } | StoreAnswer::Watching | StoreAnswer::Members => return None,
    })
}

fn event_words(event: &WatchEvent) -> String {
    match event {
        WatchEvent::Put(item) => format!("{} is put", item.key),
        WatchEvent::Delete { key, .. } => format!("{key} is deleted"),
    }
}

fn note_words(note: &Note) -> Option<String> {
    Some(match note {
        Note::StoreRole { role, term } => match role {
            RoleName::Follower => format!("follows in term {}", term.0),
            RoleName::PreCandidate => format!("asks around, in term {}", term.0),
            RoleName::Candidate => format!("is a candidate in term {}", term.0),
            RoleName::Leader => format!("leads in term {}", term.0),
        },
        Note::LeaseGranted { lease, ttl } => format!("lease {} is granted, for {ttl}", lease.0),
        Note::LeaseRenewed { lease } => format!("lease {} is renewed", lease.0),
        Note::LeaseExpired { lease } => format!("lease {} is removed", lease.0),
        Note::KeyPut { key, revision, .. } if lock(*key) => format!("{key} is created at {}", revision.0),
        Note::KeyDeleted { key, revision } => format!("{key} is deleted at {}", revision.0),
        Note::Lock(note) => lock_words(note),
        _ => return None,
    })
}

fn lock(key: Key) -> bool {
    matches!(key, Key::Lock(_))
}

fn lock_words(note: &LockNote) -> String {
    match note {
        LockNote::Waits { on } => format!("WAITS for {}", Key::Lock(*on)),
        LockNote::Hears { gone } => format!("HEARS that {} is gone", Key::Lock(*gone)),
        LockNote::Enters { token } => format!("ENTERS with token {}", token.0),
        LockNote::Refused => "ITS TURN, and its key or its session is gone: it does not enter".to_owned(),
        LockNote::IsOwner { yes: true } => "is the owner, says the store".to_owned(),
        LockNote::IsOwner { yes: false } => "IS NOT the owner, says the store".to_owned(),
        LockNote::SessionEnds(SessionEnd::LeaseGone) => "ITS SESSION ENDS: the lease is gone".to_owned(),
        LockNote::SessionEnds(SessionEnd::Silence) => "ITS SESSION ENDS: no answer for a whole TTL".to_owned(),
        LockNote::Releases => "GIVES the lock back".to_owned(),
    }
}
