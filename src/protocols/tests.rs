//! Failure detectors against the numbers of protocols.md 17 and 19, and against what Akka's own specification demands.

use super::*;
use crate::engine::{MonoTime, Span};

const MS: u64 = 1_000;
const S: u64 = 1_000_000;

fn ms(ms: u64) -> Span {
    Span::from_millis(ms)
}

fn fixed(timeout: Span) -> Rule {
    Rule::Fixed { timeout }
}

/// Gaps taken as normal, without forgiveness.
fn akka(threshold: f64, deviation_min: Span) -> Rule {
    Rule::Akka(Akka {
        threshold,
        deviation_min,
        acceptable_pause: Span::ZERO,
        ..Akka::CLUSTER
    })
}

fn regular(n: u64) -> Vec<MonoTime> {
    (1..=n).map(|s| MonoTime(s * S)).collect()
}

fn fed(rule: Rule, arrivals: &[MonoTime]) -> Detector {
    let mut detector = Detector::new(rule);
    arrivals.iter().for_each(|&arrival| detector.heartbeat(arrival));
    detector
}

/// After the last heartbeat, in ms and rounded.
fn detection_ms(rule: Rule, arrivals: &[MonoTime]) -> u64 {
    let detection = worth(rule, arrivals).detection.expect("it comes to suspect");
    (detection.0 + 500) / MS
}

#[test]
fn the_levels_of_akkas_formula_are_those_of_the_reference() {
    let table = [
        (1_000, 0.301),
        (1_100, 0.800),
        (1_200, 1.643),
        (1_300, 2.909),
        (1_400, 4.737),
        (1_500, 7.300),
        (1_600, 10.78),
        (1_700, 15.37),
    ];
    for (at, phi) in table {
        let is = phi_normal(ms(at), 1e6, 1e5);
        assert!((is - phi).abs() < 0.005, "{at} ms: {is}");
    }
    assert_eq!(phi_normal(Span::from_secs(60), 1e6, 1e5), f64::INFINITY);
}

#[test]
fn thresholds_are_crossed_where_the_reference_says() {
    // So many that the first estimate has left the window: the mean is 1 s exactly.
    let arrivals = regular(1_200);
    for (threshold, at) in [
        (1.0, 1_128),
        (3.0, 1_306),
        (5.0, 1_412),
        (8.0, 1_523),
        (10.0, 1_580),
        (12.0, 1_629),
    ] {
        assert_eq!(detection_ms(akka(threshold, ms(100)), &arrivals), at, "{threshold}");
    }
    for (threshold, at) in [(3.0, 1_765), (8.0, 2_306), (12.0, 2_573)] {
        assert_eq!(detection_ms(akka(threshold, ms(250)), &arrivals), at, "{threshold}");
    }
}

#[test]
fn ph_1_a_crash_is_suspected_after_4_52_s_by_akkas_cluster_and_18_4_s_by_cassandra() {
    let arrivals = regular(1_200);
    assert_eq!(detection_ms(Rule::Akka(Akka::CLUSTER), &arrivals), 4_523);
    for (threshold, tenths) in [(5.0, 115), (8.0, 184), (10.0, 230), (12.0, 276)] {
        let rule = Rule::Cassandra(Cassandra {
            threshold,
            ..Cassandra::SHIPPED
        });
        assert_eq!((detection_ms(rule, &arrivals) + 50) / 100, tenths, "{threshold}");
    }
    assert!((phi_exponential(Span::from_secs(10), 1e6) - 4.343).abs() < 5e-4);
}

