//! The choice that would have stood: settings near one's own, the nearest first, each attacked until one attack wins.

use super::Settings;

/// Values to try, besides one's own.
const TTLS: [u64; 7] = [20, 25, 30, 40, 45, 60, 90];

/// The settings that are tried instead of these: those that differ in the fewest places first, and among them those with the
/// nearest ttl. Everything that is not tried stays as it is. Each obeys `loop_wait + 2 retry_timeout <= ttl`.
pub fn choices(mine: &Settings) -> Vec<Settings> {
    let ttl_before = value(mine, "patroni.ttl")
        .and_then(|ttl| ttl.parse().ok())
        .unwrap_or(30);
    let mut timings = vec![None];
    for ttl in TTLS {
        for (loop_wait, retry_timeout) in [(ttl / 3, ttl / 3), (ttl / 4, ttl / 4), (ttl / 6, ttl * 2 / 5)] {
            timings.push(Some((ttl, loop_wait, retry_timeout)));
        }
    }
    let mut all: Vec<(u64, u64, Settings)> = Vec::new();
    for timing in timings {
        for watchdog in [None, Some("required"), Some("off")] {
            for failsafe in [None, Some("true"), Some("false")] {
                for synchronous in [None, Some("on")] {
                    let mut settings = mine.clone();
                    let mut differs = 0;
                    let mut change = |key: &str, is: Option<String>| {
                        if let Some(is) = is {
                            differs += u64::from(set(&mut settings, key, is));
                        }
                    };
                    change("watchdog.mode", watchdog.map(str::to_owned));
                    change("patroni.failsafe_mode", failsafe.map(str::to_owned));
                    change("patroni.synchronous_mode", synchronous.map(str::to_owned));
                    let mut away = 0;
                    if let Some((ttl, loop_wait, retry_timeout)) = timing {
                        // The three belong together: they are one decision.
                        differs += 1;
                        away = ttl.abs_diff(ttl_before);
                        for (key, is) in [
                            ("patroni.ttl", ttl),
                            ("patroni.loop_wait", loop_wait),
                            ("patroni.retry_timeout", retry_timeout),
                        ] {
                            set(&mut settings, key, is.to_string());
                        }
                    }
                    all.push((differs, away, settings));
                }
            }
        }
    }
    crate::sorting::by_key(&mut all, |(differs, away, _)| (*differs, *away));
    let mut distinct: Vec<Settings> = Vec::new();
    for (differs, _, settings) in all {
        if differs > 0 && !distinct.contains(&settings) {
            distinct.push(settings);
        }
    }
    distinct
}

fn value<'a>(settings: &'a Settings, key: &str) -> Option<&'a str> {
    let found = settings.iter().rev().find(|(name, _)| name == key);
    found.map(|(_, value)| value.as_str())
}

/// Whether this changed anything; what is left out of the settings is as usual.
fn set(settings: &mut Settings, key: &str, is: String) -> bool {
    let usual = match key {
        "watchdog.mode" | "patroni.synchronous_mode" => "off",
        "patroni.failsafe_mode" => "false",
        _ => "",
    };
    if value(settings, key).unwrap_or(usual) == is {
        return false;
    }
    settings.retain(|(name, _)| name != key);
    settings.push((key.to_owned(), is));
    true
}

/// What came of the search.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Clone, Debug)]
pub struct Advice {
    /// The nearest that stands, when one does, with its scorecard.
    pub stands: Option<super::Scorecard>,
    /// How many were tried.
    pub tried: usize,
}

/// Looks for the nearest settings against which no attack wins.
#[cfg(not(target_arch = "wasm32"))]
pub fn advice(situation: &'static super::Situation, mine: &Settings, each: u32, threads: usize) -> Advice {
    let choices = choices(mine);
    let mut order: Vec<usize> = Vec::new();
    for (tried, settings) in choices.iter().enumerate() {
        // What no scenario can have is no choice.
        let Ok(defence) = super::Defence::new(situation, settings.clone()) else {
            continue;
        };
        if order.is_empty() {
            order = (0..defence.attacks.len()).collect();
        }
        match defence.withstands(&order, each, threads) {
            Ok(scorecard) => {
                return Advice {
                    stands: Some(scorecard),
                    tried: tried + 1,
                };
            }
            // What won this time is likely to win next time.
            Err(at) => {
                let winner = order.remove(at);
                order.insert(0, winner);
            }
        }
    }
    Advice {
        stands: None,
        tried: choices.len(),
    }
}
