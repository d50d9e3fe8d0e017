//! Whether a claim makes sense for any verdict: every name exists and every comparison is between things of one kind.
//! What a verdict has is read off a sample that has everything.

use super::{ClaimError, Kind, Node, Operator, Path, Quantifier, SegmentKind, error};
use crate::sorting;
use serde_json::Value;

/// What kind of value an expression has; any may be missing in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Null,
    Truth,
    Number,
    Text,
}

impl Type {
    fn words(self) -> &'static str {
        match self {
            Type::Null => "null",
            Type::Truth => "true or false",
            Type::Number => "a number",
            Type::Text => "a text",
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

    fn type_of(&self, node: &Node) -> Result<Type, ClaimError> {
        const JOINED: &str = "not, and, or join what is true or false";
        const COUNTED: &str = "this needs a number";
        match &node.kind {
            Kind::Null => Ok(Type::Null),
            Kind::Bool(_) => Ok(Type::Truth),
            Kind::Number(_) => Ok(Type::Number),
            Kind::Text(_) => Ok(Type::Text),
            Kind::Path(path) => self.path(path),
            Kind::Not(inner) => self.expects(inner, Type::Truth, JOINED).map(|()| Type::Truth),
            Kind::Negative(inner) => self.expects(inner, Type::Number, COUNTED).map(|()| Type::Number),
            Kind::In { value, from, to, .. } => {
                for part in [value, from, to] {
                    self.expects(part, Type::Number, COUNTED)?;
                }
                Ok(Type::Truth)
            }
            Kind::Binary(operator, left, right) => {
                let (each, result) = match operator {
                    Operator::Or | Operator::And => ((Type::Truth, JOINED), Type::Truth),
                    Operator::Plus | Operator::Minus | Operator::Times | Operator::Over => {
                        ((Type::Number, COUNTED), Type::Number)
                    }
                    Operator::Equal | Operator::Unequal => return self.equality(left, right),
                    _ => ((Type::Number, COUNTED), Type::Truth),
                };
                self.expects(left, each.0, each.1)?;
                self.expects(right, each.0, each.1)?;
                Ok(result)
            }
        }
    }

    fn equality(&self, left: &Node, right: &Node) -> Result<Type, ClaimError> {
        let (a, b) = (self.type_of(left)?, self.type_of(right)?);
        if a == b || a == Type::Null || b == Type::Null {
            return Ok(Type::Truth);
        }
        error(right.column, format!("{} cannot equal {}", b.words(), a.words()))
    }

    fn path(&self, path: &Path) -> Result<Type, ClaimError> {
        let mut value = &self.sample;
        let mut name = String::new();
        for segment in &path.0 {
            let (column, here) = (segment.column, if name.is_empty() { "a verdict" } else { &name });
            value = match (&segment.kind, value) {
                (SegmentKind::Field(field), Value::Array(_)) if field == "len" => return Ok(Type::Number),
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
            Value::Number(_) => Type::Number,
            Value::String(_) => Type::Text,
            Value::Array(_) => return error(column, format!("{path} is a list; write {path}.len or {path}[0]")),
            Value::Object(fields) => return error(column, format!("{path} is a group; choose {}", names(fields))),
        };
        if self.numbers_only && found != Type::Number {
            return error(
                column,
                format!("median and p99 are of numbers; {path} is {}", found.words()),
            );
        }
        Ok(found)
    }
}

fn names(fields: &serde_json::Map<String, Value>) -> String {
    let mut names: Vec<&str> = fields.keys().map(String::as_str).collect();
    sorting::by(&mut names, Ord::cmp);
    names.join(", ")
}
