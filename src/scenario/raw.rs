//! The file as written: every value with its line, nothing checked but that each key has a description.

use super::error::{Errors, Place, Problem, Refused, nearest, one_line, shown};
use super::faults::fault_field;
use super::fields::{FIELDS, FILE_BYTES_MAX, Field, FieldKind};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml_parser::lexer::TokenKind;

/// A value of the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Text(String),
    /// As written, in decimal.
    Number(String),
    Flag(bool),
    List(Vec<Value>),
    /// Nothing that any field takes, by its name.
    Other(&'static str),
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub value: Value,
    /// The value as written, shortened.
    pub shown: String,
    pub place: Place,
}

/// Values by their keys.
pub(super) type Entries = BTreeMap<String, Entry>;

/// One `[[fault]]`.
pub(super) struct RawFault {
    pub place: Place,
    pub entries: Entries,
}

/// What a file of one system may hold.
#[derive(Clone, Copy)]
pub(super) struct Format {
    pub fields: &'static [Field],
    /// Lists of tables, such as `[[worker]]`, besides `[[fault]]`: their names and the fields of one.
    pub lists: &'static [(&'static str, &'static [Field])],
}

impl Format {
    /// The Patroni cluster's.
    pub const PATRONI: Format = Format {
        fields: FIELDS,
        lists: &[],
    };

    fn field(&self, key: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// The name of the list that this key begins, as the table of lists has it.
    fn list(&self, key: &str) -> Option<&'static str> {
        self.lists.iter().map(|(name, _)| *name).find(|name| *name == key)
    }
}

/// A whole file.
pub(super) struct Raw {
    format: Format,
    /// Which system it is about, if it says so.
    pub system: Option<Entry>,
    pub comment: Option<String>,
    /// By the full key, such as `patroni.ttl`.
    pub entries: Entries,
    pub faults: Vec<RawFault>,
    /// The tables of the other lists, in the order of the file.
    pub tables: Vec<(&'static str, RawFault)>,
    pub place: Place,
}

/// A dotted key with more dots than this is no key of ours. It bounds how deep the parsed tree can be.
const KEY_DOTS_MAX: usize = 8;

impl Raw {
    /// Reads the text; unknown keys go to `errors`, a text that is no TOML has no raw form.
    pub fn read(text: &str, origin: &str, format: Format, errors: &mut Errors) -> Result<Raw, Refused> {
        let place = Place {
            file: Rc::from(origin),
            line: 1,
        };
        if text.len() > FILE_BYTES_MAX {
            let problem = Problem::new(
                format!("larger than {FILE_BYTES_MAX} bytes, the limit of a scenario"),
                "leave out what is not needed",
            );
            return Err(errors.push(&place, "file size", &format!("{} bytes", text.len()), problem));
        }
        let mut walk = Walk {
            text,
            file: place.file.clone(),
            lines: line_starts(text),
            errors,
        };
        walk.refuse_deep_keys()?;
        let (table, syntax) = DeTable::parse_recoverable(text);
        walk.refuse_syntax(&syntax)?;
        let mut raw = Raw {
            format,
            system: None,
            comment: leading_comment(text),
            entries: Entries::new(),
            faults: Vec::new(),
            tables: Vec::new(),
            place,
        };
        walk.table(table.get_ref(), "", &mut raw);
        Ok(raw)
    }

    /// Replaces one value, as `--set key=value` does; `number` counts the settings from 1.
    pub fn set(&mut self, key: &str, text: &str, number: usize, errors: &mut Errors) {
        let place = Place {
            file: Rc::from("--set"),
            line: number,
        };
        let (kind, entries, name) = match fault_key(key) {
            Some((index, name)) => {
                let Some(fault) = self.faults.get_mut(index) else {
                    let problem = Problem::new("there is no such fault", format!("the file has {}", self.faults.len()));
                    errors.push(&place, key, text, problem);
                    return;
                };
                (fault_field(name).map(|field| field.kind), &mut fault.entries, name)
            }
            None => {
                let Some(field) = self.format.field(key) else {
                    errors.push(&place, key, text, unknown_key(key, self.format));
                    return;
                };
                (Some(field.kind), &mut self.entries, key)
            }
        };
        let value = kind.map_or_else(|| Value::Text(text.to_string()), |kind| Value::from_text(text, kind));
        entries.insert(
            name.to_string(),
            Entry {
                value,
                shown: shown(text),
                place,
            },
        );
    }
}

/// `fault.2.at_s` names the field `at_s` of the second fault.
fn fault_key(key: &str) -> Option<(usize, &str)> {
    let (number, name) = key.strip_prefix("fault.")?.split_once('.')?;
    Some((number.parse::<usize>().ok()?.wrapping_sub(1), name))
}

/// What to say about a key that no field has.
fn unknown_key(key: &str, format: Format) -> Problem {
    let fields = format.fields;
    let last = key.rsplit('.').next().unwrap_or(key);
    let sections = fields.iter().filter_map(|field| Some(field.key.split_once('.')?.0));
    let lists = format.lists.iter().map(|(name, _)| *name);
    let known = fields.iter().map(|field| field.key).chain(sections).chain(lists);
    let meant = nearest(key, known.chain(["fault", "system"])).or_else(|| {
        fields
            .iter()
            .map(|field| field.key)
            .find(|known| known.rsplit('.').next() == Some(last))
    });
    let remedy = match meant {
        Some(meant) => format!("did you mean {meant}?"),
        None => "leave it out".to_string(),
    };
    Problem::new("unknown key", remedy)
}

/// What is needed to say where something stands while the parsed tree is walked.
struct Walk<'a> {
    text: &'a str,
    file: Rc<str>,
    /// Where each line starts, in bytes.
    lines: Vec<usize>,
    errors: &'a mut Errors,
}

