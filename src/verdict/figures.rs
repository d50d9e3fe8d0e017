//! The numbers of a verdict under their paths, and what they are over several seeds.

use crate::sorting;
use serde_json::Value;
use std::collections::BTreeMap;

/// Of each list only so many entries count as figures of their own.
const LISTED: usize = 3;

/// A number or truth of a verdict, for each run that has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    numbers: BTreeMap<String, Vec<f64>>,
    truths: BTreeMap<String, u32>,
    runs: u32,
}

/// What a number was over several runs.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Range {
    pub min: f64,
    pub median: f64,
    pub max: f64,
    /// How many runs had it: not every run has a first failover.
    pub runs: u32,
}

impl Series {
    /// Adds the verdict of one run, as JSON.
    pub fn add(&mut self, verdict: &Value) {
        self.runs += 1;
        self.walk("", verdict);
    }

    pub fn runs(&self) -> u32 {
        self.runs
    }

    /// Every number by its path, such as `failovers[0].writable_ms`.
    pub fn ranges(&self) -> BTreeMap<&str, Range> {
        self.numbers
            .iter()
            .filter_map(|(path, numbers)| Some((path.as_str(), Range::of(numbers)?)))
            .collect()
    }

    /// For every yes-or-no of the verdict in how many runs it was yes.
    pub fn truths(&self) -> &BTreeMap<String, u32> {
        &self.truths
    }

    fn walk(&mut self, path: &str, value: &Value) {
        match value {
            Value::Number(number) => {
                let numbers = self.numbers.entry(path.to_owned()).or_default();
                numbers.extend(number.as_f64());
            }
            Value::Bool(truth) => *self.truths.entry(path.to_owned()).or_default() += u32::from(*truth),
            Value::Object(fields) => {
                let told = fields.iter().filter(|(key, _)| !is_a_name(path, key));
                for (key, field) in told {
                    let dot = if path.is_empty() { "" } else { "." };
                    self.walk(&format!("{path}{dot}{key}"), field);
                }
            }
            Value::Array(entries) if path == "findings" => {
                for entry in entries {
                    self.walk(&format!("findings[{}]", entry["invariant"]), entry);
                }
            }
            Value::Array(entries) => {
                self.numbers
                    .entry(format!("{path}.len"))
                    .or_default()
                    .push(entries.len() as f64);
                for (index, entry) in entries.iter().enumerate().take(LISTED) {
                    self.walk(&format!("{path}[{index}]"), entry);
                }
            }
            Value::Null | Value::String(_) => {}
        }
    }
}

/// What identifies something instead of measuring it.
fn is_a_name(path: &str, key: &str) -> bool {
    matches!((path, key), ("", "seed" | "duration_ms" | "adjusted")) || matches!(key, "event" | "nodes")
}

impl Range {
    /// Nothing when there are no numbers.
    pub fn of(numbers: &[f64]) -> Option<Range> {
        let sorted = sorted(numbers);
        Some(Range {
            min: *sorted.first()?,
            median: median(&sorted)?,
            max: *sorted.last()?,
            runs: sorted.len() as u32,
        })
    }
}

pub(super) fn sorted(numbers: &[f64]) -> Vec<f64> {
    let mut sorted = numbers.to_vec();
    sorting::by(&mut sorted, f64::total_cmp);
    sorted
}

/// The middle of sorted numbers; between the two middle ones when their number is even.
pub(super) fn median(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some(lower + (upper - lower) / 2.0)
}

/// The 99th percentile of numbers in any order, as `p99` in a claim has it; not a number when there are none.
pub fn percentile_99(numbers: &[f64]) -> f64 {
    p99(&sorted(numbers)).unwrap_or(f64::NAN)
}

/// The smallest of the sorted numbers that at least 99 in 100 do not exceed.
pub(super) fn p99(sorted: &[f64]) -> Option<f64> {
    let rank = (sorted.len() * 99).div_ceil(100);
    sorted.get(rank.checked_sub(1)?).copied()
}
