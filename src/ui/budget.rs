//! The budget of one lease, as a bar with words and in sentences, and beside it what was measured in this run.

use crate::draw::Story;
use crate::draw::budget::{Budget, Measured, Segment, Spent};
use crate::engine::Span;
use crate::scenario::Scenario;
use yew::prelude::*;

/// A part that is narrower, in percent of the bar, has no room for its word.
const WORTH_A_WORD: f64 = 13.0;

pub fn view(scenario: &Scenario, story: Option<&Story>) -> Html {
    let budget = Budget::of(scenario);
    let measured = story
        .map(|story| Measured::of(story).words(budget.ttl))
        .unwrap_or_default();
    html! {
        <section class="budget" aria-labelledby="budget-title">
            <h2 id="budget-title">{ "Budget of one lease" }</h2>
            { bar(&budget) }
            <p class={budget.over().is_some().then_some("over")}>{ budget.sum() }</p>
            <details>
                <summary>{ "How it adds up, and in this run" }</summary>
                <ol>{ for budget.segments.iter().map(part) }</ol>
                { for budget.notes().into_iter().map(|words| html! { <p>{ words }</p> }) }
                <h3>{ "Measured in this run" }</h3>
                { for measured.into_iter().map(|words| html! { <p>{ words }</p> }) }
            </details>
        </section>
    }
}

fn class(spent: Spent) -> &'static str {
    match spent {
        Spent::LoopWait => "wait",
        Spent::Renewal => "renewal",
        Spent::Reload => "reload",
        Spent::Failsafe => "failsafe",
        Spent::Stop => "stop",
        Spent::Slack => "slack",
    }
}

/// `10.0 s`
fn at(span: Span) -> String {
    format!("{:.1} s", span.as_secs_f64())
}

fn part(segment: &Segment) -> Html {
    let (name, words) = segment.spent.words();
    html! {
        <li>
            <svg class="swatch" aria-hidden="true"><rect width="100%" height="100%" class={class(segment.spent)} fill={fill(segment.spent)} /></svg>
            <span><b>{ name }</b>{ format!(", {} to {}: {words}.", at(segment.from), at(segment.until)) }</span>
        </li>
    }
}

/// Each part has a pattern of its own, so that nothing hangs on colours.
fn fill(spent: Spent) -> &'static str {
    match spent {
        Spent::LoopWait => "currentColor",
        Spent::Renewal => "url(#budget-renewal)",
        Spent::Reload => "url(#budget-reload)",
        Spent::Failsafe => "url(#budget-failsafe)",
        Spent::Stop => "url(#budget-stop)",
        Spent::Slack => "none",
    }
}

/// To scale: from the renewal to the end of the lease, or of the stop when that is later.
fn bar(budget: &Budget) -> Html {
    let whole = budget.length().as_secs_f64().max(0.001);
    let percent = |span: Span| span.as_secs_f64() * 100.0 / whole;
    let rect = |segment: &Segment| {
        let (from, wide) = (percent(segment.from), percent(segment.until) - percent(segment.from));
        html! {
            <>
                <rect
                    x={format!("{from:.2}%")} width={format!("{wide:.2}%")} y="0" height="18" class={class(segment.spent)}
                    fill={fill(segment.spent)}
                />
                if wide >= WORTH_A_WORD {
                    <text x={format!("{:.2}%", from + wide / 2.0)} y="13" text-anchor="middle" class={class(segment.spent)}>
                        { segment.spent.word() }
                    </text>
                }
            </>
        }
    };
    let mark = |span: Span, class: &'static str| {
        let x = format!("{:.2}%", percent(span).min(99.7));
        html! { <line x1={x.clone()} x2={x} y1="0" y2="24" {class} /> }
    };
    html! {
        <svg class="bar" role="img" aria-label={format!("From one renewal to the end of the lease: {}", budget.sum())}>
            <defs>
                { stripes("budget-renewal", "rotate(45)", "3") }
                { stripes("budget-reload", "rotate(-45)", "3") }
                { stripes("budget-failsafe", "rotate(90)", "2") }
                { stripes("budget-stop", "rotate(0)", "3.5") }
            </defs>
            { for budget.segments.iter().map(rect) }
            { for budget.watchdog.map(|fires| mark(fires, "watchdog")) }
            { mark(budget.ttl, "ttl") }
            <text x="0" y="34" class="scale">{ "renewal" }</text>
            { for budget.watchdog.map(|fires| scale(percent(fires), format!("watchdog {:.0}", fires.as_secs_f64()), 55.0)) }
            { scale(percent(budget.ttl), format!("ttl {:.0}", budget.ttl.as_secs_f64()), 20.0) }
        </svg>
    }
}

/// A word under the bar, at its left when it would run over the edge.
fn scale(percent: f64, words: String, turns_at: f64) -> Html {
    let anchor = if percent > turns_at { "end" } else { "start" };
    html! { <text x={format!("{percent:.2}%")} y="34" text-anchor={anchor} class="scale">{ words }</text> }
}

fn stripes(id: &'static str, turned: &'static str, wide: &'static str) -> Html {
    html! {
        <pattern {id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform={turned}>
            <rect width={wide} height="6" fill="currentColor" />
        </pattern>
    }
}
