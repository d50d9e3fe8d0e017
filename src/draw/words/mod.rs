//! The one catalogue of sentences about a run: notes, faults, lives, losses, steps and phases in plain words.
//!
//! A sentence has a subject and no time; whoever shows it puts the time in front.

mod fault;
mod member;
mod order;
mod seen;
mod value;
mod waiting;

pub use fault::{fault_begins, fault_ends, fault_label, fault_times};
pub use member::{disk_words, member_words, no_quorum, place_words, stops_leading, takes_place};
pub use seen::{NOTHING_SEEN, SEEN_TITLE, pattern_help, pattern_name};
pub use value::value_words;
pub use waiting::{clock, told, wait_ended, waits_for};

use super::cast::Cast;
use super::story::{DatabaseState, Halt, Tone};
use crate::engine::{Ended, Event, Life, Lost, Place, SimTime, Span, What};
use crate::verdict::length;
use crate::vocabulary::{Changes, Database, Decline, Demotion, Key, LeaseId, Note, Phase, SettingValue, Step, Words};

/// A length of time that somebody chose: `30 s`, `2.5 s`, `40 ms`.
pub fn seconds(span: Span) -> String {
    length(span).replace(".0 s", " s")
}

/// Settings by Patroni's names: `ttl 60 s, failsafe_mode on`.
pub(super) fn settings(changes: &Changes) -> String {
    let of = |(name, value): (&str, SettingValue)| match value {
        SettingValue::Time(span) => format!("{name} {}", seconds(span)),
        SettingValue::Flag(flag) => format!("{name} {}", if flag { "on" } else { "off" }),
        SettingValue::Bytes(bytes) => format!("{name} {bytes} bytes"),
        SettingValue::Count(count) => format!("{name} {count}"),
        SettingValue::Mode(mode) => format!("{name} {}", mode.word()),
    };
    changes.list().into_iter().map(of).collect::<Vec<_>>().join(", ")
}

/// What an event says, if it says anything to people.
pub fn sentence(event: &Event<Words>, cast: &Cast) -> Option<String> {
    match &event.what {
        What::Note(Note::KeyPut {
            key: Key::Leader,
            holder: Some(holder),
            ..
        }) if event.at == SimTime::ZERO => Some(format!(
            "{} holds the leader key when the run begins",
            cast.name(*holder)
        )),
        What::Note(Note::StoreRole { role, term }) => takes_place(event, *role, *term, cast),
        What::Note(Note::StoreCommit { .. } | Note::StoreHangs { .. } | Note::StoreGoesOn) => None,
        What::Note(note) => Some(note_words(note, event.place, cast)),
        What::Fault { index, begins } => {
            let fault = cast.scenario.faults.get(usize::from(*index))?;
            Some(if *begins {
                fault_begins(fault, cast.scenario)
            } else {
                fault_ends(fault, cast.scenario)
            })
        }
        What::Life(life) => Some(life_words(*life, event.place, cast)),
        What::Dropped { conn, to, sent, how } => {
            let (from, to) = cast.ends(*conn, *to)?;
            let (from, to) = (cast.whom(Place::Process(from)), cast.whom(Place::Process(to)));
            let what = if sent.is_some() {
                "a message"
            } else {
                "an attempt to connect"
            };
            Some(format!("{what} from {from} to {to} is lost: {}", lost_words(*how)))
        }
        What::Ended {
            conn,
            how: how @ (Ended::Refused | Ended::Reset | Ended::TimedOut),
        } => {
            let Place::Process(me) = event.place else { return None };
            let (other, _) = cast.ends(*conn, me)?;
            let (me, other) = (cast.whom(event.place), cast.whom(Place::Process(other)));
            Some(match how {
                Ended::Refused => format!("{me}'s connection to {other} is refused at once: nobody listens there"),
                Ended::Reset => format!("{me}'s connection to {other} is broken off"),
                _ => format!("{me}'s connection to {other} is given up: nothing came back"),
            })
        }
        _ => None,
    }
}

pub fn lost_words(how: Lost) -> &'static str {
    match how {
        Lost::Silent => "the link passes nothing",
        Lost::PayloadLost => "the link passes no data",
        Lost::Swallowed => "something on the way took it and never passes it on",
        Lost::Chance => "by chance",
        Lost::HostGone => "the machine there does not answer",
    }
}

pub fn life_words(life: Life, place: Place, cast: &Cast) -> String {
    let whom = cast.whom(place);
    let host = matches!(place, Place::Host(_));
    match life {
        Life::Started if host => format!("{whom} starts"),
        Life::Started => format!("{whom} is started"),
        Life::Exited => format!("{whom} ends"),
        Life::Killed if host => format!("{whom} goes down"),
        Life::Killed => format!("{whom} is killed"),
        Life::Paused => format!("{whom} stands still"),
        Life::Resumed => format!("{whom} goes on"),
    }
}

