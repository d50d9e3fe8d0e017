//! The lanes as lists of sentences: what the drawing shows, for those who do not see it.

use super::super::story::{FuseEnd, MemberLane, NodeLane, Story, Stretch};
use super::super::words;
use crate::engine::{SimTime, Span};
use crate::sorting;
use crate::vocabulary::Step;

/// A lane of the drawing, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneList {
    pub name: String,
    /// In the order of time.
    pub items: Vec<LaneItem>,
}

/// Something on a lane: from, until, what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneItem {
    pub from: SimTime,
    pub until: SimTime,
    pub text: String,
}

/// Shorter than this, a step of an agent is not told.
const WORTH_TELLING: Span = Span::from_millis(200);

impl Story {
    /// What every lane shows over the whole run. The order is that of [`Scene::lanes`](super::super::Scene::lanes).
    pub fn lists(&self) -> Vec<LaneList> {
        let mut lists = Vec::new();
        if !self.faults.is_empty() {
            let items = self.faults.iter().map(|fault| LaneItem {
                from: fault.from,
                until: fault.until.unwrap_or(self.end()),
                text: fault.label.clone(),
            });
            lists.push(LaneList {
                name: "Faults".to_owned(),
                items: items.collect(),
            });
        }
        lists.push(LaneList {
            name: "Store".to_owned(),
            items: self.store_items(),
        });
        if self.store.is_group() {
            lists.extend(self.store.members.iter().map(|member| LaneList {
                name: member.name.clone(),
                items: member_items(member),
            }));
        }
        for node in &self.nodes {
            lists.push(LaneList {
                name: node.name.clone(),
                items: node_items(node),
            });
        }
        lists.push(LaneList {
            name: "Writes".to_owned(),
            items: self.write_items(),
        });
        for list in &mut lists {
            sorting::by_key(&mut list.items, |item| item.from);
        }
        lists
    }

    fn store_items(&self) -> Vec<LaneItem> {
        let mut items: Vec<LaneItem> = Vec::new();
        let mut renewals = 0;
        for fuse in &self.store.fuses {
            let name = self.name(fuse.holder);
            let end = match fuse.end {
                FuseEnd::Renewed | FuseEnd::Open => "",
                FuseEnd::Expired => "; then its lease expires",
                FuseEnd::Released => "; then the key is given back",
                FuseEnd::Replaced => "; then the key is written anew",
            };
            let goes_on = items
                .last()
                .is_some_and(|last| last.until == fuse.from && last.text.starts_with(name));
            renewals = if goes_on { renewals + 1 } else { 0 };
            let text = match renewals {
                0 => format!("{name} holds the leader key{end}"),
                1 => format!("{name} holds the leader key and renews its lease once{end}"),
                n => format!("{name} holds the leader key and renews its lease {n} times{end}"),
            };
            match items.last_mut().filter(|_| goes_on) {
                Some(last) => (last.until, last.text) = (fuse.until, text),
                None => items.push(LaneItem {
                    from: fuse.from,
                    until: fuse.until,
                    text,
                }),
            }
        }
        if self.store.is_group() {
            let dark = self.verdict.record.no_quorum.iter().map(|dark| LaneItem {
                from: dark.from,
                until: dark.to,
                text: words::no_quorum(dark.too_few).to_owned(),
            });
            items.extend(dark);
        } else {
            let halts = self.store.members.iter().flat_map(|only| &only.halts);
            items.extend(halts.map(|halt| LaneItem {
                from: halt.from,
                until: halt.until,
                text: format!("the store is {}", words::halt_words(halt.is)),
            }));
        }
        items
    }

    fn write_items(&self) -> Vec<LaneItem> {
        let list = |lists: &[Vec<SimTime>], what: &str| -> Vec<LaneItem> {
            let named = lists.iter().zip(&self.nodes).filter_map(|(times, node)| {
                let (from, until) = (*times.first()?, *times.last()?);
                let text = format!("{} accepts {} writes{what}", node.name, times.len());
                Some(LaneItem { from, until, text })
            });
            named.collect()
        };
        let mut items = list(&self.writes.kept, "");
        items.extend(list(&self.writes.lost, " that are later lost"));
        let not = [
            (&self.writes.refused, "refused"),
            (&self.writes.unknown, "neither confirmed nor refused"),
        ];
        for (times, how) in not {
            if let (Some(&from), Some(&until)) = (times.first(), times.last()) {
                let text = format!("{} writes through the router are {how}", times.len());
                items.push(LaneItem { from, until, text });
            }
        }
        items
    }
}

fn member_items(member: &MemberLane) -> Vec<LaneItem> {
    fn list<T: Copy>(stretches: &[Stretch<T>], words: impl Fn(T) -> String) -> impl Iterator<Item = LaneItem> {
        stretches.iter().map(move |s| LaneItem {
            from: s.from,
            until: s.until,
            text: words(s.is),
        })
    }
    let mut items: Vec<LaneItem> = list(&member.places, words::place_words).collect();
    items.extend(list(&member.halts, |halt| words::halt_words(halt).to_owned()));
    items.extend(list(&member.disk, |disk| words::disk_words(disk).to_owned()));
    items
}

fn node_items(node: &NodeLane) -> Vec<LaneItem> {
    let mut items: Vec<LaneItem> = Vec::new();
    for belief in &node.beliefs {
        match items.last_mut().filter(|last| last.until == belief.from) {
            Some(last) => last.until = belief.until,
            None => items.push(LaneItem {
                from: belief.from,
                until: belief.until,
                text: "agent: takes itself for the leader".to_owned(),
            }),
        }
    }
    let long = |step: &&Stretch<Step>| step.is != Step::Sleeping && step.until.since(step.from) >= WORTH_TELLING;
    let steps = node.steps.iter().filter(long).map(|step| LaneItem {
        from: step.from,
        until: step.until,
        text: format!("agent: {}", words::step_words(step.is)),
    });
    items.extend(steps);
    let databases = node.database.iter().map(|state| LaneItem {
        from: state.from,
        until: state.until,
        text: format!("database: {}", words::database_words(state.is)),
    });
    items.extend(databases);
    let halts = [
        ("agent", &node.agent_halts),
        ("database", &node.database_halts),
        ("machine", &node.host_halts),
    ];
    for (what, list) in halts {
        let told = list.iter().map(|halt| LaneItem {
            from: halt.from,
            until: halt.until,
            text: format!("{what}: {}", words::halt_words(halt.is)),
        });
        items.extend(told);
    }
    let resets = node.resets.iter().map(|&at| LaneItem {
        from: at,
        until: at,
        text: "watchdog: resets the machine".to_owned(),
    });
    items.extend(resets);
    items
}
