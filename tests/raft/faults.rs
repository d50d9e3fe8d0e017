//! Random schedules of faults, and running them.

use super::MS;
use super::member::WakeOrder;
use super::network::{Ambush, Moment, Network};
use leaselab::raft::{Bugs, Config};
use proptest::prelude::*;

/// A tick of 10 ms and a least election timeout of ten of them: everything is ten times as fast as etcd's defaults.
pub const TICK: u64 = 10 * MS;
/// Faults begin before, and have ended soon after.
pub const FAULTS_MS: u64 = 2_000;
pub const END_MS: u64 = 4_500;

/// What strikes.
#[derive(Clone, Debug)]
pub enum Kind {
    Crash(usize),
    /// Whoever leads at that moment.
    CrashLeader,
    /// The next member that votes, or that is elected, takes some writes and does not reach some others any more (a mask),
    /// and crashes so many µs later.
    Ambush {
        on: Moment,
        deaf: u8,
        writes: u8,
        after: u64,
    },
    Pause(usize, bool),
    /// One direction.
    CutOneWay(usize, usize),
    /// Both directions between these members (a mask) and the others.
    Split(u8),
    /// All links: of a thousand messages so many lost and so many duplicated, and up to so many µs later.
    Noise {
        loss: u64,
        duplicates: u64,
        jitter: u64,
    },
    /// Its disk takes so many µs for a write.
    Stall(usize, u64),
}

