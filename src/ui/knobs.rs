//! The settings: a slider and a number field for each timing, the watchdog's switch, the seed.

use super::controls::{press, set};
use crate::scenario::{Field, FieldKind, Scenario};
use crate::session::knobs::{self, KNOBS, Knob, SEED, WATCHDOG, WATCHDOG_MODES};
use crate::session::{Action, Refused};
use std::rc::Rc;
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
    html! {
        <section class="knobs" aria-label="Settings">
            { for KNOBS.iter().map(|knob| timing(knob, props)) }
            { watchdog(props) }
            { seed(props) }
            <button type="button" class="reset" disabled={!props.changed} onclick={press(&props.act, Action::ResetSettings)}>
                { "Undo all changes" }
            </button>
        </section>
    }
}

fn timing(knob: &Knob, props: &Props) -> Html {
    let Some(field) = knob.field() else {
        return Html::default();
    };
    let value = knobs::value(&props.scenario, knob.key);
    let (least, most) = knob.slider;
    let id = knob.key.replace('.', "-");
    let help = format!("{id}-help");
    html! {
        <div class="knob" key={knob.key}>
            <div class="head">
                <label for={id.clone()}>{ field.label }</label>
                <span class="number">
                    { number(props, field, &value, None, &help) }{ " " }{ field.unit }
                </span>
            </div>
            <input
                {id} type="range" min={least.to_string()} max={most.to_string()} step={knob.step.to_string()} value={value.clone()}
                oninput={set::<InputEvent>(&props.act, field.key)} aria-valuetext={format!("{value} {}", field.unit)}
                aria-describedby={help.clone()}
            />
            <p id={help} class="help">{ field.help }{ range_words(field) }</p>
            { refusal(props, field.key) }
            { adjustment(props, field) }
        </div>
    }
}

/// The number field of a setting: named by its label, or on its own when a slider has the label.
fn number(props: &Props, field: &'static Field, value: &str, id: Option<&'static str>, help: &str) -> Html {
    let refused = refused(props, field.key);
    let shown = refused.map_or(value, |refused| &refused.value).to_owned();
    html! {
        <input
            {id} type="number" step="1" aria-label={id.is_none().then(|| number_words(field))}
            aria-describedby={help.to_owned()} aria-invalid={refused.is_some().to_string()} value={shown}
            onchange={set::<Event>(&props.act, field.key)}
        />
    }
}

/// The name of a number field whose label belongs to its slider.
fn number_words(field: &Field) -> String {
    match field.unit {
        "s" => format!("{} in seconds", field.label),
        "ms" => format!("{} in milliseconds", field.label),
        _ => format!("{}, as a number", field.label),
    }
}

fn refused<'a>(props: &'a Props, key: &str) -> Option<&'a Refused> {
    props.refused.as_ref().filter(|refused| refused.key == key)
}

fn refusal(props: &Props, key: &str) -> Html {
    let words = refused(props, key).map(|refused| format!("{} is not possible: {}.", refused.value, refused.words));
    words.map_or_else(
        Html::default,
        |words| html! { <p class="refused" role="alert">{ words }</p> },
    )
}

/// Patroni's own change of a value that it would not run with.
fn adjustment(props: &Props, field: &Field) -> Html {
    let adjusted = props
        .scenario
        .adjusted
        .iter()
        .find(|adjusted| adjusted.key == field.key);
    let words = adjusted.map(|adjusted| {
        format!(
            "Patroni would not run with {} {unit}: it runs with {} {unit}, because {}.",
            adjusted.from,
            adjusted.to,
            adjusted.why,
            unit = field.unit
        )
    });
    words.map_or_else(
        Html::default,
        |words| html! { <p class="adjusted" role="status">{ words }</p> },
    )
}

fn range_words(field: &Field) -> String {
    match field.kind {
        FieldKind::Number { min, max, .. } => {
            let unit = if field.unit.is_empty() {
                String::new()
            } else {
                format!(" {}", field.unit)
            };
            format!(" {} to {}{unit}.", min.as_f64(), max.as_f64())
        }
        _ => String::new(),
    }
}

fn watchdog(props: &Props) -> Html {
    let now = knobs::value(&props.scenario, WATCHDOG);
    let choice = |mode: &'static str| {
        html! {
            <label>
                <input
                    type="radio" name="watchdog" value={mode} checked={now == mode}
                    onchange={set::<Event>(&props.act, WATCHDOG)}
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

fn seed(props: &Props) -> Html {
    let Some(field) = Field::of(SEED) else {
        return Html::default();
    };
    let next = (props.scenario.seed + 1).to_string();
    html! {
        <div class="seed">
            <div class="head">
                <label for="seed">{ field.label }</label>
                <span class="number">
                    { number(props, field, &props.scenario.seed.to_string(), Some("seed"), "seed-help") }
                    <button type="button" title="The same scenario with other chances" onclick={press(&props.act, Action::Set(SEED, next))}>
                        { "Next" }
                    </button>
                </span>
            </div>
            <p id="seed-help" class="help">{ field.help }</p>
            { refusal(props, SEED) }
        </div>
    }
}
