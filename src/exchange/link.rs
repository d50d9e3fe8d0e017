//! A link: one experiment and where one looks at it, in the fragment of an address.
//!
//! ```text
//! #/lab/2/…   version, then base64url of size, check, and LZ4 of this text:
//!
//! engine 0.1.0          who wrote it, what was chosen, where the playhead stands, what is in view
//! name agent-killed
//! at 70800000
//! from 60000000
//! span 30000000
//! lanes s _n0 -n1       as arranged: hidden lanes with -, folded ones with _
//! clock 1               the node whose own clock is a second scale, by its place from 0
//! remark 70800000 why?  a note on the timeline; as many of these lines as there are notes
//! before 2048           the last so many bytes are a second scenario file, of the run that this one is compared with
//!                       an empty line, then the whole scenario file
//! title = "…"
//! ```
//!
//! The scenario goes in whole, with every field, so that a link means the same after a default changed. What makes it
//! short is that LZ4 begins with a dictionary, the file with all defaults: only what differs takes room. The dictionary
//! belongs to the version and never changes. LZ4 and not deflate: it packs a little worse, which the dictionary makes up
//! for (a shipped scenario is 340 to 680 characters), and is only 5 kB of the page's module; and not the browser's own
//! compression, which cannot be tested natively and answers later instead of at once.
//!
//! Everything is hostile until it is read: the length is limited before and after unpacking, and only [`Scenario::parse`]
//! decides what a scenario is. Lines that this version does not know are left out and told, so that a link of a newer one
//! still opens as far as it can.

use crate::draw::{Arrangement, Remark};
use crate::engine::{SimTime, Span};
use crate::scenario::fields::FILE_BYTES_MAX;
use crate::scenario::{Scenario, ScenarioError};
use crate::vocabulary::NodeId;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use siphasher::sip::SipHasher13;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::hash::Hasher;

/// What a link holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The name of the shipped scenario that it began with.
    pub name: String,
    pub scenario: Scenario,
    pub at: SimTime,
    /// From where on the timeline shows the run, and how much of it; None: all.
    pub from: SimTime,
    pub span: Option<Span>,
    pub lanes: Arrangement,
    /// The node whose own clock is a second scale.
    pub clock: Option<NodeId>,
    /// Notes on the timeline, in the order of time.
    pub remarks: Vec<Remark>,
    /// The scenario of the run that this one is compared with.
    pub before: Option<Scenario>,
}

/// A link that was read, and what has to be said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    pub link: Link,
    /// Sentences: what it has from another version, and what could not be opened.
    pub told: Vec<String>,
}

/// Why a link opens nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    #[error("it is not a link of LeaseLab; copy it again, whole")]
    NotALink,
    #[error(
        "it is longer than {FRAGMENT_BYTES_MAX} characters, more than any link of LeaseLab; save the scenario as a file instead"
    )]
    TooLong,
    #[error("it is damaged: a part of it is missing or was changed on its way; copy it again, whole")]
    Damaged,
    #[error(
        "it was made by a newer version of LeaseLab (link version {0}, this page reads {VERSION}); reload the page to get the newest"
    )]
    Newer(u32),
    #[error("its scenario cannot be run: {0}")]
    Scenario(String),
}

/// The version that is written. The first had no second scenario, and a check that one damage in 65,000 got past.
const VERSION: u32 = 2;
/// What a fragment with an experiment begins with.
const PREFIX: &str = "#/lab/";
/// The longest fragment that is read. Browsers carry more; no experiment needs it.
const FRAGMENT_BYTES_MAX: usize = 200_000;
/// The head with all notes, each of up to four bytes a character, and the two longest scenarios.
const TEXT_BYTES_MAX: usize = 2 * FILE_BYTES_MAX + 4 * Remark::CHARS_MAX * Remark::MOST + 4_000;
/// More of what was left out is only counted.
const TOLD_MAX: usize = 6;
/// So often lines that are not understood are taken out before the rest is given up.
const SALVAGES_MAX: usize = 8;

/// The dictionary of version 1.
const DICTIONARY: &[u8] = include_bytes!("link/dictionary_1.toml");

/// Whether a fragment means to be a link to an experiment.
pub fn is_link(fragment: &str) -> bool {
    fragment.starts_with(PREFIX)
}

