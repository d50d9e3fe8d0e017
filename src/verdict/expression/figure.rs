//! A value that is worked out from a verdict: what a lesson's numbers and the answers of its bets are.

use super::check::{Type, Unit};
use super::{ClaimError, Node, check, error, evaluate, lexer, parser};
use serde_json::Value;

/// An expression that is asked for its value instead of its truth.
///
/// ```
/// use leaselab::scenario::Scenario;
/// use leaselab::verdict::{Figure, FigureKind, judge};
/// let figure = Figure::parse("store.longest_renewal_gap_ms - 10 s").unwrap();
/// assert_eq!(figure.kind(), FigureKind::Time);
/// let verdict = judge(&Scenario::default()).to_json();
/// assert!(figure.of(&verdict).as_f64().unwrap() < 100.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    text: String,
    kind: FigureKind,
    expression: Node,
}

/// What a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureKind {
    Truth,
    Count,
    /// In milliseconds.
    Time,
    Text,
}

impl Figure {
    /// Reads a figure.
    ///
    /// # Errors
    /// When the text cannot be read, names what no verdict has, or is never anything but null.
    pub fn parse(text: &str) -> Result<Figure, ClaimError> {
        let expression = parser::parse_value(lexer::tokens(text)?)?;
        let kind = match check::type_of(&expression)? {
            Type::Null => return error(expression.column, "a figure has a value; this is null"),
            Type::Truth => FigureKind::Truth,
            Type::Number(Unit::Time) => FigureKind::Time,
            Type::Number(_) => FigureKind::Count,
            Type::Text => FigureKind::Text,
        };
        Ok(Figure {
            text: text.trim().to_owned(),
            kind,
            expression,
        })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn kind(&self) -> FigureKind {
        self.kind
    }

    /// Its value in a run, given as [`Verdict::to_json`](crate::verdict::Verdict::to_json) has it; null when the run lacks
    /// what it needs.
    pub fn of(&self, verdict: &Value) -> Value {
        evaluate::value(&self.expression, verdict)
    }
}
