//! The scenarios of a lesson: written in it, named by file, or made of another one of the lesson by changing values.

use super::blocks::ScenarioBlock;
use super::build::Builder;
use super::problem::{Problem, Problems};
use super::prose::Fence;
use super::read::toml;
use crate::scenario::{Scenario, ScenarioError};
use toml::{Table, Value};

/// A scenario of a lesson, under the name that its blocks use.
#[derive(Clone, Debug, PartialEq)]
pub struct Staged {
    pub name: String,
    pub scenario: Scenario,
    source: Source,
}

/// What it was read from, so that it can be read again with other values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Source {
    text: String,
    /// What errors call it.
    origin: String,
    /// The lines of the lesson before it, when it is written there.
    lines_before: usize,
    /// What the lesson changes in it, and the line where it does.
    set: Vec<(String, String)>,
    set_in: (String, usize),
}

impl Source {
    pub fn written(text: &str, file: &str, lines_before: usize) -> Source {
        Source {
            text: text.to_owned(),
            origin: file.to_owned(),
            lines_before,
            set: Vec::new(),
            set_in: (file.to_owned(), lines_before),
        }
    }

    pub fn of_file(text: String, name: &str) -> Source {
        Source {
            text,
            origin: format!("scenarios/{name}.toml"),
            lines_before: 0,
            set: Vec::new(),
            set_in: (String::new(), 0),
        }
    }

    /// The same with more values changed, by a block on this line of this file.
    pub fn with(&self, set: &[(String, String)], file: &str, line: usize) -> Source {
        let mut changed = self.clone();
        changed.set.extend_from_slice(set);
        changed.set_in = (file.to_owned(), line);
        changed
    }

    pub fn read(&self) -> Result<Scenario, Vec<Problem>> {
        let problem = |error: ScenarioError| {
            let ScenarioError {
                key,
                value,
                wrong,
                remedy,
                ..
            } = &error;
            let (file, line) = match error.file.as_str() {
                "--set" => self.set_in.clone(),
                _ => (self.origin.clone(), self.lines_before + error.line),
            };
            Problem {
                file,
                line,
                what: format!("{key} = {value}: {wrong}; {remedy}"),
            }
        };
        Scenario::parse_with(&self.text, &self.origin, &self.set)
            .map_err(|errors| errors.into_iter().map(problem).collect())
    }
}

impl Staged {
    pub(super) fn read(name: String, source: Source) -> Result<Staged, Vec<Problem>> {
        let scenario = source.read()?;
        Ok(Staged { name, scenario, source })
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }
}

impl Builder<'_> {
    /// Introduces a scenario; its place among those of the file.
    pub fn stage(&mut self, fence: &Fence, problems: &mut Problems<'_>) -> Option<usize> {
        let Some(name) = fence.name.clone() else {
            problems.at(fence.at, "a scenario needs a name: ```scenario crash");
            return None;
        };
        if self.scenarios.iter().any(|staged| staged.name == name) {
            problems.at(
                fence.at,
                format!("there is a scenario {name} already; choose another name"),
            );
            return None;
        }
        let source = self.source(fence, problems)?;
        match Staged::read(name, source) {
            Ok(staged) => self.scenarios.push(staged),
            Err(found) => {
                problems.found.extend(found);
                return None;
            }
        }
        Some(self.scenarios.len() - 1)
    }

    fn source(&self, fence: &Fence, problems: &mut Problems<'_>) -> Option<Source> {
        let body = &self.text[fence.body.clone()];
        let line = problems.line(fence.at);
        // What is no TOML is told as a scenario would be: with key, value and remedy.
        let is_made = body
            .parse::<toml::Table>()
            .is_ok_and(|table| table.contains_key("file") || table.contains_key("from"));
        if !is_made {
            return Some(Source::written(body, problems.file, line));
        }
        let block: ScenarioBlock = toml(body, &fence.body, problems)?;
        let set = match settings(&block.set) {
            Ok(set) => set,
            Err(key) => {
                problems.at(
                    fence.at,
                    format!("{key} is a list; write the scenario out to change lists"),
                );
                return None;
            }
        };
        let source = match (&block.file, &block.from) {
            (Some(file), None) => match (self.shelf)(file.get_ref()) {
                Some(text) => Source::of_file(text, file.get_ref()),
                None => {
                    let what = format!("there is no scenarios/{}.toml beside the lessons", file.get_ref());
                    problems.at(fence.body.start + file.span().start, what);
                    return None;
                }
            },
            (None, Some(from)) => {
                let at = fence.body.start + from.span().start;
                let index = self.scenario(from.get_ref(), at, problems)?;
                self.scenarios[index].source().clone()
            }
            _ => {
                problems.at(fence.at, "a scenario is either of a file or from another, not both");
                return None;
            }
        };
        Some(source.with(&set, problems.file, line))
    }
}

/// Values to set, as pairs of key and text: `patroni.ttl = 20` and `fault.1.for_s = 5` as TOML has them.
///
/// # Errors
/// The key of what no setting can be.
pub(super) fn settings(table: &Table) -> Result<Vec<(String, String)>, String> {
    let mut all = Vec::new();
    flatten("", table, &mut all)?;
    Ok(all)
}

fn flatten(before: &str, table: &Table, all: &mut Vec<(String, String)>) -> Result<(), String> {
    for (name, value) in table {
        let key = if before.is_empty() {
            name.clone()
        } else {
            format!("{before}.{name}")
        };
        match value {
            Value::Table(inner) => flatten(&key, inner, all)?,
            Value::String(text) => all.push((key, text.clone())),
            Value::Integer(number) => all.push((key, number.to_string())),
            Value::Float(number) => all.push((key, number.to_string())),
            Value::Boolean(truth) => all.push((key, truth.to_string())),
            Value::Array(_) | Value::Datetime(_) => return Err(key),
        }
    }
    Ok(())
}
