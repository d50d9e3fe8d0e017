//! The past and the future of one event, found by one walk back and one on when somebody asks: nothing is kept for each event.

use borsh::{BorshDeserialize, BorshSerialize};

/// How an event stands to the one that was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Itself,
    /// It happened before.
    Past,
    /// It happened after.
    Future,
    Concurrent,
}

/// How all events of a run stand to one of them. Events are known by their places in the order of the run, from zero.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Related {
    of: u32,
    /// How many events happened before it, after it, and neither.
    pub past: u32,
    pub future: u32,
    pub concurrent: u32,
    /// Two bits for each event.
    bits: Vec<u8>,
}

const PAST: u8 = 1;
const FUTURE: u8 = 2;

impl Related {
    /// `steps[n]`: the events from which a single step leads to event `n`, all of them before it in the order of the run: the
    /// one before it in the same process, and what it was told by. Nothing when there is no event `of`.
    ///
    /// ```
    /// use leaselab::clocks::{Related, Relation};
    /// // 0 and 1 in one process, 2 in another, and 3 receives there what 1 sent.
    /// let steps = [[None, None], [Some(0), None], [None, None], [Some(2), Some(1)]];
    /// let related = Related::of(1, &steps).unwrap();
    /// assert_eq!(related.relation(3), Relation::Future);
    /// assert_eq!(related.relation(2), Relation::Concurrent);
    /// ```
    pub fn of(of: usize, steps: &[[Option<usize>; 2]]) -> Option<Related> {
        let mut marks = vec![0_u8; steps.len()];
        *marks.get_mut(of)? = PAST | FUTURE;
        // An event is older than what it leads to: one walk in each direction finds all.
        for n in (0..=of).rev() {
            if marks[n] & PAST != 0 {
                for earlier in steps[n].into_iter().flatten().filter(|&earlier| earlier < n) {
                    marks[earlier] |= PAST;
                }
            }
        }
        for n in of + 1..steps.len() {
            let mut led = steps[n].into_iter().flatten().filter(|&earlier| earlier < n);
            if led.any(|earlier| marks[earlier] & FUTURE != 0) {
                marks[n] |= FUTURE;
            }
        }
        let count = |mark: u8| marks.iter().filter(|&&is| is == mark).count() as u32;
        let mut bits = vec![0; marks.len().div_ceil(4)];
        for (n, mark) in marks.iter().enumerate() {
            bits[n / 4] |= mark << (n % 4 * 2);
        }
        Some(Related {
            of: u32::try_from(of).ok()?,
            past: count(PAST),
            future: count(FUTURE),
            concurrent: count(0),
            bits,
        })
    }

    /// How an event stands to it; one that the run does not have is concurrent with everything.
    pub fn relation(&self, event: usize) -> Relation {
        if event == self.of as usize {
            return Relation::Itself;
        }
        let byte = self.bits.get(event / 4).copied().unwrap_or(0);
        match byte >> (event % 4 * 2) & 3 {
            PAST => Relation::Past,
            FUTURE => Relation::Future,
            _ => Relation::Concurrent,
        }
    }
}
