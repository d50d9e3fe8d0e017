//! A folder of lessons and cards against the runs they speak of: every claim, every option, every task, every number, every
//! link.

use super::facts::{Facts, Stale, fails};
use super::interview::{Card, Interview, Walkthrough};
use super::problem::Problem;
use super::runs::Runs;
use super::{Answer, Ask, Attempt, Goal, Lesson, Make, PartKind, Predict, interview, rules};
use crate::scenario::Scenario;
use crate::sorting;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// What came of checking a folder.
#[derive(Debug, Default)]
pub struct Checked {
    /// Those that could be read, in their order.
    pub lessons: Vec<Lesson>,
    pub cards: Vec<Card>,
    pub walkthroughs: Vec<Walkthrough>,
    /// Everything that is wrong, by file and line, except what is in `stale`.
    pub problems: Vec<Problem>,
    /// Numbers in the prose that are not what the runs say.
    pub stale: Vec<Stale>,
    pub counts: Counts,
}

/// How much was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub claims: usize,
    pub bets: usize,
    /// Options of bets and questions.
    pub options: usize,
    pub tasks: usize,
    pub follow_ups: usize,
    pub red_flags: usize,
    /// Of walkthroughs.
    pub steps: usize,
    pub numbers: usize,
    pub links: usize,
    pub runs: usize,
}

/// Reads and checks all lessons below a folder, on so many threads: files whose names begin with a digit, in the folders
/// of the tracks, and the scenarios that they name in its folder `scenarios`. In its folder `interview` are cards and
/// walkthroughs.
///
/// # Errors
/// When the folder or a file in it cannot be read. What is wrong with a lesson is in [`Checked`].
pub fn check(folder: &Path, threads: usize) -> io::Result<Checked> {
    let mut checked = Checked::default();
    let shelf = |name: &str| {
        let tame = !name.split('/').any(|part| part.is_empty() || part.starts_with('.'));
        tame.then(|| fs::read_to_string(folder.join("scenarios").join(format!("{name}.toml"))).ok())?
    };
    for path in files(folder)? {
        let file = path.display().to_string();
        let text = fs::read_to_string(&path)?;
        if path.parent().and_then(Path::file_name) == Some(interview::FOLDER.as_ref()) {
            match Interview::read(&text, &file, &shelf) {
                Ok(Interview::Card(card)) => checked.cards.push(card),
                Ok(Interview::Walkthrough(walkthrough)) => checked.walkthroughs.push(walkthrough),
                Err(problems) => checked.problems.extend(problems),
            }
        } else {
            match Lesson::read(&text, &file, &shelf) {
                Ok(lesson) => checked.lessons.push(lesson),
                Err(problems) => checked.problems.extend(problems),
            }
        }
    }
    checked.hold(threads);
    Ok(checked)
}

impl Checked {
    /// Holds everything that could be read against its runs.
    fn hold(&mut self, threads: usize) {
        let lessons = std::mem::take(&mut self.lessons);
        let cards = std::mem::take(&mut self.cards);
        let walkthroughs = std::mem::take(&mut self.walkthroughs);
        let of_lessons = lessons.iter().flat_map(runs_of);
        let of_cards = cards.iter().flat_map(Card::runs);
        let of_walkthroughs = walkthroughs.iter().flat_map(Walkthrough::runs);
        let wanted: Vec<(&Scenario, u32)> = of_lessons.chain(of_cards).chain(of_walkthroughs).collect();
        let runs = Runs::of(&wanted, threads);
        self.counts.runs = runs.len();
        self.problems.extend(rules::together(&lessons));
        self.problems
            .extend(interview::together(&cards, &walkthroughs, &lessons));
        for lesson in &lessons {
            self.problems.extend(rules::alone(lesson));
            let mut facts = Facts {
                sheet: lesson.sheet(),
                runs: &runs,
                into: self,
            };
            facts.check();
            Checking { lesson, line: 1, facts }.parts();
        }
        for card in &cards {
            card.check(&runs, self);
        }
        for walkthrough in &walkthroughs {
            walkthrough.check(&runs, self);
        }
        sorting::by(&mut self.problems, Ord::cmp);
        sorting::by(&mut self.stale, |a, b| a.problem.cmp(&b.problem));
        (self.lessons, self.cards, self.walkthroughs) = (lessons, cards, walkthroughs);
    }

    pub fn is_fine(&self) -> bool {
        self.problems.is_empty() && self.stale.is_empty()
    }

    /// Writes into the files what the runs say, where they say something else. What remains stale stays in the list.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn write(&mut self) -> io::Result<usize> {
        let (mut fixable, rest): (Vec<Stale>, Vec<Stale>) = std::mem::take(&mut self.stale)
            .into_iter()
            .partition(|stale| stale.fix.is_some());
        self.stale = rest;
        // From the end of each file on, so that what is replaced moves nothing that is still to be.
        sorting::by(&mut fixable, |a, b| {
            let place = |stale: &Stale| stale.fix.as_ref().map(|(at, _)| at.start);
            (&a.problem.file, place(b)).cmp(&(&b.problem.file, place(a)))
        });
        for stale in &fixable {
            if let Some((at, text)) = &stale.fix {
                let mut whole = fs::read_to_string(&stale.problem.file)?;
                whole.replace_range(at.clone(), text);
                fs::write(&stale.problem.file, whole)?;
            }
        }
        Ok(fixable.len())
    }
}

