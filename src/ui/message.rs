//! The message that is looked at, in words, and the way from message to message.

use super::controls::button;
use crate::session::{Action, Session};
use yew::prelude::*;

const HINT: &str = "Point at a message to read it, together with its answer.";
const NONE: &str = "No message was recorded.";
const LONG: &str = "The run is long: zoom in to ten minutes or less to see its messages.";

pub fn view(session: &Session, act: &Callback<Action>) -> Html {
    let Some(story) = &session.story else {
        return Html::default();
    };
    let words = session.message.and_then(|message| story.message_words(message));
    let hint = match (session.knows_all(), session.sees_messages()) {
        (false, false) => LONG,
        (true, _) if story.detail.flights.is_empty() => NONE,
        _ => HINT,
    };
    html! {
        <div class="message">
            { button(act, "◀ Message", "", "To the message sent before (p)", Action::PreviousMessage) }
            { button(act, "Message ▶", "", "To the message sent next (n)", Action::NextMessage) }
            <p role="status" class={words.is_none().then_some("help")}>{ words.unwrap_or_else(|| hint.to_owned()) }</p>
        </div>
    }
}
