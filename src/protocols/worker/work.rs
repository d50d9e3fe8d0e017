//! The jobs of a worker, step by step (`job.rs` has the picture).

use super::super::job::{Check, Job, Stage, UnderWay};
use super::{REPEATS, WRITES, Worker};
use crate::engine::{ConnId, Ctx, TimerKey};
use crate::vocabulary::{Effect, EffectAnswer, LeaseMessage, LeaseNote, Loss, Message, Note, Token, Words};

impl Worker {
    /// A check begins the job: who looks goes on to do it.
    pub(super) fn check(&mut self, n: usize, ctx: &mut Ctx<'_, Words>) {
        let Some(token) = self.holds else { return };
        if matches!(self.config.jobs[n].check, Some(Check::Clock { .. })) {
            // Its own timer would have told it that the lease is over.
            ctx.note(Note::Lease(LeaseNote::Looked { holds: true }));
        }
        self.begin(Some(n), token, false, ctx);
    }

    pub(super) fn write(&mut self, n: usize, ctx: &mut Ctx<'_, Words>) {
        if let Some(again) = self.config.jobs[n].again_after {
            ctx.set_timer(TimerKey(REPEATS + n as u32), again);
        }
        match self.under_way.iter().position(|job| job.job == Some(n)) {
            Some(at) => {
                self.under_way[at].due = true;
                self.go_on(at, ctx);
            }
            None => self.begin(Some(n), self.holds.flatten(), true, ctx),
        }
    }

    /// The same once more, whether or not the first was answered.
    pub(super) fn repeat(&mut self, n: usize, ctx: &mut Ctx<'_, Words>) {
        if let Some(token) = self.holds {
            self.begin(Some(n), token, true, ctx);
        }
    }

    /// Begins a job, or the stamp: on a connection of its own, or in the session that holds the lock.
    pub(super) fn begin(&mut self, job: Option<usize>, token: Option<Token>, due: bool, ctx: &mut Ctx<'_, Words>) {
        let details = job.map(|n| self.config.jobs[n]);
        let in_session = details.is_some_and(|job| job.in_session);
        let session = self.grantor.filter(|_| self.open);
        let (conn, stage) = match (details.map(|job| job.at).or(self.config.stamps), session) {
            (_, Some(session)) if in_session => (session, Stage::Ready),
            // There is no session any more, and so nothing to say it in.
            (None, _) => return,
            (Some(_), None) if in_session => return,
            (Some(at), _) => (ctx.open(at), Stage::Opening),
        };
        self.request = self.request.wrapping_add(1);
        self.under_way.push(UnderWay {
            job,
            conn,
            stage,
            due,
            token,
            request: self.request,
        });
        self.go_on(self.under_way.len() - 1, ctx);
    }

    fn details(&self, at: usize) -> Option<Job> {
        self.under_way[at].job.map(|n| self.config.jobs[n])
    }

    /// A job's connection is there: the next word is its own.
    pub(super) fn opened(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Words>) {
        let Some(at) = self.under_way.iter().position(|job| job.conn == conn) else {
            return;
        };
        let UnderWay { request, token, .. } = self.under_way[at];
        if let Some(Check::Guard { share, .. }) = self.details(at).and_then(|job| job.check) {
            self.under_way[at].stage = Stage::Asking;
            let token = token.unwrap_or_default();
            ctx.send(conn, Message::Lease(LeaseMessage::Guard { request, token, share }));
        } else {
            self.under_way[at].stage = Stage::Ready;
            self.go_on(at, ctx);
        }
    }

    /// Sends the effect when nothing is missing.
    pub(super) fn go_on(&mut self, at: usize, ctx: &mut Ctx<'_, Words>) {
        let UnderWay {
            conn,
            stage,
            due,
            token,
            request,
            ..
        } = self.under_way[at];
        if stage == Stage::Ready && due {
            let job = self.details(at);
            let effect = job.map_or(Effect::Stamp { token }, |job| job.effect(token));
            self.under_way[at].stage = Stage::Sent;
            ctx.send(conn, Message::Lease(LeaseMessage::Effect { request, effect }));
        }
    }

    /// The database has answered whether the row still has my epoch.
    pub(super) fn guarded(&mut self, request: u32, holds: bool, ctx: &mut Ctx<'_, Words>) {
        let Some(at) = self.under_way.iter().position(|job| job.request == request) else {
            return;
        };
        ctx.note(Note::Lease(LeaseNote::Looked { holds }));
        if holds {
            self.under_way[at].stage = Stage::Ready;
            return self.go_on(at, ctx);
        }
        let over = self.under_way.remove(at);
        ctx.close(over.conn);
        if let Some(n) = over.job {
            ctx.cancel_timer(TimerKey(WRITES + n as u32));
        }
        self.lose(Loss::Refused, ctx);
    }

    pub(super) fn done(&mut self, request: u32, answer: EffectAnswer, ctx: &mut Ctx<'_, Words>) {
        let Some(at) = self.under_way.iter().position(|job| job.request == request) else {
            return;
        };
        let under_way = self.under_way.remove(at);
        let job = under_way.job.and_then(|n| self.config.jobs.get(n));
        let object = job.map(|job| job.object);
        let in_session = job.is_some_and(|job| job.in_session);
        ctx.note(Note::Lease(LeaseNote::Told { object, answer }));
        if !in_session {
            ctx.close(under_way.conn);
        }
        // Whoever is turned away by a newer token knows that it is not the holder any more.
        if matches!(answer, EffectAnswer::Rejected { fence } if under_way.token.is_some_and(|mine| mine < fence)) {
            self.lose(Loss::Refused, ctx);
        }
    }
}
