//! The timeline: what happened on one canvas, the playhead on another above it, so that a moving playhead paints nothing
//! but itself. Dragging on it moves the playhead.

use super::canvas::{self, Size};
use super::shared::Shared;
use crate::draw::{self, Scene, Story, Theme, View};
use crate::engine::SimTime;
use crate::session::{Action, Window};
use std::cell::RefCell;
use std::rc::Rc;
use web_sys::{Element, HtmlCanvasElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    #[prop_or("Timeline")]
    pub label: &'static str,
    pub story: Option<Shared<Story>>,
    pub at: SimTime,
    pub window: Window,
    pub theme: Theme,
    pub act: Callback<Action>,
}

#[component]
pub fn Timeline(props: &Props) -> Html {
    let stage = use_node_ref();
    let (below, above) = (use_node_ref(), use_node_ref());
    let size = canvas::use_size(&stage);
    let scene = use_memo((props.story.clone(), props.window, size), |(story, window, size)| {
        let story = story.as_ref().filter(|_| size.width > 0.0)?;
        let (from, until) = window.visible(story.end());
        let view = View {
            from,
            until,
            width: size.width as f32,
        };
        Some(Shared(Rc::new(draw::scene(story, &view))))
    });
    let scene = Option::clone(&scene);
    use_painted(&below, size, props.theme, scene.clone());
    let playhead = use_memo((scene.clone(), props.at), |(scene, at)| {
        scene.as_ref().map(|scene| Shared(Rc::new(draw::playhead(scene, *at))))
    });
    use_painted(&above, size, props.theme, Option::clone(&playhead));
    let held = use_mut_ref(|| false);
    let grip = grip(&above, held, scene, &props.act);
    html! {
        <section class="timeline" aria-label={props.label}>
            <div ref={stage} class="stage">
                <canvas ref={below} role="img" aria-label="The run, to scale in time. The same in words: see The timeline in words." />
                { grip }
            </div>
        </section>
    }
}

/// Paints a drawing whenever it, the screen or the colours change.
#[hook]
fn use_painted(canvas: &NodeRef, size: Size, theme: Theme, scene: Option<Shared<Scene>>) {
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

/// The upper canvas: it has the playhead on it and is what one drags.
fn grip(canvas: &NodeRef, held: Rc<RefCell<bool>>, scene: Option<Shared<Scene>>, act: &Callback<Action>) -> Html {
    let seek = {
        let (scene, act) = (scene, act.clone());
        move |event: &PointerEvent| {
            if let Some(scene) = &scene {
                act.emit(Action::Seek(scene.plot.time(event.offset_x() as f32)));
            }
        }
    };
    let onpointerdown = {
        let (held, seek, act) = (held.clone(), seek.clone(), act.clone());
        Callback::from(move |event: PointerEvent| {
            if event.button() != 0 {
                return;
            }
            if let Some(canvas) = event.target_dyn_into::<Element>() {
                // Without it the drag ends at the canvas's edge, no more.
                let _ = canvas.set_pointer_capture(event.pointer_id());
            }
            *held.borrow_mut() = true;
            act.emit(Action::Hold(true));
            seek(&event);
        })
    };
    let onpointermove = {
        let held = held.clone();
        Callback::from(move |event: PointerEvent| {
            if *held.borrow() {
                seek(&event);
            }
        })
    };
    let release = {
        let act = act.clone();
        Callback::from(move |_: PointerEvent| {
            if held.replace(false) {
                act.emit(Action::Hold(false));
            }
        })
    };
    html! {
        <canvas
            ref={canvas.clone()} class="grip" aria-hidden="true" {onpointerdown} {onpointermove}
            onpointerup={release.clone()} onpointercancel={release}
        />
    }
}
