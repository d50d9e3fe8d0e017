//! Why two databases were writable at once: the hazards that are known (patroni.md 15), told apart by what happened to
//! the agent of the one that should have stopped.
//!
//! What is looked at lies between the last renewal of its lease and the instant at which the second database opened.
//! Several hazards can meet; the one that comes first in the list of [`Cause`] is named.

use super::NodeSet;
use super::leader_key::LeaderKey;
use crate::engine::{Life, Place, SimTime, Span};
use crate::scenario::{Fault, FaultKind, Host, Scenario, Target};
use crate::vocabulary::{NodeId, Note, Order, Phase, Step};
use crate::world::{Layout, Part};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;

/// A hazard; in brackets its number in patroni.md 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, BorshSerialize, BorshDeserialize)]
pub enum Cause {
    /// Nothing demotes anybody in maintenance mode (D13).
    #[serde(rename = "maintenance mode")]
    Maintenance,
    /// Two agents had one name, and both held the key (D12).
    #[serde(rename = "same name")]
    SameName,
    /// An agent stood still between the won key and the promotion, and promoted without it (D9).
    #[serde(rename = "promoted without the key")]
    PromotedWithoutKey,
    /// It took its expired key again while another was promoted (D10).
    #[serde(rename = "expired key taken again")]
    ExpiredKeyTaken,
    /// The agent's copy of the keys was stale (D10, D3).
    #[serde(rename = "stale copy")]
    StaleCopy,
    /// The key went although its lease had been renewed in time (D8).
    #[serde(rename = "key lost early")]
    KeyLostEarly,
    /// Its watchdog was pinged so late after the renewal that it fires only after the lease (patroni.md 6).
    #[serde(rename = "late watchdog ping")]
    LatePing,
    /// The agent was dead (D1).
    #[serde(rename = "agent dead")]
    AgentDead,
    /// Agent and database stood still together, and the database woke first (D4).
    #[serde(rename = "machine paused")]
    MachinePaused,
    /// The agent stood still (D2).
    #[serde(rename = "agent frozen")]
    AgentFrozen,
    /// The HA loop stood still, while the agent's other threads went on (D3).
    #[serde(rename = "loop blocked")]
    LoopBlocked,
    /// The wall clock was stepped (D14).
    #[serde(rename = "clock step")]
    ClockStep,
    /// It led on by consent of the members while another was promoted (D7).
    #[serde(rename = "failsafe mode")]
    Failsafe,
    /// It waited for the store for so long that the lease ran out: renewals, or the list of servers (D5).
    #[serde(rename = "mute store")]
    MuteStore,
    /// It had decided to stop, and the stop took longer than the lease (D5, D6).
    #[serde(rename = "slow stop")]
    SlowStop,
    #[serde(rename = "unknown")]
    Unknown,
}

impl Cause {
    pub const ALL: [Cause; 16] = [
        Cause::Maintenance,
        Cause::SameName,
        Cause::PromotedWithoutKey,
        Cause::ExpiredKeyTaken,
        Cause::StaleCopy,
        Cause::KeyLostEarly,
        Cause::LatePing,
        Cause::AgentDead,
        Cause::MachinePaused,
        Cause::AgentFrozen,
        Cause::LoopBlocked,
        Cause::ClockStep,
        Cause::Failsafe,
        Cause::MuteStore,
        Cause::SlowStop,
        Cause::Unknown,
    ];

    /// After "node1 was still writable because".
    pub fn words(self) -> &'static str {
        match self {
            Cause::Maintenance => "in maintenance mode nothing is demoted",
            Cause::SameName => "two agents had the same name",
            Cause::PromotedWithoutKey => "it was promoted after it had lost the key again",
            Cause::LatePing => "its watchdog had been pinged too late after the renewal of its lease",
            Cause::AgentDead => "its agent was dead and nothing else stops a database",
            Cause::MachinePaused => "its machine stood still, and the database went on before its agent had looked",
            Cause::AgentFrozen => "its agent stood still and nothing else stops a database",
            Cause::LoopBlocked => "the loop of its agent stood still",
            Cause::StaleCopy => "its agent looked at an old copy of the store's keys",
            Cause::ClockStep => "its wall clock was stepped, and its agent sleeps by that clock",
            Cause::KeyLostEarly => "its key went although it had been renewed in time",
            Cause::Failsafe => "the members had agreed that it leads on without the store",
            Cause::ExpiredKeyTaken => "it had taken its expired key again",
            Cause::MuteStore => "its agent waited for a mute store until the lease had run out",
            Cause::SlowStop => "its agent had decided to stop it, too late for the lease",
            Cause::Unknown => "of something that is not known",
        }
    }
}

