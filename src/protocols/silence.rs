//! What silence means. A request was sent and no answer came in time: it was lost, or the server is slow, or the answer was lost.
//! The caller sees the same in all three worlds, so any rule of its own errs in one of them (protocols.md 19.1).

use crate::engine::Span;

/// What really happened to the first request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum World {
    RequestLost,
    /// It is carried out after [`SLOW`].
    ServerSlow,
    /// It was carried out at once, and nobody said so.
    AnswerLost,
}

impl World {
    pub const ALL: [World; 3] = [World::RequestLost, World::ServerSlow, World::AnswerLost];
}

/// How the caller takes silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// It asks again when its patience ends.
    pub retries: bool,
    /// Both requests carry the same idempotency key, and the server does nothing twice for one key.
    pub keyed: bool,
}

/// The caller's patience.
pub const PATIENCE: Span = Span::from_secs(1);
/// How long a slow server takes.
pub const SLOW: Span = Span::from_secs(3);

/// What the caller sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    Sent(Span),
    TimedOut(Span),
    /// An answer says that it was carried out.
    Told(Span),
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// When the account was charged.
    pub charged: Vec<Span>,
    /// In order.
    pub seen: Vec<Seen>,
}

impl Outcome {
    /// Charged once: neither not at all nor twice.
    pub fn is_right(&self) -> bool {
        self.charged.len() == 1
    }

    /// What the caller had seen when its patience ended, on which it must decide.
    pub fn seen_by_then(&self) -> Vec<Seen> {
        let when = |seen: &Seen| match *seen {
            Seen::Sent(at) | Seen::TimedOut(at) | Seen::Told(at) => at,
        };
        let first_two = |seen: &&Seen| when(seen) < PATIENCE || matches!(seen, Seen::TimedOut(_));
        self.seen.iter().filter(first_two).copied().collect()
    }
}

/// Charges an account in one of the worlds. A message that arrives takes no time here, and a second request meets a healthy
/// network; only the slow server is as slow with it.
pub fn charge(world: World, caller: Caller) -> Outcome {
    let first = match world {
        World::RequestLost => None,
        World::ServerSlow => Some(SLOW),
        World::AnswerLost => Some(Span::ZERO),
    };
    let answered = |carried_out: Span| world != World::AnswerLost || carried_out > Span::ZERO;
    let second = caller.retries.then_some(match world {
        World::ServerSlow => PATIENCE + SLOW,
        World::RequestLost | World::AnswerLost => PATIENCE,
    });
    let mut charged: Vec<Span> = Vec::new();
    let mut told: Vec<Span> = Vec::new();
    for at in [first, second].into_iter().flatten() {
        if charged.is_empty() || !caller.keyed {
            charged.push(at);
        }
        if answered(at) {
            told.push(at);
        }
    }
    let mut seen = vec![Seen::Sent(Span::ZERO), Seen::TimedOut(PATIENCE)];
    seen.extend(caller.retries.then_some(Seen::Sent(PATIENCE)));
    seen.extend(told.into_iter().map(Seen::Told));
    Outcome { charged, seen }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    fn rights(caller: Caller) -> [bool; 3] {
        World::ALL.map(|world| charge(world, caller).is_right())
    }

    #[test]
    fn when_it_must_decide_the_caller_has_seen_the_same_in_every_world() {
        for retries in [false, true] {
            for keyed in [false, true] {
                let views = World::ALL.map(|world| charge(world, Caller { retries, keyed }).seen_by_then());
                assert_eq!(views[0], [Seen::Sent(Span::ZERO), Seen::TimedOut(PATIENCE)]);
                assert!(views.iter().all(|view| *view == views[0]));
            }
        }
    }

    #[test]
    fn without_a_key_either_rule_errs_in_some_world_and_with_one_asking_again_is_right_in_all() {
        let rule = |retries, keyed| rights(Caller { retries, keyed });
        assert_eq!(rule(false, false), [false, true, true]);
        assert_eq!(rule(true, false), [true, false, false]);
        assert_eq!(rule(false, true), [false, true, true]);
        assert_eq!(rule(true, true), [true, true, true]);
    }

    #[test]
    fn a_slow_server_charges_at_3_s_and_again_when_asked_again() {
        let charged = |world, retries, keyed| charge(world, Caller { retries, keyed }).charged;
        assert_eq!(
            charged(World::ServerSlow, true, false),
            [Span::from_secs(3), Span::from_secs(4)]
        );
        assert_eq!(charged(World::ServerSlow, true, true), [Span::from_secs(3)]);
        assert_eq!(
            charged(World::AnswerLost, true, false),
            [Span::ZERO, Span::from_secs(1)]
        );
        assert_eq!(charged(World::RequestLost, false, false), []);
    }
}
