#![cfg(not(target_arch = "wasm32"))]
//! What a read may miss, who answers it, and which answers a client believes (protocols.md 3, patroni.md 4.1).

mod group;

use group::{Asked, Group, Plan, Prober, Reader};
use leaselab::engine::{MonoTime, ProcId, Span};
use leaselab::store::TermGuard;
use leaselab::vocabulary::{Key, Keys, LeaseId, Lsn, Reading, Revision, StoreAnswer, StoreError, StoreOp, Value};

const ALL: Keys = Keys::All;

fn range(reading: Reading) -> StoreOp {
    StoreOp::Range { keys: ALL, reading }
}

fn write(lsn: u64) -> StoreOp {
    let (key, value, lease) = (Key::Status, Value::Status(Lsn(lsn)), None);
    StoreOp::Put { key, value, lease }
}

fn every(ms: u64) -> Span {
    Span::from_millis(ms)
}

fn ms(span: Span) -> u64 {
    span.as_micros() / 1_000
}

/// When a question was asked, and what became of it: after how many ms, and what revision the answer is of.
fn seen(asked: &[Asked]) -> Vec<(u64, Option<(u64, Revision)>)> {
    let answer = |asked: &Asked| {
        let answered = asked.answered.as_ref();
        answered.map(|(at, revision, _, _)| (ms(at.since(asked.at)), *revision))
    };
    asked
        .iter()
        .map(|asked| (asked.at.as_micros() / 1_000, answer(asked)))
        .collect()
}

/// The newest revision that a writer was told of before `at`.
fn told(writer: &[Asked], at_ms: u64) -> Revision {
    let before = seen(writer).into_iter();
    let told = before.filter_map(|(at, answer)| answer.filter(|&(took, _)| at + took <= at_ms));
    told.map(|(_, revision)| revision).max().unwrap_or_default()
}

/// etcd3 is cut off from the other members from 2 s on, not from its clients.
fn cut_off(plan: &mut Plan, until_ms: Option<u64>) {
    let (etcd1, etcd2, etcd3) = (plan.member(1), plan.member(2), plan.member(3));
    plan.cut(etcd3, &[etcd1, etcd2], 2_000, until_ms);
}

#[test]
fn a_member_that_is_cut_off_answers_a_serializable_read_with_what_it_knows_and_a_linearizable_one_not_at_all() {
    let mut plan = Plan::new(3);
    let (etcd1, etcd3) = (plan.member(1), plan.member(3));
    let writer = plan.prober("writer", Prober::new(etcd1, every(100), write(1)));
    let own = plan.prober("own copy", Prober::new(etcd3, every(100), range(Reading::Serializable)));
    let agreed = plan.prober("agreed", Prober::new(etcd3, every(100), range(Reading::Linearizable)));
    cut_off(&mut plan, None);
    let mut group = plan.build();
    group.run_until_ms(10_000);

    let old = told(group.asked(writer), 2_000);
    let new = told(group.asked(writer), 9_000);
    assert!(new.0 > old.0 + 50);
    for (at, answer) in seen(group.asked(own)).into_iter().filter(|&(at, _)| at < 9_900) {
        let (took, revision) = answer.expect("an own copy is always there");
        assert_eq!(took, 10, "two messages, nobody else asked");
        assert!(at < 2_000 || revision.0 <= old.0 + 1, "at {at} ms: {revision:?}");
    }
    for (at, answer) in seen(group.asked(agreed)) {
        match answer {
            Some((_, revision)) => assert!(at < 2_000 && revision >= told(group.asked(writer), at)),
            None => assert!(at > 1_900),
        }
    }
}

