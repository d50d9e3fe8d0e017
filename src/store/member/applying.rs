//! What the group has agreed on, as this member applies it: to its copy of the keys, its lessor, whoever asked, and whoever
//! watches.

use super::{Member, RECENT_KEPT};
use crate::engine::Ctx;
use crate::raft::{Index, ReadToken, RoleName};
use crate::vocabulary::{Key, Logged, Message, Note, StoreAnswer, StoreOp, WatchEvent, Words};

impl Member {
    pub(super) fn apply_up_to(&mut self, index: Index, ctx: &mut Ctx<'_, Words>) {
        while self.applied < index {
            let next = self.applied.next();
            let Some(entry) = self.raft.log().get(next).cloned() else {
                return;
            };
            self.applied = next;
            match entry.command {
                Some(logged) => self.apply(logged, ctx),
                // The empty entry of its own term: a new leader now knows everything that was decided before it.
                None if self.raft.role() == RoleName::Leader && entry.term == self.raft.term() => {
                    let grace = self.config.tick * self.config.raft.election;
                    self.lessor.promote(self.kv.leases(), grace, ctx.mono());
                }
                None => {}
            }
        }
        let (due, rest) = std::mem::take(&mut self.unapplied)
            .into_iter()
            .partition(|&(index, _)| index <= self.applied);
        self.unapplied = rest;
        let due: Vec<(Index, u64)> = due;
        for (_, number) in due {
            self.serve_read(number, ctx);
        }
    }

    /// The leader has said what a read must see; it waits until this member has applied that (etcd v3_server.go,
    /// `linearizableReadLoop`).
    pub(super) fn read_ready(&mut self, token: ReadToken, index: Index, ctx: &mut Ctx<'_, Words>) {
        if index <= self.applied {
            self.serve_read(token.number, ctx);
        } else {
            self.unapplied.push((index, token.number));
        }
    }

    fn serve_read(&mut self, number: u64, ctx: &mut Ctx<'_, Words>) {
        if let Some(asked) = self.asked.remove(&number)
            && let StoreOp::Range { keys, .. } = asked.op
        {
            self.reply(asked.conn, asked.request, Ok(self.kv.read(keys)), ctx);
        }
    }

    fn apply(&mut self, logged: Logged, ctx: &mut Ctx<'_, Words>) {
        let mut changes = Vec::new();
        let answer = self.kv.apply(&logged.op, &mut changes);
        match (&logged.op, &answer) {
            (StoreOp::LeaseGrant { .. }, Ok(StoreAnswer::Lease { lease, ttl })) => {
                self.lessor.granted(*lease, *ttl, ctx.mono());
                if self.lessor.leads() {
                    ctx.note(Note::LeaseGranted {
                        lease: *lease,
                        ttl: *ttl,
                    });
                }
            }
            (StoreOp::LeaseRevoke { lease }, Ok(_)) => self.revoked(*lease, ctx),
            (StoreOp::Txn(_), Ok(StoreAnswer::Txn { succeeded: false, .. }))
                if changes.is_empty() && self.lessor.leads() =>
            {
                ctx.note(Note::CreateRefused { key: Key::Leader });
            }
            _ => {}
        }
        self.tell(changes, ctx);
        if logged.ticket.member == self.me
            && let Some(asked) = self.asked.remove(&logged.ticket.number)
        {
            self.reply(asked.conn, asked.request, answer, ctx);
        }
    }

    /// Sends changes of keys to every watcher. Every member applies the same; the one that leads notes them. A new leader may
    /// note again what the old one had committed last: readers of notes go by the revision.
    fn tell(&mut self, changes: Vec<WatchEvent>, ctx: &mut Ctx<'_, Words>) {
        if changes.is_empty() {
            return;
        }
        let leads = self.raft.role() == RoleName::Leader;
        for change in changes.iter().filter(|_| leads) {
            ctx.note(match change {
                WatchEvent::Put(item) => Note::key_put(item),
                WatchEvent::Delete { key, at } => Note::KeyDeleted {
                    key: *key,
                    revision: *at,
                },
            });
        }
        let (revision, term) = (self.kv.revision(), self.raft.term());
        for &watcher in &self.watchers {
            ctx.send(
                watcher,
                Message::WatchEvents {
                    revision,
                    term,
                    events: changes.clone(),
                },
            );
        }
        if self.recent.len() == RECENT_KEPT {
            self.recent.pop_front();
        }
        self.recent.push_back((revision, changes));
    }
}
