//! Messages and notes as JSON. Nodes are named, keys of the store are written as paths, positions as PostgreSQL prints
//! them.

use super::lease_words;
use super::trace_lines::ms;
use crate::engine::WallTime;
use crate::raft::{self, Body};
use crate::vocabulary::{
    Branch, Changes, Compare, Decline, Item, Key, Keys, LockNote, Logged, Message, NodeId, NodeSet, Note, Position,
    Reading, RestStatus, SettingValue, SqlAnswer, SqlQuery, StoreAnswer, StoreError, StoreOp, Value as Stored,
    WatchEvent, WriteOutcome,
};
use crate::world::Named;
use serde_json::{Value, json};

pub(super) fn message(message: &Message, layout: &dyn Named) -> Value {
    let words = Words(layout);
    match message {
        Message::Store { request, op } => json!({ "kind": "store", "request": request, "op": words.op(op) }),
        Message::StoreReply {
            request,
            revision,
            term,
            answer,
        } => json!({
            "kind": "store_reply", "request": request, "revision": revision.0, "term": term,
            "answer": words.reply(answer),
        }),
        Message::WatchEvents { revision, term, events } => {
            let events: Vec<Value> = events.iter().map(|event| words.watch_event(event)).collect();
            json!({ "kind": "watch_events", "revision": revision.0, "term": term, "events": events })
        }
        Message::Raft(message) => words.raft(message),
        Message::Forward { ticket, op } => {
            json!({ "kind": "forward", "member": ticket.member, "number": ticket.number, "op": words.op(op) })
        }
        Message::Forwarded { number, answer } => {
            json!({ "kind": "forwarded", "number": number, "answer": words.store_answer(answer) })
        }
        Message::PeerAlive => json!({ "kind": "peer_alive" }),
        Message::Sql { request, query } => match query {
            SqlQuery::Connect => json!({ "kind": "sql", "request": request, "query": "connect" }),
            SqlQuery::Monitor => json!({ "kind": "sql", "request": request, "query": "monitor" }),
            SqlQuery::Insert { number, waits } => {
                json!({ "kind": "sql", "request": request, "query": "insert", "insert": number, "waits": waits })
            }
        },
        Message::SqlReply { request, answer } => {
            json!({ "kind": "sql_reply", "request": request, "answer": words.sql_answer(answer) })
        }
        Message::Replicate { node, from } => {
            json!({ "kind": "replicate", "node": words.node(*node), "from": position(from) })
        }
        Message::Wal { position: end, confirm } => {
            json!({ "kind": "wal", "position": position(end), "confirm": confirm })
        }
        Message::WalFlushed { lsn } => json!({ "kind": "wal_flushed", "lsn": lsn.to_string() }),
        Message::Diverged { from } => json!({ "kind": "diverged", "from": position(from) }),
        Message::AskStatus { request } => json!({ "kind": "ask_status", "request": request }),
        Message::Status { request, status } => {
            json!({ "kind": "status", "request": request, "status": rest_status(status) })
        }
        Message::AskFailsafe { leader } => json!({ "kind": "ask_failsafe", "leader": words.node(*leader) }),
        Message::Failsafe { accepted, lsn } => {
            json!({ "kind": "failsafe", "accepted": accepted, "lsn": lsn.map(|lsn| lsn.to_string()) })
        }
        Message::AskPrimary { request } => json!({ "kind": "ask_primary", "request": request }),
        Message::Primary { request, yes } => json!({ "kind": "primary", "request": request, "yes": yes }),
        Message::WatchdogPing { timeout } => json!({ "kind": "watchdog_ping", "timeout_ms": ms(*timeout) }),
        Message::WatchdogClose => json!({ "kind": "watchdog_close" }),
        Message::Lease(message) => lease_words::message(message, layout),
    }
}

