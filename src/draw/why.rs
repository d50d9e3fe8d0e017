//! "Why?": from an event back along what led to it, in sentences, newest first, until a fault or the start of the run.
//!
//! Every event has a cause, and a timeout a because: what took the answer away. Both are followed. A cause leads from
//! step to step of the actors; what an actor stated in a step on the way is the sentence for it. Three things have no
//! cause in the trace, because they happened by something *not* happening; for them the observer looks:
//!
//! | event                      | why |
//! |----------------------------|-----|
//! | a lease expires            | its last renewal, and what kept its owner from the next |
//! | there is no leader         | the leader key was deleted |
//! | a member of the store asks for votes, or stops leading | what keeps the others silent |
//! | a second primary           | what kept the first from being stopped |

mod store;

use super::cast::Cast;
use super::words::{self, sentence};
use crate::engine::{Ended, Event, EventId, FullTrace, Life, Place, ProcId, SimTime, What};
use crate::scenario::Scenario;
use crate::sorting;
use crate::verdict::Verdict;
use crate::vocabulary::{Demotion, Key, LeaseId, NodeId, Note, Phase, Step, Words};
use crate::world::Layout;
use borsh::{BorshDeserialize, BorshSerialize};
use std::collections::{BTreeSet, BinaryHeap};

/// A chain longer than this explains nothing.
const MOST_REASONS: usize = 14;
/// So many events are looked at before the walk is given up.
const MOST_STEPS: usize = 20_000;

/// One sentence of an explanation.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Reason {
    pub event: EventId,
    pub at: SimTime,
    pub text: String,
}

/// What led to an event, newest first. Empty when nothing did (a fault, the start of the run) or there is no such event.
pub fn why(trace: &FullTrace<Words>, layout: &Layout, scenario: &Scenario, event: EventId) -> Vec<Reason> {
    why_within((trace, trace), layout, scenario, event)
}

/// The same of a part of a run, which has the event and what led up to it. `news`: what is kept of the whole run.
pub fn why_within(
    (news, part): (&FullTrace<Words>, &FullTrace<Words>),
    layout: &Layout,
    scenario: &Scenario,
    event: EventId,
) -> Vec<Reason> {
    let cast = Cast::new(news, layout, scenario).joined_by(part);
    let Some(first) = part.get(event) else {
        return Vec::new();
    };
    let mut walk = Walk {
        news,
        trace: part,
        cast: &cast,
        ahead: BinaryHeap::new(),
        seen: BTreeSet::from([event]),
        reasons: Vec::new(),
        last: Vec::new(),
    };
    if let What::Note(Note::Database(database)) = &first.what
        && database.phase == Phase::Primary
    {
        walk.other_primaries(first);
    }
    walk.back_from(first);
    walk.run();
    for (event, text) in std::mem::take(&mut walk.last) {
        walk.say(event, text);
    }
    sorting::by_key(&mut walk.reasons, |reason| std::cmp::Reverse(reason.event));
    walk.reasons
}

fn is_leader_deletion(note: &Note) -> bool {
    matches!(note, Note::KeyDeleted { key: Key::Leader, .. })
}

fn is_expiry(note: &Note) -> bool {
    matches!(note, Note::LeaseExpired { .. })
}

/// What led to the first two primaries of a run; empty when there were none.
pub fn why_two_primaries(
    trace: &FullTrace<Words>,
    layout: &Layout,
    scenario: &Scenario,
    verdict: &Verdict,
) -> Vec<Reason> {
    let first = verdict.record.writable.iter().find(|change| change.nodes.len() >= 2);
    let event = first.and_then(|change| change.event);
    event.map_or_else(Vec::new, |event| why(trace, layout, scenario, event))
}

