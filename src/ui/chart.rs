//! The chart of what is left of the lease, by the store's clock and by the holder's.

use super::shared::Shared;
use crate::draw::{Story, Theme};
use crate::engine::SimTime;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub story: Option<Shared<Story>>,
    pub at: SimTime,
    pub theme: Theme,
}

#[component]
pub fn Chart(props: &Props) -> Html {
    let _ = (&props.story, props.at, props.theme);
    Html::default()
}
