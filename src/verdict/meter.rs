//! Computes the verdict while the world runs, from what actors note, from the life of processes and from faults. It needs
//! no trace, so it works alone for thousands of runs and beside a [`FullTrace`](crate::engine::FullTrace) for one.
//!
//! What several events of one instant make of the state counts only when time moves on: a state that lasts no time is
//! not an overlap, an outage or a broken invariant.

use super::beliefs::Beliefs;
use super::cause::Causes;
use super::failovers::failover;
use super::invariants::{Invariant, Watched};
use super::leader_key::LeaderKey;
use super::machines::Machines;
use super::record::total;
use super::strays::Strays;
use super::write_log::WriteLog;
use super::{Adjusted, Believers, Change, NodeSet, Outside, Record, StoreFigures, TwoPrimaries, Verdict, Writes};
use crate::engine::{Event, EventId, Finding, Life, Observer, Place, ProcId, SimTime, Span, What};
use crate::scenario::{Fault, Scenario};
use crate::vocabulary::{Database, LeaseNote, NodeId, Note, Words, WriteOutcome};
use crate::world::{Layout, Part};

/// ```
/// use leaselab::engine::{Observer, SimTime};
/// use leaselab::scenario::Scenario;
/// use leaselab::verdict::Meter;
/// use leaselab::world::World;
/// let scenario = Scenario::default();
/// let mut world = World::new(&scenario);
/// let mut meter = Meter::new(&scenario, world.layout());
/// let end = SimTime::ZERO + scenario.duration;
/// world.run_until(end, &mut meter);
/// let verdict = meter.finish(end, world.events(), world.findings(), None);
/// assert!(!verdict.two_primaries.ever);
/// ```
#[derive(Clone, Debug)]
pub struct Meter {
    scenario: Scenario,
    layout: Layout,
    /// The state below is that of this instant.
    now: SimTime,
    /// Something changed at `now` that is not in the record yet.
    unsettled: bool,
    machines: Machines,
    databases: Vec<Option<Database>>,
    beliefs: Beliefs,
    key: LeaderKey,
    causes: Causes,
    writes: WriteLog,
    rejected_by_fence: u32,
    outside: Outside,
    strays: Strays,
    writable: (NodeSet, Option<EventId>),
    believing: (NodeSet, Option<EventId>),
    watched: Watched,
    record: Record,
}

impl Observer<Words> for Meter {
    const FULL: bool = false;

    fn record(&mut self, event: Event<Words>) {
        self.advance(event.at);
        match &event.what {
            What::Life(life) => self.life(event.id, event.place, *life),
            What::Fault { index, begins } => self.fault(event.id, usize::from(*index), *begins),
            What::Note(note) => {
                if let Place::Process(process) = event.place {
                    self.note(event.id, process, note);
                }
            }
            _ => {}
        }
    }
}

impl Meter {
    pub fn new(scenario: &Scenario, layout: &Layout) -> Meter {
        let nodes = layout.nodes().len();
        Meter {
            scenario: scenario.clone(),
            layout: layout.clone(),
            now: SimTime::ZERO,
            unsettled: false,
            machines: Machines::new(layout),
            databases: vec![None; nodes],
            beliefs: Beliefs::new(nodes),
            key: LeaderKey::default(),
            causes: Causes::new(scenario),
            writes: WriteLog::default(),
            rejected_by_fence: 0,
            outside: Outside::default(),
            strays: Strays::default(),
            writable: (NodeSet::EMPTY, None),
            believing: (NodeSet::EMPTY, None),
            watched: Watched::default(),
            record: Record {
                nodes: scenario.cluster.nodes.clone(),
                ..Record::default()
            },
        }
    }

    /// The rest of the run has other faults: those of a scenario that differs in nothing else, and in nothing that has
    /// happened so far.
    #[must_use]
    pub fn with_faults(self, scenario: &Scenario) -> Meter {
        Meter {
            scenario: scenario.clone(),
            ..self
        }
    }

    /// Moves to `t`, past the beliefs that run out on the way.
    fn advance(&mut self, t: SimTime) {
        while let Some(expiry) = self.beliefs.next_expiry().filter(|&expiry| expiry <= t) {
            self.move_to(expiry);
            self.beliefs.look_ahead(expiry);
            self.look_at_beliefs(None);
        }
        self.move_to(t);
    }

    fn move_to(&mut self, t: SimTime) {
        if t > self.now {
            if self.unsettled {
                self.settle();
            }
            self.now = t;
        }
    }

