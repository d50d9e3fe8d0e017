//! Which system a file is about: its key `system`, at the top. Each system has a format of its own.

use super::error::{Errors, Problem, Refused, suggest};
use super::raw::{Raw, Value};
use toml::de::DeTable;

/// What a scenario simulates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum System {
    /// A Patroni cluster with its store.
    #[default]
    Patroni,
    /// Workers under a lease or a lock, and a resource that looks at their tokens.
    Lease,
    /// Processes with clocks of their own that send each other messages.
    Clocks,
}

const SYSTEMS: [(&str, System); 3] = [
    ("patroni", System::Patroni),
    ("lease", System::Lease),
    ("clocks", System::Clocks),
];

impl System {
    /// The system of a file. Of a file that does not say, or says what is none, it is the Patroni cluster, whose reader says
    /// what is wrong with it.
    ///
    /// ```
    /// use leaselab::scenario::System;
    /// assert_eq!(System::of("system = \"lease\"\n[lease]\nttl_s = 1\n"), System::Lease);
    /// assert_eq!(System::of("system = \"clocks\"\n[network]\nlatency_ms = 1\n"), System::Clocks);
    /// assert_eq!(System::of("[patroni]\nttl = 40\n"), System::Patroni);
    /// ```
    pub fn of(text: &str) -> System {
        // Before the first section: a tree of any depth is not built for one word.
        let top = text.lines().take_while(|line| !line.trim_start().starts_with('['));
        let line = top.map(str::trim_start).find(|line| {
            line.strip_prefix("system")
                .is_some_and(|rest| rest.trim_start().starts_with('='))
        });
        let Some(line) = line else { return System::Patroni };
        let (table, _) = DeTable::parse_recoverable(line);
        let word = table.get_ref().get("system").and_then(|value| value.get_ref().as_str());
        word.and_then(System::named).unwrap_or_default()
    }

    fn named(word: &str) -> Option<System> {
        SYSTEMS
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, system)| *system)
    }

    /// As the file writes it.
    pub fn word(self) -> &'static str {
        SYSTEMS
            .iter()
            .find(|(_, system)| *system == self)
            .map_or("", |(word, _)| word)
    }
}

/// Refuses a file that is about another system.
pub(super) fn is_of(system: System, raw: &Raw, errors: &mut Errors) -> Result<(), Refused> {
    let Some(entry) = &raw.system else { return Ok(()) };
    let Value::Text(word) = &entry.value else {
        let problem = Problem::new(
            format!("is {}", entry.value.type_name()),
            format!("write system = \"{}\"", system.word()),
        );
        return Err(errors.push(&entry.place, "system", &entry.shown, problem));
    };
    let problem = match System::named(word) {
        Some(named) if named == system => return Ok(()),
        Some(_) => Problem::new(
            "is another system than this is for",
            format!("open it where scenarios of the system {word} run, such as leaselab run"),
        ),
        None => Problem::new("there is no such system", suggest(word, &SYSTEMS.map(|(name, _)| name))),
    };
    Err(errors.push(&entry.place, "system", &entry.shown, problem))
}
