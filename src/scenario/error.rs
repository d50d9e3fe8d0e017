//! What is wrong with a scenario, in one line that says where it is and what to do.

use crate::sorting;
use std::rc::Rc;
use strsim::osa_distance;

/// One thing wrong with a scenario.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {key} = {value}: {wrong}; {remedy}")]
pub struct ScenarioError {
    /// The file's name, or `--set`.
    pub file: String,
    /// From 1; for `--set`, which of the settings.
    pub line: usize,
    /// Such as `patroni.ttl` or `fault 2: target`.
    pub key: String,
    /// As written, shortened to one line.
    pub value: String,
    pub wrong: String,
    pub remedy: String,
}

/// What is wrong with a value, before it is known where the value stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub wrong: String,
    pub remedy: String,
}

impl Problem {
    pub fn new(wrong: impl Into<String>, remedy: impl Into<String>) -> Problem {
        Problem {
            wrong: wrong.into(),
            remedy: remedy.into(),
        }
    }

    /// For what the file format has room for, but this version cannot do.
    pub fn not_built(what: &str, remedy: impl Into<String>) -> Problem {
        Problem::new(format!("{what} is not built yet"), remedy)
    }
}

/// Where a value was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub file: Rc<str>,
    pub line: usize,
}

/// All errors found so far. More than [`ERRORS_MAX`] help nobody and are not kept.
#[derive(Default)]
pub(super) struct Errors(Vec<ScenarioError>);

/// The proof that an error was recorded: who has no value has this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refused(());

const ERRORS_MAX: usize = 100;

impl Errors {
    pub fn push(&mut self, place: &Place, key: &str, value: &str, problem: Problem) -> Refused {
        if !self.is_full() {
            self.0.push(ScenarioError {
                file: shown(&place.file),
                line: place.line,
                key: shown(or_nothing(key)),
                value: shown(or_nothing(value)),
                wrong: problem.wrong,
                remedy: problem.remedy,
            });
        }
        Refused(())
    }

    /// Whether further errors would not be kept.
    pub fn is_full(&self) -> bool {
        self.0.len() >= ERRORS_MAX
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In the order of the lines.
    pub fn sorted(mut self) -> Vec<ScenarioError> {
        sorting::by(&mut self.0, |a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        self.0
    }
}

/// What stands for a value that is not there.
pub(super) const MISSING: &str = "(missing)";

/// What stands for an empty piece of text.
fn or_nothing(text: &str) -> &str {
    if text.is_empty() { "(nothing)" } else { text }
}

/// More characters of a value than these are not repeated in an error.
const SHOWN_CHARS_MAX: usize = 60;

/// Whether a character would spoil a text of one line.
pub(super) fn breaks_a_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The same text on one line.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if breaks_a_line(c) { ' ' } else { c }).collect()
}

/// A value's text on one line, shortened.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{}…", one_line(&text[..end])),
        None => one_line(text),
    }
}

/// The known word nearest to what was written, when it is near enough to have been meant.
pub(super) fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written: String = written.chars().take(SHOWN_CHARS_MAX).collect();
    let allowed = (written.chars().count() / 3).clamp(1, 3);
    known
        .into_iter()
        .map(|word| (osa_distance(&written, word), word))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// `did you mean "x"?` when there is something near, else which words there are.
pub(super) fn suggest(written: &str, known: &[&str]) -> String {
    match nearest(written, known.iter().copied()) {
        Some(word) => format!("did you mean {word}?"),
        None => format!("use one of {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_is_recognised_and_a_different_word_is_not() {
        assert_eq!(nearest("tll", ["ttl", "loop_wait"]), Some("ttl"));
        assert_eq!(nearest("retry_timeuot", ["retry_timeout"]), Some("retry_timeout"));
        assert_eq!(nearest("elephant", ["ttl", "loop_wait"]), None);
    }

    #[test]
    fn a_value_of_many_lines_is_shown_on_one() {
        assert_eq!(shown("a\nb"), "a b");
        assert_eq!(shown(&"x".repeat(100)).chars().count(), 61);
    }
}
