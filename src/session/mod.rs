//! One person's experiment: a scenario, what was changed in it, the run it gave, and where the playhead stands.
//!
//! A pure reducer: [`Session::reduce`] takes an [`Action`], changes the session and says in [`Effect`]s what is to be done
//! outside of it. It knows no browser and no clock, so it is tested natively.
//!
//! | file          | what lives there |
//! |---------------|------------------|
//! | `mod.rs`      | the session, its actions and effects, the dialogue with the worker |
//! | `playback.rs` | playing, stepping, jumping |
//! | `speed.rs`    | the steps of the speed |
//! | `window.rs`   | the part of the run that the timeline shows |
//! | `knobs.rs`    | the settings with a control of their own |
//! | `strike.rs`   | what can be broken by hand; `ways.rs` how |
//! | `recorded.rs` | a recorded run of the real software under the simulated one |
//! | `keys.rs`     | the keyboard |

pub mod keys;
pub mod knobs;
mod playback;
pub mod recorded;
mod speed;
pub mod strike;
#[cfg(test)]
mod tests;
pub mod ways;
mod window;

pub use recorded::{Recorded, Recordings, Survey, Wanted};
pub use speed::Speed;
pub use strike::{Draft, DraftField};
pub use window::Window;

use crate::compare::Measure;
use crate::draw::{Reason, Story};
use crate::engine::{EventId, SimTime, Span};
use crate::scenario::{SHIPPED, Scenario, ScenarioError};
use std::rc::Rc;

/// The scenario with which the page opens.
pub const OPENING: &str = "agent-killed";

/// One person's experiment. Read it freely; only [`Session::reduce`] changes it.
#[derive(Clone, Debug)]
pub struct Session {
    /// The name of the chosen scenario in [`SHIPPED`]; while a recorded run is open, of the one that was chosen before.
    pub name: &'static str,
    /// The scenario as it ships, or as the recorded run was rebuilt.
    pub shipped: Rc<Scenario>,
    /// The scenario with the changes made here: the one that runs.
    pub scenario: Rc<Scenario>,
    /// The last value that was not accepted, until something else is done with that setting.
    pub refused: Option<Refused>,
    /// The latest run that was answered. While a newer one is on its way, this one is still shown.
    pub story: Option<Rc<Story>>,
    pub worker: Worker,
    /// A worker died since the person last asked for a run.
    pub restarted: bool,
    pub playhead: SimTime,
    /// The row of the event list at which the playhead stands.
    pub row: Option<usize>,
    pub playing: bool,
    pub speed: Speed,
    pub window: Window,
    pub why: Option<Why>,
    /// Whether keys without Ctrl or Alt do something.
    pub single_keys: bool,
    /// The sheet with all keys is open.
    pub help: bool,
    /// What is about to be struck.
    pub draft: Draft,
    pub recordings: Recordings,
    /// The pointer drags the playhead: it does not run away meanwhile.
    held: bool,
    /// Nothing moves by itself, as the system's settings ask.
    calm: bool,
    /// The number of the latest run that was asked for.
    run: u32,
    /// Where the playhead goes when the next run is there: set when a scenario is chosen.
    lands: bool,
    deaths: u8,
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
    fn new(key: &'static str, value: String, error: &ScenarioError) -> Refused {
        let words = format!("{}; {}", error.wrong, error.remedy);
        Refused { key, value, words }
    }
}

/// What is known of the worker that runs the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worker {
    /// A run is on its way and has come so far.
    Busy { reached: SimTime },
    /// The latest run is shown.
    Idle,
    /// It stopped again and again with this scenario, so it is not tried once more.
    GaveUp,
}

/// A question for the causes of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The row of the event list that was asked.
    pub row: usize,
    pub event: EventId,
    /// What led to it, newest first; none while the answer is on its way.
    pub reasons: Option<Rc<Vec<Reason>>>,
}

