//! The list of recorded runs that the page offers, and the plain words for each group of them.

use super::recording::{Params, Variant};
use serde::Deserialize;

/// A recorded run as the list of the site has it; the run itself is a file of its own.
#[derive(Clone, Debug, Deserialize)]
pub struct Listed {
    pub id: String,
    pub scenario: String,
    pub variant: Option<Variant>,
    pub set: String,
    pub params: Params,
}

/// Runs with the same fault.
#[derive(Clone, Debug)]
pub struct Group {
    pub title: String,
    pub runs: Vec<Listed>,
}

/// The list as text, read. The site has it in the order in which it is shown, with the runs of a group together.
///
/// # Errors
///
/// When the text is not such a list, with what is wrong.
pub fn groups(text: &str) -> Result<Vec<Group>, serde_json::Error> {
    let runs: Vec<Listed> = serde_json::from_str(text)?;
    let mut groups: Vec<Group> = Vec::new();
    for run in runs {
        let title = run.title();
        match groups.last_mut().filter(|group| group.title == title) {
            Some(group) => group.runs.push(run),
            None => groups.push(Group { title, runs: vec![run] }),
        }
    }
    Ok(groups)
}

impl Listed {
    pub fn title(&self) -> String {
        title(&self.scenario, self.variant.as_ref(), self.params.failsafe)
    }
    /// `default: ttl 30 s, loop_wait 10 s, retry_timeout 10 s`
    pub fn settings(&self) -> String {
        settings(&self.set, &self.params)
    }
    /// Its number within group and settings.
    pub fn nth(&self) -> &str {
        self.id.rsplit('-').next().unwrap_or_default()
    }
}

pub fn settings(set: &str, params: &Params) -> String {
    let Params {
        ttl,
        loop_wait,
        retry_timeout,
        ..
    } = params;
    format!("{set}: ttl {ttl} s, loop_wait {loop_wait} s, retry_timeout {retry_timeout} s")
}

/// `3: only the leader’s agent is killed`
pub fn title(scenario: &str, variant: Option<&Variant>, failsafe: bool) -> String {
    let number = scenario.split('_').next().unwrap_or_default();
    let words = match (number, variant) {
        ("11", Some(Variant::Delay(ms))) => {
            return format!("11: every request to the store takes {ms} ms longer, there and back");
        }
        ("13", Some(Variant::Word(word))) if word == "pg_restart" => "an operator has the leader’s database restarted",
        ("1", _) => "nothing fails",
        ("2", _) => "the leader’s agent and database are killed",
        ("3", _) => "only the leader’s agent is killed",
        ("3b", _) => "the leader’s agent is killed, and started again at once",
        ("3q", _) => "only the leader’s agent is killed, while nobody writes",
        ("4", _) => "the leader’s agent is frozen",
        ("5", _) => "the leader’s agent and database are frozen",
        ("6", _) => "the leader’s machine is cut off from everything",
        ("7", _) => "the leader’s machine is cut off from the store only",
        ("8", _) => "the leader’s machine is cut off from the store only, in failsafe mode",
        ("9", _) if failsafe => "two of the store’s three members are killed, in failsafe mode",
        ("9", _) => "two of the store’s three members are killed",
        ("10", _) => "the store’s leading member is killed",
        ("12", _) => "an operator asks for a switchover",
        ("13", _) => "the leader’s agent is asked to end",
        ("14", _) => "agent and database are killed, both replicas are level",
        ("15", _) => "agent and database are killed, with synchronous replication",
        _ => scenario,
    };
    format!("{number}: {words}")
}
