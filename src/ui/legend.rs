//! What the forms of the timeline mean, in words and shapes. Always there.

use yew::prelude::*;

/// The class that draws each form, and its meaning.
const FORMS: [(&str, &str); 13] = [
    ("fuse", "the store’s lease, burning down"),
    ("leads", "this member leads the store"),
    ("asks", "this member asks for votes"),
    ("stalls", "its disk stalls"),
    ("dark", "the store can decide nothing"),
    ("belief", "this agent takes itself for the leader"),
    ("writable", "this database accepts writes"),
    ("replica", "this database follows"),
    ("cycle", "a round of the agent’s loop"),
    ("tick", "an accepted write"),
    ("lost", "an accepted write that is lost in the end"),
    ("halt", "grey: frozen; dashed: dead"),
    ("two", "two primaries"),
];

pub fn view() -> Html {
    let form = |(class, words): (&'static str, &'static str)| {
        html! { <li><i class={classes!("form", class)} aria-hidden="true"></i><span>{ words }</span></li> }
    };
    html! {
        <section class="legend" aria-labelledby="legend-title">
            <h2 id="legend-title">{ "What the forms mean" }</h2>
            <ul>{ for FORMS.into_iter().map(form) }</ul>
        </section>
    }
}
