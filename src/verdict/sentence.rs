//! The verdict in plain words: of a whole run, and at any instant of it. All its words are here.

use super::{Cause, Failover, KeyLoss, Moment, Outage, Overlap, Record, StoreFigures, Verdict};
use crate::engine::{SimTime, Span};

impl Verdict {
    /// The answer to the one question, whether two primaries coexisted, what it cost, and what the store itself went
    /// through.
    pub fn headline(&self) -> String {
        let lost = lost_in_all(self.writes.lost as usize);
        let store = store_words(self.store).map_or_else(String::new, |words| format!(" {words}"));
        match self.two_primaries.intervals.first() {
            None => format!("No: at every instant at most one database accepted writes. {lost}{store}"),
            Some(first) => format!("{} {lost}{store}", self.yes(first)),
        }
    }

    fn yes(&self, first: &Overlap) -> String {
        let total = length(self.two_primaries.total);
        let when = format!(
            "from {} {} accepted writes",
            between(first.from, first.to),
            all_of(&first.nodes)
        );
        match self.record.overlaps(self.record.end).len() {
            0 | 1 if self.two_primaries.intervals.len() <= 1 => format!("Yes, for {total}: {when}."),
            0 | 1 => format!("Yes, for {total}: first, {when}."),
            times => format!("Yes, {times} times, for {total} together: first, {when}."),
        }
    }

    /// What became of the leadership and of the service.
    pub fn details(&self) -> String {
        let failover = match self.failovers.as_slice() {
            [] => "The leader key stayed where it was.".to_owned(),
            [one] => took_over(one),
            [first, rest @ ..] => format!("{} {}", took_over(first), and_then(rest.len())),
        };
        let outages = match self.writable {
            Span::ZERO => "No database accepted writes at any time.".to_owned(),
            _ => out_of_service(&self.outages),
        };
        let first = self.two_primaries.intervals.first();
        let why = match first.filter(|overlap| overlap.why != Cause::Unknown) {
            Some(overlap) => {
                let deposed = capital(&overlap.deposed);
                format!(" {deposed} was still writable because {}.", overlap.why.words())
            }
            None => String::new(),
        };
        format!("{failover}{why} {outages}")
    }

    /// Headline and details.
    pub fn sentence(&self) -> String {
        format!("{} {}", self.headline(), self.details())
    }

    /// The answer as it stands at `t`: the headline of the whole run at its end.
    pub fn sentence_at(&self, t: SimTime) -> String {
        if t >= self.record.end {
            return self.headline();
        }
        let moment = self.at(t);
        let lost = match moment.lost {
            0 => String::new(),
            lost => format!(" {} acknowledged so far will be lost.", writes(lost)),
        };
        format!("{}{lost}", so_far(&moment, &self.record))
    }
}

fn so_far(moment: &Moment, record: &Record) -> String {
    let total = length(moment.two_primaries_total);
    let now = who_accepts(moment, record);
    match (moment.two_primaries_since, moment.two_primaries_times) {
        (Some(_), 0 | 1) => format!("Yes, now, for {total} so far: {now}."),
        (Some(since), times) => {
            let this = length(moment.at.since(since));
            format!("Yes, now, for {this} so far, {total} in {times} times: {now}.")
        }
        (None, 0) => format!("Not so far: {now}."),
        (None, 1) => format!("Yes, for {total} before. Now {now}."),
        (None, times) => format!("Yes, {times} times before, for {total} together. Now {now}."),
    }
}

fn who_accepts(moment: &Moment, record: &Record) -> String {
    let names = record.names(moment.writable);
    match (names.as_slice(), moment.outage_since) {
        ([], Some(since)) => format!(
            "no database accepts writes, for {} already",
            length(moment.at.since(since))
        ),
        ([], None) => "no database accepts writes yet".to_owned(),
        ([only], _) => format!("only {only} accepts writes"),
        (several, _) => format!("{} accept writes", all_of(several)),
    }
}

