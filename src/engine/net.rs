//! Connections, as a kernel and a network make them: handshakes that are answered, refused or lost; data that arrives
//! in order, is sent again with doubling pauses when it is lost, and is buffered for a process that stands still; ends
//! that are told (closed, reset) and ends that are not.
//!
//! ```text
//! open() -- SYN --> ... -- SYN/ACK --> Opened | Ended(Refused) | (silence: the caller's own timer must end it)
//! send() -- data, in order --> Message        lost: again after 0.2 s, 0.4 s, 0.8 s ... then Ended(TimedOut)
//! close(), death of a process --> Ended(Closed | Reset) at the other side, if the path lets it through
//! ```
//!
//! A message in two packets (`send_in_two`) has a head that is sent first; the body follows its acknowledgement, or goes
//! without it when that takes much longer than this connection's round trips let expect.
//!
//! Connections between processes of one host pass no link: nothing cuts them.

use super::actor::{Input, Keepalive};
use super::ids::{ConnId, EventId, HostId, ProcId};
use super::kernel::{Arrival, Due, Kernel};
use super::link::{Fate, Links};
use super::trace::{Ended, Lost, Observer, OpenedBefore, Place, What, Wire};
use crate::clocks::{Lamport, SimTime, Span};
use std::collections::VecDeque;

/// First pause before lost data is sent again, beyond the round trip; doubles each time. Linux: 200 ms (its TCP_RTO_MIN).
const RETRANSMIT_FIRST: Span = Span::from_millis(200);
/// The longest pause between two tries. Linux: 120 s.
const RETRANSMIT_MAX: Span = Span::from_secs(120);
/// After so many tries the kernel gives the connection up. Linux: tcp_retries2 = 15.
const RETRANSMIT_TRIES: u8 = 15;
/// First pause before an unanswered handshake is sent again; doubles each time. Linux: 1 s.
const SYN_FIRST: Span = Span::from_secs(1);
/// After so many repetitions the kernel gives a handshake up, 127 s after its first. Linux: tcp_syn_retries = 6.
const SYN_TRIES: u8 = 6;
/// A connection whose end was swallowed on the way is given up by whatever swallowed it after this.
const ORPHANED: Span = Span::from_secs(100);
/// How long a receiver waits for something to send along with the acknowledgement of a small packet; on a fresh connection
/// it does not. Linux: TCP_DELACK_MIN, 40 ms, and its quick acknowledgements.
const DELAYED_ACKNOWLEDGEMENT: Span = Span::from_millis(40);
/// What an acknowledgement takes at a receiver that has the processor for itself: it goes with an answer. Recorded, on a busy
/// machine: WAL that a partition swallows is sent again 0.209 to 0.214 s times 1, 3, 7, … 255 after it was lost.
const ACKNOWLEDGES: Span = Span::from_micros(2_500);
/// Between two processes of one host.
const LOCAL_LATENCY: Span = Span::from_micros(40);
/// How soon a rejecting path says so.
const REFUSAL: Span = Span::from_micros(200);

/// The sides of a connection.
pub(super) const CLIENT: usize = 0;
pub(super) const SERVER: usize = 1;

/// How long acknowledgements take on a stream (RFC 6298), and how long its sender waits for one before it sends what it was
/// holding back (RFC 8985's tail loss probe with one packet under way, as Linux has it).
#[derive(Clone, Copy, Debug, Default)]
struct RoundTrips {
    smoothed: Span,
}

impl RoundTrips {
    fn measure(&mut self, measured: Span) {
        self.smoothed = (self.smoothed * 7 + measured) / 8;
    }
    /// The pause before what was lost is sent again for the first time.
    fn time_out(self, at_receiver: Span) -> Span {
        self.smoothed + at_receiver + RETRANSMIT_FIRST
    }
    fn patience(self) -> Span {
        self.smoothed * 2 + RETRANSMIT_FIRST
    }
}

#[derive(Clone, Debug)]
pub(super) struct Segment<W: Wire> {
    /// None: the end of the stream (FIN).
    message: Option<W::Message>,
    sent: Option<EventId>,
    stamp: Lamport,
    /// Head and body apart.
    in_two: bool,
    /// Its head has not been sent yet.
    head_first: bool,
}

