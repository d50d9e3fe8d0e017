//! "At this moment": what store, agents and databases say at the playhead.

use super::shared::tenths;
use crate::draw::{Moment, NodeMoment, Story};
use crate::session::Session;
use crate::verdict::length;
use yew::prelude::*;

pub fn view(session: &Session) -> Html {
    let Some(story) = &session.story else {
        return Html::default();
    };
    let moment = story.at(session.playhead);
    let truth = &moment.truth;
    let key = match (truth.holder, moment.left_by_store) {
        (Some(node), Some(left)) => format!("{}, {} left", story.name(node), length(left)),
        (Some(node), None) => format!("{}, run out", story.name(node)),
        (None, _) => "nobody".to_owned(),
    };
    let writable = truth.writable.len();
    let mut writes = format!("{} acknowledged", truth.acknowledged);
    if truth.lost > 0 {
        writes.push_str(&format!(", {} of them lost", truth.lost));
    }
    html! {
        <section class="moment" aria-labelledby="moment-title">
            <h2 id="moment-title">{ format!("At {}", tenths(session.playhead)) }</h2>
            <dl>
                <dt>{ "Leader key" }</dt><dd>{ key }</dd>
                { store(story, &moment) }
                { for story.nodes.iter().zip(&moment.nodes).enumerate().map(|(n, (lane, node))| node_row(n, &lane.name, node)) }
                <dt>{ "Accept writes" }</dt>
                <dd class={(writable > 1).then_some("bad")}>{ databases(writable) }</dd>
                <dt>{ "Writers go to" }</dt>
                <dd>{ moment.router.map_or("nobody", |node| story.name(node)).to_owned() }</dd>
                <dt>{ "Writes so far" }</dt><dd>{ writes }</dd>
            </dl>
        </section>
    }
}

/// The store's members, when there are several; what is wrong with it when there is one.
fn store(story: &Story, moment: &Moment) -> Html {
    let dark = moment.no_quorum_since.map(|since| {
        let words = format!("decides nothing, for {} already", length(moment.at.since(since)));
        html! { <><dt>{ "Store" }</dt><dd>{ words }</dd></> }
    });
    let members = story
        .store
        .members
        .iter()
        .zip(&moment.members)
        .filter(|_| story.store.is_group());
    let members = members.map(|(lane, member)| {
        html! { <><dt class="member">{ &lane.name }</dt><dd class="member">{ &member.words }</dd></> }
    });
    html! { <>{ for dark }{ for members }</> }
}

fn databases(count: usize) -> String {
    match count {
        0 => "no database".to_owned(),
        1 => "1 database".to_owned(),
        more => format!("{more} databases"),
    }
}

fn node_row(n: usize, name: &str, node: &NodeMoment) -> Html {
    let belief = match (node.believes, node.left_by_own_clock_us) {
        (true, Some(left)) => Some(format!("believes it leads, {} left by its own clock", seconds(left))),
        (false, Some(left)) if left < 0 => Some(format!("its lease ran out {} ago by its own clock", seconds(-left))),
        _ => None,
    };
    let watchdog = node
        .watchdog_left
        .map(|left| format!("the watchdog resets the machine in {}", length(left)));
    let line = |words: String| html! { <p>{ words }</p> };
    html! {
        <>
            <dt class={format!("node n{n}")}>{ name }</dt>
            <dd class="node">
                { line(format!("agent: {}", node.agent_words)) }
                { for belief.map(line) }
                { line(format!("database: {}", node.database_words)) }
                { for watchdog.map(line) }
            </dd>
        </>
    }
}

fn seconds(us: i64) -> String {
    format!("{:.1} s", us as f64 / 1e6)
}
