//! What is broken in this run, as a list; of the chosen fault all its numbers.

use super::browser;
use super::controls::{entered, press};
use super::setting::Typed;
use super::shared::tenths;
use crate::draw::words::{fault_label, fault_times};
use crate::scenario::{Fault, Field, FieldKind};
use crate::session::faults::fault_fields;
use crate::session::strike::STRIKE;
use crate::session::{Action, FaultEdit, Session};
use gloo_timers::callback::Timeout;
use yew::prelude::*;

/// The chosen fault with all its numbers, and what cannot be.
pub fn chosen(session: &Session, act: &Callback<Action>) -> Html {
    let refused = session.refused.as_ref().filter(|refused| refused.key == STRIKE);
    html! {
        <>
            if let Some(refused) = refused {
                <p class="refused" role="alert">{ format!("{} is not possible: {}.", refused.value, refused.words) }</p>
            }
            if let Some((index, fault)) = session.chosen_fault() {
                { numbers(session, act, index, fault) }
            }
        </>
    }
}

fn numbers(session: &Session, act: &Callback<Action>, index: usize, fault: &Fault) -> Html {
    let now = tenths(session.playhead);
    html! {
        <section class="chosen-fault" aria-labelledby={TITLE}>
            <h2 id={TITLE} tabindex="-1">{ in_words(session, fault) }</h2>
            <div class="numbers">
                { for fault_fields(session, fault).into_iter().map(|(field, value)| number(act, index, field, value)) }
                <div class="openers">
                    { edit(act, "Begin it now", format!("Begin it now, at the playhead: {now}"), FaultEdit::BeginNow(index)) }
                    if fault.what.lasts() {
                        { edit(act, "End it now", format!("End it now, at the playhead: {now}"), FaultEdit::EndNow(index)) }
                    }
                    { edit(act, "Take it away", "Take it away (Del)".to_owned(), FaultEdit::Remove(index)) }
                    { edit(act, "Done", "Done with this fault".to_owned(), FaultEdit::Choose(None)) }
                </div>
            </div>
        </section>
    }
}

/// The heading of the chosen fault.
const TITLE: &str = "fault-title";

fn in_words(session: &Session, fault: &Fault) -> String {
    format!("{}, {}", fault_label(fault, &session.scenario), fault_times(fault))
}

fn edit(act: &Callback<Action>, words: &'static str, label: String, edit: FaultEdit) -> Html {
    html! { <button type="button" aria-label={label} onclick={press(act, Action::Fault(edit))}>{ words }</button> }
}

/// All that is broken in this run.
pub fn list(session: &Session, act: &Callback<Action>) -> Html {
    let faults = &session.scenario.faults;
    if faults.is_empty() {
        return html! { <p class="help">{ "Nothing is broken in this run." }</p> };
    }
    html! {
        <ul class="faults" aria-label="What is broken in this run">
            { for faults.iter().enumerate().map(|(index, fault)| item(session, act, index, fault)) }
        </ul>
    }
}

fn item(session: &Session, act: &Callback<Action>, index: usize, fault: &Fault) -> Html {
    let what = in_words(session, fault);
    let is_chosen = session.chosen_fault().is_some_and(|(chosen, _)| chosen == index);
    let onclick = {
        let choose = press(act, Action::Fault(FaultEdit::Choose(Some(index))));
        Callback::from(move |event: MouseEvent| {
            choose.emit(event);
            // Its numbers stand elsewhere on the page, once they are there.
            Timeout::new(0, || browser::focus(TITLE)).forget();
        })
    };
    html! {
        <li key={index} class={classes!("what", is_chosen.then_some("chosen"))}>
            <span>{ &what }</span>
            <button type="button" aria-label={format!("Change: {what}")} {onclick}>{ "Change" }</button>
            { edit(act, "Remove", format!("Remove: {what}"), FaultEdit::Remove(index)) }
        </li>
    }
}

/// One of its fields: choices as a list, all else to be typed; arrow keys move a number by one.
fn number(act: &Callback<Action>, index: usize, field: &'static Field, value: String) -> Html {
    let id = format!("fault-{}", field.key);
    let onchange = {
        let act = act.clone();
        Callback::from(move |event: Event| {
            if let Some(value) = entered(&event) {
                act.emit(Action::Fault(FaultEdit::Set(index, field.key, value)));
            }
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
