//! The whole file: from the raw form to a [`Scenario`], with all errors that can be found at once.

use super::error::{Errors, Problem, Refused, ScenarioError, shown};
use super::fields::{FAULTS_MAX, Field, STRIKES_MAX};
use super::raw::{Format, Raw, Value};
use super::read_fault::{fault_reader, read_fault};
use super::read_settings::whole_timings;
use super::reader::{self, Reader};
use super::system::{System, is_of};
use super::target::Names;
use super::timing::{Timing, adjust_timing};
use super::{
    Adjustment, Cluster, Disk, Fault, FenceUse, Machine, Network, Patroni, Placement, Scenario, Store, StoreKind,
    StoreVersion, SynchronousCommit, SynchronousMode, TimingRules, Traffic, Watchdog, WatchdogMode,
};
use crate::engine::{SimTime, Span};

impl Scenario {
    /// Reads a scenario file; `origin` is its name, for errors.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of the lines: at least one error, at most 100.
    ///
    /// ```
    /// use leaselab::scenario::Scenario;
    /// let scenario = Scenario::parse("title = \"Quiet\"\n[patroni]\nttl = 40\n", "quiet.toml").unwrap();
    /// assert_eq!(scenario.patroni.ttl.to_string(), "40.000 s");
    ///
    /// let errors = Scenario::parse("[patroni]\ntll = 40\n", "quiet.toml").unwrap_err();
    /// assert_eq!(errors[0].to_string(), "quiet.toml:2: patroni.tll = 40: unknown key; did you mean patroni.ttl?");
    /// ```
    pub fn parse(text: &str, origin: &str) -> Result<Scenario, Vec<ScenarioError>> {
        Scenario::parse_with(text, origin, &[])
    }

    /// The same after some values were replaced, as `--set patroni.ttl=20` does: pairs of a key of
    /// [`FIELDS`](super::fields::FIELDS) and a value, text without quotes. `fault.2.at_s` is a field of the second fault.
    ///
    /// # Errors
    /// As [`Scenario::parse`]; an error in the third pair says that it is in `--set:3`.
    pub fn parse_with(
        text: &str,
        origin: &str,
        overrides: &[(String, String)],
    ) -> Result<Scenario, Vec<ScenarioError>> {
        let mut errors = Errors::default();
        let scenario = Raw::read(text, origin, Format::PATRONI, &mut errors).and_then(|mut raw| {
            is_of(System::Patroni, &raw, &mut errors)?;
            for (index, (key, value)) in overrides.iter().enumerate() {
                raw.set(key.trim(), value, index + 1, &mut errors);
            }
            scenario(&raw, &mut errors)
        });
        match scenario {
            Ok(scenario) if errors.is_empty() => Ok(scenario),
            Ok(_) | Err(_) => Err(errors.sorted()),
        }
    }
}

impl Default for Scenario {
    /// What an empty file means: three nodes, one store, nothing breaks.
    fn default() -> Scenario {
        Scenario::parse("", "defaults").expect("a test reads the defaults")
    }
}

fn scenario(raw: &Raw, errors: &mut Errors) -> Result<Scenario, Refused> {
    let reader = Reader {
        entries: &raw.entries,
        prefix: String::new(),
        place: raw.place.clone(),
        errors,
    };
    let mut top = Top(reader);
    let title = top.value("title", reader::text);
    let duration = top.value("duration_s", reader::span);
    let seed = top.value("seed", reader::count);
    let cluster = top.cluster();
    let store = top.store(cluster.as_ref().ok().map(|cluster| cluster.nodes.len()));
    let patroni = top.patroni();
    let watchdog = top.watchdog();
    let network = top.network();
    let traffic = top.traffic();
    let fence = top.fence();
    let fsync = top.latency("disk.fsync_ms");
    let second_takes = top.latency("machine.second_takes_ms");
    let pressure_ppm = top.value("machine.cpu_pressure_percent", reader::ppm);
    let reaps_every = top.value("machine.reaps_every_ms", reader::span);
    let (cluster, store) = (cluster?, store?);
    let names = Names {
        nodes: &cluster.nodes,
        members: usize::from(store.members),
        placement: store.placement,
        // If the traffic cannot be read, that is the error to tell.
        writers: traffic.as_ref().map_or(true, |traffic| traffic.direct_writers),
    };
    let faults = faults(raw, names, duration.ok(), errors);
    let (patroni, adjusted) = patroni?;
    let faults = faults?;
    if patroni.timing_rules == TimingRules::V4_1 {
        whole_timings(&raw.faults, &faults, errors)?;
    }
    Ok(Scenario {
        title: title?,
        comment: raw.comment.clone(),
        duration: duration?,
        seed: seed?,
        cluster,
        store,
        patroni,
        watchdog: watchdog?,
        network: network?,
        traffic: traffic?,
        fence: fence?,
        disk: Disk { fsync: fsync? },
        machine: Machine {
            second_takes: second_takes?,
            pressure_ppm: pressure_ppm?,
            reaps_every: reaps_every?,
        },
        faults,
        adjusted,
    })
}

