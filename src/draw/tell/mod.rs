//! Makes a [`Story`] from a trace: one pass, in which each part looks at every event and takes what it needs.
//!
//! | file         | what it tells |
//! |--------------|---------------|
//! | `store.rs`   | the lease behind the leader key |
//! | `clock.rs`   | the clocks of the nodes' machines |
//! | `keys.rs`    | the store's keys, `leases.rs` the leases they hang on |
//! | `member.rs`  | the members of the store |
//! | `node.rs`    | agents, databases, watchdogs, and what halts them |
//! | `traffic.rs` | writes, router |
//! | `messages.rs` | messages worth drawing |
//! | `waits.rs`   | what agents and clients wait for |
//! | `rows.rs`    | the event list |
//! | `seen.rs`    | patterns with names |

mod clock;
mod keys;
mod leases;
mod member;
mod messages;
mod node;
mod rows;
mod seen;
mod store;
mod traffic;
mod waits;

use super::cast::Cast;
use super::story::{Detail, FaultBar, Lane, NodeLane, StoreLane, Story, Stretch};
use super::words;
use crate::engine::{EventId, FullTrace, Place, SimTime, What};
use crate::scenario::{Ends, Fault, FaultKind, Host, Names, Process, Scenario, Target};
use crate::verdict::Verdict;
use crate::vocabulary::{NodeId, Words};
use crate::world::{Layout, Part};

/// The story of one run.
pub fn tell(trace: &FullTrace<Words>, verdict: Verdict, scenario: &Scenario, layout: &Layout) -> Story {
    let cast = Cast::new(trace, layout, scenario);
    let end = SimTime::ZERO + scenario.duration;
    let (mut store, mut keys) = (store::Store::default(), keys::Keys::default());
    let mut leases = leases::Leases::new(scenario);
    let mut members = member::Member::all(layout);
    let mut nodes: Vec<node::Node> = layout.node_ids().map(|n| node::Node::new(n, layout)).collect();
    let mut traffic = traffic::Traffic::new(layout.nodes().len());
    let mut faults = bars(&cast);
    for event in trace.iter() {
        if let What::Fault { index, begins: true } = event.what
            && let Some(bars) = faults.get_mut(usize::from(index))
            && let Ok(bar) = bars.binary_search_by_key(&event.at, |bar| bar.from)
        {
            bars[bar].event.get_or_insert(event.id);
        }
        if matches!(cast.part_at(event.place), Some(Part::Store(_))) {
            if let What::Note(note) = &event.what {
                leases.note(note, event.at);
            }
            store.see(event, &leases);
            keys.see(event, &cast);
        }
        for member in &mut members {
            member.see(event, &cast);
        }
        for node in &mut nodes {
            node.see(event, &cast);
        }
        traffic.see(event);
    }
    let rows = rows::rows(trace, &cast, &verdict);
    let nodes: Vec<NodeLane> = nodes
        .into_iter()
        .enumerate()
        .map(|(n, node)| NodeLane {
            clock: clock::pieces(n, scenario),
            stopped: clock::stopped(n, scenario),
            ..node.finish(end)
        })
        .collect();
    let (writes, router) = traffic.finish(end, &verdict.record.lost);
    Story {
        comment: scenario.comment.clone(),
        seen: seen::seen(trace, &cast, &nodes),
        nodes,
        faults: faults.into_iter().flatten().collect(),
        store: StoreLane {
            keys: keys.finish(),
            leases: leases.finish(&cast),
            fuses: store.finish(end),
            members: members.into_iter().map(|member| member.finish(end)).collect(),
        },
        router,
        writes,
        detail: match trace.is_thin() {
            false => detail(trace, &cast, SimTime::ZERO, end),
            true => Detail::default(),
        },
        rows,
        verdict,
    }
}

/// What only the full trace of a part of a run tells, from `from` to `until`. `news`: what is kept of the whole run, thinned or not.
/// Not told is the loss of a message that was sent before the part begins: only its sending says what it was.
pub fn look_closer(
    news: &FullTrace<Words>,
    part: &FullTrace<Words>,
    (scenario, layout): (&Scenario, &Layout),
    (from, until): (SimTime, SimTime),
) -> Detail {
    let cast = Cast::new(news, layout, scenario).joined_by(part);
    detail(part, &cast, from, until)
}

fn detail(trace: &FullTrace<Words>, cast: &Cast, from: SimTime, until: SimTime) -> Detail {
    let mut messages = messages::Messages::default();
    let mut waits = waits::Waits::new(trace, cast.layout);
    for event in trace.iter() {
        messages.see(event, trace, cast);
        waits.see(event, trace, cast);
    }
    let (flights, beats) = messages.finish(from);
    Detail {
        from,
        until,
        flights,
        beats,
        waiting: waits.finish(trace, cast, (from, until)),
    }
}

