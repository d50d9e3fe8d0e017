//! Drawing: pure functions from a run to what people see of it.
//!
//! | file         | what lives there |
//! |--------------|------------------|
//! | `story.rs`   | [`Story`]: all that the page needs of one run, as intervals and instants |
//! | `moment.rs`  | [`Moment`]: a story at one instant |
//! | `waits.rs`   | what an actor waits for, and for how long it is willing to |
//! | `inspect.rs` | one actor at one instant, looked at closely |
//! | `keys.rs`    | the store's keys at one instant |
//! | `tell/`      | makes a story from a trace |
//! | `cast.rs`    | who is who in one run |
//! | `words/`     | the one catalogue of sentences |
//! | `why.rs`     | walks back along causes, in sentences |
//! | `relate.rs`  | what happened before an event, what after it, what is concurrent with it |
//! | `arrange.rs` | which lanes are drawn, in which order, which folded |
//! | `talk.rs`    | a message in words, and what answers what |
//! | `marks.rs`   | what a drawing consists of; `style.rs` what marks mean and how they look |
//! | `touch.rs`   | what lies under a pointer, and what is carried over the drawing |
//! | `scene/`     | a story and a view to marks |
//! | `theme.rs`   | the colours |
//! | `twin.rs`    | two runs side by side: where they part, and how they differ |
//! | `svg.rs`     | marks to SVG text |
//! | `text.rs`    | a trace to the transcript of its conversation; `lease.rs` that of a run about leases |
//! | `paint.rs`   | marks on any plotters backend |
//! | `budget.rs`  | where the time of one lease goes: by arithmetic, and as measured |
//! | `chart.rs`   | the chart of what is left of the lease |
//! | `canvas.rs`  | marks to a canvas of the browser |

mod arrange;
pub mod budget;
#[cfg(target_arch = "wasm32")]
pub mod canvas;
mod cast;
mod chart;
mod clocks;
mod inspect;
mod keys;
mod lease;
mod marks;
mod moment;
mod outcome;
pub mod paint;
mod relate;
mod remark;
mod scene;
pub mod story;
mod style;
mod svg;
mod talk;
mod tell;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod text;
mod theme;
mod touch;
mod twin;
mod waits;
mod why;
pub mod words;

pub use crate::clocks::{Related, Relation};
pub use arrange::{Arrangement, LaneChoice, LaneKey, LaneMove};
pub use cast::Cast;
pub use chart::{Chart, Curve};
pub use clocks::clocks_report;
pub use inspect::{Actor, Inspection, Last};
pub use keys::{KeyMoment, KeyNews};
pub use lease::{lease_transcript, lease_words};
pub use marks::{Anchor, Batch, LaneBox, Plot, Scene, Shape, Text, Trail, View};
pub use moment::{MemberMoment, Moment, NodeMoment};
pub use outcome::{Link, Outcome, outcomes};
pub use relate::relate;
pub use remark::Remark;
pub use scene::{Cone, Dress, LaneItem, LaneList, MESSAGES_WITHIN, dressed, height, map, map_frame, playhead, scene};
pub use story::{Detail, Story};
pub use style::{FAMILY, Font, HALO, Look, Paint, Style};
pub use svg::svg;
pub use tell::{look_closer, tell};
pub use text::transcript;
pub use theme::{Ink, Rgb, Theme};
pub use touch::{ChipBox, Part, Spot, Tip, put_carried};
pub use twin::{Twin, parting, twins};
pub use waits::{ActorWaits, Wait, WaitEnd, WaitFor};
pub use why::{Reason, why, why_two_primaries, why_within};
