//! What an operator asks of an agent by its REST interface, and the faults of its threads.
//!
//! A request becomes a key in the store (`/failover`, `/config`), written by the REST interface's own client; the loops
//! see it there. A blocked thread keeps what comes for it and takes it up when it goes on.

use super::{Agent, Role};
use crate::engine::{Ctx, WallTime};
use crate::store::{CallKind, CallOutcome};
use crate::vocabulary::{
    Changes, Compare, FailoverRequest, Key, NodeId, Note, Order, Revision, Settings, StoreAnswer, StoreOp, Txn, Value,
    Words,
};

/// A key that an operator wants in the store.
#[derive(Clone, Debug)]
pub(super) enum Asked {
    Failover(FailoverRequest),
    Change(Box<Changes>),
}

impl Agent {
    pub(super) fn order(&mut self, order: Order, begins: bool, ctx: &mut Ctx<'_, Words>) {
        match (order, begins) {
            (Order::Switchover { to, scheduled }, true) if self.watcher_leader() == Some(self.config.me) => {
                self.request_switchover(to, scheduled, ctx);
            }
            (Order::Failover, true) if self.tags.nofailover => ctx.note(Note::NobodyCanTakeOver),
            (Order::Failover, true) => {
                let request = FailoverRequest {
                    leader: None,
                    candidate: Some(self.config.me),
                    scheduled: None,
                };
                self.ask(Asked::Failover(request), ctx);
            }
            (Order::RestartDatabase, true) if !self.executor_is_busy() => self.restart(ctx),
            (Order::Maintenance, paused) => {
                let changes = Changes {
                    pause: Some(paused),
                    ..Changes::default()
                };
                self.ask(Asked::Change(Box::new(changes)), ctx);
            }
            (Order::Configure(changes), true) => self.ask(Asked::Change(changes), ctx),
            (Order::TakeName { name }, true) => {
                self.config.me = name;
                self.role = Role::Replica;
                self.start(ctx);
            }
            // Another fault of the same kind may stand yet.
            (Order::BlockLoop, false) if !self.is_blocked(&Order::BlockLoop, ctx) => {
                for input in std::mem::take(&mut self.held_for_loop) {
                    self.loop_input(&input, ctx);
                }
            }
            (Order::BlockWatcher, false) if !self.is_blocked(&Order::BlockWatcher, ctx) => {
                for input in std::mem::take(&mut self.held_for_watcher) {
                    self.watcher_input(&input, ctx);
                }
            }
            _ => {}
        }
    }

    /// For a later time only outside maintenance mode, and not for one that is past.
    fn request_switchover(&mut self, to: Option<NodeId>, scheduled: Option<WallTime>, ctx: &mut Ctx<'_, Words>) {
        let past = scheduled.is_some_and(|scheduled| scheduled < self.clock(ctx));
        if past || (scheduled.is_some() && self.stored_settings().pause) {
            return ctx.note(Note::ScheduleRefused);
        }
        let request = FailoverRequest {
            leader: Some(self.config.me),
            candidate: to,
            scheduled,
        };
        self.ask(Asked::Failover(request), ctx);
    }

    /// What the store has for the whole cluster, as far as the copy of the keys tells.
    fn stored_settings(&self) -> Settings {
        match self.watcher.get(Key::Config).map(|item| &item.value) {
            Some(Value::Config(settings)) => **settings,
            _ => self.config.settings,
        }
    }

    fn ask(&mut self, asked: Asked, ctx: &mut Ctx<'_, Words>) {
        self.asked.push_back(asked);
        if self.asked.len() == 1 {
            self.write_first_asked(ctx);
        }
    }

    fn write_first_asked(&mut self, ctx: &mut Ctx<'_, Words>) {
        let put = |key, value| StoreOp::Put {
            key,
            value,
            lease: None,
        };
        let op = match self.asked.front() {
            None => return,
            Some(Asked::Failover(request)) => put(Key::Failover, Value::Failover(*request)),
            // The whole configuration is written, as the copy of the keys has it but for the change, and only if that is what
            // the store still has.
            Some(Asked::Change(changes)) => {
                let before = self.stored_settings();
                let stored = self.watcher.get(Key::Config);
                let revision = stored.map_or(Revision(0), |item| item.modified);
                StoreOp::Txn(Box::new(Txn {
                    when: vec![Compare::ModifiedAt(Key::Config, revision)],
                    then: vec![put(Key::Config, Value::Config(Box::new(before.changed(changes))))],
                    or_else: Vec::new(),
                }))
            }
        };
        self.admin.begin(op, CallKind::Retried, ctx);
    }

    /// The store has taken a request: the loop of this node looks at once (the others see the key).
    pub(super) fn admin_answered(&mut self, outcome: &CallOutcome, ctx: &mut Ctx<'_, Words>) {
        let taken = match outcome {
            CallOutcome::Answered(Ok(StoreAnswer::Txn { succeeded, .. })) => *succeeded,
            CallOutcome::Answered(answer) => answer.is_ok(),
            CallOutcome::Unreachable => false,
        };
        match self.asked.pop_front() {
            Some(Asked::Change(_)) if !taken => ctx.note(Note::SettingsRefused),
            Some(Asked::Change(changes)) => {
                // The next change builds on this one, whether or not the stream has told of it yet.
                let written = Value::Config(Box::new(self.stored_settings().changed(&changes)));
                self.watcher.learn(Key::Config, written, self.admin.revision());
                self.wake(ctx);
            }
            Some(Asked::Failover(_)) if taken => self.wake(ctx),
            _ => {}
        }
        self.write_first_asked(ctx);
    }

    pub(super) fn is_blocked(&self, what: &Order, ctx: &Ctx<'_, Words>) -> bool {
        ctx.orders().any(|order| order == what)
    }
}