pub(super) fn note(note: &Note, layout: &dyn Named) -> Value {
    let words = Words(layout);
    let maybe = |node: &Option<NodeId>| node.map(|node| words.node(node));
    match note {
        Note::StoreRole { role, term } => json!({ "kind": "store_role", "role": role, "term": term }),
        Note::StoreCommit { index } => json!({ "kind": "store_commit", "index": index.0 }),
        Note::StoreHangs { already } => json!({ "kind": "store_hangs", "already_ms": ms(*already) }),
        Note::StoreGoesOn => json!({ "kind": "store_goes_on" }),
        Note::LeaseGranted { lease, ttl } => json!({ "kind": "lease_granted", "lease": lease, "ttl_ms": ms(*ttl) }),
        Note::LeaseRenewed { lease } => json!({ "kind": "lease_renewed", "lease": lease }),
        Note::LeaseExpired { lease } => json!({ "kind": "lease_expired", "lease": lease }),
        Note::LeaseRevoked { lease } => json!({ "kind": "lease_revoked", "lease": lease }),
        Note::KeyPut {
            key,
            value,
            holder,
            lease,
            revision,
            created,
        } => json!({
            "kind": "key_put", "key": words.key(*key), "holder": maybe(holder), "lease": lease, "revision": revision,
            "created": created, "value": words.stored(value),
        }),
        Note::KeyDeleted { key, revision } => {
            json!({ "kind": "key_deleted", "key": words.key(*key), "revision": revision })
        }
        Note::CreateRefused { key } => json!({ "kind": "create_refused", "key": words.key(*key) }),
        Note::Step(step) => json!({ "kind": "step", "step": step }),
        Note::CycleBegins => json!({ "kind": "cycle_begins" }),
        Note::Believes { span } => json!({ "kind": "believes", "for_ms": ms(*span) }),
        Note::StopsBelieving => json!({ "kind": "stops_believing" }),
        Note::StoreUnreachable => json!({ "kind": "store_unreachable" }),
        Note::SeesNoLeader => json!({ "kind": "sees_no_leader" }),
        Note::Declines(decline) => words.decline(decline),
        Note::Acquires => json!({ "kind": "acquires" }),
        Note::LosesRace => json!({ "kind": "loses_race" }),
        Note::OrdersPromotion => json!({ "kind": "orders_promotion" }),
        Note::Demotes(why) => json!({ "kind": "demotes", "why": why }),
        Note::Follows(upstream) => json!({ "kind": "follows", "node": maybe(upstream) }),
        Note::Rewinds { from, to } => json!({ "kind": "rewinds", "from": from.to_string(), "to": to.to_string() }),
        Note::Clones => json!({ "kind": "clones" }),
        Note::DatabaseFoundDead => json!({ "kind": "database_found_dead" }),
        Note::RecoversCrash => json!({ "kind": "recovers_crash" }),
        Note::FailsafeHolds => json!({ "kind": "failsafe_holds" }),
        Note::FailsafeFails => json!({ "kind": "failsafe_fails" }),
        Note::FailsafeAccepted { leader } => json!({ "kind": "failsafe_accepted", "leader": words.node(*leader) }),
        Note::AskedToHandOver { to } => json!({ "kind": "asked_to_hand_over", "to": maybe(to) }),
        Note::NobodyCanTakeOver => json!({ "kind": "nobody_can_take_over" }),
        Note::ScheduleRefused => json!({ "kind": "schedule_refused" }),
        Note::AwaitsSchedule => json!({ "kind": "awaits_schedule" }),
        Note::ScheduleDropped => json!({ "kind": "schedule_dropped" }),
        Note::Maintenance { on } => json!({ "kind": "maintenance", "on": on }),
        Note::AdoptsSettings(changes) => json!({ "kind": "adopts_settings", "settings": settings(changes) }),
        Note::AdoptsTimings {
            ttl,
            loop_wait,
            retry_timeout,
        } => json!({
            "kind": "adopts_timings", "ttl_ms": ms(*ttl), "loop_wait_ms": ms(*loop_wait),
            "retry_timeout_ms": ms(*retry_timeout),
        }),
        Note::SettingsRefused => json!({ "kind": "settings_refused" }),
        Note::RestartsDatabase => json!({ "kind": "restarts_database" }),
        Note::ShutsDown => json!({ "kind": "shuts_down" }),
        Note::NameTaken => json!({ "kind": "name_taken" }),
        Note::WaitsFor { count, standbys } => {
            json!({ "kind": "waits_for", "count": count, "standbys": words.nodes(*standbys) })
        }
        Note::Database(database) => {
            json!({ "kind": "database", "phase": database.phase, "position": position(&database.position) })
        }
        Note::Promoted { branch, timeline, at } => json!({
            "kind": "promoted", "branch": words.branch(*branch), "timeline": timeline, "at": at.to_string(),
        }),
        Note::Streams { upstream } => json!({ "kind": "streams", "upstream": words.0.process_name(*upstream) }),
        Note::StopsStreaming => json!({ "kind": "stops_streaming" }),
        Note::CannotFollow => json!({ "kind": "cannot_follow" }),
        Note::WatchdogOpened { timeout } => json!({ "kind": "watchdog_opened", "timeout_ms": ms(*timeout) }),
        Note::WatchdogPinged { timeout } => json!({ "kind": "watchdog_pinged", "timeout_ms": ms(*timeout) }),
        Note::WatchdogClosed => json!({ "kind": "watchdog_closed" }),
        Note::WatchdogFires => json!({ "kind": "watchdog_fires" }),
        Note::Lock(note) => lock(note),
        Note::Lease(note) => lease_words::note(note, layout),
        Note::Routes { to } => json!({ "kind": "routes", "to": maybe(to) }),
        Note::Write { direct, outcome } => words.write(*direct, outcome),
    }
}

