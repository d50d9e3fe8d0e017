//! The whole file: from the raw form to a [`LeaseScenario`], with all errors that can be found at once.

use super::super::error::{Errors, Problem, Refused, ScenarioError, nearest};
use super::super::fields::{FAULTS_MAX, Field};
use super::super::raw::{Raw, RawFault, Value};
use super::super::read_fault::{fault_reader, read_fault};
use super::super::reader::{self, Reader};
use super::super::system::{System, is_of};
use super::super::target::Names;
use super::super::{Ends, Fault, FaultKind, Host, Placement, Target};
use super::fields::{FORMAT, JOB_FIELDS, LEASE_FIELDS, WORKER_FIELDS};
use super::read_lists::{different, fits, job, worker};
use super::{DatabaseSetting, GrantedBy, Grants, LeaseScenario, hosts};
use crate::engine::Span;
use crate::fence::{FenceRule, FenceScope};
use crate::protocols::CountsFrom;

/// More workers or jobs than these make a scenario that nobody reads.
const WORKERS_MAX: usize = 20;
const JOBS_MAX: usize = 500;

impl LeaseScenario {
    /// Reads a file; `origin` is its name, for errors.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of the lines.
    ///
    /// ```
    /// use leaselab::scenario::lease::LeaseScenario;
    /// let text = "system = \"lease\"\n[lease]\nholder = \"A\"\n[[worker]]\nname = \"A\"\n[[job]]\nworker = \"A\"\nafter_s = 0.5\n";
    /// let scenario = LeaseScenario::parse(text, "example.toml").unwrap();
    /// assert_eq!(scenario.hosts(), ["service", "resource", "mail", "A"]);
    ///
    /// let errors = LeaseScenario::parse(&text.replace("after_s", "aftr_s"), "example.toml").unwrap_err();
    /// assert_eq!(errors[0].to_string(), "example.toml:8: job.1.aftr_s = 0.5: unknown key; did you mean after_s?");
    /// ```
    pub fn parse(text: &str, origin: &str) -> Result<LeaseScenario, Vec<ScenarioError>> {
        LeaseScenario::parse_with(text, origin, &[])
    }

