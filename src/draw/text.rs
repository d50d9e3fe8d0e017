//! A run as text: the conversation of agents and store, one line for each message, note, loss, life and fault that is
//! part of it. Golden files are made of this, so it must not change by itself: no sizes, no numbers of requests.
//!
//! ```text
//!    40.007  node1/agent -> etcd1        keepalive lease 1
//!    40.012  etcd1                       the store renews node1's lease
//!    40.250  node1/agent                 node1's agent is killed
//!    50.006  node1/agent -x etcd1        keepalive lease 1: the link passes nothing
//! ```
//!
//! What is left out: writes, replication, SQL, health checks, steps, and what nodes publish about themselves. What goes
//! to several at once is one line. A burst of lines that says the same as the two before it, but for times and numbers,
//! is folded. Candidacies of the store's members that repeat are told twice.

mod candidacy;
mod message;

use super::cast::Cast;
use super::words::{lost_words, sentence};
use crate::engine::{Ended, Event, FullTrace, Life, Place, ProcId, SimTime, Span, What};
use crate::scenario::Scenario;
use crate::sorting;
use crate::vocabulary::{Note, Words};
use crate::world::{Layout, Part};
use candidacy::{Candidacies, Told};
use message::{message_words, publishes};
use std::fmt::Write;

/// Lines further apart than this belong to different bursts.
const PAUSE: Span = Span::from_millis(1_000);
/// A message that took longer than this is told once more when it arrives.
const LATE: Span = Span::from_millis(1_000);

/// The conversation of a run.
pub fn transcript(trace: &FullTrace<Words>, layout: &Layout, scenario: &Scenario) -> String {
    let cast = Cast::new(trace, layout, scenario);
    let mut lines: Vec<Line> = Vec::new();
    let mut candidacies = Candidacies::default();
    let told = trace.iter().filter_map(|event| {
        let told = candidacies.see(event, ends(event, &cast));
        let line = line(event, trace, &cast)?;
        match told {
            Told::Whole => Some(line),
            Told::AsksOn => Some(line.asks_on()),
            Told::LeftOut => None,
        }
    });
    for next in told {
        match lines.last_mut().filter(|last| last.is_also(&next)) {
            Some(last) => last.to.extend(next.to),
            None => lines.push(next),
        }
    }
    let mut bursts: Vec<&[Line]> = Vec::new();
    let mut begin = 0;
    for next in 1..=lines.len() {
        if lines
            .get(next)
            .is_none_or(|line| line.at.since(lines[next - 1].at) > PAUSE)
        {
            bursts.push(&lines[begin..next]);
            begin = next;
        }
    }
    fold(&bursts)
}

/// The sender and the receiver of a message.
fn ends(event: &Event<Words>, cast: &Cast) -> Option<(ProcId, ProcId)> {
    match (&event.what, event.place) {
        (What::Sent { conn, to, .. }, _) => cast.ends(*conn, *to),
        (What::Received { from, .. }, Place::Process(to)) => Some((*from, to)),
        _ => None,
    }
}

/// Who "says" that a fault begins or ends.
const FAULT: &str = "fault";

/// One line, before it is laid out.
struct Line {
    at: SimTime,
    /// Who acts, with an arrow when something is on its way.
    who: String,
    /// To whom.
    to: Vec<String>,
    what: String,
}

impl Line {
    /// Whether another line says the same of another receiver.
    fn is_also(&self, other: &Line) -> bool {
        (self.at, &self.who, &self.what) == (other.at, &other.who, &other.what) && !self.to.is_empty()
    }
    fn asks_on(self) -> Line {
        Line {
            what: format!("{} goes on asking, again and again", self.who),
            ..self
        }
    }
    fn ends(&self) -> String {
        if self.to.is_empty() {
            self.who.clone()
        } else {
            format!("{} {}", self.who, self.to.join(", "))
        }
    }
    /// The line without what differs from one time to the next.
    fn gist(&self) -> String {
        let what: String = self.what.chars().filter(|c| !c.is_ascii_digit()).collect();
        format!("{} {what}", self.ends())
    }
}