impl Walk<'_> {
    fn place(&self, offset: usize) -> Place {
        Place {
            file: self.file.clone(),
            line: self.lines.partition_point(|start| *start <= offset),
        }
    }

    fn slice(&self, span: Range<usize>) -> &str {
        self.text.get(span).unwrap_or_default()
    }

    fn entry(&self, value: &Spanned<DeValue<'_>>) -> Entry {
        let shown = match value.get_ref() {
            DeValue::Table(_) => "{…}".to_string(),
            _ => shown(self.slice(value.span())),
        };
        Entry {
            value: Value::from_toml(value.get_ref()),
            shown,
            place: self.place(value.span().start),
        }
    }

    /// Sorts the values of a table under their full keys, and its unknown keys under the errors.
    fn table(&mut self, table: &DeTable<'_>, prefix: &str, raw: &mut Raw) {
        for (name, value) in table {
            if self.errors.is_full() {
                return;
            }
            let key = format!("{prefix}{}", name.get_ref());
            let place = self.place(name.span().start);
            if key == "system" {
                raw.system = Some(self.entry(value));
            } else if key == "fault" {
                raw.faults.extend(self.list("fault", value));
            } else if let Some(name) = raw.format.list(&key) {
                let tables = self.list(name, value).into_iter();
                raw.tables.extend(tables.map(|table| (name, table)));
            } else if raw.format.field(&key).is_some() {
                raw.entries.insert(key, self.entry(value));
            } else if raw
                .format
                .fields
                .iter()
                .any(|field| field.key.strip_prefix(&key).is_some_and(|rest| rest.starts_with('.')))
            {
                match value.get_ref() {
                    DeValue::Table(inner) => self.table(inner, &format!("{key}."), raw),
                    _ => {
                        let mut fields = raw.format.fields.iter();
                        let example = fields.find(|field| field.key.starts_with(&format!("{key}.")));
                        let remedy = format!("write {} = …", example.map_or("", |field| field.key));
                        let shown = self.entry(value).shown;
                        self.errors
                            .push(&place, &key, &shown, Problem::new("has fields of its own", remedy));
                    }
                }
            } else {
                let shown = self.entry(value).shown;
                self.errors.push(&place, &key, &shown, unknown_key(&key, raw.format));
            }
        }
    }

    /// The tables of a list.
    fn list(&mut self, name: &str, value: &Spanned<DeValue<'_>>) -> Vec<RawFault> {
        let items = value.get_ref().as_array();
        if let Some(items) = items.filter(|items| items.iter().all(|item| item.get_ref().is_table())) {
            let table = |item: &Spanned<DeValue<'_>>| {
                let entries = item.get_ref().as_table().into_iter().flatten();
                let entries = entries
                    .map(|(name, value)| (name.get_ref().to_string(), self.entry(value)))
                    .collect();
                RawFault {
                    place: self.place(item.span().start),
                    entries,
                }
            };
            return items.iter().map(table).collect();
        }
        let entry = self.entry(value);
        let problem = Problem::new(
            format!("{name}s are a list"),
            format!("begin each {name} with a line [[{name}]]"),
        );
        self.errors.push(&entry.place, name, &entry.shown, problem);
        Vec::new()
    }

    /// The parser follows dotted keys to any depth; a tree that deep could not even be dropped.
    fn refuse_deep_keys(&mut self) -> Result<(), Refused> {
        let mut dots = 0;
        for token in toml_parser::Source::new(self.text).lex() {
            match token.kind() {
                TokenKind::Dot => dots += 1,
                TokenKind::Newline | TokenKind::Equals | TokenKind::Comma => dots = 0,
                TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => dots = 0,
                _ => {}
            }
            if dots > KEY_DOTS_MAX {
                let place = self.place(token.span().start());
                let problem = Problem::new("nested too deep", "use the keys of a scenario, such as patroni.ttl");
                let line = self.line(place.line);
                return Err(self.errors.push(&place, "key", &line, problem));
            }
        }
        Ok(())
    }

    fn refuse_syntax(&mut self, syntax: &[toml::de::Error]) -> Result<(), Refused> {
        let mut refused = Ok(());
        let mut last_line = 0;
        for error in syntax {
            let place = self.place(error.span().map_or(0, |span| span.start));
            if place.line == last_line {
                continue;
            }
            last_line = place.line;
            let line = self.line(place.line);
            let (key, value) = line.split_once('=').unwrap_or((&line, ""));
            let problem = Problem::new(
                shown(error.message()),
                "write one key = value on a line, text in double quotes, sections as [name]",
            );
            refused = Err(self.errors.push(&place, key.trim(), value.trim(), problem));
        }
        refused
    }

    /// The text of a line, from 1, shortened.
    fn line(&self, number: usize) -> String {
        let start = self.lines.get(number.wrapping_sub(1)).copied().unwrap_or_default();
        shown(
            self.text
                .get(start..)
                .unwrap_or_default()
                .lines()
                .next()
                .unwrap_or_default(),
        )
    }
}

