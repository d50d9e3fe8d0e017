//! The fault kinds: what each takes, its fields and their defaults. Validation and the reference text that
//! `leaselab faults` prints both come from this table.

use super::decimal::Decimal;
use super::fields::{DURATION_S_MAX, Field, FieldKind, Form, MILLISECONDS, PERCENT, SECONDS, TEXT, seconds};
use super::read_settings::SETTINGS;
use super::reader::expected;
use super::{Host, Process, Target};
use std::fmt::Write;

/// One kind of fault.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaultSpec {
    /// As in `kind = "kill"`.
    pub kind: &'static str,
    pub takes: Takes,
    /// Whether it may have an end (`for_s`, `until_s`).
    pub ends: bool,
    /// One or two plain sentences.
    pub help: &'static str,
    /// Besides those that all faults have.
    pub fields: &'static [Field],
    /// Of `fields`, those that only a whole host has.
    pub hosts_only: &'static [&'static str],
    /// A `[[fault]]` for a cluster with the default names.
    pub example: &'static str,
}

/// What a fault can strike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A node or a member of the store, or a process on a node.
    HostsAndProcesses,
    /// A node or a member of the store.
    Hosts,
    Links,
    /// The disk of a node or of a member of the store.
    Disks,
    /// A node, for what its agent is asked to do with the cluster.
    Nodes,
    /// A node's agent or its database.
    Processes,
    Agents,
    Databases,
    /// A member of the store, wherever it runs.
    Members,
}

impl Takes {
    /// In words, with examples.
    pub const fn words(self) -> &'static str {
        match self {
            Takes::HostsAndProcesses => {
                "a host (node1, etcd1) or a process (node1/agent, node1/postgres, node1/writer)"
            }
            Takes::Hosts => "a host (node1, etcd1)",
            Takes::Disks => "a disk (node1/disk, etcd1/disk)",
            Takes::Links => "links between hosts (a -> b, a <-> b, [a, b] | [c, d], a <-> *)",
            Takes::Nodes => "a node (node1)",
            Takes::Processes => "a process of a node (node1/agent, node1/postgres)",
            Takes::Agents => "an agent (node1/agent)",
            Takes::Databases => "a database (node1/postgres)",
            Takes::Members => "a member of the store (etcd1)",
        }
    }

    /// Whether this host or process is one of them.
    pub(super) const fn takes(self, target: Target) -> bool {
        match target {
            Target::Host(Host::Node(_)) => matches!(self, Takes::HostsAndProcesses | Takes::Hosts | Takes::Nodes),
            Target::Host(Host::Store(_)) => matches!(self, Takes::HostsAndProcesses | Takes::Hosts | Takes::Members),
            Target::Host(Host::Clients) => false,
            Target::Process(_, Process::Agent) => {
                matches!(self, Takes::HostsAndProcesses | Takes::Processes | Takes::Agents)
            }
            Target::Process(_, Process::Postgres) => {
                matches!(self, Takes::HostsAndProcesses | Takes::Processes | Takes::Databases)
            }
            Target::Process(_, Process::Writer) => matches!(self, Takes::HostsAndProcesses),
            Target::Member(_) => matches!(self, Takes::HostsAndProcesses | Takes::Members),
        }
    }
}

impl FaultSpec {
    /// The kind with this name.
    pub fn of(kind: &str) -> Option<&'static FaultSpec> {
        FAULTS.iter().find(|spec| spec.kind == kind)
    }

    /// The field of this kind with this key.
    pub(super) fn field(&self, key: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// The keys a fault of this kind may have.
    pub(super) fn keys(&self) -> Vec<&'static str> {
        COMMON.iter().chain(self.fields).map(|field| field.key).collect()
    }
}

/// A field of any fault.
pub(super) fn fault_field(key: &str) -> Option<&'static Field> {
    COMMON
        .iter()
        .chain(FAULTS.iter().flat_map(|spec| spec.fields))
        .find(|field| field.key == key)
}

/// Kinds the format has a place for, not built yet.
pub(super) const KINDS_LATER: &[&str] = &["disk_full", "disk_error"];

