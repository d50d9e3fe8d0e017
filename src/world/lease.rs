//! The world of a scenario about leases: each worker, who grants, and what they write to, each on a host of its own.

use super::Named;
use super::strikes::slower;
use crate::engine::{
    Act, Actor, Ctx, Engine, Finding, Furnishing, HostId, Input, Keepalive, Observer, Place, ProcId, SimTime, Span,
    Spread, Starts, Strike, Victim,
};
use crate::fence::{Effects, Fence, FenceRule, FenceScope, Resource};
use crate::protocols::{
    Check, Database, DatabaseConfig, Job, Leading, LeaseConfig, LeaseService, Pooler, Standby, StandbyOf, Worker,
    WorkerConfig,
};
use crate::scenario::lease::{At, Checks, GrantedBy, JobSetting, LeaseScenario, Through, WorkerSetting};
use crate::scenario::{DeadHostNetwork, Fault, FaultKind, Host, Links, Target};
use crate::vocabulary::{LeaderRow, NodeId, Order, Token, Words};
use siphasher::sip::SipHasher24;
use std::hash::Hasher;

/// Who is who: process `n` is alone on host `n`. Who grants comes first, the workers last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseLayout {
    names: Vec<String>,
    workers: usize,
}

impl LeaseLayout {
    pub fn new(scenario: &LeaseScenario) -> LeaseLayout {
        LeaseLayout {
            names: scenario.hosts(),
            workers: scenario.workers.len(),
        }
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }
    fn first_worker(&self) -> usize {
        self.names.len() - self.workers
    }
    /// The process of a worker, by its place in the scenario.
    pub fn worker(&self, index: usize) -> ProcId {
        ProcId((self.first_worker() + index) as u16)
    }
    /// The service, or the database.
    pub fn grantor(&self) -> ProcId {
        ProcId(0)
    }
    /// The process of this name.
    pub fn named(&self, name: &str) -> Option<ProcId> {
        let at = self.names.iter().position(|n| n == name)?;
        Some(ProcId(at as u16))
    }
    pub fn resource(&self) -> ProcId {
        ProcId(self.first_worker() as u16 - 2)
    }
    pub fn mail(&self) -> ProcId {
        ProcId(self.first_worker() as u16 - 1)
    }
}

impl Named for LeaseLayout {
    fn process_name(&self, process: ProcId) -> String {
        self.names[process.index()].clone()
    }
    fn place_name(&self, place: Place) -> String {
        match place {
            Place::Process(process) => self.names[process.index()].clone(),
            Place::Host(host) => format!("the host of {}", self.names[host.index()]),
            Place::Network => "network".to_owned(),
        }
    }
    fn node_name(&self, node: NodeId) -> &str {
        &self.names[node.index()]
    }
}

#[derive(Clone, Debug)]
enum Role {
    Worker(Box<Worker>),
    Service(Box<LeaseService>),
    Database(Box<Database>),
    Pooler(Pooler),
    Resource(Resource),
}

impl Actor<Words> for Role {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match self {
            Role::Worker(worker) => worker.handle(input, ctx),
            Role::Service(service) => service.handle(input, ctx),
            Role::Database(database) => database.handle(input, ctx),
            Role::Pooler(pooler) => pooler.handle(input, ctx),
            Role::Resource(resource) => resource.handle(input, ctx),
        }
    }
}

/// A scenario about leases at one instant. Clone it to have two futures.
#[derive(Clone, Debug)]
pub struct LeaseWorld {
    engine: Engine<Words, Role>,
    layout: LeaseLayout,
}

impl LeaseWorld {
    pub fn new(scenario: &LeaseScenario) -> LeaseWorld {
        let layout = LeaseLayout::new(scenario);
        let second = Span::from_secs(1);
        let plan = Furnishing {
            seed: scenario.seed,
            latency: Spread::exactly(scenario.latency),
            loss_ppm: 0,
            one_segment: false,
            hosts: layout.names.len(),
            fsync: Spread::exactly(Span::ZERO),
            second_takes: Spread::exactly(second),
            pressure_ppm: 0,
            reaps_every: Span::ZERO,
            processes: (0..layout.names.len() as u8)
                .map(|host| (HostId(host), Starts::WithHost))
                .collect(),
            strikes: scenario.faults.iter().map(|fault| strike(fault, scenario)).collect(),
        };
        let build = Build {
            scenario,
            layout: &layout,
        };
        let actors = (0..layout.names.len()).map(|process| build.actor(process)).collect();
        LeaseWorld {
            engine: Engine::new(plan, actors),
            layout,
        }
    }

