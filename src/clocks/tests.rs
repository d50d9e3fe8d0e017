//! The clocks against the definition of happened-before, on random histories of a few processes, and against the numbers of
//! the reference (protocols.md 18).

use super::*;
use proptest::prelude::*;

/// What happens next, somewhere.
#[derive(Clone, Copy, Debug)]
enum Happens {
    /// Something local that ticks.
    States,
    /// Something local that carries the current value.
    Passes,
    Sends,
    /// What was sent so many sendings ago is received.
    Receives(usize),
    /// Another process, at its latest event, starts or ends this one.
    IsDoneTo(usize),
}

#[derive(Clone, Debug, Default)]
struct History {
    steps: Vec<[Option<usize>; 2]>,
    events: Vec<Stamped>,
    ticks: Vec<bool>,
}

const PROCESSES: usize = 4;
/// Half of what the clocks of two processes may differ by.
const ERROR_MAX: i64 = 50_000;

/// A process's clock: offset and rate within what keeps it within `ERROR_MAX` for the length of a history.
fn clocks() -> impl Strategy<Value = Vec<HostClock>> {
    prop::collection::vec((-ERROR_MAX / 2..=ERROR_MAX / 2, -200i32..=200), PROCESSES).prop_map(|all| {
        all.into_iter()
            .map(|(offset, ppm)| HostClock::new(offset, ppm))
            .collect()
    })
}

fn scripts() -> impl Strategy<Value = Vec<(usize, Happens, u64)>> {
    let happens = prop_oneof![
        2 => Just(Happens::States),
        2 => Just(Happens::Passes),
        4 => Just(Happens::Sends),
        4 => (0..6usize).prop_map(Happens::Receives),
        1 => (0..PROCESSES).prop_map(Happens::IsDoneTo),
    ];
    prop::collection::vec((0..PROCESSES, happens, 0u64..30_000), 1..60)
}

fn history() -> impl Strategy<Value = (History, ReceiveRule)> {
    let rule = prop_oneof![Just(ReceiveRule::Paper), Just(ReceiveRule::Forward)];
    (scripts(), clocks(), rule).prop_map(|(script, clocks, rule)| (write(&script, &clocks, rule), rule))
}

/// Runs all clocks as an engine would.
fn write(script: &[(usize, Happens, u64)], hosts: &[HostClock], rule: ReceiveRule) -> History {
    let mut lamport = [Lamport::ZERO; PROCESSES];
    let mut vectors = vec![Vector::default(); PROCESSES];
    let mut hybrids = vec![HybridClock::new(rule); PROCESSES];
    let mut latest = [None; PROCESSES];
    let mut sent: Vec<usize> = Vec::new();
    let mut history = History::default();
    let mut at = SimTime::ZERO;
    for &(process, happens, pause) in script {
        at += Span(pause);
        let n = history.events.len();
        let pt = hosts[process].wall(at);
        let told_by = match happens {
            Happens::Receives(ago) => sent.iter().rev().nth(ago).copied(),
            Happens::IsDoneTo(other) => latest[other],
            Happens::States | Happens::Passes | Happens::Sends => None,
        };
        let told = told_by.map(|told_by| history.events[told_by].clone());
        let (clock, vector, hybrid) = (&mut lamport[process], &mut vectors[process], &mut hybrids[process]);
        let ticks = match (happens, &told) {
            (Happens::States | Happens::Sends, _) => {
                clock.tick();
                vector.tick(process);
                hybrid.tick(pt);
                true
            }
            (Happens::Receives(_), Some(told)) => {
                clock.receive(told.lamport);
                vector.receive(process, &told.vector);
                hybrid.receive(pt, told.hybrid);
                true
            }
            (Happens::IsDoneTo(_), Some(told)) => {
                clock.catch_up(told.lamport);
                vector.join(&told.vector);
                hybrid.catch_up(told.hybrid);
                false
            }
            _ => false,
        };
        let nothing = Hybrid {
            wall: WallTime(i64::MIN),
            count: 0,
        };
        history.events.push(Stamped {
            process,
            at,
            wall: pt,
            lamport: *clock,
            vector: vector.clone(),
            hybrid: hybrid.shows().unwrap_or(nothing),
            interval: Interval::around(pt, Span(ERROR_MAX as u64)),
        });
        history.ticks.push(ticks);
        history.steps.push([latest[process], told_by]);
        if matches!(happens, Happens::Sends) {
            sent.push(n);
        }
        latest[process] = Some(n);
    }
    history
}

