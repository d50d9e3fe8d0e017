//! Two runs compared: the one that was kept, under the one that is changed.

use super::controls::{button, press};
use super::lanes::Lanes;
use super::shared::{Shared, tenths};
use super::timeline::Timeline;
use crate::draw::{Theme, Twin};
use crate::session::twin::{Before, Compare, changes};
use crate::session::{Action, Session};
use yew::prelude::*;

/// The button that forks: where the keyboard goes on when a comparison has ended.
pub const FORK: &str = "fork";

/// The kept run, under the one that is changed; nothing when none is kept.
pub fn view(session: &Session, theme: Theme, act: &Callback<Action>) -> Html {
    let Some(before) = &session.before else {
        return Html::default();
    };
    html! {
        <section class="recorded twin" aria-labelledby="twin-title">
            <div class="head">
                <h2 id="twin-title">{ "Before: the run that is kept" }</h2>
                if !session.embedded {
                <div class="openers">
                    { button(act, "Swap the two", "", "Go on with the kept run, and keep the other", Action::Compare(Compare::Swap)) }
                    { button(act, "Back to before", "", "Let the changed run go", Action::Compare(Compare::Back)) }
                    { button(act, "End the comparison", "", "Let the kept run go", Action::Compare(Compare::End)) }
                </div>
                }
            </div>
            { verdict(before) }
            <Timeline
                label="Timeline of the kept run" story={before.story.clone().map(Shared)} at={session.playhead} end={session.shown_end()}
                window={session.window} dress={session.plain_dress(session.parting())} picks=false {theme} act={act.clone()}
            />
        </section>
    }
}

/// What was changed, where the two part, and what both amounted to; nothing when none is kept.
pub fn details(session: &Session, act: &Callback<Action>) -> Html {
    let Some(before) = &session.before else {
        return Html::default();
    };
    html! {
        <section class="compared" aria-label="Both runs, compared">
            { changed(session, before, act) }
            { figures(session) }
            <Lanes title="The kept run in words" story={before.story.clone().map(Shared)} />
        </section>
    }
}

fn verdict(before: &Before) -> Html {
    match &before.story {
        Some(story) => {
            html! { <p><b>{ "Before: " }</b>{ story.verdict.headline() }{ " " }{ story.verdict.details() }</p> }
        }
        None => html! { <p role="status">{ "The kept run is on its way …" }</p> },
    }
}

fn changed(session: &Session, before: &Before, act: &Callback<Action>) -> Html {
    let changes = changes(&before.scenario, &session.scenario);
    if changes.is_empty() {
        return html! { <p class="notice">{ "Nothing is changed yet: change a setting or break something, and both runs are shown." }</p> };
    }
    html! {
        <>
            <h3>{ "What was changed" }</h3>
            <ul aria-label="What was changed">{ for changes.iter().map(|words| html! { <li>{ words }</li> }) }</ul>
            <p>
                { match session.parting() {
                    Some(at) => html! {
                        <>
                            { "From here on the two runs are not the same: " }
                            <button type="button" onclick={press(act, Action::Seek(at))}>{ format!("{} (first difference)", tenths(at)) }</button>
                        </>
                    },
                    None if session.twins().is_some() => html! { "And yet the two runs are the same, to the last message." },
                    None => Html::default(),
                } }
            </p>
        </>
    }
}

fn figures(session: &Session) -> Html {
    let row = |twin: Twin| {
        let differs = twin.differs.clone().unwrap_or_else(|| "same".to_owned());
        html! {
            <tr>
                <th scope="row">{ twin.title }</th>
                <td>{ twin.before }</td>
                <td>{ twin.after }</td>
                <td class={twin.differs.is_some().then_some("outside")}>{ differs }</td>
            </tr>
        }
    };
    let rows = session.twin_figures();
    if rows.is_empty() {
        return Html::default();
    }
    html! {
        <div class="figures narrow" role="region" aria-label="Both runs, figure by figure" tabindex="0">
            <table>
                <thead>
                    <tr>
                        <th scope="col">{ "Figure" }</th>
                        <th scope="col">{ "Before" }</th>
                        <th scope="col">{ "Now" }</th>
                        <th scope="col">{ "Difference" }</th>
                    </tr>
                </thead>
                <tbody>{ for rows.into_iter().map(row) }</tbody>
            </table>
        </div>
    }
}
