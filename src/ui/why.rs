//! "Why?": the causes of an event as a chain of sentences, each of which leads to its moment.

use super::shared::Shared;
use crate::draw::Story;
use crate::session::{Action, Link, Why};
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
            if let Some(chain) = &why.chain {
                <ol>{ for chain.iter().map(|link| link_item(link, &props.act)) }</ol>
            } else {
                <p>{ "Walking back along the causes." }</p>
            }
            <button type="button" onclick={close}>{ "Close" }</button>
        </section>
    }
}

fn link_item(link: &Link, act: &Callback<Action>) -> Html {
    let (act, event, at) = (act.clone(), link.event, link.at);
    html! {
        <li key={event.0.get()}>
            <button type="button" class="link" onclick={move |_| act.emit(Action::ToEvent(event, at))}>
                <time>{ format!("{at} s") }</time>{ " " }{ &link.text }
            </button>
        </li>
    }
}
