//! Notes on the timeline.

use super::*;
use crate::draw::Remark;

fn put(session: &mut Session, at: u64, text: &str) {
    session.reduce(Action::Seek(SimTime(at * 1_000_000)));
    session.reduce(Action::Remark(RemarkEdit::Draft(text.to_owned())));
    session.reduce(Action::Remark(RemarkEdit::Put));
}

fn texts(session: &Session) -> Vec<(u64, &str)> {
    let remarks = session.remarks.iter();
    remarks.map(|one| (one.at.0 / 1_000_000, one.text.as_str())).collect()
}

#[test]
fn notes_stand_in_the_order_of_time_and_each_is_one_step_of_undo() {
    let mut session = paused();
    put(&mut session, 30, "then this");
    put(&mut session, 20, "  first\nthis ");
    assert_eq!(texts(&session), [(20, "first this"), (30, "then this")]);
    assert_eq!(session.remark_draft, "");
    assert_eq!(session.history.undoes(), Some("a note on the timeline"));
    assert_eq!(session.reduce(Action::Undo), [], "the run stays");
    assert_eq!(texts(&session), [(30, "then this")]);
    session.reduce(Action::Redo);
    session.reduce(Action::Remark(RemarkEdit::Remove(1)));
    assert_eq!(texts(&session), [(20, "first this")]);
    session.reduce(Action::Undo);
    assert_eq!(texts(&session), [(20, "first this"), (30, "then this")]);
}

#[test]
fn nothing_said_is_no_note_and_there_is_an_end_to_them() {
    let mut session = paused();
    put(&mut session, 10, " \t ");
    assert_eq!(texts(&session), []);
    for n in 0..Remark::MOST + 3 {
        put(&mut session, 10, &format!("note {n}"));
    }
    assert_eq!(session.remarks.len(), Remark::MOST);
    assert!(!session.may_remark());
    session.reduce(Action::Remark(RemarkEdit::Remove(Remark::MOST)));
    assert_eq!(session.remarks.len(), Remark::MOST, "there is no such note");
}

#[test]
fn a_link_holds_the_notes_and_the_chosen_clock_and_another_scenario_has_none() {
    let mut session = paused();
    put(&mut session, 20, "“here” it was lost – 50 % <b>");
    session.reduce(Action::Clock(Some(NodeId(1))));
    let fragment = session.fragment_now();
    let (mut other, _) = open(false);
    other.reduce(Action::Follow(fragment));
    assert_eq!((&other.remarks, other.clock), (&session.remarks, Some(NodeId(1))));
    other.reduce(Action::Choose("steady-state"));
    assert_eq!((other.remarks.len(), other.clock), (0, None));
}
