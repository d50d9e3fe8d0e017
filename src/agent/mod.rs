//! The Patroni agent of one node, as an actor with four threads over one shared state (patroni.md 1.1).
//!
//! | thread        | file                         | stands on            | blocked by |
//! |---------------|------------------------------|----------------------|------------|
//! | HA loop       | `ha.rs` the cycle in its order; `view.rs`, `settings.rs`, `lease.rs`, `role.rs`, `race.rs`, `recover.rs`, `demote.rs`, `failsafe.rs`, `manual.rs`, `sync.rs`, `shutdown.rs` its branches | [`Step`], one at a time | its own SQL, store requests, questions to peers, a demotion |
//! | executor      | `executor.rs`                | one `Task`           | its own task |
//! | store watcher | `store::Watcher`             | its stream           | the network |
//! | REST          | `rest.rs`; `orders.rs` what operators ask | questions waiting | its own SQL |
//!
//! `stop.rs` and `candidates.rs` are used by loop and executor alike. `config.rs` is this agent's own configuration, with the
//! cluster's (`timing.rs` adjusts it) before it changes; `watchdog.rs` pings the device.
//!
//! A pause of the process stops all four threads. There is no thread that stops the database when the lease runs out: only
//! the HA loop ever demotes, and only because a store operation failed or another node holds the key (patroni.md 0).

mod candidates;
mod config;
mod costs;
mod demote;
mod executor;
mod failsafe;
mod ha;
mod lease;
mod manual;
mod orders;
mod peers;
mod race;
mod recover;
mod rest;
mod role;
mod settings;
mod shutdown;
mod sql;
mod stop;
mod sync;
mod timing;
mod view;
mod watchdog;

use crate::engine::{Actor, ConnId, Ctx, Input, MonoTime, Signal, TimerKey, WallTime};
use crate::store::{Client, TermGuard, Watcher};
use crate::vocabulary::{
    ControlState, LeaseId, Lsn, Message, NodeSet, Note, Order, Settings, SqlState, Step, Value, Words,
};
use config::Tags;
pub use config::{Bugs, Config, WatchdogUse};
pub use costs::PEER_PATIENCE;
use executor::Task;
use failsafe::Failsafe;
use ha::Pc;
use orders::Asked;
use peers::PeerRound;
use race::RaceKind;
use rest::Rest;
use sql::{Monitored, SqlLink};
use std::collections::VecDeque;
use stop::{Stop, Thread};
pub use timing::{Timing, TimingRule};
use view::View;

const HA_TIMER: TimerKey = TimerKey(0);
const CLIENT_TIMER: TimerKey = TimerKey(1);
const WATCHER_TIMER: TimerKey = TimerKey(2);
const SQL_TIMER: TimerKey = TimerKey(3);
const PEERS_TIMER: TimerKey = TimerKey(4);
const EXECUTOR_TIMER: TimerKey = TimerKey(5);
const REST_WORK_TIMER: TimerKey = TimerKey(6);
const REST_SQL_TIMER: TimerKey = TimerKey(7);
const STOP_TIMER: TimerKey = TimerKey(8);
const TASK_CLIENT_TIMER: TimerKey = TimerKey(9);
const TASK_PEERS_TIMER: TimerKey = TimerKey(10);
const ADMIN_TIMER: TimerKey = TimerKey(11);
const LEADER_SQL_TIMER: TimerKey = TimerKey(12);

/// The threads of an agent whose waiting is worth telling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentThread {
    HaLoop,
    Executor,
}

impl AgentThread {
    /// Whose timer it is. A stop of the database is waited for by whoever asked for it; the loop does so oftener.
    pub fn of(timer: TimerKey) -> Option<AgentThread> {
        match timer {
            HA_TIMER | CLIENT_TIMER | SQL_TIMER | PEERS_TIMER | STOP_TIMER | LEADER_SQL_TIMER => {
                Some(AgentThread::HaLoop)
            }
            EXECUTOR_TIMER | TASK_CLIENT_TIMER | TASK_PEERS_TIMER => Some(AgentThread::Executor),
            _ => None,
        }
    }
}

