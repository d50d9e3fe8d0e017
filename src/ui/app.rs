//! The root of the page: holds the session, carries out its effects, passes time and keys to it, lays out the rest.

use super::browser::{self, Frames, Listener};
use super::engine_room::{EngineRoom, News, Source};
use super::ground::Ground;
use super::listeners::{DARK, NEWER_WANTED, focus, listeners};
use super::shared::Shared;
use super::wire::{Answer, Request};
use super::{
    about, chart, embed, events, export, faults, help, inspect, keys as key_tree, knobs, lane_panel, lanes, legend,
    map, message, moment, outcome, palette, playback, question, recorded, reference, relating, remarks, seen, strike,
    timeline, top, twin, verdict_line, why,
};
use crate::compare::Recording;
use crate::draw::Theme;
use crate::session::embed::Message;
use crate::session::kept;
use crate::session::keys;
use crate::session::{Action, Effect, Page, Recorded, Session, Sharing, Start};
use gloo_timers::callback::Timeout;
use std::rc::Rc;
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
    /// From the page around this one.
    Asked(Message),
    ThemeChanged,
}

pub struct App {
    session: Session,
    engine: EngineRoom,
    /// A second worker, while a recording is held against many seeds: the first stays free for the run.
    survey: Option<EngineRoom>,
    frames: Frames,
    /// The timeline, for what is dropped on it.
    ground: Ground,
    theme: Theme,
    /// Made once: a callback made anew for each view would look like a change to every component.
    act: Callback<Action>,
    /// Until the person counts as having come to rest.
    rest: Option<Timeout>,
    /// The key under which this page keeps its work. Another page has another, also when it is a copy of this one.
    work: String,
    help: NodeRef,
    files: NodeRef,
    /// The page that was shown when it was last rendered.
    page: Page,
    why_title: NodeRef,
    /// The row whose relations were shown when the page was last rendered.
    related: Option<usize>,
    /// The row whose causes were shown when the page was last rendered.
    asked: Option<usize>,
    recordings: NodeRef,
    really: NodeRef,
    recorded_title: NodeRef,
    /// The recording that was open when the page was last rendered.
    recorded: Option<Rc<Recording>>,
    /// Two runs were compared when the page was last rendered.
    compared: bool,
    /// The page around this one, when it is shown within another.
    around: Option<embed::Around>,
    _listeners: Vec<Listener>,
}

/// Who does nothing for so long has come to rest.
const REST_MS: u32 = 500;

const CALM: &str = "(prefers-reduced-motion: reduce)";

impl Component for App {
    type Message = Msg;
    type Properties = Props;

