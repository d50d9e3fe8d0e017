//! What a person can break by hand: whom, how, from when on and for how long. The panel shows the [`Draft`]; striking adds
//! it to the scenario's faults, with the scenario's own checks.

use super::ways::{Sort, WAYS, Way};
use super::{Effect, Refused, Session};
use crate::scenario::decimal::Decimal;
use crate::scenario::{Placement, Scenario, ScenarioError};
use std::rc::Rc;

/// The key of [`Refused`] for a strike that cannot be.
pub const STRIKE: &str = "strike";

/// What the panel's fields hold. What does not exist (any more) counts as the first there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// A target as the scenario writes it, such as `etcd2/disk`.
    pub target: String,
    /// The name of a way of striking.
    pub way: String,
    /// How much slower, how much loss, how far; as typed.
    pub amount: String,
    /// In seconds, as typed; empty: at the playhead.
    pub at: String,
    /// In seconds, as typed; empty: to the end of the run.
    pub lasts: String,
}

/// A field of the panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftField {
    Target,
    Way,
    Amount,
    At,
    Lasts,
}

/// Something that can be struck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aim {
    /// The host that it belongs to: a heading of the list.
    pub host: String,
    /// As the scenario writes it.
    pub target: String,
    pub words: String,
    pub(super) sort: Sort,
}

impl Aim {
    /// The ways to strike it.
    pub fn ways(&self) -> impl Iterator<Item = &'static Way> + use<> {
        let sort = self.sort;
        WAYS.iter().filter(move |way| way.suits(sort))
    }
}

/// Everything in a scenario that can be struck, host by host.
pub fn aims(scenario: &Scenario) -> Vec<Aim> {
    let names = scenario.names();
    let mut aims = Vec::new();
    let mut add = |host: &str, target: String, words: String, sort: Sort| {
        aims.push(Aim {
            host: host.to_owned(),
            target,
            words,
            sort,
        });
    };
    let members: Vec<String> = (0..usize::from(scenario.store.members))
        .map(|m| names.host(names.host_of_member(m)))
        .collect();
    for node in &scenario.cluster.nodes {
        add(node, format!("{node}/agent"), format!("{node}’s agent"), Sort::Agent);
        add(
            node,
            format!("{node}/postgres"),
            format!("{node}’s database"),
            Sort::Database,
        );
        add(node, node.clone(), format!("{node}’s whole machine"), Sort::Node);
        add(node, format!("{node}/disk"), format!("{node}’s disk"), Sort::Disk);
        let store: Vec<&str> = members
            .iter()
            .filter(|member| *member != node)
            .map(String::as_str)
            .collect();
        if !store.is_empty() {
            let target = format!("{node} <-> [{}]", store.join(", "));
            add(node, target, format!("{node}’s link to the store"), Sort::StoreLinks);
        }
        add(
            node,
            format!("{node} <-> *"),
            format!("{node}’s link to everything"),
            Sort::AllLinks,
        );
    }
    for m in 0..usize::from(scenario.store.members) {
        let member = format!("etcd{}", m + 1);
        if scenario.store.placement == Placement::Nodes {
            add(
                &member,
                member.clone(),
                format!("{member}, on {}", names.host(names.host_of_member(m))),
                Sort::Member,
            );
            continue;
        }
        add(
            &member,
            member.clone(),
            format!("{member}, the whole machine"),
            Sort::MemberHost,
        );
        add(
            &member,
            format!("{member}/disk"),
            format!("{member}’s disk"),
            Sort::Disk,
        );
        let others: Vec<&str> = members
            .iter()
            .filter(|other| **other != member)
            .map(String::as_str)
            .collect();
        if !others.is_empty() {
            let target = format!("{member} <-> [{}]", others.join(", "));
            add(
                &member,
                target,
                format!("{member}’s link to the other members"),
                Sort::StoreLinks,
            );
        }
        add(
            &member,
            format!("{member} <-> *"),
            format!("{member}’s link to everything"),
            Sort::AllLinks,
        );
    }
    aims
}

/// What a draft means in a scenario: of what does not exist, the first there is. None in a scenario without hosts.
pub fn chosen(draft: &Draft, scenario: &Scenario) -> Option<(Aim, &'static Way)> {
    let mut aims = aims(scenario);
    let aim = aims.iter().position(|aim| aim.target == draft.target).unwrap_or(0);
    let aim = (aim < aims.len()).then(|| aims.swap_remove(aim))?;
    let way = aim
        .ways()
        .find(|way| way.name == draft.way)
        .or_else(|| aim.ways().next())?;
    Some((aim, way))
}

impl Session {
    pub(super) fn draft(&mut self, field: DraftField, value: String) -> Vec<Effect> {
        let draft = &mut self.draft;
        match field {
            DraftField::Target => draft.target = value,
            DraftField::Way => (draft.way, draft.amount) = (value, String::new()),
            DraftField::Amount => draft.amount = value,
            DraftField::At => draft.at = value,
            DraftField::Lasts => draft.lasts = value,
        }
        Vec::new()
    }

