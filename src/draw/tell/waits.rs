//! What agents and clients wait for: their timers, with what ended each wait.

use super::super::cast::Cast;
use super::super::waits::{ActorWaits, Told, Wait, WaitEnd, WaitFor};
use crate::agent::AgentThread;
use crate::engine::{Alarm, ConnId, Ended, Event, EventId, FullTrace, Life, Patience, Place, ProcId, SimTime, Span};
use crate::engine::{TimerKey, What};
use crate::vocabulary::{Message, Note, StoreOp, Words, WriteOutcome};
use crate::world::{Layout, Part};
use std::collections::{BTreeMap, BTreeSet};

/// A client that is answered sooner does not wait: there may be thousands of its writes.
const CLIENT_WAITS: Span = Span::from_millis(100);

pub struct Waits<'a> {
    /// The alarms that are still to be told.
    ahead: std::iter::Peekable<std::slice::Iter<'a, Alarm>>,
    open: BTreeMap<(ProcId, TimerKey), Wait>,
    /// On which connection each of them waits.
    conns: BTreeMap<(ProcId, TimerKey), Vec<ConnId>>,
    established: BTreeSet<ConnId>,
    /// Connections on which a member of the store was last asked who the members are.
    lists: BTreeSet<ConnId>,
    /// By process; none for those whose waiting is not told.
    actors: Vec<Option<ActorWaits>>,
}

