//! A store alone: its members and some clients of the lock, each on a host of its own. A message takes 5 ms, a write to disk
//! no time, and every member looks for expired leases at whole and half seconds, so that times come out to the millisecond.

#![allow(dead_code, unused_imports, reason = "each test file uses its part")]

mod prober;
mod reader;
mod transcript;

use leaselab::engine::{
    Act, Actor, Ctx, DiskChange, Engine, Event, FullTrace, Furnishing, HostId, Input, Life, Mode, Place, ProcId,
    ResumeOrder, SimTime, Span, Spread, Starts, Strike, Victim, What,
};
use leaselab::locks::{LockClient, LockConfig};
use leaselab::raft::{Config, MemberId};
use leaselab::store::{Member, MemberConfig, Phases};
use leaselab::vocabulary::{LockNote, Note, Order, StoreOp, Words};
pub use prober::{Asked, Prober};
pub use reader::Reader;

pub const MS: u64 = 1_000;

#[derive(Clone)]
pub enum Role {
    Member(Box<Member>),
    Client(LockClient),
    Prober(Prober),
    Reader(Box<Reader>),
}

impl Actor<Words> for Role {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match self {
            Role::Member(member) => member.handle(input, ctx),
            Role::Client(client) => client.handle(input, ctx),
            Role::Prober(prober) => prober.handle(input, ctx),
            Role::Reader(reader) => reader.handle(input, ctx),
        }
    }
}

/// What a group is made of. etcd1 leads when the run begins.
pub struct Plan {
    pub seed: u64,
    pub members: u8,
    /// When each member's ticks begin, by member; 0 where nothing is said.
    pub ticks_ms: Vec<u64>,
    pub guards: bool,
    pub setup: Vec<StoreOp>,
    /// In ms, what is 0 in the transcript.
    pub origin_ms: u64,
    clients: Vec<(&'static str, Role)>,
    strikes: Vec<Strike<Order>>,
}

impl Plan {
    pub fn new(members: u8) -> Plan {
        Plan {
            seed: 1,
            members,
            ticks_ms: Vec::new(),
            guards: true,
            setup: Vec::new(),
            origin_ms: 0,
            clients: Vec::new(),
            strikes: Vec::new(),
        }
    }

    pub fn member(&self, number: u8) -> ProcId {
        ProcId(u16::from(number) - 1)
    }
    /// The host of a member or client.
    pub fn host(&self, process: ProcId) -> HostId {
        HostId(process.0 as u8)
    }

    fn add(&mut self, name: &'static str, role: Role) -> ProcId {
        self.clients.push((name, role));
        ProcId(u16::from(self.members) + self.clients.len() as u16 - 1)
    }
    /// A client of the lock that asks member `server` first, then those after it.
    pub fn client(&mut self, name: &'static str, server: u8, change: impl FnOnce(&mut LockConfig)) -> ProcId {
        let members = u16::from(self.members);
        let servers = (0..members).map(|m| ProcId((u16::from(server) - 1 + m) % members));
        let mut config = LockConfig::new(servers.collect(), Span::from_secs(10));
        change(&mut config);
        self.add(name, Role::Client(LockClient::new(config)))
    }
    pub fn prober(&mut self, name: &'static str, prober: Prober) -> ProcId {
        self.add(name, Role::Prober(prober))
    }

    pub fn reader(&mut self, name: &'static str, reader: Reader) -> ProcId {
        self.add(name, Role::Reader(Box::new(reader)))
    }

    fn strike(&mut self, at_ms: u64, until_ms: Option<u64>, acts: Vec<Act<Order>>) {
        let instant = |ms: u64| SimTime((ms + self.origin_ms) * MS);
        self.strikes.push(Strike {
            times: vec![(instant(at_ms), until_ms.map(instant))],
            acts,
        });
    }
    /// The host goes down without a word.
    pub fn crash(&mut self, process: ProcId, at_ms: u64, until_ms: Option<u64>) {
        let victim = Victim::Host(self.host(process));
        self.strike(at_ms, until_ms, vec![Act::Kill { victim, silent: true }]);
    }
    pub fn restart(&mut self, process: ProcId, at_ms: u64, until_ms: u64) {
        let victim = Victim::Process(process);
        self.strike(at_ms, Some(until_ms), vec![Act::Kill { victim, silent: false }]);
    }
    pub fn pause(&mut self, process: ProcId, at_ms: u64, until_ms: u64) {
        let (victim, order) = (Victim::Process(process), ResumeOrder::Application);
        let mono_runs = true;
        self.strike(
            at_ms,
            Some(until_ms),
            vec![Act::Pause {
                victim,
                mono_runs,
                order,
            }],
        );
    }
    pub fn stall_disk(&mut self, process: ProcId, at_ms: u64, until_ms: u64) {
        let (host, change) = (self.host(process), DiskChange::Stall);
        self.strike(at_ms, Some(until_ms), vec![Act::Disk { host, change }]);
    }
    /// Nothing passes between the one and the others, in either direction.
    pub fn cut(&mut self, one: ProcId, others: &[ProcId], at_ms: u64, until_ms: Option<u64>) {
        let (one, mode) = (self.host(one), Mode::Silent);
        let both = others.iter().flat_map(|&other| {
            let other = self.host(other);
            [(one, other), (other, one)]
        });
        let acts = both.map(|(from, to)| Act::Cut { from, to, mode }).collect();
        self.strike(at_ms, until_ms, acts);
    }

