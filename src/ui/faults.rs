//! What is broken in this run, as a list; of the chosen fault all its numbers.

use super::controls::press;
use super::setting::Typed;
use super::shared::tenths;
use crate::draw::words::{fault_label, fault_times};
use crate::scenario::{Fault, Field, FieldKind};
use crate::session::faults::fault_fields;
use crate::session::strike::STRIKE;
use crate::session::{Action, FaultEdit, Session};
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

pub fn view(session: &Session, act: &Callback<Action>) -> Html {
    let refused = session.refused.as_ref().filter(|refused| refused.key == STRIKE);
    let faults = &session.scenario.faults;
    html! {
        <div class="faults">
            <div role="alert">
                if let Some(refused) = refused {
                    <p class="refused">{ format!("{} is not possible: {}.", refused.value, refused.words) }</p>
                }
            </div>
            if faults.is_empty() {
                <p class="help">{ "Nothing is broken in this run." }</p>
            } else {
                <ul aria-label="What is broken in this run">
                    { for faults.iter().enumerate().map(|(index, fault)| item(session, act, index, fault)) }
                </ul>
            }
        </div>
    }
}

fn item(session: &Session, act: &Callback<Action>, index: usize, fault: &Fault) -> Html {
    let what = format!("{}, {}", fault_label(fault, &session.scenario), fault_times(fault));
    let is_chosen = session.chosen_fault().is_some_and(|(chosen, _)| chosen == index);
    let choose = FaultEdit::Choose((!is_chosen).then_some(index));
    let edit = |words: &'static str, label: String, edit: FaultEdit| {
        html! { <button type="button" aria-label={label} onclick={press(act, Action::Fault(edit))}>{ words }</button> }
    };
    let now = tenths(session.playhead);
    html! {
        <li key={index} class={is_chosen.then_some("chosen")}>
            <div class="what">
                <span>{ &what }</span>
                <button
                    type="button" aria-expanded={is_chosen.to_string()} aria-label={format!("Change: {what}")}
                    onclick={press(act, Action::Fault(choose))}
                >
                    { "Change" }
                </button>
                { edit("Remove", format!("Remove: {what}"), FaultEdit::Remove(index)) }
            </div>
            if is_chosen {
                <div class="numbers">
                    { for fault_fields(session, fault).into_iter().map(|(field, value)| number(act, index, field, value)) }
                    <div class="openers">
                        { edit("Begin it now", format!("Begin it at the playhead, {now}"), FaultEdit::BeginNow(index)) }
                        if fault.what.lasts() {
                            { edit("End it now", format!("End it at the playhead, {now}"), FaultEdit::EndNow(index)) }
                        }
                    </div>
                </div>
            }
        </li>
    }
}

/// One of its fields: choices as a list, all else to be typed; arrow keys move a number by one.
fn number(act: &Callback<Action>, index: usize, field: &'static Field, value: String) -> Html {
    let id = format!("fault-{}", field.key);
    let onchange = {
        let act = act.clone();
        Callback::from(move |event: Event| {
            let Some(target) = event.target() else { return };
            let value = match target.dyn_into::<HtmlSelectElement>() {
                Ok(list) => list.value(),
                Err(other) => other.unchecked_into::<HtmlInputElement>().value(),
            };
            act.emit(Action::Fault(FaultEdit::Set(index, field.key, value)));
        })
    };
    let words = if field.unit.is_empty() {
        field.label.to_owned()
    } else {
        format!("{}, {}", field.label, field.unit)
    };
    let choices: &[&str] = match field.kind {
        FieldKind::Choice(choices) => choices,
        FieldKind::Flag => &["false", "true"],
        _ => &[],
    };
    let option = |choice: &&'static str| {
        html! { <option value={*choice} selected={**choice == value}>{ choice }</option> }
    };
    let is_number = matches!(field.kind, FieldKind::Number { .. });
    html! {
        <div class="field" key={field.key}>
            <label for={id.clone()} title={field.help}>{ words }</label>
            if choices.is_empty() {
                <Typed {id} {is_number} {value} {onchange} hint={if field.key == "for_s" { "to the end" } else { "" }} />
            } else {
                <select {id} {onchange}>{ for choices.iter().map(option) }</select>
            }
        </div>
    }
}