/// `before[b][a]`: a happened before b. By the definition and nothing else.
fn closure(history: &History) -> Vec<Vec<bool>> {
    let n = history.steps.len();
    let mut before = vec![vec![false; n]; n];
    for (b, row) in before.iter_mut().enumerate() {
        for (a, is_before) in row.iter_mut().enumerate().take(b) {
            let same = history.events[a].process == history.events[b].process;
            *is_before = same || history.steps[b].contains(&Some(a));
        }
    }
    for via in 0..n {
        for b in 0..n {
            for a in 0..n {
                before[b][a] |= before[b][via] && before[via][a];
            }
        }
    }
    before
}

/// Every pair of a history, and whether the first happened before the second.
fn pairs(history: &History) -> Vec<(usize, usize, bool)> {
    let before = closure(history);
    let n = before.len();
    let all = (0..n).flat_map(|b| (0..n).map(move |a| (a, b)));
    all.filter(|(a, b)| a != b).map(|(a, b)| (a, b, before[b][a])).collect()
}

proptest! {
    #[test]
    fn what_happened_before_has_no_larger_lamport_stamp_and_a_smaller_one_before_whatever_ticks((history, _) in history()) {
        for (a, b, before) in pairs(&history) {
            let (of_a, of_b) = (history.events[a].lamport, history.events[b].lamport);
            prop_assert!(!before || of_a <= of_b, "{a} -> {b}");
            prop_assert!(!(before && history.ticks[b]) || of_a < of_b, "{a} -> {b}");
        }
    }

    #[test]
    fn a_vector_is_smaller_exactly_where_an_event_happened_before((history, _) in history()) {
        for (a, b, before) in pairs(&history) {
            if history.ticks[a] && history.ticks[b] {
                prop_assert_eq!(history.events[a].vector < history.events[b].vector, before, "{} -> {}", a, b);
            }
        }
    }

    #[test]
    fn a_hybrid_stamp_grows_with_every_step_is_never_behind_the_wall_clock_and_ahead_of_it_by_no_more_than_clocks_differ(
        (history, rule) in history()
    ) {
        // With CockroachDB's rule a receipt is no event.
        let is_event = |n: usize| history.ticks[n] && (rule == ReceiveRule::Paper || history.steps[n][1].is_none());
        for (a, b, before) in pairs(&history) {
            prop_assert!(!before || history.events[a].hybrid <= history.events[b].hybrid, "{a} -> {b}");
            if before && is_event(b) {
                prop_assert!(history.events[a].hybrid < history.events[b].hybrid, "{a} -> {b}");
            }
        }
        for (_, event) in history.events.iter().enumerate().filter(|(n, _)| is_event(*n)) {
            prop_assert!(event.hybrid.wall >= event.wall);
            prop_assert!(event.hybrid.wall.since(event.wall) <= Span(2 * ERROR_MAX as u64));
        }
    }

    #[test]
    fn the_past_and_the_future_are_the_transitive_closure_and_mirror_each_other((history, _) in history()) {
        let before = closure(&history);
        let all: Vec<Related> = (0..before.len()).map(|of| Related::of(of, &history.steps).unwrap()).collect();
        for (of, related) in all.iter().enumerate() {
            let mut counts = [0; 3];
            for (other, knows) in before.iter().enumerate() {
                let expected = match (before[of][other], knows[of]) {
                    _ if other == of => Relation::Itself,
                    (true, false) => { counts[0] += 1; Relation::Past }
                    (false, true) => { counts[1] += 1; Relation::Future }
                    (false, false) => { counts[2] += 1; Relation::Concurrent }
                    (true, true) => return Err(TestCaseError::fail("nothing is past and future")),
                };
                prop_assert_eq!(related.relation(other), expected, "{} as {} sees it", other, of);
            }
            prop_assert_eq!([related.past, related.future, related.concurrent], counts);
        }
    }

    #[test]
    fn only_the_wall_clock_ever_puts_an_effect_before_its_cause((history, rule) in history()) {
        // Events that do not tick carry the stamp of another event, and are no events to these clocks.
        let events: Vec<Stamped> =
            history.events.iter().zip(&history.ticks).filter(|(_, ticks)| **ticks).map(|(event, _)| event.clone()).collect();
        let by_stamps = if rule == ReceiveRule::Paper { &[Order::True, Order::Lamport, Order::Hybrid][..] } else { &[Order::True, Order::Lamport] };
        for &by in by_stamps {
            prop_assert!(!wrong_pairs(&events, by).iter().any(|pair| pair.caused), "{by:?}");
        }
        prop_assert!(wrong_pairs(&events, Order::True).is_empty());
        for by in Order::ALL {
            let mut place = vec![0; events.len()];
            for (n, event) in sorted(&events, by).into_iter().enumerate() {
                place[event] = n;
            }
            let wrong = wrong_pairs(&events, by);
            for pair in &wrong {
                prop_assert!(place[pair.first] > place[pair.second], "{by:?} {pair:?}");
            }
            let turned = (0..events.len()).flat_map(|b| (0..b).map(move |a| (a, b)))
                .filter(|&(a, b)| place[a] > place[b] && (events[a].at < events[b].at || events[a].vector < events[b].vector));
            prop_assert_eq!(wrong.len(), turned.count(), "{:?}", by);
        }
    }

    #[test]
    fn intervals_that_do_not_overlap_tell_the_true_order((history, _) in history()) {
        for (a, b, _) in pairs(&history) {
            let (a, b) = (&history.events[a], &history.events[b]);
            prop_assert!(!a.interval.is_before(b.interval) || a.at < b.at);
        }
    }

    /// Two commits on two machines, the second begun after the first shows.
    #[test]
    fn commit_wait_keeps_the_order_when_no_clock_is_wrong_by_more_than_its_bound(
        epsilon in 1i64..100_000, wrong in prop::array::uniform2(-1_000i64..=1_000), at in 1_000_000u64..10_000_000, later in 0u64..100_000,
    ) {
        let keeper = |thousandths: i64| Timekeeper {
            clock: HostClock::new(epsilon * thousandths / 1_000, 0),
            epsilon: Span(epsilon as u64),
        };
        let first = keeper(wrong[0]).commit(SimTime(at), None, true);
        let second = keeper(wrong[1]).commit(first.visible + Span(later), None, true);
        prop_assert!(first.stamp < second.stamp, "{first:?} {second:?}");
        prop_assert!(inverted(&[(SimTime(at), Some(first)), (first.visible + Span(later), Some(second))]).is_empty());
        let waited = first.visible.since(SimTime(at));
        prop_assert_eq!(waited, Span(2 * epsilon as u64 + 1));
    }

    /// The same where the bound is a lie: a machine that is slow by more than the wait bought takes a smaller stamp.
    #[test]
    fn commit_wait_breaks_when_a_clock_is_wrong_by_more_than_its_bound(
        epsilon in 1i64..100_000, excess in 2i64..100_000, at in 1_000_000u64..10_000_000,
    ) {
        let keeper = |offset: i64| Timekeeper { clock: HostClock::new(offset, 0), epsilon: Span(epsilon as u64) };
        // The first is fast by the whole bound, the second slow by more than it.
        let first = keeper(epsilon).commit(SimTime(at), None, true);
        let second = keeper(-epsilon - excess).commit(first.visible, None, true);
        prop_assert!(second.stamp < first.stamp, "{first:?} {second:?}");
        prop_assert_eq!(inverted(&[(SimTime(at), Some(first)), (first.visible, Some(second))]), [(0, 1)]);
    }
}

