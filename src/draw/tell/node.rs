//! A node's lane: its agent's loop and belief, its database, its watchdog, and what halts them.

use super::super::cast::Cast;
use super::super::story::{Belief, DatabaseState, Halt, NodeLane, Stretch, WatchdogFuse};
use super::Track;
use crate::engine::{Event, HostClock, Life, Place, SimTime, WallTime, What};
use crate::scenario::{FaultKind, Host};
use crate::vocabulary::{Database, NodeId, Note, Phase, Step, Timeline, Words};
use crate::world::{Layout, NodeProcesses, Part};

#[derive(Clone, Debug)]
pub struct Node {
    me: NodeId,
    processes: NodeProcesses,
    lane: NodeLane,
    steps: Track<Step>,
    believing: Option<Believing>,
    database: Track<DatabaseState>,
    timeline: Timeline,
    upstream: Track<NodeId>,
    agent_halts: Track<Halt>,
    database_halts: Track<Halt>,
    host_halts: Track<Halt>,
    watchdog: Track<WatchdogFuse>,
    /// The host's clocks: a belief runs out by the wall clock.
    clock: HostClock,
}

/// A belief that goes on, and the reading of its own clock at which it ends.
#[derive(Clone, Copy, Debug)]
struct Believing {
    from: SimTime,
    deadline: WallTime,
    is: Belief,
}

impl Node {
    pub fn new(me: NodeId, layout: &Layout) -> Node {
        Node {
            me,
            processes: *layout.node(me),
            lane: NodeLane {
                name: layout.node_name(me).to_owned(),
                clock: Vec::new(),
                ..NodeLane::default()
            },
            steps: Track::new(),
            believing: None,
            database: Track::new(),
            timeline: Timeline::default(),
            upstream: Track::new(),
            agent_halts: Track::new(),
            database_halts: Track::new(),
            host_halts: Track::new(),
            watchdog: Track::new(),
            clock: HostClock::new(0, 0),
        }
    }

    pub fn see(&mut self, event: &Event<Words>, cast: &Cast) {
        if let What::Fault { index, begins } = event.what {
            return self.fault(event.at, index, begins, cast);
        }
        if cast.node_of(event) != Some(self.me) {
            return;
        }
        match (&event.what, cast.part_at(event.place)) {
            (What::Note(note), Some(Part::Agent(_))) => self.agent(event.at, note),
            (What::Note(Note::Streams { upstream }), Some(Part::Postgres(_))) => {
                if let Some(Part::Postgres(node)) = cast.part(*upstream) {
                    self.upstream.begin(event.at, node);
                }
            }
            (What::Note(note), Some(Part::Postgres(_))) => self.database(event.at, note),
            (What::Note(note), Some(Part::Watchdog(_))) => self.watchdog(event.at, note),
            (What::Life(life), _) => self.life(event.at, event.place, *life),
            _ => {}
        }
    }

    fn agent(&mut self, at: SimTime, note: &Note) {
        match *note {
            Note::Step(step) => self.steps.begin(at, step),
            Note::CycleBegins => self.lane.cycles.push(at),
            Note::Believes { span } => {
                self.stop_believing(at);
                let deadline = self.clock.wall(at) + span;
                self.believing = Some(Believing {
                    from: at,
                    deadline,
                    is: Belief {
                        span,
                        expires: at + span,
                    },
                });
                self.reckon(at);
            }
            Note::StopsBelieving => self.stop_believing(at),
            _ => {}
        }
    }

    /// Works out again when the belief runs out, after a change of the clocks. One that had run out begins again when
    /// the clock jumped back far enough.
    fn reckon(&mut self, now: SimTime) {
        let Some(mut believing) = self.believing else { return };
        if self.clock.wall(now) >= believing.deadline && believing.is.expires <= now {
            return;
        }
        if believing.is.expires <= now {
            self.stop_believing(now);
            believing.from = now;
        }
        believing.is.expires = self.clock.when_wall(believing.deadline, now);
        self.believing = Some(believing);
    }

    fn stop_believing(&mut self, at: SimTime) {
        if let Some(Believing { from, is, .. }) = self.believing.take() {
            let until = at.min(is.expires);
            if from < until {
                self.lane.beliefs.push(Stretch { from, until, is });
            }
        }
    }

    fn database(&mut self, at: SimTime, note: &Note) {
        match note {
            Note::Database(Database { phase, position }) => {
                self.timeline = position.history.timeline();
                let state = DatabaseState {
                    phase: *phase,
                    timeline: self.timeline,
                };
                self.database.begin(at, state);
                if matches!(phase, Phase::Down | Phase::Stopping | Phase::Promoting | Phase::Primary) {
                    self.upstream.end(at);
                }
            }
            Note::StopsStreaming | Note::CannotFollow => self.upstream.end(at),
            _ => {}
        }
    }

    fn watchdog(&mut self, at: SimTime, note: &Note) {
        match *note {
            Note::WatchdogOpened { timeout } | Note::WatchdogPinged { timeout } => {
                self.watchdog.begin(
                    at,
                    WatchdogFuse {
                        timeout,
                        fires: at + timeout,
                    },
                );
            }
            Note::WatchdogClosed => self.watchdog.end(at),
            Note::WatchdogFires => {
                self.watchdog.end(at);
                self.lane.resets.push(at);
            }
            _ => {}
        }
    }

    fn life(&mut self, at: SimTime, place: Place, life: Life) {
        let halts = match place {
            Place::Process(p) if p == self.processes.agent => &mut self.agent_halts,
            Place::Process(p) if p == self.processes.postgres => &mut self.database_halts,
            Place::Host(_) => &mut self.host_halts,
            _ => return,
        };
        match life {
            Life::Paused => halts.begin(at, Halt::Frozen),
            Life::Started | Life::Resumed => halts.end(at),
            // A database that ends is down, which its own lane says.
            Life::Exited if place == Place::Process(self.processes.postgres) => halts.end(at),
            Life::Exited | Life::Killed => halts.begin(at, Halt::Dead),
        }
        if !matches!(life, Life::Killed | Life::Exited) {
            return;
        }
        if matches!(place, Place::Host(_)) {
            self.watchdog.end(at);
        }
        if place != Place::Process(self.processes.postgres) {
            self.steps.end(at);
            self.stop_believing(at);
        }
        if place != Place::Process(self.processes.agent) {
            let timeline = self.timeline;
            self.database.begin(
                at,
                DatabaseState {
                    phase: Phase::Down,
                    timeline,
                },
            );
            self.upstream.end(at);
        }
    }

    fn fault(&mut self, at: SimTime, index: u16, begins: bool, cast: &Cast) {
        let mine = Host::Node(self.me.index());
        match cast.scenario.faults.get(usize::from(index)).map(|fault| &fault.what) {
            Some(FaultKind::ClockStep { host, by_us }) if *host == mine && begins => self.clock.step_wall(at, *by_us),
            Some(FaultKind::ClockRate { host, ppm }) if *host == mine => {
                self.clock.change_rate(at, if begins { *ppm } else { -*ppm });
            }
            _ => return,
        }
        self.reckon(at);
    }

    pub fn finish(mut self, end: SimTime) -> NodeLane {
        self.stop_believing(end);
        NodeLane {
            steps: self.steps.finish(end),
            database: self.database.finish(end),
            upstream: self.upstream.finish(end),
            agent_halts: self.agent_halts.finish(end),
            database_halts: self.database_halts.finish(end),
            host_halts: self.host_halts.finish(end),
            watchdog: self.watchdog.finish(end),
            ..self.lane
        }
    }
}
