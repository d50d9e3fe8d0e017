//! The interview room: cards that ask one question each, and walkthroughs that explain one thing at a whiteboard. Both are
//! Markdown as lessons are, and what they state is executed. `lessons/interview/README.md` tells how a card is written.
//!
//! | file         | what lives there |
//! |--------------|------------------|
//! | `mod.rs`     | [`Card`] and [`Walkthrough`]: what the page shows; [`Said`] and what it makes an interviewer ask next |
//! | `blocks.rs`  | their fenced blocks as they are written |
//! | `read.rs`    | a file as one of them; `build.rs` what the blocks mean |
//! | `check.rs`   | what each must have, alone and among each other, and their check against the runs |
//! | `record.rs`  | what somebody knew and missed, on one page of text |

mod blocks;
mod build;
#[cfg(not(target_arch = "wasm32"))]
mod check;
mod read;
mod record;

#[cfg(not(target_arch = "wasm32"))]
pub(super) use check::together;
pub use record::{Answered, Bet, Record, Sureness};

use super::prose::{Block, Inline, Link};
use super::staging::Staged;
use super::{Stated, Text};
use crate::verdict::{Claim, Figure};
use std::collections::BTreeSet;

/// The folder of cards and walkthroughs, beside those of the tracks.
pub const FOLDER: &str = "interview";

/// A file of the folder.
#[derive(Clone, Debug)]
pub enum Interview {
    Card(Card),
    Walkthrough(Walkthrough),
}

/// One question and everything around its answer.
#[derive(Clone, Debug)]
pub struct Card {
    /// Its folder and its file without number and ending: `interview/what-stops-two-primaries`.
    pub id: String,
    /// As it was named when it was read.
    pub file: String,
    pub about: CardAbout,
    /// One good answer, in three lengths.
    pub answers: Answers,
    /// What a good answer has, to tick oneself.
    pub rubric: Vec<Point>,
    pub follow_ups: Vec<FollowUp>,
    pub red_flags: Vec<RedFlag>,
    /// With the line where each begins.
    pub claims: Vec<(usize, Stated)>,
    /// In the order in which the card introduces them.
    pub scenarios: Vec<Staged>,
}

/// The front matter of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardAbout {
    pub question: String,
    pub level: CardLevel,
    /// A few words to find it by.
    pub topics: Vec<String>,
    /// The lesson that teaches it, by the last part of its id.
    pub lesson: String,
}

/// Whose interview it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CardLevel {
    Junior,
    Middle,
    Senior,
    Principal,
}

impl CardLevel {
    pub const ALL: [CardLevel; 4] = [
        CardLevel::Junior,
        CardLevel::Middle,
        CardLevel::Senior,
        CardLevel::Principal,
    ];

    /// As the file writes it.
    pub const fn word(self) -> &'static str {
        match self {
            CardLevel::Junior => "junior",
            CardLevel::Middle => "middle",
            CardLevel::Senior => "senior",
            CardLevel::Principal => "principal",
        }
    }
}

/// The same answer for twenty seconds, for a minute, and for whoever wants to know it all.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    pub short: Text,
    pub minute: Text,
    pub deep: Text,
}

/// Something that a good answer has.
#[derive(Clone, Debug)]
pub struct Point {
    pub name: String,
    pub text: Text,
}

/// What an interviewer asks next, and the run that answers it.
#[derive(Clone, Debug)]
pub struct FollowUp {
    pub line: usize,
    pub when: When,
    pub question: Text,
    pub of: usize,
    pub seeds: u32,
    /// Holds in that run.
    pub shows: Claim,
    pub answer: Text,
}

/// After which answers a follow-up is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    Always,
    /// This point of the rubric was in the answer.
    Has(String),
    /// This point of the rubric was not in the answer.
    Misses(String),
    /// This red flag was.
    Flag(String),
}

