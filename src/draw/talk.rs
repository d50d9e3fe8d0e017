//! A message in words: what it is, from whom to whom, when it was sent and arrived or was lost, how long it was under way;
//! and which message answers which.
//!
//! Connections of this engine neither double nor reorder what they carry, so neither can be seen.

use super::story::{Flight, Lane, Story, Talk};
use crate::engine::{SimTime, Span};

impl Story {
    /// What answers this message, or what it answers.
    pub fn counterpart(&self, flight: usize) -> Option<usize> {
        let one = self.detail.flights.get(flight)?;
        match one.answers {
            // What it answers was sent before it.
            Some(event) => self.detail.flights[..flight]
                .iter()
                .rposition(|other| other.event == event),
            None => {
                let later = &self.detail.flights[flight + 1..];
                let answer = later.iter().position(|other| other.answers == Some(one.event));
                answer.map(|place| flight + 1 + place)
            }
        }
    }

    /// The first message that is sent at this moment or later.
    pub fn message_from(&self, t: SimTime) -> usize {
        self.detail.flights.partition_point(|flight| flight.sent < t)
    }

    /// One line about a message, and what became of its counterpart.
    pub fn message_words(&self, flight: usize) -> Option<String> {
        let one = self.detail.flights.get(flight)?;
        let mut words = format!("{}, {}", self.who_says_what(one), times(one));
        let other = self
            .counterpart(flight)
            .and_then(|other| self.detail.flights.get(other));
        match (other, one.what) {
            (Some(other), _) if one.answers.is_some() => {
                words.push_str(&format!(". It answers what was sent at {} s", other.sent));
            }
            (Some(other), _) if other.arrives => words.push_str(&format!(". The answer arrived at {} s", other.end)),
            (Some(other), _) => words.push_str(&format!(". The answer was lost at {} s", other.end)),
            (None, Talk::StoreRequest | Talk::Question) => words.push_str(". No answer was on its way in this run"),
            (None, _) => {}
        }
        words.push('.');
        Some(words)
    }

    fn who_says_what(&self, flight: &Flight) -> String {
        let (from, to) = (self.speaker(flight.from), self.speaker(flight.to));
        match flight.what {
            Talk::Handshake => format!("{from} tries to connect to {to}"),
            Talk::StoreRequest if flight.decides => format!("{from} asks {to} for a write that may decide who leads"),
            Talk::StoreRequest => format!("{from} asks {to}"),
            Talk::StoreReply => format!("{from} answers {to}"),
            Talk::News => format!("{from} tells {to} what changed among the keys"),
            Talk::Question => format!("{from}, a candidate, asks {to} for its condition"),
            Talk::Answer => format!("{from} tells {to} its condition"),
            Talk::Vote => format!("{from} and {to} speak of a vote: from {from}"),
            Talk::Append => format!("{from} gives {to} what is new in its log"),
        }
    }

    /// Who sends or receives in a lane.
    pub(super) fn speaker(&self, lane: Lane) -> &str {
        match lane {
            Lane::Agent(node) | Lane::Database(node) => self.name(node),
            Lane::Member(member) => {
                let member = self.store.members.get(usize::from(member));
                member.map_or("?", |member| &member.name)
            }
            Lane::Store => "the store",
            Lane::Traffic => "the clients",
            Lane::Faults => "?",
        }
    }
}

fn times(flight: &Flight) -> String {
    let under_way = under_way(flight.end.since(flight.sent));
    if flight.arrives {
        format!(
            "sent at {} s, arrived at {} s, {under_way} under way",
            flight.sent, flight.end
        )
    } else if flight.end > flight.sent {
        format!("sent at {} s, lost at {} s after {under_way}", flight.sent, flight.end)
    } else {
        format!("lost at {} s", flight.end)
    }
}

/// As fine as networks need it: `0.4 ms`, `12.0 ms`, `1.250 s`.
fn under_way(span: Span) -> String {
    if span < Span::from_secs(1) {
        format!("{}.{} ms", span.0 / 1_000, span.0 % 1_000 / 100)
    } else {
        span.to_string()
    }
}
