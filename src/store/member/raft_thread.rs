//! The raft thread. While its disk writes nothing of it moves; what comes in meanwhile waits in the order in which it came.

use super::{DRAW_ELECTION, Member, RAFT, RaftInput, STUCK_TICKS};
use crate::engine::{Ctx, MonoTime};
use crate::raft::{self, Command, Raft, RoleName, Step};
use crate::vocabulary::{Logged, Message, Note, Words};

impl Member {
    pub(super) fn tick(&self, now: MonoTime) -> raft::Tick {
        raft::Tick(now.since(self.ticks_from).as_micros() / self.config.tick.as_micros())
    }

    pub(super) fn arm(&mut self, ctx: &mut Ctx<'_, Words>) {
        let at = self.ticks_from + self.config.tick * self.raft.deadline().0;
        // A deadline that moved away needs no new timer: the old one finds nothing to do and is set again.
        if self.armed.is_none_or(|armed| at < armed) {
            self.armed = Some(at);
            ctx.set_timer(RAFT, at.since(ctx.mono()));
        }
    }

    /// Ticks that come due while the thread stands still are lost but for one, as with a ticker nobody reads.
    fn lose_ticks(&mut self, still_since: MonoTime, now: MonoTime) {
        let ticks = now.since(still_since).as_micros() / self.config.tick.as_micros();
        self.ticks_from += self.config.tick * ticks.saturating_sub(1);
    }

    pub(super) fn raft_timer(&mut self, ctx: &mut Ctx<'_, Words>) {
        let due = self.armed.take();
        if self.writing.is_some() {
            return; // looked at again when the disk is done
        }
        if let Some(due) = due {
            self.lose_ticks(due, ctx.mono());
        }
        self.raft_step(ctx, |raft, step| raft.tick(step));
    }

    pub(super) fn raft_input(&mut self, input: RaftInput, ctx: &mut Ctx<'_, Words>) {
        if self.writing.is_some() {
            return self.backlog.push_back(input);
        }
        match input {
            RaftInput::Message(from, message) => {
                self.raft_step(ctx, |raft, step| raft.receive(from, message, step));
            }
            RaftInput::Read(token) => self.raft_step(ctx, |raft, step| raft.read_index(token, step)),
            RaftInput::Propose(logged) => self.propose(logged, ctx),
        }
    }

    fn propose(&mut self, logged: Logged, ctx: &mut Ctx<'_, Words>) {
        match self.raft.leader() {
            Some(leader) if leader == self.me => {
                self.raft_step(ctx, |raft, step| {
                    raft.propose(logged, step);
                });
            }
            Some(leader) => self.peers.send(
                leader,
                Message::Forward {
                    ticket: logged.ticket,
                    op: logged.op,
                },
                ctx,
            ),
            None if logged.ticket.member == self.me => self.parked.push(logged.ticket.number),
            None => {}
        }
    }

    fn raft_step(&mut self, ctx: &mut Ctx<'_, Words>, act: impl FnOnce(&mut Raft<Logged>, &mut Step<'_, Logged>)) {
        let (now, mut commands) = (self.tick(ctx.mono()), std::mem::take(&mut self.commands));
        let mut draw = |bound| ctx.below(DRAW_ELECTION, bound);
        act(
            &mut self.raft,
            &mut Step {
                now,
                draw: &mut draw,
                commands: &mut commands,
            },
        );
        let had_leader = self.raft.leader();
        for command in commands.drain(..) {
            match command {
                Command::Persist => {
                    self.writing = Some((self.raft.durable(), ctx.mono()));
                    ctx.fsync(0);
                }
                Command::Send {
                    to,
                    message,
                    after_persist: true,
                } if self.writing.is_some() => {
                    self.held.push((to, message));
                }
                Command::Send { to, message, .. } => self.peers.send(to, Message::Raft(message), ctx),
                Command::Committed(index) => {
                    self.apply_up_to(index, ctx);
                    ctx.note(Note::StoreCommit { index });
                }
                Command::Became { role, term } => {
                    if role != RoleName::Leader && self.lessor.leads() {
                        self.lessor.demote();
                        self.pass_renewals_on(ctx);
                    }
                    ctx.note(Note::StoreRole { role, term });
                }
                Command::ReadReady { token, index } => self.read_ready(token, index, ctx),
                Command::ReadFailed { token } => self.parked.push(token.number),
            }
        }
        self.commands = commands;
        self.arm(ctx);
        if had_leader.is_some() && !self.parked.is_empty() {
            self.retry_parked(ctx);
        }
    }

    pub(super) fn written(&mut self, ctx: &mut Ctx<'_, Words>) {
        let Some((durable, since)) = self.writing.take() else {
            return;
        };
        self.durable = durable;
        if std::mem::take(&mut self.hangs) {
            ctx.note(Note::StoreGoesOn);
        }
        self.lose_ticks(since, ctx.mono());
        for (to, message) in std::mem::take(&mut self.held) {
            self.peers.send(to, Message::Raft(message), ctx);
        }
        self.raft_step(ctx, |raft, step| raft.persisted(step));
        while self.writing.is_none() {
            let Some(input) = self.backlog.pop_front() else { break };
            self.raft_input(input, ctx);
        }
        if self.writing.is_none() && self.armed.is_none() {
            self.raft_step(ctx, |raft, step| raft.tick(step));
        }
    }

    /// For the observer, who sees no disk. It is looked at twice a second, so what hangs for less may go unsaid.
    pub(super) fn note_whether_it_hangs(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let Some((_, since)) = self
            .writing
            .as_ref()
            .filter(|_| !self.hangs && self.is_stuck(ctx.mono()))
        {
            let already = ctx.mono().since(*since);
            self.hangs = true;
            ctx.note(Note::StoreHangs { already });
        }
    }

    pub(super) fn is_stuck(&self, now: MonoTime) -> bool {
        let stuck = self.config.tick * STUCK_TICKS;
        self.writing
            .as_ref()
            .is_some_and(|(_, since)| now.since(*since) > stuck)
    }
}
