//! `leaselab run` of a scenario about leases: its conversation, and what it came to.

use super::input::Found;
use super::run::{Expected, RunArguments, TraceFile, claims, overrides, tell_one};
use super::{Answer, BadInput, report};
use leaselab::draw::lease_transcript;
use leaselab::scenario::lease::LeaseScenario;
use leaselab::verdict::{Claim, Effects, LeaseRun, LeaseVerdict, Owned, length, run_lease};
use std::fmt::Write;

pub fn run(arguments: &RunArguments, found: &Found) -> Result<Answer, BadInput> {
    if arguments.seeds.is_some() {
        return Err(BadInput(
            "--seeds: nothing in a scenario about leases is left to chance; run it once".to_owned(),
        ));
    }
    let claims = claims(&arguments.expect, |text| {
        Claim::about(text, LeaseVerdict::sample().to_json())
    })?;
    let read = LeaseScenario::parse_with(&found.text, &found.origin, &overrides(arguments)?);
    let scenario = found.read(read)?;
    let out = TraceFile::create(arguments)?;
    let run = run_lease(&scenario);
    out.write(&run.trace, &run.layout)?;
    let told = |expected: &[Expected]| told(&scenario, &run, expected);
    tell_one(arguments, &run.verdict, run.verdict.to_json(), claims, told)
}

fn told(scenario: &LeaseScenario, run: &LeaseRun, expected: &[Expected]) -> String {
    let LeaseRun { verdict, trace, layout } = run;
    let mut text = format!(
        "{}\n{} simulated, {} events\n\n{}\n",
        scenario.title,
        length(scenario.duration),
        verdict.events,
        lease_transcript(trace, layout)
    );
    for owned in &verdict.objects {
        let _ = writeln!(text, "{}", in_the_end(owned));
    }
    let believers = &verdict.believers;
    let _ = writeln!(
        text,
        "believers: {} at once at most, two or more for {}",
        believers.most_at_once,
        length(believers.overlap)
    );
    effects(&mut text, "writes", &verdict.writes);
    if verdict.mails != Effects::default() {
        effects(&mut text, "e-mails", &verdict.mails);
    }
    report::findings(&mut text, &verdict.findings);
    report::expectations(&mut text, expected);
    text
}

fn in_the_end(owned: &Owned) -> String {
    let fence = owned
        .fence
        .as_ref()
        .map_or(String::new(), |fence| format!(", fence {fence}"));
    format!(
        "final owner of object {} at the {}: {}{fence}",
        owned.object, owned.at, owned.owner
    )
}

fn effects(text: &mut String, what: &str, effects: &Effects) {
    let _ = writeln!(
        text,
        "{what}: {} accepted, {} of them of a deposed holder, {} after one of a newer holder; {} rejected as stale, {} not repeated",
        effects.accepted,
        effects.accepted_by_deposed,
        effects.accepted_after_newer,
        effects.rejected_by_fence,
        effects.repeated
    );
}
