//! One recorded run of the real software, as its file has it. Times are milliseconds from the fault.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A recorded run. What the comparison does not use stays unread.
#[derive(Clone, Debug, Deserialize)]
pub struct Recording {
    pub id: String,
    /// Such as `3_kill_agent_only`.
    pub scenario: String,
    pub variant: Option<Variant>,
    pub params: Params,
    pub noise: Noise,
    /// `fast`, `mid`, `default`: the name of `params`.
    pub set: String,
    pub events: Vec<RecordedEvent>,
    pub renewals: Vec<Renewals>,
    /// By node: from the first to the last sample that showed a state of the database.
    #[serde(default)]
    pub intervals: BTreeMap<String, Vec<RecordedInterval>>,
    /// What ran, by name, such as `patroni` and `4.1.5`.
    #[serde(default)]
    pub versions: BTreeMap<String, String>,
    pub derived: Derived,
}

/// A proven stretch of one state of a database.
#[derive(Clone, Debug, Deserialize)]
pub struct RecordedInterval {
    pub from_ms: f64,
    pub to_ms: f64,
    pub state: String,
}

/// What tells the runs of one scenario apart: a word, or a delay in milliseconds.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(untagged)]
pub enum Variant {
    Delay(u64),
    Word(String),
}

/// Seconds.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Params {
    pub ttl: u64,
    pub loop_wait: u64,
    pub retry_timeout: u64,
    pub failsafe: bool,
    pub sync: bool,
}

/// How busy the recording machine was.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Noise {
    /// In how much of the time some process waited for a processor.
    pub cpu_pressure_pct: f64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct RecordedEvent {
    pub t_ms: f64,
    pub node: String,
    pub kind: String,
    pub detail: String,
}

/// The keep-alives of one lease that were answered.
#[derive(Clone, Debug, Deserialize)]
pub struct Renewals {
    pub node: String,
    /// A hexadecimal number.
    pub lease: String,
    /// The member of the store that was asked.
    pub via: String,
    /// When each was sent, and when answered.
    pub sent_done_ms: Vec<(f64, f64)>,
}

/// The figures, under the recordings' own names.
#[derive(Clone, Debug, Deserialize)]
pub struct Derived {
    pub old_leader: String,
    pub run_end_ms: f64,
    pub repair_ms: Option<f64>,
    pub failover: bool,
    /// Only switchovers: when the request was in the store.
    pub switchover_key_ms: Option<f64>,
    /// Everything, to look figures up by name.
    #[serde(flatten)]
    pub figures: BTreeMap<String, serde_json::Value>,
}

/// What is wrong with a file, or with a folder of them.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    #[error("{0}: cannot be read: {1}; give a folder of recorded runs")]
    Unreadable(PathBuf, std::io::Error),
    #[error("{0}: no recorded run (*.json) in it; give a folder of recorded runs")]
    Empty(PathBuf),
    #[error("{0}: not a recorded run: {1}; its format is in tests/recordings/README.md")]
    NotARecording(PathBuf, serde_json::Error),
    #[error("{path}: {what}; its format is in tests/recordings/README.md")]
    Impossible { path: PathBuf, what: String },
}

impl Recording {
    pub fn read(path: &Path) -> Result<Recording, RecordingError> {
        let text = fs::read_to_string(path).map_err(|error| RecordingError::Unreadable(path.into(), error))?;
        Recording::parse(path, &text)
    }

    /// From the text of a file; `path` is how messages call it.
    pub fn parse(path: &Path, text: &str) -> Result<Recording, RecordingError> {
        let recording: Recording =
            serde_json::from_str(text).map_err(|error| RecordingError::NotARecording(path.into(), error))?;
        match recording.what_is_missing() {
            Some(what) => Err(RecordingError::Impossible {
                path: path.into(),
                what,
            }),
            None => Ok(recording),
        }
    }