#[test]
fn an_event_that_is_not_there_has_no_past() {
    assert_eq!(Related::of(3, &[[None; 2]; 3]), None);
    let alone = Related::of(0, &[[None; 2]]).expect("there is one event");
    assert_eq!((alone.past, alone.future, alone.concurrent), (0, 0, 0));
    assert_eq!(alone.relation(0), Relation::Itself);
}

/// protocols.md 18.4: what was done, and what either rule makes of it.
#[test]
fn both_published_receive_rules_of_the_hybrid_clock_give_their_own_numbers() {
    let history = [
        (5, None),
        (6, None),
        (10, Some((10, 5))),
        (7, None),
        (8, Some((10, 4))),
        (10, Some((10, 99))),
        (11, Some((10, 31))),
        (11, None),
    ];
    // With CockroachDB's rule a receipt shows in the next reading only; its own test reads the clock before each receipt as well.
    let play = |rule, reads_before: bool| {
        let mut clock = HybridClock::new(rule);
        let step = |(pt, message): (i64, Option<(i64, u32)>)| {
            let pt = WallTime(pt);
            if message.is_some() && reads_before {
                clock.tick(pt);
            }
            let received = message.map(|(wall, count)| {
                let wall = WallTime(wall);
                clock.receive(pt, Hybrid { wall, count })
            });
            let stamp = match (received, rule) {
                (Some(received), ReceiveRule::Paper) => received,
                (Some(_), ReceiveRule::Forward) | (None, _) => clock.tick(pt),
            };
            (stamp.wall.0, stamp.count)
        };
        history.map(step)
    };
    let paper = [(5, 0), (6, 0), (10, 6), (10, 7), (10, 8), (10, 100), (11, 0), (11, 1)];
    assert_eq!(play(ReceiveRule::Paper, false), paper);
    assert_eq!(play(ReceiveRule::Forward, false), paper);
    let cockroach = [(5, 0), (6, 0), (10, 6), (10, 7), (10, 9), (10, 100), (11, 1), (11, 2)];
    assert_eq!(play(ReceiveRule::Forward, true), cockroach);
}

