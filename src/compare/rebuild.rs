//! From a recorded run to the scenario that should tell the same story.
//!
//! | recorded                          | rebuilt as |
//! |-----------------------------------|------------|
//! | SIGKILL of agent and PostgreSQL   | both processes killed; their kernel answers with resets |
//! | SIGKILL or SIGSTOP of the agent   | its process killed or paused |
//! | frame drop at a bridge port       | silent cuts of the node's links |
//! | +N ms round trip to etcd          | N/2 ms more on every link between nodes and members, each way |
//! | a local writer, every 50 ms       | a direct writer on each node; paused where the recorder paused it |
//!
//! Faults begin as long after the old leader's last renewal as recorded. They are repaired at the recorded times, or, where
//! the recorder waited until it saw the new primary, as long after that as recorded.

use super::recording::{Recording, Variant, member_index, node_index};
use crate::engine::{SimTime, Span, Spread};
use crate::scenario::{Fault, FaultKind, Process, Scenario, Target};
use std::fmt::Write;

/// Between the stamp of a fault and the end of a PostgreSQL that is killed: the recorder stamps, then looks for its
/// processes and signals each. From the last acknowledged writes of every second run of 2 and 15 (11 to 66 ms after the
/// stamp, sampled every 50 ms).
pub const KILL_LAG: Spread = Spread::from_millis(15, 45, 95);
/// The same for SIGSTOP: every second run of 5.
pub const STOP_LAG: Spread = Spread::from_millis(0, 15, 60);
/// The same for everything else. A request whose answer was due 9 ms after the stamp of a partition still had it, one due 15
/// ms after it had not.
pub const LAG: Spread = Spread::from_millis(5, 12, 15);
/// In 14 the writes go on some time after the fault; the old primary is gone then.
const WRITES_AGAIN_MS: f64 = 1_000.0;
/// From the request for a restart to the database's last write. When `patronictl`, whose start the recordings stamp, had come
/// so far is not recorded; so the first stop of these runs shows nothing, and what comes after it does.
const RESTART_LEAD_MS: f64 = 250.0;
/// Renewals before the one that the fault follows: enough to see the cadence as the recordings measure it.
const RENEWALS_BEFORE: u64 = 3;

/// The scenario of a recorded run.
#[derive(Clone, Debug)]
pub struct Rebuilt {
    /// With the fault as if renewals were sent at the whole loops.
    pub scenario: Scenario,
    /// When the fault strikes then.
    pub nominal: SimTime,
    /// Which of the old leader's renewals is the last before the fault, from 0.
    pub renewal: usize,
    /// How long after sending it the fault strikes.
    pub phase: Span,
    /// The old leader, and the member of the store that it asks.
    pub leader: usize,
    pub asks: usize,
    /// Who leads the store.
    pub store_leader: usize,
    pub repaired: Option<f64>,
    /// In milliseconds from the fault: when the recorder saw the new primary, if it had waited for that.
    pub saw: Option<Saw>,
    /// How much longer each way to and from the store is while the fault lasts.
    pub delay: Span,
}

/// How the recorder saw the new primary, and when.
#[derive(Clone, Copy, Debug)]
pub enum Saw {
    /// By a write of its own that was acknowledged.
    Write(f64),
    /// By the end of its recovery: no writes were on.
    EndOfRecovery(f64),
}

impl Saw {
    pub fn ms(self) -> f64 {
        let (Saw::Write(ms) | Saw::EndOfRecovery(ms)) = self;
        ms
    }
}

/// What the engine or the scenario format cannot do yet, in a few words.
pub type NotBuilt = &'static str;

