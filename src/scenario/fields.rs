//! The one description of every field of a scenario, outside its faults: validation, defaults, `--set`, the page's form
//! and its reference, and `leaselab fields` all read it here. The fields of the faults are described in `faults.rs` by the same type.

use super::decimal::Decimal;

/// One field of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// With its section: `patroni.ttl`.
    pub key: &'static str,
    /// What the page calls it.
    pub label: &'static str,
    /// `s`, `ms`, `%`, `ppm`, `bytes`, or nothing.
    pub unit: &'static str,
    pub kind: FieldKind,
    /// As it would be written in the file; none where it depends on other fields or must be given.
    pub default: Option<&'static str>,
    /// Values the format has a place for, not built yet.
    pub later: &'static [&'static str],
    /// One plain sentence.
    pub help: &'static str,
    /// Where the meaning and the default come from.
    pub source: &'static str,
    pub form: Form,
}

/// How a field stands in the page's form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Form {
    /// Its place among the settings that are always in sight, from 1; none: it is folded away with the others.
    pub place: Option<u8>,
    /// A slider over everything that is allowed (an hour) could not be aimed, so it covers what people try.
    pub slider: Option<Slider>,
}

/// What a slider covers, in whole units of its field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slider {
    pub from: u32,
    pub to: u32,
    /// How far one press of a key moves it.
    pub step: u32,
}

impl Form {
    /// A field for typing, folded away.
    pub const FOLDED: Form = Form {
        place: None,
        slider: None,
    };
}

/// The groups of the form and of the reference: the section of the file, and its heading.
pub const GROUPS: [(&str, &str); 10] = [
    ("", "Run"),
    ("cluster", "Cluster"),
    ("store", "Store"),
    ("patroni", "Patroni"),
    ("watchdog", "Watchdog"),
    ("network", "Network"),
    ("traffic", "Traffic"),
    ("fence", "Fence"),
    ("disk", "Disk"),
    ("machine", "Machine"),
];

/// What values a field takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldKind {
    /// One line of text.
    Text { chars_max: usize },
    /// From `min` to `max`, both allowed, with at most `places` decimals.
    Number { min: Decimal, max: Decimal, places: u8 },
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of different names.
    Names { count_min: usize, count_max: usize },
    /// A list of whole numbers, each from `min` to `max`, both allowed; it may be empty.
    Numbers { min: i64, max: i64, count_max: usize },
}

impl Field {
    /// The description of the field with this key.
    ///
    /// ```
    /// let ttl = leaselab::scenario::fields::Field::of("patroni.ttl").unwrap();
    /// assert_eq!((ttl.unit, ttl.default, ttl.range()), ("s", Some("30"), Some((1.0, 3600.0))));
    /// ```
    pub fn of(key: &str) -> Option<&'static Field> {
        FIELDS.iter().find(|field| field.key == key)
    }

    /// The section of the file that it stands in; nothing for those at the top.
    pub fn section(&self) -> &'static str {
        self.key.split_once('.').map_or("", |(section, _)| section)
    }

    /// What it takes, in words: `1 to 3600 s`.
    ///
    /// ```
    /// use leaselab::scenario::Field;
    /// let takes = |key| Field::of(key).unwrap().takes();
    /// assert_eq!(takes("patroni.ttl"), "1 to 3600 s");
    /// assert_eq!(takes("watchdog.mode"), "off, automatic or required");
    /// ```
    pub fn takes(&self) -> String {
        let unit = if self.unit.is_empty() { "" } else { " " };
        match self.kind {
            FieldKind::Number { min, max, .. } => format!("{min} to {max}{unit}{}", self.unit),
            FieldKind::Numbers { min, max, .. } => format!("a list of numbers from {min} to {max}"),
            FieldKind::Names {
                count_min, count_max, ..
            } => format!("a list of {count_min} to {count_max} names"),
            FieldKind::Choice([one]) => (*one).to_owned(),
            FieldKind::Choice(words) => match words.split_last() {
                Some((last, others)) => format!("{} or {last}", others.join(", ")),
                None => String::new(),
            },
            FieldKind::Flag => "true or false".to_owned(),
            FieldKind::Text { chars_max } => format!("text of at most {chars_max} characters"),
        }
    }

    /// Always in sight in the page's form, at this place.
    const fn at(self, place: u8) -> Field {
        let form = Form {
            place: Some(place),
            ..self.form
        };
        Field { form, ..self }
    }

    /// With a slider.
    const fn slid(self, from: u32, to: u32, step: u32) -> Field {
        let slider = Some(Slider { from, to, step });
        let form = Form { slider, ..self.form };
        Field { form, ..self }
    }

    /// The least and the greatest value of a number, in the field's unit, for sliders.
    pub fn range(&self) -> Option<(f64, f64)> {
        match self.kind {
            FieldKind::Number { min, max, .. } => Some((min.as_f64(), max.as_f64())),
            _ => None,
        }
    }
}

