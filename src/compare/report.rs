//! The comparison in words: a line for each run and figure, then what all runs together show.

use super::{Comparison, Judged, Line};
use std::fmt::Write;

pub fn text(comparison: &Comparison) -> String {
    let mut text = String::new();
    for line in &comparison.lines {
        let _ = writeln!(text, "{}", one(line));
    }
    text.push('\n');
    for unbuilt in &comparison.unbuilt {
        let _ = writeln!(text, "{:<26} not built yet: {}", unbuilt.run, unbuilt.why);
    }
    let _ = writeln!(text, "\nWhere recorded values fall among their seeds, by tenths:");
    let most = comparison.overall.histogram.iter().copied().max().unwrap_or(1).max(1);
    for (tenth, count) in comparison.overall.histogram.iter().enumerate() {
        let bar = "#".repeat(count * 50 / most);
        let _ = writeln!(
            text,
            "  {:.1} to {:.1}  {count:>5}  {bar}",
            tenth as f64 / 10.0,
            (tenth + 1) as f64 / 10.0
        );
    }
    text.push('\n');
    for line in &comparison.overall.checks {
        let _ = writeln!(
            text,
            "{:<26} {:<30} {:<55} {}",
            line.run,
            line.figure,
            line.recorded,
            judged(line)
        );
    }
    summary(&mut text, comparison);
    text
}

fn one(line: &Line) -> String {
    let among = match (line.band, line.quantile) {
        (Some(b), Some(q)) => format!(
            "{} seeds: {:.0} to {:.0} ({:.0} to {:.0}), at {q:.2}",
            line.seeds, b.p1, b.p99, b.p5, b.p95
        ),
        (Some(b), None) => format!("{} seeds: {:.0} to {:.0}", line.seeds, b.p1, b.p99),
        (None, _) => format!("{} seeds", line.seeds),
    };
    format!(
        "{:<26} {:<30} {:>10}  {among:<60} {}",
        line.run,
        line.figure,
        line.recorded,
        judged(line)
    )
}

fn judged(line: &Line) -> String {
    let words = match line.judged {
        Judged::Fits => "fits".to_owned(),
        Judged::Outside => "OUTSIDE".to_owned(),
        Judged::TooWide { allowed } => format!("TOO WIDE, {allowed:.0} allowed"),
        Judged::NeverSo => "NEVER SO".to_owned(),
        Judged::Differs => "DIFFERS".to_owned(),
    };
    match line.known {
        Some(_) => format!("{words} (known)"),
        None => words,
    }
}

fn summary(text: &mut String, comparison: &Comparison) {
    let lines = || comparison.lines.iter().chain(&comparison.overall.checks);
    let fit = lines().filter(|line| line.fits()).count();
    let known = lines().filter(|line| line.known.is_some()).count();
    let unknown = comparison.unknown().count();
    let _ = writeln!(
        text,
        "\n{} recorded runs with {} seeds each: {fit} of {} figures fit, {known} are known not to, {unknown} are news; \
         {} runs are not built yet.",
        comparison.recordings,
        comparison.seeds,
        lines().count(),
        comparison.unbuilt.len()
    );
    for misfit in comparison.outdated() {
        let _ = writeln!(
            text,
            "No longer needed among the known misfits: {} in {}",
            misfit.figures.join(", "),
            misfit.runs.join(", ")
        );
    }
}