/// The files of the lessons in their order, which is that of their names.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let track = entry?.path();
        if track.is_dir() {
            for entry in fs::read_dir(&track)? {
                let path = entry?.path();
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                if name.ends_with(".md") && name.starts_with(|c: char| c.is_ascii_digit()) {
                    files.push(path);
                }
            }
        }
    }
    sorting::by(&mut files, Ord::cmp);
    Ok(files)
}

/// Every scenario that the lesson says something about, and with how many seeds.
fn runs_of(lesson: &Lesson) -> Vec<(&Scenario, u32)> {
    let staged = |of: usize| &lesson.staged(of).scenario;
    let mut all = lesson.sheet().runs();
    for part in &lesson.parts {
        match &part.what {
            PartKind::Prose(_) | PartKind::Scenario(_) | PartKind::Claim(_) | PartKind::Say(_) => {}
            PartKind::Predict(predict) => all.push((staged(predict.of), 1)),
            PartKind::Watch(watch) => all.push((staged(watch.of), 1)),
            PartKind::Ask(ask) => all.extend(ask.options.iter().map(|option| (staged(option.of), 1))),
            PartKind::Make(make) => {
                all.extend(make.goals.iter().map(|goal| (staged(goal.of), goal.seeds)));
                for attempt in std::iter::once(&make.solution).chain(&make.tempting) {
                    let goals = attempt.scenarios.iter().zip(&make.goals);
                    all.extend(goals.map(|(scenario, goal)| (scenario, goal.seeds)));
                }
            }
        }
    }
    all
}

struct Checking<'a> {
    lesson: &'a Lesson,
    /// Of the part that is being looked at.
    line: usize,
    facts: Facts<'a>,
}

impl Checking<'_> {
    fn wrong(&mut self, line: usize, what: String) {
        self.facts.wrong(line, what);
    }

    fn parts(&mut self) {
        for part in &self.lesson.parts {
            self.line = part.line;
            match &part.what {
                PartKind::Prose(_) | PartKind::Scenario(_) | PartKind::Claim(_) | PartKind::Say(_) => {}
                PartKind::Predict(predict) => self.predict(predict),
                PartKind::Watch(watch) => {
                    let run = self.facts.run(watch.of);
                    self.facts.instant(self.line, &watch.from, &run);
                }
                PartKind::Ask(ask) => self.ask(ask),
                PartKind::Make(make) => self.make(make),
            }
        }
    }

    fn predict(&mut self, predict: &Predict) {
        self.facts.into.counts.bets += 1;
        let run = self.facts.run(predict.of);
        match &predict.answer {
            Answer::Choice(options) => {
                self.facts.into.counts.options += options.len();
                let right = options
                    .iter()
                    .filter(|(_, when)| fails(when, &[&run]).is_none())
                    .count();
                if right != 1 {
                    let claims: Vec<&str> = options.iter().map(|(_, when)| when.text()).collect();
                    let what = format!("{right} options are right instead of one: {}", claims.join("; "));
                    self.wrong(self.line, what);
                }
            }
            Answer::Number { figure, .. } => {
                if figure.of(&run).is_null() {
                    self.wrong(
                        self.line,
                        format!("the answer {} has no value in this run", figure.text()),
                    );
                }
            }
            Answer::Mark { figure, .. } => self.facts.instant(self.line, figure, &run),
        }
    }

    fn ask(&mut self, ask: &Ask) {
        self.facts.into.counts.options += ask.options.len();
        for option in &ask.options {
            self.facts.shows(self.line, "an option", &option.shows, option.of, 1);
        }
    }

    fn make(&mut self, make: &Make) {
        self.facts.into.counts.tasks += 1;
        let start: Vec<&Scenario> = make
            .goals
            .iter()
            .map(|goal| &self.lesson.staged(goal.of).scenario)
            .collect();
        if self.missed(&make.goals, &start).is_none() {
            self.wrong(self.line, "the task is done before anything was set".to_owned());
        }
        fn scenarios(attempt: &Attempt) -> Vec<&Scenario> {
            attempt.scenarios.iter().collect()
        }
        if let Some(why) = self.missed(&make.goals, &scenarios(&make.solution)) {
            self.wrong(make.solution.line, format!("the solution misses a goal: {why}"));
        }
        for attempt in &make.tempting {
            if self.missed(&make.goals, &scenarios(attempt)).is_none() {
                let what = "this attempt reaches every goal, so it is a solution, not a temptation";
                self.wrong(attempt.line, what.to_owned());
            }
        }
    }

    /// The first goal that is not reached, and why.
    fn missed(&self, goals: &[Goal], scenarios: &[&Scenario]) -> Option<String> {
        goals.iter().zip(scenarios).find_map(|(goal, scenario)| {
            let why = fails(&goal.claim, &self.facts.runs.verdicts(scenario, goal.seeds))?;
            Some(format!("{}: {why}", goal.claim.text()))
        })
    }
}