    pub fn layout(&self) -> &LeaseLayout {
        &self.layout
    }
    pub fn now(&self) -> SimTime {
        self.engine.now()
    }
    pub fn events(&self) -> u32 {
        self.engine.events()
    }
    /// Rules of our own that were broken: empty unless LeaseLab has a bug.
    pub fn findings(&self) -> &[Finding] {
        self.engine.findings()
    }
    /// Runs everything that is due up to and including `until`.
    pub fn run_until<O: Observer<Words>>(&mut self, until: SimTime, obs: &mut O) {
        self.engine.run_until(until, obs);
    }
}

/// What a world is built from.
struct Build<'a> {
    scenario: &'a LeaseScenario,
    layout: &'a LeaseLayout,
}

impl Build<'_> {
    fn actor(&self, process: usize) -> Role {
        let scenario = self.scenario;
        let worker = process.checked_sub(self.layout.first_worker());
        if let Some((index, setting)) = worker.and_then(|index| Some((index, scenario.workers.get(index)?))) {
            return Role::Worker(Box::new(Worker::new(self.worker(index, setting))));
        }
        let fence = |rule| Fence::new(rule, scenario.scope);
        match self.layout.names[process].as_str() {
            "service" => Role::Service(Box::new(LeaseService::new(self.service()))),
            "database" => Role::Database(Box::new(self.database(false))),
            "standby" => Role::Database(Box::new(self.database(true))),
            "pooler" => {
                let recycles = scenario.grants.pooler_recycles.unwrap_or_default();
                Role::Pooler(Pooler::new(self.layout.grantor(), recycles))
            }
            "resource" => Role::Resource(Resource::new(Effects::new(fence(scenario.fence), false))),
            // It takes no tokens, and so it has no fence.
            _ => Role::Resource(Resource::new(Effects::new(fence(FenceRule::Off), scenario.mail_keys))),
        }
    }

    fn holder(&self) -> Option<ProcId> {
        self.scenario.grants.holder.map(|worker| self.layout.worker(worker))
    }

    fn service(&self) -> LeaseConfig {
        let grants = &self.scenario.grants;
        LeaseConfig {
            ttl: grants.ttl,
            first_token: Token(grants.first_token),
            holder: self.holder(),
            forgets: grants.forgets,
        }
    }

    fn database(&self, is_standby: bool) -> Database {
        let grants = &self.scenario.grants;
        let setting = &grants.database;
        let ttl = grants.ttl;
        // Who holds it when the run begins was granted it then; else the next grant's epoch is the first token.
        let row = match self.holder() {
            Some(holder) => LeaderRow {
                holder: Some(holder),
                epoch: grants.first_token,
                expires_us: ttl.as_micros() as i64,
            },
            None => LeaderRow {
                holder: None,
                epoch: grants.first_token.saturating_sub(1),
                expires_us: i64::MIN,
            },
        };
        let probes = setting.keepalive_idle + setting.keepalive_interval * setting.keepalive_count;
        let user_timeout = Some(setting.user_timeout).filter(|timeout| *timeout > Span::ZERO);
        let standby = Standby {
            copies_to: self.layout.named("standby").filter(|_| !is_standby),
            waits: setting.synchronous,
            of: is_standby.then_some(StandbyOf {
                promoted_after: setting.promoted_at,
            }),
        };
        let config = DatabaseConfig {
            leading: match grants.by {
                GrantedBy::Row => Leading::Row { ttl, row },
                GrantedBy::Session | GrantedBy::Service => Leading::Session,
            },
            keepalive: Some(Keepalive {
                idle: user_timeout.map_or(setting.keepalive_idle, |timeout| timeout.min(setting.keepalive_idle)),
                every: setting.keepalive_interval,
                dead_after: user_timeout.unwrap_or(probes),
                unacknowledged_too: user_timeout.is_some(),
            }),
            standby,
            timeline_in_token: setting.timeline_in_token,
        };
        // What the guarded write checks is the epoch; a fence of its objects is for what is not guarded.
        let fence = Fence::new(self.scenario.fence, FenceScope::Row);
        Database::new(config, Effects::new(fence, false))
    }

    fn worker(&self, index: usize, setting: &WorkerSetting) -> WorkerConfig {
        let (scenario, layout) = (self.scenario, self.layout);
        let grants = &scenario.grants;
        let grantor = match setting.through {
            Through::Grantor => Some(layout.grantor()),
            Through::Pooler => layout.named("pooler"),
            Through::Standby => layout.named("standby"),
        };
        let grantor = grantor.unwrap_or(layout.grantor());
        let first = match grants.by {
            GrantedBy::Row if grants.database.timeline_in_token => Token::on_timeline(1, grants.first_token),
            _ => Token(grants.first_token),
        };
        let holds = (grants.holder == Some(index)).then_some((Some(first), Some(grants.ttl)));
        let mine = scenario.jobs.iter().filter(|job| job.worker == index);
        WorkerConfig {
            grantor,
            lock: lock_number(grants.salted.then_some(index)),
            asks_after: setting.asks_at,
            asks_every: setting.asks_every,
            renews_every: setting.renews_every,
            patience: setting.patience,
            holds_for: setting.holds_for,
            counts_from: grants.counts_from,
            holds,
            by_session: grants.by == GrantedBy::Session,
            stamps: scenario.stamped_first.then(|| layout.resource()),
            jobs: mine.map(|job| self.job(job, grantor)).collect(),
        }
    }

    fn job(&self, job: &JobSetting, grantor: ProcId) -> Job {
        let after = job.check_after;
        Job {
            after: job.after,
            check: match job.check {
                Checks::None => None,
                Checks::Clock => Some(Check::Clock { after }),
                Checks::Row => Some(Check::Guard { after, share: false }),
                Checks::RowForShare => Some(Check::Guard { after, share: true }),
            },
            object: job.object,
            at: match job.at {
                At::Resource => self.layout.resource(),
                At::Mail => self.layout.mail(),
                At::Database => grantor,
            },
            in_session: job.in_session,
            key: job.key,
            again_after: job.again_after,
        }
    }
}

