//! From a scenario back to text: every field, in the order of [`FIELDS`], whether it has its default or not, so that a
//! stored scenario means the same after a default changed.

use super::decimal::Decimal;
use super::edit::NEW_FAULT;
use super::error::one_line;
use super::{FIELDS, Fault, FaultKind, Host, LatencyChange, Scenario, StoreVersion, TimingRules, WatchdogMode};
use crate::engine::{SimTime, Span};
use crate::vocabulary::{NodeId, Order, SettingValue};
use std::fmt::Write;

impl Scenario {
    /// The canonical file. It parses back to an equal scenario.
    ///
    /// ```
    /// use leaselab::scenario::Scenario;
    /// let scenario = Scenario::default();
    /// assert_eq!(Scenario::parse(&scenario.to_toml(), "again"), Ok(scenario));
    /// ```
    pub fn to_toml(&self) -> String {
        let mut out = self.settings_as_written();
        self.faults.iter().for_each(|fault| self.write_fault(&mut out, fault));
        out
    }

    /// The file without its faults.
    pub(super) fn settings_as_written(&self) -> String {
        let mut out = String::new();
        for line in self.comment.iter().flat_map(|comment| comment.lines()) {
            let _ = writeln!(out, "{}", format!("# {}", one_line(line)).trim_end());
        }
        let mut section = "";
        let mut last_parent = "";
        for field in FIELDS {
            let (in_section, name) = field.key.split_once('.').unwrap_or(("", field.key));
            let (parent, part) = name.split_once('.').unwrap_or(("", name));
            if !last_parent.is_empty() && parent != last_parent {
                out.push_str(" }\n");
            }
            if in_section != section {
                section = in_section;
                let _ = write!(out, "\n[{section}]\n");
            }
            let value = self.get(field.key).unwrap_or_default();
            let _ = match (parent, parent == last_parent) {
                ("", _) => writeln!(out, "{name} = {value}"),
                (_, false) => write!(out, "{parent} = {{ {part} = {value}"),
                (_, true) => write!(out, ", {part} = {value}"),
            };
            last_parent = parent;
        }
        if !last_parent.is_empty() {
            out.push_str(" }\n");
        }
        out
    }

    /// A fault's fields as the file writes them, text in quotes, in their order.
    pub fn fault_as_written(&self, fault: &Fault) -> Vec<(&'static str, String)> {
        let instant = |at: SimTime| seconds(Span(at.as_micros()));
        let mut fields = vec![("at_s", instant(fault.at))];
        match (fault.until, fault.repeats) {
            (Some(until), Some(repeats)) => {
                fields.push(("for_s", seconds(until.since(fault.at))));
                fields.push(("every_s", seconds(repeats.every)));
            }
            (Some(until), None) => fields.push(("until_s", instant(until))),
            (None, _) => {}
        }
        if let Some(until) = fault.repeats.and_then(|repeats| repeats.until) {
            fields.push(("repeat_until_s", instant(until)));
        }
        let (kind, target, own) = self.fault_fields(&fault.what);
        fields.push(("kind", quoted(kind)));
        fields.push(("target", quoted(&target)));
        fields.extend(own);
        fields
    }

    /// One value as the file writes it (text in quotes), by its key in [`FIELDS`]; timings as they were written,
    /// before any adjustment.
    pub fn get(&self, key: &str) -> Option<String> {
        if let Some(adjusted) = self.adjusted.iter().find(|adjusted| adjusted.key == key) {
            return Some(adjusted.from.clone());
        }
        let value = match key {
            "title" => quoted(&self.title),
            "duration_s" => seconds(self.duration),
            "seed" => self.seed.to_string(),
            "cluster.nodes" => list(self.cluster.nodes.iter().map(|name| quoted(name))),
            "cluster.leader" => self.quoted_node(self.cluster.leader),
            "cluster.nofailover" => list(self.cluster.nofailover.iter().map(|node| self.quoted_node(*node))),
            "cluster.failover_priority" => list(self.cluster.failover_priority.iter().map(u32::to_string)),
            "cluster.sync_priority" => list(self.cluster.sync_priority.iter().map(u32::to_string)),
            "cluster.nosync" => list(self.cluster.nosync.iter().map(|node| self.quoted_node(*node))),
            "store.kind" => quoted("etcd"),
            "store.version" => quoted(match self.store.version {
                StoreVersion::V3_4_23 => "3.4.23",
                StoreVersion::V3_5 => "3.5",
            }),
            "store.members" => self.store.members.to_string(),
            "store.placement" => quoted(self.store.placement.word()),
            "store.heartbeat_ms" => milliseconds(self.store.heartbeat),
            "store.election_ms" => milliseconds(self.store.election),
            "traffic.writers" => self.traffic.writers.to_string(),
            "traffic.write_period_ms" => milliseconds(self.traffic.write_period),
            "traffic.direct_writers" => self.traffic.direct_writers.to_string(),
            "traffic.direct_write_period_ms" => milliseconds(self.traffic.direct_write_period),
            "network.one_segment" => self.network.one_segment.to_string(),
            "machine.cpu_pressure_percent" => percent(self.machine.pressure_ppm),
            "machine.reaps_every_ms" => milliseconds(self.machine.reaps_every),
            "fence.outside" => self.fence.outside.to_string(),
            "fence.tokens" => self.fence.tokens.to_string(),
            "fence.mail_keys" => self.fence.mail_keys.to_string(),
            "traffic.direct_commit" => quoted(self.traffic.direct_commit.word()),
            _ => return self.get_agent_field(key).or_else(|| self.get_latency_field(key)),
        };
        Some(value)
    }

