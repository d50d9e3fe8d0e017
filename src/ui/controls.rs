//! What buttons and fields do when they are used. One place, because each closure of its own is compiled anew.

use crate::session::{Action, DraftField};
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement, MouseEvent};
use yew::prelude::*;

/// Does this action when pressed.
pub fn press(act: &Callback<Action>, action: Action) -> Callback<MouseEvent> {
    let act = act.clone();
    Callback::from(move |_| act.emit(action.clone()))
}

/// Does nothing while it is not `possible`. Such a button says so with [`unless`] and keeps the focus: one that is disabled
/// would lose it under the hands of whoever presses it for the last time.
pub fn press_if(possible: bool, act: &Callback<Action>, action: Action) -> Callback<MouseEvent> {
    if possible { press(act, action) } else { Callback::noop() }
}

/// The value of `aria-disabled`.
pub fn unless(possible: bool) -> Option<&'static str> {
    (!possible).then_some("true")
}

/// A button in words. `hint` says more, and its key.
pub fn button(
    act: &Callback<Action>,
    words: &'static str,
    class: &'static str,
    hint: &'static str,
    action: Action,
) -> Html {
    html! { <button type="button" {class} title={hint} onclick={press(act, action)}>{ words }</button> }
}

/// Sends what a field or slider holds as the new value of a setting, while it is dragged (`oninput`) or once it is
/// entered (`onchange`).
pub fn set<E: AsRef<Event> + 'static>(act: &Callback<Action>, key: &'static str) -> Callback<E> {
    let act = act.clone();
    Callback::from(move |event: E| {
        if let Some(input) = event.as_ref().target_dyn_into::<HtmlInputElement>() {
            act.emit(Action::Set(key, input.value()));
        }
    })
}

/// Sends what a field for text holds, letter by letter.
pub fn typed(act: &Callback<Action>, action: fn(String) -> Action) -> Callback<InputEvent> {
    let act = act.clone();
    Callback::from(move |event: InputEvent| {
        let Some(target) = event.target() else { return };
        let text = match target.dyn_into::<HtmlTextAreaElement>() {
            Ok(area) => area.value(),
            Err(other) => other.unchecked_into::<HtmlInputElement>().value(),
        };
        act.emit(action(text));
    })
}

/// What a field or a list of choices holds.
pub fn entered(event: &Event) -> Option<String> {
    Some(match event.target()?.dyn_into::<HtmlSelectElement>() {
        Ok(list) => list.value(),
        Err(other) => other.unchecked_into::<HtmlInputElement>().value(),
    })
}

/// Which of a list's choices is chosen, from 0.
pub fn chosen_place(event: &Event) -> Option<usize> {
    let list: HtmlSelectElement = event.target()?.dyn_into().ok()?;
    usize::try_from(list.selected_index()).ok()
}

/// Sends what a field or a list of choices holds to the strike that is being prepared.
pub fn draft<E: AsRef<Event> + 'static>(act: &Callback<Action>, field: DraftField) -> Callback<E> {
    let act = act.clone();
    Callback::from(move |event: E| {
        let Some(value) = entered(event.as_ref()) else { return };
        act.emit(Action::Draft(field, value));
    })
}