#[derive(Clone, Debug)]
pub struct Strike {
    /// In µs.
    pub at: u64,
    pub lasts: u64,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub struct Schedule {
    pub seed: u64,
    pub config: Config,
    /// One way, in µs.
    pub delay: u64,
    /// How far apart the members' ticks are, in µs.
    pub phase: u64,
    /// By how much each member's tick is longer than the one's before it, in µs.
    pub slower: u64,
    /// What a write to disk takes when nothing is wrong, in µs.
    pub fsync: u64,
    /// A write and a read in every so many µs.
    pub client: u64,
    pub strikes: Vec<Strike>,
}

fn config(members: u8) -> impl Strategy<Value = Config> {
    let switches = (
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        prop_oneof![Just(1u32), Just(3), Just(64)],
    );
    switches.prop_map(move |(pre_vote, check_quorum, commit_at_once, entries_max)| Config {
        pre_vote,
        check_quorum,
        commit_at_once,
        entries_max,
        ..Config::etcd(members)
    })
}

fn kind(members: u8) -> impl Strategy<Value = Kind> {
    let member = 0..usize::from(members);
    let noise = (0u64..300, 0u64..300, 0u64..30_000);
    prop_oneof![
        3 => member.clone().prop_map(Kind::Crash),
        2 => Just(Kind::CrashLeader),
        2 => (any::<bool>(), any::<u8>(), 0u64..20_000).prop_map(|(elected, deaf, after)| {
            let on = if elected { Moment::Elected } else { Moment::Voted };
            Kind::Ambush { on, deaf, writes: deaf % 4, after }
        }),
        2 => (member.clone(), any::<bool>()).prop_map(|(m, timer_first)| Kind::Pause(m, timer_first)),
        2 => (member.clone(), member.clone()).prop_map(|(from, to)| Kind::CutOneWay(from, to)),
        3 => (1u8..1 << (members - 1)).prop_map(Kind::Split),
        2 => noise.prop_map(|(loss, duplicates, jitter)| Kind::Noise { loss, duplicates, jitter }),
        1 => (member, 1_000u64..150_000).prop_map(|(m, fsync)| Kind::Stall(m, fsync)),
    ]
}

fn strike(members: u8) -> impl Strategy<Value = Strike> {
    // A crash and restart within a millisecond is as interesting as one that takes half a second.
    let lasts = prop_oneof![1 => 0u64..3_000, 2 => 1_000u64..600_000];
    (0..FAULTS_MS * MS, lasts, kind(members)).prop_map(|(at, lasts, kind)| Strike { at, lasts, kind })
}

fn schedules(
    config: impl Strategy<Value = Config>,
    client: std::ops::Range<u64>,
    strikes: impl Strategy<Value = Vec<Strike>>,
) -> impl Strategy<Value = Schedule> {
    let fsync = prop_oneof![Just(0u64), Just(500), Just(5_000)];
    let times = (200u64..5_000, 0u64..3_000, fsync, client);
    (any::<u64>(), config, times, strikes).prop_map(|(seed, config, (delay, phase, fsync, client), strikes)| Schedule {
        seed,
        config,
        delay,
        phase,
        slower: 0,
        // A disk that cannot keep up with the writes falls behind for ever.
        fsync: fsync.min(client / 4),
        client,
        strikes,
    })
}

/// Anything may happen.
pub fn schedule(members: u8) -> impl Strategy<Value = Schedule> {
    let strikes = prop::collection::vec(strike(members), 1..14);
    schedules(config(members), 5_000..40_000, strikes)
}

/// Anything but a crash, on clocks of different rates.
pub fn without_restarts(members: u8, slower: u64) -> impl Strategy<Value = Schedule> {
    schedule(members).prop_map(move |mut schedule| {
        let crash = |kind: &Kind| matches!(kind, Kind::Crash(_) | Kind::CrashLeader | Kind::Ambush { .. });
        schedule.strikes.retain(|strike| !crash(&strike.kind));
        schedule.slower = slower;
        schedule
    })
}

fn without_courtesy(config: Config) -> Config {
    Config {
        pre_vote: false,
        check_quorum: false,
        entries_max: 1,
        ..config
    }
}

/// Figure 8's weather (Raft paper): leaders that reach only some members crash soon after their election, and are back
/// when others have led.
pub fn leader_crashes(members: u8) -> impl Strategy<Value = Schedule> {
    // One crashes with its entries on few disks, another when an old entry has just reached a majority.
    let after = prop_oneof![0u64..4_000, 4_000u64..40_000];
    let ambush = (100_000u64..400_000, any::<u8>(), 0u8..10, after);
    let ambush = ambush.prop_map(|(lasts, deaf, writes, after)| Strike {
        at: 0,
        lasts,
        kind: Kind::Ambush {
            on: Moment::Elected,
            deaf,
            writes,
            after,
        },
    });
    let strikes = prop::collection::vec(ambush, 6..20);
    schedules(config(members).prop_map(without_courtesy), 5_000..40_000, strikes)
}

/// Many elections, and voters that crash as soon as they have voted and are back at once.
pub fn voter_crashes(members: u8) -> impl Strategy<Value = Schedule> {
    let ambush = (0..FAULTS_MS * MS, 0u64..3_000, 0u64..1_000);
    let ambush = ambush.prop_map(|(at, lasts, after)| Strike {
        at,
        lasts,
        kind: Kind::Ambush {
            on: Moment::Voted,
            deaf: 0,
            writes: 0,
            after,
        },
    });
    let deposed = (0..FAULTS_MS * MS).prop_map(|at| Strike {
        at,
        lasts: 150_000,
        kind: Kind::CrashLeader,
    });
    let strikes = (
        prop::collection::vec(ambush, 4..16),
        prop::collection::vec(deposed, 2..8),
    );
    let strikes = strikes.prop_map(|(voters, leaders)| [voters, leaders].concat());
    schedules(config(members).prop_map(without_courtesy), 5_000..40_000, strikes)
}

impl Schedule {
    pub fn with(mut self, bugs: Bugs) -> Schedule {
        self.config.bugs = bugs;
        self
    }

