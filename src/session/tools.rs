//! The palette: what people break first, each a button and a thing to drag onto a lane. Pressed, it happens at the
//! playhead; dropped, where it is dropped. Everything else can be struck by the panel of [`strike`](super::strike).

use super::strike::{Aim, STRIKE, aims};
use super::ways::{Sort, WAYS, Way};
use super::{Effect, Refused, Session};
use crate::draw::{LaneKey, Spot};
use crate::engine::SimTime;
use crate::scenario::decimal::Decimal;
use crate::scenario::{Host, Scenario};

/// One thing of the palette.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    pub words: &'static str,
    /// The same in a sentence about what happens.
    pub hint: &'static str,
    /// What it does, by what it is used on.
    does: &'static [(Sort, &'static str)],
    /// How long, in seconds; nothing: to the end of the run.
    lasts: &'static str,
}

const fn tool(
    words: &'static str,
    hint: &'static str,
    does: &'static [(Sort, &'static str)],
    lasts: &'static str,
) -> Tool {
    Tool {
        words,
        hint,
        does,
        lasts,
    }
}

/// The palette, in its order.
pub const TOOLS: [Tool; 12] = [
    tool(
        "Kill agent",
        "kills the agent; its database runs on",
        &[(Sort::Agent, "kill")],
        "",
    ),
    tool(
        "Freeze agent",
        "freezes the agent for 45 s; its database runs on",
        &[(Sort::Agent, "pause")],
        "45",
    ),
    tool(
        "Kill database",
        "kills the database; its agent lives",
        &[(Sort::Database, "kill")],
        "",
    ),
    tool(
        "Power off",
        "switches the machine off: nothing on it answers any more",
        &[
            (Sort::Node, "power"),
            (Sort::MemberHost, "power"),
            (Sort::Member, "kill"),
        ],
        "",
    ),
    tool(
        "Freeze machine",
        "freezes everything on the machine for 20 s",
        &[
            (Sort::Node, "pause"),
            (Sort::MemberHost, "pause"),
            (Sort::Member, "pause"),
        ],
        "20",
    ),
    tool(
        "Cut off",
        "nothing passes to or from the machine for 40 s",
        &[(Sort::AllLinks, "silent")],
        "40",
    ),
    tool(
        "Cut from store",
        "nothing passes between the machine and the store for 40 s",
        &[(Sort::StoreLinks, "silent")],
        "40",
    ),
    tool(
        "Slow network",
        "everything to and from the machine takes 500 ms longer, for 40 s",
        &[(Sort::AllLinks, "latency")],
        "40",
    ),
    tool(
        "Lose packets",
        "a fifth of the packets to and from the machine are lost, for 40 s",
        &[(Sort::AllLinks, "loss")],
        "40",
    ),
    tool(
        "Stall disk",
        "nothing written becomes durable for 15 s",
        &[(Sort::Disk, "stall")],
        "15",
    ),
    tool(
        "Set clock",
        "the wall clock jumps 5 s forward",
        &[(Sort::Node, "step"), (Sort::MemberHost, "step")],
        "",
    ),
    tool(
        "Hand over",
        "the leader is asked to hand over to another node",
        &[(Sort::Node, "switchover")],
        "",
    ),
];

/// What is done with the palette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Palette {
    /// Buttons strike this host from now on, by its name; empty: whoever leads.
    On(String),
    /// Now, at the playhead.
    Use(usize),
    /// It is carried over the page, and here over the timeline.
    Carry(usize, Option<Spot>),
    /// It is dropped where it was carried to.
    Drop,
    /// It is put back.
    PutBack,
}

/// What is carried from the palette, and where it is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    pub tool: usize,
    pub spot: Option<Spot>,
}

impl Tool {
    /// What it would strike on this host, and how.
    fn on(&self, host: &str, scenario: &Scenario) -> Option<(Aim, &'static Way)> {
        let mut aims = aims(scenario).into_iter().filter(|aim| aim.host == host);
        aims.find_map(|aim| {
            let (_, way) = self.does.iter().find(|(sort, _)| *sort == aim.sort)?;
            let way = WAYS.iter().find(|known| known.name == *way)?;
            Some((aim, way))
        })
    }
}

/// The hosts that can be chosen for the palette's buttons.
pub fn hosts(scenario: &Scenario) -> Vec<String> {
    let mut hosts: Vec<String> = aims(scenario).into_iter().map(|aim| aim.host).collect();
    hosts.dedup();
    hosts
}

impl Session {
    pub(super) fn palette(&mut self, what: Palette) -> Vec<Effect> {
        match what {
            Palette::On(host) => {
                self.palette_on = host;
                Vec::new()
            }
            Palette::Use(tool) => {
                let host = self.palette_host();
                self.use_tool(tool, &host, self.playhead)
            }
            Palette::Carry(tool, spot) => {
                self.carried = Some(Carried { tool, spot });
                Vec::new()
            }
            Palette::Drop => match self.carried.take() {
                Some(Carried { tool, spot: Some(spot) }) => self.drop_tool(tool, spot),
                _ => Vec::new(),
            },
            Palette::PutBack => {
                self.carried = None;
                Vec::new()
            }
        }
    }

    /// Whom the palette's buttons strike now.
    pub fn palette_host(&self) -> String {
        let known = hosts(&self.scenario);
        if known.contains(&self.palette_on) {
            return self.palette_on.clone();
        }
        let leader = self.story.as_ref().and_then(|story| {
            let truth = story.at(self.playhead).truth;
            Some(story.name(truth.holder?).to_owned())
        });
        let leader = leader.filter(|name| known.contains(name));
        leader.or_else(|| known.into_iter().next()).unwrap_or_default()
    }

    /// What is carried over the timeline: its words, and where.
    pub fn carried_words(&self) -> Option<(&'static str, Spot)> {
        let Carried { tool, spot } = self.carried?;
        Some((TOOLS.get(tool)?.words, spot?))
    }

    fn drop_tool(&mut self, tool: usize, spot: Spot) -> Vec<Effect> {
        let names = self.scenario.names();
        let host = match spot.lane {
            Some(LaneKey::Node(node)) => names.host(Host::Node(node.index())),
            Some(LaneKey::Member(member)) => format!("etcd{}", u16::from(member) + 1),
            // A store of one member has no lane for it.
            Some(LaneKey::Store) => "etcd1".to_owned(),
            Some(LaneKey::Faults) => self.palette_host(),
            Some(LaneKey::Writes) | None => "the clients".to_owned(),
        };
        self.use_tool(tool, &host, spot.at)
    }

    fn use_tool(&mut self, tool: usize, host: &str, at: SimTime) -> Vec<Effect> {
        let Some(tool) = TOOLS.get(tool) else {
            return Vec::new();
        };
        let Some((aim, way)) = tool.on(host, &self.scenario) else {
            self.refused = Some(Refused {
                key: STRIKE,
                value: format!("“{}” on {host}", tool.words),
                words: "there is nothing of that kind; drop it on another lane".to_owned(),
            });
            return Vec::new();
        };
        let at = Decimal::millionths(i128::from(at.0)).to_string();
        self.add_fault(&aim, way, &at, tool.lasts, "")
    }
}