    /// When a strike begins: what was typed, else the playhead, in seconds.
    pub fn strikes_at(&self) -> String {
        let playhead = Decimal::millionths(i128::from(self.playhead.0));
        Some(self.draft.at.trim())
            .filter(|at| !at.is_empty())
            .map_or_else(|| playhead.to_string(), str::to_owned)
    }

    /// Adds what the draft says to the faults, and runs again.
    pub(super) fn strike(&mut self) -> Vec<Effect> {
        self.refused = None;
        let Some((aim, way)) = chosen(&self.draft, &self.scenario) else {
            return Vec::new();
        };
        let (at, lasts) = (self.strikes_at(), self.draft.lasts.clone());
        let amount = self.draft.amount.clone();
        let effects = self.add_fault(&aim, way, &at, &lasts, &amount);
        if self.refused.is_none() {
            // The next one begins where the playhead then is.
            self.draft.at.clear();
        }
        effects
    }

    /// A fault cannot be so. `typed`: what was typed; without it, what the error names.
    pub(super) fn refuse_fault(&mut self, typed: Option<&str>, errors: &[ScenarioError]) -> Vec<Effect> {
        let named = || errors.first().map(|error| error.value.clone()).unwrap_or_default();
        self.refused = Refused::new(STRIKE, typed.map_or_else(named, str::to_owned), errors);
        Vec::new()
    }

    /// Adds a fault and runs again: from `at` on, for so many seconds, by so much; what is empty is as usual.
    pub(super) fn add_fault(&mut self, aim: &Aim, way: &Way, at: &str, lasts: &str, amount: &str) -> Vec<Effect> {
        let (lasts, amount) = (lasts.trim(), amount.trim());
        let mut fields = vec![("at_s", at), ("kind", way.kind), ("target", aim.target.as_str())];
        if way.ends() && !lasts.is_empty() {
            fields.push(("for_s", lasts));
        }
        fields.extend(way.set);
        if let Some((key, usual)) = way.amount {
            fields.push((key, if amount.is_empty() { usual } else { amount }));
        }
        self.refused = None;
        match Rc::make_mut(&mut self.scenario).add_fault(&fields) {
            Ok(()) => {
                // Its numbers are what one wants to change next.
                self.chosen_fault = self.scenario.faults.len().checked_sub(1);
                self.simulate()
            }
            Err(errors) => self.refuse_fault(None, &errors),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::FAULTS;
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_of_fault_can_be_struck_by_hand_and_every_way_is_a_kind_of_fault() {
        for spec in FAULTS {
            // A name to take would be one field more than the panel has.
            let by_hand = spec.kind != "same_name";
            assert_eq!(WAYS.iter().any(|way| way.kind == spec.kind), by_hand, "{}", spec.kind);
        }
        let names: BTreeSet<_> = WAYS.iter().map(|way| way.name).collect();
        assert_eq!(names.len(), WAYS.len());
        for way in &WAYS {
            assert!(FAULTS.iter().any(|spec| spec.kind == way.kind), "{}", way.name);
            assert_eq!(way.amount.is_some(), way.amount().is_some(), "{}", way.name);
        }
    }

    #[test]
    fn every_way_offered_for_a_target_is_a_fault_that_the_scenario_takes() {
        for more in ["store.members = 1", "store.members = 5", "store.placement = \"nodes\""] {
            let scenario = Scenario::parse(&format!("{more}\n"), "test").unwrap();
            for aim in aims(&scenario) {
                assert!(aim.ways().next().is_some(), "{aim:?}");
                for way in aim.ways() {
                    let mut fields = vec![("at_s", "1"), ("kind", way.kind), ("target", aim.target.as_str())];
                    fields.extend(way.set.into_iter().chain(way.amount));
                    let added = scenario.clone().add_fault(&fields);
                    assert_eq!(added, Ok(()), "{more}: {} {}", way.words, aim.words);
                }
            }
        }
    }

    #[test]
    fn only_what_makes_sense_is_offered() {
        let scenario = Scenario::default();
        let ways = |target: &str| {
            let all = aims(&scenario);
            let aim = all.iter().find(|aim| aim.target == target).expect("a target");
            aim.ways().map(|way| way.name).collect::<Vec<_>>()
        };
        assert_eq!(ways("etcd2/disk"), ["stall", "slow"]);
        assert_eq!(
            ways("node1/agent"),
            ["kill", "stop", "pause", "block", "watcher", "nosync", "nofailover"]
        );
        let database = ["kill", "stop", "pause", "restart", "sql", "stuck", "standby"];
        assert_eq!(ways("node1/postgres"), database);
        assert_eq!(ways("node1")[6..], ["switchover", "failover", "maintenance", "ttl"]);
        assert_eq!(ways("etcd1").last(), Some(&"key"));
        assert_eq!(ways("node1 <-> *")[0], "silent");
        assert!(ways("etcd1").contains(&"power") && !ways("etcd1").contains(&"kill"));
    }
}
