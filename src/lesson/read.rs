//! A file as a lesson: taken apart, its front matter read, its scenarios staged, its blocks built in their order.

use super::blocks::{AboutBlock, ScenarioBlock};
use super::build::Builder;
use super::problem::{Problem, Problems};
use super::prose::{Fence, KINDS, Piece, pieces};
use super::staging::{Source, Staged, settings};
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
        let mut problems = Problems::of(file, text);
        if text.len() > FILE_BYTES_MAX {
            problems.on(1, format!("larger than {FILE_BYTES_MAX} bytes; make two lessons of it"));
            return Err(problems.found);
        }
        if let Some(at) = text.find('\r') {
            problems.at(at, "a line ends with a carriage return; save it with plain line ends");
            return Err(problems.found);
        }
        let mut reading = Reading {
            text,
            about: None,
            parts: Vec::new(),
            builder: Builder::of(text),
            shelf,
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

/// `lessons/one-key/02-the-leader-key.md` is `one-key/the-leader-key`.
fn id_of(file: &str) -> String {
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
    shelf: &'a dyn Fn(&str) -> Option<String>,
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
                    "scenario" => self.scenario(&fence, problems).map(PartKind::Scenario),
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

    fn scenario(&mut self, fence: &Fence, problems: &mut Problems<'_>) -> Option<usize> {
        let Some(name) = fence.name.clone() else {
            problems.at(fence.at, "a scenario needs a name: ```scenario crash");
            return None;
        };
        if self.builder.scenarios.iter().any(|staged| staged.name == name) {
            problems.at(
                fence.at,
                format!("there is a scenario {name} already; choose another name"),
            );
            return None;
        }
        let source = self.source(fence, problems)?;
        match Staged::read(name, source) {
            Ok(staged) => self.builder.scenarios.push(staged),
            Err(found) => {
                problems.found.extend(found);
                return None;
            }
        }
        Some(self.builder.scenarios.len() - 1)
    }

    fn source(&self, fence: &Fence, problems: &mut Problems<'_>) -> Option<Source> {
        let body = &self.text[fence.body.clone()];
        let line = problems.line(fence.at);
        // What is no TOML is told as a scenario would be: with key, value and remedy.
        let is_made = body
            .parse::<toml::Table>()
            .is_ok_and(|table| table.contains_key("file") || table.contains_key("from"));
        if !is_made {
            return Some(Source::written(body, problems.file, line));
        }
        let block: ScenarioBlock = toml(body, &fence.body, problems)?;
        let set = match settings(&block.set) {
            Ok(set) => set,
            Err(key) => {
                problems.at(
                    fence.at,
                    format!("{key} is a list; write the scenario out to change lists"),
                );
                return None;
            }
        };
        let source = match (&block.file, &block.from) {
            (Some(file), None) => match (self.shelf)(file.get_ref()) {
                Some(text) => Source::of_file(text, file.get_ref()),
                None => {
                    let what = format!("there is no scenarios/{}.toml beside the lessons", file.get_ref());
                    problems.at(fence.body.start + file.span().start, what);
                    return None;
                }
            },
            (None, Some(from)) => {
                let at = fence.body.start + from.span().start;
                let index = self.builder.scenario(from.get_ref(), at, problems)?;
                self.builder.scenarios[index].source().clone()
            }
            _ => {
                problems.at(fence.at, "a scenario is either of a file or from another, not both");
                return None;
            }
        };
        Some(source.with(&set, problems.file, line))
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