impl Rebuilt {
    pub fn of(recording: &Recording) -> Result<Rebuilt, NotBuilt> {
        let p = &recording.params;
        let faults = Faults::of(recording)?;
        let (sent, via) = recording.last_renewal().unwrap_or((0.0, "e1"));
        let phase = millis(-sent);
        let loop_wait = Span::from_secs(p.loop_wait);
        let renewal = RENEWALS_BEFORE;
        let nominal = SimTime::ZERO + loop_wait * renewal + phase;
        let duration = nominal.as_secs_f64() + recording.derived.run_end_ms / 1_000.0;
        let failsafe = if p.failsafe { "failsafe_mode = true\n" } else { "" };
        let sync = if p.sync { "synchronous_mode = \"on\"\n" } else { "" };
        let mut text = format!(
            "title = \"{}, as recorded\"\nduration_s = {duration:.6}\n\n\
             [cluster]\nnodes = [\"pg1\", \"pg2\", \"pg3\"]\nleader = \"{}\"\n\n\
             [store]\nversion = \"3.4.23\"\nmembers = 3\n\n\
             [patroni]\nttl = {}\nloop_wait = {}\nretry_timeout = {}\n{failsafe}{sync}\n{LAB}\
             cpu_pressure_percent = {:.1}\n",
            recording.id,
            recording.derived.old_leader,
            p.ttl,
            p.loop_wait,
            p.retry_timeout,
            recording.noise.cpu_pressure_pct.clamp(0.0, PRESSURE_PERCENT_MAX)
        );
        for fault in &faults.0 {
            text.push_str(&fault.text(nominal));
        }
        let mut scenario = Scenario::parse(&text, &recording.id).map_err(|_| faults.not_built(recording))?;
        scenario.seed = 0;
        Ok(Rebuilt {
            scenario,
            nominal,
            renewal: renewal as usize,
            phase,
            leader: node_index(&recording.derived.old_leader).unwrap_or(0),
            asks: member_index(via).unwrap_or(0),
            store_leader: recording.store_leader().and_then(member_index).unwrap_or(0),
            repaired: recording.derived.repair_ms,
            saw: saw_new_primary(recording),
            delay: match recording.variant {
                Some(Variant::Delay(round_trip_ms)) => Span::from_millis(round_trip_ms) / 2,
                _ => Span::ZERO,
            },
        })
    }

    /// The scenario with its fault stamped at `at`, under a seed, in which the recorder sees the new primary at `sees`.
    /// `late`: by how much the fault itself trails.
    pub fn scenario(&self, seed: u64, at: SimTime, sees: Option<SimTime>, late: impl Fn(&Spread) -> Span) -> Scenario {
        let mut scenario = self.scenario.clone();
        scenario.seed = seed;
        let instead = |t: SimTime| match (self.saw, sees) {
            (Some(saw), Some(sees)) if t >= self.nominal + millis(saw.ms()) => {
                at_instead(t, self.nominal + millis(saw.ms()), sees)
            }
            _ => at_instead(t, self.nominal, at),
        };
        for fault in &mut scenario.faults {
            let lag = lag(fault).map_or(Span::ZERO, &late);
            fault.at = instead(fault.at) + lag;
            fault.until = fault.until.map(instead);
        }
        scenario.duration = instead(SimTime::ZERO + scenario.duration).since(SimTime::ZERO);
        scenario
    }

    /// The same, in which the recorder goes on waiting for a new primary.
    pub fn waiting(&self, seed: u64, at: SimTime, late: impl Fn(&Spread) -> Span) -> Scenario {
        let mut scenario = self.scenario(seed, at, None, late);
        let saw = self.saw.map(|saw| at + millis(saw.ms()));
        for fault in &mut scenario.faults {
            fault.until = fault.until.filter(|until| saw.is_none_or(|saw| *until < saw));
        }
        scenario
    }
}

/// In 2, 3, 14 and 15 the agent is started again some time after the first acknowledged write of the new primary, in 3q after
/// its recovery was over, which lets the writes go on.
fn saw_new_primary(recording: &Recording) -> Option<Saw> {
    match recording.number() {
        "2" | "3" | "14" | "15" => recording.figure("new_writable_ms").map(Saw::Write),
        "3q" => recording.note("probe writes on again").map(Saw::EndOfRecovery),
        _ => None,
    }
}