impl Value {
    fn from_toml(value: &DeValue<'_>) -> Value {
        match value {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(n) if n.radix() == 10 => Value::Number(n.as_str().to_string()),
            DeValue::Integer(n) => match i128::from_str_radix(n.as_str(), n.radix()) {
                Ok(n) => Value::Number(n.to_string()),
                Err(_) => Value::Other("a number with too many digits"),
            },
            DeValue::Float(n) => Value::Number(n.as_str().to_string()),
            DeValue::Boolean(flag) => Value::Flag(*flag),
            DeValue::Array(items) => Value::List(items.iter().map(|item| Value::from_toml(item.get_ref())).collect()),
            DeValue::Datetime(_) => Value::Other("a date"),
            DeValue::Table(_) => Value::Other("a table"),
        }
    }

    /// Reads a value outside a file, where text needs no quotes.
    pub fn from_text(text: &str, kind: FieldKind) -> Value {
        let text = text.trim();
        match kind {
            FieldKind::Number { .. } => Value::Number(text.to_string()),
            FieldKind::Flag | FieldKind::Choice(_) if text == "true" => Value::Flag(true),
            FieldKind::Flag | FieldKind::Choice(_) if text == "false" => Value::Flag(false),
            FieldKind::Flag => Value::Text(text.to_string()),
            FieldKind::Text { .. } | FieldKind::Choice(_) if !text.starts_with(['"', '\'']) => {
                Value::Text(text.to_string())
            }
            FieldKind::Text { .. } | FieldKind::Choice(_) => match DeValue::parse(text) {
                Ok(value) => Value::from_toml(value.get_ref()),
                Err(_) => Value::Text(text.to_string()),
            },
            FieldKind::Names { .. } => {
                let names = items(text).map(|name| name.trim_matches(['"', '\'']));
                Value::List(names.map(|name| Value::Text(name.to_string())).collect())
            }
            FieldKind::Numbers { .. } => {
                Value::List(items(text).map(|number| Value::Number(number.to_string())).collect())
            }
        }
    }

    /// What kind of value this is, for errors.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Text(_) => "text",
            Value::Number(_) => "a number",
            Value::Flag(_) => "true or false",
            Value::List(_) => "a list",
            Value::Other(name) => name,
        }
    }
}

/// The items of a list as a person types it, with its brackets or without.
fn items(text: &str) -> impl Iterator<Item = &str> {
    let inner = text.trim_start_matches('[').trim_end_matches(']').trim();
    let items = (!inner.is_empty()).then(|| inner.split(',').map(str::trim));
    items.into_iter().flatten()
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect()
}

/// The lines that begin with `#` at the top of the file, without their signs.
fn leading_comment(text: &str) -> Option<String> {
    let lines = text
        .trim_start_matches('\u{feff}')
        .lines()
        .skip_while(|line| line.trim().is_empty());
    let lines: Vec<String> = lines
        .map_while(|line| line.strip_prefix('#'))
        .map(comment_line)
        .collect();
    let comment = lines.join("\n");
    let comment = comment.trim_matches('\n');
    (!comment.is_empty()).then(|| comment.to_string())
}

fn comment_line(line: &str) -> String {
    let line = line.strip_prefix(' ').unwrap_or(line);
    one_line(line).trim_end().to_string()
}
