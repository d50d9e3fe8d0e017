//! The top line: the pages, undo and redo, links and files, the keys.

use super::controls::{button, press, press_if, unless};
use super::{help, share, twin};
use crate::session::kept::Kept;
use crate::session::twin::Compare;
use crate::session::{Action, Page, Session, Sharing};
use yew::prelude::*;

pub fn view(session: &Session, act: &Callback<Action>, keys: &NodeRef, files: &NodeRef) -> Html {
    let lab = lab(session);
    let page = |words: &'static str, href: String, page: Page| {
        html! { <a {href} aria-current={(session.page == page).then_some("page")}>{ words }</a> }
    };
    html! {
        <header class="top">
            <b class="name">{ "LeaseLab" }</b>
            <nav aria-label="Pages">
                { page("Lab", lab, Page::Lab) }
                { page("Settings explained", Page::Settings.fragment().to_owned(), Page::Settings) }
            </nav>
            <div class="tools">
                { step(act, "Undo", "Ctrl+Z", session.history.undoes(), Action::Undo) }
                { step(act, "Redo", "Ctrl+Shift+Z", session.history.redoes(), Action::Redo) }
                { fork(session, act) }
                { share::copy_link(act) }
                <button type="button" aria-haspopup="dialog" onclick={press(act, Action::Share(Sharing::Open(true)))}>{ "Link and file" }</button>
                { help::view(session, act, keys) }
            </div>
            { share::sheet(session, act, files) }
            // Not in the sheet, which may be closed.
            if !session.share.open {
                <p class="told" role="status">{ session.share.told.clone().unwrap_or_default() }</p>
            }
            { notices(session, act) }
            { newer(session, act) }
            { left_off(session, act) }
        </header>
    }
}

/// The fragment of what is open.
pub fn lab(session: &Session) -> String {
    if session.fragment.is_empty() {
        Page::Lab.fragment().to_owned()
    } else {
        session.fragment.clone()
    }
}

fn step(act: &Callback<Action>, words: &'static str, key: &'static str, what: Option<&str>, action: Action) -> Html {
    let hint = what.map_or_else(|| format!("{words} ({key})"), |what| format!("{words}: {what} ({key})"));
    html! {
        <button type="button" title={hint.clone()} aria-label={hint} aria-disabled={unless(what.is_some())} onclick={press_if(what.is_some(), act, action)}>{ words }</button>
    }
}

fn fork(session: &Session, act: &Callback<Action>) -> Html {
    let why_not = session.no_fork();
    let hint = why_not.unwrap_or("Fork: keep this run, change something, and see both on one axis (f)");
    // Pressed when it cannot, it says why.
    html! {
        <button
            id={twin::FORK} type="button" title={hint} aria-disabled={unless(why_not.is_none())}
            onclick={press(act, Action::Compare(Compare::Fork))}
        >
            { "Fork" }
        </button>
    }
}

/// Experiments of earlier visits, to go on with.
fn left_off(session: &Session, act: &Callback<Action>) -> Html {
    if session.share.kept.is_empty() {
        return Html::default();
    }
    let work = |work: &Kept| html! { <li><a href={work.fragment.clone()}>{ &work.title }</a></li> };
    html! {
        <nav class="notices" aria-label="Go on where you left off">
            <p>{ "Go on where you left off: " }</p>
            <ul>{ for session.share.kept.iter().map(work) }</ul>
            { button(act, "Not now", "", "It is offered again at the next visit", Action::Share(Sharing::NotNow)) }
        </nav>
    }
}

/// Offered, never forced: who is in the midst of something goes on with it.
fn newer(session: &Session, act: &Callback<Action>) -> Html {
    html! {
        <div role="status" class="notices newer">
            if session.newer {
                <p>{ "A newer version of LeaseLab is ready. What is open here stays open." }</p>
                <div class="openers">
                    { button(act, "Use the newer version", "", "Loads the page again", Action::UseNewerSite) }
                    { button(act, "Later", "", "It is used when all pages of LeaseLab are closed", Action::NewerSite(false)) }
                </div>
            }
        </div>
    }
}

/// What is to be known of a link that was opened, or was not.
fn notices(session: &Session, act: &Callback<Action>) -> Html {
    if session.share.notices.is_empty() {
        return Html::default();
    }
    html! {
        <div class="notices">
            <div role="alert">{ for session.share.notices.iter().map(|words| html! { <p>{ words }</p> }) }</div>
            { button(act, "Dismiss", "", "", Action::Share(Sharing::Dismiss)) }
        </div>
    }
}
