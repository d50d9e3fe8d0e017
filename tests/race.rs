#![cfg(not(target_arch = "wasm32"))]
//! Two equal candidates, one key: exactly one create succeeds, whatever the seed. The same count with the create replaced
//! by a blind put fails, or it would prove nothing.

use leaselab::agent::Bugs;
use leaselab::engine::{Event, Observer, SimTime, What};
use leaselab::scenario::{SHIPPED, Scenario};
use leaselab::vocabulary::{Key, NodeId, Note, Words};
use leaselab::world::World;
use std::collections::BTreeMap;

const SEEDS: u64 = 10_000;
/// The race comes 30 s after the last renewal, which is at 40 s; nothing after it matters here.
const END: SimTime = SimTime(75_000_000);

/// Counts who took the leader key, and what the candidates were told.
#[derive(Default)]
struct Race {
    takes: Vec<NodeId>,
    winners: u32,
    losers: u32,
}

impl Observer<Words> for Race {
    const FULL: bool = false;
    fn record(&mut self, event: Event<Words>) {
        let racing = event.at > SimTime(70_000_000);
        match event.what {
            What::Note(Note::KeyPut {
                key: Key::Leader,
                holder: Some(holder),
                ..
            }) if racing
                // Renewals under the same holder do not change who holds it.
                && self.takes.last() != Some(&holder) =>
            {
                self.takes.push(holder);
            }
            What::Note(Note::Acquires) => self.winners += 1,
            What::Note(Note::LosesRace) => self.losers += 1,
            _ => {}
        }
    }
}

fn race(seed: u64, bugs: Bugs) -> Race {
    let (_, text) = SHIPPED
        .iter()
        .find(|(name, _)| *name == "two-candidates")
        .expect("shipped");
    let mut scenario = Scenario::parse(text, "two-candidates").expect("valid");
    scenario.seed = seed;
    let mut world = World::with_bugs(&scenario, bugs);
    let mut race = Race::default();
    world.run_until(END, &mut race);
    race
}

/// For each number of successful takes, in how many seeds.
fn count(seeds: u64, bugs: Bugs) -> (BTreeMap<usize, u64>, BTreeMap<NodeId, u64>, u64) {
    let half = |parity: u64| {
        move || {
            (0..seeds)
                .filter(|s| s % 2 == parity)
                .map(|s| race(s, bugs))
                .collect::<Vec<_>>()
        }
    };
    let races: Vec<Race> = std::thread::scope(|scope| {
        let (even, odd) = (scope.spawn(half(0)), scope.spawn(half(1)));
        [even, odd]
            .into_iter()
            .flat_map(|w| w.join().expect("no panic"))
            .collect()
    });
    let (mut takes, mut winners, mut contested) = (BTreeMap::new(), BTreeMap::new(), 0);
    assert!(
        races.iter().all(|race| race.winners as usize == race.takes.len()),
        "who was told is who took it"
    );
    for race in &races {
        *takes.entry(race.takes.len()).or_default() += 1;
        if let Some(first) = race.takes.first() {
            *winners.entry(*first).or_default() += 1;
        }
        contested += u64::from(race.winners + race.losers > 1);
    }
    (takes, winners, contested)
}

#[test]
fn exactly_one_create_succeeds_whatever_the_seed() {
    let (takes, winners, contested) = count(SEEDS, Bugs::default());
    println!("takes {takes:?}, winners {winners:?}, both tried in {contested}");
    assert_eq!(takes, BTreeMap::from([(1, SEEDS)]));
    assert!(
        contested > SEEDS / 2,
        "in most races both candidates send their create: {contested}"
    );
    assert!(
        winners.values().all(|&won| won > SEEDS / 10),
        "either can win: {winners:?}"
    );
}

#[test]
fn with_a_blind_put_instead_of_a_create_the_same_count_fails() {
    let (takes, _, _) = count(
        SEEDS / 10,
        Bugs {
            blind_put: true,
            ..Bugs::default()
        },
    );
    println!("takes {takes:?}");
    assert!(
        takes.keys().any(|&n| n > 1),
        "a blind put must let two candidates take the key: {takes:?}"
    );
}
