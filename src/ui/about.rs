//! What the scenario shows, and what became of the leadership in this run.

use super::question::one_paragraph;
use crate::session::Session;
use yew::prelude::*;

pub fn view(session: &Session) -> Html {
    html! {
        <section class="about" aria-label="About this scenario">
            <p class="comment">{ one_paragraph(&session.scenario) }</p>
            if let Some(story) = &session.story {
                <p><b>{ "In this run: " }</b>{ story.verdict.details() }</p>
            }
        </section>
    }
}
