//! The invariants every run is held against, as named values.

use super::InvariantFinding;
use crate::engine::{EventId, Finding, SimTime};
use std::collections::BTreeMap;

/// What must hold at every instant of every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invariant {
    /// Effect: at most one database could commit.
    OneWritablePrimary,
    /// Store: the leader key goes to a node only when no other has it, and every revision gives it to one node.
    OneLeaderKeyHolder,
    /// Effect: what a client was told is committed is in the final leader's history.
    NoAcknowledgedWriteLost,
    /// Effect against store: whoever could commit held the leader key.
    WritableImpliesLease,
    /// The engine kept its own rules; a failure is a bug of LeaseLab.
    EngineRules,
}

impl Invariant {
    pub const ALL: [Invariant; 5] = [
        Invariant::OneWritablePrimary,
        Invariant::OneLeaderKeyHolder,
        Invariant::NoAcknowledgedWriteLost,
        Invariant::WritableImpliesLease,
        Invariant::EngineRules,
    ];

    /// As findings and claims name it.
    pub const fn name(self) -> &'static str {
        match self {
            Invariant::OneWritablePrimary => "one writable primary",
            Invariant::OneLeaderKeyHolder => "one leader key holder per revision",
            Invariant::NoAcknowledgedWriteLost => "no acknowledged write lost",
            Invariant::WritableImpliesLease => "writable implies lease valid",
            Invariant::EngineRules => "engine rules",
        }
    }
}

/// When an invariant first failed, and at which event.
pub(super) type Broken = (SimTime, Option<EventId>);

/// Where each invariant first failed.
#[derive(Clone, Debug, Default)]
pub(super) struct Watched {
    failed: BTreeMap<&'static str, Broken>,
}

impl Watched {
    /// Only the first failure is kept.
    pub fn fails(&mut self, invariant: Invariant, at: SimTime, event: Option<EventId>) {
        self.failed.entry(invariant.name()).or_insert((at, event));
    }

    pub fn findings(&self, engine: &[Finding]) -> Vec<InvariantFinding> {
        let own = Invariant::ALL.map(Invariant::name);
        let without_engine = own.into_iter().filter(|name| *name != Invariant::EngineRules.name());
        findings(without_engine, &self.failed, engine)
    }
}

/// What became of these invariants, and of the engine's own rules, which are the last.
pub(super) fn findings(
    names: impl IntoIterator<Item = &'static str>,
    failed: &BTreeMap<&'static str, Broken>,
    engine: &[Finding],
) -> Vec<InvariantFinding> {
    let finding = |name: &'static str| {
        let broken = engine.first().filter(|_| name == Invariant::EngineRules.name());
        let failed = broken.map(|f| (f.at, None)).or(failed.get(name).copied());
        InvariantFinding {
            invariant: name.to_owned(),
            holds: failed.is_none(),
            first: failed.map(|(at, _)| at),
            event: failed.and_then(|(_, event)| event),
            detail: broken.map(|f| f.text.clone()),
        }
    };
    names
        .into_iter()
        .chain([Invariant::EngineRules.name()])
        .map(finding)
        .collect()
}
