//! What is allowed and runs as written, but hardly is what was meant.

use super::{Fault, FaultKind, Host, Placement, Scenario, Target};
use crate::engine::{SimTime, Span};
use crate::sorting;
use crate::store::least_ttl;

impl Scenario {
    /// One sentence for each thing that a person should know before believing the run; none as a rule.
    ///
    /// ```
    /// use leaselab::scenario::Scenario;
    /// let text = "[store]\nmembers = 1\n[[fault]]\nat_s = 0\nkind = \"kill\"\ntarget = \"etcd1\"\n";
    /// let scenario = Scenario::parse(text, "example").unwrap();
    /// assert!(scenario.warnings()[0].starts_with("the store never has a majority"));
    /// ```
    pub fn warnings(&self) -> Vec<String> {
        [self.short_lease(), self.no_majority()].into_iter().flatten().collect()
    }

    /// The store grants no lease so short; the agents count what is configured all the same.
    fn short_lease(&self) -> Option<String> {
        let (ttl, least) = (self.patroni.ttl, least_ttl(self.store.election));
        (ttl < least).then(|| {
            format!(
                "patroni.ttl is {ttl}, and the store grants no lease shorter than {least} (one and a half of its election \
                 timeout of {}, in whole seconds): the leader key lives that long, while the agents count {ttl}",
                self.store.election
            )
        })
    }

    /// Dead and stopped members alone; what cuts and disks do is for the run to show.
    fn no_majority(&self) -> Option<String> {
        let (members, end) = (usize::from(self.store.members), SimTime::ZERO + self.duration);
        let mut changes: Vec<(SimTime, usize, bool)> = Vec::new();
        for (member, from, to) in self.faults.iter().flat_map(|fault| self.down(fault, end)) {
            changes.push((from, member, true));
            changes.push((to, member, false));
        }
        sorting::by(&mut changes, Ord::cmp);
        let mut faults = vec![0_u32; members];
        let mut most = 0;
        let mut at = SimTime::ZERO;
        for (t, member, begins) in changes.into_iter().chain([(end, 0, true)]) {
            if t > at {
                most = most.max(faults.iter().filter(|&&faults| faults == 0).count());
                at = t;
            }
            match begins {
                _ if t >= end => break,
                true => faults[member] += 1,
                false => faults[member] = faults[member].saturating_sub(1),
            }
        }
        let quorum = members / 2 + 1;
        (most < quorum).then(|| {
            format!(
                "the store never has a majority: it needs {quorum} of its {members} members, and at no time do more than \
                 {most} of them run, so it decides nothing in the whole run"
            )
        })
    }

    /// Which members a fault takes down, and from when to when.
    fn down(&self, fault: &Fault, end: SimTime) -> Vec<(usize, SimTime, SimTime)> {
        let (FaultKind::Kill { target, .. } | FaultKind::Pause { target, .. }) = fault.what else {
            return Vec::new();
        };
        let member = match target {
            Target::Host(Host::Store(member)) | Target::Member(member) => member,
            Target::Host(Host::Node(node)) if self.store.placement == Placement::Nodes => node,
            Target::Host(_) | Target::Process(..) => return Vec::new(),
        };
        let times = fault.occurrences(end);
        times
            .map(|(from, until)| (member, from, until.unwrap_or(end + Span(1))))
            .collect()
    }
}
