//! Which processes run, as the trace tells: alive, not stopped, on a host that is on and not stopped.

use crate::engine::{HostId, Life, Place, ProcId, SimTime, Span};
use crate::raft::RoleName;
use crate::world::Layout;

#[derive(Clone, Copy, Debug)]
struct Standing {
    alive: bool,
    pauses: u8,
}

impl Standing {
    fn live(&mut self, life: Life) {
        match life {
            Life::Started => *self = Standing { alive: true, ..*self },
            Life::Exited | Life::Killed => self.alive = false,
            Life::Paused => self.pauses = self.pauses.saturating_add(1),
            Life::Resumed => self.pauses = self.pauses.saturating_sub(1),
        }
    }
    fn runs(self) -> bool {
        self.alive && self.pauses == 0
    }
}

/// The state of every host and process of a world.
#[derive(Clone, Debug)]
pub(super) struct Machines {
    hosts: Vec<Standing>,
    processes: Vec<(HostId, Standing)>,
    store: Vec<ProcId>,
    /// The members that say they lead their group.
    leading: Vec<bool>,
    leader_changes: u32,
    no_quorum_since: Option<SimTime>,
    no_quorum: Span,
}

impl Machines {
    /// All hosts are on, no process runs yet.
    pub fn new(layout: &Layout) -> Machines {
        let on = Standing { alive: true, pauses: 0 };
        let off = Standing {
            alive: false,
            pauses: 0,
        };
        let processes = (0..layout.parts().len() as u16).map(|p| (layout.host_of(ProcId(p)), off));
        Machines {
            hosts: vec![on; layout.host_count()],
            processes: processes.collect(),
            store: layout.store().iter().map(|&(_, process)| process).collect(),
            leading: vec![false; layout.store().len()],
            leader_changes: 0,
            no_quorum_since: Some(SimTime::ZERO),
            no_quorum: Span::ZERO,
        }
    }

    pub fn live(&mut self, at: SimTime, place: Place, life: Life) {
        match place {
            Place::Host(host) => self.hosts[host.index()].live(life),
            Place::Process(process) => {
                let (_, standing) = &mut self.processes[process.index()];
                standing.live(life);
                if life == Life::Started {
                    standing.pauses = 0; // whoever stopped it stopped its earlier life
                }
            }
            Place::Network => {}
        }
        self.look_at_store(at);
    }

    /// A member of the store has another place in its group.
    pub fn store_role(&mut self, at: SimTime, member: u8, role: RoleName) {
        let leads = role == RoleName::Leader;
        let before = std::mem::replace(&mut self.leading[usize::from(member)], leads);
        // Who leads when the run begins has not changed hands.
        self.leader_changes += u32::from(leads && !before && at > SimTime::ZERO);
        self.look_at_store(at);
    }

    pub fn leader_changes(&self) -> u32 {
        self.leader_changes
    }

    /// The store can decide: a majority runs, and one of those leads. A leader that a majority no longer hears steps down
    /// by itself within two election timeouts, and counts as leading until then.
    fn look_at_store(&mut self, at: SimTime) {
        let running: Vec<bool> = self.store.iter().map(|&member| self.runs(member)).collect();
        let majority = running.iter().filter(|&&runs| runs).count() * 2 > running.len();
        let quorum = majority && running.iter().zip(&self.leading).any(|(&runs, &leads)| runs && leads);
        match (quorum, self.no_quorum_since) {
            (true, Some(since)) => {
                self.no_quorum += at.since(since);
                self.no_quorum_since = None;
            }
            (false, None) => self.no_quorum_since = Some(at),
            _ => {}
        }
    }

    pub fn runs(&self, process: ProcId) -> bool {
        let (host, standing) = self.processes[process.index()];
        standing.runs() && self.hosts[host.index()].runs()
    }

    /// How long up to `end` too few store members ran to agree on anything.
    pub fn no_quorum(&self, end: SimTime) -> Span {
        self.no_quorum + self.no_quorum_since.map_or(Span::ZERO, |since| end.since(since))
    }
}
