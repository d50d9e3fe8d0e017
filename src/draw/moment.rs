//! A story at one instant: what the panel "At this moment" says.

use super::story::{self, DatabaseState, DiskTrouble, Halt, MemberPlace, Story};
use super::words;
use crate::engine::{SimTime, Span};
use crate::raft::Index;
use crate::verdict;
use crate::vocabulary::{NodeId, Step};

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
    /// Since when the store can decide nothing.
    pub no_quorum_since: Option<SimTime>,
    pub members: Vec<MemberMoment>,
    pub nodes: Vec<NodeMoment>,
}

/// One member of the store at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberMoment {
    /// None while it is dead.
    pub place: Option<MemberPlace>,
    /// Up to where it knows the log to be agreed on.
    pub commit: Option<Index>,
    pub halt: Option<Halt>,
    pub disk: Option<DiskTrouble>,
    /// All of it in words: `leads, term 2, log to 17, disk stalls`.
    pub words: String,
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
            no_quorum_since: self.no_quorum_at(t),
            members: self
                .store
                .members
                .iter()
                .map(|lane| MemberMoment::of(lane, t))
                .collect(),
            nodes,
        }
    }
}

impl Story {
    fn no_quorum_at(&self, t: SimTime) -> Option<SimTime> {
        let dark = &self.verdict.record.no_quorum;
        let begun = dark.partition_point(|dark| dark.from <= t);
        dark[..begun].last().filter(|dark| t < dark.to).map(|dark| dark.from)
    }
}

impl MemberMoment {
    fn of(lane: &story::MemberLane, t: SimTime) -> MemberMoment {
        let halt = story::at(&lane.halts, t).map(|s| s.is);
        let place = story::at(&lane.places, t).map(|s| s.is);
        let known = lane.commits.partition_point(|(from, _)| *from <= t);
        let commit = lane.commits[..known].last().and_then(|(_, index)| *index);
        let disk = story::at(&lane.disk, t).map(|s| s.is);
        let mut said = words::member_words(halt, place);
        match commit {
            Some(Index(index)) => said.push_str(&format!(", log to {index}")),
            None if halt != Some(Halt::Dead) => said.push_str(", log unknown"),
            None => {}
        }
        if let Some(disk) = disk {
            said.push_str(&format!(", {}", words::disk_words(disk)));
        }
        MemberMoment {
            place,
            commit,
            halt,
            disk,
            words: said,
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
            agent_words: agent_words(host_halt, agent_halt, story::at(&lane.steps, t).map(|s| s.is)),
            database_words: database_words(host_halt, database_halt, database),
        }
    }
}

fn agent_words(host: Option<Halt>, agent: Option<Halt>, step: Option<Step>) -> String {
    match (host, agent, step) {
        (Some(halt), ..) => format!("{}, with its machine", words::halt_words(halt)),
        (_, Some(Halt::Frozen), Some(step)) => format!("frozen while it {}", words::step_words(step)),
        (_, Some(halt), _) => words::halt_words(halt).to_owned(),
        (.., Some(step)) => words::step_words(step).to_owned(),
        (.., None) => "not started yet".to_owned(),
    }
}

fn database_words(host: Option<Halt>, halt: Option<Halt>, state: Option<DatabaseState>) -> String {
    let state = state.map_or("not started yet".to_owned(), words::database_words);
    match (host, halt) {
        (Some(Halt::Dead), _) => "dead, with its machine".to_owned(),
        (_, Some(Halt::Dead)) => "dead".to_owned(),
        (Some(Halt::Frozen), _) | (_, Some(Halt::Frozen)) => format!("frozen ({state})"),
        (None, None) => state,
    }
}
