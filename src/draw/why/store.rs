//! Why a member of the store asks for votes or stops leading: whom it does not hear from, and what keeps them silent.

use super::Walk;
use crate::engine::{Event, EventId, Life, Place, ProcId, What};
use crate::raft::RoleName;
use crate::scenario::FaultKind;
use crate::vocabulary::{Note, Words};
use crate::world::Part;

impl<'a> Walk<'a> {
    /// Whether a change of place in the store's group is worth a sentence: not that a follower follows somebody else.
    pub(super) fn tells_place(&self, event: &Event<Words>, role: RoleName) -> bool {
        role != RoleName::Follower || self.stops_leading(event)
    }

    pub(super) fn stops_leading(&self, event: &Event<Words>) -> bool {
        matches!(self.cast.place_before(event.id), Some((RoleName::Leader, _)))
    }

    /// Goes back from a change of place.
    pub(super) fn back_from_place(&mut self, event: &Event<Words>, role: RoleName) {
        let by_timer = self
            .cause(event)
            .is_some_and(|cause| matches!(cause.what, What::Timer(_)));
        match role {
            RoleName::PreCandidate | RoleName::Candidate if by_timer => self.no_leader_heard(event),
            RoleName::Follower if by_timer && self.stops_leading(event) => self.no_majority_heard(event),
            RoleName::Follower if self.stops_leading(event) => {
                self.later_term(event);
                self.follow_cause(event);
            }
            _ => self.follow_cause(event),
        }
    }

    /// Who brought up the term that a leader gives way to.
    fn later_term(&mut self, event: &Event<Words>) {
        let What::Note(Note::StoreRole { term, .. }) = event.what else {
            return;
        };
        let other = self.before(event.id).find(|other| {
            let rises = |role| matches!(role, RoleName::Leader | RoleName::Candidate);
            other.place != event.place
                && matches!(other.what, What::Note(Note::StoreRole { role, term: t }) if rises(role) && t == term)
        });
        other.into_iter().for_each(|other| self.push(other.id));
    }

    /// A member's patience ends: what keeps the leader from being heard?
    fn no_leader_heard(&mut self, event: &Event<Words>) {
        let leads = |other: &&Event<Words>| {
            other.place != event.place
                && matches!(
                    other.what,
                    What::Note(Note::StoreRole {
                        role: RoleName::Leader,
                        ..
                    })
                )
        };
        let leader = self.before(event.id).find(leads);
        if let (Some(leader), Place::Process(me)) = (leader, event.place)
            && let Place::Process(process) = leader.place
        {
            self.silence(process, me, leader.id, event.id);
        }
    }

    /// A leader gives up: what keeps the others from being heard?
    fn no_majority_heard(&mut self, event: &Event<Words>) {
        let Place::Process(me) = event.place else { return };
        let since = self.before(event.id).find(|other| {
            other.place == event.place
                && matches!(
                    other.what,
                    What::Note(Note::StoreRole {
                        role: RoleName::Leader,
                        ..
                    })
                )
        });
        let since = since.map_or(event.id, |since| since.id);
        let others = self.cast.layout.store().iter().map(|&(_, process)| process);
        for other in others.filter(|&other| other != me).collect::<Vec<_>>() {
            self.silence(other, me, since, event.id);
        }
    }

    /// Why `me` hears nothing from another member between two events: it stands still or is dead, its disk holds it up, what
    /// it says is lost, or it has been started anew.
    fn silence(&mut self, other: ProcId, me: ProcId, since: EventId, until: EventId) {
        let found = self
            .halted(other, until)
            .or_else(|| self.disk_struck(other, until))
            .or_else(|| self.first_lost(other, me, since, until))
            .or_else(|| self.started(other, since, until));
        found.into_iter().for_each(|found| self.push(found.id));
    }

    /// A fault of a member's disk that goes on.
    fn disk_struck(&self, member: ProcId, until: EventId) -> Option<&'a Event<Words>> {
        let host = self.cast.layout.host_of(member);
        let strikes = |index: u16| match self
            .cast
            .scenario
            .faults
            .get(usize::from(index))
            .map(|fault| &fault.what)
        {
            Some(FaultKind::DiskStall { host: struck } | FaultKind::DiskSlow { host: struck, .. }) => {
                self.cast.host(*struck) == host
            }
            _ => false,
        };
        let last = self
            .before(until)
            .find(|event| matches!(event.what, What::Fault { index, .. } if strikes(index)))?;
        matches!(last.what, What::Fault { begins: true, .. }).then_some(last)
    }

    /// The first loss between two members after the last that arrived; a member hears on a connection that it opens itself.
    fn first_lost(&self, from: ProcId, to: ProcId, since: EventId, until: EventId) -> Option<&'a Event<Words>> {
        let mut first = None;
        for event in self.before(until).take_while(|event| event.id > since) {
            match &event.what {
                What::Received { from: sender, .. } if event.place == Place::Process(to) && *sender == from => break,
                What::Dropped { conn, to: receiver, .. } => {
                    let ends = self.cast.ends(*conn, *receiver);
                    if ends == Some((from, to)) || ends == Some((to, from)) {
                        first = Some(event);
                    }
                }
                _ => {}
            }
        }
        first
    }

    fn started(&self, member: ProcId, since: EventId, until: EventId) -> Option<&'a Event<Words>> {
        let places = [Place::Process(member), Place::Host(self.cast.layout.host_of(member))];
        let mut later = self.before(until).take_while(|event| event.id > since);
        later.find(|event| places.contains(&event.place) && event.what == What::Life(Life::Started))
    }

    /// An agent got no answer: when the store has had no leader of late, that is why.
    pub(super) fn no_store_leader(&mut self, event: &Event<Words>) {
        let last = self.before(event.id).find(|other| match other.what {
            What::Note(Note::StoreRole { role, .. }) => role == RoleName::Leader || self.stops_leading(other),
            _ => false,
        });
        let Some((last, Place::Process(leader))) = last.map(|last| (last, last.place)) else {
            return;
        };
        let gone = if self.stops_leading(last) {
            Some(last)
        } else {
            self.halted(leader, event.id)
        };
        gone.into_iter().for_each(|gone| self.push(gone.id));
    }

    /// Whether a process is a member of the store.
    pub(super) fn is_member(&self, process: ProcId) -> bool {
        matches!(self.cast.part(process), Some(Part::Store(_)))
    }
}
