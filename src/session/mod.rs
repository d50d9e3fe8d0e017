//! One person's experiment: a scenario, what was changed in it, the run it gave, and where the playhead stands.
//!
//! A pure reducer: [`Session::reduce`] takes an [`Action`], changes the session and says in [`Effect`]s what is to be done
//! outside of it. It knows no browser and no clock, so it is tested natively.
//!
//! | file          | what lives there |
//! |---------------|------------------|
//! | `mod.rs`      | the session, the dialogue with the worker |
//! | `action.rs`   | its actions and effects |
//! | `history.rs`  | undo and redo |
//! | `playback.rs` | playing, stepping, jumping |
//! | `speed.rs`    | the steps of the speed |
//! | `window.rs`   | the part of the run that the timeline shows |
//! | `fingers.rs`  | what pointers on the timeline mean; `frame.rs` those on the map under it |
//! | `kept.rs`     | what the browser keeps for the next visit |
//! | `embed.rs`    | the page within another page, and what the two say to each other |
//! | `knobs.rs`    | the form of all settings |
//! | `share.rs`    | links, files, reports, and the fragment of the address |
//! | `strike.rs`   | what can be broken by hand; `ways.rs` how |
//! | `tools.rs`    | the palette: what people break first |
//! | `faults.rs`   | faults moved, stretched, edited |
//! | `wires.rs`    | the links between all hosts, cut and healed one by one |
//! | `twin.rs`     | a run that is kept while another one is changed |
//! | `relating.rs` | what happened before an event, and after it |
//! | `recorded.rs` | a recorded run of the real software under the simulated one |
//! | `keys.rs`     | the keyboard |

mod action;
pub mod embed;
pub mod faults;
pub mod fingers;
pub mod frame;
mod history;
pub mod kept;
pub mod keys;
pub mod knobs;
mod looking;
mod playback;
pub mod recorded;
pub mod relating;
mod remarks;
mod share;
mod speed;
pub mod strike;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
pub mod tools;
pub mod twin;
pub mod ways;
mod window;
pub mod wires;

pub use action::{Action, Effect, Refused};
pub use faults::FaultEdit;
pub use history::History;
pub use recorded::{Recorded, Recordings, Survey, Wanted};
pub use remarks::RemarkEdit;
pub use share::{Copied, Export, Page, Share, Sharing};
pub use speed::Speed;
pub use strike::{Draft, DraftField};
pub use tools::{Carried, Palette};
pub use window::Window;

use crate::draw::{Actor, Arrangement, Dress, Reason, Remark, Story};
use crate::engine::{EventId, SimTime};
use crate::scenario::{Field, FieldKind, SHIPPED, Scenario};
use crate::vocabulary::NodeId;
use history::Moving;
use std::rc::Rc;

/// The scenario with which the page opens.
pub const OPENING: &str = "agent-killed";

