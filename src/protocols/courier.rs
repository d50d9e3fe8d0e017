//! A process that does what a script says: sends messages, does things by itself, commits with or without a wait, grants
//! leases by one of its clocks. What its clocks do to that is the point.
//!
//! ```text
//! Start            -> open a connection to everybody it will ever send to
//! Order(n)         -> do job n            (the script's instants of true time come to it as orders, for no process sees them)
//! Message          -> after so long, do each job that waits for this message
//! Timer            -> do that job; show a commit whose stamp has passed; let a lease run out; or look again later
//! ```

use crate::engine::{Actor, ConnId, Ctx, Input, ProcId, Span, TimerKey, WallTime, Wire};
use borsh::BorshSerialize;
use std::collections::BTreeMap;

/// What couriers say and note.
#[derive(Clone, Debug, PartialEq)]
pub struct Couriers;

impl Wire for Couriers {
    /// The name of a message.
    type Message = String;
    type FileName = ();
    type File = ();
    type Note = CourierNote;
    /// The number of a job to do now.
    type Order = u16;
}

/// What a courier states about itself.
#[derive(Clone, Debug, PartialEq, BorshSerialize)]
pub enum CourierNote {
    /// It does this by itself.
    Does(String),
    /// It commits and gives this stamp, in µs of its wall clock.
    Commits { name: String, stamp_us: i64 },
    /// From now on others can see the commit.
    Shows(String),
    /// It grants a lease.
    Grants { name: String, kept: Kept },
    /// It takes the lease for run out.
    Expires(String),
}

/// By which clock a lease is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize)]
pub enum Kept {
    ByWall,
    ByMonotonic,
}

/// Something to do, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    pub when: JobWhen,
    pub deed: JobDeed,
}

#[derive(Clone, Debug, PartialEq)]
pub enum JobWhen {
    Ordered,
    /// So long after the receipt of a message, by the monotonic clock.
    After(String, Span),
}

#[derive(Clone, Debug, PartialEq)]
pub enum JobDeed {
    Send(String, ProcId),
    Do(String),
    Commit { name: String, waits: bool },
    Grant { name: String, lasts: Span, kept: Kept },
}

/// What a timer was set for.
#[derive(Clone, Debug)]
enum Awaited {
    Job(usize),
    /// That a stamp has passed for sure.
    Passed {
        name: String,
        stamp: WallTime,
    },
    /// That the wall clock reads this.
    Reads {
        name: String,
        until: WallTime,
    },
    /// That so much has gone by on the monotonic clock; it has when the timer fires.
    GoneBy {
        name: String,
    },
}

/// A connection, and what waits for it to stand.
#[derive(Clone, Debug)]
struct Line {
    to: ProcId,
    conn: ConnId,
    stands: bool,
    waiting: Vec<String>,
}

/// See the file's head.
#[derive(Clone, Debug)]
pub struct Courier {
    jobs: Vec<Job>,
    /// By how much it believes its wall clock to be wrong at most.
    epsilon: Span,
    looks_every: Span,
    lines: Vec<Line>,
    awaited: BTreeMap<u32, Awaited>,
    next_timer: u32,
    /// The largest stamp it has given.
    last_stamp: Option<WallTime>,
}

impl Courier {
    pub fn new(jobs: Vec<Job>, epsilon: Span, looks_every: Span) -> Courier {
        Courier {
            jobs,
            epsilon,
            looks_every,
            lines: Vec::new(),
            awaited: BTreeMap::new(),
            next_timer: 0,
            last_stamp: None,
        }
    }

    fn connect(&mut self, ctx: &mut Ctx<'_, Couriers>) {
        self.lines.clear();
        for job in &self.jobs {
            if let JobDeed::Send(_, to) = &job.deed
                && !self.lines.iter().any(|line| line.to == *to)
            {
                self.lines.push(Line {
                    to: *to,
                    conn: ctx.open(*to),
                    stands: false,
                    waiting: Vec::new(),
                });
            }
        }
    }

    fn opened(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Couriers>) {
        if let Some(line) = self.lines.iter_mut().find(|line| line.conn == conn) {
            line.stands = true;
            line.waiting.drain(..).for_each(|message| ctx.send(conn, message));
        }
    }

