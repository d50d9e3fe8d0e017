//! The worker: runs scenarios, keeps the trace of the last one, and answers why something happened in it.

use super::wire::{self, Answer, Request};
use crate::compare::{self, Measure, Rebuilt, Recording};
use crate::draw;
use crate::engine::{EventId, FullTrace, SimTime, Span};
use crate::exchange::write_events;
use crate::scenario::Scenario;
use crate::verdict::Rerun;
use crate::vocabulary::Words;
use std::borrow::Cow;
use std::cell::RefCell;
use std::path::Path;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

/// What is kept of the last run.
struct Kept {
    run: u32,
    rerun: Rerun,
}

/// Progress is looked at so many times in a run …
const SLICES: u64 = 200;
/// … and told when so much real time has passed.
const TELL_MS: f64 = 250.0;

/// Listens for requests.
///
/// # Errors
///
/// When it is called outside a dedicated worker.
pub fn start() -> Result<(), JsValue> {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().dyn_into()?;
    let answers = scope.clone();
    let kept = RefCell::new(None::<Kept>);
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |message: MessageEvent| {
        let answer = match wire::unpack(&message.data()) {
            Some(Request::Simulate { run, toml, measure }) => simulate(&answers, run, &toml, measure, &kept),
            Some(Request::Explain { run, event }) => explain(run, event, &kept),
            Some(Request::Relate { run, event }) => relate(run, event, &kept),
            Some(Request::Look { run, from, until }) => look(run, (from, until), &kept),
            Some(Request::Trace { run, part }) => trace(run, part, &kept),
            Some(Request::Survey {
                survey,
                name,
                text,
                seeds,
            }) => look_around(&answers, survey, &name, &text, seeds),
            // An error of ours: the page hears of it, because nobody catches this.
            None => wasm_bindgen::throw_str("the page sent what no page of this version sends"),
        };
        post(&answers, &answer);
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    Ok(())
}

fn post(scope: &DedicatedWorkerGlobalScope, answer: &Answer) {
    let (buffer, transfer) = wire::pack(answer);
    // The page may be gone by now; then nobody waits for the answer.
    let _ = scope.post_message_with_transfer(&buffer, &transfer);
}

fn simulate(
    scope: &DedicatedWorkerGlobalScope,
    run: u32,
    toml: &str,
    measure: Option<Measure>,
    kept: &RefCell<Option<Kept>>,
) -> Answer {
    let scenario = match Scenario::parse(toml, "scenario") {
        Ok(scenario) => scenario,
        Err(errors) => {
            let first = errors.first().map(ToString::to_string).unwrap_or_default();
            wasm_bindgen::throw_str(&first)
        }
    };
    // The run before goes on from where the two differ, or is given back first: two long traces might not fit.
    let mut rerun = match kept.borrow_mut().take() {
        Some(before) => before.rerun.again(&scenario),
        None => Rerun::new(&scenario),
    };
    let mut told_ms = js_sys::Date::now();
    for slice in 1..=SLICES {
        let reached = SimTime::ZERO + Span(scenario.duration.0 * slice / SLICES);
        if reached <= rerun.from() {
            continue;
        }
        rerun.run_until(reached);
        if js_sys::Date::now() - told_ms > TELL_MS {
            told_ms = js_sys::Date::now();
            post(scope, &Answer::Progress { run, reached });
        }
    }
    // The hash names a run for tests and links; the page has no use for it and would wait for it.
    let verdict = rerun.verdict();
    let figures = measure.map(|measure| Box::new(measure.figures(rerun.trace(), rerun.layout(), &verdict)));
    let story = Box::new(draw::tell(rerun.trace(), verdict, &scenario, rerun.layout()));
    *kept.borrow_mut() = Some(Kept { run, rerun });
    Answer::Simulated { run, story, figures }
}

/// A recorded run under seed after seed.
fn look_around(scope: &DedicatedWorkerGlobalScope, survey: u32, name: &str, text: &str, seeds: u32) -> Answer {
    // The page has read and rebuilt it before it asked, so neither fails here.
    let recording = Recording::parse(Path::new(name), text).ok();
    let Some(rebuilt) = recording.and_then(|recording| Rebuilt::of(&recording).ok()) else {
        return Answer::Surveyed { survey };
    };
    for (n, fitting) in compare::fitting(&rebuilt, seeds as usize).enumerate() {
        if n == 0 {
            post(scope, &Answer::Fits { survey, fitting });
        }
        let figures = Box::new(fitting.figures(&rebuilt));
        post(scope, &Answer::Seed { survey, figures });
    }
    Answer::Surveyed { survey }
}

/// The messages and waits of a part of the run; nothing of a run that is gone, which nobody waits for.
fn look(run: u32, (from, until): (SimTime, SimTime), kept: &RefCell<Option<Kept>>) -> Answer {
    let kept = kept.borrow();
    let kept = kept.as_ref().filter(|kept| kept.run == run);
    let detail = kept.map(|Kept { rerun, .. }| {
        let part = rerun.part(from, until);
        let what = (rerun.scenario(), rerun.layout());
        draw::look_closer(rerun.trace(), &part, what, (from, until))
    });
    Answer::Looked {
        run,
        detail: Box::new(detail.unwrap_or_default()),
    }
}

/// How much of what came after an event is looked at: as much as of what came before it.
const AFTER: Span = Span::from_secs(120);

/// What led up to an event, and what came after it.
fn around(rerun: &Rerun, event: EventId) -> Cow<'_, FullTrace<Words>> {
    let at = rerun.trace().get(event).map_or(SimTime::ZERO, |event| event.at);
    rerun.part(at, (at + AFTER).min(rerun.end()))
}

/// The trace as JSON lines; nothing when another run was simulated meanwhile.
fn trace(run: u32, part: Option<(SimTime, SimTime)>, kept: &RefCell<Option<Kept>>) -> Answer {
    let kept = kept.borrow();
    let kept = kept.as_ref().filter(|kept| kept.run == run);
    let lines = kept.and_then(|kept| {
        let (trace, from) = match part {
            Some((from, until)) => (kept.rerun.part(from, until), from),
            None => (Cow::Borrowed(kept.rerun.trace()), SimTime::ZERO),
        };
        let mut lines = Vec::new();
        let wanted = trace.iter().filter(|event| event.at >= from);
        write_events(wanted, kept.rerun.layout(), &mut lines)
            .ok()
            .map(|()| lines)
    });
    Answer::Traced { run, lines }
}

fn relate(run: u32, event: EventId, kept: &RefCell<Option<Kept>>) -> Answer {
    let kept = kept.borrow();
    let kept = kept.as_ref().filter(|kept| kept.run == run);
    let related = kept.and_then(|kept| draw::relate(&around(&kept.rerun, event), event));
    Answer::Related { run, event, related }
}

fn explain(run: u32, event: EventId, kept: &RefCell<Option<Kept>>) -> Answer {
    let kept = kept.borrow();
    let kept = kept.as_ref().filter(|kept| kept.run == run);
    let reasons = kept.map(|Kept { rerun, .. }| {
        let traces = (rerun.trace(), &*around(rerun, event));
        draw::why_within(traces, rerun.layout(), rerun.scenario(), event)
    });
    Answer::Explained {
        run,
        event,
        reasons: reasons.unwrap_or_default(),
    }
}
