//! The links between all hosts, each direction apart: a picture to press on, and the same as a table of switches.

use super::controls::press;
use super::shared::tenths;
use crate::scenario::Host;
use crate::session::wires::{Wire, Wires};
use crate::session::{Action, Session};
use yew::prelude::*;

/// The picture, in its own units.
const SIZE: f64 = 240.0;
const RADIUS: f64 = 88.0;
/// How far the two directions of a link lie apart from its middle.
const APART: f64 = 4.0;
/// A line begins so far from the middle of its host.
const CLEAR: f64 = 20.0;

pub fn view(session: &Session, act: &Callback<Action>) -> Html {
    let names = session.scenario.names();
    let hosts: Vec<(Host, String)> = names.hosts().into_iter().map(|host| (host, names.host(host))).collect();
    let at = session.playhead;
    let pairs = hosts.iter().flat_map(|from| hosts.iter().map(move |to| (from, to)));
    let wires = Wires::at(&session.scenario, at);
    let between = |from: Host, to: Host| wires.between(from, to);
    let line = |((n, from), (m, to)): ((usize, Host), (usize, Host))| {
        let state = between(from, to);
        let (x1, y1, x2, y2) = ends(place(n, hosts.len()), place(m, hosts.len()));
        let (half_x, half_y) = ((x1 + x2) / 2.0, (y1 + y2) / 2.0);
        let coordinates = |class: &'static str, marker: Option<&'static str>| {
            html! {
                <line
                    {class} x1={format!("{x1:.1}")} y1={format!("{y1:.1}")} x2={format!("{x2:.1}")} y2={format!("{y2:.1}")}
                    marker-end={marker}
                />
            }
        };
        html! {
            <g class={classes!("wire", word(state))} onclick={press(act, Action::ToggleLink(from, to))}>
                { coordinates("reach", None) }
                { coordinates("seen", Some("url(#arrow)")) }
                if state == Wire::Cut {
                    <path class="cross" d={format!("M{:.1} {:.1}l8 8m0 -8l-8 8", half_x - 4.0, half_y - 4.0)} />
                }
            </g>
        }
    };
    let numbered = || hosts.iter().enumerate().map(|(n, (host, _))| (n, *host));
    let all = numbered().flat_map(|from| numbered().map(move |to| (from, to)));
    html! {
        <details class="wires">
            <summary>{ "Links between the machines" }</summary>
            <p class="help">
                { format!("Press a link to cut it from the playhead ({}) on, and again to heal it there. Each direction is a link of its own.", tenths(at)) }
            </p>
            <div class="both">
                <svg viewBox={format!("0 0 {SIZE} {SIZE}")} aria-hidden="true">
                    <defs>
                        <marker id="arrow" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="6" markerHeight="6" orient="auto">
                            <path d="M0 0L6 3L0 6z" />
                        </marker>
                    </defs>
                    { for all.filter(|((n, _), (m, _))| n != m).map(line) }
                    { for hosts.iter().enumerate().map(|(n, (_, name))| host(place(n, hosts.len()), name)) }
                </svg>
                <div class="figures">
                    <table>
                        <thead>
                            <tr><th scope="col">{ "from \\ to" }</th>{ for hosts.iter().map(|(_, name)| html! { <th scope="col">{ name }</th> }) }</tr>
                        </thead>
                        <tbody>
                            { for hosts.iter().map(|from| html! {
                                <tr>
                                    <th scope="row">{ &from.1 }</th>
                                    { for pairs.clone().filter(|(other, _)| other.0 == from.0).map(|(from, to)| html! {
                                        <td>{ cell(act, from, to, between(from.0, to.0)) }</td>
                                    }) }
                                </tr>
                            }) }
                        </tbody>
                    </table>
                </div>
            </div>
        </details>
    }
}

fn cell(
    act: &Callback<Action>,
    (from, from_name): &(Host, String),
    (to, to_name): &(Host, String),
    state: Wire,
) -> Html {
    if from == to {
        return html! { "·" };
    }
    html! {
        <button
            type="button" class={word(state)} aria-pressed={(state == Wire::Cut).to_string()}
            aria-label={format!("{from_name} to {to_name}: {}", word(state))}
            onclick={press(act, Action::ToggleLink(*from, *to))}
        >
            { word(state) }
        </button>
    }
}

const fn word(state: Wire) -> &'static str {
    match state {
        Wire::Whole => "whole",
        Wire::Poor => "poor",
        Wire::Cut => "cut",
    }
}

fn host((x, y): (f64, f64), name: &str) -> Html {
    html! {
        <g class="host">
            <circle cx={format!("{x:.1}")} cy={format!("{y:.1}")} r="17" />
            <text x={format!("{x:.1}")} y={format!("{:.1}", y + 3.5)}>{ name.chars().take(8).collect::<String>() }</text>
        </g>
    }
}

/// The hosts stand in a circle, so that no link lies behind a third host.
fn place(n: usize, count: usize) -> (f64, f64) {
    let turn = (n as f64 / count.max(1) as f64 - 0.25) * std::f64::consts::TAU;
    (SIZE / 2.0 + RADIUS * turn.cos(), SIZE / 2.0 + RADIUS * turn.sin())
}

/// Where the line of one direction begins and ends, beside the other's.
fn ends((x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> (f64, f64, f64, f64) {
    let (dx, dy) = (x2 - x1, y2 - y1);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let (sx, sy) = (-uy * APART, ux * APART);
    (
        x1 + ux * CLEAR + sx,
        y1 + uy * CLEAR + sy,
        x2 - ux * CLEAR + sx,
        y2 - uy * CLEAR + sy,
    )
}
