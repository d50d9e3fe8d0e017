//! The times that the agent's own rules name, and the kinds of its random draws. What its work takes is in
//! [`crate::costs::agent`].

pub use crate::costs::agent::{
    CHECKPOINT, CRASH_RECOVERY, DECIDE, DEMOTE_PREPARE, PROCESS_END, PROCESS_START, PROMOTE_PREPARE, RACE_PREPARE,
    REST, REWIND, START_PREPARE, WORK,
};
use crate::engine::{Draw, Span};

/// How often a starting server is asked whether it takes sessions. Recorded: the next cycle begins 0.1 to 0.3 s after it.
pub const START_POLL: Span = Span::from_millis(200);
/// After the beginning of a run an agent of a running cluster takes up its loop.
pub const ARRIVAL: Span = Span::from_millis(25);
/// Patroni looks once a second whether its database has stopped, and whether it has finished a promotion.
pub const POLL: Span = Span::from_secs(1);
/// Once no session is left, the end of the server's process is waited for, not asked for: this is how late it is seen.
pub const EXIT_POLL: Span = Span::from_millis(50);
/// Who follows a leader sleeps this much longer, to run just after it.
pub const FOLLOWERS_LATER: Span = Span::from_millis(500);
/// What an overrun cycle sleeps.
pub const OVERRUN_NAP: Span = Span::from_millis(1);
/// After a released key, time for a successor to take it.
pub const YIELD: Span = Span::from_secs(2);
/// Peers have this long to answer in a race.
pub const PEER_PATIENCE: Span = Span::from_secs(2);
/// A starting agent that finds its database running has it read its configuration again, and gives it this long.
pub const RELOAD: Span = Span::from_secs(1);
/// How often one member is asked in failsafe mode, each time with that patience.
pub const FAILSAFE_TRIES: u8 = 2;
/// How long a starting agent waits for another one with its name.
pub const NAME_PATIENCE: Span = Span::from_secs(3);
/// How long a server that is no primary may take to start (`pg_ctl_timeout`).
pub const START_PATIENCE: Span = Span::from_secs(60);
/// After a change of `synchronous_standby_names`, before the standbys are looked at again.
pub const SYNC_SETTLE: Span = Span::from_secs(2);
/// A starting agent asks the store again after this.
pub const START_RETRY: Span = Span::from_secs(5);
/// Patroni's own SQL: connecting, and one statement.
pub const SQL_CONNECT: Span = Span::from_secs(3);
pub const SQL_STATEMENT: Span = Span::from_secs(2);

pub const DRAW_WORK: Draw = Draw(0);
pub const DRAW_REST: Draw = Draw(1);
pub const DRAW_DATABASE: Draw = Draw(2);
pub const DRAW_START: Draw = Draw(3);
pub const DRAW_JITTER: Draw = Draw(4);
pub const DRAW_SERVER: Draw = Draw(5);