/// What an actor states, as a sentence.
pub fn note_words(note: &Note, place: Place, cast: &Cast) -> String {
    match note {
        Note::LeaseGranted { .. }
        | Note::LeaseRenewed { .. }
        | Note::LeaseExpired { .. }
        | Note::LeaseRevoked { .. }
        | Note::KeyPut { .. }
        | Note::KeyDeleted { .. }
        | Note::CreateRefused { .. } => store_words(note, cast),
        Note::Database(database) => database_change(database, &cast.who(place)),
        Note::Promoted { timeline, .. } => format!("{} begins timeline {}", cast.who(place), timeline.0),
        Note::Streams { .. } => format!("{} receives the changes of its upstream", cast.who(place)),
        Note::StopsStreaming => format!("{} receives no more changes", cast.who(place)),
        Note::CannotFollow => format!(
            "{} cannot follow: it wrote what the new leader does not know",
            cast.who(place)
        ),
        Note::WatchdogOpened { timeout } => {
            format!(
                "{} is armed: without a sign of life it resets the machine after {}",
                cast.who(place),
                seconds(*timeout)
            )
        }
        Note::WatchdogPinged { .. } => format!("{} gets a sign of life", cast.who(place)),
        Note::WatchdogClosed => format!("{} is switched off", cast.who(place)),
        Note::WatchdogFires => format!("{} got no sign of life and resets the machine", cast.who(place)),
        Note::Routes { to: Some(node) } => format!("{} sends writes to {}", cast.who(place), cast.name(*node)),
        Note::Routes { to: None } => format!("{} finds no primary to send writes to", cast.who(place)),
        Note::Write { .. } => format!("{} has written", cast.who(place)),
        _ => agent_words(note, place, cast),
    }
}

fn store_words(note: &Note, cast: &Cast) -> String {
    match note {
        Note::LeaseGranted { lease, ttl } => match cast.owner(*lease) {
            Some(node) => format!("the store grants {} a lease of {}", cast.name(node), seconds(*ttl)),
            None => format!("the store grants a lease of {}", seconds(*ttl)),
        },
        Note::LeaseRenewed { lease } => format!("the store renews {} lease", cast.owners(*lease)),
        Note::LeaseExpired { lease } => {
            format!(
                "{} lease expires: the store deletes the keys that hang on it",
                cast.owners(*lease)
            )
        }
        Note::LeaseRevoked { lease } => format!("the store takes {} lease back", cast.owners(*lease)),
        Note::KeyPut {
            key: Key::Leader,
            holder: Some(node),
            created,
            ..
        } => {
            let name = cast.name(*node);
            if *created {
                format!("{name} creates the leader key")
            } else {
                format!("{name} writes the leader key again")
            }
        }
        Note::KeyPut { key, .. } => format!("the store keeps {}", key_words(*key, cast)),
        Note::KeyDeleted { key, .. } => format!("the store deletes {}", key_words(*key, cast)),
        Note::CreateRefused { key } => format!("the store refuses: {} exists already", key_words(*key, cast)),
        _ => String::new(),
    }
}

/// The lease that the leader key hangs on expires.
pub fn leader_lease_expires(lease: LeaseId, cast: &Cast) -> String {
    format!("{} lease expires: the store deletes the leader key", cast.owners(lease))
}

fn key_words(key: Key, cast: &Cast) -> String {
    match key {
        Key::Leader => "the leader key".to_owned(),
        Key::Status => "the leader's position".to_owned(),
        Key::History => "the record of timelines".to_owned(),
        Key::Lock(lease) => format!("the place of lease {} in the queue for the lock", lease.0),
        Key::Sync => "the list of synchronous standbys".to_owned(),
        Key::Failsafe => "the failsafe list".to_owned(),
        Key::Failover => "the request to hand over".to_owned(),
        Key::Config => "the configuration".to_owned(),
        Key::Member(node) => format!("what {} says about itself", cast.name(node)),
    }
}

