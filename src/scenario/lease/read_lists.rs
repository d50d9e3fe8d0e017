//! One `[[worker]]` and one `[[job]]`, and whether they fit together with who grants.

use super::super::error::{Errors, Problem, Refused, shown};
use super::super::raw::{Raw, RawFault};
use super::super::reader;
use super::read::Values;
use super::{At, Checks, GrantedBy, Grants, JobSetting, Through, WorkerSetting};
use crate::engine::Span;
use crate::vocabulary::Object;

pub(super) fn worker(values: &mut Values<'_>) -> Result<WorkerSetting, Refused> {
    let name = values.required("name", reader::text)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let taken = [
        "service", "database", "standby", "pooler", "resource", "mail", "clients",
    ];
    if name.len() > 31 || !name.chars().all(plain) || taken.contains(&name.as_str()) {
        let problem = Problem::new(
            "is no name for a worker",
            format!(
                "use letters, digits, _ or -, at most 31 in all, and none of {}",
                taken.join(", ")
            ),
        );
        return Err(values.reader.refuse("name", problem));
    }
    let asks_every = values.required("asks_every_s", reader::span)?;
    if asks_every == Span::ZERO {
        let problem = Problem::new("would ask for ever at one instant", "use at least 0.000001");
        return Err(values.reader.refuse("asks_every_s", problem));
    }
    let renews_every = values.optional("renews_every_s", reader::span)?;
    if renews_every == Some(Span::ZERO) {
        let problem = Problem::new(
            "would renew for ever at one instant",
            "use at least 0.000001, or leave it out",
        );
        return Err(values.reader.refuse("renews_every_s", problem));
    }
    Ok(WorkerSetting {
        name,
        asks_at: values.optional("asks_at_s", reader::span)?,
        asks_every,
        renews_every,
        patience: values.optional("patience_s", reader::span)?,
        holds_for: values.optional("holds_for_s", reader::span)?,
        through: match values.required("through", reader::choice)? {
            "pooler" => Through::Pooler,
            "standby" => Through::Standby,
            _ => Through::Grantor,
        },
    })
}

pub(super) fn different(
    raw: &Raw,
    workers: Vec<WorkerSetting>,
    errors: &mut Errors,
) -> Result<Vec<WorkerSetting>, Refused> {
    let twice = (1..workers.len()).find(|&at| workers[..at].iter().any(|other| other.name == workers[at].name));
    let tables: Vec<&RawFault> = raw
        .tables
        .iter()
        .filter(|(list, _)| *list == "worker")
        .map(|(_, table)| table)
        .collect();
    match twice {
        Some(at) => {
            let problem = Problem::new("another worker has this name", "name each worker otherwise");
            let key = format!("worker.{}.name", at + 1);
            Err(errors.push(&tables[at].place, &key, &shown(&workers[at].name), problem))
        }
        None => Ok(workers),
    }
}

pub(super) fn job(values: &mut Values<'_>, workers: &[String]) -> Result<JobSetting, Refused> {
    let worker = values.required("worker", reader::text)?;
    let worker = values.worker("worker", &worker, workers)?;
    let after = values.required("after_s", reader::span)?;
    let check = match values.required("check", reader::choice)? {
        "clock" => Checks::Clock,
        "row" => Checks::Row,
        "row_for_share" => Checks::RowForShare,
        _ => Checks::None,
    };
    let check_after = values.required("check_after_s", reader::span)?;
    if check != Checks::None && check_after > after {
        let problem = Problem::new("is after the write", "make check_after_s at most after_s");
        return Err(values.reader.refuse("check_after_s", problem));
    }
    let key = values.optional("key", reader::count)?;
    Ok(JobSetting {
        worker,
        after,
        check,
        check_after,
        at: match values.required("at", reader::choice)? {
            "mail" => At::Mail,
            "database" => At::Database,
            _ => At::Resource,
        },
        object: Object(values.required("object", reader::count)? as u16),
        in_session: values.required("in_session", reader::flag)?,
        key: key.map(|key| key as u32),
        again_after: values.optional("again_after_s", reader::span)?,
    })
}

/// What each part allows and the others do not have.
pub(super) fn fits(
    raw: &Raw,
    grants: &Grants,
    workers: &[WorkerSetting],
    jobs: &[JobSetting],
    errors: &mut Errors,
) -> Result<(), Refused> {
    let place_of = |list: &str, index: usize| {
        let mut tables = raw.tables.iter().filter(|(name, _)| *name == list);
        tables.nth(index).map_or(&raw.place, |(_, table)| &table.place)
    };
    let mut refused = Ok(());
    for (index, worker) in workers.iter().enumerate() {
        let missing = match worker.through {
            Through::Pooler if grants.pooler_recycles.is_none() => "pooler, which needs pooler.recycles_at_s",
            Through::Standby if !grants.database.standby => "standby, which needs database.standby = true",
            _ => continue,
        };
        let problem = Problem::new(format!("there is no {missing}"), "add it, or ask the database");
        let key = format!("worker.{}.through", index + 1);
        refused = Err(errors.push(place_of("worker", index), &key, &worker.name, problem));
    }
    let service = grants.by == GrantedBy::Service;
    for (index, job) in jobs.iter().enumerate() {
        let guards = matches!(job.check, Checks::Row | Checks::RowForShare);
        let (key, problem) = if job.at == At::Database && service {
            (
                "at",
                Problem::new(
                    "no database grants here",
                    "use lease.by = \"row\" or \"session\", or at = \"resource\"",
                ),
            )
        } else if guards && (grants.by != GrantedBy::Row || job.at != At::Database) {
            (
                "check",
                Problem::new(
                    "the row is in the database that grants",
                    "use lease.by = \"row\" and at = \"database\"",
                ),
            )
        } else if job.in_session && (job.at != At::Database || guards) {
            (
                "in_session",
                Problem::new(
                    "the session is one with the database",
                    "use at = \"database\" and no check of the row",
                ),
            )
        } else {
            continue;
        };
        let key = format!("job.{}.{key}", index + 1);
        refused = Err(errors.push(place_of("job", index), &key, &workers[job.worker].name, problem));
    }
    refused
}
