//! The answer in words: of the whole run, which is announced when it changes, and at the playhead, which is not.

use super::controls::button;
use super::shared::tenths;
use crate::engine::SimTime;
use crate::session::{Action, Session, Worker};
use crate::verdict::{Invariant, Verdict};
use yew::prelude::*;

pub fn view(session: &Session, act: &Callback<Action>) -> Html {
    let verdict = session.story.as_ref().map(|story| &story.verdict);
    let bad = verdict.is_some_and(|verdict| verdict.two_primaries.ever);
    let whole = verdict.map_or_else(|| "The first run is under way.".to_owned(), Verdict::headline);
    html! {
        <section class={if bad { "verdict bad" } else { "verdict" }} aria-label="The verdict">
            <div class="answer">
                <p id="verdict" role="status">{ strong_start(&whole) }</p>
                // Within another page there is no room for what led to it.
                if bad && !session.embedded {
                    { button(act, "Why?", "", "To the first moment with two primaries, and what led to it", Action::WhyBad) }
                }
            </div>
            { for verdict.map(|verdict| at_playhead(verdict, session.playhead)) }
            { for notices(session).into_iter().map(|words| html! { <p class="notice" role="alert">{ words }</p> }) }
        </section>
    }
}

/// Not announced: it changes with every step of the playhead.
fn at_playhead(verdict: &Verdict, at: SimTime) -> Html {
    let bad = verdict.at(at).two_primaries_since.is_some();
    html! {
        <p id="verdict-now" class={bad.then_some("bad")}>
            <span class="when">{ format!("At {}: ", tenths(at)) }</span>
            { verdict.sentence_at(at) }
        </p>
    }
}

/// The answer itself stands out from what it rests on.
fn strong_start(sentence: &str) -> Html {
    let end = sentence.find(':').unwrap_or(0);
    let (answer, rest) = sentence.split_at(end);
    html! { <><b>{ answer }</b>{ rest }</> }
}

/// What is out of the ordinary with the machinery.
fn notices(session: &Session) -> Vec<String> {
    let mut notices = Vec::new();
    match session.worker {
        Worker::Busy { reached } if reached > SimTime::ZERO => notices.push(format!(
            "Running the scenario: {} of {}.",
            tenths(reached),
            tenths(SimTime::ZERO + session.scenario.duration)
        )),
        Worker::GaveUp => notices.push(
            "The engine stopped twice on this scenario, so it is not run again. Change a setting or choose another scenario."
                .to_owned(),
        ),
        _ if session.restarted => {
            notices.push("The engine had stopped. It was started again and runs the scenario anew.".to_owned());
        }
        _ => {}
    }
    let rules = session
        .story
        .as_ref()
        .and_then(|story| story.verdict.finding(Invariant::EngineRules.name()));
    if let Some(broken) = rules.filter(|finding| !finding.holds) {
        let details = broken.detail.as_deref().unwrap_or("no details");
        notices.push(format!(
            "This run broke a rule of the simulator itself, so do not trust it: {details}"
        ));
    }
    let warnings = session.scenario.warnings();
    notices.extend(warnings.iter().map(|warning| format!("Beware: {warning}.")));
    notices
}
