//! The chart of what is left of the lease, by the store's clock and by the holder's own.

use super::canvas;
use super::shared::Shared;
use crate::draw::{self, Story, Theme};
use crate::engine::SimTime;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub story: Option<Shared<Story>>,
    pub at: SimTime,
    pub theme: Theme,
}

/// In CSS pixels; its width is that of the column.
const HEIGHT: f64 = 150.0;

#[component]
pub fn Chart(props: &Props) -> Html {
    let (frame, canvas) = (use_node_ref(), use_node_ref());
    let size = canvas::use_size(&frame);
    {
        let canvas = canvas.clone();
        let what = (props.story.clone(), props.at, props.theme, size);
        use_effect_with(what, move |(story, at, theme, size)| {
            let (Some(story), Some(canvas)) = (story, canvas.cast::<HtmlCanvasElement>()) else {
                return;
            };
            if let Some(context) = canvas::fitted(&canvas, *size, HEIGHT).filter(|_| size.width > 0.0) {
                let chart = draw::Chart::around(story, *at);
                // What could not be drawn stays blank; the panel above says the same in numbers.
                let _ = draw::canvas::paint_chart(canvas, &context, &chart, *theme, size.dots);
            }
        });
    }
    html! {
        <section class="chart" aria-labelledby="chart-title">
            <h2 id="chart-title">{ "Lease left, in seconds" }</h2>
            <div ref={frame}>
                <canvas ref={canvas} role="img" aria-label="What is left of the lease around the playhead. The numbers at the playhead are in the panel above." />
            </div>
            <p class="help">{ "Filled: what the store still grants. Line: what the holder believes, by its own clock." }</p>
        </section>
    }
}