/// For each fault, a bar for each time that it comes.
fn bars(cast: &Cast) -> Vec<Vec<FaultBar>> {
    let end = SimTime::ZERO + cast.scenario.duration;
    let bars = |(index, fault): (usize, &Fault)| {
        let (label, lanes) = (
            words::fault_label(fault, cast.scenario),
            struck(fault, cast.scenario.names()),
        );
        let bar = |(from, until)| FaultBar {
            index,
            from,
            until: if fault.what.lasts() { until } else { Some(from) },
            label: label.clone(),
            lanes: lanes.clone(),
            event: None,
        };
        fault.occurrences(end).map(bar).collect()
    };
    cast.scenario.faults.iter().enumerate().map(bars).collect()
}

/// The lanes a fault strikes.
fn struck(fault: &Fault, names: Names<'_>) -> Vec<Lane> {
    let store = |host: &Host| names.has_member(*host).then_some(Lane::Store);
    let host = |host: &Host| {
        let own = match host {
            Host::Node(n) => vec![Lane::Agent(NodeId(*n as u8)), Lane::Database(NodeId(*n as u8))],
            Host::Store(_) => vec![],
            Host::Clients => vec![Lane::Traffic],
        };
        own.into_iter().chain(store(host)).collect()
    };
    match &fault.what {
        // A node is told something through its agent.
        FaultKind::Order {
            target: Target::Host(Host::Node(n)),
            ..
        } => vec![Lane::Agent(NodeId(*n as u8))],
        FaultKind::Kill { target, .. }
        | FaultKind::Stop { target }
        | FaultKind::Pause { target, .. }
        | FaultKind::Order { target, .. } => match target {
            Target::Host(h) => host(h),
            Target::Process(n, Process::Agent) => vec![Lane::Agent(NodeId(*n as u8))],
            Target::Process(n, Process::Postgres) => vec![Lane::Database(NodeId(*n as u8))],
            Target::Process(_, Process::Writer) => vec![Lane::Traffic],
            Target::Member(_) => vec![Lane::Store],
        },
        FaultKind::DiskStall { host } | FaultKind::DiskSlow { host, .. } => {
            let database = match host {
                Host::Node(n) => Some(Lane::Database(NodeId(*n as u8))),
                Host::Store(_) | Host::Clients => None,
            };
            database.into_iter().chain(store(host)).collect()
        }
        FaultKind::ClockStep { host: h, .. } | FaultKind::ClockRate { host: h, .. } => host(h),
        FaultKind::Cut { links, .. } | FaultKind::Latency { links, .. } | FaultKind::Loss { links, .. } => {
            let ends = [&links.left, &links.right];
            let hosts = ends.into_iter().flat_map(|ends| match ends {
                Ends::Hosts(hosts) => hosts.as_slice(),
                Ends::Others => &[],
            });
            hosts.flat_map(host).collect()
        }
    }
}

/// The lane an event belongs to.
pub(super) fn lane(place: Place, cast: &Cast) -> Lane {
    match cast.part_at(place) {
        Some(Part::Agent(node) | Part::Watchdog(node)) => Lane::Agent(node),
        Some(Part::Postgres(node)) => Lane::Database(node),
        Some(Part::Store(member)) => cast.member_lane(member),
        Some(Part::DirectWriter(_) | Part::Router | Part::Writer(_) | Part::ObjectStore | Part::MailGateway) => {
            Lane::Traffic
        }
        None => match (place, cast.layout.node_at(place)) {
            (_, Some(node)) => Lane::Agent(node),
            (Place::Host(host), None) if host != cast.layout.clients() => Lane::Store,
            (Place::Host(_), None) => Lane::Traffic,
            _ => Lane::Faults,
        },
    }
}

/// Stretches as they come: at most one is open.
#[derive(Clone, Debug)]
pub(super) struct Track<T> {
    done: Vec<Stretch<T>>,
    open: Option<(SimTime, T)>,
}

impl<T> Track<T> {
    fn new() -> Track<T> {
        Track {
            done: Vec::new(),
            open: None,
        }
    }
    /// Opens another, unless that is what is open.
    fn change(&mut self, at: SimTime, is: T)
    where
        T: PartialEq,
    {
        if self.open.as_ref().is_none_or(|(_, open)| *open != is) {
            self.begin(at, is);
        }
    }
    /// Ends what was open and opens another.
    fn begin(&mut self, at: SimTime, is: T) {
        self.end(at);
        self.open = Some((at, is));
    }
    fn end(&mut self, at: SimTime) {
        if let Some((from, is)) = self.open.take()
            && from < at
        {
            self.done.push(Stretch { from, until: at, is });
        }
    }
    fn finish(mut self, end: SimTime) -> Vec<Stretch<T>> {
        self.end(end);
        self.done
    }
}

/// The event that led to another, as the trace has it.
pub(super) fn cause_of(trace: &FullTrace<Words>, cause: Option<EventId>) -> Option<&crate::engine::Event<Words>> {
    trace.get(cause?)
}
