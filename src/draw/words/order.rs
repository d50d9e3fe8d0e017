//! What an operator tells a process and the conditions one is under, in words: label, beginning and end.

use super::{seconds, settings};
use crate::engine::WallTime;
use crate::scenario::{Host, Names, Target};
use crate::vocabulary::{NodeId, Order, Tag};

/// In a few words, for its bar: `switchover node1 to node2`.
pub(super) fn order_label(target: Target, order: &Order, names: Names<'_>) -> String {
    let whom = names.target(target);
    match order {
        Order::Switchover { to, .. } => match to {
            Some(to) => format!("switchover {whom} to {}", name(*to, names)),
            None => format!("switchover {whom}"),
        },
        Order::Failover => format!("failover to {whom}"),
        Order::RestartDatabase => format!("restart {whom}"),
        Order::Maintenance => format!("maintenance, asked of {whom}"),
        Order::Configure(changes) => format!("configure {}", settings(changes)),
        Order::Tag(tag) => format!("{whom} tagged {}", tag.word()),
        Order::BlockLoop => format!("block loop of {whom}"),
        Order::BlockWatcher => format!("block watcher of {whom}"),
        Order::TakeName { name: other } => format!("{whom} named {}", name(*other, names)),
        Order::SlowSql { by } => format!("slow SQL of {whom} by {}", seconds(*by)),
        Order::StuckStop => format!("{whom} cannot stop"),
        Order::FailPromotion => format!("{whom} cannot be promoted"),
        Order::AnswerErrors => format!("unknown errors of {whom}"),
        Order::DeleteLeaderKey => format!("delete leader key at {whom}"),
    }
}

pub(super) fn order_begins(target: Target, order: &Order, names: Names<'_>) -> String {
    let whom = owner(target, names);
    match order {
        Order::Switchover { to, scheduled } => {
            let to = to.map_or_else(|| "any node that can take over".to_owned(), |to| name(to, names));
            let when = scheduled.map_or_else(String::new, |at| format!(" at {}", seconds(at.since(WallTime(0)))));
            format!("{whom} is asked to hand over to {to}{when}")
        }
        Order::Failover => format!("{whom} is asked to become the leader"),
        Order::RestartDatabase => format!("{whom}'s agent is asked to restart its database"),
        Order::Maintenance => {
            format!("{whom} is asked for maintenance mode: nothing is promoted or demoted by itself")
        }
        Order::Configure(changes) => format!("{whom} is asked to change the configuration: {}", settings(changes)),
        Order::Tag(Tag::NoFailover) => format!("{whom} is tagged: it must not become the leader"),
        Order::Tag(Tag::NoSync) => format!("{whom} is tagged: it must not be a synchronous standby"),
        Order::BlockLoop => format!("the loop of {whom}'s agent stands still: the agent still answers others"),
        Order::BlockWatcher => {
            format!("{whom}'s agent hears no news from the store: its copy of the keys grows old")
        }
        Order::TakeName { name: other } => {
            format!(
                "{whom}'s agent is started again under the name of {}",
                name(*other, names)
            )
        }
        Order::SlowSql { by } => format!("{whom}'s database answers its agent {} later", seconds(*by)),
        Order::StuckStop => format!("{whom}'s database cannot stop: one of its processes cannot be killed"),
        Order::FailPromotion => format!("{whom}'s database cannot be promoted"),
        Order::AnswerErrors => format!("{whom} answers every request with an error that nobody knows"),
        Order::DeleteLeaderKey => format!("somebody deletes the leader key by hand, at {whom}"),
    }
}

pub(super) fn order_ends(target: Target, order: &Order, names: Names<'_>) -> String {
    let whom = owner(target, names);
    match order {
        Order::Maintenance => format!("{whom} is asked to end maintenance mode"),
        Order::Tag(tag) => format!("{whom} is no longer tagged {}", tag.word()),
        Order::BlockLoop => format!("the loop of {whom}'s agent goes on"),
        Order::BlockWatcher => format!("{whom}'s agent hears news from the store again"),
        Order::SlowSql { .. } => format!("{whom}'s database answers its agent as fast as before"),
        Order::StuckStop => format!("{whom}'s database can stop again"),
        Order::FailPromotion => format!("{whom}'s database can be promoted again"),
        Order::AnswerErrors => format!("{whom} answers as before"),
        Order::Switchover { .. }
        | Order::Failover
        | Order::RestartDatabase
        | Order::Configure(_)
        | Order::TakeName { .. }
        | Order::DeleteLeaderKey => format!("{} is over", order_label(target, order, names)),
    }
}

