//! The frame on the map of the whole run: dragged by its middle it moves, by an end it stretches; and each end is a slider for
//! the keyboard.

use super::window::SHORTEST;
use super::{Action, Window};
use crate::draw::Plot;
use crate::engine::{SimTime, Span};

/// An end of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    From,
    Until,
}

/// What the pointer has taken hold of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grip {
    Edge(Edge),
    /// The middle, so many µs from its beginning.
    Frame(i64),
}

/// So near to an end, in CSS pixels, one means the end.
const REACH: f32 = 9.0;

impl Grip {
    /// What is meant at this place. Beside the frame: its middle, which comes there.
    pub fn at(x: f32, plot: &Plot, (from, until): (SimTime, SimTime)) -> Grip {
        let (x0, x1) = (plot.x(from), plot.x(until));
        let (near, far) = ((x - x0).abs(), (x - x1).abs());
        // Of a small frame the ends are outside, so that its middle can be taken too.
        let inside = x0 < x && x < x1 && x1 - x0 < REACH * 3.0;
        if near.min(far) <= REACH && !inside {
            Grip::Edge(if near <= far { Edge::From } else { Edge::Until })
        } else if x0 < x && x < x1 {
            Grip::Frame(plot.time(x).0 as i64 - from.0 as i64)
        } else {
            Grip::Frame((until.since(from).0 / 2) as i64)
        }
    }

    /// What is in view when the pointer has come to `x`.
    pub fn drag(self, x: f32, plot: &Plot, (from, until): (SimTime, SimTime)) -> Action {
        let to = plot.time(x);
        match self {
            Grip::Edge(edge) => edge.to(to, (from, until)),
            Grip::Frame(offset) => {
                let start = SimTime(to.0.saturating_add_signed(-offset));
                Action::See(start, start + until.since(from))
            }
        }
    }
}

impl Edge {
    /// This end at this moment; the other stays where it is.
    fn to(self, to: SimTime, (from, until): (SimTime, SimTime)) -> Action {
        match self {
            Edge::From => Action::See(to.min(until - SHORTEST), until),
            Edge::Until => Action::See(from, to.max(from + SHORTEST)),
        }
    }

    /// What a key does at this end: arrows a small part of what is visible, page keys a large one, Home and End all the way.
    pub fn key(self, key: &str, window: Window, end: SimTime) -> Option<Action> {
        let (from, until) = window.visible(end);
        let span = until.since(from);
        let at = match self {
            Edge::From => from,
            Edge::Until => until,
        };
        let (small, large) = ((span / 20).max(Span(1_000)), span / 2);
        let to = match key {
            "ArrowRight" | "ArrowUp" => at + small,
            "ArrowLeft" | "ArrowDown" => at - small,
            "PageUp" => at + large,
            "PageDown" => at - large,
            "Home" => SimTime::ZERO,
            "End" => end,
            _ => return None,
        };
        Some(self.to(to.min(end), (from, until)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: Plot = Plot {
        left: 0.0,
        right: 1000.0,
        from: SimTime::ZERO,
        until: SimTime(100_000_000),
    };
    const SEEN: (SimTime, SimTime) = (SimTime(20_000_000), SimTime(40_000_000));

    /// In whole seconds: a pixel is a tenth of one.
    fn shows(action: &Action) -> (u64, u64) {
        match action {
            Action::See(from, until) => ((from.0 + 500_000) / 1_000_000, (until.0 + 500_000) / 1_000_000),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_middle_moves_the_frame_and_an_end_stretches_it() {
        let middle = Grip::at(250.0, &MAP, SEEN);
        assert_eq!(shows(&middle.drag(350.0, &MAP, SEEN)), (30, 50));
        assert_eq!(
            shows(&middle.drag(10.0, &MAP, SEEN)),
            (0, 20),
            "not beyond the beginning"
        );
        let end = Grip::at(405.0, &MAP, SEEN);
        assert_eq!(end, Grip::Edge(Edge::Until));
        assert_eq!(shows(&end.drag(700.0, &MAP, SEEN)), (20, 70));
        assert_eq!(Grip::at(195.0, &MAP, SEEN), Grip::Edge(Edge::From));
    }

    #[test]
    fn beside_the_frame_its_middle_comes_to_the_pointer() {
        assert_eq!(shows(&Grip::at(700.0, &MAP, SEEN).drag(700.0, &MAP, SEEN)), (60, 80));
    }

    #[test]
    fn an_end_never_passes_the_other() {
        let Action::See(from, until) = Grip::Edge(Edge::From).drag(900.0, &MAP, SEEN) else {
            panic!("it shows")
        };
        assert_eq!((until.since(from), until), (SHORTEST, SEEN.1));
    }

    #[test]
    fn a_small_frame_can_be_moved_too() {
        let small = (SimTime(20_000_000), SimTime(21_000_000));
        assert!(matches!(Grip::at(205.0, &MAP, small), Grip::Frame(_)));
        assert_eq!(Grip::at(195.0, &MAP, small), Grip::Edge(Edge::From));
        assert_eq!(Grip::at(215.0, &MAP, small), Grip::Edge(Edge::Until));
    }
}
