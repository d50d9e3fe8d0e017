//! What a client does outside after a commit: it writes an object and has an e-mail sent, both with the token that came with
//! the commit. Each place has a connection that stays open and takes the effects in their order.
//!
//! | state      | input                    | commands |
//! |------------|--------------------------|----------|
//! | any        | a commit is confirmed    | sends both effects, or keeps them for when there is a connection |
//! | unanswered | the connection ended, or nothing for 5 s | opens another after a second, and sends again what was not answered |
//!
//! So an effect can arrive long after its commit, and twice. What is done outside cannot be rolled back with the database.

use crate::engine::{ConnId, Ctx, MonoTime, ProcId, Span, TimerKey};
use crate::vocabulary::{Effect, LeaseMessage, LeaseNote, Message, NodeId, Note, Object, Token, Words};
use std::collections::VecDeque;

/// How long it waits for an answer before it tries another connection.
const PATIENCE: Span = Span::from_secs(5);
const RETRY: Span = Span::from_secs(1);
/// The one object that all clients keep up to date.
const OBJECT: Object = Object(1);
/// Keys of different clients differ: each has this many.
const KEYS_EACH: u32 = 1_000_000;

/// Where a client goes after its commits.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    pub object_store: ProcId,
    pub mail: ProcId,
    /// Without a token nothing is done outside.
    pub tokens: bool,
}

#[derive(Clone, Debug)]
struct Place {
    at: ProcId,
    conn: Option<ConnId>,
    open: bool,
    heard: MonoTime,
    unanswered: VecDeque<(u32, Effect)>,
}

impl Place {
    fn new(at: ProcId) -> Place {
        Place {
            at,
            conn: None,
            open: false,
            heard: MonoTime::ZERO,
            unanswered: VecDeque::new(),
        }
    }

    fn add(&mut self, request: u32, effect: Effect, ctx: &mut Ctx<'_, Words>) {
        if self.unanswered.is_empty() {
            self.heard = ctx.mono();
        }
        self.unanswered.push_back((request, effect));
        match self.conn {
            Some(conn) if self.open => send(conn, request, effect, ctx),
            Some(_) => {}
            None => self.conn = Some(ctx.open(self.at)),
        }
    }

    fn opened(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Words>) {
        self.open = true;
        self.heard = ctx.mono();
        for &(request, effect) in &self.unanswered {
            send(conn, request, effect, ctx);
        }
    }

    fn look(&mut self, ctx: &mut Ctx<'_, Words>) {
        if self.unanswered.is_empty() {
            return;
        }
        if ctx.mono().since(self.heard) >= PATIENCE
            && let Some(conn) = self.conn.take()
        {
            ctx.close(conn);
        }
        if self.conn.is_none() {
            self.open = false;
            self.heard = ctx.mono();
            self.conn = Some(ctx.open(self.at));
        }
    }
}

fn send(conn: ConnId, request: u32, effect: Effect, ctx: &mut Ctx<'_, Words>) {
    ctx.send(conn, Message::Lease(LeaseMessage::Effect { request, effect }));
}

/// A client's dealings outside.
#[derive(Clone, Debug)]
pub(super) struct Outside {
    places: [Place; 2],
    tokens: bool,
    timer: TimerKey,
}

impl Outside {
    pub fn new(places: Places, timer: TimerKey) -> Outside {
        Outside {
            places: [places.object_store, places.mail].map(Place::new),
            tokens: places.tokens,
            timer,
        }
    }

    pub fn start(&mut self, ctx: &mut Ctx<'_, Words>) {
        for place in &mut self.places {
            *place = Place::new(place.at);
        }
        ctx.set_timer(self.timer, RETRY);
    }

    /// The commit with this number of the client's own is confirmed by a node, which handed out the token.
    pub fn committed(&mut self, commit: u32, by: NodeId, token: Option<Token>, ctx: &mut Ctx<'_, Words>) {
        if self.tokens && token.is_none() {
            return;
        }
        ctx.note(Note::Lease(LeaseNote::GoesOutside { commit, token }));
        let effect = Effect::Write {
            object: OBJECT,
            token,
            key: Some(u32::from(ctx.me().0) * KEYS_EACH + commit % KEYS_EACH),
            confirmed_by: Some(by),
        };
        for place in &mut self.places {
            place.add(commit, effect, ctx);
        }
    }

    pub fn opened(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Words>) {
        if let Some(place) = self.place(conn) {
            place.opened(conn, ctx);
        }
    }

    pub fn ended(&mut self, conn: ConnId) {
        if let Some(place) = self.place(conn) {
            place.conn = None;
            place.open = false;
        }
    }

    pub fn answered(&mut self, conn: ConnId, request: u32, ctx: &mut Ctx<'_, Words>) {
        if let Some(place) = self.place(conn) {
            place.heard = ctx.mono();
            place.unanswered.retain(|(of, _)| *of != request);
        }
    }

    pub fn look(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.places.iter_mut().for_each(|place| place.look(ctx));
        ctx.set_timer(self.timer, RETRY);
    }

    fn place(&mut self, conn: ConnId) -> Option<&mut Place> {
        self.places.iter_mut().find(|place| place.conn == Some(conn))
    }
}
