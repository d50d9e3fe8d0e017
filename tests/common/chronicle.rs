//! A run as the tests read it: the verdict, and everything that the actors noted on the way.
#![allow(dead_code)] // each test file asks for other things

use leaselab::agent::Bugs;
use leaselab::engine::{Event, HostId, Life, Observer, Place, SimTime, What};
use leaselab::scenario::{MORE, Scenario};
use leaselab::verdict::{Meter, Verdict, with_nth_seed};
use leaselab::vocabulary::{
    Demotion, Item, Key, Message, NodeId, Note, Phase, StoreAnswer, SyncState, Value, WatchEvent, Words, WriteOutcome,
};
use leaselab::world::{Layout, Part, World};

/// What was noted, by whom and when; writes only when they were acknowledged.
pub struct Chronicle {
    layout: Layout,
    pub notes: Vec<(SimTime, Part, Note)>,
    pub lives: Vec<(SimTime, Part, Life)>,
    /// Acknowledged writes: when their clients heard of them, and which database had made them.
    pub commits: Vec<(SimTime, NodeId)>,
}

impl Observer<Words> for Chronicle {
    const FULL: bool = false;

    fn record(&mut self, event: Event<Words>) {
        let process = match event.place {
            Place::Process(process) => process,
            Place::Host(host) => return self.host(event.at, host, &event.what),
            Place::Network => return,
        };
        let part = self.layout.part(process);
        match event.what {
            What::Life(life) => self.lives.push((event.at, part, life)),
            What::Note(Note::Write {
                outcome: WriteOutcome::Acknowledged { by, .. },
                ..
            }) => self.commits.push((event.at, by)),
            What::Note(Note::Write { .. }) => {}
            What::Note(note) => self.notes.push((event.at, part, note)),
            _ => {}
        }
    }
}

impl Chronicle {
    /// What happens to a host happens to the database on it.
    fn host(&mut self, at: SimTime, host: HostId, what: &What<Words>) {
        let mut nodes = self.layout.node_ids();
        let on_it = nodes.find(|node| self.layout.host_of(self.layout.node(*node).postgres) == host);
        if let (What::Life(life), Some(node)) = (what, on_it) {
            self.lives.push((at, Part::Postgres(node), *life));
        }
    }
}

/// What the agents' watchers were told of the store's keys.
#[derive(Default)]
pub struct Keys {
    pub changes: Vec<(SimTime, WatchEvent)>,
}

impl Observer<Words> for Keys {
    const FULL: bool = true;

    fn record(&mut self, event: Event<Words>) {
        let What::Received { message, .. } = event.what else {
            return;
        };
        let events = match message {
            Message::WatchEvents { events, .. } => events,
            Message::StoreReply {
                answer: Ok(StoreAnswer::Items(items)),
                ..
            } => items.into_iter().map(WatchEvent::Put).collect(),
            _ => return,
        };
        self.changes.extend(events.into_iter().map(|change| (event.at, change)));
    }
}

/// One run.
pub struct Told {
    pub chronicle: Chronicle,
    pub keys: Keys,
    pub verdict: Verdict,
}

pub fn named(name: &str) -> Scenario {
    let found = MORE.iter().find(|(n, _)| *n == name);
    parsed(found.unwrap_or_else(|| panic!("no scenario {name}")).1)
}

