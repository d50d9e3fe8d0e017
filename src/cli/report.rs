//! Results for people: sentences first, then small tables.

use super::run::Expected;
use leaselab::engine::{SimTime, Span};
use leaselab::scenario::Scenario;
use leaselab::verdict::{InvariantFinding, Range, Series, StrayEnd, Verdict, length};
use std::collections::BTreeMap;
use std::fmt::Write;

/// One run.
pub fn one(scenario: &Scenario, verdict: &Verdict, expected: &[Expected]) -> String {
    let mut text = heading(scenario, &format!("seed {}, {} events", verdict.seed, verdict.events));
    let _ = writeln!(text, "{}\n{}", verdict.headline(), verdict.details());
    let w = &verdict.writes;
    let _ = writeln!(
        text,
        "\nwrites: {} acknowledged, {} lost, {} accepted by a deposed leader, {} refused, {} of unknown outcome",
        w.acknowledged, w.lost, w.accepted_by_deposed, w.refused, w.unknown
    );
    losses(&mut text, verdict);
    if scenario.fence.outside {
        outside(&mut text, verdict);
    }
    failovers(&mut text, verdict);
    outages(&mut text, verdict);
    findings(&mut text, &verdict.findings);
    expectations(&mut text, expected);
    text
}

/// Many runs.
pub fn many(scenario: &Scenario, series: &Series, expected: &[Expected]) -> String {
    let seeds = format!("{} runs with seeds from {} on", series.runs(), scenario.seed);
    let mut text = heading(scenario, &seeds);
    let runs = series.runs();
    let yes = series.truths().get("two_primaries.ever").copied().unwrap_or(0);
    let _ = writeln!(text, "Two primaries coexisted in {yes} of {runs} runs.\n");
    let mut rows = vec![["figure", "min", "median", "max", "runs"].map(str::to_owned)];
    for (path, Range { min, median, max, runs }) in series.ranges() {
        rows.push([
            path.to_owned(),
            number(min),
            number(median),
            number(max),
            runs.to_string(),
        ]);
    }
    table(&mut text, &rows);
    let mut rows = vec![["yes or no", "yes in runs"].map(str::to_owned)];
    rows.extend(
        series
            .truths()
            .iter()
            .map(|(path, yes)| [path.clone(), format!("{yes} of {runs}")]),
    );
    text.push('\n');
    table(&mut text, &rows);
    expectations(&mut text, expected);
    text
}

fn heading(scenario: &Scenario, what: &str) -> String {
    let mut text = format!(
        "{}\n{} simulated, {what}\n\n",
        scenario.title,
        length(scenario.duration)
    );
    for a in &scenario.adjusted {
        let _ = writeln!(text, "{} is {} instead of {}: {}", a.key, a.to, a.from, a.why);
    }
    if !scenario.adjusted.is_empty() {
        text.push('\n');
    }
    text
}

fn failovers(text: &mut String, verdict: &Verdict) {
    if verdict.failovers.is_empty() {
        return;
    }
    let names = [
        "failover",
        "fault",
        "key gone",
        "key taken",
        "new writable",
        "old not writable",
        "why",
    ];
    let mut rows = vec![names.map(str::to_owned)];
    for f in &verdict.failovers {
        let spurious = if f.spurious { ", spurious" } else { "" };
        rows.push([
            format!("{} to {}", f.from, f.to),
            maybe(f.fault),
            maybe(f.key_gone),
            instant(f.key_taken),
            maybe(f.writable),
            maybe(f.not_writable),
            format!("{}{spurious}", f.why.words()),
        ]);
    }
    text.push('\n');
    table(text, &rows);
}

/// Who was told "ok" for nothing, and where on whose disk it was.
fn losses(text: &mut String, verdict: &Verdict) {
    let mut clients: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for lost in &verdict.lost_writes {
        *clients.entry((&lost.client, &lost.told_by)).or_default() += 1;
    }
    for ((client, by), count) in clients {
        let _ = writeln!(text, "lost: {count} of {client}, which {by} had told ok");
    }
    for stray in &verdict.stray_branches {
        let end = match (stray.until, stray.end) {
            (Some(at), Some(StrayEnd::Rewound)) => format!("taken back by pg_rewind at {at} s"),
            (Some(at), _) => format!("thrown away with the database at {at} s"),
            (None, _) => "still there in the end".to_owned(),
        };
        let _ = writeln!(
            text,
            "stray: {} has {} to {} of timeline {} to itself from {} s on, {end}",
            stray.node, stray.from_lsn, stray.to_lsn, stray.timeline.0, stray.since
        );
    }
}

fn outside(text: &mut String, verdict: &Verdict) {
    let o = &verdict.outside;
    let _ = writeln!(
        text,
        "outside: the object was written {} times, {} of them for a deposed leader, and {} refused by the fence; {} e-mails, \
         {} of them for a deposed leader, {} not sent again",
        o.accepted,
        o.accepted_by_deposed,
        verdict.writes.rejected_by_fence,
        o.mails,
        o.mails_of_deposed,
        o.mails_repeated
    );
}

fn outages(text: &mut String, verdict: &Verdict) {
    if verdict.outages.is_empty() {
        return;
    }
    let mut rows = vec![["outage from", "to", "length"].map(str::to_owned)];
    for outage in &verdict.outages {
        let long: Span = outage.to.since(outage.from);
        rows.push([instant(outage.from), instant(outage.to), length(long)]);
    }
    text.push('\n');
    table(text, &rows);
}

pub(super) fn findings(text: &mut String, findings: &[InvariantFinding]) {
    for finding in findings.iter().filter(|finding| !finding.holds) {
        let at = maybe(finding.first);
        let event = finding.event.map_or(String::new(), |event| format!(", event {event}"));
        let detail = finding
            .detail
            .as_ref()
            .map_or(String::new(), |detail| format!(": {detail}"));
        let _ = write!(text, "\nbroken from {at} on{event}: {}{detail}", finding.invariant);
    }
    if findings.iter().any(|finding| !finding.holds) {
        text.push('\n');
    }
}

pub(super) fn expectations(text: &mut String, expected: &[Expected]) {
    for (claim, outcome) in expected {
        let holds = if outcome.holds { "holds" } else { "does not hold" };
        let _ = write!(text, "\n{holds}: {}\n  {}\n", claim.text(), outcome.why);
    }
}

fn maybe(at: Option<SimTime>) -> String {
    at.map_or_else(|| "-".to_owned(), instant)
}

fn instant(at: SimTime) -> String {
    format!("{at} s")
}

/// At most three decimals, and none that say nothing.
fn number(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Columns as wide as their widest entry, the first flush left and the others flush right when they begin with a digit.
fn table<const N: usize>(text: &mut String, rows: &[[String; N]]) {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    for row in rows {
        let mut line = String::new();
        for (column, (entry, &width)) in row.iter().zip(&widths).enumerate() {
            let is_number = rows
                .iter()
                .skip(1)
                .any(|row| row[column].starts_with(|c: char| c.is_ascii_digit()));
            let gap = if column == 0 { "" } else { "  " };
            let _ = if is_number && column > 0 {
                write!(line, "{gap}{entry:>width$}")
            } else {
                write!(line, "{gap}{entry:<width$}")
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
}
