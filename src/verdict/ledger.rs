//! A list that only grows and is cloned often: clones share what is full.

use std::sync::Arc;

/// Entries of a chunk.
const CHUNK: usize = 1_024;

#[derive(Clone, Debug)]
pub(super) struct Ledger<T> {
    full: Vec<Arc<Vec<T>>>,
    newest: Vec<T>,
}

impl<T> Default for Ledger<T> {
    fn default() -> Self {
        Ledger {
            full: Vec::new(),
            newest: Vec::new(),
        }
    }
}

impl<T> Ledger<T> {
    pub fn push(&mut self, entry: T) {
        self.newest.push(entry);
        if self.newest.len() == CHUNK {
            self.full.push(Arc::new(std::mem::take(&mut self.newest)));
        }
    }
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.full.iter().flat_map(|chunk| chunk.iter()).chain(&self.newest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_what_was_pushed_in_that_order_and_clones_part() {
        let mut ledger = Ledger::default();
        (0..2_500).for_each(|n| ledger.push(n));
        let mut other = ledger.clone();
        other.push(-1);
        ledger.push(2_500);
        assert!(ledger.iter().copied().eq(0..=2_500));
        assert!(other.iter().copied().eq((0..2_500).chain([-1])));
    }
}
