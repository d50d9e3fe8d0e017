//! Builds the actors of a scenario and runs them.

mod clocks;
mod layout;
mod lease;
mod named;
mod strikes;

pub use clocks::{ClocksRun, Told, ToldCommit, ToldLease};
pub use layout::{Layout, NodeProcesses, Part};
pub use lease::{LeaseLayout, LeaseWorld};
pub use named::Named;

use crate::agent::{Agent, Bugs, Config};
use crate::engine::{
    Actor, Ctx, Engine, Finding, FullTrace, Furnishing, HostId, Input, MonoTime, Observer, ProcId, SimTime, Span,
    Starts, WallTime,
};
use crate::fence::{Effects, Fence, FenceRule, FenceScope, Resource};
use crate::postgres::Postgres;
use crate::raft::{self, MemberId};
use crate::scenario::{Patroni, Scenario, StoreVersion, SynchronousCommit, SynchronousMode, TimingRules};
use crate::sorting;
use crate::store::{Member, MemberConfig, Phases};
use crate::traffic::{Places, Router, Writer};
use crate::vocabulary::{
    DbRole, History, Key, LeaseId, Lsn, NodeId, NodeSet, Position, RecoveryConfig, Settings, SqlState, StoreOp,
    SyncNames, SyncState, Timeline, Value, Words,
};
use crate::watchdog::Watchdog;
use std::cmp::Reverse;

/// Where the log stands when a run begins.
const FIRST_LSN: Lsn = Lsn(0x0500_0000);

/// Any actor of a LeaseLab world.
#[derive(Clone, Debug)]
enum Role {
    Agent(Box<Agent>),
    Postgres(Box<Postgres>),
    Watchdog(Watchdog),
    Store(Box<Member>),
    Router(Box<Router>),
    Writer(Box<Writer>),
    Outside(Resource),
}

impl Actor<Words> for Role {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match self {
            Role::Agent(agent) => agent.handle(input, ctx),
            Role::Postgres(postgres) => postgres.handle(input, ctx),
            Role::Watchdog(watchdog) => watchdog.handle(input, ctx),
            Role::Store(store) => store.handle(input, ctx),
            Role::Router(router) => router.handle(input, ctx),
            Role::Writer(writer) => writer.handle(input, ctx),
            Role::Outside(resource) => resource.handle(input, ctx),
        }
    }
}

/// A scenario at one instant. Clone it to have two futures.
///
/// ```
/// use leaselab::engine::{FullTrace, SimTime};
/// use leaselab::{scenario::Scenario, world::World};
/// let scenario = Scenario::parse("duration_s = 30", "example").unwrap();
/// let (mut world, mut trace) = (World::new(&scenario), FullTrace::default());
/// world.run_until(SimTime(10_000_000), &mut trace);
/// let mut other = world.clone();
/// world.run_until(SimTime(30_000_000), &mut trace);
/// other.run_until(SimTime(30_000_000), &mut FullTrace::default());
/// assert_eq!(world.events(), other.events());
/// ```
#[derive(Clone, Debug)]
pub struct World {
    engine: Engine<Words, Role>,
    layout: Layout,
}

impl World {
    /// The world at time 0: a cluster that has been running, before anything happened to it.
    pub fn new(scenario: &Scenario) -> World {
        World::with_bugs(scenario, Bugs::default())
    }

    /// The same with rules switched off, to see what they are for.
    pub fn with_bugs(scenario: &Scenario, bugs: Bugs) -> World {
        let layout = Layout::new(
            &scenario.cluster.nodes,
            scenario.store.members,
            scenario.store.placement,
            scenario.traffic.direct_writers,
            scenario.traffic.writers as u8,
        );
        let layout = if scenario.fence.outside {
            layout.with_outside()
        } else {
            layout
        };
        // A booting host starts everything but its database: that is for the agent to decide.
        let process = |p: u16| match layout.part(ProcId(p)) {
            Part::Postgres(_) => (layout.host_of(ProcId(p)), Starts::ByAnother),
            _ => (layout.host_of(ProcId(p)), Starts::WithHost),
        };
        let plan = Furnishing {
            seed: scenario.seed,
            latency: strikes::spread(&scenario.network.latency),
            loss_ppm: scenario.network.loss_ppm,
            one_segment: scenario.network.one_segment,
            hosts: layout.host_count(),
            fsync: strikes::spread(&scenario.disk.fsync),
            second_takes: strikes::spread(&scenario.machine.second_takes),
            pressure_ppm: scenario.machine.pressure_ppm,
            reaps_every: scenario.machine.reaps_every,
            processes: (0..layout.parts().len() as u16).map(process).collect(),
            strikes: strikes::all(scenario, &layout),
        };
        let actors = layout
            .parts()
            .iter()
            .map(|&part| actor(part, scenario, &layout, bugs))
            .collect();
        World {
            engine: Engine::new(plan, actors),
            layout,
        }
    }

