//! The vector clock (Fidge, Mattern, 1988): of every process, how many of its events are known.
//!
//! | what happens              | the clock                                                                     |
//! |---------------------------|-------------------------------------------------------------------------------|
//! | something local, or a send | [`tick`](Vector::tick): the own entry is one more                            |
//! | a receipt                 | [`receive`](Vector::receive): the larger of each pair of entries, then the own entry is one more |
//!
//! One event happened before another exactly when its vector is nowhere larger and not the same: that holds in both
//! directions, which no single number can do (protocols.md 18.3).

use std::cmp::Ordering;
use std::fmt;

/// An entry for each process; one that is not there is zero.
///
/// ```
/// use leaselab::clocks::Vector;
/// let (mut a, mut b) = (Vector::default(), Vector::default());
/// a.tick(0);
/// let x = a.tick(0).clone();
/// let mut a_first = Vector::default();
/// a_first.tick(0);
/// let y = b.receive(1, &a_first).clone();
/// assert_eq!((x.to_string(), y.to_string()), ("[2]".into(), "[1,1]".into()));
/// assert_eq!(x.partial_cmp(&y), None, "siblings: neither knew of the other");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Vector(Vec<u32>);

impl Vector {
    /// As written, such as `[2, 0, 0]`.
    pub fn new(entries: impl Into<Vec<u32>>) -> Vector {
        Vector(entries.into())
    }

    /// How many events of this process are known.
    pub fn entry(&self, process: usize) -> u32 {
        self.0.get(process).copied().unwrap_or(0)
    }

    /// The entries of the first `processes` processes.
    pub fn entries(&self, processes: usize) -> Vec<u32> {
        (0..processes).map(|process| self.entry(process)).collect()
    }

    /// Something happens in this process.
    pub fn tick(&mut self, process: usize) -> &Vector {
        if self.0.len() <= process {
            self.0.resize(process + 1, 0);
        }
        self.0[process] = self.0[process].saturating_add(1);
        self
    }

    /// This process receives something with that stamp.
    pub fn receive(&mut self, process: usize, stamp: &Vector) -> &Vector {
        self.join(stamp);
        self.tick(process)
    }

    /// What is known is also what the other knows.
    pub fn join(&mut self, other: &Vector) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, theirs) in self.0.iter_mut().zip(&other.0) {
            *own = (*own).max(*theirs);
        }
    }

    fn nowhere_larger(&self, other: &Vector) -> bool {
        self.0
            .iter()
            .enumerate()
            .all(|(process, own)| *own <= other.entry(process))
    }

    /// Neither happened before the other, and they are not the same.
    pub fn is_concurrent_with(&self, other: &Vector) -> bool {
        self.partial_cmp(other).is_none()
    }
}

impl PartialEq for Vector {
    fn eq(&self, other: &Vector) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}
impl Eq for Vector {}

impl PartialOrd for Vector {
    /// `Less`: happened before. None: concurrent.
    fn partial_cmp(&self, other: &Vector) -> Option<Ordering> {
        match (self.nowhere_larger(other), other.nowhere_larger(self)) {
            (true, true) => Some(Ordering::Equal),
            (true, false) => Some(Ordering::Less),
            (false, true) => Some(Ordering::Greater),
            (false, false) => None,
        }
    }
}

impl fmt::Display for Vector {
    /// `[1,2,0]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[")?;
        for (n, entry) in self.0.iter().enumerate() {
            write!(f, "{}{entry}", if n == 0 { "" } else { "," })?;
        }
        write!(f, "]")
    }
}
