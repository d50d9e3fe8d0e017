//! A recorded run is opened, compared and closed.

use super::*;
use crate::compare::{Figures, Fitting};
use std::fs;

fn recorded(session: &mut Session, what: Recorded) -> Vec<Effect> {
    session.reduce(Action::Recorded(what))
}
fn file(id: &str) -> Result<String, String> {
    Ok(fs::read_to_string(format!("tests/recordings/{id}.json")).expect("a recording"))
}
/// What is asked for with the file of the recording there.
fn fetched(session: &mut Session, id: &str) -> Vec<Effect> {
    let effects = recorded(session, Recorded::Open(id.into()));
    assert_eq!(effects, [Effect::Fetch(Wanted::Run(id.into()))]);
    recorded(session, Recorded::Fetched(Wanted::Run(id.into()), file(id)))
}
fn survey(effects: &[Effect]) -> u32 {
    let [Effect::Survey { survey, .. }] = effects else {
        panic!("a survey is asked for: {effects:?}");
    };
    *survey
}
const FITTING: Fitting = Fitting {
    seed: 5,
    fault: SimTime(35_770_000),
    sees: None,
};
/// A session that shows a recording; the number of its survey, and what it asked for.
fn open(id: &str) -> (Session, u32, Vec<Effect>) {
    let mut session = paused();
    let survey = survey(&fetched(&mut session, id));
    let effects = recorded(
        &mut session,
        Recorded::Fits {
            survey,
            fitting: FITTING,
        },
    );
    (session, survey, effects)
}
fn opened(session: &Session) -> &recorded::Opened {
    session.recordings.opened.as_ref().expect("a recording is open")
}
fn trouble(session: &Session) -> &str {
    session.recordings.trouble.as_deref().expect("something went wrong")
}

#[test]
fn the_list_is_fetched_once_and_grouped_by_what_was_done() {
    let mut session = paused();
    let effects = recorded(&mut session, Recorded::Choosing(true));
    assert_eq!(effects, [Effect::Fetch(Wanted::List)]);
    let run = |id: &str, scenario: &str| {
        format!(
            r#"{{"id":"{id}","scenario":"{scenario}","variant":null,"set":"default",
               "params":{{"ttl":30,"loop_wait":10,"retry_timeout":10,"failsafe":false,"sync":false}}}}"#
        )
    };
    let runs = [
        run("s3-default-02", "3_kill_agent_only"),
        run("s3-default-03", "3_kill_agent_only"),
        run("s10-default-02", "10_etcd_leader_crash"),
    ];
    let text = format!("[{}]", runs.join(","));
    recorded(&mut session, Recorded::Fetched(Wanted::List, Ok(text)));
    let list = session.recordings.list.clone().expect("a list");
    let titles: Vec<(&str, usize)> = list
        .iter()
        .map(|group| (group.title.as_str(), group.runs.len()))
        .collect();
    assert_eq!(
        titles,
        [
            ("3: only the leader’s agent is killed", 2),
            ("10: the store’s leading member is killed", 1)
        ]
    );
    assert_eq!(
        list[0].runs[0].settings(),
        "default: ttl 30 s, loop_wait 10 s, retry_timeout 10 s"
    );
    recorded(&mut session, Recorded::Choosing(false));
    assert!(recorded(&mut session, Recorded::Choosing(true)).is_empty());
}

#[test]
fn an_opened_recording_becomes_the_scenario_that_runs() {
    let (session, _, effects) = open("s3-default-02");
    let [Effect::Simulate { toml, measure, .. }] = &effects[..] else {
        panic!("{effects:?}");
    };
    assert!(toml.contains("kind = \"kill\"") && toml.contains("pg2/agent") && measure.is_some());
    assert_eq!(session.scenario.seed, 5);
    assert!(!session.recordings.choosing && !session.changed());
    let opened = opened(&session);
    assert_eq!(opened.title, "3: only the leader’s agent is killed");
    assert_eq!(opened.versions(), "Patroni 4.1.5, etcd 3.4.23, PostgreSQL 15.18");
    // Both end together: one window and one playhead serve both.
    let simulated = SimTime::ZERO + session.scenario.duration;
    assert_eq!(opened.story.end().0 / 1_000, simulated.0 / 1_000);
    let fault = opened.story.faults[0].from;
    assert_eq!(fault, FITTING.fault);
}

#[test]
fn opening_a_recording_can_be_undone_and_done_again() {
    let (mut session, survey, _) = open("s3-default-02");
    let effects = session.reduce(Action::Undo);
    assert!(matches!(
        effects[..],
        [Effect::EndSurvey, Effect::Simulate { measure: None, .. }]
    ));
    assert!(session.recordings.opened.is_none() && session.name == OPENING && !session.changed());
    let effects = session.reduce(Action::Redo);
    assert!(matches!(effects[..], [Effect::Simulate { measure: Some(_), .. }]));
    assert_eq!(opened(&session).survey, Survey::Broken, "its worker went home");
    let figures = Box::new(Figures::default());
    recorded(&mut session, Recorded::Seed { survey, figures });
    assert_eq!(opened(&session).beside.seeds, 0, "and what it still says is not heard");
    session.reduce(Action::Recorded(Recorded::Close));
    assert_eq!(session.name, OPENING);
}

