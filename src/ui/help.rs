//! The help sheet: all keys, and the switch that turns single keys off.

use crate::session::Action;
use crate::session::keys::{HELP, SHORTCUTS};
use web_sys::{HtmlDialogElement, HtmlInputElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub open: bool,
    pub set_open: Callback<bool>,
    pub single_keys: bool,
    pub act: Callback<Action>,
}

#[component]
pub fn Help(props: &Props) -> Html {
    let dialog = use_node_ref();
    {
        let dialog = dialog.clone();
        use_effect_with(props.open, move |open| {
            let Some(dialog) = dialog.cast::<HtmlDialogElement>() else {
                return;
            };
            match (*open, dialog.open()) {
                // The browser keeps the focus inside and gives it back afterwards.
                (true, false) => drop(dialog.show_modal()),
                (false, true) => dialog.close(),
                _ => {}
            }
        });
    }
    let set = |open: bool| {
        let set_open = props.set_open.clone();
        Callback::from(move |_: MouseEvent| set_open.emit(open))
    };
    let closed = {
        let set_open = props.set_open.clone();
        Callback::from(move |_: Event| set_open.emit(false))
    };
    let switch = {
        let act = props.act.clone();
        Callback::from(move |event: Event| {
            if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
                act.emit(Action::SingleKeys(input.checked()));
            }
        })
    };
    let line = |(keys, words): (&'static str, &'static str)| {
        html! { <><dt><kbd>{ keys }</kbd></dt><dd>{ words }</dd></> }
    };
    html! {
        <>
            <button type="button" class="help-opener" aria-haspopup="dialog" onclick={set(true)}>{ "Keys (?)" }</button>
            <dialog ref={dialog} class="help-sheet" aria-labelledby="keys-title" onclose={closed}>
                <h2 id="keys-title">{ "Keys" }</h2>
                <dl>
                    { for SHORTCUTS.iter().map(|shortcut| line((shortcut.name, shortcut.words))) }
                    { line((HELP, "this sheet")) }
                </dl>
                <label class="check">
                    <input type="checkbox" checked={props.single_keys} onchange={switch} />
                    { " Keys work without Ctrl or Alt. Switch them off when they get in the way of other tools." }
                </label>
                <button type="button" class="play" onclick={set(false)}>{ "Close" }</button>
            </dialog>
        </>
    }
}
