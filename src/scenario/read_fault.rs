//! One `[[fault]]` as written, to a [`Fault`].

use super::error::{Errors, Problem, Refused, nearest, shown, suggest};
use super::faults::{COMMON, FAULTS, FaultSpec, KINDS_LATER, Takes};
use super::fields::Field;
use super::raw::{RawFault, Value};
use super::reader::{self, Reader};
use super::target::{AnyTarget, Names};
use super::{CutMode, DeadHostNetwork, Fault, FaultKind, Host, LatencyChange, Links, Repeats, ResumeOrder, Target};
use crate::engine::{SimTime, Span};
use crate::vocabulary::Order;

/// Validates one fault; `number` counts them from 1.
pub(super) fn read_fault(
    raw: &RawFault,
    number: usize,
    names: Names<'_>,
    duration: Option<Span>,
    errors: &mut Errors,
) -> Result<Fault, Refused> {
    let reader = fault_reader(raw, number, errors);
    let mut fault = FaultReader { reader, names };
    let spec = fault.kind()?;
    let keys = fault.unknown_keys(spec);
    let time = fault.time(spec, duration);
    let what = fault.what(spec);
    let time = time.and_then(|(at, until)| Ok((at, until, fault.repeats(spec, at, until)?)));
    let (at, until, repeats) = time?;
    let what = keys.and(what)?;
    fault.later(at, &what)?;
    Ok(Fault {
        at,
        until,
        repeats,
        what,
        line: raw.place.line,
    })
}

/// Reads the values of one fault.
pub(super) fn fault_reader<'a>(raw: &'a RawFault, number: usize, errors: &'a mut Errors) -> Reader<'a> {
    Reader {
        entries: &raw.entries,
        prefix: format!("fault.{number}."),
        place: raw.place.clone(),
        errors,
    }
}

pub(super) struct FaultReader<'a> {
    pub reader: Reader<'a>,
    pub names: Names<'a>,
}

