//! What every lesson must have, and what several must have among each other. The rules are those of good teaching that can be
//! checked: bet first, state only what runs, ask for the reason.

use super::problem::Problem;
use super::prose::{Block, Inline};
use super::{Lesson, Part, PartKind};

/// What is wrong with one lesson by itself.
pub(super) fn alone(lesson: &Lesson) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut wrong = |line: usize, what: String| {
        found.push(Problem {
            file: lesson.file.clone(),
            line,
            what,
        });
    };
    if !(5..=10).contains(&lesson.about.minutes) {
        wrong(1, format!("minutes = {}: a lesson takes 5 to 10", lesson.about.minutes));
    }
    if lesson.about.able.is_empty() {
        wrong(1, "able: say what one can do afterwards".to_owned());
    }
    if lesson.parts.first().map(heading) != Some(Some(lesson.about.title.clone())) {
        wrong(
            1,
            format!(
                "the first line after the front matter is its title: # {}",
                lesson.about.title
            ),
        );
    }
    let first = |is: fn(&PartKind) -> bool| lesson.parts.iter().position(|part| is(&part.what));
    let bet = first(|what| matches!(what, PartKind::Predict(_)));
    for (has, what) in [
        (bet, "predict"),
        (first(|what| matches!(what, PartKind::Claim(_))), "claim"),
        (first(|what| matches!(what, PartKind::Ask(_))), "ask"),
    ] {
        if has.is_none() {
            wrong(1, format!("a lesson has at least one block {what}"));
        }
    }
    let watch = first(|what| matches!(what, PartKind::Watch(_)));
    if let (Some(bet), Some(watch)) = (bet, watch)
        && watch < bet
    {
        wrong(
            lesson.parts[watch].line,
            "bet first: a predict stands before the first watch".to_owned(),
        );
    }
    found
}

/// What is wrong among the lessons of a folder, given in their order.
pub(super) fn together(lessons: &[Lesson]) -> Vec<Problem> {
    let mut found = Vec::new();
    for (index, lesson) in lessons.iter().enumerate() {
        let mut wrong = |what: String| {
            found.push(Problem {
                file: lesson.file.clone(),
                line: 1,
                what,
            });
        };
        let before = &lessons[..index];
        for need in &lesson.about.needs {
            let is_there = before
                .iter()
                .any(|other| other.id.rsplit('/').next() == Some(need.as_str()));
            if !is_there {
                wrong(format!("needs {need}: no lesson of that name comes before"));
            }
        }
        for other in before {
            if other.id == lesson.id {
                wrong(format!("{} is the same lesson by its name", other.file));
            }
            if folder(other) == folder(lesson) && other.about.track != lesson.about.track {
                wrong(format!(
                    "track = {:?}, but {} has {:?}",
                    lesson.about.track, other.file, other.about.track
                ));
                break;
            }
        }
    }
    found
}

pub(super) fn heading(part: &Part) -> Option<String> {
    match &part.what {
        PartKind::Prose(Block::Heading(1, words)) => match words.as_slice() {
            [Inline::Text(text)] => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn folder(lesson: &Lesson) -> &str {
    lesson.id.rsplit_once('/').map_or("", |(folder, _)| folder)
}
