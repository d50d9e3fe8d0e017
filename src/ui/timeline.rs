//! The timeline: what happened on one canvas, the playhead on another above it, so that a moving playhead paints nothing
//! but itself. Dragging on it moves the playhead, on the time axis the view; what else pointers mean is in
//! [`fingers`](crate::session::fingers).

use super::browser::Listener;
use super::canvas::{self, Size};
use super::ground::Ground;
use super::shared::Shared;
use crate::draw::{self, Dress, Part, Scene, Spot, Story, Theme, Tip, View};
use crate::engine::SimTime;
use crate::session::fingers::{self, Fingers, Hold};
use crate::session::{Action, Window};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlCanvasElement, WheelEvent};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    #[prop_or("Timeline")]
    pub label: &'static str,
    pub story: Option<Shared<Story>>,
    pub at: SimTime,
    pub window: Window,
    /// What the person chose about the drawing.
    pub dress: Dress,
    /// The end of the run that the view belongs to, when that is not this one: both have one time axis.
    #[prop_or_default]
    pub end: Option<SimTime>,
    /// A mouse that comes near one of its messages looks at it. Not where the messages are another run's.
    #[prop_or(true)]
    pub picks: bool,
    /// What is carried over it: its words, and where it is.
    #[prop_or_default]
    pub carried: Option<(&'static str, Spot)>,
    /// Where things can be dropped; none: its faults cannot be touched.
    #[prop_or_default]
    pub ground: Option<Ground>,
    pub theme: Theme,
    pub act: Callback<Action>,
}

#[component]
pub fn Timeline(props: &Props) -> Html {
    let stage = use_node_ref();
    let (below, above) = (use_node_ref(), use_node_ref());
    let size = canvas::use_size(&stage);
    let end = end(props);
    let seen = (props.story.clone(), props.window, size, props.dress.clone(), end);
    let scene = use_memo(seen, |(story, window, size, dress, end)| {
        let story = story.as_ref().filter(|_| size.width > 0.0)?;
        let (from, until) = window.visible(*end);
        let view = View {
            from,
            until,
            width: size.width as f32,
        };
        Some(Shared(Rc::new(draw::dressed(story, &view, dress))))
    });
    let scene = Option::clone(&scene);
    use_painted(&below, size, props.theme, scene.clone());
    let above_it = (scene.clone(), props.at, props.carried);
    let playhead = use_memo(above_it, |(scene, at, carried)| {
        let scene = scene.as_ref()?;
        let mut above = draw::playhead(scene, *at);
        if let Some((words, spot)) = carried {
            draw::put_carried(&mut above, scene, *spot, words);
        }
        Some(Shared(Rc::new(above)))
    });
    if let Some(ground) = &props.ground {
        ground.lay(&stage, scene.clone());
    }
    use_painted(&above, size, props.theme, Option::clone(&playhead));
    use_wheel(&stage, scene.clone(), props);
    let waiting = scene.is_none().then_some("waiting");
    let hand = Hand {
        fingers: use_mut_ref(Fingers::default),
        hovered: use_mut_ref(|| None),
        over: use_state_eq(|| None),
        touches: props.ground.is_some(),
        picks: props.picks,
        scene,
        act: props.act.clone(),
    };
    html! {
        <section class="timeline" aria-label={props.label}>
            <div ref={stage} class={classes!("stage", waiting)}>
                <canvas ref={below} role="img" aria-label="The run, to scale in time. The same in words: see The timeline in words." />
                { hand.grip(html! { <canvas ref={above} class="grip" aria-hidden="true" /> }, hand.cursor(), Hold::Playhead) }
                { hand.grip(html! {}, "axis-grip", Hold::View) }
            </div>
        </section>
    }
}

fn end(props: &Props) -> SimTime {
    let own = || props.story.as_ref().map(|story| story.end());
    props.end.or_else(own).unwrap_or_default()
}

/// Paints a drawing whenever it, the screen or the colours change.
#[hook]
pub fn use_painted(canvas: &NodeRef, size: Size, theme: Theme, scene: Option<Shared<Scene>>) {
    let canvas = canvas.clone();
    use_effect_with((scene, size, theme), move |(scene, size, theme)| {
        let (Some(scene), Some(canvas)) = (scene, canvas.cast::<HtmlCanvasElement>()) else {
            return;
        };
        if let Some(context) = canvas::fitted(&canvas, *size, f64::from(scene.height)) {
            draw::canvas::paint(&context, scene, *theme, size.dots);
        }
    });
}