/// The fragment, with its `#`.
pub fn write(link: &Link) -> String {
    let mut text = format!(
        "engine {}\nname {}\nat {}\n",
        crate::VERSION,
        link.name,
        link.at.as_micros()
    );
    if let Some(span) = link.span {
        let _ = write!(text, "from {}\nspan {}\n", link.from.as_micros(), span.as_micros());
    }
    if !link.lanes.is_default() {
        let _ = writeln!(text, "lanes {}", link.lanes.write());
    }
    if let Some(node) = link.clock {
        let _ = writeln!(text, "clock {}", node.0);
    }
    for remark in &link.remarks {
        let _ = writeln!(text, "remark {} {}", remark.at.as_micros(), remark.text);
    }
    let before = link.before.as_ref().map(Scenario::to_toml);
    if let Some(before) = &before {
        let _ = writeln!(text, "before {}", before.len());
    }
    text.push('\n');
    text.push_str(&link.scenario.to_toml());
    text.push_str(&before.clone().unwrap_or_default());
    let packed = lz4_flex::block::compress_with_dict(text.as_bytes(), DICTIONARY);
    format!(
        "{PREFIX}{VERSION}/{}",
        URL_SAFE_NO_PAD.encode(sealed(&text, &packed, VERSION))
    )
}

/// LZ4 says nowhere how much comes out, and whoever unpacks must know how much room to make; and it does not notice when a
/// character was lost on the way. So both go before it: the size in three bytes, and a check of the text.
fn sealed(text: &str, packed: &[u8], version: u32) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes()[..3], &check(text, version), packed].concat()
}

/// The first bytes of a hash.
fn check(text: &str, version: u32) -> Vec<u8> {
    let mut hasher = SipHasher13::new();
    hasher.write(text.as_bytes());
    hasher.finish().to_le_bytes()[..check_bytes(version)].to_vec()
}

const fn check_bytes(version: u32) -> usize {
    if version == 1 { 2 } else { 4 }
}

/// Reads a fragment.
///
/// # Errors
/// Why nothing of it can be opened.
pub fn read(fragment: &str) -> Result<Read, LinkError> {
    if fragment.len() > FRAGMENT_BYTES_MAX {
        return Err(LinkError::TooLong);
    }
    let rest = fragment.strip_prefix(PREFIX).ok_or(LinkError::NotALink)?;
    let (version, data) = rest.split_once('/').ok_or(LinkError::NotALink)?;
    let version: u32 = version.parse().map_err(|_| LinkError::NotALink)?;
    let newer = version > VERSION;
    let text = unpack(data, version).map_err(|error| if newer { LinkError::Newer(version) } else { error })?;
    let mut told = Vec::new();
    if newer {
        told.push(format!(
            "This link was made by a newer version of LeaseLab (link version {version}, this page reads {VERSION}). What \
             this page understands of it is open."
        ));
    }
    let (lines, toml) = text.split_once("\n\n").ok_or(LinkError::Damaged)?;
    let head = |key: &str| {
        let mut lines = lines.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(name, _)| *name == key).map(|(_, value)| value)
    };
    let time = |key| head(key).and_then(|us| us.parse().ok()).map_or(SimTime::ZERO, SimTime);
    match head("engine") {
        Some(engine) if engine == crate::VERSION => {}
        engine => told.push(format!(
            "This link was made with engine {}, this is engine {}: the run may differ.",
            engine
                .unwrap_or("of an unknown version")
                .chars()
                .take(20)
                .collect::<String>(),
            crate::VERSION
        )),
    }
    let (toml, before) = two_files(toml, head("before"))?;
    let scenario = salvage(toml, &mut told)?;
    let before = before.map(|toml| salvage(toml, &mut told)).transpose()?;
    let clock = head("clock").and_then(|node| node.parse().ok()).map(NodeId);
    Ok(Read {
        link: Link {
            name: head("name").unwrap_or_default().to_owned(),
            at: time("at").min(SimTime::ZERO + scenario.duration),
            from: time("from").min(SimTime::ZERO + scenario.duration),
            span: span(head, scenario.duration),
            lanes: head("lanes").map(Arrangement::read).unwrap_or_default(),
            clock: clock.filter(|node| node.index() < scenario.cluster.nodes.len()),
            remarks: remarks(lines, SimTime::ZERO + scenario.duration),
            scenario,
            before,
        },
        told,
    })
}

/// The notes on the timeline, as many as there may be; one after the end stands at the end.
fn remarks(head: &str, end: SimTime) -> Vec<Remark> {
    let lines = head.lines().filter_map(|line| line.strip_prefix("remark "));
    let remark = |line: &str| {
        let (at, text) = line.split_once(' ')?;
        Remark::new(SimTime(at.parse().ok()?).min(end), text)
    };
    let mut remarks: Vec<Remark> = lines.filter_map(remark).take(Remark::MOST).collect();
    crate::sorting::by_key(&mut remarks, |remark| remark.at);
    remarks
}

