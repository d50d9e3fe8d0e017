//! Faults of the scenario by hand: chosen, moved and stretched on the timeline, ended, edited number by number. What cannot
//! be is refused in words; what a pointer cannot mean is left as it was.

use super::{Effect, Session};
use crate::draw::Part;
use crate::engine::{SimTime, Span};
use crate::scenario::decimal::Decimal;
use crate::scenario::faults::{COMMON, FaultSpec};
use crate::scenario::{Fault, Field};
use std::rc::Rc;

/// What is done to a fault, by its place in the scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultEdit {
    /// Shows its numbers; none: of none.
    Choose(Option<usize>),
    /// A pointer takes hold of one of its chips at this instant.
    Grab(usize, Part, SimTime),
    /// The pointer is at this instant now; it aims no finer than this.
    Drag(SimTime, Span),
    /// The pointer lets go.
    LetGo,
    /// Writes one of its fields; empty: leaves it out.
    Set(usize, &'static str, String),
    /// It begins at the playhead, and lasts as long as before.
    BeginNow(usize),
    /// It ends at the playhead.
    EndNow(usize),
    Remove(usize),
}

/// What a pointer holds: a fault, or one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grasp {
    fault: usize,
    part: Part,
    /// How far after the held instant the pointer was put down, in µs: of a fault that comes again, any of its times can be
    /// held.
    off_us: i64,
}

/// A fault that is stretched keeps at least this.
const LASTS_MIN: Span = Span(1_000);

impl Session {
    pub(super) fn edit_fault(&mut self, edit: FaultEdit) -> Vec<Effect> {
        match edit {
            FaultEdit::Choose(which) => {
                self.chosen_fault = which.filter(|&index| index < self.scenario.faults.len());
                self.refused = None;
                Vec::new()
            }
            FaultEdit::Grab(index, part, at) => self.grab(index, part, at),
            FaultEdit::Drag(to, step) => self.drag(to, step),
            FaultEdit::LetGo => {
                self.grasp = None;
                self.history.settle();
                Vec::new()
            }
            FaultEdit::Set(index, key, value) => self.set_fault_field(index, key, &value),
            FaultEdit::BeginNow(index) => self.shift_fault(index, self.playhead),
            FaultEdit::EndNow(index) => self.end_fault(index, Some(self.playhead)),
            FaultEdit::Remove(index) => self.remove_fault(index),
        }
    }

    /// The fault that is chosen, while there is one.
    pub fn chosen_fault(&self) -> Option<(usize, &Fault)> {
        let index = self.chosen_fault?;
        Some((index, self.scenario.faults.get(index)?))
    }

    /// The fault that a pointer moves now.
    pub(super) fn moving_fault(&self) -> Option<usize> {
        self.grasp.map(|grasp| grasp.fault)
    }

    fn grab(&mut self, index: usize, part: Part, at: SimTime) -> Vec<Effect> {
        let Some(fault) = self.scenario.faults.get(index) else {
            return Vec::new();
        };
        let held = match part {
            Part::End => fault.until.unwrap_or(SimTime::ZERO + self.scenario.duration),
            Part::Whole | Part::Start => fault.at,
        };
        self.grasp = Some(Grasp {
            fault: index,
            part,
            off_us: at.0 as i64 - held.0 as i64,
        });
        self.history.settle();
        self.chosen_fault = Some(index);
        self.refused = None;
        Vec::new()
    }

    fn drag(&mut self, to: SimTime, step: Span) -> Vec<Effect> {
        let Some(Grasp { fault, part, off_us }) = self.grasp else {
            return Vec::new();
        };
        let to = rounded(to.0.saturating_add_signed(-off_us), step.0);
        let end = SimTime::ZERO + self.scenario.duration;
        match part {
            Part::Whole => self.shift_fault(fault, to.min(end)),
            Part::Start => self.begin_fault(fault, to.min(end)),
            // At the edge of the run it lasts to its end, whatever the length of the run.
            Part::End => self.end_fault(fault, Some(to).filter(|to| *to < end)),
        }
    }

    /// Lets it begin then and last as long as before.
    fn shift_fault(&mut self, index: usize, at: SimTime) -> Vec<Effect> {
        self.change_fault(index, |fault| {
            fault.until = fault.until.map(|until| at + until.since(fault.at));
            fault.at = at;
        })
    }

    /// Lets it begin then and end when it ended before.
    fn begin_fault(&mut self, index: usize, at: SimTime) -> Vec<Effect> {
        self.change_fault(index, |fault| {
            let latest = fault.until.map(|until| SimTime(until.0.saturating_sub(LASTS_MIN.0)));
            fault.at = latest.map_or(at, |latest| at.min(latest));
        })
    }

