//! What buttons and fields do when they are used. One place, because each closure of its own is compiled anew.

use crate::session::Action;
use web_sys::{HtmlInputElement, MouseEvent};
use yew::prelude::*;

/// Does this action when pressed.
pub fn press(act: &Callback<Action>, action: Action) -> Callback<MouseEvent> {
    let act = act.clone();
    Callback::from(move |_| act.emit(action.clone()))
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
