//! The connections between members. Each member dials every other and *receives* on that connection what the other sends;
//! a member that hears nothing for five seconds drops the connection and dials again (etcd server/etcdserver/api/rafthttp:
//! streams, ConnReadTimeout 5 s, a link heartbeat every third of it).
//!
//! What is sent while the other's stream is not there is lost, as Raft allows.

use crate::engine::{ConnId, Ctx, MonoTime, ProcId, Span};
use crate::raft::MemberId;
use crate::vocabulary::{Message, Words};

/// How long a stream may be silent.
const READ_TIMEOUT: Span = Span::from_secs(5);
/// Pause before a connection that ended is dialled again.
pub(super) const REDIAL: Span = Span::from_millis(250);
/// How often a member says on each stream that it is still there, and looks after its own.
pub(super) const LINK_HEARTBEAT: Span = Span::from_micros(1_666_667);

#[derive(Clone, Copy, Debug, Default)]
struct Peer {
    /// I dialled it: its messages come here.
    dialled: Option<ConnId>,
    heard_at: MonoTime,
    /// It dialled me: my messages go there.
    stream: Option<ConnId>,
}

#[derive(Clone, Debug)]
pub(super) struct Peers {
    me: MemberId,
    processes: Vec<ProcId>,
    peers: Vec<Peer>,
}

impl Peers {
    pub fn new(me: MemberId, processes: Vec<ProcId>) -> Peers {
        let peers = vec![Peer::default(); processes.len()];
        Peers { me, processes, peers }
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let me = usize::from(self.me.0);
        (0..self.processes.len()).filter(move |&p| p != me)
    }

    pub fn start(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.peers.fill(Peer::default());
        for p in self.others() {
            self.dial(p, ctx);
        }
    }

    fn dial(&mut self, p: usize, ctx: &mut Ctx<'_, Words>) {
        let dialled = Some(ctx.open(self.processes[p]));
        self.peers[p] = Peer {
            dialled,
            heard_at: ctx.mono(),
            ..self.peers[p]
        };
    }

    pub fn send(&mut self, to: MemberId, message: Message, ctx: &mut Ctx<'_, Words>) {
        if let Some(stream) = self.peers.get(usize::from(to.0)).and_then(|peer| peer.stream) {
            ctx.send(stream, message);
        }
    }

    pub fn accepted(&mut self, conn: ConnId, from: ProcId, ctx: &mut Ctx<'_, Words>) {
        if let Some(p) = self.processes.iter().position(|&process| process == from)
            && let Some(old) = self.peers[p].stream.replace(conn)
        {
            ctx.close(old);
        }
    }

    pub fn opened(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Words>) {
        self.heard(conn, ctx);
    }

    /// Which member a message on this connection comes from.
    pub fn heard(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Words>) -> Option<MemberId> {
        let p = self.peers.iter().position(|peer| peer.dialled == Some(conn))?;
        self.peers[p].heard_at = ctx.mono();
        Some(MemberId(p as u8))
    }

    /// Says whether a connection that this member dialled has ended.
    pub fn ended(&mut self, conn: ConnId) -> bool {
        let mut redial = false;
        for peer in &mut self.peers {
            if peer.stream == Some(conn) {
                peer.stream = None;
            }
            if peer.dialled == Some(conn) {
                peer.dialled = None;
                redial = true;
            }
        }
        redial
    }

    pub fn redial(&mut self, ctx: &mut Ctx<'_, Words>) {
        for p in self
            .others()
            .filter(|&p| self.peers[p].dialled.is_none())
            .collect::<Vec<_>>()
        {
            self.dial(p, ctx);
        }
    }

    /// Says on every stream that I am here; dials anew what has fallen silent.
    pub fn look_after(&mut self, ctx: &mut Ctx<'_, Words>) {
        for p in self.others() {
            if let Some(stream) = self.peers[p].stream {
                ctx.send(stream, Message::PeerAlive);
            }
            let silent = ctx.mono().since(self.peers[p].heard_at) >= READ_TIMEOUT;
            match self.peers[p].dialled {
                Some(conn) if silent => {
                    ctx.close(conn);
                    self.dial(p, ctx);
                }
                Some(_) | None => {}
            }
        }
    }
}
