//! Which processes run, as the trace tells: alive, not stopped, on a host that is on and not stopped.

use super::record::NoQuorum;
use crate::engine::{EventId, HostId, Life, Place, ProcId, SimTime};
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
    /// The members that say their disk holds them up.
    hanging: Vec<bool>,
    leader_changes: u32,
    /// The store can decide nothing, up to now.
    dark: Option<NoQuorum>,
    no_quorum: Vec<NoQuorum>,
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
            hanging: vec![false; layout.store().len()],
            leader_changes: 0,
            dark: None,
            no_quorum: Vec::new(),
        }
    }

    pub fn live(&mut self, at: SimTime, event: EventId, place: Place, life: Life) {
        match place {
            Place::Host(host) => self.hosts[host.index()].live(life),
            Place::Process(process) => {
                let (_, standing) = &mut self.processes[process.index()];
                standing.live(life);
                if life == Life::Started {
                    standing.pauses = 0; // whoever stopped it stopped its earlier life
                }
                if let Some(member) = self.store.iter().position(|&member| member == process)
                    && matches!(life, Life::Started | Life::Killed | Life::Exited)
                {
                    self.hanging[member] = false;
                }
            }
            Place::Network => {}
        }
        self.look_at_store(at, event);
    }

    /// A member of the store hangs since then, or (nothing) goes on.
    pub fn store_hangs(&mut self, at: SimTime, event: EventId, member: u8, since: Option<SimTime>) {
        self.hanging[usize::from(member)] = since.is_some();
        let lit = self.dark.is_none();
        self.look_at_store(at, event);
        // It is said late.
        if let (true, Some(dark), Some(since)) = (lit, &mut self.dark, since) {
            let free = self.no_quorum.last().map_or(SimTime::ZERO, |last| last.to);
            dark.from = dark.from.min(since.max(free));
        }
    }

    /// A member of the store has another place in its group.
    pub fn store_role(&mut self, at: SimTime, event: EventId, member: u8, role: RoleName) {
        let leads = role == RoleName::Leader;
        let before = std::mem::replace(&mut self.leading[usize::from(member)], leads);
        // Who leads when the run begins has not changed hands, and a single member has nobody to hand over to.
        self.leader_changes += u32::from(leads && !before && at > SimTime::ZERO && self.store.len() > 1);
        self.look_at_store(at, event);
    }

    pub fn leader_changes(&self) -> u32 {
        self.leader_changes
    }

    /// The store can decide: a majority runs and is not held up by its disks, and one of those leads. A leader that a majority no longer hears steps down
    /// by itself within two election timeouts, and counts as leading until then.
    fn look_at_store(&mut self, at: SimTime, event: EventId) {
        let works = |(&member, &hangs): (&ProcId, &bool)| self.runs(member) && !hangs;
        let running: Vec<bool> = self.store.iter().zip(&self.hanging).map(works).collect();
        let majority = running.iter().filter(|&&runs| runs).count() * 2 > running.len();
        let quorum = majority && running.iter().zip(&self.leading).any(|(&runs, &leads)| runs && leads);
        if quorum {
            self.no_quorum = self.no_quorum(at);
            self.dark = None;
        } else if self.no_quorum.last().is_some_and(|dark| dark.to == at) {
            self.dark = self.no_quorum.pop(); // it was over for no time at all
        } else {
            self.dark.get_or_insert(NoQuorum {
                from: at,
                to: at,
                event: Some(event),
                too_few: !majority,
            });
        }
    }

    pub fn runs(&self, process: ProcId) -> bool {
        let (host, standing) = self.processes[process.index()];
        standing.runs() && self.hosts[host.index()].runs()
    }

    /// When up to `end` the store could decide nothing. What lasted no time is left out.
    pub fn no_quorum(&self, end: SimTime) -> Vec<NoQuorum> {
        let open = self.dark.map(|dark| NoQuorum { to: end, ..dark });
        let open = open.filter(|dark| dark.from < dark.to);
        self.no_quorum.iter().copied().chain(open).collect()
    }
}
