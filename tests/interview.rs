#![cfg(not(target_arch = "wasm32"))]
//! The interview room: cards and walkthroughs tell the truth, what does not is found with file and line, follow-ups depend on
//! what was said, and practice ends on one page.

use leaselab::lesson::{Answered, Bet, Card, CardLevel, Checked, Interview, Record, Said, Sureness, check, plain};
use std::fs;
use std::path::{Path, PathBuf};

/// A card in which everything holds.
const TRUE: &str = r#"+++
question = "What happens when the primary's machine dies?"
level = "middle"
topics = ["failover"]
lesson = "a-lesson"
+++

# What happens when the primary's machine dies?

```scenario crash
file = "host-crash"
```

## In twenty seconds

Its lease runs out, the standbys race for the key, the store lets one of them have it, and that one promotes its
database; nearly all of the time is the lease, which nobody can shorten.

## In a minute

The new primary was writable [32.5 s](claim:gap) after the old one had stopped, and it was [node3](claim:winner). WORDS

## In depth

Over some seeds it took [32.2 to 32.5 s](claim:spread), and [never](claim:never) were there two. WORDS WORDS

```claim gap
of = "crash"
that = "failovers.len == 1"
figure = "failovers[0].writable_ms - failovers[0].not_writable_ms"
```

```claim winner
of = "crash"
that = "failovers.len == 1"
figure = "failovers[0].to"
```

```claim spread
of = "crash"
seeds = 4
that = "failovers.len == 1"
figure = "failovers[0].writable_ms - failovers[0].fault_ms"
```

```claim never
of = "crash"
seeds = 4
that = "not two_primaries.ever"
```

```rubric
[[points]]
name = "lease"
text = "the lease runs out"

[[points]]
name = "race"
text = "a race for the key"

[[points]]
name = "promotion"
text = "one promotes"
```

```follow-up
question = "And then?"
of = "crash"
shows = "outages.len == 1"
answer = "Everybody follows."
```

```follow-up
if_has = "race"
question = "Who decides the race?"
of = "crash"
seeds = 2
shows = "failovers.len == 1"
answer = "The store."
```

```follow-up
if_misses = "lease"
question = "What does everybody wait for?"
of = "crash"
shows = "failovers[0].why == 'lease expired'"
answer = "The end of the lease."
```

```follow-up
if_flag = "at-once"
question = "At once? Look at the key."
of = "crash"
shows = "failovers[0].key_gone_ms > 70 s"
answer = "It was there for half a minute."
```

```red-flag at-once
says = "A standby is promoted at once."
of = "crash"
shows = "failovers[0].key_taken_ms > 60 s"
because = "It took [32.5 s](claim:gap)."
```
"#;

const WALK: &str = r#"+++
explains = "What happens when the primary's machine dies?"
+++

# What happens when the primary's machine dies?

```scenario crash
file = "host-crash"
```

```claim gone
of = "crash"
that = "failovers.len == 1"
figure = "failovers[0].key_gone_ms"
```
"#;

/// A lesson for the card to belong to; it is not what is tested.
const LESSON: &str = r#"+++
title = "A lesson"
track = "A track"
level = "junior"
minutes = 5
able = ["tell that it holds"]
+++

# A lesson

[It fails over](claim:over).

```scenario crash
file = "host-crash"
```

```claim over
of = "crash"
that = "failovers.len == 1"
```

```predict
of = "crash"
question = "When?"
mark = "failovers[0].writable_ms"
near = "2 s"
because = "So."
```

```ask
question = "Why?"

[[options]]
text = "So."
right = true
of = "crash"
shows = "failovers.len == 1"
says = "Yes."

[[options]]
text = "Not so."
of = "crash"
shows = "failovers.len == 1"
says = "No."
```
"#;

/// The card with as many words as an answer needs.
fn card() -> String {
    let words = "and so it goes on for as long as an answer may be, ".repeat(7);
    TRUE.replace("WORDS", &words)
}

