//! What is done to a session, and what it asks to be done outside of it.

use super::kept::Kept;
use super::strike::STRIKE;
use super::twin::Compare;
use super::{Copied, DraftField, Export, FaultEdit, Palette, Recorded, RemarkEdit, Sharing, Speed, Wanted};
use crate::compare::Measure;
use crate::draw::{Actor, Detail, LaneKey, LaneMove, Reason, Related, Story};
use crate::engine::{EventId, SimTime, Span};
use crate::scenario::{Host, ScenarioError};
use crate::vocabulary::NodeId;
use std::rc::Rc;

/// Something that the person, the passing time or the worker did.
#[derive(Clone, Debug)]
pub enum Action {
    /// Opens a shipped scenario, as it ships.
    Choose(&'static str),
    /// Takes the last change back.
    Undo,
    /// Does again what was taken back last.
    Redo,
    /// Changes a setting and runs again.
    Set(&'static str, String),
    /// Puts a setting back to what the scenario itself says.
    PutBack(&'static str),
    /// Takes all changes back.
    ResetSettings,
    /// Opens or closes the help of a setting.
    Explain(&'static str),
    /// Opens or closes the settings that are not always in sight.
    MoreSettings(bool),
    /// Looks among those for words.
    Filter(String),
    /// Changes what is about to be struck.
    Draft(DraftField, String),
    /// Adds what is about to be struck to the faults, and runs again.
    Strike,
    /// Something with two runs.
    Compare(Compare),
    /// Changes one of the faults.
    Fault(FaultEdit),
    /// Something with the palette of faults.
    Palette(Palette),
    /// Cuts the link from one host to another at the playhead, or heals it there.
    ToggleLink(Host, Host),

    TogglePlay,
    /// From the beginning, playing.
    Restart,
    /// So much real time has passed since the last tick.
    Tick(Span),
    /// The pointer takes hold of the playhead, or lets it go.
    Hold(bool),
    SetSpeed(Speed),
    Seek(SimTime),
    /// By so many microseconds, backwards when negative.
    Shift(i64),
    Start,
    End,
    NextEvent,
    PreviousEvent,
    FirstBadMoment,
    /// To a row of the event list.
    ToRow(usize),
    /// To a moment that an explanation speaks of.
    ToEvent(EventId, SimTime),
    ZoomIn,
    ZoomOut,
    /// The whole run in view.
    ZoomFit,
    /// So many percent of what was visible, and this instant stays where it is on the screen.
    Zoom {
        around: SimTime,
        percent: u32,
    },
    /// Looks so many microseconds later, earlier when negative.
    Pan(i64),
    /// Shows exactly this part of the run.
    See(SimTime, SimTime),
    /// Hides, folds or moves a lane.
    Lane(LaneKey, LaneMove),
    /// All lanes as they were at first.
    LanesAsAtFirst,
    /// Looks at a message, by its place among the story's; none: at no message any more.
    PickMessage(Option<usize>),
    /// To the message that was sent next, or before.
    NextMessage,
    PreviousMessage,

    /// Asks a row of the event list.
    AskWhy(usize),
    /// Asks a row of the event list what happened before and after it; none: the row at the playhead.
    Relate(Option<usize>),
    /// Shows a node's own clock as a second scale, or none.
    Clock(Option<NodeId>),
    /// Something with the notes on the timeline.
    Remark(RemarkEdit),
    /// Looks closer at one actor.
    Inspect(Actor),
    /// To the first bad moment, and why it came to that.
    WhyBad,
    CloseWhy,
    SingleKeys(bool),
    /// Opens or closes the sheet with all keys.
    Help(bool),
    /// Something about recorded runs.
    Recorded(Recorded),
    /// Something about links, files and reports.
    Share(Sharing),
    /// The address has another fragment, with its `#`.
    Follow(String),
    /// A newer version of the site lies ready; or the person wants none now.
    NewerSite(bool),
    /// Puts it in place.
    UseNewerSite,
    /// The person has done nothing for a moment.
    Settle,

    /// From the worker: run `run` has come to `reached`.
    Progress {
        run: u32,
        reached: SimTime,
    },
    /// From the worker: run `run` is done.
    Answered {
        run: u32,
        story: Rc<Story>,
    },
    /// From the worker: the causes of an event of run `run`.
    Explained {
        run: u32,
        event: EventId,
        reasons: Vec<Reason>,
    },
    /// From the worker: how the events of run `run` stand to one of them; nothing when it has another run.
    Related {
        run: u32,
        event: EventId,
        related: Option<Related>,
    },
    /// From the worker: messages and waits of a part of run `run`.
    Looked {
        run: u32,
        detail: Box<Detail>,
    },
    /// The worker reported an error, or nothing at all for too long.
    WorkerDied,
}

impl Action {
    /// Whether time or a worker did it, not the person.
    pub fn is_news(&self) -> bool {
        match self {
            Action::Tick(_) | Action::Settle | Action::WorkerDied => true,
            // A pointer that comes by changes nothing that is worth keeping.
            Action::PickMessage(_) | Action::Palette(Palette::Carry(..) | Palette::PutBack) => true,
            Action::Progress { .. }
            | Action::Answered { .. }
            | Action::Looked { .. }
            | Action::Explained { .. }
            | Action::Related { .. } => true,
            Action::Recorded(what) => !matches!(
                what,
                Recorded::Choosing(_) | Recorded::Open(_) | Recorded::Close | Recorded::Fits { .. }
            ),
            _ => false,
        }
    }
}

/// What is to be done outside of the session.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Run this scenario file and answer with this number; read the figures of a recording from it when asked to.
    Simulate {
        run: u32,
        toml: String,
        measure: Option<Measure>,
    },
    /// Tell the messages and waits of a part of run `run`, the last that was answered.
    Look { run: u32, from: SimTime, until: SimTime },
    /// Explain an event of run `run`, the last that was answered.
    Explain { run: u32, event: EventId },
    /// Say how all events stand to one of run `run`, the last that was answered.
    Relate { run: u32, event: EventId },
    /// Put a new worker in the place of the old one.
    RestartWorker,
    /// Fetch a file of the site.
    Fetch(Wanted),
    /// Rebuild the recording with this text, tell the first seed that fits it, and the figures of so many, in a worker of
    /// its own. It takes the place of the survey before.
    Survey {
        survey: u32,
        name: String,
        text: String,
        seeds: usize,
    },
    /// Nobody waits for the survey any more.
    EndSurvey,
    /// Put this fragment into the address, in place of the one that is there.
    Address(String),
    /// Keep this experiment for the next visit, in the place of what this page kept before.
    Keep(Kept),
    /// Keep the person's habits.
    KeepHabits(String),
    /// Forget what is kept under this key.
    Forget(String),
    /// Give this to the clipboard and tell how it went.
    Copy { what: Copied, text: String },
    /// Draw what is seen, give it to the person as a file with this name, and tell how it went.
    Draw { what: Export, name: String },
    /// Answer with the trace of run `run`, the last that was answered.
    Trace { run: u32, part: Option<(SimTime, SimTime)> },
    /// Give this text to the person as a file with this name, and tell how it went.
    Save { name: String, text: Rc<[u8]> },
    /// Put the newer version of the site in place and open it.
    UseNewerSite,
}

/// A value that a setting did not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub key: &'static str,
    /// As it was typed.
    pub value: String,
    /// What is wrong and what to do.
    pub words: String,
}

impl Refused {
    /// None when there is no error. An error somewhere else, such as a fault that strikes a node that would be gone, is told
    /// with its place.
    pub(super) fn new(key: &'static str, value: String, errors: &[ScenarioError]) -> Option<Refused> {
        let (error, others) = errors.split_first()?;
        let mut words = format!("{}; {}", error.wrong, error.remedy);
        if error.key != key && key != STRIKE {
            words = format!("{} is {}: {words}", place(&error.key), error.value);
        }
        match others.len() {
            0 => {}
            1 => words.push_str(" (and one thing more)"),
            more => words.push_str(&format!(" (and {more} things more)")),
        }
        Some(Refused { key, value, words })
    }
}

/// `fault.2.target` as people say it: `the target of fault 2`.
fn place(key: &str) -> String {
    let fault = key.strip_prefix("fault.").and_then(|rest| rest.split_once('.'));
    fault.map_or_else(
        || key.to_owned(),
        |(number, field)| format!("the {field} of fault {number}"),
    )
}
