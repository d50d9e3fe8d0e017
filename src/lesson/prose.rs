//! The Markdown of lessons, as a closed tree: headings, paragraphs, lists, emphasis, code and links, and nothing that a
//! page would have to trust. Every link knows where its text stands in the file, so that a number can be rewritten.

use super::problem::Problems;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, OffsetIter, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// Some paragraphs.
pub type Text = Vec<Block>;

#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Of level 1 to 3.
    Heading(u8, Vec<Inline>),
    Paragraph(Vec<Inline>),
    List {
        ordered: bool,
        items: Vec<Vec<Block>>,
    },
    Quote(Vec<Block>),
    /// A listing that is no interaction: fenced without a name, or as `toml`, `sh` or `text`.
    Listing(String),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Inline {
    Text(String),
    Code(String),
    Emphasis(Vec<Inline>),
    Strong(Vec<Inline>),
    Link(Link),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    pub to: LinkTo,
    pub text: String,
    /// Where the text stands in the file, in bytes; nothing where the file does not have it letter for letter.
    pub at: Option<Range<usize>>,
    pub line: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTo {
    /// A claim of the same lesson, by its name.
    Claim(String),
    /// Relative to the lesson's file.
    File(String),
    Web(String),
}

/// A fenced block of interaction: its kind, its name if it has one, and where its content stands.
pub(super) struct Fence {
    pub kind: String,
    pub name: Option<String>,
    pub body: Range<usize>,
    /// Where the fence begins.
    pub at: usize,
}

/// What a file is made of, in its order, each with the byte where it begins.
pub(super) enum Piece {
    FrontMatter(Range<usize>),
    Prose(usize, Block),
    Fence(Fence),
}

/// The fences that interact.
pub(super) const KINDS: [&str; 7] = ["scenario", "predict", "watch", "claim", "ask", "make", "say"];
/// Fences that only show something.
const LISTINGS: [&str; 4] = ["", "toml", "sh", "text"];
/// Deeper lists and quotes than this nobody can read, and the reader calls itself for each.
const DEPTH_MAX: usize = 8;

/// Takes a whole file apart.
pub(super) fn pieces(text: &str, problems: &mut Problems<'_>) -> Vec<Piece> {
    let events = Parser::new_ext(text, Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS).into_offset_iter();
    let mut reader = Reader {
        events,
        base: 0,
        exact: true,
        problems,
        depth: 0,
    };
    let mut pieces = Vec::new();
    while let Some((event, range)) = reader.events.next() {
        match event {
            Event::Start(Tag::MetadataBlock(_)) => pieces.push(Piece::FrontMatter(reader.body(&range))),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if !is_listing(&info) => {
                let mut words = info.split_whitespace().map(str::to_owned);
                let (kind, name) = (words.next().unwrap_or_default(), words.next());
                if words.next().is_some() {
                    reader.wrong(range.start, "a block has a kind and at most one name");
                }
                let body = reader.body(&range);
                pieces.push(Piece::Fence(Fence {
                    kind,
                    name,
                    body,
                    at: range.start,
                }));
            }
            Event::Start(tag) => pieces.extend(reader.block(tag, &range).map(|block| Piece::Prose(range.start, block))),
            other => reader.not_known(&other, range.start),
        }
    }
    pieces
}

/// Reads a text from within a block; `base` is where the file has it, `exact` whether letter for letter.
pub(super) fn text(text: &str, base: usize, exact: bool, problems: &mut Problems<'_>) -> Text {
    let mut reader = Reader {
        events: Parser::new(text).into_offset_iter(),
        base,
        exact,
        problems,
        depth: 0,
    };
    let mut blocks = Vec::new();
    while let Some((event, range)) = reader.events.next() {
        match event {
            Event::Start(tag) => blocks.extend(reader.block(tag, &range)),
            other => reader.not_known(&other, range.start),
        }
    }
    blocks
}

fn is_listing(info: &CowStr<'_>) -> bool {
    LISTINGS.contains(&info.trim())
}

struct Reader<'a, 'p, 't> {
    events: OffsetIter<'a>,
    base: usize,
    /// Otherwise only where the text begins is known.
    exact: bool,
    problems: &'p mut Problems<'t>,
    depth: usize,
}

