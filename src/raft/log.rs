//! The log: kept whole for the whole run, and shared between clones of a world, which differ only in their newest chunk.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(transparent)]
pub struct Term(pub u64);

/// A place in the log, from 1; 0 is before the first entry.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(transparent)]
pub struct Index(pub u64);

impl Index {
    pub fn next(self) -> Index {
        Index(self.0 + 1)
    }
    pub fn previous(self) -> Index {
        Index(self.0.saturating_sub(1))
    }
}

/// `command` is missing in the empty entry with which a leader begins its term (T7).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
pub struct Entry<C> {
    pub term: Term,
    pub command: Option<C>,
}

/// Entries of a chunk. Whoever keeps a clone (a disk does, after every write) makes the next push copy the newest chunk,
/// and each chunk that gets full copy the list of those before it: short chunks for the one, few for the other.
const CHUNK: usize = 32;

/// Entries from 1 on. Clones share every chunk that neither of them writes to after; making one costs the same for any
/// length.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Log<C> {
    full: Arc<Vec<Arc<Vec<Entry<C>>>>>,
    /// What does not fill a chunk yet.
    newest: Arc<Vec<Entry<C>>>,
}

impl<C> Default for Log<C> {
    fn default() -> Self {
        Log {
            full: Arc::default(),
            newest: Arc::default(),
        }
    }
}

impl<C: Clone> Log<C> {
    /// A log of these entries.
    pub fn of(entries: impl IntoIterator<Item = Entry<C>>) -> Log<C> {
        let mut log = Log::default();
        entries.into_iter().for_each(|entry| log.push(entry));
        log
    }

    pub fn last(&self) -> Index {
        Index((self.full.len() * CHUNK + self.newest.len()) as u64)
    }
    pub fn last_term(&self) -> Term {
        self.term(self.last()).unwrap_or(Term(0))
    }
    /// The term of an entry; 0 before the first, nothing after the last.
    pub fn term(&self, index: Index) -> Option<Term> {
        if index == Index(0) {
            Some(Term(0))
        } else {
            self.get(index).map(|entry| entry.term)
        }
    }
    pub fn get(&self, index: Index) -> Option<&Entry<C>> {
        let at = usize::try_from(index.0.checked_sub(1)?).ok()?;
        match self.full.get(at / CHUNK) {
            Some(chunk) => chunk.get(at % CHUNK),
            None => self.newest.get(at - self.full.len() * CHUNK),
        }
    }
    /// The entries after `index`, at most `limit`.
    pub fn after(&self, index: Index, limit: usize) -> Vec<Entry<C>> {
        (index.0 + 1..=self.last().0)
            .take(limit)
            .filter_map(|i| self.get(Index(i)).cloned())
            .collect()
    }
    /// The last entry not after `index` whose term is not after `term`; 0 if there is none. Terms never fall along a
    /// log, so it is found by halving.
    pub fn last_at_most(&self, index: Index, term: Term) -> Index {
        let (mut at_most, mut beyond) = (0, index.0.min(self.last().0) + 1);
        while beyond - at_most > 1 {
            let middle = at_most + (beyond - at_most) / 2;
            if self.term(Index(middle)).is_some_and(|t| t <= term) {
                at_most = middle;
            } else {
                beyond = middle;
            }
        }
        Index(at_most)
    }
    /// How many chunks, from the first on, are the very same memory as the other's.
    pub fn chunks_shared_with(&self, other: &Log<C>) -> usize {
        let mine = self.full.iter().chain([&self.newest]);
        let both = mine.zip(other.full.iter().chain([&other.newest]));
        both.take_while(|(mine, theirs)| Arc::ptr_eq(mine, theirs)).count()
    }

    pub fn push(&mut self, entry: Entry<C>) {
        Arc::make_mut(&mut self.newest).push(entry);
        if self.newest.len() == CHUNK {
            let full = std::mem::take(&mut self.newest);
            Arc::make_mut(&mut self.full).push(full);
        }
    }

    /// Drops everything after `index`.
    pub fn truncate(&mut self, index: Index) {
        if index >= self.last() {
            return;
        }
        let keep = index.0 as usize;
        if let Some(chunk) = self.full.get(keep / CHUNK) {
            self.newest = Arc::clone(chunk);
            Arc::make_mut(&mut self.full).truncate(keep / CHUNK);
        }
        Arc::make_mut(&mut self.newest).truncate(keep % CHUNK);
    }

    /// T4: whether a log that ends like this is at least as up to date as mine.
    pub fn is_up_to_date(&self, last_term: Term, last: Index) -> bool {
        (last_term, last) >= (self.last_term(), self.last())
    }
}