#[test]
fn forwarding_and_then_reading_is_the_paper_s_receipt_whatever_the_numbers() {
    for (pt, own, sent) in [
        (1, 0, 0),
        (5, 3, 5),
        (5, 5, 3),
        (5, 5, 5),
        (5, 9, 7),
        (5, 7, 9),
        (5, 9, 9),
    ] {
        for (c, cm) in [(0, 0), (2, 7), (7, 2)] {
            let hybrid = |wall, count| Hybrid {
                wall: WallTime(wall),
                count,
            };
            let receive = |rule| {
                let mut clock = HybridClock::new(rule);
                clock.catch_up(hybrid(own, c));
                (clock.receive(WallTime(pt), hybrid(sent, cm)), clock)
            };
            let ((paper, _), (forward, mut clock)) = (receive(ReceiveRule::Paper), receive(ReceiveRule::Forward));
            assert_eq!(clock.tick(WallTime(pt)), paper, "{pt} {own} {sent} {c} {cm}");
            assert!(forward < paper, "the receipt itself is no event");
        }
    }
}

#[test]
fn a_poisoned_stamp_drags_the_clock_along_unless_it_is_refused() {
    let poison = Hybrid {
        wall: WallTime(10_000_000),
        count: 0,
    };
    let mut trusting = HybridClock::new(ReceiveRule::Paper);
    assert_eq!(trusting.receive(WallTime(0), poison).wall, WallTime(10_000_000));
    assert_eq!(
        trusting.tick(WallTime(1)).wall,
        WallTime(10_000_000),
        "10 s ahead from now on"
    );
    let mut careful = HybridClock::new(ReceiveRule::Paper);
    let refused = careful
        .receive_within(WallTime(0), poison, Span::from_millis(500))
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "a stamp 10.000 s ahead of the wall clock is refused: more than 0.500 s"
    );
    assert_eq!(careful.tick(WallTime(1)).wall, WallTime(1));
    let near = Hybrid {
        wall: WallTime(500_001),
        count: 7,
    };
    assert_eq!(
        careful
            .receive_within(WallTime(1), near, Span::from_millis(500))
            .map(|now| now.count),
        Ok(8)
    );
}

