//! Stable sorting that the page has once: every kind of item sorted with `slice::sort_by` is another 4 kB of code to load,
//! and where this is used nobody waits for the sorting.

use std::cmp::Ordering;

/// Sorts by `key`; items of equal keys stay in their order.
///
/// ```
/// let mut words = ["lease", "term", "key"];
/// leaselab::sorting::by_key(&mut words, |word| word.len());
/// assert_eq!(words, ["key", "term", "lease"]);
/// ```
pub fn by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts by `compare`; items it calls equal stay in their order.
pub fn by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut order = order(items.len(), &|a, b| compare(&items[a], &items[b]));
    // Along every cycle of the order, each item goes straight to its place.
    for first in 0..order.len() {
        let mut at = first;
        while order[at] != first {
            let next = order[at];
            items.swap(at, next);
            order[at] = at;
            at = next;
        }
        order[at] = at;
    }
}

/// The places the items come from. All there is to sorting, and free of the items' type.
fn order(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_library_does(mut items: Vec<(u8, u16)>) {
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            by_key(&mut items, |item| item.0);
            prop_assert_eq!(items, expected);
        }
    }
}
