//! What an operator asks of an agent by its REST interface, and the faults of its threads.
//!
//! A request becomes a key in the store (`/failover`, `/config`), written by the REST interface's own client; the loops
//! see it there. A blocked thread keeps what comes for it and takes it up when it goes on.

use super::{Agent, Role};
use crate::engine::Ctx;
use crate::store::CallKind;
use crate::vocabulary::{FailoverRequest, Key, NodeId, Note, Order, StoreOp, Value, Words};

impl Agent {
    pub(super) fn order(&mut self, order: Order, begins: bool, ctx: &mut Ctx<'_, Words>) {
        match (order, begins) {
            (Order::Switchover { to }, true) if self.watcher_leader() == Some(self.config.me) => {
                self.request_failover(Some(self.config.me), to, ctx);
            }
            (Order::Failover, true) if self.config.may_not_lead() => ctx.note(Note::NobodyCanTakeOver),
            (Order::Failover, true) => self.request_failover(None, Some(self.config.me), ctx),
            (Order::RestartDatabase, true) if !self.executor_is_busy() => self.restart(ctx),
            (Order::Maintenance, paused) => {
                let put = StoreOp::Put {
                    key: Key::Config,
                    value: Value::Config { paused },
                    lease: None,
                };
                self.admin.begin(put, CallKind::Retried, ctx);
            }
            (Order::TakeName { name }, true) => {
                self.config.me = name;
                self.role = Role::Replica;
                self.start(ctx);
            }
            (Order::BlockLoop, false) => {
                for input in std::mem::take(&mut self.held_for_loop) {
                    self.loop_input(&input, ctx);
                }
            }
            (Order::BlockWatcher, false) => {
                for input in std::mem::take(&mut self.held_for_watcher) {
                    self.watcher_input(&input, ctx);
                }
            }
            _ => {}
        }
    }

    fn request_failover(&mut self, leader: Option<NodeId>, candidate: Option<NodeId>, ctx: &mut Ctx<'_, Words>) {
        let put = StoreOp::Put {
            key: Key::Failover,
            value: Value::Failover(FailoverRequest { leader, candidate }),
            lease: None,
        };
        self.admin.begin(put, CallKind::Retried, ctx);
    }

    /// The store has taken a request: the loop of this node looks at once (the others see the key).
    pub(super) fn admin_answered(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.wake(ctx);
    }

    pub(super) fn is_blocked(&self, what: Order, ctx: &Ctx<'_, Words>) -> bool {
        ctx.orders().any(|order| *order == what)
    }
}
