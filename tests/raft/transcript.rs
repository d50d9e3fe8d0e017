//! A conversation, as text: who said what to whom and when it arrived, what was stored, who became what.

use super::MS;
use super::network::Seen;
use leaselab::raft::{Body, Durable, Entry, Index, Log, Message, Term};
use std::fmt::Write;

pub struct Transcript {
    text: String,
    /// Its time 0, in µs.
    pub origin: u64,
    names: Vec<String>,
    /// Heartbeats and their answers are many; a scenario shows them where they matter.
    pub heartbeats: bool,
    /// What each member last stored, so that only what changed is told.
    stored: Vec<String>,
}

impl Transcript {
    pub fn new(title: &str, names: &[&str]) -> Transcript {
        Transcript {
            text: format!("{title}\n\n"),
            origin: 0,
            names: names.iter().map(|&name| name.to_owned()).collect(),
            heartbeats: true,
            stored: vec![String::new(); names.len()],
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn say(&mut self, now: u64, what: impl FnOnce(&[String]) -> String) {
        let what = what(&self.names);
        self.line(now, &what);
    }

    fn line(&mut self, now: u64, what: &str) {
        writeln!(self.text, "{:>8}  {what}", ms(now - self.origin)).expect("a string takes everything");
    }

    pub fn message(&mut self, now: u64, from: usize, to: usize, message: &Message<u64>, arrives: Option<u64>) {
        let heartbeat = matches!(message.body, Body::Heartbeat { .. } | Body::HeartbeatAck { .. });
        if heartbeat && !self.heartbeats {
            return;
        }
        let (from, to) = (&self.names[from], &self.names[to]);
        let fate = arrives.map_or("lost".to_owned(), |at| format!("arrives {}", ms(at - self.origin)));
        let said = format!("{from} -> {to}  T{} {}", message.term.0, body(&message.body));
        self.line(now, &format!("{said:<56} {fate}"));
    }

    pub fn stored(&mut self, now: u64, member: usize, disk: &Durable<u64>) {
        let vote = disk.vote.map_or("none", |vote| &self.names[usize::from(vote.0)]);
        let what = format!("term {}, vote {vote}, log {}", disk.term.0, entries_of(&disk.log));
        if self.stored[member] != what {
            let line = format!("{} on disk: {what}", self.names[member]);
            self.stored[member] = what;
            self.line(now, &line);
        }
    }

    pub fn seen(&mut self, now: u64, member: usize, seen: &Seen) {
        let what = match seen {
            Seen::Became(role, term) => format!("becomes {role:?} in term {}", term.0),
            Seen::Committed(Index(index)) => format!("knows that 1 to {index} are committed"),
            Seen::Acknowledged(value, _) => format!("acknowledges the write of {value}"),
            Seen::ReadAsked(number) => format!("is asked for read #{number}"),
            Seen::ReadServed(number, value, _) => format!("serves read #{number}: {value}"),
            Seen::ReadFailed(number) => format!("refuses read #{number}"),
            Seen::Crashed => "crashes".to_owned(),
            Seen::Restarted => "starts".to_owned(),
            Seen::Voted(..) | Seen::Applied(..) => return,
        };
        let line = format!("{} {what}", self.names[member]);
        self.line(now, &line);
    }
}

/// Milliseconds, with a fraction only where there is one.
fn ms(at: u64) -> String {
    match at % MS {
        0 => (at / MS).to_string(),
        rest => format!("{}.{rest:03}", at / MS),
    }
}

fn body(body: &Body<u64>) -> String {
    match body {
        Body::PreVote { last, last_term } => format!("pre-vote? (my log ends with {})", place(*last, *last_term)),
        Body::Vote { last, last_term } => format!("vote? (my log ends with {})", place(*last, *last_term)),
        Body::PreVoted { granted } => format!("pre-vote: {}", yes(*granted)),
        Body::Voted { granted } => format!("vote: {}", yes(*granted)),
        Body::Append {
            previous,
            previous_term,
            entries,
            commit,
        } => {
            let entries = if entries.is_empty() {
                "nothing".to_owned()
            } else {
                list(entries.iter())
            };
            let after = place(*previous, *previous_term);
            format!("append {entries} after {after}, commit {}", commit.0)
        }
        Body::Appended { matched } => format!("appended up to {}", matched.0),
        Body::Refused {
            previous,
            hint,
            hint_term,
        } => format!("nothing fits {}, try {}", previous.0, place(*hint, *hint_term)),
        Body::Heartbeat { commit, .. } => format!("heartbeat, commit {}", commit.0),
        Body::HeartbeatAck { .. } => "heartbeat heard".to_owned(),
        Body::ReadRequest { token } => format!("read #{}?", token.number),
        Body::ReadAnswer { token, index } => format!("read #{} at {}", token.number, index.0),
    }
}

fn yes(granted: bool) -> &'static str {
    if granted { "yes" } else { "no" }
}

fn place(index: Index, term: Term) -> String {
    match index {
        Index(0) => "nothing".to_owned(),
        Index(index) => format!("{index} of T{}", term.0),
    }
}

fn entries_of(log: &Log<u64>) -> String {
    list((1..=log.last().0).filter_map(|i| log.get(Index(i))))
}

/// An entry is its term, and the value it writes if it writes one.
fn list<'a>(entries: impl Iterator<Item = &'a Entry<u64>>) -> String {
    let entry = |e: &Entry<u64>| match e.command {
        Some(value) => format!("T{}:{value}", e.term.0),
        None => format!("T{}", e.term.0),
    };
    format!("[{}]", entries.map(entry).collect::<Vec<_>>().join(" "))
}