    /// The state of `now` lasts: it goes into the record and must keep the invariants.
    fn settle(&mut self) {
        self.unsettled = false;
        let now = self.now;
        push(&mut self.record.writable, now, self.writable);
        push(&mut self.record.believers, now, self.believing);
        let (writable, event) = self.writable;
        let begins = self.record.writable.last().is_some_and(|change| change.from == now);
        if writable.len() >= 2 && begins {
            let (deposed, why) = self.causes.of(now, writable, &self.key);
            self.record.causes.push((now, deposed, why));
        }
        if writable.len() >= 2 {
            self.watched.fails(Invariant::OneWritablePrimary, now, event);
        }
        let lawful: NodeSet = self.key.holder.into_iter().collect();
        // Before the first grant there is no key to hold.
        if self.key.newest.is_some() && writable.iter().any(|node| !lawful.contains(node)) {
            let gone = self
                .key
                .changes
                .last()
                .filter(|change| change.at == now)
                .map(|change| change.event);
            self.watched.fails(Invariant::WritableImpliesLease, now, gone.or(event));
        }
    }

    fn life(&mut self, event: EventId, place: Place, life: Life) {
        self.machines.live(self.now, event, place, life);
        self.causes.life(self.now, place, life, &self.layout);
        if let Place::Process(process) = place
            && matches!(life, Life::Started | Life::Exited | Life::Killed)
        {
            // A new life knows nothing of what the earlier one said.
            match self.layout.part(process) {
                Part::Postgres(node) => self.databases[node.index()] = None,
                Part::Agent(node) => {
                    self.beliefs.ends(self.now, node);
                    self.look_at_beliefs(Some(event));
                }
                _ => {}
            }
        }
        self.look_at_databases(event);
    }

    fn fault(&mut self, event: EventId, index: usize, begins: bool) {
        let fault: Option<&Fault> = self.scenario.faults.get(index);
        if let Some(fault) = fault {
            self.beliefs.fault(self.now, fault, begins);
            self.causes.fault(self.now, fault, begins);
            self.look_at_beliefs(Some(event));
        }
    }

    fn note(&mut self, event: EventId, process: ProcId, note: &Note) {
        let part = self.layout.part(process);
        match (part, note) {
            (Part::Agent(node), note) => {
                self.causes.agent(self.now, node, note, &self.key);
                self.strays.agent(self.now, node, note);
            }
            (Part::Watchdog(node), note) => self.causes.watchdog(self.now, node, note),
            (Part::Postgres(node), Note::Database(database)) => {
                self.causes.database(self.now, node, database.phase, &self.key);
                self.strays.database(node, database);
            }
            _ => {}
        }
        match (part, note) {
            (Part::Store(member), Note::StoreRole { role, .. }) => {
                self.machines.store_role(self.now, event, member, *role);
            }
            (Part::Store(member), Note::StoreHangs { already }) => {
                let since = self.now - *already;
                self.machines.store_hangs(self.now, event, member, Some(since));
            }
            (Part::Store(member), Note::StoreGoesOn) => self.machines.store_hangs(self.now, event, member, None),
            (Part::Store(_), _) => self.store_note(event, note),
            (Part::Agent(node), Note::Believes { span }) => {
                self.beliefs.begins(self.now, node, *span);
                self.look_at_beliefs(Some(event));
            }
            (Part::Agent(node), Note::StopsBelieving) => {
                self.beliefs.ends(self.now, node);
                self.look_at_beliefs(Some(event));
            }
            (Part::Postgres(node), Note::Database(database)) => {
                self.databases[node.index()] = Some(database.clone());
                self.look_at_databases(event);
            }
            (Part::Postgres(node), Note::Promoted { at, .. }) => self.strays.promoted(self.now, node, *at),
            (_, Note::Write { outcome, .. }) => {
                if let WriteOutcome::Acknowledged { branch, lsn, .. } = *outcome {
                    self.strays.written(branch, lsn);
                }
                self.writes.note(self.now, event, process, *outcome, self.key.newest);
            }
            (Part::ObjectStore | Part::MailGateway, Note::Lease(note)) => self.outside(part, note),
            _ => {}
        }
    }

    /// What became of an effect outside.
    fn outside(&mut self, part: Part, note: &LeaseNote) {
        let newest = self.key.newest;
        let deposed = |by: Option<NodeId>| u32::from(by.is_some() && newest.is_some() && by != newest);
        let outside = &mut self.outside;
        match (part, *note) {
            (Part::ObjectStore, LeaseNote::Accepted { confirmed_by, .. }) => {
                outside.accepted += 1;
                outside.accepted_by_deposed += deposed(confirmed_by);
            }
            (Part::ObjectStore, LeaseNote::Rejected { .. }) => self.rejected_by_fence += 1,
            (Part::MailGateway, LeaseNote::Accepted { confirmed_by, .. }) => {
                outside.mails += 1;
                outside.mails_of_deposed += deposed(confirmed_by);
            }
            (Part::MailGateway, LeaseNote::Repeated { .. }) => outside.mails_repeated += 1,
            _ => {}
        }
    }

