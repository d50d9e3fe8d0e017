#![cfg(not(target_arch = "wasm32"))]
//! Every behaviour of three members within bounds, by model checking the very same Raft code: any timer may fire at any
//! step, any message may arrive late, out of order or never, and members may crash and start again.
//!
//! The bounds are those of [`Group`]. A state beyond them is not looked at, so two messages under way mean: behaviours in
//! which there are never more. A message said twice while it is under way arrives once; said again later it arrives again.
//!
//! Time is taken out of the state: with timeouts of zero ticks every deadline is always there, and the checker decides when
//! a timer fires. What is asked for to be on disk is on disk within the step, so that a crash between a write and the
//! messages that wait for it is the same as the loss of those messages.

use leaselab::raft::{Command, Config, Durable, Index, MemberId, Message, Raft, RoleName, Step, Term, Tick};
use siphasher::sip::SipHasher13;
use stateright::{Checker, HasDiscoveries, Model, Property};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

const ELECTION_SAFETY: &str = "at most one member is elected in a term";
const LOG_MATCHING: &str = "logs with the same term at an index are the same up to it";
const LEADER_COMPLETENESS: &str = "a leader has what was committed in earlier terms";
const STATE_MACHINE_SAFETY: &str = "what was committed at an index never changes";
const SOMETHING_HAPPENS: &str = "a log is full and committed";

const MEMBERS: usize = 3;
/// From 0 to the highest, and one beyond the bound.
const TERMS: usize = 6;

/// How far the checker looks.
#[derive(Clone, Copy, Debug)]
struct Group {
    terms_max: u64,
    log_max: u64,
    /// Messages under way.
    flight_max: usize,
    /// Crashes of which the member comes back at once.
    restarts_max: u8,
    /// Whether leaders are given commands, besides the empty entry that each begins with: as many as a log may hold.
    commands: bool,
    config: Config,
}

/// A member as the checker keeps it: shared by all states in which it is the same, and hashed once.
#[derive(Clone, Debug)]
struct Shared<T>(u64, Arc<T>);

impl<T: Hash> Shared<T> {
    fn new(value: T) -> Shared<T> {
        // A hasher with fixed keys: the same state has the same hash in every run.
        let mut hasher = SipHasher13::new();
        value.hash(&mut hasher);
        Shared(hasher.finish(), Arc::new(value))
    }
}
impl<T> Hash for Shared<T> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.0);
    }
}
impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Shared<T>) -> bool {
        self.0 == other.0 && self.1 == other.1
    }
}

#[derive(Clone, Debug, PartialEq, Hash)]
struct Envelope {
    from: MemberId,
    to: MemberId,
    message: Message<()>,
}

