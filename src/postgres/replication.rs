//! Both ends of streaming replication: the standbys a server feeds, and the upstream it follows.

use crate::engine::{ConnId, Ctx, MonoTime, ProcId, Span, TimerKey};
use crate::vocabulary::{Lsn, Message, NodeId, NodeSet, Note, Position, Words};

/// `wal_retrieve_retry_interval`: how long a standby waits before it tries its upstream again.
const RETRY: Span = Span::from_secs(5);
/// `wal_receiver_status_interval`: how often a standby tells how far it is; the upstream answers with where it is.
const STATUS_EVERY: Span = Span::from_secs(10);
/// `wal_receiver_timeout`: after so long without a word the standby gives the connection up.
const RECEIVER_TIMEOUT: Span = Span::from_secs(60);

/// A standby that streams from here.
#[derive(Clone, Debug)]
struct Standby {
    conn: ConnId,
    node: NodeId,
    /// What it has told to have flushed.
    flushed: Lsn,
    /// It has confirmed the last WAL.
    confirmed: bool,
}

/// The standbys that are connected.
#[derive(Clone, Debug, Default)]
pub(super) struct Standbys {
    connected: Vec<Standby>,
}

impl Standbys {
    pub fn clear(&mut self) {
        self.connected.clear();
    }

    /// A standby asks to stream. A log that this server's history does not contain cannot be continued.
    pub fn begin(&mut self, conn: ConnId, node: NodeId, theirs: &Position, mine: &Position, ctx: &mut Ctx<'_, Words>) {
        if mine.history.continues(theirs) && theirs.lsn <= mine.lsn {
            // A standby that comes again has lost its old connection, whether this server knows it or not.
            self.connected.retain(|standby| standby.node != node);
            self.connected.push(Standby {
                conn,
                node,
                flushed: theirs.lsn,
                confirmed: false,
            });
            ctx.send(
                conn,
                Message::Wal {
                    position: mine.clone(),
                    confirm: false,
                },
            );
        } else {
            ctx.send(conn, Message::Diverged { from: mine.clone() });
            ctx.close(conn);
        }
    }

    pub fn tell(&mut self, position: &Position, confirm: bool, ctx: &mut Ctx<'_, Words>) {
        for standby in &mut self.connected {
            standby.confirmed = false;
            ctx.send(
                standby.conn,
                Message::Wal {
                    position: position.clone(),
                    confirm,
                },
            );
        }
    }

    /// A standby has told how far it is. While the server runs it is told in turn where the log ends.
    pub fn reported(&mut self, conn: ConnId, lsn: Lsn, mine: &Position, stopping: bool, ctx: &mut Ctx<'_, Words>) {
        let Some(standby) = self.connected.iter_mut().find(|standby| standby.conn == conn) else {
            return;
        };
        standby.flushed = standby.flushed.max(lsn);
        standby.confirmed |= lsn >= mine.lsn;
        if !stopping {
            let position = mine.clone();
            ctx.send(
                conn,
                Message::Wal {
                    position,
                    confirm: false,
                },
            );
        }
    }

    pub fn all_confirmed(&self) -> bool {
        self.connected.iter().all(|standby| standby.confirmed)
    }

    /// How many of these standbys have flushed up to `lsn`.
    pub fn with(&self, lsn: Lsn, names: NodeSet) -> usize {
        let counts = |standby: &&Standby| names.contains(standby.node) && standby.flushed >= lsn;
        self.connected.iter().filter(counts).count()
    }

    /// Who streams, and up to where each has flushed (`pg_stat_replication`).
    pub fn list(&self) -> Vec<(NodeId, Lsn)> {
        self.connected
            .iter()
            .map(|standby| (standby.node, standby.flushed))
            .collect()
    }

    pub fn close_all(&mut self, ctx: &mut Ctx<'_, Words>) {
        for standby in self.connected.drain(..) {
            ctx.close(standby.conn);
        }
    }

