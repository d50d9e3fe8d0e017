//! `leaselab defend`: settings chosen for a situation, and the attacks on them.

use super::{Answer, BadInput, say};
use clap::Args;
use leaselab::lesson::{self, Defence, FREE, Settings, Situation};
use std::thread::available_parallelism;

#[derive(Args)]
pub struct DefendArguments {
    /// Where the cluster runs, such as noisy-cloud.
    #[arg(value_name = "SITUATION")]
    situation: String,
    /// A choice, such as patroni.ttl=20; what is left out is as usual.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Make each attack so many times.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=200))]
    runs: u32,
    /// Do not look for settings that would have stood.
    #[arg(long)]
    no_advice: bool,
}

pub fn run(arguments: &DefendArguments) -> Result<Answer, BadInput> {
    let situation = Situation::of(&arguments.situation).ok_or_else(|| {
        let names: Vec<&str> = Situation::all().iter().map(|situation| situation.name).collect();
        BadInput(format!(
            "{}: there is no such situation; there are {}",
            arguments.situation,
            names.join(", ")
        ))
    })?;
    let settings: Settings = arguments
        .set
        .iter()
        .map(|text| setting(text))
        .collect::<Result<_, _>>()?;
    let defence = Defence::new(situation, settings.clone()).map_err(|errors| {
        let told = errors
            .first()
            .map(|error| format!("--set {}={}: {}; {}", error.key, error.value, error.wrong, error.remedy));
        BadInput(told.unwrap_or_default())
    })?;
    let threads = available_parallelism().map_or(1, usize::from);
    let scorecard = defence.fight(arguments.runs, threads);
    say(&format!("{}\n{}", situation.brief(), scorecard.told()))?;
    if scorecard.stands() {
        return Ok(Answer::Fine);
    }
    if !arguments.no_advice {
        let advice = lesson::advice(situation, &settings, arguments.runs, threads);
        say(&format!("\n{}", advice.told()))?;
    }
    Ok(Answer::No)
}

fn setting(text: &str) -> Result<(String, String), BadInput> {
    let Some((key, value)) = text.split_once('=') else {
        return Err(BadInput(format!("--set {text}: no value; write --set {text}=VALUE")));
    };
    let key = key.trim();
    if !FREE.contains(&key) {
        let free = FREE.join(", ");
        return Err(BadInput(format!("--set {key}: not among what can be chosen: {free}")));
    }
    Ok((key.to_owned(), value.trim().to_owned()))
}