fn agent_words(note: &Note, place: Place, cast: &Cast) -> String {
    let who = cast.who(place);
    let node = cast.layout.node_at(place);
    match note {
        Note::Step(Step::AskingPeers) => {
            let others = node.map_or_else(String::new, |node| cast.others(node));
            format!("{who} asks {others} whether one of them leads or is ahead")
        }
        Note::Step(step) => format!("{who} {}", step_words(*step)),
        Note::CycleBegins => format!("{who} begins a cycle of its loop"),
        Note::Believes { span } => format!(
            "{who} takes itself for the leader, for {} by its own clock",
            seconds(*span)
        ),
        Note::StopsBelieving => format!("{who} no longer takes itself for the leader"),
        Note::StoreUnreachable => format!("{who} gets no answer from the store within retry_timeout"),
        Note::SeesNoLeader => format!("{who} sees that there is no leader"),
        Note::Declines(why) => format!("{who} does not race: {}", decline_words(*why, cast)),
        Note::Acquires => format!("{who} learns that it has the leader key"),
        Note::LosesRace => format!("{who} loses the race: another node has created the leader key"),
        Note::OrdersPromotion => format!("{who} tells its database to become primary"),
        Note::Demotes(why) => format!("{who} demotes its database: {}", demotion_words(*why)),
        Note::Follows(Some(leader)) => format!("{who} follows {}", cast.name(*leader)),
        Note::Follows(None) => format!("{who} follows nobody"),
        Note::Rewinds { from, to } => {
            let bytes = from.0.abs_diff(to.0);
            format!("{who} takes back the last {bytes} bytes its database wrote: the new leader does not know them")
        }
        Note::Clones => format!("{who} throws its database away and copies the leader's"),
        Note::DatabaseFoundDead => format!("{who} finds its database dead"),
        Note::RecoversCrash => format!("{who} runs the crash recovery of its database"),
        Note::FailsafeHolds => format!("{who} leads on without the store: every member agrees"),
        Note::FailsafeFails => format!("{who} may not lead on without the store: not every member agrees"),
        Note::FailsafeAccepted { leader } => {
            format!(
                "{who} hears from {} that it leads on without the store, and agrees",
                cast.name(*leader)
            )
        }
        Note::AskedToHandOver { to: Some(node) } => format!("{who} is asked to hand over to {}", cast.name(*node)),
        Note::AskedToHandOver { to: None } => format!("{who} is asked to hand over"),
        Note::NobodyCanTakeOver => format!("{who} does not hand over: no node can take over"),
        Note::ScheduleRefused => format!(
            "{who} does not take on a handover for then: the time is past, or the cluster is in maintenance mode"
        ),
        Note::AwaitsSchedule => format!("{who} sleeps until it is to hand over"),
        Note::ScheduleDropped => format!("{who} drops the request to hand over: its time is long past"),
        Note::Maintenance { on: true } => format!("{who} sees that maintenance mode begins"),
        Note::Maintenance { on: false } => format!("{who} sees that maintenance mode is over"),
        Note::AdoptsSettings(changes) => format!("{who} goes by the new configuration: {}", settings(changes)),
        Note::AdoptsTimings {
            ttl,
            loop_wait,
            retry_timeout,
        } => format!(
            "{who} goes by new timings: ttl {}, loop_wait {}, retry_timeout {}",
            seconds(*ttl),
            seconds(*loop_wait),
            seconds(*retry_timeout)
        ),
        Note::SettingsRefused => {
            format!("{who} could not change the configuration: somebody else has, or the store is away")
        }
        Note::RestartsDatabase => format!("{who} restarts its database"),
        Note::ShutsDown => format!("{who} shuts down"),
        Note::NameTaken => format!("{who} does not start: another agent with its name answers"),
        Note::WaitsFor { count: 0, .. } => format!("{who} lets commits wait for nobody"),
        Note::WaitsFor { standbys, .. } if standbys.is_empty() => {
            format!("{who} lets commits wait until there is a synchronous standby")
        }
        Note::WaitsFor { count, standbys } => {
            let names: Vec<&str> = standbys.iter().map(|node| cast.name(node)).collect();
            format!("{who} lets commits wait for {count} of {}", names.join(", "))
        }
        _ => String::new(),
    }
}

fn decline_words(why: Decline, cast: &Cast) -> String {
    match why {
        Decline::DatabaseStarting => "its database is still starting".to_owned(),
        Decline::DatabaseDown => "its database is down".to_owned(),
        Decline::WatchdogUnusable => "it needs a watchdog and cannot use its own".to_owned(),
        Decline::Lagging { behind } => format!("its database is {behind} bytes behind, more than allowed"),
        Decline::PeerIsPrimary { peer } => format!("{} answers that it runs as primary", cast.name(peer)),
        Decline::PeerAhead { peer, mine, theirs } => {
            format!(
                "{} has {} bytes of log more than it had itself a moment ago",
                cast.name(peer),
                theirs.0.saturating_sub(mine.0)
            )
        }
        Decline::OldTimeline => "its timeline is older than the last one recorded".to_owned(),
        Decline::NoFailover => "it is tagged so that it must not lead".to_owned(),
        Decline::Maintenance => "the cluster is in maintenance mode".to_owned(),
        Decline::NotInFailsafe => "the failsafe list does not name it".to_owned(),
        Decline::NotSynchronous => "it is no synchronous standby".to_owned(),
        Decline::NotTheCandidate => "another node was asked to take over".to_owned(),
        Decline::PeerPreferred { peer } => format!("{} is as far and has a higher priority", cast.name(peer)),
        Decline::TooFewVotes { votes, needed } => {
            format!("{votes} of {needed} needed voters are no further than it")
        }
        Decline::BacksOff => "the old primary may be alive, it waits".to_owned(),
    }
}

