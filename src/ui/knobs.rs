//! The settings: those that are always in sight, the budget of one lease, and all others folded away.

use super::budget;
use super::controls::{press, press_if, typed, unless};
use super::setting::{Form, setting};
use super::shared::Shared;
use crate::draw::Story;
use crate::scenario::Scenario;
use crate::session::{Action, Refused, knobs};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub scenario: Rc<Scenario>,
    /// As it was opened: what changes are measured by.
    pub shipped: Rc<Scenario>,
    /// The latest run, for what was measured in it.
    pub story: Option<Shared<Story>>,
    pub refused: Option<Refused>,
    pub explained: Option<&'static str>,
    pub more: bool,
    pub filter: String,
    pub act: Callback<Action>,
}

/// The three timings come first; the budget that they share stands after them.
const TIMINGS: usize = 3;

#[component]
pub fn Knobs(props: &Props) -> Html {
    let form = Form {
        scenario: &props.scenario,
        shipped: &props.shipped,
        refused: props.refused.as_ref(),
        explained: props.explained,
        act: &props.act,
    };
    let in_sight = knobs::in_sight();
    let (timings, others) = in_sight.split_at(TIMINGS.min(in_sight.len()));
    let changed = props.scenario != props.shipped;
    html! {
        <section class="settings" aria-label="Settings">
            <div class="knobs timings">
                { for timings.iter().map(|field| setting(&form, field)) }
                { budget::view(&props.scenario, props.story.as_deref()) }
            </div>
            <div class="knobs">
                { for others.iter().map(|field| setting(&form, field)) }
            </div>
            <div class="openers">
                { more_button(props) }
                <button type="button" aria-disabled={unless(changed)} onclick={press_if(changed, &props.act, Action::ResetSettings)}>
                    { "Undo all changes" }
                </button>
            </div>
            if props.more {
                { folded(props, &form) }
            }
        </section>
    }
}

fn more_button(props: &Props) -> Html {
    let words = if props.more {
        "Close the other settings"
    } else {
        "All other settings"
    };
    let changed = match knobs::changed_out_of_sight(&props.scenario, &props.shipped) {
        0 => String::new(),
        count => format!(" ({count} changed)"),
    };
    html! {
        <button
            type="button" aria-expanded={props.more.to_string()} aria-controls="other-settings"
            onclick={press(&props.act, Action::MoreSettings(!props.more))}
        >
            { words }{ changed }
        </button>
    }
}

fn folded(props: &Props, form: &Form) -> Html {
    let groups = knobs::folded(&props.filter);
    let found: usize = groups.iter().map(|(_, fields)| fields.len()).sum();
    let group = |(title, fields): &(&'static str, Vec<&'static crate::scenario::Field>)| {
        html! {
            <section key={*title} aria-label={*title}>
                <h3>{ title }</h3>
                <div class="knobs">{ for fields.iter().map(|field| setting(form, field)) }</div>
            </section>
        }
    };
    html! {
        <div id="other-settings" class="other-settings">
            <div class="filter">
                <label for="filter">{ "Find a setting" }</label>
                <input
                    id="filter" type="text" autocomplete="off" value={props.filter.clone()}
                    oninput={typed(&props.act, Action::Filter)}
                />
                <span role="status">{ format!("{found} found") }</span>
                <a href={crate::session::Page::Settings.fragment()}>{ "All settings explained" }</a>
            </div>
            { for groups.iter().map(group) }
        </div>
    }
}