struct Walk<'a> {
    /// What is kept of the whole run: a fault may be older than what the trace has.
    news: &'a FullTrace<Words>,
    trace: &'a FullTrace<Words>,
    cast: &'a Cast<'a>,
    /// Newest first.
    ahead: BinaryHeap<EventId>,
    seen: BTreeSet<EventId>,
    reasons: Vec<Reason>,
    /// What happened for the last time before it failed to happen, with its sentence.
    last: Vec<(&'a Event<Words>, String)>,
}

impl<'a> Walk<'a> {
    fn run(&mut self) {
        for _ in 0..MOST_STEPS {
            let Some(event) = self.ahead.pop().and_then(|id| self.event(id)) else {
                return;
            };
            if let Some(text) = self.tells(event) {
                self.say(event, text);
            }
            if self.reasons.len() >= MOST_REASONS {
                return;
            }
            self.back_from(event);
        }
    }

    fn say(&mut self, event: &Event<Words>, text: String) {
        // What repeats (a message lost again) is said once, for the newest.
        if !self.reasons.iter().any(|reason| reason.text == text) {
            self.reasons.push(Reason {
                event: event.id,
                at: event.at,
                text,
            });
        }
    }

    fn push(&mut self, id: EventId) {
        if self.seen.insert(id) {
            self.ahead.push(id);
        }
    }

    /// The sentence for an event on the way, if it is worth one.
    fn tells(&self, event: &Event<Words>) -> Option<String> {
        match &event.what {
            What::Note(Note::LeaseExpired { lease }) if self.beside(event, is_leader_deletion) => {
                Some(words::leader_lease_expires(*lease, self.cast))
            }
            // The expiry says it.
            What::Note(note) if is_leader_deletion(note) && self.beside(event, is_expiry) => None,
            What::Note(Note::Follows(_) | Note::Routes { .. } | Note::StopsBelieving) => None,
            What::Note(Note::Database(database)) if database.phase != Phase::Primary => None,
            What::Note(Note::StoreRole { role, .. }) if !self.tells_place(event, *role) => None,
            What::Note(Note::StoreRole { .. }) => sentence(event, self.cast),
            What::Note(note) => words::tone(note).and_then(|_| sentence(event, self.cast)),
            What::Timer(_) if event.because.is_some() => {
                Some(format!("{} waited in vain for an answer", self.cast.whom(event.place)))
            }
            What::Life(Life::Started) => None,
            // Told by the fault, by the machine it was on, or by the watchdog.
            What::Life(_) => match &self.cause(event)?.what {
                What::Fault { .. } | What::Life(_) => None,
                What::Timer(_) if matches!(event.place, Place::Host(_)) => None,
                _ => sentence(event, self.cast),
            },
            _ => sentence(event, self.cast),
        }
    }