const SOURCE: &str = "LeaseLab's own";

const fn field(
    key: &'static str,
    label: &'static str,
    unit: &'static str,
    kind: FieldKind,
    default: Option<&'static str>,
    help: &'static str,
) -> Field {
    Field {
        key,
        label,
        unit,
        kind,
        default,
        later: &[],
        help,
        source: SOURCE,
        form: Form::FOLDED,
    }
}

const POSITIVE_SECONDS: FieldKind = FieldKind::Number {
    min: Decimal::millionths(1),
    max: Decimal::whole(DURATION_S_MAX),
    places: 6,
};
const WHOLE_PPM: FieldKind = FieldKind::Number {
    min: Decimal::whole(-500_000),
    max: Decimal::whole(500_000),
    places: 0,
};

/// The fields that all faults have.
#[rustfmt::skip]
pub const COMMON: &[Field] = &[
    field("at_s", "Begins at", "s", SECONDS, None, "When the fault begins, in seconds after the start of the run."),
    field("for_s", "Lasts", "s", POSITIVE_SECONDS, None,
        "How long it lasts; without for_s and until_s it lasts to the end of the run."),
    field("until_s", "Ends at", "s", POSITIVE_SECONDS, None, "When it ends; instead of for_s."),
    field("every_s", "Comes again after", "s", POSITIVE_SECONDS, None,
        "From one beginning to the next, when it comes again and again; longer than for_s, which it needs."),
    field("repeat_until_s", "Comes again until", "s", POSITIVE_SECONDS, None,
        "When it stops coming again: no time begins then or later; without it, the end of the run."),
    field("kind", "Kind", "", TEXT, None, "What breaks: one of the kinds below."),
    field("target", "Target", "", TEXT, None, "What it strikes: see the kind."),
];

