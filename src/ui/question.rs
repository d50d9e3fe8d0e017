//! The question the page asks, and the list to choose another scenario from.

use super::controls::press;
use crate::scenario::{SHIPPED, Scenario};
use crate::session::{Action, Recorded};
use std::rc::Rc;
use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    /// Of the chosen scenario.
    pub name: &'static str,
    pub scenario: Rc<Scenario>,
    /// The button that opens the list of recorded runs.
    pub really: NodeRef,
    pub act: Callback<Action>,
}

#[component]
pub fn Question(props: &Props) -> Html {
    let open = use_state(|| false);
    let opener = use_node_ref();
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let choose = {
        let (open, opener, act) = (open.clone(), opener.clone(), props.act.clone());
        Callback::from(move |name| {
            open.set(false);
            // The list goes away with the button that was pressed; the focus goes where the list was opened.
            if let Some(opener) = opener.cast::<HtmlElement>() {
                let _ = opener.focus();
            }
            act.emit(Action::Choose(name));
        })
    };
    html! {
        <section class="question" aria-label="The scenario">
            <h1>{ props.scenario.title.clone() }{ ". " }<span>{ "Will two primaries coexist?" }</span></h1>
            <div class="openers">
            <button ref={opener} type="button" class="opener" aria-expanded={open.to_string()} aria-controls="scenarios" onclick={toggle}>
                { if *open { "Close the list of scenarios" } else { "Choose another scenario" } }
            </button>
            <button
                ref={props.really.clone()} type="button" class="opener" aria-haspopup="dialog"
                onclick={press(&props.act, Action::Recorded(Recorded::Choosing(true)))}
            >
                { "What really happened" }
            </button>
            </div>
            if *open {
                { choices(props.name, &choose) }
            }
        </section>
    }
}

/// All shipped scenarios, each with its comment.
fn choices(chosen: &str, choose: &Callback<&'static str>) -> Html {
    let choice = |(name, text): &(&'static str, &str)| {
        let (choose, name) = (choose.clone(), *name);
        let scenario = Scenario::parse(text, name).unwrap_or_default();
        html! {
            <li key={name}>
                <button type="button" aria-current={(name == chosen).then_some("true")} onclick={move |_| choose.emit(name)}>
                    <b>{ &scenario.title }</b>
                    <span>{ one_paragraph(&scenario) }</span>
                </button>
            </li>
        }
    };
    html! { <ul id="scenarios" class="choices">{ for SHIPPED.iter().map(choice) }</ul> }
}

/// The comment, without the line breaks of the file.
pub fn one_paragraph(scenario: &Scenario) -> String {
    scenario.comment.as_deref().unwrap_or_default().replace('\n', " ")
}
