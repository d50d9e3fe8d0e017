//! "Defend your numbers": the room describes a situation, one chooses settings, and the engine attacks them. All of it is a
//! pure function of situation, settings and number of runs; whoever calls it makes the runs, in a worker or on threads.
//!
//! | file           | what lives there |
//! |----------------|------------------|
//! | `mod.rs`       | [`Defence`]: settings in a situation, and every run that attacks them |
//! | `situation.rs` | [`Situation`]: how long things stand still there, and what was promised; from `lessons/interview/situations/` |
//! | `attack.rs`    | [`Attack`]: what is done, when, and what must come of it |
//! | `score.rs`     | [`Scorecard`]: what came of it, and which attack won |
//! | `tell.rs`      | the scorecard in sentences |
//! | `fight.rs`     | the runs, on threads |
//! | `search.rs`    | the nearest settings that would have stood |

mod attack;
#[cfg(not(target_arch = "wasm32"))]
mod fight;
mod score;
mod search;
mod situation;
mod tell;

pub use attack::{Attack, Must};
pub use score::{Loss, Outcome, Score, Scorecard};
pub use search::choices;
#[cfg(not(target_arch = "wasm32"))]
pub use search::{Advice, advice};
pub use situation::{Situation, Stillness};

use crate::clocks::{SimTime, Span};
use crate::scenario::{Adjustment, Fault, Scenario, ScenarioError};

/// Settings, as pairs of key and text. What is not among them is as usual.
pub type Settings = Vec<(String, String)>;

/// What may be chosen.
pub const FREE: [&str; 8] = [
    "patroni.ttl",
    "patroni.loop_wait",
    "patroni.retry_timeout",
    "patroni.maximum_lag_on_failover",
    "patroni.failsafe_mode",
    "patroni.synchronous_mode",
    "watchdog.mode",
    "watchdog.safety_margin",
];

/// Settings in a situation, with the attacks on them.
#[derive(Clone, Debug)]
pub struct Defence {
    pub situation: &'static Situation,
    pub settings: Settings,
    /// What Patroni's own rule makes of the settings.
    pub adjusted: Vec<Adjustment>,
    pub attacks: Vec<Attack>,
    /// The scenario of each attack, its faults counted from the moment of the attack.
    scenarios: Vec<Scenario>,
}

/// An attack never begins before the cluster has settled.
const SETTLED: Span = Span::from_secs(40);
/// Just after a renewal: the answer to the request at the beginning of the loop is there.
const JUST_AFTER: Span = Span::from_millis(250);

impl Defence {
    /// Sets up a situation with these settings.
    ///
    /// ```
    /// use leaselab::lesson::{Defence, Situation};
    /// let situation = Situation::of("one-data-centre").unwrap();
    /// let errors = Defence::new(situation, vec![("patroni.ttl".into(), "long".into())]).unwrap_err();
    /// assert_eq!(errors[0].key, "patroni.ttl");
    /// ```
    ///
    /// # Errors
    /// Settings that no scenario can have.
    pub fn new(situation: &'static Situation, settings: Settings) -> Result<Defence, Vec<ScenarioError>> {
        let plain = Scenario::parse_with(&situation.scenario, "situation", &settings)?;
        let attacks = attack::all(situation);
        let mut scenarios = Vec::new();
        for attack in &attacks {
            let text = format!("{}{}", situation.scenario, attack.faults_as_written());
            let mut set = settings.clone();
            // Long enough for the faults as they are written; `scenario` makes it what it must be.
            set.push(("duration_s".to_owned(), "86400".to_owned()));
            scenarios.push(Scenario::parse_with(&text, "situation", &set)?);
        }
        Ok(Defence {
            situation,
            settings,
            adjusted: plain.adjusted,
            attacks,
            scenarios,
        })
    }

    /// The `n`-th of so many runs of an attack, given by its place: with another seed, and begun at another phase of the
    /// leader's loop, because it is the phase that decides in how old a lease the attack finds.
    ///
    /// # Panics
    /// When there is no such attack.
    pub fn scenario(&self, attack: usize, n: u32, of: u32) -> Scenario {
        let (attack, mut scenario) = (&self.attacks[attack], self.scenarios[attack].clone());
        let patroni = &scenario.patroni;
        let (ttl, loop_wait) = (patroni.ttl, patroni.loop_wait.max(Span(1)));
        let loops = |after: Span| loop_wait * after.as_micros().div_ceil(loop_wait.as_micros());
        let begins = if attack.when_list_is_due {
            // The client of the store reads the list of its members anew every ten ttl, before the request of that loop.
            loops(ttl * 10).saturating_sub(loop_wait)
        } else {
            loops(SETTLED) + loop_wait * u64::from(n) / u64::from(of.max(1))
        } + JUST_AFTER;
        for fault in &mut scenario.faults {
            *fault = later(fault, begins);
        }
        scenario.title = format!("{}: {}", self.situation.title, attack.tells);
        scenario.duration = begins + attack.lasts + ttl * 2 + SETTLED;
        scenario.seed += u64::from(n);
        scenario
    }

    /// How many runs there are when each attack is made so many times.
    pub fn runs(&self, each: u32) -> usize {
        self.attacks.len() * each as usize
    }
}

fn later(fault: &Fault, by: Span) -> Fault {
    let shift = |at: SimTime| at + by;
    let mut later = fault.clone();
    later.at = shift(later.at);
    later.until = later.until.map(shift);
    if let Some(repeats) = &mut later.repeats {
        repeats.until = repeats.until.map(shift);
    }
    later
}
