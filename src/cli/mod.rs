//! `leaselab`: what it takes and which command it goes to.
//!
//! | file        | what lives there |
//! |-------------|------------------|
//! | `mod.rs`    | the arguments, the exit status |
//! | `input.rs`  | the scenario: a file, standard input, or one that is shipped |
//! | `run.rs`    | `leaselab run` |
//! | `lease.rs`  | the same for a scenario about leases |
//! | `clocks.rs` | the same for a scenario about clocks |
//! | `report.rs` | its results for people |
//! | `compare.rs`, `lessons.rs`, `defend.rs` | `leaselab compare`, `leaselab lessons`, `leaselab defend` |

mod clocks;
mod compare;
mod defend;
mod input;
mod lease;
mod lessons;
mod report;
mod run;

use clap::{Parser, Subcommand};
use leaselab::scenario::clocks::{CLOCK_FIELDS, CLOCKS_FIELDS, DO_FIELDS, LINK_FIELDS, PROCESS_FIELDS};
use leaselab::scenario::lease::{JOB_FIELDS, LEASE_FIELDS, WORKER_FIELDS};
use leaselab::scenario::{FIELDS, Field, fault_reference};
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// Runs lease-based leadership for real, and lets you break it.
#[derive(Parser)]
#[command(name = "leaselab", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a scenario and say whether two primaries coexisted.
    Run(run::RunArguments),
    /// Hold the engine against recorded runs of the real software: exit status 1 when something does not fit and is not known.
    Compare(compare::CompareArguments),
    /// Hold the lessons against the runs they speak of.
    Lessons(lessons::LessonsArguments),
    /// Choose settings for a situation and have them attacked: exit status 1 when an attack wins.
    Defend(defend::DefendArguments),
    /// Describe every kind of fault that a scenario can have.
    Faults,
    /// Describe every field of a scenario, as `--set` takes them.
    Fields,
}

/// What a command came to, when its input was good.
pub(crate) enum Answer {
    Fine,
    /// What was asked about does not hold.
    No,
}

/// Bad input: what, where, and what to do, in one line.
pub(crate) struct BadInput(pub String);

pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(problem) => return refused(&problem),
    };
    let result = match arguments.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Lessons(arguments) => lessons::run(&arguments),
        Command::Defend(arguments) => defend::run(&arguments),
        Command::Faults => say(&fault_reference()).map(|()| Answer::Fine),
        Command::Fields => say(&fields()).map(|()| Answer::Fine),
    };
    match result {
        Ok(Answer::Fine) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Err(BadInput(line)) => complain(&line),
    }
}

/// Help and version are no errors; of an error clap's own words fit into one line.
fn refused(problem: &clap::Error) -> ExitCode {
    if !problem.use_stderr() {
        let _ = problem.print();
        return ExitCode::SUCCESS;
    }
    let text = problem.to_string();
    let words: Vec<&str> = text
        .lines()
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let line = words.join(" ");
    complain(&format!(
        "{}; leaselab --help tells what there is",
        line.trim_start_matches("error: ")
    ))
}

fn complain(line: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "leaselab: {line}");
    ExitCode::from(2)
}

/// Says on standard error what does not stop the program.
pub(crate) fn warn(line: &str) {
    let _ = writeln!(io::stderr(), "leaselab: warning: {line}");
}

/// Writes to standard output. A reader that has seen enough and goes away, as `head` does, is no error.
pub(crate) fn say(text: &str) -> Result<(), BadInput> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(BadInput(format!("standard output: cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

fn fields() -> String {
    let lists = [("worker", WORKER_FIELDS), ("job", JOB_FIELDS)];
    let mut text = described("", FIELDS);
    text.push_str(
        "\nA scenario with system = \"lease\", at its top, has these instead, and [[worker]] and [[job]]:\n\n",
    );
    text.push_str(&described("", LEASE_FIELDS));
    for (list, fields) in lists {
        text.push_str(&described(&format!("{list}."), fields));
    }
    let lists = [
        ("process", PROCESS_FIELDS),
        ("clock", CLOCK_FIELDS),
        ("link", LINK_FIELDS),
        ("do", DO_FIELDS),
    ];
    text.push_str("\nOne with system = \"clocks\" has these, and [[process]], [[clock]], [[link]] and [[do]]:\n\n");
    text.push_str(&described("", CLOCKS_FIELDS));
    for (list, fields) in lists {
        text.push_str(&described(&format!("{list}."), fields));
    }
    text
}

/// `prefix` goes before the keys.
fn described(prefix: &str, fields: &[Field]) -> String {
    let mut text = String::new();
    for field in fields {
        let default = field
            .default
            .map_or(String::new(), |default| format!(", {default} when left out"));
        text.push_str(&format!(
            "{prefix}{}: {}{default}\n  {}\n  Source: {}.\n",
            field.key,
            field.takes(),
            field.help,
            field.source
        ));
    }
    text
}