/// The agent's own idea of its database's role (patroni.md 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Replica,
    /// The promote signal is sent; pg_control does not yet say "in production".
    Promoted,
    Primary,
    Demoted,
}

impl Role {
    fn is_leading(self) -> bool {
        matches!(self, Role::Primary | Role::Promoted)
    }
}

#[derive(Clone, Debug)]
pub struct Agent {
    config: Config,
    /// The dynamic configuration that it goes by, also over a restart: it keeps a copy on its disk.
    settings: Settings,
    tags: Tags,
    /// Began with the cluster already running; its first start is not a boot.
    joins_running: bool,

    // HA loop
    pc: Pc,
    step: Step,
    next_run: WallTime,
    wake_up: bool,
    view: View,
    /// Whose member keys there were while there was a leader.
    old_members: NodeSet,
    race: RaceKind,
    /// The database's position in the cycle before, and since when the race is put off (`primary_race_backoff`).
    last_lsn: Option<Lsn>,
    backing_off_since: Option<MonoTime>,
    db: Option<Monitored>,
    lease: Option<LeaseId>,
    lease_touched: bool,
    /// The start of a database that was found dead was tried.
    recovering: bool,
    /// Crash recovery in single-user mode was tried since the database ran last.
    crash_recovered: bool,
    published_member: Option<Value>,
    client: Client,
    sql: SqlLink,
    /// To the leader's database, while it is asked whether a log that has to be rewound is no part of its own.
    leader_sql: Option<SqlLink>,
    peers: PeerRound,

    watcher: Watcher,
    rest: Rest,
    admin: Client,
    /// What operators asked for, to be written to the store: the first is under way.
    asked: VecDeque<Asked>,

    // executor
    task: Task,
    task_client: Client,
    task_peers: PeerRound,
    stop: Option<Stop>,

    // what came for a thread that is blocked
    held_for_loop: Vec<Input<Words>>,
    held_for_watcher: Vec<Input<Words>>,

    // shared
    role: Role,
    state: SqlState,
    starting_since: Option<MonoTime>,
    failsafe: Failsafe,
    /// It was asked to end.
    terminating: bool,
    /// And commits are to wait for it no more.
    leaving: bool,
    /// Its database is down: it ends once its member key says so.
    signs_off: bool,
    believes_until: Option<WallTime>,
    watchdog: Option<ConnId>,
    watchdog_open: bool,
}

impl Agent {
    /// The agent of a node in a cluster that already runs when the simulation begins: lease `n + 1` is node `n`'s.
    pub fn of_running_cluster(config: Config, leads: bool) -> Agent {
        let guard = if config.bugs.trusts_stale_members {
            TermGuard::off()
        } else {
            TermGuard::default()
        };
        let settings = settings::with_timing(config.settings, config.timing(&config.settings));
        let client = |timer| {
            let servers = config.store.clone();
            Client::new(
                servers,
                settings.ttl,
                settings.retry_timeout,
                timer,
                costs::DRAW_JITTER,
                guard,
            )
            .retrying_unknown_errors(config.bugs.retries_unknown_errors)
        };
        Agent {
            joins_running: true,
            pc: Pc::Off,
            step: Step::Starting,
            next_run: WallTime(0),
            wake_up: false,
            view: View::default(),
            old_members: NodeSet::EMPTY,
            race: RaceKind::Ordinary,
            last_lsn: None,
            backing_off_since: None,
            db: None,
            lease: Some(LeaseId(u64::from(config.me.0) + 1)),
            lease_touched: false,
            recovering: false,
            crash_recovered: false,
            published_member: None,
            client: client(CLIENT_TIMER),
            sql: SqlLink::new(config.database(), SQL_TIMER),
            leader_sql: None,
            peers: PeerRound::new(PEERS_TIMER),
            watcher: Watcher::new(
                config.store.clone(),
                WATCHER_TIMER,
                settings.retry_timeout / 3,
                settings::keepalive(&settings),
                guard,
            ),
            rest: Rest::new(config.database()),
            admin: client(ADMIN_TIMER),
            asked: VecDeque::new(),
            task: Task::Idle,
            task_client: client(TASK_CLIENT_TIMER),
            task_peers: PeerRound::new(TASK_PEERS_TIMER),
            stop: None,
            held_for_loop: Vec::new(),
            held_for_watcher: Vec::new(),
            role: if leads { Role::Primary } else { Role::Replica },
            state: SqlState::Running,
            starting_since: None,
            failsafe: Failsafe::default(),
            terminating: false,
            leaving: false,
            signs_off: false,
            believes_until: None,
            watchdog: None,
            watchdog_open: false,
            settings,
            tags: config.tags(std::iter::empty()),
            config,
        }
    }

