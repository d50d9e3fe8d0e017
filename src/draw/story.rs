//! All that the page needs of one run, as intervals and instants instead of events. Made where the run was made (a
//! worker) and sent to the page as bytes.
//!
//! Every list is in the order of time. A [`Stretch`] that was still going on when the run ended ends there.

use super::waits::ActorWaits;
use crate::engine::{EventId, SimTime, Span};
use crate::raft::{Index, RoleName, Term};
use crate::verdict::Verdict;
use crate::vocabulary::{Key, LeaseId, NodeId, Phase, Revision, Step, Timeline};
use borsh::{BorshDeserialize, BorshSerialize};

/// One run, told.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Story {
    /// Title, seed, duration, adjusted settings, and what the run amounted to.
    pub verdict: Verdict,
    /// What the scenario shows: the comment at the top of its file.
    pub comment: Option<String>,
    /// In the order of the scenario; a [`NodeId`] is an index into it.
    pub nodes: Vec<NodeLane>,
    pub faults: Vec<FaultBar>,
    pub store: StoreLane,
    /// Whom the router sends writes to.
    pub router: Vec<Stretch<Option<NodeId>>>,
    pub writes: Writes,
    pub detail: Detail,
    /// The event list.
    pub rows: Vec<Row>,
    /// The patterns that occur in it.
    pub seen: Vec<Seen>,
}

/// What only a full trace tells: of the whole run, or of the part of a long one that is looked at.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Detail {
    pub from: SimTime,
    pub until: SimTime,
    pub flights: Vec<Flight>,
    /// What only keeps the store's group together: as many as there are, so kept apart and small.
    pub beats: Vec<Beat>,
    /// What agents and clients wait for.
    pub waiting: Vec<ActorWaits>,
}

impl Detail {
    /// Whether it tells of all from one instant to another.
    pub fn covers(&self, from: SimTime, until: SimTime) -> bool {
        self.from <= from && until <= self.until
    }
}

/// Something that was so from one instant to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Stretch<T> {
    pub from: SimTime,
    pub until: SimTime,
    pub is: T,
}

impl<T> Stretch<T> {
    pub fn covers(&self, t: SimTime) -> bool {
        self.from <= t && t < self.until
    }
}

/// The stretch that covers `t`, of a list whose stretches do not overlap.
pub fn at<T>(stretches: &[Stretch<T>], t: SimTime) -> Option<&Stretch<T>> {
    let after = stretches.partition_point(|s| s.from <= t);
    stretches[..after].last().filter(|s| s.covers(t))
}

/// A key of the store, and its changes as the store's leader applied them.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct KeyLine {
    pub key: Key,
    pub changes: Vec<KeyChange>,
}

/// A key of the store was put or deleted.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct KeyChange {
    pub at: SimTime,
    pub event: EventId,
    pub revision: Revision,
    /// None: it is deleted.
    pub put: Option<KeyPut>,
}

/// What a key holds.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct KeyPut {
    /// In words: `node1`, `primary, running, timeline 1, LSN 0/5000000`.
    pub value: String,
    /// The revision that created it.
    pub create: Revision,
    pub lease: Option<LeaseId>,
}

/// A lease, as the store counts it.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct LeaseLife {
    pub lease: LeaseId,
    /// Whose it is: `node1's`.
    pub owner: String,
    pub ttl: Span,
    /// From when on it counts so, in the order of time, and when it then is full: a new leader of the store gives every lease
    /// more than its length.
    pub counted: Vec<(SimTime, SimTime)>,
}

/// A fault of the scenario, as it is drawn: `pause node1/agent`, from, until.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct FaultBar {
    /// Its place in the scenario; one that comes again has several bars.
    pub index: usize,
    pub from: SimTime,
    /// None: to the end of the run. Equal to `from` for a step of a clock.
    pub until: Option<SimTime>,
    /// Short: what and whom, such as `pause node1/agent`.
    pub label: String,
    /// What it strikes.
    pub lanes: Vec<Lane>,
    /// Its first event, when the run came so far.
    pub event: Option<EventId>,
}

/// Where something happens on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
pub enum Lane {
    Faults,
    /// The store as a whole.
    Store,
    /// One of the store's members, when there are several.
    Member(u8),
    Agent(NodeId),
    Database(NodeId),
    /// Writers and router.
    Traffic,
}

/// How a process or a host does not work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Halt {
    Frozen,
    Dead,
}

#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct StoreLane {
    /// Every key that ever was there.
    pub keys: Vec<KeyLine>,
    /// Each lease, in the order of their numbers.
    pub leases: Vec<LeaseLife>,
    /// The lease behind the leader key, from one renewal to the next.
    pub fuses: Vec<Fuse>,
    /// `etcd1` first.
    pub members: Vec<MemberLane>,
}

