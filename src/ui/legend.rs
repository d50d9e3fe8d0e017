//! What the forms of the timeline mean, in shapes and words: a row that is always there; on a small screen one press away.

use super::shared::Shared;
use crate::draw::Story;
use yew::prelude::*;

/// The three truths, each with its one form, and what is dangerous.
const FIRST: [(&str, &str); 5] = [
    ("belief", "belief: leads"),
    ("fuse", "store: lease left"),
    ("writable", "effect: accepts writes"),
    ("two", "two primaries"),
    ("doubt", "two believers"),
];
const OTHERS: [(&str, &str); 9] = [
    ("replica", "a database that follows"),
    ("tick", "an accepted write"),
    ("lost", "one that is lost in the end"),
    ("halt", "grey: frozen; dashed: dead"),
    ("cycle", "a round of the agent’s loop"),
    ("talk", "a message"),
    ("dropped", "a message that was lost"),
    ("outage", "no primary (below, whole run)"),
    ("turn", "another leads (below, whole run)"),
];
/// What only a store with several members shows.
const GROUP: [(&str, &str); 4] = [
    ("leads", "this member leads the store"),
    ("asks", "it asks for votes"),
    ("stalls", "its disk stalls"),
    ("dark", "the store can decide nothing"),
];

pub fn view(story: Option<Shared<Story>>) -> Html {
    let group = story.is_some_and(|story| story.store.is_group());
    let form = |(class, words): (&'static str, &'static str)| {
        html! { <li><i class={classes!("form", class)} aria-hidden="true"></i><span>{ words }</span></li> }
    };
    let others = OTHERS.into_iter().chain(GROUP.into_iter().filter(|_| group));
    // The row is left out where there is no room for it; then all is in the list that opens.
    html! {
        <section class="legend" aria-label="What the forms mean">
            <ul class="row-of-forms">{ for FIRST.into_iter().map(form) }</ul>
            <details>
                <summary>{ "All forms" }</summary>
                <ul>{ for FIRST.into_iter().chain(others).map(form) }</ul>
            </details>
        </section>
    }
}