    pub fn build(self) -> Group {
        let members: Vec<ProcId> = (1..=self.members).map(|number| self.member(number)).collect();
        let mut actors = Vec::new();
        for me in 0..self.members {
            let tick_ms = self.ticks_ms.get(usize::from(me)).copied().unwrap_or(0);
            let config = MemberConfig {
                raft: Config::etcd(self.members),
                tick: Span::from_millis(100),
                guards_revoke: self.guards,
                guards_renew: self.guards,
                gateway: None,
                phases: Phases {
                    tick: Span::from_millis(tick_ms),
                    expiry: Some(Span::ZERO),
                },
            };
            let (me, leader) = (MemberId(me), MemberId(0));
            let member = Member::of_running_group(me, leader, config, members.clone(), &self.setup);
            actors.push(Role::Member(Box::new(member)));
        }
        let mut names: Vec<String> = (1..=self.members).map(|number| format!("etcd{number}")).collect();
        for (name, role) in self.clients {
            names.push(name.to_owned());
            actors.push(role);
        }
        let plan = Furnishing {
            seed: self.seed,
            latency: Spread::exactly(Span::from_millis(5)),
            loss_ppm: 0,
            hosts: names.len(),
            fsync: Spread::exactly(Span::ZERO),
            second_takes: Spread::exactly(Span::from_secs(1)),
            pressure_ppm: 0,
            reaps_every: Span::ZERO,
            one_segment: false,
            processes: (0..names.len() as u8)
                .map(|host| (HostId(host), Starts::WithHost))
                .collect(),
            strikes: self.strikes,
        };
        Group {
            engine: Engine::new(plan, actors),
            trace: FullTrace::default(),
            origin: SimTime(self.origin_ms * MS),
            names,
        }
    }
}

pub struct Group {
    pub engine: Engine<Words, Role>,
    pub trace: FullTrace<Words>,
    names: Vec<String>,
    origin: SimTime,
}

impl Group {
    pub fn run_until_ms(&mut self, ms: u64) {
        self.engine
            .run_until(self.origin + Span::from_millis(ms), &mut self.trace);
        assert_eq!(self.engine.findings(), []);
    }

    pub fn asked(&self, prober: ProcId) -> &[Asked] {
        match self.engine.actor(prober) {
            Some(Role::Prober(prober)) => &prober.asked,
            _ => panic!("not a prober"),
        }
    }
    pub fn the_reader(&self, reader: ProcId) -> &Reader {
        match self.engine.actor(reader) {
            Some(Role::Reader(reader)) => reader,
            _ => panic!("not a reader"),
        }
    }

    fn process(&self, name: &str) -> ProcId {
        let at = self.names.iter().position(|n| n == name);
        ProcId(at.expect("somebody of that name") as u16)
    }
    pub fn ms(&self, at: SimTime) -> f64 {
        at.as_millis_f64() - self.origin.as_millis_f64()
    }

    /// When somebody saw something, in ms from the origin.
    pub fn when(&self, name: &str, is: impl Fn(&What<Words>) -> bool) -> Vec<f64> {
        let place = Place::Process(self.process(name));
        let seen = self
            .trace
            .iter()
            .filter(|event| event.place == place && is(&event.what));
        seen.map(|event| self.ms(event.at)).collect()
    }
    pub fn noted(&self, name: &str, is: impl Fn(&Note) -> bool) -> Vec<f64> {
        self.when(name, |what| matches!(what, What::Note(note) if is(note)))
    }
    pub fn lock(&self, name: &str, is: impl Fn(&LockNote) -> bool) -> Vec<f64> {
        self.noted(name, |note| matches!(note, Note::Lock(note) if is(note)))
    }
    pub fn deaths(&self, name: &str) -> Vec<f64> {
        self.when(name, |what| matches!(what, What::Life(Life::Killed)))
    }
    pub fn enters(&self, name: &str) -> Vec<f64> {
        self.lock(name, |note| matches!(note, LockNote::Enters { .. }))
    }
    pub fn hears(&self, name: &str) -> Vec<f64> {
        self.lock(name, |note| matches!(note, LockNote::Hears { .. }))
    }
    pub fn ends(&self, name: &str) -> Vec<f64> {
        self.lock(name, |note| matches!(note, LockNote::SessionEnds(_)))
    }
    pub fn tokens(&self, name: &str) -> Vec<u64> {
        let place = Place::Process(self.process(name));
        let token = |event: &Event<Words>| match event.what {
            What::Note(Note::Lock(LockNote::Enters { token })) if event.place == place => Some(token.0),
            _ => None,
        };
        self.trace.iter().filter_map(token).collect()
    }

    pub fn transcript(&self, title: &str) -> String {
        transcript::write(title, &self.trace, &self.names, self.origin)
    }
}
