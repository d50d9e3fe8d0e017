//! What the browser keeps for the next visit: the experiments that were changed, each under a key of its own page, so that two
//! pages never write over each other's work; and the person's habits.

use super::history::changes;
use super::{Effect, Session, Speed};
use crate::exchange::link;
use crate::sorting;

/// What the keys of kept experiments begin with.
pub const WORKS: &str = "leaselab.work.";
/// The key of the habits.
pub const HABITS: &str = "leaselab.habits";

/// So many experiments are kept, the newest.
const WORKS_MAX: usize = 5;
/// So many of them are offered.
const OFFERED_MAX: usize = 3;
/// A scenario's title and the words for what was changed are never longer together.
const TITLE_CHARS_MAX: usize = 300;

/// An experiment of an earlier visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// What it is called, and what was changed in it.
    pub title: String,
    pub fragment: String,
}

/// What was found in the browser's memory.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Keys and values of kept experiments, in any order.
    pub works: Vec<(String, String)>,
    pub habits: Option<String>,
}

impl Kept {
    /// As it is kept: when (in milliseconds since 1970), where to, and what it is called.
    pub fn write(&self, now_ms: f64) -> String {
        format!("{now_ms:.0}\n{}\n{}", self.fragment, self.title)
    }

    fn read(value: &str) -> Option<(u64, Kept)> {
        let mut lines = value.splitn(3, '\n');
        let (when, fragment, title) = (lines.next()?, lines.next()?, lines.next()?);
        let is_ours = link::is_link(fragment) && title.chars().count() <= TITLE_CHARS_MAX;
        is_ours.then_some(())?;
        let kept = Kept {
            title: title.to_owned(),
            fragment: fragment.to_owned(),
        };
        Some((when.parse().ok()?, kept))
    }
}

/// What to offer, the newest first, and the keys of what is to be forgotten: what is too old, twice there, or not ours.
fn sort_out(works: Vec<(String, String)>) -> (Vec<Kept>, Vec<String>) {
    let mut forgotten = Vec::new();
    let mut kept: Vec<(u64, String, Kept)> = Vec::new();
    for (key, value) in works {
        match Kept::read(&value) {
            Some((when, work)) => kept.push((when, key, work)),
            None => forgotten.push(key),
        }
    }
    sorting::by(&mut kept, |a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut works: Vec<Kept> = Vec::new();
    for (_, key, work) in kept {
        let twice = works.iter().any(|other| other.fragment == work.fragment);
        if twice || works.len() == WORKS_MAX {
            forgotten.push(key);
        } else {
            works.push(work);
        }
    }
    works.truncate(OFFERED_MAX);
    (works, forgotten)
}

impl Session {
    /// Takes up what an earlier visit left. What is offered is only offered: the page opens as it always does.
    pub(super) fn remember(&mut self, memory: Memory) -> Vec<Effect> {
        for line in memory.habits.iter().flat_map(|habits| habits.lines()) {
            match line.split_once(' ') {
                Some(("keys", value)) => self.single_keys = value != "off",
                Some(("speed", place)) => self.speed = place.parse().map_or(self.speed, Speed::nth),
                _ => {}
            }
        }
        self.habits = self.habits_now();
        let (works, forgotten) = sort_out(memory.works);
        self.share.kept = works;
        forgotten.into_iter().map(Effect::Forget).collect()
    }

    /// Keeps what is worth keeping: an experiment in which something was changed, habits that are new.
    pub(super) fn keep(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.changed() || self.history.undoes().is_some() {
            let changes = changes(&self.shipped, &self.scenario);
            let changes = if changes.is_empty() {
                changes
            } else {
                format!(": {changes}")
            };
            effects.push(Effect::Keep(Kept {
                title: format!("{}{changes}", self.scenario.title),
                fragment: self.fragment.clone(),
            }));
        }
        let habits = self.habits_now();
        if habits != self.habits {
            self.habits.clone_from(&habits);
            effects.push(Effect::KeepHabits(habits));
        }
        effects
    }

    fn habits_now(&self) -> String {
        let keys = if self.single_keys { "on" } else { "off" };
        format!("keys {keys}\nspeed {}\n", self.speed.place())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(title: &str, n: u32) -> Kept {
        Kept {
            title: title.to_owned(),
            fragment: format!("#/lab/1/{n}"),
        }
    }

    fn entry(key: &str, when: f64, kept: &Kept) -> (String, String) {
        (key.to_owned(), kept.write(when))
    }

    #[test]
    fn the_newest_are_offered_and_the_oldest_forgotten() {
        let works = (0..8).map(|n| entry(&format!("key{n}"), f64::from(n), &kept("x", n)));
        let (offered, forgotten) = sort_out(works.collect());
        assert_eq!(offered, [kept("x", 7), kept("x", 6), kept("x", 5)]);
        assert_eq!(forgotten, ["key2", "key1", "key0"]);
    }

    #[test]
    fn the_same_experiment_of_two_pages_is_offered_once() {
        let works = vec![entry("a", 1.0, &kept("x", 1)), entry("b", 2.0, &kept("x", 1))];
        assert_eq!(sort_out(works), (vec![kept("x", 1)], vec!["a".to_owned()]));
    }

    #[test]
    fn what_is_not_ours_is_forgotten_and_never_offered() {
        let long = format!("1\n#/lab/1/A\n{}", "x".repeat(1_000));
        for value in [
            "",
            "1",
            "1\n#/lab/1/A",
            "x\n#/lab/1/A\nt",
            "1\njavascript:alert(1)\nt",
            long.as_str(),
        ] {
            let (offered, forgotten) = sort_out(vec![("k".to_owned(), value.to_owned())]);
            assert_eq!((offered.len(), forgotten.len()), (0, 1), "{value}");
        }
    }
}
