//! A connection pooler between a client's session and its database. It closes the database's side of a session after a
//! while (a limit on the age of server connections, a restart of the proxy, a NAT table that forgets) and says so to the client
//! when it next has something to pass on (protocols.md 13(a), PG-3).

use crate::engine::{Actor, ConnId, Ctx, Input, ProcId, Span, TimerKey};
use crate::vocabulary::{Message, Words};

const RECYCLES: TimerKey = TimerKey(0);

#[derive(Clone, Debug)]
struct Session {
    client: ConnId,
    server: Option<ConnId>,
    open: bool,
    /// From the client, before the server's side was open.
    waiting: Vec<Message>,
}

#[derive(Clone, Debug)]
pub struct Pooler {
    database: ProcId,
    recycles_after: Span,
    sessions: Vec<Session>,
}

impl Pooler {
    /// Closes what it has open to the database so long after its start.
    pub fn new(database: ProcId, recycles_after: Span) -> Pooler {
        Pooler {
            database,
            recycles_after,
            sessions: Vec::new(),
        }
    }

    fn client_says(&mut self, at: usize, message: Message, ctx: &mut Ctx<'_, Words>) {
        let session = &mut self.sessions[at];
        match session.server {
            Some(server) if session.open => ctx.send(server, message),
            Some(_) => session.waiting.push(message),
            // Another server connection would be another session: the client must learn that its own is over.
            None => {
                ctx.close(session.client);
                self.sessions.remove(at);
            }
        }
    }

    fn recycle(&mut self, ctx: &mut Ctx<'_, Words>) {
        for session in &mut self.sessions {
            if let Some(server) = session.server.take() {
                ctx.close(server);
            }
        }
    }

    fn opened(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Words>) {
        if let Some(session) = self.sessions.iter_mut().find(|s| s.server == Some(conn)) {
            session.open = true;
            session.waiting.drain(..).for_each(|message| ctx.send(conn, message));
        }
    }

    fn ended(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Words>) {
        if let Some(session) = self.sessions.iter_mut().find(|s| s.server == Some(conn)) {
            session.server = None;
        } else if let Some(at) = self.sessions.iter().position(|s| s.client == conn)
            && let Some(server) = self.sessions.remove(at).server
        {
            ctx.close(server);
        }
    }
}

impl Actor<Words> for Pooler {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match input {
            Input::Start => {
                self.sessions.clear();
                ctx.set_timer(RECYCLES, self.recycles_after);
            }
            Input::Timer(RECYCLES) => self.recycle(ctx),
            Input::Accepted(client, _) => {
                let server = Some(ctx.open(self.database));
                self.sessions.push(Session {
                    client,
                    server,
                    open: false,
                    waiting: Vec::new(),
                });
            }
            Input::Opened(conn) => self.opened(conn, ctx),
            Input::Ended(conn, _) => self.ended(conn, ctx),
            Input::Message(conn, message) => {
                if let Some(session) = self.sessions.iter().find(|s| s.server == Some(conn)) {
                    ctx.send(session.client, message);
                } else if let Some(at) = self.sessions.iter().position(|s| s.client == conn) {
                    self.client_says(at, message, ctx);
                }
            }
            _ => {}
        }
    }
}
