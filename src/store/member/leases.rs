//! The leases of this member while it leads: renewals, which live in its memory only, and the removal of what has run out.

use super::Member;
use crate::engine::{ConnId, Ctx};
use crate::raft::MemberId;
use crate::store::Renewal;
use crate::vocabulary::{LeaseId, Message, Note, StoreAnswer, StoreOp, Ticket, Words};

/// Who asked for a renewal.
#[derive(Clone, Copy, Debug)]
pub(super) enum Renewing {
    Client { conn: ConnId, request: u32 },
    Member { member: MemberId, number: u64 },
}

impl Member {
    /// A keep-alive: answered from the leader's memory, by whoever leads. A leader whose raft thread hangs may not lead any
    /// more; with the guard it makes sure first.
    pub(super) fn renew(&mut self, lease: LeaseId, who: Renewing, ctx: &mut Ctx<'_, Words>) {
        let trusted = !(self.config.guards_renew && self.is_stuck(ctx.mono()));
        if self.lessor.leads() && trusted {
            let Some(ttl) = self.kv.ttl(lease) else {
                return self.answer_renewal(who, StoreAnswer::LeaseGone, ctx);
            };
            return match self.lessor.renew(lease, ttl, ctx.mono()) {
                Renewal::Renewed => {
                    ctx.note(Note::LeaseRenewed { lease });
                    self.answer_renewal(who, StoreAnswer::Lease { lease, ttl }, ctx);
                }
                Renewal::Expiring => self.expiring.push((lease, who)),
                Renewal::NotHere => self.answer_renewal(who, StoreAnswer::LeaseGone, ctx),
            };
        }
        // A member asks only one that it takes for the leader; it will ask again.
        let Renewing::Client { conn, request } = who else {
            return;
        };
        let number = self.keep(conn, request, StoreOp::LeaseKeepAlive { lease }, ctx);
        match self.raft.leader().filter(|&leader| leader != self.me) {
            Some(leader) => {
                let ticket = Ticket {
                    member: self.me,
                    number,
                };
                self.peers.send(
                    leader,
                    Message::Forward {
                        ticket,
                        op: StoreOp::LeaseKeepAlive { lease },
                    },
                    ctx,
                );
            }
            None => self.parked.push(number),
        }
    }

    fn answer_renewal(&mut self, who: Renewing, answer: StoreAnswer, ctx: &mut Ctx<'_, Words>) {
        match who {
            Renewing::Client { conn, request } => self.reply(conn, request, Ok(answer), ctx),
            Renewing::Member { member, number } => {
                self.peers.send(member, Message::Forwarded { number, answer }, ctx);
            }
        }
    }

    /// Who leads no more removes nothing: what waited for that is asked again, of whoever leads now (etcd: `ErrNotPrimary`).
    pub(super) fn pass_renewals_on(&mut self, ctx: &mut Ctx<'_, Words>) {
        for (lease, who) in std::mem::take(&mut self.expiring) {
            self.renew(lease, who, ctx);
        }
    }

    /// The lessor's look at the leases. Its removals go through the raft thread, and wait there while that hangs.
    pub(super) fn expire(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.config.guards_revoke && self.is_stuck(ctx.mono()) {
            return;
        }
        for lease in self.lessor.take_expired(ctx.mono()) {
            self.propose_own(StoreOp::LeaseRevoke { lease }, ctx);
        }
    }

    pub(super) fn revoked(&mut self, lease: LeaseId, ctx: &mut Ctx<'_, Words>) {
        if self.lessor.leads() {
            ctx.note(Note::LeaseExpired { lease });
        }
        self.lessor.revoked(lease);
        let (due, rest) = std::mem::take(&mut self.expiring)
            .into_iter()
            .partition(|(l, _)| *l == lease);
        self.expiring = rest;
        let due: Vec<(LeaseId, Renewing)> = due;
        for (_, renewing) in due {
            self.answer_renewal(renewing, StoreAnswer::LeaseGone, ctx);
        }
    }
}
