#![cfg(not(target_arch = "wasm32"))]
//! "Defend your numbers": the attacks are those of the situation, the score is judged by what was promised, and what is said
//! to have stood does stand.

use leaselab::clocks::Span;
use leaselab::lesson::{Defence, Loss, Must, Outcome, Score, Scorecard, Settings, Situation, advice, choices};
use leaselab::scenario::adjust_timing;
use leaselab::verdict::judge;

fn settings(pairs: &[(&str, &str)]) -> Settings {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

fn situation(name: &str) -> &'static Situation {
    Situation::of(name).unwrap_or_else(|| panic!("{name}"))
}

fn fight(name: &str, pairs: &[(&str, &str)]) -> Scorecard {
    Defence::new(situation(name), settings(pairs))
        .expect("settings")
        .fight(5, 2)
}

/// The attacks that won, by their names.
fn won(scorecard: &Scorecard) -> Vec<&str> {
    let won = scorecard.scores.iter().filter(|score| score.loss.is_some());
    won.map(|score| score.attack.name.as_str()).collect()
}

#[test]
fn no_settings_without_a_watchdog_stand_anywhere_because_agents_can_be_killed() {
    for situation in Situation::all() {
        let scorecard = fight(situation.name, &[("patroni.ttl", "60")]);
        assert_eq!(won(&scorecard).first(), Some(&"agent-killed"), "{}", situation.name);
        let Some(Loss::TwoPrimaries { runs, longest }) = scorecard.scores[0].loss else {
            panic!("{:?}", scorecard.scores[0].loss);
        };
        assert!(runs == 5 && longest > Span::from_secs(5), "{runs} {longest}");
    }
}

#[test]
fn each_situation_has_an_attack_that_wins_against_the_usual_numbers_with_a_watchdog() {
    for (name, attack) in [
        ("one-data-centre", "crash"),
        ("two-regions", "store-stall 13.0 s"),
        ("noisy-cloud", "agent-pause 18.0 s"),
        ("slow-disk-under-the-store", "store-away"),
        ("flaky-switch", "flapping-way"),
    ] {
        let defence = Defence::new(situation(name), settings(&[("watchdog.mode", "required")])).expect("settings");
        assert_eq!(won(&defence.fight(10, 2)), [attack], "{name}");
    }
}

#[test]
fn what_is_said_to_have_stood_stands_and_is_the_nearest() {
    for place in Situation::all() {
        let mine = settings(&[("watchdog.mode", "required")]);
        let advice = advice(place, &mine, 5, 2);
        let stands = advice.stands.as_ref().unwrap_or_else(|| panic!("{}", place.name));
        let again = Defence::new(place, stands.settings.clone())
            .expect("settings")
            .fight(5, 1);
        assert!(again.stands(), "{}: {}", place.name, again.told());
        assert_eq!(again.told(), stands.told());
        let nearer = &choices(&mine)[..advice.tried - 1];
        assert_eq!(&choices(&mine)[advice.tried - 1], &stands.settings);
        for settings in nearer {
            assert!(
                !Defence::new(place, settings.clone())
                    .expect("settings")
                    .fight(5, 2)
                    .stands(),
                "{settings:?}"
            );
        }
    }
}

#[test]
fn the_choices_are_distinct_fit_into_their_ttl_and_keep_what_is_not_tried() {
    let mine = settings(&[("patroni.maximum_lag_on_failover", "0"), ("patroni.ttl", "50")]);
    let choices = choices(&mine);
    assert!(choices.len() > 100);
    for (index, choice) in choices.iter().enumerate() {
        assert!(!choices[..index].contains(choice) && *choice != mine, "{choice:?}");
        assert!(choice.contains(&mine[0]), "{choice:?}");
        let defence = Defence::new(situation("noisy-cloud"), choice.clone()).expect("settings");
        let patroni = defence.scenario(0, 0, 1).patroni;
        assert_eq!(adjust_timing(patroni.written).1, [], "{choice:?}");
    }
}

