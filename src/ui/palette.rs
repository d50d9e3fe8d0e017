//! The palette: what people break first. A button strikes at the playhead; taken up with the pointer, it is dropped on the
//! lane and the moment that it is to strike.

use super::controls::{entered, press};
use super::ground::Ground;
use crate::session::tools::{TOOLS, hosts};
use crate::session::{Action, Palette, Session};
use std::cell::Cell;
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

pub fn view(session: &Session, act: &Callback<Action>, ground: &Ground) -> Html {
    let leader = session.palette_host();
    let known = hosts(&session.scenario);
    let fixed = known.contains(&session.palette_on);
    let onchange = {
        let act = act.clone();
        Callback::from(move |event: Event| {
            if let Some(host) = entered(&event) {
                act.emit(Action::Palette(Palette::On(host)));
            }
        })
    };
    let option = |host: &String| {
        html! { <option value={host.clone()} selected={session.palette_on == *host}>{ host }</option> }
    };
    let who = if fixed {
        "the leader".to_owned()
    } else {
        format!("the leader: {leader}")
    };
    html! {
        <section class="shelf" aria-labelledby="palette-title">
            <h2 id="palette-title">{ "Break" }</h2>
            <div class="palette">
            <label for="palette-on">{ "on" }</label>
            <select id="palette-on" {onchange} title="Whom the buttons strike, at the playhead; dropped on a lane, they strike that">
                <option value="" selected={!fixed}>{ who }</option>
                { for known.iter().map(option) }
            </select>
            { for (0..TOOLS.len()).map(|n| html! { <Thing {n} act={act.clone()} ground={ground.clone()} /> }) }
            </div>
        </section>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ThingProps {
    n: usize,
    act: Callback<Action>,
    ground: Ground,
}

/// A pointer that moved farther than this, in CSS pixels, carries; one that did not presses.
const CARRIES: i32 = 5;

/// How far a pointer has come with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Way {
    #[default]
    Idle,
    Down(i32, i32),
    Carried,
}

#[component]
fn Thing(props: &ThingProps) -> Html {
    let way = use_memo((), |()| Cell::new(Way::default()));
    let on = |does: fn(&PointerEvent, &Cell<Way>, &ThingProps)| {
        let (way, props) = (way.clone(), Rc::new(props.clone()));
        Callback::from(move |event: PointerEvent| does(&event, &way, &props))
    };
    let onpointerdown = on(|event, way, _| {
        if event.button() == 0 {
            if let Some(element) = event.target_dyn_into::<Element>() {
                // Without it, it is put back at the edge of the button.
                let _ = element.set_pointer_capture(event.pointer_id());
            }
            way.set(Way::Down(event.client_x(), event.client_y()));
        }
    });
    let onpointermove = on(|event, way, props| {
        let (x, y) = (event.client_x(), event.client_y());
        if let Way::Down(from_x, from_y) = way.get()
            && (x - from_x).abs().max((y - from_y).abs()) > CARRIES
        {
            way.set(Way::Carried);
        }
        if way.get() == Way::Carried {
            props.does(Palette::Carry(props.n, props.ground.spot(x, y)));
        }
    });
    let onpointerup = on(|_, way, props| {
        if way.get() == Way::Carried {
            props.does(Palette::Drop);
        } else {
            way.set(Way::Idle);
        }
    });
    let onpointercancel = on(|_, way, props| {
        way.set(Way::Idle);
        props.does(Palette::PutBack);
    });
    let onclick = {
        let (way, now) = (way.clone(), press(&props.act, Action::Palette(Palette::Use(props.n))));
        Callback::from(move |event: MouseEvent| {
            // The click at the end of a drag is none.
            if way.replace(Way::Idle) != Way::Carried {
                now.emit(event);
            }
        })
    };
    let tool = &TOOLS[props.n];
    html! {
        <button type="button" title={format!("{}. Press: at the playhead. Drag it onto a lane: there.", tool.hint)} {onpointerdown} {onpointermove} {onpointerup} {onpointercancel} {onclick}>{ tool.words }</button>
    }
}

impl ThingProps {
    fn does(&self, what: Palette) {
        self.act.emit(Action::Palette(what));
    }
}
