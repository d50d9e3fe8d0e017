//! A story at one instant: what the panel "At this moment" says.

use super::story::{self, DatabaseState, Halt, Story};
use crate::engine::{SimTime, Span};
use crate::verdict;
use crate::vocabulary::NodeId;

/// One instant of a story.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    pub at: SimTime,
    /// The last row of the event list that has happened.
    pub row: Option<usize>,
    /// Who holds the leader key, who believes, who is writable, and the counts so far.
    pub truth: verdict::Moment,
    /// What is left of the lease behind the leader key, by the store's clock.
    pub left_by_store: Option<Span>,
    /// Whom the router sends writes to.
    pub router: Option<NodeId>,
    pub store_halt: Option<Halt>,
    pub nodes: Vec<NodeMoment>,
}

/// One node at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeMoment {
    /// It takes itself for the leader.
    pub believes: bool,
    /// What is left of its lease by its own clock, in µs of true time; negative when it ran out. Given while the agent
    /// believes, and after that as long as nothing told it otherwise.
    pub left_by_own_clock_us: Option<i64>,
    pub database: Option<DatabaseState>,
    pub upstream: Option<NodeId>,
    /// The agent stands still or is dead.
    pub agent_halt: Option<Halt>,
    pub database_halt: Option<Halt>,
    pub host_halt: Option<Halt>,
    /// What is left until its watchdog resets the machine.
    pub watchdog_left: Option<Span>,
    /// What its agent does, in words: `sleeps until its next cycle`, `frozen`.
    pub agent_words: String,
    /// What its database does, in words: `primary, writable, timeline 1`.
    pub database_words: String,
}

impl Story {
    /// The story at instant `t`.
    pub fn at(&self, t: SimTime) -> Moment {
        let nodes: Vec<NodeMoment> = self.nodes.iter().map(|lane| NodeMoment::of(lane, t)).collect();
        let fuse = self.store.fuses.partition_point(|fuse| fuse.from <= t);
        Moment {
            at: t,
            row: self.row_at(t),
            truth: self.verdict.at(t),
            left_by_store: self.store.fuses[..fuse]
                .last()
                .filter(|fuse| t < fuse.until)
                .map(|fuse| fuse.left(t)),
            router: story::at(&self.router, t).and_then(|s| s.is),
            store_halt: story::at(&self.store.halts, t).map(|s| s.is),
            nodes,
        }
    }
}

impl NodeMoment {
    fn of(lane: &story::NodeLane, t: SimTime) -> NodeMoment {
        let begun = lane.beliefs.partition_point(|b| b.from <= t);
        let belief = lane.beliefs[..begun].last();
        let host_halt = story::at(&lane.host_halts, t).map(|s| s.is);
        let agent_halt = host_halt.or(story::at(&lane.agent_halts, t).map(|s| s.is));
        let database_halt = host_halt.or(story::at(&lane.database_halts, t).map(|s| s.is));
        let database = story::at(&lane.database, t).map(|s| s.is);
        NodeMoment {
            believes: belief.is_some_and(|b| b.covers(t)),
            left_by_own_clock_us: belief
                .filter(|b| b.covers(t) || b.until == b.is.expires)
                .map(|b| b.is.expires.0 as i64 - t.0 as i64),
            database,
            upstream: story::at(&lane.upstream, t).map(|s| s.is),
            agent_halt,
            database_halt,
            host_halt,
            watchdog_left: story::at(&lane.watchdog, t).map(|s| s.is.fires.since(t)),
            agent_words: String::new(),
            database_words: String::new(),
        }
    }
}
