//! A story and a view to a drawing: what is visible, where, in which style. Pure, so that a test can look at it.
//!
//! From top to bottom: axis, the words of the bands, then, unless somebody arranged them otherwise (`arrange.rs`), faults,
//! store, a thin lane for each of its members when there are several, one lane for each node, writes; playhead.
//!
//! | file         | what it draws |
//! |--------------|---------------|
//! | `layout.rs`  | where the lanes lie |
//! | `painter.rs` | bars, ticks and texts that fit |
//! | `frame.rs`   | names, axis, faults, playhead |
//! | `clock.rs`   | a node's own clock as a second scale |
//! | `danger.rs`  | the bands over all lanes: two primaries, two believers |
//! | `store.rs`   | the lease burning down |
//! | `member.rs`  | the members of the store |
//! | `node.rs`    | agent, belief, database, watchdog |
//! | `writes.rs`  | writes, router |
//! | `messages.rs`| messages, and the pair that is looked at |
//! | `map.rs`     | the whole run, small, and which part of it is in view |
//! | `mirror.rs`  | the same lanes as lists of sentences, for those who do not see the drawing |

mod clock;
mod danger;
mod frame;
mod layout;
mod map;
mod member;
mod messages;
mod mirror;
mod node;
mod painter;
mod store;
mod writes;

pub use frame::nice_step;
pub use map::{map, map_frame};
pub use messages::MESSAGES_WITHIN;
pub use mirror::{LaneItem, LaneList};

use super::arrange::Arrangement;
use super::marks::{Scene, View};
use super::remark::Remark;
use super::story::Story;
use crate::clocks::Related;
use crate::engine::SimTime;
use crate::vocabulary::NodeId;
use layout::Layout;
use painter::Painter;
use std::rc::Rc;

/// Draws a story as seen through a view, without the playhead.
pub fn scene(story: &Story, view: &View) -> Scene {
    dressed(story, view, &Dress::default())
}

/// What a person chose about a drawing, apart from the time that is visible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dress {
    pub lanes: Arrangement,
    /// The message that is looked at, by its place among the story's flights.
    pub picked: Option<usize>,
    /// The fault whose numbers are shown, by its place in the scenario.
    pub chosen: Option<usize>,
    /// Where this run and the one it is compared with part.
    pub parting: Option<SimTime>,
    /// The node whose own clock is a second scale.
    pub clock: Option<NodeId>,
    /// What people wrote on the timeline, in the order of time.
    pub remarks: Rc<Vec<Remark>>,
    /// What the event that was asked about is related to.
    pub cone: Option<Cone>,
}

/// Shared by all drawings of one question.
#[derive(Clone, Debug)]
pub struct Cone(pub Rc<Related>);

impl PartialEq for Cone {
    fn eq(&self, other: &Cone) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for Cone {}

/// Draws a story as somebody arranged it.
pub fn dressed(story: &Story, view: &View, dress: &Dress) -> Scene {
    let layout = Layout::of(story, view.width, &dress.lanes);
    let mut painter = Painter::new(story, view, &layout);
    // Texts are placed in this order; one that finds no room is shortened or left out, so the most important come first.
    danger::two_primaries(&mut painter, &layout);
    frame::names(&mut painter, &layout);
    frame::axis(&mut painter, &layout);
    frame::faults(&mut painter, &layout, dress.chosen);
    store::lane(&mut painter, &layout);
    member::lanes(&mut painter, &layout);
    for (lane, rows) in story.nodes.iter().zip(&layout.nodes) {
        if let Some(rows) = rows {
            painter.hush(rows.folded);
            node::lane(&mut painter, lane, rows);
        }
    }
    painter.hush(false);
    writes::writes(&mut painter, &layout);
    danger::two_believers(&mut painter, &layout);
    clock::scale(&mut painter, &layout, dress.clock);
    frame::parting(&mut painter, &layout, dress.parting);
    frame::remarks(&mut painter, &layout, &dress.remarks);
    messages::messages(&mut painter, &layout, dress);
    painter.finish(&layout)
}

/// How high a drawing of this story is at this width, in CSS pixels; it does not depend on the visible time.
pub fn height(story: &Story, width: f32) -> f32 {
    Layout::of(story, width, &Arrangement::default()).height
}

/// A drawing as large as `below` with nothing but the playhead, to be laid over it: while only the playhead moves,
/// nothing else need be painted.
pub fn playhead(below: &Scene, at: SimTime) -> Scene {
    let mut above = Scene {
        width: below.width,
        height: below.height,
        plot: below.plot,
        ..Scene::default()
    };
    frame::put_playhead(&mut above, at);
    above
}
