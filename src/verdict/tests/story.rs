//! Tells a meter what happened, in few words. Three nodes; node1 (`N1`) leads at the start, with lease 1.

use crate::engine::{Event, EventId, Life, Observer, Place, ProcId, SimTime, Span, What};
use crate::raft::{RoleName, Term};
use crate::scenario::{Placement, Scenario};
use crate::verdict::{Meter, Verdict};
use crate::vocabulary::{
    Branch, Database, History, Key, LeaseId, Lsn, NodeId, Note, Phase, Position, Revision, WriteOutcome,
};
use crate::world::Layout;

pub const N1: NodeId = NodeId(0);
pub const N2: NodeId = NodeId(1);
pub const N3: NodeId = NodeId(2);

pub struct Story {
    meter: Meter,
    layout: Layout,
    at: SimTime,
    events: usize,
    revision: u64,
    positions: Vec<Position>,
}

impl Story {
    /// All processes run, node1 is the primary and holds the key; the scenario is `toml` with 100 s.
    pub fn begin(toml: &str) -> Story {
        let scenario = Scenario::parse(&format!("duration_s = 100\n{toml}"), "story").unwrap();
        let layout = Layout::new(&scenario.cluster.nodes, scenario.store.members, Placement::Own, true, 1);
        let origin = Position {
            history: History::begun_by(N1),
            lsn: Lsn(1_000),
        };
        let mut story = Story {
            meter: Meter::new(&scenario, &layout),
            at: SimTime::ZERO,
            events: 0,
            revision: 10,
            positions: vec![origin; layout.nodes().len()],
            layout,
        };
        for process in 0..story.layout.parts().len() as u16 {
            story.event(Place::Process(ProcId(process)), What::Life(Life::Started));
        }
        story
            .database(N1, Phase::Primary)
            .database(N2, Phase::Recovery)
            .database(N3, Phase::Recovery);
        story.store_role("etcd1", RoleName::Leader, 2).key_put(N1, 1, true);
        story
    }

    pub fn at(&mut self, ms: u64) -> &mut Story {
        self.at = SimTime(ms * 1_000);
        self
    }

    fn event(&mut self, place: Place, what: What<crate::vocabulary::Words>) -> EventId {
        self.events += 1;
        let id = EventId::from_index(self.events - 1).unwrap();
        let at = self.at;
        self.meter.record(Event {
            id,
            at,
            place,
            lamport: crate::engine::Lamport::ZERO,
            cause: None,
            because: None,
            what,
        });
        id
    }

    /// The number of the last event told.
    pub fn last(&self) -> EventId {
        EventId::from_index(self.events - 1).unwrap()
    }

    fn place(&self, name: &str) -> Place {
        let processes = (0..self.layout.parts().len() as u16).map(|p| Place::Process(ProcId(p)));
        let hosts = (0..self.layout.host_count() as u8).map(|h| Place::Host(crate::engine::HostId(h)));
        let mut all: Vec<Place> = hosts.collect();
        // `etcd1` is a host and a process; the process is what a story means.
        all.splice(0..0, processes);
        *all.iter()
            .find(|&&place| self.layout.place_name(place) == name)
            .unwrap()
    }

    pub fn life(&mut self, name: &str, life: Life) -> &mut Story {
        let place = self.place(name);
        self.event(place, What::Life(life));
        self
    }

    pub fn note(&mut self, name: &str, note: Note) -> &mut Story {
        let place = self.place(name);
        self.event(place, What::Note(note));
        self
    }

    /// A member of the store has another place in its group.
    pub fn store_role(&mut self, member: &str, role: RoleName, term: u64) -> &mut Story {
        let term = Term(term);
        self.note(member, Note::StoreRole { role, term })
    }

    /// The numbered fault of the scenario, from 0.
    pub fn fault(&mut self, index: u16, begins: bool) -> &mut Story {
        self.event(Place::Network, What::Fault { index, begins });
        self
    }

    pub fn database(&mut self, node: NodeId, phase: Phase) -> &mut Story {
        let position = self.positions[node.index()].clone();
        let name = format!("node{}/postgres", node.0 + 1);
        self.note(&name, Note::Database(Database { phase, position }))
    }

    /// The node has the log of `from` up to `at` and opens a branch of its own there.
    pub fn promotes(&mut self, node: NodeId, from: NodeId, at: u64) -> &mut Story {
        let branch = Branch { node, promotion: 1 };
        let history = self.positions[from.index()].history.promoted(branch, Lsn(at));
        self.positions[node.index()] = Position { history, lsn: Lsn(at) };
        self.database(node, Phase::Primary)
    }

    pub fn believes(&mut self, node: NodeId, ms: u64) -> &mut Story {
        self.note(
            &format!("node{}/agent", node.0 + 1),
            Note::Believes {
                span: Span::from_millis(ms),
            },
        )
    }

    fn next_revision(&mut self) -> Revision {
        self.revision += 1;
        Revision(self.revision)
    }

    pub fn key_put(&mut self, holder: NodeId, lease: u64, created: bool) -> &mut Story {
        let (key, revision) = (Key::Leader, self.next_revision());
        let lease = Some(LeaseId(lease));
        self.note(
            "etcd1",
            Note::KeyPut {
                key,
                value: Box::new(crate::vocabulary::Value::Leader(holder)),
                holder: Some(holder),
                lease,
                revision,
                created,
            },
        )
    }

    pub fn renews(&mut self, lease: u64) -> &mut Story {
        self.note("etcd1", Note::LeaseRenewed { lease: LeaseId(lease) })
    }

    pub fn key_deleted(&mut self) -> &mut Story {
        let revision = self.next_revision();
        self.note(
            "etcd1",
            Note::KeyDeleted {
                key: Key::Leader,
                revision,
            },
        )
    }

    pub fn expires(&mut self, lease: u64) -> &mut Story {
        self.note("etcd1", Note::LeaseExpired { lease: LeaseId(lease) })
            .key_deleted()
    }

    /// A client learns that its write is committed on `by`, ending at `lsn` on the branch that node is on.
    pub fn acknowledged(&mut self, by: NodeId, lsn: u64) -> &mut Story {
        let branch = self.positions[by.index()].history.tip().branch;
        self.write(WriteOutcome::Acknowledged {
            by,
            branch,
            lsn: Lsn(lsn),
            token: None,
        })
    }

    pub fn write(&mut self, outcome: WriteOutcome) -> &mut Story {
        self.note("writer1", Note::Write { direct: false, outcome })
    }

    pub fn end(self, ms: u64) -> Verdict {
        let events = self.events as u32;
        self.meter.finish(SimTime(ms * 1_000), events, &[], None)
    }
}

pub fn ms(ms: u64) -> SimTime {
    SimTime(ms * 1_000)
}