#[test]
fn without_a_majority_only_serializable_reads_are_answered() {
    let mut plan = Plan::new(3);
    let (etcd1, etcd2, etcd3) = (plan.member(1), plan.member(2), plan.member(3));
    let own = plan.prober("own copy", Prober::new(etcd3, every(500), range(Reading::Serializable)));
    let agreed = plan.prober("agreed", Prober::new(etcd3, every(500), range(Reading::Linearizable)));
    let writer = plan.prober("writer", Prober::new(etcd3, every(500), write(1)));
    plan.crash(etcd1, 2_000, None);
    plan.crash(etcd2, 2_000, None);
    let mut group = plan.build();
    group.run_until_ms(10_000);
    let answered = |group: &Group, who| {
        let late = seen(group.asked(who))
            .into_iter()
            .filter(|&(at, _)| (2_000..9_900).contains(&at));
        late.filter(|(_, answer)| answer.is_some()).count()
    };
    assert_eq!(answered(&group, own), 16);
    assert_eq!((answered(&group, agreed), answered(&group, writer)), (0, 0));
}

#[test]
fn a_follower_that_comes_back_serves_a_read_only_when_it_has_applied_what_the_read_must_see() {
    let mut plan = Plan::new(3);
    let (etcd1, etcd3) = (plan.member(1), plan.member(3));
    let writer = plan.prober("writer", Prober::new(etcd1, every(50), write(1)));
    let reader = plan.prober(
        "reader",
        Prober::new(etcd3, every(5), range(Reading::Linearizable)).from(every(11_900)),
    );
    cut_off(&mut plan, Some(12_000));
    let mut group = plan.build();
    group.run_until_ms(20_000);
    let late = seen(group.asked(reader));
    let answered: Vec<_> = late.iter().filter_map(|&(at, answer)| Some((at, answer?))).collect();
    assert!(answered.len() > 1_000);
    for (at, (_, revision)) in &answered {
        let must = told(group.asked(writer), *at);
        assert!(
            *revision >= must,
            "asked at {at} ms: {revision:?}, acknowledged {must:?}"
        );
    }
    // It waits for the application, not for being asked again half a second later.
    let slowest = answered
        .iter()
        .filter(|(at, _)| *at > 14_000)
        .map(|(_, (took, _))| *took)
        .max();
    assert!(slowest < Some(100), "{slowest:?}");
}

#[test]
fn a_renewal_of_a_lease_that_has_run_out_waits_for_its_removal() {
    let mut plan = Plan::new(3);
    plan.setup = vec![StoreOp::LeaseGrant {
        ttl: Span::from_secs(10),
    }];
    let etcd1 = plan.member(1);
    let keep = StoreOp::LeaseKeepAlive { lease: LeaseId(1) };
    // At 0.010, so that the lease runs out at 10.015; and at 10.210, before the store looks at 10.5.
    let client = plan.prober("client", Prober::new(etcd1, every(10_200), keep));
    let mut group = plan.build();
    group.run_until_ms(11_000);
    let (at, _, _, answer) = group.asked(client)[1].answered.clone().expect("an answer");
    assert_eq!(at.as_micros(), 10_515_000);
    assert_eq!(answer, Ok(StoreAnswer::LeaseGone));
}

#[test]
fn a_renewal_that_waits_for_a_removal_is_asked_again_of_whoever_leads_then() {
    let mut plan = Plan::new(3);
    plan.setup = vec![StoreOp::LeaseGrant {
        ttl: Span::from_secs(10),
    }];
    let (etcd1, etcd2, etcd3) = (plan.member(1), plan.member(2), plan.member(3));
    let keep = StoreOp::LeaseKeepAlive { lease: LeaseId(1) };
    let client = plan.prober("client", Prober::new(etcd1, every(10_200), keep));
    // The removal of 10.5 cannot be agreed on; etcd1 steps down, and another gives the lease its whole time again.
    plan.cut(etcd1, &[etcd2, etcd3], 10_100, Some(14_000));
    let mut group = plan.build();
    group.run_until_ms(20_000);
    let (at, _, _, answer) = group.asked(client)[1].answered.clone().expect("an answer");
    assert!(at.as_micros() > 14_000_000);
    let (lease, ttl) = (LeaseId(1), Span::from_secs(10));
    assert_eq!(answer, Ok(StoreAnswer::Lease { lease, ttl }));
}

