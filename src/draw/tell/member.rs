//! The lane of one member of the store: its place in the group, what it knows to be agreed on, and what ails it.

use super::super::cast::Cast;
use super::super::story::{DiskTrouble, Halt, MemberLane, MemberPlace};
use super::Track;
use crate::engine::{Event, HostId, Life, Place, ProcId, SimTime, What};
use crate::raft::Index;
use crate::scenario::{FaultKind, Scenario};
use crate::vocabulary::{Note, Words};
use crate::world::Layout;

#[derive(Clone, Debug)]
pub struct Member {
    host: HostId,
    process: ProcId,
    name: String,
    places: Track<MemberPlace>,
    commits: Vec<(SimTime, Option<Index>)>,
    /// Of its process, and of its machine.
    ails: [Option<Halt>; 2],
    halts: Track<Halt>,
    /// How many faults make its disk stall, and how many make it slow.
    stalls: u16,
    slows: u16,
    disk: Track<DiskTrouble>,
}

impl Member {
    pub fn all(layout: &Layout) -> Vec<Member> {
        let member = |&(host, process): &(HostId, ProcId)| Member {
            host,
            process,
            name: layout.process_name(process),
            places: Track::new(),
            commits: Vec::new(),
            ails: [None; 2],
            halts: Track::new(),
            stalls: 0,
            slows: 0,
            disk: Track::new(),
        };
        layout.store().iter().map(member).collect()
    }

    pub fn see(&mut self, event: &Event<Words>, cast: &Cast) {
        let mine = event.place == Place::Process(self.process);
        match &event.what {
            What::Note(Note::StoreRole { role, term }) if mine => {
                let place = MemberPlace {
                    role: *role,
                    term: *term,
                };
                self.places.change(event.at, place);
            }
            What::Note(Note::StoreCommit { index }) if mine => self.commits.push((event.at, Some(*index))),
            What::Life(life) if mine => self.life(event.at, *life, 0),
            What::Life(life) if event.place == Place::Host(self.host) => self.life(event.at, *life, 1),
            What::Fault { index, begins } => self.fault(event.at, usize::from(*index), *begins, cast),
            _ => {}
        }
    }

    /// `whose`: 0 for the process, 1 for the machine.
    fn life(&mut self, at: SimTime, life: Life, whose: usize) {
        self.ails[whose] = match life {
            Life::Started | Life::Resumed => None,
            Life::Paused => Some(Halt::Frozen),
            Life::Exited | Life::Killed => Some(Halt::Dead),
        };
        if matches!(life, Life::Exited | Life::Killed) {
            self.places.end(at);
            self.commits.push((at, None));
        }
        match self.ails {
            [Some(Halt::Dead), _] | [_, Some(Halt::Dead)] => self.halts.change(at, Halt::Dead),
            [None, None] => self.halts.end(at),
            _ => self.halts.change(at, Halt::Frozen),
        }
    }

    fn fault(&mut self, at: SimTime, index: usize, begins: bool, cast: &Cast) {
        let count = match strikes_disk(cast.scenario, index) {
            Some((host, DiskTrouble::Stalls)) if cast.host(host) == self.host => &mut self.stalls,
            Some((host, DiskTrouble::Slow)) if cast.host(host) == self.host => &mut self.slows,
            _ => return,
        };
        *count = if begins { *count + 1 } else { count.saturating_sub(1) };
        match (self.stalls, self.slows) {
            (0, 0) => self.disk.end(at),
            (0, _) => self.disk.change(at, DiskTrouble::Slow),
            _ => self.disk.change(at, DiskTrouble::Stalls),
        }
    }

    pub fn finish(self, end: SimTime) -> MemberLane {
        MemberLane {
            name: self.name,
            places: self.places.finish(end),
            commits: self.commits,
            halts: self.halts.finish(end),
            disk: self.disk.finish(end),
        }
    }
}

/// The disk that a fault strikes, and how.
fn strikes_disk(scenario: &Scenario, index: usize) -> Option<(crate::scenario::Host, DiskTrouble)> {
    match scenario.faults.get(index)?.what {
        FaultKind::DiskStall { host } => Some((host, DiskTrouble::Stalls)),
        FaultKind::DiskSlow { host, .. } => Some((host, DiskTrouble::Slow)),
        _ => None,
    }
}
