//! Whose clock is the second scale of the timeline.

use super::controls::chosen_place;
use crate::session::{Action, Session};
use crate::vocabulary::NodeId;
use yew::prelude::*;

pub fn view(session: &Session, act: &Callback<Action>) -> Html {
    let Some(story) = &session.story else {
        return Html::default();
    };
    let onchange = {
        let act = act.clone();
        Callback::from(move |event: Event| {
            // The first is none.
            let node = chosen_place(&event).and_then(|place| place.checked_sub(1));
            act.emit(Action::Clock(node.map(|node| NodeId(node as u8))));
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
