//! Patroni's own adjustment of timings that cannot work together, told to whoever wrote them.

use super::Adjustment;
pub use crate::agent::Timing;
use crate::agent::TimingRule;
use crate::engine::Span;

/// What Patroni 4.1 runs with when these values are configured ([`Timing::adjusted`]), and what it changed.
///
/// Source: Patroni 4.1, `_validate_and_adjust_timeouts` in `patroni/config.py`.
///
/// ```
/// use leaselab::engine::Span;
/// use leaselab::scenario::timing::{Timing, adjust_timing};
/// let written = Timing { ttl: Span::from_secs(30), loop_wait: Span::from_secs(15), retry_timeout: Span::from_secs(10) };
/// let (runs, adjusted) = adjust_timing(written);
/// assert_eq!(runs.loop_wait, Span::from_secs(10));
/// assert_eq!(adjusted[0].key, "patroni.loop_wait");
/// ```
pub fn adjust_timing(written: Timing) -> (Timing, Vec<Adjustment>) {
    let (runs, rules) = written.adjusted();
    let values = [
        ("patroni.ttl", written.ttl, runs.ttl),
        ("patroni.loop_wait", written.loop_wait, runs.loop_wait),
        ("patroni.retry_timeout", written.retry_timeout, runs.retry_timeout),
    ];
    let seconds = |span: Span| (span.as_micros() / 1_000_000).to_string();
    let report = |((key, from, to), rule): ((&str, Span, Span), Option<TimingRule>)| {
        let (from, to) = (seconds(from), seconds(to));
        let why = match rule? {
            TimingRule::Least(least) => format!("Patroni's least value is {least} s"),
            TimingRule::FitsInto { ttl } => format!("ttl {ttl} must be at least loop_wait + 2 retry_timeout"),
        };
        (from != to).then(|| Adjustment {
            key: key.to_string(),
            from,
            to,
            why,
        })
    };
    (runs, values.into_iter().zip(rules).filter_map(report).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adjusted(ttl: u64, loop_wait: u64, retry_timeout: u64) -> (u64, u64, u64) {
        let s = Span::from_secs;
        let (runs, _) = adjust_timing(Timing {
            ttl: s(ttl),
            loop_wait: s(loop_wait),
            retry_timeout: s(retry_timeout),
        });
        let s = |span: Span| span.as_micros() / 1_000_000;
        (s(runs.ttl), s(runs.loop_wait), s(runs.retry_timeout))
    }

    #[test]
    fn impossible_timings_become_what_the_real_function_makes_of_them() {
        assert_eq!(adjusted(20, 10, 10), (20, 1, 9));
        assert_eq!(adjusted(30, 15, 10), (30, 10, 10));
        assert_eq!(adjusted(20, 10, 8), (20, 4, 8));
        assert_eq!(adjusted(10, 10, 10), (20, 1, 9));
        assert_eq!(adjusted(30, 0, 1), (30, 1, 3));
        assert_eq!(adjusted(21, 10, 10), (21, 1, 10));
        assert_eq!(adjusted(25, 10, 12), (25, 1, 12));
        assert_eq!(adjusted(60, 40, 10), (60, 40, 10));
        assert_eq!(adjusted(20, 12, 3), (20, 12, 3));
        assert_eq!(adjusted(30, 10, 10), (30, 10, 10));
    }

    #[test]
    fn every_change_is_reported_with_its_reason_and_nothing_else_is() {
        let s = Span::from_secs;
        let (_, changes) = adjust_timing(Timing {
            ttl: s(10),
            loop_wait: s(1),
            retry_timeout: s(10),
        });
        let told: Vec<_> = changes
            .iter()
            .map(|a| (a.key.as_str(), a.from.as_str(), a.to.as_str()))
            .collect();
        assert_eq!(
            told,
            [("patroni.ttl", "10", "20"), ("patroni.retry_timeout", "10", "9")]
        );
        assert!(changes.iter().all(|change| !change.why.is_empty()));
    }

    #[test]
    fn absurd_values_do_not_overflow() {
        let most = Span(u64::MAX);
        let _ = adjust_timing(Timing {
            ttl: most,
            loop_wait: most,
            retry_timeout: most,
        });
        let _ = adjust_timing(Timing {
            ttl: Span(0),
            loop_wait: most,
            retry_timeout: most,
        });
    }
}
