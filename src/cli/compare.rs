//! `leaselab compare`: recorded runs of the real software against the engine.

use super::{Answer, BadInput, say};
use clap::Args;
use leaselab::compare::{Comparison, Recording, SEEDS};
use std::path::PathBuf;
use std::thread::available_parallelism;

#[derive(Args)]
pub struct CompareArguments {
    /// A folder of recorded runs, such as tests/recordings.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Run each with this many seeds.
    #[arg(long, value_name = "N", default_value_t = SEEDS as u32, value_parser = clap::value_parser!(u32).range(10..=10_000))]
    seeds: u32,
    /// Print everything as one JSON object.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &CompareArguments) -> Result<Answer, BadInput> {
    let recordings = Recording::read_all(&arguments.folder).map_err(|error| BadInput(error.to_string()))?;
    let threads = available_parallelism().map_or(1, usize::from);
    let comparison = Comparison::of(&recordings, arguments.seeds as usize, threads);
    if arguments.json {
        say(&format!(
            "{}\n",
            serde_json::to_string_pretty(&comparison).unwrap_or_default()
        ))?;
    } else {
        say(&comparison.to_text())?;
    }
    let fine = comparison.unknown().next().is_none();
    Ok(if fine { Answer::Fine } else { Answer::No })
}
