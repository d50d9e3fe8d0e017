//! The fenced blocks as they are written: TOML, every text with its place, unknown keys refused.

use serde::Deserialize;
use toml::{Spanned, Table};

/// A text and its bytes within the block.
pub(super) type Words = Spanned<String>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AboutBlock {
    pub title: String,
    pub track: String,
    pub level: super::Level,
    pub minutes: u32,
    pub able: Vec<String>,
    #[serde(default)]
    pub needs: Vec<String>,
}

/// A scenario that is not written out.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioBlock {
    /// In the folder `scenarios`, without ending.
    pub file: Option<Words>,
    /// Another scenario of the lesson.
    pub from: Option<Words>,
    #[serde(default)]
    pub set: Table,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PredictBlock {
    pub of: Words,
    pub question: Words,
    pub options: Option<Vec<OptionBlock>>,
    /// A figure; with `near`, in its unit.
    pub number: Option<Words>,
    pub mark: Option<Words>,
    pub near: Option<Words>,
    pub because: Words,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OptionBlock {
    pub text: Words,
    pub when: Words,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WatchBlock {
    pub of: Words,
    pub from: Words,
    pub lanes: Vec<Words>,
    pub knob: Option<Words>,
    pub look: Words,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimBlock {
    pub of: Words,
    pub that: Words,
    #[serde(default = "one")]
    pub seeds: Spanned<u32>,
    pub figure: Option<Words>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AskBlock {
    pub question: Words,
    pub options: Vec<ChoiceBlock>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChoiceBlock {
    pub text: Words,
    #[serde(default)]
    pub right: bool,
    pub of: Words,
    pub shows: Words,
    pub says: Words,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MakeBlock {
    pub task: Words,
    pub free: Vec<Words>,
    pub goals: Vec<GoalBlock>,
    pub solution: Spanned<AttemptBlock>,
    pub tempting: Vec<Spanned<AttemptBlock>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GoalBlock {
    pub of: Words,
    pub that: Words,
    #[serde(default = "one")]
    pub seeds: Spanned<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AttemptBlock {
    pub set: Table,
    pub says: Words,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SayBlock {
    pub question: Words,
    pub seconds: Spanned<u32>,
    pub rubric: Vec<Words>,
    pub answer: Words,
}

fn one() -> Spanned<u32> {
    Spanned::new(0..0, 1)
}
