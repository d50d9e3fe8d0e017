//! A claim's text as words and signs.

use super::{ClaimError, error};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Word(String),
    Number(f64),
    Text(String),
    Sign(&'static str),
    End,
}

/// Longer signs come before their beginnings.
const SIGNS: [&str; 18] = [
    "..=", "..", "==", "!=", "<=", ">=", "<", ">", "(", ")", "[", "]", ".", "+", "-", "*", "/", "=",
];

const LENGTH_MAX: usize = 2_000;

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

/// Digits, and perhaps a point with more digits: `1..2` is a range, not a number.
fn number(rest: &[char], column: usize) -> Result<(Token, usize), ClaimError> {
    let digits = |from: usize| rest.iter().skip(from).take_while(|c| c.is_ascii_digit()).count();
    let mut length = digits(0);
    if rest.get(length) == Some(&'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if rest.get(length).is_some_and(|c| c.is_ascii_alphabetic() || *c == '_') {
        return error(
            column,
            "write numbers as 12500 or 0.5, without a unit; times are milliseconds",
        );
    }
    let text: String = rest[..length].iter().collect();
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok((Token::Number(number), length)),
        _ => error(column, format!("{text} is not a number that can be handled")),
    }
}
