//! Single values: from what was written to its type, by the description of the field.

use super::decimal::{Decimal, NotDecimal};
use super::error::{Errors, MISSING, Place, Problem, Refused, suggest};
use super::fields::{Field, FieldKind};
use super::raw::{Entries, Value};
use super::{Latency, error};
use crate::engine::Span;

/// A group of values with one prefix: the whole file, or one fault.
pub(super) struct Reader<'a> {
    pub entries: &'a Entries,
    /// Goes before the keys in errors: nothing, or `fault.2.`.
    pub prefix: String,
    /// Where a missing value is missing.
    pub place: Place,
    pub errors: &'a mut Errors,
}

impl Reader<'_> {
    /// Reads a field as `read` does, or its default; `None` when it has neither.
    pub fn optional<T>(
        &mut self,
        field: &Field,
        read: impl Fn(&Field, &Value) -> Result<T, Problem>,
    ) -> Result<Option<T>, Refused> {
        if let Some(entry) = self.entries.get(field.key) {
            return match not_later(field, &entry.value).and_then(|()| read(field, &entry.value)) {
                Ok(value) => Ok(Some(value)),
                Err(problem) => Err(self.refuse(field.key, problem)),
            };
        }
        let Some(default) = field.default else { return Ok(None) };
        match read(field, &Value::from_text(default, field.kind)) {
            Ok(value) => Ok(Some(value)),
            Err(problem) => Err(self.refuse(field.key, problem)),
        }
    }

    /// The same for a field that must have a value.
    pub fn required<T>(
        &mut self,
        field: &Field,
        read: impl Fn(&Field, &Value) -> Result<T, Problem>,
    ) -> Result<T, Refused> {
        match self.optional(field, read)? {
            Some(value) => Ok(value),
            None => {
                let problem = Problem::new("must be given", format!("add {} = {}", field.key, expected(field)));
                Err(self.refuse(field.key, problem))
            }
        }
    }

    /// Records a problem with the value of this key, or with its absence.
    pub fn refuse(&mut self, key: &str, problem: Problem) -> Refused {
        let full = format!("{}{key}", self.prefix);
        match self.entries.get(key) {
            Some(entry) => self.errors.push(&entry.place, &full, &entry.shown, problem),
            None => self.errors.push(&self.place, &full, MISSING, problem),
        }
    }

    /// Three fields that make a distribution.
    pub fn latency(&mut self, min: &Field, typical: &Field, max: &Field) -> Result<Latency, Refused> {
        let values = [min, typical, max].map(|field| self.required(field, span));
        let latency = Latency {
            min: values[0]?,
            typical: values[1]?,
            max: values[2]?,
        };
        if latency.min > latency.typical {
            let remedy = format!("make {} at most {}", min.key, typical.key);
            return Err(self.refuse(self.written(min, typical), Problem::new("min is above typical", remedy)));
        }
        if latency.typical > latency.max {
            let remedy = format!("make {} at most {}", typical.key, max.key);
            return Err(self.refuse(self.written(typical, max), Problem::new("typical is above max", remedy)));
        }
        Ok(latency)
    }

    /// Of two keys that contradict each other, the first that stands in the file.
    fn written(&self, first: &Field, second: &Field) -> &'static str {
        if self.entries.contains_key(first.key) {
            first.key
        } else {
            second.key
        }
    }
}

/// What a field takes, in words.
pub(super) fn expected(field: &Field) -> String {
    match field.kind {
        FieldKind::Text { chars_max } => format!("a text of 1 to {chars_max} characters"),
        FieldKind::Number { min, max, places } => {
            let what = if places == 0 { "a whole number" } else { "a number" };
            let unit = if field.unit.is_empty() {
                String::new()
            } else {
                format!(" {}", field.unit)
            };
            format!("{what} from {min} to {max}{unit}")
        }
        FieldKind::Flag => "true or false".to_string(),
        FieldKind::Choice(words) => format!("\"{}\"", words.join("\" or \"")),
        FieldKind::Names { count_min, count_max } => format!("a list of {count_min} to {count_max} names"),
        FieldKind::Numbers { min, max, count_max } => {
            format!("a list of 0 to {count_max} whole numbers from {min} to {max}")
        }
    }
}

fn use_expected(field: &Field) -> String {
    format!("use {}", expected(field))
}

