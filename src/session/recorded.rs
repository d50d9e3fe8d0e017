//! A recorded run of the real software under the simulated one: chosen from a list, fetched, rebuilt as the scenario that
//! runs, and held against many seeds of it.
//!
//! ```text
//! open the list ─► fetch it ─► choose a run ─► fetch it ─► survey: the first seed that fits ─► run that one
//!                                                                └► the figures of seed after seed
//! ```

use super::{Effect, Session};
use crate::compare::{
    Figures, Fitting, Group, Measure, NotBuilt, Rebuilt, Recording, SideBySide, groups, retell, settings, title,
};
use crate::draw::Story;
use crate::scenario::Scenario;
use std::path::Path;
use std::rc::Rc;

/// How many seeds a recorded run is held against on the page.
pub const SEEDS: usize = 40;

/// A file of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The list of recorded runs.
    List,
    /// The run with this name.
    Run(String),
}

impl Wanted {
    /// Its address, relative to the page.
    pub fn address(&self) -> String {
        match self {
            Wanted::List => "./recordings/index.json".to_owned(),
            Wanted::Run(id) => format!("./recordings/{id}.json"),
        }
    }
}

/// What happens around recorded runs.
#[derive(Clone, Debug)]
pub enum Recorded {
    /// Opens or closes the list.
    Choosing(bool),
    Open(String),
    Close,
    /// A file came, or did not, with the reason.
    Fetched(Wanted, Result<String, String>),
    /// From survey `survey`: the first seed that fits.
    Fits {
        survey: u32,
        fitting: Fitting,
    },
    /// From survey `survey`: the figures of one more seed.
    Seed {
        survey: u32,
        figures: Box<Figures>,
    },
    /// Survey `survey` has come to its end.
    Surveyed {
        survey: u32,
    },
    /// The worker that made the survey stopped.
    SurveyDied,
    /// The figures of run `run`.
    Measured {
        run: u32,
        figures: Box<Figures>,
    },
}

/// What is known of recorded runs.
#[derive(Clone, Debug, Default)]
pub struct Recordings {
    /// The list is open.
    pub choosing: bool,
    pub list: Option<Rc<Vec<Group>>>,
    /// The run that is on its way.
    pub coming: Option<String>,
    /// What went wrong, and what to do.
    pub trouble: Option<String>,
    pub opened: Option<Rc<Opened>>,
    /// Fetched and rebuilt, but no seed that fits is known yet.
    waiting: Option<(Rc<Recording>, Rc<Rebuilt>)>,
    /// The number of the latest survey.
    survey: u32,
}