    fn quoted_node(&self, node: usize) -> String {
        quoted(&self.names().host(Host::Node(node)))
    }

    fn get_agent_field(&self, key: &str) -> Option<String> {
        let value = match key {
            "patroni.ttl" => seconds(self.patroni.ttl),
            "patroni.loop_wait" => seconds(self.patroni.loop_wait),
            "patroni.retry_timeout" => seconds(self.patroni.retry_timeout),
            "patroni.maximum_lag_on_failover" => self.patroni.maximum_lag_on_failover.to_string(),
            "patroni.check_timeline" => self.patroni.check_timeline.to_string(),
            "patroni.primary_start_timeout" => seconds(self.patroni.primary_start_timeout),
            "patroni.primary_stop_timeout" => seconds(self.patroni.primary_stop_timeout.unwrap_or(Span::ZERO)),
            "patroni.primary_race_backoff" => seconds(self.patroni.primary_race_backoff),
            "patroni.synchronous_mode" => quoted(self.patroni.synchronous_mode.word()),
            "patroni.synchronous_mode_strict" => self.patroni.synchronous_mode_strict.to_string(),
            "patroni.synchronous_node_count" => self.patroni.synchronous_node_count.to_string(),
            "patroni.maximum_lag_on_syncnode" => self
                .patroni
                .maximum_lag_on_syncnode
                .map_or_else(|| "-1".to_string(), |bytes| bytes.to_string()),
            "patroni.use_pg_rewind" => self.patroni.use_pg_rewind.to_string(),
            "patroni.remove_data_directory_on_diverged_timelines" => {
                self.patroni.remove_data_directory_on_diverged_timelines.to_string()
            }
            "patroni.failsafe_mode" => self.patroni.failsafe_mode.to_string(),
            "patroni.timing_rules" => quoted(match self.patroni.timing_rules {
                TimingRules::V4_1 => "4.1",
                TimingRules::None => "none",
            }),
            "watchdog.mode" => quoted(match self.watchdog.mode {
                WatchdogMode::Off => "off",
                WatchdogMode::Automatic => "automatic",
                WatchdogMode::Required => "required",
            }),
            "watchdog.safety_margin" => self.watchdog.safety_margin.to_string(),
            _ => return None,
        };
        Some(value)
    }

    fn get_latency_field(&self, key: &str) -> Option<String> {
        if key == "network.loss_percent" {
            return Some(percent(self.network.loss_ppm));
        }
        let (parent, part) = key.rsplit_once('.')?;
        let latency = match parent {
            "network.latency_ms" => self.network.latency,
            "disk.fsync_ms" => self.disk.fsync,
            "machine.second_takes_ms" => self.machine.second_takes,
            _ => return None,
        };
        match part {
            "min" => Some(milliseconds(latency.min)),
            "typical" => Some(milliseconds(latency.typical)),
            "max" => Some(milliseconds(latency.max)),
            _ => None,
        }
    }

    pub(super) fn write_fault(&self, out: &mut String, fault: &Fault) {
        out.push_str(NEW_FAULT);
        for (key, value) in self.fault_as_written(fault) {
            let _ = writeln!(out, "{key} = {value}");
        }
    }

