//! The timeline as a place on which things can be dropped that were taken up elsewhere on the page.

use super::shared::Shared;
use crate::draw::{Scene, Spot};
use std::cell::RefCell;
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

/// Shared by the timeline, which says what it shows now, and by those who drop.
#[derive(Clone, Default)]
pub struct Ground(Rc<RefCell<Shown>>);

#[derive(Default)]
struct Shown {
    stage: NodeRef,
    scene: Option<Shared<Scene>>,
}

/// It is one and the same, whatever it shows.
impl PartialEq for Ground {
    fn eq(&self, other: &Ground) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Ground {
    /// The timeline shows this now.
    pub fn lay(&self, stage: &NodeRef, scene: Option<Shared<Scene>>) {
        *self.0.borrow_mut() = Shown {
            stage: stage.clone(),
            scene,
        };
    }

    /// What lies under a place of the window.
    pub fn spot(&self, x: i32, y: i32) -> Option<Spot> {
        let shown = self.0.borrow();
        let frame = shown.stage.cast::<Element>()?.get_bounding_client_rect();
        let place = (f64::from(x) - frame.left(), f64::from(y) - frame.top());
        shown.scene.as_ref()?.spot_at((place.0 as f32, place.1 as f32))
    }
}