fn name(node: NodeId, names: Names<'_>) -> String {
    names.host(Host::Node(node.index()))
}

/// The node whose process it is, or the member of the store.
fn owner(target: Target, names: Names<'_>) -> String {
    match target {
        Target::Process(node, _) => names.host(Host::Node(node)),
        Target::Host(_) | Target::Member(_) => names.target(target),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{fault_begins, fault_ends, fault_label, fault_times};
    use crate::scenario::{FAULTS, Scenario};

    /// How the fault is called, when it strikes, and what is said when it begins and when it ends.
    fn told(fault: &str) -> String {
        let text = format!("[[fault]]\nat_s = 40\n{fault}");
        let scenario = Scenario::parse(&text, "test").unwrap_or_else(|errors| panic!("{errors:?}"));
        let fault = &scenario.faults[0];
        let (label, begins) = (fault_label(fault, &scenario), fault_begins(fault, &scenario));
        let ends = if fault.what.lasts() {
            format!("; {}", fault_ends(fault, &scenario))
        } else {
            String::new()
        };
        format!("{label}, {}: {begins}{ends}", fault_times(fault))
    }

    #[test]
    fn what_a_process_is_told_is_a_plain_sentence_at_its_beginning_and_its_end() {
        for (fault, says) in [
            (
                "for_s = 5\nkind = \"stop\"\ntarget = \"node1/agent\"",
                "stop node1/agent, from 40 s for 5 s: node1's agent is asked to end; node1's agent may be started again",
            ),
            (
                "kind = \"switchover\"\ntarget = \"node1\"\nto = \"node2\"",
                "switchover node1 to node2, at 40 s: node1 is asked to hand over to node2",
            ),
            (
                "kind = \"switchover\"\ntarget = \"node1\"",
                "switchover node1, at 40 s: node1 is asked to hand over to any node that can take over",
            ),
            (
                "kind = \"failover\"\ntarget = \"node2\"",
                "failover to node2, at 40 s: node2 is asked to become the leader",
            ),
            (
                "kind = \"restart\"\ntarget = \"node1/postgres\"",
                "restart node1/postgres, at 40 s: node1's agent is asked to restart its database",
            ),
            (
                "kind = \"maintenance\"\ntarget = \"node1\"",
                "maintenance, asked of node1, from 40 s to the end: node1 is asked for maintenance mode: nothing is \
                 promoted or demoted by itself; node1 is asked to end maintenance mode",
            ),
            (
                "kind = \"block\"\ntarget = \"node1/agent\"",
                "block loop of node1/agent, from 40 s to the end: the loop of node1's agent stands still: the agent still \
                 answers others; the loop of node1's agent goes on",
            ),
            (
                "kind = \"block\"\ntarget = \"node1/agent\"\nthread = \"watcher\"",
                "block watcher of node1/agent, from 40 s to the end: node1's agent hears no news from the store: its copy \
                 of the keys grows old; node1's agent hears news from the store again",
            ),
            (
                "kind = \"same_name\"\ntarget = \"node3/agent\"\nname = \"node1\"",
                "node3/agent named node1, at 40 s: node3's agent is started again under the name of node1",
            ),
            (
                "kind = \"slow_sql\"\ntarget = \"node1/postgres\"\nadd_ms = 2500",
                "slow SQL of node1/postgres by 2.5 s, from 40 s to the end: node1's database answers its agent 2.5 s \
                 later; node1's database answers its agent as fast as before",
            ),
            (
                "kind = \"stuck_stop\"\ntarget = \"node1/postgres\"",
                "node1/postgres cannot stop, from 40 s to the end: node1's database cannot stop: one of its processes \
                 cannot be killed; node1's database can stop again",
            ),
            (
                "kind = \"failed_promote\"\ntarget = \"node2/postgres\"",
                "node2/postgres cannot be promoted, from 40 s to the end: node2's database cannot be promoted; node2's \
                 database can be promoted again",
            ),
            (
                "kind = \"delete_key\"\ntarget = \"etcd1\"",
                "delete leader key at etcd1, at 40 s: somebody deletes the leader key by hand, at etcd1",
            ),
        ] {
            assert_eq!(told(fault), says);
        }
    }

    #[test]
    fn every_kind_of_fault_has_words() {
        for spec in FAULTS {
            let scenario = Scenario::parse(spec.example, "test").unwrap();
            let fault = &scenario.faults[0];
            for words in [
                fault_label(fault, &scenario),
                fault_begins(fault, &scenario),
                fault_ends(fault, &scenario),
            ] {
                assert!(!words.is_empty() && !words.contains('{'), "{}: {words}", spec.kind);
            }
        }
    }
}
