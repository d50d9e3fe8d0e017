//! The page within another page, files of the run, newer versions of the site.

use super::*;
use crate::session::embed::Message;

fn embedded() -> Session {
    let (mut session, effects) = Session::open(Start {
        calm: true,
        site: "https://lab.example/?embed=1".to_owned(),
        ..Start::default()
    });
    session.reduce(Action::Answered {
        run: asked(&effects),
        story: run(),
    });
    session
}

fn message(verb: &str) -> Message {
    Message {
        version: Some(embed::VERSION),
        verb: Some(verb.to_owned()),
        ..Message::default()
    }
}

/// Does what a message asks for; says whether it asked for anything.
fn say(session: &mut Session, message: Message) -> bool {
    let action = session.asked(&message);
    let asks = action.is_some();
    action.into_iter().for_each(|action| drop(session.reduce(action)));
    asks
}

#[test]
fn the_page_around_plays_stops_and_seeks_and_is_told() {
    let mut session = embedded();
    assert!(say(&mut session, message("play")) && session.playing);
    assert!(!say(&mut session, message("play")), "it plays already");
    assert!(say(&mut session, message("pause")) && !session.playing);
    let seek = |ms| Message {
        ms: Some(ms),
        ..message("seek")
    };
    assert!(say(&mut session, seek(42_123.0)));
    let state = session.state().expect("a run is there");
    assert_eq!((state.at_ms, state.end_ms, state.playing), (42_123, 100_000, false));
    assert_eq!(state.verdict, session.story.as_ref().expect("a run").verdict.headline());
    assert!(say(&mut session, seek(1e15)));
    assert_eq!(session.playhead, session.end());
    for ms in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
        assert!(!say(&mut session, seek(ms)), "{ms}");
    }
}

#[test]
fn the_page_around_opens_links_and_nothing_else() {
    let mut other = paused();
    other.reduce(Action::Set("patroni.ttl", "45".into()));
    let link = other.link();
    let mut session = embedded();
    let open = |link: &str| Message {
        link: Some(link.to_owned()),
        ..message("open")
    };
    assert!(say(&mut session, open(&link)));
    assert_eq!(session.scenario.get("patroni.ttl").as_deref(), Some("45"));
    for strange in [
        "",
        "#",
        "https://elsewhere.example/",
        "#/settings",
        "#/lab/1/AAAA",
        "#/lab/9/AAAA",
    ] {
        assert!(!say(&mut session, open(strange)), "{strange}");
    }
    assert!(session.share.notices.is_empty());
}

#[test]
fn messages_of_another_version_or_to_a_page_that_is_not_within_another_are_ignored() {
    let mut session = embedded();
    for version in [None, Some(0.0), Some(2.0)] {
        assert!(!say(
            &mut session,
            Message {
                version,
                ..message("play")
            }
        ));
    }
    assert!(!say(&mut session, message("dance")));
    assert!(!say(&mut session, Message::default()));
    assert!(!say(&mut paused(), message("play")));
}

#[test]
fn within_another_page_no_address_is_written_nothing_is_kept_and_links_lead_out() {
    let mut session = embedded();
    session.reduce(Action::Set("patroni.ttl", "45".into()));
    assert_eq!(session.reduce(Action::Settle), []);
    assert!(session.link().starts_with("https://lab.example/#/lab/2/"));
    assert!(session.snippet().contains("src=\"https://lab.example/?embed=1#/lab/2/"));
    assert!(pressed(&session, "?", Focus::Page).is_none());
    for site in [
        "https://lab.example/",
        "https://lab.example/?embed=10",
        "https://embed=1.example/",
    ] {
        let (session, _) = Session::open(Start {
            site: site.to_owned(),
            ..Start::default()
        });
        assert!(!session.embedded, "{site}");
    }
}

#[test]
fn a_title_cannot_break_out_of_the_snippet() {
    let mut session = paused();
    session.reduce(Action::Set("title", "A \"quoted\" <b>&".into()));
    assert!(
        session
            .snippet()
            .contains("title=\"LeaseLab: A &quot;quoted&quot; <b>&amp;\"")
    );
}

#[test]
fn files_are_named_after_the_scenario_and_made_only_of_a_run_that_is_shown() {
    let mut session = paused();
    let save = |what| Action::Share(Sharing::Save(what));
    let effects = session.reduce(save(Export::Svg));
    let name = "the-leader-s-agent-is-killed-its-database-runs-on.svg".to_owned();
    assert_eq!(
        effects,
        [Effect::Draw {
            what: Export::Svg,
            name
        }]
    );
    let effects = session.reduce(Action::Set("patroni.ttl", "45".into()));
    assert_eq!(session.reduce(save(Export::Png)), [], "the run is under way");
    assert!(
        session
            .share
            .told
            .as_ref()
            .is_some_and(|told| told.contains("not there yet"))
    );
    session.reduce(Action::Answered {
        run: asked(&effects),
        story: run(),
    });
    let run = asked(&effects);
    assert_eq!(
        session.reduce(save(Export::Trace)),
        [Effect::Trace {
            run,
            part: Some((SimTime::ZERO, SimTime(100_000_000)))
        }]
    );
}

#[test]
fn a_trace_of_another_run_than_the_one_shown_is_not_saved() {
    let mut session = paused();
    let run = match session.reduce(Action::Share(Sharing::Save(Export::Trace)))[..] {
        [Effect::Trace { run, .. }] => run,
        _ => panic!("the trace is asked for"),
    };
    let traced = |run, lines| Action::Share(Sharing::Traced { run, lines });
    let text: Rc<[u8]> = Rc::from(&b"{}\n"[..]);
    let effects = session.reduce(traced(run, Some(text.clone())));
    assert!(matches!(&effects[..], [Effect::Save { name, .. }] if name.ends_with(".jsonl")));
    assert_eq!(session.reduce(traced(run + 1, Some(text))), []);
    assert_eq!(session.reduce(traced(run, None)), []);
    assert!(
        session
            .share
            .told
            .as_ref()
            .is_some_and(|told| told.contains("has changed"))
    );
}

#[test]
fn a_newer_version_is_offered_and_what_is_open_is_in_the_address_before_it_is_used() {
    let mut session = paused();
    session.reduce(Action::NewerSite(true));
    assert!(session.newer);
    session.reduce(Action::Set("patroni.ttl", "45".into()));
    let effects = session.reduce(Action::UseNewerSite);
    assert!(matches!(&effects[..], [Effect::Address(_), .., Effect::UseNewerSite]));
    session.reduce(Action::NewerSite(false));
    assert!(!session.newer);
}
