//! The messages worth drawing.

use super::super::cast::Cast;
use super::super::story::{Beat, Flight, Lane, Talk};
use crate::engine::{ConnId, Event, EventId, FullTrace, Place, ProcId, SimTime, Span, What};
use crate::raft::Body;
use crate::sorting;
use crate::vocabulary::{Message, StoreAnswer, StoreOp, Words};
use crate::world::Part;
use std::collections::BTreeMap;

/// A loss is drawn from the sending on, unless that was long before: then it is one of many tries.
const ONE_TRY: Span = Span::from_millis(150);

#[derive(Clone, Debug, Default)]
pub struct Messages {
    flights: Vec<Flight>,
    beats: Vec<Beat>,
    /// What was asked last: who, whom, and the number of the question when it has one.
    asked: BTreeMap<(ProcId, ProcId, Option<u32>), EventId>,
}

impl Messages {
    pub fn see(&mut self, event: &Event<Words>, trace: &FullTrace<Words>, cast: &Cast) {
        match &event.what {
            What::Received {
                from, sent, message, ..
            } => {
                let Place::Process(to) = event.place else { return };
                self.flies(trace, cast, *sent, (*from, to), event.at, Some(message));
            }
            What::Dropped { conn, to, sent, .. } => self.lost(event, trace, cast, (*conn, *to), *sent),
            _ => {}
        }
    }

    fn lost(
        &mut self,
        event: &Event<Words>,
        trace: &FullTrace<Words>,
        cast: &Cast,
        (conn, to): (ConnId, ProcId),
        sent: Option<EventId>,
    ) {
        let Some(ends) = cast.ends(conn, to) else { return };
        match sent {
            Some(sent) => self.flies(trace, cast, sent, ends, event.at, None),
            None => {
                let at = event.at;
                if let Some((from, to)) = members(cast, ends) {
                    return self.beats.push(beat((from, to), (at, at), false));
                }
                let Some((from, to)) = lanes(cast, ends) else { return };
                self.flights.push(Flight {
                    event: event.id,
                    from,
                    to,
                    sent: at,
                    end: at,
                    arrives: false,
                    what: Talk::Handshake,
                    answers: None,
                    decides: false,
                });
            }
        }
    }

    /// A message flies from its sending to `end`: its arrival, when `arrived` has it, or its loss.
    fn flies(
        &mut self,
        trace: &FullTrace<Words>,
        cast: &Cast,
        sent: EventId,
        ends: (ProcId, ProcId),
        end: SimTime,
        arrived: Option<&Message>,
    ) {
        let Some((from, to)) = lanes(cast, ends) else { return };
        let Some(Event {
            at,
            what: What::Sent { message, .. },
            ..
        }) = trace.get(sent)
        else {
            return;
        };
        let lost = arrived.is_none();
        let sent_at = if lost && end.since(*at) > ONE_TRY { end } else { *at };
        let Some((what, decides)) = talk(message) else {
            let ends = members(cast, ends).filter(|_| *message != Message::PeerAlive);
            let beat = ends.map(|ends| beat(ends, (sent_at, end), !lost));
            return self.beats.extend(beat);
        };
        let answers = self.answered(sent, message, ends);
        self.flights.push(Flight {
            event: sent,
            from,
            to,
            sent: sent_at,
            end,
            arrives: !lost,
            what,
            answers,
            decides,
        });
    }

    /// Remembers a question, by who asked whom and with which number, and gives back the question that an answer is for.
    fn answered(&mut self, sent: EventId, message: &Message, (from, to): (ProcId, ProcId)) -> Option<EventId> {
        match message {
            Message::Store { request, .. } => self.asked.insert((from, to, Some(*request)), sent).and(None),
            Message::AskStatus { .. } => self.asked.insert((from, to, None), sent).and(None),
            Message::StoreReply { request, .. } => self.asked.get(&(to, from, Some(*request))).copied(),
            Message::Status { .. } => self.asked.get(&(to, from, None)).copied(),
            _ => None,
        }
    }

    /// Messages, and those that only keep the store together, that were under way at `from` or later.
    pub fn finish(mut self, from: SimTime) -> (Vec<Flight>, Vec<Beat>) {
        self.flights.retain(|flight| flight.end >= from);
        self.beats.retain(|beat| beat.end() >= from);
        sorting::by_key(&mut self.flights, |flight| flight.sent);
        sorting::by_key(&mut self.beats, |beat| beat.sent);
        (self.flights, self.beats)
    }
}

/// Only what agents and the store say to each other is drawn.
fn lanes(cast: &Cast, (from, to): (ProcId, ProcId)) -> Option<(Lane, Lane)> {
    let lane = |process| match cast.part(process)? {
        Part::Agent(node) => Some(Lane::Agent(node)),
        Part::Store(member) => Some(cast.member_lane(member)),
        _ => None,
    };
    let (from, to) = (lane(from)?, lane(to)?);
    (from != to).then_some((from, to))
}

/// The members of the store between which something is said.
fn members(cast: &Cast, (from, to): (ProcId, ProcId)) -> Option<(u8, u8)> {
    match (cast.part(from)?, cast.part(to)?) {
        (Part::Store(from), Part::Store(to)) => Some((from, to)),
        _ => None,
    }
}

fn beat((from, to): (u8, u8), (sent, end): (SimTime, SimTime), arrives: bool) -> Beat {
    Beat {
        sent,
        took_us: u32::try_from(end.since(sent).0).unwrap_or(u32::MAX),
        from,
        to,
        arrives,
    }
}

/// What a message is, and whether it may decide who leads.
fn talk(message: &Message) -> Option<(Talk, bool)> {
    Some(match message {
        Message::Store { op, .. } => (Talk::StoreRequest, matches!(op, StoreOp::Txn(_))),
        Message::StoreReply { answer, .. } => (
            Talk::StoreReply,
            matches!(answer, Ok(StoreAnswer::Txn { .. } | StoreAnswer::LeaseGone)),
        ),
        Message::WatchEvents { .. } => (Talk::News, false),
        Message::AskStatus { .. } => (Talk::Question, true),
        Message::Status { .. } => (Talk::Answer, true),
        Message::Raft(message) => match &message.body {
            Body::PreVote { .. } | Body::PreVoted { .. } | Body::Vote { .. } | Body::Voted { .. } => (Talk::Vote, true),
            Body::Append { entries, .. } if !entries.is_empty() => (Talk::Append, false),
            _ => return None,
        },
        _ => return None,
    })
}
