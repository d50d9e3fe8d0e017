//! The fenced blocks of cards and walkthroughs as they are written: TOML, every text with its place, unknown keys refused.

use crate::lesson::blocks::Words;
use serde::Deserialize;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CardFront {
    pub question: String,
    pub level: super::CardLevel,
    pub topics: Vec<String>,
    pub lesson: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WalkthroughFront {
    pub explains: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RubricBlock {
    pub points: Vec<PointBlock>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PointBlock {
    pub name: String,
    pub text: Words,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FollowUpBlock {
    pub if_has: Option<String>,
    pub if_misses: Option<String>,
    pub if_flag: Option<String>,
    pub question: Words,
    pub of: Words,
    #[serde(default = "one")]
    pub seeds: Spanned<u32>,
    pub shows: Words,
    pub answer: Words,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RedFlagBlock {
    pub says: Words,
    pub of: Words,
    #[serde(default = "one")]
    pub seeds: Spanned<u32>,
    pub shows: Words,
    pub because: Words,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StepBlock {
    pub say: Words,
    pub of: Words,
    pub at: Words,
    pub lanes: Vec<Words>,
}

fn one() -> Spanned<u32> {
    Spanned::new(0..0, 1)
}
