//! "Why?": the causes of an event as a chain of sentences, each of which leads to its moment.

use super::browser;
use super::controls::{button, press};
use super::events::ask_id;
use crate::draw::Reason;
use crate::session::{Action, Session, Why};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

/// The panel, while something is asked. `title` is what the focus is led to.
pub fn view(session: &Session, act: &Callback<Action>, title: &NodeRef) -> Html {
    let (Some(why), Some(story)) = (&session.why, &session.story) else {
        return Html::default();
    };
    let row = story.rows.get(why.row);
    html! {
        <section class="why" aria-labelledby="why-title">
            <h2 id="why-title" ref={title.clone()} tabindex="-1">{ "Why? " }<span>{ row.map(|row| row.text.clone()) }</span></h2>
            { answer(why, act) }
            { button(act, "Close", "", "(Esc)", Action::CloseWhy) }
        </section>
    }
}

/// Who asks is led to the answer, by keyboard and screen reader too, and back to the question when the answer is closed.
pub fn lead_focus(title: &NodeRef, before: Option<usize>, now: Option<usize>) {
    let question = || {
        let document = browser::document()?;
        // Whoever has gone on to something else stays there.
        let lost = document
            .active_element()
            .is_none_or(|active| active.tag_name() == "BODY");
        document
            .get_element_by_id(&ask_id(before.filter(|_| lost)?))?
            .dyn_into()
            .ok()
    };
    let target = if now.is_some() {
        title.cast::<HtmlElement>()
    } else {
        question()
    };
    if let Some(target) = target {
        let _ = target.focus();
    }
}

/// In the order of time, as one would tell it.
fn answer(why: &Why, act: &Callback<Action>) -> Html {
    match why.reasons.as_deref().map(Vec::as_slice) {
        None => html! { <p>{ "Walking back along the causes." }</p> },
        Some([]) => html! { <p>{ "No earlier event is recorded as its cause." }</p> },
        Some(reasons) => html! { <ol>{ for reasons.iter().rev().map(|reason| reason_item(reason, act)) }</ol> },
    }
}

fn reason_item(reason: &Reason, act: &Callback<Action>) -> Html {
    html! {
        <li key={reason.event.0.get()}>
            <button type="button" class="link" onclick={press(act, Action::ToEvent(reason.event, reason.at))}>
                <time>{ format!("{} s", reason.at) }</time>{ " " }{ &reason.text }
            </button>
        </li>
    }
}
