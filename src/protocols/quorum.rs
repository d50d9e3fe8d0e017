//! Arithmetic of majorities: what a group tolerates, how likely it works, what a commit costs, and why two majorities always
//! meet (protocols.md 19.5).

use crate::engine::Span;
use crate::sorting;

/// More members than this nobody has; sums over all sets of members stay exact.
pub const MEMBERS_MAX: u32 = 31;

/// How many members are a majority of `members`.
///
/// ```
/// use leaselab::protocols::{majority, tolerates};
/// assert_eq!([3, 4, 5].map(majority), [2, 3, 3]);
/// assert_eq!([3, 4, 5, 6, 7].map(tolerates), [1, 1, 2, 2, 3]);
/// ```
pub const fn majority(members: u32) -> u32 {
    members / 2 + 1
}

/// How many members may fail so that the others are still a majority.
pub const fn tolerates(members: u32) -> u32 {
    members.saturating_sub(majority(members))
}

/// How likely at least `quorum` of `members` are up, when each is up with this probability, independently of the others.
pub fn availability(members: u32, quorum: u32, each_up: f64) -> f64 {
    let (up, down) = (each_up, 1.0 - each_up);
    let members = members.min(MEMBERS_MAX);
    let exactly = |k: u32| ways(members, k) * up.powi(k as i32) * down.powi((members - k) as i32);
    (quorum..=members).map(exactly).sum()
}

/// How many sets of `k` there are among `n`.
fn ways(n: u32, k: u32) -> f64 {
    (0..k).fold(1.0, |ways, i| ways * f64::from(n - i) / f64::from(i + 1))
}

/// How long a leader waits until an entry is on a majority, itself among them: the round trip to its (q−1)th fastest follower.
/// Alone it waits for nobody.
pub fn commit_latency(followers: &[Span]) -> Span {
    let mut fastest = followers.to_vec();
    sorting::by_key(&mut fastest, |round_trip| *round_trip);
    let others = majority(followers.len() as u32 + 1) as usize - 1;
    others.checked_sub(1).map_or(Span::ZERO, |slowest| fastest[slowest])
}

/// Which sides of a cut can go on: the one with `left` members, and the one with the others.
pub const fn after_cut(members: u32, left: u32) -> (bool, bool) {
    (
        left >= majority(members),
        members.saturating_sub(left) >= majority(members),
    )
}

/// Two quorums of this size without a common member, as sets of bits, if there are any: then both can decide, and differently.
/// There are none exactly when twice the size is more than the members.
pub fn disjoint(members: u32, quorum: u32) -> Option<(u32, u32)> {
    if members > MEMBERS_MAX || 2 * quorum > members {
        return None;
    }
    let first = (1_u32 << quorum) - 1;
    Some((first, first << quorum))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn an_even_group_is_worse_than_the_odd_one_below_it() {
        let expected = [0.99, 0.9801, 0.999_702, 0.999_408, 0.999_990, 0.999_980];
        for (members, expected) in (1..).zip(expected) {
            let is = availability(members, majority(members), 0.99);
            assert!((is - expected).abs() < 5e-7, "{members}: {is}");
        }
        for odd in [1, 3, 5, 7] {
            let works = |members| availability(members, majority(members), 0.99);
            assert!(works(odd + 1) < works(odd) && tolerates(odd + 1) == tolerates(odd));
        }
    }

    #[test]
    fn availability_is_the_sum_over_all_sets_of_members_that_are_up() {
        for members in 1..=7_u32 {
            let sets = (0..1_u32 << members).filter(|set| set.count_ones() >= majority(members));
            let sum: f64 = sets
                .map(|set| 0.9_f64.powi(set.count_ones() as i32) * 0.1_f64.powi((members - set.count_ones()) as i32))
                .sum();
            assert!((availability(members, majority(members), 0.9) - sum).abs() < 1e-12);
        }
    }

    #[test]
    fn a_commit_waits_for_the_fastest_followers_that_make_a_majority() {
        let ms = |all: &[u64]| commit_latency(&all.iter().map(|&ms| Span::from_millis(ms)).collect::<Vec<_>>());
        assert_eq!(ms(&[1, 20]), Span::from_millis(1));
        assert_eq!(ms(&[140, 1, 70, 20]), Span::from_millis(20));
        assert_eq!(ms(&[1, 20, 70]), Span::from_millis(20), "four wait as long as five");
        assert_eq!(ms(&[]), Span::ZERO);
        assert_eq!(ms(&[9]), Span::from_millis(9));
    }

    #[test]
    fn a_cut_in_the_middle_of_an_even_group_stops_both_sides_and_no_cut_lets_both_go_on() {
        assert_eq!(after_cut(4, 2), (false, false));
        assert_eq!(after_cut(5, 2), (false, true));
        for members in 1..=MEMBERS_MAX {
            for left in 0..=members {
                assert_ne!(after_cut(members, left), (true, true));
            }
        }
    }

    #[test]
    fn two_majorities_always_meet_and_smaller_quorums_need_not() {
        for members in 1..=10_u32 {
            for quorum in 1..=members {
                let sets = || (0..1_u32 << members).filter(|set: &u32| set.count_ones() == quorum);
                let apart = sets().any(|a| sets().any(|b| a & b == 0));
                let found = disjoint(members, quorum);
                assert_eq!(found.is_some(), apart, "{quorum} of {members}");
                if let Some((a, b)) = found {
                    assert!(a & b == 0 && a.count_ones() == quorum && b.count_ones() == quorum);
                    assert!((a | b) < 1 << members);
                }
            }
            assert_eq!(disjoint(members, majority(members)), None);
        }
        assert_eq!(disjoint(4, 2), Some((0b0011, 0b1100)));
    }
}