    /// The clock of all the agent's arithmetic: the wall's, so that setting it moves schedule, belief and failsafe record
    /// (patroni.md 1.3).
    fn clock(&self, ctx: &Ctx<'_, Words>) -> WallTime {
        if self.config.bugs.monotonic_clock {
            let MonoTime(us) = ctx.mono();
            return WallTime(i64::try_from(us).unwrap_or(i64::MAX));
        }
        ctx.wall()
    }

    /// Whether this node takes itself for the leader, by its own clock. Only the REST interface asks (patroni.md 0.1).
    fn believes(&self, now: WallTime) -> bool {
        self.believes_until.is_some_and(|until| now < until)
    }

    fn believe(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.believes_until = Some(self.clock(ctx) + self.settings.ttl);
        ctx.note(Note::Believes {
            span: self.settings.ttl,
        });
    }

    fn stop_believing(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.believes_until.take().is_some() {
            ctx.note(Note::StopsBelieving);
        }
    }

    /// Goes to a step and says so.
    fn at(&mut self, step: Step, pc: Pc, ctx: &mut Ctx<'_, Words>) {
        self.pc = pc;
        if self.step != step {
            self.step = step;
            ctx.note(Note::Step(step));
        }
    }

    /// The process starts: everything kept in memory is gone.
    fn start(&mut self, ctx: &mut Ctx<'_, Words>) {
        for client in [&mut self.client, &mut self.task_client, &mut self.admin] {
            client.reset(ctx.mono());
        }
        self.sql.reset();
        self.leader_sql = None;
        self.peers.reset();
        self.task_peers.reset();
        self.watcher.reset();
        self.rest.reset();
        self.asked.clear();
        (self.task, self.stop) = (Task::Idle, None);
        self.held_for_loop.clear();
        self.held_for_watcher.clear();
        self.failsafe = Failsafe::default();
        (self.terminating, self.leaving, self.signs_off) = (false, false, false);
        (self.last_lsn, self.backing_off_since, self.starting_since) = (None, None, None);
        self.believes_until = None;
        self.watchdog_open = false;
        self.wake_up = false;
        self.db = None;
        (self.view, self.old_members) = (View::default(), NodeSet::EMPTY);
        self.watchdog = Some(ctx.open(self.config.watchdog_device));
        let first_server = ctx.below(costs::DRAW_SERVER, self.config.store.len() as u64) as usize;
        for client in [&mut self.client, &mut self.task_client, &mut self.admin] {
            client.start_with(first_server);
        }
        if std::mem::take(&mut self.joins_running) {
            return self.join_running(ctx);
        }
        self.lease = None;
        self.published_member = None;
        (self.recovering, self.crash_recovered) = (false, false);
        // A running database is adopted as it is.
        let runs_as_primary =
            ctx.is_alive(self.config.database()) && executor::control_state(ctx) == Some(ControlState::InProduction);
        self.role = if runs_as_primary { Role::Primary } else { Role::Replica };
        self.state = SqlState::Running;
        self.step = Step::Starting;
        ctx.note(Note::Step(Step::Starting));
        let after = ctx.compute(costs::DRAW_START, &costs::PROCESS_START);
        self.pc = Pc::Booting;
        ctx.set_timer(HA_TIMER, after);
    }

