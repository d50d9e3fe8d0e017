//! What every card and every walkthrough must have, what several must have among each other, and their check against the
//! runs. Whether an answer can be said in its time is checked too: nobody speaks faster than three words a second.

use super::{Answers, Card, Walkthrough, plain};
use crate::lesson::facts::{Facts, Sheet};
use crate::lesson::runs::Runs;
use crate::lesson::{Checked, Lesson, Problem, Text};
use crate::scenario::Scenario;
use serde_json::Value;
use std::ops::RangeInclusive;

/// How many words each answer has, from the shortest to the deepest.
const WORDS: [(&str, RangeInclusive<usize>); 3] = [
    ("In twenty seconds", 25..=60),
    ("In a minute", 90..=180),
    ("In depth", 120..=450),
];
const STEPS: RangeInclusive<usize> = 6..=9;
/// A step is a sentence or two.
const STEP_WORDS_MAX: usize = 70;

impl Card {
    fn sheet(&self) -> Sheet<'_> {
        Sheet {
            file: &self.file,
            scenarios: &self.scenarios,
            claims: self.claims.iter().map(|(line, stated)| (*line, stated)).collect(),
            links: self.links(),
        }
    }

    /// Every scenario that the card says something about, and with how many seeds.
    pub(in crate::lesson) fn runs(&self) -> Vec<(&Scenario, u32)> {
        let sheet = self.sheet();
        let mut all = sheet.runs();
        let follow_ups = self.follow_ups.iter();
        all.extend(follow_ups.map(|follow_up| (sheet.scenario(follow_up.of), follow_up.seeds)));
        all.extend(self.red_flags.iter().map(|flag| (sheet.scenario(flag.of), flag.seeds)));
        all
    }

    pub(in crate::lesson) fn check(&self, runs: &Runs, into: &mut Checked) {
        into.problems.extend(self.rules());
        into.counts.follow_ups += self.follow_ups.len();
        into.counts.red_flags += self.red_flags.len();
        let mut facts = Facts {
            sheet: self.sheet(),
            runs,
            into,
        };
        facts.check();
        for asked in &self.follow_ups {
            facts.shows(asked.line, "a follow-up", &asked.shows, asked.of, asked.seeds);
        }
        for flag in &self.red_flags {
            let what = format!("the red flag {}", flag.name);
            facts.shows(flag.line, &what, &flag.shows, flag.of, flag.seeds);
        }
    }

    fn rules(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        let mut wrong = |what: String| found.push(problem(&self.file, 1, what));
        let Answers { short, minute, deep } = &self.answers;
        for ((heading, allowed), text) in WORDS.iter().zip([short, minute, deep]) {
            let words = words(text);
            if !allowed.contains(&words) {
                let (least, most) = (allowed.start(), allowed.end());
                wrong(format!(
                    "## {heading} has {words} words; an answer of that length has {least} to {most}"
                ));
            }
        }
        if self.rubric.len() < 3 {
            wrong("a rubric has at least three points".to_owned());
        }
        if self.follow_ups.is_empty() {
            wrong("a card has at least one block follow-up".to_owned());
        }
        if self.red_flags.is_empty() {
            wrong("a card has at least one block red-flag".to_owned());
        }
        if self.about.topics.is_empty() {
            wrong("topics: give a few words to find it by".to_owned());
        }
        found
    }
}

impl Walkthrough {
    fn sheet(&self) -> Sheet<'_> {
        Sheet {
            file: &self.file,
            scenarios: &self.scenarios,
            claims: self.claims.iter().map(|(line, stated)| (*line, stated)).collect(),
            links: self.links(),
        }
    }

    pub(in crate::lesson) fn runs(&self) -> Vec<(&Scenario, u32)> {
        let sheet = self.sheet();
        let mut all = sheet.runs();
        all.extend(self.steps.iter().map(|step| (sheet.scenario(step.of), 1)));
        all
    }

    pub(in crate::lesson) fn check(&self, runs: &Runs, into: &mut Checked) {
        into.counts.steps += self.steps.len();
        if !STEPS.contains(&self.steps.len()) {
            let (least, most) = (STEPS.start(), STEPS.end());
            let what = format!("{} steps; a walkthrough has {least} to {most}", self.steps.len());
            into.problems.push(problem(&self.file, 1, what));
        }
        let mut facts = Facts {
            sheet: self.sheet(),
            runs,
            into,
        };
        facts.check();
        let mut before: Option<(usize, f64)> = None;
        for step in &self.steps {
            let words = words(&step.say);
            if words > STEP_WORDS_MAX {
                facts.wrong(step.line, format!("{words} words; a step has at most {STEP_WORDS_MAX}"));
            }
            let run: Value = facts.run(step.of);
            facts.instant(step.line, &step.at, &run);
            let at = step.at.of(&run).as_f64().unwrap_or_default();
            if before.is_some_and(|(of, earlier)| of == step.of && at < earlier) {
                facts.wrong(step.line, "this moment is before that of the last step".to_owned());
            }
            before = Some((step.of, at));
        }
    }
}

/// What is wrong among the cards, given in their order: each belongs to a lesson, no two ask the same,
/// and what is explained is a card's question.
pub(in crate::lesson) fn together(cards: &[Card], walkthroughs: &[Walkthrough], lessons: &[Lesson]) -> Vec<Problem> {
    let mut found = Vec::new();
    for (index, card) in cards.iter().enumerate() {
        let mut wrong = |what: String| found.push(problem(&card.file, 1, what));
        let name = &card.about.lesson;
        if !lessons.iter().any(|lesson| lesson.id.rsplit('/').next() == Some(name)) {
            wrong(format!("lesson = {name:?}: there is no lesson of that name"));
        }
        for other in &cards[..index] {
            if other.id == card.id || other.about.question == card.about.question {
                wrong(format!("{} is the same card by its name or its question", other.file));
            }
        }
    }
    for walkthrough in walkthroughs {
        if !cards.iter().any(|card| card.about.question == walkthrough.explains) {
            let what = "explains: there is no card with this question".to_owned();
            found.push(problem(&walkthrough.file, 1, what));
        }
    }
    found
}

fn words(text: &Text) -> usize {
    plain(text).split_whitespace().count()
}

fn problem(file: &str, line: usize, what: String) -> Problem {
    Problem {
        file: file.to_owned(),
        line,
        what,
    }
}
