//! The members of the store in words: their place in the group, their disks, and what the group can no longer do.

use super::super::cast::Cast;
use super::super::story::{DiskTrouble, Halt, MemberPlace};
use super::halt_words;
use crate::engine::{Event, SimTime};
use crate::raft::{RoleName, Term};
use crate::vocabulary::Words;
use crate::world::Part;

/// A member of the store takes another place in its group. At the start of a run only the leader's is worth telling, and
/// a single member's never: it has nobody to lead.
pub fn takes_place(event: &Event<Words>, role: RoleName, term: Term, cast: &Cast) -> Option<String> {
    let Some(Part::Store(member)) = cast.part_at(event.place) else {
        return None;
    };
    let (name, Term(number)) = (cast.member_name(member), term);
    let before = cast.place_before(event.id);
    if event.at == SimTime::ZERO && before.is_none() {
        return (cast.has_group() && role == RoleName::Leader)
            .then(|| format!("{name} leads the store in term {number} when the run begins"));
    }
    let alone = !cast.has_group();
    Some(match (role, before) {
        (RoleName::Leader, _) if alone => format!("{name} is the store's leader, in term {number}"),
        _ if alone => return None,
        (RoleName::Leader, _) => format!("{name} becomes leader of the store in term {number}"),
        (RoleName::Candidate, _) => format!("{name} asks for votes in term {number}"),
        (RoleName::PreCandidate, _) => {
            format!(
                "{name} hears no leader and asks who would vote for it in term {}",
                number + 1
            )
        }
        (RoleName::Follower, Some((RoleName::Leader, was))) => stops_leading(&name, was, term),
        (RoleName::Follower, Some((RoleName::Follower, _))) => format!("{name} enters term {number}"),
        (RoleName::Follower, Some((_, was))) if was < term => {
            format!("{name} no longer asks for votes: it learns of term {number}")
        }
        (RoleName::Follower, Some(_)) => format!("{name} no longer asks for votes in term {number}"),
        (RoleName::Follower, None) => format!("{name} is back, in term {number}, and waits for a leader"),
    })
}

/// A leader steps down: of a later term, because it heard of that; in its own, because a majority is silent.
pub fn stops_leading(name: &str, was: Term, now: Term) -> String {
    if now > was {
        format!("{name} no longer leads the store: it learns of term {}", now.0)
    } else {
        format!("{name} no longer leads the store: it does not hear from a majority")
    }
}

/// The store can decide nothing any more.
pub fn no_quorum(too_few: bool) -> &'static str {
    if too_few {
        "the store has no majority: too few of its members run to decide anything"
    } else {
        "the store has no leader: it decides nothing until it has elected one"
    }
}

/// A place in the group, without its subject.
pub fn place_words(place: MemberPlace) -> String {
    let what = match place.role {
        RoleName::Leader => "leads",
        RoleName::Follower => "follows",
        RoleName::PreCandidate => "asks who would vote for it",
        RoleName::Candidate => "asks for votes",
    };
    format!("{what}, term {}", place.term.0)
}

/// What a member is at one instant: its place, unless it is dead.
pub fn member_words(halt: Option<Halt>, place: Option<MemberPlace>) -> String {
    let place = place.map_or_else(|| "not started yet".to_owned(), place_words);
    match halt {
        Some(Halt::Dead) => halt_words(Halt::Dead).to_owned(),
        Some(Halt::Frozen) => format!("{} ({place})", halt_words(Halt::Frozen)),
        None => place,
    }
}

pub fn disk_words(disk: DiskTrouble) -> &'static str {
    match disk {
        DiskTrouble::Slow => "disk is slow",
        DiskTrouble::Stalls => "disk stalls",
    }
}
