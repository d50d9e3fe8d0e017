//! A change of the cluster's configuration during a run: the fault kind `configure`.

use super::error::{Errors, Problem, Refused};
use super::faults::FaultSpec;
use super::fields::{FIELDS, Field};
use super::raw::{RawFault, Value};
use super::read_fault::{FaultReader, fault_reader};
use super::reader;
use super::{Fault, FaultKind};
use crate::engine::Span;
use crate::vocabulary::{Changes, Order, SynchronousMode};

/// The settings of Patroni's that its dynamic configuration has, described once, in [`FIELDS`](super::FIELDS). None has a
/// default here: what is left out stays as it is.
pub(super) const SETTINGS: &[Field] = &[
    setting("ttl"),
    setting("loop_wait"),
    setting("retry_timeout"),
    setting("maximum_lag_on_failover"),
    setting("check_timeline"),
    setting("primary_start_timeout"),
    setting("primary_stop_timeout"),
    setting("primary_race_backoff"),
    setting("synchronous_mode"),
    setting("synchronous_mode_strict"),
    setting("synchronous_node_count"),
    setting("maximum_lag_on_syncnode"),
    setting("use_pg_rewind"),
    setting("remove_data_directory_on_diverged_timelines"),
    setting("failsafe_mode"),
];

const fn setting(key: &'static str) -> Field {
    let mut at = 0;
    while at < FIELDS.len() {
        if let Some((section, name)) = FIELDS[at].key.as_bytes().split_at_checked("patroni.".len())
            && same(section, b"patroni.")
            && same(name, key.as_bytes())
        {
            return Field {
                key,
                default: None,
                ..FIELDS[at]
            };
        }
        at += 1;
    }
    panic!("there is no such setting")
}

const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

impl FaultReader<'_> {
    pub(super) fn configure(&mut self, spec: &'static FaultSpec) -> Result<FaultKind, Refused> {
        let target = self.taken(spec);
        let changes = Changes {
            pause: None,
            ttl: self.setting(spec, "ttl", reader::span)?,
            loop_wait: self.setting(spec, "loop_wait", reader::span)?,
            retry_timeout: self.setting(spec, "retry_timeout", reader::span)?,
            maximum_lag_on_failover: self.setting(spec, "maximum_lag_on_failover", reader::count)?,
            check_timeline: self.setting(spec, "check_timeline", reader::flag)?,
            primary_start_timeout: self.setting(spec, "primary_start_timeout", reader::span)?,
            primary_stop_timeout: self.setting(spec, "primary_stop_timeout", reader::span)?,
            primary_race_backoff: self.setting(spec, "primary_race_backoff", reader::span)?,
            synchronous_mode: self.setting(spec, "synchronous_mode", synchronous_mode)?,
            synchronous_mode_strict: self.setting(spec, "synchronous_mode_strict", reader::flag)?,
            synchronous_node_count: self.setting(spec, "synchronous_node_count", node_count)?,
            maximum_lag_on_syncnode: self.setting(spec, "maximum_lag_on_syncnode", lag_limit)?,
            use_pg_rewind: self.setting(spec, "use_pg_rewind", reader::flag)?,
            remove_data_directory_on_diverged_timelines: self.setting(
                spec,
                "remove_data_directory_on_diverged_timelines",
                reader::flag,
            )?,
            failsafe_mode: self.setting(spec, "failsafe_mode", reader::flag)?,
        };
        if changes == Changes::default() {
            let problem = Problem::new("changes nothing", "add a setting, such as ttl = 60");
            return Err(self.reader.refuse("kind", problem));
        }
        let order = Order::Configure(Box::new(changes));
        Ok(FaultKind::Order { target: target?, order })
    }

    /// A setting that may be left out.
    fn setting<T>(
        &mut self,
        spec: &'static FaultSpec,
        key: &'static str,
        read: impl Fn(&Field, &Value) -> Result<T, Problem>,
    ) -> Result<Option<T>, Refused> {
        match spec.field(key) {
            Some(field) => self.reader.optional(field, read),
            None => Ok(None),
        }
    }
}

fn synchronous_mode(field: &Field, value: &Value) -> Result<SynchronousMode, Problem> {
    reader::choice(field, value).map(SynchronousMode::of)
}

fn node_count(field: &Field, value: &Value) -> Result<u8, Problem> {
    reader::count(field, value).map(|count| u8::try_from(count).unwrap_or(1))
}

/// Patroni compares only with a limit above 0.
fn lag_limit(field: &Field, value: &Value) -> Result<u64, Problem> {
    reader::integer(field, value).map(|bytes| u64::try_from(bytes).unwrap_or(0))
}

/// Patroni's own timings are whole seconds, also those that it is given later.
pub(super) fn whole_timings(raw: &[RawFault], faults: &[Fault], errors: &mut Errors) -> Result<(), Refused> {
    let mut all_whole = Ok(());
    for (index, fault) in faults.iter().enumerate() {
        let FaultKind::Order {
            order: Order::Configure(changes),
            ..
        } = &fault.what
        else {
            continue;
        };
        let timings = [
            ("ttl", changes.ttl),
            ("loop_wait", changes.loop_wait),
            ("retry_timeout", changes.retry_timeout),
        ];
        let is_fraction = |span: Span| !span.as_micros().is_multiple_of(1_000_000);
        for (key, _) in timings.into_iter().filter(|(_, span)| span.is_some_and(is_fraction)) {
            all_whole = Err(fault_reader(&raw[index], index + 1, errors).refuse(key, reader::not_whole()));
        }
    }
    all_whole
}