/// A condition: since when, and when it was over last.
#[derive(Clone, Copy, Debug, Default)]
struct Spell {
    since: Option<SimTime>,
    over: Option<SimTime>,
    /// How many faults make it so, where it is made so by faults.
    faults: u8,
}

impl Spell {
    fn set(&mut self, at: SimTime, on: bool) {
        match (on, self.since) {
            (true, None) => self.since = Some(at),
            (false, Some(_)) => (self.since, self.over) = (None, Some(at)),
            _ => {}
        }
    }
    /// One more fault makes it so, or one less.
    fn fault(&mut self, at: SimTime, begins: bool) {
        self.faults = if begins {
            self.faults + 1
        } else {
            self.faults.saturating_sub(1)
        };
        self.set(at, self.faults > 0);
    }
    /// It was so at some time after `from`.
    fn after(self, from: SimTime) -> bool {
        self.since.is_some() || self.over.is_some_and(|over| over > from)
    }
}

/// What is known of a node's agent.
#[derive(Clone, Copy, Debug, Default)]
struct Facts {
    /// As its agent goes by them.
    ttl: Span,
    loop_wait: Span,
    dead: Spell,
    frozen: Spell,
    machine_paused: Spell,
    loop_blocked: Spell,
    watcher_blocked: Spell,
    maintenance: bool,
    /// A wall clock that was set back makes it sleep so much longer, up to this instant.
    oversleeps_until: Option<SimTime>,
    other_name: bool,
    step: Option<Step>,
    acquired: Option<SimTime>,
    /// It acquired the key while its database was a primary.
    retook: Option<SimTime>,
    failsafe: Option<SimTime>,
    promoted_without_key: Option<SimTime>,
    database: Option<Phase>,
    renewed: Option<SimTime>,
    /// When its watchdog resets the machine, while it is open.
    watchdog_fires: Option<SimTime>,
}

#[derive(Clone, Debug)]
pub(super) struct Causes {
    nodes: Vec<Facts>,
}

impl Causes {
    pub fn new(scenario: &Scenario) -> Causes {
        let facts = Facts {
            ttl: scenario.patroni.ttl,
            loop_wait: scenario.patroni.loop_wait,
            ..Facts::default()
        };
        Causes {
            nodes: vec![facts; scenario.cluster.nodes.len()],
        }
    }

    pub fn life(&mut self, at: SimTime, place: Place, life: Life, layout: &Layout) {
        let Some(node) = layout.node_at(place) else { return };
        let facts = &mut self.nodes[node.index()];
        match (place, life) {
            (Place::Process(process), _) if layout.part(process) == Part::Agent(node) => match life {
                Life::Started => {
                    facts.dead.set(at, false);
                    facts.frozen.set(at, false);
                }
                Life::Exited | Life::Killed => facts.dead.set(at, true),
                Life::Paused => facts.frozen.set(at, true),
                Life::Resumed => facts.frozen.set(at, false),
            },
            (Place::Host(_), Life::Paused) => facts.machine_paused.set(at, true),
            (Place::Host(_), Life::Resumed | Life::Started) => facts.machine_paused.set(at, false),
            _ => {}
        }
    }

    pub fn fault(&mut self, at: SimTime, fault: &Fault, begins: bool) {
        match &fault.what {
            FaultKind::ClockStep {
                host: Host::Node(node),
                by_us,
            } if *by_us < 0 => {
                let facts = &mut self.nodes[*node];
                let until = at + Span(by_us.unsigned_abs()) + facts.loop_wait * 2;
                facts.oversleeps_until = facts.oversleeps_until.max(Some(until));
            }
            FaultKind::Order { target, order } => {
                let (Target::Process(node, _) | Target::Host(Host::Node(node))) = *target else {
                    return;
                };
                let facts = &mut self.nodes[node];
                match order {
                    Order::BlockLoop => facts.loop_blocked.fault(at, begins),
                    Order::BlockWatcher => facts.watcher_blocked.fault(at, begins),
                    Order::TakeName { .. } => facts.other_name = true,
                    _ => {}
                }
            }
            _ => {}
        }
    }

    pub fn agent(&mut self, at: SimTime, node: NodeId, note: &Note, key: &LeaderKey) {
        let facts = &mut self.nodes[node.index()];
        match note {
            Note::Step(step) => facts.step = Some(*step),
            Note::AdoptsTimings { ttl, loop_wait, .. } => (facts.ttl, facts.loop_wait) = (*ttl, *loop_wait),
            Note::Maintenance { on } => facts.maintenance = *on,
            Note::FailsafeHolds => facts.failsafe = Some(at),
            Note::NameTaken => facts.other_name = false,
            Note::Acquires => {
                facts.acquired = Some(at);
                if facts.database == Some(Phase::Primary) {
                    facts.retook = Some(at);
                }
            }
            Note::OrdersPromotion if key.holder != Some(node) => facts.promoted_without_key = Some(at),
            _ => {}
        }
    }

