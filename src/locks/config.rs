//! How a client of the lock behaves, and which of its rules can be switched off.

use crate::engine::{ProcId, Span};

/// Rules that can be switched off, to see what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bugs {
    /// Who has waited enters without a look at its own key (etcd#11456) and its session.
    pub enters_without_a_look: bool,
}

/// How a client behaves.
#[derive(Clone, Debug)]
pub struct LockConfig {
    /// The store's members, the one that is asked first at the front.
    pub servers: Vec<ProcId>,
    pub ttl: Span,
    /// How long after its start the process asks for the lock.
    pub begins_after: Span,
    /// How far the deadline's loop is into its second when the session begins. It runs for all sessions of a process,
    /// while the sender begins anew with every connection.
    pub deadline_phase: Span,
    /// While it holds the lock it asks the store so often whether it does.
    pub asks_every: Option<Span>,
    /// It gives the lock back after so long.
    pub holds_for: Option<Span>,
    /// A process that starts again goes on with the lease of its earlier life.
    pub keeps_lease: bool,
    pub bugs: Bugs,
}

impl LockConfig {
    /// A client that asks for the lock at once and keeps it for as long as it can.
    pub fn new(servers: Vec<ProcId>, ttl: Span) -> LockConfig {
        LockConfig {
            servers,
            ttl,
            begins_after: Span::ZERO,
            deadline_phase: Span::ZERO,
            asks_every: None,
            holds_for: None,
            keeps_lease: false,
            bugs: Bugs::default(),
        }
    }
}