/// What is under way to one side.
#[derive(Clone, Debug)]
struct Pipe<W: Wire> {
    segments: VecDeque<Segment<W>>,
    /// How many of them, from the front, are on the wire; the rest waits for a retransmission.
    on_wire: usize,
    last_at: SimTime,
    /// Nothing has been sent on it yet.
    fresh: bool,
    round_trips: RoundTrips,
    tries: u8,
    retry_due: bool,
    /// Something on the path has swallowed data of this stream. What was swallowed is never heard of again; when the path
    /// heals, the two ends no longer agree on what was sent, and the next packet is answered by a reset.
    swallowed: bool,
}

impl<W: Wire> Default for Pipe<W> {
    fn default() -> Self {
        Pipe {
            segments: VecDeque::new(),
            on_wire: 0,
            last_at: SimTime::ZERO,
            fresh: true,
            round_trips: RoundTrips::default(),
            tries: 0,
            retry_due: false,
            swallowed: false,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Conn<W: Wire> {
    ends: [ProcId; 2],
    hosts: [HostId; 2],
    /// Which life of each process it belongs to.
    lives: [u32; 2],
    open: [bool; 2],
    established: bool,
    syn_tries: u8,
    syn_at: SimTime,
    opening: Option<EventId>,
    /// What the Lamport clock of either side showed when it last did anything to the connection: whoever learns anything by
    /// it, be it that it is over, learns that.
    stamp: Lamport,
    /// `pipes[s]` is under way to side `s`.
    pipes: [Pipe<W>; 2],
    /// The last time something of this connection was lost.
    last_drop: Option<EventId>,
    /// What the kernel of each side does about the other.
    keepalive: [Option<Keepalive>; 2],
    /// When the client last heard from the server, and the server anything of the client, be it that it has received something.
    heard_at: [SimTime; 2],
}

impl<W: Wire> Conn<W> {
    /// As it is known to a trace that begins now.
    pub(super) fn opened_before(&self, conn: ConnId) -> OpenedBefore {
        OpenedBefore {
            conn,
            from: self.ends[0],
            to: self.ends[1],
            established: self.established,
        }
    }
    fn side_of(&self, process: ProcId) -> Option<usize> {
        self.ends.iter().position(|&end| end == process)
    }
    /// From which host to which a packet to side `to` goes.
    fn path_to(&self, to: usize) -> (HostId, HostId) {
        (self.hosts[1 - to], self.hosts[to])
    }
}

/// What the path does to one packet, before the receiving host is looked at.
fn fate(links: &mut Links, (from, to): (HostId, HostId), carries_data: bool) -> Fate {
    if from == to {
        Fate::Arrives(LOCAL_LATENCY)
    } else {
        links.between(from, to).fate(carries_data)
    }
}

impl<W: Wire> Kernel<W> {
    fn host_answers(&self, host: HostId) -> Result<(), Option<EventId>> {
        self.hosts[host.index()].answers()
    }

    /// Why nothing comes on a connection: the last loss on it, or what stopped the peer.
    pub(super) fn why_silent(&self, id: ConnId, asker: ProcId) -> Option<EventId> {
        let conn = self.conns.get(id)?;
        let side = conn.side_of(asker).filter(|&side| conn.open[side])?;
        let peer = conn.ends[1 - side];
        let p = &self.processes[peer.index()];
        let host = &self.hosts[p.host.index()];
        let halted = conn.last_drop.or(p.halted_by).or(host.halted_by);
        halted.or_else(|| host.disk.holds_up(peer))
    }

    pub(super) fn open<O: Observer<W>>(
        &mut self,
        obs: &mut O,
        me: ProcId,
        id: ConnId,
        to: ProcId,
        keepalive: Option<Keepalive>,
        cause: Option<EventId>,
    ) {
        if !self.processes[me.index()].alive {
            return;
        }
        let opening = self
            .record(obs, false, Place::Process(me), cause, None, || What::Opening {
                conn: id,
                to,
            })
            .or(cause);
        let conn = Conn {
            ends: [me, to],
            hosts: [me, to].map(|end| self.processes[end.index()].host),
            lives: [self.processes[me.index()].life, 0],
            open: [true, true],
            established: false,
            syn_tries: 0,
            syn_at: self.now,
            opening,
            stamp: *self.lamport(me),
            pipes: Default::default(),
            last_drop: None,
            keepalive: [keepalive, None],
            heard_at: [self.now; 2],
        };
        self.conns.insert(id, conn);
        self.syn(obs, id);
    }

    /// Sends the handshake, first or again.
    pub(super) fn syn<O: Observer<W>>(&mut self, obs: &mut O, id: ConnId) {
        let Some(conn) = self.conns.get(id) else { return };
        if conn.established || !conn.open[CLIENT] {
            return;
        }
        let (path, now) = (conn.path_to(SERVER), self.now);
        if let Some(conn) = self.conns.get_mut(id) {
            conn.syn_at = now;
        }
        match fate(&mut self.links, path, false) {
            Fate::Arrives(latency) => self.push(self.now + latency, Due::SynArrives { conn: id }),
            Fate::Refused(_) => {
                self.push(
                    self.now + REFUSAL,
                    Due::Reset {
                        conn: id,
                        to: CLIENT as u8,
                        refused: true,
                    },
                );
            }
            Fate::Lost(how, because) => self.lost_handshake(obs, id, how, because),
        }
    }

    fn lost_handshake<O: Observer<W>>(&mut self, obs: &mut O, id: ConnId, how: Lost, because: Option<EventId>) {
        let Some(conn) = self.conns.get(id) else { return };
        let (to, opening, tries) = (conn.ends[SERVER], conn.opening, conn.syn_tries);
        if tries > SYN_TRIES {
            return self.end(id, CLIENT, Ended::TimedOut);
        }
        let drop = self.record(obs, false, Place::Network, opening, because, || What::Dropped {
            conn: id,
            to,
            sent: None,
            how,
        });
        let Some(conn) = self.conns.get_mut(id) else { return };
        conn.last_drop = drop;
        conn.syn_tries = tries + 1;
        let (from, server) = conn.path_to(SERVER);
        if matches!(how, Lost::Silent | Lost::HostGone)
            && let Some(at) = self.neighbours.unanswered(from, server, self.now)
        {
            self.push(at, Due::NoRoute { from, to: server });
        }
        self.push(self.now + SYN_FIRST * (1 << tries), Due::Syn { conn: id });
    }

    /// Nobody on the segment has answered for the other host: who waits for it is told so.
    pub(super) fn no_route(&mut self, from: HostId, to: HostId) {
        let silent = |fate| matches!(fate, Fate::Lost(..));
        let there = silent(fate(&mut self.links, (from, to), false));
        let back = silent(fate(&mut self.links, (to, from), false));
        let gone = there || back || self.host_answers(to).is_err();
        if !self.neighbours.gives_up(from, to) || !gone {
            return;
        }
        let waits = |conn: &Conn<W>| !conn.established && conn.open[CLIENT] && conn.path_to(SERVER) == (from, to);
        let waiting: Vec<ConnId> = self
            .conns
            .iter()
            .filter(|(_, conn)| waits(conn))
            .map(|(id, _)| id)
            .collect();
        for id in waiting {
            self.end(id, CLIENT, Ended::TimedOut);
        }
    }

    pub(super) fn syn_arrives<O: Observer<W>>(&mut self, obs: &mut O, id: ConnId) {
        let Some(conn) = self.conns.get(id) else { return };
        if conn.established || !conn.open[CLIENT] {
            return;
        }
        let server = conn.ends[SERVER];
        let way_back = conn.path_to(CLIENT);
        if let Err(halted_by) = self.host_answers(conn.hosts[SERVER]) {
            return self.lost_handshake(obs, id, Lost::HostGone, halted_by);
        }
        let listens = self.processes[server.index()].alive;
        match fate(&mut self.links, way_back, false) {
            Fate::Arrives(latency) if listens => self.push(self.now + latency, Due::SynAck { conn: id }),
            Fate::Arrives(latency) => {
                self.push(
                    self.now + latency,
                    Due::Reset {
                        conn: id,
                        to: CLIENT as u8,
                        refused: true,
                    },
                );
            }
            Fate::Lost(how, because) => self.lost_handshake(obs, id, how, because),
            // The reset goes to the server; the client hears nothing.
            Fate::Refused(because) => self.lost_handshake(obs, id, Lost::Silent, Some(because)),
        }
    }

    pub(super) fn syn_ack(&mut self, id: ConnId) {
        let Some(conn) = self.conns.get_mut(id) else { return };
        if conn.established || !conn.open[CLIENT] {
            return;
        }
        let [client, server] = conn.ends;
        if !self.processes[server.index()].alive {
            return self.push(
                self.now,
                Due::Reset {
                    conn: id,
                    to: CLIENT as u8,
                    refused: true,
                },
            );
        }
        conn.established = true;
        self.neighbours.met(conn.hosts[CLIENT], conn.hosts[SERVER]);
        conn.lives[SERVER] = self.processes[server.index()].life;
        conn.heard_at = [self.now; 2];
        let round_trips = RoundTrips {
            smoothed: self.now.since(conn.syn_at),
        };
        conn.pipes.iter_mut().for_each(|pipe| pipe.round_trips = round_trips);
        let (opening, stamp, keepalive) = (conn.opening, conn.stamp, conn.keepalive[CLIENT]);
        if let Some(keepalive) = keepalive {
            let side = CLIENT as u8;
            self.push(self.now + keepalive.idle, Due::Keepalive { conn: id, side });
        }
        self.arrive(client, Arrival::new(Input::Opened(id), opening));
        self.arrive(server, Arrival::led(Input::Accepted(id, client), (opening, stamp)));
    }

    pub(super) fn send<O: Observer<W>>(
        &mut self,
        obs: &mut O,
        me: ProcId,
        id: ConnId,
        message: W::Message,
        in_two: bool,
        cause: Option<EventId>,
    ) {
        let Some(conn) = self.conns.get(id) else { return };
        let Some(side) = conn.side_of(me).filter(|&side| conn.open[side] && conn.established) else {
            return;
        };
        let to = conn.ends[1 - side];
        let stamp = self.lamport(me).tick();
        let sent = self.record(obs, false, Place::Process(me), cause, None, || What::Sent {
            conn: id,
            to,
            message: message.clone(),
        });
        self.put(
            obs,
            id,
            1 - side,
            Segment {
                message: Some(message),
                sent,
                stamp,
                in_two,
                head_first: in_two,
            },
        );
    }

    /// Puts a segment into the stream to side `to` and sends it unless earlier ones wait to be sent again.
    fn put<O: Observer<W>>(&mut self, obs: &mut O, id: ConnId, to: usize, segment: Segment<W>) {
        let Some(conn) = self.conns.get_mut(id) else { return };
        conn.stamp.catch_up(segment.stamp);
        let pipe = &mut conn.pipes[to];
        pipe.segments.push_back(segment);
        if pipe.on_wire + 1 == pipe.segments.len() {
            self.transmit(obs, id, to);
        }
    }

    /// Sends the first segment that is not on the wire. If it gets there, it is on the wire afterwards.
    fn transmit<O: Observer<W>>(&mut self, obs: &mut O, id: ConnId, to: usize) {
        let Some(conn) = self.conns.get_mut(id) else { return };
        let path = conn.path_to(to);
        let pipe = &mut conn.pipes[to];
        let next = pipe.segments.get(pipe.on_wire);
        let carries_data = next.is_some_and(|s| s.message.is_some());
        let head_first = next.is_some_and(|s| s.head_first);
        let fate = fate(&mut self.links, path, carries_data);
        let fate = match (fate, self.hosts[path.1.index()].answers()) {
            (Fate::Arrives(_), Err(halted_by)) => Fate::Lost(Lost::HostGone, halted_by),
            (Fate::Arrives(latency), Ok(())) if pipe.swallowed => {
                return self.push(
                    self.now + latency,
                    Due::Reset {
                        conn: id,
                        to: 1 - to as u8,
                        refused: false,
                    },
                );
            }
            (fate, _) => fate,
        };
        match fate {
            Fate::Arrives(latency) if head_first => self.await_acknowledgement(obs, id, to, latency),
            Fate::Arrives(latency) => {
                let at = pipe.last_at.max(self.now + latency);
                pipe.on_wire += 1;
                pipe.last_at = at;
                pipe.fresh = false;
                pipe.round_trips.measure(latency * 2);
                self.push(at, Due::Deliver { conn: id, to: to as u8 });
            }
            Fate::Refused(_) => {
                // The path answers for the peer: the sender's end is dead, the peer knows nothing.
                self.push(
                    self.now + REFUSAL,
                    Due::Reset {
                        conn: id,
                        to: 1 - to as u8,
                        refused: false,
                    },
                );
            }
            Fate::Lost(how, because) => {
                self.lost_segment(obs, id, to, how, because);
            }
        }
    }

    /// The head of the next segment arrives after `latency`; its body, and all behind it, waits for the acknowledgement.
    fn await_acknowledgement<O: Observer<W>>(&mut self, obs: &mut O, id: ConnId, to: usize, latency: Span) {
        let Some(conn) = self.conns.get(id) else { return };
        match fate(&mut self.links, conn.path_to(1 - to), false) {
            Fate::Arrives(back) => {
                let Some(conn) = self.conns.get_mut(id) else { return };
                let pipe = &mut conn.pipes[to];
                let waits = if pipe.fresh {
                    Span::ZERO
                } else {
                    DELAYED_ACKNOWLEDGEMENT
                };
                if let Some(segment) = pipe.segments.get_mut(pipe.on_wire) {
                    segment.head_first = false;
                }
                let (acknowledged, patience) = (latency + waits + back, pipe.round_trips.patience());
                pipe.round_trips.measure(acknowledged);
                pipe.retry_due = true;
                let goes = self.now + acknowledged.min(patience);
                self.push(goes, Due::Retransmit { conn: id, to: to as u8 });
            }
            Fate::Refused(because) => self.lost_segment(obs, id, to, Lost::Silent, Some(because)),
            Fate::Lost(how, because) => self.lost_segment(obs, id, to, how, because),
        }
    }

    fn lost_segment<O: Observer<W>>(
        &mut self,
        obs: &mut O,
        id: ConnId,
        to: usize,
        how: Lost,
        because: Option<EventId>,
    ) {
        let Some(conn) = self.conns.get_mut(id) else { return };
        let receiver = conn.ends[to];
        let pipe = &mut conn.pipes[to];
        let sent = pipe.segments.get(pipe.on_wire).and_then(|s| s.sent);
        if how == Lost::Swallowed {
            pipe.swallowed = true;
            let end_of_stream = pipe.segments.iter().skip(pipe.on_wire).any(|s| s.message.is_none());
            if end_of_stream {
                let due = Due::Reset {
                    conn: id,
                    to: to as u8,
                    refused: false,
                };
                self.push(self.now + ORPHANED, due);
            }
            let Some(conn) = self.conns.get_mut(id) else { return };
            let pipe = &mut conn.pipes[to];
            pipe.segments.truncate(pipe.on_wire);
        } else if !pipe.retry_due {
            pipe.retry_due = true;
            let at_receiver = self.pace.compute(ACKNOWLEDGES, self.now);
            let first = pipe.round_trips.time_out(at_receiver);
            let pause = (first * (1 << pipe.tries.min(20))).min(RETRANSMIT_MAX);
            pipe.tries += 1;
            self.push(self.now + pause, Due::Retransmit { conn: id, to: to as u8 });
        }
        let drop = self.record(obs, false, Place::Network, sent, because, || What::Dropped {
            conn: id,
            to: receiver,
            sent,
            how,
        });
        if let Some(conn) = self.conns.get_mut(id) {
            conn.last_drop = drop;
        }
    }

    pub(super) fn retransmit<O: Observer<W>>(&mut self, obs: &mut O, id: ConnId, to: u8) {
        let to = usize::from(to);
        let Some(conn) = self.conns.get_mut(id) else { return };
        let pipe = &mut conn.pipes[to];
        pipe.retry_due = false;
        let sender = conn.ends[1 - to];
        let sender_stands = {
            let host = self.processes[sender.index()].host;
            let h = &self.hosts[host.index()];
            h.on && h.paused_by.is_empty()
        };
        let Some(conn) = self.conns.get_mut(id) else { return };
        let pipe = &mut conn.pipes[to];
        if pipe.tries > RETRANSMIT_TRIES {
            pipe.segments.clear();
            pipe.on_wire = 0;
            // Both ends: the receiver's own kernel would find out by its keep-alive, two hours later.
            self.end(id, to, Ended::TimedOut);
            return self.end(id, 1 - to, Ended::TimedOut);
        }
        if !sender_stands {
            // The sending kernel stands still too: it goes on when it can.
            pipe.retry_due = true;
            return self.push(self.now + RETRANSMIT_FIRST, Due::Retransmit { conn: id, to: to as u8 });
        }
        // All that waits, as long as each gets through.
        while let Some(pipe) = self.conns.get(id).map(|conn| &conn.pipes[to]) {
            let before = pipe.on_wire;
            if before == pipe.segments.len() {
                break;
            }
            self.transmit(obs, id, to);
            if self.conns.get(id).is_none_or(|conn| conn.pipes[to].on_wire == before) {
                return;
            }
        }
        if let Some(conn) = self.conns.get_mut(id) {
            conn.pipes[to].tries = 0;
        }
    }

    /// The server's kernel is told to look after the client.
    pub(super) fn look_after(&mut self, me: ProcId, id: ConnId, keepalive: Keepalive) {
        let Some(conn) = self.conns.get_mut(id) else { return };
        if conn.ends[SERVER] == me {
            conn.keepalive[SERVER] = Some(keepalive);
            let (at, side) = (conn.heard_at[SERVER] + keepalive.idle, SERVER as u8);
            self.push(at, Due::Keepalive { conn: id, side });
        }
    }

    /// The kernel of one side looks whether the other is still there.
    pub(super) fn keep_alive(&mut self, id: ConnId, side: u8) {
        let me = usize::from(side);
        let Some(conn) = self.conns.get(id) else { return };
        let Some(keepalive) = conn.keepalive[me].filter(|_| conn.open[me]) else {
            return;
        };
        let silent_for = self.now.since(conn.heard_at[me]);
        if silent_for < keepalive.idle {
            let at = conn.heard_at[me] + keepalive.idle;
            return self.push(at, Due::Keepalive { conn: id, side });
        }
        if conn.pipes[1 - me].retry_due && !keepalive.unacknowledged_too {
            return self.push(self.now + keepalive.every, Due::Keepalive { conn: id, side });
        }
        let peer = conn.ends[1 - me];
        let swallowed = conn.pipes.iter().any(|pipe| pipe.swallowed);
        let forgotten = !conn.open[1 - me] || conn.lives[1 - me] != self.processes[peer.index()].life;
        let (my_host, peer_host) = conn.path_to(1 - me);
        let there = fate(&mut self.links, (my_host, peer_host), false);
        let back = fate(&mut self.links, (peer_host, my_host), false);
        let muted =
            self.links.between(my_host, peer_host).swallows() || self.links.between(peer_host, my_host).swallows();
        match (there, back, self.host_answers(peer_host)) {
            (Fate::Refused(_), ..) => self.end(id, me, Ended::Reset),
            (Fate::Arrives(_), Fate::Arrives(_), Ok(())) if forgotten || (swallowed && !muted) => {
                self.end(id, me, Ended::Reset);
            }
            (Fate::Arrives(_), Fate::Arrives(_), Ok(())) => {
                if let Some(conn) = self.conns.get_mut(id) {
                    conn.heard_at[me] = self.now;
                }
                self.push(self.now + keepalive.idle, Due::Keepalive { conn: id, side });
            }
            _ if silent_for >= keepalive.dead_after => self.end(id, me, Ended::TimedOut),
            _ => {
                let next = (keepalive.dead_after.saturating_sub(silent_for))
                    .min(keepalive.every)
                    .max(Span(1));
                self.push(self.now + next, Due::Keepalive { conn: id, side });
            }
        }
    }

    pub(super) fn deliver<O: Observer<W>>(&mut self, obs: &mut O, id: ConnId, to: u8) {
        let to = usize::from(to);
        let Some(conn) = self.conns.get_mut(id) else { return };
        if let Err(halted_by) = self.hosts[conn.hosts[to].index()].answers() {
            // It stood still or died while this was under way: everything on the wire is lost and will be sent again.
            conn.pipes[to].on_wire = conn.pipes[to].on_wire.saturating_sub(1);
            return self.lost_segment(obs, id, to, Lost::HostGone, halted_by);
        }
        let receiver = conn.ends[to];
        let alive = self.processes[receiver.index()].alive;
        let same_life = conn.lives[to] == self.processes[receiver.index()].life;
        let pipe = &mut conn.pipes[to];
        if pipe.on_wire == 0 {
            return;
        }
        let Some(segment) = pipe.segments.pop_front() else {
            return;
        };
        pipe.on_wire -= 1;
        if !(alive && same_life && conn.open[to]) {
            // Nobody there any more: the kernel answers with a reset.
            conn.open[to] = false;
            return self.reset_other(id, to);
        }
        let sender = conn.ends[1 - to];
        conn.heard_at[SERVER] = self.now;
        if to == CLIENT {
            conn.heard_at[CLIENT] = self.now;
        }
        match segment.message {
            Some(message) => self.arrive(
                receiver,
                Arrival {
                    input: Input::Message(id, message),
                    cause: segment.sent,
                    because: None,
                    stamp: segment.stamp,
                    from: Some(sender),
                },
            ),
            None => {
                self.end(id, to, Ended::Closed);
            }
        }
    }

    /// Ends side `side` and tells its process.
    fn end(&mut self, id: ConnId, side: usize, how: Ended) {
        let Some(conn) = self.conns.get_mut(id) else { return };
        if std::mem::replace(&mut conn.open[side], false) {
            let process = conn.ends[side];
            let led = (conn.last_drop.or(conn.opening), conn.stamp);
            self.arrive(process, Arrival::led(Input::Ended(id, how), led));
        }
        self.forget_if_over(id);
    }

    fn forget_if_over(&mut self, id: ConnId) {
        if self
            .conns
            .get(id)
            .is_some_and(|c| !c.open[CLIENT] && !c.open[SERVER] && c.pipes.iter().all(|p| p.segments.is_empty()))
        {
            self.conns.remove(id);
        }
    }

    /// Side `from` is gone and its kernel says so to the other, if the path lets it.
    fn reset_other(&mut self, id: ConnId, from: usize) {
        let Some(conn) = self.conns.get(id) else { return };
        let to = 1 - from;
        let path = conn.path_to(to);
        let refused = !conn.established;
        if conn.open[to]
            && let (Fate::Arrives(latency), Ok(())) = (fate(&mut self.links, path, false), self.host_answers(path.1))
        {
            self.push(
                self.now + latency,
                Due::Reset {
                    conn: id,
                    to: to as u8,
                    refused,
                },
            );
        }
        self.forget_if_over(id);
    }

    pub(super) fn reset_arrives(&mut self, id: ConnId, to: u8, refused: bool) {
        let to = usize::from(to);
        let Some(conn) = self.conns.get_mut(id) else { return };
        let process = conn.ends[to];
        if conn.lives[to] != self.processes[process.index()].life && conn.established {
            conn.open[to] = false;
        }
        conn.pipes[to].segments.clear();
        conn.pipes[to].on_wire = 0;
        self.end(id, to, if refused { Ended::Refused } else { Ended::Reset });
    }

    pub(super) fn close<O: Observer<W>>(&mut self, obs: &mut O, me: ProcId, id: ConnId, cause: Option<EventId>) {
        let stamp = *self.lamport(me);
        let Some(conn) = self.conns.get_mut(id) else { return };
        let Some(side) = conn.side_of(me).filter(|&side| conn.open[side]) else {
            return;
        };
        conn.open[side] = false;
        // A body that has not left leaves with the end of the stream, and a server that sees both carries nothing out.
        let pipe = &mut conn.pipes[1 - side];
        if pipe.segments.get(pipe.on_wire).is_some_and(|segment| segment.in_two) {
            pipe.segments.truncate(pipe.on_wire);
        }
        if conn.established && conn.open[1 - side] {
            self.put(
                obs,
                id,
                1 - side,
                Segment {
                    message: None,
                    sent: cause,
                    stamp,
                    in_two: false,
                    head_first: false,
                },
            );
        } else {
            conn.open = [false, false];
            conn.pipes.iter_mut().for_each(|p| *p = Pipe::default());
            self.conns.remove(id);
        }
    }

    /// A process is gone: its kernel resets what it had open, or nobody does.
    pub(super) fn abandon_connections(&mut self, process: ProcId, silent: bool) {
        let stamp = *self.lamport(process);
        let mine: Vec<(ConnId, usize)> = self
            .conns
            .iter()
            .filter_map(|(id, c)| c.side_of(process).map(|side| (id, side)))
            .collect();
        for (id, side) in mine {
            let Some(conn) = self.conns.get_mut(id) else { continue };
            if !conn.open[side] {
                continue;
            }
            conn.open[side] = false;
            conn.stamp.catch_up(stamp);
            if silent {
                // What its kernel still had to send died with it.
                conn.pipes[1 - side].segments.clear();
                conn.pipes[1 - side].on_wire = 0;
                self.forget_if_over(id);
            } else {
                self.reset_other(id, side);
            }
        }
    }
}
