//! The writes as their clients saw them, and which of the acknowledged ones the final leader does not have.
//!
//! **The final leader** is the last node that was a primary while it held the newest granted leader key; a successor that
//! got the key shortly before the end and is not promoted yet has not made a history of its own. Was there none (no key
//! was ever granted), it is the primary, or else the database whose log is longest.

use super::ledger::Ledger;
use super::{LostWrite, Record, Writes};
use crate::engine::{EventId, ProcId, SimTime};
use crate::vocabulary::{Branch, Database, History, Lsn, NodeId, Position, WriteOutcome};

#[derive(Clone, Copy, Debug)]
struct Acknowledged {
    at: SimTime,
    event: EventId,
    client: ProcId,
    by: NodeId,
    branch: Branch,
    lsn: Lsn,
}

#[derive(Clone, Debug, Default)]
pub(super) struct WriteLog {
    /// As many as there are writes in the run, and a run is cloned at every mark.
    acknowledged: Ledger<Acknowledged>,
    deposed: Vec<SimTime>,
    unknown: Vec<SimTime>,
    refused: u32,
    reigning: Option<NodeId>,
    /// The last known log of each node.
    logs: Vec<Option<Position>>,
    primary: Option<NodeId>,
}

impl WriteLog {
    /// `newest`: the holder of the newest granted leader key.
    pub fn note(&mut self, at: SimTime, event: EventId, client: ProcId, outcome: WriteOutcome, newest: Option<NodeId>) {
        match outcome {
            WriteOutcome::Acknowledged { by, branch, lsn, .. } => {
                self.acknowledged.push(Acknowledged {
                    at,
                    event,
                    client,
                    by,
                    branch,
                    lsn,
                });
                if newest.is_some_and(|holder| holder != by) {
                    self.deposed.push(at);
                }
            }
            WriteOutcome::Refused(_) => self.refused += 1,
            WriteOutcome::Unknown => self.unknown.push(at),
        }
    }

    /// Keeps the databases' logs, and who of them reigns.
    pub fn crown(&mut self, newest: Option<NodeId>, databases: &[Option<Database>]) {
        self.logs.resize(databases.len(), None);
        self.primary = None;
        for (node, database) in databases.iter().enumerate() {
            let Some(database) = database else { continue };
            self.logs[node] = Some(database.position.clone());
            if database.writable() {
                let node = NodeId(node as u8);
                self.primary = Some(node);
                self.reigning = if newest == Some(node) { newest } else { self.reigning };
            }
        }
    }

    fn final_history(&self) -> Option<&History> {
        let log = |node: NodeId| self.logs.get(node.index())?.as_ref();
        let leader = self.reigning.or(self.primary).and_then(log);
        let longest = || self.logs.iter().flatten().max_by_key(|position| position.lsn);
        leader.or_else(longest).map(|position| &position.history)
    }

    /// Counts, fills the record, and lists the writes that were lost, with their clients. `client` and `node` are what people
    /// call them.
    pub fn judge(
        self,
        record: &mut Record,
        client: impl Fn(ProcId) -> String,
        node: impl Fn(NodeId) -> String,
    ) -> (Writes, Vec<LostWrite>) {
        let history = self.final_history();
        // What is acknowledged is durable on the node that wrote it, so on the final leader's own branch nothing is lost.
        let kept =
            |write: &Acknowledged| history.is_none_or(|h| h.shared_until(write.branch, write.lsn) == Some(write.lsn));
        let lost: Vec<&Acknowledged> = self.acknowledged.iter().filter(|write| !kept(write)).collect();
        record.lost = lost.iter().map(|write| write.at).collect();
        record.acknowledged = self.acknowledged.iter().map(|write| write.at).collect();
        record.deposed = self.deposed;
        record.unknown = self.unknown;
        let writes = Writes {
            acknowledged: record.acknowledged.len() as u32,
            lost: record.lost.len() as u32,
            refused: self.refused,
            unknown: record.unknown.len() as u32,
            accepted_by_deposed: record.deposed.len() as u32,
            rejected_by_fence: 0,
        };
        let told = |write: &&Acknowledged| LostWrite {
            at: write.at,
            client: client(write.client),
            told_by: node(write.by),
            lsn: write.lsn,
            event: write.event,
        };
        (writes, lost.iter().map(told).collect())
    }
}
