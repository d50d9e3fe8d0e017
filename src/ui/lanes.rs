//! The timeline in words: each lane as a list, for those who do not see the drawing or want to read it.

use super::shared::Shared;
use crate::draw::{LaneList, Story};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    #[prop_or("The timeline in words")]
    pub title: &'static str,
    pub story: Option<Shared<Story>>,
}

#[component]
pub fn Lanes(props: &Props) -> Html {
    let lists = use_memo(props.story.clone(), |story| {
        story.as_ref().map(|story| story.lists()).unwrap_or_default()
    });
    html! {
        <details class="lanes">
            <summary>{ props.title }</summary>
            { for lists.iter().map(lane) }
        </details>
    }
}

fn lane(list: &LaneList) -> Html {
    let item = |item: &crate::draw::LaneItem| {
        html! { <li><time>{ format!("{} s to {} s", item.from, item.until) }</time>{ " " }{ &item.text }</li> }
    };
    html! {
        <section>
            <h3>{ &list.name }</h3>
            <ul>{ for list.items.iter().map(item) }</ul>
        </section>
    }
}