/// What interviewers hear and mark down.
#[derive(Clone, Debug)]
pub struct RedFlag {
    pub line: usize,
    pub name: String,
    /// As a candidate says it.
    pub says: Text,
    pub of: usize,
    pub seeds: u32,
    /// Holds in that run, and could not if the candidate were right.
    pub shows: Claim,
    /// What the run shows, in a sentence or two.
    pub because: Text,
}

/// What was in an answer: points of the rubric and red flags, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub points: BTreeSet<String>,
    pub flags: BTreeSet<String>,
}

impl Card {
    /// What an interviewer asks after such an answer: first about what was wrong, then about what was missing, then deeper
    /// into what was there, and what is always asked at the end.
    pub fn asked_after(&self, said: &Said) -> Vec<&FollowUp> {
        let rank = |follow_up: &FollowUp| match &follow_up.when {
            When::Flag(name) => said.flags.contains(name).then_some(0),
            When::Misses(name) => (!said.points.contains(name)).then_some(1),
            When::Has(name) => said.points.contains(name).then_some(2),
            When::Always => Some(3),
        };
        let mut asked: Vec<(u8, &FollowUp)> = Vec::new();
        for follow_up in &self.follow_ups {
            asked.extend(rank(follow_up).map(|rank| (rank, follow_up)));
        }
        crate::sorting::by_key(&mut asked, |(rank, _)| *rank);
        asked.into_iter().map(|(_, follow_up)| follow_up).collect()
    }

    pub fn links(&self) -> Vec<&Link> {
        let Answers { short, minute, deep } = &self.answers;
        let mut texts = vec![short, minute, deep];
        texts.extend(self.rubric.iter().map(|point| &point.text));
        let follow_ups = self.follow_ups.iter();
        texts.extend(follow_ups.flat_map(|follow_up| [&follow_up.question, &follow_up.answer]));
        texts.extend(self.red_flags.iter().flat_map(|flag| [&flag.says, &flag.because]));
        texts.into_iter().flat_map(|text| super::links::links(text)).collect()
    }
}

/// One explanation at a whiteboard, step by step.
#[derive(Clone, Debug)]
pub struct Walkthrough {
    pub id: String,
    pub file: String,
    /// What it explains: the question of a card.
    pub explains: String,
    pub steps: Vec<Step>,
    /// With the line where each begins.
    pub claims: Vec<(usize, Stated)>,
    pub scenarios: Vec<Staged>,
}

/// A sentence or two to say, and what to point at.
#[derive(Clone, Debug)]
pub struct Step {
    pub line: usize,
    pub say: Text,
    pub of: usize,
    /// Where the playhead stands: an instant of the run.
    pub at: Figure,
    /// The lanes in sight: `faults`, `store`, `writes`, or the name of a node.
    pub lanes: Vec<String>,
}

impl Walkthrough {
    pub fn links(&self) -> Vec<&Link> {
        let texts = self.steps.iter().map(|step| &step.say);
        texts.flat_map(|text| super::links::links(text)).collect()
    }
}

/// A text as it is read aloud: without marks, links as their words.
pub fn plain(text: &[Block]) -> String {
    let mut words = String::new();
    text.iter().for_each(|block| say(block, &mut words));
    words.trim_end().to_owned()
}

fn say(block: &Block, words: &mut String) {
    match block {
        Block::Heading(_, inlines) | Block::Paragraph(inlines) => {
            say_inlines(inlines, words);
            words.push(' ');
        }
        Block::List { items, .. } => items.iter().flatten().for_each(|block| say(block, words)),
        Block::Quote(blocks) => blocks.iter().for_each(|block| say(block, words)),
        Block::Listing(listing) => words.push_str(listing),
    }
}

fn say_inlines(inlines: &[Inline], words: &mut String) {
    for inline in inlines {
        match inline {
            Inline::Text(text) | Inline::Code(text) => words.push_str(text),
            Inline::Emphasis(inside) | Inline::Strong(inside) => say_inlines(inside, words),
            Inline::Link(link) => words.push_str(&link.text),
        }
    }
}
