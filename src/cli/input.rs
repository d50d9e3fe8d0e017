//! Where a scenario comes from.

use super::BadInput;
use leaselab::scenario::fields::FILE_BYTES_MAX;
use leaselab::scenario::{MORE, SHIPPED, ScenarioError};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A scenario of any system as it was found: what to call it in errors, and its text.
pub struct Found {
    pub origin: String,
    pub text: String,
}

impl Found {
    /// Reads what `name` means: standard input for `-`, a file, or else a shipped scenario.
    pub fn by(name: &str) -> Result<Found, BadInput> {
        let (origin, text) = text(name)?;
        Ok(Found { origin, text })
    }

    /// What a reader made of it; of several errors the first, and how many more there are.
    pub fn read<T>(&self, read: Result<T, Vec<ScenarioError>>) -> Result<T, BadInput> {
        read.map_err(|errors| {
            let more = match errors.len() {
                0 | 1 => String::new(),
                2 => " (and 1 more error)".to_owned(),
                several => format!(" (and {} more errors)", several - 1),
            };
            let first = errors
                .first()
                .map_or_else(|| format!("{}: cannot be read", self.origin), ToString::to_string);
            BadInput(format!("{first}{more}"))
        })
    }
}

/// The scenario's text and what to call it in errors.
fn text(name: &str) -> Result<(String, String), BadInput> {
    if name == "-" {
        return limited("standard input", io::stdin().lock());
    }
    if Path::new(name).exists() {
        let file = File::open(name).map_err(|error| unreadable(name, &error))?;
        return limited(name, file);
    }
    let bare = name.strip_suffix(".toml").unwrap_or(name);
    let shipped = SHIPPED.iter().chain(MORE).find(|(shipped, _)| *shipped == bare);
    shipped
        .map(|(_, text)| (name.to_owned(), (*text).to_owned()))
        .ok_or_else(|| {
            let names: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
            BadInput(format!(
                "{name}: no such file; give a scenario file, - or a shipped scenario: {}, or one of those in \
                 lessons/scenarios/, such as {}",
                names.join(", "),
                MORE[0].0
            ))
        })
}

/// Reads no more than a scenario may have, whatever is there to be read.
fn limited(origin: &str, from: impl Read) -> Result<(String, String), BadInput> {
    let mut bytes = Vec::new();
    let limit = FILE_BYTES_MAX as u64 + 1;
    from.take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(origin, &error))?;
    if bytes.len() > FILE_BYTES_MAX {
        return Err(BadInput(format!(
            "{origin}: larger than {FILE_BYTES_MAX} bytes, the limit of a scenario; give a scenario file"
        )));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok((origin.to_owned(), text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            Err(BadInput(format!(
                "{origin}: byte {at} is not UTF-8 text; save the scenario as UTF-8"
            )))
        }
    }
}

fn unreadable(origin: &str, error: &io::Error) -> BadInput {
    BadInput(format!(
        "{origin}: cannot be read: {error}; give a scenario file, - or the name of a shipped scenario"
    ))
}
