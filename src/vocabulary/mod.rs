//! The words the actors share: what travels on connections, what lies in files, what is noted in the trace.
//!
//! Actors are apart from each other; this is the only thing they have in common. It holds no rules.

mod message;
mod note;
mod wal;

pub use message::{
    Compare, DbRole, File, FileName, Item, Key, Keys, LeaseId, Logged, Message, Reading, RecoveryConfig, RestStatus,
    Revision, SqlAnswer, SqlError, SqlQuery, SqlState, StoreAnswer, StoreError, StoreOp, Ticket, Txn, Value,
    WatchEvent,
};
pub use note::{Database, Decline, Demotion, LockNote, Note, Phase, SessionEnd, Step, WriteOutcome};
pub use wal::{Branch, ControlFile, ControlState, History, Lsn, Position, Switch, Timeline};

use crate::engine::Wire;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

/// A database node, counted from zero in the order of the scenario's `nodes`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
#[serde(transparent)]
pub struct NodeId(pub u8);

impl NodeId {
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The language of LeaseLab's worlds.
#[derive(Clone, Debug, PartialEq)]
pub struct Words;

impl Wire for Words {
    type Message = Message;
    type FileName = FileName;
    type File = File;
    type Note = Note;
}
