//! Streams of heartbeats as they arrive, and what detectors make of them: false alarms an hour against the time to detect a
//! crash (protocols.md 17, 19.2).

use super::detector::{Detector, Rule};
use crate::engine::{Draw, Draws, MonoTime, Span};
use crate::sorting;

/// Heartbeats of a process that lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heartbeats {
    pub every: Span,
    /// Each is earlier or later by at most so much.
    pub jitter: Span,
    /// The sender stands still for so long, and what it had to send meanwhile it sends never: none.
    pub stall: Option<Stall>,
    pub lasts: Span,
}

/// The sender stands still, again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// From one to the next; the first begins after this.
    pub every: Span,
    /// From the last heartbeat before it to the first after it.
    pub gap: Span,
}

const JITTER: Draw = Draw(0);

impl Heartbeats {
    /// When they arrive, in order. The same seed gives the same stream.
    pub fn arrive(&self, seed: u64) -> Vec<MonoTime> {
        let mut draws = Draws::new(seed, 0);
        let (every, jitter) = (self.every.0.max(1), self.jitter.0);
        let mut arrivals = Vec::new();
        let mut at = 0;
        let mut next_stall = self.stall.map(|stall| stall.every.0);
        while at <= self.lasts.0 {
            let late = draws.below(JITTER, 2 * jitter + 1);
            arrivals.push(MonoTime((at + late).saturating_sub(jitter)));
            at += every;
            if let (Some(stall), Some(begins)) = (self.stall, next_stall)
                && at > begins
            {
                at = at - every + stall.gap.0.max(every);
                next_stall = Some(begins + stall.every.0);
            }
        }
        sorting::by_key(&mut arrivals, |arrival| *arrival);
        arrivals
    }
}

/// What a detector is worth on a stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    pub rule: Rule,
    /// Suspicions of a process that lived.
    pub false_alarms: u32,
    pub false_alarms_per_hour: f64,
    /// From the last heartbeat to the suspicion, when the sender dies at the end of the stream.
    pub detection: Option<Span>,
}

/// Feeds a stream to a detector. A false alarm is a gap within which it came to suspect, however long it then did.
pub fn worth(rule: Rule, arrivals: &[MonoTime]) -> Worth {
    let mut detector = Detector::new(rule);
    let mut false_alarms = 0;
    for &arrival in arrivals {
        false_alarms += u32::from(detector.suspects(arrival));
        detector.heartbeat(arrival);
    }
    let (first, last) = (arrivals.first().copied(), arrivals.last().copied());
    let hours = first
        .zip(last)
        .map_or(0.0, |(first, last)| last.since(first).as_secs_f64() / 3_600.0);
    let detection = detector.suspects_from().zip(last).map(|(at, last)| at.since(last));
    Worth {
        rule,
        false_alarms,
        false_alarms_per_hour: if hours > 0.0 {
            f64::from(false_alarms) / hours
        } else {
            0.0
        },
        detection,
    }
}

/// The same for several rules: the points of a chart of false alarms against detection time.
pub fn sweep(rules: impl IntoIterator<Item = Rule>, arrivals: &[MonoTime]) -> Vec<Worth> {
    rules.into_iter().map(|rule| worth(rule, arrivals)).collect()
}
