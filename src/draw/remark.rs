//! Notes that people put on the timeline, for whoever opens the link.

use crate::engine::SimTime;

/// What somebody wants to say about a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    pub at: SimTime,
    /// One line, not empty.
    pub text: String,
}

impl Remark {
    /// A longer text is cut.
    pub const CHARS_MAX: usize = 200;
    /// More of them make nothing clearer.
    pub const MOST: usize = 50;

    /// Nothing when nothing is said.
    pub fn new(at: SimTime, text: &str) -> Option<Remark> {
        let line: String = text.split(char::is_control).collect::<Vec<_>>().join(" ");
        let text: String = line.trim().chars().take(Remark::CHARS_MAX).collect();
        (!text.is_empty()).then_some(Remark { at, text })
    }
}
