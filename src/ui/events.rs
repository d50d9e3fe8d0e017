//! The event list. Only the rows in view are in the document, so a run of an hour scrolls like one of a minute.

use super::controls::press;
use super::shared::Shared;
use crate::draw::story::{Lane, Row, Tone};
use crate::draw::{Cone, Relation, Story};
use crate::scenario::decimal::Decimal;
use crate::session::Action;
use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub story: Option<Shared<Story>>,
    /// The current row.
    pub row: Option<usize>,
    /// The row whose causes are shown.
    pub asked: Option<usize>,
    /// The row that was asked what it is related to, and the answer.
    pub related: Option<usize>,
    pub cone: Option<Cone>,
    pub playing: bool,
    pub act: Callback<Action>,
}

/// Rows beyond the visible ones, above and below, so that scrolling and the tab key find something there.
const SPARE: usize = 8;
/// All rows have this height, in the root's font size; the style sheet says the same.
const ROW_REM: f64 = 3.25;

#[component]
pub fn Events(props: &Props) -> Html {
    let list = use_node_ref();
    let scroll = use_state_eq(|| (0.0, 400.0));
    let onscroll = {
        let (list, scroll) = (list.clone(), scroll.clone());
        Callback::from(move |_: Event| {
            if let Some(list) = list.cast::<HtmlElement>() {
                scroll.set((f64::from(list.scroll_top()), f64::from(list.client_height())));
            }
        })
    };
    let rem = use_memo((), |()| rem_px());
    let row_px = ROW_REM * *rem;

    let rows = props
        .story
        .as_ref()
        .map(|story| story.rows.as_slice())
        .unwrap_or_default();
    let (top, height) = *scroll;
    let first = ((top / row_px) as usize).saturating_sub(SPARE).min(rows.len());
    let last = (((top + height) / row_px) as usize + 1 + SPARE).min(rows.len());
    let (above, below) = (use_node_ref(), use_node_ref());
    use_heights(
        [&above, &below],
        [first, rows.len() - last].map(|rows| rows as f64 * row_px),
    );
    // After the heights: before them there is nothing to scroll to.
    use_following(&list, props, row_px);
    html! {
        <section class="events" aria-labelledby="events-title">
            <h2 id="events-title">{ "Events" }<small>{ format!(" {} in this run", rows.len()) }</small></h2>
            <div ref={list} class="scroll" {onscroll} tabindex="0" role="group" aria-labelledby="events-title">
                <div ref={above} aria-hidden="true"></div>
                <ol start={(first + 1).to_string()}>
                    { for rows.iter().enumerate().take(last).skip(first).map(|(n, row)| item(n, row, props)) }
                </ol>
                <div ref={below} aria-hidden="true"></div>
            </div>
        </section>
    }
}

fn item(n: usize, row: &Row, props: &Props) -> Html {
    let current = props.row == Some(n);
    let past = props.row.is_some_and(|now| n <= now);
    let tone = match row.tone {
        Tone::Plain => "plain",
        Tone::Fault => "fault",
        Tone::Turn => "turn",
        Tone::Danger => "danger",
    };
    let node = match row.lane {
        Lane::Agent(node) | Lane::Database(node) => Some(format!("n{}", node.0)),
        _ => None,
    };
    let total = props.story.as_ref().map_or(0, |story| story.rows.len());
    html! {
        <li
            key={n} class={classes!(tone, node, (!past).then_some("ahead"))} aria-current={current.then_some("step")}
            aria-setsize={total.to_string()} aria-posinset={(n + 1).to_string()}
        >
            <button type="button" class="link" onclick={press(&props.act, Action::ToRow(n))}>
                <time>{ format!("{} s", row.at) }</time>
                <span>{ relation(row, props) }{ &row.text }</span>
            </button>
            <div class="asks">
                <button
                    type="button" class="ask" id={ask_id(n)} aria-label={format!("Why? {}", row.text)}
                    aria-pressed={(props.asked == Some(n)).to_string()} onclick={press(&props.act, Action::AskWhy(n))}
                >{ "Why?" }</button>
                <button
                    type="button" class="ask" title="Before and after: what could have led to it, what it could have led to (c)"
                    aria-label={format!("◀▶ Before and after: {}", row.text)} aria-pressed={(props.related == Some(n)).to_string()}
                    onclick={press(&props.act, Action::Relate(Some(n)))}
                >{ "◀▶" }</button>
            </div>
        </li>
    }
}

/// How a row stands to the one that was asked, and its Lamport stamp; nothing while none is.
fn relation(row: &Row, props: &Props) -> Html {
    let Some(Cone(related)) = &props.cone else {
        return Html::default();
    };
    let (sign, words) = match related.relation(row.event.index()) {
        Relation::Itself => ("●", "this one"),
        Relation::Past => ("◀", "before it"),
        Relation::Future => ("▶", "after it"),
        Relation::Concurrent => ("∥", "concurrent"),
        Relation::Unknown => ("", "too far from it to say"),
    };
    html! { <small class="relation">{ format!("{sign} {words} · L {} ", row.lamport) }</small> }
}

/// The name of the button that asks a row.
pub fn ask_id(row: usize) -> String {
    format!("ask-{row}")
}

/// Keeps the current row in view. Whoever reads in the list while it plays is left alone.
#[hook]
fn use_following(list: &NodeRef, props: &Props, row_px: f64) {
    let (list, playing) = (list.clone(), props.playing);
    use_effect_with((props.row, props.story.clone()), move |(row, _)| {
        let Some(list) = list.cast::<HtmlElement>() else { return };
        if playing && list.matches(":hover, :focus-within").unwrap_or(false) {
            return;
        }
        let top = row.map_or(0.0, |row| row as f64 * row_px);
        let (seen, height) = (f64::from(list.scroll_top()), f64::from(list.client_height()));
        if top < seen || top + row_px > seen + height {
            list.set_scroll_top((top - height / 3.0).max(0.0) as i32);
        }
    });
}

/// Gives the two elements that stand for rows outside of the document the height of those rows.
#[hook]
fn use_heights(spacers: [&NodeRef; 2], heights_px: [f64; 2]) {
    let spacers = spacers.map(NodeRef::clone);
    use_effect_with(heights_px, move |heights_px| {
        for (spacer, px) in spacers.iter().zip(heights_px) {
            if let Some(spacer) = spacer.cast::<HtmlElement>() {
                let _ = spacer.style().set_property("height", &format!("{px}px"));
            }
        }
    });
}

/// The root's font size in CSS pixels, which a person may have made larger.
fn rem_px() -> f64 {
    let size = || {
        let window = super::browser::window()?;
        let root = window.document()?.document_element()?;
        let style = window.get_computed_style(&root).ok()??;
        let px = style.get_property_value("font-size").ok()?;
        // Not the library's parser of floats, whose tables weigh 10 kB.
        Decimal::parse(px.trim_end_matches("px")).ok().map(Decimal::as_f64)
    };
    size().unwrap_or(16.0)
}
