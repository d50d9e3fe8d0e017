//! The keys of the store, as its leader applied them.

use super::super::cast::Cast;
use super::super::story::{KeyChange, KeyLine, KeyPut};
use super::super::words::value_words;
use crate::engine::{Event, What};
use crate::vocabulary::{Key, Note, Revision, Words};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub struct Keys {
    lines: BTreeMap<Key, Vec<KeyChange>>,
}

impl Keys {
    /// An event of a member of the store.
    pub fn see(&mut self, event: &Event<Words>, cast: &Cast) {
        match &event.what {
            What::Note(Note::KeyPut {
                key,
                value,
                lease,
                revision,
                created,
                ..
            }) => {
                let put = KeyPut {
                    value: value_words(value, cast),
                    create: self.create(*key, *revision, *created),
                    lease: *lease,
                };
                self.change(event, *key, *revision, Some(put));
            }
            What::Note(Note::KeyDeleted { key, revision }) => self.change(event, *key, *revision, None),
            _ => {}
        }
    }

    /// The revision that created what is put now.
    fn create(&self, key: Key, revision: Revision, created: bool) -> Revision {
        let before = self.lines.get(&key).and_then(|changes| changes.last());
        let before = before.and_then(|change| change.put.as_ref()).filter(|_| !created);
        before.map_or(revision, |put| put.create)
    }

    /// A new leader of the store may tell again what the old one had told.
    fn change(&mut self, event: &Event<Words>, key: Key, revision: Revision, put: Option<KeyPut>) {
        let line = self.lines.entry(key).or_default();
        if line.last().is_none_or(|last| last.revision < revision) {
            line.push(KeyChange {
                at: event.at,
                event: event.id,
                revision,
                put,
            });
        }
    }

    pub fn finish(self) -> Vec<KeyLine> {
        let lines = self.lines.into_iter();
        lines.map(|(key, changes)| KeyLine { key, changes }).collect()
    }
}
