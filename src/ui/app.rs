//! The root of the page: holds the session, carries out its effects, passes time and keys to it, lays out the rest.

use super::browser::{self, Frames, Listener};
use super::engine_room::{EngineRoom, News, Source};
use super::shared::Shared;
use super::wire::{Answer, Request};
use super::{
    about, chart, events, help, knobs, lanes, legend, moment, playback, question, recorded, strike, timeline,
    verdict_line, why,
};
use crate::compare::Recording;
use crate::draw::Theme;
use crate::session::keys::{self, Focus};
use crate::session::{Action, Effect, Recorded, Session};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use yew::prelude::*;

#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    pub engine: Source,
}

pub enum Msg {
    Do(Action),
    News(News),
    /// From the worker that holds a recording against many seeds.
    Survey(News),
    Key(web_sys::KeyboardEvent),
    ThemeChanged,
}

pub struct App {
    session: Session,
    engine: EngineRoom,
    /// A second worker, while a recording is held against many seeds: the first stays free for the run.
    survey: Option<EngineRoom>,
    frames: Frames,
    theme: Theme,
    /// Made once: a callback made anew for each view would look like a change to every component.
    act: Callback<Action>,
    help: NodeRef,
    why_title: NodeRef,
    /// The row whose causes were shown when the page was last rendered.
    asked: Option<usize>,
    recordings: NodeRef,
    really: NodeRef,
    recorded_title: NodeRef,
    /// The recording that was open when the page was last rendered.
    recorded: Option<Rc<Recording>>,
    _listeners: Vec<Listener>,
}

const DARK: &str = "(prefers-color-scheme: dark)";
const CALM: &str = "(prefers-reduced-motion: reduce)";

impl Component for App {
    type Message = Msg;
    type Properties = Props;

    fn create(ctx: &Context<Self>) -> Self {
        let link = ctx.link();
        let (session, effects) = Session::open(browser::matches(CALM));
        let mut app = App {
            session,
            engine: EngineRoom::new(ctx.props().engine.clone(), link.callback(Msg::News)),
            frames: Frames::new(link.callback(|real| Msg::Do(Action::Tick(real)))),
            theme: theme(),
            act: link.callback(Msg::Do),
            help: NodeRef::default(),
            why_title: NodeRef::default(),
            survey: None,
            asked: None,
            recordings: NodeRef::default(),
            really: NodeRef::default(),
            recorded_title: NodeRef::default(),
            recorded: None,
            _listeners: listeners(ctx),
        };
        app.carry_out(ctx, effects);
        app
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Do(action) => self.act(ctx, action),
            Msg::News(News::Died) => self.act(ctx, Action::WorkerDied),
            Msg::News(News::Answer(answer)) => {
                self.engine.heard(&answer);
                actions(*answer)
                    .into_iter()
                    .fold(false, |news, action| self.act(ctx, action) | news)
            }
            Msg::Survey(News::Died) => {
                self.survey = None;
                self.act(ctx, Action::Recorded(Recorded::SurveyDied))
            }
            Msg::Survey(News::Answer(answer)) => {
                if let Some(survey) = &mut self.survey {
                    survey.heard(&answer);
                }
                // Its work is done: it goes home.
                if !answer.goes_on() {
                    self.survey = None;
                }
                actions(*answer)
                    .into_iter()
                    .fold(false, |news, action| self.act(ctx, action) | news)
            }
            Msg::Key(event) => self.key(ctx, &event),
            Msg::ThemeChanged => {
                self.theme = theme();
                true
            }
        }
    }

    fn view(&self, _: &Context<Self>) -> Html {
        let (session, act) = (&self.session, &self.act);
        html! {
            <>
                <header class="top">
                    <b class="name">{ "LeaseLab" }</b>
                    <span class="what">{ "Leadership by lease, run for real: change it, break it, see whether two primaries coexist." }</span>
                    { help::view(session, act, &self.help) }
                </header>
                <main>
                    <question::Question
                        name={session.name} scenario={session.scenario.clone()} really={self.really.clone()} act={act.clone()}
                    />
                    { recorded::list(session, act, &self.recordings) }
                    { verdict_line::view(session, act) }
                    <div class="lab">
                        { self.evidence() }
                        { self.reading() }
                    </div>
                </main>
            </>
        }
    }

    fn rendered(&mut self, _: &Context<Self>, _first: bool) {
        help::show(&self.help, self.session.help);
        let recordings = &self.session.recordings;
        help::show(&self.recordings, recordings.choosing);
        let opened = recordings.opened.as_ref().map(|opened| opened.recording.clone());
        if opened.as_ref().map(Rc::as_ptr) != self.recorded.as_ref().map(Rc::as_ptr) {
            recorded::lead_focus(&self.recorded_title, &self.really, opened.is_some());
            self.recorded = opened;
        }
        let asked = self.session.why.as_ref().map(|why| why.row);
        let before = std::mem::replace(&mut self.asked, asked);
        if before != asked {
            why::lead_focus(&self.why_title, before, asked);
        }
    }
}

