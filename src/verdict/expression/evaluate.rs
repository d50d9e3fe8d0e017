//! Holds a claim that has been checked against verdicts.

use super::{Claim, Kind, Node, Operator, Outcome, Path, Quantifier, SegmentKind};
use crate::verdict::figures::{median, p99, sorted};
use serde_json::Value;
use std::cell::RefCell;

pub(super) fn outcome(claim: &Claim, verdicts: &[Value]) -> Outcome {
    match claim.quantifier {
        Quantifier::All => each(claim, verdicts, false),
        Quantifier::Some => each(claim, verdicts, true),
        Quantifier::Median => combined(claim, verdicts, median),
        Quantifier::P99 => combined(claim, verdicts, p99),
    }
}

/// `all` stops at the first run for which it does not hold, `some` at the first for which it does: at the first whose
/// answer is `decisive`.
fn each(claim: &Claim, verdicts: &[Value], decisive: bool) -> Outcome {
    let mut last = Outcome {
        holds: false,
        why: "there is no run".to_owned(),
    };
    let held = |verdict: &Value| {
        let one = Evaluation {
            look_up: |path: &Path| find(verdict, path),
            seen: RefCell::default(),
        };
        let (holds, why) = one.claim(&claim.expression);
        let seed = &verdict["seed"];
        Outcome {
            holds,
            why: if seed.is_null() {
                why
            } else {
                format!("{why} (seed {seed})")
            },
        }
    };
    for verdict in verdicts {
        last = held(verdict);
        if last.holds == decisive {
            break;
        }
    }
    last
}

/// What an expression comes to in one run; null when the run lacks what it needs.
pub(super) fn value(expression: &Node, verdict: &Value) -> Value {
    let one = Evaluation {
        look_up: |path: &Path| find(verdict, path),
        seen: RefCell::default(),
    };
    one.value(expression).unwrap_or_default()
}

/// Every path stands for one number over all runs.
fn combined(claim: &Claim, verdicts: &[Value], combine: fn(&[f64]) -> Option<f64>) -> Outcome {
    let look_up = |path: &Path| {
        let numbers: Option<Vec<f64>> = verdicts.iter().map(|verdict| find(verdict, path).as_f64()).collect();
        // One run without the value, and there is no honest median.
        numbers
            .and_then(|numbers| combine(&sorted(&numbers)))
            .map_or(Value::Null, Value::from)
    };
    let (holds, why) = Evaluation {
        look_up,
        seen: RefCell::default(),
    }
    .claim(&claim.expression);
    Outcome {
        holds,
        why: format!("{why} over {} runs", verdicts.len()),
    }
}

/// The value at the end of a path; null where the run has none.
fn find(verdict: &Value, path: &Path) -> Value {
    let mut value = verdict;
    for segment in &path.0 {
        value = match (&segment.kind, value) {
            (SegmentKind::Field(name), Value::Array(entries)) if name == "len" => return Value::from(entries.len()),
            (SegmentKind::Field(name), _) => &value[name.as_str()],
            (SegmentKind::Index(index), _) => &value[*index],
            (SegmentKind::Named(name), Value::Array(entries)) => entries
                .iter()
                .find(|entry| entry["invariant"] == name.as_str())
                .unwrap_or(&Value::Null),
            (SegmentKind::Named(_), _) => &Value::Null,
        };
    }
    value.clone()
}

/// The run lacks a value that was needed.
struct Missing(String);

struct Evaluation<L> {
    look_up: L,
    /// What was looked up, for the reason.
    seen: RefCell<Vec<String>>,
}

impl<L: Fn(&Path) -> Value> Evaluation<L> {
    fn claim(&self, node: &Node) -> (bool, String) {
        let result = self.value(node).and_then(|value| truth(&value));
        let seen = self.seen.borrow().join(", ");
        match result {
            Ok(holds) if seen.is_empty() => (holds, format!("it is {holds}")),
            Ok(holds) => (holds, seen),
            Err(Missing(why)) => (false, why),
        }
    }

    fn value(&self, node: &Node) -> Result<Value, Missing> {
        match &node.kind {
            Kind::Null => Ok(Value::Null),
            Kind::Bool(truth) => Ok(Value::from(*truth)),
            Kind::Number(number) | Kind::Time(number) => Ok(Value::from(*number)),
            Kind::Text(text) => Ok(Value::from(text.as_str())),
            Kind::Path(path) => {
                let value = (self.look_up)(path);
                let seen = format!("{path} is {value}");
                let mut all = self.seen.borrow_mut();
                if !all.contains(&seen) {
                    all.push(seen);
                }
                Ok(value)
            }
            Kind::Not(inner) => Ok(Value::from(!truth(&self.value(inner)?)?)),
            Kind::Negative(inner) => Ok(Value::from(-self.number(inner)?)),
            Kind::In {
                value,
                from,
                to,
                closed,
            } => {
                let (value, from, to) = (self.number(value)?, self.number(from)?, self.number(to)?);
                Ok(Value::from(from <= value && (value < to || (*closed && value == to))))
            }
            Kind::Binary(operator, left, right) => self.binary(*operator, left, right),
        }
    }

    fn binary(&self, operator: Operator, left: &Node, right: &Node) -> Result<Value, Missing> {
        let numbers = || Ok((self.number(left)?, self.number(right)?));
        let compare = |holds: fn(&f64, &f64) -> bool| numbers().map(|(a, b)| Value::from(holds(&a, &b)));
        match operator {
            Operator::And => Ok(Value::from(truth(&self.value(left)?)? && truth(&self.value(right)?)?)),
            Operator::Or => Ok(Value::from(truth(&self.value(left)?)? || truth(&self.value(right)?)?)),
            Operator::Equal => Ok(Value::from(self.equal(left, right)?)),
            Operator::Unequal => Ok(Value::from(!self.equal(left, right)?)),
            Operator::Less => compare(f64::lt),
            Operator::LessOrEqual => compare(f64::le),
            Operator::Greater => compare(f64::gt),
            Operator::GreaterOrEqual => compare(f64::ge),
            Operator::Plus => numbers().map(|(a, b)| Value::from(a + b)),
            Operator::Minus => numbers().map(|(a, b)| Value::from(a - b)),
            Operator::Times => numbers().map(|(a, b)| Value::from(a * b)),
            Operator::Over => match numbers()? {
                (_, 0.0) => Err(Missing(format!("a division by zero at column {}", right.column))),
                (a, b) => Ok(Value::from(a / b)),
            },
        }
    }

    fn equal(&self, left: &Node, right: &Node) -> Result<bool, Missing> {
        let (left, right) = (self.value(left)?, self.value(right)?);
        // A verdict's 12 is a whole number and a claim's is not; as values they would differ.
        Ok(match (left.as_f64(), right.as_f64()) {
            (Some(a), Some(b)) => a == b,
            _ => left == right,
        })
    }

    fn number(&self, node: &Node) -> Result<f64, Missing> {
        match self.value(node)?.as_f64() {
            Some(number) => Ok(number),
            None => Err(missing(node)),
        }
    }
}

fn truth(value: &Value) -> Result<bool, Missing> {
    value
        .as_bool()
        .ok_or_else(|| Missing("a value it needs is missing in this run".to_owned()))
}

fn missing(node: &Node) -> Missing {
    match &node.kind {
        Kind::Path(path) => Missing(format!("{path} has no value")),
        _ => Missing(format!("what stands at column {} has no value", node.column)),
    }
}
