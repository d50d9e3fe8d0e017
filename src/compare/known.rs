//! The misfits that are known, each with its reason. The list is data: `known_misfits.toml`.

use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::sync::LazyLock;

/// Some runs in which a figure is known not to fit.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct KnownMisfit {
    /// The runs' names; a `*` at the end stands for anything.
    pub runs: Vec<String>,
    pub figures: Vec<String>,
    /// How many values are known not to fit for this reason: one more is news. Which of them are beyond the band of so many
    /// seeds is chance, so they are counted and not named.
    pub at_most: usize,
    pub why: String,
}

impl KnownMisfit {
    pub fn covers(&self, run: &str, figure: &str) -> bool {
        let is = |pattern: &String| match pattern.strip_suffix('*') {
            Some(begins) => run.starts_with(begins),
            None => pattern == run,
        };
        self.runs.iter().any(is) && self.figures.iter().any(|known| known == figure)
    }
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    misfit: Vec<KnownMisfit>,
}

static KNOWN: LazyLock<Vec<KnownMisfit>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("known_misfits.toml"))
        .unwrap_or_else(|error| unreachable!("a test reads known_misfits.toml: {error}"));
    file.misfit
});

/// All of them, in the order of the file.
pub fn known_misfits() -> &'static [KnownMisfit] {
    &KNOWN
}

/// As the README has them.
pub fn known_misfits_table() -> String {
    let mut text = "| figures | runs | at most | why |\n|---|---|---|---|\n".to_owned();
    for misfit in known_misfits() {
        let listed = |items: &[String]| {
            items
                .iter()
                .map(|item| format!("`{item}`"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let why = misfit.why.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(
            text,
            "| {} | {} | {} | {why} |",
            listed(&misfit.figures),
            listed(&misfit.runs),
            misfit.at_most
        );
    }
    text
}
