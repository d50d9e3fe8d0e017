//! Elections under a scheduler that somebody plays, who may deliver any pending message next and let any timer fire when they
//! like (Fischer, Lynch, Paterson, 1985; protocols.md 19.4).
//!
//! ```text
//! timer fires  -> next round: vote for oneself, ask all others
//! request      -> of a later round than one's own: go there and grant it; otherwise refuse (by silence)
//! grant        -> of one's own round: with a majority of votes it is decided
//! ```
//!
//! The timers are equal, so nothing stops the scheduler from letting all fire before any request is delivered: all vote for
//! themselves, nobody gets a majority, and the next round begins. What that shows: no deterministic protocol is sure to end
//! where messages may take any time and one process may crash. It does not show that consensus never ends, and nothing unsafe
//! ever happens here: no two candidates win one round. With timers that are drawn, a scheduler that cannot see the draws loses
//! ([`mean_rounds`]).

use super::quorum::majority;

/// Something the scheduler may let happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    /// A timer is always pending: where messages may take any time, so may a clock.
    Timer {
        node: usize,
    },
    Request {
        from: usize,
        to: usize,
        round: u32,
    },
    Grant {
        from: usize,
        to: usize,
        round: u32,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Node {
    round: u32,
    /// How many have voted for it in its round.
    votes: u32,
    candidate: bool,
}

/// A game: the nodes, and what is pending. `Clone` it to look ahead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Election {
    nodes: Vec<Node>,
    pending: Vec<Pending>,
    pub steps: u32,
    /// Who won which round first.
    pub decided: Option<(usize, u32)>,
}

impl Election {
    pub fn new(nodes: usize) -> Election {
        Election {
            nodes: vec![Node::default(); nodes],
            pending: (0..nodes).map(|node| Pending::Timer { node }).collect(),
            steps: 0,
            decided: None,
        }
    }

    /// What the scheduler can choose from.
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// Lets the choice at this place of `pending` happen. Nothing more happens once it is decided, or where there is no such
    /// choice.
    pub fn choose(&mut self, choice: usize) {
        if self.decided.is_some() || choice >= self.pending.len() {
            return;
        }
        self.steps += 1;
        let chosen = self.pending[choice];
        if !matches!(chosen, Pending::Timer { .. }) {
            self.pending.remove(choice);
        }
        match chosen {
            Pending::Timer { node } => self.campaign(node),
            Pending::Request { from, to, round } if round > self.nodes[to].round => {
                self.nodes[to] = Node {
                    round,
                    votes: 0,
                    candidate: false,
                };
                let (from, to) = (to, from);
                self.pending.push(Pending::Grant { from, to, round });
            }
            Pending::Grant { to, round, .. } if self.nodes[to].candidate && self.nodes[to].round == round => {
                self.nodes[to].votes += 1;
                self.count(to);
            }
            Pending::Request { .. } | Pending::Grant { .. } => {}
        }
    }

    fn campaign(&mut self, node: usize) {
        let round = self.nodes[node].round + 1;
        self.nodes[node] = Node {
            round,
            votes: 1,
            candidate: true,
        };
        let others = (0..self.nodes.len()).filter(|&other| other != node);
        let requests = others.map(|to| Pending::Request { from: node, to, round });
        self.pending.extend(requests);
        self.count(node);
    }

    fn count(&mut self, node: usize) {
        if self.nodes[node].votes >= majority(self.nodes.len() as u32) {
            self.decided = Some((node, self.nodes[node].round));
        }
    }

    /// What an adversary chooses who wants no decision and withholds nothing for ever: messages that can do no harm are
    /// delivered, the oldest first; when none is left, the timer of the node that is furthest behind fires.
    pub fn adversary(&self) -> usize {
        let harmless = |pending: &Pending| match *pending {
            Pending::Timer { .. } => false,
            Pending::Request { to, round, .. } => round <= self.nodes[to].round,
            Pending::Grant { to, round, .. } => !self.nodes[to].candidate || self.nodes[to].round != round,
        };
        self.pending.iter().position(harmless).unwrap_or_else(|| {
            let behind = (0..self.nodes.len())
                .min_by_key(|&node| self.nodes[node].round)
                .unwrap_or(0);
            let timer = Pending::Timer { node: behind };
            self.pending.iter().position(|pending| *pending == timer).unwrap_or(0)
        })
    }
}