/// The scenario file and, where there is one, that of the other run: the last `length` bytes.
fn two_files<'t>(toml: &'t str, length: Option<&str>) -> Result<(&'t str, Option<&'t str>), LinkError> {
    let Some(length) = length else {
        return Ok((toml, None));
    };
    let length: usize = length.parse().map_err(|_| LinkError::Damaged)?;
    let at = toml.len().checked_sub(length).ok_or(LinkError::Damaged)?;
    let (scenario, before) = toml.split_at_checked(at).ok_or(LinkError::Damaged)?;
    Ok((scenario, Some(before)))
}

/// How much of the run is in view. The first links said how often it is halved.
fn span<'a>(head: impl Fn(&str) -> Option<&'a str>, duration: Span) -> Option<Span> {
    let halved = |zoom: u32| (zoom > 0).then(|| Span(duration.0.checked_shr(zoom).unwrap_or(0)));
    match head("span") {
        Some(us) => us.parse().ok().map(Span),
        None => head("zoom")?.parse().ok().and_then(halved),
    }
}

fn unpack(data: &str, version: u32) -> Result<String, LinkError> {
    let bytes = URL_SAFE_NO_PAD.decode(data).map_err(|_| LinkError::Damaged)?;
    let (head, packed) = bytes
        .split_at_checked(3 + check_bytes(version))
        .ok_or(LinkError::Damaged)?;
    let (size, sum) = head.split_at(3);
    let size = size.iter().rev().fold(0, |size, byte| size << 8 | usize::from(*byte));
    // A promise of more than any link needs is not believed, and more than the promise does not fit.
    if size > TEXT_BYTES_MAX {
        return Err(LinkError::Damaged);
    }
    let text = lz4_flex::block::decompress_with_dict(packed, size, DICTIONARY).map_err(|_| LinkError::Damaged)?;
    let text = String::from_utf8(text).map_err(|_| LinkError::Damaged)?;
    if text.len() == size && check(&text, version) == *sum {
        Ok(text)
    } else {
        Err(LinkError::Damaged)
    }
}

/// The scenario, without the lines that this version does not take; of a fault that it does not take, the whole fault.
fn salvage(toml: &str, told: &mut Vec<String>) -> Result<Scenario, LinkError> {
    let mut text = toml.to_owned();
    let mut left_out = Vec::new();
    for _ in 0..=SALVAGES_MAX {
        let errors = match Scenario::parse(&text, "link") {
            Ok(scenario) => {
                let more = left_out.len().saturating_sub(TOLD_MAX);
                left_out.truncate(TOLD_MAX);
                told.extend(left_out);
                told.extend((more > 0).then(|| format!("And {more} things more.")));
                return Ok(scenario);
            }
            Err(errors) => errors,
        };
        let without = without_lines(&text, &errors);
        if without == text {
            return Err(LinkError::Scenario(errors.first().map(short).unwrap_or_default()));
        }
        left_out.extend(
            errors
                .iter()
                .map(|error| format!("Left out of the link: {}.", short(error))),
        );
        text = without;
    }
    Err(LinkError::Scenario("too much of it is unknown here".to_owned()))
}

fn short(error: &ScenarioError) -> String {
    format!("{} = {}: {}", error.key, error.value, error.wrong)
}

/// The text without the lines that the errors name. With the first line of a section goes the section, with any line of a
/// fault the fault.
fn without_lines(text: &str, errors: &[ScenarioError]) -> String {
    let bad: BTreeSet<usize> = errors.iter().map(|error| error.line).collect();
    let lines: Vec<&str> = text.lines().collect();
    let mut kept = String::new();
    let mut from = 0;
    while from < lines.len() {
        let next = lines[from + 1..].iter().position(|line| line.starts_with('['));
        let block = from + 1..next.map_or(lines.len(), |next| from + 1 + next);
        let is_fault = lines[from].trim() == "[[fault]]";
        let is_section = lines[from].starts_with('[') && !is_fault;
        let goes = if is_fault {
            bad.range(from + 1..=block.end).next().is_some()
        } else {
            bad.contains(&(from + 1))
        };
        let until = if is_fault || is_section && goes {
            block.end
        } else {
            from + 1
        };
        for line in lines[from..until].iter().filter(|_| !goes) {
            kept.push_str(line);
            kept.push('\n');
        }
        from = until;
    }
    kept
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