fn lock(note: &LockNote) -> Value {
    match note {
        LockNote::Waits { on } => json!({ "kind": "lock_waits", "on": on }),
        LockNote::Hears { gone } => json!({ "kind": "lock_hears", "gone": gone }),
        LockNote::Enters { token } => json!({ "kind": "lock_enters", "token": token }),
        LockNote::Refused => json!({ "kind": "lock_refused" }),
        LockNote::IsOwner { yes } => json!({ "kind": "lock_is_owner", "yes": yes }),
        LockNote::SessionEnds(why) => json!({ "kind": "lock_session_ends", "why": why }),
        LockNote::Releases => json!({ "kind": "lock_releases" }),
    }
}

/// The words that need names.
struct Words<'a>(&'a dyn Named);

impl Words<'_> {
    fn node(&self, node: NodeId) -> &str {
        self.0.node_name(node)
    }
    fn nodes(&self, nodes: NodeSet) -> Vec<&str> {
        nodes.iter().map(|node| self.node(node)).collect()
    }
    fn key(&self, key: Key) -> String {
        match key {
            Key::Member(node) => format!("/members/{}", self.node(node)),
            other => other.to_string(),
        }
    }
    fn branch(&self, branch: Branch) -> Value {
        json!({ "node": self.node(branch.node), "promotion": branch.promotion })
    }

    fn op(&self, op: &StoreOp) -> Value {
        match op {
            StoreOp::Range { keys, reading } => {
                let keys = match keys {
                    Keys::All => "/".to_owned(),
                    Keys::One(key) => self.key(*key),
                    Keys::Locks => "/lock/".to_owned(),
                };
                json!({ "kind": "range", "keys": keys, "serializable": *reading == Reading::Serializable })
            }
            StoreOp::Put { key, value, lease } => {
                json!({ "kind": "put", "key": self.key(*key), "value": self.stored(value), "lease": lease })
            }
            StoreOp::Delete { key } => json!({ "kind": "delete", "key": self.key(*key) }),
            StoreOp::Txn(txn) => json!({
                "kind": "txn",
                "when": txn.when.iter().map(|compare| self.compare(compare)).collect::<Vec<Value>>(),
                "then": txn.then.iter().map(|op| self.op(op)).collect::<Vec<Value>>(),
                "else": txn.or_else.iter().map(|op| self.op(op)).collect::<Vec<Value>>(),
            }),
            StoreOp::LeaseGrant { ttl } => json!({ "kind": "lease_grant", "ttl_ms": ms(*ttl) }),
            StoreOp::LeaseKeepAlive { lease } => json!({ "kind": "lease_keep_alive", "lease": lease }),
            StoreOp::LeaseRevoke { lease } => json!({ "kind": "lease_revoke", "lease": lease }),
            StoreOp::Watch { after } => json!({ "kind": "watch", "after": after }),
            StoreOp::Members => json!({ "kind": "members" }),
        }
    }

    fn raft(&self, message: &raft::Message<Logged>) -> Value {
        let body = match &message.body {
            Body::PreVote { last, last_term } => json!({ "kind": "pre_vote", "last": last, "last_term": last_term }),
            Body::PreVoted { granted } => json!({ "kind": "pre_voted", "granted": granted }),
            Body::Vote { last, last_term } => json!({ "kind": "vote", "last": last, "last_term": last_term }),
            Body::Voted { granted } => json!({ "kind": "voted", "granted": granted }),
            Body::Append {
                previous,
                previous_term,
                entries,
                commit,
            } => {
                let entries: Vec<Value> = entries
                    .iter()
                    .map(|e| json!({ "term": e.term, "op": e.command.as_ref().map(|logged| self.op(&logged.op)) }))
                    .collect();
                json!({
                    "kind": "append", "previous": previous, "previous_term": previous_term, "entries": entries,
                    "commit": commit,
                })
            }
            Body::Appended { matched } => json!({ "kind": "appended", "matched": matched }),
            Body::Refused {
                previous,
                hint,
                hint_term,
            } => {
                json!({ "kind": "refused", "previous": previous, "hint": hint, "hint_term": hint_term })
            }
            Body::Heartbeat { commit, round } => {
                json!({ "kind": "heartbeat", "commit": commit, "reads": round.reads })
            }
            Body::HeartbeatAck { round } => json!({ "kind": "heartbeat_ack", "reads": round.reads }),
            Body::ReadRequest { token } => json!({ "kind": "read_request", "read": token.number }),
            Body::ReadAnswer { token, index } => {
                json!({ "kind": "read_answer", "read": token.number, "index": index })
            }
        };
        json!({ "kind": "raft", "term": message.term, "body": body })
    }
    fn compare(&self, compare: &Compare) -> Value {
        match compare {
            Compare::Absent(key) => json!({ "kind": "absent", "key": self.key(*key) }),
            Compare::CreatedAt(key, revision) => {
                json!({ "kind": "created_at", "key": self.key(*key), "revision": revision })
            }
            Compare::ValueIs(key, value) => {
                json!({ "kind": "value_is", "key": self.key(*key), "value": self.stored(value) })
            }
            Compare::ModifiedAt(key, revision) => {
                json!({ "kind": "modified_at", "key": self.key(*key), "revision": revision })
            }
        }
    }

    fn stored(&self, value: &Stored) -> Value {
        match value {
            Stored::Empty => json!({}),
            Stored::Leader(node) => json!({ "leader": self.node(*node) }),
            Stored::Status(lsn) => json!({ "lsn": lsn.to_string() }),
            Stored::History(timeline, lsn) => json!({ "timeline": timeline, "lsn": lsn.to_string() }),
            Stored::Sync(sync) => json!({
                "leader": sync.leader.map(|node| self.node(node)), "standbys": self.nodes(sync.standbys),
                "quorum": sync.quorum,
            }),
            Stored::Failsafe(members) => json!({ "members": self.nodes(*members) }),
            Stored::Failover(request) => json!({
                "leader": request.leader.map(|node| self.node(node)),
                "candidate": request.candidate.map(|node| self.node(node)),
                "scheduled_ms": request.scheduled.map(|at| ms(at.since(WallTime(0)))),
            }),
            Stored::Config(all) => settings(&Changes::from(**all)),
            Stored::Member {
                role,
                state,
                lsn,
                timeline,
                nofailover,
                nosync,
                sync_priority,
            } => json!({
                "role": role, "state": state, "lsn": lsn.to_string(), "timeline": timeline, "nofailover": nofailover,
                "nosync": nosync, "sync_priority": sync_priority,
            }),
        }
    }

    fn item(&self, item: &Item) -> Value {
        json!({
            "key": self.key(item.key), "value": self.stored(&item.value), "create": item.create,
            "modified": item.modified, "version": item.version, "lease": item.lease,
        })
    }

    fn reply(&self, reply: &Result<StoreAnswer, StoreError>) -> Value {
        match reply {
            Ok(answer) => self.store_answer(answer),
            Err(StoreError::Unknown) => json!({ "kind": "error", "error": "unknown" }),
            Err(StoreError::LeaseNotFound) => json!({ "kind": "error", "error": "lease_not_found" }),
            Err(StoreError::LeaseTtlTooLarge) => json!({ "kind": "error", "error": "lease_ttl_too_large" }),
        }
    }

    fn store_answer(&self, answer: &StoreAnswer) -> Value {
        match answer {
            StoreAnswer::Items(items) => {
                let items: Vec<Value> = items.iter().map(|item| self.item(item)).collect();
                json!({ "kind": "items", "items": items })
            }
            StoreAnswer::Done => json!({ "kind": "done" }),
            StoreAnswer::Txn { succeeded, inner } => {
                let inner: Vec<Value> = inner.iter().map(|answer| self.store_answer(answer)).collect();
                json!({ "kind": "txn", "succeeded": succeeded, "inner": inner })
            }
            StoreAnswer::Lease { lease, ttl } => json!({ "kind": "lease", "lease": lease, "ttl_ms": ms(*ttl) }),
            StoreAnswer::LeaseGone => json!({ "kind": "lease_gone" }),
            StoreAnswer::Watching => json!({ "kind": "watching" }),
            StoreAnswer::Members => json!({ "kind": "members" }),
        }
    }

    fn watch_event(&self, event: &WatchEvent) -> Value {
        match event {
            WatchEvent::Put(item) => json!({ "kind": "put", "item": self.item(item) }),
            WatchEvent::Delete { key, at } => json!({ "kind": "delete", "key": self.key(*key), "at": at }),
        }
    }

    fn sql_answer(&self, answer: &SqlAnswer) -> Value {
        match answer {
            SqlAnswer::Ready => json!({ "kind": "ready" }),
            SqlAnswer::Monitor {
                role,
                position: at,
                streaming,
                diverged,
                standbys,
            } => {
                let standbys: Vec<Value> = standbys
                    .iter()
                    .map(|(node, lsn)| json!({ "node": self.node(*node), "flushed": lsn.to_string() }))
                    .collect();
                json!({
                    "kind": "monitor", "role": role, "position": position(at), "streaming": streaming,
                    "diverged": diverged.as_ref().map(position), "standbys": standbys,
                })
            }
            SqlAnswer::Committed {
                insert,
                node,
                position: at,
                token,
            } => json!({
                "kind": "committed", "insert": insert, "node": self.node(*node), "position": position(at),
                "token": lease_words::token(*token),
            }),
            SqlAnswer::Failed { insert, error } => json!({ "kind": "failed", "insert": insert, "error": error }),
        }
    }

    fn decline(&self, decline: &Decline) -> Value {
        match decline {
            Decline::DatabaseStarting => json!({ "kind": "declines", "why": "database_starting" }),
            Decline::DatabaseDown => json!({ "kind": "declines", "why": "database_down" }),
            Decline::WatchdogUnusable => json!({ "kind": "declines", "why": "watchdog_unusable" }),
            Decline::Lagging { behind } => json!({ "kind": "declines", "why": "lagging", "behind_bytes": behind }),
            Decline::PeerIsPrimary { peer } => {
                json!({ "kind": "declines", "why": "peer_is_primary", "peer": self.node(*peer) })
            }
            Decline::PeerAhead { peer, mine, theirs } => json!({
                "kind": "declines", "why": "peer_ahead", "peer": self.node(*peer), "mine": mine.to_string(),
                "theirs": theirs.to_string(),
            }),
            Decline::OldTimeline => json!({ "kind": "declines", "why": "old_timeline" }),
            Decline::NoFailover => json!({ "kind": "declines", "why": "nofailover" }),
            Decline::Maintenance => json!({ "kind": "declines", "why": "maintenance" }),
            Decline::NotInFailsafe => json!({ "kind": "declines", "why": "not_in_failsafe" }),
            Decline::NotSynchronous => json!({ "kind": "declines", "why": "not_synchronous" }),
            Decline::NotTheCandidate => json!({ "kind": "declines", "why": "not_the_candidate" }),
            Decline::PeerPreferred { peer } => {
                json!({ "kind": "declines", "why": "peer_preferred", "peer": self.node(*peer) })
            }
            Decline::TooFewVotes { votes, needed } => {
                json!({ "kind": "declines", "why": "too_few_votes", "votes": votes, "needed": needed })
            }
            Decline::BacksOff => json!({ "kind": "declines", "why": "backs_off" }),
        }
    }

    fn write(&self, direct: bool, outcome: &WriteOutcome) -> Value {
        match outcome {
            WriteOutcome::Acknowledged { by, branch, lsn, token } => json!({
                "kind": "write", "direct": direct, "outcome": "acknowledged", "by": self.node(*by),
                "branch": self.branch(*branch), "lsn": lsn.to_string(), "token": lease_words::token(*token),
            }),
            WriteOutcome::Refused(error) => {
                json!({ "kind": "write", "direct": direct, "outcome": "refused", "error": error })
            }
            WriteOutcome::Unknown => json!({ "kind": "write", "direct": direct, "outcome": "unknown" }),
        }
    }
}

/// By Patroni's names; times in milliseconds, with that in the name.
fn settings(changes: &Changes) -> Value {
    let of = |(name, value): (&str, SettingValue)| match value {
        SettingValue::Time(span) => (format!("{name}_ms"), json!(ms(span))),
        SettingValue::Flag(flag) => (name.to_owned(), json!(flag)),
        SettingValue::Bytes(bytes) => (name.to_owned(), json!(bytes)),
        SettingValue::Count(count) => (name.to_owned(), json!(count)),
        SettingValue::Mode(mode) => (name.to_owned(), json!(mode)),
    };
    Value::Object(changes.list().into_iter().map(of).collect())
}

fn position(position: &Position) -> Value {
    json!({ "timeline": position.history.timeline(), "lsn": position.lsn.to_string() })
}

fn rest_status(status: &RestStatus) -> Value {
    json!({
        "state": status.state, "role": status.role, "lsn": status.lsn.map(|lsn| lsn.to_string()),
        "timeline": status.timeline, "watchdog_failed": status.watchdog_failed, "nofailover": status.nofailover,
        "failover_priority": status.priority,
    })
}
