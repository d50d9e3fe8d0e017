//! Two runs side by side: where they part, and how what they amounted to differs.

use super::story::Story;
use crate::engine::{SimTime, Span};
use crate::verdict::{Verdict, length};

/// One figure of both runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twin {
    pub title: &'static str,
    pub before: String,
    pub after: String,
    /// By how much the later one is more or less; nothing when both are the same.
    pub differs: Option<String>,
}

/// The first instant at which two runs are not the same: of a message, an event or a fault. Nothing when they are the same to their
/// end. Not looked at is what keeps the store's group together, and what an event says: a longer lease changes nothing until
/// the shorter one has run out. Nor do messages count when not all of either run are known.
pub fn parting(before: &Story, after: &Story) -> Option<SimTime> {
    let flight = first(&before.detail.flights, &after.detail.flights, |flight| {
        (
            flight.sent,
            flight.end,
            flight.from,
            flight.to,
            flight.arrives,
            flight.what,
        )
    });
    let flight = flight.map(|flights| match flights {
        // The same message: it arrives, or is lost, at another time.
        [Some(was), Some(is)] if (was.sent, was.from, was.to, was.what) == (is.sent, is.from, is.to, is.what) => {
            Some(was.end.min(is.end))
        }
        flights => flights.into_iter().flatten().map(|flight| flight.sent).min(),
    });
    let flight = flight.filter(|_| {
        [before, after]
            .iter()
            .all(|run| run.detail.covers(SimTime::ZERO, run.end()))
    });
    let row = first(&before.rows, &after.rows, |row| (row.at, row.lane, row.tone));
    let row = row.map(|rows| rows.into_iter().flatten().map(|row| row.at).min());
    let fault = first(&before.faults, &after.faults, |fault| {
        (fault.from, fault.until, fault.label.clone())
    });
    let fault = fault.map(|bars| {
        let [was, is] = bars;
        match (was, is) {
            // The same, but for its end.
            (Some(was), Some(is)) if was.from == is.from && was.label == is.label => {
                was.until.min(is.until).or(was.until).or(is.until)
            }
            (was, is) => [was, is].into_iter().flatten().map(|bar| bar.from).min(),
        }
    });
    let ends = (before.end() != after.end()).then(|| Some(before.end().min(after.end())));
    [flight, row, fault, ends].into_iter().flatten().flatten().min()
}

/// The first place at which two lists differ, with what each has there.
fn first<'s, T, K: PartialEq>(a: &'s [T], b: &'s [T], key: impl Fn(&T) -> K) -> Option<[Option<&'s T>; 2]> {
    let at = (0..a.len().max(b.len())).find(|&n| a.get(n).map(&key) != b.get(n).map(&key))?;
    Some([a.get(at), b.get(at)])
}

/// What both amounted to, figure by figure: dangers first, then outages, then damage.
pub fn twins(before: &Verdict, after: &Verdict) -> Vec<Twin> {
    let spans = |title, figure: fn(&Verdict) -> Span| {
        let (was, is) = (figure(before), figure(after));
        Twin {
            title,
            before: length(was),
            after: length(is),
            differs: (was != is).then(|| match is.0.checked_sub(was.0) {
                Some(more) => format!("+ {}", length(Span(more))),
                None => format!("− {}", length(Span(was.0 - is.0))),
            }),
        }
    };
    let counts = |title, figure: fn(&Verdict) -> usize| {
        let (was, is) = (figure(before), figure(after));
        Twin {
            title,
            before: was.to_string(),
            after: is.to_string(),
            differs: (was != is).then(|| match is.checked_sub(was) {
                Some(more) => format!("+ {more}"),
                None => format!("− {}", was - is),
            }),
        }
    };
    vec![
        spans("Two primaries, in all", |verdict| verdict.two_primaries.total),
        spans("Two primaries, at a stretch", |verdict| verdict.two_primaries.longest),
        spans("Two believers, in all", |verdict| {
            let intervals = verdict.believers.intervals.iter();
            intervals.fold(Span::ZERO, |sum, interval| sum + interval.to.since(interval.from))
        }),
        spans("No writable database, in all", |verdict| {
            let outages = verdict.outages.iter();
            outages.fold(Span::ZERO, |sum, outage| sum + outage.to.since(outage.from))
        }),
        spans("No writable database, at a stretch", |verdict| {
            let outages = verdict.outages.iter().map(|outage| outage.to.since(outage.from));
            outages.max().unwrap_or(Span::ZERO)
        }),
        counts("Failovers", |verdict| verdict.failovers.len()),
        counts("Writes acknowledged", |verdict| verdict.writes.acknowledged as usize),
        counts("Of them lost", |verdict| verdict.writes.lost as usize),
        counts("Accepted by a deposed leader", |verdict| {
            verdict.writes.accepted_by_deposed as usize
        }),
        counts("Writes refused", |verdict| verdict.writes.refused as usize),
        counts("Writes without an answer", |verdict| verdict.writes.unknown as usize),
        spans("The store could decide nothing", |verdict| verdict.store.no_quorum),
        counts("Changes of the store’s leader", |verdict| {
            verdict.store.leader_changes as usize
        }),
    ]
}
