//! The agent's copy of all keys: read once, then kept fresh by a watch stream (Patroni's etcd3 key cache).
//!
//! ```text
//! Connecting --opened--> Reading --items--> Watching
//!   ^  ^      |                |                 |
//!   |  +------+---- failed ----+--- at the next  |
//!   |     all servers failed: after 1 s          |
//!   +------------- at the same, at once ---------+ ended, or told to restart
//! ```
//!
//! The stream has no read time-out: a network that went silent leaves the copy as it was, and stale, until something
//! else fails and restarts it, or TCP keep-alive ends it (patroni.md 4.1: idle for loop_wait + retry_timeout, dead after
//! ttl), or a member that has missed an election speaks on it ([`TermGuard`]). The main loop's "read" is a look at this copy and sends nothing.

use super::TermGuard;
use crate::engine::{ConnId, Ctx, Input, Keepalive, ProcId, Span, TimerKey};
use crate::vocabulary::{Item, Key, Keys, Message, Reading, Revision, StoreAnswer, StoreOp, Value, WatchEvent, Words};
use std::collections::BTreeMap;

/// Pause after every server has failed.
const RECONNECT: Span = Span::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Off,
    Connecting(ConnId),
    Reading(ConnId),
    Watching(ConnId),
    Pausing,
}

/// What an input brought to the copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// The input was the watcher's.
    pub mine: bool,
    /// The copy has become usable again.
    pub ready: bool,
    pub leader_changed: bool,
    pub status_changed: bool,
    pub config_changed: bool,
}

#[derive(Clone, Debug)]
pub struct Watcher {
    servers: Vec<ProcId>,
    /// The server in use, or asked next.
    current: usize,
    /// How many servers have failed one after the other.
    failed: usize,
    timer: TimerKey,
    patience: Span,
    keepalive: Keepalive,
    stage: Stage,
    items: BTreeMap<Key, Item>,
    revision: Revision,
    /// Of the stream; it begins anew with every reading.
    guard: TermGuard,
}

impl Watcher {
    /// `patience`: how long a connection or the first read may take at one server.
    pub fn new(
        servers: Vec<ProcId>,
        timer: TimerKey,
        patience: Span,
        keepalive: Keepalive,
        guard: TermGuard,
    ) -> Watcher {
        let (stage, items) = (Stage::Off, BTreeMap::new());
        Watcher {
            servers,
            current: 0,
            failed: 0,
            timer,
            patience,
            keepalive,
            stage,
            items,
            revision: Revision(0),
            guard,
        }
    }

    /// From the next connection on.
    pub fn retime(&mut self, patience: Span, keepalive: Keepalive) {
        (self.patience, self.keepalive) = (patience, keepalive);
    }

    pub fn is_ready(&self) -> bool {
        matches!(self.stage, Stage::Watching(_))
    }

    pub fn get(&self, key: Key) -> Option<&Item> {
        self.items.get(&key)
    }

    /// What this process has written itself is in the copy at once; the stream will say it again.
    pub fn learn(&mut self, key: Key, value: Value, at: Revision) {
        let old = self.items.get(&key);
        if old.is_none_or(|old| old.modified < at) {
            let item = Item::put(old, key, value, None, at);
            self.items.insert(key, item);
        }
    }

