//! A run of a scenario about clocks as text: a line for each event with the stamps that were asked for, then the orders that
//! those stamps make, and what became of commits and leases.

use crate::clocks::Order;
use crate::scenario::clocks::{ClocksScenario, Shows};
use crate::world::{ClocksRun, Told};
use std::fmt::Write;

/// What the scenario asks to show.
pub fn clocks_report(scenario: &ClocksScenario, run: &ClocksRun) -> String {
    let mut text = String::new();
    for told in &run.told {
        text.push_str(&line(scenario, told));
        text.push('\n');
    }
    if scenario.shows.contains(&Shows::Orders) {
        Order::ALL.into_iter().for_each(|by| order(&mut text, run, by));
    }
    if scenario.shows.contains(&Shows::Outcome) {
        outcome(&mut text, run);
    }
    text
}

/// `A sends order wall=1000.005 lamport=1`.
fn line(scenario: &ClocksScenario, told: &Told) -> String {
    let mut line = told.says.clone();
    let stamps = &told.stamps;
    for shows in &scenario.shows {
        let _ = match shows {
            Shows::True => write!(line, " true={}", stamps.at),
            Shows::Wall => write!(line, " wall={}", stamps.wall),
            Shows::Lamport => write!(line, " lamport={}", stamps.lamport.0),
            Shows::Vector => {
                let entries = stamps.vector.entries(scenario.processes.len());
                write!(line, " vector={}", crate::clocks::Vector::new(entries))
            }
            Shows::Hybrid => write!(line, " hybrid={}", stamps.hybrid),
            Shows::Interval => write!(line, " interval={}", stamps.interval),
            Shows::Orders | Shows::Outcome => Ok(()),
        };
    }
    line
}

fn order(text: &mut String, run: &ClocksRun, by: Order) {
    let (places, wrong) = run.sorted(by);
    let says = |n: usize| run.told[n].says.as_str();
    let names: Vec<&str> = places.into_iter().map(says).collect();
    let _ = writeln!(text, "\nby {}: {}", by.words(), names.join(", "));
    for pair in wrong {
        let harm = if pair.caused {
            "an effect before its cause"
        } else {
            "neither could have led to the other"
        };
        let _ = writeln!(
            text,
            "  wrong: {} before {} ({harm})",
            says(pair.second),
            says(pair.first)
        );
    }
}

fn outcome(text: &mut String, run: &ClocksRun) {
    if !run.commits.is_empty() || !run.leases.is_empty() {
        text.push('\n');
    }
    for told in &run.commits {
        let shown = match told.commit {
            Some(commit) => format!("seen by others from {} on", commit.visible),
            None => "not seen before the end".to_owned(),
        };
        let _ = writeln!(
            text,
            "{}: begun at {}, stamp {}, {shown}",
            told.name, told.begun, told.stamp
        );
    }
    let inverted = run.inverted();
    for &(first, second) in &inverted {
        let (first, second) = (&run.commits[first], &run.commits[second]);
        let _ = writeln!(
            text,
            "order broken: {} began when {} could be seen, and its stamp {} is not larger than {}",
            second.name, first.name, second.stamp, first.stamp
        );
    }
    if run.commits.len() > 1 && inverted.is_empty() {
        text.push_str("order kept: whatever began after a commit could be seen has a larger stamp\n");
    }
    for lease in &run.leases {
        let _ = match lease.lasted {
            Some(lasted) => writeln!(text, "{} lasted {lasted}", lease.name),
            None => writeln!(text, "{} had not run out at the end", lease.name),
        };
    }
}
