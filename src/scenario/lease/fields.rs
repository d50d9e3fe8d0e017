//! The one description of every field of a file with `system = "lease"`, outside its faults.

use super::super::decimal::Decimal;
use super::super::fields::{DURATION_S_MAX, Field, FieldKind, MILLISECONDS, OURS, SECONDS, TEXT, field, whole};
use super::super::raw::Format;

const SPEC: &str = "the lease with fencing tokens of the literature, Kleppmann 2016";
const POSTGRES: &str = "PostgreSQL documentation: explicit locking; connections and authentication";
const LINUX: &str = "Linux: tcp(7)";

/// What is left out has no value.
const fn optional(of: Field) -> Field {
    Field { default: None, ..of }
}

pub(in super::super) const FORMAT: Format = Format {
    fields: LEASE_FIELDS,
    lists: &[("worker", WORKER_FIELDS), ("job", JOB_FIELDS)],
};

/// The fields outside the lists, in the order in which they are written.
#[rustfmt::skip]
pub const LEASE_FIELDS: &[Field] = &[
    field("title", "Title", "", TEXT, "\"Untitled\"", OURS, "What the scenario is, in one line."),
    field("duration_s", "Duration", "s",
        FieldKind::Number { min: Decimal::millionths(1_000), max: Decimal::whole(DURATION_S_MAX), places: 6 }, "10", OURS,
        "How long the run lasts, at most one day."),
    field("seed", "Seed", "", whole(0, (1 << 53) - 1), "1", OURS, "Where all chance starts: the same seed gives the same run."),
    field("lease.by", "Granted by", "", FieldKind::Choice(&["service", "session", "row"]), "\"service\"", OURS,
        "Who grants: a lease service; a database, by the advisory lock of a session; a database, by a row with an epoch."),
    field("lease.ttl_s", "Lease", "s", SECONDS, "1", SPEC, "How long a grant or a renewal lasts; the lock of a session has no such end."),
    field("lease.first_token", "First token", "", whole(0, 1_000_000), "33", SPEC,
        "The token of the first grant; each grant's is one higher. The lock of a session has none."),
    optional(field("lease.holder", "Holder at the start", "", TEXT, "", OURS,
        "The worker that holds it when the run starts; nobody when it is left out.")),
    field("lease.counts_from", "Counted from", "", FieldKind::Choice(&["send", "receipt"]), "\"send\"", SPEC,
        "From when a worker counts its lease: the sending of its request, or the receipt of the answer."),
    field("lease.forgets", "Forgets", "", FieldKind::Flag, "false", SPEC,
        "Whether a restart of the lease service loses who holds and how far the tokens were: they begin at 1 again."),
    field("lease.lock_number", "Number of the lock", "", FieldKind::Choice(&["stable", "salted"]), "\"stable\"", POSTGRES,
        "How a lock's name becomes the number that a session locks: alike in every process, or with a hash that each process \
         salts differently."),
    field("resource.fence", "Fence", "", FieldKind::Choice(&["off", "at_least", "greater", "equal"]), "\"off\"", SPEC,
        "How the resource compares a write's token with the highest it has seen: not at all; not lower; higher; the same as the first."),
    field("resource.scope", "Fence for", "", FieldKind::Choice(&["row", "root"]), "\"row\"", SPEC,
        "What a fence stands for: each object has its own, or all have one, which every write checks."),
    field("resource.stamped_first", "Stamped first", "", FieldKind::Flag, "false", SPEC,
        "Whether a new holder raises the fences of all objects to its token before it does anything else."),
    field("mail.keys", "Idempotency keys", "", FieldKind::Flag, "false", OURS,
        "Whether the mail gateway, which cannot compare tokens, sends what comes with the same key only once."),
    field("database.keepalive_idle_s", "tcp_keepalives_idle", "s", whole(1, 86_400), "7200", LINUX,
        "After how long a silence the database's kernel probes a client."),
    field("database.keepalive_interval_s", "tcp_keepalives_interval", "s", whole(1, 3_600), "75", LINUX,
        "How long it waits between two probes that are not answered."),
    field("database.keepalive_count", "tcp_keepalives_count", "", whole(1, 100), "9", LINUX,
        "After how many of them it ends the connection."),
    field("database.user_timeout_s", "tcp_user_timeout", "s", whole(0, 86_400), "0", POSTGRES,
        "After how long without any word of the client, also of what is sent and not acknowledged, it ends the connection; 0: by \
         the probes, or after 15 repetitions of what is not acknowledged."),
    field("database.standby", "Standby", "", FieldKind::Flag, "false", POSTGRES,
        "Whether the row is copied to a second database, the host standby."),
    field("database.synchronous", "Synchronous", "", FieldKind::Flag, "false", POSTGRES,
        "Whether a grant is told only when the standby has it."),
    optional(field("database.promoted_at_s", "Promoted at", "s", SECONDS, "", OURS,
        "When the standby takes over; never when it is left out.")),
    field("database.token", "Token", "", FieldKind::Choice(&["epoch", "timeline_and_epoch"]), "\"epoch\"", OURS,
        "What a grant's token is: the row's epoch, or the database's timeline before it."),
    optional(field("pooler.recycles_at_s", "Pooler recycles at", "s", SECONDS, "", POSTGRES,
        "When a connection pooler between workers and database closes its connections to the database; there is none when it \
         is left out.")),
    field("network.latency_ms", "Latency", "ms", MILLISECONDS, "0", OURS, "How long a packet takes from one host to another."),
];