impl App {
    /// What happened, and what it can be changed with.
    fn evidence(&self) -> Html {
        let (session, act) = (&self.session, &self.act);
        let story = session.story.clone().map(Shared);
        let at = session.playhead;
        html! {
            <div class="evidence">
                <timeline::Timeline story={story.clone()} {at} window={session.window} theme={self.theme} act={act.clone()} />
                { recorded::view(session, self.theme, act, &self.recorded_title) }
                { playback::view(session, act) }
                { recorded::details(session) }
                { strike::view(session, act) }
                <knobs::Knobs
                    scenario={session.scenario.clone()} refused={session.refused.clone()} changed={session.changed()}
                    act={act.clone()}
                />
                <div class="below">
                    <chart::Chart {story} {at} theme={self.theme} />
                    { legend::view() }
                </div>
            </div>
        }
    }

    /// The same in words.
    fn reading(&self) -> Html {
        let (session, act) = (&self.session, &self.act);
        let story = session.story.clone().map(Shared);
        html! {
            <div class="reading">
                { moment::view(session) }
                { why::view(session, act, &self.why_title) }
                <events::Events
                    story={story.clone()} row={session.row} asked={session.why.as_ref().map(|why| why.row)}
                    playing={session.playing} act={act.clone()}
                />
                { about::view(session) }
                <lanes::Lanes {story} />
            </div>
        }
    }

    /// Says whether there is something new to see.
    fn act(&mut self, ctx: &Context<Self>, action: Action) -> bool {
        let ticks = matches!(action, Action::Tick(_));
        let before = self.session.playhead;
        let effects = self.session.reduce(action);
        self.carry_out(ctx, effects);
        self.frames.run(self.session.playing);
        !ticks || before != self.session.playhead
    }

    fn carry_out(&mut self, ctx: &Context<Self>, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Simulate { run, toml, measure } => self.engine.ask(Request::Simulate { run, toml, measure }),
                Effect::Explain { run, event } => self.engine.ask(Request::Explain { run, event }),
                Effect::RestartWorker => self.engine.restart(),
                Effect::Fetch(wanted) => {
                    let address = wanted.address();
                    let told = move |text| Msg::Do(Action::Recorded(Recorded::Fetched(wanted.clone(), text)));
                    browser::fetch(address, ctx.link().callback(told));
                }
                Effect::Survey {
                    survey,
                    name,
                    text,
                    seeds,
                } => {
                    let room = EngineRoom::new(ctx.props().engine.clone(), ctx.link().callback(Msg::Survey));
                    self.survey.insert(room).ask(Request::Survey {
                        survey,
                        name,
                        text,
                        seeds: seeds as u32,
                    });
                }
                Effect::EndSurvey => self.survey = None,
            }
        }
    }

    fn key(&mut self, ctx: &Context<Self>, event: &web_sys::KeyboardEvent) -> bool {
        if event.ctrl_key() || event.alt_key() || event.meta_key() || event.default_prevented() {
            return false;
        }
        if self.session.help || self.session.recordings.choosing {
            return false;
        }
        let key = event.key();
        let focus = focus(event.target());
        match keys::pressed(&self.session, &key, focus) {
            Some(action) => {
                event.prevent_default();
                self.act(ctx, action)
            }
            None => false,
        }
    }
}

/// What a worker's answer means for the session.
fn actions(answer: Answer) -> Vec<Action> {
    let recorded = |what| vec![Action::Recorded(what)];
    match answer {
        Answer::Progress { run, reached } => vec![Action::Progress { run, reached }],
        Answer::Simulated { run, story, figures } => {
            let measured = figures.map(|figures| Action::Recorded(Recorded::Measured { run, figures }));
            let answered = Action::Answered {
                run,
                story: Rc::from(story),
            };
            measured.into_iter().chain([answered]).collect()
        }
        Answer::Explained { run, event, reasons } => vec![Action::Explained { run, event, reasons }],
        Answer::Fits { survey, fitting } => recorded(Recorded::Fits { survey, fitting }),
        Answer::Seed { survey, figures } => recorded(Recorded::Seed { survey, figures }),
        Answer::Surveyed { survey } => recorded(Recorded::Surveyed { survey }),
    }
}

fn theme() -> Theme {
    if browser::matches(DARK) {
        Theme::Dark
    } else {
        Theme::Light
    }
}

fn listeners(ctx: &Context<App>) -> Vec<Listener> {
    let mut listeners = Vec::new();
    if let Some(document) = browser::document() {
        let link = ctx.link().clone();
        listeners.push(Listener::new(&document, "keydown", move |event| {
            if let Ok(event) = event.dyn_into() {
                link.send_message(Msg::Key(event));
            }
        }));
    }
    if let Some(media) = browser::media(DARK) {
        let link = ctx.link().clone();
        listeners.push(Listener::new(&media, "change", move |_| {
            link.send_message(Msg::ThemeChanged)
        }));
    }
    listeners
}

/// What kind of control has the focus.
fn focus(target: Option<web_sys::EventTarget>) -> Focus {
    let Some(element) = target.and_then(|target| target.dyn_into::<web_sys::Element>().ok()) else {
        return Focus::Page;
    };
    match (element.tag_name().as_str(), element.get_attribute("type").as_deref()) {
        ("INPUT", Some("range")) => Focus::Slider,
        ("INPUT", Some("checkbox")) | ("BUTTON" | "A" | "SUMMARY", _) => Focus::Button,
        ("INPUT" | "SELECT" | "TEXTAREA", _) => Focus::Entry,
        _ => Focus::Page,
    }
}