/// The description of a field that all faults have.
fn common(key: &'static str) -> &'static Field {
    COMMON.iter().find(|field| field.key == key).unwrap_or(&COMMON[0])
}

impl FaultReader<'_> {
    fn kind(&mut self) -> Result<&'static FaultSpec, Refused> {
        let kind = self.reader.required(common("kind"), reader::text)?;
        if let Some(spec) = FaultSpec::of(&kind) {
            return Ok(spec);
        }
        let known: Vec<&str> = FAULTS.iter().map(|spec| spec.kind).collect();
        let problem = if KINDS_LATER.contains(&kind.as_str()) {
            Problem::not_built(&kind, format!("use one of {}", known.join(", ")))
        } else {
            Problem::new("there is no such fault", suggest(&kind, &known))
        };
        Err(self.reader.refuse("kind", problem))
    }

    fn unknown_keys(&mut self, spec: &FaultSpec) -> Result<(), Refused> {
        let known = spec.keys();
        let entries = self.reader.entries;
        let mut refused = Ok(());
        for key in entries.keys().filter(|key| !known.contains(&key.as_str())) {
            let other = FAULTS.iter().find(|other| other.field(key).is_some());
            let problem = match other {
                Some(other) => Problem::new(
                    format!("{} has no such field, {} has", spec.kind, other.kind),
                    "leave it out",
                ),
                None => {
                    let remedy = nearest(key, known.iter().copied());
                    let remedy =
                        remedy.map_or_else(|| "leave it out".to_string(), |key| format!("did you mean {key}?"));
                    Problem::new("unknown key", remedy)
                }
            };
            refused = Err(self.reader.refuse(key, problem));
        }
        refused
    }

    fn time(&mut self, spec: &FaultSpec, duration: Option<Span>) -> Result<(SimTime, Option<SimTime>), Refused> {
        let at = self.reader.required(common("at_s"), reader::span);
        let lasts = self.reader.optional(common("for_s"), reader::span);
        let until = self.reader.optional(common("until_s"), reader::span);
        let (at, lasts, until) = (at?, lasts?, until?);
        if let Some(duration) = duration.filter(|duration| at > *duration) {
            let wrong = format!("is after the end of the run at {} s", duration.as_secs_f64());
            return Err(self
                .reader
                .refuse("at_s", Problem::new(wrong, "begin it earlier or lengthen duration_s")));
        }
        let end_key = if lasts.is_some() { "for_s" } else { "until_s" };
        if !spec.ends && (lasts.is_some() || until.is_some()) {
            let wrong = format!("a {} has no end", spec.kind);
            let remedy = match spec.kind {
                "clock_step" => "leave it out; step back with a second fault",
                _ => "leave it out",
            };
            return Err(self.reader.refuse(end_key, Problem::new(wrong, remedy)));
        }
        let end = match (lasts, until) {
            (None, None) => return Ok((SimTime(at.as_micros()), None)),
            (Some(_), Some(_)) => {
                let problem = Problem::new("for_s and until_s both say when it ends", "leave one of them out");
                return Err(self.reader.refuse("until_s", problem));
            }
            (Some(lasts), None) => at + lasts,
            (None, Some(until)) => until,
        };
        if end <= at {
            let problem = Problem::new("is not after at_s", "end the fault later than it begins");
            return Err(self.reader.refuse("until_s", problem));
        }
        Ok((SimTime(at.as_micros()), Some(SimTime(end.as_micros()))))
    }

    fn repeats(&mut self, spec: &FaultSpec, at: SimTime, until: Option<SimTime>) -> Result<Option<Repeats>, Refused> {
        let every = self.reader.optional(common("every_s"), reader::span);
        let stop = self.reader.optional(common("repeat_until_s"), reader::span);
        let (every, stop) = (every?, stop?);
        let Some(every) = every else {
            return match stop {
                None => Ok(None),
                Some(_) => {
                    let problem = Problem::new("says until when it comes again, but not how often", "add every_s");
                    Err(self.reader.refuse("repeat_until_s", problem))
                }
            };
        };
        let lasts = until.filter(|_| self.reader.entries.contains_key("for_s"));
        let Some(lasts) = lasts.map(|until| until.since(at)) else {
            let problem = if spec.ends {
                let wrong = "comes again without saying how long it lasts each time";
                Problem::new(
                    wrong,
                    if until.is_some() {
                        "write for_s instead of until_s"
                    } else {
                        "add for_s"
                    },
                )
            } else {
                let wrong = format!("a {} has no end and does not come again", spec.kind);
                Problem::new(wrong, "leave it out; write a fault for each time")
            };
            return Err(self.reader.refuse("every_s", problem));
        };
        if every <= lasts {
            let wrong = format!("comes again before it has ended, after {} s", lasts.as_secs_f64());
            let problem = Problem::new(wrong, "make every_s longer than for_s");
            return Err(self.reader.refuse("every_s", problem));
        }
        let stop = stop.map(|stop| SimTime(stop.as_micros()));
        if stop.is_some_and(|stop| stop <= at) {
            let problem = Problem::new(
                "is not after at_s",
                "let it stop later than it begins for the first time",
            );
            return Err(self.reader.refuse("repeat_until_s", problem));
        }
        Ok(Some(Repeats { every, until: stop }))
    }

    fn what(&mut self, spec: &'static FaultSpec) -> Result<FaultKind, Refused> {
        match spec.kind {
            "kill" => self.kill(spec),
            "pause" => self.pause(spec),
            "cut" => self.cut(spec),
            "latency" => {
                let (links, change) = (self.links(spec), self.change(spec));
                Ok(FaultKind::Latency {
                    links: links?,
                    change: change?,
                })
            }
            "disk_stall" => self.disk(spec).map(|host| FaultKind::DiskStall { host }),
            "disk_slow" => {
                let (host, change) = (self.disk(spec), self.change(spec));
                Ok(FaultKind::DiskSlow {
                    host: host?,
                    change: change?,
                })
            }
            "loss" => {
                let (links, ppm) = (self.links(spec), self.value(spec, "percent", reader::ppm));
                Ok(FaultKind::Loss {
                    links: links?,
                    ppm: ppm?,
                })
            }
            "clock_step" => {
                let (host, by) = (self.host(spec), self.value(spec, "by_s", reader::signed_micros));
                Ok(FaultKind::ClockStep {
                    host: host?,
                    by_us: by?,
                })
            }
            "clock_rate" => {
                let (host, ppm) = (self.host(spec), self.value(spec, "ppm", reader::integer));
                Ok(FaultKind::ClockRate {
                    host: host?,
                    ppm: i32::try_from(ppm?).unwrap_or_default(),
                })
            }
            "stop" => self.stop(spec),
            "switchover" => self.switchover(spec),
            "failover" => self.order(spec, Order::Failover),
            "restart" => self.order(spec, Order::RestartDatabase),
            "maintenance" => self.order(spec, Order::Maintenance),
            "configure" => self.configure(spec),
            "tag" => self.tag(spec),
            "block" => self.block(spec),
            "same_name" => self.same_name(spec),
            "slow_sql" => self.slow_sql(spec),
            "stuck_stop" => self.order(spec, Order::StuckStop),
            "failed_promote" => self.order(spec, Order::FailPromotion),
            "store_errors" => self.order(spec, Order::AnswerErrors),
            "delete_key" => self.order(spec, Order::DeleteLeaderKey),
            _ => Err(self
                .reader
                .refuse("kind", Problem::not_built(spec.kind, "choose another kind"))),
        }
    }

    fn kill(&mut self, spec: &'static FaultSpec) -> Result<FaultKind, Refused> {
        let target = self.target(spec);
        let network = self.value(spec, "network", reader::choice);
        let target = target?;
        self.hosts_only(spec, target)?;
        let network = match network? {
            "refused" => DeadHostNetwork::Refused,
            _ => DeadHostNetwork::Silent,
        };
        Ok(FaultKind::Kill { target, network })
    }

    fn pause(&mut self, spec: &'static FaultSpec) -> Result<FaultKind, Refused> {
        let target = self.target(spec);
        let monotonic_runs = self.value(spec, "monotonic_runs", reader::flag);
        let order = self.value(spec, "resume_order", reader::choice);
        let target = target?;
        self.hosts_only(spec, target)?;
        let resume_order = match order? {
            "messages" => ResumeOrder::Messages,
            _ => ResumeOrder::Application,
        };
        Ok(FaultKind::Pause {
            target,
            monotonic_runs: monotonic_runs?,
            resume_order,
        })
    }

    fn cut(&mut self, spec: &'static FaultSpec) -> Result<FaultKind, Refused> {
        let links = self.links(spec);
        let mode = match self.value(spec, "mode", reader::choice)? {
            "refused" => CutMode::Refused,
            "mute" => CutMode::Mute,
            "payload_lost" => CutMode::PayloadLost,
            _ => CutMode::Silent,
        };
        Ok(FaultKind::Cut { links: links?, mode })
    }

    /// What becomes of a latency, or of the time a disk takes.
    fn change(&mut self, spec: &'static FaultSpec) -> Result<LatencyChange, Refused> {
        let replaces = ["min_ms", "typical_ms", "max_ms"];
        let replaced = replaces.into_iter().find(|key| self.reader.entries.contains_key(*key));
        match replaced {
            Some(key) if self.reader.entries.contains_key("add_ms") => {
                let problem = Problem::new(format!("{key} replaces that to which add_ms adds"), "leave one out");
                Err(self.reader.refuse("add_ms", problem))
            }
            Some(_) => {
                let [min, typical, max] = replaces.map(|key| spec.field(key).unwrap_or(&COMMON[0]));
                self.reader.latency(min, typical, max).map(LatencyChange::Replace)
            }
            None => self.value(spec, "add_ms", reader::span).map(LatencyChange::Add),
        }
    }

    /// A field of this kind.
    pub(super) fn value<T>(
        &mut self,
        spec: &'static FaultSpec,
        key: &'static str,
        read: impl Fn(&Field, &Value) -> Result<T, Problem>,
    ) -> Result<T, Refused> {
        match spec.field(key) {
            Some(field) => self.reader.required(field, read),
            None => Err(self.reader.refuse(key, Problem::new("unknown key", "leave it out"))),
        }
    }

    /// A process has none of the fields that belong to a whole host.
    fn hosts_only(&mut self, spec: &FaultSpec, target: Target) -> Result<(), Refused> {
        let written = spec
            .hosts_only
            .iter()
            .find(|key| self.reader.entries.contains_key(**key));
        let (host, key) = match (target, written) {
            (Target::Process(node, _), Some(key)) => (Host::Node(node), key),
            (Target::Member(member), Some(key)) => (self.names.host_of_member(member), key),
            (Target::Host(_), _) | (_, None) => return Ok(()),
        };
        let wrong = format!("{} is a process, only a whole host has this", self.names.target(target));
        let remedy = format!("leave it out, or use target = \"{}\"", self.names.host(host));
        Err(self.reader.refuse(key, Problem::new(wrong, remedy)))
    }

    pub(super) fn any_target(&mut self) -> Result<AnyTarget, Refused> {
        let text = self.reader.required(common("target"), reader::text)?;
        self.names
            .read(text.trim())
            .map_err(|problem| self.reader.refuse("target", problem))
    }

    fn target(&mut self, spec: &FaultSpec) -> Result<Target, Refused> {
        match self.any_target()? {
            AnyTarget::One(Target::Host(Host::Clients)) => {
                let wrong = format!("{} does not strike the clients' host", spec.kind);
                Err(self
                    .reader
                    .refuse("target", Problem::new(wrong, "cut its links instead")))
            }
            AnyTarget::One(target) => Ok(target),
            AnyTarget::Disk(_) => Err(self.wrong_target(spec, "a disk")),
            AnyTarget::Links(_) => Err(self.wrong_target(spec, "links")),
        }
    }

    fn host(&mut self, spec: &FaultSpec) -> Result<Host, Refused> {
        match self.target(spec)? {
            Target::Host(host) => Ok(host),
            Target::Process(..) => Err(self.wrong_target(spec, "a process")),
            Target::Member(member) => Err(self.not_its_own(member, "clock", "")),
        }
    }

    fn disk(&mut self, spec: &FaultSpec) -> Result<Host, Refused> {
        match self.any_target()? {
            AnyTarget::Disk(host) => Ok(host),
            AnyTarget::One(Target::Process(..)) => Err(self.wrong_target(spec, "a process")),
            AnyTarget::One(Target::Host(Host::Clients)) => Err(self.wrong_target(spec, "the clients' host")),
            AnyTarget::One(Target::Host(host)) => {
                let wrong = format!("{} strikes a disk, not a host", spec.kind);
                let remedy = format!("use \"{}\"", self.names.disk(host));
                Err(self.reader.refuse("target", Problem::new(wrong, remedy)))
            }
            AnyTarget::One(Target::Member(member)) => Err(self.not_its_own(member, "disk", "/disk")),
            AnyTarget::Links(_) => Err(self.wrong_target(spec, "links")),
        }
    }

    fn links(&mut self, spec: &FaultSpec) -> Result<Links, Refused> {
        match self.any_target()? {
            AnyTarget::Links(links) => Ok(links),
            AnyTarget::One(Target::Host(host)) => {
                let wrong = format!("{} strikes links, not a host", spec.kind);
                let remedy = format!("use \"{} <-> *\", or {}", self.names.host(host), Takes::Links.words());
                Err(self.reader.refuse("target", Problem::new(wrong, remedy)))
            }
            AnyTarget::One(Target::Process(..)) => Err(self.wrong_target(spec, "a process")),
            AnyTarget::One(Target::Member(member)) => Err(self.not_its_own(member, "links", " <-> *")),
            AnyTarget::Disk(_) => Err(self.wrong_target(spec, "a disk")),
        }
    }

    /// A member of the store on a node's host was named for something of that host.
    fn not_its_own(&mut self, member: usize, what: &str, part: &str) -> Refused {
        let problem = self.names.not_its_own(member, what, part);
        self.reader.refuse("target", problem)
    }

    fn wrong_target(&mut self, spec: &FaultSpec, what: &str) -> Refused {
        let wrong = format!("{} does not strike {what}", shown(spec.kind));
        self.reader
            .refuse("target", Problem::new(wrong, format!("use {}", spec.takes.words())))
    }
}
