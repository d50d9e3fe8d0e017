//! What "why?" answers.

use super::super::{Reason, why, why_two_primaries};
use super::{Played, Script, play, play_all};
use crate::engine::{ConnId, Event, EventId, Life, Lost, Place, SimTime, TimerKey, What};
use crate::vocabulary::{Key, LeaseId, Message, NodeId, Note, Revision, Words};

pub fn ask(played: &Played, is: impl Fn(&Note) -> bool) -> Vec<Reason> {
    let asked = |event: &&Event<Words>| event.at > SimTime::ZERO && matches!(&event.what, What::Note(note) if is(note));
    let event = played.run.trace.iter().find(asked).expect("happens");
    why(&played.run.trace, &played.run.layout, &played.scenario, event.id)
}

pub fn texts(reasons: &[Reason]) -> Vec<&str> {
    reasons.iter().map(|reason| reason.text.as_str()).collect()
}

#[test]
fn a_lease_expires_because_its_owner_stood_still_after_the_last_renewal() {
    let reasons = ask(&play("agent-paused"), |note| matches!(note, Note::LeaseExpired { .. }));
    let expected = [
        "node1's agent freezes: nothing in it runs",
        "the store renewed node1's lease for the last time",
    ];
    assert_eq!(texts(&reasons), expected);
}

#[test]
fn a_demotion_leads_back_over_the_lost_messages_to_the_cut() {
    let reasons = ask(&play("leader-cut-from-store"), |note| matches!(note, Note::Demotes(_)));
    assert_eq!(
        reasons[0].text,
        "node1 gets no answer from the store within retry_timeout"
    );
    assert!(
        reasons
            .iter()
            .any(|reason| reason.text.contains("is lost: the link passes nothing"))
    );
    assert_eq!(
        reasons.last().expect("a cause").text,
        "the network is cut, node1 | [etcd1, etcd2, etcd3]: nothing passes"
    );
}

#[test]
fn a_watchdog_fires_because_its_agent_was_killed_after_the_last_sign_of_life() {
    let reasons = ask(&play("agent-killed-watchdog"), |note| *note == Note::WatchdogFires);
    assert_eq!(
        texts(&reasons),
        ["node1's agent is killed", "node1's watchdog got its last sign of life"]
    );
}

#[test]
fn two_primaries_lead_back_to_the_fault_and_say_what_kept_the_first_from_being_stopped() {
    for (name, how, fault) in [
        ("agent-paused", "frozen", "node1's agent freezes: nothing in it runs"),
        ("agent-killed", "dead", "node1's agent is killed"),
    ] {
        let Played { scenario, run, .. } = play(name);
        let reasons = why_two_primaries(&run.trace, &run.layout, &scenario, &run.verdict);
        let still = format!("node1's database still accepts writes: its agent, which alone would stop it, is {how}");
        assert_eq!(reasons[0].text, still);
        let all = texts(&reasons);
        assert!(all.contains(&fault), "{all:#?}");
        assert!(
            all.contains(&"node1's lease expires: the store deletes the leader key"),
            "{all:#?}"
        );
    }
    let Played { scenario, run, .. } = play("host-crash");
    assert!(why_two_primaries(&run.trace, &run.layout, &scenario, &run.verdict).is_empty());
}

#[test]
fn every_row_of_every_shipped_run_can_be_asked_and_is_answered_newest_first() {
    for played in play_all() {
        for row in played.story().rows {
            let reasons = why(&played.run.trace, &played.run.layout, &played.scenario, row.event);
            assert!(
                reasons.is_sorted_by(|a, b| a.event >= b.event),
                "{}: {}",
                played.name,
                row.text
            );
            assert!(
                reasons
                    .iter()
                    .all(|reason| reason.event <= row.event && !reason.text.is_empty())
            );
            assert!(
                reasons.len() <= 20,
                "{}: {} has {} reasons",
                played.name,
                row.text,
                reasons.len()
            );
        }
    }
}

#[test]
fn a_timeout_leads_to_what_was_lost_and_from_there_to_the_fault() {
    let mut script = Script::new();
    let (asker, peer) = (script.agent(1), script.agent(0));
    let fault = script.add(
        1_000,
        Place::Process(peer),
        None,
        What::Fault { index: 0, begins: true },
    );
    script.add(1_000, Place::Process(peer), Some(fault), What::Life(Life::Paused));
    let begin = script.add(2_000, Place::Process(asker), None, What::Timer(TimerKey(1)));
    let conn = ConnId(5);
    script.add(
        2_000,
        Place::Process(asker),
        Some(begin),
        What::Opening { conn, to: peer },
    );
    let message = Message::AskStatus { request: 1 };
    let sent = script.add(
        2_001,
        Place::Process(asker),
        Some(begin),
        What::Sent {
            conn,
            to: peer,
            message,
        },
    );
    let dropped = What::Dropped {
        conn,
        to: peer,
        sent: Some(sent),
        how: Lost::HostGone,
    };
    let lost = script.because(2_002, Place::Network, Some(sent), Some(fault), dropped);
    let out = script.because(
        4_000,
        Place::Process(asker),
        Some(begin),
        Some(lost),
        What::Timer(TimerKey(4)),
    );
    let last = script.note(4_000, asker, out, Note::Acquires);
    let reasons = why(&script.trace, &script.layout, &script.scenario, last);
    let expected = [
        "node2's agent waited in vain for an answer",
        "a message from node2's agent to node1's agent is lost: the machine there does not answer",
        "node1's agent freezes: nothing in it runs",
    ];
    assert_eq!(texts(&reasons), expected);
}

#[test]
fn a_healthy_owner_that_did_not_renew_is_told_by_what_it_was_doing() {
    let mut script = Script::new();
    let (store, agent, lease) = (script.store(), script.agent(0), LeaseId(1));
    let tick = script.add(0, Place::Process(store), None, What::Timer(TimerKey(0)));
    let put = Note::KeyPut {
        key: Key::Leader,
        value: Box::new(crate::vocabulary::Value::Leader(NodeId(0))),
        holder: Some(NodeId(0)),
        lease: Some(lease),
        revision: Revision(1),
        created: true,
    };
    script.note(10, store, tick, put);
    script.note(20, store, tick, Note::LeaseRenewed { lease });
    let wakes = script.add(30, Place::Process(agent), None, What::Timer(TimerKey(0)));
    script.note(30, agent, wakes, Note::Step(crate::vocabulary::Step::StoppingDatabase));
    let expiry = script.note(30_500, store, tick, Note::LeaseExpired { lease });
    let reasons = why(&script.trace, &script.layout, &script.scenario, expiry);
    let expected = [
        "node1 waits for its database to stop since then",
        "the store renewed node1's lease for the last time",
    ];
    assert_eq!(texts(&reasons), expected);
}

#[test]
fn a_fault_has_no_reason_and_neither_has_an_event_that_is_not_there() {
    let played = play("agent-paused");
    let fault = played
        .run
        .trace
        .iter()
        .find(|event| matches!(event.what, What::Fault { .. }))
        .expect("a fault");
    let ask = |event| why(&played.run.trace, &played.run.layout, &played.scenario, event);
    assert!(ask(fault.id).is_empty());
    assert!(ask(EventId::from_index(10_000_000).expect("a number")).is_empty());
}