impl Reader<'_, '_, '_> {
    fn wrong(&mut self, at: usize, what: impl Into<String>) {
        self.problems.at(self.place(at), what);
    }

    fn place(&self, at: usize) -> usize {
        self.base + if self.exact { at } else { 0 }
    }

    fn not_known(&mut self, event: &Event<'_>, at: usize) {
        let what = match event {
            Event::Html(_) | Event::InlineHtml(_) => "HTML",
            Event::Rule => "a rule",
            _ => "this",
        };
        self.wrong(
            at,
            format!("lessons are made without {what}; use headings, paragraphs, lists, *emphasis*, `code` and links"),
        );
    }

    /// To the end of what has just begun; where its text stands.
    fn body(&mut self, whole: &Range<usize>) -> Range<usize> {
        let mut body: Option<Range<usize>> = None;
        for (event, range) in self.events.by_ref() {
            match event {
                Event::Text(_) => body = Some(body.map_or(range.start, |body| body.start)..range.end),
                Event::End(_) => break,
                _ => {}
            }
        }
        body.unwrap_or(whole.start..whole.start)
    }

    fn block(&mut self, tag: Tag<'_>, range: &Range<usize>) -> Option<Block> {
        match tag {
            Tag::Paragraph => Some(Block::Paragraph(self.inlines())),
            Tag::Heading { level, .. } => {
                let level = match level {
                    HeadingLevel::H1 => 1,
                    HeadingLevel::H2 => 2,
                    _ => 3,
                };
                Some(Block::Heading(level, self.inlines()))
            }
            Tag::List(first) => Some(Block::List {
                ordered: first.is_some(),
                items: self.items(range.start),
            }),
            Tag::BlockQuote(_) => Some(Block::Quote(self.blocks(range.start))),
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) if is_listing(&info) => Some(Block::Listing(self.plain())),
            Tag::CodeBlock(_) => {
                self.wrong(
                    range.start,
                    "an interaction stands by itself, not indented and not within a list",
                );
                self.plain();
                None
            }
            Tag::HtmlBlock => {
                self.not_known(&Event::Html("".into()), range.start);
                self.plain();
                None
            }
            _ => {
                self.not_known(&Event::Text("".into()), range.start);
                self.plain();
                None
            }
        }
    }

    /// The text up to the end of what has begun, whatever it is.
    fn plain(&mut self) -> String {
        let (mut text, mut open) = (String::new(), 1);
        for (event, _) in self.events.by_ref() {
            match event {
                Event::Start(_) => open += 1,
                Event::End(_) => open -= 1,
                Event::Text(words) | Event::Code(words) => text.push_str(&words),
                Event::SoftBreak | Event::HardBreak => text.push(' '),
                _ => {}
            }
            if open == 0 {
                break;
            }
        }
        text
    }

    fn deeper<T: Default>(&mut self, at: usize, part: fn(&mut Self) -> T) -> T {
        if self.depth == DEPTH_MAX {
            self.wrong(at, format!("lists and quotes may be nested {DEPTH_MAX} deep"));
            self.plain();
            return T::default();
        }
        self.depth += 1;
        let made = part(self);
        self.depth -= 1;
        made
    }

    fn items(&mut self, at: usize) -> Vec<Vec<Block>> {
        self.deeper(at, |reader| {
            let mut items = Vec::new();
            while let Some((event, range)) = reader.events.next() {
                match event {
                    Event::Start(Tag::Item) => items.push(reader.blocks(range.start)),
                    Event::End(TagEnd::List(_)) => break,
                    _ => {}
                }
            }
            items
        })
    }

    /// The blocks of an item or a quote. A tight item has its words without a paragraph around them.
    fn blocks(&mut self, at: usize) -> Vec<Block> {
        self.deeper(at, |reader| {
            let mut blocks = Vec::new();
            let mut words: Vec<Inline> = Vec::new();
            while let Some((event, range)) = reader.events.next() {
                match event {
                    Event::End(TagEnd::Item | TagEnd::BlockQuote(_)) => break,
                    Event::Start(tag @ (Tag::Emphasis | Tag::Strong | Tag::Link { .. })) => {
                        words.extend(reader.span(tag, &range));
                    }
                    Event::Start(tag) => {
                        if !words.is_empty() {
                            blocks.push(Block::Paragraph(std::mem::take(&mut words)));
                        }
                        blocks.extend(reader.block(tag, &range));
                    }
                    other => reader.word(other, &range, &mut words),
                }
            }
            if !words.is_empty() {
                blocks.push(Block::Paragraph(words));
            }
            blocks
        })
    }

    /// To the end of a paragraph, a heading or an emphasis.
    fn inlines(&mut self) -> Vec<Inline> {
        let mut words = Vec::new();
        while let Some((event, range)) = self.events.next() {
            match event {
                Event::End(_) => break,
                Event::Start(tag) => words.extend(self.span(tag, &range)),
                other => self.word(other, &range, &mut words),
            }
        }
        words
    }

    fn word(&mut self, event: Event<'_>, range: &Range<usize>, words: &mut Vec<Inline>) {
        match event {
            Event::Text(text) => {
                if let Some(time) = typed_time(&text) {
                    let what = format!(
                        "{time} is typed: a time comes from a run, so link it to a claim, or write a setting as `code`"
                    );
                    self.wrong(range.start, what);
                }
                push_text(words, &text);
            }
            Event::SoftBreak | Event::HardBreak => push_text(words, " "),
            Event::Code(code) => words.push(Inline::Code(code.to_string())),
            other => self.not_known(&other, range.start),
        }
    }

    fn span(&mut self, tag: Tag<'_>, range: &Range<usize>) -> Option<Inline> {
        match tag {
            Tag::Emphasis => Some(Inline::Emphasis(self.deeper(range.start, Reader::inlines))),
            Tag::Strong => Some(Inline::Strong(self.deeper(range.start, Reader::inlines))),
            Tag::Link { dest_url, .. } => {
                let (to, at) = (link_to(&dest_url), self.place(range.start));
                let text = self.plain();
                // The text follows the opening bracket, unless something in it is escaped or emphasised.
                let begins = at + 1;
                let is_there = self.exact && self.problems.has(begins, &text);
                Some(Inline::Link(Link {
                    to,
                    at: is_there.then_some(begins..begins + text.len()),
                    text,
                    line: self.problems.line(at),
                }))
            }
            other => {
                let _ = self.block(other, range);
                None
            }
        }
    }
}

