//! The language of claims: what lessons state, tasks ask for and `leaselab run --expect` demands.
//!
//! | written                                      | means |
//! |----------------------------------------------|-------|
//! | `two_primaries.total_ms`, `failovers[0].why` | a value of the verdict; lists count from 0 |
//! | `failovers.len`                              | how many entries a list has |
//! | `findings["one writable primary"].holds`     | the finding of a named invariant |
//! | `12.5`, `true`, `"lease expired"`, `null`    | literals; `null` is what did not happen |
//! | `13.2 s`, `500ms`, `2 min`                   | times: `us`, `ms`, `s`, `min`, `h`; a bare number held against a time is milliseconds |
//! | `+ - * /`, `== != < <= > >=`                 | as usual; a time and a count cannot be held against each other |
//! | `x in 10..20`, `x in 10 s..=20 s`            | from 10 up to, without or with, 20 |
//! | `not`, `and`, `or`, `( )`                    | `and` binds closer than `or`; both stop when the answer is clear |
//!
//! Before it a claim over several seeds says for which: `all` (also when nothing is said) or `some` of the runs; with
//! `median` or `p99` every value of the verdict stands for its median or 99th percentile over the runs.
//!
//! A name that no verdict has, or a comparison of things that cannot be compared, is an error when the claim is read. A
//! value that a run does not have (the first failover of a run without any) makes the claim not hold for that run, except
//! that it can be compared with `null`.

mod check;
mod evaluate;
mod figure;
mod lexer;
mod parser;

pub use figure::{Figure, FigureKind};

use super::Verdict;
use serde_json::Value;
use std::fmt;

/// A claim about one verdict or several.
///
/// ```
/// use leaselab::scenario::Scenario;
/// use leaselab::verdict::{Claim, judge};
/// let claim = Claim::parse("two_primaries.ever == false and failovers.len in 0..=1").unwrap();
/// let verdict = judge(&Scenario::default()).to_json();
/// assert!(claim.check(&[verdict]).holds);
///
/// let error = Claim::parse("two_primaries.evr").unwrap_err();
/// assert_eq!(error.to_string(), "column 15: two_primaries has no evr; it has ever, intervals, longest_ms, total_ms");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    text: String,
    quantifier: Quantifier,
    expression: Node,
}

/// For which of several runs a claim is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quantifier {
    #[default]
    All,
    Some,
    Median,
    P99,
}

/// Whether a claim holds, and the values that decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub holds: bool,
    /// `two_primaries.total_ms is 13250 (seed 7)`.
    pub why: String,
}

/// A claim that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {problem}")]
pub struct ClaimError {
    /// Of the character at which the trouble begins, from 1.
    pub column: usize,
    /// What is wrong and what would be right.
    pub problem: String,
}

/// Part of an expression and the column where it begins.
#[derive(Clone, Debug, PartialEq)]
struct Node {
    column: usize,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Null,
    Bool(bool),
    Number(f64),
    /// In milliseconds.
    Time(f64),
    Text(String),
    Path(Path),
    Not(Box<Node>),
    Negative(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    In {
        value: Box<Node>,
        from: Box<Node>,
        to: Box<Node>,
        closed: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Times,
    Over,
}

/// The way to a value of the verdict.
#[derive(Clone, Debug, PartialEq)]
struct Path(Vec<Segment>);

#[derive(Clone, Debug, PartialEq)]
struct Segment {
    column: usize,
    kind: SegmentKind,
}

#[derive(Clone, Debug, PartialEq)]
enum SegmentKind {
    Field(String),
    Index(usize),
    /// The finding of this invariant.
    Named(String),
}

impl Claim {
    /// # Errors
    /// The first thing that is wrong, with its column: a character or word out of place, a name that no verdict has, or
    /// values that do not fit together. Texts longer than 2,000 characters and more than 50 nested parts are refused.
    pub fn parse(text: &str) -> Result<Claim, ClaimError> {
        Claim::about(text, Verdict::sample().to_json())
    }

    /// The same for verdicts of another kind. `sample`: one that has everything, with an entry for each invariant.
    ///
    /// # Errors
    /// As [`Claim::parse`].
    pub fn about(text: &str, sample: Value) -> Result<Claim, ClaimError> {
        let (quantifier, expression) = parser::parse(lexer::tokens(text)?)?;
        let quantifier = quantifier.unwrap_or_default();
        check::claim(&expression, quantifier, sample)?;
        Ok(Claim {
            text: text.trim().to_owned(),
            quantifier,
            expression,
        })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn quantifier(&self) -> Quantifier {
        self.quantifier
    }

    /// Holds the claim against the verdicts of one or more runs, as [`Verdict::to_json`](super::Verdict::to_json) gives
    /// them. About no runs nothing holds.
    pub fn check(&self, verdicts: &[Value]) -> Outcome {
        evaluate::outcome(self, verdicts)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, segment) in self.0.iter().enumerate() {
            match &segment.kind {
                SegmentKind::Field(name) if n == 0 => f.write_str(name)?,
                SegmentKind::Field(name) => write!(f, ".{name}")?,
                SegmentKind::Index(index) => write!(f, "[{index}]")?,
                SegmentKind::Named(name) => write!(f, "[\"{name}\"]")?,
            }
        }
        Ok(())
    }
}

fn error<T>(column: usize, problem: impl Into<String>) -> Result<T, ClaimError> {
    Err(ClaimError {
        column,
        problem: problem.into(),
    })
}
