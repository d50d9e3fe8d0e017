//! Links and files: the sheet that copies a link or a report, saves the scenario and opens another one.

use super::browser;
use super::controls::{button, press_if, typed, unless};
use crate::session::{Action, Copied, Export, Session, Sharing};
use web_sys::{DragEvent, HtmlInputElement};
use yew::prelude::*;

pub fn sheet(session: &Session, act: &Callback<Action>, dialog: &NodeRef) -> Html {
    let close = act.clone();
    // The browser closes it too, on Esc.
    let closed = Callback::from(move |_: Event| close.emit(Action::Share(Sharing::Open(false))));
    html! {
        <dialog ref={dialog.clone()} class="help-sheet share" aria-labelledby="share-title" onclose={closed}>
            <h2 id="share-title">{ "Link and file" }</h2>
            // Its parts are made only while it is open: the link is long and changes with every frame.
            if session.share.open {
                { give(session, act) }
                { take(session, act) }
                { button(act, "Close", "play", "", Action::Share(Sharing::Open(false))) }
            }
        </dialog>
    }
}

fn copy(act: &Callback<Action>, words: &'static str, what: Copied) -> Html {
    button(act, words, "", "", Action::Share(Sharing::Copy(what)))
}

/// The button of the top line.
pub fn copy_link(act: &Callback<Action>) -> Html {
    button(
        act,
        "Copy link",
        "",
        "A link that opens exactly this moment",
        Action::Share(Sharing::Copy(Copied::Link)),
    )
}

fn give(session: &Session, act: &Callback<Action>) -> Html {
    let file = format!(
        "data:application/toml;charset=utf-8,{}",
        browser::encoded(&session.scenario.to_toml())
    );
    html! {
        <>
            <p>{ "The link holds the scenario with all changes, the seed, the moment and the view. Nothing is stored anywhere else." }</p>
            <div class="openers">
                { copy(act, "Copy link", Copied::Link) }
                { copy(act, "Copy report", Copied::Report) }
                <a class="button" href={file} download={session.file_name("toml")}>{ "Save the scenario as a file" }</a>
            </div>
            <p>{ "The run: the timeline as it is seen now, or all events." }</p>
            <div class="openers">
                { save(act, "Save the timeline as SVG", Export::Svg) }
                { save(act, "Save the timeline as PNG", Export::Png) }
                { save(act, "Save the trace as JSON lines", Export::Trace) }
            </div>
            <p role="status">{ session.share.told.clone().unwrap_or_default() }</p>
            if let Some(text) = &session.share.by_hand {
                <textarea aria-label="To copy by hand" readonly=true rows="5" value={text.clone()} />
            }
            { within(session, act) }
        </>
    }
}

fn save(act: &Callback<Action>, words: &'static str, what: Export) -> Html {
    button(act, words, "", "", Action::Share(Sharing::Save(what)))
}

/// What the page around says to the page within, and hears from it.
const MESSAGES: [(&str, &str); 6] = [
    ("{leaselab: 1, do: \"open\", link: \"…\"}", "opens a link of LeaseLab"),
    ("{leaselab: 1, do: \"play\"}", "plays"),
    ("{leaselab: 1, do: \"pause\"}", "stands still"),
    (
        "{leaselab: 1, do: \"seek\", ms: 42000}",
        "goes to 42 s of simulated time",
    ),
    (
        "{leaselab: 1, is: \"ready\"}",
        "comes once: it listens and shows its first run",
    ),
    (
        "{leaselab: 1, is: \"state\", ms, end_ms, playing, verdict}",
        "comes whenever one of them is another",
    ),
];

/// How to show it in a page of one's own.
fn within(session: &Session, act: &Callback<Action>) -> Html {
    let message = |(message, words): (&'static str, &'static str)| {
        html! { <><dt><code>{ message }</code></dt><dd>{ words }</dd></> }
    };
    html! {
        <details class="within">
            <summary>{ "Show it in a page of your own" }</summary>
            <label for="snippet">{ "Timeline, playback and verdict, in a frame:" }</label>
            <textarea id="snippet" readonly=true rows="4" value={session.snippet()} />
            <div class="openers">{ copy(act, "Copy snippet", Copied::Snippet) }</div>
            <p>{ "The page around it can steer it with postMessage, and hears from it:" }</p>
            <dl>{ for MESSAGES.into_iter().map(message) }</dl>
        </details>
    }
}

fn take(session: &Session, act: &Callback<Action>) -> Html {
    let chosen = {
        let act = act.clone();
        Callback::from(move |event: Event| {
            let input = event.target_dyn_into::<HtmlInputElement>();
            let Some(input) = input else { return };
            if let Some(file) = input.files().and_then(|files| files.get(0)) {
                read_file(file, &act);
            }
            // The same file can be chosen again after it was mended.
            input.set_value("");
        })
    };
    let pasted = !session.share.typed.trim().is_empty();
    html! {
        <>
            <h3>{ "Open a scenario" }</h3>
            <p><label for="scenario-file">{ "A TOML file; it can also be dropped anywhere on the page. " }</label><input id="scenario-file" type="file" accept=".toml,text/plain" onchange={chosen} /></p>
            <label for="scenario-text">{ "Or paste its text, or a link" }</label>
            <textarea
                id="scenario-text" rows="6" spellcheck="false" autocomplete="off" value={session.share.typed.clone()}
                aria-invalid={(!session.share.errors.is_empty()).to_string()} aria-describedby="share-errors"
                oninput={typed(act, |text| Action::Share(Sharing::Typed(text)))}
            />
            <ul id="share-errors" class="refused" role="alert">{ for session.share.errors.iter().map(|words| html! { <li>{ words }</li> }) }</ul>
            <div class="openers">
                <button type="button" aria-disabled={unless(pasted)} onclick={press_if(pasted, act, Action::Share(Sharing::RunTyped))}>
                    { "Open what is pasted" }
                </button>
            </div>
        </>
    }
}

/// A file that was dropped on the page; anything else that was dropped is the browser's.
pub fn dropped(event: &DragEvent, act: &Callback<Action>) {
    let files = event.data_transfer().and_then(|data| data.files());
    if let Some(file) = files.and_then(|files| files.get(0)) {
        event.prevent_default();
        read_file(file, act);
    }
}

fn read_file(file: web_sys::File, act: &Callback<Action>) {
    let (act, name) = (act.clone(), file.name());
    let told = Callback::from(move |text| act.emit(Action::Share(Sharing::File(name.clone(), text))));
    browser::read(file, told);
}
