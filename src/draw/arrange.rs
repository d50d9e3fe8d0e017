//! Which lanes are drawn, in which order, and which of them folded to one row: what a person chose, apart from any run.

use super::story::{Lane, Story};
use crate::vocabulary::NodeId;
use std::fmt::Write;

/// A lane that can be hidden, folded and moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaneKey {
    Faults,
    Store,
    /// One of the store's members, when there are several.
    Member(u8),
    Node(NodeId),
    Writes,
}

impl LaneKey {
    /// The lane of the drawing in which something happens.
    pub fn of(lane: Lane) -> LaneKey {
        match lane {
            Lane::Faults => LaneKey::Faults,
            Lane::Store => LaneKey::Store,
            Lane::Member(member) => LaneKey::Member(member),
            Lane::Agent(node) | Lane::Database(node) => LaneKey::Node(node),
            Lane::Traffic => LaneKey::Writes,
        }
    }
    /// A member's lane is as thin as a lane can be.
    pub fn can_fold(self) -> bool {
        !matches!(self, LaneKey::Member(_))
    }
    pub fn name(self, story: &Story) -> String {
        match self {
            LaneKey::Faults => "Faults".to_owned(),
            LaneKey::Store => "Store".to_owned(),
            LaneKey::Member(member) => {
                let member = story.store.members.get(usize::from(member));
                member.map_or_else(|| "?".to_owned(), |member| member.name.clone())
            }
            LaneKey::Node(node) => story.name(node).to_owned(),
            LaneKey::Writes => "Writes".to_owned(),
        }
    }
}

/// How one lane is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneChoice {
    pub key: LaneKey,
    pub hidden: bool,
    pub folded: bool,
}

/// What is done to a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneMove {
    Hide(bool),
    Fold(bool),
    Up,
    Down,
}

/// The lanes as somebody arranged them; nothing as long as nobody did. A lane that is not in the list, because another
/// scenario has more, stands where it would at first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrangement(Vec<LaneChoice>);

impl Arrangement {
    pub fn is_default(&self) -> bool {
        self.0.is_empty()
    }

    /// All lanes of a story, hidden ones too, from top to bottom.
    pub fn lanes(&self, story: &Story) -> Vec<LaneChoice> {
        let natural = natural(story);
        let mut lanes: Vec<LaneChoice> = self.0.clone();
        lanes.retain(|choice| natural.contains(&choice.key));
        for (n, &key) in natural.iter().enumerate() {
            if lanes.iter().all(|choice| choice.key != key) {
                let before = natural[..n].last();
                let after = before.and_then(|before| lanes.iter().position(|choice| choice.key == *before));
                let choice = LaneChoice {
                    key,
                    hidden: false,
                    folded: false,
                };
                lanes.insert(after.map_or(0, |after| after + 1), choice);
            }
        }
        lanes
    }

    /// Does one thing to one lane. A lane moves past hidden ones too: the list in which it is moved shows all.
    pub fn change(&mut self, key: LaneKey, what: LaneMove, story: &Story) {
        let mut lanes = self.lanes(story);
        let Some(at) = lanes.iter().position(|choice| choice.key == key) else {
            return;
        };
        match what {
            LaneMove::Hide(hidden) => lanes[at].hidden = hidden,
            LaneMove::Fold(folded) => lanes[at].folded = folded && key.can_fold(),
            LaneMove::Up if at > 0 => lanes.swap(at, at - 1),
            LaneMove::Down if at + 1 < lanes.len() => lanes.swap(at, at + 1),
            LaneMove::Up | LaneMove::Down => {}
        }
        let as_at_first = lanes.iter().all(|choice| !choice.hidden && !choice.folded)
            && lanes.iter().map(|choice| choice.key).eq(natural(story));
        self.0 = if as_at_first { Vec::new() } else { lanes };
    }

    /// As a link says it: `f s m0 -n2 _n0 w`, hidden lanes with `-`, folded ones with `_`.
    pub fn write(&self) -> String {
        let mut text = String::new();
        for choice in &self.0 {
            let hidden = if choice.hidden { "-" } else { "" };
            let folded = if choice.folded { "_" } else { "" };
            let space = if text.is_empty() { "" } else { " " };
            let _ = write!(text, "{space}{hidden}{folded}");
            // Writing to a string cannot fail.
            let _ = match choice.key {
                LaneKey::Faults => write!(text, "f"),
                LaneKey::Store => write!(text, "s"),
                LaneKey::Member(member) => write!(text, "m{member}"),
                LaneKey::Node(node) => write!(text, "n{}", node.0),
                LaneKey::Writes => write!(text, "w"),
            };
        }
        text
    }

    /// What [`Arrangement::write`] wrote. What is not understood, or said twice, is left out.
    pub fn read(text: &str) -> Arrangement {
        let mut lanes: Vec<LaneChoice> = Vec::new();
        for word in text.split(' ').take(LANES_MAX) {
            let (hidden, word) = flag(word, '-');
            let (folded, word) = flag(word, '_');
            let number = |word: &str| word.parse::<u8>().ok();
            let key = match word.split_at_checked(1) {
                Some(("f", "")) => Some(LaneKey::Faults),
                Some(("s", "")) => Some(LaneKey::Store),
                Some(("w", "")) => Some(LaneKey::Writes),
                Some(("m", member)) => number(member).map(LaneKey::Member),
                Some(("n", node)) => number(node).map(|node| LaneKey::Node(NodeId(node))),
                _ => None,
            };
            let new = key.filter(|key| lanes.iter().all(|choice| choice.key != *key));
            lanes.extend(new.map(|key| LaneChoice {
                key,
                hidden,
                folded: folded && key.can_fold(),
            }));
        }
        Arrangement(lanes)
    }
}

/// More than any story has.
const LANES_MAX: usize = 32;

fn flag(word: &str, sign: char) -> (bool, &str) {
    word.strip_prefix(sign).map_or((false, word), |rest| (true, rest))
}

/// The lanes of a story as they stand at first.
fn natural(story: &Story) -> Vec<LaneKey> {
    let mut lanes = Vec::new();
    if !story.faults.is_empty() {
        lanes.push(LaneKey::Faults);
    }
    lanes.push(LaneKey::Store);
    if story.store.is_group() {
        lanes.extend((0..story.store.members.len()).map(|member| LaneKey::Member(member as u8)));
    }
    lanes.extend((0..story.nodes.len()).map(|node| LaneKey::Node(NodeId(node as u8))));
    lanes.push(LaneKey::Writes);
    lanes
}