    fn store_note(&mut self, event: EventId, note: &Note) {
        let renewals = self.key.renewals.len();
        let changed = self.key.note(self.now, event, note);
        if let Some(holder) = self
            .key
            .holder
            .filter(|_| changed || self.key.renewals.len() > renewals)
        {
            self.causes.renewed(self.now, holder);
        }
        if changed {
            self.unsettled = true;
            self.writes.crown(self.key.newest, &self.databases);
        }
    }

    fn look_at_beliefs(&mut self, event: Option<EventId>) {
        let set = self.beliefs.set(self.now);
        if set != self.believing.0 {
            self.believing = (set, event);
            self.unsettled = true;
        }
    }

    fn look_at_databases(&mut self, event: EventId) {
        let open = |node: &NodeId| {
            let says = self.databases[node.index()].as_ref().is_some_and(Database::writable);
            says && self.machines.runs(self.layout.node(*node).postgres)
        };
        let set: NodeSet = self.layout.node_ids().filter(open).collect();
        if set != self.writable.0 {
            self.writable = (set, Some(event));
            self.unsettled = true;
        }
        self.writes.crown(self.key.newest, &self.databases);
    }

    /// The verdict of the run up to `end`. `events` and `engine` (broken rules of the engine) are the world's to tell.
    pub fn finish(mut self, end: SimTime, events: u32, engine: &[Finding], trace_hash: Option<String>) -> Verdict {
        self.advance(end);
        self.record.end = end;
        self.record.leader_key = std::mem::take(&mut self.key.changes);
        self.record.renewals = std::mem::take(&mut self.key.renewals);
        self.record.no_quorum = self.machines.no_quorum(end);
        let layout = &self.layout;
        let node = |node: NodeId| layout.node_name(node).to_owned();
        let client = |client: ProcId| layout.process_name(client);
        let (writes, lost_writes) = self.writes.judge(&mut self.record, client, node);
        let writes = Writes {
            rejected_by_fence: self.rejected_by_fence,
            ..writes
        };
        let stray_branches = self.strays.finish(node);
        if let Some((at, event)) = self.key.two_holders {
            self.watched.fails(Invariant::OneLeaderKeyHolder, at, Some(event));
        }
        if let Some(first) = lost_writes.first() {
            self.watched
                .fails(Invariant::NoAcknowledgedWriteLost, first.at, Some(first.event));
        }
        let record = self.record;
        let overlaps = record.overlaps(end);
        let outages = record.outages(end);
        let dry = outages
            .iter()
            .fold(Span::ZERO, |sum, outage| sum + outage.to.since(outage.from));
        let first_writable = record.writable.first().map_or(end, |change| change.from);
        let most = record.believers.iter().map(|change| change.nodes.len()).max();
        let handovers = self.key.handovers.iter();
        Verdict {
            scenario: self.scenario.title.clone(),
            seed: self.scenario.seed,
            engine: crate::VERSION.to_owned(),
            trace_hash,
            events,
            duration: end.since(SimTime::ZERO),
            adjusted: adjusted(&self.scenario),
            two_primaries: TwoPrimaries {
                ever: !overlaps.is_empty(),
                total: total(&overlaps),
                longest: overlaps
                    .iter()
                    .map(|(from, to)| to.since(*from))
                    .max()
                    .unwrap_or_default(),
                intervals: record.overlap_intervals(),
            },
            believers: Believers {
                most_at_once: most.unwrap_or(0) as u32,
                intervals: record.intervals(&record.believers),
            },
            writes,
            lost_writes,
            stray_branches,
            outside: self.outside,
            writable: end.since(first_writable).saturating_sub(dry),
            outages,
            failovers: handovers
                .map(|handover| failover(handover, &record, &self.scenario))
                .collect(),
            store: StoreFigures {
                leader_changes: self.machines.leader_changes(),
                no_quorum: no_quorum(&record),
                renewals: record.renewals.len() as u32,
                longest_renewal_gap: longest_gap(&record),
            },
            findings: self.watched.findings(engine),
            record,
        }
    }
}

fn push(changes: &mut Vec<Change>, from: SimTime, (nodes, event): (NodeSet, Option<EventId>)) {
    let before = changes.last().map_or(NodeSet::EMPTY, |change| change.nodes);
    if nodes != before {
        changes.push(Change { from, nodes, event });
    }
}

fn no_quorum(record: &Record) -> Span {
    let spans = record.no_quorum.iter().map(|dark| dark.to.since(dark.from));
    spans.fold(Span::ZERO, |sum, span| sum + span)
}

fn longest_gap(record: &Record) -> Span {
    let gaps = record.renewals.windows(2).map(|pair| pair[1].at.since(pair[0].at));
    gaps.max().unwrap_or_default()
}

fn adjusted(scenario: &Scenario) -> Vec<Adjusted> {
    let adjusted = |a: &crate::scenario::Adjustment| Adjusted {
        key: a.key.clone(),
        from: a.from.clone(),
        to: a.to.clone(),
        why: a.why.clone(),
    };
    scenario.adjusted.iter().map(adjusted).collect()
}
