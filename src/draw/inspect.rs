//! One actor at one instant, looked at closely: what it does and since when, how much of its limit is used, whom it waits for,
//! what is left of its lease by either clock, and what changed it last.

use super::cast::listing;
use super::story::{self, FaultBar, Lane, Row, Story};
use super::waits::{Wait, WaitEnd, WaitFor};
use super::words;
use crate::agent::PEER_PATIENCE;
use crate::engine::{EventId, SimTime, Span};
use crate::raft::RoleName;
use crate::scenario::Patroni;
use crate::verdict::length;
use crate::vocabulary::{NodeId, Step};
use crate::world::Part;

/// Who can be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// The store as a whole.
    Store,
    Process(Part),
}

impl Actor {
    /// The lane of the event list on which it is told of.
    fn lane(self) -> Option<Lane> {
        match self {
            Actor::Store => Some(Lane::Store),
            Actor::Process(Part::Agent(node)) => Some(Lane::Agent(node)),
            Actor::Process(Part::Postgres(node)) => Some(Lane::Database(node)),
            Actor::Process(Part::Store(member)) => Some(Lane::Member(member)),
            Actor::Process(Part::Router) => Some(Lane::Traffic),
            Actor::Process(
                Part::Watchdog(_) | Part::Writer(_) | Part::DirectWriter(_) | Part::ObjectStore | Part::MailGateway,
            ) => None,
        }
    }
}

/// An actor at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// Titles and words.
    pub rows: Vec<(&'static str, String)>,
    /// What changed it last: a row of the event list, or something that came to it.
    pub last: Option<Last>,
}

/// What changed an actor last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Last {
    /// None: only its time is known.
    pub event: Option<EventId>,
    pub at: SimTime,
    pub text: String,
}

impl Story {
    /// Everybody who can be looked at, and what they are called.
    pub fn actors(&self) -> Vec<(Actor, String)> {
        let of = |part: Part| (Actor::Process(part), self.part_name(part));
        let nodes = self.nodes.iter().enumerate().flat_map(|(n, lane)| {
            let node = NodeId(n as u8);
            let watchdog = (!lane.watchdog.is_empty()).then_some(Part::Watchdog(node));
            [Part::Agent(node), Part::Postgres(node)].into_iter().chain(watchdog)
        });
        let members = (0..self.store.members.len() as u8).filter(|_| self.store.is_group());
        let clients = self.detail.waiting.iter().map(|actor| actor.who);
        let clients = clients.filter(|who| matches!(who, Part::Writer(_) | Part::DirectWriter(_)));
        let mut actors: Vec<_> = nodes.map(of).collect();
        actors.push((Actor::Store, "the store".to_owned()));
        actors.extend(members.map(Part::Store).map(of));
        actors.extend([Part::Router].into_iter().chain(clients).map(of));
        actors
    }

    /// What people call a process.
    fn part_name(&self, part: Part) -> String {
        match part {
            Part::Agent(node) => format!("{}’s agent", self.name(node)),
            Part::Postgres(node) => format!("{}’s database", self.name(node)),
            Part::Watchdog(node) => format!("{}’s watchdog", self.name(node)),
            Part::DirectWriter(node) => format!("{}’s local client", self.name(node)),
            Part::Store(member) if self.store.is_group() => self
                .store
                .members
                .get(usize::from(member))
                .map_or_else(|| "?".to_owned(), |lane| lane.name.clone()),
            Part::Store(_) => "the store".to_owned(),
            Part::Router => "the router".to_owned(),
            Part::Writer(writer) => format!("client {}", writer + 1),
            Part::ObjectStore => "the object store".to_owned(),
            Part::MailGateway => "the mail gateway".to_owned(),
        }
    }

    /// An actor at instant `t`, in a cluster that runs with these timings.
    pub fn inspect(&self, actor: Actor, t: SimTime, timings: &Patroni) -> Inspection {
        let rows = match actor {
            Actor::Store => self.store_rows(t),
            Actor::Process(part) => match part {
                Part::Agent(node) => self.agent_rows(node, t, timings),
                Part::Postgres(node) => self.database_rows(node, t),
                Part::Watchdog(node) => self.watchdog_rows(node, t),
                Part::Store(member) => self.member_rows(member, t),
                Part::Router => self.traffic_rows(t),
                Part::Writer(_) | Part::DirectWriter(_) => self.client_rows(part, t),
                Part::ObjectStore | Part::MailGateway => Vec::new(),
            },
        };
        Inspection {
            rows,
            last: self.last(actor, t),
        }
    }

    /// The latest of all that changed an actor; of two at one instant the row of the event list, which says more.
    fn last(&self, actor: Actor, t: SimTime) -> Option<Last> {
        let so_far = &self.rows[..self.rows.partition_point(|row| row.at <= t)];
        let told = actor.lane().and_then(|lane| {
            let row = so_far.iter().rev().find(|row| self.is_about(row, lane))?;
            Some(Last {
                event: Some(row.event),
                at: row.at,
                text: row.text.clone(),
            })
        });
        let came = match actor {
            Actor::Process(Part::Watchdog(node)) => self.watchdog_last(node, t),
            Actor::Process(part) => self.came(part, t),
            Actor::Store => None,
        };
        told.into_iter()
            .chain(came)
            .reduce(|told, came| if came.at > told.at { came } else { told })
    }

