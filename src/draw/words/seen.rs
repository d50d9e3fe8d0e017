//! Patterns with names, and what each name means.

use super::super::story::Pattern;

/// Above the patterns of a run.
pub const SEEN_TITLE: &str = "Seen in this run";

/// When there are none.
pub const NOTHING_SEEN: &str = "Nothing that has a name here.";

/// A pattern's name.
pub fn pattern_name(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::WriteByDeposed => "write accepted by a deposed primary",
        Pattern::ExpiredUnderLiving => "lease expired under a living leader",
        Pattern::DatabaseRanOn => "lease expired, and a database ran on without its agent",
        Pattern::DemotedLate => "demoted after the key was gone",
        Pattern::DemotedInTime => "demoted before expiry",
        Pattern::RenewalLate => "renewal answered late",
        Pattern::RenewalGivenUp => "renewal given up",
        Pattern::DeclinedByAll => "race declined by every candidate",
        Pattern::RaceLost => "race lost",
        Pattern::SplitVote => "split vote",
        Pattern::WatchdogReset => "reset by the watchdog",
    }
}

/// What the name means, in a sentence.
pub fn pattern_help(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::WriteByDeposed => {
            "A client was told that its write is committed, by a node that did not hold the newest leader key."
        }
        Pattern::ExpiredUnderLiving => {
            "The store let the leader key go while its holder's agent ran and its database accepted writes."
        }
        Pattern::DatabaseRanOn => {
            "The store let the leader key go while its holder's agent was dead or frozen and its database accepted writes."
        }
        Pattern::DemotedLate => {
            "An agent gave its database up when the store no longer had the key as its own: until then nothing kept others from \
             taking over."
        }
        Pattern::DemotedInTime => "An agent gave its database up while the store still had the key as its own.",
        Pattern::RenewalLate => "The store answered a renewal, and the answer took more than 1 s.",
        Pattern::RenewalGivenUp => "The holder of the key heard nothing from the store within retry_timeout.",
        Pattern::DeclinedByAll => {
            "The key was free, and each agent that had seen it declined to race. Counted once for each time that the key was free."
        }
        Pattern::RaceLost => "An agent tried to take the key, and another had it.",
        Pattern::SplitVote => "Two members of the store asked for votes in one term, and nobody led in it.",
        Pattern::WatchdogReset => "A watchdog was not pinged in time and reset its machine.",
    }
}