fn faults(raw: &Raw, names: Names<'_>, duration: Option<Span>, errors: &mut Errors) -> Result<Vec<Fault>, Refused> {
    if let Some(first) = raw.faults.get(FAULTS_MAX) {
        let problem = Problem::new(format!("more than {FAULTS_MAX} faults, the limit"), "leave some out");
        return Err(errors.push(&first.place, "fault", &format!("{} faults", raw.faults.len()), problem));
    }
    let mut faults = Vec::with_capacity(raw.faults.len());
    for (index, fault) in raw.faults.iter().enumerate() {
        faults.push(read_fault(fault, index + 1, names, duration, errors));
    }
    let faults = faults.into_iter().collect::<Result<Vec<Fault>, Refused>>()?;
    limit_strikes(raw, &faults, duration, errors)?;
    Ok(faults)
}

/// All faults together come at most [`STRIKES_MAX`] times.
fn limit_strikes(raw: &Raw, faults: &[Fault], duration: Option<Span>, errors: &mut Errors) -> Result<(), Refused> {
    let Some(duration) = duration else { return Ok(()) };
    let end = SimTime::ZERO + duration;
    let all = faults
        .iter()
        .fold(0_u64, |all, fault| all.saturating_add(fault.count(end)));
    // Far fewer faults are allowed than strikes, so the fault that comes most often is one that comes again.
    let most = (0..faults.len()).max_by_key(|&index| faults[index].count(end));
    match most {
        Some(index) if all > STRIKES_MAX => {
            let count = faults[index].count(end);
            let wrong =
                format!("the fault would come {count} times, all faults {all} times, above the limit of {STRIKES_MAX}");
            let problem = Problem::new(wrong, "make every_s longer, or repeat_until_s earlier");
            Err(fault_reader(&raw.faults[index], index + 1, errors).refuse("every_s", problem))
        }
        _ => Ok(()),
    }
}

/// The fields outside the faults.
struct Top<'a>(Reader<'a>);

