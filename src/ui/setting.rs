//! One setting of the form: its label and unit, a control that suits its kind, its help, whether it was changed, and what is
//! wrong with it. All of it comes from the field's description.

use super::controls::{press, set};
use crate::scenario::{Field, FieldKind, Scenario, Slider};
use crate::session::{Action, Refused, knobs};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// What all settings of the form are made of.
pub struct Form<'a> {
    pub scenario: &'a Scenario,
    pub shipped: &'a Scenario,
    pub refused: Option<&'a Refused>,
    pub explained: Option<&'static str>,
    pub act: &'a Callback<Action>,
}

impl Form<'_> {
    fn refused(&self, field: &Field) -> Option<&Refused> {
        self.refused.filter(|refused| refused.key == field.key)
    }
}

/// What is there only now and then has a place of its own all the time, or else the controls after it would be made anew and
/// lose the focus.
pub fn setting(form: &Form, field: &'static Field) -> Html {
    let own = knobs::own_value(form.scenario, form.shipped, field.key);
    let control = match field.kind {
        FieldKind::Choice(words) => choice(form, field, words),
        FieldKind::Flag => choice(form, field, &["false", "true"]),
        _ => entry(form, field),
    };
    html! {
        <div class={if own.is_some() { "knob changed" } else { "knob" }} key={field.key}>
            { control }
            { help(form, field) }
            { own.map(|own| put_back(form, field, &own)).unwrap_or_default() }
            { refusal(form, field) }
            { adjustment(form, field) }
        </div>
    }
}

/// A longer label has no room for a number beside it.
const LABEL_BESIDE_MAX: usize = 16;

/// A field to type in, under a slider when the description has one. A list has a slider for how many there are.
fn entry(form: &Form, field: &'static Field) -> Html {
    let value = match (field.kind, field.form.slider) {
        (FieldKind::Names { .. }, Some(_)) => knobs::count(form.scenario, field.key).to_string(),
        _ => knobs::value(form.scenario, field.key),
    };
    let refused = form.refused(field);
    let shown = refused.map_or(&value, |refused| &refused.value).clone();
    let is_number = matches!(field.kind, FieldKind::Number { .. }) || field.form.slider.is_some();
    let id = id(field);
    let for_slider = field.form.slider.is_some();
    let number = html! {
        <span class="number">
            <Typed
                id={(!for_slider).then(|| id.clone())} {is_number} label={for_slider.then(|| number_words(field))}
                invalid={refused.is_some()} value={shown} onchange={set::<Event>(form.act, field.key)}
            />
            if !field.unit.is_empty() {
                { " " }{ field.unit }
            }
            { next_seed(form, field) }
        </span>
    };
    let range = field
        .form
        .slider
        .map(|slider| range(form, field, slider, id.clone(), &value));
    // A number stands beside its label when both are short, anything longer below it.
    let beside = is_number && !for_slider && field.label.len() <= LABEL_BESIDE_MAX;
    html! {
        <>
            <div class="head">
                <label for={id}>{ field.label }</label>
                { if beside { number.clone() } else { Html::default() } }
                { hint(form, field) }
            </div>
            if !beside {
                <div class="row">{ range.unwrap_or_default() }{ number }</div>
            }
        </>
    }
}

#[derive(PartialEq, Properties)]
pub struct TypedProps {
    #[prop_or_default]
    pub id: Option<String>,
    pub is_number: bool,
    /// Its name, where no label points to it.
    #[prop_or_default]
    pub label: Option<String>,
    #[prop_or_default]
    pub invalid: bool,
    /// What it means while it is empty.
    #[prop_or_default]
    pub hint: &'static str,
    pub value: String,
    pub onchange: Callback<Event>,
}

/// What is being typed stays, though the page around it is drawn anew meanwhile, until it is entered.
#[component]
pub fn Typed(props: &TypedProps) -> Html {
    let typing = use_state(|| None::<String>);
    let oninput = {
        let typing = typing.clone();
        Callback::from(move |event: InputEvent| {
            typing.set(event.target_dyn_into::<HtmlInputElement>().map(|input| input.value()));
        })
    };
    let onchange = {
        let (typing, entered) = (typing.clone(), props.onchange.clone());
        Callback::from(move |event: Event| {
            entered.emit(event);
            typing.set(None);
        })
    };
    let shown = typing.as_ref().unwrap_or(&props.value).clone();
    html! {
        <input
            id={props.id.clone()} type={if props.is_number { "number" } else { "text" }} step="any"
            class={(!props.is_number).then_some("wide")} autocomplete="off" aria-label={props.label.clone()}
            aria-invalid={props.invalid.to_string()} placeholder={props.hint} value={shown} {oninput} {onchange}
        />
    }
}