/// One person's experiment. Read it freely; only [`Session::reduce`] changes it.
#[derive(Clone, Debug)]
pub struct Session {
    /// The name of the chosen scenario in [`SHIPPED`]; empty when it came from a file or a recorded run.
    pub name: &'static str,
    /// The scenario as it ships, as it was opened, or as the recorded run was rebuilt.
    pub shipped: Rc<Scenario>,
    /// The scenario with the changes made here: the one that runs.
    pub scenario: Rc<Scenario>,
    /// The last value that was not accepted, until something else is done with that setting.
    pub refused: Option<Refused>,
    pub history: History,
    /// The setting whose help is open.
    pub explained: Option<&'static str>,
    /// The settings that are not always in sight are open.
    pub more: bool,
    /// The words that are looked for among them.
    pub filter: String,
    pub share: Share,
    pub page: Page,
    /// The latest run that was answered. While a newer one is on its way, this one is still shown.
    pub story: Option<Rc<Story>>,
    /// The scenario whose run that is.
    told: Option<Rc<Scenario>>,
    pub worker: Worker,
    /// A worker died since the person last asked for a run.
    pub restarted: bool,
    pub playhead: SimTime,
    /// The row of the event list at which the playhead stands.
    pub row: Option<usize>,
    pub playing: bool,
    pub speed: Speed,
    pub window: Window,
    /// Which lanes the timeline has, and how.
    pub lanes: Arrangement,
    /// The node whose own clock is a second scale.
    pub clock: Option<NodeId>,
    /// What people wrote on the timeline, in the order of time.
    pub remarks: Rc<Vec<Remark>>,
    /// What is being written.
    pub remark_draft: String,
    /// The message that is looked at, by its place among the story's flights.
    pub message: Option<usize>,
    pub why: Option<Why>,
    pub relating: Option<relating::Relating>,
    /// The actor that is looked at closely; none was chosen: the first node's agent.
    inspected: Option<Actor>,
    /// Whether keys without Ctrl or Alt do something.
    pub single_keys: bool,
    /// The sheet with all keys is open.
    pub help: bool,
    /// What is about to be struck.
    pub draft: Draft,
    /// The fault whose numbers are shown, by its place in the scenario.
    chosen_fault: Option<usize>,
    /// What a pointer on the timeline holds.
    grasp: Option<faults::Grasp>,
    /// The host that the palette's buttons strike; empty: whoever leads.
    pub palette_on: String,
    /// What is carried from the palette to the timeline.
    pub carried: Option<Carried>,
    pub recordings: Recordings,
    /// The run that this one is compared with.
    pub before: Option<Rc<twin::Before>>,
    parting: Option<SimTime>,
    /// The page is shown within another page.
    pub embedded: bool,
    /// A newer version of the site lies ready.
    pub newer: bool,
    /// The pointer drags the playhead: it does not run away meanwhile.
    held: bool,
    /// Nothing moves by itself, as the system's settings ask.
    calm: bool,
    /// The part of the run whose messages and waits were asked for, while they are on their way.
    looks: Option<(SimTime, SimTime)>,
    /// The number of the latest run that was asked for.
    run: u32,
    /// Where the playhead goes when the next run is there: set when a scenario is opened.
    lands: Option<Landing>,
    /// The address of the page, without its query and fragment.
    site: String,
    /// The fragment that holds what is shown, as it was last written or read; empty before that.
    pub fragment: String,
    /// The fragment that the address has.
    address: String,
    /// The habits as they were last kept.
    habits: String,
    /// The person did something since the address was written.
    touched: bool,
    deaths: u8,
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

/// What the page finds when it opens.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// Nothing may move by itself.
    pub calm: bool,
    /// The address of the page without its fragment.
    pub site: String,
    /// That, with its `#`; or nothing.
    pub fragment: String,
    pub memory: kept::Memory,
}

/// Where the playhead of a newly opened scenario stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Landing {
    /// Where the scenario is worth looking at.
    Start,
    /// Where a link says.
    At(SimTime),
}

/// With how many deaths one scenario has shown that trying again is useless.
const DEATHS_MAX: u8 = 2;

impl Session {
    /// The session with which the page opens, and what it asks for first.
    pub fn open(start: Start) -> (Session, Vec<Effect>) {
        let shipped = shipped(OPENING);
        let mut session = Session {
            name: OPENING,
            scenario: shipped.clone(),
            shipped,
            refused: None,
            history: History::default(),
            explained: None,
            more: false,
            filter: String::new(),
            share: Share::default(),
            page: Page::default(),
            story: None,
            told: None,
            worker: Worker::Idle,
            restarted: false,
            playhead: SimTime::ZERO,
            row: None,
            playing: false,
            speed: Speed::default(),
            window: Window::default(),
            lanes: Arrangement::default(),
            clock: None,
            remarks: Rc::default(),
            remark_draft: String::new(),
            message: None,
            why: None,
            relating: None,
            inspected: None,
            single_keys: true,
            help: false,
            draft: Draft::default(),
            chosen_fault: None,
            grasp: None,
            palette_on: String::new(),
            carried: None,
            recordings: Recordings::default(),
            before: None,
            parting: None,
            embedded: embed::wanted(&start.site),
            newer: false,
            held: false,
            calm: start.calm,
            looks: None,
            run: 0,
            lands: Some(Landing::Start),
            site: start.site.split('?').next().unwrap_or_default().to_owned(),
            fragment: String::new(),
            address: String::new(),
            habits: String::new(),
            touched: false,
            deaths: 0,
        };
        let mut effects = session.remember(start.memory);
        effects.extend(session.follow(&start.fragment));
        if !effects.iter().any(|effect| matches!(effect, Effect::Simulate { .. })) {
            effects.extend(session.simulate());
        }
        (session, effects)
    }