impl Top<'_> {
    fn value<T>(&mut self, key: &str, read: impl Fn(&Field, &Value) -> Result<T, Problem>) -> Result<T, Refused> {
        match Field::of(key) {
            Some(field) => self.0.required(field, read),
            None => Err(self.0.refuse(key, Problem::new("unknown key", "leave it out"))),
        }
    }

    fn cluster(&mut self) -> Result<Cluster, Refused> {
        let nodes = self.value("cluster.nodes", reader::new_names);
        let leader = match Field::of("cluster.leader") {
            Some(field) => self.0.optional(field, reader::text),
            None => Ok(None),
        };
        let nodes = nodes?;
        let nofailover = self.some_nodes("cluster.nofailover", &nodes);
        let nosync = self.some_nodes("cluster.nosync", &nodes);
        let failover_priority = self.one_for_each("cluster.failover_priority", nodes.len());
        let sync_priority = self.one_for_each("cluster.sync_priority", nodes.len());
        let leader = match leader? {
            None => 0,
            Some(name) => match nodes.iter().position(|node| *node == name) {
                Some(leader) => leader,
                None => {
                    let problem = Problem::new("there is no such node", format!("use one of {}", nodes.join(", ")));
                    return Err(self.0.refuse("cluster.leader", problem));
                }
            },
        };
        Ok(Cluster {
            leader,
            nofailover: nofailover?,
            failover_priority: failover_priority?,
            nosync: nosync?,
            sync_priority: sync_priority?,
            nodes,
        })
    }

    /// A list of nodes, as their indices.
    fn some_nodes(&mut self, key: &str, nodes: &[String]) -> Result<Vec<usize>, Refused> {
        let names = self.value(key, reader::names)?;
        let mut indices = Vec::with_capacity(names.len());
        for name in names {
            let Some(index) = nodes.iter().position(|node| *node == name) else {
                let wrong = format!("there is no node {}", shown(&name));
                let remedy = format!("use some of {}, or leave it out", nodes.join(", "));
                return Err(self.0.refuse(key, Problem::new(wrong, remedy)));
            };
            indices.push(index);
        }
        Ok(indices)
    }

    /// Priorities for all nodes, or for none.
    fn one_for_each(&mut self, key: &str, nodes: usize) -> Result<Vec<u32>, Refused> {
        let priorities = self.value(key, reader::numbers)?;
        if priorities.is_empty() || priorities.len() == nodes {
            let number = |&priority: &i64| u32::try_from(priority).unwrap_or_default();
            return Ok(priorities.iter().map(number).collect());
        }
        let wrong = format!("has {} numbers for {nodes} nodes", priorities.len());
        let remedy = "write one number for each of cluster.nodes, in their order, or leave it out";
        Err(self.0.refuse(key, Problem::new(wrong, remedy)))
    }

    /// `nodes`: how many there are, when that is known.
    fn store(&mut self, nodes: Option<usize>) -> Result<Store, Refused> {
        let kind = self.value("store.kind", reader::choice);
        let version = self.value("store.version", reader::choice);
        let members = self.value("store.members", reader::count);
        let placement = self.value("store.placement", reader::choice);
        let heartbeat = self.value("store.heartbeat_ms", reader::span);
        let election = self.value("store.election_ms", reader::span);
        let timing = heartbeat.and_then(|heartbeat| self.election(heartbeat, election?));
        kind?;
        let version = match version? {
            "3.4.23" => StoreVersion::V3_4_23,
            _ => StoreVersion::V3_5,
        };
        let placement = match placement? {
            "nodes" => Placement::Nodes,
            _ => Placement::Own,
        };
        let members = u8::try_from(members?).unwrap_or(1);
        if let Some(nodes) = nodes.filter(|nodes| placement == Placement::Nodes && usize::from(members) > *nodes) {
            let key = self.written("store.members", "store.placement");
            let wrong = format!("{members} members cannot each sit on another node's host, there are {nodes} nodes");
            let remedy = format!("use store.members = {nodes} at most, or store.placement = \"own\"");
            return Err(self.0.refuse(key, Problem::new(wrong, remedy)));
        }
        let (heartbeat, election) = timing?;
        Ok(Store {
            kind: StoreKind::Etcd,
            version,
            members,
            placement,
            heartbeat,
            election,
        })
    }

    /// etcd refuses to start when the election timeout is less than five heartbeats (`embed/config.go`).
    fn election(&mut self, heartbeat: Span, election: Span) -> Result<(Span, Span), Refused> {
        let ms = |span: Span| span.as_micros() / 1_000;
        if election >= heartbeat * 5 {
            return Ok((heartbeat, election));
        }
        let (key, remedy) = match self.written("store.election_ms", "store.heartbeat_ms") {
            key @ "store.election_ms" => (
                key,
                format!("use at least {} ms, or a shorter heartbeat_ms", ms(heartbeat * 5)),
            ),
            key => (
                key,
                format!("use at most {} ms, or a longer election_ms", ms(election / 5)),
            ),
        };
        let wrong = format!(
            "etcd does not start with election_ms ({}) below 5 times heartbeat_ms ({})",
            ms(election),
            ms(heartbeat)
        );
        Err(self.0.refuse(key, Problem::new(wrong, remedy)))
    }

    /// Of two keys that contradict each other, the first that stands in the file.
    fn written(&self, first: &'static str, second: &'static str) -> &'static str {
        if self.0.entries.contains_key(first) {
            first
        } else {
            second
        }
    }

    fn patroni(&mut self) -> Result<(Patroni, Vec<Adjustment>), Refused> {
        let timing = self.timings();
        let maximum_lag_on_failover = self.value("patroni.maximum_lag_on_failover", reader::count);
        let check_timeline = self.value("patroni.check_timeline", reader::flag);
        let start_timeout = self.value("patroni.primary_start_timeout", reader::span);
        let stop_timeout = self.value("patroni.primary_stop_timeout", reader::span);
        let race_backoff = self.value("patroni.primary_race_backoff", reader::span);
        let mode = self.value("patroni.synchronous_mode", reader::choice);
        let strict = self.value("patroni.synchronous_mode_strict", reader::flag);
        let node_count = self.value("patroni.synchronous_node_count", reader::count);
        let maximum_lag_on_syncnode = self.value("patroni.maximum_lag_on_syncnode", reader::integer);
        let use_pg_rewind = self.value("patroni.use_pg_rewind", reader::flag);
        let remove_data = self.value("patroni.remove_data_directory_on_diverged_timelines", reader::flag);
        let failsafe_mode = self.value("patroni.failsafe_mode", reader::flag);
        let (written, timing, timing_rules, adjusted) = timing?;
        let patroni = Patroni {
            ttl: timing.ttl,
            loop_wait: timing.loop_wait,
            retry_timeout: timing.retry_timeout,
            written,
            maximum_lag_on_failover: maximum_lag_on_failover?,
            check_timeline: check_timeline?,
            primary_start_timeout: start_timeout?,
            primary_stop_timeout: Some(stop_timeout?).filter(|timeout| *timeout > Span::ZERO),
            primary_race_backoff: race_backoff?,
            synchronous_mode: SynchronousMode::of(mode?),
            synchronous_mode_strict: strict?,
            synchronous_node_count: u8::try_from(node_count?).unwrap_or(1),
            // Patroni compares only with a limit above 0.
            maximum_lag_on_syncnode: u64::try_from(maximum_lag_on_syncnode?).ok().filter(|bytes| *bytes > 0),
            use_pg_rewind: use_pg_rewind?,
            remove_data_directory_on_diverged_timelines: remove_data?,
            failsafe_mode: failsafe_mode?,
            timing_rules,
        };
        Ok((patroni, adjusted))
    }

    /// The three timings as written and as they are in effect, and what was changed.
    fn timings(&mut self) -> Result<(Timing, Timing, TimingRules, Vec<Adjustment>), Refused> {
        let rules = self.value("patroni.timing_rules", reader::choice);
        let whole = rules == Ok("4.1");
        let ttl = self.timing("patroni.ttl", whole);
        let loop_wait = self.timing("patroni.loop_wait", whole);
        let retry_timeout = self.timing("patroni.retry_timeout", whole);
        rules?;
        let written = Timing {
            ttl: ttl?,
            loop_wait: loop_wait?,
            retry_timeout: retry_timeout?,
        };
        if whole {
            let (timing, adjusted) = adjust_timing(written);
            Ok((written, timing, TimingRules::V4_1, adjusted))
        } else {
            Ok((written, written, TimingRules::None, Vec::new()))
        }
    }

    /// Patroni's own timings are whole seconds; only `timing_rules = "none"` allows fractions.
    fn timing(&mut self, key: &str, whole: bool) -> Result<Span, Refused> {
        let span = self.value(key, reader::span)?;
        if whole && !span.as_micros().is_multiple_of(1_000_000) {
            return Err(self.0.refuse(key, reader::not_whole()));
        }
        Ok(span)
    }

    fn watchdog(&mut self) -> Result<Watchdog, Refused> {
        let mode = self.value("watchdog.mode", reader::choice);
        let safety_margin = self.value("watchdog.safety_margin", reader::integer);
        let mode = match mode? {
            "automatic" => WatchdogMode::Automatic,
            "required" => WatchdogMode::Required,
            _ => WatchdogMode::Off,
        };
        Ok(Watchdog {
            mode,
            safety_margin: safety_margin?,
        })
    }

    fn network(&mut self) -> Result<Network, Refused> {
        let latency = self.latency("network.latency_ms");
        let loss_ppm = self.value("network.loss_percent", reader::ppm);
        let one_segment = self.value("network.one_segment", reader::flag);
        Ok(Network {
            latency: latency?,
            loss_ppm: loss_ppm?,
            one_segment: one_segment?,
        })
    }

    fn traffic(&mut self) -> Result<Traffic, Refused> {
        let writers = self.value("traffic.writers", reader::count);
        let write_period = self.value("traffic.write_period_ms", reader::span);
        let direct_writers = self.value("traffic.direct_writers", reader::flag);
        let direct_write_period = self.value("traffic.direct_write_period_ms", reader::span);
        let direct_commit = self.value("traffic.direct_commit", reader::choice);
        Ok(Traffic {
            writers: u32::try_from(writers?).unwrap_or(u32::MAX),
            write_period: write_period?,
            direct_writers: direct_writers?,
            direct_write_period: direct_write_period?,
            direct_commit: match direct_commit? {
                "local" => SynchronousCommit::Local,
                _ => SynchronousCommit::On,
            },
        })
    }

    fn fence(&mut self) -> Result<FenceUse, Refused> {
        let outside = self.value("fence.outside", reader::flag);
        let tokens = self.value("fence.tokens", reader::flag);
        let mail_keys = self.value("fence.mail_keys", reader::flag);
        Ok(FenceUse {
            outside: outside?,
            tokens: tokens?,
            mail_keys: mail_keys?,
        })
    }

    fn latency(&mut self, key: &str) -> Result<super::Latency, Refused> {
        let part = |part: &str| Field::of(&format!("{key}.{part}"));
        match (part("min"), part("typical"), part("max")) {
            (Some(min), Some(typical), Some(max)) => self.0.latency(min, typical, max),
            _ => Err(self.0.refuse(key, Problem::new("unknown key", "leave it out"))),
        }
    }
}
