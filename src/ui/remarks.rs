//! "Notes": what somebody wrote on the timeline, each a link to its moment, and a field for one more at the playhead.

use super::controls::{press, typed, unless};
use super::shared::tenths;
use crate::draw::Remark;
use crate::session::{Action, RemarkEdit, Session};
use yew::prelude::*;

pub fn view(session: &Session, act: &Callback<Action>) -> Html {
    let at = tenths(session.playhead);
    let put = act.clone();
    let onsubmit = Callback::from(move |event: SubmitEvent| {
        event.prevent_default();
        put.emit(Action::Remark(RemarkEdit::Put));
    });
    let possible = session.may_remark();
    html! {
        <details class="remarks" open={!session.remarks.is_empty()}>
            <summary>{ "Notes" }<span class="help">{ format!(" {}", session.remarks.len()) }</span></summary>
            if !session.remarks.is_empty() {
                <ol>{ for session.remarks.iter().enumerate().map(|(place, remark)| item(place, remark, act)) }</ol>
            }
            <form {onsubmit}>
                <label for="remark">{ format!("Note at {at}") }</label>
                <input
                    id="remark" type="text" maxlength={Remark::CHARS_MAX.to_string()} autocomplete="off"
                    value={session.remark_draft.clone()} oninput={typed(act, |text| Action::Remark(RemarkEdit::Draft(text)))}
                />
                <button type="submit" aria-disabled={unless(possible)}>{ "Add" }</button>
            </form>
            <p class="help">{ if possible { "A note goes with the link." } else { "There is no room for more notes." } }</p>
        </details>
    }
}

fn item(place: usize, remark: &Remark, act: &Callback<Action>) -> Html {
    let at = tenths(remark.at);
    html! {
        <li key={place}>
            <button type="button" class="link" onclick={press(act, Action::Seek(remark.at))}>
                <time>{ at.clone() }</time>{ " " }{ &remark.text }
            </button>
            <button
                type="button" class="help" aria-label={format!("Take away the note at {at}")}
                onclick={press(act, Action::Remark(RemarkEdit::Remove(place)))}
            >{ "×" }</button>
        </li>
    }
}