impl<'a> Waits<'a> {
    pub fn new(trace: &'a FullTrace<Words>, layout: &Layout) -> Waits<'a> {
        let actor = |&who: &Part| {
            let tells = matches!(who, Part::Agent(_) | Part::Writer(_) | Part::DirectWriter(_));
            tells.then(|| ActorWaits {
                who,
                waits: Vec::new(),
                told: Vec::new(),
            })
        };
        Waits {
            ahead: trace.alarms().iter().peekable(),
            open: BTreeMap::new(),
            conns: BTreeMap::new(),
            established: trace
                .opened_before()
                .iter()
                .filter(|opened| opened.established)
                .map(|opened| opened.conn)
                .collect(),
            lists: BTreeSet::new(),
            actors: layout.parts().iter().map(actor).collect(),
        }
    }

    pub fn see(&mut self, event: &Event<Words>, trace: &FullTrace<Words>, cast: &Cast) {
        self.catch_up(event.id.index(), trace, cast);
        let Place::Process(process) = event.place else { return };
        if self.actor(process).is_none() {
            return;
        }
        match &event.what {
            What::Timer(key) => self.close((process, *key), event.at, WaitEnd::TimeUp, Some(event.id)),
            What::Opened { conn } => drop(self.established.insert(*conn)),
            What::Ended { conn, .. } => drop(self.established.remove(conn)),
            What::Sent {
                conn,
                message: Message::Store { op, .. },
                ..
            } => self.asked(process, *conn, op),
            What::Note(Note::Write { outcome, .. }) => self.told(process, event, *outcome),
            What::Life(Life::Killed | Life::Exited) => self.gone(process, event),
            _ => {}
        }
    }

    fn actor(&mut self, process: ProcId) -> Option<&mut ActorWaits> {
        self.actors.get_mut(process.index())?.as_mut()
    }

    /// Tells the alarms up to the event at this place of the trace.
    fn catch_up(&mut self, events: usize, trace: &FullTrace<Words>, cast: &Cast) {
        while let Some(alarm) = self.ahead.next_if(|alarm| alarm.after as usize <= events) {
            let executor = match self.actor(alarm.process).map(|actor| actor.who) {
                Some(Part::Agent(_)) => match AgentThread::of(alarm.key) {
                    Some(thread) => thread == AgentThread::Executor,
                    None => continue,
                },
                Some(_) => false,
                None => continue,
            };
            let name = (alarm.process, alarm.key);
            let end = why_ended(alarm, trace, cast);
            self.close(name, alarm.at, end, alarm.during);
            if let Some(patience) = &alarm.set {
                let fired = |event: &Event<Words>| event.what == What::Timer(alarm.key);
                let gives_up = self.conns.get(&name) == Some(&patience.conns)
                    && alarm.during.and_then(|event| trace.get(event)).is_some_and(fired);
                self.begin(alarm, patience, (executor, gives_up), cast);
            }
        }
    }

    /// `gives_up`: its time was over just now, and what it waited on is not opened anew.
    fn begin(&mut self, alarm: &Alarm, patience: &Patience, (executor, gives_up): (bool, bool), cast: &Cast) {
        let other = |conn: &ConnId| cast.part(cast.ends(*conn, alarm.process)?.0);
        let what = match patience.conns.first() {
            None => WaitFor::Time,
            Some(_) if gives_up => WaitFor::GivingUp,
            Some(conn) if !self.established.contains(conn) => WaitFor::Connection,
            Some(conn) if self.lists.contains(conn) => WaitFor::MemberList,
            Some(_) => WaitFor::Reply,
        };
        let wait = Wait {
            from: alarm.at,
            until: alarm.at,
            patience: patience.span,
            what,
            on: patience.conns.iter().filter_map(other).collect(),
            executor,
            end: WaitEnd::Open,
            event: None,
        };
        let name = (alarm.process, alarm.key);
        self.conns.insert(name, patience.conns.clone());
        self.open.insert(name, wait);
    }

    /// A question goes out on a connection. It may leave only after its time began to count.
    fn asked(&mut self, process: ProcId, conn: ConnId, op: &StoreOp) {
        let list = *op == StoreOp::Members;
        if list {
            self.lists.insert(conn);
        } else {
            self.lists.remove(&conn);
        }
        let mine = (process, TimerKey(0))..=(process, TimerKey(u32::MAX));
        for (name, wait) in self.open.range_mut(mine) {
            let on_it = self.conns.get(name).is_some_and(|conns| conns.contains(&conn));
            if on_it && matches!(wait.what, WaitFor::Reply | WaitFor::MemberList) {
                wait.what = if list { WaitFor::MemberList } else { WaitFor::Reply };
            }
        }
    }

    fn told(&mut self, process: ProcId, event: &Event<Words>, outcome: WriteOutcome) {
        let told = match outcome {
            WriteOutcome::Acknowledged { by, .. } => Told::AcknowledgedBy(by),
            WriteOutcome::Refused(_) => Told::Refused,
            WriteOutcome::Unknown => Told::Nothing,
        };
        if let Some(actor) = self.actor(process)
            && actor.told.last().is_none_or(|(.., last)| *last != told)
        {
            actor.told.push((event.at, event.id, told));
        }
    }

    fn gone(&mut self, process: ProcId, event: &Event<Words>) {
        let mine = (process, TimerKey(0))..=(process, TimerKey(u32::MAX));
        let names: Vec<_> = self.open.range(mine).map(|(name, _)| *name).collect();
        for name in names {
            self.close(name, event.at, WaitEnd::Left, Some(event.id));
        }
    }

    fn close(&mut self, name: (ProcId, TimerKey), at: SimTime, end: WaitEnd, event: Option<EventId>) {
        let Some(wait) = self.open.remove(&name) else { return };
        let Some(actor) = self.actor(name.0) else { return };
        let is_agent = matches!(actor.who, Part::Agent(_));
        let lasted = at.since(wait.from);
        if lasted > Span::ZERO && (is_agent || !wait.on.is_empty() && lasted >= CLIENT_WAITS) {
            actor.waits.push(Wait {
                until: at,
                end,
                event,
                ..wait
            });
        }
    }

    /// The waits that went on at `from` or later.
    pub fn finish(mut self, trace: &FullTrace<Words>, cast: &Cast, (from, end): (SimTime, SimTime)) -> Vec<ActorWaits> {
        self.catch_up(usize::MAX, trace, cast);
        for name in self.open.keys().copied().collect::<Vec<_>>() {
            self.close(name, end, WaitEnd::Open, None);
        }
        let mut actors: Vec<ActorWaits> = self.actors.into_iter().flatten().collect();
        for actor in &mut actors {
            actor.waits.retain(|wait| wait.until >= from);
            crate::sorting::by_key(&mut actor.waits, |wait| wait.from);
        }
        actors
    }
}

/// How the wait ended that gave way to this alarm.
fn why_ended(alarm: &Alarm, trace: &FullTrace<Words>, cast: &Cast) -> WaitEnd {
    let during = alarm.during.and_then(|event| trace.get(event));
    match during.map(|event| &event.what) {
        Some(What::Received { from, .. }) => cast.part(*from).map_or(WaitEnd::Left, WaitEnd::Answered),
        Some(What::Opened { .. }) => WaitEnd::Connected,
        Some(What::Ended {
            how: Ended::Refused, ..
        }) => WaitEnd::Refused,
        Some(What::Ended { .. }) => WaitEnd::Broken,
        _ => WaitEnd::Left,
    }
}
