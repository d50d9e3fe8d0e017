//! `leaselab run` of a scenario about clocks: its events with their stamps, and what came of them.

use super::input::Found;
use super::run::{RunArguments, overrides};
use super::{Answer, BadInput, say};
use leaselab::clocks::Order;
use leaselab::draw::clocks_report;
use leaselab::scenario::clocks::ClocksScenario;
use leaselab::world::{ClocksRun, Told};
use serde_json::{Value, json};

pub fn run(arguments: &RunArguments, found: &Found) -> Result<Answer, BadInput> {
    let useless = [
        (
            "--seed",
            arguments.seed.is_some(),
            "nothing in a scenario about clocks is left to chance",
        ),
        (
            "--seeds",
            arguments.seeds.is_some(),
            "nothing in a scenario about clocks is left to chance",
        ),
        (
            "--trace",
            arguments.trace.is_some(),
            "a scenario about clocks tells every event with --json",
        ),
        (
            "--expect",
            !arguments.expect.is_empty(),
            "a scenario about clocks has no verdict to ask",
        ),
    ];
    if let Some((option, _, why)) = useless.iter().find(|(_, given, _)| *given) {
        return Err(BadInput(format!("{option}: {why}; leave it out")));
    }
    let read = ClocksScenario::parse_with(&found.text, &found.origin, &overrides(arguments)?);
    let scenario = found.read(read)?;
    let run = ClocksRun::of(&scenario);
    if arguments.json {
        let text = serde_json::to_string_pretty(&object(&scenario, &run)).unwrap_or_default();
        say(&format!("{text}\n"))?;
    } else {
        say(&clocks_report(&scenario, &run))?;
    }
    Ok(Answer::Fine)
}

/// Times in microseconds, so that nothing is rounded.
fn object(scenario: &ClocksScenario, run: &ClocksRun) -> Value {
    let event = |told: &Told| {
        let stamps = &told.stamps;
        json!({
            "event": told.event,
            "process": run.processes[stamps.process],
            "says": told.says,
            "true_us": stamps.at,
            "wall_us": stamps.wall,
            "lamport": stamps.lamport,
            "vector": stamps.vector.entries(run.processes.len()),
            "hybrid": { "wall_us": stamps.hybrid.wall, "count": stamps.hybrid.count },
            "interval_us": [stamps.interval.earliest, stamps.interval.latest],
        })
    };
    let order = |by: Order| {
        let (places, wrong) = run.sorted(by);
        let pair = |pair: &leaselab::clocks::WrongPair| json!({ "first": pair.first, "second": pair.second, "effect_before_cause": pair.caused });
        json!({ "by": by.words(), "order": places, "wrong": wrong.iter().map(pair).collect::<Vec<_>>() })
    };
    let commit = |told: &leaselab::world::ToldCommit| {
        json!({
            "name": told.name,
            "begun_us": told.begun,
            "stamp_us": told.stamp,
            "visible_us": told.commit.map(|commit| commit.visible),
        })
    };
    let lease = |lease: &leaselab::world::ToldLease| json!({ "name": lease.name, "granted_us": lease.granted, "lasted_us": lease.lasted });
    json!({
        "scenario": scenario.title,
        "engine": leaselab::VERSION,
        "processes": run.processes,
        "events": run.told.iter().map(event).collect::<Vec<_>>(),
        "orders": Order::ALL.map(order),
        "commits": run.commits.iter().map(commit).collect::<Vec<_>>(),
        "inverted": run.inverted(),
        "leases": run.leases.iter().map(lease).collect::<Vec<_>>(),
    })
}