/// A walkthrough of so many steps, at these seconds.
fn walk(at: &[u32]) -> String {
    let step = |at: &u32| {
        format!(
            "\n```step\nsay = \"It is gone: [70.5 s](claim:gone).\"\nof = \"crash\"\nat = \"{at} s\"\nlanes = [\"store\"]\n```\n"
        )
    };
    WALK.to_owned() + &at.iter().map(step).collect::<String>()
}

/// A folder with one lesson, one card and one walkthrough, removed when it goes.
struct Folder(PathBuf);

impl Folder {
    fn with(name: &str, card: &str, walk: &str) -> Folder {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("interview-{name}-{}", std::process::id()));
        for inner in ["track", "scenarios", "interview"] {
            fs::create_dir_all(folder.join(inner)).expect("a folder");
        }
        let crash = "scenarios/host-crash.toml";
        fs::copy(format!("lessons/{crash}"), folder.join(crash)).expect("a scenario");
        fs::write(folder.join("track/01-a-lesson.md"), LESSON).expect("a lesson");
        let here = Folder(folder);
        fs::write(here.card(), card).expect("a card");
        fs::write(here.walk(), walk).expect("a walkthrough");
        here
    }
    fn card(&self) -> PathBuf {
        self.0.join("interview/01-a-card.md")
    }
    fn walk(&self) -> PathBuf {
        self.0.join("interview/90-a-walk.md")
    }
    fn check(&self) -> Checked {
        check(&self.0, 2).expect("a folder")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const STEPS: [u32; 6] = [10, 20, 41, 60, 71, 80];

fn told(checked: &Checked) -> Vec<String> {
    let stale = checked.stale.iter().map(|stale| &stale.problem);
    checked.problems.iter().chain(stale).map(ToString::to_string).collect()
}

fn read(text: &str) -> Card {
    let crash = fs::read_to_string("lessons/scenarios/host-crash.toml").expect("a scenario");
    match Interview::read(text, "interview/01-a-card.md", &|_| Some(crash.clone())) {
        Ok(Interview::Card(card)) => card,
        other => panic!("{other:?}"),
    }
}

fn said(points: &[&str], flags: &[&str]) -> Said {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Said {
        points: set(points),
        flags: set(flags),
    }
}

#[test]
fn a_card_and_a_walkthrough_in_which_everything_holds_are_fine_and_counted() {
    let folder = Folder::with("true", &card(), &walk(&STEPS));
    let checked = folder.check();
    assert_eq!(told(&checked), [""; 0]);
    let counts = checked.counts;
    assert_eq!((counts.follow_ups, counts.red_flags, counts.steps), (4, 1, 6));
    assert_eq!((checked.cards.len(), checked.walkthroughs.len()), (1, 1));
    // Four of the card (one twice), and one for each step.
    assert_eq!(counts.numbers, 4 + 6);
    assert_eq!(checked.cards[0].id, "interview/a-card");
}

/// Each untruth of the card: what is written instead, before which text its line is, and what is said.
#[test]
fn every_kind_of_untruth_of_a_card_is_found_on_its_line() {
    for (name, was, is, before, says) in [
        (
            "number",
            "[32.5 s](claim:gap) after",
            "[32.6 s](claim:gap) after",
            "[32.5 s](claim:gap) after",
            "[32.6 s](claim:gap) is 32.5 s in the run",
        ),
        (
            "inner",
            "It took [32.5 s]",
            "It took [3.5 s]",
            "because = ",
            "[3.5 s](claim:gap) is 32.5 s in the run",
        ),
        ("winner", "[node3]", "[node2]", "[node3]", "is node3 in the run"),
        (
            "spread",
            "[32.2 to",
            "[32.1 to",
            "[32.2 to",
            "is 32.2 to 32.5 s in the run",
        ),
        (
            "claim",
            "that = \"not two_primaries.ever\"",
            "that = \"two_primaries.ever\"",
            "```claim never",
            "claim never does not hold",
        ),
        (
            "flag",
            "key_taken_ms > 60 s",
            "key_taken_ms > 90 s",
            "```red-flag",
            "what answers the red flag at-once",
        ),
        (
            "next",
            "shows = \"outages.len == 1\"",
            "shows = \"outages.len == 2\"",
            "```follow-up\nquestion = \"And then?\"",
            "what answers a follow-up",
        ),
        (
            "point",
            "if_has = \"race\"",
            "if_has = \"chase\"",
            "```follow-up\nif_has",
            "it follows chase, which is not here; there are lease, race, promotion",
        ),
        (
            "twice",
            "if_has = \"race\"",
            "if_has = \"race\"\nif_misses = \"lease\"",
            "```follow-up\nif_has",
            "has one of if_has, if_misses and if_flag",
        ),
        (
            "field",
            "says = \"A standby",
            "said = \"A standby",
            "says = \"A standby",
            "unknown field `said`",
        ),
        (
            "file",
            "file = \"host-crash\"",
            "file = \"host-crush\"",
            "file = \"host-crash\"",
            "there is no scenarios/host-crush.toml",
        ),
        (
            "block",
            "```rubric",
            "```rubrik",
            "```rubric",
            "there is no block rubrik here; there are scenario, claim, rubric, follow-up, red-flag",
        ),
        (
            "typed",
            "[32.5 s](claim:gap) after",
            "32.5 s after",
            "[32.5 s](claim:gap) after",
            "32.5 s is typed",
        ),
        (
            "title",
            "\n# What happens when",
            "\n# What happened when",
            "\n# What",
            "this is not the title",
        ),
        (
            "level",
            "level = \"middle\"",
            "level = \"staff\"",
            "level = ",
            "unknown variant `staff`",
        ),
        (
            "unstated",
            "[never](claim:never)",
            "never",
            "```claim never",
            "claim never is stated nowhere",
        ),
    ] {
        let sound = card();
        assert_eq!(sound.matches(was).count(), 1, "{name}: {was}");
        let at = sound.find(before).unwrap_or_else(|| panic!("{before} is in the card"));
        let line = sound[..at].matches('\n').count() + 1 + usize::from(before.starts_with('\n'));
        let folder = Folder::with(name, &sound.replacen(was, is, 1), &walk(&STEPS));
        let told = told(&folder.check());
        let place = format!("{}:{line}: ", folder.card().display());
        let found = told.iter().any(|told| told.starts_with(&place) && told.contains(says));
        assert!(found, "{name}: wanted {place}{says}\ngot {told:#?}");
    }
}

#[test]
fn what_a_card_must_have_is_asked_for() {
    for (name, was, is, says) in [
        (
            "lesson",
            "lesson = \"a-lesson\"",
            "lesson = \"another\"",
            "lesson = \"another\": there is no lesson of that name",
        ),
        (
            "long",
            "and that one promotes its",
            &"and ".repeat(60) as &str,
            "an answer of that length has 25 to 60",
        ),
        (
            "prose",
            "```rubric",
            "## A rubric\n\nSome prose.\n\n```rubric",
            "prose stands under one of these headings",
        ),
        (
            "same",
            "name = \"race\"",
            "name = \"lease\"",
            "lease is the name of two",
        ),
    ] {
        let folder = Folder::with(name, &card().replacen(was, is, 1), &walk(&STEPS));
        let told = told(&folder.check());
        assert!(
            told.iter().any(|told| told.contains(says)),
            "{name}: wanted {says}\ngot {told:#?}"
        );
    }
    let at = card().find("```red-flag").expect("a red flag");
    let without = card()[..at].replace("if_flag = \"at-once\"\n", "");
    let folder = Folder::with("without", &without, &walk(&STEPS));
    assert!(
        told(&folder.check())
            .iter()
            .any(|told| told.contains("at least one block red-flag"))
    );
}

#[test]
fn a_walkthrough_goes_forward_in_six_to_nine_steps_within_its_run_and_explains_a_card() {
    for (name, text, says) in [
        ("few", walk(&STEPS[..5]), "5 steps; a walkthrough has 6 to 9"),
        (
            "back",
            walk(&[10, 20, 41, 60, 71, 70]),
            "this moment is before that of the last step",
        ),
        (
            "outside",
            walk(&[10, 20, 41, 60, 71, 121]),
            "not within the run of 120000 ms",
        ),
        (
            "number",
            walk(&STEPS).replacen("70.5 s", "70.4 s", 1),
            "[70.4 s](claim:gone) is 70.5 s in the run",
        ),
        (
            "lane",
            walk(&STEPS).replacen("\"store\"]", "\"node9\"]", 1),
            "there is no lane node9",
        ),
        (
            "other",
            walk(&STEPS).replace("What happens", "Who wonders"),
            "there is no card with this question",
        ),
        (
            "wordy",
            walk(&STEPS).replacen("It is gone", &"very ".repeat(80), 1),
            "a step has at most 70",
        ),
    ] {
        let folder = Folder::with(name, &card(), &text);
        let told = told(&folder.check());
        let place = folder.walk().display().to_string();
        let found = told.iter().any(|told| told.starts_with(&place) && told.contains(says));
        assert!(found, "{name}: wanted {says}\ngot {told:#?}");
    }
}

#[test]
fn numbers_of_cards_and_walkthroughs_are_put_right() {
    let wrong = card().replace("[32.5 s]", "[9.81 s]").replace("[node3]", "[node1]");
    let folder = Folder::with("write", &wrong, &walk(&STEPS).replace("[70.5 s]", "[7.0 s]"));
    let mut checked = folder.check();
    assert_eq!((checked.problems.len(), checked.write().expect("written")), (0, 9));
    assert_eq!(
        fs::read_to_string(folder.card()).expect("a card"),
        card().replace("[32.5 s]", "[32.50 s]")
    );
    assert_eq!(told(&folder.check()), [""; 0]);
}

#[test]
fn what_is_asked_next_depends_on_what_was_said() {
    let card = read(&card());
    let asked = |points: &[&str], flags: &[&str]| -> Vec<String> {
        let asked = card.asked_after(&said(points, flags));
        asked.iter().map(|next| plain(&next.question)).collect()
    };
    assert_eq!(asked(&["lease"], &[]), ["And then?"]);
    assert_eq!(asked(&["lease", "race"], &[]), ["Who decides the race?", "And then?"]);
    assert_eq!(
        asked(&["race"], &["at-once"]),
        [
            "At once? Look at the key.",
            "What does everybody wait for?",
            "Who decides the race?",
            "And then?"
        ]
    );
}

#[test]
fn practice_ends_on_one_page() {
    let card = read(&card());
    let answered = |points: &[&str], flags: &[&str], unanswered: &[usize]| Answered {
        card: &card,
        said: said(points, flags),
        unanswered: unanswered.to_vec(),
    };
    let bet = |sureness, off_ms: f64, right| Bet {
        question: "When is there a primary again?".to_owned(),
        sureness,
        right,
        off_ms: Some(off_ms),
    };
    let record = Record {
        answered: vec![
            answered(&["lease", "race", "promotion"], &[], &[]),
            answered(&["lease"], &["at-once"], &[1]),
        ],
        bets: vec![
            bet(Sureness::Sure, -9_500.0, false),
            bet(Sureness::Sure, 300.0, true),
            bet(Sureness::Guessing, 1_200.0, true),
        ],
    };
    assert_eq!(
        record.page(),
        "\
What I know, what I missed

What happens when the primary's machine dies? (middle)
  1 of 3 points.
  Missed: a race for the key.
  Missed: one promotes.
  I said: A standby is promoted at once. It took 32.5 s.
  No answer to: Who decides the race?

What happens when the primary's machine dies? (middle)
  All 3 points, and nothing wrong.

Bets: 2 of 3 right.
  When I was guessing: 1 of 1.
  When I was sure: 1 of 2.
  Times I bet on were off by 1.2 s in the middle.
  Farthest off, 9.5 s too early: When is there a primary again?

Read again, in this order: a-lesson.
"
    );
    assert!(Record::default().page().contains("Nothing yet"));
    // Whoever has every point and said something wrong has something to learn, and so has whoever was asked and silent.
    let all = &["lease", "race", "promotion"];
    for to_learn in [answered(all, &["at-once"], &[]), answered(all, &[], &[0])] {
        let answered = vec![answered(all, &[], &[]), to_learn];
        let page = Record { answered, bets: vec![] }.page();
        let fine = page.find("nothing wrong").expect("of the first");
        assert!(page.find("3 of 3 points.").is_some_and(|at| at < fine), "{page}");
        assert!(page.ends_with("Read again, in this order: a-lesson.\n"), "{page}");
    }
    let many = Record {
        answered: vec![answered(&[], &["at-once"], &[0, 1, 2, 3]); 30],
        bets: record.bets,
    };
    let page = many.page();
    assert!(
        page.lines().count() <= 60 && page.lines().all(|line| line.chars().count() <= 92),
        "{page}"
    );
    assert!(page.contains("more cards.") && page.contains("Bets: 2 of 3"), "{page}");
}

/// What interviewers mark down, as the cards must have it among them.
const RED_FLAGS: [&str; 9] = [
    "promotion-at-silence",
    "no-self-demotion",
    "ttl-near-loop-wait",
    "store-is-optional",
    "database-arbitrates",
    "lease-triggers-demotion",
    "demotion-beats-expiry",
    "dead-agent-stops-database",
    "token-from-grant",
];

#[test]
fn the_cards_are_for_all_levels_and_have_every_red_flag_among_them() {
    let checked = check(Path::new("lessons"), 2).expect("the lessons");
    assert_eq!(told(&checked), [""; 0]);
    assert!((16..=24).contains(&checked.cards.len()));
    for level in CardLevel::ALL {
        let cards = checked.cards.iter().filter(|card| card.about.level == level).count();
        assert!(cards >= 3, "{} cards for {}", cards, level.word());
    }
    let flags = || checked.cards.iter().flat_map(|card| &card.red_flags);
    for name in RED_FLAGS {
        assert!(flags().any(|flag| flag.name == name), "{name}");
    }
    for card in &checked.cards {
        // Whoever says everything and whoever says nothing are both asked something.
        let all: Vec<&str> = card.rubric.iter().map(|point| point.name.as_str()).collect();
        let flags: Vec<&str> = card.red_flags.iter().map(|flag| flag.name.as_str()).collect();
        for said in [said(&all, &[]), said(&[], &flags)] {
            assert!(!card.asked_after(&said).is_empty(), "{}: {said:?}", card.file);
        }
    }
}

mod any_text {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// A card out of order: any piece cut out and put elsewhere.
        #[test]
        fn no_damage_to_a_card_makes_the_reader_panic(from in 0..TRUE.len(), length in 0..400usize, to in 0..TRUE.len()) {
            let (from, end) = (from, (from + length).min(TRUE.len()));
            let mut text = TRUE.to_owned();
            let piece = text[from..end].to_owned();
            text.replace_range(from..end, "");
            text.insert_str(to.min(text.len()), &piece);
            let _ = Interview::read(&text, "a/1.md", &|_| None);
        }

        #[test]
        fn no_text_whatever_makes_the_reader_panic(text in any::<String>()) {
            let _ = Interview::read(&format!("+++\nexplains = \"x\"\n{text}"), "a/1.md", &|_| None);
            let _ = Interview::read(&text, "a/1.md", &|_| None);
        }
    }
}
