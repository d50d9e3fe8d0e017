#![cfg(not(target_arch = "wasm32"))]
//! The lessons tell the truth, and what does not is found: each kind of untruth once, with its file and line.

use leaselab::lesson::{Checked, Lesson, check};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A lesson in which everything holds.
const TRUE: &str = r#"+++
title = "A lesson"
track = "A track"
level = "junior"
minutes = 5
able = ["tell that it holds"]
+++

# A lesson

The new primary was writable [32.5 s](claim:gap) after the old one had stopped, [node3](claim:winner) took over, and over
some seeds it took [32.2 to 32.5 s](claim:spread). [Never two](claim:never): [0 of 4](claim:never).

```scenario crash
file = "host-crash"
```

```predict
of = "crash"
question = "When is there a primary again?"
mark = "failovers[0].writable_ms"
near = "2 s"
because = "The lease has to run out: [70.5 s](claim:gone)."
```

```watch
of = "crash"
from = "39 s"
lanes = ["faults", "store", "node1"]
knob = "patroni.ttl"
look = "The fuse."
```

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
figure = "two_primaries.ever"
```

```claim gone
of = "crash"
that = "failovers[0].key_gone_ms > 70 s"
figure = "failovers[0].key_gone_ms"
```

```ask
question = "Why so late?"

[[options]]
text = "The election takes long."
of = "crash"
shows = "failovers[0].key_taken_ms - failovers[0].key_gone_ms < 3 s"
says = "It does not."

[[options]]
text = "The lease has to run out."
right = true
of = "crash"
shows = "failovers[0].key_gone_ms - failovers[0].fault_ms > 29 s"
says = "It does."
```

```make
task = "Fail over within `25 s`."
free = ["patroni.ttl", "patroni.loop_wait", "patroni.retry_timeout"]
solution = { set = { patroni.ttl = 20, patroni.loop_wait = 4, patroni.retry_timeout = 8 }, says = "A shorter lease." }
tempting = [{ set = { patroni.loop_wait = 5 }, says = "The loop is not what is waited for." }]