    /// The same world with other faults ahead: those of a scenario that differs in nothing else, and in nothing that has begun or
    /// ended by now ([`differs_from`](crate::scenario::differs_from)).
    #[must_use]
    pub fn with_faults(mut self, scenario: &Scenario) -> World {
        self.engine.reschedule(strikes::all(scenario, &self.layout));
        self
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }
    pub fn now(&self) -> SimTime {
        self.engine.now()
    }
    /// How many events have happened so far, observed or not.
    pub fn events(&self) -> u32 {
        self.engine.events()
    }
    /// An empty trace for what happens from now on.
    pub fn trace_from_here(&self) -> FullTrace<Words> {
        self.engine.trace_from_here()
    }
    /// Rules of our own that were broken: empty unless LeaseLab has a bug.
    pub fn findings(&self) -> &[Finding] {
        self.engine.findings()
    }
    pub fn clock(&self, host: HostId) -> (MonoTime, WallTime) {
        self.engine.clock(host)
    }
    /// Runs everything that is due up to and including `until`.
    pub fn run_until<O: Observer<Words>>(&mut self, until: SimTime, obs: &mut O) {
        self.engine.run_until(until, obs);
    }
}

fn actor(part: Part, scenario: &Scenario, layout: &Layout, bugs: Bugs) -> Role {
    let leader = NodeId(scenario.cluster.leader as u8);
    match part {
        Part::Agent(node) => Role::Agent(Box::new(Agent::of_running_cluster(
            agent_config(node, scenario, layout, bugs),
            node == leader,
        ))),
        Part::Postgres(node) => {
            let position = Position {
                history: History::begun_by(leader),
                lsn: FIRST_LSN,
            };
            let upstream = (node != leader).then(|| layout.node(leader).postgres);
            let recovery = RecoveryConfig {
                standby: node != leader,
                upstream,
            };
            let sync = if node == leader {
                sync_at_start(scenario).0
            } else {
                SyncNames::default()
            };
            Role::Postgres(Box::new(Postgres::running(node, position, recovery, sync)))
        }
        Part::Watchdog(_) => Role::Watchdog(Watchdog::default()),
        Part::Store(member) => Role::Store(Box::new(store_member(MemberId(member), scenario, layout))),
        Part::Router => {
            let servers: Vec<_> = layout.nodes().iter().map(|n| (n.agent, n.postgres)).collect();
            Role::Router(Box::new(Router::new(&servers, leader)))
        }
        Part::Writer(_) => client(
            Writer::new(layout.router(), false, scenario.traffic.write_period, true),
            scenario,
            layout,
        ),
        Part::DirectWriter(node) => {
            let waits = scenario.traffic.direct_commit == SynchronousCommit::On;
            let period = scenario.traffic.direct_write_period;
            let writer = Writer::new(layout.node(node).postgres, true, period, waits);
            client(writer, scenario, layout)
        }
        Part::ObjectStore => {
            let rule = if scenario.fence.tokens {
                FenceRule::AtLeast
            } else {
                FenceRule::Off
            };
            Role::Outside(Resource::new(Effects::new(Fence::new(rule, FenceScope::Row), false)))
        }
        // It takes no tokens, so it has nothing to compare.
        Part::MailGateway => Role::Outside(Resource::new(Effects::new(Fence::default(), scenario.fence.mail_keys))),
    }
}

fn client(writer: Writer, scenario: &Scenario, layout: &Layout) -> Role {
    let places = layout.outside().map(|(object_store, mail)| Places {
        object_store,
        mail,
        tokens: scenario.fence.tokens,
    });
    Role::Writer(Box::new(writer.going_outside(places)))
}

/// A member of a store that holds what a running cluster has there: every node's lease (`n + 1` is node `n`'s) with its
/// member key, and the leader's key. The seed chooses which member leads.
fn store_member(me: MemberId, scenario: &Scenario, layout: &Layout) -> Member {
    let leader = NodeId(scenario.cluster.leader as u8);
    let lease = |node: NodeId| Some(LeaseId(u64::from(node.0) + 1));
    let member_key = |node: NodeId| StoreOp::Put {
        key: Key::Member(node),
        value: Value::Member {
            role: if node == leader {
                DbRole::Primary
            } else {
                DbRole::Replica
            },
            state: SqlState::Running,
            lsn: FIRST_LSN,
            timeline: Timeline(1),
            nofailover: scenario.cluster.tags(node.index()).nofailover,
            nosync: scenario.cluster.tags(node.index()).nosync,
            sync_priority: sync_priority(scenario, node),
        },
        lease: lease(node),
    };
    let leader_key = StoreOp::Put {
        key: Key::Leader,
        value: Value::Leader(leader),
        lease: lease(leader),
    };
    let mut setup: Vec<StoreOp> = layout
        .node_ids()
        .map(|_| StoreOp::LeaseGrant {
            ttl: scenario.patroni.ttl,
        })
        .collect();
    setup.push(leader_key);
    setup.extend(layout.node_ids().map(member_key));
    let mut keep = |key, value| {
        setup.push(StoreOp::Put {
            key,
            value,
            lease: None,
        })
    };
    if scenario.patroni.failsafe_mode {
        keep(Key::Failsafe, Value::Failsafe(layout.node_ids().collect()));
    }
    if scenario.patroni.synchronous_mode != SynchronousMode::Off {
        keep(Key::Sync, Value::Sync(sync_at_start(scenario).1));
    }

    let members = layout.store().len() as u8;
    let recorded = scenario.store.version == StoreVersion::V3_4_23;
    let election = scenario.store.election.as_micros() / scenario.store.heartbeat.as_micros();
    let config = MemberConfig {
        raft: raft::Config {
            pre_vote: !recorded,
            election,
            ..raft::Config::etcd(members)
        },
        // etcd ticks once for each heartbeat.
        tick: scenario.store.heartbeat,
        guards_revoke: !recorded,
        guards_renew: !recorded,
        gateway: Some(crate::costs::store::ANSWER),
        phases: Phases::default(),
    };
    let store_leader = MemberId((scenario.seed % u64::from(members)) as u8);
    let peers = layout.store().iter().map(|&(_, process)| process).collect();
    Member::of_running_group(me, store_leader, config, peers, &setup)
}