/// How long after its stamp a fault strikes. Pauses of the recorder's own writes are stamped when they are in effect.
fn lag(fault: &Fault) -> Option<&'static Spread> {
    match fault.what {
        FaultKind::Pause {
            target: Target::Process(_, Process::Writer),
            ..
        } => None,
        FaultKind::Kill {
            target: Target::Process(_, Process::Postgres),
            ..
        } => Some(&KILL_LAG),
        FaultKind::Pause {
            target: Target::Process(_, Process::Postgres),
            ..
        } => Some(&STOP_LAG),
        _ => Some(&LAG),
    }
}

/// `t`, which lies as far from `nominal` as the result lies from `actual`.
fn at_instead(t: SimTime, nominal: SimTime, actual: SimTime) -> SimTime {
    SimTime((t.as_micros() + actual.as_micros()).saturating_sub(nominal.as_micros()))
}

fn millis(ms: f64) -> Span {
    Span((ms.max(0.0) * 1_000.0).round() as u64)
}

/// The machine of the recordings: network namespaces on one host, data on tmpfs, one writer a node through its socket.
const LAB: &str = "[network]\nlatency_ms = { min = 0.1, typical = 0.3, max = 4 }\none_segment = true\n\n\
                   [disk]\nfsync_ms = { min = 0.1, typical = 0.3, max = 4 }\n\n\
                   [traffic]\nwriters = 0\ndirect_writers = true\ndirect_write_period_ms = 50\n\n\
                   [machine]\nsecond_takes_ms = { min = 600, typical = 950, max = 4400 }\nreaps_every_ms = 1000\n";
/// Where processes wait for a processor in more of the time than this, starts were recorded to get no slower: a process had a
/// sixth of one at the least.
const PRESSURE_PERCENT_MAX: f64 = 83.0;

/// One `[[fault]]`, with times in milliseconds from the recorded fault.
struct Written {
    from: f64,
    until: Option<f64>,
    what: String,
}

impl Written {
    fn text(&self, nominal: SimTime) -> String {
        let at = |ms: f64| nominal.as_secs_f64() + ms / 1_000.0;
        let mut text = format!("\n[[fault]]\nat_s = {:.6}\n", at(self.from));
        if let Some(until) = self.until {
            let _ = writeln!(text, "until_s = {:.6}", at(until));
        }
        text + &self.what
    }
}

struct Faults(Vec<Written>);

impl Faults {
    fn of(recording: &Recording) -> Result<Faults, NotBuilt> {
        let old = &recording.derived.old_leader;
        let repair = recording.derived.repair_ms;
        let one = |what: String| Written {
            from: 0.0,
            until: repair,
            what,
        };
        let on = |kind: &str, target: &str| one(format!("kind = \"{kind}\"\ntarget = \"{target}\"\n"));
        let cut = |others: &str| one(format!("kind = \"cut\"\ntarget = \"{old} {others}\"\n"));
        let agent = format!("{old}/agent");
        let number = recording.number();
        let faults = match number {
            "1" => Vec::new(),
            "2" | "14" | "15" => vec![on("kill", &agent), database_killed(old)],
            "3" | "3b" | "3q" => vec![on("kill", &agent)],
            "4" => vec![on("pause", &agent)],
            "5" => vec![on("pause", &agent), on("pause", &format!("{old}/postgres"))],
            "6" => vec![cut("<-> *")],
            "7" | "8" => vec![cut("| [etcd1, etcd2, etcd3]")],
            "9" | "10" => members_killed(recording)?.map(one).collect(),
            "11" => vec![one(slower_store(recording)?)],
            "12" => vec![switchover(recording)?],
            "13" => vec![clean(recording)?],
            _ => return Err("an unknown scenario"),
        };
        Ok(Faults(
            faults.into_iter().chain(writers_paused(recording, number)).collect(),
        ))
    }

