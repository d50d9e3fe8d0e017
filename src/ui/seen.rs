//! "Seen in this run": patterns with names, how often each occurs, and where.

use super::controls::press;
use super::shared::{Shared, tenths};
use crate::draw::Story;
use crate::draw::story::{Instance, Seen};
use crate::draw::words::{NOTHING_SEEN, SEEN_TITLE, pattern_help, pattern_name};
use crate::session::Action;
use yew::prelude::*;

/// As many places of one pattern are offered from its beginning, and then the last.
const FIRST: usize = 3;

#[derive(PartialEq, Properties)]
pub struct Props {
    pub story: Option<Shared<Story>>,
    pub act: Callback<Action>,
}

/// Drawn anew for every run, not for every step of the playhead.
#[component]
pub fn SeenInRun(props: &Props) -> Html {
    let Some(story) = &props.story else {
        return Html::default();
    };
    html! {
        <section class="outcome seen" aria-labelledby="seen-title">
            <h2 id="seen-title">{ SEEN_TITLE }</h2>
            if story.seen.is_empty() { <p class="help">{ NOTHING_SEEN }</p> }
            if !story.seen.is_empty() { <ul>{ for story.seen.iter().map(|seen| item(seen, &props.act)) }</ul> }
        </section>
    }
}

fn item(seen: &Seen, act: &Callback<Action>) -> Html {
    let name = pattern_name(seen.pattern);
    let count = seen.instances.len();
    let shown = if count <= FIRST + 1 { count } else { FIRST };
    let last = seen.instances.last().filter(|_| shown < count);
    html! {
        <li>
            <p><b class={seen.pattern.is_bad().then_some("bad")}>{ name }</b>{ format!(" × {count}") }</p>
            <p class="help">{ pattern_help(seen.pattern) }</p>
            <span class="moments">
                { for seen.instances.iter().take(shown).map(|instance| moment(name, instance, "", act)) }
                { for last.map(|last| moment(name, last, "last: ", act)) }
            </span>
        </li>
    }
}

fn moment(name: &str, instance: &Instance, which: &str, act: &Callback<Action>) -> Html {
    let words = format!("{which}{}", tenths(instance.at));
    html! {
        <button
            type="button" class="moment" aria-label={format!("{words}, {name}")}
            onclick={press(act, Action::ToEvent(instance.event, instance.at))}
        >{ words }</button>
    }
}
