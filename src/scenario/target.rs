//! What a fault strikes: a host, a process on it, or the links between hosts.
//!
//! | written                     | means |
//! |-----------------------------|-------|
//! | `node1`, `etcd1`, `clients` | a host |
//! | `node1/agent`               | a process on a node; `node1/writer` is its direct writer |
//! | `node1/disk`, `etcd1/disk`  | the disk of a host |
//! | `node1 -> etcd1`            | packets from the first to the second |
//! | `node1 <-> etcd1`           | both directions |
//! | `[node1, clients] \| [node2, etcd1]` | both directions between everything left and everything right |
//! | `node1 <-> *`               | both directions to every other host |
//!
//! A member of the store that was placed on a node's host (`store.placement = "nodes"`) is a process there: `etcd1` is then
//! no host and has no disk and no links; those are the node's.

use super::Placement;
use super::error::{Problem, shown, suggest};
use serde::Serialize;

/// A machine of the simulated installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Host {
    /// Index into [`Cluster::nodes`](super::Cluster::nodes).
    Node(usize),
    /// The own host of the store's member with this index, from 0: `Store(0)` is written `etcd1`.
    Store(usize),
    /// The host of the router and of the clients that write through it.
    Clients,
}

/// A process on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Process {
    Agent,
    Postgres,
    /// The local client; only with [`Traffic::direct_writers`](super::Traffic::direct_writers).
    Writer,
}

/// Something that can be killed or paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// The whole machine with all its processes.
    Host(Host),
    /// One process of the node with this index.
    Process(usize, Process),
    /// The process of the store's member with this index, when it runs on a node's host.
    Member(usize),
}

impl Target {
    /// Whether it is a whole machine.
    pub const fn is_host(self) -> bool {
        matches!(self, Target::Host(_))
    }
}

/// Links between two sets of hosts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Links {
    pub left: Ends,
    pub right: Ends,
    pub direction: Direction,
}

/// One side of [`Links`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ends {
    /// At least one host, none twice, in the order written.
    Hosts(Vec<Host>),
    /// `*`: every host that is not on the other side.
    Others,
}

/// Which packets a fault on [`Links`] strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Only those from left to right.
    LeftToRight,
    Both,
}

impl Links {
    /// Every struck direction as (sender, receiver), among all hosts of the scenario
    /// ([`Scenario::hosts`](super::Scenario::hosts)), in their order.
    pub fn pairs(&self, hosts: &[Host]) -> Vec<(Host, Host)> {
        let left = self.left.hosts(&self.right, hosts);
        let right = self.right.hosts(&self.left, hosts);
        let there = left.iter().flat_map(|a| right.iter().map(|b| (*a, *b)));
        let back = there.clone().map(|(a, b)| (b, a));
        match self.direction {
            Direction::LeftToRight => there.collect(),
            Direction::Both => there.chain(back).collect(),
        }
    }
}

impl Ends {
    fn hosts(&self, other: &Ends, all: &[Host]) -> Vec<Host> {
        match (self, other) {
            (Ends::Hosts(hosts), _) => hosts.clone(),
            (Ends::Others, Ends::Hosts(other)) => all.iter().copied().filter(|host| !other.contains(host)).collect(),
            (Ends::Others, Ends::Others) => Vec::new(),
        }
    }
}

fn member_name(index: usize) -> String {
    format!("etcd{}", index.saturating_add(1))
}

/// The names of all hosts of a scenario, to read and to write targets.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    pub nodes: &'a [String],
    /// How many members the store has.
    pub members: usize,
    pub placement: Placement,
    /// Whether every node has a direct writer.
    pub writers: bool,
}

/// A target as it was read, of either kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AnyTarget {
    One(Target),
    Disk(Host),
    Links(Links),
}

const PROCESSES: [(&str, Process); 3] = [
    ("agent", Process::Agent),
    ("postgres", Process::Postgres),
    ("writer", Process::Writer),
];

