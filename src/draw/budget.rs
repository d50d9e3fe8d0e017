//! The budget of one lease: where the time from a renewal to the expiry goes when the leader loses the store, and beside
//! that arithmetic what really happened in a run.
//!
//! ```text
//! renewal ──loop_wait──┬──retry_timeout──┬──retry_timeout──┬─stop─┬──slack──┐ ttl
//!   the next round     the renewal is    the list of the    the    nothing   the key
//!   begins             tried so long     store's members    database is left  is gone
//!                                        is asked for       stops
//! ```
//!
//! Source: `specs/patroni.md` 3.6 (measured: with a store that takes connections and never answers the stop begins after
//! loop_wait + 2 retry_timeout), 6 (watchdog), 7 (failsafe). Patroni's own rule counts without the stop.

use super::{Story, story};
use crate::costs::{agent, postgres};
use crate::engine::{SimTime, Span, shared};
use crate::scenario::timing::{Timing, adjust_timing};
use crate::scenario::{Adjustment, Patroni, Scenario, TimingRules};
use crate::verdict::length;

/// What a part of the time is spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// The agent waits for its next round.
    LoopWait,
    /// The renewal is tried for all of retry_timeout.
    Renewal,
    /// The list of the store's members is asked for, for as long again.
    Reload,
    /// With failsafe_mode: all members are asked whether the leader may go on.
    Failsafe,
    /// The database is stopped.
    Stop,
    /// Nothing: what is left until the key is gone.
    Slack,
}

/// One part of the bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    pub spent: Spent,
    /// Since the renewal.
    pub from: Span,
    pub until: Span,
}

/// The arithmetic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    pub ttl: Span,
    /// Back to back from the renewal on; the last one may end after `ttl`.
    pub segments: Vec<Segment>,
    /// When the watchdog resets the host, counted from its last ping, which comes shortly after the renewal.
    pub watchdog: Option<Span>,
    /// When the old leader's database has stopped.
    pub stopped: Span,
    /// The same in a round that refreshes the list of the store's members first.
    pub stopped_late: Span,
    /// One round of so many does.
    pub refresh_every: u64,
    /// What Patroni changes, or would change, of the timings as they were written.
    pub adjusted: Vec<Adjustment>,
    /// They run as written all the same.
    pub as_written: bool,
}

/// Asking the other members in failsafe_mode: two tries of 2 s when they are silent.
const FAILSAFE: Span = Span::from_secs(4);
/// The list of the store's members is refreshed when it is so many times ttl old.
const REFRESH_TTLS: u64 = 10;

impl Spent {
    /// Short, for the bar itself.
    pub const fn word(self) -> &'static str {
        match self {
            Spent::LoopWait => "wait",
            Spent::Renewal => "renew",
            Spent::Reload => "reload",
            Spent::Failsafe => "ask",
            Spent::Stop => "stop",
            Spent::Slack => "slack",
        }
    }

    /// The setting it comes from, and what happens meanwhile.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Spent::LoopWait => ("loop_wait", "until the leader’s next round begins"),
            Spent::Renewal => ("retry_timeout", "the renewal is tried so long, in vain"),
            Spent::Reload => (
                "retry_timeout",
                "and as long once more for the list of the store’s members",
            ),
            Spent::Failsafe => ("failsafe_mode", "every member is asked twice, if they are silent"),
            Spent::Stop => ("stop", "the database is told to stop and stops"),
            Spent::Slack => ("slack", "nothing happens until the key is gone"),
        }
    }
}

