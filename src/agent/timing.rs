//! Patroni's adjustment of timings that cannot work together (patroni.md 8.1).

use crate::engine::Span;
use serde::Serialize;

/// The three values whose sum decides whether a leader can notice the loss of the store before its lease ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Timing {
    pub ttl: Span,
    pub loop_wait: Span,
    pub retry_timeout: Span,
}

/// Why a timing does not stay as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimingRule {
    /// Below what Patroni takes, in seconds.
    Least(u64),
    /// `loop_wait` and twice `retry_timeout` must fit into this ttl, in seconds.
    FitsInto { ttl: u64 },
}

/// One value in seconds on its way through the rules.
struct Value {
    now: u64,
    why: Option<TimingRule>,
}

impl Value {
    fn of(written: Span) -> Value {
        Value {
            now: written.as_micros() / 1_000_000,
            why: None,
        }
    }

    fn change(&mut self, to: u64, why: TimingRule) {
        if self.now != to {
            (self.now, self.why) = (to, Some(why));
        }
    }

    fn span(&self) -> Span {
        Span(self.now.saturating_mul(1_000_000))
    }
}

impl Timing {
    /// What Patroni 4.1 runs with when these values are configured, and which rule changed ttl, loop_wait and
    /// retry_timeout, in this order. It reckons in whole seconds; fractions are dropped.
    ///
    /// 1. loop_wait is at least 1 s, retry_timeout 3 s, ttl 20 s.
    /// 2. When not even a loop_wait of 1 s leaves room (1 + 2 retry_timeout > ttl), loop_wait becomes 1 and
    ///    retry_timeout half of ttl - 1.
    /// 3. Otherwise, when loop_wait + 2 retry_timeout > ttl, loop_wait becomes what is left.
    pub fn adjusted(self) -> (Timing, [Option<TimingRule>; 3]) {
        let mut ttl = Value::of(self.ttl);
        let mut loop_wait = Value::of(self.loop_wait);
        let mut retry_timeout = Value::of(self.retry_timeout);
        for (value, least) in [(&mut ttl, 20), (&mut loop_wait, 1), (&mut retry_timeout, 3)] {
            if value.now < least {
                value.change(least, TimingRule::Least(least));
            }
        }
        let twice = retry_timeout.now.saturating_mul(2);
        let why = TimingRule::FitsInto { ttl: ttl.now };
        if twice.saturating_add(1) > ttl.now {
            loop_wait.change(1, why);
            retry_timeout.change((ttl.now - 1) / 2, why);
        } else if twice.saturating_add(loop_wait.now) > ttl.now {
            loop_wait.change(ttl.now - twice, why);
        }
        let runs = Timing {
            ttl: ttl.span(),
            loop_wait: loop_wait.span(),
            retry_timeout: retry_timeout.span(),
        };
        (runs, [ttl.why, loop_wait.why, retry_timeout.why])
    }
}
