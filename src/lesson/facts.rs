//! What lessons, cards and walkthroughs have in common: facts in prose, each linked to a claim on a scenario, and their check
//! against the runs.

use super::check::Checked;
use super::prose::{Link, LinkTo};
use super::runs::Runs;
use super::staging::Staged;
use super::{Lesson, PartKind, Problem, Stated, number};
use crate::scenario::Scenario;
use crate::verdict::{Claim, Figure, FigureKind};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// A file as a collection of facts.
pub(super) struct Sheet<'a> {
    pub file: &'a str,
    pub scenarios: &'a [Staged],
    /// With the line where each begins.
    pub claims: Vec<(usize, &'a Stated)>,
    pub links: Vec<&'a Link>,
}

/// A number that is not what the runs say.
#[derive(Clone, Debug)]
pub struct Stale {
    pub problem: Problem,
    /// Where it stands in its file, in bytes, and what belongs there; nothing where it cannot be rewritten.
    pub(super) fix: Option<(Range<usize>, String)>,
}

impl Lesson {
    pub(super) fn sheet(&self) -> Sheet<'_> {
        let claims = self.parts.iter().filter_map(|part| match &part.what {
            PartKind::Claim(stated) => Some((part.line, stated)),
            _ => None,
        });
        Sheet {
            file: &self.file,
            scenarios: &self.scenarios,
            claims: claims.collect(),
            links: self.links(),
        }
    }
}

impl<'a> Sheet<'a> {
    pub fn scenario(&self, of: usize) -> &'a Scenario {
        &self.scenarios[of].scenario
    }

    fn claim(&self, name: &str) -> Option<&'a Stated> {
        let mut all = self.claims.iter().map(|(_, stated)| *stated);
        all.find(|stated| stated.name == name)
    }

    /// The runs that its claims are about.
    pub fn runs(&self) -> Vec<(&'a Scenario, u32)> {
        let of_claim = |(_, stated): &(usize, &'a Stated)| (self.scenario(stated.of), stated.seeds);
        self.claims.iter().map(of_claim).collect()
    }

    /// What is wrong without any run: every link leads to a claim of the file, and every claim is stated.
    pub fn rules(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        let mut wrong = |line: usize, what: String| {
            found.push(Problem {
                file: self.file.to_owned(),
                line,
                what,
            });
        };
        for link in &self.links {
            if let LinkTo::Claim(name) = &link.to {
                match self.claim(name) {
                    None => wrong(link.line, format!("claim:{name}: there is no such claim in this file")),
                    Some(stated) if stated.figure.is_none() && link.text.contains(|c: char| c.is_ascii_digit()) => {
                        wrong(
                            link.line,
                            format!("claim:{name} has no figure, so {:?} cannot be checked", link.text),
                        );
                    }
                    Some(_) => {}
                }
            }
        }
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for (line, stated) in &self.claims {
            let name = &stated.name;
            if names.insert(name, *line).is_some() {
                wrong(*line, format!("there is a claim {name} already"));
            }
            if !self.links.iter().any(|link| link.to == LinkTo::Claim(name.clone())) {
                wrong(*line, format!("claim {name} is stated nowhere: link to claim:{name}"));
            }
        }
        found
    }
}

/// One file being held against the runs.
pub(super) struct Facts<'a> {
    pub sheet: Sheet<'a>,
    pub runs: &'a Runs,
    pub into: &'a mut Checked,
}

impl Facts<'_> {
    pub fn wrong(&mut self, line: usize, what: String) {
        self.into.problems.push(Problem {
            file: self.sheet.file.to_owned(),
            line,
            what,
        });
    }

    /// Everything that is said in prose.
    pub fn check(&mut self) {
        self.into.problems.extend(self.sheet.rules());
        for index in 0..self.sheet.claims.len() {
            let (line, stated) = self.sheet.claims[index];
            self.into.counts.claims += 1;
            if let Some(why) = self.fails(&stated.claim, stated.of, stated.seeds) {
                let what = format!("claim {} does not hold: {}: {why}", stated.name, stated.claim.text());
                self.wrong(line, what);
            }
        }
        self.links();
    }

    /// The verdict of a scenario with its own seed.
    pub fn run(&self, of: usize) -> Value {
        let runs = self.runs.verdicts(self.sheet.scenario(of), 1);
        runs.first().map_or(Value::Null, |run| (*run).clone())
    }

    /// Why a claim does not hold for the runs of a scenario; nothing when it does.
    pub fn fails(&self, claim: &Claim, of: usize, seeds: u32) -> Option<String> {
        fails(claim, &self.runs.verdicts(self.sheet.scenario(of), seeds))
    }

    /// Whether the run shows what answers a remark; a line for when it does not.
    pub fn shows(&mut self, line: usize, what: &str, claim: &Claim, of: usize, seeds: u32) {
        if let Some(why) = self.fails(claim, of, seeds) {
            let what = format!("the run does not show what answers {what}: {}: {why}", claim.text());
            self.wrong(line, what);
        }
    }

    /// Whether a time lies within the run.
    pub fn instant(&mut self, line: usize, figure: &Figure, run: &Value) {
        let (text, end) = (figure.text(), run["duration_ms"].as_f64().unwrap_or_default());
        match figure.of(run).as_f64() {
            Some(ms) if (0.0..=end).contains(&ms) => {}
            Some(ms) => self.wrong(
                line,
                format!("{text} is {ms} ms, which is not within the run of {end} ms"),
            ),
            None => self.wrong(line, format!("{text} has no value in this run")),
        }
    }

    fn links(&mut self) {
        let folder = Path::new(self.sheet.file).parent().unwrap_or(Path::new("")).to_owned();
        for link in std::mem::take(&mut self.sheet.links) {
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
                    let stated = self.sheet.claim(name);
                    if let Some((stated, figure)) = stated.and_then(|stated| Some((stated, stated.figure.as_ref()?))) {
                        let is_text = figure.kind() == FigureKind::Text;
                        if is_text || number::is_number(&link.text) {
                            self.number(link, stated, figure);
                        }
                    }
                }
            }
        }
    }

    fn number(&mut self, link: &Link, stated: &Stated, figure: &Figure) {
        self.into.counts.numbers += 1;
        let verdicts = self.runs.verdicts(self.sheet.scenario(stated.of), stated.seeds);
        match number::written(&link.text, figure, stated.claim.quantifier(), &verdicts) {
            Err(why) => self.wrong(link.line, format!("[{}](claim:{}): {why}", link.text, stated.name)),
            Ok(right) if right == link.text => {}
            Ok(right) => {
                let problem = Problem {
                    file: self.sheet.file.to_owned(),
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
pub(super) fn fails(claim: &Claim, verdicts: &[&Value]) -> Option<String> {
    let verdicts: Vec<Value> = verdicts.iter().map(|verdict| (*verdict).clone()).collect();
    let outcome = claim.check(&verdicts);
    (!outcome.holds).then_some(outcome.why)
}