    /// Says whether the connection was a standby's.
    pub fn ended(&mut self, conn: ConnId) -> bool {
        let before = self.connected.len();
        self.connected.retain(|standby| standby.conn != conn);
        before != self.connected.len()
    }
}

/// The WAL receiver of a standby.
#[derive(Clone, Debug)]
pub(super) struct Upstream {
    node: NodeId,
    retry: TimerKey,
    status: TimerKey,
    heard_at: MonoTime,
    target: Option<ProcId>,
    conn: Option<ConnId>,
    streaming: bool,
    diverged: Option<Position>,
}

impl Upstream {
    pub fn new(node: NodeId, retry: TimerKey, status: TimerKey) -> Upstream {
        Upstream {
            node,
            retry,
            status,
            heard_at: MonoTime::ZERO,
            target: None,
            conn: None,
            streaming: false,
            diverged: None,
        }
    }

    pub fn reset(&mut self) {
        *self = Upstream::new(self.node, self.retry, self.status);
    }
    pub fn target(&self) -> Option<ProcId> {
        self.target
    }
    pub fn is(&self, conn: ConnId) -> bool {
        self.conn == Some(conn)
    }
    pub fn is_streaming(&self) -> bool {
        self.streaming
    }
    /// Where the upstream that refused stands.
    pub fn diverged(&self) -> Option<&Position> {
        self.diverged.as_ref()
    }

    /// Follows another server, or none.
    pub fn follow(&mut self, target: Option<ProcId>, ctx: &mut Ctx<'_, Words>) {
        if target == self.target && self.conn.is_some() {
            return;
        }
        self.leave(ctx);
        self.target = target;
        self.again(ctx);
    }

    pub fn leave(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let Some(conn) = self.conn.take() {
            ctx.close(conn);
        }
        ctx.cancel_timer(self.retry);
        self.stop_streaming(ctx);
        self.target = None;
        self.diverged = None;
    }

    /// Connects to the upstream, if there is one.
    pub fn again(&mut self, ctx: &mut Ctx<'_, Words>) {
        if let (Some(target), None) = (self.target, self.conn) {
            self.conn = Some(ctx.open(target));
        }
    }

    pub fn opened(&mut self, conn: ConnId, from: &Position, ctx: &mut Ctx<'_, Words>) {
        if self.is(conn) {
            self.heard_at = ctx.mono();
            ctx.set_timer(self.status, STATUS_EVERY);
            ctx.send(
                conn,
                Message::Replicate {
                    node: self.node,
                    from: from.clone(),
                },
            );
        }
    }

    /// WAL has come.
    pub fn streams(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.heard_at = ctx.mono();
        self.diverged = None;
        if let (false, Some(upstream)) = (std::mem::replace(&mut self.streaming, true), self.target) {
            ctx.note(Note::Streams { upstream });
        }
    }

    /// Tells the upstream how far this standby is, or gives up one that says nothing any more.
    pub fn status_due(&mut self, lsn: Lsn, ctx: &mut Ctx<'_, Words>) {
        let Some(conn) = self.conn else { return };
        if ctx.mono().since(self.heard_at) >= RECEIVER_TIMEOUT {
            ctx.close(conn);
            return self.ended(conn, ctx);
        }
        ctx.send(conn, Message::WalFlushed { lsn });
        ctx.set_timer(self.status, STATUS_EVERY);
    }

    pub fn refused(&mut self, conn: ConnId, upstream: Position, ctx: &mut Ctx<'_, Words>) {
        if self.is(conn) && self.diverged.replace(upstream).is_none() {
            ctx.note(Note::CannotFollow);
        }
    }

    pub fn ended(&mut self, conn: ConnId, ctx: &mut Ctx<'_, Words>) {
        if self.is(conn) {
            self.conn = None;
            self.stop_streaming(ctx);
            ctx.set_timer(self.retry, RETRY);
        }
    }

    fn stop_streaming(&mut self, ctx: &mut Ctx<'_, Words>) {
        if std::mem::replace(&mut self.streaming, false) {
            ctx.note(Note::StopsStreaming);
        }
    }
}
