//! What is wrong with a lesson, in one line that says where it is.

/// One thing wrong with a lesson.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct Problem {
    pub file: String,
    /// From 1.
    pub line: usize,
    /// What is wrong and what would be right.
    pub what: String,
}

/// Collects what is wrong with one file, by byte or by line.
pub(super) struct Problems<'a> {
    pub file: &'a str,
    text: &'a str,
    pub found: Vec<Problem>,
}

impl<'a> Problems<'a> {
    pub fn of(file: &'a str, text: &'a str) -> Problems<'a> {
        Problems {
            file,
            text,
            found: Vec::new(),
        }
    }

    /// The line of a byte.
    pub fn line(&self, byte: usize) -> usize {
        let before = &self.text.as_bytes()[..byte.min(self.text.len())];
        1 + before.iter().filter(|&&b| b == b'\n').count()
    }

    /// Whether the file has this text at this byte.
    pub fn has(&self, byte: usize, text: &str) -> bool {
        self.text.get(byte..).is_some_and(|rest| rest.starts_with(text))
    }

    pub fn at(&mut self, byte: usize, what: impl Into<String>) {
        self.on(self.line(byte), what);
    }

    pub fn on(&mut self, line: usize, what: impl Into<String>) {
        self.found.push(Problem {
            file: self.file.to_owned(),
            line,
            what: what.into(),
        });
    }
}