#[test]
fn what_names_a_lease_that_is_not_there_is_told_so() {
    let lease = LeaseId(9);
    let put = StoreOp::Put {
        key: Key::Leader,
        value: Value::Empty,
        lease: Some(lease),
    };
    let too_long = StoreOp::LeaseGrant {
        ttl: Span::from_secs(9_000_000_001),
    };
    let table = [
        (StoreOp::LeaseKeepAlive { lease }, Ok(StoreAnswer::LeaseGone)),
        (StoreOp::LeaseRevoke { lease }, Err(StoreError::LeaseNotFound)),
        (put, Err(StoreError::LeaseNotFound)),
        (too_long, Err(StoreError::LeaseTtlTooLarge)),
    ];
    for (op, expected) in table {
        for member in 1..=3 {
            let mut plan = Plan::new(3);
            let server = plan.member(member);
            let client = plan.prober("client", Prober::new(server, every(60_000), op.clone()));
            let mut group = plan.build();
            group.run_until_ms(1_000);
            let (_, _, _, answer) = group.asked(client)[0].answered.clone().expect("an answer");
            assert_eq!(answer, expected, "{op:?} at etcd{member}");
        }
    }
}

/// The status is 1, and from 6 s on 2. etcd3 is cut off from the other members since 2 s and knows neither that nor the
/// election of 3 s. The reader asks etcd2 until that dies at 10 s, and then etcd3.
fn stale_member(guard: TermGuard) -> (Group, ProcId) {
    let mut plan = Plan::new(3);
    let (etcd1, etcd2, etcd3) = (plan.member(1), plan.member(2), plan.member(3));
    plan.prober("first", Prober::new(etcd2, every(60_000), write(1)));
    plan.prober("second", Prober::new(etcd2, every(60_000), write(2)).from(every(6_000)));
    let reader = plan.reader("reader", Reader::new(vec![etcd2, etcd3, etcd1], guard));
    cut_off(&mut plan, None);
    plan.restart(etcd1, 3_000, 3_100);
    plan.crash(etcd2, 10_000, None);
    let mut group = plan.build();
    group.run_until_ms(30_000);
    (group, reader)
}

/// The values of 9 s, and every value from 15 s on: what the client read, and what the copy said.
fn values(seen: &[(MonoTime, Option<Value>)]) -> (Vec<Value>, Vec<Value>) {
    let between = |from: u64, to: u64| {
        let there = seen
            .iter()
            .filter(|(at, _)| (from..to).contains(&(at.as_micros() / 1_000)));
        let mut values: Vec<Value> = there.filter_map(|(_, value)| value.clone()).collect();
        values.dedup();
        values
    };
    (between(8_000, 10_000), between(15_000, 30_000))
}

const NEW: Value = Value::Status(Lsn(2));
const OLD: Value = Value::Status(Lsn(1));

#[test]
fn a_member_that_has_missed_an_election_is_not_believed_and_the_next_one_is_asked() {
    let (group, reader) = stale_member(TermGuard::default());
    let reader = group.the_reader(reader);
    assert_eq!(values(&reader.read), (vec![NEW], vec![NEW]));
    assert_eq!(values(&reader.copy), (vec![NEW], vec![NEW]));
    assert!(
        reader.read.last().expect("a reading").0.as_micros() > 28_000_000,
        "it goes on reading"
    );
}

#[test]
fn without_the_guard_a_member_that_has_missed_an_election_brings_the_past_back() {
    let (group, reader) = stale_member(TermGuard::off());
    let reader = group.the_reader(reader);
    assert_eq!(values(&reader.read), (vec![NEW], vec![OLD]), "patroni#3314");
    assert_eq!(values(&reader.copy), (vec![NEW], vec![OLD]));
}
