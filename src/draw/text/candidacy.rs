//! Candidacies that repeat: a member without a leader asks every second or two who would vote for it, for as long as it takes.

use crate::engine::{Event, Place, ProcId, What};
use crate::raft::{Body, RoleName, Term};
use crate::vocabulary::{Message, Note, Words};
use std::collections::BTreeMap;

/// So many rounds are told whole.
const TOLD: u32 = 2;

/// How often each member has asked about which term.
#[derive(Clone, Debug, Default)]
pub struct Candidacies {
    rounds: BTreeMap<ProcId, (Term, u32)>,
}

/// What becomes of an event's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    Whole,
    /// The first round that is not told: said once.
    AsksOn,
    LeftOut,
}

impl Candidacies {
    pub fn see(&mut self, event: &Event<Words>, ends: Option<(ProcId, ProcId)>) -> Told {
        if let (What::Note(Note::StoreRole { role, term }), Place::Process(me)) = (&event.what, event.place) {
            return self.takes_place(me, *role, *term);
        }
        let body = match &event.what {
            What::Sent { message, .. } | What::Received { message, .. } => body(message),
            _ => None,
        };
        let asks_on = |member: ProcId| self.rounds.get(&member).is_some_and(|&(_, rounds)| rounds > TOLD);
        let folded = match (body, ends) {
            (Some(Body::PreVote { .. }), Some((from, _))) => asks_on(from),
            (Some(Body::PreVoted { .. }), Some((_, to))) => asks_on(to),
            _ => false,
        };
        if folded { Told::LeftOut } else { Told::Whole }
    }

    fn takes_place(&mut self, me: ProcId, role: RoleName, term: Term) -> Told {
        if role != RoleName::PreCandidate {
            if role == RoleName::Leader {
                self.rounds.clear();
            }
            return Told::Whole;
        }
        let (asked, rounds) = self.rounds.entry(me).or_insert((term, 0));
        if *asked != term {
            (*asked, *rounds) = (term, 0);
        }
        *rounds += 1;
        match *rounds {
            0..=TOLD => Told::Whole,
            next if next == TOLD + 1 => Told::AsksOn,
            _ => Told::LeftOut,
        }
    }
}

fn body(message: &Message) -> Option<&Body<crate::vocabulary::Logged>> {
    match message {
        Message::Raft(message) => Some(&message.body),
        _ => None,
    }
}