    /// The actor that is looked at closely. One that this run does not have gives way to the first.
    pub fn inspected_actor(&self) -> Actor {
        let actors = self.story.as_ref().map(|story| story.actors()).unwrap_or_default();
        let first = actors.first().map_or(Actor::Store, |(actor, _)| *actor);
        self.inspected
            .filter(|chosen| actors.iter().any(|(actor, _)| actor == chosen))
            .unwrap_or(first)
    }

    /// What the person chose about the drawing of the run.
    pub fn dress(&self) -> Dress {
        Dress {
            picked: self.message,
            chosen: self.chosen_fault().map(|(index, _)| index),
            cone: self.cone(),
            clock: self.clock,
            remarks: self.remarks.clone(),
            ..self.plain_dress(self.parting())
        }
    }

    /// The same of another run beside it: messages, faults and notes are not that one's.
    pub fn plain_dress(&self, parting: Option<SimTime>) -> Dress {
        Dress {
            lanes: self.lanes.clone(),
            parting,
            ..Dress::default()
        }
    }

    /// Whether the scenario differs from the one that ships.
    pub fn changed(&self) -> bool {
        self.scenario != self.shipped
    }

    /// Does one action, and says what is to be done outside.
    pub fn reduce(&mut self, action: Action) -> Vec<Effect> {
        let mut effects = self.take_note(action);
        effects.extend(self.look_closer());
        effects
    }