fn agent_config(node: NodeId, scenario: &Scenario, layout: &Layout, bugs: Bugs) -> Config {
    let patroni = &scenario.patroni;
    let tags = scenario.cluster.tags(node.index());
    Config {
        me: node,
        node,
        agents: layout.nodes().iter().map(|n| n.agent).collect(),
        databases: layout.nodes().iter().map(|n| n.postgres).collect(),
        store: layout.store().iter().map(|&(_, process)| process).collect(),
        watchdog_device: layout.node(node).watchdog,
        settings: settings(patroni),
        adjusts_timings: patroni.timing_rules == TimingRules::V4_1,
        nofailover: tags.nofailover,
        nosync: tags.nosync,
        sync_priority: sync_priority(scenario, node),
        priority: u16::try_from(tags.failover_priority).unwrap_or(u16::MAX),
        watchdog: scenario.watchdog.usage(),
        hands_out_tokens: scenario.fence.tokens,
        // Patroni's requests say `serializable`. Recorded without a quorum: streams come back and loops read at once.
        bugs,
    }
}

/// What commits wait for in a cluster that has been running, and what `/sync` says of it: the first nodes that may be
/// waited for stream and have caught up.
fn sync_at_start(scenario: &Scenario) -> (SyncNames, SyncState) {
    let patroni = &scenario.patroni;
    let leader = NodeId(scenario.cluster.leader as u8);
    let others = (0..scenario.cluster.nodes.len()).filter(|&node| node != scenario.cluster.leader);
    let mut fit: Vec<NodeId> = others
        .filter(|&node| !scenario.cluster.tags(node).nosync)
        .map(|node| NodeId(node as u8))
        .collect();
    sorting::by_key(&mut fit, |&node| {
        let tags = scenario.cluster.tags(node.index());
        (tags.nofailover, Reverse(tags.sync_priority), node)
    });
    let fit = fit.into_iter();
    let count = usize::from(patroni.synchronous_node_count);
    let names: NodeSet = match patroni.synchronous_mode {
        SynchronousMode::Off => return (SyncNames::default(), SyncState::default()),
        SynchronousMode::On => fit.take(count).collect(),
        SynchronousMode::Quorum => fit.collect(),
    };
    let least = usize::from(patroni.synchronous_mode_strict);
    let names = SyncNames {
        count: count.min(names.len()).max(least) as u8,
        names,
    };
    let quorum = match patroni.synchronous_mode {
        SynchronousMode::Quorum => (names.names.len() as u8).saturating_sub(names.count),
        SynchronousMode::Off | SynchronousMode::On => 0,
    };
    let state = SyncState {
        leader: Some(leader),
        standbys: names.names,
        quorum,
    };
    (names, state)
}

fn sync_priority(scenario: &Scenario, node: NodeId) -> u16 {
    u16::try_from(scenario.cluster.tags(node.index()).sync_priority).unwrap_or(u16::MAX)
}

/// The cluster's configuration as the scenario writes it.
fn settings(patroni: &Patroni) -> Settings {
    Settings {
        pause: false,
        ttl: patroni.written.ttl,
        loop_wait: patroni.written.loop_wait,
        retry_timeout: patroni.written.retry_timeout,
        maximum_lag_on_failover: patroni.maximum_lag_on_failover,
        check_timeline: patroni.check_timeline,
        primary_start_timeout: patroni.primary_start_timeout,
        primary_stop_timeout: patroni.primary_stop_timeout.unwrap_or(Span::ZERO),
        primary_race_backoff: patroni.primary_race_backoff,
        synchronous_mode: patroni.synchronous_mode,
        synchronous_mode_strict: patroni.synchronous_mode_strict,
        synchronous_node_count: patroni.synchronous_node_count,
        maximum_lag_on_syncnode: patroni.maximum_lag_on_syncnode.unwrap_or(0),
        use_pg_rewind: patroni.use_pg_rewind,
        remove_data_directory_on_diverged_timelines: patroni.remove_data_directory_on_diverged_timelines,
        failsafe_mode: patroni.failsafe_mode,
    }
}
