//! Numbers as people write them: exact, with at most six decimals. No floating point decides what a file means.

use std::fmt;

/// An exact number in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decimal(i128);

/// Why a text is no [`Decimal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotDecimal {
    /// No number at all, or one like `inf`.
    NotANumber,
    /// More than six decimals.
    TooFine,
    /// More than 30 digits.
    TooLong,
}

/// Digits of a number in millionths that surely fit into an `i128`.
const DIGITS_MAX: i64 = 30;

impl Decimal {
    pub const fn whole(n: i64) -> Decimal {
        Decimal(n as i128 * 1_000_000)
    }
    pub const fn millionths(n: i128) -> Decimal {
        Decimal(n)
    }
    pub const fn as_millionths(self) -> i128 {
        self.0
    }
    /// For people and sliders; nothing is decided on it.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
    /// Whether it can be written with this many decimals (0 to 6).
    pub fn fits(self, places: u8) -> bool {
        self.0 % 10_i128.pow(6_u32.saturating_sub(u32::from(places))) == 0
    }

    /// Reads what TOML allows for a number: a sign, underscores, a fraction, an exponent.
    ///
    /// ```
    /// use leaselab::scenario::decimal::{Decimal, NotDecimal};
    /// assert_eq!(Decimal::parse("40.05"), Ok(Decimal::millionths(40_050_000)));
    /// assert_eq!(Decimal::parse("4e1"), Ok(Decimal::whole(40)));
    /// assert_eq!(Decimal::parse("0.0000001"), Err(NotDecimal::TooFine));
    /// ```
    pub fn parse(text: &str) -> Result<Decimal, NotDecimal> {
        let (negative, rest) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (int, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: String = int.chars().chain(fraction.chars()).filter(|c| *c != '_').collect();
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(NotDecimal::NotANumber);
        }
        let exponent: i64 = exponent.parse::<i32>().map_err(|_| NotDecimal::NotANumber)?.into();
        let significant = digits.trim_start_matches('0').trim_end_matches('0');
        if significant.is_empty() {
            return Ok(Decimal(0));
        }
        let decimals = fraction.chars().filter(|c| *c != '_').count() as i64;
        let trailing_zeros = (digits.len() - digits.trim_end_matches('0').len()) as i64;
        let shift = 6 + exponent - decimals + trailing_zeros;
        if shift < 0 {
            return Err(NotDecimal::TooFine);
        }
        if significant.len() as i64 + shift > DIGITS_MAX {
            return Err(NotDecimal::TooLong);
        }
        let value: i128 = significant.parse().map_err(|_| NotDecimal::TooLong)?;
        let value = value * 10_i128.pow(shift as u32);
        Ok(Decimal(if negative { -value } else { value }))
    }
}

impl fmt::Display for Decimal {
    /// As short as it can be: `40.05`, `-1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, rest) = (self.0.unsigned_abs() / 1_000_000, self.0.unsigned_abs() % 1_000_000);
        if rest == 0 {
            return write!(f, "{sign}{whole}");
        }
        write!(f, "{sign}{whole}.{}", format!("{rest:06}").trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_reads_back_the_same() {
        for n in [0, 1, -1, 999_999, 40_050_000, -12_345_678, i128::from(u64::MAX)] {
            assert_eq!(Decimal::parse(&Decimal(n).to_string()), Ok(Decimal(n)));
        }
    }

    #[test]
    fn every_way_to_write_a_number_means_the_same() {
        for text in ["1500", "1_500", "1.5e3", "1500.000000000", "+15E+2", "0001500.0"] {
            assert_eq!(Decimal::parse(text), Ok(Decimal::whole(1500)), "{text}");
        }
    }

    #[test]
    fn what_is_not_exact_is_refused() {
        assert_eq!(Decimal::parse("1e-7"), Err(NotDecimal::TooFine));
        assert_eq!(Decimal::parse("1e999999999"), Err(NotDecimal::TooLong));
        for text in ["", "inf", "nan", "-", ".", "1.2.3", "e5", "1e", "1e99999999999"] {
            assert_eq!(Decimal::parse(text), Err(NotDecimal::NotANumber), "{text}");
        }
    }

    #[test]
    fn decimals_are_counted_without_trailing_zeros() {
        let n = Decimal::millionths(1_500_000);
        assert!(n.fits(1) && !n.fits(0));
    }
}