    /// News of the watcher wakes the loop: a change of the leader key or the configuration wakes every node, a change of
    /// the status every node but the leader (patroni.md 2.1).
    fn watcher_input(&mut self, input: &Input<Words>, ctx: &mut Ctx<'_, Words>) {
        let news = self.watcher.handle(input, self.client.guard(), ctx);
        let leads = self.watcher_leader() == Some(self.config.me);
        if news.leader_changed || news.config_changed || (news.status_changed && !leads) {
            self.wake(ctx);
        }
        if news.ready {
            self.cluster_became_readable(ctx);
        }
    }

    /// Whether the input was the executor's.
    fn executor_input(&mut self, input: &Input<Words>, ctx: &mut Ctx<'_, Words>) -> bool {
        match input {
            Input::Timer(EXECUTOR_TIMER) => self.executor_timer(ctx),
            Input::Timer(STOP_TIMER) if self.stop.as_ref().is_none_or(|stop| stop.thread == Thread::Executor) => {
                self.stop_timer(ctx);
            }
            _ if self.task_client.is_mine(input) => {
                if let Some(outcome) = self.task_client.handle(input, ctx) {
                    self.task_store_answered(&outcome, ctx);
                }
            }
            _ if self.task_peers.is_mine(input) => {
                if let Some(answers) = self.task_peers.handle(input, ctx) {
                    let possible = self.somebody_can_take_over(answers, ctx);
                    self.stop_candidates_answered(possible, ctx);
                }
            }
            _ => return false,
        }
        true
    }

    fn loop_input(&mut self, input: &Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match input {
            Input::Timer(HA_TIMER) => return self.ha_timer(ctx),
            Input::Timer(STOP_TIMER) => return self.stop_timer(ctx),
            Input::Signal(Signal::Terminate) => return self.terminate(ctx),
            _ => {}
        }
        if let Some(outcome) = self.client.handle(input, ctx) {
            self.store_answered(outcome, ctx);
        } else if let Some(result) = self.sql.handle(input, ctx) {
            self.database_answered(result, ctx);
        } else if let Some(answers) = self.peers.handle(input, ctx) {
            self.round_answered(answers, ctx);
        } else if let Some(result) = self.leader_sql.as_mut().and_then(|sql| sql.handle(input, ctx)) {
            self.leader_told(result, ctx);
        }
    }
}

impl Actor<Words> for Agent {
    /// Each input belongs to one thread.
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match &input {
            Input::Start => return self.start(ctx),
            Input::Order { order, begins } => return self.order(order.clone(), *begins, ctx),
            Input::Timer(REST_WORK_TIMER) => return self.rest_works(ctx),
            Input::Message(
                conn,
                message @ (Message::AskStatus { .. } | Message::AskPrimary { .. } | Message::AskFailsafe { .. }),
            ) => return self.rest_question(*conn, message, ctx),
            _ => {}
        }
        if self.rest.is_mine(&input) {
            self.rest_sql(&input, ctx);
        } else if self.admin.is_mine(&input) {
            if let Some(outcome) = self.admin.handle(&input, ctx) {
                self.admin_answered(&outcome, ctx);
            }
        } else if self.watcher.is_mine(&input) {
            if self.is_blocked(&Order::BlockWatcher, ctx) {
                self.held_for_watcher.push(input);
            } else {
                self.watcher_input(&input, ctx);
            }
        } else if !self.executor_input(&input, ctx) {
            if self.is_blocked(&Order::BlockLoop, ctx) {
                self.held_for_loop.push(input);
            } else {
                self.loop_input(&input, ctx);
            }
        }
    }
}