#[test]
fn attacks_begin_at_all_phases_of_the_loop_and_the_gray_one_right_before_the_list_is_due() {
    let defence = Defence::new(situation("noisy-cloud"), settings(&[])).expect("settings");
    let begins = |attack: usize, n: u32| defence.scenario(attack, n, 4).faults[0].at.as_micros();
    let phases: Vec<u64> = (0..4).map(|n| begins(0, n) % 10_000_000).collect();
    assert_eq!(phases, [250_000, 2_750_000, 5_250_000, 7_750_000]);
    let gray = defence
        .attacks
        .iter()
        .position(|attack| attack.when_list_is_due)
        .expect("there is one");
    assert_eq!(begins(gray, 3), 290_250_000);
    // And it does find that moment: without it the same card does no harm.
    let outcome = |attack: usize| Outcome::of(&judge(&defence.scenario(attack, 0, 4)));
    assert!(outcome(gray).two_primaries > Span::from_secs(5));
    assert_eq!(outcome(gray - 1).two_primaries, Span::ZERO);
    let seeds: Vec<u64> = (0..4).map(|n| defence.scenario(0, n, 4).seed).collect();
    assert!(seeds.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn a_score_is_judged_by_what_must_come_of_the_attack() {
    let place = situation("one-data-centre");
    let defence = Defence::new(place, settings(&[])).expect("settings");
    let of = |must: Must| {
        defence
            .attacks
            .iter()
            .find(|attack| attack.must == must)
            .expect("one of each")
    };
    let loss = |must, outcome: Outcome| Score::of(of(must), place, vec![Outcome::default(), outcome]).loss;
    let fine = Outcome::default();
    for must in [Must::TakeOver, Must::NotNotice, Must::Survive] {
        assert_eq!(loss(must, fine), None);
        let two = Span::from_millis(1);
        let outcome = Outcome {
            two_primaries: two,
            lost: 9_999,
            ..fine
        };
        assert_eq!(loss(must, outcome), Some(Loss::TwoPrimaries { runs: 1, longest: two }));
        let most = place.lost_writes_max;
        assert_eq!(loss(must, Outcome { lost: most, ..fine }), None);
        assert_eq!(
            loss(must, Outcome { lost: most + 1, ..fine }),
            Some(Loss::Lost { most: most + 1 })
        );
    }
    let outage = place.outage_max + Span(1);
    let out = Outcome { outage, ..fine };
    assert_eq!(loss(Must::TakeOver, out), Some(Loss::Outage { longest: outage }));
    assert_eq!(
        loss(
            Must::TakeOver,
            Outcome {
                outage: place.outage_max,
                ..fine
            }
        ),
        None
    );
    assert_eq!(loss(Must::Survive, out), None);
    assert_eq!(
        loss(Must::NotNotice, out),
        Some(Loss::Noticed {
            runs: 1,
            longest: outage
        })
    );
    let moved = Outcome { failovers: 1, ..fine };
    assert_eq!(
        loss(Must::NotNotice, moved),
        Some(Loss::Noticed {
            runs: 1,
            longest: Span::ZERO
        })
    );
}

#[test]
fn the_scorecard_says_what_came_of_it_in_numbers_and_is_the_same_on_any_number_of_threads() {
    let defence = Defence::new(situation("noisy-cloud"), settings(&[("patroni.loop_wait", "15")])).expect("settings");
    let scorecard = defence.fight(3, 2);
    for (n, outcome) in (0..).zip(&scorecard.scores[0].outcomes) {
        assert_eq!(*outcome, Outcome::of(&judge(&defence.scenario(0, n, 3))));
    }
    let text = defence.fight(3, 1).told();
    assert_eq!(text, defence.fight(3, 3).told());
    for says in [
        "Chosen: loop_wait = 15.",
        "Patroni runs with patroni.loop_wait 10 instead of 15",
        "14 attacks, 42 runs",
        "After a crash nobody could write for ",
        "50.0 s are promised.",
        "Two primaries: in ",
        "attacks won:\n- agent-killed: the leader's agent is killed and is back after three minutes. Two primaries in 3 of 3 runs",
    ] {
        assert!(text.contains(says), "{says}\n{text}");
    }
    let brief = situation("noisy-cloud").brief();
    assert!(
        brief.contains("an agent stands still: 18.0 s in 99 of 100 cases, 50.0 s at the longest"),
        "{brief}"
    );
}