    /// All of it, and then calm.
    pub fn run(&self) -> Network {
        let mut network = Network::new(self.config, TICK, self.delay, self.seed);
        for (i, member) in network.members.iter_mut().enumerate() {
            member.fsync = self.fsync;
            member.phase = i as u64 * self.phase;
            member.tick += i as u64 * self.slower;
        }
        network.start();
        let mut actions = self.actions();
        actions.sort_by_key(|action| action.at);
        for Action { at, kind, begins } in actions {
            network.run_until(at);
            match (kind, begins) {
                (What::Client(n), _) => self.client(&mut network, n),
                (What::Calm, _) => network.ambushes.clear(),
                (What::Strike(strike), true) => strike.begin(&mut network),
                (What::Strike(strike), false) => strike.end(&mut network, self.fsync),
            }
        }
        network.run_until_ms(END_MS);
        network
    }

    fn actions(&self) -> Vec<Action<'_>> {
        let clients = (1..END_MS * MS / self.client).map(|n| Action {
            at: n * self.client,
            kind: What::Client(n),
            begins: true,
        });
        let strikes = self.strikes.iter().flat_map(|strike| {
            let (begin, end) = (strike.at, strike.at + strike.lasts);
            [(begin, true), (end, false)].map(|(at, begins)| Action {
                at,
                kind: What::Strike(strike),
                begins,
            })
        });
        let calm = Action {
            at: FAULTS_MS * MS,
            kind: What::Calm,
            begins: true,
        };
        clients.chain(strikes).chain([calm]).collect()
    }

    /// A write to whoever believes to lead, and a read anywhere.
    fn client(&self, network: &mut Network, n: u64) {
        for member in 0..network.members.len() {
            network.write(member, n);
        }
        let reader = (n.wrapping_mul(0x9e37_79b9) >> 8) as usize % network.members.len();
        network.read(reader);
    }
}

struct Action<'a> {
    at: u64,
    kind: What<'a>,
    begins: bool,
}

enum What<'a> {
    Client(u64),
    Strike(&'a Strike),
    Calm,
}

impl Strike {
    fn begin(&self, network: &mut Network) {
        match self.kind {
            Kind::Crash(member) => network.crash(member),
            Kind::CrashLeader => {
                if let Some(leader) = network.leader() {
                    network.crash(leader);
                }
            }
            Kind::Ambush {
                on,
                deaf,
                writes,
                after,
            } => network.ambushes.push(Ambush {
                on,
                deaf,
                writes,
                after,
                lasts: self.lasts,
            }),
            Kind::Pause(member, _) => network.pause(member),
            Kind::CutOneWay(from, to) => network.link(from, to).cut = true,
            Kind::Split(mask) => network.cut_mask(mask, true),
            Kind::Noise {
                loss,
                duplicates,
                jitter,
            } => network.noise(loss, duplicates, jitter),
            Kind::Stall(member, fsync) => network.members[member].fsync = fsync,
        }
    }

    fn end(&self, network: &mut Network, fsync: u64) {
        match self.kind {
            Kind::Crash(member) => network.restart(member),
            Kind::CrashLeader => (0..network.members.len()).for_each(|m| network.restart(m)),
            Kind::Pause(member, timer_first) => {
                let order = if timer_first {
                    WakeOrder::TimerFirst
                } else {
                    WakeOrder::MessagesFirst
                };
                network.resume(member, order);
            }
            Kind::CutOneWay(from, to) => network.link(from, to).cut = false,
            Kind::Split(mask) => network.cut_mask(mask, false),
            Kind::Noise { .. } => network.noise(0, 0, 0),
            Kind::Ambush { .. } => {} // comes when its moment does
            Kind::Stall(member, _) => network.members[member].fsync = fsync,
        }
    }
}

impl Network {
    fn cut_mask(&mut self, mask: u8, cut: bool) {
        let (these, those): (Vec<usize>, Vec<usize>) =
            (0..self.members.len()).partition(|&member| mask & (1 << member) != 0);
        self.cut(&these, &those, cut);
    }

    fn noise(&mut self, loss: u64, duplicates: u64, jitter: u64) {
        for link in &mut self.links {
            (link.loss, link.duplicates, link.jitter) = (loss, duplicates, jitter);
        }
    }
}
