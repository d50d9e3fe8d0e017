//! Who held the leader key, and the lease behind it from one renewal to the next.

use super::{Tape, lease_id, node_id};
use crate::draw::story::{Fuse, FuseEnd};
use crate::engine::{SimTime, Span};
use crate::sorting;
use crate::vocabulary::{LeaseId, NodeId};

/// A lease that ends so shortly before its time was not given back: the store looks twice a second, and the recorder knows
/// a renewal only by its answer.
const NEARLY: Span = Span::from_millis(1_500);

/// From a put of the leader key to its deletion, or to the next put under another lease.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reign {
    pub holder: NodeId,
    pub lease: LeaseId,
    /// Milliseconds from the fault.
    pub from_ms: f64,
    pub until_ms: f64,
    pub end: FuseEnd,
}

/// All reigns, those before the story's beginning too.
pub fn reigns(tape: &Tape) -> Vec<Reign> {
    let mut reigns: Vec<Reign> = Vec::new();
    let mut open = false;
    for event in tape.events("leader_key") {
        let last = reigns.last_mut().filter(|_| open);
        let Some((holder, lease)) = put(&event.detail) else {
            if let Some(last) = last {
                last.until_ms = event.t_ms;
                last.end = if expired(tape, last) {
                    FuseEnd::Expired
                } else {
                    FuseEnd::Released
                };
            }
            open = false;
            continue;
        };
        match last {
            Some(last) if (last.holder, last.lease) == (holder, lease) => continue,
            Some(last) => (last.until_ms, last.end) = (event.t_ms, FuseEnd::Replaced),
            None => {}
        }
        open = true;
        reigns.push(Reign {
            holder,
            lease,
            from_ms: event.t_ms,
            until_ms: tape.recording.derived.run_end_ms,
            end: FuseEnd::Open,
        });
    }
    reigns
}

/// `PUT pg2 rev=8 create_rev=8 lease=7d50a22c6d992704`.
fn put(detail: &str) -> Option<(NodeId, LeaseId)> {
    let holder = node_id(detail.strip_prefix("PUT ")?.split(' ').next()?)?;
    let lease = detail.split("lease=").nth(1).unwrap_or_default();
    Some((holder, lease_id(lease)))
}

fn expired(tape: &Tape, reign: &Reign) -> bool {
    let last = renewals(tape, reign.lease).into_iter().rfind(|&at| at < reign.until_ms);
    let full = last.unwrap_or(reign.from_ms);
    reign.until_ms - full >= ttl(tape).as_millis_f64() - NEARLY.as_millis_f64()
}

fn ttl(tape: &Tape) -> Span {
    Span::from_secs(tape.recording.params.ttl)
}

/// When the store renewed a lease: between the request and its answer, so the middle of both is told.
fn renewals(tape: &Tape, lease: LeaseId) -> Vec<f64> {
    let mine = tape.recording.renewals.iter().filter(|r| lease_id(&r.lease) == lease);
    let mut times: Vec<f64> = mine
        .flat_map(|r| r.sent_done_ms.iter().map(|(sent, answered)| (sent + answered) / 2.0))
        .collect();
    sorting::by(&mut times, f64::total_cmp);
    times
}

/// Requests on the wire were recorded only for some time before the fault: a reign that began before is told from its first
/// recorded renewal on.
pub fn fuses(tape: &Tape, reigns: &[Reign]) -> Vec<Fuse> {
    let all = tape.recording.renewals.iter().flat_map(|r| &r.sent_done_ms);
    let recorded_from = all.map(|(sent, _)| *sent).fold(f64::INFINITY, f64::min);
    let mut fuses: Vec<Fuse> = Vec::new();
    for reign in reigns {
        let times = renewals(tape, reign.lease);
        let inside = times.iter().filter(|&&at| reign.from_ms < at && at < reign.until_ms);
        let mut lit: Vec<(f64, f64)> = inside.map(|&at| (at, at)).collect();
        if reign.from_ms >= recorded_from {
            let before = times.iter().rfind(|&&at| at <= reign.from_ms);
            lit.insert(0, (*before.unwrap_or(&reign.from_ms), reign.from_ms));
        }
        for (n, &(lit_ms, from_ms)) in lit.iter().enumerate() {
            let (until_ms, end) = lit
                .get(n + 1)
                .map_or((reign.until_ms, reign.end), |next| (next.1, FuseEnd::Renewed));
            let burning = tape.stretch(from_ms, until_ms, end);
            fuses.extend(burning.map(|burning| Fuse {
                holder: reign.holder,
                lease: reign.lease,
                // A lease that was renewed before the story's beginning is told as renewed there or later, never earlier.
                lit: tape.exact(lit_ms).unwrap_or(SimTime::ZERO),
                ttl: ttl(tape),
                from: burning.from,
                until: burning.until,
                end,
            }));
        }
    }
    fuses
}