/// The longest run: one day.
pub const DURATION_S_MAX: i64 = 86_400;
/// The most nodes of a cluster.
pub const NODES_MAX: usize = 7;
/// The most times that all faults of a scenario together come.
pub const STRIKES_MAX: u64 = 10_000;
/// The most faults of a scenario.
pub const FAULTS_MAX: usize = 1_000;
/// The longest file that is read: 1 MB.
pub const FILE_BYTES_MAX: usize = 1_000_000;

const PATRONI: &str = "Patroni documentation: dynamic configuration settings";
const PATRONI_TAGS: &str = "Patroni documentation: YAML configuration settings, tags";
const PATRONI_SYNC: &str = "Patroni documentation: replication modes";
const PATRONI_MASTER: &str = "Patroni, development version";
const PATRONI_WATCHDOG: &str = "Patroni documentation: watchdog support";
const ETCD: &str = "etcd documentation: tuning, time parameters";
pub(super) const OURS: &str = "LeaseLab's own";

pub(super) const TEXT: FieldKind = FieldKind::Text { chars_max: 200 };
pub(super) const SECONDS: FieldKind = seconds(0, DURATION_S_MAX);
pub(super) const MILLISECONDS: FieldKind = milliseconds(0, 60_000);
/// A machine a tenth as quick as another, or a hundred times as slow.
const PACE: FieldKind = milliseconds(100, 100_000);
pub(super) const PERCENT: FieldKind = FieldKind::Number {
    min: Decimal::whole(0),
    max: Decimal::whole(100),
    places: 4,
};

/// The highest of Patroni's priorities that are taken here; Patroni itself has no limit.
const PRIORITY_MAX: i64 = 1_000;
/// A list of nodes, perhaps of none.
const SOME_NODES: FieldKind = FieldKind::Names {
    count_min: 0,
    count_max: NODES_MAX,
};

pub(super) const fn whole(min: i64, max: i64) -> FieldKind {
    FieldKind::Number {
        min: Decimal::whole(min),
        max: Decimal::whole(max),
        places: 0,
    }
}
/// Seconds are written to the microsecond.
pub(super) const fn seconds(min: i64, max: i64) -> FieldKind {
    FieldKind::Number {
        min: Decimal::whole(min),
        max: Decimal::whole(max),
        places: 6,
    }
}
/// Milliseconds are written to the microsecond.
pub(super) const fn milliseconds(min: i64, max: i64) -> FieldKind {
    FieldKind::Number {
        min: Decimal::whole(min),
        max: Decimal::whole(max),
        places: 3,
    }
}

pub(super) const fn field(
    key: &'static str,
    label: &'static str,
    unit: &'static str,
    kind: FieldKind,
    default: &'static str,
    source: &'static str,
    help: &'static str,
) -> Field {
    Field {
        key,
        label,
        unit,
        kind,
        default: Some(default),
        later: &[],
        help,
        source,
        form: Form::FOLDED,
    }
}

