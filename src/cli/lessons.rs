//! `leaselab lessons`: whether the lessons tell the truth.

use super::{Answer, BadInput, say};
use clap::{Args, Subcommand};
use leaselab::lesson::{self, Checked};
use std::fmt::Write;
use std::path::PathBuf;
use std::thread::available_parallelism;

#[derive(Args)]
pub struct LessonsArguments {
    #[command(subcommand)]
    command: LessonsCommand,
}

#[derive(Subcommand)]
enum LessonsCommand {
    /// Run everything that the lessons state, offer and ask for: exit status 1 when something does not hold.
    Check {
        /// Put numbers in the prose right that are not what the runs say.
        #[arg(long)]
        write: bool,
        /// The folder with the tracks and their scenarios.
        #[arg(value_name = "DIR", default_value = "lessons")]
        folder: PathBuf,
    },
}

pub fn run(arguments: &LessonsArguments) -> Result<Answer, BadInput> {
    let LessonsCommand::Check { write, folder } = &arguments.command;
    let unreadable = |error: std::io::Error| {
        BadInput(format!(
            "{}: cannot be read: {error}; name the folder of the lessons",
            folder.display()
        ))
    };
    let threads = available_parallelism().map_or(1, usize::from);
    let mut checked = lesson::check(folder, threads).map_err(unreadable)?;
    let mut text = String::new();
    if *write {
        let written = checked
            .write()
            .map_err(|error| BadInput(format!("{}: cannot be written: {error}", folder.display())))?;
        let _ = writeln!(text, "{written} numbers put right");
    }
    for problem in &checked.problems {
        let _ = writeln!(text, "{problem}");
    }
    for stale in &checked.stale {
        let _ = writeln!(text, "{}", stale.problem);
    }
    text.push_str(&summary(&checked));
    say(&text)?;
    Ok(if checked.is_fine() { Answer::Fine } else { Answer::No })
}

fn summary(checked: &Checked) -> String {
    let counts = &checked.counts;
    let wrong = match checked.problems.len() + checked.stale.len() {
        0 => "all of it holds".to_owned(),
        1 => "1 problem".to_owned(),
        several => format!("{several} problems"),
    };
    format!(
        "{} lessons, {} cards, {} walkthroughs: {} claims, {} bets, {} options, {} tasks, {} follow-ups, {} red flags, \
         {} steps, {} numbers, {} links, over {} runs: {wrong}\n",
        checked.lessons.len(),
        checked.cards.len(),
        checked.walkthroughs.len(),
        counts.claims,
        counts.bets,
        counts.options,
        counts.tasks,
        counts.follow_ups,
        counts.red_flags,
        counts.steps,
        counts.numbers,
        counts.links,
        counts.runs,
    )
}