    /// What came to a process last: a reply, the end of a connection, the end of its patience, or news of a client's writes.
    fn came(&self, part: Part, t: SimTime) -> Option<Last> {
        let actor = self.waits_of(part)?;
        let ended = actor.ended(t).and_then(|wait| {
            let by = match wait.end {
                WaitEnd::Answered(part) => Some(self.part_name(part)),
                _ => None,
            };
            Some(Last {
                event: wait.event,
                at: wait.until,
                text: words::wait_ended(wait, &self.whom(wait), by.as_deref())?,
            })
        });
        let told = actor.told_at(t).map(|(at, event, told)| Last {
            event: Some(event),
            at,
            text: words::told(told, self.name_of()),
        });
        ended.into_iter().chain(told).max_by_key(|last| last.at)
    }

    fn name_of(&self) -> impl Fn(NodeId) -> String {
        |node| self.name(node).to_owned()
    }

    /// Those who are waited for: `etcd2`, `node2’s agent and node3’s agent`.
    fn whom(&self, wait: &Wait) -> String {
        let names: Vec<String> = wait.on.iter().map(|part| self.part_name(*part)).collect();
        listing(&names.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// A fault is about all that it strikes.
    fn is_about(&self, row: &Row, lane: Lane) -> bool {
        let strikes = |bar: &FaultBar| bar.lanes.contains(&lane) && (bar.from == row.at || bar.until == Some(row.at));
        row.lane == lane || row.lane == Lane::Faults && self.faults.iter().any(strikes)
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
        rows.extend(self.waiting_rows(Part::Agent(node), t));
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
        if let Some(words) = self.clock_words(node, t) {
            rows.push(("Its clock", words));
        }
        if let Some(left) = now.watchdog_left {
            rows.push(("Watchdog", format!("resets the machine in {}", length(left))));
        }
        rows
    }

    /// What a node's wall clock reads, when it is not right.
    fn clock_words(&self, node: NodeId, t: SimTime) -> Option<String> {
        let lane = self.nodes.get(node.index())?;
        let piece = lane.clock.iter().rev().find(|piece| piece.from <= t)?;
        let stopped = story::at(&lane.stopped, t).is_some();
        words::clock(t, piece.at(t), i64::from(piece.rate) - 1_000_000, stopped)
    }

    /// What a process waits for, and how much of its patience is used.
    fn waiting_rows(&self, part: Part, t: SimTime) -> Vec<(&'static str, String)> {
        let Some(actor) = self.waits_of(part) else {
            return Vec::new();
        };
        let words = |wait: &Wait| words::waits_for(wait, &self.whom(wait), self.used(part, wait, t));
        let own = actor.at(t, false).map(|wait| ("Waits for", words(wait)));
        let beside = actor.at(t, true).filter(|wait| wait.what != WaitFor::Time);
        own.into_iter()
            .chain(beside.map(|wait| ("Its executor waits for", words(wait))))
            .collect()
    }

    fn watchdog_rows(&self, node: NodeId, t: SimTime) -> Vec<(&'static str, String)> {
        let Some(lane) = self.nodes.get(node.index()) else {
            return Vec::new();
        };
        let Some(fuse) = story::at(&lane.watchdog, t) else {
            return vec![("Does", "switched off: it resets nothing".to_owned())];
        };
        let (timeout, left) = (length(fuse.is.timeout), length(fuse.is.fires.since(t)));
        vec![
            (
                "Does",
                "counts down: a sign of life of the agent begins it anew".to_owned(),
            ),
            ("Left", format!("{left} of {timeout}, then it resets the machine")),
        ]
    }

    fn watchdog_last(&self, node: NodeId, t: SimTime) -> Option<Last> {
        let lane = self.nodes.get(node.index())?;
        let begun = &lane.watchdog[..lane.watchdog.partition_point(|fuse| fuse.from <= t)];
        let resets = &lane.resets[..lane.resets.partition_point(|at| *at <= t)];
        let last = |at: SimTime, text: &str| Last {
            event: None,
            at,
            text: text.to_owned(),
        };
        let begun = begun.last().map(|fuse| match t < fuse.until {
            true => last(fuse.from, "it gets a sign of life"),
            false => last(fuse.until, "its countdown ends"),
        });
        let reset = resets.last().map(|at| last(*at, "it resets the machine"));
        begun.into_iter().chain(reset).max_by_key(|last| last.at)
    }

    fn client_rows(&self, part: Part, t: SimTime) -> Vec<(&'static str, String)> {
        let told = self.waits_of(part).and_then(|actor| actor.told_at(t));
        let does = match told {
            Some((since, _, told)) => format!(
                "{}, for {} so far",
                words::told(told, self.name_of()),
                length(t.since(since))
            ),
            None => "it has written nothing so far".to_owned(),
        };
        let mut rows = vec![("Knows", does)];
        rows.extend(self.waiting_rows(part, t));
        rows
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
