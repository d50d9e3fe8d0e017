//! A folder of lessons against the runs they speak of: every claim, every option, every task, every number, every link.

use super::problem::Problem;
use super::prose::LinkTo;
use super::runs::Runs;
use super::{Answer, Ask, Attempt, Goal, Lesson, Make, PartKind, Predict, Stated, Watch, number, rules};
use crate::scenario::Scenario;
use crate::sorting;
use crate::verdict::Claim;
use serde_json::Value;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// What came of checking a folder.
#[derive(Debug, Default)]
pub struct Checked {
    /// Those that could be read, in their order.
    pub lessons: Vec<Lesson>,
    /// Everything that is wrong, by file and line, except what is in `stale`.
    pub problems: Vec<Problem>,
    /// Numbers in the prose that are not what the runs say.
    pub stale: Vec<Stale>,
    pub counts: Counts,
}

/// A number that is not what the runs say.
#[derive(Clone, Debug)]
pub struct Stale {
    pub problem: Problem,
    /// Where it stands in its file, in bytes, and what belongs there; nothing where it cannot be rewritten.
    fix: Option<(Range<usize>, String)>,
}

/// How much was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub claims: usize,
    pub bets: usize,
    /// Options of bets and questions.
    pub options: usize,
    pub tasks: usize,
    pub numbers: usize,
    pub links: usize,
    pub runs: usize,
}

/// Reads and checks all lessons below a folder, on so many threads: files whose names begin with a digit, in the folders
/// of the tracks, and the scenarios that they name in its folder `scenarios`.
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
        match Lesson::read(&fs::read_to_string(&path)?, &file, &shelf) {
            Ok(lesson) => checked.lessons.push(lesson),
            Err(problems) => checked.problems.extend(problems),
        }
    }
    let lessons = std::mem::take(&mut checked.lessons);
    let wanted: Vec<(&Scenario, u32)> = lessons.iter().flat_map(runs_of).collect();
    let runs = Runs::of(&wanted, threads);
    checked.counts.runs = runs.len();
    checked.problems.extend(rules::together(&lessons));
    for lesson in &lessons {
        checked.problems.extend(rules::alone(lesson));
        let mut checking = Checking {
            lesson,
            runs: &runs,
            line: 1,
            into: &mut checked,
        };
        checking.parts();
        checking.links();
    }
    sorting::by(&mut checked.problems, Ord::cmp);
    sorting::by(&mut checked.stale, |a, b| a.problem.cmp(&b.problem));
    checked.lessons = lessons;
    Ok(checked)
}

