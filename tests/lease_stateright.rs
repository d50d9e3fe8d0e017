#![cfg(not(target_arch = "wasm32"))]
//! One lease and two contenders, every behaviour within some ticks: requests and answers arrive whenever they like or
//! never, a contender may be paused between any two of its steps, and a write may take a while to where it takes effect.
//!
//! Time is a clock in the state that ticks as one of the steps, so a lease ends when it ends (a checker whose timers may
//! fire at any moment would find every lease unsafe). All clocks agree; what clocks that do not cost is counted elsewhere.
//!
//! A holder counts its lease from when it asked, and stops some ticks before its end: the margin. What that buys, and what
//! it cannot buy, is what is shown here.

use stateright::{Checker, Model, Property};

/// Ticks.
type Time = u8;

#[derive(Clone, Copy, Debug)]
struct Contest {
    ttl: Time,
    /// By how much a holder stops before its lease ends.
    margin: Time,
    /// How long a write may be under way.
    way_max: Time,
    /// Whether a pause can come between the look at the clock and the write.
    pause_after_look: bool,
    clock_max: Time,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Contender {
    paused: bool,
    /// A request on its way, with the time at which it was sent; then its answer.
    asked: Option<Time>,
    granted: Option<Time>,
    /// Believes to hold the lease while the clock shows less.
    until: Time,
    /// Has looked at the clock and is about to write.
    looked: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct State {
    clock: Time,
    /// Whoever was given the lease last, and until when.
    lease: Option<(usize, Time)>,
    contenders: [Contender; 2],
    /// Under way: whose, and when it is there at the latest.
    writes: Vec<(usize, Time)>,
    wrote: [bool; 2],
    /// A write took effect after the other had been given the lease.
    overlapped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Tick,
    PauseOrResume(usize),
    Ask(usize),
    Serve(usize),
    Hear(usize),
    Lose(usize),
    Look(usize),
    Write(usize),
    Land(usize),
}

impl Contest {
    fn may_write(&self, state: &State, who: usize) -> bool {
        let contender = &state.contenders[who];
        if self.pause_after_look {
            contender.looked
        } else {
            state.clock < contender.until
        }
    }
}

impl Model for Contest {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::default()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let all_on_time = state.writes.iter().all(|&(_, latest)| state.clock < latest);
        if state.clock < self.clock_max && all_on_time {
            actions.push(Action::Tick);
        }
        for (who, contender) in state.contenders.iter().enumerate() {
            actions.push(Action::PauseOrResume(who));
            if contender.asked.is_some() {
                actions.extend([Action::Serve(who), Action::Lose(who)]);
            }
            if contender.granted.is_some() {
                actions.push(Action::Lose(who));
            }
            if contender.paused {
                continue;
            }
            if contender.granted.is_some() {
                actions.push(Action::Hear(who));
            } else if contender.asked.is_none() {
                actions.push(Action::Ask(who));
            }
            if self.pause_after_look && !contender.looked && state.clock < contender.until {
                actions.push(Action::Look(who));
            }
            if state.writes.is_empty() && self.may_write(state, who) {
                actions.push(Action::Write(who));
            }
        }
        actions.extend((0..state.writes.len()).map(Action::Land));
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let now = state.clock;
        match action {
            Action::Tick => state.clock += 1,
            Action::PauseOrResume(who) => state.contenders[who].paused ^= true,
            Action::Ask(who) => state.contenders[who].asked = Some(now),
            Action::Serve(who) => {
                let sent = state.contenders[who].asked.take();
                // Free while now < until does not hold: half open.
                if state.lease.is_none_or(|(holder, until)| holder == who || now >= until) {
                    state.lease = Some((who, now + self.ttl));
                    state.contenders[who].granted = sent;
                }
            }
            Action::Lose(who) => (state.contenders[who].asked, state.contenders[who].granted) = (None, None),
            Action::Hear(who) => {
                let sent = state.contenders[who].granted.take()?;
                state.contenders[who].until = sent + self.ttl - self.margin;
            }
            Action::Look(who) => state.contenders[who].looked = true,
            Action::Write(who) => {
                state.contenders[who].looked = false;
                state.writes.push((who, now + self.way_max));
            }
            Action::Land(at) => {
                let (who, _) = state.writes.remove(at);
                state.wrote[who] = true;
                state.overlapped |= state.lease.is_some_and(|(holder, _)| holder != who);
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ONE_BELIEVES, |_, state: &State| {
                state.contenders.iter().any(|contender| state.clock >= contender.until)
            }),
            Property::always(ONE_WRITES, |_, state: &State| !state.overlapped),
            Property::sometimes(BOTH_HAVE_WRITTEN, |_, state: &State| state.wrote == [true; 2]),
        ]
    }
}

const ONE_BELIEVES: &str = "never do both believe to hold the lease";
const ONE_WRITES: &str = "no write takes effect after the other was given the lease";
const BOTH_HAVE_WRITTEN: &str = "both have written, one after the other";

/// The margin is just what a write may be under way.
const CONTEST: Contest = Contest {
    ttl: 3,
    margin: 1,
    way_max: 1,
    pause_after_look: false,
    clock_max: 6,
};

use Action::*;

#[test]
fn with_a_margin_as_long_as_the_way_of_a_write_a_lease_is_exclusive_whoever_is_paused() {
    let checker = CONTEST.checker().threads(2).spawn_bfs().join();
    checker.assert_properties();
    assert_eq!(checker.unique_state_count(), 279_740);
}

#[test]
fn without_the_margin_a_write_takes_effect_after_the_other_was_given_the_lease() {
    let contest = Contest { margin: 0, ..CONTEST };
    let checker = contest.checker().spawn_bfs().join();
    checker.assert_no_discovery(ONE_BELIEVES);
    let (ask, write) = ([Ask(0), Serve(0), Hear(0)], [Tick, Tick, Write(0)]);
    let other = [Tick, Ask(1), Serve(1), Land(0)];
    checker.assert_discovery(ONE_WRITES, [&ask[..], &write, &other].concat());
}

#[test]
fn no_margin_survives_a_pause_between_the_look_at_the_clock_and_the_write() {
    let contest = Contest {
        pause_after_look: true,
        ..CONTEST
    };
    let checker = contest.checker().spawn_bfs().join();
    checker.assert_no_discovery(ONE_BELIEVES);
    let ask = [Ask(0), Serve(0), Hear(0), Look(0), PauseOrResume(0)];
    let other = [Tick, Tick, Tick, Ask(1), Serve(1)];
    let write = [PauseOrResume(0), Write(0), Land(0)];
    checker.assert_discovery(ONE_WRITES, [&ask[..], &other, &write].concat());
}
