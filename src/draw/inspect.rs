//! One actor at one instant, looked at closely: what it does and since when, how much of its limit is used, whom it waits for,
//! what is left of its lease by either clock, and what changed it last.

use super::story::{self, FaultBar, Lane, Row, Story, Talk};
use super::words;
use crate::agent::PEER_PATIENCE;
use crate::engine::{EventId, SimTime, Span};
use crate::raft::RoleName;
use crate::scenario::Patroni;
use crate::verdict::length;
use crate::vocabulary::{NodeId, Step};

/// An actor at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// Titles and words.
    pub rows: Vec<(&'static str, String)>,
    /// The last row of the event list that is about it.
    pub last: Option<Last>,
}

/// What changed an actor last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Last {
    pub event: EventId,
    pub at: SimTime,
    pub text: String,
}

/// A question that is older than so many messages is not looked for: it was given up long ago.
const LOOKED_BACK: usize = 2_000;

impl Story {
    /// Everybody who can be looked at, and what they are called.
    pub fn actors(&self) -> Vec<(Lane, String)> {
        let nodes = self.nodes.iter().enumerate().flat_map(|(n, lane)| {
            let node = NodeId(n as u8);
            [
                (Lane::Agent(node), format!("{}’s agent", lane.name)),
                (Lane::Database(node), format!("{}’s database", lane.name)),
            ]
        });
        let members = self.store.members.iter().enumerate().filter(|_| self.store.is_group());
        let members = members.map(|(m, lane)| (Lane::Member(m as u8), lane.name.clone()));
        let others = [
            (Lane::Store, "the store".to_owned()),
            (Lane::Traffic, "router and writers".to_owned()),
        ];
        nodes.chain(members).chain(others).collect()
    }

    /// An actor at instant `t`, in a cluster that runs with these timings.
    pub fn inspect(&self, actor: Lane, t: SimTime, timings: &Patroni) -> Inspection {
        let rows = match actor {
            Lane::Agent(node) => self.agent_rows(node, t, timings),
            Lane::Database(node) => self.database_rows(node, t),
            Lane::Member(member) => self.member_rows(member, t),
            Lane::Store | Lane::Faults => self.store_rows(t),
            Lane::Traffic => self.traffic_rows(t),
        };
        let so_far = &self.rows[..self.rows.partition_point(|row| row.at <= t)];
        let last = so_far
            .iter()
            .rev()
            .find(|row| self.is_about(row, actor))
            .map(|row| Last {
                event: row.event,
                at: row.at,
                text: row.text.clone(),
            });
        Inspection { rows, last }
    }

    /// A fault is about all that it strikes.
    fn is_about(&self, row: &Row, actor: Lane) -> bool {
        let strikes = |bar: &FaultBar| bar.lanes.contains(&actor) && (bar.from == row.at || bar.until == Some(row.at));
        row.lane == actor || row.lane == Lane::Faults && self.faults.iter().any(strikes)
    }

    fn agent_rows(&self, node: NodeId, t: SimTime, timings: &Patroni) -> Vec<(&'static str, String)> {
        let (Some(lane), moment) = (self.nodes.get(node.index()), self.at(t)) else {
            return Vec::new();
        };
        let Some(now) = moment.nodes.get(node.index()) else {
            return Vec::new();
        };
        let mut state = now.agent_words.clone();
        if let Some(step) = story::at(&lane.steps, t).filter(|_| now.agent_halt.is_none()) {
            let used = length(t.since(step.from));
            state.push_str(&match limit(step.is, timings) {
                Some((limit, name)) => format!(", {used} of {} used ({name})", length(limit)),
                None => format!(", for {used} so far"),
            });
        }
        let mut rows = vec![("Does", state)];
        if let Some((whom, ago)) = self.waits_for(Lane::Agent(node), t) {
            rows.push(("Waits for", format!("the reply of {whom}, asked {} ago", length(ago))));
        }
        if let Some(own) = now.left_by_own_clock_us {
            let words = if own >= 0 {
                format!("{} left", us(own))
            } else {
                format!("ran out {} ago", us(-own))
            };
            rows.push(("Lease, by its own clock", words));
            let store = moment.left_by_store.filter(|_| moment.truth.holder == Some(node));
            match store {
                Some(store) => {
                    let margin = store.0 as i64 - own;
                    rows.push(("Lease, by the store’s", format!("{} left", length(store))));
                    rows.push((
                        "Margin",
                        match margin {
                            0.. => format!("the store lets go {} after it stops believing", us(margin)),
                            _ => format!("it believes {} longer than the store keeps its key", us(-margin)),
                        },
                    ));
                }
                None => rows.push(("Lease, by the store’s", "the key is not its own".to_owned())),
            }
        }
        if let Some(left) = now.watchdog_left {
            rows.push(("Watchdog", format!("resets the machine in {}", length(left))));
        }
        rows
    }

