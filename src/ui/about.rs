//! What the scenario shows, and what became of the leadership in this run.

use super::question::one_paragraph;
use super::shared::Shared;
use crate::draw::Story;
use crate::scenario::Scenario;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub scenario: Rc<Scenario>,
    pub story: Option<Shared<Story>>,
}

#[component]
pub fn About(props: &Props) -> Html {
    html! {
        <section class="about" aria-label="About this scenario">
            <p class="comment">{ one_paragraph(&props.scenario) }</p>
            if let Some(story) = &props.story {
                <p><b>{ "In this run: " }</b>{ story.verdict.details() }</p>
            }
        </section>
    }
}
