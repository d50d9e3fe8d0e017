//! The Patroni agent of one node, as an actor with four threads over one shared state (patroni.md 1.1).
//!
//! | thread        | file                         | stands on            | blocked by |
//! |---------------|------------------------------|----------------------|------------|
//! | HA loop       | `ha.rs`, `lease.rs`, `race.rs`, `demote.rs` | [`Step`], one at a time | its own SQL, store requests, a demotion |
//! | executor      | `executor.rs`                | one `Task`           | its own task |
//! | store watcher | `store::Watcher`             | its stream           | the network |
//! | REST          | `rest.rs`                    | questions waiting    | its own SQL |
//!
//! A pause of the process stops all four. There is no thread that stops the database when the lease runs out: only the
//! HA loop ever demotes, and only because a store operation failed or another node holds the key (patroni.md 0).

mod costs;
mod demote;
mod executor;
mod ha;
mod lease;
mod peers;
mod race;
mod rest;
mod sql;

use crate::engine::{Actor, ConnId, Ctx, Input, Keepalive, ProcId, Span, TimerKey, WallTime};
use crate::store::{Client, TermGuard, Watcher};
use crate::vocabulary::{
    ControlFile, ControlState, File, FileName, LeaseId, Lsn, Message, NodeId, Note, Reading, SqlState, Step, Value,
    Words,
};
use executor::Task;
use ha::Pc;
use peers::PeerRound;
use rest::Rest;
use sql::{Monitored, SqlLink};

const HA_TIMER: TimerKey = TimerKey(0);
const CLIENT_TIMER: TimerKey = TimerKey(1);
const WATCHER_TIMER: TimerKey = TimerKey(2);
const SQL_TIMER: TimerKey = TimerKey(3);
const PEERS_TIMER: TimerKey = TimerKey(4);
const EXECUTOR_TIMER: TimerKey = TimerKey(5);
const REST_WORK_TIMER: TimerKey = TimerKey(6);
const REST_SQL_TIMER: TimerKey = TimerKey(7);

/// The watchdog of a node, as its agent is configured to use it (patroni.md 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchdogUse {
    pub required: bool,
    /// What the device is set to; `None`: not used, because it is off or its timeout leaves no room for the loop.
    pub timeout: Option<Span>,
}

impl WatchdogUse {
    /// Required and not usable: such a node must not lead.
    pub fn is_broken(&self) -> bool {
        self.required && self.timeout.is_none()
    }
}

/// Rules that can be switched off, to see what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bugs {
    /// The key is taken by a plain put instead of compare-and-create.
    pub blind_put: bool,
    /// A member of the store that has missed an election is believed, as before Patroni 4.0.6.
    pub trusts_stale_members: bool,
}

/// What an agent is told by its configuration.
#[derive(Clone, Debug)]
pub struct Config {
    pub me: NodeId,
    /// The agents and the databases of all nodes, by node.
    pub agents: Vec<ProcId>,
    pub databases: Vec<ProcId>,
    /// The store's members.
    pub store: Vec<ProcId>,
    pub watchdog_device: ProcId,
    pub ttl: Span,
    pub loop_wait: Span,
    pub retry_timeout: Span,
    pub maximum_lag_on_failover: u64,
    pub watchdog: WatchdogUse,
    /// How the copy of the store's keys is read. Patroni asks for a serializable read (`Etcd3Client.prefix`: "We can tolerate
    /// stale reads").
    pub reading: Reading,
    pub bugs: Bugs,
}

impl Config {
    fn database(&self) -> ProcId {
        self.databases[self.me.index()]
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

/// What the cycle knows of the store: one look at the watcher's copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct View {
    leader: Option<NodeId>,
    leader_lease: Option<LeaseId>,
    published: Option<Lsn>,
}

#[derive(Clone, Debug)]
pub struct Agent {
    config: Config,
    /// Began with the cluster already running; its first start is not a boot.
    joins_running: bool,

    // HA loop
    pc: Pc,
    step: Step,
    next_run: WallTime,
    wake_up: bool,
    view: View,
    db: Option<Monitored>,
    lease: Option<LeaseId>,
    lease_touched: bool,
    history_due: bool,
    published_member: Option<Value>,
    client: Client,
    sql: SqlLink,
    peers: PeerRound,

    watcher: Watcher,
    task: Task,
    rest: Rest,