    /// Every `*.json` of a folder, in the order of their names.
    pub fn read_all(folder: &Path) -> Result<Vec<Recording>, RecordingError> {
        let unreadable = |error| RecordingError::Unreadable(folder.into(), error);
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                paths.push(path);
            }
        }
        paths.sort();
        if paths.is_empty() {
            return Err(RecordingError::Empty(folder.into()));
        }
        paths.iter().map(|path| Recording::read(path)).collect()
    }

    /// The scenario with its variant, as people call the group of runs.
    pub fn group(&self) -> String {
        match &self.variant {
            Some(Variant::Delay(ms)) => format!("{} ({ms})", self.scenario),
            Some(Variant::Word(word)) => format!("{} ({word})", self.scenario),
            None if self.scenario == "9_etcd_quorum_loss" && self.params.failsafe => {
                format!("{} (failsafe)", self.scenario)
            }
            None => self.scenario.clone(),
        }
    }

    /// A figure in its own unit; truth counts as one.
    pub fn figure(&self, name: &str) -> Option<f64> {
        if name == "repair_ms" {
            return self.derived.repair_ms;
        }
        match self.derived.figures.get(name)? {
            serde_json::Value::Bool(yes) => Some(f64::from(u8::from(*yes))),
            value => value.as_f64(),
        }
    }

    /// The old leader's last keep-alive before the fault: when it was sent, and the member that was asked.
    pub fn last_renewal(&self) -> Option<(f64, &str)> {
        let mine = self.renewals.iter().filter(|r| r.node == self.derived.old_leader);
        let sent = mine.flat_map(|r| r.sent_done_ms.iter().map(|&(sent, _)| (sent, r.via.as_str())));
        sent.filter(|&(sent, _)| sent <= 0.0).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The scenario's number: `3q`.
    pub fn number(&self) -> &str {
        self.scenario.split('_').next().unwrap_or_default()
    }

    /// The member that led the store when the fault struck.
    pub fn store_leader(&self) -> Option<&str> {
        let leads = |event: &&RecordedEvent| {
            event.kind == "etcd_member" && event.t_ms <= 0.0 && event.detail.starts_with("leads")
        };
        self.events.iter().rfind(leads).map(|event| event.node.as_str())
    }

    /// The first event of a kind.
    pub fn event(&self, kind: &str) -> Option<&RecordedEvent> {
        self.events.iter().find(|event| event.kind == kind)
    }

    /// When a note that begins so was taken.
    pub fn note(&self, begins: &str) -> Option<f64> {
        let is = |event: &&RecordedEvent| event.kind == "note" && event.detail.starts_with(begins);
        self.events.iter().find(is).map(|event| event.t_ms)
    }

    /// When the old leader's agent logged a line with these words.
    pub fn log(&self, words: &str) -> Option<f64> {
        let is = |event: &&RecordedEvent| {
            event.kind == "log" && event.node == self.derived.old_leader && event.detail.contains(words)
        };
        self.events.iter().find(is).map(|event| event.t_ms)
    }

    fn what_is_missing(&self) -> Option<String> {
        let Some((sent, via)) = self.last_renewal() else {
            return Some(format!(
                "no renewal of {} before the fault, so its phase is not known",
                self.derived.old_leader
            ));
        };
        if self.store_leader().is_none() {
            return Some("no member of the store led before the fault".to_owned());
        }
        if member_index(via).is_none() || self.store_leader().and_then(member_index).is_none() {
            return Some(format!("{via} is not one of the store's members e1, e2, e3"));
        }
        if node_index(&self.derived.old_leader).is_none() {
            return Some(format!("{} is not one of pg1, pg2, pg3", self.derived.old_leader));
        }
        let phase = -sent;
        let cycle = self.params.loop_wait as f64 * 1_000.0 + 1_000.0;
        (phase > cycle).then(|| format!("the last renewal lies {phase} ms before the fault, more than a loop"))
    }
}

/// Of `e1`, `e2`, `e3`, from 0.
pub fn member_index(name: &str) -> Option<usize> {
    ["e1", "e2", "e3"].iter().position(|known| *known == name)
}

/// Of `pg1`, `pg2`, `pg3`, from 0.
pub fn node_index(name: &str) -> Option<usize> {
    ["pg1", "pg2", "pg3"].iter().position(|known| *known == name)
}
