//! A run that is kept while another one is changed: both on one axis, with the same randomness, so that they differ only by
//! what was changed.

use super::history::changed_settings;
use super::{Effect, Session, Worker};
use crate::draw::words::{fault_begins, fault_label, fault_times};
use crate::draw::{self, Story, Twin};
use crate::engine::SimTime;
use crate::scenario::{Fault, Scenario};
use std::rc::Rc;

/// The run that is kept.
#[derive(Clone, Debug)]
pub struct Before {
    pub scenario: Rc<Scenario>,
    /// None while it is on its way: it came from a link, or was let go before it was wanted again.
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
    /// Why no run can be kept now; nothing when one can.
    pub fn no_fork(&self) -> Option<&'static str> {
        if self.before.is_some() {
            Some("Two runs are compared already. End the comparison before you fork again.")
        } else if self.recordings.opened.is_some() {
            Some("This run is compared with a recorded one. Close the recording before you fork.")
        } else if self.worker != Worker::Idle || self.story.is_none() {
            Some("The run is not there yet. Fork once it is.")
        } else {
            None
        }
    }

    pub(super) fn compare(&mut self, what: Compare) -> Vec<Effect> {
        match (what, self.before.take()) {
            (Compare::Fork, kept) => {
                self.before = kept;
                self.fork();
                Vec::new()
            }
            (Compare::Swap, Some(before)) => {
                let present = Before {
                    scenario: self.scenario.clone(),
                    story: self.story_of(&self.scenario),
                };
                self.before = Some(Rc::new(present));
                self.tell("The two runs are swapped.");
                self.change_over(&before)
            }
            (Compare::Back, Some(before)) => {
                self.tell("Back to the run that was kept.");
                self.change_over(&before)
            }
            (Compare::End, Some(before)) => {
                self.tell("The comparison has ended.");
                // The run that was asked for is the kept one, which nobody waits for any more.
                if before.story.is_none() {
                    self.simulate()
                } else {
                    Vec::new()
                }
            }
            (_, None) => Vec::new(),
        }
    }

    fn fork(&mut self) {
        if let Some(why) = self.no_fork() {
            return self.tell(why);
        }
        self.before = Some(Rc::new(Before {
            scenario: self.scenario.clone(),
            story: self.story.clone(),
        }));
        self.parting = None;
        self.tell("This run is kept.");
    }

    /// Goes on with the run that was kept. Its story is shown at once; the worker runs it again, because it explains only
    /// the last one that it ran.
    fn change_over(&mut self, before: &Before) -> Vec<Effect> {
        self.scenario = before.scenario.clone();
        self.refused = None;
        (self.chosen_fault, self.grasp, self.message) = (None, None, None);
        if before.story.is_some() {
            (self.story, self.told) = (before.story.clone(), Some(before.scenario.clone()));
            self.find_parting();
            self.seek(self.playhead);
        }
        self.simulate()
    }

    /// The story of this scenario, when it is one of the two that are there.
    fn story_of(&self, scenario: &Scenario) -> Option<Rc<Story>> {
        let kept = self.before.as_ref().filter(|before| *before.scenario == *scenario);
        let kept = kept.and_then(|before| before.story.clone());
        // While another is on its way, what is shown is not the run of the scenario as it is now.
        let shown = self.told.as_ref().filter(|told| ***told == *scenario);
        kept.or_else(|| shown.and(self.story.clone()))
    }

    /// Keeps the run of this scenario, or none: as it was before a step of undo.
    pub(super) fn keep_again(&mut self, scenario: Option<Rc<Scenario>>) {
        self.before = scenario.map(|scenario| {
            let story = self.story_of(&scenario);
            Rc::new(Before { scenario, story })
        });
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
    for (field, was, is) in changed_settings(old, new) {
        words.push(
            format!("{}: {was} → {is} {}", field.label, field.unit)
                .trim_end()
                .to_owned(),
        );
    }
    let (mut gone, come) = unpaired(&old.faults, &new.faults);
    for fault in come {
        let label = fault_label(fault, new);
        let same = gone.iter().position(|gone| fault_label(gone, old) == label);
        words.push(match same.map(|at| gone.remove(at)) {
            Some(was) => format!("{label}: {}", fault_changes((was, old), (fault, new))),
            None => format!("Added: {label}, {}", fault_times(fault)),
        });
    }
    words.extend(
        gone.into_iter()
            .map(|fault| format!("Removed: {}, {}", fault_label(fault, old), fault_times(fault))),
    );
    words
}

/// What is another in the same fault: when it is, how it begins, or something that neither tells.
fn fault_changes((was, old): (&Fault, &Scenario), (is, new): (&Fault, &Scenario)) -> String {
    let told = [
        (fault_times(was), fault_times(is)),
        (fault_begins(was, old), fault_begins(is, new)),
    ];
    let differ = told.iter().filter(|(was, is)| was != is);
    let words: Vec<_> = differ.map(|(was, is)| format!("{was} → {is}")).collect();
    if words.is_empty() {
        return "other numbers".to_owned();
    }
    words.join("; ")
}

/// The faults that only the one scenario has, and those that only the other has. The same may be there more than once.
fn unpaired<'f>(old: &'f [Fault], new: &'f [Fault]) -> (Vec<&'f Fault>, Vec<&'f Fault>) {
    let mut gone = Vec::from_iter(old);
    let come = new.iter().filter(|fault| {
        let same = gone.iter().position(|gone| gone == fault);
        same.map(|at| gone.remove(at)).is_none()
    });
    let come = come.collect();
    (gone, come)
}
