//! What a transcript tells, leaves out and folds.

use super::super::transcript;
use super::{Played, Script, play};
use crate::engine::{ConnId, Place, TimerKey, What};
use crate::vocabulary::{LeaseId, Message, Note, StoreOp};

#[test]
fn a_quiet_cycle_is_written_twice_and_then_folded() {
    let mut script = Script::new();
    let (agent, store, conn, lease) = (script.agent(0), script.store(), ConnId(1), LeaseId(1));
    let begin = script.add(0, Place::Process(agent), None, What::Timer(TimerKey(0)));
    script.add(0, Place::Process(agent), Some(begin), What::Opening { conn, to: store });
    for cycle in 1..=6u64 {
        let ms = cycle * 10_000 + cycle;
        let message = Message::Store {
            request: cycle as u32,
            op: StoreOp::LeaseKeepAlive { lease },
        };
        script.add(
            ms,
            Place::Process(agent),
            Some(begin),
            What::Sent {
                conn,
                to: store,
                message,
            },
        );
        script.note(ms + 1, store, begin, Note::LeaseRenewed { lease });
    }
    script.note(60_500, agent, begin, Note::StoreUnreachable);
    let expected = "   10.001  node1/agent -> etcd1          keepalive lease 1
   10.002  etcd1                         the store renews a lease

   20.002  node1/agent -> etcd1          keepalive lease 1
   20.003  etcd1                         the store renews a lease

            … 3 more of the same, until 50.006

   60.006  node1/agent -> etcd1          keepalive lease 1
   60.007  etcd1                         the store renews a lease
   60.500  node1/agent                   node1 gets no answer from the store within retry_timeout
";
    assert_eq!(transcript(&script.trace, &script.layout, &script.scenario), expected);
}

#[test]
fn a_transcript_tells_the_race_and_leaves_out_writes_and_replication() {
    let Played { scenario, run, .. } = play("agent-paused");
    let text = transcript(&run.trace, &run.layout, &scenario);
    for part in [
        "node1's agent freezes: nothing in it runs",
        "news: /leader is deleted",
        "GET /patroni",
        "if /leader is absent then put /leader = node",
        "condition did not hold",
        "… ",
    ] {
        assert!(text.contains(part), "{part} is missing");
    }
    for part in ["writer", "insert", "Wal", "/members"] {
        assert!(!text.contains(part), "{part} is there");
    }
    assert!(text.lines().count() < 300, "{} lines", text.lines().count());
}
