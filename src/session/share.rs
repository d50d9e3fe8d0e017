//! What leaves a session and comes into it: the fragment of the address, links, reports, scenario files.

use super::kept::Kept;
use super::twin::{self, Before};
use super::{Effect, Landing, Session, Window, Worker};
use crate::draw::words::{fault_label, fault_times};
use crate::exchange::link::{self, Link};
use crate::scenario::{FIELDS, SHIPPED, Scenario};
use std::fmt::Write;
use std::rc::Rc;

/// Which page the fragment of the address names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    #[default]
    Lab,
    /// The reference of all settings.
    Settings,
}

impl Page {
    /// The fragment that names it.
    pub const fn fragment(self) -> &'static str {
        match self {
            Page::Lab => "#/lab",
            Page::Settings => "#/settings",
        }
    }
}

/// What can be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copied {
    Link,
    Report,
    /// What a page of somebody else's takes in to show this one.
    Snippet,
}

/// What can be saved of the run that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// The timeline as it is seen.
    Svg,
    Png,
    /// All events, as JSON lines.
    Trace,
}

impl Export {
    const fn extension(self) -> &'static str {
        match self {
            Export::Svg => "svg",
            Export::Png => "png",
            Export::Trace => "jsonl",
        }
    }
}

/// What happens around links and files.
#[derive(Clone, Debug)]
pub enum Sharing {
    /// Opens or closes the sheet.
    Open(bool),
    Copy(Copied),
    /// The clipboard took it, or did not.
    Told(Copied, bool),
    /// Makes a file of the run.
    Save(Export),
    /// From the worker: the trace of run `run`, when it still has that.
    Traced {
        run: u32,
        lines: Option<Rc<[u8]>>,
    },
    /// The file was made, or could not be.
    Saved(bool),
    /// The page around this one wants a link opened: its fragment.
    OpenLink(String),
    /// A text was typed or pasted into the sheet.
    Typed(String),
    /// Runs that text.
    RunTyped,
    /// A file was chosen or dropped: its name and text, or why it could not be read.
    File(String, Result<String, String>),
    /// What was said has been read.
    Dismiss,
    /// Nothing of earlier visits is wanted now.
    NotNow,
    /// The browser keeps nothing: it is full, or was told not to.
    NotKept,
}

/// The sheet of links and files, and what is to be told about them.
#[derive(Clone, Debug, Default)]
pub struct Share {
    pub open: bool,
    pub typed: String,
    /// What became of copying.
    pub told: Option<String>,
    /// What the clipboard did not take, to be copied by hand.
    pub by_hand: Option<String>,
    /// What is wrong with a text or a file, line by line.
    pub errors: Vec<String>,
    /// Experiments of earlier visits, to go on with.
    pub kept: Vec<Kept>,
    /// That the browser keeps nothing was said.
    pub not_kept: bool,
    /// What is to be known of the link that was opened, or why it was not.
    pub notices: Vec<String>,
}

const NOT_KEPT: &str = "This browser keeps nothing for the next visit: its memory for this site is full or switched off. \
                        The address has all of your work: copy the link to keep it.";

/// More errors of a file than these are only counted.
const ERRORS_SHOWN: usize = 8;

impl Session {
    /// The fragment that opens exactly what is shown now.
    pub fn fragment_now(&self) -> String {
        let (from, span) = self.window.parts();
        link::write(&Link {
            name: self.name.to_owned(),
            scenario: Scenario::clone(&self.scenario),
            at: self.playhead,
            from,
            span,
            lanes: self.lanes.clone(),
            clock: self.clock,
            remarks: self.remarks.to_vec(),
            before: self.before.as_ref().map(|before| Scenario::clone(&before.scenario)),
        })
    }

    /// The whole link.
    pub fn link(&self) -> String {
        format!("{}{}", self.site, self.fragment_now())
    }

    /// Writes what is shown into the address, once the person has done something. It takes the place of what was there, so
    /// that the way back leads out of the page and not through every move of a slider.
    pub(super) fn settle(&mut self) -> Vec<Effect> {
        // Held still, a fault is still in somebody's hand.
        if self.moving_fault().is_none() {
            self.history.settle();
        }
        // The address of a page within another is that page's, and so is what is kept.
        if self.embedded {
            return Vec::new();
        }
        if !std::mem::take(&mut self.touched) || self.page != Page::Lab || self.story.is_none() {
            return Vec::new();
        }
        self.fragment = self.fragment_now();
        let mut effects = Vec::new();
        if self.fragment != self.address {
            self.address.clone_from(&self.fragment);
            effects.push(Effect::Address(self.fragment.clone()));
        }
        effects.extend(self.keep());
        effects
    }

