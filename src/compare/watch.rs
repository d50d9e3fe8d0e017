//! What the recorder saw of a run, seen in a simulated one: samples of every database, the agents' steps.

use crate::engine::{Event, Observer, Place, SimTime, What};
use crate::vocabulary::{Branch, NodeId, Note, SqlError, Step, Words, WriteOutcome};
use crate::world::{Layout, Part};

/// One try of a node's local writer, which is the recorder's sample of its database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    Writable(Branch),
    Replica,
    /// Starting, stopping, down or hung.
    Other,
}

/// What an agent did at its etcd client, as its requests on the wire tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Sent a keep-alive for the leader key.
    Renews,
    /// Sent a write that is not retried.
    Publishes,
    /// Set out to create the leader key.
    Acquires,
    /// Went on to anything else: what it did before has been answered.
    GoesOn,
    /// The store did not answer.
    Unreachable,
    Demotes,
    Declines,
}

/// One node as the recorder saw it, in the order of time.
#[derive(Clone, Debug, Default)]
pub struct NodeSeen {
    pub samples: Vec<(SimTime, Sample)>,
    pub agent: Vec<(SimTime, Doing)>,
    /// When its database began to stream from an upstream.
    pub streams: Vec<SimTime>,
    /// When its database became a primary by promotion.
    pub promoted: Vec<SimTime>,
}

impl NodeSeen {
    /// The latest sample was a committed write.
    pub fn is_writable(&self) -> bool {
        matches!(self.samples.last(), Some((_, Sample::Writable(_))))
    }
}

/// Watches a run the way the recorder did.
#[derive(Clone, Debug)]
pub struct Watch {
    layout: Layout,
    pub nodes: Vec<NodeSeen>,
}

impl Watch {
    pub fn new(layout: &Layout) -> Watch {
        Watch {
            layout: layout.clone(),
            nodes: vec![NodeSeen::default(); layout.nodes().len()],
        }
    }

    pub fn node(&self, node: NodeId) -> &NodeSeen {
        &self.nodes[node.index()]
    }

    fn agent(&mut self, at: SimTime, node: NodeId, note: &Note) {
        let doing = match note {
            Note::Step(Step::RenewingLease) => Doing::Renews,
            Note::Step(Step::AcquiringKey) => Doing::Acquires,
            Note::Step(Step::PublishingStatus) => Doing::Publishes,
            Note::Step(_) | Note::Believes { .. } => Doing::GoesOn,
            Note::StoreUnreachable => Doing::Unreachable,
            Note::Demotes(_) => Doing::Demotes,
            Note::Declines(_) => Doing::Declines,
            _ => return,
        };
        self.nodes[node.index()].agent.push((at, doing));
    }
}

impl Observer<Words> for Watch {
    const FULL: bool = false;

    fn record(&mut self, event: Event<Words>) {
        let (What::Note(note), Place::Process(process)) = (&event.what, event.place) else {
            return;
        };
        let at = event.at;
        match (self.layout.part(process), note) {
            (Part::Agent(node), note) => self.agent(at, node, note),
            (Part::Postgres(node), Note::Streams { .. }) => self.nodes[node.index()].streams.push(at),
            (Part::Postgres(node), Note::Promoted { .. }) => self.nodes[node.index()].promoted.push(at),
            (Part::DirectWriter(node), Note::Write { outcome, .. }) => {
                let sample = match outcome {
                    WriteOutcome::Acknowledged { branch, .. } => Sample::Writable(*branch),
                    WriteOutcome::Refused(Some(SqlError::ReadOnly)) => Sample::Replica,
                    WriteOutcome::Refused(_) | WriteOutcome::Unknown => Sample::Other,
                };
                self.nodes[node.index()].samples.push((at, sample));
            }
            _ => {}
        }
    }
}
