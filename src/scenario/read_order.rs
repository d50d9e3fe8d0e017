//! The fault kinds that are told to a process: to end in its own time, or one of the [`Order`]s.

use super::error::{Problem, Refused, shown};
use super::faults::{FaultSpec, Takes};
use super::raw::Value;
use super::read_fault::FaultReader;
use super::reader;
use super::target::AnyTarget;
use super::{FaultKind, Host, Process, Target};
use crate::engine::{SimTime, WallTime};
use crate::vocabulary::{NodeId, Order, Tag};

/// When a switchover is to happen, by a clock that is right.
const SCHEDULED: &str = "scheduled_at_s";

impl FaultReader<'_> {
    pub(super) fn stop(&mut self, spec: &'static FaultSpec) -> Result<FaultKind, Refused> {
        self.taken(spec).map(|target| FaultKind::Stop { target })
    }

    /// An order without choices.
    pub(super) fn order(&mut self, spec: &'static FaultSpec, order: Order) -> Result<FaultKind, Refused> {
        self.taken(spec).map(|target| FaultKind::Order { target, order })
    }

    pub(super) fn switchover(&mut self, spec: &'static FaultSpec) -> Result<FaultKind, Refused> {
        let to = self.other_node(spec, "to", "cannot hand over to itself");
        let scheduled = match spec.field(SCHEDULED) {
            Some(field) => self.reader.optional(field, reader::signed_micros)?,
            None => None,
        };
        let target = self.taken(spec);
        let order = Order::Switchover {
            to: to?,
            scheduled: scheduled.map(WallTime),
        };
        Ok(FaultKind::Order { target: target?, order })
    }

    /// What is asked for a later time is asked before.
    pub(super) fn later(&mut self, at: SimTime, what: &FaultKind) -> Result<(), Refused> {
        let scheduled = match what {
            FaultKind::Order {
                order: Order::Switchover { scheduled, .. },
                ..
            } => *scheduled,
            _ => None,
        };
        if scheduled.is_some_and(|scheduled| scheduled.since(WallTime(0)) <= at.since(SimTime::ZERO)) {
            let problem = Problem::new("is not after at_s", "leave it out to hand over at once");
            return Err(self.reader.refuse(SCHEDULED, problem));
        }
        Ok(())
    }

    pub(super) fn block(&mut self, spec: &'static FaultSpec) -> Result<FaultKind, Refused> {
        let thread = self.value(spec, "thread", reader::choice);
        let target = self.taken(spec);
        let order = match thread? {
            "watcher" => Order::BlockWatcher,
            _ => Order::BlockLoop,
        };
        Ok(FaultKind::Order { target: target?, order })
    }

    pub(super) fn tag(&mut self, spec: &'static FaultSpec) -> Result<FaultKind, Refused> {
        let tag = self.value(spec, "tag", reader::choice);
        let target = self.taken(spec);
        let order = Order::Tag(match tag? {
            "nosync" => Tag::NoSync,
            _ => Tag::NoFailover,
        });
        Ok(FaultKind::Order { target: target?, order })
    }

    pub(super) fn same_name(&mut self, spec: &'static FaultSpec) -> Result<FaultKind, Refused> {
        let name = self.other_node(spec, "name", "has that name already");
        let target = self.taken(spec);
        let Some(name) = name? else {
            let remedy = "add name = the node whose name it takes";
            return Err(self.reader.refuse("name", Problem::new("must be given", remedy)));
        };
        let order = Order::TakeName { name };
        Ok(FaultKind::Order { target: target?, order })
    }

    pub(super) fn slow_sql(&mut self, spec: &'static FaultSpec) -> Result<FaultKind, Refused> {
        let by = self.value(spec, "add_ms", reader::span);
        let target = self.taken(spec);
        let order = Order::SlowSql { by: by? };
        Ok(FaultKind::Order { target: target?, order })
    }

    /// A field that names a node, another one than that which the fault strikes; `same` says what is wrong with that one.
    fn other_node(
        &mut self,
        spec: &'static FaultSpec,
        key: &'static str,
        same: &str,
    ) -> Result<Option<NodeId>, Refused> {
        let Some(field) = spec.field(key) else { return Ok(None) };
        let Some(name) = self.reader.optional(field, reader::text)? else {
            return Ok(None);
        };
        let nodes = self.names.nodes;
        let Some(index) = nodes.iter().position(|node| *node == name.trim()) else {
            let wrong = format!("there is no node {}", shown(&name));
            let problem = Problem::new(wrong, format!("use one of {}", nodes.join(", ")));
            return Err(self.reader.refuse(key, problem));
        };
        if self.struck_node() == Some(index) {
            let problem = Problem::new(format!("{} {same}", nodes[index]), "name another node");
            return Err(self.reader.refuse(key, problem));
        }
        Ok(Some(NodeId(index as u8)))
    }

    /// The node that is struck, or whose process is, when the target is one.
    fn struck_node(&self) -> Option<usize> {
        match self.reader.entries.get("target").map(|entry| &entry.value) {
            Some(Value::Text(text)) => node_of(&self.names.read(text.trim()).ok()?),
            _ => None,
        }
    }

    /// A target of the one sort that this kind takes.
    pub(super) fn taken(&mut self, spec: &'static FaultSpec) -> Result<Target, Refused> {
        let target = self.any_target()?;
        let what = match target {
            AnyTarget::One(target) if spec.takes.takes(target) => return Ok(target),
            AnyTarget::One(Target::Host(Host::Node(_))) => "a node",
            AnyTarget::One(Target::Host(Host::Store(_)) | Target::Member(_)) => "a member of the store",
            AnyTarget::One(Target::Host(Host::Clients)) => "the clients' host",
            AnyTarget::One(Target::Process(_, Process::Agent)) => "an agent",
            AnyTarget::One(Target::Process(_, Process::Postgres)) => "a database",
            AnyTarget::One(Target::Process(_, Process::Writer)) => "a writer",
            AnyTarget::Disk(_) => "a disk",
            AnyTarget::Links(_) => "links",
        };
        let meant = node_of(&target).and_then(|node| match spec.takes {
            Takes::Nodes => Some(Target::Host(Host::Node(node))),
            Takes::Agents => Some(Target::Process(node, Process::Agent)),
            Takes::Databases => Some(Target::Process(node, Process::Postgres)),
            _ => None,
        });
        let remedy = match meant {
            Some(meant) => format!("use \"{}\"", self.names.target(meant)),
            None => format!("use {}", spec.takes.words()),
        };
        let problem = Problem::new(format!("{} does not strike {what}", spec.kind), remedy);
        Err(self.reader.refuse("target", problem))
    }
}

/// The node that a target is, or is on.
fn node_of(target: &AnyTarget) -> Option<usize> {
    match *target {
        AnyTarget::One(Target::Host(Host::Node(node)) | Target::Process(node, _))
        | AnyTarget::Disk(Host::Node(node)) => Some(node),
        _ => None,
    }
}