impl StoreLane {
    /// Whether the members have lanes of their own.
    pub fn is_group(&self) -> bool {
        self.members.len() > 1
    }
}

/// One member of the store.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct MemberLane {
    pub name: String,
    /// Its place in the group; none while it is dead.
    pub places: Vec<Stretch<MemberPlace>>,
    /// From when on it knew the log to be agreed on up to where; nothing after a start until it hears of it.
    pub commits: Vec<(SimTime, Option<Index>)>,
    pub halts: Vec<Stretch<Halt>>,
    pub disk: Vec<Stretch<DiskTrouble>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct MemberPlace {
    pub role: RoleName,
    pub term: Term,
}

/// What is wrong with a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum DiskTrouble {
    Slow,
    /// Nothing written becomes durable.
    Stalls,
}

/// The lease of the leader key from a grant or renewal on: it burns down from `ttl` to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Fuse {
    pub holder: NodeId,
    pub lease: LeaseId,
    /// When the store granted or renewed the lease: it had all of `ttl` then.
    pub lit: SimTime,
    pub ttl: Span,
    /// From when on the leader key hung on it: `lit`, or later.
    pub from: SimTime,
    pub until: SimTime,
    pub end: FuseEnd,
}

impl Fuse {
    /// When it has burnt down. The store looks only every now and then, so the key may live a little longer.
    pub fn burnt(&self) -> SimTime {
        self.lit + self.ttl
    }
    /// What is left of it.
    pub fn left(&self, t: SimTime) -> Span {
        self.burnt().since(t)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum FuseEnd {
    Renewed,
    /// The store found it expired and deleted the key.
    Expired,
    /// The holder gave it back, or the key was deleted.
    Released,
    /// The key moved to another lease.
    Replaced,
    /// It still burns at the end of the run.
    Open,
}

#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct NodeLane {
    pub name: String,
    /// Its machine's wall clock, piece by piece; the first begins with the run.
    pub clock: Vec<ClockPiece>,
    /// When its machine was suspended with its monotonic clock, which timers run by.
    pub stopped: Vec<Stretch<()>>,
    /// When a cycle of the HA loop began.
    pub cycles: Vec<SimTime>,
    /// Where the HA loop stands.
    pub steps: Vec<Stretch<Step>>,
    /// When the agent takes itself for the leader: one for each renewal, back to back while it renews in time.
    pub beliefs: Vec<Stretch<Belief>>,
    pub database: Vec<Stretch<DatabaseState>>,
    /// Whose changes the database receives.
    pub upstream: Vec<Stretch<NodeId>>,
    pub agent_halts: Vec<Stretch<Halt>>,
    pub database_halts: Vec<Stretch<Halt>>,
    /// The whole machine; its agent and database are then halted too.
    pub host_halts: Vec<Stretch<Halt>>,
    pub watchdog: Vec<Stretch<WatchdogFuse>>,
    /// When the watchdog reset the machine.
    pub resets: Vec<SimTime>,
}

impl NodeLane {
    /// How far the machine's monotonic clock went from one instant to another.
    pub fn ran(&self, from: SimTime, until: SimTime) -> Span {
        let within = |(n, piece): (usize, &ClockPiece)| {
            let end = self.clock.get(n + 1).map_or(until, |next| next.from.min(until));
            let begin = piece.from.max(from);
            let stood = self
                .stopped
                .iter()
                .map(|stop| stop.until.min(end).since(stop.from.max(begin)).0);
            let went = end.since(begin).0.saturating_sub(stood.sum());
            (u128::from(went) * u128::from(piece.rate) / 1_000_000) as u64
        };
        Span(self.clock.iter().enumerate().map(within).sum())
    }
}

/// A wall clock between two changes of it: a straight line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ClockPiece {
    pub from: SimTime,
    /// What it reads then, in µs after the beginning of the run by true time.
    pub wall_us: i64,
    /// What it advances in a million of true time.
    pub rate: u32,
}

impl ClockPiece {
    /// What it reads at instant `t` of its piece.
    pub fn at(&self, t: SimTime) -> i64 {
        self.wall_us + (i128::from(t.since(self.from).0) * i128::from(self.rate) / 1_000_000) as i64
    }
    /// The true instant at which it reads `wall_us`.
    pub fn when(&self, wall_us: i64) -> SimTime {
        let ahead = i128::from(wall_us - self.wall_us) * 1_000_000 / i128::from(self.rate.max(1));
        self.from + Span(u64::try_from(ahead).unwrap_or(0))
    }
}

/// An agent takes itself for the leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Belief {
    /// For how long, by its own clock.
    pub span: Span,
    /// The true instant at which its own clock says that it is over.
    pub expires: SimTime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct DatabaseState {
    pub phase: Phase,
    pub timeline: Timeline,
}