[[goals]]
of = "crash"
that = "failovers[0].writable_ms - failovers[0].fault_ms < 25 s"
```

```say
question = "Why half a minute?"
seconds = 30
rubric = ["the lease", "the race"]
answer = "Because."
```
"#;

/// A folder of one lesson, removed when it goes.
struct Folder(PathBuf);

impl Folder {
    fn with(name: &str, lesson: &str) -> Folder {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lessons-{name}-{}", std::process::id()));
        fs::create_dir_all(folder.join("track")).expect("a folder");
        fs::create_dir_all(folder.join("scenarios")).expect("a folder");
        fs::copy(
            "lessons/scenarios/host-crash.toml",
            folder.join("scenarios/host-crash.toml"),
        )
        .expect("a scenario");
        let here = Folder(folder);
        fs::write(here.file(), lesson).expect("a lesson");
        here
    }
    fn file(&self) -> PathBuf {
        self.0.join("track/01-a-lesson.md")
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

/// The lessons as they are, checked once for all tests.
fn as_they_are() -> &'static Checked {
    static CHECKED: OnceLock<Checked> = OnceLock::new();
    CHECKED.get_or_init(|| check(Path::new("lessons"), 2).expect("the lessons"))
}

fn told(checked: &Checked) -> Vec<String> {
    let stale = checked.stale.iter().map(|stale| &stale.problem);
    checked.problems.iter().chain(stale).map(ToString::to_string).collect()
}

/// The line of the true lesson on which a text stands.
fn line(text: &str) -> usize {
    let at = TRUE.find(text).unwrap_or_else(|| panic!("{text} is in the lesson"));
    TRUE[..at].matches('\n').count() + 1
}

#[test]
fn every_lesson_holds() {
    let checked = as_they_are();
    assert!(checked.is_fine(), "{}", told(checked).join("\n"));
    assert!(!checked.lessons.is_empty() && checked.counts.claims >= checked.lessons.len());
    println!("{:?}", checked.counts);
}

#[test]
fn a_lesson_in_which_everything_holds_is_fine_and_counted() {
    let folder = Folder::with("true", TRUE);
    let checked = folder.check();
    assert_eq!(told(&checked), [""; 0]);
    let counts = checked.counts;
    assert_eq!((counts.claims, counts.bets, counts.options, counts.tasks), (5, 1, 2, 1));
    assert_eq!((counts.numbers, counts.links), (5, 6));
    // The lesson's seed and three more, and two attempts.
    assert_eq!(counts.runs, 6);
    assert_eq!(checked.lessons[0].id, "track/a-lesson");
}

/// All lessons, each changed, with all scenarios.
fn all_changed(name: &str, change: impl Fn(&str) -> String) -> Checked {
    let folder = Folder::with(name, TRUE);
    for entry in fs::read_dir("lessons").expect("the lessons").flatten() {
        copy(&entry.path(), &folder.0.join(entry.file_name()), &change);
    }
    fs::remove_file(folder.file()).expect("it was there");
    folder.check()
}

fn copy(from: &Path, to: &Path, change: &impl Fn(&str) -> String) {
    if from.is_dir() {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder").flatten() {
            copy(&entry.path(), &to.join(entry.file_name()), change);
        }
    } else if from.extension().is_some_and(|ending| ending == "md") {
        fs::write(to, change(&fs::read_to_string(from).expect("a lesson"))).expect("written");
    } else {
        fs::copy(from, to).expect("copied");
    }
}

#[test]
fn no_number_of_the_lessons_could_be_another() {
    let sound = as_they_are();
    let next = |digit: char| char::from(b'0' + (digit as u8 - b'0' + 1) % 10);
    // The last digit before a unit or the end: the least change there can be.
    let change = |lesson: &str| {
        let parts: Vec<&str> = lesson.split("](claim:").collect();
        let changed = parts.iter().enumerate().map(|(n, part)| {
            let link = part.rfind('[').filter(|_| n + 1 < parts.len());
            match link.and_then(|link| Some(link + part[link..].rfind(|c: char| c.is_ascii_digit())?)) {
                Some(at) => {
                    let digit = part[at..].chars().next().unwrap_or('0');
                    format!("{}{}{}", &part[..at], next(digit), &part[at + 1..])
                }
                None => (*part).to_owned(),
            }
        });
        changed.collect::<Vec<_>>().join("](claim:")
    };
    let checked = all_changed("numbers", change);
    // A reason in words has no digit to change.
    let words = sound.counts.numbers - checked.stale.len();
    assert_eq!(told(&checked).len(), checked.stale.len(), "{:#?}", checked.problems);
    assert_eq!(words, 2, "only the figures that say \"released\"");
}

#[test]
fn every_claim_of_the_lessons_would_fail_if_it_were_the_opposite() {
    let sound = as_they_are();
    let change = |lesson: &str| {
        let opposite = |line: &str| {
            let is_claim = |line: &&str| ["that = \"", "shows = \""].iter().any(|key| line.starts_with(key));
            let Some((key, claim)) = Some(line).filter(is_claim).and_then(|line| line.split_once(" = \"")) else {
                return line.to_owned();
            };
            let claim = claim.trim_end_matches('"');
            format!("{key} = \"not ({})\"", claim.strip_prefix("some ").unwrap_or(claim))
        };
        lesson.lines().map(|line| opposite(line) + "\n").collect()
    };
    let checked = all_changed("claims", change);
    let said = |what: &str| {
        checked
            .problems
            .iter()
            .filter(|problem| problem.what.contains(what))
            .count()
    };
    assert_eq!(said("does not hold"), sound.counts.claims);
    let lessons = sound.lessons.iter().map(|lesson| &lesson.file);
    let shown: usize = lessons
        .chain(sound.cards.iter().map(|card| &card.file))
        .map(|file| {
            fs::read_to_string(file)
                .expect("a lesson")
                .matches("\nshows = ")
                .count()
        })
        .sum();
    assert_eq!(said("the run does not show"), shown);
    // A goal is missed by its own solution, or else by nothing that it should be missed by.
    assert!(said("misses a goal") + said("it is a solution, not a temptation") >= sound.counts.tasks);
}

/// Each untruth: what is written instead, on which line it is found, and what is said.
#[test]
fn every_kind_of_untruth_is_found_on_its_line() {
    let claim_gap = line("```claim gap");
    for (name, was, is, at, says) in [
        (
            "number",
            "[32.5 s]",
            "[32.6 s]",
            line("[32.5 s]"),
            "[32.6 s](claim:gap) is 32.5 s in the run",
        ),
        (
            "winner",
            "[node3]",
            "[node2]",
            line("[node3]"),
            "[node2](claim:winner) is node3 in the run",
        ),
        (
            "spread",
            "[32.2 to",
            "[32.1 to",
            line("[32.2 to"),
            "is 32.2 to 32.5 s in the run",
        ),
        (
            "share",
            "[0 of 4]",
            "[1 of 4]",
            line("[0 of 4]"),
            "is 0 of 4 in the run",
        ),
        (
            "inner",
            "[70.5 s]",
            "[70.4 s]",
            line("[70.5 s]"),
            "[70.4 s](claim:gone) is 70.5 s in the run",
        ),
        (
            "claim",
            "that = \"failovers.len == 1\"\nfigure = \"failovers[0].writable_ms - failovers[0].not",
            "that = \"failovers.len == 2\"\nfigure = \"failovers[0].writable_ms - failovers[0].not",
            claim_gap,
            "claim gap does not hold: failovers.len == 2: failovers.len is 1 (seed 7)",
        ),
        (
            "seeds",
            "that = \"not two_primaries.ever\"",
            "that = \"some two_primaries.ever\"",
            line("```claim never"),
            "claim never does not hold",
        ),
        (
            "name",
            "that = \"failovers[0].key_gone_ms > 70 s\"",
            "that = \"failovers[0].key_gon_ms > 70 s\"",
            line("that = \"failovers[0].key_gone_ms > 70 s\""),
            "'failovers[0].key_gon_ms > 70 s': column 14: failovers[0] has no key_gon_ms",
        ),
        (
            "file",
            "\"host-crash\"",
            "\"host-crush\"",
            line("\"host-crash\""),
            "there is no scenarios/host-crush.toml",
        ),
        (
            "escape",
            "\"host-crash\"",
            "\"../x\"",
            line("\"host-crash\""),
            "there is no scenarios/../x.toml",
        ),
        (
            "option",
            "failovers[0].key_taken_ms - failovers[0].key_gone_ms < 3 s",
            "failovers[0].key_taken_ms - failovers[0].key_gone_ms < 1 s",
            line("```ask"),
            "the run does not show what answers an option",
        ),
        (
            "rights",
            "right = true\n",
            "",
            line("```ask"),
            "exactly one has right = true",
        ),
        (
            "mark",
            "mark = \"failovers[0].writable_ms\"",
            "mark = \"failovers[1].writable_ms\"",
            line("```predict"),
            "failovers[1].writable_ms has no value in this run",
        ),
        (
            "near",
            "near = \"2 s\"",
            "near = \"2\"",
            line("near = \"2 s\""),
            "near is a number like the answer",
        ),
        (
            "outside",
            "from = \"39 s\"",
            "from = \"139 s\"",
            line("```watch"),
            "not within the run of 120000 ms",
        ),
        (
            "lane",
            "\"store\", \"node1\"",
            "\"store\", \"node9\"",
            line("lanes ="),
            "there is no lane node9",
        ),
        (
            "knob",
            "knob = \"patroni.ttl\"",
            "knob = \"patroni.tll\"",
            line("knob ="),
            "there is no setting patroni.tll",
        ),
        (
            "solution",
            "patroni.ttl = 20,",
            "patroni.ttl = 40,",
            line("solution ="),
            "the solution misses a goal",
        ),
        (
            "done",
            "< 25 s\"",
            "< 45 s\"",
            line("```make"),
            "the task is done before anything was set",
        ),
        (
            "tempting",
            "set = { patroni.loop_wait = 5 }",
            "set = { patroni.ttl = 20, patroni.loop_wait = 4, patroni.retry_timeout = 8 }",
            line("tempting ="),
            "this attempt reaches every goal",
        ),
        (
            "free",
            "free = [\"patroni.ttl\", ",
            "free = [",
            line("solution ="),
            "patroni.ttl is not among what is free",
        ),
        (
            "link",
            "(claim:never): ",
            "(nowhere.md): ",
            line("(claim:never): "),
            "nowhere.md: there is no such file",
        ),
        (
            "unknown",
            "(claim:winner)",
            "(claim:loser)",
            line("(claim:winner)"),
            "claim:loser: there is no such claim",
        ),
        (
            "unstated",
            "[node3](claim:winner)",
            "node3",
            line("```claim winner"),
            "claim winner is stated nowhere",
        ),
        (
            "typed",
            "[32.5 s](claim:gap)",
            "32.5 s",
            line("[32.5 s]"),
            "32.5 s is typed",
        ),
        (
            "html",
            "The new primary",
            "<b>The</b> new primary",
            line("The new primary"),
            "without HTML",
        ),
        (
            "key",
            "minutes = 5",
            "minutes = 5\nhours = 1",
            line("minutes = 5") + 1,
            "unknown field `hours`",
        ),
        ("long", "minutes = 5", "minutes = 50", 1, "a lesson takes 5 to 10"),
        ("title", "\n# A lesson", "\n# Another", 1, "is its title"),
        (
            "needs",
            "minutes = 5",
            "minutes = 5\nneeds = [\"x\"]",
            1,
            "needs x: no lesson of that name comes before",
        ),
        ("kind", "```say", "```sing", line("```say"), "there is no block sing"),
        (
            "block",
            "seconds = 30",
            "seconds = 30\nloud = true",
            line("seconds = 30") + 1,
            "unknown field `loud`",
        ),
        (
            "order",
            "of = \"crash\"\nfrom",
            "of = \"smash\"\nfrom",
            line("of = \"crash\"\nfrom"),
            "there are crash",
        ),
    ] {
        assert_eq!(TRUE.matches(was).count(), 1, "{name}: {was}");
        let folder = Folder::with(name, &TRUE.replacen(was, is, 1));
        let told = told(&folder.check());
        let place = format!("{}:{at}: ", folder.file().display());
        let found = told.iter().any(|line| line.starts_with(&place) && line.contains(says));
        assert!(found, "{name}: wanted {place}{says}\ngot {told:#?}");
    }
}

