//! The verdict of a run: what the three truths (belief, store, effect) amounted to, in one object that the page, the
//! command line and the claims share.
//!
//! | file            | what lives there |
//! |-----------------|------------------|
//! | `mod.rs`        | [`Verdict`] and its parts: the JSON object of `leaselab run --json` |
//! | `meter.rs`      | [`Meter`], which computes it while the world runs |
//! | `machines.rs`, `beliefs.rs`, `leader_key.rs`, `write_log.rs` | what the meter keeps: who runs, who believes, the store's key, the writes |
//! | `cause.rs`      | why two databases were writable at once |
//! | `failovers.rs`  | what the databases did when the key changed hands, and why |
//! | `strays.rs`     | what deposed primaries had written, until it was taken back |
//! | `invariants.rs` | what must hold in every run |
//! | `sentence.rs`   | the verdict in words |
//! | `expression/`   | [`Claim`]: the language of claims, tasks and `--expect`; [`Figure`]: its values |
//! | `figures.rs`    | the verdict's numbers over several seeds |
//! | `run.rs`        | [`run`], [`judge`]: a scenario in, a verdict out |
//! | `lease/`        | the verdict of a run about leases, [`run_lease`] |
//! | `sample.rs`     | a verdict that has one of everything |
//! | `record.rs`     | what the verdict is made of, instant by instant, and the view of one instant ([`Moment`]) |

mod beliefs;
mod cause;
mod expression;
mod failovers;
mod figures;
mod invariants;
mod leader_key;
mod lease;
mod ledger;
mod machines;
mod meter;
mod record;
mod rerun;
mod run;
mod sample;
mod sentence;
mod strays;
mod write_log;

pub use crate::vocabulary::NodeSet;
pub use cause::Cause;
pub use expression::{Claim, ClaimError, Figure, FigureKind, Outcome, Quantifier};
pub use figures::{Range, Series, percentile_99};
pub use invariants::Invariant;
pub use lease::{Effects, Granted, Held, Holders, LeaseRun, LeaseVerdict, Owned, run_lease};
pub use meter::Meter;
pub use record::{Change, KeyChange, Moment, NoQuorum, Record, Renewal};
pub use rerun::Rerun;
#[cfg(not(target_arch = "wasm32"))]
pub use run::judge_seeds;
pub use run::{Run, judge, run, with_nth_seed};
pub use sentence::length;
pub use strays::{Stray, StrayEnd};

#[cfg(test)]
mod tests;

use crate::engine::{EventId, SimTime, Span};
use crate::vocabulary::Lsn;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Serialize, Serializer};

/// What happened in one run. Times are milliseconds of simulated time in JSON, with up to three decimals.
#[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct Verdict {
    /// The scenario's title.
    pub scenario: String,
    pub seed: u64,
    /// The version of LeaseLab that ran it.
    pub engine: String,
    /// The identity of the run; nothing when no trace was kept.
    pub trace_hash: Option<String>,
    pub events: u32,
    #[serde(rename = "duration_ms", serialize_with = "span_ms")]
    pub duration: Span,
    pub adjusted: Vec<Adjusted>,
    pub two_primaries: TwoPrimaries,
    pub believers: Believers,
    pub writes: Writes,
    /// The writes of which a client was told that they are committed, and that the final leader does not have, in the order in
    /// which the clients were told.
    pub lost_writes: Vec<LostWrite>,
    /// What deposed primaries had written that no later leader's history knows, until it was taken back.
    pub stray_branches: Vec<Stray>,
    /// What clients did outside after their commits.
    pub outside: Outside,
    /// How long at least one database was writable.
    #[serde(rename = "writable_ms", serialize_with = "span_ms")]
    pub writable: Span,
    /// The times without a writable database, from the moment the first one was writable.
    pub outages: Vec<Outage>,
    pub failovers: Vec<Failover>,
    pub store: StoreFigures,
    pub findings: Vec<InvariantFinding>,
    /// Not part of the JSON: the run instant by instant, for the playhead, the drawing and the tests.
    #[serde(skip)]
    pub record: Record,
}

