//! A file about leases and fencing tokens (`system = "lease"`): who grants, the workers, what they do, and what breaks.
//!
//! | file        | what lives there |
//! |-------------|------------------|
//! | `mod.rs`    | the validated types |
//! | `fields.rs` | the one description of every field |
//! | `read.rs`   | the whole file: raw to [`LeaseScenario`], all errors at once; `read_lists.rs` one worker and one job |

mod fields;
mod read;
mod read_lists;

pub use fields::{JOB_FIELDS, LEASE_FIELDS, WORKER_FIELDS};

use super::Fault;
use crate::engine::Span;
use crate::fence::{FenceRule, FenceScope};
use crate::protocols::CountsFrom;
use crate::vocabulary::Object;
use serde::Serialize;

/// One experiment, validated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeaseScenario {
    pub title: String,
    /// The comment at the top of the file, without its `#` signs: what the scenario shows.
    pub comment: Option<String>,
    pub duration: Span,
    pub seed: u64,
    pub grants: Grants,
    pub fence: FenceRule,
    pub scope: FenceScope,
    /// A new holder raises the fences of all objects before anything else.
    pub stamped_first: bool,
    pub mail_keys: bool,
    /// One way, between any two hosts.
    pub latency: Span,
    pub workers: Vec<WorkerSetting>,
    pub jobs: Vec<JobSetting>,
    /// Their targets count the hosts in the order of [`LeaseScenario::hosts`].
    pub faults: Vec<Fault>,
}

/// Who grants, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Grants {
    pub by: GrantedBy,
    pub ttl: Span,
    pub first_token: u64,
    /// Index into the workers: who holds it when the run starts.
    pub holder: Option<usize>,
    pub counts_from: CountsFrom,
    pub forgets: bool,
    /// Every process makes another number of the lock's name.
    pub salted: bool,
    pub database: DatabaseSetting,
    /// When the pooler closes its connections to the database; none: there is no pooler.
    pub pooler_recycles: Option<Span>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GrantedBy {
    Service,
    Session,
    Row,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DatabaseSetting {
    pub keepalive_idle: Span,
    pub keepalive_interval: Span,
    pub keepalive_count: u64,
    /// Zero: none.
    pub user_timeout: Span,
    pub standby: bool,
    pub synchronous: bool,
    pub promoted_at: Option<Span>,
    pub timeline_in_token: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorkerSetting {
    pub name: String,
    pub asks_at: Option<Span>,
    pub asks_every: Span,
    pub renews_every: Option<Span>,
    pub patience: Option<Span>,
    pub holds_for: Option<Span>,
    pub through: Through,
}

/// Whom a worker asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Through {
    /// The service, or the database.
    Grantor,
    Pooler,
    Standby,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JobSetting {
    /// Index into the workers.
    pub worker: usize,
    pub after: Span,
    pub check: Checks,
    pub check_after: Span,
    pub at: At,
    pub object: Object,
    pub in_session: bool,
    pub key: Option<u32>,
    pub again_after: Option<Span>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Checks {
    None,
    Clock,
    Row,
    RowForShare,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum At {
    Resource,
    Mail,
    Database,
}

impl LeaseScenario {
    /// The names of all hosts: who grants, what is written to, the workers.
    pub fn hosts(&self) -> Vec<String> {
        let workers = self.workers.iter().map(|worker| worker.name.clone()).collect();
        hosts(workers, &self.grants)
    }
}

/// The names of all hosts, those of the workers last.
fn hosts(workers: Vec<String>, grants: &Grants) -> Vec<String> {
    let grantor = match grants.by {
        GrantedBy::Service => "service",
        GrantedBy::Session | GrantedBy::Row => "database",
    };
    let standby = grants.database.standby.then_some("standby");
    let pooler = grants.pooler_recycles.map(|_| "pooler");
    let others = [Some(grantor), standby, pooler, Some("resource"), Some("mail")];
    let others = others.into_iter().flatten().map(str::to_owned);
    others.chain(workers).collect()
}
