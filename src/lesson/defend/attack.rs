//! The attacks: the same kinds in every situation, as strong as the situation has them. Their words are here, in one place.

use super::Situation;
use crate::clocks::Span;
use crate::verdict::length;
use std::fmt::Write;

/// Something that is done to the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attack {
    /// `agent-pause-14.0 s`: its kind, and its strength where it comes in several.
    pub name: String,
    /// What is done, as part of a sentence.
    pub tells: String,
    pub must: Must,
    /// How long it lasts; nothing when it has no end.
    pub lasts: Span,
    /// It begins right before the loop in which the store's client reads the list of members anew, the worst moment there is.
    pub when_list_is_due: bool,
    /// The faults: kind, target and what else they have, counted from the beginning of the attack.
    faults: Vec<Vec<(&'static str, String)>>,
}

/// What the cluster must make of an attack. Two primaries are never allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Must {
    /// The leader is dead: another takes over within the time that was promised.
    TakeOver,
    /// Everyday: nobody notices.
    NotNotice,
    /// Rare: it may cost a failover, and no more lost writes than were promised.
    Survive,
}

impl Attack {
    /// The faults as a scenario file has them, beginning at its beginning.
    pub(super) fn faults_as_written(&self) -> String {
        let mut text = String::new();
        for fault in &self.faults {
            text.push_str("\n[[fault]]\nat_s = 0\n");
            for (key, value) in fault {
                let _ = writeln!(text, "{key} = {value}");
            }
        }
        text
    }
}

/// A minute: long enough that everything which can happen has happened.
const MINUTE: Span = Span::from_secs(60);
/// Longer than any lease that keeps a promise about failover.
const AWAY: Span = Span::from_secs(180);
const NODES_TO_STORE: &str = "\"[node1, node2, node3] | [etcd1, etcd2, etcd3]\"";
const LEADER_TO_STORE: &str = "\"[node1] | [etcd1, etcd2, etcd3]\"";

/// Every attack on a situation, the quickest to win first.
pub(super) fn all(situation: &Situation) -> Vec<Attack> {
    let Situation {
        agent_pause,
        store_stall,
        slow_way,
        ..
    } = *situation;
    let between = |still: super::Stillness| Span((still.p99.as_micros() + still.longest.as_micros()) / 2);
    let mut all = vec![
        attack(
            "agent-killed",
            "the leader's agent is killed and is back after three minutes",
            Must::Survive,
            AWAY,
        )
        .fault("kill", "\"node1/agent\"", Some(AWAY)),
        pause(agent_pause.p99, Must::NotNotice),
        pause(between(agent_pause), Must::Survive),
        pause(agent_pause.longest, Must::Survive),
        stall(store_stall.p99, Must::NotNotice),
        stall(store_stall.longest, Must::Survive),
        slow(slow_way.p99, Must::NotNotice),
        slow(slow_way.longest, Must::Survive),
        flaps(situation.flap),
        attack("crash", "the leader's machine dies", Must::TakeOver, Span::ZERO).fault("kill", "\"node1\"", None),
        attack(
            "cut-from-store",
            "the leader loses the store, and nothing else",
            Must::Survive,
            MINUTE,
        )
        .fault("cut", LEADER_TO_STORE, Some(MINUTE)),
        gray("gray-card", "the leader's network card lets no data through", false),
        gray(
            "gray-card-at-the-worst-moment",
            "the same, when the list of the store's members is due to be read",
            true,
        ),
    ];
    let must = if situation.without_store {
        Must::NotNotice
    } else {
        Must::Survive
    };
    let mut away = attack(
        "store-away",
        "two of the store's three members are away for a minute",
        must,
        MINUTE,
    );
    for member in ["\"etcd1\"", "\"etcd2\""] {
        away = away.fault("kill", member, Some(MINUTE));
    }
    all.push(away);
    all
}

fn attack(name: &str, tells: &str, must: Must, lasts: Span) -> Attack {
    Attack {
        name: name.to_owned(),
        tells: tells.to_owned(),
        must,
        lasts,
        when_list_is_due: false,
        faults: Vec::new(),
    }
}

impl Attack {
    fn fault(mut self, kind: &str, target: &str, lasts: Option<Span>) -> Attack {
        let mut fields = vec![("kind", format!("\"{kind}\"")), ("target", target.to_owned())];
        fields.extend(lasts.map(|lasts| ("for_s", seconds(lasts))));
        self.faults.push(fields);
        self
    }

    /// One more field of the last fault.
    fn with(mut self, key: &'static str, value: String) -> Attack {
        if let Some(fault) = self.faults.last_mut() {
            fault.push((key, value));
        }
        self
    }
}

fn pause(still: Span, must: Must) -> Attack {
    let tells = format!("the leader's agent stands still for {}", length(still));
    attack(&format!("agent-pause {}", length(still)), &tells, must, still).fault(
        "pause",
        "\"node1/agent\"",
        Some(still),
    )
}

fn stall(still: Span, must: Must) -> Attack {
    let tells = format!("the whole store stands still for {}", length(still));
    let mut stall = attack(&format!("store-stall {}", length(still)), &tells, must, still);
    for member in ["\"etcd1\"", "\"etcd2\"", "\"etcd3\""] {
        stall = stall.fault("pause", member, Some(still));
    }
    stall
}

fn slow(by: Span, must: Must) -> Attack {
    let tells = format!(
        "for a minute each packet to and from the store takes {} longer",
        length(by)
    );
    attack(&format!("slow-way {}", length(by)), &tells, must, MINUTE)
        .fault("latency", NODES_TO_STORE, Some(MINUTE))
        .with("add_ms", (by.as_micros() / 1_000).to_string())
}

fn flaps(gone: Span) -> Attack {
    let tells = format!(
        "every ten seconds of a minute the way between the leader and the store is gone for {}",
        length(gone)
    );
    attack("flapping-way", &tells, Must::NotNotice, MINUTE)
        .fault("cut", LEADER_TO_STORE, Some(gone))
        .with("every_s", "10".to_owned())
        .with("repeat_until_s", "60".to_owned())
}

fn gray(name: &str, tells: &str, when_list_is_due: bool) -> Attack {
    let gray = attack(name, tells, Must::Survive, MINUTE)
        .fault("cut", "\"node1 <-> *\"", Some(MINUTE))
        .with("mode", "\"payload_lost\"".to_owned());
    Attack {
        when_list_is_due,
        ..gray
    }
}

fn seconds(span: Span) -> String {
    let us = span.as_micros();
    format!("{}.{:06}", us / 1_000_000, us % 1_000_000)
}