fn wrong_type(field: &Field, value: &Value) -> Problem {
    Problem::new(format!("is {}", value.type_name()), use_expected(field))
}

/// Refuses values that are part of the format, but not built.
fn not_later(field: &Field, value: &Value) -> Result<(), Problem> {
    let written = match value {
        Value::Text(text) => text.clone(),
        Value::Number(number) => Decimal::parse(number).map(|n| n.to_string()).unwrap_or_default(),
        Value::Flag(flag) => flag.to_string(),
        Value::List(_) | Value::Other(_) => return Ok(()),
    };
    if field.later.contains(&written.as_str()) {
        return Err(Problem::not_built(
            &written,
            format!("use {}", field.default.unwrap_or_default()),
        ));
    }
    Ok(())
}

/// An exact number within the field's range.
pub(super) fn number(field: &Field, value: &Value) -> Result<Decimal, Problem> {
    let (Value::Number(text), FieldKind::Number { min, max, places }) = (value, field.kind) else {
        return Err(wrong_type(field, value));
    };
    let number = match Decimal::parse(text) {
        Ok(number) if number.fits(places) => number,
        Ok(_) | Err(NotDecimal::TooFine) => return Err(too_fine(field, places)),
        Err(NotDecimal::TooLong) => return Err(Problem::new("has too many digits", use_expected(field))),
        Err(NotDecimal::NotANumber) => return Err(Problem::new("is not a number", use_expected(field))),
    };
    if number < min {
        let below = if number < Decimal::whole(0) && min >= Decimal::whole(0) {
            "is negative".to_string()
        } else {
            format!("is below the least value {min}")
        };
        return Err(Problem::new(below, use_expected(field)));
    }
    if number > max {
        return Err(Problem::new(
            format!("is above the limit of {max}"),
            use_expected(field),
        ));
    }
    Ok(number)
}

fn too_fine(field: &Field, places: u8) -> Problem {
    let remedy = format!("use at most {places} decimals");
    match field.unit {
        _ if places == 0 => Problem::new("is not a whole number", use_expected(field)),
        "%" => Problem::new("is finer than one part per million", remedy),
        _ => Problem::new("is finer than a microsecond, the smallest step of time here", remedy),
    }
}

/// Of a timing while Patroni's own rules count.
pub(super) fn not_whole() -> Problem {
    let remedy = "use whole seconds, or timing_rules = \"none\"";
    Problem::new("Patroni 4.1 takes whole seconds only", remedy)
}

/// A number without decimals.
pub(super) fn integer(field: &Field, value: &Value) -> Result<i64, Problem> {
    let number = number(field, value)?.as_millionths() / 1_000_000;
    i64::try_from(number).map_err(|_| Problem::new("has too many digits", use_expected(field)))
}

/// The same when the field's range begins at 0 or above.
pub(super) fn count(field: &Field, value: &Value) -> Result<u64, Problem> {
    u64::try_from(integer(field, value)?).map_err(|_| Problem::new("is negative", use_expected(field)))
}

/// A length of time in microseconds, positive or negative, from a field in `s` or `ms`.
pub(super) fn signed_micros(field: &Field, value: &Value) -> Result<i64, Problem> {
    let millionths = number(field, value)?.as_millionths();
    let micros = if field.unit == "ms" {
        millionths / 1_000
    } else {
        millionths
    };
    i64::try_from(micros).map_err(|_| Problem::new("has too many digits", use_expected(field)))
}

/// A length of time from a field in `s` or `ms`.
pub(super) fn span(field: &Field, value: &Value) -> Result<Span, Problem> {
    let micros = signed_micros(field, value)?;
    u64::try_from(micros)
        .map(Span::from_micros)
        .map_err(|_| Problem::new("is negative", use_expected(field)))
}

/// A probability from a field in `%`, in parts per million.
pub(super) fn ppm(field: &Field, value: &Value) -> Result<u32, Problem> {
    let ppm = number(field, value)?.as_millionths() / 100;
    u32::try_from(ppm).map_err(|_| Problem::new("is negative", use_expected(field)))
}

pub(super) fn flag(field: &Field, value: &Value) -> Result<bool, Problem> {
    match value {
        Value::Flag(flag) => Ok(*flag),
        _ => Err(wrong_type(field, value)),
    }
}