impl DatabaseState {
    /// A local session could commit (if the process runs).
    pub fn writable(self) -> bool {
        self.phase == Phase::Primary
    }
}

/// A watchdog's countdown, from one ping to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct WatchdogFuse {
    pub timeout: Span,
    /// When it resets the machine unless it is pinged or closed before.
    pub fires: SimTime,
}

/// What clients wrote.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Writes {
    /// By node: acknowledged, and in the final leader's history.
    pub kept: Vec<Vec<SimTime>>,
    /// By node: acknowledged, and absent from the final leader's history.
    pub lost: Vec<Vec<SimTime>>,
    /// Writes through the router that were refused.
    pub refused: Vec<SimTime>,
    /// Writes through the router that were sent and neither confirmed nor refused.
    pub unknown: Vec<SimTime>,
}

/// A message on its way between two lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Flight {
    /// The sending (or the loss, for a handshake, which has no sending of its own).
    pub event: EventId,
    pub from: Lane,
    pub to: Lane,
    pub sent: SimTime,
    pub end: SimTime,
    pub arrives: bool,
    pub what: Talk,
    /// The sending of what it answers.
    pub answers: Option<EventId>,
    /// It may decide who leads: a write of the leader key, a question of a candidate, and their answers.
    pub decides: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Talk {
    /// An attempt to connect.
    Handshake,
    StoreRequest,
    StoreReply,
    /// News of the store's keys.
    News,
    /// A candidate asks a peer for its condition.
    Question,
    Answer,
    /// A member of the store asks for a vote, or answers.
    Vote,
    /// The store's leader gives its log to another member.
    Append,
}

/// A message between two members of the store that keeps the group together: a heartbeat, an acknowledgement, a request
/// that is passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Beat {
    pub sent: SimTime,
    /// How long it was on its way, in microseconds; more than an hour is not told apart.
    pub took_us: u32,
    pub from: u8,
    pub to: u8,
    pub arrives: bool,
}

impl Beat {
    pub fn end(&self) -> SimTime {
        self.sent + Span(u64::from(self.took_us))
    }
}

/// One line of the event list.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Row {
    /// Ask "why?" of this event.
    pub event: EventId,
    pub at: SimTime,
    /// Its Lamport stamp.
    pub lamport: u64,
    pub lane: Lane,
    /// A plain sentence without its time.
    pub text: String,
    pub tone: Tone,
}

/// A pattern that occurs in a run, and where.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Seen {
    pub pattern: Pattern,
    /// In the order of time; at least one.
    pub instances: Vec<Instance>,
}

/// Once that a pattern occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Instance {
    pub event: EventId,
    pub at: SimTime,
}

/// What happens again and again where leadership hangs on a lease. By which rule each is found is told in `tell/seen.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Pattern {
    WriteByDeposed,
    ExpiredUnderLiving,
    DatabaseRanOn,
    DemotedLate,
    DemotedInTime,
    RenewalLate,
    RenewalGivenUp,
    DeclinedByAll,
    RaceLost,
    SplitVote,
    WatchdogReset,
}

impl Pattern {
    /// All, in the order of their weight.
    pub const ALL: [Pattern; 11] = [
        Pattern::WriteByDeposed,
        Pattern::ExpiredUnderLiving,
        Pattern::DatabaseRanOn,
        Pattern::DemotedLate,
        Pattern::DemotedInTime,
        Pattern::RenewalLate,
        Pattern::RenewalGivenUp,
        Pattern::DeclinedByAll,
        Pattern::RaceLost,
        Pattern::SplitVote,
        Pattern::WatchdogReset,
    ];

    /// Whether it is danger or damage, and not how danger is kept off.
    pub fn is_bad(self) -> bool {
        use Pattern::*;
        matches!(self, WriteByDeposed | ExpiredUnderLiving | DatabaseRanOn | DemotedLate)
    }
}

/// How a row is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Tone {
    Plain,
    /// Something was broken or mended from outside.
    Fault,
    /// The lease, the key or the leading database changed hands.
    Turn,
    /// Two primaries begin or end.
    Danger,
}

impl Story {
    pub fn title(&self) -> &str {
        &self.verdict.scenario
    }
    pub fn end(&self) -> SimTime {
        SimTime::ZERO + self.verdict.duration
    }
    /// When two databases or more were writable, whichever they were.
    pub fn two_primaries(&self) -> Vec<(SimTime, SimTime)> {
        self.verdict.record.overlaps(self.end())
    }
    pub fn name(&self, node: NodeId) -> &str {
        self.nodes.get(node.index()).map_or("?", |lane| &lane.name)
    }
    /// The last row at or before `t`.
    pub fn row_at(&self, t: SimTime) -> Option<usize> {
        self.rows.partition_point(|row| row.at <= t).checked_sub(1)
    }
}