#[test]
fn figures_come_seed_by_seed_and_those_of_an_older_run_are_dropped() {
    let (mut session, survey, effects) = open("s3-default-02");
    let run = asked(&effects);
    let figures = || {
        Box::new(Figures {
            failover: true,
            winner_abstained: 1,
            ..Figures::default()
        })
    };
    for _ in 0..6 {
        recorded(
            &mut session,
            Recorded::Seed {
                survey,
                figures: figures(),
            },
        );
    }
    recorded(
        &mut session,
        Recorded::Seed {
            survey: survey + 1,
            figures: figures(),
        },
    );
    recorded(
        &mut session,
        Recorded::Measured {
            run: run - 1,
            figures: figures(),
        },
    );
    let beside = opened(&session).beside.clone();
    assert_eq!((beside.seeds, beside.alike), (6, 6));
    let failover = &beside.rows[0];
    assert_eq!((failover.recorded.as_str(), failover.this_run.as_str()), ("yes", ""));
    assert_eq!(
        (failover.range.as_str(), failover.inside.clone()),
        ("yes in 6 of 6 seeds", Some(Ok(())))
    );
    let gone = beside
        .rows
        .iter()
        .find(|row| row.words.starts_with("The leader key"))
        .expect("a row");
    assert_eq!(gone.recorded, "24.653 s");
    recorded(
        &mut session,
        Recorded::Measured {
            run,
            figures: figures(),
        },
    );
    assert_eq!(opened(&session).beside.rows[0].this_run, "yes");
    recorded(&mut session, Recorded::Surveyed { survey });
    assert_eq!(opened(&session).survey, Survey::Done);
}

#[test]
fn a_changed_setting_keeps_the_recording_and_can_be_undone() {
    let (mut session, ..) = open("s3-default-02");
    let effects = session.reduce(Action::Set("patroni.ttl", "60".into()));
    assert!(matches!(&effects[..], [Effect::Simulate { measure: Some(_), .. }]));
    assert!(session.changed() && session.recordings.opened.is_some());
    session.reduce(Action::ResetSettings);
    assert!(!session.changed() && session.recordings.opened.is_some());
}

#[test]
fn closing_it_goes_back_to_the_scenario_before() {
    let (mut session, ..) = open("s3-default-02");
    let effects = recorded(&mut session, Recorded::Close);
    assert!(matches!(
        &effects[..],
        [Effect::EndSurvey, Effect::Simulate { measure: None, .. }]
    ));
    assert!(session.recordings.opened.is_none());
    assert_eq!((session.name, &*session.scenario), (OPENING, &*shipped(OPENING)));
}

#[test]
fn another_scenario_takes_its_place_and_what_is_on_its_way_is_dropped() {
    let (mut session, ..) = open("s3-default-02");
    session.reduce(Action::Choose("steady-state"));
    assert!(session.recordings.opened.is_none());
    let mut session = paused();
    let survey = survey(&fetched(&mut session, "s3-default-02"));
    session.reduce(Action::Choose(OPENING));
    let late = recorded(
        &mut session,
        Recorded::Fits {
            survey,
            fitting: FITTING,
        },
    );
    assert!(late.is_empty() && session.recordings.opened.is_none());
}

#[test]
fn what_cannot_be_opened_is_said_in_words_and_nothing_else_changes() {
    let mut session = paused();
    let before = session.scenario.clone();
    let come = |session: &mut Session, text: Result<String, String>| {
        recorded(session, Recorded::Open("s1".into()));
        recorded(session, Recorded::Fetched(Wanted::Run("s1".into()), text))
    };
    assert!(come(&mut session, Err("the site answers with status 404".into())).is_empty());
    assert_eq!(
        trouble(&session),
        "The recording s1 could not be opened: the site answers with status 404. Choose another."
    );
    come(&mut session, Ok("{}".into()));
    assert!(
        trouble(&session).contains("not a recorded run"),
        "{}",
        trouble(&session)
    );
    let unknown = file("s3-default-02").map(|text| text.replace("3_kill_agent_only", "77_unheard_of"));
    come(&mut session, unknown);
    assert!(
        trouble(&session).contains("cannot rebuild it yet"),
        "{}",
        trouble(&session)
    );
    assert!(session.scenario == before && session.recordings.coming.is_none());
}

#[test]
fn a_survey_that_finds_no_seed_or_dies_says_so() {
    let mut session = paused();
    let number = survey(&fetched(&mut session, "s3-default-02"));
    recorded(&mut session, Recorded::Surveyed { survey: number });
    assert!(trouble(&session).contains("under no seed"));
    fetched(&mut session, "s3-default-02");
    recorded(&mut session, Recorded::SurveyDied);
    assert!(trouble(&session).contains("the engine stopped"));
    let (mut session, ..) = open("s3-default-02");
    recorded(&mut session, Recorded::SurveyDied);
    assert_eq!(opened(&session).survey, Survey::Broken);
}