    /// The kind, the target and the other fields of a fault, as the file writes them.
    fn fault_fields(&self, what: &FaultKind) -> (&'static str, String, Vec<(&'static str, String)>) {
        let names = self.names();
        match what {
            FaultKind::Kill { target, network } => {
                let network = ("network", quoted(network.word()));
                (
                    "kill",
                    names.target(*target),
                    if target.is_host() { vec![network] } else { Vec::new() },
                )
            }
            FaultKind::Pause {
                target,
                monotonic_runs,
                resume_order,
            } => {
                let mut fields = vec![("resume_order", quoted(resume_order.word()))];
                if target.is_host() {
                    fields.push(("monotonic_runs", monotonic_runs.to_string()));
                }
                ("pause", names.target(*target), fields)
            }
            FaultKind::Cut { links, mode } => ("cut", names.links(links), vec![("mode", quoted(mode.word()))]),
            FaultKind::Latency { links, change } => ("latency", names.links(links), change_fields(change)),
            FaultKind::DiskStall { host } => ("disk_stall", names.disk(*host), Vec::new()),
            FaultKind::DiskSlow { host, change } => ("disk_slow", names.disk(*host), change_fields(change)),
            FaultKind::Loss { links, ppm } => ("loss", names.links(links), vec![("percent", percent(*ppm))]),
            FaultKind::ClockStep { host, by_us } => {
                let by = Decimal::millionths(i128::from(*by_us)).to_string();
                ("clock_step", names.host(*host), vec![("by_s", by)])
            }
            FaultKind::ClockRate { host, ppm } => ("clock_rate", names.host(*host), vec![("ppm", ppm.to_string())]),
            FaultKind::Stop { target } => ("stop", names.target(*target), Vec::new()),
            FaultKind::Order { target, order } => {
                let (kind, fields) = self.order_fields(order);
                (kind, names.target(*target), fields)
            }
        }
    }

    fn order_fields(&self, order: &Order) -> (&'static str, Vec<(&'static str, String)>) {
        let named = |key, node: NodeId| (key, self.quoted_node(node.index()));
        match order {
            Order::Switchover { to, scheduled } => {
                let at = scheduled.map(|at| ("scheduled_at_s", Decimal::millionths(i128::from(at.0)).to_string()));
                (
                    "switchover",
                    to.map(|to| named("to", to)).into_iter().chain(at).collect(),
                )
            }
            Order::Failover => ("failover", Vec::new()),
            Order::RestartDatabase => ("restart", Vec::new()),
            Order::Maintenance => ("maintenance", Vec::new()),
            Order::Configure(changes) => ("configure", changes.list().into_iter().map(written_setting).collect()),
            Order::Tag(tag) => ("tag", vec![("tag", quoted(tag.word()))]),
            Order::BlockLoop => ("block", vec![("thread", quoted("loop"))]),
            Order::BlockWatcher => ("block", vec![("thread", quoted("watcher"))]),
            Order::TakeName { name } => ("same_name", vec![named("name", *name)]),
            Order::SlowSql { by } => ("slow_sql", vec![("add_ms", milliseconds(*by))]),
            Order::StuckStop => ("stuck_stop", Vec::new()),
            Order::FailPromotion => ("failed_promote", Vec::new()),
            Order::AnswerErrors => ("store_errors", Vec::new()),
            Order::DeleteLeaderKey => ("delete_key", Vec::new()),
        }
    }
}

/// `stringify!` gives the setting's own name, which is its key.
fn written_setting((key, value): (&'static str, SettingValue)) -> (&'static str, String) {
    let value = match value {
        SettingValue::Time(span) => seconds(span),
        SettingValue::Flag(flag) => flag.to_string(),
        SettingValue::Bytes(bytes) => bytes.to_string(),
        SettingValue::Count(count) => count.to_string(),
        SettingValue::Mode(mode) => quoted(mode.word()),
    };
    (key, value)
}

fn change_fields(change: &LatencyChange) -> Vec<(&'static str, String)> {
    match change {
        LatencyChange::Add(add) => vec![("add_ms", milliseconds(*add))],
        LatencyChange::Replace(latency) => vec![
            ("min_ms", milliseconds(latency.min)),
            ("typical_ms", milliseconds(latency.typical)),
            ("max_ms", milliseconds(latency.max)),
        ],
    }
}

fn seconds(span: Span) -> String {
    Decimal::millionths(i128::from(span.as_micros())).to_string()
}

fn milliseconds(span: Span) -> String {
    Decimal::millionths(i128::from(span.as_micros()) * 1_000).to_string()
}

fn percent(ppm: u32) -> String {
    Decimal::millionths(i128::from(ppm) * 100).to_string()
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", Vec::from_iter(items).join(", "))
}

/// Text as TOML writes it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text).replace('\\', "\\\\").replace('"', "\\\""))
}