    fn cause(&self, event: &Event<Words>) -> Option<&'a Event<Words>> {
        self.event(event.cause?)
    }

    fn event(&self, id: EventId) -> Option<&'a Event<Words>> {
        self.trace.get(id).or_else(|| self.news.get(id))
    }

    /// Goes on to what led to an event.
    fn back_from(&mut self, event: &Event<Words>) {
        if let Some(because) = event.because {
            self.push(because);
        }
        match &event.what {
            What::Fault { .. } => {}
            What::Dropped { .. } if event.because.is_some() => {}
            What::Note(Note::LeaseExpired { lease }) => self.not_renewed(event, *lease),
            What::Note(note) if is_leader_deletion(note) && self.beside(event, is_expiry) => {
                self.push_last_note(event, is_expiry);
            }
            What::Note(Note::StoreRole { role, .. }) => self.back_from_place(event, *role),
            What::Note(Note::StoreUnreachable) => {
                self.no_store_leader(event);
                self.follow_cause(event);
            }
            What::Note(Note::WatchdogFires) => self.not_pinged(event),
            What::Note(Note::SeesNoLeader) => {
                self.push_last_note(event, is_leader_deletion);
                self.follow_cause(event);
            }
            What::Note(Note::Demotes(Demotion::LockLost)) => {
                let me = self.cast.node_of(event);
                self.push_last_note(
                    event,
                    |note| matches!(note, Note::KeyPut { key: Key::Leader, holder, .. } if *holder != me),
                );
                self.follow_cause(event);
            }
            What::Ended {
                conn,
                how: Ended::Refused | Ended::Reset,
            } => {
                if let Place::Process(me) = event.place
                    && let Some((other, _)) = self.cast.ends(*conn, me)
                {
                    let halt = self.halted(other, event.id);
                    halt.into_iter().for_each(|halt| self.push(halt.id));
                }
                self.follow_cause(event);
            }
            What::Timer(_) if event.because.is_none() && self.is_routine(event) => {}
            _ => self.follow_cause(event),
        }
    }

    /// The cause of an event, and what the actor stated in that step before.
    fn follow_cause(&mut self, event: &Event<Words>) {
        let Some(cause) = self.cause(event) else { return };
        self.push(cause.id);
        for said in self.step_of(cause).take_while(|said| said.id < event.id) {
            if matches!(said.what, What::Note(_)) {
                self.push(said.id);
            }
        }
    }

    /// What an actor did in the step that answered an event: it follows in the trace at once.
    fn step_of(&self, arrival: &Event<Words>) -> impl Iterator<Item = &'a Event<Words>> + use<'a> {
        let (trace, cause) = (self.trace, arrival.id);
        let after = (cause.index() + 1..).map_while(move |at| trace.get(EventId::from_index(at)?));
        after.take_while(move |event| event.cause == Some(cause))
    }

    /// Whether the actor stated something else like this in the step of a note.
    fn beside(&self, note: &Event<Words>, is: fn(&Note) -> bool) -> bool {
        let said = |event: &'a Event<Words>| matches!(&event.what, What::Note(note) if is(note));
        self.cause(note).is_some_and(|cause| self.step_of(cause).any(said))
    }

    /// A timer that comes round again and again: the next cycle of the loop, the store's look at its leases.
    fn is_routine(&self, timer: &Event<Words>) -> bool {
        let begins_cycle = |event: &'a Event<Words>| event.what == What::Note(Note::CycleBegins);
        let tick = self.cause(timer).is_some_and(|cause| {
            cause.place == timer.place
                && matches!((&cause.what, &timer.what), (What::Timer(a), What::Timer(b)) if a == b)
        });
        tick || self.step_of(timer).any(begins_cycle)
    }

    fn before(&self, id: EventId) -> impl Iterator<Item = &'a Event<Words>> + use<'a> {
        let trace = self.trace;
        (0..id.index())
            .rev()
            .map_while(move |at| trace.get(EventId::from_index(at)?))
    }

    fn push_last_note(&mut self, event: &Event<Words>, is: impl Fn(&Note) -> bool) {
        let last = self
            .before(event.id)
            .find(|e| matches!(&e.what, What::Note(note) if is(note)));
        last.into_iter().for_each(|last| self.push(last.id));
    }

    /// A lease expires: when was it last renewed, and what kept its owner from the next renewal?
    fn not_renewed(&mut self, expiry: &Event<Words>, lease: LeaseId) {
        let renews = |event: &&Event<Words>| match &event.what {
            What::Note(Note::LeaseRenewed { lease: l } | Note::LeaseGranted { lease: l, .. }) => *l == lease,
            _ => false,
        };
        let renewal = self.before(expiry.id).find(renews);
        let (Some(owner), Some(renewal)) = (self.cast.owner(lease), renewal) else {
            return;
        };
        self.last.push((
            renewal,
            format!("the store renewed {} lease for the last time", self.cast.owners(lease)),
        ));
        let agent = self.cast.layout.node(owner).agent;
        if let Some(halt) = self.halted(agent, expiry.id) {
            return self.push(halt.id);
        }
        let since = self.before(expiry.id).take_while(|event| event.id > renewal.id);
        let to_store = |event: &&Event<Words>| match &event.what {
            What::Dropped { conn, to, .. } => self.cast.ends(*conn, *to).is_some_and(|(from, to)| {
                (from == agent && self.is_member(to)) || (to == agent && self.is_member(from))
            }),
            _ => false,
        };
        match since.filter(to_store).last() {
            Some(first_loss) => self.push(first_loss.id),
            None => self.busy(owner, expiry),
        }
    }

    /// A watchdog fires: when was it last pinged, and what kept the agent from the next ping?
    fn not_pinged(&mut self, firing: &Event<Words>) {
        let pings = |note: &Note| matches!(note, Note::WatchdogPinged { .. } | Note::WatchdogOpened { .. });
        let ping = self
            .before(firing.id)
            .find(|event| event.place == firing.place && matches!(&event.what, What::Note(note) if pings(note)));
        let (Some(ping), Some(node)) = (ping, self.cast.node_of(firing)) else {
            return;
        };
        self.last.push((
            ping,
            format!("{} got its last sign of life", self.cast.who(firing.place)),
        ));
        match self.halted(self.cast.layout.node(node).agent, firing.id) {
            Some(halt) => self.push(halt.id),
            None => self.busy(node, firing),
        }
    }

    /// Nothing halted an agent and nothing was lost: it was at something else.
    fn busy(&mut self, node: NodeId, at: &Event<Words>) {
        if let Some((event, step)) = self.standing(node, at.id) {
            self.say(
                event,
                format!("{} {} since then", self.cast.name(node), words::step_words(step)),
            );
        }
    }

    fn standing(&self, node: NodeId, at: EventId) -> Option<(&'a Event<Words>, Step)> {
        let agent = Place::Process(self.cast.layout.node(node).agent);
        self.before(at).find_map(|event| match event.what {
            What::Note(Note::Step(step)) if event.place == agent => Some((event, step)),
            _ => None,
        })
    }

    /// What a process, or its machine, stands still or is dead by at `at`.
    fn halted(&self, process: ProcId, at: EventId) -> Option<&'a Event<Words>> {
        let places = [Place::Process(process), Place::Host(self.cast.layout.host_of(process))];
        places.into_iter().find_map(|place| {
            let last = self
                .before(at)
                .find(|event| event.place == place && matches!(event.what, What::Life(_)))?;
            matches!(last.what, What::Life(Life::Paused | Life::Killed | Life::Exited)).then_some(last)
        })
    }

    /// A database becomes primary: what kept the others that already are from being stopped?
    fn other_primaries(&mut self, event: &Event<Words>) {
        let me = self.cast.node_of(event);
        let others: Vec<NodeId> = self.cast.layout.node_ids().filter(|&node| Some(node) != me).collect();
        for other in others {
            let database = self.cast.layout.node(other).postgres;
            let phase = self.before(event.id).find_map(|e| match &e.what {
                What::Note(Note::Database(database))
                    if e.place == Place::Process(self.cast.layout.node(other).postgres) =>
                {
                    Some(database.phase)
                }
                _ => None,
            });
            if phase != Some(Phase::Primary) || self.halted(database, event.id).is_some() {
                continue;
            }
            let name = self.cast.name(other);
            let agent = self.cast.layout.node(other).agent;
            let text = match self.halted(agent, event.id) {
                Some(halt) => {
                    self.push(halt.id);
                    let how = if halt.what == What::Life(Life::Paused) {
                        "frozen"
                    } else {
                        "dead"
                    };
                    format!("{name}'s database still accepts writes: its agent, which alone would stop it, is {how}")
                }
                None => match self.standing(other, event.id) {
                    Some((_, step)) => format!(
                        "{name}'s database still accepts writes: its agent has not stopped it yet, it {}",
                        words::step_words(step)
                    ),
                    None => format!("{name}'s database still accepts writes"),
                },
            };
            self.say(event, text);
        }
    }
}
