//! Patroni's client and its copy of the keys on their own: the client reads every second, the copy follows its server.

use leaselab::engine::{Actor, Ctx, Draw, Input, Keepalive, MonoTime, ProcId, Span, TimerKey};
use leaselab::store::{CallKind, CallOutcome, Client, TermGuard, Watcher};
use leaselab::vocabulary::{Item, Key, Keys, Reading, StoreAnswer, StoreOp, Value, Words};

const EVERY: Span = Span::from_secs(1);
const CALL: TimerKey = TimerKey(0);
const CLIENT: TimerKey = TimerKey(1);
const WATCHER: TimerKey = TimerKey(2);

#[derive(Clone)]
pub struct Reader {
    client: Client,
    watcher: Watcher,
    /// What was read: when, and the status.
    pub read: Vec<(MonoTime, Option<Value>)>,
    /// What the copy said each second.
    pub copy: Vec<(MonoTime, Option<Value>)>,
}

impl Reader {
    /// Asks the first server first.
    pub fn new(servers: Vec<ProcId>, guard: TermGuard) -> Reader {
        let patience = Span::from_secs(3);
        let keepalive = Keepalive {
            idle: Span::from_secs(20),
            every: Span::from_secs(3),
            dead_after: Span::from_secs(30),
            unacknowledged_too: true,
        };
        let watcher = Watcher::new(servers.clone(), WATCHER, patience, keepalive, guard);
        let client = Client::new(
            servers,
            Span::from_secs(30),
            Span::from_secs(10),
            CLIENT,
            Draw(0),
            guard,
        );
        let (read, copy) = (Vec::new(), Vec::new());
        Reader {
            client,
            watcher,
            read,
            copy,
        }
    }
}

impl Actor<Words> for Reader {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match input {
            Input::Start => {
                self.client.reset(ctx.mono());
                self.watcher.restart(self.client.server(), ctx);
                ctx.set_timer(CALL, EVERY);
            }
            Input::Timer(CALL) => {
                let (keys, reading) = (Keys::One(Key::Status), Reading::Serializable);
                self.client
                    .begin(StoreOp::Range { keys, reading }, CallKind::Retried, ctx);
                let status = self.watcher.get(Key::Status).map(|item: &Item| item.value.clone());
                self.copy.push((ctx.mono(), status));
            }
            input => {
                self.watcher.handle(&input, self.client.guard(), ctx);
                if let Some(CallOutcome::Answered(Ok(StoreAnswer::Items(items)))) = self.client.handle(&input, ctx) {
                    self.read
                        .push((ctx.mono(), items.first().map(|item| item.value.clone())));
                    self.watcher.prefer(self.client.server(), ctx);
                    ctx.set_timer(CALL, EVERY);
                }
            }
        }
    }
}