/// A value that does not run as written, and what it runs with.
#[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct Adjusted {
    /// The field's key, such as `patroni.loop_wait`.
    pub key: String,
    /// In the field's unit; a number in JSON when it is one.
    #[serde(serialize_with = "number_if_it_is_one")]
    pub from: String,
    #[serde(serialize_with = "number_if_it_is_one")]
    pub to: String,
    pub why: String,
}

/// The danger: two or more databases that could commit at the same instant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct TwoPrimaries {
    pub ever: bool,
    #[serde(rename = "total_ms", serialize_with = "span_ms")]
    pub total: Span,
    /// The longest time without interruption, whoever the primaries were.
    #[serde(rename = "longest_ms", serialize_with = "span_ms")]
    pub longest: Span,
    /// One for each set of primaries: when a third one joins, the interval is split there.
    pub intervals: Vec<Overlap>,
}

/// A time during which these databases were all writable: from `from` up to, not including, `to`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct Overlap {
    #[serde(rename = "from_ms", serialize_with = "instant_ms")]
    pub from: SimTime,
    #[serde(rename = "to_ms", serialize_with = "instant_ms")]
    pub to: SimTime,
    /// Their names, in the scenario's order.
    pub nodes: Vec<String>,
    /// The one that should have stopped.
    pub deposed: String,
    /// Why it had not.
    pub why: Cause,
}

/// Who took itself for the leader, by its own clock. Two believers are normal for moments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct Believers {
    pub most_at_once: u32,
    /// The times with two or more believers, split where their set changes.
    pub intervals: Vec<Interval>,
}

/// A time during which a set of nodes was all of something: from `from` up to, not including, `to`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct Interval {
    #[serde(rename = "from_ms", serialize_with = "instant_ms")]
    pub from: SimTime,
    #[serde(rename = "to_ms", serialize_with = "instant_ms")]
    pub to: SimTime,
    /// Their names, in the scenario's order.
    pub nodes: Vec<String>,
}

/// The damage: what clients were told, and what became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct Writes {
    /// The client was told that it is committed.
    pub acknowledged: u32,
    /// Acknowledged, and absent from the final leader's history.
    pub lost: u32,
    /// Refused, or nobody there to send it to: certainly not done.
    pub refused: u32,
    /// Sent, neither acknowledged nor refused.
    pub unknown: u32,
    /// Acknowledged by a node that was not the holder of the newest granted leader key.
    pub accepted_by_deposed: u32,
    /// Turned away by a fenced resource.
    pub rejected_by_fence: u32,
}

/// A client was told "ok" for nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct LostWrite {
    #[serde(rename = "at_ms", serialize_with = "instant_ms")]
    pub at: SimTime,
    /// As the scenario names it: `node1/writer`, `writer2`.
    pub client: String,
    /// The node that said so.
    pub told_by: String,
    /// Where the write ended in that node's log.
    #[serde(serialize_with = "strays::as_printed")]
    pub lsn: Lsn,
    /// At which the client learned it.
    pub event: EventId,
}

/// What the object store and the mail gateway did; nothing in a scenario without `fence.outside`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct Outside {
    /// The object was written.
    pub accepted: u32,
    /// Of these, after a commit of a node that was not the holder of the newest granted leader key when it was written.
    pub accepted_by_deposed: u32,
    /// E-mails that were sent.
    pub mails: u32,
    /// Of these, the same way.
    pub mails_of_deposed: u32,
    /// E-mails that were asked for again, and were not sent again.
    pub mails_repeated: u32,
}

/// A time without a writable database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct Outage {
    #[serde(rename = "from_ms", serialize_with = "instant_ms")]
    pub from: SimTime,
    #[serde(rename = "to_ms", serialize_with = "instant_ms")]
    pub to: SimTime,
}

