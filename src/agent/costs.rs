//! How long the agent's own work takes: the few durations that are neither settings nor the network's. One place, with
//! where each comes from. "Recorded" means real Patroni 4.1.5 on an idle two-core machine.

use crate::engine::{Draw, Span, Spread};

/// From the wake-up to the first step of a cycle. Recorded, together with the preparation of a race: 10 to 60 ms between
/// the deletion of the key and the first question to a peer.
pub const WORK: Spread = Spread::from_millis(4, 8, 20);
/// From the answer of its own database to the first question to a peer: vetoes and the list of members. The position a
/// candidate compares is that much older than what its peers answer.
pub const RACE_PREPARE: Spread = Spread::from_millis(8, 14, 45);
/// A question to the REST interface, beyond network and SQL. Recorded: 10 to 60 ms.
pub const REST: Spread = Spread::from_millis(11, 22, 65);
/// From the won key to the promote signal: reading the cluster again, starting `pg_ctl`. Recorded: 30 to 120 ms.
pub const PROMOTE_PREPARE: Spread = Spread::from_millis(55, 65, 130);
/// From the decision to demote to the stop signal: two helper binaries, archive settings. Recorded: 0.06 to 0.4 s.
pub const DEMOTE_PREPARE: Spread = Spread::from_millis(70, 130, 300);
/// Writing the configuration and starting the server's process. Recorded: 60 to 150 ms.
pub const START_PREPARE: Spread = Spread::from_millis(50, 80, 160);
/// pg_rewind of a tiny database with its preparations. Recorded: 1 to 3 s.
pub const REWIND: Spread = Spread::from_millis(900, 1_400, 3_000);
/// From the start of the agent's process to its first request. Recorded: 1.5 to 3 s.
pub const PROCESS_START: Spread = Spread::from_millis(1_300, 2_200, 3_500);

/// How often a starting server is asked whether it takes sessions. Recorded: the next cycle begins 0.1 to 0.3 s after it.
pub const START_POLL: Span = Span::from_millis(200);
/// After the beginning of a run an agent of a running cluster takes up its loop.
pub const ARRIVAL: Span = Span::from_millis(25);
/// Patroni looks once a second whether its database has stopped, and whether it has finished a promotion.
pub const POLL: Span = Span::from_secs(1);
/// Who follows a leader sleeps this much longer, to run just after it.
pub const FOLLOWERS_LATER: Span = Span::from_millis(500);
/// What an overrun cycle sleeps.
pub const OVERRUN_NAP: Span = Span::from_millis(1);
/// After a released key, time for a successor to take it.
pub const YIELD: Span = Span::from_secs(2);
/// Peers have this long to answer in a race.
pub const PEER_PATIENCE: Span = Span::from_secs(2);
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