    /// The address has this fragment: a page of ours, a link, or nothing.
    pub(super) fn follow(&mut self, fragment: &str) -> Vec<Effect> {
        self.address = fragment.to_owned();
        self.page = if fragment.starts_with(Page::Settings.fragment()) {
            self.playing = false;
            Page::Settings
        } else {
            Page::Lab
        };
        // Back from another page to what is still open.
        if !link::is_link(fragment) || fragment == self.fragment {
            return Vec::new();
        }
        self.open_fragment(fragment).unwrap_or_else(|why| {
            self.share.notices = vec![why];
            Vec::new()
        })
    }

    /// Opens what a link holds, or says why not.
    fn open_fragment(&mut self, fragment: &str) -> Result<Vec<Effect>, String> {
        let read = link::read(fragment).map_err(|why| format!("The link was not opened: {why}."))?;
        self.share.notices = read.told;
        // One of them was taken up, or something else is wanted.
        self.share.kept.clear();
        self.fragment = fragment.to_owned();
        Ok(self.open_link(read.link))
    }

    fn open_link(&mut self, link: Link) -> Vec<Effect> {
        let scenario = Rc::new(link.scenario);
        let known = SHIPPED.iter().map(|(name, _)| *name).find(|name| *name == link.name);
        let own = known.map_or_else(|| scenario.clone(), super::shipped);
        let mut effects = self.open_own(known.unwrap_or_default(), own);
        self.before = link.before.map(|scenario| {
            let (scenario, story) = (Rc::new(scenario), None);
            Rc::new(Before { scenario, story })
        });
        if *self.scenario != *scenario || self.before.is_some() {
            self.scenario = scenario;
            // The run that was asked for first is not the one to show.
            effects.retain(|effect| !matches!(effect, Effect::Simulate { .. }));
            effects.extend(self.simulate());
        }
        self.window = Window::of(link.from, link.span);
        self.lanes = link.lanes;
        self.clock = link.clock;
        self.remarks = Rc::new(link.remarks);
        self.lands = Some(Landing::At(link.at));
        effects
    }

    pub(super) fn share(&mut self, what: Sharing) -> Vec<Effect> {
        match what {
            Sharing::Open(open) => {
                self.share.open = open;
                (self.share.told, self.share.by_hand) = (None, None);
                self.share.errors.clear();
            }
            Sharing::Copy(what) => {
                let text = self.copied(what);
                return vec![Effect::Copy { what, text }];
            }
            Sharing::Told(what, true) => {
                let words = match what {
                    Copied::Link => "The link is copied. It opens exactly this moment.",
                    Copied::Report => "The report is copied.",
                    Copied::Snippet => "The snippet is copied.",
                };
                self.tell(words);
            }
            Sharing::Told(what, false) => {
                self.share.told = Some("The browser does not give the clipboard away. Copy it from here:".to_owned());
                self.share.by_hand = Some(self.copied(what));
                self.share.open = true;
            }
            Sharing::Save(what) => return self.save(what),
            Sharing::Traced { run, lines } => match lines.filter(|_| run == self.run) {
                Some(text) => {
                    let name = self.file_name(Export::Trace.extension());
                    return vec![Effect::Save { name, text }];
                }
                None => self.tell("The run has changed meanwhile. Save its trace once the new one is there."),
            },
            Sharing::Saved(true) => self.tell("The file is saved where the browser keeps downloads."),
            Sharing::Saved(false) => self.tell("The browser could not make the file."),
            // Nobody here asked for it, so nobody is told why not.
            Sharing::OpenLink(fragment) => return self.open_fragment(&fragment).unwrap_or_default(),
            Sharing::Typed(text) => self.share.typed = text,
            Sharing::RunTyped => {
                let text = self.share.typed.clone();
                return self.import("the text", &text);
            }
            Sharing::File(name, Ok(text)) => return self.import(&name, &text),
            Sharing::File(name, Err(why)) => self.not_imported(vec![format!("{name} could not be read: {why}")]),
            Sharing::Dismiss => self.share.notices.clear(),
            Sharing::NotNow => self.share.kept.clear(),
            // Said once: it will be so each time.
            Sharing::NotKept if self.share.not_kept => {}
            Sharing::NotKept => {
                self.share.not_kept = true;
                self.share.notices.push(NOT_KEPT.to_owned());
            }
        }
        Vec::new()
    }

    pub(super) fn tell(&mut self, words: &str) {
        self.share.told = Some(words.to_owned());
        self.share.by_hand = None;
    }

