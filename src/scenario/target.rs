//! What a fault strikes: a host, a process on it, or the links between hosts.
//!
//! | written                     | means |
//! |-----------------------------|-------|
//! | `node1`, `etcd1`, `clients` | a host |
//! | `node1/agent`               | a process on a node |
//! | `node1 -> etcd1`            | packets from the first to the second |
//! | `node1 <-> etcd1`           | both directions |
//! | `[node1, clients] \| [node2, etcd1]` | both directions between everything left and everything right |
//! | `node1 <-> *`               | both directions to every other host |

use serde::Serialize;

/// A machine of the simulated installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Host {
    /// Index into [`Cluster::nodes`](super::Cluster::nodes).
    Node(usize),
    /// Index of the store's member, from 0: `Store(0)` is written `etcd1`.
    Store(usize),
    /// The host of the router and of the clients that write through it.
    Clients,
}

/// A process that every node runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Process {
    Agent,
    Postgres,
}

/// Something that can be killed or paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// The whole machine with all its processes.
    Host(Host),
    /// One process of the node with this index.
    Process(usize, Process),
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