pub fn parsed(text: &str) -> Scenario {
    Scenario::parse(text, "test").unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

pub fn told(scenario: &Scenario, bugs: Bugs) -> Told {
    let mut world = World::with_bugs(scenario, bugs);
    let chronicle = Chronicle {
        layout: world.layout().clone(),
        notes: Vec::new(),
        lives: Vec::new(),
        commits: Vec::new(),
    };
    let mut observers = (chronicle, Meter::new(scenario, world.layout()));
    let end = SimTime::ZERO + scenario.duration;
    world.run_until(end, &mut observers);
    let (chronicle, meter) = observers;
    let verdict = meter.finish(end, world.events(), world.findings(), None);
    let keys = Keys::default();
    Told {
        chronicle,
        keys,
        verdict,
    }
}

/// The same with what the watchers were told, which takes longer.
pub fn told_with_keys(scenario: &Scenario, bugs: Bugs) -> Told {
    let (mut keys, mut world) = (Keys::default(), World::with_bugs(scenario, bugs));
    world.run_until(SimTime::ZERO + scenario.duration, &mut keys);
    Told {
        keys,
        ..told(scenario, bugs)
    }
}

/// The scenario with its own seed and the following ones.
pub fn told_by_seeds(scenario: &Scenario, seeds: u32, bugs: Bugs) -> Vec<Told> {
    let half = |odd: u32| {
        let mine = (0..seeds).filter(move |n| n % 2 == odd);
        mine.map(|n| told(&with_nth_seed(scenario, n), bugs))
            .collect::<Vec<_>>()
    };
    let (even, odd) = std::thread::scope(|scope| {
        let odd = scope.spawn(|| half(1));
        (half(0), odd.join().expect("no panic"))
    });
    let mut all: Vec<Told> = even.into_iter().chain(odd).collect();
    all.sort_by_key(|told| told.verdict.seed);
    all
}

impl Told {
    /// When such a note was first made at or after `from`.
    pub fn first(&self, from: SimTime, wanted: impl Fn(Part, &Note) -> bool) -> Option<SimTime> {
        let mut notes = self.chronicle.notes.iter();
        notes
            .find(|(at, part, note)| *at >= from && wanted(*part, note))
            .map(|(at, ..)| *at)
    }

    pub fn count(&self, from: SimTime, wanted: impl Fn(Part, &Note) -> bool) -> usize {
        let wanted = |(at, part, note): &&(SimTime, Part, Note)| *at >= from && wanted(*part, note);
        self.chronicle.notes.iter().filter(wanted).count()
    }

    /// When the agent of this node first noted this.
    pub fn agent(&self, node: NodeId, from: SimTime, wanted: impl Fn(&Note) -> bool) -> Option<SimTime> {
        self.first(from, |part, note| part == Part::Agent(node) && wanted(note))
    }

    pub fn demotes(&self, node: NodeId, from: SimTime) -> Option<(SimTime, Demotion)> {
        self.chronicle.notes.iter().find_map(|(at, part, note)| match note {
            Note::Demotes(why) if *part == Part::Agent(node) && *at >= from => Some((*at, *why)),
            _ => None,
        })
    }

    /// When the database of this node first ceased to be a primary: what it said, or the end of its process.
    pub fn ceased(&self, node: NodeId, from: SimTime) -> Option<SimTime> {
        let said = self.first(from, |part, note| {
            part == Part::Postgres(node) && matches!(note, Note::Database(db) if db.phase != Phase::Primary)
        });
        let ended = |(at, part, life): &&(SimTime, Part, Life)| {
            *at >= from && *part == Part::Postgres(node) && matches!(life, Life::Killed | Life::Exited)
        };
        let ended = self.chronicle.lives.iter().find(ended).map(|(at, ..)| *at);
        said.into_iter().chain(ended).min()
    }

    pub fn key_deleted(&self, from: SimTime) -> Option<SimTime> {
        self.first(from, |part, note| {
            matches!(part, Part::Store(_)) && matches!(note, Note::KeyDeleted { key: Key::Leader, .. })
        })
    }

    /// The first change of a key at or after `from` that is like this.
    pub fn key(&self, from: SimTime, wanted: impl Fn(&Value) -> bool) -> Option<SimTime> {
        let wanted = |(at, change): &&(SimTime, WatchEvent)| {
            *at >= from && matches!(change, WatchEvent::Put(item) if wanted(&item.value))
        };
        self.keys.changes.iter().find(wanted).map(|(at, _)| *at)
    }

    /// What `/sync` says at `at`, as the watchers know it.
    pub fn sync(&self, at: SimTime) -> Option<SyncState> {
        let mut known = self.keys.changes.iter().rev().filter(|(t, _)| *t <= at);
        known.find_map(|(_, change)| match change {
            WatchEvent::Put(Item {
                value: Value::Sync(sync),
                ..
            }) => Some(*sync),
            _ => None,
        })
    }

    /// When this node's database is first writable at or after `from`.
    pub fn primary(&self, node: NodeId, from: SimTime) -> Option<SimTime> {
        if self.is_primary(node, from) {
            return Some(from);
        }
        let mut changes = self.verdict.record.writable.iter();
        let first = changes.find(|change| change.from >= from && change.nodes.contains(node));
        first.map(|change| change.from)
    }

    /// When this node's database first is not writable at or after `from`.
    pub fn no_primary(&self, node: NodeId, from: SimTime) -> Option<SimTime> {
        if !self.is_primary(node, from) {
            return Some(from);
        }
        let mut changes = self.verdict.record.writable.iter();
        let first = changes.find(|change| change.from >= from && !change.nodes.contains(node));
        first.map(|change| change.from)
    }

    /// When this node first has the leader key at or after `from`.
    pub fn leads(&self, node: NodeId, from: SimTime) -> Option<SimTime> {
        if self.holder(from) == Some(node) {
            return Some(from);
        }
        let mut changes = self.verdict.record.leader_key.iter();
        let first = changes.find(|change| change.at >= from && change.holder == Some(node));
        first.map(|change| change.at)
    }

    /// Who leads the cluster at `at`, by the store.
    pub fn holder(&self, at: SimTime) -> Option<NodeId> {
        self.verdict.at(at).holder
    }

    /// Whether this node's database is writable at `at`.
    pub fn is_primary(&self, node: NodeId, at: SimTime) -> bool {
        self.verdict.at(at).writable.contains(node)
    }
}
