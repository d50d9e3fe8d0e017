//! `leaselab compare`: recorded runs of the real software against the engine.

use super::{Answer, BadInput, say};
use clap::Args;
use leaselab::compare::{Comparison, Rebuilt, Recording, SEEDS};
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
    /// Compare nothing, but print the scenario that this run is rebuilt as.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["seeds", "json"])]
    scenario: Option<String>,
}

pub fn run(arguments: &CompareArguments) -> Result<Answer, BadInput> {
    let recordings = Recording::read_all(&arguments.folder).map_err(|error| BadInput(error.to_string()))?;
    if let Some(run) = &arguments.scenario {
        return say(&scenario(&recordings, run)?).map(|()| Answer::Fine);
    }
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

fn scenario(recordings: &[Recording], run: &str) -> Result<String, BadInput> {
    let Some(recording) = recordings.iter().find(|recording| recording.id == run) else {
        let first = recordings.first().map_or("", |recording| recording.id.as_str());
        return Err(BadInput(format!(
            "--scenario {run}: there is no such run; name one, such as {first}"
        )));
    };
    let rebuilt = Rebuilt::of(recording).map_err(|why| BadInput(format!("--scenario {run}: not built yet: {why}")))?;
    Ok(rebuilt.scenario.to_toml())
}
