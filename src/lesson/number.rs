//! A number in the prose: what the runs make of it, in the form in which it was written.
//!
//! | written          | the figure is | means |
//! |------------------|---------------|-------|
//! | `13.2 s`, `45 ms`| a time        | with as many decimals and in that unit |
//! | `130 writes`     | a count       | any words may follow |
//! | `30.1 to 32.4 s` | a number      | the least and the greatest over the seeds of a claim about all or some of them |
//! | `7 of 20 runs`   | a truth       | in how many of the runs it is true |
//! | `node3`          | a text        | the same in all runs |

use crate::verdict::{Figure, FigureKind, Quantifier, Range};
use serde_json::Value;

/// What the text of a link to a claim should be.
///
/// # Errors
/// When it has no form that can be filled, or some run has no value; with the reason.
pub(super) fn written(
    old: &str,
    figure: &Figure,
    quantifier: Quantifier,
    verdicts: &[&Value],
) -> Result<String, String> {
    let values: Vec<Value> = verdicts.iter().map(|verdict| figure.of(verdict)).collect();
    if values.is_empty() || values.contains(&Value::Null) {
        return Err(format!("{} has no value in some run", figure.text()));
    }
    match figure.kind() {
        FigureKind::Text => text(figure, &values),
        FigureKind::Truth => {
            let yes = values.iter().filter(|value| **value == Value::Bool(true)).count();
            let form = Form::of(old)?;
            Ok(format!("{yes} of {}{}", values.len(), form.rest))
        }
        FigureKind::Count | FigureKind::Time => {
            let form = Form::of(old)?;
            let scale = form.scale(figure)?;
            let numbers: Vec<f64> = values.iter().filter_map(Value::as_f64).collect();
            let show = |number: f64| format!("{:.*}", form.decimals, number / scale);
            let range = Range::of(&numbers).ok_or("there is no number")?;
            let shown = match quantifier {
                Quantifier::Median => show(range.median),
                Quantifier::P99 => show(crate::verdict::percentile_99(&numbers)),
                // Two ends that are written alike are one number.
                _ if show(range.min) == show(range.max) => show(range.min),
                _ => format!("{} to {}", show(range.min), show(range.max)),
            };
            Ok(format!("{shown}{}", form.rest))
        }
    }
}

/// Whether a link's text is a number at all, or states a claim in words.
pub(super) fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
}

fn text(figure: &Figure, values: &[Value]) -> Result<String, String> {
    match values.first().and_then(Value::as_str) {
        Some(first) if values.iter().all(|value| value == first) => Ok(first.to_owned()),
        _ => Err(format!("{} is not the same in all runs", figure.text())),
    }
}

/// How a number is written: its decimals, and what follows the last digit.
struct Form {
    decimals: usize,
    rest: String,
}

impl Form {
    fn of(text: &str) -> Result<Form, String> {
        let first: String = number_at(text);
        if first.is_empty() {
            return Err(format!("{text:?} does not begin with a number"));
        }
        let decimals = first.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let mut rest = &text[first.len()..];
        for between in [" to ", " of "] {
            if let Some(second) = rest.strip_prefix(between) {
                let number = number_at(second);
                if !number.is_empty() {
                    rest = &second[number.len()..];
                }
            }
        }
        Ok(Form {
            decimals,
            rest: rest.to_owned(),
        })
    }

    /// How many of the figure's own units the written unit is.
    fn scale(&self, figure: &Figure) -> Result<f64, String> {
        if figure.kind() == FigureKind::Count {
            return Ok(1.0);
        }
        match self.rest.split_whitespace().next() {
            Some("ms" | "milliseconds") => Ok(1.0),
            Some("s" | "second" | "seconds") => Ok(1_000.0),
            Some("min" | "minute" | "minutes") => Ok(60_000.0),
            _ => Err(format!(
                "{} is a time, so a unit follows its number: ms, s or min",
                figure.text()
            )),
        }
    }
}

/// The digits at the beginning, with a sign and a decimal point.
fn number_at(text: &str) -> String {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let sign = text.len() - unsigned.len();
    let whole = unsigned.chars().take_while(char::is_ascii_digit).count();
    let decimals = match unsigned[whole..].strip_prefix('.') {
        Some(rest) => rest.chars().take_while(char::is_ascii_digit).count(),
        None => 0,
    };
    if whole == 0 {
        return String::new();
    }
    let point = usize::from(decimals > 0);
    text[..sign + whole + point + decimals].to_owned()
}
