//! The controls of the playhead and of the view: buttons in words, the scrubber, the speed, the zoom.

use super::controls::{button, chosen_place, press_if, unless};
use super::map;
use super::shared::tenths;
use crate::engine::{SimTime, Span};
use crate::session::{Action, Session, Speed};
use web_sys::HtmlInputElement;
use yew::prelude::*;

pub fn view(session: &Session, act: &Callback<Action>) -> Html {
    let play = if session.playing { "Pause" } else { "Play" };
    html! {
        <section class="playback" aria-label="Playback">
            <div class="time-row">
                { scrubber(session, act) }
                { speed(session, act) }
                { zoom(session, act) }
            </div>
            <div class="buttons">
                { button(act, "Restart", "", "From the start, playing (r)", Action::Restart) }
                { button(act, "◀ Event", "", "Previous event (←)", Action::PreviousEvent) }
                { button(act, play, "play", "Play or pause (space or k)", Action::TogglePlay) }
                { button(act, "Event ▶", "", "Next event (→)", Action::NextEvent) }
                { first_bad(session, act) }
                <span class="nudges">
                    { button(act, "−1 s", "", "1 second back (j)", Action::Shift(-1_000_000)) }
                    { button(act, "−0.1 s", "", "A tenth of a second back (,)", Action::Shift(-100_000)) }
                    { button(act, "+0.1 s", "", "A tenth of a second on (.)", Action::Shift(100_000)) }
                    { button(act, "+1 s", "", "1 second on (l)", Action::Shift(1_000_000)) }
                </span>
            </div>
        </section>
    }
}

/// An arrow key moves it by a tenth of a second.
fn scrubber(session: &Session, act: &Callback<Action>) -> Html {
    let act = act.clone();
    let oninput = Callback::from(move |event: InputEvent| {
        let input = event.target_dyn_into::<HtmlInputElement>();
        if let Some(ms) = input.and_then(|input| input.value().parse().ok()) {
            act.emit(Action::Seek(SimTime::ZERO + Span::from_millis(ms)));
        }
    });
    let (at, end) = (session.playhead, session.end());
    let words = format!("{} of {}", tenths(at), tenths(end));
    html! {
        <div class="scrubber">
            <label for="scrubber">{ "Time" }</label>
            <input
                id="scrubber" type="range" min="0" max={(end.0 / 1_000).to_string()} step="100"
                value={(at.0 / 1_000).to_string()} {oninput} aria-valuetext={words.clone()}
            />
            <output for="scrubber" class="time" aria-live="off">{ words }</output>
        </div>
    }
}

fn first_bad(session: &Session, act: &Callback<Action>) -> Html {
    let bad = session.first_bad_moment();
    let title = match bad {
        Some(at) => format!(
            "To {}: two primaries or, when there never are, no primary (b)",
            tenths(at)
        ),
        None => "In this run there is always exactly one primary".to_owned(),
    };
    html! {
        <button type="button" {title} aria-disabled={unless(bad.is_some())} onclick={press_if(bad.is_some(), act, Action::FirstBadMoment)}>
            { "Jump to first bad moment" }
        </button>
    }
}

fn speed(session: &Session, act: &Callback<Action>) -> Html {
    let act = act.clone();
    let onchange = Callback::from(move |event: Event| {
        if let Some(place) = chosen_place(&event) {
            act.emit(Action::SetSpeed(Speed::nth(place)));
        }
    });
    let option = |speed: Speed| {
        html! { <option value={speed.place().to_string()} selected={speed == session.speed}>{ speed.to_string() }</option> }
    };
    html! {
        <label class="speed"><b>{ "Speed " }</b><select aria-label="Speed" {onchange}>{ for Speed::all().map(option) }</select></label>
    }
}

/// How much of the run the timeline shows.
fn zoom(session: &Session, act: &Callback<Action>) -> Html {
    let button = |sign: &'static str, words: &'static str, possible: bool, action: Action| {
        html! {
            <button type="button" aria-label={words} title={words} aria-disabled={unless(possible)} onclick={press_if(possible, act, action)}>{ sign }</button>
        }
    };
    let whole = session.window.is_whole();
    html! {
        <span class="zoom" role="group" aria-label="Zoom of the timeline">
            { "Zoom " }
            { button("−", "Zoom out (x)", !whole, Action::ZoomOut) }
            { button("all", "All: show the whole run (a)", !whole, Action::ZoomFit) }
            { button("+", "Zoom in (z)", session.window.can_zoom_in(session.end()), Action::ZoomIn) }
            { map::ends(session, act) }
        </span>
    }
}