#[test]
fn ph_2_a_stall_of_2_5_s_every_minute_is_60_false_alarms_an_hour_for_a_timeout_of_2_s_and_none_for_akka() {
    let stream = Heartbeats {
        every: Span::from_secs(1),
        jitter: Span::ZERO,
        stall: Some(Stall {
            every: Span::from_secs(60),
            gap: ms(2_500),
        }),
        lasts: Span::from_secs(3_602),
    };
    let arrivals = stream.arrive(1);
    let gaps: Vec<u64> = arrivals.windows(2).map(|pair| pair[1].since(pair[0]).0).collect();
    let (stalls, others): (Vec<u64>, Vec<u64>) = gaps.iter().partition(|&&gap| gap > S);
    assert!(stalls.iter().all(|&gap| gap == 2_500 * MS) && others.iter().all(|&gap| gap == S));
    let timeout = worth(fixed(Span::from_secs(2)), &arrivals);
    assert_eq!(
        (timeout.false_alarms, timeout.false_alarms_per_hour.round()),
        (60, 60.0)
    );
    assert_eq!(timeout.detection, Some(Span(2 * S + 1)));
    assert_eq!(worth(Rule::Akka(Akka::CLUSTER), &arrivals).false_alarms, 0);
    assert_eq!(worth(Rule::Cassandra(Cassandra::SHIPPED), &arrivals).false_alarms, 0);
}

#[test]
fn ph_3_an_observer_that_stood_still_for_6_s_suspects_all_unless_it_knows_that_it_did() {
    let rules = [fixed(Span::from_secs(2)), Rule::Cassandra(Cassandra::SHIPPED)];
    let suspects = rules.map(|rule| {
        let mut peers = vec![fed(rule, &regular(100)); 5];
        for at in 1..=100 {
            assert!(!peers.iter_mut().any(|peer| peer.look(MonoTime(at * S))));
        }
        // It looks before it reads what came in meanwhile.
        peers
            .iter_mut()
            .filter_map(|peer| peer.look(MonoTime(106 * S)).then_some(()))
            .count()
    });
    assert_eq!(suspects, [5, 0]);
    // A crash is found in spite of that, when it has looked around for as long again.
    let mut crashed = fed(rules[1], &regular(100));
    crashed.look(MonoTime(100 * S));
    assert!(crashed.suspects(MonoTime(125 * S)) && !crashed.look(MonoTime(125 * S)));
    assert!(!crashed.look(MonoTime(129 * S)) && crashed.look(MonoTime(131 * S)));
}

#[test]
fn ph_4_where_jitter_grows_the_crossing_moves_out_by_itself_and_a_fixed_timeout_misfires() {
    let stream = |jitter| Heartbeats {
        every: Span::from_secs(1),
        jitter: ms(jitter),
        stall: None,
        lasts: Span::from_secs(3_600),
    };
    let (calm, wild) = (stream(50).arrive(1), stream(400).arrive(1));
    let timeout = fixed(ms(1_600));
    let phi = akka(8.0, ms(100));
    assert_eq!(worth(timeout, &calm).false_alarms, 0);
    assert!(worth(timeout, &wild).false_alarms > 30);
    let [calm_ms, wild_ms] = [&calm, &wild].map(|arrivals| detection_ms(phi, arrivals));
    assert_eq!(calm_ms, 1_523, "the least deviation rules");
    assert!((2_500..3_200).contains(&wild_ms), "{wild_ms}");
    let both: Vec<MonoTime> = calm
        .iter()
        .copied()
        .chain(wild.iter().map(|at| *at + Span::from_secs(3_601)))
        .collect();
    let (phi, fixed) = (worth(phi, &both).false_alarms, worth(timeout, &both).false_alarms);
    assert!(
        phi * 5 < fixed,
        "while it learns it misfires a little: {phi} against {fixed}"
    );
}

/// protocols.md 19.2: a pause of 2.0 s every 10 minutes.
#[test]
fn a_longer_timeout_buys_fewer_false_alarms_with_a_later_detection() {
    let stream = |pause_ms| Heartbeats {
        every: ms(100),
        jitter: ms(10),
        stall: Some(Stall {
            every: Span::from_secs(600),
            gap: ms(pause_ms),
        }),
        lasts: Span::from_secs(3_600) + ms(5_000),
    };
    let arrivals = stream(2_000).arrive(3);
    let timeouts: Vec<Rule> = (2..=30).map(|tenths| fixed(ms(tenths * 100))).collect();
    let points = sweep(timeouts, &arrivals);
    assert!(
        points
            .windows(2)
            .all(|pair| { pair[0].false_alarms >= pair[1].false_alarms && pair[0].detection < pair[1].detection })
    );
    let at = |timeout_ms: u64| {
        points
            .iter()
            .find(|point| point.rule == fixed(ms(timeout_ms)))
            .expect("swept")
    };
    assert_eq!((at(1_000).false_alarms, at(1_000).detection), (6, Some(Span(S + 1))));
    assert_eq!(
        (at(2_200).false_alarms, at(2_200).detection),
        (0, Some(Span(2_200 * MS + 1)))
    );
    // The pause grows to 4 s, and what was right is wrong.
    let grown = worth(fixed(ms(2_200)), &stream(4_000).arrive(3));
    assert_eq!(grown.false_alarms, 6);
    // Akka's detector does not learn from a pause that it was wrong about: it stays as wrong as it was.
    let phi = worth(akka(8.0, ms(100)), &stream(4_000).arrive(3));
    assert_eq!(phi.false_alarms, 6);
}

