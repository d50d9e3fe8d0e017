//! A file as a card or a walkthrough: taken apart, its front matter read, its answers gathered from under their headings.

use super::blocks::{CardFront, WalkthroughFront};
use super::build::{Built, OF_CARDS, OF_WALKTHROUGHS, build};
use super::{Answers, Card, CardAbout, FollowUp, Interview, Point, RedFlag, Step, Walkthrough, When, plain};
use crate::lesson::Stated;
use crate::lesson::build::Builder;
use crate::lesson::problem::{Problem, Problems};
use crate::lesson::prose::{Block, Piece, pieces};
use crate::lesson::read::{id_of, readable, toml};

/// The headings under which a card has its answers.
pub(super) const HEADINGS: [&str; 3] = ["In twenty seconds", "In a minute", "In depth"];

impl Interview {
    /// Reads a card, or a walkthrough: what has `explains` in its front matter. `file` is what errors call it and what its id
    /// is made of; `shelf` has the scenario files, by name without ending.
    ///
    /// ```
    /// use leaselab::lesson::Interview;
    /// let problems = Interview::read("# A question alone", "lessons/interview/01-y.md", &|_| None).unwrap_err();
    /// assert!(problems[0].to_string().starts_with("lessons/interview/01-y.md:1: a card begins with its front matter"));
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with it, at least one problem.
    pub fn read(text: &str, file: &str, shelf: &dyn Fn(&str) -> Option<String>) -> Result<Interview, Vec<Problem>> {
        let mut problems = readable(text, file)?;
        let mut all = pieces(text, &mut problems).into_iter();
        let Some(Piece::FrontMatter(body)) = all.next() else {
            problems.on(1, "a card begins with its front matter: TOML between two lines of +++");
            return Err(problems.found);
        };
        let front = &text[body.clone()];
        let is_walkthrough = front
            .parse::<toml::Table>()
            .is_ok_and(|front| front.contains_key("explains"));
        let title = if is_walkthrough {
            toml(front, &body, &mut problems).map(|front: WalkthroughFront| Title::Walkthrough(front.explains))
        } else {
            toml(front, &body, &mut problems).map(|front: CardFront| Title::Card(front))
        };
        let Some(title) = title else {
            return Err(problems.found);
        };
        let mut reading = Reading {
            known: if is_walkthrough { &OF_WALKTHROUGHS } else { &OF_CARDS },
            builder: Builder::of(text, shelf),
            has_title: false,
            under: None,
            answers: Answers::default(),
            rubric: Vec::new(),
            follow_ups: Vec::new(),
            red_flags: Vec::new(),
            claims: Vec::new(),
            steps: Vec::new(),
        };
        for piece in all {
            reading.piece(piece, title.words(), &mut problems);
        }
        reading.names(&mut problems);
        if !reading.has_title {
            let what = format!(
                "the first line after the front matter is its title: # {}",
                title.words()
            );
            problems.on(1, what);
        }
        if problems.found.is_empty() {
            Ok(reading.finish(title, file))
        } else {
            Err(problems.found)
        }
    }
}

enum Title {
    Card(CardFront),
    Walkthrough(String),
}

impl Title {
    fn words(&self) -> &str {
        match self {
            Title::Card(front) => &front.question,
            Title::Walkthrough(explains) => explains,
        }
    }
}

struct Reading<'a> {
    /// The blocks that there may be.
    known: &'a [&'a str],
    builder: Builder<'a>,
    has_title: bool,
    /// Which of the answers is being read, by its place in [`HEADINGS`].
    under: Option<usize>,
    answers: Answers,
    rubric: Vec<Point>,
    follow_ups: Vec<FollowUp>,
    red_flags: Vec<RedFlag>,
    claims: Vec<(usize, Stated)>,
    steps: Vec<Step>,
}

impl Reading<'_> {
    fn piece(&mut self, piece: Piece, title: &str, problems: &mut Problems<'_>) {
        match piece {
            Piece::FrontMatter(body) => problems.at(body.start, "there is front matter already"),
            Piece::Prose(at, Block::Heading(1, words)) => {
                self.has_title = plain(&[Block::Paragraph(words)]) == title;
                if !self.has_title {
                    problems.at(at, format!("this is not the title of the front matter: # {title}"));
                }
            }
            Piece::Prose(_, Block::Heading(_, words)) => {
                let words = plain(&[Block::Paragraph(words)]);
                self.under = HEADINGS.iter().position(|heading| *heading == words);
            }
            Piece::Prose(at, block) => match self.under {
                Some(0) => self.answers.short.push(block),
                Some(1) => self.answers.minute.push(block),
                Some(_) => self.answers.deep.push(block),
                None => {
                    let what = format!("prose stands under one of these headings: {}", HEADINGS.join(", "));
                    problems.at(at, what);
                }
            },
            Piece::Fence(fence) => {
                let line = problems.line(fence.at);
                match build(&mut self.builder, &fence, self.known, problems) {
                    Some(Built::Claim(stated)) => self.claims.push((line, stated)),
                    Some(Built::Rubric(points)) => self.rubric.extend(points),
                    Some(Built::FollowUp(follow_up)) => self.follow_ups.push(follow_up),
                    Some(Built::RedFlag(flag)) => self.red_flags.push(flag),
                    Some(Built::Step(step)) => self.steps.push(step),
                    Some(Built::Scenario) | None => {}
                }
            }
        }
    }

    /// Whether every point and every flag has a name of its own, and every follow-up follows one that exists.
    fn names(&self, problems: &mut Problems<'_>) {
        let points: Vec<&str> = self.rubric.iter().map(|point| point.name.as_str()).collect();
        let flags: Vec<&str> = self.red_flags.iter().map(|flag| flag.name.as_str()).collect();
        for names in [&points, &flags] {
            for (index, name) in names.iter().enumerate() {
                if names[..index].contains(name) {
                    problems.on(1, format!("{name} is the name of two; choose another for one of them"));
                }
            }
        }
        for follow_up in &self.follow_ups {
            let (name, among) = match &follow_up.when {
                When::Always => continue,
                When::Has(name) | When::Misses(name) => (name, &points),
                When::Flag(name) => (name, &flags),
            };
            if !among.contains(&name.as_str()) {
                let what = format!("it follows {name}, which is not here; there are {}", among.join(", "));
                problems.on(follow_up.line, what);
            }
        }
    }

    fn finish(self, title: Title, file: &str) -> Interview {
        let (id, file) = (id_of(file), file.to_owned());
        match title {
            Title::Card(front) => Interview::Card(Card {
                id,
                file,
                about: CardAbout {
                    question: front.question,
                    level: front.level,
                    topics: front.topics,
                    lesson: front.lesson,
                },
                answers: self.answers,
                rubric: self.rubric,
                follow_ups: self.follow_ups,
                red_flags: self.red_flags,
                claims: self.claims,
                scenarios: self.builder.scenarios,
            }),
            Title::Walkthrough(explains) => Interview::Walkthrough(Walkthrough {
                id,
                file,
                explains,
                steps: self.steps,
                claims: self.claims,
                scenarios: self.builder.scenarios,
            }),
        }
    }
}
