//! Everything done with this node's lease: renewing it, taking the leader key under it, publishing under it
//! (patroni.md 3.1, 4.1).
//!
//! ```text
//! KeepingAlive --ttl--> Committing --> (what it was for)
//!      | gone              ^
//!      v                   |
//!   Granting --------------+
//! ```
//!
//! A renewal is one keep-alive. Only if the leader key hangs on another lease is it written again, on the condition
//! that it still names this node or does not exist.

use super::ha::Pc;
use super::{Agent, Role};
use crate::engine::Ctx;
use crate::store::{CallKind, CallOutcome};
use crate::vocabulary::{
    Compare, DbRole, Key, LeaseId, SqlState, Step, StoreAnswer, StoreError, StoreOp, Timeline, Txn, Value, Words,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Keep the leader key.
    Renew,
    /// Create the leader key.
    Acquire,
    /// Keep the member key, and bring it up to date.
    Member,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    KeepingAlive,
    Granting,
    Committing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LeaseUse {
    purpose: Purpose,
    stage: Stage,
}

impl LeaseUse {
    pub fn renewing() -> LeaseUse {
        LeaseUse {
            purpose: Purpose::Renew,
            stage: Stage::KeepingAlive,
        }
    }
    pub fn acquiring() -> LeaseUse {
        LeaseUse {
            purpose: Purpose::Acquire,
            stage: Stage::KeepingAlive,
        }
    }
    fn publishing() -> LeaseUse {
        LeaseUse {
            purpose: Purpose::Member,
            stage: Stage::KeepingAlive,
        }
    }
    fn step(self) -> Step {
        match self.purpose {
            Purpose::Renew => Step::RenewingLease,
            Purpose::Acquire => Step::AcquiringKey,
            Purpose::Member => Step::PublishingMember,
        }
    }
}

impl Agent {
    pub(super) fn use_lease(&mut self, lease_use: LeaseUse, ctx: &mut Ctx<'_, Words>) {
        let op = match self.lease {
            Some(lease) => StoreOp::LeaseKeepAlive { lease },
            None => StoreOp::LeaseGrant { ttl: self.settings.ttl },
        };
        let stage = if self.lease.is_some() {
            Stage::KeepingAlive
        } else {
            Stage::Granting
        };
        self.at(lease_use.step(), Pc::UsingLease(LeaseUse { stage, ..lease_use }), ctx);
        self.client.begin(op, CallKind::Retried, ctx);
    }

    fn go_on(&mut self, lease_use: LeaseUse, stage: Stage, op: StoreOp, ctx: &mut Ctx<'_, Words>) {
        self.pc = Pc::UsingLease(LeaseUse { stage, ..lease_use });
        self.client.begin(op, CallKind::Retried, ctx);
    }

    pub(super) fn lease_answered(&mut self, lease_use: LeaseUse, outcome: CallOutcome, ctx: &mut Ctx<'_, Words>) {
        let answer = match outcome {
            CallOutcome::Unreachable => return self.lease_unreachable(lease_use, ctx),
            CallOutcome::Answered(answer) => answer,
        };
        match (lease_use.stage, answer) {
            (_, Ok(StoreAnswer::LeaseGone) | Err(StoreError::LeaseNotFound)) => {
                self.lease = None;
                // The member key went with it.
                self.published_member = None;
                self.go_on(
                    lease_use,
                    Stage::Granting,
                    StoreOp::LeaseGrant { ttl: self.settings.ttl },
                    ctx,
                );
            }
            (Stage::KeepingAlive | Stage::Granting, Ok(StoreAnswer::Lease { lease, .. })) => {
                self.lease = Some(lease);
                self.lease_touched = true;
                match self.what_to_commit(lease_use.purpose, lease) {
                    Some(op) => self.go_on(lease_use, Stage::Committing, op, ctx),
                    None => self.lease_used(lease_use.purpose, true, ctx),
                }
            }
            (_, answer) => {
                let done = match answer {
                    Ok(StoreAnswer::Txn { succeeded, inner }) => succeeded || inner.iter().any(took_effect),
                    answer => answer.is_ok(),
                };
                self.lease_used(lease_use.purpose, done, ctx);
            }
        }
    }

    /// What must be written once the lease lives; nothing when the leader key already hangs on it.
    fn what_to_commit(&self, purpose: Purpose, lease: LeaseId) -> Option<StoreOp> {
        let me = Value::Leader(self.config.me);
        let put = StoreOp::Put {
            key: Key::Leader,
            value: me.clone(),
            lease: Some(lease),
        };
        let create = Txn {
            when: vec![Compare::Absent(Key::Leader)],
            then: vec![put.clone()],
            or_else: Vec::new(),
        };
        match purpose {
            Purpose::Renew if self.view.leader_lease == Some(lease) => None,
            Purpose::Renew => Some(StoreOp::Txn(Box::new(Txn {
                when: vec![Compare::ValueIs(Key::Leader, me)],
                then: vec![put],
                or_else: vec![StoreOp::Txn(Box::new(create))],
            }))),
            Purpose::Acquire if self.config.bugs.blind_put => Some(put),
            Purpose::Acquire => Some(StoreOp::Txn(Box::new(create))),
            // The lease is all that was wanted; the key is written after it, if there is news.
            Purpose::Member => None,
        }
    }

    fn lease_used(&mut self, purpose: Purpose, done: bool, ctx: &mut Ctx<'_, Words>) {
        match (purpose, done) {
            (Purpose::Renew, true) => self.publish_status(ctx),
            (Purpose::Renew, false) => self.lock_lost(ctx),
            (Purpose::Acquire, true) => self.won(ctx),
            (Purpose::Acquire, false) => self.lost(ctx),
            (Purpose::Member, true) => self.publish_member(ctx),
            (Purpose::Member, false) => self.end_cycle(ctx),
        }
    }

    fn lease_unreachable(&mut self, lease_use: LeaseUse, ctx: &mut Ctx<'_, Words>) {
        match lease_use.purpose {
            Purpose::Renew | Purpose::Acquire => self.store_failed(ctx),
            Purpose::Member => {
                self.published_member = None;
                self.watcher.restart(self.client.server(), ctx);
                self.end_cycle(ctx);
            }
        }
    }

    // --- publishing: leader key, status, failsafe list, then belief and watchdog, then sync, history, member

    fn publish_status(&mut self, ctx: &mut Ctx<'_, Words>) {
        let lsn = self
            .db
            .as_ref()
            .filter(|db| db.role == DbRole::Primary)
            .map(|db| db.position.lsn);
        match lsn.filter(|&lsn| self.view.published != Some(lsn)) {
            Some(lsn) => {
                self.at(Step::PublishingStatus, Pc::PublishingStatus, ctx);
                let put = StoreOp::Put {
                    key: Key::Status,
                    value: Value::Status(lsn),
                    lease: None,
                };
                self.client.begin(put, CallKind::Once, ctx);
            }
            None => self.publish_failsafe(ctx),
        }
    }

    /// Only now does this node's own countdown start, and only now is the watchdog pinged: both can be later than the
    /// renewal by what the status write took.
    pub(super) fn renewed(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.believe(ctx);
        if !self.settings.pause {
            self.ping_watchdog(ctx);
        }
        if self.executor_is_busy() {
            self.publish_member(ctx);
        } else if !ctx.is_alive(self.config.database()) {
            self.recover_with_lock(ctx);
        } else if self.state == SqlState::Starting {
            self.starting_with_lock(ctx);
        } else {
            self.look_at_request(ctx);
        }
    }

    /// A primary on another timeline than the last in `/history` writes its own there; one that is still on the first
    /// empties it.
    pub(super) fn publish_history(&mut self, ctx: &mut Ctx<'_, Words>) {
        let primary = self.db.as_ref().filter(|db| db.role == DbRole::Primary);
        let Some(tip) = primary.map(|db| db.position.history.tip()) else {
            return self.publish_member(ctx);
        };
        let key = Key::History;
        let op = match (tip.timeline, self.last_timeline()) {
            (Timeline(1), Timeline(0)) => return self.publish_member(ctx),
            (now, last) if now == last => return self.publish_member(ctx),
            (Timeline(1), _) => StoreOp::Delete { key },
            (timeline, _) => StoreOp::Put {
                key,
                value: Value::History(timeline, tip.from),
                lease: None,
            },
        };
        self.pc = Pc::PublishingHistory;
        self.client.begin(op, CallKind::Once, ctx);
    }

    pub(super) fn member_entry(&mut self) -> (Key, Value) {
        let role = if self.role == Role::Primary {
            DbRole::Primary
        } else {
            DbRole::Replica
        };
        let db = self.db.as_ref();
        let value = Value::Member {
            role,
            state: self.state,
            lsn: db.map(|db| db.position.lsn).unwrap_or_default(),
            timeline: db.map(|db| db.position.history.timeline()).unwrap_or_default(),
            nofailover: self.tags.nofailover,
            nosync: self.tags.nosync || self.leaving,
            sync_priority: self.config.sync_priority,
        };
        self.published_member = Some(value.clone());
        (Key::Member(self.config.me), value)
    }

    /// What was not asked in this cycle is not news, unless there is no process to ask.
    fn knows_its_database(&self, ctx: &Ctx<'_, Words>) -> bool {
        self.db.is_some() || !ctx.is_alive(self.config.database())
    }

    /// S19: at the end of every cycle the member key is kept alive, and written when something in it changed.
    pub(super) fn publish_member(&mut self, ctx: &mut Ctx<'_, Words>) {
        if !self.lease_touched {
            return self.use_lease(LeaseUse::publishing(), ctx);
        }
        if !self.knows_its_database(ctx) {
            return self.end_cycle(ctx);
        }
        let before = self.published_member.take();
        let (key, value) = self.member_entry();
        if before.as_ref() == Some(&value) {
            return self.end_cycle(ctx);
        }
        self.at(Step::PublishingMember, Pc::PublishingMember, ctx);
        self.client.begin(
            StoreOp::Put {
                key,
                value,
                lease: self.lease,
            },
            CallKind::Once,
            ctx,
        );
    }
}

fn took_effect(answer: &StoreAnswer) -> bool {
    matches!(answer, StoreAnswer::Txn { succeeded: true, .. })
}
