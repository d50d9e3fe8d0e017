//! From when on two scenarios lead to different runs.

use super::{Fault, Scenario};
use crate::engine::SimTime;

/// The first instant at which two scenarios differ: 0 when they differ in a setting, the first beginning or end of a fault that
/// differs when they differ in nothing else, nothing when they lead to the same run. Faults are told apart by their place in
/// the list: one that begins at another place is another.
pub fn differs_from(old: &Scenario, new: &Scenario) -> Option<SimTime> {
    let bare = |scenario: &Scenario| Scenario {
        faults: Vec::new(),
        title: String::new(),
        comment: None,
        ..scenario.clone()
    };
    if bare(old) != bare(new) {
        return Some(SimTime::ZERO);
    }
    let places = 0..old.faults.len().max(new.faults.len());
    places
        .filter_map(|place| match (old.faults.get(place), new.faults.get(place)) {
            (Some(was), Some(is)) => parts(was, is, SimTime::ZERO + new.duration),
            (Some(only), None) | (None, Some(only)) => Some(only.at),
            (None, None) => None,
        })
        .min()
}

fn parts(was: &Fault, is: &Fault, end: SimTime) -> Option<SimTime> {
    if was == is {
        return None;
    }
    if was.what != is.what {
        return Some(was.at.min(is.at));
    }
    let never = SimTime(u64::MAX);
    let times = |fault: &Fault| {
        let times = fault.occurrences(end);
        times
            .flat_map(|(from, until)| [from, until.unwrap_or(never)])
            .chain([never, never])
    };
    let pairs = times(was).zip(times(is));
    pairs.filter(|(was, is)| was != is).map(|(was, is)| was.min(is)).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(faults: &str) -> Scenario {
        Scenario::parse(&format!("duration_s = 100\n{faults}"), "test").expect("valid")
    }

    #[test]
    fn two_scenarios_part_at_the_first_instant_that_is_not_the_same_in_both() {
        let fault =
            |at: u32, more: &str| format!("[[fault]]\nat_s = {at}\nkind = \"pause\"\ntarget = \"node1\"\n{more}\n");
        let s = |seconds: u64| Some(SimTime(seconds * 1_000_000));
        let two = with(&(fault(10, "for_s = 5") + &fault(40, "for_s = 5")));
        let part = |other: &str| differs_from(&two, &with(other));
        assert_eq!(part(&(fault(10, "for_s = 5") + &fault(40, "for_s = 5"))), None);
        assert_eq!(part(&(fault(10, "for_s = 5") + &fault(40, "for_s = 9"))), s(45));
        assert_eq!(part(&(fault(10, "for_s = 5") + &fault(38, "for_s = 5"))), s(38));
        assert_eq!(part(&fault(10, "for_s = 5")), s(40));
        assert_eq!(part(&(fault(10, "") + &fault(40, "for_s = 5"))), s(15));
        assert_eq!(
            part(&(fault(10, "for_s = 5\nevery_s = 20") + &fault(40, "for_s = 5"))),
            s(30)
        );
        assert_eq!(part(&fault(40, "for_s = 5")), s(10), "the first one is gone");
        assert_eq!(differs_from(&two, &with("seed = 8\n")), s(0));
    }
}
