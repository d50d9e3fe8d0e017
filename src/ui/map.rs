//! The map under the timeline: the whole run, and a frame around what is in view. The frame is dragged, or its ends are
//! moved with the keys of sliders; what that means is in [`frame`](crate::session::frame).

use super::canvas;
use super::shared::{Shared, tenths};
use super::timeline::use_painted;
use crate::draw::{self, Story, Theme};
use crate::engine::SimTime;
use crate::session::frame::{Edge, Grip};
use crate::session::{Action, Session, Window};
use crate::verdict::length;
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub story: Option<Shared<Story>>,
    pub at: SimTime,
    pub window: Window,
    pub theme: Theme,
    pub act: Callback<Action>,
}

#[component]
pub fn Map(props: &Props) -> Html {
    let stage = use_node_ref();
    let (below, above) = (use_node_ref(), use_node_ref());
    let size = canvas::use_size(&stage);
    let map = use_memo((props.story.clone(), size), |(story, size)| {
        let story = story.as_ref().filter(|_| size.width > 0.0)?;
        Some(Shared(Rc::new(draw::map(story, size.width as f32))))
    });
    let map = Option::clone(&map);
    use_painted(&below, size, props.theme, map.clone());
    let end = props.story.as_ref().map_or(SimTime::ZERO, |story| story.end());
    let seen = props.window.visible(end);
    let frame = use_memo((map.clone(), seen, props.at), |(map, seen, at)| {
        map.as_ref()
            .map(|map| Shared(Rc::new(draw::map_frame(map, *seen, *at))))
    });
    use_painted(&above, size, props.theme, Option::clone(&frame));

    let grip = use_mut_ref(|| None::<Grip>);
    let drag = {
        let (grip, act, map) = (grip.clone(), props.act.clone(), map);
        Callback::from(move |event: PointerEvent| {
            let Some(map) = &map else { return };
            let x = event.offset_x() as f32;
            if event.type_() == "pointerdown" && event.button() == 0 {
                if let Some(element) = event.target_dyn_into::<Element>() {
                    // Without it the drag ends at the element's edge, no more.
                    let _ = element.set_pointer_capture(event.pointer_id());
                }
                grip.replace(Some(Grip::at(x, &map.plot, seen)));
            }
            let held = *grip.borrow();
            if let Some(held) = held {
                act.emit(held.drag(x, &map.plot, seen));
            }
        })
    };
    let release = Callback::from(move |_: PointerEvent| {
        grip.replace(None);
    });
    html! {
        <div ref={stage} class="map">
                <canvas ref={below} role="img" aria-label={props.story.as_ref().map(|story| words(story))} />
                <div
                    class="frame" onpointerdown={drag.clone()} onpointermove={drag}
                    onpointerup={release.clone()} onpointercancel={release}
                ><canvas ref={above} aria-hidden="true" /></div>
        </div>
    }
}

/// Both ends of the frame, each with its value in words.
pub fn ends(session: &Session, act: &Callback<Action>) -> Html {
    let (from, until) = session.window.visible(session.end());
    html! {
        <span class="in-view">
            { slider(session, act, Edge::From, "View from", from) }
            { " to " }
            { slider(session, act, Edge::Until, "View until", until) }
        </span>
    }
}

fn slider(session: &Session, act: &Callback<Action>, edge: Edge, name: &'static str, at: SimTime) -> Html {
    let (act, window, end) = (act.clone(), session.window, session.end());
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if event.ctrl_key() || event.alt_key() || event.meta_key() {
            return;
        }
        if let Some(action) = edge.key(&event.key(), window, end) {
            event.prevent_default();
            act.emit(action);
        }
    });
    let (from, until) = window.visible(end);
    // As fine as what is in view.
    let value = if until.since(from).0 > 10_000_000 {
        tenths(at)
    } else {
        format!("{at} s")
    };
    html! {
        <span
            role="slider" tabindex="0" class="end" aria-label={name} title="Arrow keys, Page up and down, Home, End"
            aria-valuemin="0" aria-valuemax={(end.0 / 1_000).to_string()} aria-valuenow={(at.0 / 1_000).to_string()}
            aria-valuetext={format!("{value} of {}", tenths(end))} {onkeydown}
        >{ value.clone() }</span>
    }
}

/// What the map shows, for those who do not see it.
fn words(story: &Story) -> String {
    let verdict = &story.verdict;
    let times = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    format!(
        "The whole run of {}: {}, {}, {} without a primary, {} with two primaries, {} with two believers.",
        tenths(story.end()),
        times(story.faults.len(), "fault"),
        times(verdict.failovers.len(), "failover"),
        times(verdict.outages.len(), "time"),
        length(verdict.two_primaries.total),
        times(verdict.believers.intervals.len(), "time"),
    )
}
