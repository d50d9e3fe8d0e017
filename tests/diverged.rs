#![cfg(not(target_arch = "wasm32"))]
//! A database that wrote what the new leader does not know: what the configuration lets its agent do (patroni.md 8.2, 11).

#[path = "common/chronicle.rs"]
mod chronicle;

use chronicle::{Told, parsed, told_by_seeds};
use leaselab::agent::Bugs;
use leaselab::engine::SimTime;
use leaselab::vocabulary::{NodeId, Note};
use leaselab::world::Part;

const OLD: NodeId = NodeId(0);

fn at(seconds: f64) -> SimTime {
    SimTime((seconds * 1e6) as u64)
}

/// The leader's agent stands still for so long that another node takes over, while its database goes on committing.
#[track_caller]
fn after_two_primaries(more: &str, holds: impl Fn(&Told)) {
    let text = format!(
        "duration_s = 200\ntraffic.writers = 0\n{more}\n\
         [[fault]]\nkind = 'pause'\ntarget = 'node1/agent'\nat_s = 40.25\nfor_s = 50\n"
    );
    let runs = told_by_seeds(&parsed(&text), 6, Bugs::default());
    for told in &runs {
        assert!(told.verdict.two_primaries.ever, "it has something of its own");
        assert!(
            told.first(at(80.0), |part, note| part == Part::Postgres(OLD)
                && *note == Note::CannotFollow)
                .is_some()
        );
        holds(told);
    }
}

fn streams_at_the_end(told: &Told) -> bool {
    let notes = told.chronicle.notes.iter().rev();
    let mut last = notes.filter(|(_, part, note)| {
        *part == Part::Postgres(OLD) && matches!(note, Note::Streams { .. } | Note::StopsStreaming)
    });
    last.next()
        .is_some_and(|(.., note)| matches!(note, Note::Streams { .. }))
}

fn says(told: &Told, wanted: impl Fn(&Note) -> bool) -> Option<SimTime> {
    told.agent(OLD, at(80.0), wanted)
}

fn rewinds(note: &Note) -> bool {
    matches!(note, Note::Rewinds { .. })
}

fn clones(note: &Note) -> bool {
    *note == Note::Clones
}

#[test]
fn it_takes_back_what_it_wrote_when_it_may() {
    after_two_primaries("", |told| {
        assert!(says(told, rewinds).is_some() && says(told, clones).is_none() && streams_at_the_end(told));
    });
}

#[test]
fn it_stays_up_and_cannot_follow_when_it_may_neither_rewind_nor_be_copied_anew() {
    after_two_primaries("patroni.use_pg_rewind = false", |told| {
        assert!(says(told, rewinds).is_none() && says(told, clones).is_none() && !streams_at_the_end(told));
        assert!(!told.is_primary(OLD, at(199.0)));
    });
}

#[test]
fn it_is_copied_anew_when_it_may_not_rewind() {
    let settings = "patroni.use_pg_rewind = false\npatroni.remove_data_directory_on_diverged_timelines = true";
    after_two_primaries(settings, |told| {
        assert!(says(told, clones).is_some() && says(told, rewinds).is_none() && streams_at_the_end(told));
    });
}

#[test]
fn it_follows_once_the_configuration_lets_it_rewind() {
    let later = "patroni.use_pg_rewind = false\n[[fault]]\nkind = 'configure'\ntarget = 'node2'\nat_s = 150\n\
                 use_pg_rewind = true\n";
    after_two_primaries(later, |told| {
        assert!(says(told, rewinds).is_some_and(|rewound| rewound > at(150.0)) && streams_at_the_end(told));
    });
}

/// The leader's processes are killed, another node takes over, and then the agent is started again.
#[track_caller]
fn after_a_killed_leader(more: &str, holds: impl Fn(&Told)) {
    let text = format!(
        "duration_s = 200\ntraffic.writers = 0\n{more}\n\
         [[fault]]\nkind = 'kill'\ntarget = 'node1/agent'\nat_s = 40.25\nfor_s = 50\n\
         [[fault]]\nkind = 'kill'\ntarget = 'node1/postgres'\nat_s = 40.25\n"
    );
    for told in &told_by_seeds(&parsed(&text), 6, Bugs::default()) {
        assert!(!told.verdict.two_primaries.ever);
        holds(told);
    }
}

#[test]
fn a_dead_primary_goes_through_crash_recovery_and_is_rewound_before_it_is_started() {
    after_a_killed_leader("", |told| {
        let recovered = says(told, |note| *note == Note::RecoversCrash).expect("its crash recovery");
        let rewound = says(told, rewinds).expect("what its shutdown wrote is no part of the new timeline");
        let started = told.first(at(80.0), |part, note| {
            part == Part::Postgres(OLD) && matches!(note, Note::Database(_))
        });
        let started = started.expect("it is started");
        assert!(
            recovered < rewound && rewound < started,
            "{recovered} {rewound} {started}"
        );
        assert!(streams_at_the_end(told));
    });
}

#[test]
fn without_pg_rewind_a_dead_primary_is_started_as_it_is() {
    after_a_killed_leader("patroni.use_pg_rewind = false", |told| {
        assert!(says(told, |note| *note == Note::RecoversCrash).is_none() && says(told, rewinds).is_none());
        assert!(streams_at_the_end(told), "all that it had was on the new timeline");
    });
}

/// It was a standby, or it ended in good order: nothing to recover, and the leader's history has all that it has.
#[test]
fn a_dead_standby_is_started_without_either() {
    let text = "duration_s = 120\n[[fault]]\nkind = 'kill'\ntarget = 'node2/postgres'\nat_s = 40.25\n";
    for told in &told_by_seeds(&parsed(text), 6, Bugs::default()) {
        let agent = |wanted: &dyn Fn(&Note) -> bool| told.agent(NodeId(1), at(40.0), wanted);
        assert!(agent(&|note| *note == Note::DatabaseFoundDead).is_some());
        assert!(agent(&|note| *note == Note::RecoversCrash).is_none() && agent(&rewinds).is_none());
    }
}