    fn create(ctx: &Context<Self>) -> Self {
        let link = ctx.link();
        let (site, fragment) = browser::address();
        let (session, effects) = Session::open(Start {
            calm: browser::matches(CALM),
            site,
            fragment,
            memory: browser::memory(),
        });
        let mut app = App {
            session,
            engine: EngineRoom::new(ctx.props().engine.clone(), link.callback(Msg::News)),
            frames: Frames::new(link.callback(|real| Msg::Do(Action::Tick(real)))),
            ground: Ground::default(),
            theme: theme(),
            act: link.callback(Msg::Do),
            rest: None,
            work: format!(
                "{}{:.0}-{:.0}",
                kept::WORKS,
                js_sys::Date::now(),
                js_sys::Math::random() * 1e9
            ),
            help: NodeRef::default(),
            files: NodeRef::default(),
            page: Page::Lab,
            why_title: NodeRef::default(),
            survey: None,
            asked: None,
            related: None,
            recordings: NodeRef::default(),
            really: NodeRef::default(),
            recorded_title: NodeRef::default(),
            recorded: None,
            compared: false,
            around: None,
            _listeners: listeners(ctx),
        };
        if app.session.embedded {
            app.around = embed::Around::find(link);
        }
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
            Msg::Asked(message) => match self.session.asked(&message) {
                Some(action) => self.act(ctx, action),
                None => false,
            },
            Msg::ThemeChanged => {
                self.theme = theme();
                true
            }
        }
    }

    fn view(&self, _: &Context<Self>) -> Html {
        let (session, act) = (&self.session, &self.act);
        if session.embedded {
            return embed::view(session, self.theme, act);
        }
        html! {
            <>
                { top::view(session, act, &self.help, &self.files) }
                if session.page == Page::Settings {
                    { reference::view(top::lab(session)) }
                } else {
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
                }
            </>
        }
    }

    fn rendered(&mut self, _: &Context<Self>, _first: bool) {
        help::show(&self.help, self.session.help);
        help::show(&self.files, self.session.share.open);
        if std::mem::replace(&mut self.page, self.session.page) != self.session.page && self.page == Page::Settings {
            browser::focus("reference-title");
        }
        let recordings = &self.session.recordings;
        help::show(&self.recordings, recordings.choosing);
        let opened = recordings.opened.as_ref().map(|opened| opened.recording.clone());
        if opened.as_ref().map(Rc::as_ptr) != self.recorded.as_ref().map(Rc::as_ptr) {
            recorded::lead_focus(&self.recorded_title, &self.really, opened.is_some());
            self.recorded = opened;
        }
        let compared = self.session.before.is_some();
        // The button that ended it is gone.
        if std::mem::replace(&mut self.compared, compared) && !compared {
            browser::focus_if_lost(twin::FORK);
        }
        let related = self.session.relating.as_ref().map(|relating| relating.row);
        if std::mem::replace(&mut self.related, related) != related && related.is_some() {
            browser::focus(relating::TITLE);
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
                <timeline::Timeline
                    story={story.clone()} {at} window={session.window} dress={session.dress()}
                    carried={session.carried_words()} ground={self.ground.clone()} theme={self.theme} act={act.clone()}
                />
                <map::Map story={story.clone()} {at} window={session.window} theme={self.theme} act={act.clone()} />
                <div class="under">
                    { legend::view(story.clone()) }
                    { lane_panel::view(session, act) }
                </div>
                { recorded::view(session, self.theme, act, &self.recorded_title) }
                { twin::view(session, self.theme, act) }
                { playback::view(session, act) }
                { recorded::details(session) }
                { twin::details(session, act) }
                { palette::view(session, act, &self.ground) }
                { faults::chosen(session, act) }
                <knobs::Knobs
                    scenario={session.scenario.clone()} shipped={session.shipped.clone()} story={story.clone()}
                    refused={session.refused.clone()} explained={session.explained} more={session.more}
                    filter={session.filter.clone()} act={act.clone()}
                />
                { strike::view(session, act) }
                <div class="below">
                    <chart::Chart {story} {at} theme={self.theme} />
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
                { message::view(session, act) }
                { moment::view(session) }
                { inspect::view(session, act) }
                { key_tree::view(session, act) }
                { remarks::view(session, act) }
                <outcome::Outcomes story={story.clone()} act={act.clone()} />
                { why::view(session, act, &self.why_title) }
                { relating::view(session, act) }
                <events::Events
                    story={story.clone()} row={session.row} asked={session.why.as_ref().map(|why| why.row)}
                    cone={session.cone()} related={session.relating.as_ref().map(|relating| relating.row)}
                    playing={session.playing} act={act.clone()}
                />
                <seen::SeenInRun story={story.clone()} act={act.clone()} />
                { about::view(session) }
                <lanes::Lanes {story} />
            </div>
        }
    }

    /// Says whether there is something new to see.
    fn act(&mut self, ctx: &Context<Self>, action: Action) -> bool {
        let ticks = matches!(action, Action::Tick(_));
        if !action.is_news() {
            let link = ctx.link().clone();
            self.rest = Some(Timeout::new(REST_MS, move || {
                link.send_message(Msg::Do(Action::Settle))
            }));
        }
        let before = self.session.playhead;
        let effects = self.session.reduce(action);
        self.carry_out(ctx, effects);
        self.frames.run(self.session.playing);
        if let Some(around) = &mut self.around {
            around.tell(&self.session);
        }
        !ticks || before != self.session.playhead
    }

    fn carry_out(&mut self, ctx: &Context<Self>, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Simulate { run, toml, measure } => self.engine.ask(Request::Simulate { run, toml, measure }),
                Effect::Look { run, from, until } => self.engine.ask(Request::Look { run, from, until }),
                Effect::Explain { run, event } => self.engine.ask(Request::Explain { run, event }),
                Effect::Relate { run, event } => self.engine.ask(Request::Relate { run, event }),
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
                Effect::Address(fragment) => browser::replace_fragment(&fragment),
                Effect::Keep(work) => {
                    if !browser::keep(&self.work, &work.write(js_sys::Date::now())) {
                        ctx.link().send_message(Msg::Do(Action::Share(Sharing::NotKept)));
                    }
                }
                // Who cannot keep habits cannot keep work, and hears of that.
                Effect::KeepHabits(habits) => drop(browser::keep(kept::HABITS, &habits)),
                Effect::Forget(key) => browser::forget(&key),
                Effect::Copy { what, text } => {
                    let told = move |taken| Msg::Do(Action::Share(Sharing::Told(what, taken)));
                    browser::copy(text, ctx.link().callback(told));
                }
                Effect::Draw { what, name } => {
                    export::picture(&self.session, self.theme, what, name, ctx.link().callback(saved));
                }
                Effect::Trace { run, part } => self.engine.ask(Request::Trace { run, part }),
                Effect::Save { name, text } => ctx.link().send_message(saved(export::text(&name, &text))),
                Effect::UseNewerSite => browser::say(NEWER_WANTED),
            }
        }
    }

    fn key(&mut self, ctx: &Context<Self>, event: &web_sys::KeyboardEvent) -> bool {
        let session = &self.session;
        if event.alt_key() || event.default_prevented() {
            return false;
        }
        if session.embedded && (event.ctrl_key() || event.meta_key()) {
            return false;
        }
        if session.help || session.recordings.choosing || session.share.open || session.page != Page::Lab {
            return false;
        }
        let key = event.key();
        let focus = focus(event.target());
        let action = if event.ctrl_key() || event.meta_key() {
            keys::commanded(&key, event.shift_key(), focus)
        } else {
            keys::pressed(session, &key, focus)
        };
        match action {
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
        Answer::Looked { run, detail } => vec![Action::Looked { run, detail }],
        Answer::Explained { run, event, reasons } => vec![Action::Explained { run, event, reasons }],
        Answer::Related { run, event, related } => vec![Action::Related { run, event, related }],
        Answer::Traced { run, lines } => vec![Action::Share(Sharing::Traced {
            run,
            lines: lines.map(Rc::from),
        })],
        Answer::Fits { survey, fitting } => recorded(Recorded::Fits { survey, fitting }),
        Answer::Seed { survey, figures } => recorded(Recorded::Seed { survey, figures }),
        Answer::Surveyed { survey } => recorded(Recorded::Surveyed { survey }),
    }
}

/// What became of a file.
fn saved(well: bool) -> Msg {
    Msg::Do(Action::Share(Sharing::Saved(well)))
}

fn theme() -> Theme {
    if browser::matches(DARK) {
        Theme::Dark
    } else {
        Theme::Light
    }
}
