//! The settings: a slider and a number field for each timing, the watchdog's switch, the seed.

use crate::scenario::{Adjustment, Field, FieldKind, Scenario};
use crate::session::knobs::{self, KNOBS, Knob, SEED, WATCHDOG, WATCHDOG_MODES};
use crate::session::{Action, Refused};
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub scenario: Rc<Scenario>,
    pub refused: Option<Refused>,
    /// Whether something differs from the scenario as it ships.
    pub changed: bool,
    pub act: Callback<Action>,
}

#[component]
pub fn Knobs(props: &Props) -> Html {
    let reset = {
        let act = props.act.clone();
        move |_| act.emit(Action::ResetSettings)
    };
    let refused = |key: &str| props.refused.clone().filter(|refused| refused.key == key);
    html! {
        <section class="knobs" aria-label="Settings">
            { for KNOBS.iter().map(|knob| html! {
                <Timing
                    key={knob.key} knob={*knob} value={knobs::value(&props.scenario, knob.key)} refused={refused(knob.key)}
                    adjusted={props.scenario.adjusted.iter().find(|adjusted| adjusted.key == knob.key).cloned()} act={props.act.clone()}
                />
            }) }
            <div class="others">
                <WatchdogSwitch mode={knobs::value(&props.scenario, WATCHDOG)} act={props.act.clone()} />
                <Seed value={knobs::value(&props.scenario, SEED)} refused={refused(SEED)} act={props.act.clone()} />
                <button type="button" class="reset" disabled={!props.changed} onclick={reset}>{ "Undo all changes" }</button>
            </div>
        </section>
    }
}

/// Sends what is typed or dragged as the new value of a setting.
fn sets(key: &'static str, act: &Callback<Action>) -> impl Fn(Option<HtmlInputElement>) + 'static {
    let act = act.clone();
    move |input| {
        if let Some(input) = input {
            act.emit(Action::Set(key, input.value()));
        }
    }
}

#[derive(Properties, PartialEq)]
struct TimingProps {
    knob: Knob,
    value: String,
    refused: Option<Refused>,
    adjusted: Option<Adjustment>,
    act: Callback<Action>,
}

#[component]
fn Timing(props: &TimingProps) -> Html {
    let Some(field) = props.knob.field() else {
        return Html::default();
    };
    let (least, most) = props.knob.slider;
    let (slide, typed) = (sets(field.key, &props.act), sets(field.key, &props.act));
    let oninput = Callback::from(move |event: InputEvent| slide(event.target_dyn_into()));
    let onchange = Callback::from(move |event: Event| typed(event.target_dyn_into()));
    let shown = props.refused.as_ref().map_or(&props.value, |refused| &refused.value);
    let help = format!("{}-help", field.label);
    html! {
        <div class="knob">
            <div class="head">
                <label for={field.label}>{ field.label }</label>
                <span class="number">
                    <input
                        type="number" step="1" aria-label={format!("{} in seconds", field.label)} aria-describedby={help.clone()}
                        aria-invalid={props.refused.is_some().to_string()} value={shown.clone()} {onchange}
                    />{ " " }{ field.unit }
                </span>
            </div>
            <input
                id={field.label} type="range" min={least.to_string()} max={most.to_string()} step="1" value={props.value.clone()} {oninput}
                aria-valuetext={format!("{} {}", props.value, field.unit)} aria-describedby={help.clone()}
            />
            <p id={help} class="help">{ field.help }{ range_words(field) }</p>
            if let Some(refused) = &props.refused {
                <p class="refused" role="alert">{ format!("{} is not possible: {}.", refused.value, refused.words) }</p>
            }
            if let Some(adjusted) = &props.adjusted {
                <p class="adjusted" role="status">
                    { format!("Patroni would not run with {} {unit}: it runs with {} {unit}, because {}.", adjusted.from, adjusted.to, adjusted.why, unit = field.unit) }
                </p>
            }
        </div>
    }
}

fn range_words(field: &Field) -> String {
    match field.kind {
        FieldKind::Number { min, max, .. } => format!(" {} to {} {}.", min.as_f64(), max.as_f64(), field.unit),
        _ => String::new(),
    }
}

#[derive(Properties, PartialEq)]
struct WatchdogProps {
    mode: String,
    act: Callback<Action>,
}

#[component]
fn WatchdogSwitch(props: &WatchdogProps) -> Html {
    let choice = |mode: &'static str| {
        let set = sets(WATCHDOG, &props.act);
        html! {
            <label>
                <input
                    type="radio" name="watchdog" value={mode} checked={props.mode == mode}
                    onchange={move |event: Event| set(event.target_dyn_into())}
                />
                <span>{ mode }</span>
            </label>
        }
    };
    html! {
        <fieldset class="watchdog" aria-describedby="watchdog-help">
            <legend>{ "Watchdog" }</legend>
            <div class="switch">{ for WATCHDOG_MODES.into_iter().map(choice) }</div>
            <p id="watchdog-help" class="help">{ Field::of(WATCHDOG).map_or("", |field| field.help) }</p>
        </fieldset>
    }
}

#[derive(Properties, PartialEq)]
struct SeedProps {
    value: String,
    refused: Option<Refused>,
    act: Callback<Action>,
}

#[component]
fn Seed(props: &SeedProps) -> Html {
    let set = sets(SEED, &props.act);
    let onchange = Callback::from(move |event: Event| set(event.target_dyn_into()));
    let next = {
        let (act, value) = (props.act.clone(), props.value.clone());
        move |_| {
            act.emit(Action::Set(
                SEED,
                value
                    .parse::<u64>()
                    .map_or_else(|_| value.clone(), |seed| (seed + 1).to_string()),
            ))
        }
    };
    let shown = props.refused.as_ref().map_or(&props.value, |refused| &refused.value);
    html! {
        <div class="seed">
            <div class="head">
                <label for="seed">{ "Seed" }</label>
                <span class="number">
                    <input
                        id="seed" type="number" step="1" min="0" aria-describedby="seed-help"
                        aria-invalid={props.refused.is_some().to_string()} value={shown.clone()} {onchange}
                    />
                    <button type="button" onclick={next} title="The same scenario with other chances">{ "Next" }</button>
                </span>
            </div>
            <p id="seed-help" class="help">{ Field::of(SEED).map_or("", |field| field.help) }</p>
            if let Some(refused) = &props.refused {
                <p class="refused" role="alert">{ format!("{} is not possible: {}.", refused.value, refused.words) }</p>
            }
        </div>
    }
}