    /// Why the format refused what was written.
    fn not_built(&self, recording: &Recording) -> NotBuilt {
        match (recording.params.failsafe, recording.params.sync) {
            (true, _) => "failsafe mode",
            (_, true) => "synchronous mode",
            _ => "an order of an operator",
        }
    }
}

/// The agent, once it runs again, starts the database.
fn database_killed(old: &str) -> Written {
    Written {
        from: 0.0,
        until: None,
        what: format!("kind = \"kill\"\ntarget = \"{old}/postgres\"\n"),
    }
}

/// `e1+e3` as the fault's node: those members' processes.
fn members_killed(recording: &Recording) -> Result<impl Iterator<Item = String> + use<>, NotBuilt> {
    let names = recording
        .event("fault")
        .map(|event| event.node.as_str())
        .unwrap_or_default();
    let members: Option<Vec<usize>> = names.split('+').map(member_index).collect();
    let members = members.ok_or("a fault on unknown members")?;
    let kill = |member: usize| {
        format!(
            "kind = \"kill\"\ntarget = \"etcd{}\"\nnetwork = \"refused\"\n",
            member + 1
        )
    };
    Ok(members.into_iter().map(kill))
}

fn slower_store(recording: &Recording) -> Result<String, NotBuilt> {
    let Some(Variant::Delay(round_trip_ms)) = recording.variant else {
        return Err("a delay that is not told");
    };
    let each_way = round_trip_ms as f64 / 2.0;
    let links = "[pg1, pg2, pg3] | [etcd1, etcd2, etcd3]";
    Ok(format!(
        "kind = \"latency\"\ntarget = \"{links}\"\nadd_ms = {each_way}\n"
    ))
}

fn switchover(recording: &Recording) -> Result<Written, NotBuilt> {
    let detail = recording
        .event("fault")
        .map(|event| event.detail.as_str())
        .unwrap_or_default();
    let to = detail.rsplit(' ').next().filter(|name| node_index(name).is_some());
    // The recorder stamps the start of `patronictl`; the agent's log tells when the request came.
    let asked = recording
        .log("received switchover request")
        .or(recording.derived.switchover_key_ms);
    let (Some(to), Some(asked)) = (to, asked) else {
        return Err("a switchover to an unknown node");
    };
    Ok(Written {
        from: asked,
        until: None,
        what: format!(
            "kind = \"switchover\"\ntarget = \"{}\"\nto = \"{to}\"\n",
            recording.derived.old_leader
        ),
    })
}

/// A stop of the agent, or a restart of the database under it.
fn clean(recording: &Recording) -> Result<Written, NotBuilt> {
    let old = &recording.derived.old_leader;
    match &recording.variant {
        Some(Variant::Word(word)) if word == "agent_stop" => Ok(Written {
            from: 0.0,
            until: recording.derived.repair_ms,
            what: format!("kind = \"stop\"\ntarget = \"{old}/agent\"\n"),
        }),
        Some(Variant::Word(word)) if word == "pg_restart" => Ok(Written {
            from: recording
                .figure("old_first_stop_ms")
                .map(|stopped| stopped - RESTART_LEAD_MS)
                .ok_or("a restart at an unknown time")?,
            until: None,
            what: format!("kind = \"restart\"\ntarget = \"{old}/postgres\"\n"),
        }),
        _ => Err("an unknown clean restart"),
    }
}

/// The recorder's writes pause on every node; in 14 until after the fault, in 3q until the new primary was there.
fn writers_paused(recording: &Recording, number: &str) -> Vec<Written> {
    let Some(from) = recording.note("probe writes paused") else {
        return Vec::new();
    };
    let until = match number {
        "14" => Some(WRITES_AGAIN_MS),
        _ => recording.note("probe writes on again"),
    };
    let pause = |node: &str| Written {
        from,
        until,
        what: format!("kind = \"pause\"\ntarget = \"{node}/writer\"\n"),
    };
    ["pg1", "pg2", "pg3"].map(pause).into()
}