/// The number that a process makes of the lock's name. `salt`: of a hash that is seeded anew in every process, as the built-in
/// hash of some languages is.
fn lock_number(salt: Option<usize>) -> u64 {
    let mut hasher = match salt {
        Some(salt) => SipHasher24::new_with_keys(salt as u64 + 1, 0),
        None => SipHasher24::new(),
    };
    hasher.write(b"leader");
    hasher.finish()
}

fn strike(fault: &Fault, scenario: &LeaseScenario) -> Strike<Order> {
    let hosts: Vec<Host> = (0..scenario.hosts().len()).map(Host::Node).collect();
    let on_each = |links: &Links, act: &dyn Fn(HostId, HostId) -> Act<Order>| -> Vec<Act<Order>> {
        let ends = links.pairs(&hosts).into_iter();
        ends.filter_map(|(from, to)| Some(act(host_id(from)?, host_id(to)?)))
            .collect()
    };
    let one = |target: Target| match target {
        Target::Host(host) => host_id(host),
        _ => None,
    };
    let acts = match &fault.what {
        FaultKind::Kill { target, network } => {
            let victim = one(*target).map(Victim::Host);
            let silent = *network == DeadHostNetwork::Silent;
            victim.map(|victim| Act::Kill { victim, silent }).into_iter().collect()
        }
        // A worker that stands still is a process, unless the whole machine is suspended with its clock.
        FaultKind::Pause {
            target,
            monotonic_runs,
            resume_order,
        } => {
            let pause = |host: HostId| Act::Pause {
                victim: if *monotonic_runs {
                    Victim::Process(ProcId(u16::from(host.0)))
                } else {
                    Victim::Host(host)
                },
                mono_runs: *monotonic_runs,
                order: *resume_order,
            };
            one(*target).map(pause).into_iter().collect()
        }
        FaultKind::Cut { links, mode } => on_each(links, &|from, to| Act::Cut { from, to, mode: *mode }),
        FaultKind::Latency { links, change } => {
            let more = slower(change);
            on_each(links, &|from, to| Act::Slow { from, to, more })
        }
        FaultKind::Loss { links, ppm } => on_each(links, &|from, to| Act::Lose { from, to, loss: *ppm }),
        FaultKind::ClockStep { host, by_us } => {
            let step = |host| Act::StepClock { host, by_us: *by_us };
            host_id(*host).map(step).into_iter().collect()
        }
        FaultKind::ClockRate { host, ppm } => {
            let rate = |host| Act::ChangeRate { host, ppm: *ppm };
            host_id(*host).map(rate).into_iter().collect()
        }
        // The reader takes no others.
        FaultKind::DiskStall { .. } | FaultKind::DiskSlow { .. } | FaultKind::Stop { .. } | FaultKind::Order { .. } => {
            Vec::new()
        }
    };
    Strike {
        times: fault.occurrences(SimTime::ZERO + scenario.duration).collect(),
        acts,
    }
}

fn host_id(host: Host) -> Option<HostId> {
    match host {
        Host::Node(node) => Some(HostId(node as u8)),
        Host::Store(_) | Host::Clients => None,
    }
}
