//! The scenarios of a lesson: written in it, named by file, or made of another one of the lesson by changing values.

use super::problem::Problem;
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