#[test]
fn two_observers_may_disagree_at_one_instant() {
    for rule in [fixed(Span::from_secs(2)), Rule::Akka(Akka::CLUSTER)] {
        // The path to the second observer was cut after 60 s.
        let (first, second) = (fed(rule, &regular(100)), fed(rule, &regular(60)));
        let now = MonoTime(100 * S + 500 * MS);
        assert!(!first.suspects(now) && second.suspects(now), "{rule:?}");
    }
}

/// The properties of Akka's AccrualFailureDetectorSpec, which hold for every rule.
#[test]
fn what_akkas_specification_demands_holds() {
    for rule in [
        fixed(Span::from_secs(2)),
        Rule::Akka(Akka::CLUSTER),
        Rule::Cassandra(Cassandra::SHIPPED),
    ] {
        assert!(
            !Detector::new(rule).suspects(MonoTime(1_000 * S)),
            "alive before the first heartbeat"
        );
        assert_eq!(Detector::new(rule).suspects_from(), None);
        let mut detector = fed(rule, &regular(20));
        let levels: Vec<f64> = (20_000..60_000).map(|at| detector.level(MonoTime(at * MS))).collect();
        assert!(
            levels.windows(2).all(|pair| pair[0] <= pair[1]),
            "{rule:?}: the level only rises in silence"
        );
        assert!(detector.suspects(MonoTime(60 * S)), "dead after silence");
        detector.heartbeat(MonoTime(60 * S));
        assert!(!detector.suspects(MonoTime(61 * S)), "and back when heartbeats are");
        let from = detector.suspects_from().expect("again");
        assert!(detector.suspects(from) && !detector.suspects(MonoTime(from.0 - 1)));
    }
    let forgiving = fed(Rule::Akka(Akka::CLUSTER), &regular(20));
    assert!(!forgiving.suspects(MonoTime(24 * S)), "an acceptable pause is accepted");
}

#[test]
fn the_window_holds_so_many_gaps_and_no_more() {
    let small = Rule::Akka(Akka {
        samples: 3,
        acceptable_pause: Span::ZERO,
        deviation_min: Span(1),
        ..Akka::CLUSTER
    });
    // Gaps 1 s, 1 s, 1 s after a long time of 2 s: the mean is 1 s and the deviation nothing.
    let slow = (1..50).map(|n| MonoTime(n * 2 * S));
    let quick = (99..102).map(|s| MonoTime(s * S));
    let detector = fed(small, &slow.chain(quick).collect::<Vec<_>>());
    assert_eq!(
        detector.suspects_from().map(|at| at.since(MonoTime(101 * S)).0 / MS),
        Some(1_000)
    );
}

#[test]
fn akka_does_not_learn_from_the_gap_that_ends_a_suspicion_and_does_from_any_other() {
    let rule = Rule::Akka(Akka {
        samples: 10,
        ..Akka::CLUSTER
    });
    let after = |gap: u64| {
        let mut detector = fed(rule, &regular(20));
        let back = MonoTime(20 * S + gap);
        detector.heartbeat(back);
        detector.suspects_from().map(|at| at.since(back))
    };
    let usual = worth(rule, &regular(20)).detection;
    assert_eq!(after(30 * S), usual);
    assert!(after(3 * S) > usual);
}
