//! What the forms of the timeline mean, in shapes and words: a row that is always there; on a small screen one press away.

use super::shared::Shared;
use crate::draw::Story;
use yew::prelude::*;

/// The three truths first, each with its one form: belief, store, effect.
const FORMS: [(&str, &str); 14] = [
    ("belief", "belief: this agent takes itself for the leader"),
    ("fuse", "store: the lease, burning down"),
    ("writable", "effect: this database accepts writes"),
    ("replica", "it follows"),
    ("tick", "an accepted write"),
    ("lost", "one that is lost in the end"),
    ("two", "two primaries"),
    ("doubt", "two believers"),
    ("outage", "no primary (map)"),
    ("turn", "another leads (map)"),
    ("halt", "grey: frozen; dashed: dead"),
    ("cycle", "a round of the agent’s loop"),
    ("talk", "a message"),
    ("dropped", "a message that was lost"),
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
    let list = || {
        let group = GROUP.into_iter().filter(|_| group);
        html! { <ul>{ for FORMS.into_iter().chain(group).map(form) }</ul> }
    };
    // The style sheet shows one of the two.
    html! {
        <section class="legend" aria-label="What the forms mean">
            <div class="always">{ list() }</div>
            <details><summary>{ "What the forms mean" }</summary>{ list() }</details>
        </section>
    }
}
