//! "What really happened": the list of recorded runs, and the one that is open, under the simulated run.

use super::controls::{button, press};
use super::lanes::Lanes;
use super::shared::{Shared, tenths};
use super::timeline::Timeline;
use crate::compare::{Group, Listed, SideBySide};
use crate::draw::Theme;
use crate::draw::story::{Row, Tone};
use crate::session::recorded::Opened;
use crate::session::{Action, Recorded, Session, Survey, Wanted};
use web_sys::HtmlElement;
use yew::prelude::*;

/// What the runs are, and how far they go.
const ABOUT: &str = "These runs were recorded from real Patroni, etcd and PostgreSQL: three database nodes and three members \
     of etcd, each in a network namespace of its own, with one fault each. Choose one: the simulator rebuilds it, with \
     the same settings and the fault in the same phase after the last renewal, and both are shown on one time scale.";
/// What the recorder could not see.
const NOT_RECORDED: &str = "Empty, because it was not recorded: what agents believe, messages, single writes, when the store \
     could decide nothing, and renewals long before the fault. A database is drawn as writable where a write on it was confirmed, every 50 ms.";
/// How to read what lies outside.
const NOISE: &str = "One recorded value in ten falls outside such a range by chance, and several figures of one run hang \
     together. The recorder shared its machine with other work: take differences below about 100 ms as noise.";

/// The list of recorded runs, as a dialog.
pub fn list(session: &Session, act: &Callback<Action>, dialog: &NodeRef) -> Html {
    let recordings = &session.recordings;
    let closed = {
        let act = act.clone();
        // The browser closes it too, on Esc.
        Callback::from(move |_: Event| act.emit(Action::Recorded(Recorded::Choosing(false))))
    };
    let status = match (&recordings.trouble, &recordings.coming, &recordings.list) {
        (Some(trouble), ..) => trouble.clone(),
        (_, Some(id), _) => format!("Opening {id} …"),
        (.., None) => "The list is on its way …".to_owned(),
        _ => String::new(),
    };
    html! {
        <dialog ref={dialog.clone()} class="help-sheet recordings" aria-labelledby="recordings-title" onclose={closed}>
            <div class="head">
                <h2 id="recordings-title">{ "What really happened" }</h2>
                { button(act, "Close the list", "", "", Action::Recorded(Recorded::Choosing(false))) }
            </div>
            <p>{ ABOUT }</p>
            if session.before.is_some() {
                <p>{ "Opening one ends the comparison of your two runs." }</p>
            }
            <p role="status" class="notice">{ status }</p>
            if recordings.choosing {
                { for recordings.list.iter().flat_map(|list| list.iter()).map(|group| runs(group, act)) }
            }
        </dialog>
    }
}

/// The runs with one fault, by their settings.
fn runs(group: &Group, act: &Callback<Action>) -> Html {
    let with_settings = |runs: &[Listed]| {
        let settings = runs.first().map(Listed::settings).unwrap_or_default();
        let run = |run: &Listed| {
            let label = format!("Run {} with {settings}", run.nth());
            let open = press(act, Action::Recorded(Recorded::Open(run.id.clone())));
            html! { <li><button type="button" aria-label={label} onclick={open}>{ run.nth() }</button></li> }
        };
        html! { <><p>{ &settings }</p><ul class="runs">{ for runs.iter().map(run) }</ul></> }
    };
    html! {
        <details key={group.title.clone()}>
            <summary>{ &group.title }</summary>
            { for group.runs.chunk_by(|a, b| a.set == b.set).map(with_settings) }
        </details>
    }
}

/// The recorded run that is open; nothing when none is.
pub fn view(session: &Session, theme: Theme, act: &Callback<Action>, title: &NodeRef) -> Html {
    let Some(opened) = &session.recordings.opened else {
        return html! {};
    };
    let id = &opened.recording.id;
    let (story, at) = (Some(Shared(opened.story.clone())), session.playhead);
    let file = Wanted::Run(id.clone()).address();
    html! {
        <section class="recorded" aria-labelledby="recorded-title">
            <div class="head">
                <h2 id="recorded-title" ref={title.clone()} tabindex="-1">{ format!("Recorded: real {}", opened.versions()) }</h2>
                { button(act, "Close the recording", "", "Back to the scenario that was open before", Action::Recorded(Recorded::Close)) }
            </div>
            <p>{ format!("{}. {}. Run ", opened.title, opened.settings) }<a href={file}>{ id }</a>{ "." }</p>
            <p id="recorded-verdict"><b>{ "Recorded: " }</b>{ opened.story.verdict.headline() }{ " " }{ opened.story.verdict.details() }</p>
            <p id="recorded-changed" class="notice" role="status">
                if session.changed() {
                    { "The simulated run above no longer has the recorded settings and faults: it was changed here. Undo all changes to compare like with like." }
                }
            </p>
            <Timeline label="Recorded timeline" {story} {at} end={session.shown_end()} window={session.window} dress={session.plain_dress(None)} {theme} act={act.clone()} />
            <p class="help">{ NOT_RECORDED }{ " " }{ for opened.story.comment.clone() }</p>
        </section>
    }
}

