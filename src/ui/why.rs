//! "Why?": the causes of an event as a chain of sentences, each of which leads to its moment.

use super::browser;
use super::events::ask_id;
use super::shared::Shared;
use crate::draw::{Reason, Story};
use crate::session::{Action, Why};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub why: Option<Why>,
    pub story: Option<Shared<Story>>,
    pub act: Callback<Action>,
}

#[component]
pub fn WhyPanel(props: &Props) -> Html {
    let title = use_node_ref();
    use_focus(&title, props.why.as_ref().map(|why| why.row));
    let (Some(why), Some(story)) = (&props.why, &props.story) else {
        return Html::default();
    };
    let row = story.rows.get(why.row);
    let close = {
        let act = props.act.clone();
        move |_| act.emit(Action::CloseWhy)
    };
    html! {
        <section class="why" aria-labelledby="why-title">
            <h2 id="why-title" ref={title} tabindex="-1">{ "Why? " }<span>{ row.map(|row| row.text.clone()) }</span></h2>
            { answer(why, &props.act) }
            <button type="button" onclick={close}>{ "Close" }</button>
        </section>
    }
}

/// Who asks is led to the answer, by keyboard and screen reader too, and back to the question when the answer is closed.
#[hook]
fn use_focus(title: &NodeRef, asked: Option<usize>) {
    let (title, before) = (title.clone(), use_mut_ref(|| None));
    use_effect_with(asked, move |asked| {
        let before = before.replace(*asked);
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
        let target = if asked.is_some() {
            title.cast::<HtmlElement>()
        } else {
            question()
        };
        if let Some(target) = target {
            let _ = target.focus();
        }
    });
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
    let (act, event, at) = (act.clone(), reason.event, reason.at);
    html! {
        <li key={event.0.get()}>
            <button type="button" class="link" onclick={move |_| act.emit(Action::ToEvent(event, at))}>
                <time>{ format!("{at} s") }</time>{ " " }{ &reason.text }
            </button>
        </li>
    }
}