/// The fields of one `[[worker]]`.
#[rustfmt::skip]
pub const WORKER_FIELDS: &[Field] = &[
    optional(field("name", "Name", "", TEXT, "", OURS, "What it and its host are called.")),
    optional(field("asks_at_s", "Asks at", "s", SECONDS, "", OURS,
        "When it first asks to be the holder; never when it is left out.")),
    field("asks_every_s", "Asks every", "s", SECONDS, "0.1", OURS, "How long it waits before it asks again."),
    optional(field("renews_every_s", "Renews every", "s", SECONDS, "", OURS,
        "How often it renews, or asks whether its session is there; never when it is left out.")),
    optional(field("patience_s", "Patience", "s", SECONDS, "", OURS,
        "How long it waits for the answer to that before it gives the session up; for ever when it is left out.")),
    optional(field("holds_for_s", "Holds for", "s", SECONDS, "", OURS,
        "After how long it gives the leadership back; never when it is left out.")),
    field("through", "Through", "", FieldKind::Choice(&["database", "pooler", "standby"]), "\"database\"", OURS,
        "Whom it asks where a database grants."),
];

/// The fields of one `[[job]]`.
#[rustfmt::skip]
pub const JOB_FIELDS: &[Field] = &[
    optional(field("worker", "Worker", "", TEXT, "", OURS, "Who does it, each time it is granted the leadership.")),
    field("after_s", "After", "s", SECONDS, "0", OURS, "When it writes, counted from the grant."),
    field("check", "Check", "", FieldKind::Choice(&["none", "clock", "row", "row_for_share"]), "\"none\"", POSTGRES,
        "How it looks before that whether it still holds: not at all; at its own clock; by the first statement of its \
         transaction, without keeping the row, or keeping it (FOR SHARE)."),
    field("check_after_s", "Checks after", "s", SECONDS, "0", OURS, "When it looks, counted from the grant."),
    field("at", "At", "", FieldKind::Choice(&["resource", "mail", "database"]), "\"resource\"", OURS,
        "What it writes to: the resource, the mail gateway, or the database that grants."),
    field("object", "Object", "", whole(1, 1_000), "1", OURS, "Which object it writes."),
    field("in_session", "In the session", "", FieldKind::Flag, "false", POSTGRES,
        "Whether it does so in the session that holds the lock, which is to be at the database."),
    optional(field("key", "Key", "", whole(0, 1_000_000), "", OURS, "The idempotency key it sends along.")),
    optional(field("again_after_s", "Again after", "s", SECONDS, "", OURS,
        "After how long it sends the same once more, not sure that it arrived.")),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_key_is_described_twice_and_every_one_is_explained() {
        for fields in [LEASE_FIELDS, WORKER_FIELDS, JOB_FIELDS] {
            let keys: BTreeSet<_> = fields.iter().map(|field| field.key).collect();
            assert_eq!(keys.len(), fields.len());
            for field in fields {
                assert!(field.help.ends_with('.') && !field.source.is_empty(), "{}", field.key);
            }
        }
    }
}
