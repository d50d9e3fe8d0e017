//! The store's keys at an instant, through failovers, expiries and changes of the configuration.

use super::*;
use crate::draw::{KeyMoment, KeyNews};
use crate::engine::{Span, TimerKey};
use crate::raft::{RoleName, Term};
use crate::verdict::judge;
use crate::vocabulary::{Item, Key, LeaseId, NodeId, Revision, Value};

const LOOP: Span = Span::from_secs(10);

fn key(story: &Story, seconds: f64, name: &str) -> Option<KeyMoment> {
    let at = SimTime((seconds * 1e6) as u64);
    story.keys_at(at, LOOP).into_iter().find(|key| key.name == name)
}

fn value(story: &Story, seconds: f64, name: &str) -> String {
    let key = key(story, seconds, name).unwrap_or_else(|| panic!("{name} at {seconds}"));
    key.value.unwrap_or_else(|| "deleted".to_owned())
}

#[test]
fn the_leader_key_is_told_with_its_lease_until_it_expires_and_another_holds_it() {
    let played = play("agent-killed");
    let story = played.story();
    assert_eq!(value(&story, 0.5, "leader"), "node1");
    assert_eq!(value(&story, 60.0, "leader"), "node1");
    let (owner, _, left) = key(&story, 60.0, "leader")
        .and_then(|key| key.lease)
        .expect("it has a lease");
    assert_eq!(owner, "node1's");
    let moment = story.at(SimTime(60_000_000));
    assert_eq!(Some(left), moment.left_by_store, "the same as the fuse says");
    let gone = story.verdict.failovers[0].key_gone.expect("it expires").as_secs_f64();
    let deleted = key(&story, gone + 0.5, "leader").expect("it was there once");
    assert!(deleted.value.is_none() && deleted.lease.is_none() && deleted.news.is_some());
    let winner = winner(&story).to_owned();
    let taken = story.verdict.failovers[0].key_taken.as_secs_f64();
    assert_eq!(value(&story, taken + 0.1, "leader"), winner);
    let member = key(&story, taken + 5.0, "node1");
    assert!(
        member.is_none_or(|key| key.value.is_none()),
        "its member key expired with its lease"
    );
}

#[test]
fn members_tell_their_role_and_history_begins_with_the_second_timeline() {
    let played = play("host-crash");
    let story = played.story();
    assert!(value(&story, 1.0, "node1").starts_with("primary, running, timeline 1, LSN 0/5"));
    assert!(value(&story, 1.0, "node2").starts_with("replica, running, timeline 1"));
    assert!(key(&story, 1.0, "history").is_none(), "there never was one so far");
    let end = story.end().as_secs_f64();
    assert!(
        value(&story, end, "history").starts_with("timeline 2 began at LSN 0/5"),
        "{}",
        value(&story, end, "history")
    );
    assert!(value(&story, end, winner(&story)).starts_with("primary, running, timeline 2"));
    assert!(value(&story, end, "status").starts_with("LSN 0/5"));
}

#[test]
fn what_was_changed_within_a_loop_is_news_and_what_was_there_from_the_beginning_is_not() {
    let text = "duration_s = 60\n[patroni]\nfailsafe_mode = true\nsynchronous_mode = \"quorum\"\n\
                [[fault]]\nat_s = 20\nkind = \"configure\"\ntarget = \"node1\"\nttl = 60\n";
    let story = told(text);
    assert!(story.keys_at(SimTime(100), LOOP).iter().all(|key| key.news.is_none()));
    assert_eq!(value(&story, 1.0, "failsafe"), "node1, node2, node3");
    assert_eq!(
        value(&story, 1.0, "sync"),
        "leader node1, standbys node2, node3, quorum 1"
    );
    assert!(key(&story, 19.0, "config").is_none());
    let config = key(&story, 20.5, "config").expect("it was changed");
    assert!(config.news.is_some() && config.value.expect("it is there").contains("ttl 60 s, loop_wait 10 s"));
    assert_eq!(key(&story, 31.0, "config").expect("it stays").news, None);
}

/// Of a store that notes what `notes` says, at so many milliseconds.
fn noted(notes: Vec<(u64, Note)>) -> Story {
    let mut script = Script::new();
    let store = script.store();
    let tick = script.add(0, Place::Process(store), None, What::Timer(TimerKey(0)));
    for (ms, note) in notes {
        script.note(ms, store, tick, note);
    }
    super::tell(&script.trace, judge(&script.scenario), &script.scenario, &script.layout)
}

fn leader_put(lease: LeaseId) -> Note {
    Note::key_put(&Item::put(
        None,
        Key::Leader,
        Value::Leader(NodeId(0)),
        Some(lease),
        Revision(9),
    ))
}