    pub fn database(&mut self, at: SimTime, node: NodeId, phase: Phase, key: &LeaderKey) {
        let facts = &mut self.nodes[node.index()];
        let promoted = phase == Phase::Primary && facts.database == Some(Phase::Promoting);
        if promoted && key.holder != Some(node) && !facts.other_name {
            facts.promoted_without_key = Some(at);
        }
        facts.database = Some(phase);
    }

    pub fn watchdog(&mut self, at: SimTime, node: NodeId, note: &Note) {
        let fires = &mut self.nodes[node.index()].watchdog_fires;
        match note {
            Note::WatchdogOpened { timeout } | Note::WatchdogPinged { timeout } => *fires = Some(at + *timeout),
            Note::WatchdogClosed | Note::WatchdogFires => *fires = None,
            _ => {}
        }
    }

    /// The store has heard from the holder of the key.
    pub fn renewed(&mut self, at: SimTime, holder: NodeId) {
        self.nodes[holder.index()].renewed = Some(at);
    }

    /// Which of these should not be writable from `at` on, and why it is.
    pub fn of(&self, at: SimTime, writable: NodeSet, key: &LeaderKey) -> (NodeId, Cause) {
        let without_key = writable.iter().filter(|&node| key.holder != Some(node));
        let causes = without_key.map(|node| (self.of_node(at, node, key), node));
        // A holder that took its expired key again explains a second primary that nothing else explains.
        let retook = writable.iter().filter(|&node| {
            let facts = &self.nodes[node.index()];
            key.holder == Some(node) && facts.retook.is_some_and(|at| facts.renewed.is_none_or(|r| r >= at))
        });
        let causes = causes.chain(retook.map(|node| (Cause::ExpiredKeyTaken, node)));
        // The list of causes is in the order of what explains most, and ends with none.
        let first = causes.min().map(|(cause, node)| (node, cause));
        first.unwrap_or((NodeId(0), Cause::Unknown))
    }

    fn of_node(&self, at: SimTime, node: NodeId, key: &LeaderKey) -> Cause {
        let facts = &self.nodes[node.index()];
        let from = facts.renewed.unwrap_or(SimTime::ZERO);
        let gone = key
            .changes
            .iter()
            .rev()
            .find(|change| change.holder.is_none())
            .map(|change| change.at);
        let early = gone.is_some_and(|gone| gone >= from && gone < from + facts.ttl);
        let late_ping = facts
            .watchdog_fires
            .is_some_and(|fires| fires > at && fires > from + facts.ttl);
        let sleeps_too_long =
            facts.step == Some(Step::Sleeping) && facts.oversleeps_until.is_some_and(|until| at <= until);
        let recently = |instant: Option<SimTime>| instant.is_some_and(|instant| instant >= from && instant <= at);
        let stops = matches!(facts.step, Some(Step::StoppingDatabase | Step::ReleasingKey));
        let checks = [
            (facts.maintenance, Cause::Maintenance),
            (self.nodes.iter().any(|facts| facts.other_name), Cause::SameName),
            (
                facts
                    .promoted_without_key
                    .is_some_and(|p| p >= from || facts.acquired.is_some_and(|a| p >= a)),
                Cause::PromotedWithoutKey,
            ),
            (facts.watcher_blocked.after(from), Cause::StaleCopy),
            (early, Cause::KeyLostEarly),
            (late_ping, Cause::LatePing),
            (facts.dead.after(from), Cause::AgentDead),
            (facts.machine_paused.after(from), Cause::MachinePaused),
            (facts.frozen.after(from), Cause::AgentFrozen),
            (facts.loop_blocked.after(from), Cause::LoopBlocked),
            (sleeps_too_long, Cause::ClockStep),
            (
                recently(facts.failsafe) || facts.step == Some(Step::AskingFailsafe),
                Cause::Failsafe,
            ),
            (waits_for_store(facts.step), Cause::MuteStore),
            (stops, Cause::SlowStop),
        ];
        checks
            .into_iter()
            .find(|(holds, _)| *holds)
            .map_or(Cause::Unknown, |(_, cause)| cause)
    }
}

fn waits_for_store(step: Option<Step>) -> bool {
    matches!(
        step,
        Some(
            Step::ReadingCluster
                | Step::RenewingLease
                | Step::PublishingStatus
                | Step::PublishingMember
                | Step::AcquiringKey
        )
    )
}
