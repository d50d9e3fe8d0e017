//! Links, files, reports, and the form's settings.

use super::*;
use crate::exchange::link;
use proptest::prelude::*;

fn file(session: &mut Session, text: &str) -> Vec<Effect> {
    session.reduce(Action::Share(Sharing::File(
        "mine.toml".to_owned(),
        Ok(text.to_owned()),
    )))
}

/// The fragment that a session puts into the address when it comes to rest.
fn settled(session: &mut Session) -> Option<String> {
    session
        .reduce(Action::Settle)
        .into_iter()
        .find_map(|effect| match effect {
            Effect::Address(fragment) => Some(fragment),
            _ => None,
        })
}

fn opened(fragment: &str) -> Session {
    let (mut session, effects) = Session::open(Start {
        fragment: fragment.to_owned(),
        ..Start::default()
    });
    session.reduce(Action::Answered {
        run: asked(&effects),
        story: run(),
    });
    session
}

#[test]
fn the_address_is_written_once_the_person_has_done_something_and_only_when_it_says_something_new() {
    let mut session = opened("");
    session.reduce(Action::Tick(Span::from_millis(16)));
    assert_eq!(settled(&mut session), None, "nobody did anything");
    session.reduce(Action::TogglePlay);
    let fragment = settled(&mut session).expect("somebody did");
    assert!(link::is_link(&fragment));
    session.reduce(Action::Help(true));
    assert_eq!(settled(&mut session), None);
}

#[test]
fn a_link_opens_the_same_experiment_at_the_same_moment_standing_still() {
    let mut session = paused();
    session.reduce(Action::Set("patroni.ttl", "45".into()));
    session.reduce(Action::Fault(FaultEdit::Remove(0)));
    session.reduce(Action::Seek(SimTime(42_345_678)));
    session.reduce(Action::ZoomIn);
    let fragment = settled(&mut session).expect("it has changed");
    let again = opened(&fragment);
    assert_eq!(
        (again.name, &again.scenario, &again.shipped),
        (session.name, &session.scenario, &session.shipped)
    );
    assert_eq!(
        (again.playhead, again.window, again.playing),
        (SimTime(42_345_678), session.window, false)
    );
    assert!(again.share.notices.is_empty() && again.history.undoes().is_none());
    assert_eq!(
        knobs::own_value(&again.scenario, &again.shipped, "patroni.ttl").as_deref(),
        Some("30")
    );
}

#[test]
fn a_link_that_cannot_be_opened_says_why_and_loses_nothing() {
    for hostile in [
        "#/lab/1/!!",
        "#/lab/1/AAAA",
        "#/lab/9/AAAA",
        "#/lab/<script>",
        "#/lab/1/",
    ] {
        let mut session = paused();
        session.reduce(Action::Set("patroni.ttl", "45".into()));
        let before = session.scenario.clone();
        assert!(session.reduce(Action::Follow(hostile.to_owned())).is_empty());
        assert_eq!(session.scenario, before);
        assert!(
            session.share.notices[0].starts_with("The link was not opened: it "),
            "{hostile}"
        );
        assert!(
            !opened(hostile).share.notices.is_empty(),
            "it opens as usual and says so"
        );
    }
}

#[test]
fn a_link_followed_while_something_is_open_can_be_undone() {
    let mut session = paused();
    session.reduce(Action::Choose("steady-state"));
    let link = session.fragment_now();
    let mut session = paused();
    session.reduce(Action::Set("patroni.ttl", "45".into()));
    session.reduce(Action::Follow(link));
    assert_eq!(session.name, "steady-state");
    session.reduce(Action::Undo);
    assert_eq!(
        knobs::own_value(&session.scenario, &session.shipped, "patroni.ttl").as_deref(),
        Some("30")
    );
}

#[test]
fn the_reference_has_a_fragment_of_its_own_and_the_way_back_finds_what_was_open() {
    let mut session = paused();
    session.reduce(Action::Set("patroni.ttl", "45".into()));
    let fragment = settled(&mut session).expect("it has changed");
    session.reduce(Action::Follow(Page::Settings.fragment().to_owned()));
    assert_eq!(session.page, Page::Settings);
    session.reduce(Action::Undo);
    assert_eq!(settled(&mut session), None, "the address belongs to the reference");
    session.reduce(Action::Redo);
    assert!(session.reduce(Action::Follow(fragment)).is_empty());
    assert_eq!(
        (
            session.page,
            knobs::own_value(&session.scenario, &session.shipped, "patroni.ttl").as_deref()
        ),
        (Page::Lab, Some("30"))
    );
}

