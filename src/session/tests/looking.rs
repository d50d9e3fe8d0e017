//! Of a long run, messages and waits are known of the part that is looked at.

use super::*;

/// A paused session with a run of a day, of so many events, of which no messages are known.
fn day(events: u32) -> (Session, Vec<Effect>) {
    let (mut session, effects) = open(false);
    session.reduce(Action::TogglePlay);
    let mut story = empty_story();
    story.verdict.duration = Span::from_secs(86_400);
    story.verdict.events = events;
    story.detail = Detail::default();
    let story = Rc::new(story);
    let effects = session.reduce(Action::Answered {
        run: asked(&effects),
        story,
    });
    session.reduce(Action::TogglePlay);
    (session, effects)
}

fn looks(effects: &[Effect]) -> Option<(u64, u64)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Look { from, until, .. } => Some((from.0 / 1_000_000, until.0 / 1_000_000)),
        _ => None,
    })
}

fn told(session: &mut Session, (from, until): (u64, u64)) -> Vec<Effect> {
    let detail = Detail {
        from: SimTime(from * 1_000_000),
        until: SimTime(until * 1_000_000),
        ..Detail::default()
    };
    let run = session.run;
    session.reduce(Action::Looked {
        run,
        detail: Box::new(detail),
    })
}

fn see(session: &mut Session, from: u64, until: u64) -> Vec<Effect> {
    session.reduce(Action::See(SimTime(from * 1_000_000), SimTime(until * 1_000_000)))
}

#[test]
fn what_comes_into_view_is_asked_for_with_as_much_on_either_side() {
    let (mut session, _) = day(13_000_000);
    told(&mut session, (0, 90));
    assert!(!session.knows_all());
    let asked = looks(&see(&mut session, 40_000, 40_300));
    assert_eq!(asked, Some((39_700, 40_600)));
    assert!(session.sees_messages());
    // One question at a time; a step to the side within what is known asks nothing.
    assert_eq!(looks(&see(&mut session, 50_000, 50_300)), None);
    assert_eq!(looks(&told(&mut session, (39_700, 40_600))), Some((49_700, 50_600)));
    assert_eq!(looks(&told(&mut session, (49_700, 50_600))), None);
    assert_eq!(looks(&see(&mut session, 50_200, 50_500)), None);
    assert_eq!(looks(&see(&mut session, 50_400, 50_700)), Some((50_100, 51_000)));
}

#[test]
fn a_wide_view_has_no_messages_and_then_it_is_told_who_waits_at_the_playhead() {
    let (mut session, effects) = day(13_000_000);
    assert_eq!(looks(&effects), None, "it plays");
    assert!(!session.sees_messages());
    let asked = looks(&session.reduce(Action::Seek(SimTime(7_000_000_000))));
    // The first answer may still be under way.
    let asked = asked.or_else(|| looks(&told(&mut session, (0, 90))));
    assert_eq!(asked, Some((6_910, 7_090)));
}

#[test]
fn what_has_too_many_events_is_looked_at_as_it_is_or_not_at_all() {
    let (mut session, _) = day(u32::MAX);
    told(&mut session, (0, 90));
    // About 50,000 events a second: ten seconds and as much on either side are too many, ten seconds are not.
    assert_eq!(looks(&see(&mut session, 40_000, 40_010)), Some((40_000, 40_010)));
    told(&mut session, (40_000, 40_010));
    assert_eq!(looks(&see(&mut session, 50_000, 50_060)), None);
}

#[test]
fn an_answer_about_another_run_is_dropped_and_a_new_run_is_looked_at_anew() {
    let (mut session, _) = day(13_000_000);
    told(&mut session, (0, 90));
    let asked = looks(&see(&mut session, 0, 300)).expect("it is not known");
    let old = session.run;
    let effects = session.reduce(Action::Set("patroni.ttl", "31".into()));
    assert!(matches!(effects[..], [Effect::Simulate { .. }]), "the run comes first");
    let late = Action::Looked {
        run: old,
        detail: Box::new(Detail {
            from: SimTime(asked.0 * 1_000_000),
            until: SimTime(asked.1 * 1_000_000),
            ..Detail::default()
        }),
    };
    assert_eq!(session.reduce(late), []);
    let mut story = (**session.story.as_ref().expect("shown")).clone();
    story.detail = Detail::default();
    let run = session.run;
    let story = Rc::new(story);
    assert_eq!(looks(&session.reduce(Action::Answered { run, story })), Some(asked));
}

#[test]
fn a_trace_that_is_too_long_is_saved_of_the_part_in_view_or_without_what_is_not_kept() {
    let part = |effects: Vec<Effect>| match effects[..] {
        [Effect::Trace { part, .. }] => part.map(|(from, until)| (from.0 / 1_000_000, until.0 / 1_000_000)),
        _ => panic!("{effects:?}"),
    };
    let (mut session, _) = day(13_000_000);
    told(&mut session, (0, 90));
    let save = || Action::Share(Sharing::Save(Export::Trace));
    assert_eq!(part(session.reduce(save())), None);
    let kept = session.share.told.clone().expect("it says so");
    assert!(kept.contains("Zoom in"), "{kept}");
    see(&mut session, 40_000, 40_300);
    assert_eq!(part(session.reduce(save())), Some((40_000, 40_300)));
}
