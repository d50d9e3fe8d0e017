//! The help sheet: all keys, and the switch that turns single keys off.

use super::controls::{button, press};
use crate::session::keys::{COMMANDS, SHORTCUTS};
use crate::session::{Action, Session};
use web_sys::{HtmlDialogElement, HtmlInputElement};
use yew::prelude::*;

/// The button that opens the sheet, and the sheet.
pub fn view(session: &Session, act: &Callback<Action>, dialog: &NodeRef) -> Html {
    let (switch, close) = (act.clone(), act.clone());
    let switch = Callback::from(move |event: Event| {
        if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
            switch.emit(Action::SingleKeys(input.checked()));
        }
    });
    // The browser closes it too, on Esc.
    let closed = Callback::from(move |_: Event| close.emit(Action::Help(false)));
    let line = |(keys, words): (&'static str, &'static str)| {
        html! { <><dt><kbd>{ keys }</kbd></dt><dd>{ words }</dd></> }
    };
    html! {
        <>
            <button type="button" class="help-opener" aria-haspopup="dialog" onclick={press(act, Action::Help(true))}>{ "Keys (?)" }</button>
            <dialog ref={dialog.clone()} class="help-sheet" aria-labelledby="keys-title" onclose={closed}>
                <h2 id="keys-title">{ "Keys" }</h2>
                <dl>
                    { for SHORTCUTS.iter().map(|shortcut| line((shortcut.name, shortcut.words))) }
                    { for COMMANDS.into_iter().map(line) }
                </dl>
                <label class="check">
                    <input type="checkbox" checked={session.single_keys} onchange={switch} />
                    { " Keys work without Ctrl or Alt. Switch them off when they get in the way of other tools." }
                </label>
                { button(act, "Close", "play", "", Action::Help(false)) }
            </dialog>
        </>
    }
}

/// Opens or closes the sheet. The browser keeps the focus inside while it is open and gives it back afterwards.
pub fn show(dialog: &NodeRef, open: bool) {
    let Some(dialog) = dialog.cast::<HtmlDialogElement>() else {
        return;
    };
    match (open, dialog.open()) {
        // Refused only for a dialog that is not in the document.
        (true, false) => drop(dialog.show_modal()),
        (false, true) => dialog.close(),
        _ => {}
    }
}
