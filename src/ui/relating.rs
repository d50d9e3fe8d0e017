//! "Before and after": what an event is related to, in numbers, and what is concurrent with it.

use super::controls::{button, press};
use crate::session::relating::Relating;
use crate::session::{Action, Session};
use yew::prelude::*;

/// What the focus is led to when an event was asked: the answer may lie below what is in sight.
pub const TITLE: &str = "relating-title";

pub fn view(session: &Session, act: &Callback<Action>) -> Html {
    let (Some(Relating { row, related, .. }), Some(story)) = (&session.relating, &session.story) else {
        return Html::default();
    };
    let Some(asked) = story.rows.get(*row) else {
        return Html::default();
    };
    let item = |n: usize| {
        let row = &story.rows[n];
        html! {
            <li>
                <button type="button" class="link" onclick={press(act, Action::ToRow(n))}>
                    <time>{ format!("{} s", row.at) }</time>{ format!(" {} ", row.text) }<small>{ format!("L {}", row.lamport) }</small>
                </button>
            </li>
        }
    };
    let concurrent = session.concurrent_rows();
    html! {
        <section class="why relating" aria-labelledby={TITLE}>
            <h2 id={TITLE} tabindex="-1">{ "Before and after: " }<span>{ &asked.text }</span></h2>
            <div role="status">
                if let Some(related) = related {
                    <p>
                        { format!("At {} s, Lamport {}. ", asked.at, asked.lamport) }
                        { format!("{} events happened before it (◀), {} after it (▶); {} did neither (∥): no message led from one to the other, so nobody there could know.", related.past, related.future, related.concurrent) }
                        if !session.knows_all() {
                            { " Of a run as long as this one, only the two minutes before it and after it are looked at." }
                        }
                    </p>
                } else {
                    <p>{ "Following the messages." }</p>
                }
            </div>
            if !concurrent.is_empty() {
                <h3>{ "Concurrent with it, the nearest in time" }</h3>
                <ul>{ for concurrent.into_iter().map(item) }</ul>
            }
            { button(act, "Close", "", "(Esc)", Action::CloseWhy) }
        </section>
    }
}