    /// Does one action, and keeps in mind what can be undone.
    fn take_note(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Settle => self.settle(),
            // Changes nothing of the experiment, and comes many times a second.
            news if news.is_news() => self.act(news),
            Action::Undo | Action::Redo => {
                self.touched = true;
                self.act(action)
            }
            action => {
                self.touched = true;
                let moving = match action {
                    Action::Set(key, _) => Some(Moving::Setting(key)),
                    Action::Fault(FaultEdit::Drag(..)) => self.moving_fault().map(Moving::Fault),
                    _ => None,
                };
                let before = self.experiment();
                let effects = self.act(action);
                let after = self.experiment();
                if before != after {
                    self.history.note(before, &after, moving);
                }
                effects
            }
        }
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Choose(name) => self.open_own(name, shipped(name)),
            Action::Set(key, value) => self.set(key, value),
            Action::PutBack(key) => self.set(key, self.shipped.get(key).unwrap_or_default()),
            Action::ResetSettings => {
                self.refused = None;
                self.scenario = self.shipped.clone();
                self.simulate()
            }
            Action::Explain(key) => {
                self.explained = Some(key).filter(|_| self.explained != Some(key));
                Vec::new()
            }
            Action::MoreSettings(open) => {
                self.more = open;
                Vec::new()
            }
            Action::Filter(words) => {
                self.filter = words;
                Vec::new()
            }
            Action::Share(what) => self.share(what),
            Action::Follow(fragment) => self.follow(&fragment),
            Action::Draft(field, value) => self.draft(field, value),
            Action::Strike => self.strike(),
            Action::Compare(what) => self.compare(what),
            Action::Fault(edit) => self.edit_fault(edit),
            Action::Palette(what) => self.palette(what),
            Action::ToggleLink(from, to) => self.toggle_link(from, to),
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
                self.relating = None;
                self.message = None;
                self.explained = None;
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
            Action::Lane(key, what) => {
                if let Some(story) = &self.story {
                    self.lanes.change(key, what, story);
                }
                Vec::new()
            }
            Action::LanesAsAtFirst => {
                self.lanes = Arrangement::default();
                Vec::new()
            }
            Action::Recorded(what) => self.recorded(what),
            Action::NewerSite(newer) => {
                self.newer = newer;
                Vec::new()
            }
            Action::UseNewerSite => {
                // What is open is opened again by its address.
                let mut effects = self.settle();
                effects.push(Effect::UseNewerSite);
                effects
            }
            Action::Progress { run, reached } => {
                if run == self.run && matches!(self.worker, Worker::Busy { .. }) {
                    self.worker = Worker::Busy { reached };
                }
                Vec::new()
            }
            Action::Clock(node) => {
                self.clock = node;
                Vec::new()
            }
            Action::Remark(edit) => self.edit_remark(edit),
            Action::Inspect(actor) => {
                self.inspected = Some(actor);
                Vec::new()
            }
            Action::Relate(row) => match row.or(self.row) {
                Some(row) => self.relate(row),
                None => Vec::new(),
            },
            Action::Related { run, event, related } => self.related(run, event, related),
            Action::Answered { run, story } => self.answered(run, story),
            Action::Looked { run, detail } => self.looked(run, *detail),
            Action::Explained { run, event, reasons } => self.explained(run, event, reasons),
            Action::WorkerDied => self.worker_died(),
            movement => {
                self.play_back(movement);
                Vec::new()
            }
        }
    }

    /// Opens a scenario as the one that changes are measured by. `name`: under which it ships; empty when it does not.
    fn open_own(&mut self, name: &'static str, scenario: Rc<Scenario>) -> Vec<Effect> {
        self.name = name;
        let mut effects = Vec::from_iter(self.put_back());
        effects.extend(self.show(scenario));
        effects
    }

    /// Another scenario, from its beginning.
    fn show(&mut self, scenario: Rc<Scenario>) -> Vec<Effect> {
        self.lands = Some(Landing::Start);
        self.shipped = scenario;
        self.scenario = self.shipped.clone();
        self.refused = None;
        self.playing = false;
        (self.chosen_fault, self.grasp, self.carried) = (None, None, None);
        (self.before, self.clock) = (None, None);
        (self.remarks, self.remark_draft) = (Rc::default(), String::new());
        self.window = Window::default();
        self.lanes = Arrangement::default();
        self.simulate()
    }

    fn set(&mut self, key: &'static str, value: String) -> Vec<Effect> {
        self.refused = None;
        if value == knobs::value(&self.scenario, key) {
            return Vec::new();
        }
        let written = match Field::of(key).map(|field| field.kind) {
            Some(FieldKind::Names { .. }) => knobs::names(&self.scenario, &value),
            _ => value.clone(),
        };
        match Rc::make_mut(&mut self.scenario).set(key, &written) {
            Ok(()) => self.simulate(),
            Err(errors) => {
                self.refused = Refused::new(key, value, &errors);
                Vec::new()
            }
        }
    }

    /// Asks for the run of the scenario as it is now. What was explained of the run before no longer holds.
    fn simulate(&mut self) -> Vec<Effect> {
        self.run += 1;
        self.why = None;
        self.relating = None;
        self.looks = None;
        self.deaths = 0;
        self.worker = Worker::Busy { reached: SimTime::ZERO };
        vec![self.request()]
    }

    fn request(&mut self) -> Effect {
        self.worker = Worker::Busy { reached: SimTime::ZERO };
        // The kept run first: the worker explains the last one that it ran.
        let kept = self.missing_before();
        Effect::Simulate {
            run: self.run,
            toml: kept.unwrap_or(&self.scenario).to_toml(),
            measure: self.measure().filter(|_| kept.is_none()),
        }
    }

    /// A run that is no longer asked for is dropped.
    fn answered(&mut self, run: u32, story: Rc<Story>) -> Vec<Effect> {
        if run != self.run {
            return Vec::new();
        }
        if self.takes_before(&story) {
            self.run += 1;
            return vec![self.request()];
        }
        self.story = Some(story);
        self.told = Some(self.scenario.clone());
        self.find_parting();
        self.message = None;
        self.worker = Worker::Idle;
        match self.lands.take() {
            Some(Landing::Start) => self.land(),
            Some(Landing::At(at)) => self.seek(at),
            None => self.seek(self.playhead),
        }
        Vec::new()
    }

    /// The event of a row, while the worker has the run that is shown.
    fn askable(&self, row: usize) -> Option<EventId> {
        let asked = self.story.as_ref()?.rows.get(row)?;
        (self.worker == Worker::Idle).then_some(asked.event)
    }

    fn ask_why(&mut self, row: usize) -> Vec<Effect> {
        let Some(event) = self.askable(row) else {
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
        (self.why, self.relating, self.looks) = (None, None, None);
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