fn demotion_words(why: Demotion) -> &'static str {
    match why {
        Demotion::StoreUnreachable => "it cannot reach the store, so its lease may run out",
        Demotion::LockLost => "it no longer holds the leader key",
        Demotion::WatchdogMissing => "it needs a watchdog and cannot use its own",
        Demotion::DatabaseFailed => "it has failed and another node can take over",
        Demotion::HandsOver => "it was asked to hand over",
    }
}

/// What an agent is doing, without its subject.
pub fn step_words(step: Step) -> &'static str {
    match step {
        Step::Starting => "comes up",
        Step::Sleeping => "sleeps until its next cycle",
        Step::ReadingCluster => "waits for the store's keys",
        Step::AskingDatabase => "asks its database how it is",
        Step::RenewingLease => "renews its lease",
        Step::PublishingStatus => "publishes its position",
        Step::AskingPeers => "asks the other nodes",
        Step::AskingFailsafe => "asks every member whether it may lead on",
        Step::AskingCandidates => "asks who could take over",
        Step::AskingLeader => "asks the leader's database for its history",
        Step::AcquiringKey => "tries to create the leader key",
        Step::StoppingDatabase => "waits for its database to stop",
        Step::StartingDatabase => "waits for its database to start",
        Step::PublishingMember => "publishes how it is",
        Step::ReleasingKey => "gives the leader key back",
    }
}

fn database_change(database: &Database, who: &str) -> String {
    let timeline = database.position.history.timeline().0;
    match database.phase {
        Phase::Down => format!("{who} is down"),
        Phase::Starting => format!("{who} starts"),
        Phase::Recovery => format!("{who} runs as a replica, on timeline {timeline}"),
        Phase::Promoting => format!("{who} is being promoted"),
        Phase::Primary => format!("{who} accepts writes, on timeline {timeline}"),
        Phase::Stopping => format!("{who} is being stopped"),
    }
}

/// What a database is, without its subject.
pub fn database_words(state: DatabaseState) -> String {
    let timeline = state.timeline.0;
    match state.phase {
        Phase::Down => "down".to_owned(),
        Phase::Starting => "starting".to_owned(),
        Phase::Recovery => format!("replica, timeline {timeline}"),
        Phase::Promoting => "being promoted".to_owned(),
        Phase::Primary => format!("primary, writable, timeline {timeline}"),
        Phase::Stopping => "stopping".to_owned(),
    }
}

pub fn halt_words(halt: Halt) -> &'static str {
    match halt {
        Halt::Frozen => "frozen",
        Halt::Dead => "dead",
    }
}

/// How a note is meant, when it is worth a line of the event list at all.
pub fn tone(note: &Note) -> Option<Tone> {
    match note {
        Note::LeaseExpired { .. } | Note::KeyPut { key: Key::Leader, .. } | Note::WatchdogFires => Some(Tone::Turn),
        Note::Database(Database {
            phase: Phase::Primary, ..
        })
        | Note::Demotes(_) => Some(Tone::Turn),
        Note::LeaseRevoked { .. }
        | Note::KeyDeleted { key: Key::Leader, .. }
        | Note::Step(Step::AskingPeers)
        | Note::Believes { .. }
        | Note::StopsBelieving
        | Note::StoreUnreachable
        | Note::SeesNoLeader
        | Note::Declines(_)
        | Note::LosesRace
        | Note::OrdersPromotion
        | Note::Follows(_)
        | Note::Rewinds { .. }
        | Note::Clones
        | Note::DatabaseFoundDead
        | Note::RecoversCrash
        | Note::FailsafeHolds
        | Note::FailsafeFails
        | Note::AskedToHandOver { .. }
        | Note::NobodyCanTakeOver
        | Note::ScheduleRefused
        | Note::AwaitsSchedule
        | Note::ScheduleDropped
        | Note::Maintenance { .. }
        | Note::AdoptsSettings(_)
        | Note::AdoptsTimings { .. }
        | Note::SettingsRefused
        | Note::RestartsDatabase
        | Note::ShutsDown
        | Note::NameTaken
        | Note::WaitsFor { .. }
        | Note::Database(_)
        | Note::CannotFollow
        | Note::WatchdogOpened { .. }
        | Note::WatchdogClosed
        | Note::Routes { .. } => Some(Tone::Plain),
        _ => None,
    }
}