#[test]
fn a_bet_stands_before_what_it_is_about_and_has_one_right_option() {
    let at = TRUE.find("```predict").expect("a bet");
    let end = at + TRUE[at..].find("\n```\n").expect("its end") + 5;
    let (bet, rest) = (&TRUE[at..end], format!("{}{}", &TRUE[..at], &TRUE[end..]));
    let late = Folder::with("late", &format!("{rest}\n{bet}"));
    assert!(told(&late.check()).iter().any(|line| line.contains("bet first")));
    let none = rest.replace("claim:gone", "claim:gap");
    let none = Folder::with("none", &none);
    assert!(
        told(&none.check())
            .iter()
            .any(|line| line.contains("at least one block predict"))
    );
    let options = |second: &str| {
        let options = format!(
            "[[options]]\ntext = \"a\"\nwhen = \"failovers.len == 1\"\n\n[[options]]\ntext = \"b\"\nwhen = \"{second}\"\n```\n"
        );
        TRUE.replace(
            bet,
            "```predict\nof = \"crash\"\nquestion = \"?\"\nbecause = \"So: [70.5 s](claim:gone).\"\n\n@",
        )
        .replace('@', &options)
    };
    let right = Folder::with("one-right", &options("failovers.len == 0"));
    assert_eq!(told(&right.check()), [""; 0]);
    let both = Folder::with("both-right", &options("failovers.len <= 1"));
    assert!(
        told(&both.check())
            .iter()
            .any(|line| line.contains("2 options are right instead of one"))
    );
}