/// Listens to the wheel by itself: the page must be kept from scrolling, which listeners of the whole page may not do.
#[hook]
fn use_wheel(stage: &NodeRef, scene: Option<Shared<Scene>>, props: &Props) {
    let (stage, act, window) = (stage.clone(), props.act.clone(), props.window);
    let end = end(props);
    use_effect_with((scene, window, end), move |(scene, window, end)| {
        let (scene, window, end) = (scene.clone(), *window, *end);
        let listener = stage.cast::<Element>().zip(scene).map(|(stage, scene)| {
            Listener::new(&stage, "wheel", move |event| {
                let Some(event) = event.dyn_ref::<WheelEvent>().filter(|event| !event.ctrl_key()) else {
                    return;
                };
                let unit = match event.delta_mode() {
                    WheelEvent::DOM_DELTA_PIXEL => 1.0,
                    WheelEvent::DOM_DELTA_LINE => 33.0,
                    _ => 400.0,
                };
                let turned = (event.delta_x() * unit, event.delta_y() * unit);
                let x = event.offset_x() as f32;
                if let Some(action) = fingers::wheel(turned, event.shift_key(), x, &scene.plot, window, end) {
                    event.prevent_default();
                    act.emit(action);
                }
            })
        });
        move || drop(listener)
    });
}

/// What one does on the timeline with a pointer.
struct Hand {
    fingers: Rc<RefCell<Fingers>>,
    /// The message that the pointer means.
    hovered: Rc<RefCell<Option<usize>>>,
    /// The part of a fault's chip that the pointer is over.
    over: UseStateHandle<Option<Part>>,
    /// Whether faults can be taken hold of.
    touches: bool,
    /// Whether messages can be looked at.
    picks: bool,
    scene: Option<Shared<Scene>>,
    act: Callback<Action>,
}

impl Hand {
    /// An element to drag on.
    fn grip(&self, inside: Html, class: &'static str, hold: Hold) -> Html {
        let (touches, picks) = (self.touches, self.picks);
        let onpointerdown = self.on(move |fingers, event, scene| {
            if event.button() != 0 {
                return Vec::new();
            }
            if let Some(element) = event.target_dyn_into::<Element>() {
                // Without it the drag ends at the element's edge, no more.
                let _ = element.set_pointer_capture(event.pointer_id());
            }
            let (x, y) = (event.offset_x() as f32, event.offset_y() as f32);
            let chip = scene
                .chip_at((x, y), tip(event))
                .filter(|_| touches && hold == Hold::Playhead);
            let hold = chip.map_or(hold, |(fault, part)| Hold::Fault(fault, part));
            fingers.press(event.pointer_id(), x, hold, &scene.plot)
        });
        let (hovered, over) = (self.hovered.clone(), self.over.clone());
        let onpointermove = self.on(move |fingers, event, scene| {
            let (x, y) = (event.offset_x() as f32, event.offset_y() as f32);
            if event.buttons() > 0 {
                return fingers.slide(event.pointer_id(), x, &scene.plot);
            }
            let chip = scene
                .chip_at((x, y), tip(event))
                .filter(|_| touches && hold == Hold::Playhead);
            over.set(chip.map(|(_, part)| part));
            let message = scene
                .message_at(x, y)
                .filter(|_| picks && tip(event) == Tip::Mouse && chip.is_none());
            let before = hovered.replace(message);
            (before != message)
                .then_some(Action::PickMessage(message))
                .into_iter()
                .collect()
        });
        let release = self.on(|fingers, event, _| fingers.lift(event.pointer_id()));
        let onpointerleave = {
            let (hovered, act) = (self.hovered.clone(), self.act.clone());
            Callback::from(move |_: PointerEvent| {
                if hovered.take().is_some() {
                    act.emit(Action::PickMessage(None));
                }
            })
        };
        html! {
            <div
                {class} {onpointerdown} {onpointermove} {onpointerleave}
                onpointerup={release.clone()} onpointercancel={release}
            >{ inside }</div>
        }
    }

    /// The class that gives the pointer the shape of what it would do.
    fn cursor(&self) -> &'static str {
        match *self.over {
            None => "hold",
            Some(Part::Whole) => "hold over-chip",
            Some(Part::Start | Part::End) => "hold over-end",
        }
    }

    fn on(
        &self,
        does: impl Fn(&mut Fingers, &PointerEvent, &Scene) -> Vec<Action> + 'static,
    ) -> Callback<PointerEvent> {
        let (fingers, scene, act) = (self.fingers.clone(), self.scene.clone(), self.act.clone());
        Callback::from(move |event: PointerEvent| {
            let Some(scene) = &scene else { return };
            // Let go before anything is told: what is told may come back here.
            let actions = does(&mut fingers.borrow_mut(), &event, scene);
            actions.into_iter().for_each(|action| act.emit(action));
        })
    }
}

fn tip(event: &PointerEvent) -> Tip {
    if event.pointer_type() == "mouse" {
        Tip::Mouse
    } else {
        Tip::Finger
    }
}