/// Something that the person, the passing time or the worker did.
#[derive(Clone, Debug)]
pub enum Action {
    /// Opens a shipped scenario, as it ships.
    Choose(&'static str),
    /// Changes a setting and runs again.
    Set(&'static str, String),
    /// Takes all changes back.
    ResetSettings,
    /// Changes what is about to be struck.
    Draft(DraftField, String),
    /// Adds what is about to be struck to the faults, and runs again.
    Strike,
    /// Takes the fault at this place of the scenario away, and runs again.
    RemoveFault(usize),

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

    /// Asks a row of the event list.
    AskWhy(usize),
    /// To the first bad moment, and why it came to that.
    WhyBad,
    CloseWhy,
    SingleKeys(bool),
    /// Opens or closes the sheet with all keys.
    Help(bool),
    /// Something about recorded runs.
    Recorded(Recorded),

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
    /// The worker reported an error, or nothing at all for too long.
    WorkerDied,
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
    /// Explain an event of run `run`, the last that was answered.
    Explain { run: u32, event: EventId },
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
}

/// With how many deaths one scenario has shown that trying again is useless.
const DEATHS_MAX: u8 = 2;

impl Session {
    /// The session with which the page opens, and what it asks for first. `calm`: nothing may move by itself.
    pub fn open(calm: bool) -> (Session, Vec<Effect>) {
        let shipped = shipped(OPENING);
        let mut session = Session {
            name: OPENING,
            scenario: shipped.clone(),
            shipped,
            refused: None,
            story: None,
            worker: Worker::Idle,
            restarted: false,
            playhead: SimTime::ZERO,
            row: None,
            playing: false,
            speed: Speed::default(),
            window: Window::default(),
            why: None,
            single_keys: true,
            help: false,
            draft: Draft::default(),
            recordings: Recordings::default(),
            held: false,
            calm,
            run: 0,
            lands: true,
            deaths: 0,
        };
        let effects = session.simulate();
        (session, effects)
    }

    /// Whether the scenario differs from the one that ships.
    pub fn changed(&self) -> bool {
        self.scenario != self.shipped
    }

    /// Does one action, and says what is to be done outside.
    pub fn reduce(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Choose(name) => self.choose(name),
            Action::Set(key, value) => self.set(key, value),
            Action::ResetSettings => {
                self.refused = None;
                self.scenario = self.shipped.clone();
                self.simulate()
            }
            Action::Draft(field, value) => self.draft(field, value),
            Action::Strike => self.strike(),
            Action::RemoveFault(index) => self.remove_fault(index),
            Action::AskWhy(row) => self.ask_why(row),
            Action::WhyBad => match self.first_bad_row() {
                Some(row) => {
                    self.play_back(Action::ToRow(row));
                    self.ask_why(row)
                }
                None => Vec::new(),
            },
            Action::CloseWhy => {
                self.why = None;
                Vec::new()
            }
            Action::SingleKeys(on) => {
                self.single_keys = on;
                Vec::new()
            }
            Action::Help(open) => {
                self.help = open;
                Vec::new()
            }
            Action::Recorded(what) => self.recorded(what),
            Action::Progress { run, reached } => {
                if run == self.run && matches!(self.worker, Worker::Busy { .. }) {
                    self.worker = Worker::Busy { reached };
                }
                Vec::new()
            }
            Action::Answered { run, story } => self.answered(run, story),
            Action::Explained { run, event, reasons } => self.explained(run, event, reasons),
            Action::WorkerDied => self.worker_died(),
            movement => {
                self.play_back(movement);
                Vec::new()
            }
        }
    }

    fn choose(&mut self, name: &'static str) -> Vec<Effect> {
        self.name = name;
        let mut effects = Vec::from_iter(self.put_back());
        effects.extend(self.show(shipped(name)));
        effects
    }

    /// Another scenario, from its beginning.
    fn show(&mut self, scenario: Rc<Scenario>) -> Vec<Effect> {
        self.shipped = scenario;
        self.scenario = self.shipped.clone();
        self.refused = None;
        self.playing = false;
        self.window = Window::default();
        self.lands = true;
        self.simulate()
    }

    fn set(&mut self, key: &'static str, value: String) -> Vec<Effect> {
        self.refused = None;
        if value == knobs::value(&self.scenario, key) {
            return Vec::new();
        }
        match Rc::make_mut(&mut self.scenario).set(key, &value) {
            Ok(()) => self.simulate(),
            Err(errors) => {
                self.refused = errors.first().map(|error| Refused::new(key, value, error));
                Vec::new()
            }
        }
    }

    /// Asks for the run of the scenario as it is now. What was explained of the run before no longer holds.
    fn simulate(&mut self) -> Vec<Effect> {
        self.run += 1;
        self.why = None;
        self.deaths = 0;
        self.worker = Worker::Busy { reached: SimTime::ZERO };
        vec![self.request()]
    }

    fn request(&mut self) -> Effect {
        self.worker = Worker::Busy { reached: SimTime::ZERO };
        Effect::Simulate {
            run: self.run,
            toml: self.scenario.to_toml(),
            measure: self.measure(),
        }
    }

    /// A run that is no longer asked for is dropped.
    fn answered(&mut self, run: u32, story: Rc<Story>) -> Vec<Effect> {
        if run != self.run {
            return Vec::new();
        }
        self.story = Some(story);
        self.worker = Worker::Idle;
        if std::mem::take(&mut self.lands) {
            self.land();
        } else {
            self.seek(self.playhead);
        }
        Vec::new()
    }

    fn ask_why(&mut self, row: usize) -> Vec<Effect> {
        let asked = self.story.as_ref().and_then(|story| story.rows.get(row));
        let Some(event) = asked.map(|row| row.event).filter(|_| self.worker == Worker::Idle) else {
            return Vec::new();
        };
        self.why = Some(Why {
            row,
            event,
            reasons: None,
        });
        vec![Effect::Explain { run: self.run, event }]
    }

    fn explained(&mut self, run: u32, event: EventId, reasons: Vec<Reason>) -> Vec<Effect> {
        if let Some(why) = self.why.as_mut().filter(|why| run == self.run && why.event == event) {
            why.reasons = Some(Rc::new(reasons));
        }
        Vec::new()
    }

    /// The new worker knows nothing: it runs the scenario again, unless that is what kills workers.
    fn worker_died(&mut self) -> Vec<Effect> {
        self.deaths += 1;
        self.why = None;
        if self.deaths >= DEATHS_MAX {
            self.worker = Worker::GaveUp;
            return vec![Effect::RestartWorker];
        }
        self.restarted = true;
        self.run += 1;
        vec![Effect::RestartWorker, self.request()]
    }
}

/// A scenario that comes with the program. A test reads them all, so that none can fail here.
fn shipped(name: &str) -> Rc<Scenario> {
    let text = SHIPPED
        .iter()
        .find(|(shipped, _)| *shipped == name)
        .map_or("", |(_, text)| text);
    Rc::new(Scenario::parse(text, name).unwrap_or_default())
}
