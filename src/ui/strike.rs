//! What is broken, the links, and everything that can break, from the playhead on unless another time is typed.

use super::controls::draft;
use super::shared::tenths;
use super::{faults, wires};
use crate::session::strike::{Aim, aims, chosen};
use crate::session::{Action, DraftField, Session};
use yew::prelude::*;

pub fn view(session: &Session, act: &Callback<Action>) -> Html {
    html! {
        <section class="strike" aria-labelledby="strike-title">
            <h2 id="strike-title">{ "What is broken" }</h2>
            { faults::list(session, act) }
            { wires::view(session, act) }
            { any(session, act) }
        </section>
    }
}

/// Everything that can be struck, in every way, to the number.
fn any(session: &Session, act: &Callback<Action>) -> Html {
    let onsubmit = {
        let act = act.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            act.emit(Action::Strike);
        })
    };
    html! {
        <details class="any">
            <summary>{ "Everything that can break" }</summary>
            <form {onsubmit} novalidate=true>
                { fields(session, act) }
                <button type="submit">{ "Strike" }</button>
            </form>
        </details>
    }
}

fn fields(session: &Session, act: &Callback<Action>) -> Html {
    let Some((aim, way)) = chosen(&session.draft, &session.scenario) else {
        return Html::default();
    };
    let ways = aim.ways().map(|other| {
        html! { <option value={other.name} selected={other.name == way.name}>{ other.words }</option> }
    });
    let amount = way.amount().map(|(field, usual)| {
        let words = format!("{}, {}", field.label, field.unit);
        number(
            act,
            "strike-amount",
            words,
            &session.draft.amount,
            usual.to_owned(),
            DraftField::Amount,
        )
    });
    let playhead = format!("playhead, {}", tenths(session.playhead));
    let lasts = way.ends().then(|| {
        let rest = "to the end".to_owned();
        number(
            act,
            "strike-for",
            "For, s".to_owned(),
            &session.draft.lasts,
            rest,
            DraftField::Lasts,
        )
    });
    html! {
        <>
            <div class="field">
                <label for="strike-what">{ "What" }</label>
                <select id="strike-what" onchange={draft(act, DraftField::Target)}>{ targets(&aims(&session.scenario), &aim) }</select>
            </div>
            // Made anew for each target, whose ways may be others.
            <div class="field" key={aim.target.clone()}>
                <label for="strike-how">{ "How" }</label>
                <select id="strike-how" onchange={draft(act, DraftField::Way)}>{ for ways }</select>
            </div>
            { for amount }
            { number(act, "strike-at", "From, s".to_owned(), &session.draft.at, playhead, DraftField::At) }
            { for lasts }
        </>
    }
}

/// All that can be struck, under the names of the hosts.
fn targets(aims: &[Aim], now: &Aim) -> Html {
    let hosts = aims.chunk_by(|a, b| a.host == b.host).map(|group| {
        let options = group.iter().map(|aim| {
            html! { <option value={aim.target.clone()} selected={aim == now}>{ &aim.words }</option> }
        });
        html! { <optgroup label={group[0].host.clone()}>{ for options }</optgroup> }
    });
    html! { <>{ for hosts }</> }
}

fn number(
    act: &Callback<Action>,
    id: &'static str,
    words: String,
    value: &str,
    placeholder: String,
    field: DraftField,
) -> Html {
    html! {
        <div class="field">
            <label for={id}>{ words }</label>
            <input {id} type="text" inputmode="decimal" size="11" autocomplete="off" value={value.to_owned()} {placeholder} oninput={draft(act, field)} />
        </div>
    }
}
