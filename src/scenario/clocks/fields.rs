//! The one description of every field of a file with `system = "clocks"`.

use super::super::decimal::Decimal;
use super::super::fields::{
    DURATION_S_MAX, Field, FieldKind, MILLISECONDS, OURS, SECONDS, TEXT, field, milliseconds, whole,
};
use super::super::raw::Format;

const HLC: &str = "Kulkarni et al. 2014; CockroachDB, pkg/util/hlc";
const SPANNER: &str = "Corbett et al. 2012";
const LINUX: &str = "Linux: clock_gettime(2), adjtimex(2)";

/// An hour, either way.
const OFFSET_MS_MAX: i64 = 3_600_000;

/// What is left out has no value.
const fn optional(of: Field) -> Field {
    Field { default: None, ..of }
}

pub(in super::super) const FORMAT: Format = Format {
    fields: CLOCKS_FIELDS,
    lists: &[
        ("process", PROCESS_FIELDS),
        ("clock", CLOCK_FIELDS),
        ("link", LINK_FIELDS),
        ("do", DO_FIELDS),
    ],
};

/// The words of `show`.
pub(super) const SHOWN: [&str; 8] = [
    "true", "wall", "lamport", "vector", "hybrid", "interval", "orders", "outcome",
];

/// The fields outside the lists.
#[rustfmt::skip]
pub const CLOCKS_FIELDS: &[Field] = &[
    field("title", "Title", "", TEXT, "\"Untitled\"", OURS, "What the scenario is, in one line."),
    field("duration_s", "Duration", "s",
        FieldKind::Number { min: Decimal::millionths(1_000), max: Decimal::whole(DURATION_S_MAX), places: 6 }, "10", OURS,
        "How long the run lasts, at most one day."),
    field("epsilon_ms", "Bound of error", "ms", MILLISECONDS, "7", SPANNER,
        "By how much, as all are told, a wall clock is wrong at most; nothing makes it true."),
    field("hybrid", "Hybrid clock", "", FieldKind::Choice(&["paper", "forward"]), "\"paper\"", HLC,
        "How a receipt moves a hybrid clock: as the paper has it, or only forward to the message's stamp, as CockroachDB does."),
    field("looks_every_ms", "Looks every", "ms", milliseconds(1, 60_000), "100", OURS,
        "How often a process that waits for an instant of its wall clock looks at it."),
    optional(field("show", "Shows", "", FieldKind::Names { count_min: 1, count_max: 8 }, "", OURS,
        "What each line tells: true, wall, lamport, vector, hybrid, interval; and at the end: orders, outcome. All of it when left out.")),
    field("network.latency_ms", "Latency", "ms", MILLISECONDS, "5", OURS, "What a message takes, one way."),
];

/// The fields of one `[[process]]`.
#[rustfmt::skip]
pub const PROCESS_FIELDS: &[Field] = &[
    optional(field("name", "Name", "", FieldKind::Text { chars_max: 31 }, "", OURS, "What it is called.")),
    field("offset_ms", "Offset", "ms", milliseconds(-OFFSET_MS_MAX, OFFSET_MS_MAX), "0", LINUX,
        "What its wall clock shows more than true time at the start."),
    field("rate_ppm", "Rate", "ppm", whole(-500_000, 500_000), "0", LINUX, "By how much its clocks run fast."),
];

/// The fields of one `[[clock]]`.
#[rustfmt::skip]
pub const CLOCK_FIELDS: &[Field] = &[
    optional(field("process", "Process", "", TEXT, "", OURS, "Whose clock it is.")),
    optional(field("at_s", "At", "s", SECONDS, "", OURS, "When it happens, in true time.")),
    optional(field("step_ms", "Step", "ms", milliseconds(-OFFSET_MS_MAX, OFFSET_MS_MAX), "", LINUX, "By how much the wall clock jumps.")),
    optional(field("slew_ms", "Slew", "ms", milliseconds(-OFFSET_MS_MAX, OFFSET_MS_MAX), "", LINUX,
        "By how much the wall clock is moved without a jump: both clocks run faster or slower for a while.")),
    field("slew_ppm", "Rate of the slew", "ppm", whole(1, 500_000), "500", LINUX, "By how much they run faster or slower meanwhile."),
];

/// The fields of one `[[link]]`.
#[rustfmt::skip]
pub const LINK_FIELDS: &[Field] = &[
    optional(field("from", "From", "", TEXT, "", OURS, "Who sends.")),
    optional(field("to", "To", "", TEXT, "", OURS, "Who receives.")),
    optional(field("latency_ms", "Latency", "ms", MILLISECONDS, "", OURS, "What a message takes in this direction.")),
];

/// The fields of one `[[do]]`.
#[rustfmt::skip]
pub const DO_FIELDS: &[Field] = &[
    optional(field("process", "Process", "", TEXT, "", OURS, "Who does it.")),
    optional(field("at_s", "At", "s", SECONDS, "", OURS, "When, in true time.")),
    optional(field("on", "On", "", TEXT, "", OURS, "Or: on the receipt of which message.")),
    field("after_ms", "After", "ms", MILLISECONDS, "0", OURS, "How long after that receipt, by its own monotonic clock."),
    optional(field("send", "Sends", "", TEXT, "", OURS, "It sends this message.")),
    optional(field("to", "To", "", TEXT, "", OURS, "To whom.")),
    optional(field("note", "Notes", "", TEXT, "", OURS, "It does this by itself, such as \"counts\".")),
    optional(field("commit", "Commits", "", TEXT, "", SPANNER, "It commits this transaction.")),
    field("waits", "Waits", "", FieldKind::Flag, "true", SPANNER, "Whether the commit is shown only when its stamp has surely passed."),
    optional(field("grant", "Grants", "", TEXT, "", OURS, "It grants this lease.")),
    field("lasts_s", "Lasts", "s", SECONDS, "30", OURS, "For how long."),
    field("by", "By", "", FieldKind::Choice(&["wall", "monotonic"]), "\"monotonic\"", OURS, "By which clock it counts the lease."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_key_is_described_twice_and_every_one_is_explained() {
        for fields in [CLOCKS_FIELDS, PROCESS_FIELDS, CLOCK_FIELDS, LINK_FIELDS, DO_FIELDS] {
            let keys: BTreeSet<_> = fields.iter().map(|field| field.key).collect();
            assert_eq!(keys.len(), fields.len());
            for field in fields {
                assert!(field.help.ends_with('.') && !field.source.is_empty(), "{}", field.key);
            }
        }
    }
}