#[test]
fn numbers_are_put_right_in_the_prose_and_within_blocks_in_their_own_form() {
    let wrong = TRUE
        .replace("[32.5 s]", "[9.81 s]")
        .replace("[32.2 to 32.5 s]", "[1.0 s]")
        .replace("[node3]", "[node1]")
        .replace("[0 of 4]", "[4 of 5]")
        .replace("[70.5 s]", "[7 s]");
    let folder = Folder::with("write", &wrong);
    let mut checked = folder.check();
    assert_eq!((checked.problems.len(), checked.stale.len()), (0, 5));
    assert_eq!(checked.write().expect("written"), 5);
    assert!(checked.is_fine());
    let written = fs::read_to_string(folder.file()).expect("a lesson");
    let asked_for = TRUE.replace("[32.5 s]", "[32.50 s]").replace("[70.5 s]", "[70 s]");
    assert_eq!(written, asked_for);
    assert_eq!(told(&folder.check()), [""; 0]);
}

#[test]
fn a_file_that_is_no_lesson_is_refused_with_its_reason() {
    let refused = |text: &str| Lesson::read(text, "a/1.md", &|_| None).unwrap_err()[0].to_string();
    assert!(refused("").contains("begins with its front matter"));
    assert!(refused("+++\ntitle = \"x\r\n\"\n+++\n").contains("carriage return"));
    assert!(refused(&"x".repeat(300_000)).contains("larger than"));
    assert!(refused("+++\ntitle = 3\n+++\n").starts_with("a/1.md:2: "));
    assert!(refused(&"> ".repeat(50_000)).contains("nested"));
    let written = "```scenario x\nduration_s = 10\n\n[patroni]\nttl = 0\n```\n";
    assert!(
        refused(written).starts_with("a/1.md:5: patroni.ttl = 0: "),
        "{}",
        refused(written)
    );
}

mod any_text {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// A lesson out of order: any piece cut out, doubled or moved.
        #[test]
        fn no_damage_to_a_lesson_makes_the_reader_panic(from in 0..TRUE.len(), length in 0..400usize, to in 0..TRUE.len()) {
            let (from, end) = (from, (from + length).min(TRUE.len()));
            let mut text = TRUE.to_owned();
            let piece = text[from..end].to_owned();
            text.replace_range(from..end, "");
            text.insert_str(to.min(text.len()), &piece);
            let _ = Lesson::read(&text, "a/1.md", &|_| None);
        }

        #[test]
        fn no_text_whatever_makes_the_reader_panic(text in any::<String>()) {
            let _ = Lesson::read(&format!("+++\n{text}"), "a/1.md", &|_| None);
            let _ = Lesson::read(&text, "a/1.md", &|_| None);
        }
    }
}