#[test]
fn a_new_leader_of_the_store_gives_a_lease_its_whole_length_again_and_an_election_timeout_more() {
    let (lease, ttl) = (LeaseId(7), Span::from_secs(30));
    let role = |role| Note::StoreRole { role, term: Term(3) };
    let story = noted(vec![
        (1_000, Note::LeaseGranted { lease, ttl }),
        (5_000, leader_put(lease)),
        (9_000, role(RoleName::Leader)),
    ]);
    let left = |seconds: f64| {
        key(&story, seconds, "leader")
            .and_then(|key| key.lease)
            .expect("it has a lease")
            .2
    };
    assert_eq!(left(8.0), Span::from_secs(23));
    let election = Script::new().scenario.store.election;
    assert_eq!(left(9.0), ttl + election);
    assert_eq!(
        story.at(SimTime(9_000_000)).left_by_store,
        Some(ttl + election),
        "the fuse says the same"
    );
}

#[test]
fn what_a_new_leader_of_the_store_tells_again_is_no_change() {
    let lease = LeaseId(7);
    let story = noted(vec![(5_000, leader_put(lease)), (8_000, leader_put(lease))]);
    assert_eq!(key(&story, 9.0, "leader").map(|key| key.age), Some(Span::from_secs(4)));
}

#[test]
fn at_every_instant_the_keys_name_the_holder_that_the_verdict_names() {
    for played in play_all() {
        let story = played.story();
        for ms in (0..story.end().0 / 1_000).step_by(373) {
            let at = SimTime(ms * 1_000);
            let leader = story
                .keys_at(at, LOOP)
                .into_iter()
                .find(|key| key.name == "leader")
                .and_then(|key| key.value);
            let holder = story.at(at).truth.holder.map(|node| story.name(node).to_owned());
            assert_eq!(leader, holder, "{} at {at:?}", played.name);
        }
    }
}

#[test]
fn at_every_instant_the_lease_of_the_leader_key_is_what_its_fuse_says_also_after_the_store_elected_anew() {
    for played in play_all() {
        let story = played.story();
        for ms in (0..story.end().0 / 1_000).step_by(97) {
            let at = SimTime(ms * 1_000);
            let leader = story.keys_at(at, LOOP).into_iter().find(|key| key.name == "leader");
            let left = leader.and_then(|key| key.lease).map(|(_, _, left)| left);
            assert_eq!(left, story.at(at).left_by_store, "{} at {at:?}", played.name);
        }
    }
}

#[test]
fn a_key_says_which_revision_created_it_and_what_was_put_again_keeps_that() {
    let played = play("agent-killed");
    let story = played.story();
    let early = key(&story, 1.0, "leader").expect("it is there");
    assert_eq!(early.create, Some(early.revision), "put once");
    let mut created = std::collections::BTreeSet::new();
    for ms in (0..story.end().0 / 1_000).step_by(211) {
        let member = key(&story, ms as f64 / 1e3, "node2").expect("it is always there");
        let create = member.create.expect("it is there");
        assert!(create <= member.revision);
        created.insert(create);
    }
    assert_eq!(created.len(), 1, "one life: {created:?}");
    let taken = story.verdict.failovers[0].key_taken.as_secs_f64();
    let later = key(&story, taken + 0.1, "leader").expect("it is there");
    assert!(later.create > early.create, "created anew is another key");
    assert!(
        key(
            &story,
            story.verdict.failovers[0].key_gone.expect("it expires").as_secs_f64() + 0.1,
            "leader"
        )
        .is_some_and(|gone| gone.create.is_none())
    );
}

#[test]
fn what_changed_since_the_last_event_is_told_apart_from_what_changed_in_this_loop() {
    let played = play("agent-killed");
    let story = played.story();
    let taken = story.verdict.failovers[0].key_taken;
    let at = |us: u64| {
        let keys = story.keys_at(SimTime(taken.0 + us), LOOP);
        keys.into_iter()
            .find(|key| key.name == "leader")
            .expect("it is there")
            .news
    };
    assert_eq!(at(0), Some(KeyNews::Now));
    assert_eq!(at(5_000_000), Some(KeyNews::ThisLoop), "it has been promoted since");
    assert_eq!(at(60_000_000_u64.min(story.end().0 - taken.0)), None);
}

#[test]
fn nobody_counts_leases_while_the_store_has_no_leader() {
    let text = "duration_s = 60\n[store]\nmembers = 3\n[[fault]]\nat_s = 20\nkind = \"kill\"\ntarget = \"etcd1\"\n\
                [[fault]]\nat_s = 20\nkind = \"kill\"\ntarget = \"etcd2\"\n";
    let story = told(text);
    assert!(!key(&story, 19.0, "leader").expect("it is there").uncounted);
    assert!(key(&story, 30.0, "leader").expect("it stays").uncounted);
}
