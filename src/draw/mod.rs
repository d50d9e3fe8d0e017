//! Drawing: pure functions from a run to what people see of it.
//!
//! | file         | what lives there |
//! |--------------|------------------|
//! | `story.rs`   | [`Story`]: all that the page needs of one run, as intervals and instants |
//! | `moment.rs`  | [`Moment`]: a story at one instant |
//! | `tell/`      | makes a story from a trace |
//! | `words.rs`   | the one catalogue of sentences |
//! | `why.rs`     | walks back along causes, in sentences |
//! | `marks.rs`   | a story and a view to the marks of a timeline |
//! | `theme.rs`   | the colours |
//! | `svg.rs`     | marks to SVG text |
//! | `text.rs`    | a trace to the transcript of its conversation |
//! | `chart.rs`   | the chart of what is left of the lease |
//! | `canvas.rs`  | marks to a canvas of the browser |

mod marks;
mod moment;
pub mod story;
mod style;
mod theme;

pub use marks::{Anchor, Batch, LaneBox, Plot, Scene, Shape, Text, View};
pub use moment::{Moment, NodeMoment};
pub use story::Story;
pub use style::{FAMILY, Font, Look, Paint, Style};
pub use theme::{Ink, Rgb, Theme};