impl Budget {
    /// Of the settings in effect, after Patroni's own adjustment.
    pub fn of(scenario: &Scenario) -> Budget {
        let Patroni {
            ttl,
            loop_wait,
            retry_timeout,
            failsafe_mode,
            timing_rules,
            ..
        } = scenario.patroni;
        let stop = shared(agent::DEMOTE_PREPARE.max, scenario.machine.pressure_ppm) + postgres::FAST_STOP.max;
        let failsafe = if failsafe_mode { FAILSAFE } else { Span::ZERO };
        let mut segments = Vec::new();
        let mut at = Span::ZERO;
        for (spent, lasts) in [
            (Spent::LoopWait, loop_wait),
            (Spent::Renewal, retry_timeout),
            (Spent::Reload, retry_timeout),
            (Spent::Failsafe, failsafe),
            (Spent::Stop, stop),
        ] {
            let from = at;
            at += lasts;
            if lasts > Span::ZERO {
                segments.push(Segment { spent, from, until: at });
            }
        }
        let stopped = at;
        if stopped < ttl {
            segments.push(Segment {
                spent: Spent::Slack,
                from: stopped,
                until: ttl,
            });
        }
        Budget {
            ttl,
            segments,
            watchdog: scenario.watchdog.timeout(ttl, loop_wait),
            stopped,
            stopped_late: stopped + retry_timeout,
            adjusted: match timing_rules {
                TimingRules::V4_1 => scenario.adjusted.clone(),
                TimingRules::None => {
                    let written = Timing {
                        ttl,
                        loop_wait,
                        retry_timeout,
                    };
                    adjust_timing(written).1
                }
            },
            as_written: timing_rules == TimingRules::None,
            refresh_every: (ttl.as_micros() * REFRESH_TTLS / loop_wait.as_micros().max(1)).max(1),
        }
    }

    /// How much longer than the lease the leader may take to stop; none when it is always in time.
    pub fn over(&self) -> Option<Span> {
        (self.stopped > self.ttl).then(|| self.stopped.saturating_sub(self.ttl))
    }

    /// The whole length of the bar.
    pub fn length(&self) -> Span {
        self.stopped.max(self.ttl)
    }

    /// The sum, in one sentence.
    pub fn sum(&self) -> String {
        let parts = self.segments.iter().filter(|segment| segment.spent != Spent::Slack);
        let parts = parts.map(|segment| {
            let lasts = segment.until.saturating_sub(segment.from);
            format!("{} {}", segment.spent.words().0, seconds(lasts))
        });
        let rest = match self.over() {
            Some(over) => format!("{} too long", length(over)),
            None if self.stopped == self.ttl => "no slack".to_owned(),
            None => format!("{} slack", length(self.ttl.saturating_sub(self.stopped))),
        };
        let parts: Vec<String> = parts.collect();
        format!(
            "{} = {} of {} s: {rest}.",
            parts.join(" + "),
            seconds(self.stopped),
            seconds(self.ttl)
        )
    }

    fn adjustment(&self, adjusted: &Adjustment) -> String {
        let name = adjusted.key.rsplit('.').next().unwrap_or(&adjusted.key);
        let (does, here) = if self.as_written {
            ("would run", " Here it runs as written.")
        } else {
            ("runs", "")
        };
        let Adjustment { from, to, why, .. } = adjusted;
        format!("Patroni {does} with {name} {to} s instead of {from} s: {why}.{here}")
    }

    /// What else there is to know, each in a sentence or two.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.adjusted.iter().map(|adjusted| self.adjustment(adjusted)).collect();
        match self.watchdog {
            Some(fires) if fires < self.stopped => notes.push(format!(
                "The watchdog resets the host {} after the last ping, before a slow stop is through.",
                length(fires)
            )),
            Some(fires) => notes.push(format!(
                "The watchdog resets the host {} after the last ping, if the agent itself hangs.",
                length(fires)
            )),
            None => {
                notes.push("No watchdog: a leader whose agent hangs or dies is not stopped by anything.".to_owned())
            }
        }
        let late = if self.stopped_late > self.ttl {
            format!(
                "{} after the key is gone",
                length(self.stopped_late.saturating_sub(self.ttl))
            )
        } else {
            "still in time".to_owned()
        };
        notes.push(format!(
            "One round of {} refreshes the list of the store’s members first. If the store falls silent just then, that is \
             a third retry_timeout: stopped after {}, {late}.",
            self.refresh_every,
            length(self.stopped_late)
        ));
        notes
    }
}

