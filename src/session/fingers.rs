//! What pointers on the timeline mean: one moves the playhead, or on the time axis the view; two spread, pinch and shift
//! the view. The view moves so that every finger stays on the moment on which it was put down.

use super::{Action, FaultEdit, Window};
use crate::draw::{Part, Plot};
use crate::engine::{SimTime, Span};

/// The pointers that are down now.
#[derive(Clone, Debug, Default)]
pub struct Fingers {
    /// Each with the moment it was put on.
    down: Vec<Finger>,
    /// What the first one took hold of.
    holds: Hold,
}

#[derive(Clone, Copy, Debug)]
struct Finger {
    id: i32,
    x: f32,
    on: f64,
}

/// What a pointer takes hold of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    #[default]
    Playhead,
    View,
    /// A fault, by its place in the scenario.
    Fault(usize, Part),
}

/// Fingers nearer to each other than this do not say how far to zoom.
const APART_MIN: f32 = 12.0;
/// More fingers than these mean nothing.
const FINGERS_MAX: usize = 2;

impl Fingers {
    pub fn press(&mut self, id: i32, x: f32, hold: Hold, plot: &Plot) -> Vec<Action> {
        if self.down.len() == FINGERS_MAX || self.down.iter().any(|finger| finger.id == id) {
            return Vec::new();
        }
        self.down.push(Finger {
            id,
            x,
            on: moment(x, plot),
        });
        if self.down.len() > 1 {
            // From now on it is about the view: what was held is let go.
            return Vec::from_iter(self.let_go());
        }
        self.holds = hold;
        match hold {
            Hold::Playhead => vec![Action::Hold(true), Action::Seek(plot.time(x))],
            Hold::View => Vec::new(),
            Hold::Fault(index, part) => vec![Action::Fault(FaultEdit::Grab(index, part, plot.time(x)))],
        }
    }

    /// What is to be done when what the first finger held is let go.
    fn let_go(&self) -> Option<Action> {
        match self.holds {
            Hold::Playhead => Some(Action::Hold(false)),
            Hold::Fault(..) => Some(Action::Fault(FaultEdit::LetGo)),
            Hold::View => None,
        }
    }

    pub fn slide(&mut self, id: i32, x: f32, plot: &Plot) -> Vec<Action> {
        let Some(finger) = self.down.iter_mut().find(|finger| finger.id == id) else {
            return Vec::new();
        };
        finger.x = x;
        let width = f64::from((plot.right - plot.left).max(1.0));
        let (per_px, first) = match self.down.as_slice() {
            [only] if self.holds == Hold::View => (plot.span().0 as f64 / width, *only),
            [_] if self.holds == Hold::Playhead => return vec![Action::Seek(plot.time(x))],
            [_] => {
                return vec![Action::Fault(FaultEdit::Drag(plot.time(x), plot.step()))];
            }
            [a, b, ..] if (a.x - b.x).abs() >= APART_MIN => ((b.on - a.on) / f64::from(b.x - a.x), *a),
            _ => return Vec::new(),
        };
        // Fingers that have crossed over would turn time round.
        if per_px <= 0.0 {
            return Vec::new();
        }
        let from = (first.on - per_px * f64::from(first.x - plot.left)).max(0.0);
        let from = SimTime(from as u64);
        vec![Action::See(from, from + Span((per_px * width) as u64))]
    }

    pub fn lift(&mut self, id: i32) -> Vec<Action> {
        let many = self.down.len();
        self.down.retain(|finger| finger.id != id);
        if self.down.len() == 1 {
            // The finger that is left goes on with the view, not with the playhead.
            self.holds = Hold::View;
        }
        let none_left = many == 1 && self.down.is_empty();
        Vec::from_iter(self.let_go().filter(|_| none_left))
    }
}

/// The moment at a place, in µs, also beyond the edges of the plot.
fn moment(x: f32, plot: &Plot) -> f64 {
    let width = f64::from((plot.right - plot.left).max(1.0));
    plot.from.0 as f64 + f64::from(x - plot.left) / width * plot.span().0 as f64
}

/// One notch of a usual wheel, in pixels.
const NOTCH: f64 = 100.0;
/// What one notch leaves of what was visible, in percent.
const NOTCH_PERCENT: f64 = 80.0;