/// One of the field's words; a bare `false` means `"off"` and a bare `true` `"on"`, as they do in Patroni's own files.
pub(super) fn choice(field: &Field, value: &Value) -> Result<&'static str, Problem> {
    let FieldKind::Choice(words) = field.kind else {
        return Err(wrong_type(field, value));
    };
    let text = match value {
        Value::Text(text) => text.as_str(),
        Value::Flag(false) if words.contains(&"off") => "off",
        Value::Flag(true) if words.contains(&"on") => "on",
        _ => return Err(wrong_type(field, value)),
    };
    match words.iter().find(|word| **word == text) {
        Some(word) => Ok(word),
        None => Err(Problem::new("is not one of its values", suggest(text, words))),
    }
}

/// One line of text.
pub(super) fn text(field: &Field, value: &Value) -> Result<String, Problem> {
    let (Value::Text(text), FieldKind::Text { chars_max }) = (value, field.kind) else {
        return Err(wrong_type(field, value));
    };
    let wrong = match text {
        _ if text.trim().is_empty() => "is empty",
        _ if text.chars().nth(chars_max).is_some() => "is too long",
        _ if text.chars().any(error::breaks_a_line) => "is more than one line of plain text",
        _ => return Ok(text.clone()),
    };
    Err(Problem::new(wrong, use_expected(field)))
}

/// A list of new names, each `[a-z][a-z0-9_-]{0,30}`.
pub(super) fn new_names(field: &Field, value: &Value) -> Result<Vec<String>, Problem> {
    let names = names(field, value)?;
    names.iter().try_for_each(|name| name_is_valid(name))?;
    Ok(names)
}

/// A list of different names.
pub(super) fn names(field: &Field, value: &Value) -> Result<Vec<String>, Problem> {
    let (Value::List(items), FieldKind::Names { count_min, count_max }) = (value, field.kind) else {
        return Err(wrong_type(field, value));
    };
    if !(count_min..=count_max).contains(&items.len()) {
        return Err(Problem::new(format!("has {} names", items.len()), use_expected(field)));
    }
    let mut names: Vec<String> = Vec::new();
    for item in items {
        let Value::Text(name) = item else {
            return Err(Problem::new(
                format!("one of its names is {}", item.type_name()),
                use_expected(field),
            ));
        };
        if names.contains(name) {
            let wrong = format!("{} stands there twice", error::shown(name));
            return Err(Problem::new(wrong, "name each node once"));
        }
        names.push(name.clone());
    }
    Ok(names)
}

/// A list of whole numbers, which need not differ.
pub(super) fn numbers(field: &Field, value: &Value) -> Result<Vec<i64>, Problem> {
    let (Value::List(items), FieldKind::Numbers { min, max, count_max }) = (value, field.kind) else {
        return Err(wrong_type(field, value));
    };
    if items.len() > count_max {
        return Err(Problem::new(
            format!("has {} numbers", items.len()),
            use_expected(field),
        ));
    }
    let one = |item: &Value| {
        let number = match item {
            Value::Number(text) => text,
            other => {
                let wrong = format!("one of its numbers is {}", other.type_name());
                return Err(Problem::new(wrong, use_expected(field)));
            }
        };
        let whole = Decimal::parse(number).ok().filter(|n| n.fits(0));
        let allowed = whole.filter(|n| (Decimal::whole(min)..=Decimal::whole(max)).contains(n));
        let n = allowed.and_then(|n| i64::try_from(n.as_millionths() / 1_000_000).ok());
        n.ok_or_else(|| {
            let wrong = format!("{} is not one of these numbers", error::shown(number));
            Problem::new(wrong, use_expected(field))
        })
    };
    items.iter().map(one).collect()
}

fn name_is_valid(name: &str) -> Result<(), Problem> {
    let shown = error::shown(name);
    let later = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    if name.len() > 31 || !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(later) {
        let remedy = "begin with a small letter, go on with small letters, digits, _ or -, at most 31 in all";
        return Err(Problem::new(format!("{shown} is no name for a node"), remedy));
    }
    let member = name
        .strip_prefix("etcd")
        .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
    if member || name == "clients" {
        return Err(Problem::new(
            format!("{shown} is the name of another host"),
            "name the node otherwise",
        ));
    }
    Ok(())
}
