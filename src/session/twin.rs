//! A run that is kept while another one is changed: both on one axis, with the same randomness, so that they differ only by
//! what was changed.

use super::{Effect, Session, Worker};
use crate::draw::words::{fault_label, fault_times};
use crate::draw::{self, Story, Twin};
use crate::engine::SimTime;
use crate::scenario::{FIELDS, Scenario};
use std::rc::Rc;

/// The run that is kept.
#[derive(Clone, Debug)]
pub struct Before {
    pub scenario: Rc<Scenario>,
    /// None while it is on its way: it came from a link.
    pub story: Option<Rc<Story>>,
}

/// What is done with two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// Keeps this run, and goes on with another that is the same so far.
    Fork,
    /// Goes on with the kept one, and keeps the other.
    Swap,
    /// Lets the kept one go.
    End,
    /// Lets the changed one go.
    Back,
}

impl Session {
    /// Whether a run can be kept now: there is one, and none is kept or recorded already.
    pub fn can_fork(&self) -> bool {
        self.before.is_none() && self.recordings.opened.is_none() && self.worker == Worker::Idle && self.story.is_some()
    }

    pub(super) fn compare(&mut self, what: Compare) -> Vec<Effect> {
        match (what, self.before.take()) {
            (Compare::Fork, None) if self.can_fork() => {
                self.before = Some(Rc::new(Before {
                    scenario: self.scenario.clone(),
                    story: self.story.clone(),
                }));
                self.parting = None;
                Vec::new()
            }
            (Compare::Swap, Some(before)) => {
                let present = Before {
                    scenario: std::mem::replace(&mut self.scenario, before.scenario.clone()),
                    // One that is on its way is not that of the scenario as it is now.
                    story: self.story.clone().filter(|_| self.worker == Worker::Idle),
                };
                self.before = Some(Rc::new(present));
                self.changed_over()
            }
            (Compare::Back, Some(before)) => {
                self.scenario = before.scenario.clone();
                self.changed_over()
            }
            (Compare::End, Some(_)) => Vec::new(),
            (_, kept) => {
                self.before = kept;
                Vec::new()
            }
        }
    }

    fn changed_over(&mut self) -> Vec<Effect> {
        self.refused = None;
        (self.chosen_fault, self.grasp) = (None, None);
        self.simulate()
    }

    /// The kept run that has still to be run.
    pub(super) fn missing_before(&self) -> Option<&Scenario> {
        let before = self.before.as_ref().filter(|before| before.story.is_none())?;
        Some(&before.scenario)
    }

    /// Takes the kept run's story, when that is what was asked for; says whether it was.
    pub(super) fn takes_before(&mut self, story: &Rc<Story>) -> bool {
        match &mut self.before {
            Some(before) if before.story.is_none() => {
                Rc::make_mut(before).story = Some(story.clone());
                true
            }
            _ => false,
        }
    }

    /// Both stories, when both are there.
    pub fn twins(&self) -> Option<(&Rc<Story>, &Rc<Story>)> {
        Some((self.before.as_ref()?.story.as_ref()?, self.story.as_ref()?))
    }

    /// Looks for where the two runs part. Done once for each run, not for each frame: it compares all messages.
    pub(super) fn find_parting(&mut self) {
        self.parting = self.twins().and_then(|(before, after)| draw::parting(before, after));
    }

    /// Where the two runs part; nothing when they do not, or are not both there.
    pub fn parting(&self) -> Option<SimTime> {
        self.parting.filter(|_| self.before.is_some())
    }

    /// What both runs amounted to.
    pub fn twin_figures(&self) -> Vec<Twin> {
        self.twins()
            .map(|(before, after)| draw::twins(&before.verdict, &after.verdict))
            .unwrap_or_default()
    }
}

/// What was changed from one scenario to the other, each in a few words.
pub fn changes(old: &Scenario, new: &Scenario) -> Vec<String> {
    let mut words = Vec::new();
    for field in FIELDS {
        let value = |scenario: &Scenario| scenario.get(field.key).unwrap_or_default().replace('"', "");
        let (was, is) = (value(old), value(new));
        if was != is {
            let unit = field.unit;
            words.push(format!("{}: {was} → {is} {unit}", field.label).trim_end().to_owned());
        }
    }
    let mut gone: Vec<_> = old.faults.iter().filter(|fault| !new.faults.contains(fault)).collect();
    for fault in new.faults.iter().filter(|fault| !old.faults.contains(fault)) {
        let label = fault_label(fault, new);
        let same = gone.iter().position(|gone| fault_label(gone, old) == label);
        words.push(match same.map(|at| gone.remove(at)) {
            Some(was) if fault_times(was) == fault_times(fault) => format!("Other numbers: {label}"),
            Some(was) => format!("{label}: {} → {}", fault_times(was), fault_times(fault)),
            None => format!("Added: {label}, {}", fault_times(fault)),
        });
    }
    words.extend(
        gone.into_iter()
            .map(|fault| format!("Removed: {}, {}", fault_label(fault, old), fault_times(fault))),
    );
    words
}