/// All kinds.
#[rustfmt::skip]
pub const FAULTS: &[FaultSpec] = &[
    FaultSpec {
        kind: "kill", takes: Takes::HostsAndProcesses, ends: true, hosts_only: &["network"],
        help: "The processes end at once, without a word. When the fault ends they are started again.",
        fields: &[
            field("network", "Network of the dead host", "", FieldKind::Choice(&["silent", "refused"]), Some("\"silent\""),
                "silent: the machine is gone, its peers hear nothing; refused: only the processes died, the kernel \
                 still answers with resets."),
        ],
        example: "[[fault]]\nat_s = 40.05\nfor_s = 60\nkind = \"kill\"\ntarget = \"node1/agent\"\n",
    },
    FaultSpec {
        kind: "stop", takes: Takes::Processes, ends: true, hosts_only: &[],
        help: "The process is asked to end (SIGTERM), which it does in its own time. When the fault ends, an agent is started \
               again; a database is when its agent wants it.",
        fields: &[],
        example: "[[fault]]\nat_s = 40.05\nfor_s = 60\nkind = \"stop\"\ntarget = \"node1/agent\"\n",
    },
    FaultSpec {
        kind: "pause", takes: Takes::HostsAndProcesses, ends: true, hosts_only: &["monotonic_runs"],
        help: "All threads stop, clocks run on. When the fault ends they resume where they stood. On a member of the \
               store (etcd1), monotonic_runs = true stops its process and the machine's kernel still answers; false \
               stops the whole machine.",
        fields: &[
            field("monotonic_runs", "Monotonic clock runs on", "", FieldKind::Flag, Some("true"),
                "Whether the monotonic clock runs on; false as when a virtual machine is suspended."),
            field("resume_order", "First after the pause", "", FieldKind::Choice(&["application", "messages"]),
                Some("\"application\""),
                "What runs first afterwards: the program where it stood, or the messages that came in meanwhile."),
        ],
        example: "[[fault]]\nat_s = 40.05\nfor_s = 45\nkind = \"pause\"\ntarget = \"node1\"\nmonotonic_runs = false\n",
    },
    FaultSpec {
        kind: "cut", takes: Takes::Links, ends: true, hosts_only: &[],
        help: "Packets no longer pass.",
        fields: &[
            field("mode", "How it is cut", "", FieldKind::Choice(&["silent", "refused", "mute", "payload_lost"]),
                Some("\"silent\""),
                "silent: all packets are dropped; refused: every attempt fails at once; mute: connections are accepted \
                 and never answered; payload_lost: handshakes pass, packets with data are lost."),
        ],
        example: "[[fault]]\nat_s = 40.05\nuntil_s = 100\nkind = \"cut\"\ntarget = \"node1 <-> *\"\nmode = \"refused\"\n",
    },
    FaultSpec {
        kind: "latency", takes: Takes::Links, ends: true, hosts_only: &[],
        help: "Packets take longer. Give add_ms, or min_ms, typical_ms and max_ms.",
        fields: &[
            field("add_ms", "Added latency", "ms", MILLISECONDS, None, "How much longer than usual a packet takes."),
            field("min_ms", "Latency, least", "ms", MILLISECONDS, None, "The fastest a packet gets through, instead of the usual."),
            field("typical_ms", "Latency, typical", "ms", MILLISECONDS, None, "How long it takes usually, instead of the usual."),
            field("max_ms", "Latency, most", "ms", MILLISECONDS, None, "The slowest a packet gets through, instead of the usual."),
        ],
        example: "[[fault]]\nat_s = 40.05\nfor_s = 30\nkind = \"latency\"\ntarget = \"node1 -> etcd1\"\nadd_ms = 250\n",
    },
    FaultSpec {
        kind: "loss", takes: Takes::Links, ends: true, hosts_only: &[],
        help: "Packets are lost by chance; connections repeat them later.",
        fields: &[
            field("percent", "Packet loss", "%", PERCENT, None, "How many packets of a hundred are lost."),
        ],
        example: "[[fault]]\nat_s = 40.05\nfor_s = 30\nkind = \"loss\"\ntarget = \"[node1, clients] | [node2, node3]\"\npercent = 12.5\n",
    },
    FaultSpec {
        kind: "disk_stall", takes: Takes::Disks, ends: true, hosts_only: &[],
        help: "Nothing written becomes durable. When the fault ends, what waits is written in its order.",
        fields: &[],
        example: "[[fault]]\nat_s = 40.05\nfor_s = 1.8\nevery_s = 20\nrepeat_until_s = 100\nkind = \"disk_stall\"\n\
                  target = \"etcd2/disk\"\n",
    },
    FaultSpec {
        kind: "disk_slow", takes: Takes::Disks, ends: true, hosts_only: &[],
        help: "It takes longer until a write is durable. Give add_ms, or min_ms, typical_ms and max_ms.",
        fields: &[
            field("add_ms", "Added time", "ms", MILLISECONDS, None, "How much longer than usual a write takes."),
            field("min_ms", "fsync, least", "ms", MILLISECONDS, None, "The fastest a write is durable, instead of the usual."),
            field("typical_ms", "fsync, typical", "ms", MILLISECONDS, None, "How long a write usually takes, instead of the usual."),
            field("max_ms", "fsync, most", "ms", MILLISECONDS, None, "The slowest a write is durable, instead of the usual."),
        ],
        example: "[[fault]]\nat_s = 40.05\nfor_s = 30\nkind = \"disk_slow\"\ntarget = \"node1/disk\"\n\
                  min_ms = 20\ntypical_ms = 80\nmax_ms = 400\n",
    },
    FaultSpec {
        kind: "clock_step", takes: Takes::Hosts, ends: false, hosts_only: &[],
        help: "The wall clock jumps once; the monotonic clock does not notice. It has no end.",
        fields: &[
            field("by_s", "Jump", "s", seconds(-DURATION_S_MAX, DURATION_S_MAX), None,
                "How far it jumps, backwards when negative."),
        ],
        example: "[[fault]]\nat_s = 40.05\nkind = \"clock_step\"\ntarget = \"node2\"\nby_s = -3.5\n",
    },
    FaultSpec {
        kind: "clock_rate", takes: Takes::Hosts, ends: true, hosts_only: &[],
        help: "Both clocks run at another rate.",
        fields: &[
            field("ppm", "Rate", "ppm", WHOLE_PPM, None,
                "How many millionths faster than true time they run, slower when negative."),
        ],
        example: "[[fault]]\nat_s = 0\nkind = \"clock_rate\"\ntarget = \"etcd1\"\nppm = -200000\n",
    },
    FaultSpec {
        kind: "switchover", takes: Takes::Nodes, ends: false, hosts_only: &[],
        help: "The agent of this node, which leads, is asked to hand over in good order. It has no end.",
        fields: &[
            field("to", "To", "", TEXT, None, "The node that takes over; when it is left out, any that can."),
            field("scheduled_at_s", "Scheduled for", "s", POSITIVE_SECONDS, None,
                "When it is to hand over, in seconds after the start of the run and by its own clock; at once when it is left out."),
        ],
        example: "[[fault]]\nat_s = 40.05\nkind = \"switchover\"\ntarget = \"node1\"\nto = \"node2\"\n",
    },
    FaultSpec {
        kind: "failover", takes: Takes::Nodes, ends: false, hosts_only: &[],
        help: "The agent of this node is asked to make it the leader, whether or not there is one. It has no end.",
        fields: &[],
        example: "[[fault]]\nat_s = 40.05\nkind = \"failover\"\ntarget = \"node2\"\n",
    },
    FaultSpec {
        kind: "restart", takes: Takes::Databases, ends: false, hosts_only: &[],
        help: "The agent of this node is asked to restart the database; a leader stays the leader. It has no end.",
        fields: &[],
        example: "[[fault]]\nat_s = 40.05\nkind = \"restart\"\ntarget = \"node1/postgres\"\n",
    },
    FaultSpec {
        kind: "maintenance", takes: Takes::Nodes, ends: true, hosts_only: &[],
        help: "The agent of this node is asked for maintenance mode: in the whole cluster nothing is promoted or demoted by \
               itself. When the fault ends it is asked to resume. Patroni calls this mode pause, which here is the kind that \
               stops a process.",
        fields: &[],
        example: "[[fault]]\nat_s = 40.05\nfor_s = 60\nkind = \"maintenance\"\ntarget = \"node1\"\n",
    },
    FaultSpec {
        kind: "configure", takes: Takes::Nodes, ends: false, hosts_only: &[],
        help: "The agent of this node is asked to change the cluster's configuration: give at least one setting. It has no \
               end; change it back with a second fault.",
        fields: SETTINGS,
        example: "[[fault]]\nat_s = 40.05\nkind = \"configure\"\ntarget = \"node1\"\nttl = 60\nfailsafe_mode = true\n",
    },
    FaultSpec {
        kind: "block", takes: Takes::Agents, ends: true, hosts_only: &[],
        help: "One thread of the agent stands still, the others go on; when the fault ends it goes on where it stood.",
        fields: &[
            field("thread", "Which thread", "", FieldKind::Choice(&["loop", "watcher"]), Some("\"loop\""),
                "loop: the HA loop, while the agent still answers its peers; watcher: what keeps the copy of the store's \
                 keys, which grows stale unnoticed."),
        ],
        example: "[[fault]]\nat_s = 40.05\nfor_s = 60\nkind = \"block\"\ntarget = \"node1/agent\"\nthread = \"watcher\"\n",
    },
    FaultSpec {
        kind: "tag", takes: Takes::Agents, ends: true, hosts_only: &[],
        help: "The node is tagged in its agent's own configuration file, which is read again before the next round of its loop. \
               When the fault ends it is as before.",
        fields: &[
            field("tag", "Tag", "", FieldKind::Choice(&["nofailover", "nosync"]), None,
                "nofailover: it must not become the leader; nosync: it must not be chosen as a synchronous standby."),
        ],
        example: "[[fault]]\nat_s = 40.05\nfor_s = 60\nkind = \"tag\"\ntarget = \"node2/agent\"\ntag = \"nosync\"\n",
    },
    FaultSpec {
        kind: "same_name", takes: Takes::Agents, ends: false, hosts_only: &[],
        help: "The agent is started again with another node's name in its configuration. It has no end.",
        fields: &[
            field("name", "Name", "", TEXT, None, "The node whose name it takes."),
        ],
        example: "[[fault]]\nat_s = 40.05\nkind = \"same_name\"\ntarget = \"node3/agent\"\nname = \"node1\"\n",
    },
    FaultSpec {
        kind: "slow_sql", takes: Takes::Databases, ends: true, hosts_only: &[],
        help: "Every answer of the database to its agent's queries takes longer.",
        fields: &[
            field("add_ms", "Added time", "ms", MILLISECONDS, None, "How much longer than usual an answer takes."),
        ],
        example: "[[fault]]\nat_s = 40.05\nfor_s = 30\nkind = \"slow_sql\"\ntarget = \"node1/postgres\"\nadd_ms = 2500\n",
    },
    FaultSpec {
        kind: "stuck_stop", takes: Takes::Databases, ends: true, hosts_only: &[],
        help: "When the database is stopped, it does not end: one of its processes cannot be killed. When the fault ends it \
               can.",
        fields: &[],
        example: "[[fault]]\nat_s = 40.05\nfor_s = 60\nkind = \"stuck_stop\"\ntarget = \"node1/postgres\"\n",
    },
    FaultSpec {
        kind: "failed_promote", takes: Takes::Databases, ends: true, hosts_only: &[],
        help: "The database stays a standby when it is promoted.",
        fields: &[],
        example: "[[fault]]\nat_s = 40.05\nfor_s = 60\nkind = \"failed_promote\"\ntarget = \"node2/postgres\"\n",
    },
    FaultSpec {
        kind: "store_errors", takes: Takes::Members, ends: true, hosts_only: &[],
        help: "This member of the store answers every request with an error that its clients do not know: no refusal, and \
               no reason to try again.",
        fields: &[],
        example: "[[fault]]\nat_s = 40.05\nfor_s = 15\nkind = \"store_errors\"\ntarget = \"etcd1\"\n",
    },
    FaultSpec {
        kind: "delete_key", takes: Takes::Members, ends: false, hosts_only: &[],
        help: "Somebody deletes the leader key by hand, at this member of the store. It has no end.",
        fields: &[],
        example: "[[fault]]\nat_s = 40.05\nkind = \"delete_key\"\ntarget = \"etcd1\"\n",
    },
];