/// All fields, in the order in which they are written; those of one section follow each other.
#[rustfmt::skip]
pub const FIELDS: &[Field] = &[
    field("title", "Title", "", TEXT, "\"Untitled\"", OURS,
        "What the scenario is, in one line."),
    field("duration_s", "Duration", "s",
        FieldKind::Number { min: Decimal::millionths(1_000), max: Decimal::whole(DURATION_S_MAX), places: 6 }, "120", OURS,
        "How long the run lasts, at most one day."),
    field("seed", "Seed", "", whole(0, (1 << 53) - 1), "1", OURS,
        "Where all chance starts: the same seed gives the same run.").at(7),
    field("cluster.nodes", "Nodes", "", FieldKind::Names { count_min: 1, count_max: NODES_MAX },
        "[\"node1\", \"node2\", \"node3\"]", OURS,
        "The names of the nodes; each runs one agent and one database.").at(5).slid(1, NODES_MAX as u32, 1),
    Field { default: None, ..field("cluster.leader", "Leader at the start", "", TEXT, "", OURS,
        "The node that leads when the run starts; the first one when it is left out.") },
    field("cluster.nofailover", "nofailover", "", SOME_NODES, "[]", PATRONI_TAGS,
        "The nodes that never become the leader, not even when they are asked to."),
    field("cluster.failover_priority", "failover_priority", "",
        FieldKind::Numbers { min: 0, max: PRIORITY_MAX, count_max: NODES_MAX }, "[]", PATRONI_TAGS,
        "One number for each node, 1 for every node when it is empty: of those that are equally far, the one with the \
         highest becomes the leader; 0 means the same as nofailover."),
    field("cluster.nosync", "nosync", "", SOME_NODES, "[]", PATRONI_TAGS,
        "The nodes that are never chosen as synchronous standbys."),
    field("cluster.sync_priority", "sync_priority", "",
        FieldKind::Numbers { min: 0, max: PRIORITY_MAX, count_max: NODES_MAX }, "[]", PATRONI_TAGS,
        "One number for each node, 1 for every node when it is empty: with synchronous_mode on, those with the highest are \
         chosen as synchronous standbys; 0 means the same as nosync."),
    Field { later: &["consul", "zookeeper", "kubernetes"],
        ..field("store.kind", "Store", "", FieldKind::Choice(&["etcd"]), "\"etcd\"", OURS,
        "The consensus store that holds the lease.") },
    field("store.version", "Store version", "", FieldKind::Choice(&["3.4.23", "3.5"]), "\"3.5\"",
        "etcd changelogs 3.4 and 3.5",
        "Whose behaviour the store has.") ,
    field("store.members", "Store members", "", whole(1, 7), "3", OURS,
        "How many members (etcd1, etcd2, …) the store has; it answers while more than half of them can agree.").at(6).slid(1, 7, 1),
    field("store.placement", "Store placement", "", FieldKind::Choice(&["own", "nodes"]), "\"own\"", OURS,
        "Where the members run: own, each on a host of its own; nodes, etcd1 on the first node's host, and so on."),
    field("store.heartbeat_ms", "Heartbeat", "ms", whole(10, 10_000), "100", ETCD,
        "How often the store's leader tells the other members that it leads.").slid(50, 500, 50),
    field("store.election_ms", "Election timeout", "ms", whole(50, 50_000), "1000", ETCD,
        "How long a member hears nothing from the store's leader before it may call an election.").slid(500, 5_000, 100),
    field("patroni.ttl", "ttl", "s", seconds(1, 3_600), "30", PATRONI,
        "How long the leader key lives when it is not renewed.").at(1).slid(5, 120, 1),
    field("patroni.loop_wait", "loop_wait", "s", seconds(1, 3_600), "10", PATRONI,
        "How long an agent waits between two rounds of its loop.").at(2).slid(1, 60, 1),
    field("patroni.retry_timeout", "retry_timeout", "s", seconds(1, 3_600), "10", PATRONI,
        "How long one operation on the store may take with all its retries.").at(3).slid(1, 60, 1),
    field("patroni.maximum_lag_on_failover", "maximum_lag_on_failover", "bytes", whole(0, 1 << 40), "1048576", PATRONI,
        "How many bytes behind a replica may be and still become the leader.").at(12),
    field("patroni.check_timeline", "check_timeline", "", FieldKind::Flag, "false", PATRONI,
        "Whether only a replica on the cluster's newest timeline may become the leader."),
    field("patroni.primary_start_timeout", "primary_start_timeout", "s", whole(0, 3_600), "300", PATRONI,
        "How long a leader whose database crashed may take to start it again before another takes over; 0: another takes \
         over at once when it can."),
    field("patroni.primary_stop_timeout", "primary_stop_timeout", "s", whole(0, 3_600), "0", PATRONI,
        "With synchronous_mode, how long a demoted leader's database may take to stop before it is killed; 0: for ever."),
    field("patroni.primary_race_backoff", "primary_race_backoff", "s", whole(0, 3_600), "0", PATRONI_MASTER,
        "How long replicas wait for the old leader to come back before they race for its place; 0: not at all."),
    field("patroni.synchronous_mode", "synchronous_mode", "", FieldKind::Choice(&["off", "on", "quorum"]), "\"off\"",
        PATRONI_SYNC,
        "Whether a commit waits for replicas: on, for those that Patroni chose; quorum, for some of them.").at(10),
    field("patroni.synchronous_mode_strict", "synchronous_mode_strict", "", FieldKind::Flag, "false", PATRONI_SYNC,
        "Whether commits wait even when there is no replica to wait for."),
    field("patroni.synchronous_node_count", "synchronous_node_count", "", whole(1, NODES_MAX as i64 - 1), "1", PATRONI_SYNC,
        "For how many replicas a commit waits."),
    field("patroni.maximum_lag_on_syncnode", "maximum_lag_on_syncnode", "bytes", whole(-1, 1 << 40), "-1", PATRONI,
        "How many bytes behind a synchronous standby may be before another takes its place; -1 or 0: any number."),
    field("patroni.use_pg_rewind", "use_pg_rewind", "", FieldKind::Flag, "true",
        "Patroni documentation: dynamic configuration settings, where it is off unless it is asked for",
        "Whether a database that wrote what the new leader does not know takes that back, so that it can follow."),
    field("patroni.remove_data_directory_on_diverged_timelines", "remove_data_directory_on_diverged_timelines", "",
        FieldKind::Flag, "false", PATRONI,
        "Whether such a database, when it is not rewound, is thrown away and copied anew from the leader."),
    field("patroni.failsafe_mode", "failsafe_mode", "", FieldKind::Flag, "false", PATRONI,
        "Whether a leader that lost the store leads on while every member still answers it.").at(11),
    field("patroni.timing_rules", "Timing rules", "", FieldKind::Choice(&["4.1", "none"]), "\"4.1\"",
        "Patroni 4.1: adjustment of ttl, loop_wait and retry_timeout",
        "Whether impossible timings are adjusted as Patroni 4.1 does (4.1) or run as written (none)."),
    field("watchdog.mode", "Watchdog", "", FieldKind::Choice(&["off", "automatic", "required"]), "\"off\"", PATRONI_WATCHDOG,
        "Whether a watchdog resets a host whose agent stops renewing; required: no leader without one.").at(4),
    field("watchdog.safety_margin", "safety_margin", "s", whole(-1, 3_600), "5", PATRONI_WATCHDOG,
        "How long before the end of the lease the watchdog resets the host; -1 means after half of ttl."),
    field("network.latency_ms.min", "Latency, least", "ms", MILLISECONDS, "0.2", OURS,
        "The fastest a packet gets from one host to another."),
    field("network.latency_ms.typical", "Latency, typical", "ms", MILLISECONDS, "0.5", OURS,
        "How long a packet usually takes from one host to another.").at(8),
    field("network.latency_ms.max", "Latency, most", "ms", MILLISECONDS, "5", OURS,
        "The slowest a packet gets from one host to another.").at(9),
    field("network.loss_percent", "Packet loss", "%", PERCENT, "0", OURS,
        "How many packets of a hundred are lost on every link; connections repeat them."),
    field("network.one_segment", "One segment", "", FieldKind::Flag, "false", OURS,
        "Whether no router lies between the hosts: then a silent cut also swallows the questions for hardware addresses, and a \
         host that was never spoken with is unreachable after 3 s."),
    field("traffic.writers", "Writers", "", whole(0, 100), "3", OURS,
        "How many clients write through the router."),
    field("traffic.write_period_ms", "Write period", "ms", milliseconds(1, 3_600_000), "1000", OURS,
        "How often each of those clients writes."),
    field("traffic.direct_writers", "Direct writers", "", FieldKind::Flag, "true", OURS,
        "Whether each node also has a client of its own that writes to the local database, whoever leads."),
    field("traffic.direct_write_period_ms", "Direct write period", "ms", milliseconds(1, 3_600_000), "100", OURS,
        "How often each direct writer writes."),
    field("traffic.direct_commit", "Direct commits", "", FieldKind::Choice(&["on", "local"]), "\"on\"",
        "PostgreSQL documentation: synchronous_commit",
        "What a direct writer's commit waits for: on, for the synchronous standbys too; local, for the own disk only."),
    field("fence.outside", "Effects outside", "", FieldKind::Flag, "false", OURS,
        "Whether clients go on after each commit to what is outside the cluster: they write an object in an object store, \
         which can compare fencing tokens, and have an e-mail sent by a gateway, which cannot."),
    field("fence.tokens", "Fencing tokens", "", FieldKind::Flag, "false",
        "LeaseLab's own; no version of Patroni hands out fencing tokens",
        "Whether each agent hands out the revision that created its leader key as a fencing token, with every commit, and the \
         object store refuses a token older than one it has seen. Real Patroni does not have this."),
    field("fence.mail_keys", "Idempotency keys", "", FieldKind::Flag, "false", OURS,
        "Whether the mail gateway sends what comes with the same key only once."),
    field("disk.fsync_ms.min", "fsync, least", "ms", MILLISECONDS, "0.5", OURS,
        "The fastest a disk makes a write durable."),
    field("disk.fsync_ms.typical", "fsync, typical", "ms", MILLISECONDS, "2", OURS,
        "How long a disk usually takes to make a write durable."),
    field("disk.fsync_ms.max", "fsync, most", "ms", MILLISECONDS, "20", OURS,
        "The slowest a disk makes a write durable."),
    field("machine.second_takes_ms.min", "A second's work, least", "ms", PACE, "1000", OURS,
        "How long the work of one second takes when the machine has the least to do besides; below 1000 it is a quicker one."),
    field("machine.second_takes_ms.typical", "A second's work, typical", "ms", PACE, "1000", OURS,
        "How long the work of one second usually takes; another value between least and most holds every half second, for \
         all hosts together."),
    field("machine.second_takes_ms.max", "A second's work, most", "ms", PACE, "1000", OURS,
        "How long the work of one second takes when the machine has the most to do besides."),
    field("machine.cpu_pressure_percent", "CPU pressure", "%",
        FieldKind::Number { min: Decimal::whole(0), max: Decimal::whole(95), places: 4 }, "60",
        "Linux: pressure stall information; half of the recorded runs had 64 or more",
        "In how much of the time some process waits for a processor (/proc/pressure/cpu, some): starts of databases and agents, \
         crash recovery and pg_rewind take as much longer."),
    field("machine.reaps_every_ms", "Reaps every", "ms", MILLISECONDS, "0", OURS,
        "How often a host's first process (its init) looks for processes that have ended, to collect what was dead the last \
         time, too; until then an agent that waits for its database to be gone still finds it in the process table. 0: at once."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_key_is_described_twice_and_every_one_is_explained() {
        let keys: BTreeSet<_> = FIELDS.iter().map(|field| field.key).collect();
        assert_eq!(keys.len(), FIELDS.len());
        for field in FIELDS {
            assert!(field.help.ends_with('.') && !field.source.is_empty(), "{}", field.key);
        }
    }

    #[test]
    fn every_slider_lies_within_what_its_field_allows() {
        for field in FIELDS {
            let Some(slider) = field.form.slider else { continue };
            let (min, max) = match field.kind {
                FieldKind::Names { count_min, count_max } => (count_min as f64, count_max as f64),
                _ => field.range().expect("only numbers and counts have sliders"),
            };
            assert!(
                min <= f64::from(slider.from) && f64::from(slider.to) <= max,
                "{}",
                field.key
            );
        }
    }

    #[test]
    fn the_fields_in_sight_have_different_places_without_a_gap() {
        let mut places: Vec<_> = FIELDS.iter().filter_map(|field| field.form.place).collect();
        places.sort_unstable();
        assert_eq!(places, Vec::from_iter(1..=places.len() as u8));
    }

    #[test]
    fn every_field_belongs_to_a_group() {
        for field in FIELDS {
            assert!(
                GROUPS.iter().any(|(section, _)| *section == field.section()),
                "{}",
                field.key
            );
        }
    }

    #[test]
    fn the_fields_of_one_section_follow_each_other() {
        let mut sections: Vec<_> = FIELDS.iter().filter_map(|f| Some(f.key.split_once('.')?.0)).collect();
        sections.dedup();
        let different: BTreeSet<_> = sections.iter().collect();
        assert_eq!(different.len(), sections.len());
    }
}
