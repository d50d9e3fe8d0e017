//! An event with all the stamps that clocks give it; sorting a run by each kind, and what comes out in the wrong order.

use super::hybrid::Hybrid;
use super::interval::Interval;
use super::lamport::Lamport;
use super::time::{SimTime, WallTime};
use super::vector::Vector;
use crate::sorting;
use std::cmp::Ordering;

/// What the clocks showed at one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamped {
    /// In which process it happened, from zero.
    pub process: usize,
    /// True time.
    pub at: SimTime,
    pub wall: WallTime,
    pub lamport: Lamport,
    pub vector: Vector,
    pub hybrid: Hybrid,
    pub interval: Interval,
}

/// What events are sorted by. Equal stamps are put in the order of the processes' numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// The order in which they happened, which only an observer knows.
    True,
    Wall,
    Lamport,
    Hybrid,
}

impl Order {
    pub const ALL: [Order; 4] = [Order::True, Order::Wall, Order::Lamport, Order::Hybrid];

    /// In words, after "by".
    pub const fn words(self) -> &'static str {
        match self {
            Order::True => "true order",
            Order::Wall => "wall clock",
            Order::Lamport => "Lamport clock",
            Order::Hybrid => "hybrid clock",
        }
    }

    fn compare(self, a: &Stamped, b: &Stamped) -> Ordering {
        let stamps = match self {
            // They are given in this order.
            Order::True => return Ordering::Equal,
            Order::Wall => a.wall.cmp(&b.wall),
            Order::Lamport => a.lamport.cmp(&b.lamport),
            Order::Hybrid => a.hybrid.cmp(&b.hybrid),
        };
        stamps.then(a.process.cmp(&b.process))
    }
}

/// Two events that come out the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WrongPair {
    /// What happened first, and what after it: places in the true order.
    pub first: usize,
    pub second: usize,
    /// The first could have led to the second: now an effect stands before its cause. Otherwise nobody but the observer can
    /// tell, and no harm is done.
    pub caused: bool,
}

/// The places of `events`, which are given in their true order, sorted.
pub fn sorted(events: &[Stamped], by: Order) -> Vec<usize> {
    let mut places: Vec<usize> = (0..events.len()).collect();
    sorting::by(&mut places, |&a, &b| by.compare(&events[a], &events[b]));
    places
}

/// Every pair that comes out in the wrong order. Compares each event with each: for what people look at, not for an hour.
///
/// Two events of one instant that could not have told each other anything have no true order, so they are never wrong.
pub fn wrong_pairs(events: &[Stamped], by: Order) -> Vec<WrongPair> {
    let mut wrong = Vec::new();
    for (second, b) in events.iter().enumerate() {
        for (first, a) in events[..second].iter().enumerate() {
            let caused = a.vector < b.vector;
            if by.compare(a, b) == Ordering::Greater && (caused || a.at < b.at) {
                wrong.push(WrongPair { first, second, caused });
            }
        }
    }
    wrong
}
