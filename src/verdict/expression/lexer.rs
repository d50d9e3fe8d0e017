//! A claim's text as words and signs.

use super::{ClaimError, error};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Word(String),
    Number(f64),
    /// A number with a unit of time, in milliseconds.
    Time(f64),
    Text(String),
    Sign(&'static str),
    End,
}

/// Longer signs come before their beginnings.
const SIGNS: [&str; 18] = [
    "..=", "..", "==", "!=", "<=", ">=", "<", ">", "(", ")", "[", "]", ".", "+", "-", "*", "/", "=",
];

const LENGTH_MAX: usize = 2_000;
/// Greater numbers are no longer exact, and no seed is greater.
const NUMBER_MAX: f64 = 9_007_199_254_740_992.0;

/// The tokens, each with its column from 1; the last is always [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, ClaimError> {
    let letters: Vec<char> = text.chars().take(LENGTH_MAX + 1).collect();
    if letters.len() > LENGTH_MAX {
        return error(LENGTH_MAX, format!("a claim has at most {LENGTH_MAX} characters"));
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        if letters[at].is_whitespace() {
            at += 1;
            continue;
        }
        let (token, length) = token(&letters[at..], at + 1)?;
        found.push((at + 1, token));
        at += length;
    }
    found.push((letters.len() + 1, Token::End));
    Ok(found)
}

/// The token at the beginning of `rest`, and its length.
fn token(rest: &[char], column: usize) -> Result<(Token, usize), ClaimError> {
    let run = |is: fn(char) -> bool| rest.iter().take_while(|&&c| is(c)).count();
    match rest[0] {
        c if c.is_ascii_alphabetic() || c == '_' => {
            let length = run(|c| c.is_ascii_alphanumeric() || c == '_');
            Ok((Token::Word(rest[..length].iter().collect()), length))
        }
        c if c.is_ascii_digit() => number(rest, column),
        quote @ ('"' | '\'') => match rest[1..].iter().position(|&c| c == quote) {
            Some(length) => Ok((Token::Text(rest[1..=length].iter().collect()), length + 2)),
            None => error(column, format!("this text has no end; close it with {quote}")),
        },
        other => {
            let begins = |sign: &&&str| sign.chars().eq(rest.iter().copied().take(sign.len()));
            match SIGNS.iter().find(begins) {
                Some(&"=") => error(column, "compare with =="),
                Some(sign) => Ok((Token::Sign(sign), sign.len())),
                None => error(column, format!("{other:?} has no meaning here")),
            }
        }
    }
}

/// The units of time and how many milliseconds each is.
const UNITS: [(&str, f64); 5] = [
    ("us", 0.001),
    ("ms", 1.0),
    ("s", 1_000.0),
    ("min", 60_000.0),
    ("h", 3_600_000.0),
];

/// Digits, and perhaps a point with more digits: `1..2` is a range, not a number. A unit of time may follow, with or
/// without a space.
fn number(rest: &[char], column: usize) -> Result<(Token, usize), ClaimError> {
    let digits = |from: usize| rest.iter().skip(from).take_while(|c| c.is_ascii_digit()).count();
    let mut length = digits(0);
    if rest.get(length) == Some(&'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    let text: String = rest[..length].iter().collect();
    let number = match text.parse::<f64>() {
        Ok(number) if number <= NUMBER_MAX => number,
        _ => return error(column, format!("{text} is not a number that can be handled")),
    };
    let gap = rest[length..].iter().take_while(|c| c.is_whitespace()).count();
    let word: String = rest[length + gap..]
        .iter()
        .take_while(|c| c.is_ascii_alphanumeric() || **c == '_')
        .collect();
    let glued = gap == 0 && !word.is_empty();
    match UNITS.iter().find(|(unit, _)| *unit == word) {
        // Rounded to whole microseconds, so that 13.2 s is exactly what a verdict calls 13200 ms.
        Some((_, ms)) => Ok((
            Token::Time((number * ms * 1_000.0).round() / 1_000.0),
            length + gap + word.len(),
        )),
        None if glued => error(
            column + length,
            format!("{word} is no unit; the units of time are us, ms, s, min, h, and everything else has none"),
        ),
        None => Ok((Token::Number(number), length)),
    }
}