/// How many rounds an election takes in the mean, when each of two live voters draws its timer from a range of this width and a
/// message takes `delay`: a round is decided when the drawn timers differ by more than that, for then the first has asked the
/// second before that asks by itself. Both in any one unit. Nothing: it never ends, because no two draws can differ so much.
///
/// ```
/// use leaselab::protocols::mean_rounds;
/// assert_eq!(mean_rounds(5.0, 10.0), None);
/// assert!((mean_rounds(25.0, 10.0).unwrap() - 2.8).abs() < 0.05);
/// ```
pub fn mean_rounds(width: f64, delay: f64) -> Option<f64> {
    // Of two uniform draws: P(|x − y| > d) = (1 − d/w)².
    let apart = 1.0 - delay / width;
    (apart > 0.0).then(|| 1.0 / (apart * apart))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::engine::{Draw, Draws};
    use proptest::prelude::*;

    #[test]
    fn the_adversary_keeps_an_election_of_equal_timers_undecided_for_as_long_as_it_likes_and_withholds_nothing() {
        for nodes in [2, 3, 5, 7] {
            let mut election = Election::new(nodes);
            for _ in 0..20_000 {
                election.choose(election.adversary());
                assert_eq!(election.decided, None);
                // Every request is delivered before the next round begins.
                assert!(election.pending().len() <= nodes * nodes);
            }
            assert_eq!(election.steps, 20_000);
        }
    }

    #[test]
    fn whoever_lets_a_candidate_be_heard_first_ends_it() {
        let mut election = Election::new(3);
        let choose = |election: &mut Election, wanted: Pending| {
            let choice = election.pending().iter().position(|pending| *pending == wanted);
            election.choose(choice.expect("pending"));
        };
        choose(&mut election, Pending::Timer { node: 0 });
        let request = Pending::Request {
            from: 0,
            to: 1,
            round: 1,
        };
        choose(&mut election, request);
        let grant = Pending::Grant {
            from: 1,
            to: 0,
            round: 1,
        };
        choose(&mut election, grant);
        assert_eq!((election.decided, election.steps), (Some((0, 1)), 3));
        election.choose(0);
        assert_eq!(election.steps, 3, "it is over");
    }

    #[test]
    fn from_every_undecided_state_the_adversary_can_go_on() {
        // Whatever a clumsy scheduler did before, if it is not decided and no majority is on its way to somebody.
        let mut draws = Draws::new(1, 0);
        for _ in 0..2_000 {
            let mut election = Election::new(3);
            for _ in 0..draws.below(Draw(0), 12) {
                let choice = draws.below(Draw(1), election.pending().len() as u64) as usize;
                let mut next = election.clone();
                next.choose(choice);
                if next.decided.is_none() {
                    election = next;
                }
            }
            for _ in 0..60 {
                election.choose(election.adversary());
            }
            assert_eq!(election.decided, None);
        }
    }

    proptest! {
        #[test]
        fn no_round_is_ever_won_by_two(choices in prop::collection::vec(0usize..1_000, 1..80), nodes in 2usize..6) {
            // Goes on after a decision, as nodes that have not heard of it would.
            let mut election = Election::new(nodes);
            let mut won: Vec<(usize, u32)> = Vec::new();
            for choice in choices {
                let n = election.pending().len();
                election.choose(choice % n);
                if let Some(winner) = election.decided.take() {
                    prop_assert!(won.iter().all(|&(node, round)| round != winner.1 || node == winner.0), "{won:?} {winner:?}");
                    won.push(winner);
                }
            }
        }
    }

    #[test]
    fn drawn_timers_end_it_the_sooner_the_wider_their_range() {
        let expected = [
            (5_000, None),
            (25_000, Some(2.8)),
            (50_000, Some(1.6)),
            (150_000, Some(1.15)),
        ];
        let mut draws = Draws::new(7, 0);
        for (width_us, expected) in expected {
            let by_formula = mean_rounds(f64::from(width_us as u32), 10_000.0);
            assert_eq!(by_formula.is_some(), expected.is_some());
            let (Some(by_formula), Some(expected)) = (by_formula, expected) else {
                let mut timer = || draws.below(Draw(0), width_us);
                assert!((0..1_000).all(|_| timer().abs_diff(timer()) <= 10_000), "never");
                continue;
            };
            assert!((by_formula - expected).abs() < 0.05, "{by_formula} {expected}");
            let mut rounds = 0_u32;
            const ELECTIONS: u32 = 20_000;
            for _ in 0..ELECTIONS {
                loop {
                    rounds += 1;
                    let timers = [draws.below(Draw(0), width_us), draws.below(Draw(0), width_us)];
                    if timers[0].abs_diff(timers[1]) > 10_000 {
                        break;
                    }
                }
            }
            let mean = f64::from(rounds) / f64::from(ELECTIONS);
            assert!((mean - by_formula).abs() < 0.03 * by_formula, "{mean} {by_formula}");
        }
    }
}