impl Checked {
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
    let mut all = Vec::new();
    for part in &lesson.parts {
        match &part.what {
            PartKind::Prose(_) | PartKind::Scenario(_) | PartKind::Say(_) => {}
            PartKind::Predict(predict) => all.push((staged(predict.of), 1)),
            PartKind::Watch(watch) => all.push((staged(watch.of), 1)),
            PartKind::Claim(stated) => all.push((staged(stated.of), stated.seeds)),
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
    runs: &'a Runs,
    /// Of the part that is being looked at.
    line: usize,
    into: &'a mut Checked,
}

impl Checking<'_> {
    fn wrong(&mut self, line: usize, what: String) {
        self.into.problems.push(Problem {
            file: self.lesson.file.clone(),
            line,
            what,
        });
    }

    fn parts(&mut self) {
        for part in &self.lesson.parts {
            self.line = part.line;
            match &part.what {
                PartKind::Prose(_) | PartKind::Scenario(_) | PartKind::Say(_) => {}
                PartKind::Predict(predict) => self.predict(predict),
                PartKind::Watch(watch) => self.watch(watch),
                PartKind::Claim(stated) => self.claim(stated),
                PartKind::Ask(ask) => self.ask(ask),
                PartKind::Make(make) => self.make(make),
            }
        }
    }

    fn run(&self, of: usize) -> Value {
        let runs = self.runs.verdicts(&self.lesson.staged(of).scenario, 1);
        runs.first().map_or(Value::Null, |run| (*run).clone())
    }

    fn claim(&mut self, stated: &Stated) {
        self.into.counts.claims += 1;
        let scenario = &self.lesson.staged(stated.of).scenario;
        if let Some(why) = fails(&stated.claim, &self.runs.verdicts(scenario, stated.seeds)) {
            let what = format!("claim {} does not hold: {}: {why}", stated.name, stated.claim.text());
            self.wrong(self.line, what);
        }
    }

    fn predict(&mut self, predict: &Predict) {
        self.into.counts.bets += 1;
        let run = self.run(predict.of);
        match &predict.answer {
            Answer::Choice(options) => {
                self.into.counts.options += options.len();
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
            Answer::Mark { figure, .. } => self.instant(&figure.of(&run), figure.text(), &run),
        }
    }

    fn watch(&mut self, watch: &Watch) {
        let run = self.run(watch.of);
        self.instant(&watch.from.of(&run), watch.from.text(), &run);
    }

    /// Whether a time lies within the run.
    fn instant(&mut self, at: &Value, text: &str, run: &Value) {
        let end = run["duration_ms"].as_f64().unwrap_or_default();
        match at.as_f64() {
            Some(ms) if (0.0..=end).contains(&ms) => {}
            Some(ms) => self.wrong(
                self.line,
                format!("{text} is {ms} ms, which is not within the run of {end} ms"),
            ),
            None => self.wrong(self.line, format!("{text} has no value in this run")),
        }
    }

    fn ask(&mut self, ask: &Ask) {
        self.into.counts.options += ask.options.len();
        for option in &ask.options {
            if let Some(why) = fails(&option.shows, &[&self.run(option.of)]) {
                let what = format!(
                    "the run does not show what answers an option: {}: {why}",
                    option.shows.text()
                );
                self.wrong(self.line, what);
            }
        }
    }

    fn make(&mut self, make: &Make) {
        self.into.counts.tasks += 1;
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
            let why = fails(&goal.claim, &self.runs.verdicts(scenario, goal.seeds))?;
            Some(format!("{}: {why}", goal.claim.text()))
        })
    }

    fn links(&mut self) {
        let folder = Path::new(&self.lesson.file)
            .parent()
            .unwrap_or(Path::new(""))
            .to_owned();
        for link in self.lesson.links() {
            self.into.counts.links += 1;
            match &link.to {
                LinkTo::File(file) if !folder.join(file).is_file() => {
                    self.wrong(
                        link.line,
                        format!("{file}: there is no such file; link relative to this one"),
                    );
                }
                LinkTo::File(_) | LinkTo::Web(_) => {}
                LinkTo::Claim(name) => {
                    let stated = self.lesson.claim(name);
                    if let Some((stated, figure)) = stated.and_then(|stated| Some((stated, stated.figure.as_ref()?))) {
                        let is_text = figure.kind() == crate::verdict::FigureKind::Text;
                        if is_text || number::is_number(&link.text) {
                            self.number(link, stated, figure);
                        }
                    }
                }
            }
        }
    }

    fn number(&mut self, link: &super::Link, stated: &Stated, figure: &crate::verdict::Figure) {
        self.into.counts.numbers += 1;
        let scenario = &self.lesson.staged(stated.of).scenario;
        let verdicts = self.runs.verdicts(scenario, stated.seeds);
        match number::written(&link.text, figure, stated.claim.quantifier(), &verdicts) {
            Err(why) => self.wrong(link.line, format!("[{}](claim:{}): {why}", link.text, stated.name)),
            Ok(right) if right == link.text => {}
            Ok(right) => {
                let problem = Problem {
                    file: self.lesson.file.clone(),
                    line: link.line,
                    what: format!(
                        "[{}](claim:{}) is {right} in the run; --write puts it right",
                        link.text, stated.name
                    ),
                };
                let fix = link.at.clone().map(|at| (at, right));
                self.into.stale.push(Stale { problem, fix });
            }
        }
    }
}

/// Why a claim does not hold for these runs; nothing when it does.
fn fails(claim: &Claim, verdicts: &[&Value]) -> Option<String> {
    let verdicts: Vec<Value> = verdicts.iter().map(|verdict| (*verdict).clone()).collect();
    let outcome = claim.check(&verdicts);
    (!outcome.holds).then_some(outcome.why)
}
