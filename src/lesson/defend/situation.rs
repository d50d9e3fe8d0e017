//! The situations that the room can describe, from `lessons/interview/situations/`.

use crate::clocks::Span;
use serde::{Deserialize, Deserializer};
use std::sync::OnceLock;

/// A place to run a cluster in, and what was promised there.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Situation {
    /// Its file without ending: `noisy-cloud`.
    #[serde(skip)]
    pub name: &'static str,
    pub title: String,
    /// What the room says about it.
    pub tells: String,
    /// For how long an agent stands still, when one does.
    #[serde(rename = "agent_pause_ms")]
    pub agent_pause: Stillness,
    /// For how long the whole store does.
    #[serde(rename = "store_stall_ms")]
    pub store_stall: Stillness,
    /// How much longer a packet takes on the way to the store, one way, in bad minutes.
    #[serde(rename = "slow_way_ms")]
    pub slow_way: Stillness,
    /// How long the way between the leader and the store is gone, every ten seconds, when it flaps.
    #[serde(rename = "flap_ms", deserialize_with = "ms")]
    pub flap: Span,
    /// How long nobody may be able to write after a crash, in 99 of 100 cases.
    #[serde(rename = "outage_ms_max", deserialize_with = "ms")]
    pub outage_max: Span,
    /// How many acknowledged writes a run may lose.
    pub lost_writes_max: u32,
    /// Whether writes must go on while the whole store is away for a minute.
    pub without_store: bool,
    /// The machines and the network, as a scenario file has them.
    pub scenario: String,
}

/// How long something lasts that happens now and then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stillness {
    /// 99 of 100 are no longer. It is everyday: nobody may notice.
    #[serde(deserialize_with = "ms")]
    pub p99: Span,
    /// The longest that was ever seen. It is rare: it may cost a failover, and nothing worse.
    #[serde(deserialize_with = "ms")]
    pub longest: Span,
}

fn ms<'de, D: Deserializer<'de>>(from: D) -> Result<Span, D::Error> {
    u64::deserialize(from).map(Span::from_millis)
}

const FILES: [(&str, &str); 5] = [
    (
        "one-data-centre",
        include_str!("../../../lessons/interview/situations/one-data-centre.toml"),
    ),
    (
        "two-regions",
        include_str!("../../../lessons/interview/situations/two-regions.toml"),
    ),
    (
        "noisy-cloud",
        include_str!("../../../lessons/interview/situations/noisy-cloud.toml"),
    ),
    (
        "slow-disk-under-the-store",
        include_str!("../../../lessons/interview/situations/slow-disk-under-the-store.toml"),
    ),
    (
        "flaky-switch",
        include_str!("../../../lessons/interview/situations/flaky-switch.toml"),
    ),
];

impl Situation {
    /// All of them, in the order in which they are best met. The files are part of the program and a test reads them all, so
    /// none is ever left out.
    pub fn all() -> &'static [Situation] {
        static ALL: OnceLock<Vec<Situation>> = OnceLock::new();
        ALL.get_or_init(|| {
            let read = |&(name, text): &(&'static str, &str)| {
                let situation = toml::from_str::<Situation>(text).ok()?;
                Some(Situation { name, ..situation })
            };
            FILES.iter().filter_map(read).collect()
        })
    }

    pub fn of(name: &str) -> Option<&'static Situation> {
        Situation::all().iter().find(|situation| situation.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_situation_can_be_read_and_its_longest_is_longer_than_its_everyday() {
        for (name, text) in FILES {
            toml::from_str::<Situation>(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        assert_eq!(Situation::all().len(), FILES.len());
        for situation in Situation::all() {
            for still in [situation.agent_pause, situation.store_stall, situation.slow_way] {
                assert!(still.p99 < still.longest, "{}", situation.name);
            }
        }
    }
}
