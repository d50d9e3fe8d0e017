//! Notes on the timeline: written at the playhead, kept in the link, undone like any other change.

use super::{Effect, Session};
use crate::draw::Remark;
use std::rc::Rc;

/// Something is done with the notes on the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemarkEdit {
    /// What is being written so far.
    Draft(String),
    /// Puts that at the playhead.
    Put,
    /// Takes one away, by its place in the order of time.
    Remove(usize),
}

impl Session {
    pub(super) fn edit_remark(&mut self, edit: RemarkEdit) -> Vec<Effect> {
        match edit {
            RemarkEdit::Draft(text) => self.remark_draft = text,
            RemarkEdit::Put => {
                let remark = Remark::new(self.playhead, &self.remark_draft).filter(|_| self.may_remark());
                if let Some(remark) = remark {
                    let after = self.remarks.partition_point(|other| other.at <= remark.at);
                    Rc::make_mut(&mut self.remarks).insert(after, remark);
                    self.remark_draft.clear();
                }
            }
            RemarkEdit::Remove(place) if place < self.remarks.len() => {
                Rc::make_mut(&mut self.remarks).remove(place);
            }
            RemarkEdit::Remove(_) => {}
        }
        Vec::new()
    }

    /// Whether there is room for one more.
    pub fn may_remark(&self) -> bool {
        self.remarks.len() < Remark::MOST
    }
}
