//! Whether a claim makes sense for any verdict: every name exists and every comparison is between things of one kind.
//! What a verdict has is read off a sample that has everything.

use super::{ClaimError, Kind, Node, Operator, Path, Quantifier, SegmentKind, error};
use crate::sorting;
use crate::verdict::Verdict;
use serde_json::Value;

/// What kind of value an expression has; any may be missing in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Null,
    Truth,
    Number(Unit),
    Text,
}

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// As it was written: whatever it is held against.
    Bare,
    Count,
    /// Milliseconds.
    Time,
}

impl Type {
    pub(super) fn words(self) -> &'static str {
        match self {
            Type::Null => "null",
            Type::Truth => "true or false",
            Type::Number(Unit::Time) => "a time",
            Type::Number(_) => "a number",
            Type::Text => "a text",
        }
    }
}

impl Unit {
    fn words(self) -> &'static str {
        match self {
            Unit::Time => "a time",
            Unit::Count => "a count",
            Unit::Bare => "a bare number",
        }
    }

    /// Of two numbers that are compared or added; `column` is that of the second.
    fn alike(self, other: Unit, column: usize) -> Result<Unit, ClaimError> {
        match (self, other) {
            (Unit::Bare, unit) | (unit, Unit::Bare) => Ok(unit),
            (a, b) if a == b => Ok(a),
            (a, b) => error(column, format!("{} cannot be held against {}", b.words(), a.words())),
        }
    }

    fn times(self, other: Unit, column: usize) -> Result<Unit, ClaimError> {
        match (self, other) {
            (Unit::Time, Unit::Time) => error(column, "two times cannot be multiplied"),
            (Unit::Time, _) | (_, Unit::Time) => Ok(Unit::Time),
            (Unit::Bare, Unit::Bare) => Ok(Unit::Bare),
            _ => Ok(Unit::Count),
        }
    }

    fn over(self, other: Unit, column: usize) -> Result<Unit, ClaimError> {
        match (self, other) {
            (unit, Unit::Bare) => Ok(unit),
            (a, b) if a == b => Ok(Unit::Bare),
            (Unit::Time, Unit::Count) => Ok(Unit::Time),
            _ => error(column, "only a time can be divided by a time"),
        }
    }
}

pub(super) fn claim(node: &Node, quantifier: Quantifier, sample: Value) -> Result<(), ClaimError> {
    let checker = Checker {
        sample,
        numbers_only: matches!(quantifier, Quantifier::Median | Quantifier::P99),
    };
    checker.expects(
        node,
        Type::Truth,
        "a claim is something true or false, such as two_primaries.total_ms == 0",
    )
}

/// The type of an expression that need not be a claim.
pub(super) fn type_of(node: &Node) -> Result<Type, ClaimError> {
    let checker = Checker {
        sample: Verdict::sample().to_json(),
        numbers_only: false,
    };
    checker.type_of(node)
}

struct Checker {
    sample: Value,
    /// There is no median of texts.
    numbers_only: bool,
}

impl Checker {
    fn expects(&self, node: &Node, wanted: Type, rule: &str) -> Result<(), ClaimError> {
        match self.type_of(node)? {
            found if found == wanted => Ok(()),
            found => error(node.column, format!("{rule}; this is {}", found.words())),
        }
    }

    fn number(&self, node: &Node) -> Result<Unit, ClaimError> {
        match self.type_of(node)? {
            Type::Number(unit) => Ok(unit),
            found => error(node.column, format!("this needs a number; this is {}", found.words())),
        }
    }

    fn type_of(&self, node: &Node) -> Result<Type, ClaimError> {
        const JOINED: &str = "not, and, or join what is true or false";
        match &node.kind {
            Kind::Null => Ok(Type::Null),
            Kind::Bool(_) => Ok(Type::Truth),
            Kind::Number(_) => Ok(Type::Number(Unit::Bare)),
            Kind::Time(_) => Ok(Type::Number(Unit::Time)),
            Kind::Text(_) => Ok(Type::Text),
            Kind::Path(path) => self.path(path),
            Kind::Not(inner) => self.expects(inner, Type::Truth, JOINED).map(|()| Type::Truth),
            Kind::Negative(inner) => self.number(inner).map(Type::Number),
            Kind::In { value, from, to, .. } => {
                let unit = self.number(value)?.alike(self.number(from)?, from.column)?;
                unit.alike(self.number(to)?, to.column)?;
                Ok(Type::Truth)
            }
            Kind::Binary(Operator::Or | Operator::And, left, right) => {
                self.expects(left, Type::Truth, JOINED)?;
                self.expects(right, Type::Truth, JOINED)?;
                Ok(Type::Truth)
            }
            Kind::Binary(Operator::Equal | Operator::Unequal, left, right) => self.equality(left, right),
            Kind::Binary(operator, left, right) => {
                let (a, b) = (self.number(left)?, self.number(right)?);
                Ok(match operator {
                    Operator::Plus | Operator::Minus => Type::Number(a.alike(b, right.column)?),
                    Operator::Times => Type::Number(a.times(b, right.column)?),
                    Operator::Over => Type::Number(a.over(b, right.column)?),
                    _ => a.alike(b, right.column).map(|_| Type::Truth)?,
                })
            }
        }
    }