fn took_over(failover: &Failover) -> String {
    let Failover { from, to, .. } = failover;
    let why = match (failover.why, failover.key_gone) {
        (KeyLoss::LeaseExpired, Some(at)) => format!("the lease of {from} expired at {}", instant(at)),
        (KeyLoss::Released, Some(at)) => format!("{from} gave its key back at {}", instant(at)),
        _ => format!("the key of {from} was overwritten"),
    };
    let then = match failover.writable {
        Some(at) => format!("{to} took over and accepted writes from {} on", instant(at)),
        None => format!(
            "{to} took the key at {} and did not come to accept writes",
            instant(failover.key_taken)
        ),
    };
    let spurious = if failover.spurious {
        " Nothing but timing had failed: the failover was spurious."
    } else {
        ""
    };
    format!("{}, {then}.{spurious}", capital(&why))
}

fn and_then(more: usize) -> String {
    match more {
        1 => "The leadership moved once more after that.".to_owned(),
        more => format!("The leadership moved {more} times more after that."),
    }
}

fn out_of_service(outages: &[Outage]) -> String {
    let total = outages
        .iter()
        .fold(Span::ZERO, |sum, outage| sum + outage.to.since(outage.from));
    match outages {
        [] => "There was a writable database all the time.".to_owned(),
        [one] => format!(
            "For {}, from {}, no database accepted writes.",
            length(total),
            between(one.from, one.to)
        ),
        several => format!(
            "{} times, for {} together, no database accepted writes.",
            several.len(),
            length(total)
        ),
    }
}

/// Nothing when the store worked all the time under one leader.
fn store_words(store: StoreFigures) -> Option<String> {
    let changes = match store.leader_changes {
        0 => None,
        1 => Some("changed its leader once".to_owned()),
        2 => Some("changed its leader twice".to_owned()),
        more => Some(format!("changed its leader {more} times")),
    };
    let dark = (store.no_quorum > Span::ZERO).then(|| format!("could decide nothing for {}", length(store.no_quorum)));
    let parts: Vec<String> = changes.into_iter().chain(dark).collect();
    (!parts.is_empty()).then(|| format!("The store {}.", parts.join(" and ")))
}

fn lost_in_all(lost: usize) -> String {
    match lost {
        0 => "No acknowledged write is lost.".to_owned(),
        1 => "1 acknowledged write is lost.".to_owned(),
        lost => format!("{lost} acknowledged writes are lost."),
    }
}

fn writes(count: usize) -> String {
    if count == 1 {
        "1 write".to_owned()
    } else {
        format!("{count} writes")
    }
}

/// `node1 and node2 both`, `node1, node2 and node3 all`.
fn all_of(names: &[String]) -> String {
    match names {
        [] => "nobody".to_owned(),
        [one] => one.clone(),
        [one, other] => format!("{one} and {other} both"),
        [first @ .., last] => format!("{} and {last} all", first.join(", ")),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        [first.to_ascii_uppercase()].into_iter().chain(letters).collect()
    })
}

/// A length of time with its unit: `13.3 s`, `40 ms`, `0.4 ms`.
pub fn length(span: Span) -> String {
    match span.as_micros() {
        us if us >= 999_950 => format!("{:.1} s", span.as_secs_f64()),
        us if us >= 1_000 => format!("{:.0} ms", span.as_millis_f64()),
        0 => "0 s".to_owned(),
        us => format!("{us} µs"),
    }
}

fn instant(at: SimTime) -> String {
    format!("{:.1} s", at.as_secs_f64())
}

/// `72.2 s to 85.5 s`, with more decimals when the ends are close.
fn between(from: SimTime, to: SimTime) -> String {
    let decimals = if to.since(from) < Span::from_secs(1) { 3 } else { 1 };
    format!(
        "{:.decimals$} s to {:.decimals$} s",
        from.as_secs_f64(),
        to.as_secs_f64()
    )
}
