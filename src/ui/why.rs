//! "Why?": the causes of an event as a chain of sentences, each of which leads to its moment.

use super::shared::Shared;
use crate::draw::{Reason, Story};
use crate::session::{Action, Why};
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
    {
        let title = title.clone();
        use_effect_with(props.why.as_ref().map(|why| why.event), move |asked| {
            // Who asks is led to the answer, by keyboard and screen reader too.
            if let (Some(_), Some(title)) = (asked, title.cast::<HtmlElement>()) {
                let _ = title.focus();
            }
        });
    }
    let (Some(why), Some(story)) = (&props.why, &props.story) else {
        return Html::default();
    };
    let row = story.rows.iter().find(|row| row.event == why.event);
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

/// In the order of time, as one would tell it.
fn answer(why: &Why, act: &Callback<Action>) -> Html {
    match why.reasons.as_deref().map(Vec::as_slice) {
        None => html! { <p>{ "Walking back along the causes." }</p> },
        Some([]) => html! { <p>{ "Nothing in this run led to it: it comes from the scenario itself." }</p> },
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