/// What really happened in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// The longest time from one renewal of a lease to its next, and when that began.
    pub renewal: Option<(Span, SimTime)>,
    /// Of all leases that were not renewed: the longest time from the last renewal until the holder’s database accepted no
    /// more writes.
    pub stop: Option<Stop>,
}

/// How long a database accepted writes after the last renewal of its lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    pub node: String,
    pub renewed: SimTime,
    pub lasted: Span,
    pub how: Ended,
}

/// How the time came to its end in which a database accepted writes without a renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It accepted no more.
    Stopped,
    /// Its node held the key again.
    HeldAgain,
    /// Not at all before the end of the run.
    GoesOn,
}

impl Measured {
    pub fn of(story: &Story) -> Measured {
        let fuses = &story.store.fuses;
        let renewals = fuses.windows(2).filter(|pair| {
            pair[0].end == story::FuseEnd::Renewed && pair[0].lease == pair[1].lease && pair[0].lit < pair[1].lit
        });
        let renewal = renewals.map(|pair| (pair[1].lit.since(pair[0].lit), pair[0].lit));
        let expired = fuses
            .iter()
            .enumerate()
            .filter(|(_, fuse)| fuse.end == story::FuseEnd::Expired);
        let stop = expired.filter_map(|(index, fuse)| {
            let lane = story.nodes.get(fuse.holder.index())?;
            let mut stretches = lane.database.iter().filter(|stretch| stretch.is.writable());
            let last = stretches.rfind(|stretch| stretch.from <= fuse.lit)?;
            // Perhaps it takes the key again before anybody else does.
            let again = fuses[index + 1..]
                .iter()
                .find(|next| next.holder == fuse.holder)
                .map(|next| next.from);
            let until = again.map_or(last.until, |again| again.min(last.until));
            (until > fuse.lit).then(|| Stop {
                node: lane.name.clone(),
                renewed: fuse.lit,
                lasted: until.since(fuse.lit),
                how: match again {
                    Some(again) if again <= last.until => Ended::HeldAgain,
                    _ if until >= story.end() => Ended::GoesOn,
                    _ => Ended::Stopped,
                },
            })
        });
        Measured {
            renewal: renewal.max_by_key(|(gap, at)| (*gap, std::cmp::Reverse(*at))),
            stop: stop.max_by_key(|stop| stop.lasted),
        }
    }

    /// Beside the arithmetic: the worst of this run, each in a sentence.
    pub fn words(&self, ttl: Span) -> Vec<String> {
        let mut words = Vec::new();
        match self.renewal {
            Some((gap, at)) => words.push(format!(
                "The longest time from one renewal to the next was {}, from {} on: {} of the lease was left.",
                length(gap),
                instant(at),
                length(ttl.saturating_sub(gap))
            )),
            None => words.push("No lease was renewed.".to_owned()),
        }
        if let Some(stop) = &self.stop {
            let until = match stop.how {
                Ended::Stopped => "",
                Ended::HeldAgain => ", until it held the key again",
                Ended::GoesOn => ", to the end of the run",
            };
            let against = if stop.lasted > ttl {
                format!("{} longer than the lease", length(stop.lasted.saturating_sub(ttl)))
            } else {
                format!("{} less than the lease", length(ttl.saturating_sub(stop.lasted)))
            };
            words.push(format!(
                "After its last renewal at {} {}’s database accepted writes for {}{until}: {against}.",
                instant(stop.renewed),
                stop.node,
                length(stop.lasted)
            ));
        }
        words
    }
}

/// Without a unit and without needless decimals: `10`, `0.5`.
fn seconds(span: Span) -> String {
    let tenths = (span.as_micros() + 50_000) / 100_000;
    match tenths % 10 {
        0 => (tenths / 10).to_string(),
        rest => format!("{}.{rest}", tenths / 10),
    }
}

fn instant(at: SimTime) -> String {
    format!("{:.1} s", at.as_secs_f64())
}
