//! What one cycle knows of the cluster: a look at the watcher's copy of the store's keys (patroni.md 2.2 S1).

use super::Agent;
use crate::engine::Ctx;
use crate::vocabulary::{
    FailoverRequest, File, FileName, Key, LeaseId, LeaseNote, Lsn, NodeId, NodeSet, Note, Revision, Settings,
    SyncState, Timeline, Token, Value, Words,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct View {
    pub leader: Option<NodeId>,
    /// The lease that the leader key hangs on; none while a leader is only known by its failsafe requests.
    pub leader_lease: Option<LeaseId>,
    /// The position that the leader published last.
    pub published: Option<Lsn>,
    /// What `/config` says.
    pub settings: Option<Settings>,
    pub request: Option<FailoverRequest>,
    /// What `/sync` says, and the revision a conditional write of it names.
    pub sync: SyncState,
    pub sync_revision: Revision,
    /// Whose member keys exist.
    pub members: NodeSet,
    /// Of those, whose key says that they must not lead, or must not be waited for.
    pub nofailover: NodeSet,
    pub nosync: NodeSet,
    /// `sync_priority` in each member key, by node.
    pub sync_priority: [u16; 8],
}

impl Agent {
    pub(super) fn watcher_leader(&self) -> Option<NodeId> {
        match self.watcher.get(Key::Leader)?.value {
            Value::Leader(node) => Some(node),
            _ => None,
        }
    }

    pub(super) fn look_at_cluster(&mut self, ctx: &mut Ctx<'_, Words>) {
        self.view = self.read_view();
        if let Some(Value::Failsafe(members)) = self.watcher.get(Key::Failsafe).map(|item| &item.value) {
            self.failsafe.known = *members;
        }
        if self.view.leader.is_some() {
            self.old_members = self.view.members;
            self.backing_off_since = None;
        } else if self.settings.failsafe_mode {
            // Whoever says that it leads without the store is taken for the leader for one ttl.
            self.view.leader = self.failsafe.heard(self.clock(ctx), self.settings.ttl);
        }
        if self.view.leader != Some(self.config.me) {
            self.stop_believing(ctx);
        } else if let Some(created) = self.watcher.get(Key::Leader).map(|item| item.create) {
            self.hand_out(created, ctx);
        }
    }

    /// The revision that created its leader key goes to the database's clients as a fencing token: it grows with every grant
    /// and outlives the key (protocols.md 20.3). What was handed out stays when the key is lost, as whoever has it does not
    /// know better.
    pub(super) fn hand_out(&mut self, created: Revision, ctx: &mut Ctx<'_, Words>) {
        let token = Token(created.0);
        let before = match ctx.file(FileName::Token) {
            Some(&File::Token(before)) => Some(before),
            _ => None,
        };
        if self.config.hands_out_tokens && before < Some(token) {
            ctx.write_file(FileName::Token, File::Token(token));
            ctx.note(Note::Lease(LeaseNote::HandsOut { token }));
        }
    }

    pub(super) fn read_view(&self) -> View {
        let mut view = View {
            leader: self.watcher_leader(),
            leader_lease: self.watcher.get(Key::Leader).and_then(|item| item.lease),
            ..View::default()
        };
        for item in self.watcher.items() {
            match (item.key, &item.value) {
                (Key::Status, Value::Status(lsn)) => view.published = Some(*lsn),
                (Key::Config, Value::Config(settings)) => view.settings = Some(**settings),
                (Key::Failover, Value::Failover(request)) => view.request = Some(*request),
                (Key::Sync, Value::Sync(sync)) => (view.sync, view.sync_revision) = (*sync, item.modified),
                (
                    Key::Member(node),
                    Value::Member {
                        nofailover,
                        nosync,
                        sync_priority,
                        ..
                    },
                ) => {
                    view.sync_priority[node.index()] = *sync_priority;
                    view.members = view.members.with(node);
                    if *nofailover {
                        view.nofailover = view.nofailover.with(node);
                    }
                    if *nosync {
                        view.nosync = view.nosync.with(node);
                    }
                }
                _ => {}
            }
        }
        view
    }

    /// The last timeline in `/history`.
    pub(super) fn last_timeline(&self) -> Timeline {
        match self.watcher.get(Key::History).map(|item| &item.value) {
            // Ours names the timeline that began; Patroni's the one that ended.
            Some(Value::History(timeline, _)) => *timeline,
            _ => Timeline(0),
        }
    }
}
