//! "Look closer": one actor at the playhead, and what changed it last.

use super::controls::{chosen_place, press};
use crate::draw::{Actor, Last};
use crate::session::{Action, Session};
use yew::prelude::*;

pub fn view(session: &Session, act: &Callback<Action>) -> Html {
    let Some(story) = &session.story else {
        return Html::default();
    };
    let actors = story.actors();
    let chosen = session.inspected_actor();
    let onchange = {
        let (act, actors) = (
            act.clone(),
            actors.iter().map(|(actor, _)| *actor).collect::<Vec<Actor>>(),
        );
        Callback::from(move |event: Event| {
            if let Some(actor) = chosen_place(&event).and_then(|place| actors.get(place)) {
                act.emit(Action::Inspect(*actor));
            }
        })
    };
    let looked = story.inspect(chosen, session.playhead, &session.scenario.patroni);
    let row = |(title, words): (&'static str, String)| html! { <><dt>{ title }</dt><dd>{ words }</dd></> };
    html! {
        <details class="moment inspect">
            <summary>{ "Look closer" }</summary>
            <p>
                <label for="inspect">{ "at " }</label>
                <select id="inspect" {onchange}>
                    { for actors.iter().map(|(actor, name)| html! { <option selected={*actor == chosen}>{ name }</option> }) }
                </select>
            </p>
            <dl>
                { for looked.rows.into_iter().map(row) }
                <dt>{ "Changed last" }</dt>
                <dd>{ looked.last.map_or_else(|| html! { "not so far" }, |last| changed(last, act)) }</dd>
            </dl>
        </details>
    }
}

fn changed(last: Last, act: &Callback<Action>) -> Html {
    let to = last
        .event
        .map_or(Action::Seek(last.at), |event| Action::ToEvent(event, last.at));
    html! {
        <button type="button" class="link" onclick={press(act, to)}>
            { format!("{} s: {}", last.at, last.text) }
        </button>
    }
}
