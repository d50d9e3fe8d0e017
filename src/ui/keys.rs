//! "The store's keys": what the store holds at the playhead, as a small tree.

use super::controls::press;
use crate::draw::{KeyMoment, KeyNews};
use crate::session::{Action, Session};
use crate::verdict::length;
use yew::prelude::*;

pub fn view(session: &Session, act: &Callback<Action>) -> Html {
    let Some(story) = &session.story else {
        return Html::default();
    };
    let keys = story.keys_at(session.playhead, session.scenario.patroni.loop_wait);
    if keys.is_empty() {
        return Html::default();
    }
    let (members, others): (Vec<_>, Vec<_>) = keys.into_iter().partition(|key| key.is_member);
    html! {
        <details class="keys">
            <summary>{ "The store’s keys" }</summary>
            <ul aria-label="The store’s keys">
                { for others.into_iter().map(|key| item(key, act)) }
                <li>
                    <b>{ "members" }</b>
                    <ul>{ for members.into_iter().map(|key| item(key, act)) }</ul>
                </li>
            </ul>
        </details>
    }
}

fn item(key: KeyMoment, act: &Callback<Action>) -> Html {
    let gone = key.value.is_none();
    let lease = key.lease.map(|(owner, number, left)| match key.uncounted {
        false => format!("{owner} lease {number}, {} left", length(left)),
        true => format!("{owner} lease {number}, which nobody counts: the store has no leader"),
    });
    let revision = match key.create {
        Some(create) if create != key.revision => format!("revision {}, created at {create}", key.revision),
        _ => format!("revision {}", key.revision),
    };
    let news = key.news.map(|news| match news {
        KeyNews::Now => html! { <mark>{ "new" }</mark> },
        KeyNews::ThisLoop => html! { <mark class="loop">{ "this loop" }</mark> },
    });
    let change = if gone { "deleted" } else { "put" };
    let changed = match key.at.0 {
        0 => "there from the beginning".to_owned(),
        _ => format!("{change} {} ago", length(key.age)),
    };
    html! {
        <li class={classes!(gone.then_some("gone"), key.news.is_some().then_some("new"))}>
            <b>{ key.name }</b>{ " " }
            if let Some(news) = news {
                { news }{ " " }
            }
            <span>{ key.value.unwrap_or_else(|| "is not there any more".to_owned()) }</span>
            <small>
                { format!(" {revision}, ") }
                <button type="button" class="link" onclick={press(act, Action::ToEvent(key.event, key.at))}>{ changed }</button>
                { lease.map(|lease| format!("; {lease}")).unwrap_or_default() }
            </small>
        </li>
    }
}
