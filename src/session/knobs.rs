//! The settings that stand as controls beside the timeline. What a setting means and allows is said in
//! [`FIELDS`](crate::scenario::FIELDS); this adds only how far its slider reaches.

use crate::scenario::{Field, Scenario};

/// A number with a slider and a field. The field takes everything that the scenario does; a slider over that whole range
/// (an hour) could not be aimed, so it covers what people try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knob {
    /// Its key in a scenario.
    pub key: &'static str,
    /// The whole units the slider covers.
    pub slider: (u32, u32),
    /// How far one press of a key moves it.
    pub step: u32,
}

/// Patroni's three timings, and the store's group.
pub const KNOBS: [Knob; 6] = [
    Knob {
        key: "patroni.ttl",
        slider: (5, 120),
        step: 1,
    },
    Knob {
        key: "patroni.loop_wait",
        slider: (1, 60),
        step: 1,
    },
    Knob {
        key: "patroni.retry_timeout",
        slider: (1, 60),
        step: 1,
    },
    Knob {
        key: "store.members",
        slider: (1, 7),
        step: 1,
    },
    Knob {
        key: "store.heartbeat_ms",
        slider: (50, 500),
        step: 50,
    },
    Knob {
        key: "store.election_ms",
        slider: (500, 5_000),
        step: 100,
    },
];

pub const WATCHDOG: &str = "watchdog.mode";
pub const SEED: &str = "seed";

/// The watchdog's modes, in the order of the switch.
pub const WATCHDOG_MODES: [&str; 3] = ["off", "automatic", "required"];

impl Knob {
    /// The description of the setting.
    pub fn field(&self) -> Option<&'static Field> {
        Field::of(self.key)
    }
}

/// A value as the scenario has it, without the quotes of text.
pub fn value(scenario: &Scenario, key: &str) -> String {
    let written = scenario.get(key).unwrap_or_default();
    written.trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slider_lies_within_what_its_setting_allows() {
        for knob in KNOBS {
            let (min, max) = knob.field().and_then(Field::range).unwrap();
            let (from, to) = knob.slider;
            assert!(min <= f64::from(from) && f64::from(to) <= max, "{}", knob.key);
        }
    }

    #[test]
    fn the_watchdog_switch_offers_what_the_scenario_allows() {
        let crate::scenario::FieldKind::Choice(words) = Field::of(WATCHDOG).unwrap().kind else {
            panic!("the watchdog's mode is a choice");
        };
        assert_eq!(words, WATCHDOG_MODES);
    }

    #[test]
    fn values_are_shown_as_written_without_quotes() {
        let scenario = Scenario::default();
        assert_eq!(value(&scenario, "patroni.ttl"), "30");
        assert_eq!(value(&scenario, WATCHDOG), "off");
    }
}