/// protocols.md 18.3.
#[test]
fn siblings_are_concurrent_and_what_has_seen_both_dominates_both() {
    let [x, y, z] = [[2, 0, 0], [1, 1, 0], [2, 2, 0]].map(Vector::new);
    assert!(x.is_concurrent_with(&y) && x < z && y < z);
    assert_eq!(
        Vector::new([1, 0]),
        Vector::new([1]),
        "an entry that is not there is zero"
    );
}

/// protocols.md 18.5 and 19.12: what a bound costs.
#[test]
fn commit_wait_takes_twice_the_bound() {
    for (epsilon_ms, costs_ms) in [(7, 14), (40, 80), (250, 500)] {
        let keeper = Timekeeper {
            clock: HostClock::new(0, 0),
            epsilon: Span::from_millis(epsilon_ms),
        };
        let at = SimTime(1_000_005_000);
        let commit = keeper.commit(at, None, true);
        assert_eq!(commit.visible.since(at), Span::from_millis(costs_ms) + Span(1));
        assert_eq!(keeper.commit(at, None, false).visible, at);
        assert_eq!(
            keeper.commit(at, Some(commit.stamp), true).stamp,
            commit.stamp + Span(1),
            "stamps grow"
        );
    }
}

fn stamped(process: usize, lamport: u64, vector: &[u32]) -> Stamped {
    Stamped {
        process,
        at: SimTime::ZERO,
        wall: WallTime(0),
        lamport: Lamport(lamport),
        vector: Vector::new(vector),
        hybrid: Hybrid {
            wall: WallTime(0),
            count: 0,
        },
        interval: Interval::around(WallTime(0), Span::ZERO),
    }
}

/// protocols.md 18.2: D did five things by itself.
#[test]
fn the_question_concurrent_or_caused_is_answered_by_vectors_and_cannot_be_by_numbers() {
    let names = ["A", "B", "C", "D"].map(str::to_owned);
    let (sends, receives) = (stamped(0, 1, &[1]), stamped(2, 4, &[1, 2, 1]));
    let counts = stamped(3, 5, &[0, 0, 0, 5]);
    let answer = caused(("A sends order", &sends), ("C receives payment", &receives), &names);
    assert_eq!(answer.relation, Relation::Past);
    assert_eq!(
        answer.reason,
        "“A sends order” [1,0,0,0] happened before “C receives payment” [1,2,1,0]: it is event 1 of A, and of A’s events the \
         other knows 1. No entry of the first vector is larger than the second’s."
    );
    assert_eq!(
        answer.by_number,
        "L 1 is less than L 4, so “C receives payment” did not lead to “A sends order”. Whether it was the other way round the \
         numbers cannot tell: a cause has the smaller number, but a process that does more by itself counts further too; \
         here it has, as only the vectors show."
    );
    let answer = caused(("C receives payment", &receives), ("D counts", &counts), &names);
    assert_eq!(answer.relation, Relation::Concurrent);
    assert_eq!(
        answer.reason,
        "Concurrent: “C receives payment” [1,2,1,0] is event 1 of C, of which “D counts” [0,0,0,5] knows none. “D counts” \
         [0,0,0,5] is event 5 of D, of which “C receives payment” [1,2,1,0] knows none. Nothing that either knew could have \
         come from the other."
    );
    assert!(answer.by_number.ends_with("here it has not."), "{}", answer.by_number);
    let equal = caused(
        ("A sends order", &sends),
        ("D counts", &stamped(3, 1, &[0, 0, 0, 1])),
        &names,
    );
    assert_eq!(equal.relation, Relation::Concurrent);
    assert!(equal.by_number.starts_with("Both have L 1."), "{}", equal.by_number);
    let back = caused(("C receives payment", &receives), ("A sends order", &sends), &names);
    assert_eq!(back.relation, Relation::Future);
}
