//! Who is who in one run: what the sentences about it need to know beyond the event they tell.

use super::story::Lane;
use crate::engine::{ConnId, Event, EventId, FullTrace, HostId, Life, Place, ProcId, What};
use crate::raft::{RoleName, Term};
use crate::scenario::{Host, Scenario};
use crate::vocabulary::{Key, LeaseId, NodeId, Note, Words};
use crate::world::{Layout, Part};
use std::collections::BTreeMap;

/// The names, faults, leases and connections of a run.
#[derive(Clone, Debug)]
pub struct Cast<'a> {
    pub layout: &'a Layout,
    pub scenario: &'a Scenario,
    /// Whose a lease is: who hangs its keys on it.
    leases: BTreeMap<LeaseId, NodeId>,
    /// Who opened a connection, and to whom.
    conns: BTreeMap<ConnId, (ProcId, ProcId)>,
    /// What a member of the store was before it changed its place in the group.
    before: BTreeMap<EventId, (RoleName, Term)>,
}

impl<'a> Cast<'a> {
    /// Goes through the whole trace once. A thinned one does not tell of connections.
    pub fn new(trace: &FullTrace<Words>, layout: &'a Layout, scenario: &'a Scenario) -> Cast<'a> {
        let mut leases = BTreeMap::new();
        let (mut before, mut places) = (BTreeMap::new(), BTreeMap::new());
        for event in trace.iter() {
            match (&event.what, event.place) {
                (What::Note(Note::StoreRole { role, term }), place) => {
                    if let Some(was) = places.insert(place, (*role, *term)) {
                        before.insert(event.id, was);
                    }
                }
                (What::Life(Life::Started), place) => {
                    places.remove(&place);
                }
                (
                    What::Note(Note::KeyPut {
                        key,
                        holder,
                        lease: Some(lease),
                        ..
                    }),
                    _,
                ) => {
                    let node = match key {
                        Key::Member(node) => Some(*node),
                        _ => *holder,
                    };
                    if let Some(node) = node {
                        leases.insert(*lease, node);
                    }
                }
                _ => {}
            }
        }
        Cast {
            layout,
            scenario,
            leases,
            conns: trace.iter().filter_map(opening).collect(),
            before,
        }
    }

    /// With the connections that this part of the run tells of.
    #[must_use]
    pub fn joined_by(mut self, part: &FullTrace<Words>) -> Cast<'a> {
        let before = part.opened_before().iter();
        self.conns
            .extend(before.map(|opened| (opened.conn, (opened.from, opened.to))));
        self.conns.extend(part.iter().filter_map(opening));
        self
    }

    /// The place that a member of the store had when it took the one that `event` tells; nothing after a start.
    pub fn place_before(&self, event: EventId) -> Option<(RoleName, Term)> {
        self.before.get(&event).copied()
    }
    /// Whether the store has several members.
    pub fn has_group(&self) -> bool {
        self.layout.store().len() > 1
    }
    /// The lane of a member: the store's own when it is the only one.
    pub fn member_lane(&self, member: u8) -> Lane {
        if self.has_group() {
            Lane::Member(member)
        } else {
            Lane::Store
        }
    }
    pub fn member_name(&self, member: u8) -> String {
        let process = self.layout.store().get(usize::from(member));
        process.map_or_else(|| "?".to_owned(), |&(_, process)| self.layout.process_name(process))
    }
    /// The host that a scenario means.
    pub fn host(&self, host: Host) -> HostId {
        match host {
            Host::Node(node) => HostId(node as u8),
            Host::Store(member) => self
                .layout
                .store()
                .get(member)
                .map_or(self.layout.clients(), |&(host, _)| host),
            Host::Clients => self.layout.clients(),
        }
    }

    pub fn owner(&self, lease: LeaseId) -> Option<NodeId> {
        self.leases.get(&lease).copied()
    }
    /// `node1's`, or `a` when nobody hung a key on the lease.
    pub fn owners(&self, lease: LeaseId) -> String {
        self.owner(lease)
            .map_or("a".to_owned(), |node| format!("{}'s", self.name(node)))
    }
    pub fn name(&self, node: NodeId) -> &'a str {
        if node.index() < self.layout.nodes().len() {
            self.layout.node_name(node)
        } else {
            "?"
        }
    }
    pub fn part(&self, process: ProcId) -> Option<Part> {
        self.layout.parts().get(process.index()).copied()
    }
    pub fn part_at(&self, place: Place) -> Option<Part> {
        match place {
            Place::Process(process) => self.part(process),
            Place::Host(_) | Place::Network => None,
        }
    }
    /// The sender and the receiver of what was on its way to `to` on a connection.
    pub fn ends(&self, conn: ConnId, to: ProcId) -> Option<(ProcId, ProcId)> {
        let &(opener, other) = self.conns.get(&conn)?;
        Some(if to == opener { (other, to) } else { (opener, to) })
    }

    /// The subject of a sentence about what happens at a place: `node1`, `node1's database`, `the store`.
    pub fn who(&self, place: Place) -> String {
        match (place, self.part_at(place)) {
            (_, Some(Part::Agent(node))) => self.name(node).to_owned(),
            (_, Some(Part::Postgres(node))) => format!("{}'s database", self.name(node)),
            (_, Some(Part::Watchdog(node))) => format!("{}'s watchdog", self.name(node)),
            (_, Some(Part::DirectWriter(node))) => format!("{}'s local client", self.name(node)),
            (_, Some(Part::Store(member))) if self.has_group() => self.member_name(member),
            (_, Some(Part::Store(_))) => "the store".to_owned(),
            (_, Some(Part::Router)) => "the router".to_owned(),
            (_, Some(Part::Writer(writer))) => format!("client {}", writer + 1),
            (_, Some(Part::ObjectStore)) => "the object store".to_owned(),
            (_, Some(Part::MailGateway)) => "the mail gateway".to_owned(),
            (Place::Host(host), None) => format!("{}'s machine", self.layout.host_name(host)),
            (_, None) => "the network".to_owned(),
        }
    }
    /// The same with `agent` spelt out: for what happens to a process rather than by it.
    pub fn whom(&self, place: Place) -> String {
        match self.part_at(place) {
            Some(Part::Agent(node)) => format!("{}'s agent", self.name(node)),
            _ => self.who(place),
        }
    }
    /// All nodes but one, as a list in words: `node1 and node3`.
    pub fn others(&self, than: NodeId) -> String {
        let names: Vec<&str> = self
            .layout
            .node_ids()
            .filter(|&n| n != than)
            .map(|n| self.name(n))
            .collect();
        listing(&names)
    }
    /// The node an event belongs to.
    pub fn node_of(&self, event: &Event<Words>) -> Option<NodeId> {
        self.layout.node_at(event.place)
    }
}

/// Who opened which connection, and to whom.
fn opening(event: &Event<Words>) -> Option<(ConnId, (ProcId, ProcId))> {
    match (&event.what, event.place) {
        (What::Opening { conn, to }, Place::Process(from)) => Some((*conn, (from, *to))),
        _ => None,
    }
}

/// `a`, `a and b`, `a, b and c`.
pub fn listing(names: &[&str]) -> String {
    match names {
        [] => "nobody".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