/// What targets mean when the store's members have no hosts of their own.
pub const PLACED_ON_NODES: &str = "\
With store.placement = \"nodes\" a member of the store is a process on a node's host: kill, pause, store_errors and delete_key
of etcd1 strike that process, and everything else of etcd1 (links, disk, clock, the whole machine) goes by the node's name.
";

/// The reference of all fault kinds, as plain text.
pub fn fault_reference() -> String {
    let mut out = String::from("Every fault begins with a line [[fault]] and has these fields:\n\n");
    for field in COMMON {
        describe(&mut out, field, "");
    }
    let _ = write!(out, "\n{PLACED_ON_NODES}");
    for spec in FAULTS {
        let _ = write!(
            out,
            "\n{}\n  {}\n  target: {}\n",
            spec.kind,
            spec.help,
            spec.takes.words()
        );
        if !spec.fields.is_empty() {
            out.push('\n');
        }
        for field in spec.fields {
            let only = if spec.hosts_only.contains(&field.key) {
                " Only for a whole host."
            } else {
                ""
            };
            describe(&mut out, field, only);
        }
        out.push_str("\n  Example:\n");
        for line in spec.example.lines() {
            let _ = writeln!(out, "    {line}");
        }
    }
    out
}

fn describe(out: &mut String, field: &Field, only: &str) {
    let default = field
        .default
        .map(|default| format!(", default {default}"))
        .unwrap_or_default();
    let values = match field.kind {
        FieldKind::Text { .. } => String::new(),
        _ => format!("{}{default}. ", expected(field)),
    };
    let _ = writeln!(out, "  {:<15} {values}{}{only}", field.key, field.help);
}
