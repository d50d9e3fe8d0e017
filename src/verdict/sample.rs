//! A verdict that has one of everything: what claims may name, and what the documentation shows.

use super::{
    Adjusted, Believers, Cause, Failover, Interval, Invariant, InvariantFinding, KeyLoss, LostWrite, Outage, Outside,
    Overlap, Record, StoreFigures, Stray, StrayEnd, TwoPrimaries, Verdict, Writes,
};
use crate::engine::{EventId, SimTime, Span};
use crate::vocabulary::{Lsn, Timeline};
use std::num::NonZeroU32;

impl Verdict {
    /// Not of any run: every list has an entry and nothing is missing.
    pub fn sample() -> Verdict {
        let at = |ms: u64| SimTime(ms * 1_000);
        let interval = || Interval {
            from: at(72_200),
            to: at(85_450),
            nodes: vec!["node1".to_owned(), "node2".to_owned()],
        };
        let finding = |invariant: Invariant| InvariantFinding {
            invariant: invariant.name().to_owned(),
            holds: false,
            first: Some(at(72_200)),
            event: EventId::from_index(8_122),
            detail: None,
        };
        Verdict {
            scenario: "A sample".to_owned(),
            seed: 7,
            engine: crate::VERSION.to_owned(),
            trace_hash: Some("0".repeat(32)),
            events: 12_345,
            duration: Span::from_secs(120),
            adjusted: vec![Adjusted {
                key: "patroni.loop_wait".to_owned(),
                from: "15".to_owned(),
                to: "10".to_owned(),
                why: "loop_wait + 2 * retry_timeout must not exceed ttl".to_owned(),
            }],
            two_primaries: TwoPrimaries {
                ever: true,
                total: Span::from_millis(13_250),
                longest: Span::from_millis(13_250),
                intervals: vec![Overlap {
                    from: at(72_200),
                    to: at(85_450),
                    nodes: interval().nodes,
                    deposed: "node1".to_owned(),
                    why: Cause::AgentFrozen,
                }],
            },
            believers: Believers {
                most_at_once: 2,
                intervals: vec![interval()],
            },
            writes: Writes {
                acknowledged: 2_050,
                lost: 237,
                refused: 12,
                unknown: 3,
                accepted_by_deposed: 237,
                rejected_by_fence: 0,
            },
            lost_writes: vec![LostWrite {
                at: at(84_000),
                client: "node1/writer".to_owned(),
                told_by: "node1".to_owned(),
                lsn: Lsn(0x0501_0000),
                event: EventId(NonZeroU32::MIN),
            }],
            stray_branches: vec![Stray {
                node: "node1".to_owned(),
                timeline: Timeline(1),
                from_lsn: Lsn(0x0500_8000),
                to_lsn: Lsn(0x0501_0000),
                since: at(72_200),
                until: Some(at(90_000)),
                end: Some(StrayEnd::Rewound),
            }],
            outside: Outside::default(),
            writable: Span::from_secs(118),
            outages: vec![Outage {
                from: at(40_100),
                to: at(41_300),
            }],
            failovers: vec![failover(at)],
            store: StoreFigures::default(),
            findings: Invariant::ALL.map(finding).to_vec(),
            record: Record::default(),
        }
    }
}

fn failover(at: impl Fn(u64) -> SimTime) -> Failover {
    Failover {
        from: "node1".to_owned(),
        to: "node2".to_owned(),
        renewed: Some(at(39_900)),
        fault: Some(at(40_000)),
        not_writable: Some(at(85_450)),
        key_gone: Some(at(70_300)),
        key_taken: at(72_100),
        writable: Some(at(72_200)),
        why: KeyLoss::LeaseExpired,
        spurious: false,
    }
}
