//! Lessons: Markdown with TOML front matter, whose fenced blocks are bets, runs, claims, questions and tasks. What a lesson
//! states is executed, so none can go stale. `lessons/README.md` tells how one is written.
//!
//! | file          | what lives there |
//! |---------------|------------------|
//! | `mod.rs`      | [`Lesson`] and its parts: what the page shows |
//! | `problem.rs`  | what is wrong, with file and line |
//! | `prose.rs`    | the Markdown that lessons may use, as a tree |
//! | `read.rs`     | a file as a [`Lesson`]; `blocks.rs` its fenced blocks as they are written, `build.rs` what they mean |
//! | `staging.rs`  | the scenarios of a lesson: written in it, by file, or made of another |
//! | `links.rs`    | the links of a lesson and the claims they lead to |
//! | `number.rs`   | a number in the prose and what a run makes of it |
//! | `facts.rs`    | facts in prose and the claims behind them, wherever they stand |
//! | `defend/`     | "defend your numbers": settings, a situation, and the attacks on them |
//! | `interview/`  | cards and walkthroughs of the interview room |
//! | `rules.rs`    | what every lesson must have, and what several must have among each other |
//! | `check.rs`    | a folder of lessons against the runs they speak of; `runs.rs` those runs, on all cores |

mod blocks;
mod build;
#[cfg(not(target_arch = "wasm32"))]
mod check;
mod defend;
#[cfg(not(target_arch = "wasm32"))]
mod facts;
mod interview;
mod links;
#[cfg(not(target_arch = "wasm32"))]
mod number;
mod problem;
mod prose;
mod read;
#[cfg(not(target_arch = "wasm32"))]
mod rules;
#[cfg(not(target_arch = "wasm32"))]
mod runs;
mod staging;

#[cfg(not(target_arch = "wasm32"))]
pub use check::{Checked, check};
#[cfg(not(target_arch = "wasm32"))]
pub use defend::{Advice, advice};
pub use defend::{
    Attack, Defence, FREE, Loss, Must, Outcome, Score, Scorecard, Settings, Situation, Stillness, choices,
};
pub use interview::{
    Answered, Answers, Bet, Card, CardAbout, CardLevel, FOLDER as INTERVIEW_FOLDER, FollowUp, Interview, Point, Record,
    RedFlag, Said, Step, Sureness, Walkthrough, When, plain,
};
pub use problem::Problem;
pub use prose::{Block, Inline, Link, LinkTo, Text};
pub use staging::Staged;

use crate::scenario::Scenario;
use crate::verdict::{Claim, Figure};

/// One lesson, read: every name in it refers to something, every expression can be asked. Whether it tells the truth,
/// `leaselab lessons check` finds out.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// Its folder and its file without number and ending: `one-key-one-writer/the-leader-key`.
    pub id: String,
    /// As it was named when it was read.
    pub file: String,
    pub about: About,
    pub parts: Vec<Part>,
    /// In the order in which the lesson introduces them.
    pub scenarios: Vec<Staged>,
}

/// The front matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    pub title: String,
    /// The same for all lessons of a folder.
    pub track: String,
    pub level: Level,
    /// How long it takes: 5 to 10.
    pub minutes: u32,
    /// What one can do afterwards, each beginning with a verb.
    pub able: Vec<String>,
    /// Lessons that should come before, by the last part of their ids.
    pub needs: Vec<String>,
}

/// Whose interview asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Junior,
    Senior,
    Staff,
}

/// A piece of a lesson and the line where it begins, from 1.
#[derive(Clone, Debug)]
pub struct Part {
    pub line: usize,
    pub what: PartKind,
}

#[derive(Clone, Debug)]
pub enum PartKind {
    Prose(Block),
    /// Introduces a scenario, by its place in [`Lesson::scenarios`].
    Scenario(usize),
    Predict(Predict),
    Watch(Watch),
    Claim(Stated),
    Ask(Ask),
    Make(Make),
    Say(Say),
}

/// A bet on a run that stays locked until the learner has committed to an answer and to how sure they are.
#[derive(Clone, Debug)]
pub struct Predict {
    pub of: usize,
    pub question: Text,
    pub answer: Answer,
    /// Said with the difference, once the run was seen.
    pub because: Text,
}

#[derive(Clone, Debug)]
pub enum Answer {
    /// Exactly one of these claims holds in the run.
    Choice(Vec<(Text, Claim)>),
    /// A number; a guess at most `near` off counts as right.
    Number { figure: Figure, near: f64 },
    /// An instant, marked on the time axis; `near` in milliseconds.
    Mark { figure: Figure, near: f64 },
}

/// A run to look at, and one thing to change in it.
#[derive(Clone, Debug)]
pub struct Watch {
    pub of: usize,
    /// Where the playhead stands: an instant of the run.
    pub from: Figure,
    /// The lanes in sight: `faults`, `store`, `writes`, or the name of a node.
    pub lanes: Vec<String>,
    /// The key of the one setting that is free, such as `patroni.ttl`; the others are frozen.
    pub knob: Option<String>,
    /// What to look at.
    pub look: Text,
}

/// A fact, and the runs it is true of.
#[derive(Clone, Debug)]
pub struct Stated {
    pub name: String,
    pub of: usize,
    pub seeds: u32,
    pub claim: Claim,
    /// What the prose quotes as a number.
    pub figure: Option<Figure>,
}

/// A question for the reason.
#[derive(Clone, Debug)]
pub struct Ask {
    pub question: Text,
    pub options: Vec<Choice>,
}

/// An answer to choose, and the run that confirms or refutes it.
#[derive(Clone, Debug)]
pub struct Choice {
    pub text: Text,
    pub right: bool,
    pub of: usize,
    /// Holds in that run.
    pub shows: Claim,
    /// Said with the run.
    pub says: Text,
}

/// A task that the engine checks.
#[derive(Clone, Debug)]
pub struct Make {
    pub task: Text,
    /// The keys that may be set.
    pub free: Vec<String>,
    pub goals: Vec<Goal>,
    /// Reaches every goal.
    pub solution: Attempt,
    /// What looks right and misses at least one goal.
    pub tempting: Vec<Attempt>,
}

#[derive(Clone, Debug)]
pub struct Goal {
    pub of: usize,
    pub seeds: u32,
    pub claim: Claim,
}

/// Settings for a task, and what the scenario of each goal becomes with them.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub line: usize,
    pub set: Vec<(String, String)>,
    pub scenarios: Vec<Scenario>,
    /// Said about it.
    pub says: Text,
}

/// Something to say aloud.
#[derive(Clone, Debug)]
pub struct Say {
    pub question: Text,
    pub seconds: u32,
    /// What a good answer has.
    pub rubric: Vec<Text>,
    /// One good answer.
    pub answer: Text,
}
