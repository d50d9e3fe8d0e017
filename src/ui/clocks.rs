//! Whose clock is the second scale of the timeline.

use crate::session::{Action, Session};
use crate::vocabulary::NodeId;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

pub fn view(session: &Session, act: &Callback<Action>) -> Html {
    let Some(story) = &session.story else {
        return Html::default();
    };
    let onchange = {
        let act = act.clone();
        Callback::from(move |event: Event| {
            let place = event
                .target_dyn_into::<HtmlSelectElement>()
                .map_or(0, |list| list.selected_index());
            // The first is none.
            let node = u8::try_from(place - 1).ok().map(NodeId);
            act.emit(Action::Clock(node));
        })
    };
    let option = |(n, name): (usize, &str)| {
        html! { <option selected={session.clock == Some(NodeId(n as u8))}>{ format!("{name}’s clock") }</option> }
    };
    html! {
        <p>
            <label for="second-scale">{ "Second scale, below the lanes: " }</label>
            <select id="second-scale" class="clocks" {onchange}>
                <option selected={session.clock.is_none()}>{ "none: true time only" }</option>
                { for story.nodes.iter().map(|lane| lane.name.as_str()).enumerate().map(option) }
            </select>
        </p>
    }
}