    /// Everything in the copy.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.items.values()
    }

    /// Whether an input is for the watcher.
    pub fn is_mine(&self, input: &Input<Words>) -> bool {
        match input {
            Input::Opened(conn) | Input::Message(conn, _) | Input::Ended(conn, _) => self.conn() == Some(*conn),
            Input::Timer(key) => *key == self.timer,
            _ => false,
        }
    }

    /// Opens the stream at a server, dropping the one there is.
    pub fn restart(&mut self, server: ProcId, ctx: &mut Ctx<'_, Words>) {
        self.current = self.servers.iter().position(|&s| s == server).unwrap_or(self.current);
        self.failed = 0;
        self.open(ctx);
    }

    /// The client has found another server: the stream follows it there.
    pub fn prefer(&mut self, server: ProcId, ctx: &mut Ctx<'_, Words>) {
        if server != self.servers[self.current] && self.stage != Stage::Off {
            self.restart(server, ctx);
        }
    }

    fn open(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let Some(conn) = self.conn() {
            ctx.close(conn);
        }
        let conn = ctx.open_with_keepalive(self.servers[self.current], self.keepalive);
        self.stage = Stage::Connecting(conn);
        ctx.set_timeout(self.timer, self.patience, &[conn]);
    }

    /// Forgets everything, as the death of the process would.
    pub fn reset(&mut self) {
        self.stage = Stage::Off;
        self.items.clear();
        self.revision = Revision(0);
    }

    fn conn(&self) -> Option<ConnId> {
        match self.stage {
            Stage::Connecting(conn) | Stage::Reading(conn) | Stage::Watching(conn) => Some(conn),
            Stage::Off | Stage::Pausing => None,
        }
    }

    /// `known`: what the client of the same process knows. It makes the first reading.
    pub fn handle(&mut self, input: &Input<Words>, known: &mut TermGuard, ctx: &mut Ctx<'_, Words>) -> News {
        let mut news = News {
            mine: true,
            ..News::default()
        };
        match input {
            Input::Opened(conn) if self.conn() == Some(*conn) => {
                self.stage = Stage::Reading(*conn);
                ctx.send_in_two(
                    *conn,
                    Message::Store {
                        request: 0,
                        op: StoreOp::Range {
                            keys: Keys::All,
                            // Patroni reads its copy so: it may be behind, and needs no quorum.
                            reading: Reading::Serializable,
                        },
                    },
                );
                ctx.set_timeout(self.timer, self.patience, &[*conn]);
            }
            Input::Message(conn, message) if self.conn() == Some(*conn) => {
                if self.admits(message, known) {
                    self.receive(*conn, message, &mut news, ctx);
                } else {
                    ctx.close(*conn);
                    self.broken(ctx);
                }
            }
            Input::Ended(conn, _) if self.conn() == Some(*conn) => self.broken(ctx),
            Input::Timer(key) if *key == self.timer => match self.stage {
                Stage::Pausing => self.open(ctx),
                Stage::Connecting(conn) | Stage::Reading(conn) => {
                    ctx.close(conn);
                    self.broken(ctx);
                }
                Stage::Off | Stage::Watching(_) => {}
            },
            _ => news.mine = false,
        }
        news
    }

    /// Whether the member that says this has not missed an election.
    fn admits(&mut self, message: &Message, known: &mut TermGuard) -> bool {
        match message {
            Message::StoreReply { term, .. } => {
                self.guard.reset();
                known.admits(*term) && self.guard.admits(*term)
            }
            Message::WatchEvents { term, .. } => self.guard.admits(*term),
            _ => true,
        }
    }

    /// A stream that breaks is opened again at once. A server that does not answer is left for the next; when none has
    /// answered there is a pause.
    fn broken(&mut self, ctx: &mut Ctx<'_, Words>) {
        if !matches!(self.stage, Stage::Watching(_)) {
            self.failed += 1;
            self.current = (self.current + 1) % self.servers.len();
        }
        if self.failed < self.servers.len() {
            return self.open(ctx);
        }
        self.failed = 0;
        self.stage = Stage::Pausing;
        ctx.set_timer(self.timer, RECONNECT);
    }

    fn receive(&mut self, conn: ConnId, message: &Message, news: &mut News, ctx: &mut Ctx<'_, Words>) {
        match message {
            Message::StoreReply {
                revision,
                answer: Ok(StoreAnswer::Items(items)),
                ..
            } => {
                let first = self.revision == Revision(0);
                let before = self.get(Key::Leader).map(|item| item.value.clone());
                self.items = items.iter().map(|item| (item.key, item.clone())).collect();
                self.revision = *revision;
                self.stage = Stage::Watching(conn);
                self.failed = 0;
                ctx.cancel_timer(self.timer);
                ctx.send_in_two(
                    conn,
                    Message::Store {
                        request: 1,
                        op: StoreOp::Watch { after: *revision },
                    },
                );
                news.ready = true;
                // The very first reading is no change: nothing was known before.
                news.leader_changed = !first && before.as_ref() != self.get(Key::Leader).map(|item| &item.value);
            }
            Message::WatchEvents { revision, events, .. } if *revision > self.revision => {
                self.revision = *revision;
                for event in events {
                    let key = match event {
                        WatchEvent::Put(item) => {
                            self.items.insert(item.key, item.clone());
                            item.key
                        }
                        WatchEvent::Delete { key, .. } => {
                            self.items.remove(key);
                            *key
                        }
                    };
                    news.leader_changed |= key == Key::Leader;
                    news.status_changed |= key == Key::Status;
                    news.config_changed |= key == Key::Config;
                }
            }
            _ => {}
        }
    }
}