    fn end_fault(&mut self, index: usize, until: Option<SimTime>) -> Vec<Effect> {
        let repeats = self
            .scenario
            .faults
            .get(index)
            .is_some_and(|fault| fault.repeats.is_some());
        // One that comes again has an end.
        let until = until.or_else(|| repeats.then_some(SimTime::ZERO + self.scenario.duration));
        self.change_fault(index, |fault| {
            if fault.what.lasts() {
                fault.until = until.map(|until| until.max(fault.at + LASTS_MIN));
            }
        })
    }

    /// Changes its times, as far as a file could say the same; else nothing changes.
    fn change_fault(&mut self, index: usize, change: impl FnOnce(&mut Fault)) -> Vec<Effect> {
        let Some(fault) = self.scenario.faults.get(index) else {
            return Vec::new();
        };
        let mut changed = fault.clone();
        change(&mut changed);
        if changed == *fault {
            return Vec::new();
        }
        self.refused = None;
        let written = self.scenario.fault_as_written(&changed);
        let fields: Vec<_> = written.iter().map(|(key, value)| (*key, value.as_str())).collect();
        match Rc::make_mut(&mut self.scenario).set_fault(index, &fields) {
            Ok(()) => self.simulate(),
            Err(errors) => self.refuse_fault(None, &errors),
        }
    }

    fn set_fault_field(&mut self, index: usize, key: &'static str, value: &str) -> Vec<Effect> {
        let Some(fault) = self.scenario.faults.get(index) else {
            return Vec::new();
        };
        let shown = fault_fields(self, fault);
        let mut fields: Vec<(&str, &str)> = vec![("kind", kind_of(self, fault))];
        fields.extend(shown.iter().map(|(field, value)| (field.key, value.as_str())));
        for field in &mut fields {
            if field.0 == key {
                field.1 = value.trim();
            }
        }
        fields.retain(|(_, value)| !value.is_empty());
        self.refused = None;
        let before = self.scenario.clone();
        match Rc::make_mut(&mut self.scenario).set_fault(index, &fields) {
            Ok(()) if before == self.scenario => Vec::new(),
            Ok(()) => self.simulate(),
            Err(errors) => self.refuse_fault(Some(value), &errors),
        }
    }

    /// Takes a fault away, by its place in the scenario, and runs again.
    fn remove_fault(&mut self, index: usize) -> Vec<Effect> {
        if index >= self.scenario.faults.len() {
            return Vec::new();
        }
        self.refused = None;
        self.grasp = None;
        self.chosen_fault = None;
        Rc::make_mut(&mut self.scenario).faults.remove(index);
        self.simulate()
    }
}

fn kind_of(session: &Session, fault: &Fault) -> &'static str {
    let written = session.scenario.fault_as_written(fault);
    let kind = written.iter().find(|(key, _)| *key == "kind");
    let kind = kind.and_then(|(_, kind)| FaultSpec::of(kind.trim_matches('"')));
    kind.map_or("", |spec| spec.kind)
}

/// What a fault's form shows: every field that it has or may have, and what it holds; an empty one is left out of the file. How
/// long it lasts stands there instead of when it ends: so it keeps its length when it is moved.
pub fn fault_fields(session: &Session, fault: &Fault) -> Vec<(&'static Field, String)> {
    let Some(spec) = FaultSpec::of(kind_of(session, fault)) else {
        return Vec::new();
    };
    let written = session.scenario.fault_as_written(fault);
    let lasts = fault.until.map(|until| until.since(fault.at).0);
    let value = |field: &'static Field| match (field.key, lasts) {
        ("for_s", Some(lasts)) => Decimal::millionths(i128::from(lasts)).to_string(),
        (key, _) => {
            let found = written.iter().find(|(written, _)| *written == key);
            found.map_or_else(String::new, |(_, value)| value.trim_matches('"').to_owned())
        }
    };
    let repeats = fault.repeats.is_some();
    let common = COMMON.iter().filter(|field| match field.key {
        "at_s" | "target" => true,
        "for_s" => spec.ends,
        "every_s" => spec.ends && fault.until.is_some(),
        "repeat_until_s" => repeats,
        _ => false,
    });
    // A field that only a whole host has, a process' fault lacks.
    let is_process = written
        .iter()
        .any(|(key, value)| *key == "target" && value.contains('/'));
    let own = spec
        .fields
        .iter()
        .filter(|field| !(is_process && spec.hosts_only.contains(&field.key)));
    common.chain(own).map(|field| (field, value(field))).collect()
}

/// To the nearest multiple.
fn rounded(us: u64, step: u64) -> SimTime {
    let step = step.max(1);
    SimTime(us.saturating_add(step / 2) / step * step)
}
