//! Who is who: which host and process number belongs to which part of the scenario, and what people call it.

use crate::engine::{HostId, Place, ProcId};
use crate::scenario::Placement;
use crate::vocabulary::NodeId;
use borsh::{BorshDeserialize, BorshSerialize};

/// The processes of one database node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeProcesses {
    pub host: HostId,
    pub agent: ProcId,
    pub postgres: ProcId,
    /// Always there; a scenario without watchdog leaves it closed.
    pub watchdog: ProcId,
    /// The local client, when the scenario has direct writers.
    pub writer: Option<ProcId>,
}

/// What a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Part {
    Agent(NodeId),
    Postgres(NodeId),
    Watchdog(NodeId),
    DirectWriter(NodeId),
    Store(u8),
    Router,
    Writer(u8),
    /// Outside the cluster: can compare fencing tokens.
    ObjectStore,
    /// Outside the cluster: cannot.
    MailGateway,
}

/// The furnishing of one world. Hosts: the nodes in order, then those of the store's members if they have their own, then
/// `clients`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    names: Vec<String>,
    nodes: Vec<NodeProcesses>,
    store: Vec<(HostId, ProcId)>,
    clients: HostId,
    router: ProcId,
    parts: Vec<Part>,
    hosts: Vec<HostId>,
}

impl Layout {
    pub fn new(nodes: &[String], members: u8, placement: Placement, direct_writers: bool, writers: u8) -> Layout {
        let mut parts = Vec::new();
        let mut hosts = Vec::new();
        let mut add = |part: Part, host: HostId| {
            parts.push(part);
            hosts.push(host);
            ProcId(parts.len() as u16 - 1)
        };
        let node_processes: Vec<NodeProcesses> = (0..nodes.len() as u8)
            .map(|n| {
                let (host, node) = (HostId(n), NodeId(n));
                NodeProcesses {
                    host,
                    agent: add(Part::Agent(node), host),
                    postgres: add(Part::Postgres(node), host),
                    watchdog: add(Part::Watchdog(node), host),
                    writer: direct_writers.then(|| add(Part::DirectWriter(node), host)),
                }
            })
            .collect();
        let (first_member, clients) = match placement {
            Placement::Own => (nodes.len() as u8, HostId(nodes.len() as u8 + members)),
            Placement::Nodes => (0, HostId(nodes.len() as u8)),
        };
        let store = (0..members)
            .map(|m| (HostId(first_member + m), add(Part::Store(m), HostId(first_member + m))))
            .collect();
        let router = add(Part::Router, clients);
        for w in 0..writers {
            add(Part::Writer(w), clients);
        }
        Layout {
            names: nodes.to_vec(),
            nodes: node_processes,
            store,
            clients,
            router,
            parts,
            hosts,
        }
    }

    /// With an object store and a mail gateway, on the clients' host.
    #[must_use]
    pub fn with_outside(mut self) -> Layout {
        self.parts.extend([Part::ObjectStore, Part::MailGateway]);
        self.hosts.extend([self.clients; 2]);
        self
    }

    /// The object store and the mail gateway, where there are any.
    pub fn outside(&self) -> Option<(ProcId, ProcId)> {
        let at = self.parts.iter().position(|part| *part == Part::ObjectStore)? as u16;
        Some((ProcId(at), ProcId(at + 1)))
    }

    pub fn nodes(&self) -> &[NodeProcesses] {
        &self.nodes
    }
    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u8).map(NodeId)
    }
    pub fn node(&self, node: NodeId) -> &NodeProcesses {
        &self.nodes[node.index()]
    }
    pub fn store(&self) -> &[(HostId, ProcId)] {
        &self.store
    }
    pub fn clients(&self) -> HostId {
        self.clients
    }
    pub fn router(&self) -> ProcId {
        self.router
    }
    pub fn host_count(&self) -> usize {
        self.clients.index() + 1
    }
    /// Every process, by number.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
    pub fn part(&self, process: ProcId) -> Part {
        self.parts[process.index()]
    }
    pub fn host_of(&self, process: ProcId) -> HostId {
        self.hosts[process.index()]
    }

    /// The node a process or host belongs to, if any. A member of the store belongs to none, wherever it runs.
    pub fn node_at(&self, place: Place) -> Option<NodeId> {
        match place {
            Place::Process(process) => match self.part(process) {
                Part::Agent(node) | Part::Postgres(node) | Part::Watchdog(node) | Part::DirectWriter(node) => {
                    Some(node)
                }
                Part::Store(_) | Part::Router | Part::Writer(_) | Part::ObjectStore | Part::MailGateway => None,
            },
            Place::Host(host) => (host.index() < self.nodes.len()).then_some(NodeId(host.0)),
            Place::Network => None,
        }
    }

    pub fn node_name(&self, node: NodeId) -> &str {
        &self.names[node.index()]
    }
    pub fn host_name(&self, host: HostId) -> String {
        let h = host.index();
        if h < self.names.len() {
            self.names[h].clone()
        } else if host == self.clients {
            "clients".to_owned()
        } else {
            format!("etcd{}", h - self.names.len() + 1)
        }
    }
    /// As a scenario's `target` names it: `node1/agent`, `etcd1`.
    pub fn process_name(&self, process: ProcId) -> String {
        match self.part(process) {
            Part::Agent(node) => format!("{}/agent", self.node_name(node)),
            Part::Postgres(node) => format!("{}/postgres", self.node_name(node)),
            Part::Watchdog(node) => format!("{}/watchdog", self.node_name(node)),
            Part::DirectWriter(node) => format!("{}/writer", self.node_name(node)),
            Part::Store(member) => format!("etcd{}", member + 1),
            Part::Router => "router".to_owned(),
            Part::Writer(writer) => format!("writer{}", writer + 1),
            Part::ObjectStore => "object-store".to_owned(),
            Part::MailGateway => "mail-gateway".to_owned(),
        }
    }
    pub fn place_name(&self, place: Place) -> String {
        match place {
            Place::Process(process) => self.process_name(process),
            Place::Host(host) => self.host_name(host),
            Place::Network => "network".to_owned(),
        }
    }
}
