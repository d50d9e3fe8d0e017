//! A trace as JSON lines, as `leaselab run --trace` writes it: one object for each event, in the order in which they
//! happened. Names are as scenarios write them (`node1/agent`, `etcd1`), times are milliseconds, WAL positions are as
//! PostgreSQL prints them.
//!
//! | key       | what it is |
//! |-----------|------------|
//! | `event`   | the event's number, from 1 |
//! | `at_ms`   | true time |
//! | `place`   | where: a process, a host, or `network` |
//! | `lamport` | the Lamport stamp: of the process or the host; 0 in the network |
//! | `cause`   | the event that led to it, or null |
//! | `because` | where something was missed: the event that took it away, or null |
//! | `what`    | the kind, below; further keys depend on it |
//!
//! | `what`     | further keys |
//! |------------|--------------|
//! | `started`, `exited`, `killed`, `paused`, `resumed` | |
//! | `timer`    | `timer`: the actor's number for it |
//! | `opening`  | `conn`, `to` |
//! | `opened`   | `conn` |
//! | `accepted` | `conn`, `from` |
//! | `ended`    | `conn`, `how`: `closed`, `refused`, `reset`, `timed_out` |
//! | `sent`     | `conn`, `to`, `message` |
//! | `received` | `conn`, `from`, `sent`: the event of its sending, `message` |
//! | `dropped`  | `conn`, `to`, `sent` or null for a handshake, `how`: `silent`, `payload_lost`, `swallowed`, `chance`, `host_gone` |
//! | `signal`   | `signal`: `hangup`, `interrupt`, `quit`, `user1`, `kill` |
//! | `disk_done`| `tag` |
//! | `note`     | `note`: an object with `kind` and the note's own keys |
//! | `fault`    | `fault`: the fault's number in the scenario, from 1; `begins` |
//!
//! `message` is an object with `kind` and the message's own keys, too. Keys are only ever added.

use super::trace_words::{message, note};
use crate::engine::{Ended, Event, EventId, FullTrace, Life, Lost, Signal, SimTime, Span, What};
use crate::vocabulary::Words;
use crate::world::Named;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// Writes a whole trace.
///
/// # Errors
/// What `to` refuses.
pub fn write_trace(trace: &FullTrace<Words>, layout: &dyn Named, to: impl Write) -> io::Result<()> {
    write_events(trace.iter(), layout, to)
}

/// Writes some of a trace.
///
/// # Errors
/// What `to` refuses.
pub fn write_events<'a>(
    events: impl Iterator<Item = &'a Event<Words>>,
    layout: &dyn Named,
    mut to: impl Write,
) -> io::Result<()> {
    for event in events {
        serde_json::to_writer(&mut to, &line(event, layout))?;
        to.write_all(b"\n")?;
    }
    to.flush()
}

#[derive(Serialize)]
struct Line {
    event: u32,
    at_ms: Value,
    place: String,
    what: &'static str,
    #[serde(flatten)]
    more: Map<String, Value>,
    lamport: u64,
    cause: Option<u32>,
    because: Option<u32>,
}

fn line(event: &Event<Words>, layout: &dyn Named) -> Line {
    let id = |id: Option<EventId>| id.map(|id| id.0.get());
    let (what, more) = what(&event.what, layout);
    Line {
        event: event.id.0.get(),
        at_ms: ms(event.at.since(SimTime::ZERO)),
        place: layout.place_name(event.place),
        what,
        more: match more {
            Value::Object(fields) => fields,
            _ => Map::new(),
        },
        lamport: event.lamport.0,
        cause: id(event.cause),
        because: id(event.because),
    }
}

/// The kind of the event, and its further keys.
fn what(what: &What<Words>, layout: &dyn Named) -> (&'static str, Value) {
    let name = |process| layout.process_name(process);
    match what {
        What::Life(life) => (life_word(*life), Value::Null),
        What::Timer(key) => ("timer", json!({ "timer": key.0 })),
        What::Opening { conn, to } => ("opening", json!({ "conn": conn.0, "to": name(*to) })),
        What::Opened { conn } => ("opened", json!({ "conn": conn.0 })),
        What::Accepted { conn, from } => ("accepted", json!({ "conn": conn.0, "from": name(*from) })),
        What::Ended { conn, how } => ("ended", json!({ "conn": conn.0, "how": ended_word(*how) })),
        What::Sent { conn, to, message: m } => (
            "sent",
            json!({ "conn": conn.0, "to": name(*to), "message": message(m, layout) }),
        ),
        What::Received {
            conn,
            from,
            sent,
            message: m,
        } => (
            "received",
            json!({ "conn": conn.0, "from": name(*from), "sent": sent.0.get(), "message": message(m, layout),
            }),
        ),
        What::Dropped { conn, to, sent, how } => (
            "dropped",
            json!({ "conn": conn.0, "to": name(*to), "sent": sent.map(|id| id.0.get()), "how": lost_word(*how),
            }),
        ),
        What::Signal(signal) => ("signal", json!({ "signal": signal_word(*signal) })),
        What::DiskDone { tag } => ("disk_done", json!({ "tag": tag })),
        What::Note(n) => ("note", json!({ "note": note(n, layout) })),
        What::Fault { index, begins } => ("fault", json!({ "fault": u32::from(*index) + 1, "begins": begins })),
    }
}

/// Milliseconds; a whole number where it is one.
pub(super) fn ms(span: Span) -> Value {
    if span.0.is_multiple_of(1_000) {
        json!(span.0 / 1_000)
    } else {
        json!(span.as_millis_f64())
    }
}

fn life_word(life: Life) -> &'static str {
    match life {
        Life::Started => "started",
        Life::Exited => "exited",
        Life::Killed => "killed",
        Life::Paused => "paused",
        Life::Resumed => "resumed",
    }
}

fn ended_word(how: Ended) -> &'static str {
    match how {
        Ended::Closed => "closed",
        Ended::Refused => "refused",
        Ended::Reset => "reset",
        Ended::TimedOut => "timed_out",
    }
}

fn lost_word(how: Lost) -> &'static str {
    match how {
        Lost::Silent => "silent",
        Lost::PayloadLost => "payload_lost",
        Lost::Swallowed => "swallowed",
        Lost::Chance => "chance",
        Lost::HostGone => "host_gone",
    }
}

fn signal_word(signal: Signal) -> &'static str {
    match signal {
        Signal::Hangup => "hangup",
        Signal::Interrupt => "interrupt",
        Signal::Quit => "quit",
        Signal::User1 => "user1",
        Signal::Terminate => "terminate",
        Signal::Kill => "kill",
    }
}