    /// The last question that was sent and has no reply so far: to whom, and how long ago.
    fn waits_for(&self, from: Lane, t: SimTime) -> Option<(String, Span)> {
        let sent = &self.flights[..self.flights.partition_point(|flight| flight.sent <= t)];
        let asks = |talk: Talk| matches!(talk, Talk::StoreRequest | Talk::Question);
        let last = sent
            .iter()
            .rev()
            .take(LOOKED_BACK)
            .find(|flight| flight.from == from && asks(flight.what))?;
        // What was answered by now was answered with something that had been sent by now.
        let mut later = sent.iter().rev().take_while(|flight| flight.sent >= last.sent);
        let answered = later.any(|flight| flight.answers == Some(last.event) && flight.arrives && flight.end <= t);
        (!answered).then(|| (self.speaker(last.to).to_owned(), t.since(last.sent)))
    }

    fn database_rows(&self, node: NodeId, t: SimTime) -> Vec<(&'static str, String)> {
        let Some(lane) = self.nodes.get(node.index()) else {
            return Vec::new();
        };
        let moment = self.at(t);
        let mut state = moment
            .nodes
            .get(node.index())
            .map_or_else(String::new, |now| now.database_words.clone());
        if let Some(since) = story::at(&lane.database, t) {
            state.push_str(&format!(", for {} so far", length(t.since(since.from))));
        }
        let mut rows = vec![("Is", state)];
        if let Some(upstream) = story::at(&lane.upstream, t) {
            rows.push(("Receives from", self.name(upstream.is).to_owned()));
        }
        let writable = moment.truth.writable.contains(node);
        let holder = moment.truth.holder == Some(node);
        rows.push((
            "Accepts writes",
            match (writable, holder) {
                (true, true) => "yes, and its node holds the leader key".to_owned(),
                (true, false) => "yes, although its node does not hold the leader key".to_owned(),
                (false, _) => "no".to_owned(),
            },
        ));
        rows
    }

    fn member_rows(&self, member: u8, t: SimTime) -> Vec<(&'static str, String)> {
        let Some(now) = self.at(t).members.into_iter().nth(usize::from(member)) else {
            return Vec::new();
        };
        let lane = &self.store.members[usize::from(member)];
        let mut rows = vec![("Does", now.words)];
        if let Some(place) = story::at(&lane.places, t) {
            rows.push(("In this place", format!("for {} so far", length(t.since(place.from)))));
        }
        if let Some(disk) = now.disk {
            rows.push(("Disk", words::disk_words(disk).to_owned()));
        }
        rows
    }

    fn store_rows(&self, t: SimTime) -> Vec<(&'static str, String)> {
        let moment = self.at(t);
        let holder = moment.truth.holder.map_or("nobody", |node| self.name(node));
        let mut rows = vec![("Leader key", format!("held by {holder}"))];
        if let Some(left) = moment.left_by_store {
            rows.push(("Lease", format!("{} left", length(left))));
        }
        if let Some(since) = moment.no_quorum_since {
            rows.push(("Decides nothing", format!("for {} so far", length(t.since(since)))));
        }
        let mut members = self.store.members.iter();
        let leads = members.find(|lane| {
            let place = story::at(&lane.places, t);
            place.is_some_and(|place| place.is.role == RoleName::Leader)
        });
        if let Some(lane) = leads.filter(|_| self.store.is_group()) {
            rows.push(("Its own leader", lane.name.clone()));
        }
        rows
    }

    fn traffic_rows(&self, t: SimTime) -> Vec<(&'static str, String)> {
        let moment = self.at(t);
        let to = moment
            .router
            .map_or("nobody: no server says that it is the primary", |node| self.name(node));
        vec![
            ("Router sends to", to.to_owned()),
            ("Acknowledged so far", moment.truth.acknowledged.to_string()),
            ("Of them lost in the end", moment.truth.lost.to_string()),
            ("By a deposed leader", moment.truth.deposed.to_string()),
            ("Without an answer", moment.truth.unknown.to_string()),
        ]
    }
}

/// How long a step may take, and the setting that says so.
fn limit(step: Step, timings: &Patroni) -> Option<(Span, &'static str)> {
    match step {
        Step::Sleeping => Some((timings.loop_wait, "loop_wait")),
        Step::ReadingCluster
        | Step::RenewingLease
        | Step::PublishingStatus
        | Step::AcquiringKey
        | Step::ReleasingKey
        | Step::PublishingMember => Some((timings.retry_timeout, "retry_timeout")),
        Step::AskingPeers | Step::AskingFailsafe | Step::AskingCandidates => Some((PEER_PATIENCE, "a REST request")),
        Step::Starting
        | Step::AskingDatabase
        | Step::AskingLeader
        | Step::StoppingDatabase
        | Step::StartingDatabase => None,
    }
}

fn us(us: i64) -> String {
    length(Span(us.unsigned_abs()))
}
