//! The controls of the playhead and of the view: buttons in words, the scrubber, the speed, the zoom.

use super::shared::tenths;
use crate::engine::{SimTime, Span};
use crate::session::{Action, Speed, Window};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub playing: bool,
    pub speed: Speed,
    pub at: SimTime,
    pub end: SimTime,
    pub bad: Option<SimTime>,
    pub window: Window,
    pub act: Callback<Action>,
}

/// What one press of an arrow key on the scrubber moves.
const SCRUB_STEP_MS: u64 = 100;

#[component]
pub fn Playback(props: &Props) -> Html {
    let button = |words: &'static str, class: &'static str, hint: &'static str, action: Action| {
        let act = props.act.clone();
        html! {
            <button type="button" {class} title={hint} onclick={move |_| act.emit(action.clone())}>{ words }</button>
        }
    };
    let play = if props.playing { "Pause" } else { "Play" };
    html! {
        <section class="playback" aria-label="Playback">
            <div class="time-row">
                <Scrubber at={props.at} end={props.end} act={props.act.clone()} />
                <SpeedChoice speed={props.speed} act={props.act.clone()} />
                <Zoom window={props.window} end={props.end} act={props.act.clone()} />
            </div>
            <div class="buttons">
                { button("Restart", "restart", "From the start, playing (r)", Action::Restart) }
                { button("◀ Event", "step", "Previous event (←)", Action::PreviousEvent) }
                { button(play, "play", "Play or pause (space or k)", Action::TogglePlay) }
                { button("Event ▶", "step", "Next event (→)", Action::NextEvent) }
                <FirstBad bad={props.bad} act={props.act.clone()} />
                <span class="nudges">
                    { button("−1 s", "nudge", "1 second back (j)", Action::Shift(-1_000_000)) }
                    { button("−0.1 s", "nudge", "A tenth of a second back (,)", Action::Shift(-100_000)) }
                    { button("+0.1 s", "nudge", "A tenth of a second on (.)", Action::Shift(100_000)) }
                    { button("+1 s", "nudge", "1 second on (l)", Action::Shift(1_000_000)) }
                </span>
            </div>
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct ScrubberProps {
    at: SimTime,
    end: SimTime,
    act: Callback<Action>,
}

#[component]
fn Scrubber(props: &ScrubberProps) -> Html {
    let oninput = {
        let act = props.act.clone();
        Callback::from(move |event: InputEvent| {
            if let Some(ms) = event
                .target_dyn_into::<HtmlInputElement>()
                .and_then(|input| input.value().parse().ok())
            {
                act.emit(Action::Seek(SimTime::ZERO + Span::from_millis(ms)));
            }
        })
    };
    html! {
        <div class="scrubber">
            <label for="scrubber">{ "Time" }</label>
            <input
                id="scrubber" type="range" min="0" max={(props.end.0 / 1_000).to_string()} step={SCRUB_STEP_MS.to_string()}
                value={(props.at.0 / 1_000).to_string()} {oninput}
                aria-valuetext={format!("{} of {}", tenths(props.at), tenths(props.end))}
            />
            <output for="scrubber" class="time" aria-live="off">{ format!("{} of {}", tenths(props.at), tenths(props.end)) }</output>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct FirstBadProps {
    bad: Option<SimTime>,
    act: Callback<Action>,
}

#[component]
fn FirstBad(props: &FirstBadProps) -> Html {
    let act = props.act.clone();
    let title = match props.bad {
        Some(at) => format!(
            "To {}: two primaries or, when there never are, no primary (b)",
            tenths(at)
        ),
        None => "In this run there is always exactly one primary".to_owned(),
    };
    html! {
        <button type="button" class="bad-moment" {title} disabled={props.bad.is_none()} onclick={move |_| act.emit(Action::FirstBadMoment)}>
            { "Jump to first bad moment" }
        </button>
    }
}

#[derive(Properties, PartialEq)]
struct SpeedProps {
    speed: Speed,
    act: Callback<Action>,
}

#[component]
fn SpeedChoice(props: &SpeedProps) -> Html {
    let onchange = {
        let act = props.act.clone();
        Callback::from(move |event: Event| {
            if let Some(place) = event
                .target_dyn_into::<HtmlSelectElement>()
                .and_then(|select| usize::try_from(select.selected_index()).ok())
            {
                act.emit(Action::SetSpeed(Speed::nth(place)));
            }
        })
    };
    let option = |speed: Speed| {
        html! { <option value={speed.place().to_string()} selected={speed == props.speed}>{ speed.to_string() }</option> }
    };
    html! {
        <label class="speed"><b>{ "Speed " }</b><select aria-label="Speed" {onchange}>{ for Speed::all().map(option) }</select></label>
    }
}

#[derive(Properties, PartialEq)]
struct ZoomProps {
    window: Window,
    end: SimTime,
    act: Callback<Action>,
}

/// How much of the run the timeline shows.
#[component]
fn Zoom(props: &ZoomProps) -> Html {
    let button = |sign: &'static str, words: &'static str, disabled: bool, action: Action| {
        let act = props.act.clone();
        html! {
            <button type="button" aria-label={words} title={words} {disabled} onclick={move |_| act.emit(action.clone())}>{ sign }</button>
        }
    };
    let whole = props.window.is_whole();
    html! {
        <span class="zoom" role="group" aria-label="Zoom of the timeline">
            { "Zoom " }
            { button("−", "Zoom out (x)", whole, Action::ZoomOut) }
            { button("all", "Show the whole run (a)", whole, Action::ZoomFit) }
            { button("+", "Zoom in (z)", !props.window.can_zoom_in(props.end), Action::ZoomIn) }
        </span>
    }
}