#[test]
fn nothing_plays_behind_the_reference() {
    let mut session = opened(Page::Settings.fragment());
    assert!(session.page == Page::Settings && !session.playing);
    session.reduce(Action::Follow(Page::Lab.fragment().to_owned()));
    session.reduce(Action::TogglePlay);
    session.reduce(Action::Follow(Page::Settings.fragment().to_owned()));
    assert!(!session.playing);
}

#[test]
fn a_file_becomes_the_scenario_and_one_with_errors_is_told_with_all_of_them_and_loses_nothing() {
    let mut session = paused();
    let effects = file(&mut session, "title = \"Mine\"\n[patroni]\nttl = 50\n");
    assert!(matches!(&effects[..], [Effect::Simulate { toml, .. }] if toml.contains("ttl = 50")));
    assert_eq!((session.scenario.title.as_str(), session.changed()), ("Mine", false));
    let before = session.scenario.clone();
    assert!(file(&mut session, "seed = -1\n[patroni]\ntll = 50\n").is_empty());
    assert_eq!(session.scenario, before);
    assert!(
        session.share.open && session.share.errors[0].starts_with("mine.toml:1: seed = -1: "),
        "{:?}",
        session.share.errors
    );
    assert!(session.share.errors[1].ends_with("did you mean patroni.ttl?"));
    file(&mut session, &"x = 1\n".repeat(100));
    assert_eq!(session.share.errors.last().map(String::as_str), Some("and 91 more"));
    session.reduce(Action::Undo);
    assert_eq!(session.name, OPENING);
}

#[test]
fn what_is_pasted_may_be_a_scenario_or_a_link() {
    let mut session = paused();
    session.reduce(Action::Choose("steady-state"));
    let link = session.link();
    assert!(link.starts_with("https://lab.example/#/lab/2/"));
    for (text, title) in [(link.as_str(), "Steady state: "), ("title = \"Typed\"", "Typed")] {
        let mut session = paused();
        session.reduce(Action::Share(Sharing::Open(true)));
        session.reduce(Action::Share(Sharing::Typed(text.to_owned())));
        session.reduce(Action::Share(Sharing::RunTyped));
        assert!(session.scenario.title.starts_with(title) && !session.share.open);
    }
    session.reduce(Action::Share(Sharing::Typed(
        "https://lab.example/#/lab/1/AA".to_owned(),
    )));
    session.reduce(Action::Share(Sharing::RunTyped));
    assert!(session.share.open && session.share.errors[0].starts_with("The link was not opened"));
}

#[test]
fn a_report_has_link_seed_settings_verdict_and_engine() {
    let mut session = paused();
    session.reduce(Action::Set("patroni.loop_wait", "15".into()));
    let report = session.report();
    for words in [
        session.link().as_str(),
        "Seed: 7\n",
        concat!("Engine: LeaseLab ", env!("CARGO_PKG_VERSION")),
        "  patroni.loop_wait = 15 s\n",
        "  Patroni runs with patroni.loop_wait = 10: ",
        "Verdict: ",
        "kill node1/agent",
    ] {
        assert!(report.contains(words), "{words} in {report}");
    }
    let effects = session.reduce(Action::Share(Sharing::Copy(Copied::Report)));
    assert_eq!(
        effects,
        [Effect::Copy {
            what: Copied::Report,
            text: report.clone()
        }]
    );
    session.reduce(Action::Share(Sharing::Told(Copied::Report, false)));
    assert_eq!(session.share.by_hand, Some(report));
}

#[test]
fn fewer_nodes_or_members_than_faults_need_are_refused_with_the_fault_that_needs_them() {
    let mut session = opened("");
    session.reduce(Action::Share(Sharing::File(
        "faults.toml".to_owned(),
        Ok("[[fault]]\nat_s = 1\nkind = \"kill\"\ntarget = \"node3/agent\"\n\
            [[fault]]\nat_s = 2\nkind = \"kill\"\ntarget = \"etcd3\"\n"
            .to_owned()),
    )));
    for (key, value, words) in [
        ("cluster.nodes", "2", "the target of fault 1 is \"node3/agent\": "),
        ("store.members", "1", "the target of fault 2 is \"etcd3\": "),
        ("cluster.nodes", "0", ""),
        ("cluster.nodes", "8", ""),
    ] {
        session.reduce(Action::Set(key, value.to_owned()));
        let refused = session.refused.clone().expect("refused");
        assert!(refused.words.starts_with(words), "{refused:?}");
        assert!(!session.changed());
    }
    session.reduce(Action::Set("cluster.nodes", "7".to_owned()));
    assert_eq!(
        (session.scenario.cluster.nodes.len(), session.refused.clone()),
        (7, None)
    );
    assert_eq!(
        knobs::own_value(&session.scenario, &session.shipped, "cluster.nodes").as_deref(),
        Some("node1, node2, node3")
    );
    session.reduce(Action::PutBack("cluster.nodes"));
    assert!(!session.changed());
}

