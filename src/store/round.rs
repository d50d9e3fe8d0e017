//! How Patroni's client divides the time of a request over the store's servers (patroni.md 4.7).

use crate::engine::Span;

/// The least a server is given to answer.
pub(super) const LEAST_TRY: Span = Span::from_secs(1);

/// How the time of one round is cut up: so many servers, each tried so often, each try so long in all, so long for
/// connecting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Round {
    pub servers: usize,
    pub tries_each: u64,
    pub whole: Span,
    pub connect: Span,
}

impl Round {
    /// Patroni's division of the time over its servers (patroni.md 4.7): fewer tries, then fewer servers, rather than less
    /// than a second each.
    pub fn within(time: Span, servers: usize) -> Round {
        let n = servers as u64;
        let fits = |parts: u64| time.as_micros() >= parts * LEAST_TRY.as_micros();
        let tries_each = (1..=4 - n.clamp(1, 3))
            .rev()
            .find(|&tries| fits(n * tries))
            .unwrap_or(1);
        let servers = (1..=n).rev().find(|&servers| fits(servers * tries_each)).unwrap_or(0);
        let whole = if servers == 0 {
            Span::ZERO
        } else {
            time / (servers * tries_each)
        };
        Round {
            servers: servers as usize,
            tries_each,
            whole,
            connect: (whole / 2).max(LEAST_TRY),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_round_is_divided_as_patroni_divides_it() {
        // retry_timeout in s, servers: servers tried, tries at each, ms for each try.
        let table = [
            (10, 1, (1, 3, 3333)),
            (10, 2, (2, 2, 2500)),
            (10, 3, (3, 1, 3333)),
            (10, 5, (5, 1, 2000)),
            (10, 7, (7, 1, 1428)),
            (5, 1, (1, 3, 1666)),
            (5, 2, (2, 2, 1250)),
            (5, 3, (3, 1, 1666)),
            (5, 5, (5, 1, 1000)),
            (5, 7, (5, 1, 1000)),
            (3, 1, (1, 3, 1000)),
            (3, 2, (2, 1, 1500)),
            (3, 3, (3, 1, 1000)),
            (3, 5, (3, 1, 1000)),
            (3, 7, (3, 1, 1000)),
        ];
        for (time, servers, expected) in table {
            let round = Round::within(Span::from_secs(time), servers);
            let got = (round.servers, round.tries_each, round.whole.as_micros() / 1000);
            assert_eq!(got, expected, "{time} s over {servers} servers");
        }
        assert_eq!(Round::within(Span::from_millis(900), 3).servers, 0);
    }

    #[test]
    fn connecting_may_take_half_of_a_try_but_always_a_second() {
        assert_eq!(Round::within(Span::from_secs(10), 3).connect, Span(1_666_666));
        assert_eq!(Round::within(Span::from_secs(3), 3).connect, LEAST_TRY);
    }
}
