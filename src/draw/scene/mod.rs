//! A story and a view to a drawing: what is visible, where, in which style. Pure, so that a test can look at it.
//!
//! From top to bottom: axis, the words of the danger band, faults, store, a thin lane for each of its members when there
//! are several, one lane for each node, writes, playhead.
//!
//! | file         | what it draws |
//! |--------------|---------------|
//! | `layout.rs`  | where the lanes lie |
//! | `painter.rs` | bars, ticks and texts that fit |
//! | `frame.rs`   | names, axis, danger band, faults, playhead |
//! | `store.rs`   | the lease burning down |
//! | `member.rs`  | the members of the store |
//! | `node.rs`    | agent, belief, database, watchdog |
//! | `traffic.rs` | writes, router, messages |
//! | `mirror.rs`  | the same lanes as lists of sentences, for those who do not see the drawing |

mod frame;
mod layout;
mod member;
mod mirror;
mod node;
mod painter;
mod store;
mod traffic;

pub use frame::nice_step;
pub use mirror::{LaneItem, LaneList};

use super::marks::{Scene, View};
use super::story::Story;
use crate::engine::SimTime;
use layout::Layout;
use painter::Painter;

/// Draws a story as seen through a view, without the playhead.
pub fn scene(story: &Story, view: &View) -> Scene {
    let layout = Layout::of(story, view.width);
    let mut painter = Painter::new(story, view, &layout);
    // Texts are placed in this order; one that finds no room is shortened or left out, so the most important come first.
    frame::danger(&mut painter, &layout);
    frame::names(&mut painter, &layout);
    frame::axis(&mut painter, &layout);
    frame::faults(&mut painter, &layout);
    store::lane(&mut painter, &layout);
    member::lanes(&mut painter, &layout);
    for (lane, &y) in story.nodes.iter().zip(&layout.nodes) {
        node::lane(&mut painter, lane, y);
    }
    traffic::writes(&mut painter, &layout);
    traffic::messages(&mut painter, &layout);
    painter.finish(&layout)
}

/// How high a drawing of this story is at this width, in CSS pixels; it does not depend on the visible time.
pub fn height(story: &Story, width: f32) -> f32 {
    Layout::of(story, width).height
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