/// The recorded run that is shown.
#[derive(Clone, Debug)]
pub struct Opened {
    /// What was open before, and is again when this is closed: a shipped scenario's name, and the scenario.
    before: (&'static str, Rc<Scenario>),
    pub recording: Rc<Recording>,
    /// What was recorded, with its fault at the simulated fault's time.
    pub story: Rc<Story>,
    /// `3: only the leader’s agent is killed`
    pub title: String,
    /// `default: ttl 30 s, loop_wait 10 s, retry_timeout 10 s`
    pub settings: String,
    pub beside: Rc<SideBySide>,
    pub survey: Survey,
    measure: Measure,
    this_run: Option<Figures>,
    seeds: Vec<Figures>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Survey {
    Runs,
    Done,
    /// Its worker stopped, or was sent home: what is there is all there will be.
    Broken,
}

impl Opened {
    fn new(
        recording: Rc<Recording>,
        rebuilt: &Rebuilt,
        fitting: Fitting,
        before: (&'static str, Rc<Scenario>),
    ) -> Opened {
        let params = &recording.params;
        Opened {
            before,
            story: Rc::new(retell(&recording, fitting.fault)),
            title: title(&recording.scenario, recording.variant.as_ref(), params.failsafe),
            settings: settings(&recording.set, params),
            beside: Rc::new(SideBySide::of(&recording, None, &[])),
            survey: Survey::Runs,
            measure: Measure::of(rebuilt, fitting),
            this_run: None,
            seeds: Vec::new(),
            recording,
        }
    }

    /// `Patroni 4.1.5, etcd 3.4.23, PostgreSQL 15.18`
    pub fn versions(&self) -> &str {
        &self.story.verdict.engine
    }

    fn compare(&mut self) {
        let (run, seeds) = (self.this_run.as_ref(), self.seeds.as_slice());
        self.beside = Rc::new(SideBySide::of(&self.recording, run, seeds));
    }
}

impl Session {
    pub(super) fn recorded(&mut self, what: Recorded) -> Vec<Effect> {
        match what {
            Recorded::Choosing(open) => self.choose_recording(open),
            Recorded::Open(id) => {
                self.recordings.trouble = None;
                self.recordings.waiting = None;
                self.recordings.coming = Some(id.clone());
                vec![Effect::Fetch(Wanted::Run(id))]
            }
            Recorded::Close => {
                let Some(opened) = self.recordings.opened.clone() else {
                    return Vec::new();
                };
                let (name, scenario) = opened.before.clone();
                self.open_own(name, scenario)
            }
            Recorded::Fetched(Wanted::List, text) => self.list_came(text),
            Recorded::Fetched(Wanted::Run(id), text) => self.recording_came(&id, text),
            Recorded::Fits { survey, fitting } if survey == self.recordings.survey => self.fits(fitting),
            Recorded::Seed { survey, figures } if survey == self.recordings.survey => {
                if let Some(opened) = self.recordings.opened.as_mut().map(Rc::make_mut) {
                    opened.seeds.push(*figures);
                    opened.compare();
                }
                Vec::new()
            }
            Recorded::Surveyed { survey } if survey == self.recordings.survey => self.survey_ends(Survey::Done),
            Recorded::SurveyDied => self.survey_ends(Survey::Broken),
            Recorded::Measured { run, figures } if run == self.run => {
                if let Some(opened) = self.recordings.opened.as_mut().map(Rc::make_mut) {
                    opened.this_run = Some(*figures);
                    opened.compare();
                }
                Vec::new()
            }
            // Of a run or a survey that nobody waits for any more.
            Recorded::Fits { .. } | Recorded::Seed { .. } | Recorded::Surveyed { .. } | Recorded::Measured { .. } => {
                Vec::new()
            }
        }
    }

    /// What the next run is to be measured with.
    pub(super) fn measure(&self) -> Option<Measure> {
        self.recordings.opened.as_ref().map(|opened| opened.measure)
    }

    /// Lets go of the recorded run, and of one that is on its way.
    pub(super) fn put_back(&mut self) -> Option<Effect> {
        let recordings = &mut self.recordings;
        let had = recordings.opened.take().is_some() | recordings.waiting.take().is_some();
        recordings.coming = None;
        recordings.survey += 1;
        had.then_some(Effect::EndSurvey)
    }

    fn choose_recording(&mut self, open: bool) -> Vec<Effect> {
        self.recordings.choosing = open;
        self.recordings.trouble = None;
        if open && self.recordings.list.is_none() {
            return vec![Effect::Fetch(Wanted::List)];
        }
        Vec::new()
    }

    fn list_came(&mut self, text: Result<String, String>) -> Vec<Effect> {
        let list = text.and_then(|text| groups(&text).map_err(|error| error.to_string()));
        match list {
            Ok(list) => self.recordings.list = Some(Rc::new(list)),
            Err(why) => {
                let words = format!("The list of recordings could not be read: {why}. Close this and open it again.");
                self.recordings.trouble = Some(words);
            }
        }
        Vec::new()
    }

    fn recording_came(&mut self, id: &str, text: Result<String, String>) -> Vec<Effect> {
        if self.recordings.coming.as_deref() != Some(id) {
            return Vec::new();
        }
        match text.and_then(|text| read(id, &text).map(|read| (text, read))) {
            Ok((text, (recording, rebuilt))) => {
                self.recordings.waiting = Some((Rc::new(recording), Rc::new(rebuilt)));
                self.recordings.survey += 1;
                vec![Effect::Survey {
                    survey: self.recordings.survey,
                    name: id.to_owned(),
                    text,
                    seeds: SEEDS,
                }]
            }
            Err(why) => self.not_opened(format!(
                "The recording {id} could not be opened: {why}. Choose another."
            )),
        }
    }

    fn not_opened(&mut self, words: String) -> Vec<Effect> {
        self.recordings.coming = None;
        self.recordings.waiting = None;
        self.recordings.trouble = Some(words);
        Vec::new()
    }

    /// The recorded run becomes the scenario, under the first seed that tells what it tells.
    fn fits(&mut self, fitting: Fitting) -> Vec<Effect> {
        let Some((recording, rebuilt)) = self.recordings.waiting.take() else {
            return Vec::new();
        };
        let scenario = Rc::new(fitting.scenario(&rebuilt));
        let before = match &self.recordings.opened {
            Some(opened) => opened.before.clone(),
            None => (self.name, self.shipped.clone()),
        };
        self.name = "";
        self.recordings.opened = Some(Rc::new(Opened::new(recording, &rebuilt, fitting, before)));
        self.recordings.coming = None;
        self.recordings.choosing = false;
        self.show(scenario)
    }

    fn survey_ends(&mut self, how: Survey) -> Vec<Effect> {
        if self.recordings.waiting.is_some() {
            let why = match how {
                Survey::Broken => "the engine stopped while it was looking for a seed that fits",
                _ => "under no seed the cluster starts as it was recorded",
            };
            return self.not_opened(format!("The recording could not be opened: {why}. Choose another."));
        }
        if let Some(opened) = self
            .recordings
            .opened
            .as_mut()
            .map(Rc::make_mut)
            .filter(|opened| opened.survey == Survey::Runs)
        {
            opened.survey = how;
        }
        Vec::new()
    }
}

fn read(id: &str, text: &str) -> Result<(Recording, Rebuilt), String> {
    let name = format!("{id}.json");
    let recording = Recording::parse(Path::new(&name), text).map_err(|error| error.to_string())?;
    let not_built = |why: NotBuilt| format!("the engine cannot rebuild it yet, for it needs {why}");
    let rebuilt = Rebuilt::of(&recording).map_err(not_built)?;
    Ok((recording, rebuilt))
}
