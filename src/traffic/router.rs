//! A proxy in front of the databases that follows the agents' health checks, as the HAProxy configuration in Patroni's
//! documentation does: `GET /primary` every 3 s, down after 3 failures, up after 2 successes, sessions of a server that
//! goes down are ended.
//!
//! | input                  | commands |
//! |------------------------|----------|
//! | a client connects      | connects to the server that is up; hangs up when there is none |
//! | data from either side  | passes it on |
//! | either side ends       | ends the other |
//! | check period           | asks every agent |
//! | a server goes down     | ends its sessions |

use crate::engine::{Actor, ConnId, Ctx, Input, ProcId, Span, TimerKey};
use crate::vocabulary::{Message, NodeId, Note, Words};
use std::collections::BTreeMap;

const CHECK_EVERY: Span = Span::from_secs(3);
const FALL: u8 = 3;
const RISE: u8 = 2;
const CHECK: TimerKey = TimerKey(0);

/// What the router knows of one server.
#[derive(Clone, Debug)]
struct Server {
    agent: ProcId,
    database: ProcId,
    up: bool,
    /// Checks in a row that spoke against the present state.
    against: u8,
    checking: Option<ConnId>,
}

/// One client's session and the server's side of it.
#[derive(Clone, Debug)]
struct Session {
    client: ConnId,
    server: ConnId,
    node: usize,
    open: bool,
    /// From the client, before the server's side was open.
    waiting: Vec<Message>,
}

#[derive(Clone, Debug)]
pub struct Router {
    servers: Vec<Server>,
    sessions: BTreeMap<ConnId, Session>,
    routes_to: Option<usize>,
}

impl Router {
    /// `servers`: agent and database of each node; `up`: the one that leads when the run begins.
    pub fn new(servers: &[(ProcId, ProcId)], up: NodeId) -> Router {
        let server = |(n, &(agent, database)): (usize, &(ProcId, ProcId))| Server {
            agent,
            database,
            up: n == up.index(),
            against: 0,
            checking: None,
        };
        Router {
            servers: servers.iter().enumerate().map(server).collect(),
            sessions: BTreeMap::new(),
            routes_to: None,
        }
    }

    fn check(&mut self, ctx: &mut Ctx<'_, Words>) {
        for node in 0..self.servers.len() {
            // Whoever has not answered since the last check has failed it.
            if let Some(conn) = self.servers[node].checking.take() {
                ctx.close(conn);
                self.checked(node, false, ctx);
            }
            self.servers[node].checking = Some(ctx.open(self.servers[node].agent));
        }
        ctx.set_timer(CHECK, CHECK_EVERY);
    }

    fn checked(&mut self, node: usize, good: bool, ctx: &mut Ctx<'_, Words>) {
        let server = &mut self.servers[node];
        if good == server.up {
            server.against = 0;
            return;
        }
        server.against += 1;
        if server.against >= if server.up { FALL } else { RISE } {
            server.up = good;
            server.against = 0;
            if !good {
                self.end_sessions_of(node, ctx);
            }
            self.choose(ctx);
        }
    }

    /// Several servers can be up for a while; the first that came up keeps the traffic.
    fn choose(&mut self, ctx: &mut Ctx<'_, Words>) {
        let still = self.routes_to.filter(|&node| self.servers[node].up);
        let chosen = still.or_else(|| self.servers.iter().position(|s| s.up));
        if chosen != self.routes_to {
            self.routes_to = chosen;
            ctx.note(Note::Routes {
                to: chosen.map(|node| NodeId(node as u8)),
            });
        }
    }

    fn end_sessions_of(&mut self, node: usize, ctx: &mut Ctx<'_, Words>) {
        self.sessions.retain(|_, session| {
            let ends = session.node == node;
            if ends {
                ctx.close(session.client);
                ctx.close(session.server);
            }
            !ends
        });
    }

    fn accepted(&mut self, client: ConnId, ctx: &mut Ctx<'_, Words>) {
        let Some(node) = self.routes_to else {
            return ctx.close(client);
        };
        let server = ctx.open(self.servers[node].database);
        self.sessions.insert(
            client,
            Session {
                client,
                server,
                node,
                open: false,
                waiting: Vec::new(),
            },
        );
    }

    fn opened(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Words>) {
        if self.servers.iter().any(|s| s.checking == Some(conn)) {
            return ctx.send(conn, Message::AskPrimary { request: 0 });
        }
        if let Some(session) = self.sessions.values_mut().find(|s| s.server == conn) {
            session.open = true;
            for message in session.waiting.drain(..) {
                ctx.send(conn, message);
            }
        }
    }

    fn pass_on(&mut self, conn: ConnId, message: Message, ctx: &mut Ctx<'_, Words>) {
        if let Some(session) = self.sessions.get_mut(&conn) {
            if session.open {
                ctx.send(session.server, message);
            } else {
                session.waiting.push(message);
            }
        } else if let Some(session) = self.sessions.values().find(|s| s.server == conn) {
            ctx.send(session.client, message);
        }
    }

    fn ended(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Words>) {
        if let Some(node) = self.servers.iter().position(|s| s.checking == Some(conn)) {
            self.servers[node].checking = None;
            return self.checked(node, false, ctx);
        }
        let client = self
            .sessions
            .values()
            .find(|s| s.client == conn || s.server == conn)
            .map(|s| s.client);
        if let Some(session) = client.and_then(|client| self.sessions.remove(&client)) {
            ctx.close(session.client);
            ctx.close(session.server);
        }
    }
}

impl Actor<Words> for Router {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match input {
            Input::Start => {
                self.sessions.clear();
                self.choose(ctx);
                self.check(ctx);
            }
            Input::Timer(CHECK) => self.check(ctx),
            Input::Accepted(conn, _) => self.accepted(conn, ctx),
            Input::Opened(conn) => self.opened(conn, ctx),
            Input::Message(conn, Message::Primary { yes, .. }) => {
                if let Some(node) = self.servers.iter().position(|s| s.checking == Some(conn)) {
                    self.servers[node].checking = None;
                    ctx.close(conn);
                    self.checked(node, yes, ctx);
                }
            }
            Input::Message(conn, message) => self.pass_on(conn, message, ctx),
            Input::Ended(conn, _) => self.ended(conn, ctx),
            Input::Timer(_) | Input::Signal(_) | Input::DiskDone(_) | Input::Order { .. } => {}
        }
    }
}
