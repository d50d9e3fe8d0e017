//! Words and JSON.

use super::story::{N1, N2, Story, ms};
use crate::verdict::Verdict;
use crate::vocabulary::Phase;

fn agent_killed() -> Verdict {
    let mut story = Story::begin("");
    story.at(10_000).renews(1).acknowledged(N1, 1_100);
    story.at(40_300).expires(1);
    story.at(40_700).key_put(N2, 2, true);
    story.at(40_900).promotes(N2, N1, 1_100);
    story.at(45_000).acknowledged(N1, 1_200);
    story.at(73_050).database(N1, Phase::Stopping);
    story.end(100_000)
}

#[test]
fn the_whole_verdict_in_words() {
    assert_eq!(
        agent_killed().sentence(),
        "Yes, for 32.1 s: from 40.9 s to 73.0 s node1 and node2 both accepted writes. 1 acknowledged write is lost. \
         The lease of node1 expired at 40.3 s, node2 took over and accepted writes from 40.9 s on. Nothing but timing \
         had failed: the failover was spurious. There was a writable database all the time."
    );
    assert_eq!(
        Story::begin("").end(100_000).sentence(),
        "No: at every instant at most one database accepted writes. No acknowledged write is lost. The leader key \
         stayed where it was. There was a writable database all the time."
    );
}

#[test]
fn the_verdict_in_words_follows_the_playhead() {
    let verdict = agent_killed();
    let at = |t| verdict.sentence_at(ms(t));
    assert_eq!(at(20_000), "Not so far: only node1 accepts writes.");
    assert_eq!(
        at(40_900),
        "Yes, now, for 0 s so far: node1 and node2 both accept writes."
    );
    assert_eq!(
        at(50_000),
        "Yes, now, for 9.1 s so far: node1 and node2 both accept writes. 1 write acknowledged so far will be lost."
    );
    assert_eq!(
        at(80_000),
        "Yes, for 32.1 s before. Now only node2 accepts writes. 1 write acknowledged so far will be lost."
    );
    assert_eq!(at(100_000), verdict.headline());
}

#[test]
fn an_outage_is_told_with_its_length_so_far() {
    let mut story = Story::begin("");
    story.at(10_000).database(N1, Phase::Stopping);
    story.at(12_500).database(N1, Phase::Primary);
    let verdict = story.end(100_000);
    assert_eq!(
        verdict.sentence_at(ms(11_000)),
        "Not so far: no database accepts writes, for 1.0 s already."
    );
    assert!(
        verdict
            .details()
            .ends_with("For 2.5 s, from 10.0 s to 12.5 s, no database accepted writes.")
    );
}

#[test]
fn a_moment_counts_what_has_been_up_to_it() {
    let moment = agent_killed().at(ms(50_000));
    assert_eq!(
        (moment.holder, moment.two_primaries_since),
        (Some(N2), Some(ms(40_900)))
    );
    assert_eq!(
        (
            moment.acknowledged,
            moment.lost,
            moment.deposed,
            moment.two_primaries_times
        ),
        (2, 1, 1, 1)
    );
}

#[test]
fn times_are_milliseconds_in_json_with_decimals_only_where_there_are_any() {
    let mut verdict = agent_killed();
    verdict.failovers[0].fault = Some(crate::engine::SimTime(40_050_125));
    let json = verdict.to_json();
    assert_eq!(json["failovers"][0]["fault_ms"].to_string(), "40050.125");
    assert_eq!(json["failovers"][0]["key_taken_ms"].to_string(), "40700");
    assert_eq!(json["failovers"][0]["why"], "lease expired");
    assert_eq!(json["two_primaries"]["intervals"][0]["nodes"][1], "node2");
    assert!(json.get("record").is_none());
}

#[test]
fn the_json_object_has_the_documented_keys_in_their_order() {
    let text = serde_json::to_string(&Verdict::sample()).unwrap();
    let keys = [
        "scenario",
        "seed",
        "engine",
        "trace_hash",
        "events",
        "duration_ms",
        "adjusted",
        "two_primaries",
        "believers",
        "writes",
        "lost_writes",
        "stray_branches",
        "outside",
        "writable_ms",
        "outages",
        "failovers",
        "store",
        "findings",
    ];
    let places: Vec<_> = keys
        .iter()
        .map(|key| text.find(&format!("\"{key}\":")).unwrap())
        .collect();
    assert!(places.is_sorted());
    let json = Verdict::sample().to_json();
    assert_eq!(json.as_object().unwrap().len(), keys.len());
    assert_eq!(json["adjusted"][0]["from"], 15);
}

#[test]
fn a_verdict_survives_its_way_out_of_a_worker() {
    let verdict = agent_killed();
    let bytes = borsh::to_vec(&verdict).unwrap();
    assert_eq!(borsh::from_slice::<Verdict>(&bytes).unwrap(), verdict);
}
