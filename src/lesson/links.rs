//! The links of a lesson, in its prose and in the texts of its blocks, and the claims that they lead to.

use super::prose::{Block, Inline, Link};
use super::{Answer, Lesson, PartKind, Stated, Text};

impl Lesson {
    /// A claim by its name.
    pub fn claim(&self, name: &str) -> Option<&Stated> {
        self.parts.iter().find_map(|part| match &part.what {
            PartKind::Claim(stated) if stated.name == name => Some(stated),
            _ => None,
        })
    }

    /// Every link, of the prose and of the blocks.
    pub fn links(&self) -> Vec<&Link> {
        self.parts.iter().flat_map(|part| part.what.links()).collect()
    }
}

impl PartKind {
    fn links(&self) -> Vec<&Link> {
        if let PartKind::Prose(block) = self {
            return links(std::slice::from_ref(block));
        }
        let texts: Vec<&Text> = match self {
            PartKind::Prose(_) | PartKind::Scenario(_) | PartKind::Claim(_) => Vec::new(),
            PartKind::Predict(predict) => {
                let mut texts = vec![&predict.question, &predict.because];
                if let Answer::Choice(options) = &predict.answer {
                    texts.extend(options.iter().map(|(text, _)| text));
                }
                texts
            }
            PartKind::Watch(watch) => vec![&watch.look],
            PartKind::Ask(ask) => {
                let options = ask.options.iter().flat_map(|option| [&option.text, &option.says]);
                std::iter::once(&ask.question).chain(options).collect()
            }
            PartKind::Make(make) => {
                let attempts = make.tempting.iter().map(|attempt| &attempt.says);
                [&make.task, &make.solution.says].into_iter().chain(attempts).collect()
            }
            PartKind::Say(say) => [&say.question, &say.answer].into_iter().chain(&say.rubric).collect(),
        };
        texts.into_iter().flat_map(|text| links(text)).collect()
    }
}

/// Every link of a text.
pub(super) fn links(blocks: &[Block]) -> Vec<&Link> {
    let mut found = Vec::new();
    blocks.iter().for_each(|block| links_of(block, &mut found));
    found
}

fn links_of<'a>(block: &'a Block, found: &mut Vec<&'a Link>) {
    match block {
        Block::Heading(_, inlines) | Block::Paragraph(inlines) => inline_links(inlines, found),
        Block::List { items, .. } => items.iter().flatten().for_each(|block| links_of(block, found)),
        Block::Quote(blocks) => blocks.iter().for_each(|block| links_of(block, found)),
        Block::Listing(_) => {}
    }
}

fn inline_links<'a>(inlines: &'a [Inline], found: &mut Vec<&'a Link>) {
    for inline in inlines {
        match inline {
            Inline::Link(link) => found.push(link),
            Inline::Emphasis(inside) | Inline::Strong(inside) => inline_links(inside, found),
            Inline::Text(_) | Inline::Code(_) => {}
        }
    }
}