    // shared
    role: Role,
    state: SqlState,
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
        let client = Client::new(
            config.store.clone(),
            config.ttl,
            config.retry_timeout,
            CLIENT_TIMER,
            costs::DRAW_JITTER,
            guard,
        );
        let idle = config.loop_wait + config.retry_timeout;
        let keepalive = Keepalive {
            idle,
            dead_after: config.ttl.max(idle),
        };
        Agent {
            joins_running: true,
            pc: Pc::Off,
            step: Step::Starting,
            next_run: WallTime(0),
            wake_up: false,
            view: View::default(),
            db: None,
            lease: Some(LeaseId(u64::from(config.me.0) + 1)),
            lease_touched: false,
            history_due: false,
            published_member: None,
            client,
            sql: SqlLink::new(config.database(), SQL_TIMER),
            peers: PeerRound::new(PEERS_TIMER),
            watcher: Watcher::new(
                config.store[0],
                WATCHER_TIMER,
                config.retry_timeout / 3,
                keepalive,
                config.reading,
                guard,
            ),
            task: Task::Idle,
            rest: Rest::new(config.database()),
            role: if leads { Role::Primary } else { Role::Replica },
            state: SqlState::Running,
            believes_until: None,
            watchdog: None,
            watchdog_open: false,
            config,
        }
    }

    /// Whether this node takes itself for the leader, by its own clock. Only the REST interface asks (patroni.md 0.1).
    fn believes(&self, now: WallTime) -> bool {
        self.believes_until.is_some_and(|until| now < until)
    }

    fn believe(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.believes_until = Some(ctx.wall() + self.config.ttl);
        ctx.note(Note::Believes { span: self.config.ttl });
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

    fn ping_watchdog(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let (Some(conn), Some(timeout)) = (self.watchdog, self.config.watchdog.timeout) {
            self.watchdog_open = true;
            ctx.send(conn, Message::WatchdogPing { timeout });
        }
    }

    fn close_watchdog(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let Some(conn) = self.watchdog.filter(|_| self.watchdog_open) {
            self.watchdog_open = false;
            ctx.send(conn, Message::WatchdogClose);
        }
    }

    /// The process starts: everything kept in memory is gone.
    fn start(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.client.reset(ctx.mono());
        self.sql.reset();
        self.peers.reset();
        self.watcher.reset();
        self.rest.reset();
        self.task = Task::Idle;
        self.believes_until = None;
        self.watchdog_open = false;
        self.wake_up = false;
        self.db = None;
        self.view = View::default();
        self.watchdog = Some(ctx.open(self.config.watchdog_device));
        let first_server = ctx.below(costs::DRAW_SERVER, self.config.store.len() as u64);
        self.client.start_with(first_server as usize);
        if std::mem::take(&mut self.joins_running) {
            self.join_running(ctx);
        } else {
            self.lease = None;
            self.published_member = None;
            self.history_due = false;
            // A running database is adopted as it is.
            let runs_as_primary = ctx.is_alive(self.config.database())
                && matches!(
                    ctx.file(FileName::Control),
                    Some(File::Control(ControlFile {
                        state: ControlState::InProduction,
                        ..
                    }))
                );
            self.role = if runs_as_primary { Role::Primary } else { Role::Replica };
            self.state = SqlState::Running;
            self.step = Step::Starting;
            ctx.note(Note::Step(Step::Starting));
            let after = ctx.sample(costs::DRAW_START, &costs::PROCESS_START);
            self.pc = Pc::Booting;
            ctx.set_timer(HA_TIMER, after);
        }
    }

    /// News of the watcher wakes the loop: a change of the leader key wakes every node, a change of the status every
    /// node but the leader (patroni.md 2.1).
    fn watcher_news(&mut self, input: &Input<Words>, ctx: &mut Ctx<'_, Words>) -> bool {
        let news = self.watcher.handle(input, self.client.guard(), ctx);
        let leads = self.watcher_leader() == Some(self.config.me);
        if news.leader_changed || (news.status_changed && !leads) {
            self.wake(ctx);
        }
        if news.ready {
            self.cluster_became_readable(ctx);
        }
        news.mine
    }
}

impl Actor<Words> for Agent {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match &input {
            Input::Start => return self.start(ctx),
            Input::Timer(HA_TIMER) => return self.ha_timer(ctx),
            Input::Timer(EXECUTOR_TIMER) => return self.executor_timer(ctx),
            Input::Timer(REST_WORK_TIMER) => return self.rest_works(ctx),
            Input::Message(conn, message @ (Message::AskStatus { .. } | Message::AskPrimary { .. })) => {
                return self.rest_question(*conn, message, ctx);
            }
            _ => {}
        }
        if self.watcher_news(&input, ctx) {
            return;
        }
        if let Some(outcome) = self.client.handle(&input, ctx) {
            return self.store_answered(outcome, ctx);
        }
        if let Some(result) = self.sql.handle(&input, ctx) {
            return self.database_answered(result, ctx);
        }
        if let Some(answers) = self.peers.handle(&input, ctx) {
            return self.peers_answered(answers, ctx);
        }
        self.rest_sql(&input, ctx);
    }
}
