//! Which lanes the timeline has: each with buttons to hide, fold and move it.

use super::controls::{button, unless};
use super::{browser, clocks};
use crate::draw::{LaneChoice, LaneKey, LaneMove, Story};
use crate::session::{Action, Session};
use gloo_timers::callback::Timeout;
use yew::prelude::*;

pub fn view(session: &Session, act: &Callback<Action>) -> Html {
    let Some(story) = &session.story else {
        return Html::default();
    };
    let lanes = session.lanes.lanes(story);
    let hidden = lanes.iter().filter(|lane| lane.hidden).count();
    let words = match hidden {
        0 => "Lanes".to_owned(),
        hidden => format!("Lanes ({hidden} hidden)"),
    };
    let last = lanes.len().saturating_sub(1);
    let rows = lanes
        .iter()
        .enumerate()
        .map(|(n, lane)| row(lane, (n == 0, n == last), story, act));
    html! {
        <details class="lane-panel">
            <summary>{ words }</summary>
            <ul>{ for rows }</ul>
            { clocks::view(session, act) }
            if !session.lanes.is_default() {
                { button(act, "All lanes as at first", "", "", Action::LanesAsAtFirst) }
            }
        </details>
    }
}

fn id(key: LaneKey, what: LaneMove) -> String {
    format!("lane-{key:?}-{what:?}").replace(['(', ')'], "-")
}

/// A row that changes its place leaves the document for a moment and loses the focus: it comes back once the row is there.
fn keep_focus(id: String) {
    Timeout::new(0, move || browser::focus(&id)).forget();
}

fn row(lane: &LaneChoice, (first, last): (bool, bool), story: &Story, act: &Callback<Action>) -> Html {
    let name = lane.key.name(story);
    let button = |words: &'static str, disabled: bool, what: LaneMove| {
        let (label, id) = (format!("{words}: {name}"), id(lane.key, what));
        let moves = matches!(what, LaneMove::Up | LaneMove::Down);
        let onclick = {
            let (act, key, id) = (act.clone(), lane.key, id.clone());
            Callback::from(move |_: MouseEvent| {
                if disabled {
                    return;
                }
                act.emit(Action::Lane(key, what));
                if moves {
                    keep_focus(id.clone());
                }
            })
        };
        html! { <button type="button" {id} aria-label={label} aria-disabled={unless(!disabled)} {onclick}>{ words }</button> }
    };
    let hide = if lane.hidden { "Show" } else { "Hide" };
    let fold = if lane.folded { "Unfold" } else { "Fold" };
    html! {
        <li key={format!("{:?}", lane.key)} class={lane.hidden.then_some("hidden-lane")}>
            <span>{ &name }</span>
            { button(hide, false, LaneMove::Hide(!lane.hidden)) }
            { button(fold, !lane.key.can_fold() || lane.hidden, LaneMove::Fold(!lane.folded)) }
            { button("Up", first, LaneMove::Up) }
            { button("Down", last, LaneMove::Down) }
        </li>
    }
}