/// Writes bursts one after the other, and of those that repeat only the first two.
fn fold(bursts: &[&[Line]]) -> String {
    let gist = |burst: &&[Line]| {
        let mut gists: Vec<String> = burst.iter().map(Line::gist).collect();
        sorting::by(&mut gists, Ord::cmp);
        gists
    };
    let gists: Vec<Vec<String>> = bursts.iter().map(gist).collect();
    let mut out = String::new();
    let mut folded = 0;
    for (n, burst) in bursts.iter().enumerate() {
        if n >= 2 && gists[n] == gists[n - 1] && gists[n] == gists[n - 2] {
            folded += 1;
            if gists.get(n + 1) != Some(&gists[n]) {
                let last = burst.last().map_or(SimTime::ZERO, |line| line.at);
                // Writing to a string cannot fail.
                let _ = writeln!(out, "            … {folded} more of the same, until {last}\n");
                folded = 0;
            }
            continue;
        }
        for line in *burst {
            let _ = writeln!(out, "{:>9}  {:<28}  {}", line.at.to_string(), line.ends(), line.what);
        }
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn line(event: &Event<Words>, trace: &FullTrace<Words>, cast: &Cast) -> Option<Line> {
    let at = event.at;
    let says = |who: String| {
        let what = sentence(event, cast)?;
        Some(Line {
            at,
            who,
            to: Vec::new(),
            what,
        })
    };
    let on_its_way = |from: ProcId, arrow: &str, to: ProcId, what: String| {
        let talks = |process| matches!(cast.part(process), Some(Part::Agent(_) | Part::Store(_)));
        let name = |process| cast.layout.process_name(process);
        let line = || Line {
            at,
            who: format!("{} {arrow}", name(from)),
            to: vec![name(to)],
            what,
        };
        (talks(from) && talks(to)).then(line)
    };
    match &event.what {
        What::Note(note) if is_told(note) => says(cast.layout.place_name(event.place)),
        What::Fault { .. } => says(FAULT.to_owned()),
        What::Life(_) if is_news(event, trace, cast) => says(cast.layout.place_name(event.place)),
        What::Sent { conn, to, message } => {
            let (from, to) = cast.ends(*conn, *to)?;
            on_its_way(from, "->", to, message_words(message, cast)?)
        }
        What::Received {
            from, sent, message, ..
        } => {
            let sent = trace.get(*sent)?.at;
            let Place::Process(to) = event.place else { return None };
            let what = message_words(message, cast).filter(|_| at.since(sent) > LATE)?;
            on_its_way(*from, "=>", to, format!("{what}, sent at {sent}"))
        }
        What::Dropped { conn, to, sent, how } => {
            let (from, to) = cast.ends(*conn, *to)?;
            if sent.is_none() && among_members(from, to, cast) {
                return None;
            }
            let what = match sent.and_then(|sent| trace.get(sent)).map(|sent| &sent.what) {
                Some(What::Sent { message, .. }) => message_words(message, cast)?,
                Some(_) => return None,
                None => "connects".to_owned(),
            };
            on_its_way(from, "-x", to, format!("{what}: {}", lost_words(*how)))
        }
        What::Ended { conn, how } => {
            let Place::Process(me) = event.place else { return None };
            let (other, _) = cast.ends(*conn, me)?;
            if among_members(me, other, cast) {
                return None;
            }
            let what = match how {
                Ended::Refused => "connection refused",
                Ended::Reset => "connection reset",
                Ended::TimedOut => "connection timed out",
                Ended::Closed => return None,
            };
            on_its_way(me, "-x", other, what.to_owned())
        }
        _ => None,
    }
}

/// The store's members dial each other again and again; their elections say enough about who reaches whom.
fn among_members(one: ProcId, other: ProcId, cast: &Cast) -> bool {
    let member = |process| matches!(cast.part(process), Some(Part::Store(_)));
    member(one) && member(other)
}

fn is_told(note: &Note) -> bool {
    match note {
        Note::KeyPut { key, .. } => !publishes(*key),
        Note::StoreCommit { .. } | Note::StoreHangs { .. } | Note::StoreGoesOn => false,
        Note::Step(_) | Note::CycleBegins | Note::WatchdogPinged { .. } | Note::Write { .. } => false,
        _ => true,
    }
}

/// A life that no fault, no other life and no note tells.
fn is_news(event: &Event<Words>, trace: &FullTrace<Words>, cast: &Cast) -> bool {
    let cause = event.cause.and_then(|cause| trace.get(cause)).map(|cause| &cause.what);
    let told = matches!(cause, Some(What::Fault { .. } | What::Life(_)));
    let part = cast.part_at(event.place);
    let database =
        matches!(part, Some(Part::Postgres(_))) && matches!(event.what, What::Life(Life::Started | Life::Exited));
    let known = matches!(part, None | Some(Part::Agent(_) | Part::Postgres(_) | Part::Store(_)));
    event.at > SimTime::ZERO && known && !told && !database
}