#[derive(Clone, Debug, PartialEq, Hash)]
struct State {
    members: [Shared<Raft<()>>; MEMBERS],
    /// In order, each once.
    network: Vec<Shared<Envelope>>,
    restarts: u8,
    /// By term: who was elected first, and whether anywhere another was.
    elected: [Option<MemberId>; TERMS],
    two_elected: bool,
    /// By index: the term of the entry that was committed there first, and in whose term.
    decided: Vec<(Term, Term)>,
    two_decided: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Action {
    Timer(usize),
    Propose(usize),
    Restart(usize),
    Deliver(Shared<Envelope>),
    Lose(Shared<Envelope>),
}

impl State {
    fn step(&mut self, member: usize, act: impl Fn(&mut Raft<()>, &mut Step<'_, ()>)) {
        let before = &self.members[member].1;
        let (mut raft, committed) = (Raft::clone(before), before.committed());
        let mut commands = Vec::new();
        let mut step = Step {
            now: Tick(0),
            draw: &mut |_| 0,
            commands: &mut commands,
        };
        act(&mut raft, &mut step);
        if step.commands.contains(&Command::Persist) {
            raft.persisted(&mut step);
        }
        let from = raft.id();
        for command in commands {
            match command {
                Command::Send { to, message, .. } => self.send(Envelope { from, to, message }),
                Command::Became {
                    role: RoleName::Leader,
                    term,
                } => {
                    let first = *self.elected[term.0 as usize].get_or_insert(from);
                    self.two_elected |= first != from;
                }
                _ => {}
            }
        }
        for index in committed.0 + 1..=raft.committed().0 {
            let entry = raft.log().term(Index(index)).unwrap_or_default();
            match self.decided.get(index as usize - 1) {
                Some((first, _)) => self.two_decided |= *first != entry,
                None => self.decided.push((entry, raft.term())),
            }
        }
        self.members[member] = Shared::new(raft);
    }

    fn send(&mut self, envelope: Envelope) {
        let envelope = Shared::new(envelope);
        if let Err(at) = self.network.binary_search_by_key(&envelope.0, |other| other.0) {
            self.network.insert(at, envelope);
        }
    }

    fn take(&mut self, envelope: &Shared<Envelope>) {
        self.network.retain(|other| other.0 != envelope.0);
    }
}

impl Model for Group {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let start = |id| Raft::start(MemberId(id), self.config, Durable::default(), Tick(0), &mut |_| 0);
        vec![State {
            members: [0, 1, 2].map(|id| Shared::new(start(id))),
            network: Vec::new(),
            restarts: 0,
            elected: [None; TERMS],
            two_elected: false,
            decided: Vec::new(),
            two_decided: false,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        // Before anything has happened all members are alike: which of them begins makes no difference.
        let is_new = |member: &Shared<Raft<()>>| (member.1.role(), member.1.term()) == (RoleName::Follower, Term(0));
        if state.members.iter().all(is_new) {
            return actions.push(Action::Timer(0));
        }
        for (member, Shared(_, raft)) in state.members.iter().enumerate() {
            actions.push(Action::Timer(member));
            if self.commands && raft.role() == RoleName::Leader && raft.log().last().0 < self.log_max {
                actions.push(Action::Propose(member));
            }
            if state.restarts < self.restarts_max {
                actions.push(Action::Restart(member));
            }
        }
        actions.extend(state.network.iter().cloned().map(Action::Deliver));
        actions.extend(state.network.iter().cloned().map(Action::Lose));
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Timer(member) => state.step(member, |raft, step| raft.tick(step)),
            Action::Propose(member) => state.step(member, |raft, step| {
                raft.propose((), step);
            }),
            Action::Deliver(envelope) => {
                state.take(&envelope);
                let Envelope { from, to, message } = &*envelope.1;
                state.step(usize::from(to.0), |raft, step| {
                    raft.receive(*from, message.clone(), step)
                });
            }
            Action::Lose(envelope) => state.take(&envelope),
            Action::Restart(member) => {
                let raft = &state.members[member].1;
                let raft = Raft::start(raft.id(), self.config, raft.durable(), Tick(0), &mut |_| 0);
                state.members[member] = Shared::new(raft);
                state.restarts += 1;
            }
        }
        Some(state)
    }

    fn within_boundary(&self, state: &State) -> bool {
        let fits =
            |member: &Shared<Raft<()>>| member.1.term().0 <= self.terms_max && member.1.log().last().0 <= self.log_max;
        state.network.len() <= self.flight_max && state.members.iter().all(fits)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ELECTION_SAFETY, |_, state: &State| !state.two_elected),
            Property::always(LOG_MATCHING, |_, state: &State| {
                let pairs = state
                    .members
                    .iter()
                    .flat_map(|a| state.members.iter().map(move |b| (a, b)));
                pairs.into_iter().all(|(a, b)| logs_match(&a.1, &b.1))
            }),
            Property::always(LEADER_COMPLETENESS, |_, state: &State| {
                state.members.iter().all(|raft| is_complete(&raft.1, &state.decided))
            }),
            Property::always(STATE_MACHINE_SAFETY, |_, state: &State| !state.two_decided),
            Property::sometimes(SOMETHING_HAPPENS, |group: &Group, state: &State| {
                state.decided.len() as u64 == group.log_max
            }),
        ]
    }
}