/// Its figures beside those of the simulated run, and what was recorded in words; nothing when no recorded run is open.
pub fn details(session: &Session) -> Html {
    let Some(opened) = &session.recordings.opened else {
        return html! {};
    };
    html! {
        <section class="compared" aria-label="Recorded and simulated, compared">
            { figures(opened, session.changed()) }
            { events(opened) }
            <Lanes title="The recorded timeline in words" story={Some(Shared(opened.story.clone()))} />
        </section>
    }
}

fn figures(opened: &Opened, changed: bool) -> Html {
    let SideBySide { rows, seeds, alike } = &*opened.beside;
    let wanted = crate::session::recorded::SEEDS;
    let progress = match opened.survey {
        Survey::Runs => format!("{seeds} of {wanted} seeds have run."),
        Survey::Done => format!("{seeds} seeds have run."),
        Survey::Broken => format!("Stopped after {seeds} of {wanted} seeds."),
    };
    let row = |row: &crate::compare::Beside| {
        let fits = match &row.inside {
            Some(Ok(())) => "yes".to_owned(),
            Some(Err(by)) if by.is_empty() => "no".to_owned(),
            Some(Err(by)) => format!("no, by {by}"),
            None => String::new(),
        };
        let outside = row.notable && matches!(row.inside, Some(Err(_)));
        html! {
            <tr>
                <th scope="row">{ row.words }</th>
                <td>{ or_dash(&row.recorded) }</td>
                <td>{ or_dash(&row.this_run) }</td>
                <td>{ or_dash(&row.range) }</td>
                <td class={outside.then_some("outside")}>{ or_dash(&fits) }</td>
            </tr>
        }
    };
    html! {
        <>
        <h3 id="figures-title">{ "The figures side by side" }</h3>
        <p id="figures-notes" class="help">
            { "Times are counted from the fault unless a row says otherwise. " }
            { format!("{progress} {alike} of them took as many rounds of the race for the key as the recorded run; the ranges are theirs, from the 5th to the 95th percentile. ") }
            { NOISE }
            if changed {
                { " Only “this run” has the changes made here." }
            }
        </p>
        <div class="figures" role="region" aria-labelledby="figures-title" tabindex="0">
            <table aria-labelledby="figures-title" aria-describedby="figures-notes">
                <thead>
                    <tr>
                        <th scope="col">{ "Figure" }</th>
                        <th scope="col">{ "Recorded" }</th>
                        <th scope="col">{ "This run" }</th>
                        <th scope="col">{ format!("{wanted} seeds") }</th>
                        <th scope="col">{ "Recorded in range" }</th>
                    </tr>
                </thead>
                <tbody>{ for rows.iter().map(row) }</tbody>
            </table>
        </div>
        </>
    }
}

fn or_dash(words: &str) -> &str {
    if words.is_empty() { "–" } else { words }
}

fn events(opened: &Opened) -> Html {
    let item = |row: &Row| {
        let class = match row.tone {
            Tone::Danger => Some("bad"),
            _ => None,
        };
        html! { <li {class}><time>{ tenths(row.at) }</time>{ " " }{ &row.text }</li> }
    };
    html! {
        <details class="lanes">
            <summary>{ format!("What was recorded, event by event ({})", opened.story.rows.len()) }</summary>
            <ul>{ for opened.story.rows.iter().map(item) }</ul>
        </details>
    }
}

/// Leads the keyboard to what has just been opened, and back when it is closed.
pub fn lead_focus(title: &NodeRef, opener: &NodeRef, open: bool) {
    let to = if open { title } else { opener };
    if let Some(element) = to.cast::<HtmlElement>() {
        // Refused only for an element that is gone.
        let _ = element.focus();
    }
}
