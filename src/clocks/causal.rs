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
    /// It lies outside of the part of the run that was looked at.
    Unknown,
}

/// How all events of a run stand to one of them. Events are known by their places in the order of the run, from zero.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Related {
    of: u32,
    /// How many events of the run came before the first that was looked at.
    skipped: u32,
    /// How many events happened before it, after it, and neither.
    pub past: u32,
    pub future: u32,
    pub concurrent: u32,
    /// Two bits for each event.
    bits: Vec<u8>,
}

const PAST: u8 = 1;
const FUTURE: u8 = 2;
const CONCURRENT: u8 = 3;

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
        marks[of] = 0;
        let others = marks.iter_mut().enumerate().filter(|(n, mark)| *n != of && **mark == 0);
        others.for_each(|(_, mark)| *mark = CONCURRENT);
        let count = |mark: u8| marks.iter().filter(|&&is| is == mark).count() as u32;
        let mut bits = vec![0; marks.len().div_ceil(4)];
        for (n, mark) in marks.iter().enumerate() {
            bits[n / 4] |= mark << (n % 4 * 2);
        }
        Some(Related {
            of: u32::try_from(of).ok()?,
            skipped: 0,
            past: count(PAST),
            future: count(FUTURE),
            concurrent: count(CONCURRENT),
            bits,
        })
    }

    /// The steps were those of a part of a run, before which so many events had happened.
    #[must_use]
    pub fn in_a_part(mut self, skipped: usize) -> Related {
        self.skipped = u32::try_from(skipped).unwrap_or(u32::MAX);
        self.of = self.of.saturating_add(self.skipped);
        self
    }

    /// How an event stands to it, by its place in the whole run.
    pub fn relation(&self, event: usize) -> Relation {
        if event == self.of as usize {
            return Relation::Itself;
        }
        let place = event.wrapping_sub(self.skipped as usize);
        match self.bits.get(place / 4).map(|byte| byte >> (place % 4 * 2) & 3) {
            Some(PAST) => Relation::Past,
            Some(FUTURE) => Relation::Future,
            Some(CONCURRENT) => Relation::Concurrent,
            _ => Relation::Unknown,
        }
    }
}
