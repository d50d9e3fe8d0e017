//! A file as a lesson: taken apart, its front matter read, its scenarios staged, its blocks built in their order.

use super::blocks::AboutBlock;
use super::build::Builder;
use super::problem::{Problem, Problems};
use super::prose::{KINDS, Piece, pieces};
use super::staging::Staged;
use super::{About, Lesson, Part, PartKind};
use std::ops::Range;

/// The largest file that is read, in bytes.
const FILE_BYTES_MAX: usize = 200_000;

impl Lesson {
    /// Reads a lesson. `file` is what errors call it and what its id is made of; `shelf` has the scenario files, by name
    /// without ending.
    ///
    /// ```
    /// use leaselab::lesson::Lesson;
    /// let problems = Lesson::read("# A title alone", "lessons/x/01-y.md", &|_| None).unwrap_err();
    /// assert!(problems[0].to_string().starts_with("lessons/x/01-y.md:1: a lesson begins with its front matter"));
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with it, at least one problem.
    pub fn read(text: &str, file: &str, shelf: &dyn Fn(&str) -> Option<String>) -> Result<Lesson, Vec<Problem>> {
        let mut problems = readable(text, file)?;
        let mut reading = Reading {
            text,
            about: None,
            parts: Vec::new(),
            builder: Builder::of(text, shelf),
        };
        for piece in pieces(text, &mut problems) {
            reading.piece(piece, &mut problems);
        }
        if reading.about.is_none() && problems.found.is_empty() {
            problems.on(
                1,
                "a lesson begins with its front matter: TOML between two lines of +++",
            );
        }
        match reading.about {
            Some(about) if problems.found.is_empty() => Ok(Lesson {
                id: id_of(file),
                file: file.to_owned(),
                about,
                parts: reading.parts,
                scenarios: reading.builder.scenarios,
            }),
            _ => Err(problems.found),
        }
    }

    /// The scenario at this place of [`Lesson::scenarios`].
    pub fn staged(&self, index: usize) -> &Staged {
        &self.scenarios[index]
    }
}

/// Refuses what is not worth taking apart.
pub(super) fn readable<'a>(text: &'a str, file: &'a str) -> Result<Problems<'a>, Vec<Problem>> {
    let mut problems = Problems::of(file, text);
    if text.len() > FILE_BYTES_MAX {
        problems.on(1, format!("larger than {FILE_BYTES_MAX} bytes; make two files of it"));
    } else if let Some(at) = text.find('\r') {
        problems.at(at, "a line ends with a carriage return; save it with plain line ends");
    }
    if problems.found.is_empty() {
        return Ok(problems);
    }
    Err(problems.found)
}

/// `lessons/one-key/02-the-leader-key.md` is `one-key/the-leader-key`.
pub(super) fn id_of(file: &str) -> String {
    let mut parts = file.rsplit(['/', '\\']);
    let name = parts.next().unwrap_or_default().trim_end_matches(".md");
    let bare = name
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start_matches('-');
    match parts.next() {
        Some(folder) => format!("{folder}/{bare}"),
        None => bare.to_owned(),
    }
}

struct Reading<'a> {
    text: &'a str,
    about: Option<About>,
    parts: Vec<Part>,
    builder: Builder<'a>,
}

impl Reading<'_> {
    fn piece(&mut self, piece: Piece, problems: &mut Problems<'_>) {
        match piece {
            Piece::FrontMatter(body) => self.about = about(&self.text[body.clone()], &body, problems),
            Piece::Prose(at, block) => {
                let line = problems.line(at);
                self.parts.push(Part {
                    line,
                    what: PartKind::Prose(block),
                });
            }
            Piece::Fence(fence) => {
                let line = problems.line(fence.at);
                let what = match fence.kind.as_str() {
                    "scenario" => self.builder.stage(&fence, problems).map(PartKind::Scenario),
                    kind if KINDS.contains(&kind) => self.builder.part(&fence, problems),
                    other => {
                        let known = KINDS.join(", ");
                        problems.on(line, format!("there is no block {other}; there are {known}"));
                        None
                    }
                };
                self.parts.extend(what.map(|what| Part { line, what }));
            }
        }
    }
}

fn about(body: &str, place: &Range<usize>, problems: &mut Problems<'_>) -> Option<About> {
    let block: AboutBlock = toml(body, place, problems)?;
    Some(About {
        title: block.title,
        track: block.track,
        level: block.level,
        minutes: block.minutes,
        able: block.able,
        needs: block.needs,
    })
}

/// Reads the TOML of a block; an error gets its line in the file.
pub(super) fn toml<T: serde::de::DeserializeOwned>(
    body: &str,
    place: &Range<usize>,
    problems: &mut Problems<'_>,
) -> Option<T> {
    match toml::from_str(body) {
        Ok(block) => Some(block),
        Err(error) => {
            let at = place.start + error.span().map_or(0, |span| span.start);
            problems.at(at, error.message().lines().collect::<Vec<_>>().join(" "));
            None
        }
    }
}