    fn equality(&self, left: &Node, right: &Node) -> Result<Type, ClaimError> {
        match (self.type_of(left)?, self.type_of(right)?) {
            (Type::Number(a), Type::Number(b)) => a.alike(b, right.column).map(|_| Type::Truth),
            (a, b) if a == b || a == Type::Null || b == Type::Null => Ok(Type::Truth),
            (a, b) => error(right.column, format!("{} cannot equal {}", b.words(), a.words())),
        }
    }

    fn path(&self, path: &Path) -> Result<Type, ClaimError> {
        let mut value = &self.sample;
        let mut name = String::new();
        for segment in &path.0 {
            let (column, here) = (segment.column, if name.is_empty() { "a verdict" } else { &name });
            value = match (&segment.kind, value) {
                (SegmentKind::Field(field), Value::Array(_)) if field == "len" => {
                    return Ok(Type::Number(Unit::Count));
                }
                (SegmentKind::Field(field), Value::Object(fields)) => match fields.get(field) {
                    Some(value) => value,
                    None => return error(column, format!("{here} has no {field}; it has {}", names(fields))),
                },
                (SegmentKind::Index(_), Value::Array(entries)) if !entries.is_empty() => &entries[0],
                (SegmentKind::Named(invariant), Value::Array(entries)) if name == "findings" => {
                    let known: Vec<&str> = entries.iter().filter_map(|entry| entry["invariant"].as_str()).collect();
                    if !known.contains(&invariant.as_str()) {
                        return error(
                            column,
                            format!("there is no such invariant; there are: {}", known.join(", ")),
                        );
                    }
                    &entries[0]
                }
                (SegmentKind::Field(_), Value::Array(_)) => {
                    return error(column, format!("{here} is a list; write {here}.len or {here}[0]"));
                }
                (SegmentKind::Field(_), _) => return error(column, format!("{here} is a value and has no parts")),
                _ => return error(column, format!("{here} is not a list that can be asked like this")),
            };
            let so_far = Path(vec![segment.clone()]).to_string();
            let dot = if name.is_empty() || so_far.starts_with('[') {
                ""
            } else {
                "."
            };
            name = format!("{name}{dot}{so_far}");
        }
        self.leaf(path, value)
    }

    fn leaf(&self, path: &Path, value: &Value) -> Result<Type, ClaimError> {
        let column = path.0.first().map_or(1, |segment| segment.column);
        let found = match value {
            Value::Null => Type::Null,
            Value::Bool(_) => Type::Truth,
            Value::Number(_) => Type::Number(unit_of(path)),
            Value::String(_) => Type::Text,
            Value::Array(_) => return error(column, format!("{path} is a list; write {path}.len or {path}[0]")),
            Value::Object(fields) => return error(column, format!("{path} is a group; choose {}", names(fields))),
        };
        if self.numbers_only && !matches!(found, Type::Number(_)) {
            return error(
                column,
                format!("median and p99 are of numbers; {path} is {}", found.words()),
            );
        }
        Ok(found)
    }
}

/// A verdict's times have their unit in their names.
fn unit_of(path: &Path) -> Unit {
    match path.0.last().map(|segment| &segment.kind) {
        Some(SegmentKind::Field(name)) if name.ends_with("_ms") => Unit::Time,
        _ => Unit::Count,
    }
}

fn names(fields: &serde_json::Map<String, Value>) -> String {
    let mut names: Vec<&str> = fields.keys().map(String::as_str).collect();
    sorting::by(&mut names, Ord::cmp);
    names.join(", ")
}