fn push_text(words: &mut Vec<Inline>, text: &str) {
    match words.last_mut() {
        Some(Inline::Text(before)) => before.push_str(text),
        _ => words.push(Inline::Text(text.to_owned())),
    }
}

fn link_to(url: &str) -> LinkTo {
    match url.split_once(':') {
        Some(("claim", name)) => LinkTo::Claim(name.to_owned()),
        Some(("http" | "https", _)) => LinkTo::Web(url.to_owned()),
        _ => LinkTo::File(url.to_owned()),
    }
}

/// The first number with a unit of time, or of a hundred, in a text.
fn typed_time(text: &str) -> Option<String> {
    const UNITS: [&str; 8] = ["s", "ms", "second", "seconds", "min", "minute", "minutes", "percent"];
    let mut rest = text;
    while let Some(begin) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = &rest[begin..];
        let length = digits
            .find(|c: char| !(c.is_ascii_digit() || c == '.'))
            .unwrap_or(digits.len());
        let after = digits[length..].trim_start_matches([' ', '\u{a0}']);
        let word: String = after.chars().take_while(|c| c.is_alphanumeric()).collect();
        if UNITS.contains(&word.as_str()) || after.starts_with('%') {
            let unit = if word.is_empty() { "%" } else { &word };
            return Some(format!("{} {unit}", &digits[..length]));
        }
        rest = &digits[length..];
    }
    None
}