fn range(form: &Form, field: &'static Field, slider: Slider, id: String, value: &str) -> Html {
    html! {
        <input
            {id} type="range" min={slider.from.to_string()} max={slider.to.to_string()} step={slider.step.to_string()}
            value={value.to_owned()} oninput={set::<InputEvent>(form.act, field.key)}
            aria-valuetext={format!("{value} {}", field.unit).trim_end().to_owned()}
        />
    }
}

/// One of a few words.
fn choice(form: &Form, field: &'static Field, words: &'static [&'static str]) -> Html {
    let now = knobs::value(form.scenario, field.key);
    let one = |word: &'static str| {
        html! {
            <label>
                <input
                    type="radio" name={field.key} value={word} checked={now == word}
                    onchange={set::<Event>(form.act, field.key)}
                />
                <span>{ spoken(field, word) }</span>
            </label>
        }
    };
    html! {
        <fieldset>
            <legend>{ field.label }</legend>
            <div class="switch">{ for words.iter().copied().map(one) }{ hint(form, field) }</div>
        </fieldset>
    }
}

fn spoken(field: &Field, word: &'static str) -> &'static str {
    match (field.kind, word) {
        (FieldKind::Flag, "false") => "off",
        (FieldKind::Flag, _) => "on",
        _ => word,
    }
}

/// The seed is tried rather than chosen.
fn next_seed(form: &Form, field: &'static Field) -> Html {
    if field.key != "seed" {
        return Html::default();
    }
    let next = (form.scenario.seed + 1).to_string();
    html! {
        <button type="button" title="The same scenario with other chances" onclick={press(form.act, Action::Set(field.key, next))}>
            { "Next" }
        </button>
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

fn id(field: &Field) -> String {
    field.key.replace('.', "-")
}

fn hint(form: &Form, field: &'static Field) -> Html {
    let open = form.explained == Some(field.key);
    html! {
        <button
            type="button" class="hint" aria-expanded={open.to_string()} aria-controls={format!("{}-help", id(field))}
            aria-label={format!("Help: {}", field.label)} onclick={press(form.act, Action::Explain(field.key))}
        >
            { "?" }
        </button>
    }
}

fn help(form: &Form, field: &'static Field) -> Html {
    if form.explained != Some(field.key) {
        return Html::default();
    }
    let default = field
        .default
        .map(|default| format!(" {default} when left out."))
        .unwrap_or_default();
    html! {
        <p id={format!("{}-help", id(field))} class="help" role="status">
            { field.help }{ format!(" Takes {}.{default} In a file: ", field.takes()) }<code>{ field.key }</code>{ "." }
        </p>
    }
}

fn put_back(form: &Form, field: &'static Field, own: &str) -> Html {
    let own = match field.kind {
        FieldKind::Flag if own == "true" => "on",
        FieldKind::Flag => "off",
        _ => own,
    };
    let own = format!("{own} {}", field.unit);
    html! {
        <p class="own">
            { format!("Changed from {}. ", own.trim_end()) }
            <button
                type="button" aria-label={format!("Put {} back to {}", field.label, own.trim_end())}
                onclick={press(form.act, Action::PutBack(field.key))}
            >
                { "Put back" }
            </button>
        </p>
    }
}

fn refusal(form: &Form, field: &Field) -> Html {
    let words = form
        .refused(field)
        .map(|refused| format!("{} is not possible: {}.", refused.value, refused.words));
    words.map_or_else(
        Html::default,
        |words| html! { <p class="refused" role="alert">{ words }</p> },
    )
}

/// Patroni's own change of a value that it would not run with.
fn adjustment(form: &Form, field: &Field) -> Html {
    let adjusted = form.scenario.adjusted.iter().find(|adjusted| adjusted.key == field.key);
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
