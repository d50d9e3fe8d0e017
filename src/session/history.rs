//! Undo and redo: every change of the experiment, and of the lanes it is shown in, can be taken back, whatever made it. [`Session::reduce`] compares the
//! experiment before and after each action, so that no kind of change can be forgotten here.

use super::recorded::Opened;
use super::{Effect, Session, Survey};
use crate::draw::{Arrangement, Remark};
use crate::scenario::{FIELDS, Field, Scenario};
use std::rc::Rc;

/// What undo takes back: the scenario, what it was chosen from, the recorded run under it, the lanes, and the notes.
#[derive(Clone, Debug)]
pub(super) struct Experiment {
    name: &'static str,
    shipped: Rc<Scenario>,
    scenario: Rc<Scenario>,
    opened: Option<Rc<Opened>>,
    /// Of the run that is kept. Not its story: hundreds of steps would hold as many.
    before: Option<Rc<Scenario>>,
    lanes: Arrangement,
    remarks: Rc<Vec<Remark>>,
}

/// More figures of a recorded run are news, not a change.
impl PartialEq for Experiment {
    fn eq(&self, other: &Experiment) -> bool {
        let recording =
            |experiment: &Experiment| experiment.opened.as_ref().map(|opened| Rc::as_ptr(&opened.recording));
        (self.name, recording(self)) == (other.name, recording(other))
            && self.shipped == other.shipped
            && self.scenario == other.scenario
            && self.before == other.before
            && self.lanes == other.lanes
            && self.remarks == other.remarks
    }
}

/// One step back or forth: the experiment on its other side, and in words what changed.
#[derive(Clone, Debug)]
struct Step {
    to: Experiment,
    words: String,
}

/// What takes many values one after the other until it is let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moving {
    /// A setting, by its key.
    Setting(&'static str),
    /// A fault, by its place.
    Fault(usize),
}

/// What was changed and can be taken back, and what was taken back and can be done again.
#[derive(Clone, Debug, Default)]
pub struct History {
    past: Vec<Step>,
    future: Vec<Step>,
    /// What is being moved: while it is, all its values are one step.
    moving: Option<Moving>,
}

/// More steps than these are forgotten, the oldest first.
const STEPS_MAX: usize = 500;

impl History {
    /// What undo would take back, in words.
    pub fn undoes(&self) -> Option<&str> {
        self.past.last().map(|step| step.words.as_str())
    }
    /// What redo would do again, in words.
    pub fn redoes(&self) -> Option<&str> {
        self.future.last().map(|step| step.words.as_str())
    }
    /// What was moved has come to rest: its next change is a step of its own.
    pub(super) fn settle(&mut self) {
        self.moving = None;
    }

    /// Notes a change. `moving`: what was moved by it, when something was.
    pub(super) fn note(&mut self, before: Experiment, after: &Experiment, moving: Option<Moving>) {
        self.future.clear();
        let goes_on = moving.is_some() && moving == self.moving;
        self.moving = moving;
        let before = match self.past.pop_if(|_| goes_on) {
            Some(step) => step.to,
            None => before,
        };
        // Moved back to where it was: nothing is left to take back.
        if before == *after {
            return;
        }
        let words = what_changed(&before, after);
        self.past.push(Step { to: before, words });
        if self.past.len() > STEPS_MAX {
            self.past.remove(0);
        }
    }
}

/// In a few words, for a button.
fn what_changed(before: &Experiment, after: &Experiment) -> String {
    if before.name != after.name || before.shipped != after.shipped {
        return format!("opening “{}”", after.scenario.title);
    }
    match (&before.before, &after.before) {
        (None, Some(_)) => return "the fork".to_owned(),
        (Some(_), None) => return "the end of the comparison".to_owned(),
        (was, is) if was != is => return "the swap of the two runs".to_owned(),
        _ => {}
    }
    let changes = changes(&before.scenario, &after.scenario);
    if changes.is_empty() && before.remarks != after.remarks {
        return "a note on the timeline".to_owned();
    }
    if changes.is_empty() {
        return "the lanes of the timeline".to_owned();
    }
    changes
}

/// The settings in which two scenarios differ, each with its value in both, without quotes.
pub(super) fn changed_settings(old: &Scenario, new: &Scenario) -> Vec<(&'static Field, String, String)> {
    let value = |scenario: &Scenario, key| scenario.get(key).unwrap_or_default().replace('"', "");
    let both = FIELDS
        .iter()
        .map(|field| (field, value(old, field.key), value(new, field.key)));
    both.filter(|(_, was, is)| was != is).collect()
}

/// What differs between two versions of a scenario, in a few words; nothing when nothing does.
pub(super) fn changes(old: &Scenario, new: &Scenario) -> String {
    if old == new {
        return String::new();
    }
    let settings = changed_settings(old, new);
    match (settings.as_slice(), old.faults.len(), new.faults.len()) {
        ([], was, is) if was < is => "a strike".to_owned(),
        ([], was, is) if was > is => "the removal of a strike".to_owned(),
        ([], ..) => "changes of the strikes".to_owned(),
        ([(field, from, to)], was, is) if was == is => {
            if from.len() + to.len() > 40 {
                return field.label.to_owned();
            }
            format!("{} {from} → {to} {}", field.label, field.unit)
                .trim_end()
                .to_owned()
        }
        (many, ..) => format!("{} settings", many.len()),
    }
}

impl Session {
    pub(super) fn experiment(&self) -> Experiment {
        Experiment {
            name: self.name,
            shipped: self.shipped.clone(),
            scenario: self.scenario.clone(),
            opened: self.recordings.opened.clone(),
            before: self.before.as_ref().map(|before| before.scenario.clone()),
            lanes: self.lanes.clone(),
            remarks: self.remarks.clone(),
        }
    }

    /// Takes the last change back.
    pub(super) fn undo(&mut self) -> Vec<Effect> {
        let Some(Step { to, words }) = self.history.past.pop() else {
            return Vec::new();
        };
        let step = Step {
            to: self.experiment(),
            words,
        };
        self.history.future.push(step);
        self.go_to(to)
    }

    /// Does again what was taken back last.
    pub(super) fn redo(&mut self) -> Vec<Effect> {
        let Some(Step { to, words }) = self.history.future.pop() else {
            return Vec::new();
        };
        let step = Step {
            to: self.experiment(),
            words,
        };
        self.history.past.push(step);
        self.go_to(to)
    }

    /// The playhead stays where it is: who undoes a change wants to see what it does there.
    fn go_to(&mut self, experiment: Experiment) -> Vec<Effect> {
        self.history.settle();
        self.refused = None;
        (self.chosen_fault, self.grasp) = (None, None);
        self.lanes = experiment.lanes.clone();
        self.remarks = experiment.remarks.clone();
        // Only the view differs: the run stays.
        if self.experiment() == experiment {
            return Vec::new();
        }
        let recording = |opened: &Option<Rc<Opened>>| opened.as_ref().map(|opened| Rc::as_ptr(&opened.recording));
        let mut effects = Vec::new();
        if recording(&self.recordings.opened) != recording(&experiment.opened) {
            effects.extend(self.put_back());
            self.recordings.opened = experiment.opened.map(|mut opened| {
                // The worker that held it against seeds went home when it was closed.
                if opened.survey == Survey::Runs {
                    Rc::make_mut(&mut opened).survey = Survey::Broken;
                }
                opened
            });
        }
        self.name = experiment.name;
        self.shipped = experiment.shipped;
        self.keep_again(experiment.before);
        self.scenario = experiment.scenario;
        effects.extend(self.simulate());
        effects
    }
}