/// What a session keeps when it comes to rest.
fn keeps(session: &mut Session) -> Vec<Effect> {
    let mut effects = session.reduce(Action::Settle);
    effects.retain(|effect| matches!(effect, Effect::Keep(_) | Effect::KeepHabits(_)));
    effects
}

#[test]
fn only_what_was_changed_is_kept_and_the_next_visit_offers_it_without_opening_it() {
    let mut session = opened("");
    session.reduce(Action::TogglePlay);
    assert_eq!(keeps(&mut session), [], "nothing was changed");
    session.reduce(Action::Set("patroni.ttl", "45".into()));
    let kept = keeps(&mut session);
    let [Effect::Keep(work)] = &kept[..] else {
        panic!("{kept:?}")
    };
    assert!(work.title.ends_with("its database runs on: ttl 30 → 45 s"), "{work:?}");
    let memory = kept::Memory {
        works: vec![
            (format!("{}1", kept::WORKS), work.write(1_700_000_000_000.0)),
            ("bad".into(), "x".into()),
        ],
        habits: None,
    };
    let (mut next, effects) = Session::open(Start {
        memory,
        ..Start::default()
    });
    assert_eq!(effects[0], Effect::Forget("bad".to_owned()));
    assert!(!next.changed() && next.share.kept == [work.clone()]);
    next.reduce(Action::Follow(work.fragment.clone()));
    assert_eq!(
        knobs::own_value(&next.scenario, &next.shipped, "patroni.ttl").as_deref(),
        Some("30")
    );
    assert!(next.share.kept.is_empty());
}

#[test]
fn habits_are_kept_and_taken_up_again() {
    let mut session = opened("");
    session.reduce(Action::SingleKeys(false));
    session.reduce(Action::SetSpeed(Speed::nth(3)));
    let kept = keeps(&mut session);
    let [Effect::KeepHabits(habits)] = &kept[..] else {
        panic!("{kept:?}")
    };
    for (habits, keys, speed) in [
        (habits.as_str(), false, 3),
        ("keys maybe\nspeed -4\nmood 3", true, 6),
        ("\0", true, 6),
    ] {
        let memory = kept::Memory {
            habits: Some(habits.to_owned()),
            ..kept::Memory::default()
        };
        let (next, _) = Session::open(Start {
            memory,
            ..Start::default()
        });
        assert_eq!((next.single_keys, next.speed.place()), (keys, speed));
    }
}

#[test]
fn a_browser_that_keeps_nothing_is_told_once() {
    let mut session = paused();
    for _ in 0..2 {
        session.reduce(Action::Share(Sharing::NotKept));
    }
    assert_eq!(session.share.notices.len(), 1);
}

#[test]
fn one_help_is_open_at_a_time_and_escape_closes_it() {
    let mut session = paused();
    session.reduce(Action::Explain("patroni.ttl"));
    session.reduce(Action::Explain("seed"));
    assert_eq!(session.explained, Some("seed"));
    session.reduce(Action::CloseWhy);
    assert_eq!(session.explained, None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_experiment_that_can_be_made_has_a_link_that_opens_it(
        sets in proptest::collection::vec((0usize..crate::scenario::FIELDS.len(), "[0-9]{1,3}|true|on|a, b"), 0..12),
        at in 0u64..100_000_000,
        zooms in 0usize..6,
    ) {
        let mut session = paused();
        for (field, value) in sets {
            session.reduce(Action::Set(crate::scenario::FIELDS[field].key, value));
        }
        session.reduce(Action::Seek(SimTime(at).min(SimTime::ZERO + session.scenario.duration)));
        for _ in 0..zooms {
            session.reduce(Action::ZoomIn);
        }
        let again = opened(&session.fragment_now());
        prop_assert_eq!(&again.scenario, &session.scenario);
        prop_assert_eq!(again.playhead, session.playhead);
        prop_assert_eq!(again.window.visible(again.end()), session.window.visible(session.end()));
        prop_assert!(again.share.notices.is_empty());
    }
}
