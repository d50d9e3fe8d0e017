//! Patroni's own adjustment of timings that cannot work together.

use super::Adjustment;
use crate::engine::Span;

/// The three values whose sum decides whether a leader can notice the loss of the store before its lease ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    pub ttl: Span,
    pub loop_wait: Span,
    pub retry_timeout: Span,
}

/// What Patroni 4.1 runs with when these values are configured, and what it changed. It reckons in whole seconds;
/// fractions are dropped.
///
/// 1. loop_wait is at least 1 s, retry_timeout 3 s, ttl 20 s.
/// 2. When not even a loop_wait of 1 s leaves room (1 + 2 retry_timeout > ttl), loop_wait becomes 1 and
///    retry_timeout half of ttl - 1.
/// 3. Otherwise, when loop_wait + 2 retry_timeout > ttl, loop_wait becomes what is left.
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
    let seconds = |span: Span| span.as_micros() / 1_000_000;
    let mut values = [
        Adjusted::new("patroni.ttl", seconds(written.ttl)),
        Adjusted::new("patroni.loop_wait", seconds(written.loop_wait)),
        Adjusted::new("patroni.retry_timeout", seconds(written.retry_timeout)),
    ];
    let [ttl, loop_wait, retry_timeout] = &mut values;
    for (value, least) in [(&mut *ttl, 20), (&mut *loop_wait, 1), (&mut *retry_timeout, 3)] {
        if value.now < least {
            value.change(least, format!("Patroni's least value is {least} s"));
        }
    }
    let twice = retry_timeout.now.saturating_mul(2);
    if twice.saturating_add(1) > ttl.now {
        let why = format!("ttl {} must be at least loop_wait + 2 retry_timeout", ttl.now);
        loop_wait.change(1, why.clone());
        retry_timeout.change((ttl.now - 1) / 2, why);
    } else if twice.saturating_add(loop_wait.now) > ttl.now {
        let why = format!("ttl {} must be at least loop_wait + 2 retry_timeout", ttl.now);
        loop_wait.change(ttl.now - twice, why);
    }
    let span = |value: &Adjusted| Span(value.now.saturating_mul(1_000_000));
    let runs = Timing {
        ttl: span(ttl),
        loop_wait: span(loop_wait),
        retry_timeout: span(retry_timeout),
    };
    (runs, values.into_iter().filter_map(Adjusted::report).collect())
}

/// One value in seconds on its way through the rule.
struct Adjusted {
    key: &'static str,
    written: u64,
    now: u64,
    why: String,
}

impl Adjusted {
    fn new(key: &'static str, seconds: u64) -> Adjusted {
        Adjusted {
            key,
            written: seconds,
            now: seconds,
            why: String::new(),
        }
    }

    fn change(&mut self, to: u64, why: String) {
        if self.now != to {
            (self.now, self.why) = (to, why);
        }
    }

    fn report(self) -> Option<Adjustment> {
        (self.now != self.written).then(|| Adjustment {
            key: self.key.to_string(),
            from: self.written.to_string(),
            to: self.now.to_string(),
            why: self.why,
        })
    }
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
