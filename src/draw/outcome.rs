//! What a run amounted to, figure by figure, each with links to the moments it speaks of.

use super::story::{Story, Stretch};
use crate::engine::{SimTime, Span};
use crate::verdict::{Failover, KeyLoss, length};
use crate::vocabulary::NodeId;

/// As many moments of one figure are offered; the event list has them all.
const LINKS_MAX: usize = 4;

/// One figure of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub title: &'static str,
    pub words: String,
    /// It is damage or danger.
    pub bad: bool,
    pub links: Vec<Link>,
}

/// A moment, and what begins there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub words: String,
    pub at: SimTime,
}

impl Outcome {
    fn new(title: &'static str, words: String) -> Outcome {
        Outcome {
            title,
            words,
            bad: false,
            links: Vec::new(),
        }
    }

    fn bad(self, bad: bool) -> Outcome {
        Outcome { bad, ..self }
    }

    fn links(self, links: impl Iterator<Item = Link>) -> Outcome {
        let links = links.take(LINKS_MAX).collect();
        Outcome { links, ..self }
    }
}

/// All figures, in the order of their weight: dangers, what happened to the leadership, damage.
pub fn outcomes(story: &Story) -> Vec<Outcome> {
    let mut all = vec![two_primaries(story), believers(story)];
    all.extend(story.verdict.failovers.iter().map(|failover| change(story, failover)));
    if story.verdict.failovers.is_empty() {
        all.push(Outcome::new("Failovers", "none".to_owned()));
    }
    all.push(outages(story));
    all.push(writes(story));
    if story.store.is_group() {
        all.push(store(story));
    }
    all
}

fn two_primaries(story: &Story) -> Outcome {
    let two = &story.verdict.two_primaries;
    if !two.ever {
        return Outcome::new("Two primaries", "never".to_owned());
    }
    let words = format!("for {} in all, {} at a stretch", length(two.total), length(two.longest));
    let links = two.intervals.iter().map(|overlap| Link {
        words: format!(
            "{} for {}",
            overlap.nodes.join(" and "),
            length(overlap.to.since(overlap.from))
        ),
        at: overlap.from,
    });
    Outcome::new("Two primaries", words).bad(true).links(links)
}

/// Two believers are no damage: the figure is there to be compared with the one above.
fn believers(story: &Story) -> Outcome {
    let intervals = &story.verdict.believers.intervals;
    if intervals.is_empty() {
        return Outcome::new("Two believers", "never".to_owned());
    }
    let total = intervals
        .iter()
        .fold(Span::ZERO, |sum, interval| sum + interval.to.since(interval.from));
    let links = intervals.iter().map(|interval| Link {
        words: format!(
            "{} for {}",
            interval.nodes.join(" and "),
            length(interval.to.since(interval.from))
        ),
        at: interval.from,
    });
    Outcome::new("Two believers", format!("for {} in all", length(total))).links(links)
}

/// A failover with its phases: from the fault until the old leader noticed, until the key was gone, until it was taken, until
/// the new database was writable, until the router sent writes there.
fn change(story: &Story, failover: &Failover) -> Outcome {
    let begins = failover.fault.or(failover.not_writable).or(failover.key_gone);
    let to = story.nodes.iter().position(|lane| lane.name == failover.to);
    let routed = to.and_then(|to| routed(story, NodeId(to as u8), failover.key_taken));
    let noticed = failover
        .not_writable
        .filter(|at| failover.key_gone.is_none_or(|gone| *at < gone));
    let letting_go = match failover.why {
        KeyLoss::LeaseExpired => "lease runs out",
        KeyLoss::Released => "key given back",
        KeyLoss::Overwritten => "key overwritten",
    };
    let ends = [
        ("old leader stops", noticed),
        (letting_go, failover.key_gone),
        ("race", Some(failover.key_taken)),
        ("promotion", failover.writable),
        ("routing", routed),
    ];
    let (mut links, mut from) = (Vec::new(), begins);
    for (phase, end) in ends {
        if let (Some(begun), Some(end)) = (from, end)
            && end > begun
        {
            let words = format!("{phase} {}", length(end.since(begun)));
            links.push(Link { words, at: begun });
        }
        from = end.or(from);
    }
    let took = match (begins, failover.writable) {
        (Some(begins), Some(writable)) if writable > begins => format!(" in {}", length(writable.since(begins))),
        _ => String::new(),
    };
    let needless = if failover.spurious {
        ", though nothing but timing had failed"
    } else {
        ""
    };
    let words = format!("{} to {}{took}{needless}", failover.from, failover.to);
    Outcome {
        links,
        ..Outcome::new("Failover", words)
    }
}

/// When the router first sent writes to a node after it had taken the key.
fn routed(story: &Story, to: NodeId, taken: SimTime) -> Option<SimTime> {
    let goes_there = |stretch: &&Stretch<Option<NodeId>>| stretch.is == Some(to) && stretch.until > taken;
    story
        .router
        .iter()
        .find(goes_there)
        .map(|stretch| stretch.from.max(taken))
}

fn outages(story: &Story) -> Outcome {
    let outages = &story.verdict.outages;
    if outages.is_empty() {
        return Outcome::new("No writable database", "never".to_owned());
    }
    let total = outages
        .iter()
        .fold(Span::ZERO, |sum, outage| sum + outage.to.since(outage.from));
    let links = outages.iter().map(|outage| Link {
        words: format!("for {}", length(outage.to.since(outage.from))),
        at: outage.from,
    });
    Outcome::new("No writable database", format!("for {} in all", length(total)))
        .bad(true)
        .links(links)
}

fn writes(story: &Story) -> Outcome {
    let (writes, record) = (story.verdict.writes, &story.verdict.record);
    let mut words = format!("{} acknowledged", writes.acknowledged);
    let mut links = Vec::new();
    for (count, what, first) in [
        (writes.lost, "lost", record.lost.first()),
        (
            writes.accepted_by_deposed,
            "accepted by a deposed leader",
            record.deposed.first(),
        ),
        (writes.refused, "refused", story.writes.refused.first()),
        (writes.unknown, "without an answer", record.unknown.first()),
    ] {
        if count > 0 {
            words.push_str(&format!(", {count} {what}"));
            links.extend(first.map(|&at| Link {
                words: format!("first {what}"),
                at,
            }));
        }
    }
    Outcome::new("Writes", words)
        .bad(writes.lost > 0)
        .links(links.into_iter())
}

fn store(story: &Story) -> Outcome {
    let figures = story.verdict.store;
    let changes = match figures.leader_changes {
        0 => "one leader throughout".to_owned(),
        1 => "1 change of its leader".to_owned(),
        more => format!("{more} changes of its leader"),
    };
    let dark = match figures.no_quorum {
        Span::ZERO => String::new(),
        dark => format!(", decided nothing for {}", length(dark)),
    };
    let links = story.verdict.record.no_quorum.iter().map(|dark| Link {
        words: format!("nothing decided for {}", length(dark.to.since(dark.from))),
        at: dark.from,
    });
    Outcome::new("Store", changes + &dark).links(links)
}