/// What a wheel means that was turned by so many pixels over the place `x`; nothing when the view cannot follow, so that the
/// page may scroll instead. With shift, or turned sideways, it pans.
pub fn wheel((dx, dy): (f64, f64), shift: bool, x: f32, plot: &Plot, window: Window, end: SimTime) -> Option<Action> {
    let sideways = if shift && dx == 0.0 { dy } else { dx };
    if sideways.abs() > dy.abs() || shift {
        let per_px = plot.span().0 as f64 / f64::from((plot.right - plot.left).max(1.0));
        return (!window.is_whole() && sideways != 0.0).then_some(Action::Pan((sideways * per_px) as i64));
    }
    let can = if dy < 0.0 {
        window.can_zoom_in(end)
    } else {
        dy > 0.0 && !window.is_whole()
    };
    // A wheel that spins freely tells of many notches at once.
    let notches = (dy / NOTCH).clamp(-4.0, 4.0);
    let percent = if notches < 0.0 {
        100.0 - (100.0 - NOTCH_PERCENT) * -notches.max(-4.0)
    } else {
        100.0 + (100.0 * 100.0 / NOTCH_PERCENT - 100.0) * notches
    };
    can.then(|| Action::Zoom {
        around: plot.time(x),
        percent: percent.round().clamp(20.0, 400.0) as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLOT: Plot = Plot {
        left: 100.0,
        right: 1100.0,
        from: SimTime(20_000_000),
        until: SimTime(30_000_000),
    };
    const END: SimTime = SimTime(100_000_000);

    fn seen(actions: &[Action]) -> (u64, u64) {
        match actions {
            [Action::See(from, until)] => (from.0 / 1_000, until.0 / 1_000),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn one_finger_moves_the_playhead_and_on_the_axis_the_view() {
        let mut fingers = Fingers::default();
        let pressed = fingers.press(1, 600.0, Hold::Playhead, &PLOT);
        assert!(matches!(
            pressed.as_slice(),
            [Action::Hold(true), Action::Seek(SimTime(25_000_000))]
        ));
        assert!(matches!(
            fingers.slide(1, 700.0, &PLOT).as_slice(),
            [Action::Seek(SimTime(26_000_000))]
        ));
        assert!(matches!(fingers.lift(1).as_slice(), [Action::Hold(false)]));
        assert!(fingers.press(1, 600.0, Hold::View, &PLOT).is_empty());
        assert_eq!(seen(&fingers.slide(1, 700.0, &PLOT)), (19_000, 29_000));
        assert!(fingers.lift(1).is_empty());
    }

    #[test]
    fn two_fingers_keep_the_moments_they_were_put_on() {
        let mut fingers = Fingers::default();
        fingers.press(1, 600.0, Hold::Playhead, &PLOT);
        assert!(matches!(
            fingers.press(2, 800.0, Hold::Playhead, &PLOT).as_slice(),
            [Action::Hold(false)]
        ));
        // 25 s and 27 s, 200 px apart; twice as far apart they show half as much.
        let (from, until) = seen(&fingers.slide(2, 1000.0, &PLOT));
        assert_eq!((from, until), (22_500, 27_500));
        fingers.lift(2);
        assert_eq!(
            seen(&fingers.slide(1, 500.0, &PLOT)),
            (21_000, 31_000),
            "who is left pans"
        );
        assert!(fingers.lift(1).is_empty());
    }

    #[test]
    fn fingers_that_touch_or_cross_each_other_change_nothing() {
        let mut fingers = Fingers::default();
        fingers.press(1, 600.0, Hold::Playhead, &PLOT);
        fingers.press(2, 800.0, Hold::Playhead, &PLOT);
        assert!(fingers.slide(2, 605.0, &PLOT).is_empty());
        assert!(fingers.slide(2, 500.0, &PLOT).is_empty());
        assert!(fingers.slide(9, 500.0, &PLOT).is_empty(), "never put down");
    }

    #[test]
    fn a_wheel_zooms_at_the_pointer_pans_with_shift_and_else_leaves_the_page_to_scroll() {
        let whole = Window::default();
        let mut part = whole;
        part.show(PLOT.from, PLOT.until, END);
        let turn = |d, shift, window| wheel(d, shift, 600.0, &PLOT, window, END);
        let Some(Action::Zoom { around, percent }) = turn((0.0, -100.0), false, whole) else {
            panic!("it zooms in")
        };
        assert_eq!((around, percent), (SimTime(25_000_000), 80));
        assert!(matches!(
            turn((0.0, 100.0), false, part),
            Some(Action::Zoom { percent: 125, .. })
        ));
        assert!(turn((0.0, 100.0), false, whole).is_none(), "all is in view already");
        assert!(matches!(turn((0.0, 100.0), true, part), Some(Action::Pan(1_000_000))));
        assert!(matches!(turn((-50.0, 3.0), false, part), Some(Action::Pan(-500_000))));
        assert!(turn((50.0, 0.0), false, whole).is_none());
    }
}
