//! What an actor waits for: another's reply, or only for time to pass; for how long it is willing to, and how it ended.

use super::story::Story;
use crate::engine::{EventId, SimTime, Span};
use crate::vocabulary::NodeId;
use crate::world::Part;
use borsh::{BorshDeserialize, BorshSerialize};

/// The waiting of one agent or client.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ActorWaits {
    pub who: Part,
    /// In the order in which they began. An agent's loop and its executor wait apart, so some of them overlap.
    pub waits: Vec<Wait>,
    /// What a client was told of its writes; only when it was told something else than before.
    pub told: Vec<(SimTime, EventId, Told)>,
}

/// One wait, from the setting of its timer until that is over, cancelled or set again.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Wait {
    pub from: SimTime,
    pub until: SimTime,
    /// For so long at most, by the monotonic clock of its machine.
    pub patience: Span,
    pub what: WaitFor,
    /// Whom for; nobody when only time is waited for.
    pub on: Vec<Part>,
    /// It is the agent's executor that waits, beside the HA loop.
    pub executor: bool,
    pub end: WaitEnd,
    /// What ended it; nothing at the end of the run.
    pub event: Option<EventId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum WaitFor {
    /// Only time.
    Time,
    Connection,
    Reply,
    /// A member of the store is asked who the members are.
    MemberList,
    /// Its time is over; it needs a moment to turn to the next.
    GivingUp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum WaitEnd {
    /// Something came from this one.
    Answered(Part),
    Connected,
    /// Nobody listens there, or the way refuses.
    Refused,
    /// The connection ended.
    Broken,
    /// Nothing came in time.
    TimeUp,
    /// Whoever waited is gone, or turned to something else.
    Left,
    /// It still waits at the end of the run.
    Open,
}

/// What a client was told of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Told {
    AcknowledgedBy(NodeId),
    Refused,
    /// Nothing at all.
    Nothing,
}

/// More waits of one actor than this are never open at once.
const OPEN_MAX: usize = 8;

impl ActorWaits {
    /// The wait that is open at `t`, of the loop or of the executor: the one that began last.
    pub fn at(&self, t: SimTime, executor: bool) -> Option<&Wait> {
        let begun = &self.waits[..self.waits.partition_point(|wait| wait.from <= t)];
        let mut recent = begun
            .iter()
            .rev()
            .filter(|wait| wait.executor == executor)
            .take(OPEN_MAX);
        recent.find(|wait| t < wait.until)
    }

    /// The wait for another that ended last.
    pub fn ended(&self, t: SimTime) -> Option<&Wait> {
        let begun = &self.waits[..self.waits.partition_point(|wait| wait.from <= t)];
        let tells = |wait: &&Wait| {
            let untold = matches!(wait.end, WaitEnd::Left | WaitEnd::Open) || wait.what == WaitFor::GivingUp;
            wait.until <= t && !wait.on.is_empty() && !untold
        };
        begun
            .iter()
            .rev()
            .filter(tells)
            .take(OPEN_MAX)
            .max_by_key(|wait| wait.until)
    }

    /// What the client was told last, and since when it is told the same.
    pub fn told_at(&self, t: SimTime) -> Option<(SimTime, EventId, Told)> {
        let so_far = self.told.partition_point(|(from, ..)| *from <= t);
        self.told[..so_far].last().copied()
    }
}

impl Story {
    /// What one process waited for in the whole run.
    pub fn waits_of(&self, who: Part) -> Option<&ActorWaits> {
        self.detail.waiting.iter().find(|actor| actor.who == who)
    }

    /// How much of a wait's time is used at `t`, by the clock of the machine on which it is waited.
    pub fn used(&self, who: Part, wait: &Wait, t: SimTime) -> Span {
        let node = match who {
            Part::Agent(node) | Part::Postgres(node) | Part::Watchdog(node) | Part::DirectWriter(node) => Some(node),
            Part::Store(_) | Part::Router | Part::Writer(_) | Part::ObjectStore | Part::MailGateway => None,
        };
        let lane = node.and_then(|node| self.nodes.get(node.index()));
        lane.map_or_else(|| t.since(wait.from), |lane| lane.ran(wait.from, t))
    }
}
