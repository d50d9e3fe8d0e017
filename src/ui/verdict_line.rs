//! The answer in words: of the whole run, which is announced when it changes, and at the playhead, which is not.

use super::shared::{Shared, tenths};
use crate::draw::Story;
use crate::engine::{SimTime, Span};
use crate::session::{Action, Worker};
use crate::verdict::Invariant;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub story: Option<Shared<Story>>,
    pub at: SimTime,
    pub worker: Worker,
    /// The worker had died since the person did something.
    pub restarted: bool,
    /// How long the run is that the worker works on.
    pub duration: Span,
    pub act: Callback<Action>,
}

#[component]
pub fn VerdictLine(props: &Props) -> Html {
    let whole = props.story.as_ref().map(|story| story.verdict.headline());
    let bad = props
        .story
        .as_ref()
        .is_some_and(|story| story.verdict.two_primaries.ever);
    let now_bad = props
        .story
        .as_ref()
        .is_some_and(|story| story.verdict.at(props.at).two_primaries_since.is_some());
    let why = {
        let act = props.act.clone();
        move |_| act.emit(Action::WhyBad)
    };
    html! {
        <section class={classes!("verdict", bad.then_some("bad"))} aria-label="The verdict">
            <div class="answer">
                <p id="verdict" role="status">{ strong_start(whole.as_deref().unwrap_or("The first run is under way.")) }</p>
                if bad {
                    <button type="button" title="To the first moment with two primaries, and what led to it" onclick={why}>{ "Why?" }</button>
                }
            </div>
            if let Some(story) = &props.story {
                <p id="verdict-now" class={classes!(now_bad.then_some("bad"))}>
                    <span class="when">{ format!("At {}: ", tenths(props.at)) }</span>
                    { story.verdict.sentence_at(props.at) }
                </p>
            }
            { for notices(props).into_iter().map(|words| html! { <p class="notice" role="alert">{ words }</p> }) }
        </section>
    }
}

/// The answer itself stands out from what it rests on.
fn strong_start(sentence: &str) -> Html {
    let end = sentence.find(':').unwrap_or(0);
    let (answer, rest) = sentence.split_at(end);
    html! { <><b>{ answer }</b>{ rest }</> }
}

/// What is out of the ordinary with the machinery.
fn notices(props: &Props) -> Vec<String> {
    let mut notices = Vec::new();
    match props.worker {
        Worker::Busy { reached } if reached > SimTime::ZERO => notices.push(format!(
            "Running the scenario: {:.0} s of {:.0} s.",
            reached.as_secs_f64(),
            props.duration.as_secs_f64()
        )),
        Worker::GaveUp => notices.push(
            "The engine stopped twice on this scenario, so it is not run again. Change a setting or choose another scenario."
                .to_owned(),
        ),
        _ if props.restarted => notices.push("The engine had stopped. It was started again and runs the scenario anew.".to_owned()),
        _ => {}
    }
    let engine = props
        .story
        .as_ref()
        .and_then(|story| story.verdict.finding(Invariant::EngineRules.name()));
    if let Some(broken) = engine.filter(|finding| !finding.holds) {
        notices.push(format!(
            "This run broke a rule of the simulator itself, so do not trust it: {}",
            broken.detail.as_deref().unwrap_or("no details")
        ));
    }
    notices
}