impl Names<'_> {
    /// All hosts: the nodes, the store members' own, the clients'.
    pub fn hosts(&self) -> Vec<Host> {
        let nodes = (0..self.nodes.len()).map(Host::Node);
        let own = match self.placement {
            Placement::Own => self.members,
            Placement::Nodes => 0,
        };
        nodes.chain((0..own).map(Host::Store)).chain([Host::Clients]).collect()
    }

    /// The host on which a member of the store runs, by its index.
    pub fn host_of_member(&self, member: usize) -> Host {
        match self.placement {
            Placement::Own => Host::Store(member),
            Placement::Nodes => Host::Node(member),
        }
    }

    /// Whether a member of the store runs on this host.
    pub fn has_member(&self, host: Host) -> bool {
        (0..self.members).any(|member| self.host_of_member(member) == host)
    }

    /// A host's name in the file.
    pub fn host(&self, host: Host) -> String {
        match host {
            Host::Node(index) => self
                .nodes
                .get(index)
                .cloned()
                .unwrap_or_else(|| format!("node {index}")),
            Host::Store(index) => member_name(index),
            Host::Clients => "clients".to_string(),
        }
    }

    /// A host's or a process's name in the file.
    pub fn target(&self, target: Target) -> String {
        match target {
            Target::Host(host) => self.host(host),
            Target::Member(index) => member_name(index),
            Target::Process(node, process) => {
                let name = PROCESSES
                    .iter()
                    .find(|(_, known)| *known == process)
                    .map_or("", |(name, _)| name);
                format!("{}/{name}", self.host(Host::Node(node)))
            }
        }
    }

    /// A host's disk as the file writes it.
    pub fn disk(&self, host: Host) -> String {
        format!("{}/disk", self.host(host))
    }

    /// Links as the file writes them.
    pub fn links(&self, links: &Links) -> String {
        let is_set = |ends: &Ends| matches!(ends, Ends::Hosts(hosts) if hosts.len() != 1);
        let between = match links.direction {
            Direction::LeftToRight => "->",
            Direction::Both if is_set(&links.left) || is_set(&links.right) => "|",
            Direction::Both => "<->",
        };
        format!("{} {between} {}", self.ends(&links.left), self.ends(&links.right))
    }

    fn ends(&self, ends: &Ends) -> String {
        match ends {
            Ends::Others => "*".to_string(),
            Ends::Hosts(hosts) => {
                let names: Vec<String> = hosts.iter().map(|host| self.host(*host)).collect();
                if names.len() == 1 {
                    names.concat()
                } else {
                    format!("[{}]", names.join(", "))
                }
            }
        }
    }

    /// Reads any target.
    pub(super) fn read(&self, text: &str) -> Result<AnyTarget, Problem> {
        // `<->` before `->`, which it contains.
        for (between, direction) in [
            ("<->", Direction::Both),
            ("->", Direction::LeftToRight),
            ("|", Direction::Both),
        ] {
            if let Some((left, right)) = text.split_once(between) {
                return self
                    .read_links(left.trim(), right.trim(), direction)
                    .map(AnyTarget::Links);
            }
        }
        match text.split_once('/') {
            Some((host, part)) => self.read_part(host, part),
            None => Ok(AnyTarget::One(match self.placed(text) {
                Some(member) => Target::Member(member),
                None => Target::Host(self.read_host(text)?),
            })),
        }
    }

    /// Reads what stands before and after the `/`.
    fn read_part(&self, name: &str, part: &str) -> Result<AnyTarget, Problem> {
        let process = PROCESSES
            .iter()
            .find(|(known, _)| *known == part)
            .map(|(_, process)| *process);
        if process.is_none() && part != "disk" {
            let wrong = format!("there is no process {}", shown(part));
            return Err(Problem::new(
                wrong,
                suggest(part, &["agent", "postgres", "writer", "disk"]),
            ));
        }
        if process == Some(Process::Writer) && !self.writers {
            let wrong = "no node has a writer (traffic.direct_writers = false)";
            return Err(Problem::new(wrong, "set traffic.direct_writers = true"));
        }
        if let Some(member) = self.placed(name) {
            return Err(self.not_its_own(member, part, &format!("/{part}")));
        }
        match (self.read_host(name)?, process) {
            (Host::Node(node), Some(process)) => Ok(AnyTarget::One(Target::Process(node, process))),
            (Host::Store(_) | Host::Clients, Some(_)) => Err(Problem::new(
                format!("{name} is no node and runs no {part}"),
                format!("use {name} itself, or a node's process"),
            )),
            (host @ (Host::Node(_) | Host::Store(_)), None) => Ok(AnyTarget::Disk(host)),
            (Host::Clients, None) => Err(Problem::new(
                "nothing on the clients' host writes to a disk",
                "use the disk of a node or of a member of the store",
            )),
        }
    }

    fn read_host(&self, name: &str) -> Result<Host, Problem> {
        let hosts = self.hosts();
        if let Some(host) = hosts.iter().find(|host| self.host(**host) == name) {
            return Ok(*host);
        }
        if let Some(member) = self.placed(name) {
            return Err(self.not_its_own(member, "links", ""));
        }
        let known: Vec<String> = hosts.into_iter().map(|host| self.host(host)).collect();
        // Node names differ by one character, so the nearest one is rarely the one that was meant: name them all.
        Err(Problem::new(
            format!("there is no host {}", shown(name)),
            format!("use one of {}", known.join(", ")),
        ))
    }

    /// The index of the member with this name, when it has no host of its own.
    fn placed(&self, name: &str) -> Option<usize> {
        let member = (0..self.members).find(|member| member_name(*member) == name)?;
        (self.placement == Placement::Nodes).then_some(member)
    }

    /// A member of the store on a node's host was named for something of that host, which is written `part` after its name.
    pub(super) fn not_its_own(&self, member: usize, what: &str, part: &str) -> Problem {
        let node = self.host(self.host_of_member(member));
        let name = member_name(member);
        let wrong = format!("{name} has no {what} of its own, it runs on {node} (store.placement = \"nodes\")");
        Problem::new(wrong, format!("use {node}{part}"))
    }

    fn read_links(&self, left: &str, right: &str, direction: Direction) -> Result<Links, Problem> {
        let links = Links {
            left: self.read_ends(left)?,
            right: self.read_ends(right)?,
            direction,
        };
        if let (Ends::Hosts(left), Ends::Hosts(right)) = (&links.left, &links.right)
            && let Some(host) = left.iter().find(|host| right.contains(host))
        {
            return Err(Problem::new(
                format!("{} stands on both sides", self.host(*host)),
                "name different hosts",
            ));
        }
        if links.pairs(&self.hosts()).is_empty() {
            return Err(Problem::new(
                "one side of it is nobody",
                "name the hosts of at least one side",
            ));
        }
        Ok(links)
    }

    fn read_ends(&self, text: &str) -> Result<Ends, Problem> {
        if text == "*" {
            return Ok(Ends::Others);
        }
        if let Some((_, part)) = text.split_once('/') {
            return Err(Problem::new(
                format!("{} is no host", shown(text)),
                format!("links join hosts: leave out /{}", shown(part)),
            ));
        }
        let Some(inner) = text.strip_prefix('[') else {
            return Ok(Ends::Hosts(vec![self.read_host(text)?]));
        };
        let inner = inner
            .strip_suffix(']')
            .ok_or_else(|| Problem::new("a [ is not closed", "end the set with ]"))?;
        let mut hosts = Vec::new();
        for name in inner.split(',') {
            let host = self.read_host(name.trim())?;
            if hosts.contains(&host) {
                return Err(Problem::new(
                    format!("{} stands there twice", shown(name.trim())),
                    "name it once",
                ));
            }
            hosts.push(host);
        }
        Ok(Ends::Hosts(hosts))
    }
}