fn logs_match(a: &Raft<()>, b: &Raft<()>) -> bool {
    let both = a.log().last().min(b.log().last());
    let same = |index: &u64| a.log().get(Index(*index)) == b.log().get(Index(*index));
    let newest_same = (1..=both.0).rev().find(same).unwrap_or(0);
    (1..=newest_same).all(|index| same(&index))
}

fn is_complete(raft: &Raft<()>, decided: &[(Term, Term)]) -> bool {
    raft.role() != RoleName::Leader
        || decided.iter().enumerate().all(|(i, (entry, in_term))| {
            *in_term >= raft.term() || raft.log().term(Index(i as u64 + 1)) == Some(*entry)
        })
}

/// No pre-vote, no check-quorum; one entry a message.
fn group(terms_max: u64, log_max: u64) -> Group {
    Group {
        terms_max,
        log_max,
        flight_max: 2,
        restarts_max: 0,
        commands: false,
        config: Config {
            election: 0,
            heartbeat: 0,
            entries_max: 1,
            ..Config::paper(MEMBERS as u8)
        },
    }
}

/// etcd's settings. A leader's timer is its heartbeat and its check of the quorum in one.
fn etcd(terms_max: u64, log_max: u64) -> Group {
    let mut group = group(terms_max, log_max);
    (group.config.pre_vote, group.config.check_quorum) = (true, true);
    group
}

/// Leaders are given as many commands as a log may hold.
fn with_commands(group: Group) -> Group {
    let commands = true;
    Group { commands, ..group }
}

fn with_a_restart(group: Group) -> Group {
    let restarts_max = 1;
    Group { restarts_max, ..group }
}

/// Everything holds in all of the so many states.
fn explore(group: Group, states: usize) {
    let checker = group.checker().threads(2).spawn_bfs().join();
    checker.assert_properties();
    assert_eq!(checker.unique_state_count(), states);
}

/// There is a behaviour that breaks the sentence.
fn breaks(group: Group, sentence: &'static str) {
    let until = HasDiscoveries::AnyOf([sentence].into());
    let checker = group.checker().finish_when(until).threads(2).spawn_dfs().join();
    checker.assert_any_discovery(sentence);
}

/// Wider bounds with `LEASELAB_EVIDENCE=1`: some minutes, and 4 GB.
fn evidence() -> bool {
    std::env::var_os("LEASELAB_EVIDENCE").is_some()
}

#[test]
fn three_terms_and_logs_of_three_entries() {
    match evidence() {
        true => explore(with_commands(group(3, 3)), 16_130_352),
        false => explore(group(3, 3), 1_540_388),
    }
}

#[test]
fn a_restart_at_any_step() {
    match evidence() {
        true => explore(with_a_restart(group(3, 3)), 9_772_429),
        false => explore(with_a_restart(with_commands(group(2, 2))), 1_433_803),
    }
}

#[test]
fn two_terms_with_pre_vote_and_check_quorum() {
    match evidence() {
        true => explore(etcd(2, 2), 2_891_646),
        false => explore(etcd(2, 1), 748_236),
    }
}

#[test]
fn a_vote_that_is_not_on_disk_elects_two() {
    let mut group = with_a_restart(group(1, 1));
    group.config.bugs.vote_not_persisted = true;
    breaks(group, ELECTION_SAFETY);
}

#[test]
fn old_entries_committed_by_counting_are_overwritten() {
    // Figure 8 with three members: an entry of term 1 is counted in term 3 and overwritten in term 4.
    let mut group = group(4, 2);
    group.config.bugs.commit_old_terms_by_counting = true;
    breaks(group, STATE_MACHINE_SAFETY);
}