    /// Only what is shown can be saved, not what is still under way.
    fn save(&mut self, what: Export) -> Vec<Effect> {
        if self.worker != Worker::Idle || self.story.is_none() {
            self.tell("The run is not there yet. Save it once it is.");
            return Vec::new();
        }
        if what == Export::Trace {
            let part = self.traced_part();
            self.tell(match (self.knows_all(), part) {
                (true, _) => "The trace is being written …",
                (false, Some(_)) => "The run is long: the events of the part in view are being written …",
                (false, None) => {
                    "The run is long: what its processes stated is being written. Zoom in for all events of a part of it …"
                }
            });
            return vec![Effect::Trace { run: self.run, part }];
        }
        let name = self.file_name(what.extension());
        vec![Effect::Draw { what, name }]
    }

    fn copied(&self, what: Copied) -> String {
        match what {
            Copied::Link => self.link(),
            Copied::Report => self.report(),
            Copied::Snippet => self.snippet(),
        }
    }

    /// A scenario of somebody's own, from its text; or a link, which is as welcome there.
    fn import(&mut self, name: &str, text: &str) -> Vec<Effect> {
        let link = text.trim().split_once('#').map(|(_, rest)| format!("#{rest}"));
        if let Some(link) = link.filter(|link| link::is_link(link)) {
            return match self.open_fragment(&link) {
                Ok(effects) => {
                    self.imported();
                    effects
                }
                Err(why) => {
                    self.not_imported(vec![why]);
                    Vec::new()
                }
            };
        }
        match Scenario::parse(text, name) {
            Ok(scenario) => {
                self.imported();
                self.share.notices.clear();
                self.open_own("", Rc::new(scenario))
            }
            Err(errors) => {
                let mut words: Vec<String> = errors.iter().take(ERRORS_SHOWN).map(ToString::to_string).collect();
                if errors.len() > ERRORS_SHOWN {
                    words.push(format!("and {} more", errors.len() - ERRORS_SHOWN));
                }
                self.not_imported(words);
                Vec::new()
            }
        }
    }

    /// The sheet has done its work; what it opened is shown in the lab.
    fn imported(&mut self) {
        (self.share.open, self.share.typed) = (false, String::new());
        self.share.errors.clear();
        self.page = Page::Lab;
    }

    /// What was open stays open, and what was typed stays typed.
    fn not_imported(&mut self, errors: Vec<String>) {
        self.share.errors = errors;
        self.share.open = true;
    }

    /// What somebody else needs to see the same: link, seed, engine, verdict, and every setting that is not the default.
    pub fn report(&self) -> String {
        let (scenario, defaults) = (&self.scenario, Scenario::default());
        let mut text = format!(
            "LeaseLab: {}\nLink: {}\nSeed: {}\nEngine: LeaseLab {}\n",
            scenario.title,
            self.link(),
            scenario.seed,
            crate::VERSION
        );
        if let Some(story) = &self.story {
            let _ = write!(
                text,
                "Verdict: {}\n{}\n",
                story.verdict.headline(),
                story.verdict.details()
            );
        }
        let _ = writeln!(text, "Playhead: {:.3} s", self.playhead.as_secs_f64());
        text.push_str("Settings (those in sight, and what differs from the defaults):\n");
        for field in FIELDS.iter().filter(|field| !matches!(field.key, "title" | "seed")) {
            let value = scenario.get(field.key).unwrap_or_default();
            if field.form.place.is_some() || Some(&value) != defaults.get(field.key).as_ref() {
                let _ = writeln!(
                    text,
                    "  {}",
                    format!("{} = {value} {}", field.key, field.unit).trim_end()
                );
            }
        }
        for adjusted in &scenario.adjusted {
            let _ = writeln!(
                text,
                "  Patroni runs with {} = {}: {}",
                adjusted.key, adjusted.to, adjusted.why
            );
        }
        text.push_str("Broken:\n");
        for fault in &scenario.faults {
            let _ = writeln!(text, "  {}, {}", fault_label(fault, scenario), fault_times(fault));
        }
        if scenario.faults.is_empty() {
            text.push_str("  nothing\n");
        }
        if let Some(before) = &self.before {
            text.push_str("Compared with a run before these changes:\n");
            for change in twin::changes(&before.scenario, scenario) {
                let _ = writeln!(text, "  {change}");
            }
            for figure in self.twin_figures() {
                if let Some(differs) = figure.differs {
                    let _ = writeln!(
                        text,
                        "  {}: {} → {} ({differs})",
                        figure.title, figure.before, figure.after
                    );
                }
            }
        }
        text
    }

    /// A name for a file: `the-leader-s-agent-is-killed.toml`.
    pub fn file_name(&self, extension: &str) -> String {
        let title = self.scenario.title.to_ascii_lowercase();
        let words = title
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty());
        let name: String = words.collect::<Vec<_>>().join("-").chars().take(60).collect();
        format!(
            "{}.{extension}",
            if name.is_empty() {
                "scenario"
            } else {
                name.trim_end_matches('-')
            }
        )
    }
}