/// The leader key went from one node to another. What did not happen within the run is null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct Failover {
    pub from: String,
    pub to: String,
    /// The store last renewed the old leader's lease: from here its ttl counts, whenever the fault came.
    #[serde(rename = "renewed_ms", serialize_with = "maybe_ms")]
    pub renewed: Option<SimTime>,
    /// The start of the fault that led to it; `failovers.rs` has the rule.
    #[serde(rename = "fault_ms", serialize_with = "maybe_ms")]
    pub fault: Option<SimTime>,
    /// The old leader's database stopped being writable.
    #[serde(rename = "not_writable_ms", serialize_with = "maybe_ms")]
    pub not_writable: Option<SimTime>,
    /// The store deleted the old leader's key.
    #[serde(rename = "key_gone_ms", serialize_with = "maybe_ms")]
    pub key_gone: Option<SimTime>,
    #[serde(rename = "key_taken_ms", serialize_with = "instant_ms")]
    pub key_taken: SimTime,
    /// The new leader's database was writable, after it had the key.
    #[serde(rename = "writable_ms", serialize_with = "maybe_ms")]
    pub writable: Option<SimTime>,
    pub why: KeyLoss,
    /// The old leader's host, database and clients were healthy; only its agent's or its store's timing failed.
    pub spurious: bool,
}

/// How the old leader came to lose the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
pub enum KeyLoss {
    #[serde(rename = "lease expired")]
    LeaseExpired,
    /// The holder gave its lease or its key back.
    #[serde(rename = "released")]
    Released,
    /// Another node's write replaced it while it was held. No correct protocol does that.
    #[serde(rename = "overwritten")]
    Overwritten,
}

impl KeyLoss {
    pub fn words(self) -> &'static str {
        match self {
            KeyLoss::LeaseExpired => "lease expired",
            KeyLoss::Released => "released",
            KeyLoss::Overwritten => "overwritten",
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct StoreFigures {
    /// Changes of the store's own leader; always 0 with one member.
    pub leader_changes: u32,
    /// How long the store could decide nothing: too few members ran, or none of them led. A member that its disk holds up
    /// takes part in nothing.
    #[serde(rename = "no_quorum_ms", serialize_with = "span_ms")]
    pub no_quorum: Span,
    /// How many times the store renewed the lease of the leader key.
    pub renewals: u32,
    /// The longest time from one of these renewals to the next.
    #[serde(rename = "longest_renewal_gap_ms", serialize_with = "span_ms")]
    pub longest_renewal_gap: Span,
}

/// Whether a named invariant held, and where it first did not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct InvariantFinding {
    pub invariant: String,
    pub holds: bool,
    #[serde(rename = "first_ms", serialize_with = "maybe_ms")]
    pub first: Option<SimTime>,
    /// The event at which it first failed.
    pub event: Option<EventId>,
    /// What exactly was broken, where the invariant's name does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl Verdict {
    /// The finding of a named invariant.
    pub fn finding(&self, invariant: &str) -> Option<&InvariantFinding> {
        self.findings.iter().find(|finding| finding.invariant == invariant)
    }
    /// The object of `leaselab run --json`.
    pub fn to_json(&self) -> serde_json::Value {
        // A verdict holds only texts, numbers and lists; nothing in it can refuse.
        serde_json::to_value(self).unwrap_or_default()
    }
    /// The run as it stands at `t`.
    pub fn at(&self, t: SimTime) -> Moment {
        self.record.at(t)
    }
}

fn ms<S: Serializer>(us: u64, to: S) -> Result<S::Ok, S::Error> {
    if us.is_multiple_of(1_000) {
        to.serialize_u64(us / 1_000)
    } else {
        to.serialize_f64(us as f64 / 1_000.0)
    }
}
fn span_ms<S: Serializer>(span: &Span, to: S) -> Result<S::Ok, S::Error> {
    ms(span.0, to)
}
fn instant_ms<S: Serializer>(at: &SimTime, to: S) -> Result<S::Ok, S::Error> {
    ms(at.0, to)
}
fn maybe_ms<S: Serializer>(at: &Option<SimTime>, to: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => ms(at.0, to),
        None => to.serialize_none(),
    }
}
fn number_if_it_is_one<S: Serializer>(text: &str, to: S) -> Result<S::Ok, S::Error> {
    match (text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(whole), _) => to.serialize_i64(whole),
        (_, Ok(number)) if number.is_finite() => to.serialize_f64(number),
        _ => to.serialize_str(text),
    }
}
