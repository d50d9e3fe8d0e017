//! One `[[fault]]` as written, to a [`Fault`].

use super::error::{Errors, Problem, Refused, nearest, shown, suggest};
use super::faults::{COMMON, FAULTS, FaultSpec, KINDS_LATER, Takes};
use super::fields::Field;
use super::raw::{RawFault, Value};
use super::reader::{self, Reader};
use super::target::{AnyTarget, Names};
use super::{CutMode, DeadHostNetwork, Fault, FaultKind, Host, LatencyChange, Links, ResumeOrder, Target};
use crate::engine::{SimTime, Span};

/// Validates one fault; `number` counts them from 1.
pub(super) fn read_fault(
    raw: &RawFault,
    number: usize,
    names: Names<'_>,
    duration: Option<Span>,
    errors: &mut Errors,
) -> Result<Fault, Refused> {
    let prefix = format!("fault.{number}.");
    let reader = Reader {
        entries: &raw.entries,
        prefix,
        place: raw.place.clone(),
        errors,
    };
    let mut fault = FaultReader { reader, names };
    let spec = fault.kind()?;
    let keys = fault.unknown_keys(spec);
    let time = fault.time(spec, duration);
    let what = fault.what(spec);
    let (at, until) = time?;
    keys.and(what).map(|what| Fault {
        at,
        until,
        what,
        line: raw.place.line,
    })
}

struct FaultReader<'a> {
    reader: Reader<'a>,
    names: Names<'a>,
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
            return Err(self.reader.refuse(
                end_key,
                Problem::new(wrong, "leave it out; step back with a second fault"),
            ));
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

    fn what(&mut self, spec: &'static FaultSpec) -> Result<FaultKind, Refused> {
        match spec.kind {
            "kill" => self.kill(spec),
            "pause" => self.pause(spec),
            "cut" => self.cut(spec),
            "latency" => self.latency(spec),
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

    fn latency(&mut self, spec: &'static FaultSpec) -> Result<FaultKind, Refused> {
        let links = self.links(spec);
        let replaces = ["min_ms", "typical_ms", "max_ms"];
        let replaced = replaces.into_iter().find(|key| self.reader.entries.contains_key(*key));
        let change = match replaced {
            Some(key) if self.reader.entries.contains_key("add_ms") => {
                let problem = Problem::new(
                    format!("{key} replaces the latency to which add_ms adds"),
                    "leave one out",
                );
                Err(self.reader.refuse("add_ms", problem))
            }
            Some(_) => {
                let [min, typical, max] = replaces.map(|key| spec.field(key).unwrap_or(&COMMON[0]));
                self.reader.latency(min, typical, max).map(LatencyChange::Replace)
            }
            None => self.value(spec, "add_ms", reader::span).map(LatencyChange::Add),
        };
        Ok(FaultKind::Latency {
            links: links?,
            change: change?,
        })
    }

    /// A field of this kind.
    fn value<T>(
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
        let (Target::Process(node, _), Some(key)) = (target, written) else {
            return Ok(());
        };
        let wrong = format!("{} is a process, only a whole host has this", self.names.target(target));
        let remedy = format!(
            "leave it out, or use target = \"{}\"",
            self.names.host(Host::Node(node))
        );
        Err(self.reader.refuse(key, Problem::new(wrong, remedy)))
    }

    fn any_target(&mut self) -> Result<AnyTarget, Refused> {
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
            AnyTarget::Links(_) => Err(self.wrong_target(spec, "links")),
        }
    }

    fn host(&mut self, spec: &FaultSpec) -> Result<Host, Refused> {
        match self.target(spec)? {
            Target::Host(host) => Ok(host),
            Target::Process(..) => Err(self.wrong_target(spec, "a process")),
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
        }
    }

    fn wrong_target(&mut self, spec: &FaultSpec, what: &str) -> Refused {
        let wrong = format!("{} does not strike {what}", shown(spec.kind));
        self.reader
            .refuse("target", Problem::new(wrong, format!("use {}", spec.takes.words())))
    }
}
