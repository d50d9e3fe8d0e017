//! `leaselab run`: one run in full, or many for their figures.

use super::input::Found;
use super::{Answer, BadInput, clocks, lease, report, say, warn};
use clap::Args;
use leaselab::engine::FullTrace;
use leaselab::exchange::write_trace;
use leaselab::scenario::{Scenario, System};
use leaselab::verdict::{self, Claim, ClaimError, Outcome, Series};
use leaselab::vocabulary::Words;
use leaselab::world::Named;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::BufWriter;
use std::thread::available_parallelism;

#[derive(Args)]
pub struct RunArguments {
    /// A scenario file, - for standard input, or the name of a shipped scenario.
    #[arg(value_name = "FILE")]
    pub(super) file: String,
    /// Run with this seed instead of the scenario's.
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Replace a value of the scenario, such as patroni.ttl=20; `leaselab fields` lists them.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
    /// Run with this many seeds, the scenario's and the following, and report the figures' ranges.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) seeds: Option<u32>,
    /// Print the verdict as one JSON object.
    #[arg(long)]
    pub(super) json: bool,
    /// Write every event to this file, as JSON lines.
    #[arg(long, value_name = "OUT.jsonl", conflicts_with = "seeds")]
    pub(super) trace: Option<String>,
    /// Exit with status 1 unless this holds, such as 'two_primaries.ever == false'.
    #[arg(long, value_name = "CLAIM")]
    pub(super) expect: Vec<String>,
}

/// A claim and what became of it.
pub(crate) type Expected = (Claim, Outcome);

pub fn run(arguments: &RunArguments) -> Result<Answer, BadInput> {
    let found = Found::by(&arguments.file)?;
    match System::of(&found.text) {
        System::Patroni => {}
        System::Lease => return lease::run(arguments, &found),
        System::Clocks => return clocks::run(arguments, &found),
    }
    let claims = claims(&arguments.expect, Claim::parse)?;
    let scenario = found.read(Scenario::parse_with(&found.text, &found.origin, &overrides(arguments)?))?;
    scenario.warnings().iter().for_each(|warning| warn(warning));
    match arguments.seeds {
        Some(seeds) => many(arguments, &scenario, seeds, claims),
        None => one(arguments, &scenario, claims),
    }
}

pub(super) fn claims(
    texts: &[String],
    parse: impl Fn(&str) -> Result<Claim, ClaimError>,
) -> Result<Vec<Claim>, BadInput> {
    let read = |text: &String| parse(text).map_err(|error| BadInput(format!("--expect '{text}': {error}")));
    texts.iter().map(read).collect()
}

pub(super) fn overrides(arguments: &RunArguments) -> Result<Vec<(String, String)>, BadInput> {
    let split = |text: &String| match text.split_once('=') {
        Some((key, value)) => Ok((key.trim().to_owned(), value.trim().to_owned())),
        None => Err(BadInput(format!("--set {text}: no value; write --set {text}=VALUE"))),
    };
    let mut all: Vec<(String, String)> = arguments.set.iter().map(split).collect::<Result<_, _>>()?;
    all.extend(arguments.seed.map(|seed| ("seed".to_owned(), seed.to_string())));
    Ok(all)
}

fn one(arguments: &RunArguments, scenario: &Scenario, claims: Vec<Claim>) -> Result<Answer, BadInput> {
    let out = TraceFile::create(arguments)?;
    let run = verdict::run(scenario);
    out.write(&run.trace, &run.layout)?;
    let told = |expected: &[Expected]| report::one(scenario, &run.verdict, expected);
    tell_one(arguments, &run.verdict, run.verdict.to_json(), claims, told)
}

/// Where the trace goes, if anywhere.
pub(super) struct TraceFile<'a>(Option<(&'a str, BufWriter<File>)>);

impl TraceFile<'_> {
    /// The file is made before the run, so that a name that cannot be written costs no waiting.
    pub fn create(arguments: &RunArguments) -> Result<TraceFile<'_>, BadInput> {
        let out = arguments.trace.as_ref().map(|path| {
            let file = File::create(path).map_err(|error| not_written(path, &error))?;
            Ok((path.as_str(), BufWriter::new(file)))
        });
        out.transpose().map(TraceFile)
    }

    pub fn write(self, trace: &FullTrace<Words>, names: &dyn Named) -> Result<(), BadInput> {
        match self.0 {
            Some((path, out)) => write_trace(trace, names, out).map_err(|error| not_written(path, &error)),
            None => Ok(()),
        }
    }
}

/// Holds the claims against the verdict of one run and tells both, as asked for.
pub(super) fn tell_one(
    arguments: &RunArguments,
    verdict: &impl Serialize,
    json: Value,
    claims: Vec<Claim>,
    told: impl Fn(&[Expected]) -> String,
) -> Result<Answer, BadInput> {
    let expected = check(claims, std::slice::from_ref(&json));
    if arguments.json {
        // The verdict itself is printed in its own order of keys; what was expected comes last.
        let verdict = serde_json::to_string_pretty(verdict).unwrap_or_default();
        say(&with_expected(&verdict, &expected))?;
    } else {
        say(&told(&expected))?;
    }
    Ok(answer(&expected))
}

fn many(arguments: &RunArguments, scenario: &Scenario, seeds: u32, claims: Vec<Claim>) -> Result<Answer, BadInput> {
    let threads = available_parallelism().map_or(1, usize::from);
    let verdicts = verdict::judge_seeds(scenario, seeds, threads, |verdict| verdict.to_json());
    let mut series = Series::default();
    verdicts.iter().for_each(|verdict| series.add(verdict));
    let expected = check(claims, &verdicts);
    if arguments.json {
        let figures = json!({
            "scenario": scenario.title,
            "engine": leaselab::VERSION,
            "first_seed": scenario.seed,
            "seeds": seeds,
            "figures": series.ranges(),
            "true_in": series.truths(),
        });
        let text = serde_json::to_string_pretty(&figures).unwrap_or_default();
        say(&with_expected(&text, &expected))?;
    } else {
        say(&report::many(scenario, &series, &expected))?;
    }
    Ok(answer(&expected))
}

pub(super) fn check(claims: Vec<Claim>, verdicts: &[Value]) -> Vec<Expected> {
    let checked = |claim: Claim| {
        let outcome = claim.check(verdicts);
        (claim, outcome)
    };
    claims.into_iter().map(checked).collect()
}

fn answer(expected: &[Expected]) -> Answer {
    if expected.iter().all(|(_, outcome)| outcome.holds) {
        Answer::Fine
    } else {
        Answer::No
    }
}

/// Adds what was expected to the end of an object that is printed already.
fn with_expected(object: &str, expected: &[Expected]) -> String {
    if expected.is_empty() {
        return format!("{object}\n");
    }
    let entry = |(claim, outcome): &Expected| {
        let mut entry = Map::new();
        entry.insert("claim".to_owned(), json!(claim.text()));
        entry.insert("holds".to_owned(), json!(outcome.holds));
        entry.insert("why".to_owned(), json!(outcome.why));
        Value::Object(entry)
    };
    let list: Vec<Value> = expected.iter().map(entry).collect();
    let body = object.trim_end().trim_end_matches('}').trim_end();
    format!("{body},\n  \"expected\": {}\n}}\n", Value::Array(list))
}

fn not_written(path: &str, error: &std::io::Error) -> BadInput {
    BadInput(format!(
        "--trace {path}: cannot be written: {error}; name a file in a folder that you can write to"
    ))
}