    /// The same after some values were replaced, as `--set lease.ttl_s=2` does.
    ///
    /// # Errors
    /// As [`LeaseScenario::parse`].
    pub fn parse_with(
        text: &str,
        origin: &str,
        overrides: &[(String, String)],
    ) -> Result<LeaseScenario, Vec<ScenarioError>> {
        let mut errors = Errors::default();
        let scenario = Raw::read(text, origin, FORMAT, &mut errors).and_then(|mut raw| {
            is_of(System::Lease, &raw, &mut errors)?;
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

/// Values by the description of their fields.
pub(super) struct Values<'a> {
    fields: &'static [Field],
    pub reader: Reader<'a>,
}

pub(super) type Read<T> = fn(&Field, &Value) -> Result<T, Problem>;

impl Values<'_> {
    fn field(&self, key: &str) -> &'static Field {
        self.fields
            .iter()
            .find(|field| field.key == key)
            .unwrap_or(&self.fields[0])
    }
    pub fn required<T>(&mut self, key: &str, read: Read<T>) -> Result<T, Refused> {
        self.reader.required(self.field(key), read)
    }
    pub fn optional<T>(&mut self, key: &str, read: Read<T>) -> Result<Option<T>, Refused> {
        self.reader.optional(self.field(key), read)
    }

    /// Of a table in a list: keys that it cannot have.
    fn refuse_unknown(&mut self) -> Result<(), Refused> {
        let known: Vec<&str> = self.fields.iter().map(|field| field.key).collect();
        let unknown = self.reader.entries.keys().filter(|key| !known.contains(&key.as_str()));
        let mut refused = Ok(());
        for key in unknown {
            let meant = nearest(key, known.iter().copied());
            let remedy = meant.map_or_else(|| "leave it out".to_owned(), |key| format!("did you mean {key}?"));
            refused = Err(self.reader.refuse(key, Problem::new("unknown key", remedy)));
        }
        refused
    }

    /// The index of a worker by its name.
    pub fn worker(&mut self, key: &str, name: &str, workers: &[String]) -> Result<usize, Refused> {
        workers.iter().position(|worker| worker == name).ok_or_else(|| {
            let problem = Problem::new("there is no such worker", format!("use one of {}", workers.join(", ")));
            self.reader.refuse(key, problem)
        })
    }
}

fn scenario(raw: &Raw, errors: &mut Errors) -> Result<LeaseScenario, Refused> {
    let workers = tables(raw, "worker", WORKER_FIELDS, WORKERS_MAX, errors, worker);
    let names: Vec<String> = workers.iter().flatten().map(|worker| worker.name.clone()).collect();
    let workers = workers.and_then(|workers| different(raw, workers, errors));
    let jobs = tables(raw, "job", JOB_FIELDS, JOBS_MAX, errors, |values| job(values, &names));
    let mut top = Values {
        fields: LEASE_FIELDS,
        reader: Reader {
            entries: &raw.entries,
            prefix: String::new(),
            place: raw.place.clone(),
            errors,
        },
    };
    let title = top.required("title", reader::text);
    let duration = top.required("duration_s", reader::span);
    let seed = top.required("seed", reader::count);
    let grants = grants(&mut top, &names);
    let fence = top.required("resource.fence", reader::choice);
    let scope = top.required("resource.scope", reader::choice);
    let stamped_first = top.required("resource.stamped_first", reader::flag);
    let mail_keys = top.required("mail.keys", reader::flag);
    let latency = top.required("network.latency_ms", reader::span);
    let (grants, workers, jobs) = (grants?, workers?, jobs?);
    fits(raw, &grants, &workers, &jobs, errors)?;
    let faults = faults(raw, &hosts(names, &grants), duration?, errors);
    Ok(LeaseScenario {
        title: title?,
        comment: raw.comment.clone(),
        duration: duration?,
        seed: seed?,
        grants,
        fence: match fence? {
            "at_least" => FenceRule::AtLeast,
            "greater" => FenceRule::Greater,
            "equal" => FenceRule::Equal,
            _ => FenceRule::Off,
        },
        scope: match scope? {
            "root" => FenceScope::Root,
            _ => FenceScope::Row,
        },
        stamped_first: stamped_first?,
        mail_keys: mail_keys?,
        latency: latency?,
        workers,
        jobs,
        faults: faults?,
    })
}

/// The tables of one list.
fn tables<T>(
    raw: &Raw,
    name: &str,
    fields: &'static [Field],
    most: usize,
    errors: &mut Errors,
    read: impl Fn(&mut Values<'_>) -> Result<T, Refused>,
) -> Result<Vec<T>, Refused> {
    let of_name = raw.tables.iter().filter(|(list, _)| *list == name);
    let tables: Vec<&RawFault> = of_name.map(|(_, table)| table).collect();
    if let Some(first) = tables.get(most) {
        let problem = Problem::new(format!("more than {most} of them, the limit"), "leave some out");
        return Err(errors.push(&first.place, name, &format!("{} of them", tables.len()), problem));
    }
    let mut all = Vec::with_capacity(tables.len());
    for (index, table) in tables.into_iter().enumerate() {
        let mut values = Values {
            fields,
            reader: Reader {
                entries: &table.entries,
                prefix: format!("{name}.{}.", index + 1),
                place: table.place.clone(),
                errors,
            },
        };
        let known = values.refuse_unknown();
        all.push(known.and(read(&mut values)));
    }
    all.into_iter().collect()
}

fn grants(top: &mut Values<'_>, workers: &[String]) -> Result<Grants, Refused> {
    let by = match top.required("lease.by", reader::choice)? {
        "session" => GrantedBy::Session,
        "row" => GrantedBy::Row,
        _ => GrantedBy::Service,
    };
    let holder = match top.optional("lease.holder", reader::text)? {
        Some(name) => Some(top.worker("lease.holder", &name, workers)?),
        None => None,
    };
    let ttl = top.required("lease.ttl_s", reader::span)?;
    if ttl == Span::ZERO {
        let problem = Problem::new("a lease that lasts no time is none", "use at least 0.000001");
        return Err(top.reader.refuse("lease.ttl_s", problem));
    }
    if holder.is_some() && by == GrantedBy::Session {
        let problem = Problem::new("a session begins in the run", "let the worker ask at 0 s instead");
        return Err(top.reader.refuse("lease.holder", problem));
    }
    Ok(Grants {
        by,
        ttl,
        first_token: top.required("lease.first_token", reader::count)?,
        holder,
        counts_from: match top.required("lease.counts_from", reader::choice)? {
            "receipt" => CountsFrom::Receipt,
            _ => CountsFrom::Send,
        },
        forgets: top.required("lease.forgets", reader::flag)?,
        salted: top.required("lease.lock_number", reader::choice)? == "salted",
        database: database(top)?,
        pooler_recycles: top.optional("pooler.recycles_at_s", reader::span)?,
    })
}

fn database(top: &mut Values<'_>) -> Result<DatabaseSetting, Refused> {
    Ok(DatabaseSetting {
        keepalive_idle: top.required("database.keepalive_idle_s", reader::span)?,
        keepalive_interval: top.required("database.keepalive_interval_s", reader::span)?,
        keepalive_count: top.required("database.keepalive_count", reader::count)?,
        user_timeout: top.required("database.user_timeout_s", reader::span)?,
        standby: top.required("database.standby", reader::flag)?,
        synchronous: top.required("database.synchronous", reader::flag)?,
        promoted_at: top.optional("database.promoted_at_s", reader::span)?,
        timeline_in_token: top.required("database.token", reader::choice)? != "epoch",
    })
}

fn faults(raw: &Raw, hosts: &[String], duration: Span, errors: &mut Errors) -> Result<Vec<Fault>, Refused> {
    if let Some(first) = raw.faults.get(FAULTS_MAX) {
        let problem = Problem::new(format!("more than {FAULTS_MAX} faults, the limit"), "leave some out");
        return Err(errors.push(&first.place, "fault", &format!("{} faults", raw.faults.len()), problem));
    }
    let names = Names {
        nodes: hosts,
        members: 0,
        placement: Placement::Own,
        writers: false,
    };
    let mut faults = Vec::with_capacity(raw.faults.len());
    for (index, fault) in raw.faults.iter().enumerate() {
        let read = read_fault(fault, index + 1, names, Some(duration), errors);
        faults.push(read.and_then(|read| strikes_hosts(read, fault, index + 1, errors)));
    }
    faults.into_iter().collect()
}

/// Hosts here have no agents, databases or disks that could be struck by themselves.
fn strikes_hosts(fault: Fault, raw: &RawFault, number: usize, errors: &mut Errors) -> Result<Fault, Refused> {
    let (key, wrong) = match &fault.what {
        FaultKind::Kill { target, .. } | FaultKind::Pause { target, .. } => match target {
            Target::Host(Host::Node(_)) => return Ok(fault),
            _ => ("target", "there is no such process here"),
        },
        FaultKind::Cut { links, .. } | FaultKind::Latency { links, .. } | FaultKind::Loss { links, .. } => {
            let clients = |ends: &Ends| matches!(ends, Ends::Hosts(hosts) if hosts.contains(&Host::Clients));
            if !clients(&links.left) && !clients(&links.right) {
                return Ok(fault);
            }
            ("target", "there is no host clients here")
        }
        FaultKind::ClockStep { .. } | FaultKind::ClockRate { .. } => return Ok(fault),
        _ => ("kind", "nothing here can be struck by it"),
    };
    let problem = Problem::new(
        wrong,
        "use kill, pause, cut, latency, loss, clock_step or clock_rate, of hosts and links",
    );
    Err(fault_reader(raw, number, errors).refuse(key, problem))
}