    fn received(&mut self, message: &str, ctx: &mut Ctx<'_, Couriers>) {
        for n in 0..self.jobs.len() {
            match &self.jobs[n].when {
                JobWhen::After(on, after) if on == message => {
                    let after = *after;
                    self.wait(Awaited::Job(n), after, ctx);
                }
                JobWhen::After(..) | JobWhen::Ordered => {}
            }
        }
    }

    fn wait(&mut self, what: Awaited, after: Span, ctx: &mut Ctx<'_, Couriers>) {
        self.awaited.insert(self.next_timer, what);
        ctx.set_timer(TimerKey(self.next_timer), after);
        self.next_timer += 1;
    }

    fn perform(&mut self, job: usize, ctx: &mut Ctx<'_, Couriers>) {
        let Some(job) = self.jobs.get(job) else { return };
        match job.deed.clone() {
            JobDeed::Send(message, to) => match self.lines.iter_mut().find(|line| line.to == to) {
                Some(line) if line.stands => ctx.send(line.conn, message),
                Some(line) => line.waiting.push(message),
                None => {}
            },
            JobDeed::Do(what) => ctx.note(CourierNote::Does(what)),
            JobDeed::Commit { name, waits } => self.commit(name, waits, ctx),
            JobDeed::Grant { name, lasts, kept } => {
                let until = ctx.wall() + lasts;
                ctx.note(CourierNote::Grants {
                    name: name.clone(),
                    kept,
                });
                match kept {
                    Kept::ByMonotonic => self.wait(Awaited::GoneBy { name }, lasts, ctx),
                    Kept::ByWall => self.wait(Awaited::Reads { name, until }, self.looks_every.min(lasts), ctx),
                }
            }
        }
    }

    /// The stamp is the latest instant that it may be now, and more than any it gave before (protocols.md 18.5).
    fn commit(&mut self, name: String, waits: bool, ctx: &mut Ctx<'_, Couriers>) {
        let latest = ctx.wall() + self.epsilon;
        let stamp = self.last_stamp.map_or(latest, |last| latest.max(last + Span(1)));
        self.last_stamp = Some(stamp);
        ctx.note(CourierNote::Commits {
            name: name.clone(),
            stamp_us: stamp.0,
        });
        if waits {
            self.show_when_passed(name, stamp, ctx);
        } else {
            ctx.note(CourierNote::Shows(name));
        }
    }

    /// Passed: even if the clock is fast by the whole bound, it is later than the stamp now.
    fn show_when_passed(&mut self, name: String, stamp: WallTime, ctx: &mut Ctx<'_, Couriers>) {
        let passed_at = stamp + self.epsilon + Span(1);
        if ctx.wall() >= passed_at {
            ctx.note(CourierNote::Shows(name));
        } else {
            self.wait(Awaited::Passed { name, stamp }, passed_at.since(ctx.wall()), ctx);
        }
    }

    fn fired(&mut self, key: TimerKey, ctx: &mut Ctx<'_, Couriers>) {
        match self.awaited.remove(&key.0) {
            Some(Awaited::Job(n)) => self.perform(n, ctx),
            Some(Awaited::Passed { name, stamp }) => self.show_when_passed(name, stamp, ctx),
            Some(Awaited::Reads { name, until }) if ctx.wall() < until => {
                let after = self.looks_every.min(until.since(ctx.wall()));
                self.wait(Awaited::Reads { name, until }, after, ctx);
            }
            Some(Awaited::Reads { name, .. } | Awaited::GoneBy { name }) => ctx.note(CourierNote::Expires(name)),
            None => {}
        }
    }
}

impl Actor<Couriers> for Courier {
    fn handle(&mut self, input: Input<Couriers>, ctx: &mut Ctx<'_, Couriers>) {
        match input {
            Input::Start => self.connect(ctx),
            Input::Opened(conn) => self.opened(conn, ctx),
            Input::Order { order, begins: true } => self.perform(usize::from(order), ctx),
            Input::Message(_, message) => self.received(&message, ctx),
            Input::Timer(key) => self.fired(key, ctx),
            Input::Order { .. } | Input::Accepted(..) | Input::Ended(..) | Input::Signal(_) | Input::DiskDone(_) => {}
        }
    }
}
