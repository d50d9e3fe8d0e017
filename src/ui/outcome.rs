//! What the run amounted to, figure by figure, each a link to its moment.

use super::controls::press;
use super::shared::{Shared, tenths};
use crate::draw::{Link, Outcome, Story, outcomes};
use crate::session::Action;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct Props {
    pub story: Option<Shared<Story>>,
    pub act: Callback<Action>,
}

/// Drawn anew for every run, not for every step of the playhead.
#[component]
pub fn Outcomes(props: &Props) -> Html {
    let Some(story) = &props.story else {
        return Html::default();
    };
    html! {
        <section class="outcome" aria-labelledby="outcome-title">
            <h2 id="outcome-title">{ "What it amounted to" }</h2>
            <dl>{ for outcomes(story).iter().map(|outcome| figure(outcome, &props.act)) }</dl>
        </section>
    }
}

fn figure(outcome: &Outcome, act: &Callback<Action>) -> Html {
    html! {
        <>
            <dt>{ outcome.title }</dt>
            <dd class={outcome.bad.then_some("bad")}>
                { &outcome.words }
                if !outcome.links.is_empty() {
                    <span class="moments">{ for outcome.links.iter().map(|link| moment(link, act)) }</span>
                }
            </dd>
        </>
    }
}

fn moment(link: &Link, act: &Callback<Action>) -> Html {
    let goes = format!("To {}", tenths(link.at));
    html! {
        <button type="button" class="moment" title={goes} onclick={press(act, Action::Seek(link.at))}>{ &link.words }</button>
    }
}
